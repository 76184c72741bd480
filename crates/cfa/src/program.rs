//! A program of thread templates: what the interpreter runs and what is linearised.

use super::{Callee, FuncId, Graph, Loc, ObjId, Object, Reg, Register, Undefined};
use crate::diagnostic::Span;
use std::collections::BTreeSet;
use std::ops::Range;

/// How many threads of a template there can be.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Count {
    /// At most this many (1 for almost all).
    AtMost(u32),
    /// Any number, as of threads created in a loop whose bound is no constant.
    Unbounded,
}

/// Whose an object is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Owner {
    /// All threads may access it.
    Shared,
    /// Each thread of this template has its own, and nobody else sees it.
    Template(u32),
}

/// A function that is called, not inlined: its locations and registers are in a row in those of its template.
///
/// A call first keeps the values that `registers` and the cells of `objects` have, on the thread's stack, with the
/// edge of the call; then the parameters get their values, and the other registers and the cells 0 (the code that
/// enters the scope of an object gives its cells their values). A return takes the values back and goes to the end
/// of that edge: `dst`, if there is one, gets the value returned, converted to its kind as a cast does. Arguments
/// are as many as parameters; a procedure whose result is used returns one on all its ways. A procedure's code uses
/// no registers but its own.
///
/// Edges from a location of a procedure lead to its locations, those of calls too: such an edge's target is where
/// the caller goes on. `Return` edges lead to a location of kind `End`, where the thread never is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Procedure {
    /// Calls name it by this number. A copy for calls inside atomic sections, and one of an atomic function, has a
    /// number beyond those of the functions: all its locations are atomic.
    pub function: FuncId,
    /// Name of the function in the source, for traces.
    pub name: String,
    /// Where a call begins; in `locations`.
    pub entry: Loc,
    /// Registers that take the arguments.
    pub params: Vec<Reg>,
    /// Its registers, a range of indices into [`Template::registers`]. Those of two procedures are disjoint.
    pub registers: Range<u32>,
    /// Its locations, a range of indices into those of the template's graph. Those of two procedures are disjoint.
    pub locations: Range<u32>,
    /// Objects of each activation. They belong to the template, and only code of the running activation knows their
    /// addresses.
    pub objects: Vec<ObjId>,
}

/// A kind of thread.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Template {
    /// Name: the start routine, numbered when there are several (`worker#2`).
    pub name: String,
    /// How many threads of it there can be.
    pub count: Count,
    /// Runs from the start of the program (main, or `--threads`), else once created.
    pub initial: bool,
    /// Takes the argument given at creation.
    pub param: Option<Reg>,
    /// Registers of each thread.
    pub registers: Vec<Register>,
    /// Where each of its threads begins; not atomic.
    pub entry: Loc,
    /// The automaton. `Call` and `Return` only where there are procedures.
    pub graph: Graph,
    /// Calls that were inlined; the first one stands for the start routine, or for none.
    pub inlined: Vec<Inlined>,
    /// Functions that are not inlined; none in a program that is to be linearised.
    pub procedures: Vec<Procedure>,
}

/// A call that was inlined.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Inlined {
    /// Name of the function whose copy it is.
    pub function: String,
    /// The call around it, by index, 0 for none; and where this one stands.
    pub caller: (u32, Span),
}

/// A program of threads.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Program {
    /// File names that spans refer to.
    pub files: Vec<String>,
    /// Text of the source lines: `lines[file][line - 1]`.
    pub lines: Vec<Vec<String>>,
    /// Objects, locals of inlined calls included.
    pub objects: Vec<Object>,
    /// Whose each object is; as many as there are objects.
    pub owners: Vec<Owner>,
    /// Base address of each object, as many as there are objects: positive, objects do not overlap nor touch.
    pub bases: Vec<i128>,
    /// Addresses of functions, by `FuncId`; positive, apart from the objects'.
    pub function_bases: Vec<i128>,
    /// Names of functions, by `FuncId`, as far as runs may tell them; may be shorter.
    pub functions: Vec<String>,
    /// Thread templates; the first one runs `main`.
    pub templates: Vec<Template>,
    /// No two threads may be at statements with this label.
    pub exclusive: Option<String>,
    /// It is also an error when no thread can move and some thread is not at its end.
    pub deadlock: bool,
    /// With this many threads alive (main included), creating one more has no effect.
    pub max_threads: Option<u32>,
    /// Signed overflow wraps (else it ends the run: assumed away, or an `Error` location was put before it).
    pub signed_wraps: bool,
    /// What was assumed, a line each.
    pub assumes: Vec<String>,
    /// Undefined steps that it may come to, and that are assumed not to happen; `assumes` says so in words.
    pub undefined: BTreeSet<Undefined>,
    /// It does all that the C program does, and maybe more: a proof holds, a counterexample does not count.
    pub approximate: bool,
    /// What was over-approximated, a line each.
    pub losses: Vec<String>,
    /// Of the program with chosen threads: those.
    pub chosen: Option<Vec<ChosenThread>>,
    /// Where deadlocks are ruled out by an order in which threads wait: what is waited for, in that order, in words.
    pub order: Option<Vec<String>>,
}

/// A thread that is any one of those of another template, which stands for all others.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ChosenThread {
    /// Its template, of one thread.
    pub template: u32,
    /// The template of which it is any thread.
    pub others: u32,
    /// Is it created? An object of one cell, as the others here.
    pub made: Option<ObjId>,
    /// Has its argument from the start on, where threads get different ones; nobody writes it.
    pub argument: Option<ObjId>,
    /// Has another thread the same argument, where they get different ones?
    pub twice: Option<ObjId>,
}

impl Template {
    /// The procedure that a call names.
    pub fn procedure(&self, callee: &Callee) -> Option<&Procedure> {
        let Callee::Known(f) = callee else { return None };
        self.procedures.iter().find(|p| p.function == *f)
    }
    /// The procedure whose code has the location; `None` for the template's own.
    pub fn procedure_at(&self, l: Loc) -> Option<&Procedure> {
        self.procedures.iter().find(|p| p.locations.contains(&l.0))
    }
}

impl Program {
    /// The object and cell at an address, of those listed.
    pub fn cell_at(&self, address: i128) -> Option<(ObjId, usize)> {
        let (o, k) = self.object_at(address)?;
        (k < self.objects[o.0 as usize].cells.len()).then_some((o, k))
    }
    /// The object at an address and how many cells it lies behind its first one; those of an endless object are all meant.
    pub fn object_at(&self, address: i128) -> Option<(ObjId, usize)> {
        let i = self.bases.partition_point(|b| *b <= address).checked_sub(1)?;
        let k = u64::try_from(address - self.bases[i]).ok().filter(|k| *k < self.objects[i].size())?;
        Some((ObjId(i as u32), usize::try_from(k).ok()?))
    }
}
