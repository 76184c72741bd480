//! `relyant check`

use super::exit::Status;
use super::watch::Limits;
use super::{complain, finite, internal, say, witness};
use relyant_cfa::diagnostic::Diagnostic;
use relyant_check::ghosts::Claims;
use relyant_check::obligations::Obligations;
use relyant_check::ordered::Swaps;
use relyant_check::smt2;
use relyant_checker::macros::Macros;
use relyant_checker::source::{Claimed, Read};
use relyant_checker::task::{Say, Task};
use relyant_checker::{Refusal, guard};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Check a certificate or a witness (`.yml`) against its source, with Z3 and without the engines
///
/// A witness of a violation is accepted when the interpreter finds a run that passes it; one of correctness when its
/// invariants hold in all states.
///
/// The source is read anew, under the choices that the certificate records. A set of states needs no solver: that
/// the set is closed under the program's steps is checked state by state.
#[derive(clap::Args, Clone)]
pub struct Args {
    /// The certificate, or the witness
    proof: PathBuf,
    /// The C source
    file: PathBuf,
    /// Further C sources of the program, in the order in which it was verified
    #[arg(value_name = "FILE")]
    more: Vec<PathBuf>,
    /// Write each obligation as a file for any SMT solver: all of them must be unsat
    #[arg(long, value_name = "DIR")]
    smt2: Option<PathBuf>,
    /// Seconds for all obligations
    #[arg(long, value_name = "S", value_parser = super::input::seconds)]
    timeout: Option<Duration>,
    /// MiB of memory for the check [default: 90 % of what is available]
    #[arg(long, value_name = "MIB")]
    memory: Option<u64>,
    #[command(flatten)]
    macros: Macros,
    #[command(flatten)]
    finite: finite::Finite,
}

/// Checks the certificate; the status says whether it was accepted.
pub fn run(a: &Args) -> Status {
    let (a, limits) = (a.clone(), Limits::new(a.timeout, a.memory));
    let work = move || internal::guarded(|| check(&a));
    match guard::guarded(&limits.memory, work) {
        Ok(Ok(status)) => status,
        Ok(Err(message)) => undecided(&format!("internal error: {message}")),
        Err(lost) => undecided(&lost.to_string()),
    }
}

fn undecided(why: &str) -> Status {
    say(&format!("undecided: {why}\n"));
    Status::Unknown
}

fn check(a: &Args) -> Status {
    if relyant::task::is_named(&a.proof) {
        if !a.more.is_empty() {
            complain("error: witnesses are about one source; more are named");
            return Status::BadInput;
        }
        return witness::check(&a.proof, &a.file, a.macros.preprocessing(), a.timeout);
    }
    let task = Task {
        certificate: a.proof.clone(),
        file: a.file.clone(),
        more: a.more.clone(),
        told: a.macros.preprocessing(),
        question: a.finite.question(),
        timeout: a.timeout,
    };
    let look = |read: &Read, say: Say<'_>| match &a.smt2 {
        Some(dir) => write_obligations(&read.evidence, dir, say),
        None => Ok(()),
    };
    let Err(refusal) = task.check(&mut |line| say(&format!("{line}\n")), look) else {
        return Status::Good;
    };
    let text = task.explain(&refusal);
    let status = match refusal {
        Refusal::Unreadable(_) | Refusal::Input(_) => {
            complain(&text);
            return Status::BadInput;
        }
        Refusal::Rejected(_) => Status::Bad,
        Refusal::Undecided(_) => Status::Unknown,
    };
    say(&format!("{text}\n"));
    status
}

fn write_obligations(evidence: &Claimed, dir: &Path, say: Say<'_>) -> Result<(), Refusal> {
    let refuse = |file: String, why: &str| Err(Refusal::Input(Box::new(Diagnostic::of_file(file, why, ""))));
    let (proof, program) = match evidence {
        Claimed::Proof(proof, program) => (proof, program),
        Claimed::Replicated(..) => {
            return refuse("--smt2".into(), "obligations about replicated threads are not written");
        }
        Claimed::States(..) => {
            return refuse("--smt2".into(), "a set of states has no obligations for a solver");
        }
    };
    let obligations = Obligations::new(program, proof).map_err(|e| Refusal::Rejected(e.to_string()))?;
    let ghosts = Claims::new(program).map_err(|e| Refusal::Rejected(e.to_string()))?;
    match smt2::write_all(&obligations, &ghosts, &Swaps::new(program), dir) {
        Ok(n) => say(&format!("wrote: {n} obligations to {}", dir.display())),
        Err(e) => return refuse(dir.display().to_string(), &e.to_string()),
    }
    Ok(())
}
