//! Cases: what an expression is under a condition.

use crate::{Input, Touch};
use relyant_linear::{Atom, Cube, LinExpr, Norm, Rat, Var};

/// Under `guard && bounds`, for some values of the inputs, an expression has this value.
/// Inputs are numbered from `base` on in every case.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ValueCase {
    /// Condition as the program tests it.
    pub guard: Cube,
    /// Conditions that hold because of types, or that define inputs.
    pub bounds: Cube,
    /// What the variables from `base` on stand for, in order.
    pub inputs: Vec<Input>,
    /// The value over variables before the step and inputs.
    pub value: LinExpr,
    /// Accesses to elements of arrays.
    pub touches: Vec<Touch>,
    /// The program has just these values under these conditions; else it may have fewer.
    pub exact: bool,
}

impl ValueCase {
    /// A value without condition.
    pub fn of(value: LinExpr) -> ValueCase {
        ValueCase {
            guard: Cube::top(),
            bounds: Cube::top(),
            inputs: Vec::new(),
            value,
            touches: Vec::new(),
            exact: true,
        }
    }
    /// The same with another value.
    pub fn with(&self, value: LinExpr) -> ValueCase {
        ValueCase { value, ..self.clone() }
    }
    /// The same under a further condition.
    pub fn when(mut self, n: Norm) -> ValueCase {
        self.guard.push(n);
        self
    }
    /// The same with a further bound.
    pub fn bound(mut self, n: Norm) -> ValueCase {
        self.bounds.push(n);
        self
    }
    /// A new input; its variable.
    pub fn input(&mut self, base: u32, kind: Input) -> Var {
        self.inputs.push(kind);
        Var(base + self.inputs.len() as u32 - 1)
    }
    /// Both conditions; the other's value is returned apart, with its inputs renumbered. The value is `self`'s.
    pub fn and(&self, other: &ValueCase, base: u32) -> (ValueCase, LinExpr) {
        let shift = self.inputs.len() as u32;
        let f = |v: Var| if v.0 >= base { Var(v.0 + shift) } else { v };
        let touch = |t: &Touch| Touch { at: t.at.rename(f), value: t.value.rename(f), ..*t };
        let case = ValueCase {
            touches: self.touches.iter().cloned().chain(other.touches.iter().map(touch)).collect(),
            guard: self.guard.and(&other.guard.rename(f)),
            bounds: self.bounds.and(&other.bounds.rename(f)),
            inputs: self.inputs.iter().chain(&other.inputs).copied().collect(),
            value: self.value.clone(),
            exact: self.exact && other.exact,
        };
        (case, other.value.rename(f))
    }
    /// Cannot hold, by its form?
    pub fn is_false(&self) -> bool {
        self.guard.is_bottom() || self.bounds.is_bottom()
    }
}

/// `a <= b`, tightened to integers.
pub fn le(a: &LinExpr, b: &LinExpr) -> Norm {
    Atom::le(&a.sub(b))
}
/// `a = b`; false where no integers make it so.
pub fn eq(a: &LinExpr, b: &LinExpr) -> Norm {
    Atom::eq(&a.sub(b))
}
/// `e <= c`, tightened to integers.
pub fn at_most(e: &LinExpr, c: i128) -> Norm {
    le(e, &LinExpr::int(c))
}
/// `e >= c`, tightened to integers.
pub fn at_least(e: &LinExpr, c: i128) -> Norm {
    le(&LinExpr::int(c), e)
}
/// `c * e`; zero for `c = 0`.
pub fn times(c: i128, e: &LinExpr) -> LinExpr {
    e.scale(&Rat::from(c))
}
