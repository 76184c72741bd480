//! Boolean programs as they are written.

use super::expr::Expr;
use crate::input::Place;

/// A name and where it is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Name {
    /// The identifier, as it is written.
    pub text: String,
    /// Where it begins in the text.
    pub place: Place,
}

/// An expression over names.
pub type Exp = Expr<Name>;

/// A program as it is written: names are not resolved yet.
#[derive(Clone, Debug, Default)]
pub struct Ast {
    /// Global variables, in the order of declaration.
    pub globals: Vec<Name>,
    /// Procedures, in the order of the text.
    pub procs: Vec<Proc>,
}

/// A procedure as it is written.
#[derive(Clone, Debug)]
pub struct Proc {
    /// The name by which it is called.
    pub name: Name,
    /// How many values it returns.
    pub returns: u32,
    /// Parameters, in order; they are local variables.
    pub params: Vec<Name>,
    /// Local variables, not counting parameters.
    pub locals: Vec<Name>,
    /// What its states satisfy.
    pub enforce: Option<Exp>,
    /// Statements between `begin` and `end`, in order.
    pub body: Vec<Stmt>,
    /// Where its `end` is.
    pub end: Place,
}

/// A statement with its labels.
#[derive(Clone, Debug)]
pub struct Stmt {
    /// Labels, to which `goto` and `spawn` may lead.
    pub labels: Vec<Name>,
    /// What the statement does.
    pub kind: Kind,
    /// Where it begins in the text.
    pub place: Place,
}

/// What a statement does.
#[derive(Clone, Debug)]
pub enum Kind {
    /// Goes on without an effect.
    Skip,
    /// Goes to one of the labels.
    Goto(Vec<Name>),
    /// Returns from the procedure with a value for each of its results.
    Return(Vec<Exp>),
    /// Assigns all values at once.
    Assign {
        /// Variables that are written, in order.
        targets: Vec<Name>,
        /// A value for each target.
        values: Vec<Exp>,
        /// What holds between the states before and after.
        constrain: Option<Exp>,
    },
    /// Calls a procedure, and waits for it.
    Call {
        /// Where the results go.
        targets: Vec<Name>,
        /// Name of the procedure.
        proc: Name,
        /// A value for each parameter.
        args: Vec<Exp>,
    },
    /// Branches: conditions and what follows them, then what is done else.
    If(Vec<(Exp, Vec<Stmt>, Place)>, Vec<Stmt>),
    /// A loop: goes on as long as the condition may hold.
    While(Exp, Vec<Stmt>),
    /// Goes on only if it holds.
    Assume(Exp),
    /// Fails if it does not hold.
    Assert(Exp),
    /// The variables may have any values afterwards.
    Dead(Vec<Name>),
    /// Starts a thread that runs a procedure.
    Spawn {
        /// Name of the procedure.
        proc: Name,
        /// A value for each parameter.
        args: Vec<Exp>,
    },
    /// Starts a thread at a label, with a copy of the local variables.
    SpawnAt(Name),
    /// Ends the thread, in whatever procedure it is.
    EndThread,
    /// From here no other thread runs.
    AtomicBegin,
    /// Other threads may run again.
    AtomicEnd,
    /// Waits for a lock and takes it.
    Lock(Name),
    /// Gives a lock back.
    Unlock(Name),
}
