//! `relyant check`

use super::exit::Status;
use super::input::read_text;
use super::{complain, say};
use relyant::pipeline;
use relyant::proof::certificate::{Certificate, Source};
use relyant::proof::check::{self, CheckError, Limits};
use relyant::proof::obligations::Obligations;
use relyant::proof::smt2;
use relyant_frontend::reduce;
use std::path::PathBuf;
use std::time::Duration;

/// Check a certificate against its source, with Z3 and without the engines
///
/// The source is read anew, under the choices that the certificate records.
#[derive(clap::Args)]
pub struct Args {
    /// The certificate
    proof: PathBuf,
    /// The C source
    file: PathBuf,
    /// Write each obligation as a file for any SMT solver: all of them must be unsat
    #[arg(long, value_name = "DIR")]
    smt2: Option<PathBuf>,
    /// Seconds for all obligations
    #[arg(long, value_name = "S", value_parser = super::verify::seconds)]
    timeout: Option<Duration>,
    // Look for headers here
    #[arg(short = 'I', value_name = "DIR", help = "Look for headers here")]
    include: Vec<String>,
}

/// Runs the command.
pub fn run(a: &Args) -> Status {
    let text = match read_text(&a.proof) {
        Ok(text) => text,
        Err(d) => return refuse(&d.to_string()),
    };
    let certificate = match Certificate::parse(&text) {
        Ok(c) => c,
        Err(e) => return refuse(&format!("{}: error: {e}", a.proof.display())),
    };
    let mut meaning = certificate.options();
    meaning.cpp_args.extend(a.include.iter().map(|i| format!("-I{i}")));
    let bytes = match std::fs::read(&a.file) {
        Ok(b) => b,
        Err(e) => return refuse(&format!("{}: error: cannot be read: {e}", a.file.display())),
    };
    if let Err(e) = certificate.is_about(&[Source::new(&a.file.display().to_string(), &bytes)]) {
        return reject(&e.to_string());
    }
    let program = match pipeline::read(&a.file, &meaning).and_then(|p| reduce::thread_program(&p)) {
        Ok(p) => p,
        Err(d) => return refuse(&d.to_string()),
    };
    let proof = match certificate.proof(&program) {
        Ok(p) => p,
        Err(e) => return reject(&e.to_string()),
    };
    if let Some(dir) = &a.smt2 {
        let obligations = match Obligations::new(&program, &proof) {
            Ok(o) => o,
            Err(e) => return reject(&e.to_string()),
        };
        match smt2::write_all(&obligations, dir) {
            Ok(n) => say(&format!("wrote: {n} obligations to {}\n", dir.display())),
            Err(e) => return refuse(&format!("{}: error: {e}", dir.display())),
        }
    }
    let mut limits = Limits::default();
    if let Some(t) = a.timeout {
        limits.total = t;
    }
    match check::check(&program, &proof, &limits) {
        Ok(report) => {
            for line in &program.assumes {
                say(&format!("assumes: {line}\n"));
            }
            say(&format!("accepted: {} obligations hold, in {:.2} s\n", report.obligations, report.seconds));
            Status::Good
        }
        Err(e @ CheckError::Undecided { .. }) => {
            say(&format!("undecided: {e}\n"));
            Status::Unknown
        }
        Err(e) => reject(&e.to_string()),
    }
}

fn refuse(message: &str) -> Status {
    complain(message);
    Status::BadInput
}

fn reject(message: &str) -> Status {
    say(&format!("rejected: {message}\n"));
    Status::Bad
}
