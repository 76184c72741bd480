//! What a run can do wrong. The kinds are typed, and here is the one place that words them.

use std::fmt;

/// How an access that races with another one uses what both access.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Use {
    /// It is not known how.
    Access,
    /// It gives the memory back.
    Free,
    /// It reads a cell.
    Read,
    /// It writes a cell.
    Write,
}

impl Use {
    /// In a word.
    pub fn verb(self) -> &'static str {
        match self {
            Use::Access => "access",
            Use::Free => "free",
            Use::Read => "read",
            Use::Write => "write",
        }
    }
}

/// Two accesses that nothing orders, as seen by the one that comes second.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Race {
    /// How this access uses the cell.
    pub access: Use,
    /// Names of the cells that it may be an access to, as they are in the source, each once: the first few.
    pub cells: Vec<String>,
    /// There are more cells than are named.
    pub others: bool,
}

/// What is violated at a location, or in a state.
///
/// `Display` words it for reports, and `Debug` prints the same words in quotes: digests of programs are made of that, so
/// that no certificate depends on how kinds are told apart here.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Violated {
    /// A condition that the program asserts.
    Assertion,
    /// A call of the function that is an error, by its name.
    Call(String),
    /// A statement whose label is an error.
    Label(String),
    /// Two threads are at statements with this label.
    Exclusive(String),
    /// No thread can move, and some thread is not at its end.
    Deadlock,
    /// The result of signed arithmetic is out of range.
    SignedOverflow,
    /// A division by zero.
    DivisionByZero,
    /// A shift by less than 0, or by the width or more.
    Shift,
    /// An access through a null pointer.
    Null,
    /// An access to an object after its lifetime.
    Gone,
    /// An access to no object.
    Outside,
    /// A write to a string literal.
    WriteToLiteral,
    /// A write to an object that is defined `const`.
    WriteToConst,
    /// A block is given back that was given back.
    DoubleFree,
    /// What is given back is no block of dynamic memory.
    FreeOfNoBlock,
    /// A block made in this line is lost.
    Leak {
        /// Line of the call that makes it, from 1.
        line: u32,
    },
    /// A data race.
    Race(Race),
    /// The program ends: whether it can is asked where nothing else is.
    End,
}

impl fmt::Display for Violated {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Violated::Assertion => "assertion",
            Violated::Call(name) => name,
            Violated::Label(name) => return write!(f, "label {name}"),
            Violated::Exclusive(label) => return write!(f, "two threads at {label}"),
            Violated::Deadlock => "deadlock",
            Violated::SignedOverflow => "signed overflow",
            Violated::DivisionByZero => "division by zero",
            Violated::Shift => "a shift by less than 0 or by the width or more",
            Violated::Null => "null pointer access",
            Violated::Gone => "access to an object that is gone",
            Violated::Outside => "access outside of any object",
            Violated::WriteToLiteral => "write to a string literal",
            Violated::WriteToConst => "write to what is defined const",
            Violated::DoubleFree => "double free",
            Violated::FreeOfNoBlock => "free of what is no block of dynamic memory",
            Violated::Leak { line } => {
                return write!(f, "memory leak (of what is made in line {line})");
            }
            Violated::Race(race) => return race.fmt(f),
            Violated::End => "end",
        })
    }
}

impl fmt::Display for Race {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let does = match self.access {
            Use::Free => return f.write_str("data race on memory that is freed"),
            Use::Write => ", written",
            Use::Read => ", read",
            Use::Access => "",
        };
        let names: Vec<String> = self.cells.iter().map(|c| format!("`{c}`")).collect();
        let names = if self.others { format!("{} or others", names.join(", ")) } else { names.join(" or ") };
        write!(f, "data race on {names}{does}")
    }
}

impl fmt::Debug for Violated {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.to_string(), f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn races_are_worded_by_access_and_cells() {
        let race = |access, names: &[&str], others| {
            let cells = names.iter().map(ToString::to_string).collect();
            Violated::Race(Race { access, cells, others }).to_string()
        };
        assert_eq!(race(Use::Write, &["x"], false), "data race on `x`, written");
        assert_eq!(race(Use::Read, &["x", "a[1]"], false), "data race on `x` or `a[1]`, read");
        assert_eq!(race(Use::Read, &["x", "y", "z"], true), "data race on `x`, `y`, `z` or others, read");
        assert_eq!(race(Use::Free, &["x"], false), "data race on memory that is freed");
    }

    #[test]
    fn it_prints_as_its_words_in_quotes() {
        assert_eq!(format!("{:?}", Violated::Call("a\"b".into())), "\"a\\\"b\"");
        assert_eq!(
            format!("{:?}", Violated::Leak { line: 3 }),
            "\"memory leak (of what is made in line 3)\""
        );
    }
}
