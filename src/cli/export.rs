//! `relyant export`

use super::exit::Status;
use super::meaning::Meaning;
use super::{complain, say};
use clap::ValueEnum;
use relyant::export::chc;
use relyant::pipeline;

use relyant_frontend::reduce;
use std::path::PathBuf;

#[derive(Clone, Copy, ValueEnum)]
enum Target {
    /// Constrained Horn clauses (SMT-LIB 2, logic HORN), one relation over all threads and variables
    Chc,
}

/// Write a program for other tools
#[derive(clap::Args)]
pub struct Args {
    /// The C source
    file: PathBuf,
    /// What to write
    #[arg(long, value_enum)]
    to: Target,
    #[command(flatten)]
    meaning: Meaning,
}

/// Runs the command.
pub fn run(a: &Args) -> Status {
    let program = match pipeline::read(&a.file, &a.meaning.options()).and_then(|p| reduce::thread_program(&p))
    {
        Ok(p) => p,
        Err(d) => {
            complain(&d.to_string());
            return Status::BadInput;
        }
    };
    let Target::Chc = a.to;
    match chc::export(&program) {
        Ok(text) => {
            say(&text);
            Status::Good
        }
        Err(e) => {
            complain(&format!("{}: error: {e}", a.file.display()));
            Status::BadInput
        }
    }
}
