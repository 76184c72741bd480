//! Engines that look for proofs and for runs: nothing of theirs is believed before a checker or the interpreter has seen it.
//!
//! ```
//! use relyant_cfa::options::Options;
//! use relyant_check::check::{Limits, check};
//! use relyant_engines::verdict::Answer;
//! use relyant_engines::watch::Watch;
//! use relyant_engines::{aret, rely_guarantee};
//! use relyant_frontend::{c, instantiate};
//! use relyant_program::thread_program;
//!
//! let text = "extern void reach_error(void);
//!     int main(void) { int i = 0; while (i < 1000000) i = i + 1; if (i != 1000000) reach_error(); return 0; }";
//! let module = c::load_text("a.i", text, &Options::default())?;
//! let program = thread_program(&instantiate::instantiate(&module, &Options::default())?)?;
//! let (answer, stats) = rely_guarantee::verify(&program, &aret::Settings::default(), &Watch::NONE);
//! let Answer::Safe(proof) = answer else { panic!("{answer:?}") };
//! assert!(stats.iterations > 0 && check(&program, &proof, &Limits::default()).is_ok());
//! # Ok::<(), relyant_cfa::diagnostic::Diagnostic>(())
//! ```
#![deny(missing_docs)]

pub mod aret;
pub mod engine;
pub mod limits;
pub mod minimise;
pub mod ordered;
pub mod race;
pub mod refine;
pub mod registry;
pub mod rely_guarantee;
pub mod replicated;
pub mod search;
pub mod symbolic;
#[cfg(test)]
mod testing;
pub mod verdict;
pub mod watch;
