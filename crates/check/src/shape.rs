//! Formulas up to the names of their symbols: what the solver says of one it says of all.

use super::formula::{Formula, Linear, Symbol};
use num_bigint::BigInt;
use rustc_hash::FxHashMap;
use sha2::{Digest, Sha256};

/// The digest of a formula whose symbols are numbered as they occur.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct FormulaDigest([u8; 32]);

impl FormulaDigest {
    /// Of a formula. Two that have the same one are satisfiable both or neither.
    pub fn of(f: &Formula) -> FormulaDigest {
        let mut w = Writer { out: Sha256::new(), numbers: FxHashMap::default() };
        w.formula(f);
        FormulaDigest(w.out.finalize().into())
    }
}

/// Writes a formula so that it could be read again: each part starts with what it is, or with its length.
struct Writer {
    out: Sha256,
    numbers: FxHashMap<Symbol, u64>,
}

impl Writer {
    fn formula(&mut self, f: &Formula) {
        match f {
            Formula::Const(b) => self.out.update([0, u8::from(*b)]),
            Formula::Le(e) => self.linear(1, e),
            Formula::Eq(e) => self.linear(2, e),
            Formula::Not(f) => {
                self.out.update([3]);
                self.formula(f);
            }
            Formula::And(fs) => self.all(4, fs),
            Formula::Or(fs) => self.all(5, fs),
        }
    }
    fn all(&mut self, tag: u8, fs: &[Formula]) {
        self.out.update([tag]);
        self.length(fs.len());
        fs.iter().for_each(|f| self.formula(f));
    }
    fn linear(&mut self, tag: u8, e: &Linear) {
        self.out.update([tag]);
        self.length(e.terms.len());
        for (s, c) in &e.terms {
            let next = self.numbers.len() as u64;
            let n = *self.numbers.entry(*s).or_insert(next);
            self.out.update(n.to_le_bytes());
            self.number(c);
        }
        self.number(&e.constant);
    }
    fn number(&mut self, n: &BigInt) {
        let bytes = n.to_signed_bytes_le();
        self.length(bytes.len());
        self.out.update(&bytes);
    }
    fn length(&mut self, n: usize) {
        self.out.update((n as u64).to_le_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use relyant_linear::Var;

    fn le(terms: &[(Symbol, i64)], constant: i64) -> Formula {
        let one = |(s, c): &(Symbol, i64)| (*s, BigInt::from(*c));
        Formula::Le(Linear { terms: terms.iter().map(one).collect(), constant: constant.into() })
    }

    #[test]
    fn names_do_not_matter_and_all_else_does() {
        let [x, y, z] = [1, 2, 3].map(|k| Symbol::Var(Var(k)));
        let after = Symbol::After(Var(1));
        let f = |a, b| Formula::And(vec![le(&[(a, 1), (b, -1)], 3), le(&[(b, 1)], 0)]);
        let shape = FormulaDigest::of(&f(x, y));
        assert_eq!(shape, FormulaDigest::of(&f(y, z)));
        assert_eq!(shape, FormulaDigest::of(&f(x, after)));
        let others = [
            f(x, x),
            Formula::And(vec![le(&[(x, 1), (y, -1)], 3), le(&[(x, 1)], 0)]),
            Formula::And(vec![le(&[(x, 1), (y, -1)], 3), le(&[(z, 1)], 0)]),
            Formula::And(vec![le(&[(x, 1), (y, -1)], 4), le(&[(y, 1)], 0)]),
            Formula::And(vec![le(&[(x, 1), (y, 1)], 3), le(&[(y, 1)], 0)]),
            Formula::And(vec![le(&[(x, 1), (y, -1)], 3), le(&[(y, 256)], 0)]),
            Formula::And(vec![le(&[(y, 1)], 0), le(&[(x, 1), (y, -1)], 3)]),
            Formula::And(vec![le(&[(x, 1), (y, -1)], 3)]),
            Formula::Or(vec![le(&[(x, 1), (y, -1)], 3), le(&[(y, 1)], 0)]),
            Formula::Not(Box::new(f(x, y))),
            Formula::And(vec![f(x, y), Formula::Const(true)]),
            Formula::And(vec![f(x, y), Formula::Const(false)]),
        ];
        let mut seen = vec![shape];
        for o in others {
            let shape = FormulaDigest::of(&o);
            assert!(!seen.contains(&shape), "{o:?}");
            seen.push(shape);
        }
        let eq = |n: i64| Formula::Eq(Linear { terms: vec![(x, 1.into())], constant: n.into() });
        assert_ne!(FormulaDigest::of(&eq(1)), FormulaDigest::of(&le(&[(x, 1)], 1)));
    }
}
