//! `relyant-check`: certificates against their sources, and nothing else.

use clap::Parser;
use relyant_cfa::diagnostic::{escape, plain};
use relyant_cfa::stack::fitting;
use relyant_check::certificate::AnyCertificate;
use relyant_check::finite::{Question, kind};
use relyant_checker::arguments::{read_text, seconds};
use relyant_checker::macros::Macros;
use relyant_checker::source::Claim;
use relyant_checker::{Refusal, describe, finite};
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

/// Stack of the thread that works: terms of a certificate may be deep.
const STACK: usize = 256 << 20;

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
    /// Seconds for the check
    #[arg(long, value_name = "S", value_parser = seconds)]
    timeout: Option<Duration>,
    /// Initial configurations of finite-state threads, unless those of the certificate are meant
    #[arg(long, value_name = "CONFIGS")]
    initial: Option<String>,
    /// What they must not cover, unless that of the certificate is meant
    #[arg(long, value_name = "CONFIG")]
    target: Option<String>,
    #[command(flatten)]
    macros: Macros,
}

/// What there is to say, a line each.
fn check(a: &Args) -> Result<Vec<String>, Refusal> {
    let text = read_text(&a.certificate).map_err(Refusal::Input)?;
    let mut lines = Vec::new();
    if let Some(kind) = kind(&a.file) {
        let question = Question { initial: a.initial.clone(), target: a.target.clone() };
        let accepted = finite::check(&text, &a.file, kind, &question, a.timeout)?;
        lines.extend(accepted.assumes.iter().map(|l| format!("assumes: {l}")));
        lines.extend(accepted.initial.map(|i| format!("initial: {i}")));
        lines.push(format!("accepted: {}, in {:.2} s", accepted.what, accepted.seconds));
        return Ok(lines);
    }
    let certificate = AnyCertificate::parse(&text).map_err(|e| Refusal::Unreadable(e.to_string()))?;
    drop(text);
    let claim = Claim::about(certificate, &a.file, &a.macros.preprocessing())?;
    lines.extend(describe(claim.meaning()));
    let accepted = claim.read()?.check(a.timeout)?;
    lines.extend(accepted.assumes.iter().map(|l| format!("assumes: {l}")));
    lines.push(format!("accepted: {}, in {:.2} s", accepted.counted, accepted.seconds));
    Ok(lines)
}

fn main() -> ExitCode {
    let args = match Args::try_parse() {
        Ok(args) => args,
        Err(e) => {
            let wrong = e.print().is_err() || e.use_stderr();
            return ExitCode::from(if wrong { 2 } else { 0 });
        }
    };
    let certificate = args.certificate.display().to_string();
    let worker = std::thread::Builder::new().stack_size(fitting(STACK)).spawn(move || check(&args));
    // A panic is a bug of ours, and accepts nothing.
    let lost = || Err(Refusal::Undecided("internal error".into()));
    let checked = worker.map_or_else(|_| lost(), |w| w.join().unwrap_or_else(|_| lost()));
    let (text, status) = match checked {
        Ok(lines) => (lines.join("\n"), 0),
        Err(Refusal::Unreadable(why)) => {
            eprintln!("{}: error: {}", plain(&certificate), plain(&why));
            return ExitCode::from(2);
        }
        Err(Refusal::Input(d)) => {
            eprintln!("{}", escape(&d.to_string()));
            return ExitCode::from(2);
        }
        Err(e @ Refusal::Rejected(_)) => (e.to_string(), 1),
        Err(e @ Refusal::Undecided(_)) => (e.to_string(), 3),
    };
    match writeln!(std::io::stdout(), "{}", escape(&text)) {
        Ok(()) => ExitCode::from(status),
        // What nobody could read accepts nothing.
        Err(_) => ExitCode::from(2),
    }
}
