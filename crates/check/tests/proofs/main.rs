//! Proofs and their checker: hand-written and exact proofs are accepted, mutated ones rejected.

mod accepted;
mod explorer;
mod extensions;
mod interference;
mod malformed;
mod mutations;
mod programs;
mod random;
mod replicated;
mod roundtrip;
mod smt2;
