//! Exact linear integer arithmetic and recursion-free Horn clauses.
#![deny(missing_docs)]

mod check;
pub mod clause;
mod formula;
pub mod linear;
mod refute;
pub mod smt2;
pub mod solve;
pub mod tree;

pub use check::implies;
pub use formula::Formula;
