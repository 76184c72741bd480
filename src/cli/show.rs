//! `relyant show`

use super::exit::Status;
use super::meaning::Meaning;
use super::{complain, say};
use clap::ValueEnum;
use relyant::report::automaton;
use relyant_frontend::programs::read_proof;
use relyant_program::thread_program;
use std::path::PathBuf;

#[derive(Clone, Copy, ValueEnum)]
enum Format {
    Text,
    Dot,
}

#[derive(Clone, Copy, ValueEnum)]
enum Stage {
    /// Control-flow automata with C's own expressions, as the interpreter runs them
    Automaton,
    /// The thread program with linear guards, as it is proved
    Program,
    /// The other one that is proved beside it, where there is one: with chosen threads, memory of any size, an element for each array
    Chosen,
}

/// Print what a source is turned into
#[derive(clap::Args)]
pub struct Args {
    /// The C source
    file: PathBuf,
    /// Form
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
    /// Which of the forms on its way to the engines
    #[arg(long, value_enum, default_value = "program")]
    stage: Stage,
    #[command(flatten)]
    meaning: Meaning,
}

/// Prints what the program was made to.
pub fn run(a: &Args) -> Status {
    let shown = a
        .meaning
        .input(&a.file)
        .and_then(|i| read_proof(&i.file, &i.options, matches!(a.stage, Stage::Chosen)))
        .and_then(|p| {
            Ok(match (a.stage, a.format) {
                (Stage::Automaton, Format::Text) => automaton::text(&p),
                (Stage::Automaton, Format::Dot) => automaton::dot(&p),
                (Stage::Program | Stage::Chosen, Format::Text) => thread_program(&p)?.display(),
                (Stage::Program | Stage::Chosen, Format::Dot) => thread_program(&p)?.dot(),
            })
        });
    match shown {
        Ok(text) => {
            say(&text);
            Status::Good
        }
        Err(d) => {
            complain(&d.to_string());
            Status::BadInput
        }
    }
}
