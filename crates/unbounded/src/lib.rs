//! Engines for any number of replicated finite-state threads: thread-state fixpoints, counter abstraction, coverability.
//!
//! ```
//! use relyant_finite::{evidence, tts};
//! use relyant_unbounded::cover::{Coverability, Limits, CoverOptions, decide};
//! use std::sync::atomic::AtomicBool;
//!
//! // A lock: who takes it (shared 0 to 1) goes from 0 to 1, and back. Any number of threads begins in 0.
//! let mut system = tts::system("2 2\n0 0 -> 1 1\n1 1 -> 0 0\n")?;
//! let cancel = AtomicBool::new(false);
//! let mut ask = |target: &str| {
//!     let (target, _) = tts::target(target, &mut system)?;
//!     let outcome = decide(&system, &target, &CoverOptions::default(), &Limits::new(&cancel)).expect("well formed");
//!     Ok::<_, relyant_finite::input::InputError>(match outcome.verdict {
//!         Coverability::Uncoverable(proof) => evidence::check(&system, &target, &proof, &cancel).is_err(),
//!         Coverability::Coverable(run) => evidence::replay(&system, &target, &run).is_ok(),
//!         Coverability::Unknown(why) => panic!("{why}"),
//!     })
//! };
//! assert!(ask("1|1")?, "one thread may have it");
//! assert!(!ask("1|1,1")?, "but not two");
//! # Ok::<(), relyant_finite::input::InputError>(())
//! ```
#![deny(missing_docs)]

pub mod boolean;
pub mod counter;
pub mod cover;
pub mod fixpoint;
