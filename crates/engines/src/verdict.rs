//! Verdicts with their evidence, as the engines give them.

use num_bigint::BigInt;
use relyant_cfa::Limit;
use relyant_cfa::schedule::ThreadRef;
use relyant_check::{Proof, states};
use relyant_finite::model::Malformed;
use relyant_horn::tree::Undecided;
use relyant_interp::machine;
use relyant_linear::Var;
use relyant_unbounded::cover;

/// A step of a counterexample.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Step {
    /// The thread that moves; threads of a template are told apart from 0 on.
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
    /// The steps from the start, the last of which leads to an error.
    pub steps: Vec<Step>,
}

/// Why a search ended before it had seen all.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Unseen {
    /// As many states as it may store.
    #[error("the limit of states")]
    States,
    /// As many steps as it may try.
    #[error("the limit of steps")]
    Work,
    /// As many levels as it may go down.
    #[error("the limit of depth")]
    Depth,
    /// All was seen, but runs with more context switches.
    #[error("the bound on context switches")]
    Switches,
    /// All was seen, but inputs were given some of their values only.
    #[error("not all values of inputs were tried")]
    Inputs,
    /// All was seen, for one number of threads.
    #[error("not all numbers of threads were tried")]
    Threads,
    /// All was seen but what steps with large numbers or very long atomic sections lead to.
    #[error("some steps were too large or too long to try")]
    Steps,
    /// All was seen but what calls deeper than the stack lead to.
    #[error("some calls were too deep to try")]
    Stack,
    /// A bound that the program itself has, as on objects made at one place.
    #[error("a bound of the program was reached")]
    Bound {
        /// Template of the thread that came to it.
        template: u32,
        /// A location of kind `Limit`.
        location: u32,
    },
    /// Somebody asked to stop.
    #[error("stopped")]
    Cancelled,
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
    /// There is no thread program that says all of the property.
    #[error("there is no thread program")]
    NoThreads,
    /// Of the system of replicated threads.
    #[error("coverability: {0}")]
    Replicated(Box<Reason>),
    /// The interpreter cannot do what the program's calls may do.
    #[error("the search can't run a program with over-approximated calls")]
    Approximate,
    /// The interpreter does not run the program.
    #[error("the search cannot run the program: {0}")]
    Program(machine::Stop),
    /// All was seen but what is beyond a bound of the program, in its words.
    #[error("no error but where {0}")]
    Bound(Limit),
    /// Threads cannot run alone from switch to switch, or nothing can be said between.
    #[error("no proof by transactions: {0}")]
    Transactions(states::Rejection),
    /// The search ended before it had seen all.
    #[error("no error within {depth} steps; {reason}")]
    Search {
        /// All states at up to this many visible steps from the start were explored.
        depth: u32,
        /// Which limit or omission ended it.
        reason: Unseen,
    },
}

/// What an engine found. Nothing here is believed before the checker or the interpreter has seen it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    /// No error can be reached.
    Safe(Proof),
    /// An error can be reached.
    Unsafe(Counterexample),
    /// Neither was found, for this reason.
    Unknown(Reason),
}
