//! Verification witnesses in the YAML format of SV-COMP, written and read (see `docs/WITNESS.md`).

pub mod correctness;
pub mod ghosts;
pub mod guide;
pub mod hints;
pub mod invariants;
pub mod metadata;
pub mod places;
pub mod predicates;
pub mod ranges;
pub mod read;
pub mod validate;
pub mod violation;
pub mod write;

use places::Location;

/// A condition on a state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Constraint {
    /// The expression, as the witness has it.
    pub value: String,
    /// `c_expression`, or what speaks of `\result`.
    pub format: String,
}

/// What a waypoint waits for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WaypointKind {
    /// A thread is before a statement, and a condition holds.
    Assumption,
    /// The run ends in the violation.
    Target,
    /// A function is called.
    FunctionEnter,
    /// A call has returned.
    FunctionReturn,
    /// A branch is taken.
    Branching,
}

impl WaypointKind {
    /// All of them, with their names.
    pub const ALL: [(WaypointKind, &'static str); 5] = [
        (WaypointKind::Assumption, "assumption"),
        (WaypointKind::Target, "target"),
        (WaypointKind::FunctionEnter, "function_enter"),
        (WaypointKind::FunctionReturn, "function_return"),
        (WaypointKind::Branching, "branching"),
    ];

    /// Its name in the format.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|k| k.0 == self).map_or("", |k| k.1)
    }
}

/// A place that a run passes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Waypoint {
    /// What is waited for.
    pub kind: WaypointKind,
    /// Where it waits in the source.
    pub location: Location,
    /// What holds when it is passed; `None`: nothing is asked.
    pub constraint: Option<Constraint>,
    /// Whose waypoint it is: 0 is main.
    pub thread: Option<u32>,
}

/// An invariant at a place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Invariant {
    /// Of a loop, else of any statement.
    pub of_loop: bool,
    /// Where in the source it holds.
    pub location: Location,
    /// The invariant, a C expression.
    pub value: String,
}

/// A variable of the witness, not of the program: an `int` that all threads share.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ghost {
    /// Its name, no name of the program.
    pub name: String,
    /// Its start value, a C expression.
    pub initial: String,
}

/// A write to a [`Ghost`], in one step with a statement.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Update {
    /// Where the statement begins.
    pub location: Location,
    /// Name of the ghost that is written.
    pub variable: String,
    /// Its new value, a C expression.
    pub value: String,
}

/// Invariants, and the ghosts that they speak of.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Correctness {
    /// Variables of the witness.
    pub ghosts: Vec<Ghost>,
    /// Writes to them, each with a statement.
    pub updates: Vec<Update>,
    /// What holds at places of the program.
    pub invariants: Vec<Invariant>,
}

/// What a witness says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Content {
    /// A run: each segment ends when its one waypoint is passed.
    Violation(Vec<Waypoint>),
    /// Why it is correct.
    Correctness(Correctness),
}
