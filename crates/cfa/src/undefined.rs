//! Steps of undefined behaviour: all there are, each with what a verdict assumes where a program has one.
//!
//! The interpreter ends a run at such a step and names it; what is assumed of a program is worked out from its
//! operations (`instantiate/undefined.rs`). Both know these and no others.

use std::fmt;

/// Why a step is undefined behaviour.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Undefined {
    /// An arithmetic result that its signed type does not have.
    Overflow,
    /// The least number divided by -1, which is undefined where signed arithmetic wraps either.
    Quotient,
    /// A division by zero.
    Division,
    /// A shift by less than nothing, or by the width or more.
    Shift,
    /// A floating-point value converted to an integer type that does not have it.
    Conversion,
    /// An access through a null pointer.
    Null,
    /// An access outside of any object, or of the one that the address is made from.
    Outside,
    /// An access to an object that another thread has for its own.
    Foreign,
    /// An access to an object as if it were of another type.
    Type,
    /// A join of something that is no thread.
    Join,
    /// The value of a function that returned none.
    Result,
}

impl Undefined {
    /// Each of them once, in the order of declaration.
    pub const ALL: [Undefined; 11] = [
        Undefined::Overflow,
        Undefined::Quotient,
        Undefined::Division,
        Undefined::Shift,
        Undefined::Conversion,
        Undefined::Null,
        Undefined::Outside,
        Undefined::Foreign,
        Undefined::Type,
        Undefined::Join,
        Undefined::Result,
    ];

    /// What is assumed of a program that has such an operation.
    pub fn assumption(self) -> &'static str {
        match self {
            Undefined::Overflow => "signed arithmetic does not overflow",
            Undefined::Quotient => "the least number of a type is not divided by -1",
            Undefined::Division => "nothing is divided by zero",
            Undefined::Shift => "shifts are by less than the width",
            Undefined::Conversion => "floating-point numbers fit the integers that they are converted to",
            Undefined::Null | Undefined::Outside => "pointers and indices stay inside their objects",
            Undefined::Foreign => {
                "a pointer that leaves its object does not come to what another thread has for its own"
            }
            Undefined::Type => "objects are accessed by types of their size",
            Undefined::Join => "what is joined is a thread",
            Undefined::Result => "functions whose values are used return one",
        }
    }
}

impl fmt::Display for Undefined {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Undefined::Overflow | Undefined::Quotient => "signed overflow",
            Undefined::Division => "division by zero",
            Undefined::Shift => "shift count out of range",
            Undefined::Conversion => "a floating-point value out of the range of the integer",
            Undefined::Null => "null pointer",
            Undefined::Outside => "access outside of the object",
            Undefined::Foreign => "access to another thread's object",
            Undefined::Type => "access to an object of another type",
            Undefined::Join => "join of something that is no thread",
            Undefined::Result => "use of the value of a function that returned none",
        })
    }
}
