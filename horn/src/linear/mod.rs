//! Linear expressions over exact rationals, atoms, and cubes over integer variables.

mod atom;
mod branch;
mod cube;
pub(crate) mod dbm;
mod decide;
mod expr;
pub(crate) mod omega;
pub(crate) mod project;
mod rat;
pub(crate) mod simplex;

pub use atom::{Atom, Norm, Rel};
pub use cube::Cube;
pub use decide::{Closed, Model, Satisfiable};
pub use expr::{LinExpr, Var};
pub use rat::Rat;
