//! Relyant proves or refutes safety of multi-threaded programs over integers.
#![deny(missing_docs)]

pub mod aret;
pub mod bench;
pub mod export;
pub mod finite;
pub mod limits;
pub mod memory;
pub mod pipeline;
pub mod proof;
pub mod race;
pub mod refine;
pub mod replicated;
pub mod report;
pub mod rewriting;
pub mod search;
pub mod symbolic;
pub mod task;
#[cfg(test)]
mod testing;
pub mod verdict;
pub mod witness;
