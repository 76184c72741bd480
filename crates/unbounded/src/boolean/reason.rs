//! Why Boolean programs have no answer.

use crate::counter::explicit::Limit;
use crate::counter::symbolic::Stop as SetsStop;
use crate::{cover, fixpoint};
use relyant_finite::boolean::machine::TooMany;
use relyant_finite::boolean::replay::Broken;
use relyant_finite::boolean::{closed, exhausted, tts};
use relyant_finite::model::Malformed;

/// Why one engine has no answer.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Reason {
    /// The thread-state fixpoint came to no end.
    #[error("thread states: {0}")]
    Fixpoint(fixpoint::Stop),
    /// The fixpoint has a failure in it, which need not be one of the program.
    #[error("the over-approximation by thread states does not exclude a failure in line {0}")]
    Alarm(u32),
    /// The checker did not accept the sets of the fixpoint.
    #[error("the sets of thread states were rejected: {0}")]
    Sets(closed::Rejection),
    /// A search was stopped, or had too many states.
    #[error("{0}")]
    Limit(Limit),
    /// A search, or what leads it, has more local states than it can number.
    #[error("{0}")]
    TooMany(#[from] TooMany),
    /// A program cannot be searched by sets of states.
    #[error("{0}")]
    NoSets(#[from] SetsStop),
    /// All counted sets of states were seen, which is no evidence.
    #[error("none of {0} counted sets of states fails")]
    SetsExhausted(usize),
    /// A run among sets could not be followed state by state.
    #[error("a path of sets has too many states to follow it")]
    Path,
    /// Replay did not accept a run.
    #[error("a run was rejected: {0}")]
    Run(#[from] Broken),
    /// The checker did not accept the set of all states.
    #[error("the set of states was rejected: {0}")]
    States(exhausted::Rejection),
    /// No run fails with at most so many threads.
    #[error("no run with at most {0} threads fails")]
    NoRun(u32),
    /// The program is no system of threads.
    #[error("coverability: {0}")]
    NoSystem(tts::NoSystem),
    /// The system that was made is not well-formed.
    #[error("coverability: {0}")]
    Malformed(Malformed),
    /// Coverability has no answer.
    #[error("coverability: {0}")]
    Cover(cover::Unknown),
    /// A run of the system of threads has no run of the program.
    #[error("a run of the system of threads is none of the program")]
    NoPath,
    /// The same, of a search with a bound on threads.
    #[error("with {0} threads: {1}")]
    Bounded(u32, Box<Reason>),
    /// The same, of a search by sets of states.
    #[error("sets of states with {0} threads: {1}")]
    Symbolic(u32, Box<Reason>),
}

/// Why nothing is known of a program.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Unanswered {
    /// It was stopped.
    #[error("stopped")]
    Stopped,
    /// Coverability was asked for, with a bound on threads.
    #[error("coverability is about any number of threads; leave out the bound")]
    CoverabilityWithBound,
    /// Counter abstraction was asked for, without one.
    #[error("counter abstraction needs a bound on the number of threads")]
    CountersWithoutBound,
    /// What each engine said, in the order in which they ran.
    #[error("{}", .0.iter().map(Reason::to_string).collect::<Vec<_>>().join("; "))]
    Reasons(Vec<Reason>),
}
