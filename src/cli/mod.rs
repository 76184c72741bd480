//! Subcommands, one file each.

mod bench;
mod check;
mod completions;
mod exit;
mod explain;
mod export;
mod fences;
mod finite;
mod format;
mod horn;
mod init;
mod input;
mod internal;
mod lsp;
mod man;
mod meaning;
mod method;
mod observe;
mod output;
mod pages;
mod reproduce;
mod rewriting;
mod schema;
mod show;
mod sources;
mod spacer;
mod supervise;
mod trials;
mod verify;
mod watch;
mod witness;
mod workers;

use clap::{Parser, Subcommand};
use exit::Status;
use output::{complain, once_said, say, say_all, write_file};
use relyant_checker::guard;
use relyant_checker::macros::with_two_dashes;

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
    Verify(Box<verify::Args>),
    Check(check::Args),
    Reproduce(reproduce::Args),
    Show(show::Args),
    Explain(explain::Args),
    Observe(observe::Args),
    Export(export::Args),
    Fences(Box<fences::Args>),
    Init(init::Args),
    Lsp(Box<lsp::Args>),
    Horn(horn::Args),
    Schema(schema::Args),
    Completions(completions::Args),
    Man(man::Args),
    #[command(hide = true)]
    Spacer(spacer::Args),
    Bench(bench::Args),
}

/// Runs the command line and ends the process.
pub fn main() -> ! {
    internal::quiet_panics();
    let status = match Cli::try_parse_from(with_two_dashes(std::env::args_os())) {
        Ok(cli) => match supervise::supervised() {
            None => run(&cli.command),
            Some(reason) => lost(&cli.command, &reason),
        },
        Err(e) => match e.print() {
            Ok(()) if !e.use_stderr() => Status::Good,
            _ => Status::BadInput,
        },
    };
    let status = once_said(status);
    // No destructors: threads that were left behind may still be at work in the solver.
    guard::exit(status.code())
}

fn run(command: &Command) -> Status {
    if !matches!(command, Command::Verify(_) | Command::Bench(_)) {
        guard::end_on_signals();
    }
    let done = internal::guarded(|| match command {
        Command::Verify(a) => verify::run(a, None),
        Command::Check(a) => check::run(a),
        Command::Reproduce(a) => reproduce::run(a),
        Command::Show(a) => show::run(a),
        Command::Explain(a) => explain::run(a),
        Command::Observe(a) => observe::run(a),
        Command::Export(a) => export::run(a),
        Command::Fences(a) => fences::run(a),
        Command::Init(a) => init::run(a),
        Command::Lsp(a) => lsp::run(a),
        Command::Horn(a) => horn::run(a),
        Command::Schema(a) => schema::run(a),
        Command::Completions(a) => completions::run(a),
        Command::Man(a) => man::run(a),
        Command::Spacer(a) => spacer::run(a),
        Command::Bench(a) => bench::run(a),
    });
    done.unwrap_or_else(|panicked| {
        complain(&panicked.to_string());
        Status::Unknown
    })
}

/// What is said in place of the process that did the work.
fn lost(command: &Command, reason: &str) -> Status {
    match command {
        Command::Verify(a) => return verify::run(a, Some(reason)),
        Command::Check(_) => say(&format!("undecided: {reason}\n")),
        Command::Horn(_) => {
            say("unknown\n");
            complain(reason);
        }
        Command::Reproduce(_)
        | Command::Show(_)
        | Command::Explain(_)
        | Command::Observe(_)
        | Command::Export(_)
        | Command::Fences(_)
        | Command::Init(_)
        | Command::Lsp(_)
        | Command::Schema(_)
        | Command::Completions(_)
        | Command::Man(_)
        | Command::Spacer(_)
        | Command::Bench(_) => {
            complain(&format!("error: {reason}"));
        }
    }
    Status::Unknown
}
