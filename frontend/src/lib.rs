//! The front end of C: from C with threads to control-flow automata.
//!
//! ```text
//! text --c--> cfa::Module --instantiate--> cfa::Program
//!             functions      threads, calls inlined
//! ```
#![deny(missing_docs)]

pub mod c;
pub mod instantiate;
mod orders;
pub mod races;
