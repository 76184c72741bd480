//! Exit statuses: the one place that knows them.

/// What each exit status means, for the end of `--help`.
pub const HELP: &str = "Exit status of verify: 0 safe, 1 unsafe, 2 bad input or usage, 3 unknown.
With several files: 2 if one was refused, else 1 if one is unsafe, else 3 if one is unknown, else 0.
check: 0 accepted, 1 rejected, 2 bad input, 3 undecided. horn: 0 sat, 1 unsat, 2 bad input, 3 unknown.
bench: 0 all as expected, 1 a wrong verdict, 2 bad input, 3 something missing.";

/// How a command ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Status {
    /// Safe, accepted, sat, as expected, done.
    Good,
    /// Unsafe, rejected, unsat, wrong.
    Bad,
    /// The input or the usage is wrong.
    BadInput,
    /// Nothing is known, or no answer came in time.
    Unknown,
}

impl Status {
    /// The number the shell sees.
    pub fn code(self) -> i32 {
        match self {
            Status::Good => 0,
            Status::Bad => 1,
            Status::BadInput => 2,
            Status::Unknown => 3,
        }
    }
    /// Of a verdict; `None` is refused input.
    pub fn of_verdict(word: Option<&str>) -> Status {
        match word {
            Some("safe") => Status::Good,
            Some("unsafe") => Status::Bad,
            Some(_) => Status::Unknown,
            None => Status::BadInput,
        }
    }
    /// Of several: refused before unsafe before unknown before safe.
    pub fn and(self, other: Status) -> Status {
        let rank = |s: Status| match s {
            Status::Good => 0,
            Status::Unknown => 1,
            Status::Bad => 2,
            Status::BadInput => 3,
        };
        if rank(other) > rank(self) { other } else { self }
    }
}

#[cfg(test)]
mod tests {
    use super::Status::{self, *};

    #[test]
    fn several_files() {
        assert_eq!([Good, Unknown, Bad, Good].into_iter().fold(Good, Status::and), Bad);
        assert_eq!([Bad, BadInput, Unknown].into_iter().fold(Good, Status::and), BadInput);
        assert_eq!([Good, Unknown].into_iter().fold(Good, Status::and), Unknown);
    }

    #[test]
    fn verdicts() {
        let codes =
            [Some("safe"), Some("unsafe"), None, Some("unknown")].map(|w| Status::of_verdict(w).code());
        assert_eq!(codes, [0, 1, 2, 3]);
    }
}
