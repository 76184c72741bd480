//! Subcommands, one file each.

mod bench;
mod check;
mod exit;
mod export;
mod finite;
mod horn;
mod input;
mod internal;
mod macros;
mod meaning;
mod rewriting;
mod show;
mod spacer;
mod verify;
mod watch;
mod witness;
mod workers;

use clap::{Parser, Subcommand};
use exit::Status;
use std::io::Write;

/// Proves or refutes safety of multi-threaded integer programs.
///
/// Each verdict is checked before it is printed: `safe` by a checker that reads the certificate and the source anew,
/// `unsafe` by an interpreter that replays the run. Everything else is `unknown`, with the reason.
#[derive(Parser)]
#[command(name = "relyant", version, max_term_width = 100, after_help = exit::HELP)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Verify(verify::Args),
    Check(check::Args),
    Show(show::Args),
    Export(export::Args),
    Horn(horn::Args),
    #[command(hide = true)]
    Spacer(spacer::Args),
    Bench(bench::Args),
}

/// Runs the command line and ends the process.
pub fn main() -> ! {
    internal::quiet_panics();
    let cli = Cli::parse();
    let status = internal::guarded(|| match &cli.command {
        Command::Verify(a) => verify::run(a),
        Command::Check(a) => check::run(a),
        Command::Show(a) => show::run(a),
        Command::Export(a) => export::run(a),
        Command::Horn(a) => horn::run(a),
        Command::Spacer(a) => spacer::run(a),
        Command::Bench(a) => bench::run(a),
    })
    .unwrap_or_else(|message| {
        complain(&format!("internal error: {message}"));
        Status::Unknown
    });
    let _ = std::io::stdout().flush();
    let _ = std::io::stderr().flush();
    // No destructors: threads that were left behind may still be at work in the solver.
    signal_hook::low_level::exit(status.code())
}

/// Writes to standard output, with colours where it is a terminal. Nobody left to read is no error.
fn say(text: &str) {
    let mut out = anstream::stdout().lock();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}

/// Writes a line to standard error.
fn complain(text: &str) {
    let mut out = anstream::stderr().lock();
    let _ = writeln!(out, "{text}");
}
