//! Why there is no verdict, and the words for it.

use relyant_cfa::diagnostic::Diagnostic;
use relyant_check::{check, replicated, states};
use relyant_engines::limits::Stop;
use relyant_engines::verdict::Reason;
use relyant_interp::replay::ReplayError;
use relyant_program::recognisers::Recogniser;

/// Why there is no verdict.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Unknown {
    /// The run was stopped from outside.
    #[error("{0}")]
    Stopped(Stop),
    /// Each engine's reason, in their order.
    #[error("{}", joined(.0))]
    All(Vec<Unknown>),
    /// An engine has no answer.
    #[error("{0}")]
    Engine(Reason),
    /// The proof engine panicked.
    #[error("internal error in the proof engine")]
    Panic,
    /// The program has no proof program.
    #[error("no proof was tried: {}{}", .0.message, line(.0))]
    Refused(Box<Diagnostic>),
    /// Nothing is said of who waits where stores wait in buffers.
    #[error("no proof was tried: with store buffers only the search looks for deadlocks")]
    Deadlocks,
    /// The interpreter rejected the counterexample.
    #[error("{}", replay(.0))]
    Replay(ReplayError),
    /// The run was compiled, and did not fail.
    #[error("{0}")]
    NotReproduced(String),
    /// The checker rejected the proof.
    #[error("the checker rejected the proof: {0}")]
    Proof(check::CheckError),
    /// The checker rejected the system of replicated threads or its proof.
    #[error("the checker rejected the proof: {0}")]
    System(replicated::check::Rejection),
    /// The checker rejected the set of states.
    #[error("the checker rejected the states: {0}")]
    States(states::Rejection),
}

impl Unknown {
    /// Who found ghosts of which something is claimed that was not shown: without them there may be a verdict.
    pub fn unproved(&self) -> Option<Recogniser> {
        match self {
            Unknown::Proof(e) | Unknown::System(replicated::check::Rejection::System(e)) => e.unproved(),
            Unknown::All(all) => all.iter().find_map(Unknown::unproved),
            _ => None,
        }
    }
}

fn line(d: &Diagnostic) -> String {
    if d.line == 0 { String::new() } else { format!(" (line {})", d.line) }
}

fn joined(all: &[Unknown]) -> String {
    let all: Vec<String> = all.iter().map(Unknown::to_string).collect();
    all.join("; ")
}

fn replay(e: &ReplayError) -> String {
    match e {
        ReplayError::Limit(what) => format!("no proof: {what}"),
        ReplayError::Relies(_) => e.to_string(),
        e => format!("the counterexample does not replay: {e}"),
    }
}
