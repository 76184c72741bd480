//! Engines for any number of replicated finite-state threads: thread-state fixpoints, counter abstraction, coverability.
#![deny(missing_docs)]

pub mod boolean;
pub mod counter;
pub mod cover;
pub mod fixpoint;
