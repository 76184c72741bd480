//! Atoms `e <= 0` and `e = 0` over integer variables, in normal form.

use crate::rat::coprime_factor;
use crate::{LinExpr, Rat, Var};

/// The relation of an atom's expression to zero.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Rel {
    /// `e <= 0`; over integers `e < 0` is `e + 1 <= 0`, so that there is no strict one.
    Le,
    /// `e = 0`; its negation is no atom but two, `e < 0` or `e > 0`.
    Eq,
}

/// An atom `expr rel 0` in normal form: integer coefficients with gcd 1, the constant tightened to an
/// integer, at least one variable; in an equality the first coefficient is positive.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Atom {
    expr: LinExpr,
    rel: Rel,
}

/// What normalising an atom gives.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Norm {
    /// Holds for all integers.
    True,
    /// Holds for no integers, as `1 <= 0` or `2x = 1`.
    False,
    /// Holds for some integers and not for others, in normal form.
    Atom(Atom),
}

impl Atom {
    /// `e <= 0` over integers, normalised.
    pub fn le(e: &LinExpr) -> Norm {
        if e.is_constant() {
            return if e.constant_part().is_positive() { Norm::False } else { Norm::True };
        }
        let e = coprime(e);
        // sum a_i x_i <= -c tightens to sum a_i x_i <= floor(-c), that is constant ceil(c).
        let c = e.constant_part().ceil();
        Norm::Atom(Atom { expr: set_constant(e, c), rel: Rel::Le })
    }
    /// `e < 0` over integers, normalised.
    pub fn lt(e: &LinExpr) -> Norm {
        if e.is_constant() {
            return if e.constant_part().is_negative() { Norm::True } else { Norm::False };
        }
        let e = coprime(e);
        let c = &e.constant_part().floor() + &Rat::one();
        Norm::Atom(Atom { expr: set_constant(e, c), rel: Rel::Le })
    }
    /// `e = 0` over integers, normalised.
    pub fn eq(e: &LinExpr) -> Norm {
        if e.is_constant() {
            return if e.constant_part().is_zero() { Norm::True } else { Norm::False };
        }
        let mut e = coprime(e);
        if !e.constant_part().is_integer() {
            return Norm::False;
        }
        if e.terms()[0].1.is_negative() {
            e = e.negated();
        }
        Norm::Atom(Atom { expr: e, rel: Rel::Eq })
    }
    /// The expression compared with zero.
    pub fn expr(&self) -> &LinExpr {
        &self.expr
    }
    /// The relation of the expression to zero.
    pub fn rel(&self) -> Rel {
        self.rel
    }
    /// The variables, each once, ascending; at least one.
    pub fn vars(&self) -> impl Iterator<Item = Var> + '_ {
        self.expr.vars()
    }
    /// The negation as a disjunction: one atom for `<=`, two for `=`.
    pub fn negate(&self) -> Vec<Norm> {
        match self.rel {
            Rel::Le => vec![Atom::lt(&self.expr.negated())],
            Rel::Eq => vec![Atom::lt(&self.expr), Atom::lt(&self.expr.negated())],
        }
    }
    /// An equality as two inequalities, an inequality as itself.
    pub fn inequalities(&self) -> Vec<LinExpr> {
        match self.rel {
            Rel::Le => vec![self.expr.clone()],
            Rel::Eq => vec![self.expr.clone(), self.expr.negated()],
        }
    }
    /// Every variable replaced at once (`None` keeps it), normalised again.
    pub fn subst(&self, f: impl Fn(Var) -> Option<LinExpr>) -> Norm {
        let e = self.expr.subst(f);
        match self.rel {
            Rel::Le => Atom::le(&e),
            Rel::Eq => Atom::eq(&e),
        }
    }
    /// Variables renamed by an injective map.
    pub fn rename(&self, f: impl Fn(Var) -> Var) -> Atom {
        let mut expr = self.expr.rename(f);
        // Coefficients stay as they are; only the order of the terms, so the first sign, may change.
        debug_assert_eq!(expr.terms().len(), self.expr.terms().len(), "renaming must be injective");
        if self.rel == Rel::Eq && expr.terms().first().is_some_and(|t| t.1.is_negative()) {
            expr = expr.negated();
        }
        Atom { expr, rel: self.rel }
    }
    /// Does it hold where every variable has the given value?
    pub fn holds(&self, value: impl Fn(Var) -> Rat) -> bool {
        let x = self.expr.eval(value);
        match self.rel {
            Rel::Le => !x.is_positive(),
            Rel::Eq => x.is_zero(),
        }
    }
    /// Text as a comparison of the terms with a constant, as C has it.
    pub fn display(&self, name: impl Fn(Var) -> String) -> String {
        let left = self.expr.with_constant(Rat::zero());
        let op = match self.rel {
            Rel::Le => "<=",
            Rel::Eq => "==",
        };
        let right = -self.expr.constant_part();
        if self.rel == Rel::Le && self.expr.terms().iter().all(|t| t.1.is_negative()) {
            let left = left.negated();
            return format!("{} >= {}", left.display(name), -right);
        }
        format!("{} {op} {right}", left.display(name))
    }
}

fn set_constant(e: LinExpr, c: Rat) -> LinExpr {
    if *e.constant_part() == c { e } else { e.with_constant(c) }
}

/// The positive multiple whose coefficients are integers with gcd 1.
fn coprime(e: &LinExpr) -> LinExpr {
    match coprime_factor(e.terms().iter().map(|t| &t.1)) {
        None => e.clone(),
        Some(f) => e.scale(&f),
    }
}
