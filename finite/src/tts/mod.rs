//! Thread transition systems: `.tts`, `.prop`, and what is written on the command line.

mod read;
mod write;

pub use read::{initial, system, target};
pub use write::{initial as write_initial, write_system, write_target};
