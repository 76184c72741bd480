//! Proofs of safety by rely-guarantee reasoning (GPR, figure 5).
//!
//! The checker ([`check`]) shares nothing with the engines but these types: [`obligations`] turns a program and a
//! proof into [`formula`]s, and an SMT solver decides each.
//!
//! ```
//! use relyant_cfa::diagnostic::Span;
//! use relyant_check::check::{Limits, check};
//! use relyant_check::{Proof, Rule};
//! use relyant_linear::{Atom, Cube, LinExpr, Var};
//! use relyant_program::{Count, Edge, Ghost, Loc, Location, Program, Scope, Template, Variable};
//!
//! // x begins as 0; a thread adds 1, and must not find 2 after that.
//! let (x, int) = (LinExpr::var(Var(0)), |n| LinExpr::int(n));
//! let edge = |from, to, guard, updates| Edge {
//!     from: Loc(from), to: Loc(to), inputs: vec![], guard, bounds: Cube::of([]), updates, path: vec![],
//!     span: Span::default(), touches: vec![], exact: true,
//! };
//! let error = Location { error: Some("assertion".into()), ..Location::default() };
//! let program = Program {
//!     variables: vec![Variable::ghost("x".into(), Scope::Global, (None, None), Ghost::Other)],
//!     templates: vec![Template {
//!         name: "main".into(),
//!         count: Count::AtMost(1),
//!         identity: None,
//!         entry: Loc(0),
//!         locations: vec![Location::default(), Location::default(), error].into(),
//!         edges: vec![
//!             edge(0, 1, Cube::of([]), vec![(Var(0), x.add(&int(1)))]),
//!             edge(1, 2, Cube::of([Atom::eq(&x.sub(&int(2)))]), vec![]),
//!         ],
//!     }],
//!     init: Cube::of([Atom::eq(&x)]),
//!     ..Program::default()
//! };
//! let claim = |at_1| Proof {
//!     rule: Rule::Monolithic,
//!     modular: false,
//!     threads: vec![],
//!     tickets: vec![],
//!     global: vec![
//!         (vec![Loc(0)], Cube::of([Atom::eq(&x)])),
//!         (vec![Loc(1)], Cube::of([Atom::eq(&x.sub(&int(at_1)))])),
//!     ],
//! };
//! assert!(check(&program, &claim(1), &Limits::default()).is_ok());
//! assert!(check(&program, &claim(2), &Limits::default()).is_err());
//! ```
#![deny(missing_docs)]

pub mod certificate;
pub mod check;
pub mod decide;
pub mod finite;
pub mod flaw;
pub mod formula;
pub mod ghosts;
mod level;
pub mod obligations;
pub mod ordered;
pub mod replicated;
mod shape;
pub mod smt2;
pub mod states;
pub mod validate;

use relyant_linear::{Cube, Var};
use relyant_program::Loc;

/// Which proof rule the assertions satisfy.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rule {
    /// CS1 to CS5: thread reachability and environment transitions.
    RelyGuarantee,
    /// Thread reachability only; interference by the other threads' own steps.
    OwickiGries,
    /// One invariant over all locations and variables.
    Monolithic,
}

/// A set of states of one thread at one of its locations.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Assertion {
    /// Where other threads are: `(template, locations)`, sorted by template; a template left out may be anywhere.
    /// Modular proofs have none.
    pub control: Vec<(u32, Vec<Loc>)>,
    /// Condition on the variables.
    pub cube: Cube,
}

/// What one other thread may do in one step.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct EnvTransition {
    /// Template of the thread that moves.
    pub actor: u32,
    /// Locations it may come from, sorted.
    pub from: Vec<Loc>,
    /// Locations it may go to, sorted.
    pub to: Vec<Loc>,
    /// Where threads other than the actor are before the step (they stay there).
    pub control: Vec<(u32, Vec<Loc>)>,
    /// Globals it may write, sorted; all else stays as it is, but for the actor's own locals.
    pub writes: Vec<Var>,
    /// Locations of the target where the transition applies, sorted, at least one; `None`: all.
    pub at: Option<Vec<Loc>>,
    /// Relation over variables before the step and after it ([`Role::After`](relyant_program::Role::After)).
    pub relation: Cube,
}

/// A local that holds a ticket at some locations.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Holder {
    /// The template whose threads hold tickets.
    pub template: u32,
    /// The template's local that holds the ticket.
    pub variable: Var,
    /// Where it holds a ticket, sorted; not the entry.
    pub locations: Vec<Loc>,
}

/// A counter that hands out tickets: no edge lowers it, and a holder's variable is only ever written, on the way to
/// and between the holder's locations, by an edge that copies the counter and raises it. So any two threads at
/// holders' locations hold different tickets. Environment transitions may rely on that, and may then speak of the
/// target's own ticket.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Tickets {
    /// The counter, a global.
    pub counter: Var,
    /// Who holds its tickets, at most one a template.
    pub holders: Vec<Holder>,
}

/// Assertions for the threads of one template.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ThreadProof {
    /// The template, by index; each at most once in a proof.
    pub template: u32,
    /// States by location, sorted; a location left out is unreachable.
    pub invariants: Vec<(Loc, Vec<Assertion>)>,
    /// The thread's environment transitions (rely-guarantee only). In a template of count above one, other threads
    /// of the template are actors too; their identity differs from this thread's.
    pub environment: Vec<EnvTransition>,
}

/// A proof of safety of a [`relyant_program::Program`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Proof {
    /// The proof rule, which says which of the other fields are used.
    pub rule: Rule,
    /// No state speaks of another thread's locals or location, no environment transition of any thread's locals
    /// (but for its own identity).
    pub modular: bool,
    /// Assertions by template (rely-guarantee, Owicki-Gries), those of templates without edges left out.
    pub threads: Vec<ThreadProof>,
    /// Counters whose tickets differ between threads.
    pub tickets: Vec<Tickets>,
    /// Location of each template's thread and condition (monolithic).
    pub global: Vec<(Vec<Loc>, Cube)>,
}
