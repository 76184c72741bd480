//! Exact linear arithmetic over integer variables.
//!
//! * [`Rat`]: rationals that never wrap, of machine integers as long as these suffice.
//! * [`LinExpr`]: sums of variables with coefficients, and a constant.
//! * [`Atom`]: `e <= 0` and `e = 0` in normal form, tightened to integers; [`Norm`] when it may be trivial.
//! * [`Cube`]: conjunctions of atoms: whether one has an integer solution, what its [closure](Closed) implies, and
//!   what it says of some of its variables ([`project`]).
//! * [`Equalities`]: affine ones, and which of them a step keeps.
//! * [`simplex`] and [`omega`]: the decisions below these, for callers that need the reason or the budget.
//! * [`meter`]: how much work a thread has done, the same in every run.
//!
//! ```
//! use relyant_linear::{Atom, Closed, Cube, LinExpr, Rat, Satisfiable, Var};
//!
//! // 2x >= 3 and x < y: in integers x >= 2, so that y >= 3.
//! let (x, y) = (LinExpr::var(Var(0)), LinExpr::var(Var(1)));
//! let number = |n: i128| LinExpr::int(n);
//! let cube = Cube::of([Atom::le(&number(3).sub(&x).sub(&x)), Atom::lt(&x.sub(&y))]);
//! let Satisfiable::Sat(model) = cube.sat_int() else { panic!("has solutions") };
//! assert!(cube.holds(|v| model.value(v)));
//! assert_eq!(Closed::new(&cube).upper(&y.negated()), Some(Rat::from(-3i64)));
//! ```
#![deny(missing_docs)]

mod affine;
mod atom;
mod branch;
mod cube;
mod dbm;
mod decide;
mod expr;
pub mod meter;
pub mod omega;
mod project;
mod rat;
pub mod simplex;

pub use affine::Equalities;
pub use atom::{Atom, Norm, Rel};
pub use cube::Cube;
pub use dbm::DifferenceBound;
pub use decide::{Closed, Model, Satisfiable};
pub use expr::{LinExpr, Var};
pub use project::project;
pub use rat::Rat;
