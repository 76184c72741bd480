//! What the models of functions tell apart.

use relyant_cfa::Violated;

/// What is violated by reaching a call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Failure {
    /// An assertion that failed.
    Assertion,
    /// The program says that the call is an error.
    ReachError,
}

impl Failure {
    /// As it is at an error location.
    pub fn violated(self) -> Violated {
        match self {
            Failure::Assertion => Violated::Assertion,
            Failure::ReachError => Violated::Call("reach_error".into()),
        }
    }
}

/// What values are read from by a format (`scanf` and its like).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scanned {
    /// The input of the program.
    Input,
    /// A file, the first argument.
    File,
    /// A text in memory, the first argument.
    Text,
}

impl Scanned {
    /// The first argument that is written through, counted from 0; the one before is the format.
    pub fn first_object(self) -> usize {
        match self {
            Scanned::Input => 1,
            Scanned::File | Scanned::Text => 2,
        }
    }
}

/// Cancellation and cleanup handlers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Cancel {
    Request,
    State,
    Kind,
    Test,
    Push,
    Pop,
    /// Where the library would jump back to when the thread is cancelled.
    Jump,
    /// On from a handler to the next one.
    Unwind,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Signal {
    /// `signal`: a handler by its name.
    Set,
    /// `sigaction`: a handler in a record.
    Action,
    Raise,
    /// To a process: to this one.
    Kill,
    Alarm,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum ThreadCall {
    Create,
    /// `thrd_create`: the routine comes second and gives an `int`.
    Create11,
    Join,
    Join11,
    /// Gives at once what the argument says if the thread has not ended.
    TryJoin(i128),
    Exit,
    SelfId,
    Equal,
    Once,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum KeyCall {
    Create,
    Delete,
    Get,
    Set,
}

/// What is done with the bits of a number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Bits {
    Ones,
    Parity,
    LeadingZeros,
    TrailingZeros,
    /// 1 for the lowest one, 0 for none.
    FirstSet,
    /// Bytes in the other order.
    Swap,
}

/// A class of characters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Class {
    Upper,
    Lower,
    Alpha,
    Digit,
    HexDigit,
    Space,
    Print,
    Graph,
    Blank,
    Control,
    Punctuation,
    AlphaNumeric,
}

impl Class {
    /// Its ranges in the C locale, and what glibc has for true.
    pub fn ranges(self) -> (&'static [(i128, i128)], i128) {
        match self {
            Class::Upper => (&[(65, 90)], 256),
            Class::Lower => (&[(97, 122)], 512),
            Class::Alpha => (&[(65, 90), (97, 122)], 1024),
            Class::Digit => (&[(48, 57)], 2048),
            Class::HexDigit => (&[(48, 57), (65, 70), (97, 102)], 4096),
            Class::Space => (&[(9, 13), (32, 32)], 8192),
            Class::Print => (&[(32, 126)], 16384),
            Class::Graph => (&[(33, 126)], 32768),
            Class::Blank => (&[(9, 9), (32, 32)], 1),
            Class::Control => (&[(0, 31), (127, 127)], 2),
            Class::Punctuation => (&[(33, 47), (58, 64), (91, 96), (123, 126)], 4),
            Class::AlphaNumeric => (&[(48, 57), (65, 90), (97, 122)], 8),
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Lock {
    MutexInit,
    MutexTake,
    MutexTry,
    MutexTimed,
    MutexUnlock,
    AttributeKind,
    AttributeInit,
    AttributeRead,
    AttributeRobust,
    SpinInit,
    ReadTake,
    ReadTry,
    ReadTimed,
    WriteTake,
    WriteTry,
    WriteTimed,
    RwUnlock,
    RwInit,
    CondInit,
    CondWait,
    CondTimedWait,
    CondSignal,
    CondBroadcast,
    SemInit,
    SemWait,
    SemTry,
    SemTimed,
    SemPost,
    SemValue,
    BarrierInit,
    BarrierWait,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum MemoryCall {
    Set,
    /// `bzero`: all bytes become 0.
    Zero,
    Copy,
    /// The objects may overlap.
    Move,
    Compare,
}

/// Functions on strings; `Within`: with a number of characters at most.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum TextCall {
    Length,
    LengthWithin,
    Compare,
    CompareWithin,
    Copy,
    CopyWithin,
    Append,
    AppendWithin,
    Find,
}

/// How an atomic operation computes the new value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Rmw {
    Add,
    Sub,
    And,
    Or,
    Xor,
    Nand,
    Exchange,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Atomic {
    Load,
    Store,
    /// Value through a second pointer.
    LoadInto,
    StoreFrom,
    ExchangeInto,
    /// Gives the old value.
    Fetch(Rmw),
    /// Gives the new value.
    Apply(Rmw),
    /// Sets to 1 and gives the old value.
    TestAndSet,
    Clear,
    /// `(p, &expected, desired)`, gives success.
    CompareExchange {
        desired_pointer: bool,
        weak: Weak,
    },
    /// `(p, old, new)`, gives success or the old value.
    CompareAndSwap {
        gives_old: bool,
    },
}

/// May a compare-exchange fail though the values agree?
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Weak {
    Yes,
    No,
    /// As the fourth argument says.
    Argument,
}

/// How far the memory behind an argument is meant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Far {
    /// Characters up to the first 0.
    Text,
    /// As many bytes as an argument says.
    Bytes(usize),
    /// Objects of a size, so many of them: two arguments.
    Items(usize, usize),
    /// One object of the type that is pointed to.
    One,
}

/// What a function does with an argument.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Effect {
    /// Reads the memory behind it.
    Reads(usize, Far),
    /// Writes any values there; nothing where it is null.
    Writes(usize, Far),
    /// It is a format of `printf`, and what it asks for follows.
    Format(usize),
    /// Only null is modelled.
    Null(usize),
}

/// The value of a call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Gives {
    /// It has no value.
    Nothing,
    /// This number at every call.
    Fixed(i128),
    /// The argument at this position, counted from 0.
    Argument(usize),
    /// Each number from one to another, with `errno` set: every one of them is possible.
    Within(i128, i128),
    /// A number from one to another that depends on what is not modelled: no refutation may rest on it.
    About(i128, i128),
    /// Any value of the type; no refutation may rest on it.
    Any,
    /// From a number on, up to what an argument says. What is written through another argument is as long.
    Upto(usize, i128),
    /// A pointer to an object of the library with so many elements, which hold any values; or null.
    Static(usize, bool),
    /// What C code of ours computes, see [`super::bodies`].
    Body(&'static str),
}

/// Functions that do the same.
#[derive(PartialEq, Eq, Debug)]
pub struct Row {
    /// The functions that the row is about.
    pub names: &'static [&'static str],
    /// What they do with the memory behind their arguments.
    pub effects: &'static [Effect],
    /// What a call of one returns.
    pub gives: Gives,
}

/// Classes of floating-point numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FloatClass {
    /// No number.
    Nan,
    /// Infinite: 1, or -1 below 0.
    Infinite,
    /// Neither.
    Finite,
}
