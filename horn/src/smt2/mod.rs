//! SMT-LIB 2 files of Horn clauses (logic HORN, as CHC-COMP has them), recursion-free and over linear
//! integers: reading, solving, and printing the solution as `define-fun`s.
//!
//! Booleans are integers from 0 to 1. What is outside of the fragment is refused with line and column.

mod build;
mod cases;
mod print;
mod script;
mod sexp;

use crate::solve::{SystemOutcome, solve};
use crate::tree::{TreeOptions, Undecided};
use thiserror::Error;

pub use script::{Script, Sort, read};

/// Why a file was refused.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{line}:{column}: error: {message}")]
pub struct Smt2Error {
    /// Line of the file, from 1.
    pub line: usize,
    /// In characters, from 1.
    pub column: usize,
    /// What is wrong there, on one line.
    pub message: String,
}

/// The answer to `(check-sat)`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    /// The clauses have a solution: a list of `define-fun`s.
    Sat(String),
    /// `false` can be derived.
    Unsat,
    /// Neither was found, and why.
    Unknown(Undecided),
}

/// Reads a file and solves it.
pub fn run_smt2(text: &str) -> Result<Answer, Smt2Error> {
    run_smt2_with(text, &TreeOptions::default())
}

/// As `run_smt2`, with limits of the caller's.
pub fn run_smt2_with(text: &str, options: &TreeOptions) -> Result<Answer, Smt2Error> {
    let script = read(text)?;
    match solve(&script.system, options) {
        Ok(SystemOutcome::Solved(solution)) => Ok(Answer::Sat(print::model(&script, &solution))),
        Ok(SystemOutcome::Unsolvable(_)) => Ok(Answer::Unsat),
        Ok(SystemOutcome::Unknown(reason)) => Ok(Answer::Unknown(reason)),
        Err(e) => Err(script.complain(&e)),
    }
}
