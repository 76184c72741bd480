//! Replicated finite-state threads: exact answers for any number of them.
#![deny(missing_docs)]

pub mod boolean;
pub mod counter;
pub mod cover;
pub mod evidence;
pub mod fixpoint;
pub mod input;
pub mod model;
pub mod petri;
pub mod tts;
