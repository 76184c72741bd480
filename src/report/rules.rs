//! Kinds of violations as programs that read reports know them: a name that stays, a sentence, a number of MITRE's Common
//! Weakness Enumeration.

use relyant_cfa::Violated;

/// A kind of violation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Rule {
    /// Its name, which does not change: `data-race`.
    pub id: &'static str,
    /// What must not happen, in a sentence.
    pub says: &'static str,
    /// Number of the weakness in CWE, where there is one.
    pub cwe: Option<u16>,
}

const fn rule(id: &'static str, cwe: u16, says: &'static str) -> Rule {
    let cwe = if cwe == 0 { None } else { Some(cwe) };
    Rule { id, says, cwe }
}

/// An assertion.
pub const ASSERTION: Rule = rule("assertion", 617, "An assertion fails.");
/// A call that is an error.
pub const ERROR_CALL: Rule = rule("error-call", 0, "A function is called whose calls are errors.");
/// A label that is an error.
pub const ERROR_LABEL: Rule = rule("error-label", 0, "A statement is reached whose label is an error.");
/// Two threads in one section.
pub const EXCLUSIVE: Rule =
    rule("exclusive", 662, "Two threads are at a statement for one thread at a time.");
/// A deadlock.
pub const DEADLOCK: Rule = rule("deadlock", 833, "No thread can move, and some thread is not at its end.");
/// Signed overflow.
pub const OVERFLOW: Rule = rule("signed-overflow", 190, "The result of signed arithmetic is out of range.");
/// A division by zero.
pub const DIVISION: Rule = rule("division-by-zero", 369, "A number is divided by zero.");
/// A shift out of range.
pub const SHIFT: Rule = rule("shift", 1335, "A shift is by less than 0, or by the width or more.");
/// An access through null.
pub const NULL: Rule = rule("null-pointer", 476, "Memory is accessed through a null pointer.");
/// An access after the lifetime.
pub const GONE: Rule = rule("use-after-lifetime", 825, "An object is accessed after its lifetime.");
/// An access to no object.
pub const OUTSIDE: Rule = rule("out-of-bounds", 119, "Memory is accessed that belongs to no object.");
/// A write to a literal.
pub const LITERAL: Rule = rule("write-to-literal", 0, "A string literal is written to.");
/// A write to what is const.
pub const CONST: Rule = rule("write-to-const", 0, "An object is written to that is defined const.");
/// A second `free`.
pub const DOUBLE_FREE: Rule = rule("double-free", 415, "Memory is given back that was given back before.");
/// A `free` of no block.
pub const BAD_FREE: Rule = rule("bad-free", 590, "What is given back is no block of dynamic memory.");
/// A lost block.
pub const LEAK: Rule = rule("memory-leak", 401, "A block of memory is lost before it is given back.");
/// A data race.
pub const RACE: Rule =
    rule("data-race", 362, "Two threads access one object, one of them writes, and nothing orders them.");
/// The program ends: asked where nothing else is.
pub const END: Rule = rule("end", 0, "The program ends.");
/// Of finite-state threads: the target is covered.
pub const COVERED: Rule = rule("covered", 0, "A configuration that must not be covered is.");

/// All kinds.
pub const ALL: [Rule; 19] = [
    ASSERTION,
    ERROR_CALL,
    ERROR_LABEL,
    EXCLUSIVE,
    DEADLOCK,
    OVERFLOW,
    DIVISION,
    SHIFT,
    NULL,
    GONE,
    OUTSIDE,
    LITERAL,
    CONST,
    DOUBLE_FREE,
    BAD_FREE,
    LEAK,
    RACE,
    END,
    COVERED,
];

/// The kind of a violation.
pub fn of(violation: &Violated) -> Rule {
    match violation {
        Violated::Assertion => ASSERTION,
        Violated::Call(_) => ERROR_CALL,
        Violated::Label(_) => ERROR_LABEL,
        Violated::Exclusive(_) => EXCLUSIVE,
        Violated::Deadlock => DEADLOCK,
        Violated::SignedOverflow => OVERFLOW,
        Violated::DivisionByZero => DIVISION,
        Violated::Shift => SHIFT,
        Violated::Null => NULL,
        Violated::Gone => GONE,
        Violated::Outside => OUTSIDE,
        Violated::WriteToLiteral => LITERAL,
        Violated::WriteToConst => CONST,
        Violated::DoubleFree => DOUBLE_FREE,
        Violated::FreeOfNoBlock => BAD_FREE,
        Violated::Leak { .. } => LEAK,
        Violated::Race(_) => RACE,
        Violated::End => END,
    }
}

/// The kind with a name.
pub fn named(id: &str) -> Option<Rule> {
    ALL.into_iter().find(|r| r.id == id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_kinds_apart() {
        for (i, r) in ALL.iter().enumerate() {
            assert_eq!(named(r.id), Some(*r));
            assert!(ALL[..i].iter().all(|s| s.id != r.id), "{}", r.id);
            assert!(r.id.chars().all(|c| c == '-' || c.is_ascii_lowercase()) && r.says.ends_with('.'));
        }
        assert_eq!(of(&Violated::DoubleFree).cwe, Some(415));
        assert_eq!(named("no such kind"), None);
    }
}
