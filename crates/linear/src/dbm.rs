//! Difference bounds: conjunctions of `x - y <= c`, `x <= c`, `-x <= c` and such equalities, closed
//! under the triangle inequality (Floyd and Warshall). Closure decides them over the integers.

use crate::meter;
use crate::{Atom, LinExpr, Rat, Rel, Var};

/// Constants above this are left to the simplex method: a sum of fewer than 2^24 of them fits `i128`.
const MAX_CONSTANT: i128 = 1 << 100;
/// No bound: greater than any that is kept.
const NONE: i128 = i128::MAX;

/// One difference bound: `from - to <= c`, where `None` stands for zero.
pub struct DifferenceBound {
    /// What is bounded from above.
    pub from: Option<Var>,
    /// What is subtracted; never the same as `from`.
    pub to: Option<Var>,
    /// At most 2^100 in absolute value.
    pub c: i128,
}

impl DifferenceBound {
    /// `e <= 0` as a difference bound: `None` when it has more variables, other coefficients than 1 and -1, or a
    /// constant above 2^100.
    pub fn of(e: &LinExpr) -> Option<DifferenceBound> {
        let c = -e.constant_part().to_i128()?;
        if c.unsigned_abs() > MAX_CONSTANT.unsigned_abs() {
            return None;
        }
        let (from, to) = match e.terms() {
            [(x, a)] => match a.to_i64()? {
                1 => (Some(*x), None),
                -1 => (None, Some(*x)),
                _ => return None,
            },
            [(x, a), (y, b)] => match (a.to_i64()?, b.to_i64()?) {
                (1, -1) => (Some(*x), Some(*y)),
                (-1, 1) => (Some(*y), Some(*x)),
                _ => return None,
            },
            _ => return None,
        };
        Some(DifferenceBound { from, to, c })
    }
}

/// A closed, consistent set of difference bounds.
#[derive(Clone, Debug)]
pub(crate) struct Dbm {
    /// Sorted; row and column 0 are zero's, variable `vars[i]` has `i + 1`.
    vars: Vec<Var>,
    /// `d[i * n + j]`: the least upper bound of `i - j`, [`NONE`] for none; `n` is one more than there are variables.
    d: Vec<i128>,
}

/// The closure of a conjunction of atoms under the triangle inequality, where there is one.
pub(crate) enum Closing {
    /// Each bound is the least that follows.
    Closed(Dbm),
    /// A cycle of negative weight: no integers satisfy all bounds.
    Unsat,
    /// Some atom is no difference bound.
    Outside,
}

impl Dbm {
    /// The closure of a conjunction of atoms.
    pub fn close(atoms: &[Atom]) -> Closing {
        let mut vars: Vec<Var> = atoms.iter().flat_map(|a| a.vars()).collect();
        vars.sort();
        vars.dedup();
        let n = vars.len() + 1;
        if n > 1 << 12 {
            return Closing::Outside;
        }
        let mut m = Dbm { vars, d: vec![NONE; n * n] };
        for i in 0..n {
            m.d[i * n + i] = 0;
        }
        for a in atoms {
            let Some(b) = DifferenceBound::of(a.expr()) else { return Closing::Outside };
            let (i, j) = (m.index_known(b.from), m.index_known(b.to));
            m.d[i * n + j] = m.d[i * n + j].min(b.c);
            if a.rel() == Rel::Eq {
                m.d[j * n + i] = m.d[j * n + i].min(-b.c);
            }
        }
        if m.floyd_warshall() { Closing::Closed(m) } else { Closing::Unsat }
    }

    /// False when a negative cycle shows. It is looked for after each round: until one shows, every
    /// entry is the length of a simple path, so sums stay small.
    fn floyd_warshall(&mut self) -> bool {
        let n = self.vars.len() + 1;
        meter::add(n * n * 2 + 10);
        for k in 0..n {
            for i in 0..n {
                let ik = self.d[i * n + k];
                if ik == NONE || i == k {
                    continue;
                }
                for j in 0..n {
                    let kj = self.d[k * n + j];
                    if kj != NONE && ik + kj < self.d[i * n + j] {
                        self.d[i * n + j] = ik + kj;
                    }
                }
            }
            if (0..n).any(|i| self.d[i * n + i] < 0) {
                return false;
            }
        }
        true
    }

    fn index(&self, v: Option<Var>) -> Option<usize> {
        match v {
            None => Some(0),
            Some(v) => self.vars.binary_search(&v).ok().map(|i| i + 1),
        }
    }
    fn index_known(&self, v: Option<Var>) -> usize {
        self.index(v).unwrap_or(0)
    }

    /// The least upper bound of `from - to`; `None` when there is none.
    pub fn upper(&self, from: Option<Var>, to: Option<Var>) -> Option<i128> {
        let n = self.vars.len() + 1;
        let c = self.d[self.index(from)? * n + self.index(to)?];
        if c == NONE { None } else { Some(c) }
    }

    /// Is a difference-bound atom implied? `None` when it is none.
    pub fn entails(&self, a: &Atom) -> Option<bool> {
        let b = DifferenceBound::of(a.expr())?;
        let le = |from, to, c| from == to && c >= 0 || self.upper(from, to).is_some_and(|u| u <= c);
        Some(match a.rel() {
            Rel::Le => le(b.from, b.to, b.c),
            Rel::Eq => le(b.from, b.to, b.c) && le(b.to, b.from, -b.c),
        })
    }

    /// An upper bound of an expression: the least for a difference, else from the variables' own bounds.
    pub fn upper_of(&self, e: &LinExpr) -> Option<Rat> {
        if let Some(b) = DifferenceBound::of(&e.with_constant(Rat::zero())) {
            return Some(&Rat::from(self.upper(b.from, b.to)?) + e.constant_part());
        }
        let mut sum = e.constant_part().clone();
        for (v, c) in e.terms() {
            let bound = if c.is_positive() { self.upper(Some(*v), None) } else { self.upper(None, Some(*v)) };
            sum = &sum + &(&c.abs() * &Rat::from(bound?));
        }
        Some(sum)
    }

    /// Does the sum of the variables' own bounds imply `e <= 0`? Sound, not complete.
    pub fn interval_entails(&self, e: &LinExpr) -> bool {
        let mut sum = e.constant_part().clone();
        for (v, c) in e.terms() {
            let bound = if c.is_positive() { self.upper(Some(*v), None) } else { self.upper(None, Some(*v)) };
            let Some(b) = bound else { return false };
            sum = &sum + &(&c.abs() * &Rat::from(b));
        }
        !sum.is_positive()
    }

    /// An integer solution: each variable as high as its bound allows with those before it fixed.
    pub fn model(&self) -> Vec<(Var, Rat)> {
        let n = self.vars.len() + 1;
        // Row-wise potentials: p[j] = min over i of p[i] + d[j][i], zero fixed at 0. Variables without
        // a bound from the fixed ones take the value that their lower bounds ask for, or 0.
        let mut p: Vec<i128> = vec![0; n];
        for j in 1..n {
            let (mut hi, mut lo) = (NONE, i128::MIN);
            for (i, &pi) in p.iter().enumerate().take(j) {
                let (u, l) = (self.d[j * n + i], self.d[i * n + j]);
                if u != NONE {
                    hi = hi.min(pi + u);
                }
                if l != NONE {
                    lo = lo.max(pi - l);
                }
            }
            p[j] = if lo <= 0 && 0 <= hi {
                0
            } else if lo > 0 {
                lo
            } else {
                hi
            };
        }
        self.vars.iter().zip(&p[1..]).map(|(v, c)| (*v, Rat::from(*c))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Cube, Norm};

    fn e(terms: &[(u32, i64)], c: i64) -> LinExpr {
        LinExpr::new(terms.iter().map(|(v, a)| (Var(*v), Rat::from(*a))), Rat::from(c))
    }
    fn le(terms: &[(u32, i64)], c: i64) -> Norm {
        Atom::le(&e(terms, c))
    }
    fn close(norms: &[Norm]) -> Closing {
        Dbm::close(Cube::of(norms.iter().cloned()).atoms())
    }

    #[test]
    fn bounds_travel_along_paths() {
        // x - y <= 2, y - z <= -5, z <= 1
        let norms = [le(&[(0, 1), (1, -1)], -2), le(&[(1, 1), (2, -1)], 5), le(&[(2, 1)], -1)];
        let Closing::Closed(m) = close(&norms) else { panic!("has solutions") };
        assert_eq!(m.upper(Some(Var(0)), Some(Var(2))), Some(-3));
        assert_eq!(m.upper(Some(Var(0)), None), Some(-2));
        assert_eq!(m.upper(None, Some(Var(0))), None);
        let model = m.model();
        let value = |v: Var| model.iter().find(|p| p.0 == v).unwrap().1.clone();
        assert!(Cube::of(norms).holds(value));
    }

    #[test]
    fn a_negative_cycle_is_a_contradiction() {
        let norms = [le(&[(0, 1), (1, -1)], 1), le(&[(1, 1), (2, -1)], 0), le(&[(2, 1), (0, -1)], 0)];
        assert!(matches!(close(&norms), Closing::Unsat));
        assert!(matches!(close(&norms[..2]), Closing::Closed(_)));
    }

    #[test]
    fn other_atoms_are_left_alone() {
        assert!(matches!(close(&[le(&[(0, 1), (1, 1)], 0)]), Closing::Outside));
        assert!(matches!(close(&[le(&[(0, 2), (1, -1)], 0)]), Closing::Outside));
    }

    #[test]
    fn constants_beyond_machine_integers() {
        let big = &Rat::from(i64::MAX) * &Rat::from(4i64);
        let up = Atom::le(&LinExpr::var(Var(0)).with_constant(-&big));
        let down = Atom::le(&LinExpr::var(Var(0)).negated().with_constant(&big + &Rat::one()));
        assert!(matches!(close(&[up.clone(), down]), Closing::Unsat));
        assert!(matches!(close(&[up]), Closing::Closed(_)));
    }
}
