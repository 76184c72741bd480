//! Engines that look for proofs and for runs: nothing of theirs is believed before a checker or the interpreter has seen it.
#![deny(missing_docs)]

pub mod aret;
pub mod limits;
pub mod race;
pub mod refine;
pub mod rely_guarantee;
pub mod replicated;
pub mod search;
pub mod symbolic;
#[cfg(test)]
mod testing;
pub mod verdict;
pub mod watch;
