//! Exact linear integer arithmetic and recursion-free Horn clauses.
#![deny(missing_docs)]

pub mod clause;
pub mod linear;
