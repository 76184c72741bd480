//! Boolean programs as they are written.

use super::expr::Expr;
use crate::input::Place;

/// A name and where it is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Name {
    /// The name.
    pub text: String,
    /// Where.
    pub place: Place,
}

/// An expression over names.
pub type Exp = Expr<Name>;

/// A program.
#[derive(Clone, Debug, Default)]
pub struct Ast {
    /// Global variables.
    pub globals: Vec<Name>,
    /// Procedures.
    pub procs: Vec<Proc>,
}

/// A procedure.
#[derive(Clone, Debug)]
pub struct Proc {
    /// Its name.
    pub name: Name,
    /// How many values it returns.
    pub returns: u32,
    /// Parameters.
    pub params: Vec<Name>,
    /// Local variables, not counting parameters.
    pub locals: Vec<Name>,
    /// What its states satisfy.
    pub enforce: Option<Exp>,
    /// Statements.
    pub body: Vec<Stmt>,
    /// Its `end`.
    pub end: Place,
}

/// A statement with its labels.
#[derive(Clone, Debug)]
pub struct Stmt {
    /// Labels.
    pub labels: Vec<Name>,
    /// What it does.
    pub kind: Kind,
    /// Where.
    pub place: Place,
}

/// What a statement does.
#[derive(Clone, Debug)]
pub enum Kind {
    /// Nothing.
    Skip,
    /// Goes to one of the labels.
    Goto(Vec<Name>),
    /// Returns values.
    Return(Vec<Exp>),
    /// Assigns at once.
    Assign {
        /// Variables.
        targets: Vec<Name>,
        /// A value each.
        values: Vec<Exp>,
        /// What holds between the states before and after.
        constrain: Option<Exp>,
    },
    /// Calls a procedure.
    Call {
        /// Where the results go.
        targets: Vec<Name>,
        /// The procedure.
        proc: Name,
        /// Arguments.
        args: Vec<Exp>,
    },
    /// Branches: conditions and what follows them, then what is done else.
    If(Vec<(Exp, Vec<Stmt>, Place)>, Vec<Stmt>),
    /// A loop.
    While(Exp, Vec<Stmt>),
    /// Goes on only if it holds.
    Assume(Exp),
    /// Fails if it does not hold.
    Assert(Exp),
    /// Forgets values.
    Dead(Vec<Name>),
    /// Starts a thread that runs a procedure.
    Spawn {
        /// The procedure.
        proc: Name,
        /// Arguments.
        args: Vec<Exp>,
    },
    /// Starts a thread at a label, with a copy of the local variables.
    SpawnAt(Name),
    /// Ends the thread.
    EndThread,
    /// From here no other thread runs.
    AtomicBegin,
    /// To here.
    AtomicEnd,
    /// Waits for a lock and takes it.
    Lock(Name),
    /// Gives a lock back.
    Unlock(Name),
}
