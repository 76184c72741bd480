//! Boolean programs with threads: reader, control-flow graphs and their meaning.
//!
//! The language is SLAM's with the threads of BOPPO: Cook, Kroening and Sharygina, "Verification of Boolean programs
//! with unbounded thread creation", 2007, section 2.

mod ast;
pub mod bits;
pub mod closed;
pub mod evidence;
pub mod exhausted;
pub mod expr;
pub mod facts;
pub mod family;
pub mod flat;
pub mod future;
mod lex;
pub mod live;
mod lower;
pub mod machine;
mod parse;
pub mod program;
pub mod replay;
pub mod template;
pub mod tts;

use crate::input::InputError;

/// Reads a program; statements with one of the labels `errors` must not be reached.
pub fn read(text: &str, errors: &[String]) -> Result<program::Program, InputError> {
    lower::lower(&parse::parse(text)?, errors)
}
