//! `relyant check`

use super::exit::Status;
use super::input::read_text;
use super::{complain, finite, say, witness};
use relyant_check::certificate::AnyCertificate;
use relyant_check::obligations::Obligations;
use relyant_check::smt2;
use relyant_checker::macros::Macros;
use relyant_checker::source::{Claim, Claimed};
use relyant_checker::{Refusal, describe};
use std::path::PathBuf;
use std::time::Duration;

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
    #[arg(long, value_name = "S", value_parser = super::input::seconds)]
    timeout: Option<Duration>,
    #[command(flatten)]
    macros: Macros,
    #[command(flatten)]
    finite: finite::Finite,
}

/// Checks the certificate; the status says whether it was accepted.
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
    let claim = match Claim::about(certificate, &a.file, &a.macros.preprocessing()) {
        Ok(claim) => claim,
        Err(refusal) => return refused(refusal),
    };
    for line in describe(claim.meaning()) {
        say(&format!("{line}\n"));
    }
    if a.smt2.is_some() {
        match claim.certificate() {
            AnyCertificate::Proof(_) => {}
            AnyCertificate::Replicated(_) => {
                return refuse("error: --smt2: obligations about replicated threads are not written");
            }
            AnyCertificate::States(_) => {
                return refuse("error: --smt2: a set of states has no obligations for a solver");
            }
        }
    }
    let read = match claim.read() {
        Ok(read) => read,
        Err(refusal) => return refused(refusal),
    };
    if let (Some(dir), Claimed::Proof(proof, program)) = (&a.smt2, &read.evidence) {
        let obligations = match Obligations::new(program, proof) {
            Ok(o) => o,
            Err(e) => return reject(&e.to_string()),
        };
        match smt2::write_all(&obligations, dir) {
            Ok(n) => say(&format!("wrote: {n} obligations to {}\n", dir.display())),
            Err(e) => return refuse(&format!("{}: error: {e}", dir.display())),
        }
    }
    match read.check(a.timeout) {
        Ok(accepted) => {
            for line in &accepted.assumes {
                say(&format!("assumes: {line}\n"));
            }
            say(&format!("accepted: {}, in {:.2} s\n", accepted.counted, accepted.seconds));
            Status::Good
        }
        Err(refusal) => refused(refusal),
    }
}

fn refused(refusal: Refusal) -> Status {
    match refusal {
        Refusal::Unreadable(_) | Refusal::Input(_) => refuse(&refusal.to_string()),
        Refusal::Rejected(_) => {
            say(&format!("{refusal}\n"));
            Status::Bad
        }
        Refusal::Undecided(_) => {
            say(&format!("{refusal}\n"));
            Status::Unknown
        }
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
