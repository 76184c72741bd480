//! Shared by the tests: cases, generators and Z3's view of atoms as in the tests of `relyant-linear`, and of formulas.
#![allow(dead_code, unused_imports)]

#[path = "../../../crates/linear/tests/common/mod.rs"]
mod linear;

pub use linear::*;
use relyant_horn::Formula;
use relyant_linear::Var;
use z3::ast::{Bool, Int};

pub fn z3_formula(f: &Formula, var: &dyn Fn(Var) -> Int) -> Bool {
    match f {
        Formula::True => Bool::from_bool(true),
        Formula::False => Bool::from_bool(false),
        Formula::Atom(a) => z3_atom(a, var),
        Formula::And(fs) => Bool::and(&fs.iter().map(|f| z3_formula(f, var)).collect::<Vec<_>>()),
        Formula::Or(fs) => Bool::or(&fs.iter().map(|f| z3_formula(f, var)).collect::<Vec<_>>()),
    }
}
