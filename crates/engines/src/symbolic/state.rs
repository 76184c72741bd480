//! Symbolic states: where each thread is, and what is known of the variables.
//!
//! A symbol is an unknown integer. In normal form (`normal.rs`) a symbol is the value of a variable and is named by
//! that variable's number, so a state is a cube over program variables as it stands; symbols that are the value of
//! no variable are *hidden* and numbered from the number of variables on.

use relyant_linear::{Cube, LinExpr, Rat, Var};
use relyant_program::Loc;
use std::sync::Arc;

/// What is known of a variable.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Value {
    /// Nothing; nobody reads it before it is written.
    Any,
    /// This number; those that do not fit are a `Sum`.
    Int(i64),
    /// A sum of symbols with integer coefficients, or a large number.
    Sum(Arc<LinExpr>),
}

impl Value {
    /// The value of an expression over symbols.
    pub fn of(e: LinExpr) -> Value {
        match e.constant_part().to_i64() {
            Some(c) if e.is_constant() => Value::Int(c),
            _ => Value::Sum(Arc::new(e)),
        }
    }
    /// The symbol as a value: any integer that the cube allows.
    pub fn symbol(s: Var) -> Value {
        Value::Sum(Arc::new(LinExpr::var(s)))
    }
    /// The expression over symbols, unless nothing is known.
    pub fn expr(&self) -> Option<LinExpr> {
        match self {
            Value::Any => None,
            Value::Int(c) => Some(LinExpr::int(*c as i128)),
            Value::Sum(e) => Some((**e).clone()),
        }
    }
    /// Does it have symbols in it?
    pub fn is_symbolic(&self) -> bool {
        matches!(self, Value::Sum(e) if !e.is_constant())
    }
}

/// A symbolic state: all states at these locations whose variables have such values, for symbols that satisfy the
/// cube.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct SymbolicState {
    /// Location of each template's thread.
    pub at: Arc<[Loc]>,
    /// By variable of the program, locals of all templates among them.
    pub values: Box<[Value]>,
    /// Condition on the symbols; it has a solution, as far as is known.
    pub cube: Arc<Cube>,
    /// How many hidden symbols there are; their numbers begin with that of variables.
    pub hidden: u32,
}

impl SymbolicState {
    /// An expression over variables, as one over symbols; `input(k)` are the variables from the last on.
    pub fn sum(&self, e: &LinExpr) -> LinExpr {
        let mut constant = e.constant_part().clone();
        let mut terms: Vec<(Var, Rat)> = Vec::new();
        for (v, c) in e.terms() {
            match self.values.get(v.0 as usize) {
                Some(Value::Int(x)) => constant = &constant + &(c * &Rat::from(*x)),
                Some(Value::Sum(x)) => {
                    terms.extend(x.terms().iter().map(|(s, k)| (*s, k * c)));
                    constant = &constant + &(c * x.constant_part());
                }
                // What is not known is a symbol of its own: normal form names no symbol after such a variable.
                Some(Value::Any) => terms.push((*v, c.clone())),
                None => terms.push((Var(v.0 + self.hidden), c.clone())),
            }
        }
        LinExpr::new(terms, constant)
    }
}
