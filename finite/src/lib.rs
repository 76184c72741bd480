//! Replicated finite-state threads: models, their readers and meaning, evidence about any number of threads and its checkers.
//!
//! ```
//! use relyant_finite::evidence::{Certificate, check};
//! use relyant_finite::tts;
//! use std::sync::atomic::AtomicBool;
//!
//! // A lock: who takes it (shared 0 to 1) goes from 0 to 1, and back. Any number of threads begins in 0.
//! let mut system = tts::system("2 2\n0 0 -> 1 1\n1 1 -> 0 0\n")?;
//! let (target, _) = tts::target("1|1,1", &mut system)?;
//! let mut claim = |minimal: &str| {
//!     let (minimal, _) = tts::target(minimal, &mut system)?;
//!     Ok::<_, relyant_finite::input::InputError>(Certificate { minimal, weights: vec![] })
//! };
//! let (closed, open) = (claim("1|1,1\n0|0,1")?, claim("1|1,1")?);
//! let cancel = AtomicBool::new(false);
//! assert!(check(&system, &target, &closed, &cancel).is_ok());
//! assert!(check(&system, &target, &open, &cancel).is_err());
//! # Ok::<(), relyant_finite::input::InputError>(())
//! ```
#![deny(missing_docs)]

pub mod boolean;
pub mod evidence;
pub mod input;
pub mod model;
pub mod moves;
pub mod petri;
pub mod tts;
mod unwritable;

pub use unwritable::{Unwritable, UnwritableStep};
