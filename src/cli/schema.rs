//! `relyant schema`

use super::exit::Status;
use super::{input, say_all};
use clap::ValueEnum;
use relyant::report::schema;

#[derive(Clone, Copy, ValueEnum)]
enum Which {
    /// Reports on C programs, Boolean programs, nets and thread transition systems
    Report,
    /// Reports on rewriting systems
    Rewriting,
}

/// Print the JSON Schema of reports (`--format json`)
#[derive(clap::Args)]
pub struct Args {
    /// Which reports
    #[arg(value_enum, default_value = "report")]
    which: Which,
}

/// Runs the command.
pub fn run(a: &Args) -> Status {
    let schema = match a.which {
        Which::Report => schema::report(),
        Which::Rewriting => schema::rewriting(),
    };
    say_all(&input::pretty(&schema));
    Status::Good
}
