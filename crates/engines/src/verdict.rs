//! Verdicts with their evidence, as the engines give them.

use num_bigint::BigInt;
use relyant_cfa::schedule::ThreadRef;
use relyant_check::Proof;
use relyant_finite::model::Malformed;
use relyant_horn::linear::Var;
use relyant_horn::tree::Undecided;
use relyant_unbounded::cover;

/// A step of a counterexample.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Step {
    /// Who moves.
    pub thread: ThreadRef,
    /// Edge of its template.
    pub edge: u32,
    /// Values of the edge's inputs.
    pub inputs: Vec<BigInt>,
}

/// A counterexample of the thread program, to be replayed by the interpreter before anyone sees it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Counterexample {
    /// Start values of variables.
    pub start: Vec<(Var, BigInt)>,
    /// The steps.
    pub steps: Vec<Step>,
}

/// Why an engine has no answer.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Reason {
    /// Somebody asked to stop.
    #[error("stopped")]
    Stopped,
    /// As many refinements as there may be.
    #[error("no verdict after {0} refinements")]
    Refinements(u32),
    /// As many states as the symbolic search may look at.
    #[error("no verdict after {0} symbolic states")]
    SymbolicStates(usize),
    /// An error's derivation has more nodes than it may have.
    #[error("an error's derivation has more than {0} nodes")]
    Derivation(usize),
    /// An error's derivation gives no predicate, block or run that is new.
    #[error("a refinement brought nothing new")]
    NothingNew,
    /// Clauses of a derivation have no known solution.
    #[error("Horn clauses not solved: {0}")]
    Clauses(Undecided),
    /// Of many threads, each may stand for several.
    #[error("no modular proof for any number of threads, and no counterexample on this path")]
    NotModular,
    /// A path has a run in rational numbers only, as far as is known.
    #[error("the error path holds up but has no run in integers")]
    NotIntegral,
    /// A product has a location for each tuple of threads' locations.
    #[error("the monolithic method needs a bounded number of threads")]
    UnboundedProduct,
    /// More edges than a product may have.
    #[error("the product of all threads is too large")]
    LargeProduct,
    /// A symbolic state has a location for each thread.
    #[error("the symbolic search needs a bounded number of threads")]
    UnboundedSymbolic,
    /// A symbolic state at an error has no values that could be computed.
    #[error("no numbers for a path to an error")]
    NoNumbers,
    /// More states than a system of replicated threads may have.
    #[error("the system of threads is too large")]
    LargeSystem,
    /// The system's coverability is not known.
    #[error("coverability: {0}")]
    Coverability(cover::Unknown),
    /// A system that breaks a rule of its type.
    #[error("internal error: {0}")]
    MalformedSystem(Malformed),
    /// A run of the system that is none.
    #[error("a run of the system of threads does not replay")]
    LostRun,
    /// Predicates about two threads do not exclude a run.
    #[error(
        "a run of the abstraction is none of the program, but that takes more than two threads' locals at once"
    )]
    ThreeThreads,
}

/// What an engine found. Nothing here is believed before the checker or the interpreter has seen it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    /// No error can be reached.
    Safe(Proof),
    /// An error can be reached.
    Unsafe(Counterexample),
    /// Neither was found.
    Unknown(Reason),
}
