//! The thread program: linear guards and affine updates over integer variables.
//!
//! Variables are numbered through the whole program: globals and the locals of every template in one list.
//! Locals of template `t` appear in edges of `t` only. One edge is one atomic step.
//!
//! ```
//! use relyant_cfa::options::Options;
//! use relyant_frontend::{c, instantiate};
//! use relyant_program::thread_program;
//!
//! let text = "extern void reach_error(void);
//!     extern int __VERIFIER_nondet_int(void);
//!     int main(void) { int n = __VERIFIER_nondet_int(); if (n > 3 && n < 4) reach_error(); return 0; }";
//! let module = c::load_text("a.i", text, &Options::default())?;
//! let program = thread_program(&instantiate::instantiate(&module, &Options::default())?)?;
//! // No integer is between 3 and 4: the step to the error is not there.
//! assert!(program.templates.iter().all(|t| t.locations.iter().all(|l| l.error.is_none())));
//! # Ok::<(), relyant_cfa::diagnostic::Diagnostic>(())
//! ```
#![deny(missing_docs)]

mod display;
pub mod edges;
pub mod ghosts;
pub mod linearise;
pub mod ordered;
pub mod passes;
pub mod recognisers;
pub mod reduce;
pub mod role;
mod schedule;
mod variables;

use ghosts::extension::Stage;
use index_vec::IndexVec;
use relyant_cfa::diagnostic::Span;
use relyant_linear::{Cube, LinExpr, Var};
use std::sync::Arc;

pub use passes::{reduce, thread_program, thread_program_with};
pub use relyant_cfa::Count;
pub use role::Role;
pub use schedule::{Step, schedule};

/// A location, by index into `locations` of its template.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Loc(pub u32);

impl index_vec::Idx for Loc {
    fn from_usize(index: usize) -> Loc {
        Loc(u32::try_from(index).unwrap_or(u32::MAX))
    }
    fn index(self) -> usize {
        self.0 as usize
    }
}

/// Whose a variable is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Scope {
    /// Shared by all threads.
    Global,
    /// Each thread of this template has its own.
    Local(u32),
}

/// A variable of the thread program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Variable {
    /// Name in source terms (`turn`, `level[2]`, `worker::me`); unique in the program.
    pub name: String,
    /// Which threads have it: all share one, or each of a template has its own.
    pub scope: Scope,
    /// No value of it is ever smaller, by its C type or by what a ghost counts; `None`: no such bound is known.
    pub min: Option<i128>,
    /// No value of it is ever larger; `None`: no such bound is known.
    pub max: Option<i128>,
    /// Constant, and different from that of every other thread: the thread's own handle.
    pub identity: bool,
    /// What it stands for in the program it was made from.
    pub origin: Origin,
}

/// What a variable stands for in the [`relyant_cfa::Program`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Origin {
    /// Cell of an object.
    Cell(relyant_cfa::ObjId, u32),
    /// Register of the variable's template.
    Register(relyant_cfa::Reg),
    /// Made on the way; a note in its name.
    Ghost(Ghost),
}

/// What a ghost is for, where others have to know.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ghost {
    /// Has the thread of this template been created, or how often?
    Started(u32),
    /// Has a thread of this template ended? 1 once one has.
    Ended(u32),
    /// How many threads were created.
    Created,
    /// How many threads have done some step.
    Counted,
    /// Has a chosen thread some step to do?
    Left,
    /// Somebody wrote it beside the program: it is assigned to, and no step of the program reads it.
    Given,
    /// The tracked index of arrays, which the run chooses at its start and nobody writes.
    Index,
    /// Is what a thread accesses at the tracked index ([`reduce::tracked`])?
    At,
    /// For no use that others have to know of.
    Other,
}

impl Variable {
    /// A ghost with bounds.
    pub fn ghost(
        name: String,
        scope: Scope,
        (min, max): (Option<i128>, Option<i128>),
        what: Ghost,
    ) -> Variable {
        Variable { name, scope, min, max, identity: false, origin: Origin::Ghost(what) }
    }
}

/// Where the value of an edge's input comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Input {
    /// The `Havoc` op at this index of the edge's `path`.
    Havoc(u32),
    /// A quotient, a wrap count, or an over-approximated result; determined by the rest in a real run.
    Auxiliary,
    /// The `Havoc` op at this index of the edge's `path` takes this value; nothing mentions the variable any more.
    Chosen(u32, i128),
    /// The remainder of two variables, neither of which is negative; the edge is not taken where the divisor is 0.
    Remainder {
        /// What is divided.
        number: Var,
        /// What it is divided by.
        divisor: Var,
    },
}

/// A value that the real run chooses before the program's start.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Given {
    /// Start value of a cell that has none of its own.
    Cell(relyant_cfa::ObjId, u32),
    /// Input of the `Havoc` op at this index of the prefix.
    Havoc(u32),
}

/// An access to an element of an array of which no element is kept, see [`ordered`]. What it reads is an input, which is the element's value
/// then.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Touch {
    /// Which array, by a number of its own: others have other elements.
    pub array: u32,
    /// The address of the element, over the values before the step and inputs.
    pub at: LinExpr,
    /// What is read or written, over the same.
    pub value: LinExpr,
    /// Is it written?
    pub write: bool,
}

/// A step: `guard && bounds`, then all updates at once.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Edge {
    /// Where it starts, by index into the template's `locations`.
    pub from: Loc,
    /// Where it leads, by index into the template's `locations`.
    pub to: Loc,
    /// Inputs: existential variables of the step, numbered `Program::input(k)`. Other edges use the same numbers.
    pub inputs: Vec<Input>,
    /// Condition over globals, own locals and inputs, as the program tests it.
    pub guard: Cube,
    /// Further conditions that hold because of types (ranges of inputs and results); kept apart since they make
    /// poor predicates.
    pub bounds: Cube,
    /// `variable := expression` over the values before the step, sorted by variable; others keep their values.
    pub updates: Vec<(Var, LinExpr)>,
    /// Steps of the template's automaton (indices into `graph.edges`) this step stands for, in order.
    pub path: Vec<u32>,
    /// Place of the first visible one.
    pub span: Span,
    /// Accesses to elements of arrays, in order; none but where they are asked for
    /// ([`ArrayLimits::touches`](linearise::ArrayLimits::touches)).
    pub touches: Vec<Touch>,
    /// The guard and updates say exactly what the path does (nothing over-approximated).
    pub exact: bool,
}

/// A point of control of a template's threads.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Location {
    /// Being here violates the property: what.
    pub error: Option<String>,
    /// Labels of the statement that starts here, which `exclusive` may name.
    pub labels: Vec<String>,
    /// The statement that starts here.
    pub span: Span,
    /// Location of the automaton it was.
    pub origin: u32,
}

/// A kind of thread. Same index as in the [`relyant_cfa::Program`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Template {
    /// Name of the start routine, numbered when there are several (`worker#2`).
    pub name: String,
    /// How many threads of it there can be; more than one may be at a location at once.
    pub count: Count,
    /// Its identity variable, if it is used.
    pub identity: Option<Var>,
    /// Where each of its threads is at the start of the program, created or not.
    pub entry: Loc,
    /// Indexed by [`Loc`]; the entry is one of them.
    pub locations: IndexVec<Loc, Location>,
    /// In source order, as far as passes keep it; obligations and proofs name an edge by its index here.
    pub edges: Vec<Edge>,
}

impl Template {
    /// Its loops: largest sets of locations each of which leads to each other one of its set.
    pub fn loops(&self) -> Vec<Vec<Loc>> {
        let mut next = vec![Vec::new(); self.locations.len()];
        for e in &self.edges {
            next[e.from.0 as usize].push(e.to.0 as usize);
        }
        let mut all = relyant_cfa::strong::components(&next);
        all.retain(|c| c.len() > 1 || c.iter().any(|l| next[*l].contains(l)));
        all.into_iter().map(|c| c.into_iter().map(|l| Loc(l as u32)).collect()).collect()
    }
}

/// A thread program. Template threads all exist from the start: one that is created later waits at its entry for
/// its `started` ghost.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Program {
    /// Indexed by [`Var`]: globals and the locals of all templates. Numbers from here on are inputs
    /// ([`Program::input`]).
    pub variables: Vec<Variable>,
    /// Thread templates, those without edges included.
    pub templates: Vec<Template>,
    /// Condition on the start values of globals and locals.
    pub init: Cube,
    /// No two threads may be at locations with this label.
    pub exclusive: Option<String>,
    /// Steps done before the start, in order: template and index into `graph.edges`.
    pub prefix: Vec<(u32, u32)>,
    /// Values chosen before the start, over the values of variables at the start.
    pub given: Vec<(Given, LinExpr)>,
    /// Names of the source files, which `span.file` is an index into.
    pub files: Vec<String>,
    /// Text of the source lines: `lines[file][line - 1]`.
    pub lines: Vec<Vec<String>>,
    /// It is that of the program with chosen threads.
    pub chosen: bool,
    /// Deadlocks are errors of what it was made of; none of its steps is one.
    pub deadlock: bool,
    /// Where deadlocks are ruled out by an order in which threads wait: what is waited for, in that order, in words.
    pub waits: Option<Vec<String>>,
    /// What was assumed, a line each.
    pub assumes: Vec<String>,
    /// Ghosts that were added on the way, in order. They are no part of what the program does: what is claimed of them has to
    /// be shown before a proof of the program says anything.
    pub extensions: Vec<Arc<Stage>>,
    /// It makes the runs of several threads in an order of preference. Its swaps have to be shown as well.
    pub ordered: Option<Arc<ordered::Ordered>>,
}

impl Program {
    /// The variable that stands for input `k` of an edge.
    pub fn input(&self, k: usize) -> Var {
        Var((self.variables.len() + k) as u32)
    }
    /// What threads wait for and in which order, where that rules deadlocks out.
    pub fn waits_in_words(&self) -> Option<String> {
        Some(match self.waits.as_deref()? {
            [] => "no thread waits".into(),
            [one] => format!("threads wait for {one} only"),
            all => format!("threads wait in an order: {}", all.join(", ")),
        })
    }
    /// Are the numbers of all variables and inputs small enough for every [`Role`]?
    pub fn has_room_for_roles(&self) -> bool {
        let edges = self.templates.iter().flat_map(|t| &t.edges);
        let inputs = edges.map(|e| e.inputs.len()).max().unwrap_or(0);
        self.variables.len().saturating_add(inputs) < role::VARIABLES as usize
    }
    /// Is it a ghost that somebody wrote beside the program?
    pub fn is_given(&self, v: Var) -> bool {
        self.variables.get(v.0 as usize).is_some_and(|x| x.origin == Origin::Ghost(Ghost::Given))
    }
    /// Is it a global?
    pub fn is_global(&self, v: Var) -> bool {
        self.variables.get(v.0 as usize).is_some_and(|x| x.scope == Scope::Global)
    }
}
