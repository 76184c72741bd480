//! Random programs for tests: seeded, the same for every run, and shrinking.
#![deny(missing_docs)]

pub mod damage;
pub mod direct;
pub mod driver;
pub mod mutate;
pub mod real;
pub mod records;
pub mod rng;
pub mod sequential;
pub mod shrink;
pub mod threads;
