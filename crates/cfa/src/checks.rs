//! What a property is about in a source file, counted before anything is left out.

use crate::diagnostic::Span;
use std::collections::BTreeMap;

/// A kind of place that a property is about.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Check {
    /// A condition that the program asserts.
    Assertion,
    /// A call of the function that is an error.
    ErrorCall,
    /// A label that must not be reached.
    ErrorLabel,
    /// A statement with the label that excludes others.
    Exclusive,
    /// An operation whose result may be undefined.
    Operation,
    /// An access to memory, for data races.
    Access,
    /// An access whose address is computed, for checks of memory.
    Computed,
    /// A block that is given back.
    Free,
    /// A block that may be lost.
    Block,
    /// A place where a thread may have to wait.
    Wait,
}

impl Check {
    /// Its name in JSON.
    pub fn key(self) -> &'static str {
        match self {
            Check::Assertion => "assertions",
            Check::ErrorCall => "error_calls",
            Check::ErrorLabel => "error_labels",
            Check::Exclusive => "exclusive_statements",
            Check::Operation => "operations",
            Check::Access => "accesses",
            Check::Computed => "computed_accesses",
            Check::Free => "frees",
            Check::Block => "blocks",
            Check::Wait => "waits",
        }
    }
    fn name(self, n: usize) -> String {
        let (one, many) = match self {
            Check::Assertion => ("assertion", "assertions"),
            Check::ErrorCall => ("call of the error function", "calls of the error function"),
            Check::ErrorLabel => ("error label", "error labels"),
            Check::Exclusive => ("exclusive statement", "exclusive statements"),
            Check::Operation => ("arithmetic operation", "arithmetic operations"),
            Check::Access => ("access to memory", "accesses to memory"),
            Check::Computed => ("access through an address", "accesses through addresses"),
            Check::Free => ("call that frees", "calls that free"),
            Check::Block => ("call that makes a block", "calls that make blocks"),
            Check::Wait => ("place where a thread may wait", "places where a thread may wait"),
        };
        format!("{n} {}", if n == 1 { one } else { many })
    }
}

/// A place with a span of its own that a property is about.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Place {
    /// What kind.
    pub check: Check,
    /// Where it is.
    pub at: Span,
    /// What it fails by.
    pub fails: Fails,
}

/// When an assertion or an error fails, before anything is known of the program's runs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Fails {
    /// Never: its condition is a constant.
    Never,
    /// Whenever a thread comes there.
    Reached,
    /// As these variables say, by name.
    By(Vec<String>),
}

/// How many places there are, in functions that can be reached from the start.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Checks {
    /// By kind; kinds without a place are left out.
    pub counts: BTreeMap<Check, usize>,
    /// Those with spans of their own: assertions, errors and labels; in order.
    pub places: Vec<Place>,
    /// The program says what its property is, though no such place can be reached: it declares a function for errors.
    pub declares_errors: bool,
    /// Functions with assertions or errors that cannot be reached from the start.
    pub unreached: Vec<String>,
    /// What a reader of the verdict should know, a line each.
    pub notes: Vec<String>,
}

impl Checks {
    /// Is there nothing that a property could be about?
    pub fn is_empty(&self) -> bool {
        self.counts.values().all(|n| *n == 0)
    }
    /// All of them, in words: `3 assertions, 1 error label`.
    pub fn describe(&self) -> String {
        let parts: Vec<String> =
            self.counts.iter().filter(|(_, n)| **n > 0).map(|(c, n)| c.name(*n)).collect();
        if parts.is_empty() { "nothing".into() } else { parts.join(", ") }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words() {
        let mut checks = Checks::default();
        assert!(checks.is_empty());
        assert_eq!(checks.describe(), "nothing");
        checks.counts.insert(Check::Assertion, 1);
        checks.counts.insert(Check::ErrorLabel, 2);
        checks.counts.insert(Check::Wait, 0);
        assert_eq!(checks.describe(), "1 assertion, 2 error labels");
    }
}
