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

const ASSERTION: Rule = rule("assertion", 617, "An assertion fails.");
const ERROR_CALL: Rule = rule("error-call", 0, "A function is called whose calls are errors.");
const ERROR_LABEL: Rule = rule("error-label", 0, "A statement is reached whose label is an error.");
const EXCLUSIVE: Rule = rule("exclusive", 662, "Two threads are at a statement for one thread at a time.");
const DEADLOCK: Rule = rule("deadlock", 833, "No thread can move, and some thread is not at its end.");
const OVERFLOW: Rule = rule("signed-overflow", 190, "The result of signed arithmetic is out of range.");
const DIVISION: Rule = rule("division-by-zero", 369, "A number is divided by zero.");
const SHIFT: Rule = rule("shift", 1335, "A shift is by less than 0, or by the width or more.");
const NULL: Rule = rule("null-pointer", 476, "Memory is accessed through a null pointer.");
const GONE: Rule = rule("use-after-lifetime", 825, "An object is accessed after its lifetime.");
const OUTSIDE: Rule = rule("out-of-bounds", 119, "Memory is accessed that belongs to no object.");
const LITERAL: Rule = rule("write-to-literal", 0, "A string literal is written to.");
const CONST: Rule = rule("write-to-const", 0, "An object is written to that is defined const.");
const DOUBLE_FREE: Rule = rule("double-free", 415, "Memory is given back that was given back before.");
const BAD_FREE: Rule = rule("bad-free", 590, "What is given back is no block of dynamic memory.");
const LEAK: Rule = rule("memory-leak", 401, "A block of memory is lost before it is given back.");
const RACE: Rule =
    rule("data-race", 362, "Two threads access one object, one of them writes, and nothing orders them.");
const END: Rule = rule("end", 0, "The program ends.");
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
