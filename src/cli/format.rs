//! Forms of the report, and where it goes.

use super::exit::Status;
use super::{complain, input, say_all, write_file};
use clap::ValueEnum;
use relyant::report::{json, junit, markdown, rewriting, sarif};
use std::path::PathBuf;

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
    /// A table, and runs folded, for summaries and comments
    Markdown,
}

impl Format {
    /// A report that is a document of data; none as text.
    fn of(self, document: &json::Document) -> Option<String> {
        match self {
            Format::Text => None,
            Format::Json => Some(input::pretty(document)),
            Format::Sarif => Some(input::pretty(&sarif::log(document))),
            // A string takes all that is written.
            Format::Junit => Some(junit::suite(document).unwrap_or_default()),
            Format::Markdown => Some(markdown::summary(document)),
        }
    }
    /// The same about rewriting systems.
    fn of_rewriting(self, document: &rewriting::Document) -> Option<String> {
        match self {
            Format::Json => Some(input::pretty(document)),
            _ => self.of(&json::Document::from(document)),
        }
    }
}

/// The report once more, in a file.
#[derive(Clone)]
pub struct Also {
    format: Format,
    path: PathBuf,
}

/// It names no form, or no file.
#[derive(Debug, thiserror::Error)]
#[error("a form and a file are wanted, as in sarif=OUT; known are {}", .0.join(", "))]
pub struct NotAlso(Vec<String>);

impl Also {
    /// `FORM=OUT`, with a form that is one for programs.
    ///
    /// # Errors
    /// It is something else.
    pub fn parse(text: &str) -> Result<Also, NotAlso> {
        let forms = || Format::value_variants().iter().filter(|f| **f != Format::Text);
        let name = |f: &Format| f.to_possible_value().map(|v| v.get_name().to_string()).unwrap_or_default();
        let none = || NotAlso(forms().map(name).collect());
        let (form, path) = text.split_once('=').filter(|x| !x.1.is_empty()).ok_or_else(none)?;
        let format = *forms().find(|f| name(f) == form).ok_or_else(none)?;
        Ok(Also { format, path: path.into() })
    }
}

/// Where reports go.
#[derive(Clone, clap::Args)]
pub struct Reports {
    /// Form of the report
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
    /// Write the report here as well: json, sarif, junit or markdown (may be given several times)
    #[arg(long, value_name = "FORM=OUT", value_parser = Also::parse)]
    report: Vec<Also>,
}

impl Reports {
    /// Is what is printed for people?
    pub fn are_text(&self) -> bool {
        self.format == Format::Text
    }
    /// Is a document of data needed?
    pub fn need_data(&self) -> bool {
        !self.are_text() || !self.report.is_empty()
    }
    /// Prints the document, unless text is wanted, and writes all copies.
    pub fn give(&self, document: &json::Document) -> Status {
        self.give_all(|f| f.of(document))
    }
    /// The same about rewriting systems.
    pub fn give_rewriting(&self, document: &rewriting::Document) -> Status {
        self.give_all(|f| f.of_rewriting(document))
    }

    fn give_all(&self, form: impl Fn(Format) -> Option<String>) -> Status {
        if let Some(text) = form(self.format) {
            say_all(&text);
        }
        let mut status = Status::Good;
        for copy in &self.report {
            let text = form(copy.format).unwrap_or_default();
            if let Err(why) = write_file(&copy.path, &text) {
                complain(&format!("error: {why}"));
                status = Status::BadInput;
            }
        }
        status
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_have_a_form_and_a_file() {
        let copy = Also::parse("junit=a=b.xml").unwrap();
        assert!(copy.format == Format::Junit && copy.path == std::path::Path::new("a=b.xml"));
        for wrong in ["text=a", "sarif", "sarif=", "SARIF=a", "=a"] {
            assert!(Also::parse(wrong).is_err(), "{wrong}");
        }
    }
}
