//! Proofs and their checker: hand-written and exact proofs are accepted, mutated ones rejected.

mod accepted;
mod chc;
mod claims;
mod explorer;
mod mutations;
mod places;
mod programs;
mod random;
mod replicated;
mod roundtrip;
mod smt2;
