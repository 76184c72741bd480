//! What is wrong with an input, and where.

use std::fmt;

/// A place in a text. Lines and columns count from 1; 0 means unknown.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Place {
    /// Line, from 1; 0 when unknown.
    pub line: u32,
    /// Column in the line, from 1; 0 when unknown.
    pub column: u32,
}

impl Place {
    /// A place by line and column, as large as the type allows.
    pub fn new(line: usize, column: usize) -> Place {
        let number = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        Place { line: number(line), column: number(column) }
    }
}

/// What is wrong with an input, where, and what to do about it. The reader's caller knows the file.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub struct InputError {
    /// Where in the text it is.
    pub place: Place,
    /// What is wrong, one line.
    pub message: String,
    /// What to do, one line, may be empty.
    pub help: String,
}

impl InputError {
    /// An error without advice.
    pub fn new(place: Place, message: impl Into<String>) -> InputError {
        InputError { place, message: message.into(), help: String::new() }
    }
    /// The same error with advice on what to do.
    pub fn help(mut self, help: impl Into<String>) -> InputError {
        self.help = help.into();
        self
    }
}

impl fmt::Display for InputError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.place.line, self.place.column, self.message)?;
        if !self.help.is_empty() {
            write!(f, " ({})", self.help)?;
        }
        Ok(())
    }
}
