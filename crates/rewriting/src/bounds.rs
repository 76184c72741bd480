//! Differences of naturals: closed systems of `x - y <= c`, `x <= c`, `x >= c` over the integers.
//!
//! Such systems are exact over integers: closed by shortest paths, they entail what their entries say, and dropping a
//! variable drops its rows.

/// The entry where a difference has no upper bound.
pub const NONE: i64 = i64::MAX;

/// Entries beyond this are refused, so that sums never wrap.
const LARGE: i64 = 1 << 50;

/// A number grew beyond what is counted with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TooLarge;

/// `x_i - x_j <= c`; 0 is the constant 0, variables count from 1.
pub type Difference = (usize, usize, i64);

/// A satisfiable closed system over a number of variables.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Bounds {
    /// Variables and the constant.
    width: usize,
    /// `d[i * width + j]`: the least upper bound of `x_i - x_j`, or [`NONE`].
    d: Vec<i64>,
}

impl Default for Bounds {
    /// The system over no variables, which is satisfied.
    fn default() -> Bounds {
        Bounds { width: 1, d: vec![0] }
    }
}

impl Bounds {
    /// Closes a system over `n` variables, each at least `least`; `None` when nothing satisfies it.
    pub fn close(n: usize, least: i64, list: &[Difference]) -> Result<Option<Bounds>, TooLarge> {
        let width = n + 1;
        let mut b = Bounds { width, d: vec![NONE; width * width] };
        for i in 0..width {
            b.d[i * width + i] = 0;
            if i > 0 {
                b.d[i] = -least;
            }
        }
        for (i, j, c) in list {
            if c.abs() > LARGE {
                return Err(TooLarge);
            }
            let e = &mut b.d[i * width + j];
            *e = (*e).min(*c);
        }
        for k in 0..width {
            for i in 0..width {
                let ik = b.at(i, k);
                if ik == NONE {
                    continue;
                }
                for j in 0..width {
                    let kj = b.at(k, j);
                    if kj != NONE && ik + kj < b.at(i, j) {
                        if (ik + kj).abs() > LARGE * 2 {
                            return Err(TooLarge);
                        }
                        b.d[i * width + j] = ik + kj;
                    }
                }
            }
            // a negative cycle would go on growing
            if (0..width).any(|i| b.at(i, i) < 0) {
                return Ok(None);
            }
        }
        if b.d.iter().any(|e| *e != NONE && e.abs() > LARGE) {
            return Err(TooLarge);
        }
        Ok(Some(b))
    }
    /// The least upper bound of `x_i - x_j`, or [`NONE`].
    pub fn at(&self, i: usize, j: usize) -> i64 {
        self.d[i * self.width + j]
    }
    /// Number of variables, the constant 0 not counted.
    pub fn vars(&self) -> usize {
        self.width - 1
    }
    /// All bounds there are.
    pub fn list(&self) -> impl Iterator<Item = Difference> + '_ {
        (0..self.width)
            .flat_map(move |i| (0..self.width).map(move |j| (i, j, self.at(i, j))))
            .filter(|(i, j, c)| i != j && *c != NONE)
    }
    /// Bounds that do not follow from others. For readers.
    pub fn essential(&self) -> Vec<Difference> {
        let implied = |(i, j, c): Difference, kept: &[Difference]| {
            let mut rest: Vec<Difference> = kept.iter().copied().filter(|e| *e != (i, j, c)).collect();
            // the opposite does not fit exactly when it follows
            rest.push((j, i, -c - 1));
            matches!(Bounds::close(self.vars(), 0, &rest), Ok(None))
        };
        let mut kept: Vec<Difference> = self.list().collect();
        let mut at = 0;
        while at < kept.len() {
            if implied(kept[at], &kept) {
                kept.remove(at);
            } else {
                at += 1;
            }
        }
        kept
    }
    /// Without the other variables; `keep[k]` becomes variable `k + 1`.
    pub fn project(&self, keep: &[usize]) -> Bounds {
        let width = keep.len() + 1;
        let old = |k: usize| if k == 0 { 0 } else { keep[k - 1] };
        let d =
            (0..width).flat_map(|i| (0..width).map(move |j| (i, j))).map(|(i, j)| self.at(old(i), old(j)));
        Bounds { width, d: d.collect() }
    }
    /// Values of the variables, the least ones.
    pub fn model(&self) -> Vec<i64> {
        (1..self.width).map(|i| -self.at(0, i)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Satisfiability, entries and projection agree with enumeration.
        #[test]
        fn exact(list in prop::collection::vec((0usize..4, 0usize..4, -3i64..4), 0..7)) {
            let mut list: Vec<Difference> = list.into_iter().filter(|(i, j, _)| i != j).collect();
            list.extend([(1, 0, 6), (2, 0, 6), (3, 0, 6)]);
            let holds = |x: &[i64; 4]| list.iter().all(|(i, j, c)| x[*i] - x[*j] <= *c);
            let all: Vec<[i64; 4]> = (0..343).map(|n| [0, n % 7, n / 7 % 7, n / 49]).filter(holds).collect();
            match Bounds::close(3, 0, &list).unwrap() {
                None => prop_assert!(all.is_empty()),
                Some(b) => {
                    let m = b.model();
                    prop_assert!(all.contains(&[0, m[0], m[1], m[2]]));
                    for (i, j, c) in b.list() {
                        prop_assert_eq!(all.iter().map(|x| x[i] - x[j]).max(), Some(c));
                    }
                    let p = b.project(&[3, 1]);
                    for a in 0..7 {
                        for c in 0..7 {
                            let y = [0, a, c];
                            let inside = p.list().all(|(i, j, k)| y[i] - y[j] <= k);
                            prop_assert_eq!(inside, all.iter().any(|x| x[3] == a && x[1] == c));
                        }
                    }
                    let again = Bounds::close(3, 0, &b.essential()).unwrap().unwrap();
                    prop_assert_eq!(again, b);
                }
            }
        }
    }

    #[test]
    fn large_numbers_are_refused() {
        assert_eq!(Bounds::close(1, 0, &[(1, 0, LARGE + 1)]), Err(TooLarge));
    }
}
