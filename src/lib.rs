//! Relyant proves or refutes safety of multi-threaded programs over integers.
#![deny(missing_docs)]

pub mod bench;
pub mod export;
pub mod finite;
pub mod memory;
pub mod pipeline;
pub mod report;
pub mod task;
pub mod witness;
