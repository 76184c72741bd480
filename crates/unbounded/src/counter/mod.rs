//! Counter abstraction: how many threads are in each local state, instead of where each thread is.
//!
//! Basler, Mazzucchi, Wahl and Kroening, "Context-aware counter abstraction", 2010. Exact for a bound on the number of
//! threads that are there at the same time; with as many as the bound, starting one more has no effect.

pub mod explicit;
pub mod symbolic;
