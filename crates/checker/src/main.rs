//! `relyant-check`: certificates against their sources, and nothing else.

use clap::Parser;
use relyant_cfa::diagnostic::escape;
use relyant_cfa::memory;
use relyant_check::finite::Question;
use relyant_checker::arguments::seconds;
use relyant_checker::macros::Macros;
use relyant_checker::task::Task;
use relyant_checker::{Refusal, guard};
use relyant_frontend::c::compiler;
use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;

/// Checks a certificate against its source, with Z3 and without any engine.
///
/// Exit status: 0 accepted, 1 rejected, 2 bad input or usage, 3 undecided.
#[derive(Parser)]
#[command(name = "relyant-check", version, max_term_width = 100)]
struct Args {
    /// The certificate
    certificate: PathBuf,
    /// The C source, or the finite-state threads (.tts, .spec, .pnml, .bp)
    file: PathBuf,
    /// Further C sources of the program, in the order in which it was verified
    #[arg(value_name = "FILE")]
    more: Vec<PathBuf>,
    /// Seconds for the check
    #[arg(long, value_name = "S", value_parser = seconds)]
    timeout: Option<Duration>,
    /// MiB of memory for the check [default: 90 % of what is available]
    #[arg(long, value_name = "MIB")]
    memory: Option<u64>,
    /// Initial configurations of finite-state threads, unless those of the certificate are meant
    #[arg(long, value_name = "CONFIGS")]
    initial: Option<String>,
    /// What they must not cover, unless that of the certificate is meant
    #[arg(long, value_name = "CONFIG")]
    target: Option<String>,
    #[command(flatten)]
    macros: Macros,
}

fn main() {
    let args = match Args::try_parse_from(relyant_checker::macros::with_two_dashes(std::env::args_os())) {
        Ok(args) => args,
        Err(e) => {
            let wrong = e.print().is_err() || e.use_stderr();
            guard::exit(if wrong { 2 } else { 0 });
        }
    };
    guard::end_on_signals();
    compiler::limit(compiler::Limits::within(args.timeout, memory::share_kib()));
    let task = Task {
        certificate: args.certificate,
        file: args.file,
        more: args.more,
        told: args.macros.preprocessing(),
        question: Question { initial: args.initial, target: args.target },
        timeout: args.timeout,
    };
    let work = task.clone();
    let checked = guard::guarded(&memory::MemoryLimits::new(args.memory), move || {
        let mut lines = Vec::new();
        work.check(&mut |line| lines.push(line.to_string()), |_, _| Ok(())).map(|()| lines)
    });
    let (text, status) = match checked.unwrap_or_else(|lost| Err(Refusal::Undecided(lost.to_string()))) {
        Ok(lines) => (lines.join("\n"), 0),
        Err(e @ (Refusal::Unreadable(_) | Refusal::Input(_))) => {
            eprintln!("{}", escape(&task.explain(&e)));
            guard::exit(2);
        }
        Err(e @ Refusal::Rejected(_)) => (task.explain(&e), 1),
        Err(e @ Refusal::Undecided(_)) => (task.explain(&e), 3),
    };
    let mut out = std::io::stdout();
    let said = writeln!(out, "{}", escape(&text)).and_then(|()| out.flush());
    // What nobody could read accepts nothing.
    guard::exit(if said.is_ok() { status } else { 2 });
}
