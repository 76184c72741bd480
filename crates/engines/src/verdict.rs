//! Verdicts with their evidence, as the engines give them.

use num_bigint::BigInt;
use relyant_cfa::schedule::ThreadRef;
use relyant_check::Proof;
use relyant_horn::linear::Var;

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

/// Why there is no answer.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Reason {
    /// A limit was reached or somebody asked to stop.
    #[error("{0}")]
    Limit(String),
    /// The method has no further step.
    #[error("{0}")]
    Stuck(String),
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
