//! Replicated finite-state threads: models, their readers and meaning, evidence about any number of threads and its checkers.
#![deny(missing_docs)]

pub mod boolean;
pub mod evidence;
pub mod input;
pub mod model;
pub mod moves;
pub mod petri;
pub mod tts;
