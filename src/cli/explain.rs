//! `relyant explain`

use super::exit::Status;
use super::finite::Finite;
use super::input::read_text;
use super::{complain, say};
use relyant::explain::{explain, explain_finite};
use relyant_check::finite::kind;
use relyant_checker::Refusal;
use relyant_checker::macros::Macros;
use relyant_frontend::c::unit::Unit;
use std::path::PathBuf;
use std::time::Duration;

/// Print a certificate beside its source: what holds before each statement, and what threads rely on
#[derive(clap::Args)]
pub struct Args {
    /// The certificate
    proof: PathBuf,
    /// The C source, or the file about finite-state threads
    file: PathBuf,
    /// Further C sources of the program, in the order in which it was verified
    #[arg(value_name = "FILE")]
    more: Vec<PathBuf>,
    /// Seconds for the check before it
    #[arg(long, value_name = "S", value_parser = super::input::seconds)]
    timeout: Option<Duration>,
    #[command(flatten)]
    macros: Macros,
    #[command(flatten)]
    finite: Finite,
}

/// Runs the command.
pub fn run(a: &Args) -> Status {
    let text = match read_text(&a.proof) {
        Ok(text) => text,
        Err(d) => {
            complain(&d.to_string());
            return Status::BadInput;
        }
    };
    let explained = match kind(&a.file) {
        Some(_) if !a.more.is_empty() => {
            complain("error: finite-state threads are in one file; more are named");
            return Status::BadInput;
        }
        Some(kind) => explain_finite(&text, &a.file, kind, &a.finite.question(), a.timeout),
        None => explain(&text, Unit::from(&a.file).and(&a.more), &a.macros.preprocessing(), a.timeout),
    };
    match explained {
        Ok(text) => {
            say(&text);
            Status::Good
        }
        Err(refusal) => {
            complain(&refusal.to_string());
            match refusal {
                Refusal::Unreadable(_) | Refusal::Input(_) => Status::BadInput,
                Refusal::Rejected(_) => Status::Bad,
                Refusal::Undecided(_) => Status::Unknown,
            }
        }
    }
}
