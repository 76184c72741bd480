//! The concrete interpreter: runs a [`relyant_cfa::Program`] with C's own semantics.
//!
//! [`machine`] does one step, [`eval`] gives expressions their values, [`mod@replay`] runs a given schedule, [`mod@explore`]
//! tries all of them.
//!
//! ```
//! use relyant_cfa::options::Options;
//! use relyant_frontend::{c, instantiate};
//! use relyant_interp::{Exploration, explore, replay};
//!
//! let text = "typedef unsigned long pthread_t;
//!     extern int pthread_create(pthread_t *, const void *, void *(*)(void *), void *);
//!     extern void reach_error(void);
//!     int x;
//!     void *run(void *arg) { x = 1; return 0; }
//!     int main(void) { pthread_t t; pthread_create(&t, 0, run, 0); if (x) reach_error(); return 0; }";
//! let module = c::load_text("a.i", text, &Options::default())?;
//! let program = instantiate::instantiate(&module, &Options::default())?;
//! let Ok(Exploration::Violation(schedule)) = explore(&program, &Default::default(), &|| false) else {
//!     panic!("the thread may be first")
//! };
//! let trace = replay(&program, &schedule).expect("what was found is a run");
//! assert_eq!(trace.violation.to_string(), "reach_error");
//! # Ok::<(), relyant_cfa::diagnostic::Diagnostic>(())
//! ```
#![deny(missing_docs)]

pub mod act;
pub mod candidates;
mod code;
mod complete;
mod deadlock;
pub mod eval;
pub mod event;
pub mod explore;
pub mod fact;
pub mod flow;
mod handles;
pub mod late;
pub mod live;
pub mod machine;
mod names;
pub mod normal;
#[cfg(test)]
mod normal_tests;
pub mod observe;
pub mod reliance;
pub mod render;
pub mod replay;
mod state;
pub mod statement;
mod stop;
pub mod store;
#[cfg(test)]
mod tests;
pub mod uses;

pub use explore::{Exploration, explore, quick_search};
pub use fact::Blocked;
pub use replay::{
    AboutTo, ActiveCall, LastPointer, Lost, NamedValue, PointerEnd, RacingAccess, ReplayError, Trace,
    TraceStep, Waiting, replay,
};
