//! Where values come from that the program does not compute.

use std::fmt;

/// First character of the printed name of an approximate input.
const APPROXIMATE: char = '≈';

/// What gives a value to an `Op::Havoc`.
///
/// `Display` and `Debug` print the name, the latter in quotes, after `≈` where the input is approximate: traces and
/// digests of programs have it so.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct InputSource {
    /// The function of the program or of the library that gives it, as the user calls it; empty if none does.
    pub name: String,
    /// Not each of the values is known to be possible. A run that relies on one is no counterexample (see
    /// `relyant_interp::replay()`).
    pub approximate: bool,
}

impl InputSource {
    /// An object that nobody gave a value.
    pub fn uninitialised() -> InputSource {
        InputSource::default()
    }
    /// An input, each value of which is possible.
    pub fn input(name: impl Into<String>) -> InputSource {
        InputSource { name: name.into(), approximate: false }
    }
    /// An input of which only the range is known.
    pub fn approximate(name: impl Into<String>) -> InputSource {
        InputSource { name: name.into(), approximate: true }
    }
    /// Is it no input, but an object without a value?
    pub fn is_uninitialised(&self) -> bool {
        self.name.is_empty() && !self.approximate
    }
    /// Does this function give it, and can each value be?
    pub fn is_input_of(&self, function: &str) -> bool {
        !self.approximate && self.name == function
    }
}

impl fmt::Display for InputSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.approximate { write!(f, "{APPROXIMATE}{}", self.name) } else { f.write_str(&self.name) }
    }
}

impl fmt::Debug for InputSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.to_string(), f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn approximate_inputs_are_marked() {
        let (a, b) = (InputSource::approximate("rand"), InputSource::input("rand"));
        assert_eq!(
            (format!("{a} {a:?}"), format!("{b} {b:?}")),
            ("≈rand \"≈rand\"".into(), "rand \"rand\"".into())
        );
        assert!(b.is_input_of("rand") && !a.is_input_of("rand") && !a.is_uninitialised());
        assert_eq!(format!("{:?}", InputSource::uninitialised()), "\"\"");
    }
}
