//! Front ends: from C with threads (and other languages) to thread programs with linear guards.
//!
//! ```text
//! text --c--> cfa::Module --instantiate--> cfa::Program --linearise, reduce--> program::Program
//!             functions      threads, calls inlined        linear guards, few steps
//! ```
//!
//! The interpreter ([`interp`]) runs a [`cfa::Program`]: C's own semantics, nothing abstracted.
#![deny(missing_docs)]

pub mod c;
pub mod cfa;
pub mod diagnostic;
pub mod files;
pub mod instantiate;
pub mod interp;
pub mod linearise;
pub mod options;
mod orders;
pub mod points_to;
pub mod preprocessing;
pub mod program;
pub mod races;
pub mod reduce;
mod sparse;
pub mod stack;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
pub mod timbuk;

pub use reduce::thread_program;
