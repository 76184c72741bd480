//! `relyant horn`

use super::exit::Status;
use super::input::read_text;
use super::{complain, say};
use relyant_horn::smt2::{Answer, run_smt2};
use std::path::PathBuf;

/// Solve recursion-free Horn clauses over linear integers
///
/// Reads SMT-LIB 2, logic HORN. Prints `sat` and a model, `unsat`, or `unknown` with the reason on standard error.
#[derive(clap::Args)]
pub struct Args {
    /// The clauses
    file: PathBuf,
}

/// Solves the clauses and prints what `check-sat` and `get-model` ask for.
pub fn run(a: &Args) -> Status {
    let text = match read_text(&a.file) {
        Ok(text) => text,
        Err(d) => {
            complain(&d.to_string());
            return Status::BadInput;
        }
    };
    match run_smt2(&text) {
        Ok(Answer::Sat(model)) => {
            say(&format!("sat\n{model}\n"));
            Status::Good
        }
        Ok(Answer::Unsat) => {
            say("unsat\n");
            Status::Bad
        }
        Ok(Answer::Unknown(reason)) => {
            say("unknown\n");
            complain(&format!("{}: {reason}", a.file.display()));
            Status::Unknown
        }
        Err(e) => {
            complain(&format!("{}:{e}", a.file.display()));
            Status::BadInput
        }
    }
}
