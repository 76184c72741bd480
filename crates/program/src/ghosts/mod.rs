//! Ghosts: variables that no program has, and that proofs need. What a ghost is said to do in every run is argued at the
//! head of its file.

pub mod counts;
pub mod divisors;
pub mod owners;
pub mod twins;
