//! Linear expressions over exact rationals, atoms, and cubes over integer variables.

mod atom;
mod cube;
mod expr;
mod rat;

pub use atom::{Atom, Norm, Rel};
pub use cube::Cube;
pub use expr::{LinExpr, Var};
pub use rat::Rat;
