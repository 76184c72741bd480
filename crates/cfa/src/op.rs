//! Locations, edges, and what an edge does.

use super::{Expr, FuncId, InputSource, IntKind, Reg, Violated};
use crate::diagnostic::Span;

/// A location, by index into `locations` of its graph.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Loc(pub u32);

/// What being at a location means.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum LocationKind {
    /// An ordinary location: being here is no error, limit or end.
    Normal,
    /// A property is violated; no edges leave it.
    Error(Violated),
    /// The verifier's own bound is reached (what: more objects than it keeps apart…); no edges leave it. That a thread
    /// comes here is no violation, but nothing is known of the program's further runs.
    Limit(Limit),
    /// The thread has ended, or the function has returned; no edges leave it. A thread in a program comes here only
    /// by `ThreadExit` or `Halt`: `Return` goes back to the caller.
    End,
}

/// A bound of the verifier that is reached.
#[derive(Clone, PartialEq, Eq)]
pub struct Limit {
    /// What is beyond it, in words.
    pub what: String,
    /// What is bounded, where something depends on it.
    pub bounds: Option<Bounded>,
}

/// What a limit bounds that something depends on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bounded {
    /// Objects alive that one place made ([`crate::options::Options::max_objects`]).
    Objects,
    /// Elements of an array of variable length. Where such an array has no end, nobody comes to the limit.
    Length,
}

impl<T: Into<String>> From<T> for Limit {
    fn from(what: T) -> Limit {
        Limit { what: what.into(), bounds: None }
    }
}

/// As the words are: digests of programs have it so.
impl std::fmt::Debug for Limit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.what.fmt(f)
    }
}

impl std::fmt::Display for Limit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.what)
    }
}

/// What the step from or to a location is on a machine with store buffers. Without them all locations are `Direct`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Order {
    /// An access from here is the front end's own and goes straight to memory.
    #[default]
    Direct,
    /// A store from here goes into the thread's buffer, a load looks there first.
    Buffered,
    /// A step from here waits until the thread's buffer is empty, and an access then goes straight to memory.
    Drained,
    /// The step to here put a store into the buffer: address and value.
    Appended(Expr, Expr),
    /// The step to here took the oldest store from the buffer to memory.
    Arrived,
}

impl Order {
    /// The same with other expressions; nothing is said any more of a store of which one is gone (`None`).
    pub fn map(&self, expr: &mut dyn FnMut(&Expr) -> Option<Expr>) -> Order {
        let Order::Appended(address, value) = self else { return self.clone() };
        match (expr(address), expr(value)) {
            (Some(address), Some(value)) => Order::Appended(address, value),
            _ => Order::Direct,
        }
    }
}

/// What runs tell of a location; programs mean the same without.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Told {
    /// Nothing.
    #[default]
    Nothing,
    /// A wait for a condition variable that ends by itself or by a signal, which nothing else shows.
    Waits,
    /// A wait ends here as its time is over.
    TimesOut,
    /// The verifier looks whether memory is lost: no step of the program's.
    LooksForLeaks,
    /// Of the numbers that the steps from here choose, this one says that the time of a wait is over.
    MayTimeOut(i128),
}

/// A point of control. Edges leave it unless its kind says otherwise. `Debug` leaves out the order, which decides what
/// edges there are, and what is told: digests of programs are made of what it prints.
#[derive(Clone, PartialEq, Eq)]
pub struct Location {
    /// Nobody else moves while a thread is here.
    pub atomic: bool,
    /// What being here means.
    pub kind: LocationKind,
    /// Labels of the statement that starts here.
    pub labels: Vec<String>,
    /// The statement that starts here.
    pub span: Span,
    /// The program assumes something here: where a thread can't go on, the run is none of the program's, and no
    /// deadlock either.
    pub assumes: bool,
    /// A store from here gives a new object its first values.
    pub initial: bool,
    /// What the front end does here with memory is right however large its objects are.
    pub unchecked: bool,
    /// The inlined call that this is a copy for, by index into [`super::Template::inlined`]; 0 for none.
    pub inlined: u32,
    /// What it is on a machine with store buffers.
    pub order: Order,
    /// What runs tell of it.
    pub told: Told,
}

impl std::fmt::Debug for Location {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Location {
            atomic,
            kind,
            labels,
            span,
            assumes,
            initial,
            inlined,
            unchecked: _,
            order: _,
            told: _,
        } = self;
        f.debug_struct("Location")
            .field("atomic", atomic)
            .field("kind", kind)
            .field("labels", labels)
            .field("span", span)
            .field("assumes", assumes)
            .field("initial", initial)
            .field("inlined", inlined)
            .finish()
    }
}

/// Who is called or started.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Callee {
    /// This function, by index into [`super::Module::functions`]; in a program, [`super::Procedure::function`].
    Known(FuncId),
    /// A function pointer's value.
    Pointer(Expr),
}

/// What an edge does.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Op {
    /// No effect: a jump, or what was left out.
    Skip,
    /// `register := e`, no access to memory.
    Assign(Reg, Expr),
    /// `register :=` any value of the register's kind within the bounds, both included: an input of the
    /// program or an uninitialised object.
    Havoc {
        /// The register that gets the value.
        dst: Reg,
        /// What gives the value.
        source: InputSource,
    },
    /// `register := memory[address]`, one step. The kind is that of the access.
    Load(Reg, Expr, IntKind),
    /// `memory[address] := value`, one step. The value was converted to the kind of the access.
    Store(Expr, Expr, IntKind),
    /// Goes on only where the expression is not 0.
    Assume(Expr),
    /// Calls a function. In a program it is one of the template's procedures.
    Call {
        /// The register that takes the result, if one does.
        dst: Option<Reg>,
        /// The function that is called, named or through a pointer.
        callee: Callee,
        /// Arguments, converted to the parameters' kinds.
        args: Vec<Expr>,
    },
    /// `register :=` handle of a new thread that runs the routine on the argument, one step.
    Create {
        /// Takes the new thread's handle.
        handle: Reg,
        /// Start routine (in a program: resolved, see `template`).
        routine: Callee,
        /// Argument of the start routine.
        arg: Option<Expr>,
        /// Template started, set by instantiation.
        template: Option<u32>,
    },
    /// Goes on only when the thread with that handle has ended; `register :=` the value it returned.
    Join {
        /// The thread's handle, a value of [`Expr::SelfId`]; anything else is undefined behaviour.
        handle: Expr,
        /// Takes what the thread returned.
        result: Option<Reg>,
    },
    /// Ends the thread with a value (`pthread_exit`, or return from its start routine).
    ThreadExit(Expr),
    /// Ends the whole program (`exit`, `abort`, return from `main`).
    Halt,
    /// Returns from a function; in a program, from the procedure that was called last.
    Return(Option<Expr>),
}

/// An edge of a graph.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Edge {
    /// Where it starts, by index into [`Graph::locations`].
    pub from: Loc,
    /// Where it leads, by index into [`Graph::locations`].
    pub to: Loc,
    /// Its one effect, done as one step: at most one access to memory.
    pub op: Op,
    /// Place of the statement or expression it came from.
    pub span: Span,
}

/// Locations and edges. `Halt`, `ThreadExit` and `Return` edges lead to a location of kind `End`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Graph {
    /// Indexed by [`Loc`]; not all of them need be reached.
    pub locations: Vec<Location>,
    /// Edges, in source order: out-edges of a location are tried in this order.
    pub edges: Vec<Edge>,
}

impl Graph {
    /// Adds a location at the end, of kind [`LocationKind::Normal`] and without edges.
    pub fn add_location(&mut self, span: Span) -> Loc {
        self.locations.push(Location {
            atomic: false,
            kind: LocationKind::Normal,
            labels: Vec::new(),
            span,
            assumes: false,
            initial: false,
            unchecked: false,
            inlined: 0,
            order: Order::Direct,
            told: Told::Nothing,
        });
        Loc(self.locations.len() as u32 - 1)
    }
    /// Adds an edge at the end: it is tried after the others of its source.
    pub fn add_edge(&mut self, from: Loc, to: Loc, op: Op, span: Span) {
        self.edges.push(Edge { from, to, op, span });
    }
    /// Indices of out-edges, by location.
    pub fn out_edges(&self) -> Vec<Vec<usize>> {
        let mut out = vec![Vec::new(); self.locations.len()];
        for (i, e) in self.edges.iter().enumerate() {
            out[e.from.0 as usize].push(i);
        }
        out
    }
    /// Edge indices by target location.
    pub fn into_edges(&self) -> Vec<Vec<usize>> {
        let mut into = vec![Vec::new(); self.locations.len()];
        for (i, e) in self.edges.iter().enumerate() {
            into[e.to.0 as usize].push(i);
        }
        into
    }
}
