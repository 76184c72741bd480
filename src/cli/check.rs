//! `relyant check`

use super::exit::Status;
use super::input::{read_text, sources};
use super::macros::Macros;
use super::{complain, finite, say, witness};
use relyant::pipeline;
use relyant_cfa::diagnostic::plain;
use relyant_cfa::options::Options;
use relyant_cfa::preprocessing::Preprocessing;
use relyant_check::certificate::{AnyCertificate, ReplicatedCertificate, StatesCertificate, agree};
use relyant_check::check::{self, CheckError, Limits};
use relyant_check::obligations::Obligations;
use relyant_check::replicated;
use relyant_check::smt2;
use relyant_check::states::{self, Rejection};
use relyant_program::thread_program;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Check a certificate or a witness (`.yml`) against its source, with Z3 and without the engines
///
/// A witness of a violation is accepted when the interpreter finds a run that passes it; one of correctness when its
/// invariants hold in all states.
///
/// The source is read anew, under the choices that the certificate records. A set of states needs no solver: that
/// the set is closed under the program's steps is checked state by state.
#[derive(clap::Args)]
pub struct Args {
    /// The certificate, or the witness
    proof: PathBuf,
    /// The C source
    file: PathBuf,
    /// Write each obligation as a file for any SMT solver: all of them must be unsat
    #[arg(long, value_name = "DIR")]
    smt2: Option<PathBuf>,
    /// Seconds for all obligations
    #[arg(long, value_name = "S", value_parser = super::verify::seconds)]
    timeout: Option<Duration>,
    #[command(flatten)]
    macros: Macros,
    #[command(flatten)]
    finite: finite::Finite,
}

/// Runs the command.
pub fn run(a: &Args) -> Status {
    if relyant::task::is_named(&a.proof) {
        return witness::check(&a.proof, &a.file, a.macros.preprocessing(), a.timeout);
    }
    if relyant_check::finite::kind(&a.file).is_some() {
        return finite::check(&a.proof, &a.file, &a.finite, a.timeout);
    }
    let text = match read_text(&a.proof) {
        Ok(text) => text,
        Err(d) => return refuse(&d.to_string()),
    };
    let certificate = match AnyCertificate::parse(&text) {
        Ok(c) => c,
        Err(e) => return refuse(&format!("{}: error: {e}", a.proof.display())),
    };
    // The text of a large one takes room.
    drop(text);
    let mut meaning = certificate.options();
    if let Err(why) = agree(&mut meaning.preprocessing, &a.macros.preprocessing()) {
        return reject(&why.to_string());
    }
    let about = match sources(&a.file, &meaning) {
        Ok((sources, includes)) => certificate.is_about(&sources, &includes),
        Err(d) => return refuse(&d.to_string()),
    };
    if let Err(e) = about {
        return reject(&e.to_string());
    }
    tell(&meaning);
    let certificate = match certificate {
        AnyCertificate::Proof(c) => c,
        AnyCertificate::Replicated(c) => return check_replicated(a, &c, &meaning),
        AnyCertificate::States(c) => return check_states(a, c, &meaning),
    };
    let program = match pipeline::read(&a.file, &meaning).and_then(|p| thread_program(&p)) {
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

/// Checks a system of finite-state threads.
fn check_replicated(a: &Args, certificate: &ReplicatedCertificate, meaning: &Options) -> Status {
    if a.smt2.is_some() {
        return refuse("error: --smt2: obligations about replicated threads are not written");
    }
    let program = match pipeline::read(&a.file, meaning).and_then(|p| thread_program(&p)) {
        Ok(p) => p,
        Err(d) => return refuse(&d.to_string()),
    };
    let proof = match certificate.proof(&program) {
        Ok(p) => p,
        Err(e) => return reject(&e.to_string()),
    };
    let mut limits = Limits::default();
    if let Some(t) = a.timeout {
        limits.total = t;
    }
    let cancel = std::sync::atomic::AtomicBool::new(false);
    match replicated::check::check(&program, &proof, &limits, &cancel) {
        Ok(report) => {
            for line in &program.assumes {
                say(&format!("assumes: {line}\n"));
            }
            let replicated::check::Report { obligations, predecessors, seconds, .. } = report;
            say(&format!(
                "accepted: {obligations} obligations hold, {predecessors} cover predecessors are in the set, in \
                 {seconds:.2} s\n"
            ));
            Status::Good
        }
        Err(e @ replicated::check::Rejection::System(CheckError::Undecided { .. })) => {
            say(&format!("undecided: {e}\n"));
            Status::Unknown
        }
        Err(e) => reject(&e.to_string()),
    }
}

/// Checks a set of states.
fn check_states(a: &Args, certificate: StatesCertificate, meaning: &Options) -> Status {
    if a.smt2.is_some() {
        return refuse("error: --smt2: a set of states has no obligations for a solver");
    }
    let program = match pipeline::read_for_search(&a.file, meaning) {
        Ok(p) => p,
        Err(d) => return refuse(&d.to_string()),
    };
    let space = match certificate.space(&program) {
        Ok(s) => s,
        Err(e) => return reject(&e.to_string()),
    };
    let deadline = a.timeout.map(|t| Instant::now() + t);
    let cancel = || deadline.is_some_and(|d| Instant::now() >= d);
    let jobs = std::thread::available_parallelism().map_or(1, usize::from);
    let limits = states::Limits { jobs, cancel: &cancel, ..states::Limits::default() };
    match states::check(&program, &space, &limits) {
        Ok(report) => {
            for line in &program.assumes {
                say(&format!("assumes: {line}\n"));
            }
            let states::SpaceReport { states, steps, seconds, .. } = report;
            say(&format!("accepted: {states} states, closed under {steps} steps, in {seconds:.2} s\n"));
            Status::Good
        }
        Err(e @ (Rejection::Cancelled | Rejection::Fuel)) => {
            say(&format!("undecided: {e}\n"));
            Status::Unknown
        }
        Err(e) => reject(&e.to_string()),
    }
}

/// What the certificate is about: its property, and the choices under which it holds.
fn tell(meaning: &Options) {
    say(&format!("property: {}\n", plain(&meaning.describe())));
    let choices = meaning.choices();
    if !choices.is_empty() {
        say(&format!("under: {}\n", plain(&choices.join(", "))));
    }
    if meaning.preprocessing != Preprocessing::default() {
        say(&format!("preprocessed with: {}\n", plain(&meaning.preprocessing.describe())));
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
