//! Forms of the report.

use super::{input, say_all};
use clap::ValueEnum;
use relyant::report::{json, junit, rewriting, sarif};

/// Which form a report has.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people
    Text,
    /// `docs/schema/report.json` is its schema
    Json,
    /// SARIF 2.1.0, for editors and code review
    Sarif,
    /// JUnit XML, for continuous integration
    Junit,
}

impl Format {
    /// Prints a report that is a document of data; of the text nothing.
    pub fn print(self, document: &json::Document) {
        match self {
            Format::Text => {}
            Format::Json => say_all(&input::pretty(document)),
            Format::Sarif => say_all(&input::pretty(&sarif::log(document))),
            // A string takes all that is written.
            Format::Junit => say_all(&junit::suite(document).unwrap_or_default()),
        }
    }
    /// The same about rewriting systems.
    pub fn print_rewriting(self, document: &rewriting::Document) {
        match self {
            Format::Json => say_all(&input::pretty(document)),
            _ => self.print(&json::Document::from(document)),
        }
    }
}
