//! What the user may choose about the meaning of a program.

use crate::preprocessing::Preprocessing;
use std::path::{Path, PathBuf};

/// How large a step is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Atomicity {
    /// Each access to a shared object is a step of its own.
    #[default]
    Access,
    /// Each C statement is one step (a loop or branch condition counts as a statement).
    Statement,
}

/// Which numbers the values of C's integer types are.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Integers {
    /// C's: widths, wrap-around of unsigned types, conversions.
    #[default]
    Machine,
    /// Mathematical integers; conversions change nothing (division still truncates).
    Ideal,
}

/// What signed overflow does.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Signed {
    /// It is assumed not to happen.
    #[default]
    Assume,
    /// It wraps in two's complement, as with `-fwrapv`.
    Wrap,
    /// It is an error.
    Check,
}

/// What must not happen.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Property {
    /// Failing assertions, reaching errors, and whatever is checked besides.
    #[default]
    Assertions,
    /// Two accesses to one cell, one of them a write and one not atomic, that nothing orders (C11 5.1.2.4). Nothing
    /// else: a failing assertion ends the run.
    NoDataRace,
    /// Signed overflow and the like, and nothing else.
    NoOverflow,
    /// Accesses to memory that is none, and nothing else.
    ValidMemory,
    /// Deadlocks, and nothing else.
    NoDeadlock,
}

/// Widths of `long` and pointers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum DataModel {
    /// `long` and pointers have 64 bits.
    #[default]
    Lp64,
    /// `long` and pointers have 32 bits.
    Ilp32,
}

/// How stores come to other threads.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum MemoryModel {
    /// At once: sequential consistency (Lamport, 1979).
    #[default]
    Sc,
    /// Through a buffer of the thread, first in, first out: total store order, as on x86 (Sewell et al., "x86-TSO: a
    /// rigorous and usable programmer's model for x86 multiprocessors", CACM 2010).
    Tso,
}

/// Objects made at one place that are kept apart while they are alive.
pub const MAX_OBJECTS: u32 = 16;

/// Choices about the input's meaning.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Options {
    /// How large a step is.
    pub atomicity: Atomicity,
    /// How stores come to other threads; `--memory-model`.
    pub memory_model: MemoryModel,
    /// With buffers: proofs show that no thread can tell that there are some, and that the program is safe without.
    pub robust: bool,
    /// Which numbers the values of C's integer types are; `--integers`.
    pub integers: Integers,
    /// What signed overflow does.
    pub signed: Signed,
    /// What must not happen.
    pub property: Property,
    /// Calls of this function are errors, and nothing else is; of [`Property::Assertions`].
    pub error_function: Option<String>,
    /// An access outside of an object, or to one that is gone, is an error too.
    pub check_memory: bool,
    /// Memory that is lost is an error too; with checks of memory.
    pub leaks: bool,
    /// Of the pairs of accesses that may race, this one alone is looked at.
    pub race_pair: Option<usize>,
    /// Widths of `long` and of pointers.
    pub data_model: DataModel,
    /// Functions that all start at once, instead of `main`.
    pub threads: Vec<String>,
    /// No two threads may be at statements with this label.
    pub exclusive: Option<String>,
    /// Two reads in one expression, which C leaves unsequenced, come in any order; else from left to right.
    pub reads_in_any_order: bool,
    /// Labels that no thread may reach, `ERROR` besides.
    pub error_labels: Vec<String>,
    /// A deadlock is an error too.
    pub deadlock: bool,
    /// With this many threads alive, creating one more has no effect.
    pub max_threads: Option<u32>,
    /// Objects made at one place that are kept apart while they are alive; [`MAX_OBJECTS`] if not given.
    pub max_objects: Option<u32>,
    /// Further source files of the program.
    pub more_files: Vec<PathBuf>,
    /// Macros and folders of headers.
    pub preprocessing: Preprocessing,
    /// Those of the further source files that are told something else.
    pub apart: Vec<(PathBuf, Preprocessing)>,
}

impl Options {
    /// Are failing assertions, `reach_error` and error labels errors?
    pub fn asserts(&self) -> bool {
        self.property == Property::Assertions && self.error_function.is_none()
    }
    /// What the preprocessor is told of a file.
    pub fn preprocessing_of(&self, file: &Path) -> &Preprocessing {
        self.apart.iter().find(|a| a.0 == file).map_or(&self.preprocessing, |a| &a.1)
    }
    /// What must not happen, in words.
    pub fn describe(&self) -> String {
        let mut parts = vec![match (self.property, &self.error_function) {
            (Property::Assertions, Some(f)) => format!("no call of `{f}`"),
            (Property::Assertions, None) => "no failing assertion".into(),
            (Property::NoDataRace, _) => "no data race".into(),
            (Property::NoOverflow, _) => "no overflow".into(),
            (Property::ValidMemory, _) => "valid memory".into(),
            (Property::NoDeadlock, _) => "no deadlock".into(),
        }];
        if self.asserts() {
            parts.extend(self.error_labels.iter().map(|l| format!("label `{l}` not reached")));
        }
        parts.extend(self.exclusive.iter().map(|l| format!("no two threads at label `{l}`")));
        if self.deadlock && self.property != Property::NoDeadlock {
            parts.push("no deadlock".into());
        }
        if self.checks_overflow() && self.property != Property::NoOverflow {
            parts.push("no overflow".into());
        }
        if self.checks_memory() && self.property != Property::ValidMemory {
            parts.push("valid memory".into());
        }
        if self.leaks {
            parts.push("no memory leak".into());
        }
        parts.join(", ")
    }
    /// Choices about what the program means, in words; what is usual is left out, and so are macros.
    pub fn choices(&self) -> Vec<String> {
        let mut out = Vec::new();
        if self.atomicity == Atomicity::Statement {
            out.push("each statement is one step".into());
        }
        if self.is_tso() {
            out.push("stores go through buffers (x86-TSO)".into());
        }
        if self.integers == Integers::Ideal {
            out.push("integers are mathematical ones".into());
        }
        if self.signed == Signed::Wrap {
            out.push("signed overflow wraps".into());
        }
        if self.data_model == DataModel::Ilp32 {
            out.push("long and pointers have 32 bits".into());
        }
        if !self.threads.is_empty() {
            out.push(format!("the program starts with {}", self.threads.join(", ")));
        }
        if self.reads_in_any_order {
            out.push("unsequenced reads come in any order".into());
        }
        out.extend(self.max_threads.map(|n| format!("at most {n} threads")));
        out.extend(self.max_objects.map(|n| format!("at most {n} objects of one place")));
        out
    }
    /// Do stores go through buffers?
    pub fn is_tso(&self) -> bool {
        self.memory_model == MemoryModel::Tso
    }
    /// Is undefined arithmetic an error?
    pub fn checks_overflow(&self) -> bool {
        self.property == Property::NoOverflow || self.signed == Signed::Check
    }
    /// Are accesses to memory that is none errors?
    pub fn checks_memory(&self) -> bool {
        self.property == Property::ValidMemory || self.check_memory
    }
}
