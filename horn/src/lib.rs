//! Exact linear integer arithmetic and recursion-free Horn clauses.
#![deny(missing_docs)]

mod check;
pub mod clause;
pub mod linear;
mod refute;
pub mod tree;

pub use check::implies;
