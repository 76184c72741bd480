//! Difference bounds and their closure: the entailment test of the fixpoint.
//!
//! Of a prototype's questions that needed a solver 95 % were pure difference bounds; a new SMT solver for each was its
//! worst single cost. Entailment over the rationals is enough here: integers matter where atoms are normalised and
//! negated, and where a counterexample is decided.

use relyant_linear::meter;

/// Bounds beyond this are weakened to it (or to none): sound, and no sum overflows.
const LIMIT: i64 = 1 << 60;
const NONE: i64 = i64::MAX;

/// A matrix of bounds `x - y <= m[x][y]` over slots; slot 0 is the constant zero.
#[derive(Default)]
pub struct Closure {
    n: usize,
    m: Vec<i64>,
}

impl Closure {
    /// Starts over with `n` slots and no bounds.
    pub fn reset(&mut self, n: usize) {
        self.n = n;
        self.m.clear();
        self.m.resize(n * n, NONE);
        for i in 0..n {
            self.m[i * n + i] = 0;
        }
    }
    /// Adds `x - y <= c`.
    pub fn add(&mut self, x: u16, y: u16, c: i64) {
        let cell = &mut self.m[x as usize * self.n + y as usize];
        if c < *cell && c < LIMIT {
            *cell = c.max(-LIMIT);
        }
    }
    /// Computes all implied bounds; false when there is no solution.
    pub fn close(&mut self) -> bool {
        let n = self.n;
        meter::add(n * n * 2 + 10);
        for k in 0..n {
            for i in 0..n {
                let ik = self.m[i * n + k];
                if ik == NONE || i == k {
                    continue;
                }
                for j in 0..n {
                    let kj = self.m[k * n + j];
                    if kj != NONE {
                        let s = ik + kj;
                        if s < self.m[i * n + j] && s < LIMIT {
                            self.m[i * n + j] = s.max(-LIMIT);
                        }
                    }
                }
            }
            if self.m[k * n + k] < 0 {
                return false;
            }
        }
        (0..n).all(|i| self.m[i * n + i] >= 0)
    }
    /// After `close`: does `x - y <= c` follow?
    pub fn implies(&self, x: u16, y: u16, c: i64) -> bool {
        self.m[x as usize * self.n + y as usize] <= c
    }
    /// After `close`: the least upper bound of `x - y`, if there is one.
    pub fn bound(&self, x: u16, y: u16) -> Option<i64> {
        let b = self.m[x as usize * self.n + y as usize];
        (b != NONE).then_some(b)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn closes_a_chain_and_finds_a_negative_cycle() {
        let mut c = Closure::default();
        c.reset(3);
        c.add(1, 0, 5); // x <= 5
        c.add(2, 1, -1); // y <= x - 1
        assert!(c.close());
        assert!(c.implies(2, 0, 4) && !c.implies(2, 0, 3));
        c.add(0, 2, -5); // y >= 5
        assert!(!c.close());
    }
}
