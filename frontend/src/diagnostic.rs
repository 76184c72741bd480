//! Errors in an input, with the place they are at.

use std::fmt;

/// A place in a source file. Lines and columns count from 1; 0 means unknown.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Span {
    /// Index into the program's list of files.
    pub file: u32,
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1.
    pub column: u32,
}

/// What is wrong with an input, where, and what to do about it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    /// File name as the user gave it or as a line marker has it.
    pub file: String,
    /// Line, from 1; 0 when the whole file is meant.
    pub line: u32,
    /// Column, from 1; 0 when unknown.
    pub column: u32,
    /// What is wrong, one line.
    pub message: String,
    /// Why it matters or what to do, one line, may be empty.
    pub help: String,
    /// The text of the source line, when known.
    pub source_line: Option<String>,
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.file)?;
        if self.line > 0 {
            write!(f, ":{}", self.line)?;
            if self.column > 0 {
                write!(f, ":{}", self.column)?;
            }
        }
        write!(f, ": error: {}", self.message)?;
        if let Some(text) = &self.source_line {
            write!(f, "\n  {text}")?;
            if self.column > 0 {
                let pad: String = text
                    .chars()
                    .take(self.column as usize - 1)
                    .map(|c| if c == '\t' { c } else { ' ' })
                    .collect();
                write!(f, "\n  {pad}^")?;
            }
        }
        if !self.help.is_empty() {
            write!(f, "\n  help: {}", self.help)?;
        }
        Ok(())
    }
}

impl std::error::Error for Diagnostic {}
