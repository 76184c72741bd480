//! `relyant export`

use super::exit::Status;
use super::meaning::Meaning;
use super::{complain, say};
use clap::ValueEnum;
use relyant::export::{chc, timbuk};
use relyant::pipeline;

use relyant_frontend::{c, instantiate, reduce};
use std::path::PathBuf;

#[derive(Clone, Copy, ValueEnum)]
enum Target {
    /// Constrained Horn clauses (SMT-LIB 2, logic HORN), one relation over all threads and variables
    Chc,
    /// A rewriting system (Timbuk's format), which `relyant verify` reads
    Timbuk,
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
    let text = match a.to {
        Target::Chc => chc_text(a),
        Target::Timbuk => a
            .meaning
            .input(&a.file)
            .and_then(|i| instantiate::for_search(&c::load(&i.file, &i.options)?, &i.options))
            .and_then(|p| timbuk::export(&p))
            .map_err(|d| d.to_string()),
    };
    match text {
        Ok(text) => {
            say(&text);
            Status::Good
        }
        Err(e) => {
            complain(&e);
            Status::BadInput
        }
    }
}

fn chc_text(a: &Args) -> Result<String, String> {
    let input = a.meaning.input(&a.file).map_err(|d| d.to_string())?;
    let program = pipeline::read(&input.file, &input.options)
        .and_then(|p| reduce::thread_program(&p))
        .map_err(|d| d.to_string())?;
    chc::export(&program).map_err(|e| format!("{}: error: {e}", a.file.display()))
}
