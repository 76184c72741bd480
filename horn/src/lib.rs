//! Recursion-free Horn clauses over linear integer arithmetic, solved by Farkas' lemma.
//!
//! * [`clause`] and [`solve`](mod@solve): systems of clauses over unknown relations, their solutions and
//!   refutations. Both are checked before they are returned.
//! * [`tree`]: the same for one unfolded tree, for callers that build it themselves.
//! * [`smt2`]: SMT-LIB files of such clauses.
//!
//! The method is that of Gupta, Popeea and Rybalchenko, "Predicate abstraction and refinement for verifying
//! multi-threaded programs" (POPL 2011), section 7, with integer cuts and case splits added.
//!
//! ```
//! use relyant_horn::Formula;
//! use relyant_horn::clause::{Application, Clause, System};
//! use relyant_linear::{Atom, Cube, LinExpr, Var};
//! use relyant_horn::solve::{SystemOutcome, solve};
//! use relyant_horn::tree::TreeOptions;
//!
//! // x > 3 => p(x), and p(x) and x = y and y < 4 => false.
//! let (x, y) = (LinExpr::var(Var(0)), LinExpr::var(Var(1)));
//! let number = |n: i128| LinExpr::int(n);
//! let mut system = System::new();
//! let p = system.relation("p", 1);
//! let p_of_x = Application { relation: p, args: vec![Var(0)] };
//! system.add(Clause {
//!     body: vec![],
//!     constraint: Cube::of([Atom::lt(&number(3).sub(&x))]),
//!     head: Some(p_of_x.clone()),
//! })?;
//! system.add(Clause {
//!     body: vec![p_of_x],
//!     constraint: Cube::of([Atom::eq(&x.sub(&y)), Atom::lt(&y.sub(&number(4)))]),
//!     head: None,
//! })?;
//! let SystemOutcome::Solved(solution) = solve(&system, &TreeOptions::default())? else { panic!() };
//! assert_eq!(*solution.formula(p), Formula::from(Atom::le(&number(4).sub(&x))));
//! # Ok::<(), relyant_horn::clause::ClauseError>(())
//! ```
#![deny(missing_docs)]

mod check;
pub mod clause;
mod formula;
mod refute;
pub mod smt2;
pub mod solve;
pub mod tree;

pub use check::implies;
pub use formula::Formula;
