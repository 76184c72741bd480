//! Proofs that the engines find, and their certificates: changed ones are not accepted, unless they still say what is true.
//! The checker alone is tested where it is, in `crates/check/tests`.

mod chc;
mod claims;
mod hints;
mod orders;
mod places;
#[allow(dead_code)]
#[path = "../../crates/check/tests/proofs/programs.rs"]
mod programs;
mod replicated;
