//! Formulas of proof obligations: Boolean combinations of linear comparisons over integer constants.
//!
//! The checker has its own expressions, so that nothing it believes goes through the normal forms of the engines.

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, Zero};
use relyant_linear::{Atom, Cube, LinExpr, Rel, Var};
use relyant_program::Loc;
use std::collections::BTreeSet;

/// An integer constant of an obligation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Symbol {
    /// A variable before the step; a local of the thread that moves where two threads of a template take part.
    Var(Var),
    /// A local of the second thread of the same template.
    Second(Var),
    /// A local of one more thread.
    Third(Var),
    /// A variable after the step.
    After(Var),
    /// An input of the step.
    Input(u32),
    /// Where the one thread of a template is.
    At(u32),
    /// Where it is after the step.
    AtAfter(u32),
    /// Where the second thread of a template of many is.
    SecondAt(u32),
    /// How many threads of a template are at a location.
    Threads(u32, Loc),
    /// The value of a function, by number: linear arithmetic does not know which.
    Term(u32),
}

/// A sum of integer multiples of symbols, and a constant. Terms are sorted and not zero.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Linear {
    /// Symbols with their coefficients: sorted by symbol, each once, none zero.
    pub terms: Vec<(Symbol, BigInt)>,
    /// What is added to the terms.
    pub constant: BigInt,
}

impl Linear {
    /// The symbol with coefficient 1, and nothing else.
    pub fn symbol(s: Symbol) -> Linear {
        Linear { terms: vec![(s, BigInt::one())], constant: BigInt::zero() }
    }
    /// A constant, without terms.
    pub fn number(n: impl Into<BigInt>) -> Linear {
        Linear { terms: Vec::new(), constant: n.into() }
    }
    /// `self + k * other`.
    pub fn plus(&self, k: &BigInt, other: &Linear) -> Linear {
        let mut terms = Vec::with_capacity(self.terms.len() + other.terms.len());
        let (mut i, mut j) = (0, 0);
        while i < self.terms.len() || j < other.terms.len() {
            let (a, b) = (self.terms.get(i), other.terms.get(j));
            let (s, c) = match (a, b) {
                (Some(a), Some(b)) if a.0 == b.0 => {
                    (i, j) = (i + 1, j + 1);
                    (a.0, &a.1 + k * &b.1)
                }
                (Some(a), b) if b.is_none_or(|b| a.0 < b.0) => {
                    i += 1;
                    (a.0, a.1.clone())
                }
                (_, Some(b)) => {
                    j += 1;
                    (b.0, k * &b.1)
                }
                _ => break,
            };
            if !c.is_zero() {
                terms.push((s, c));
            }
        }
        Linear { terms, constant: &self.constant + k * &other.constant }
    }
    /// `self - other`; terms that cancel are gone.
    pub fn minus(&self, other: &Linear) -> Linear {
        self.plus(&-BigInt::one(), other)
    }
    /// A positive multiple of `e` with integer coefficients, each variable replaced.
    fn multiple(e: &LinExpr, var: &dyn Fn(Var) -> Linear) -> Linear {
        let mut scale = e.constant_part().denom();
        for (_, c) in e.terms() {
            scale = scale.lcm(&c.denom());
        }
        let mut out = Linear::number(e.constant_part().numer() * (&scale / e.constant_part().denom()));
        for (v, c) in e.terms() {
            out = out.plus(&(c.numer() * (&scale / c.denom())), &var(*v));
        }
        out
    }
    /// The value of `e`, each variable replaced, when its coefficients are integers.
    pub fn value(e: &LinExpr, var: &dyn Fn(Var) -> Linear) -> Option<Linear> {
        let integral = e.constant_part().is_integer() && e.terms().iter().all(|t| t.1.is_integer());
        integral.then(|| Linear::multiple(e, var))
    }
}

/// A formula over integer constants, without quantifiers. An obligation is one that must be unsatisfiable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Formula {
    /// True or false, whatever the symbols are.
    Const(bool),
    /// `e <= 0`, over integers.
    Le(Linear),
    /// `e = 0`, over integers.
    Eq(Linear),
    /// The negation of a formula.
    Not(Box<Formula>),
    /// The conjunction; of none it is true.
    And(Vec<Formula>),
    /// The disjunction; of none it is false.
    Or(Vec<Formula>),
}

impl Formula {
    /// `e <= 0`; a constant where there are no terms.
    pub fn le(e: Linear) -> Formula {
        if e.terms.is_empty() { Formula::Const(e.constant <= BigInt::zero()) } else { Formula::Le(e) }
    }
    /// `e = 0`; a constant where there are no terms.
    pub fn eq(e: Linear) -> Formula {
        if e.terms.is_empty() { Formula::Const(e.constant.is_zero()) } else { Formula::Eq(e) }
    }
    /// An atom, each variable replaced.
    pub fn atom(a: &Atom, var: &dyn Fn(Var) -> Linear) -> Formula {
        let e = Linear::multiple(a.expr(), var);
        match a.rel() {
            Rel::Le => Formula::le(e),
            Rel::Eq => Formula::eq(e),
        }
    }
    /// The conjunction, with true parts and nested conjunctions resolved.
    pub fn and(parts: impl IntoIterator<Item = Formula>) -> Formula {
        let mut out = Vec::new();
        for p in parts {
            match p {
                Formula::Const(true) => {}
                Formula::Const(false) => return p,
                Formula::And(inner) => out.extend(inner),
                p => out.push(p),
            }
        }
        match out.len() {
            0 => Formula::Const(true),
            1 => out.remove(0),
            _ => Formula::And(out),
        }
    }
    /// The disjunction, with false parts and nested disjunctions resolved.
    pub fn or(parts: impl IntoIterator<Item = Formula>) -> Formula {
        let mut out = Vec::new();
        for p in parts {
            match p {
                Formula::Const(false) => {}
                Formula::Const(true) => return p,
                Formula::Or(inner) => out.extend(inner),
                p => out.push(p),
            }
        }
        match out.len() {
            0 => Formula::Const(false),
            1 => out.remove(0),
            _ => Formula::Or(out),
        }
    }
    /// The negation; two cancel.
    #[allow(clippy::should_implement_trait)]
    pub fn not(self) -> Formula {
        match self {
            Formula::Const(b) => Formula::Const(!b),
            Formula::Not(f) => *f,
            f => Formula::Not(Box::new(f)),
        }
    }
    /// `e` is one of these numbers, which are sorted.
    pub fn one_of(e: &Linear, numbers: &[u32]) -> Formula {
        let mut runs: Vec<(u32, u32)> = Vec::new();
        for n in numbers {
            match runs.last_mut() {
                Some((_, last)) if last.checked_add(1) == Some(*n) => *last = *n,
                _ => runs.push((*n, *n)),
            }
        }
        Formula::or(runs.into_iter().map(|(low, high)| {
            let (low_end, high_end) = (Linear::number(low), Linear::number(high));
            if low == high {
                Formula::eq(e.minus(&low_end))
            } else {
                Formula::and([Formula::le(low_end.minus(e)), Formula::le(e.minus(&high_end))])
            }
        }))
    }
    /// Adds the symbols in it to a set.
    pub fn symbols(&self, out: &mut BTreeSet<Symbol>) {
        match self {
            Formula::Const(_) => {}
            Formula::Le(e) | Formula::Eq(e) => out.extend(e.terms.iter().map(|t| t.0)),
            Formula::Not(f) => f.symbols(out),
            Formula::And(fs) | Formula::Or(fs) => fs.iter().for_each(|f| f.symbols(out)),
        }
    }
    /// Its value where every symbol has one.
    pub fn holds(&self, value: &dyn Fn(Symbol) -> BigInt) -> bool {
        let eval = |e: &Linear| e.terms.iter().fold(e.constant.clone(), |s, (x, c)| s + c * value(*x));
        match self {
            Formula::Const(b) => *b,
            Formula::Le(e) => eval(e) <= BigInt::zero(),
            Formula::Eq(e) => eval(e).is_zero(),
            Formula::Not(f) => !f.holds(value),
            Formula::And(fs) => fs.iter().all(|f| f.holds(value)),
            Formula::Or(fs) => fs.iter().any(|f| f.holds(value)),
        }
    }
}

/// What stands for each variable.
pub(crate) type Values<'f> = &'f dyn Fn(Var) -> Linear;

/// A variable's value before the step.
pub(crate) fn before(v: Var) -> Linear {
    Linear::symbol(Symbol::Var(v))
}

/// A cube, with these values.
pub(crate) fn cube(c: &Cube, var: Values) -> Formula {
    if c.is_bottom() {
        return Formula::Const(false);
    }
    Formula::and(c.atoms().iter().map(|a| Formula::atom(a, var)))
}

/// It is one of these locations.
pub(crate) fn place(at: &Linear, ls: &[Loc]) -> Formula {
    let numbers: Vec<u32> = ls.iter().map(|l| l.0).collect();
    Formula::one_of(at, &numbers)
}

#[cfg(test)]
mod tests {
    use super::*;
    use relyant_linear::{Norm, Rat};

    #[test]
    fn sums_cancel_and_stay_sorted() {
        let (x, y) = (Symbol::Var(Var(0)), Symbol::Var(Var(1)));
        let a = Linear::symbol(y).plus(&2.into(), &Linear::symbol(x));
        let b = a.minus(&Linear::symbol(y)).plus(&1.into(), &Linear::number(5));
        assert_eq!(a.terms, vec![(x, 2.into()), (y, 1.into())]);
        assert_eq!(b, Linear { terms: vec![(x, 2.into())], constant: 5.into() });
    }

    #[test]
    fn sets_become_ranges() {
        let pc = Linear::symbol(Symbol::At(0));
        let f = Formula::one_of(&pc, &[0, 1, 2, 5]);
        let inside: Vec<u32> = (0..8).filter(|n| f.holds(&|_| (*n).into())).collect();
        assert_eq!(inside, [0, 1, 2, 5]);
        assert_eq!(Formula::one_of(&pc, &[]), Formula::Const(false));
        assert_eq!(Formula::one_of(&Linear::number(3), &[1, 2, 3]), Formula::Const(true));
    }

    #[test]
    fn rational_updates_have_no_value() {
        let half = LinExpr::var(Var(0)).scale(&Rat::new(1.into(), 2.into()));
        assert_eq!(Linear::value(&half, &|v| Linear::symbol(Symbol::Var(v))), None);
        let Norm::Atom(a) = Atom::le(&half.add(&LinExpr::int(-3))) else { panic!("an atom") };
        assert!(Formula::atom(&a, &|_| Linear::number(6)) == Formula::Const(true));
        assert!(Formula::atom(&a, &|_| Linear::number(7)) == Formula::Const(false));
    }
}
