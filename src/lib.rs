//! Relyant proves or refutes safety of multi-threaded programs over integers.
#![deny(missing_docs)]

pub mod aret;
pub mod export;
pub mod proof;
pub mod refine;
#[cfg(test)]
mod testing;
pub mod verdict;
