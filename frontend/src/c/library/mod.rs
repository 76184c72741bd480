//! The table of modelled functions, by name. A function with a body in the file is lowered from its body, except where
//! the table says that its name decides. One that is neither here nor defined is refused where it gets a pointer or
//! its result is one; else it changes nothing, its result is any value, and the report says so.
//!
//! `rows` has what functions of the C library do as data, `bodies` those that are C code of ours, `libc` the others, `threads` POSIX and C11 threads, `atomics` atomic operations and builtins, `kinds` what
//! their models tell apart.

mod atomics;
pub mod bodies;
mod kinds;
mod libc;
pub mod rows;
#[cfg(test)]
mod tests;
mod threads;

pub use kinds::*;

use super::alloc::Allocate;
pub use bodies::FILE;
use relyant_cfa::{BinOp, Precision, Rounding};

/// What a known function does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Model {
    /// Reaching the call violates the property.
    Error(Failure),
    /// The first argument must hold.
    Assert,
    /// Goes on only where the first argument holds.
    Assume,
    /// Any value of the result's type.
    Nondet,
    /// Begins an atomic section.
    Begin,
    /// Ends an atomic section.
    End,
    /// Ends the program at once: nothing registered runs.
    Halt,
    /// Ends the program once what is registered to run at exit has run.
    Exit,
    /// The thread waits for ever.
    Stuck,
    /// What the table says.
    Row(&'static Row),
    /// Any value of the result's type; `true`: no refutation may rest on it.
    Input(bool),
    /// Sets `errno` to its argument.
    SetErrno,
    /// A hint to a verifier: nothing, not even its arguments are evaluated.
    Hint,
    /// Arguments are evaluated, nothing else; the result is 0.
    Nothing,
    /// The same, and a fence between threads.
    Fence,
    /// The first argument, as a `long`.
    First,
    /// Arguments at these positions, where not null, point to what gets any value; the result is 0.
    Fills(&'static [usize]),
    /// The address of the thread's `errno`.
    Errno,
    /// 1 if the argument is constant.
    IsConstant,
    /// Are atomic operations on so many bytes done without locks?
    LockFree,
    /// Are two types the same?
    Compatible,
    /// The second or the third argument, by the first, which is constant.
    Choose,
    /// A size that the compiler may know.
    ObjectSize,
    /// Counts or moves bits; the width, or 0 for that of `long`.
    Bits(Bits, u8),
    /// Arithmetic that tells whether its result fits.
    Overflow {
        /// What is computed of the first two arguments, exactly.
        op: BinOp,
        /// Arguments of any types.
        generic: bool,
        /// What fits is stored through the third argument.
        stores: bool,
    },
    /// Is a character of a class?
    Classify(Class),
    /// To upper or to lower case.
    ChangeCase {
        /// To upper case; else to lower.
        upper: bool,
    },
    /// Keys of thread-specific data, and their values.
    Key(KeyCall),
    /// The absolute value of an integer.
    Abs,
    /// Creates, joins or ends threads.
    Thread(ThreadCall),
    /// Cancellation and cleanup handlers.
    Cancel(Cancel),
    /// Registers a function that runs at exit.
    AtExit,
    /// A record of quotient and remainder.
    Divide,
    /// Sets handlers of signals, or sends one.
    Signal(Signal),
    /// Locks and the like of POSIX.
    Lock(Lock),
    /// The same with the results of C11's `<threads.h>`.
    Lock11(Lock),
    /// An access that is one step, or a fence.
    Atomic(Atomic),
    /// Makes an object at run time and gives its address.
    Allocate(Allocate),
    /// Gives memory back that was made at run time.
    Free,
    /// Clearing and copying objects.
    Memory(MemoryCall),
    /// Writes values through its arguments, as a format says.
    Scan(Scanned),
    /// Writes a text to its first argument, as a format says.
    Print {
        /// The second is its length.
        limited: bool,
    },
    /// A list of arguments becomes that of this function, or another one.
    List {
        /// Another one, the second argument.
        copy: bool,
    },
    /// The absolute value of a floating-point number.
    Magnitude,
    /// Whether a floating-point number is of a class.
    FloatClass(FloatClass),
    /// A floating-point number rounded.
    Rounded(Rounding, Precision),
    /// `qsort`, or with a key `bsearch`.
    Sort {
        /// The first argument is a key.
        search: bool,
    },
    /// Reads or writes strings that end with 0.
    Text(TextCall),
    /// Refused: what it is, and what to do.
    Refuse(&'static str, &'static str),
}

/// Its name decides what it does, even where the file gives it a body.
pub fn name_decides(name: &str) -> bool {
    matches!(name, "reach_error" | "__VERIFIER_error" | "__assert_fail")
}

/// Is one of its arguments a list of arguments?
pub fn takes_list(name: &str) -> bool {
    matches!(name, "vprintf" | "vfprintf" | "vdprintf" | "vsprintf" | "vsnprintf")
}

/// The model of a function, by name.
pub fn model(name: &str) -> Option<Model> {
    if matches!(name, "__atomic_always_lock_free" | "__atomic_is_lock_free") {
        return Some(Model::LockFree);
    }
    if let Some(a) = atomics::atomic(name) {
        return Some(Model::Atomic(a));
    }
    if name == "__VERIFIER_nondet_memory" {
        return Some(Model::Refuse(
            "filling memory with any values is",
            "give each object a value of its own",
        ));
    }
    if name.starts_with("__VERIFIER_nondet_") || name.starts_with("nondet_") {
        return Some(Model::Nondet);
    }
    if let Some(m) = name.strip_prefix("__builtin_").and_then(atomics::builtin) {
        return Some(m);
    }
    if let Some(m) = name.strip_prefix("pthread_").and_then(threads::pthread) {
        return Some(m);
    }
    if let Some(m) = threads::cleanup(name)
        .or_else(|| threads::c11(name))
        .or_else(|| libc::class(name))
        .or_else(|| libc::rounding(name))
    {
        return Some(m);
    }
    if super::errno::NAMES.contains(&name) {
        return Some(Model::Errno);
    }
    if let Some(rest) = name.strip_prefix("__relyant_any_") {
        return Some(Model::Input(false)).filter(|_| !rest.is_empty());
    }
    if let Some(rest) = name.strip_prefix("__relyant_some_") {
        return Some(Model::Input(true)).filter(|_| !rest.is_empty());
    }
    rows::find(name).map(Model::Row).or_else(|| libc::by_name(name))
}

/// The C type that the end of `__VERIFIER_nondet_…` names, for functions that are not declared.
pub fn nondet_type(name: &str) -> &'static str {
    let ours = name.strip_prefix("__relyant_any_").or_else(|| name.strip_prefix("__relyant_some_"));
    let suffix = ours.unwrap_or_else(|| name.rsplit("nondet_").next().unwrap_or(""));
    match suffix {
        "bool" | "_Bool" => "bool",
        "char" | "schar" | "s8" => "char",
        "uchar" | "u8" | "unsigned_char" => "uchar",
        "short" | "s16" => "short",
        "ushort" | "u16" | "unsigned_short" => "ushort",
        "uint" | "unsigned" | "unsigned_int" | "u32" => "uint",
        "long" | "ssize_t" | "off_t" => "long",
        "ulong" | "size_t" | "unsigned_long" => "ulong",
        "longlong" | "s64" | "long_long" => "longlong",
        "ulonglong" | "u64" => "ulonglong",
        "pointer" => "pointer",
        "float" => "float",
        "double" => "double",
        _ => "int",
    }
}
