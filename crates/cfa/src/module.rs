//! What lowering a source file gives: objects and functions.

use super::{Checks, FuncId, Graph, IntKind, Loc, ObjId, Object, Reg, Register};
use crate::diagnostic::Span;
use std::collections::{BTreeMap, BTreeSet};

/// A function with a body.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Function {
    /// Name in the source, without parameters.
    pub name: String,
    /// Parameters; the caller's arguments are assigned to them.
    pub params: Vec<Reg>,
    /// Kind of the result, `None` for `void`.
    pub result: Option<IntKind>,
    /// Indexed by [`Reg`]: parameters, scalar locals, temporaries.
    pub registers: Vec<Register>,
    /// Objects of each activation: locals whose address is taken, local arrays. Code that enters the scope of one
    /// initialises it by stores.
    pub locals: Vec<ObjId>,
    /// Where a call begins once the parameters have their values.
    pub entry: Loc,
    /// What it does. `Return` edges end it, calls name functions of the module, nothing is inlined yet.
    pub graph: Graph,
    /// Declared `__VERIFIER_atomic_…` or the like: runs without interruption.
    pub atomic: bool,
    /// Where it is defined.
    pub span: Span,
}

/// A place that makes memory: a function that returns the address of an object of its own. It is called from one place
/// in the source. Its first parameter is the size in bytes; a second one is a block that keeps its contents.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct HeapSite {
    /// The function that is called to make a block, by index into [`Module::functions`].
    pub function: FuncId,
    /// Its local: what one call makes.
    pub object: ObjId,
    /// It is filled with 0.
    pub zero: bool,
    /// Nobody gives it back.
    pub automatic: bool,
    /// It ends with the function that asks for it (`alloca`); then it is automatic, too.
    pub ends: bool,
    /// Cells that may be read before they are written.
    pub open: Vec<bool>,
    /// Some request may be for more bytes than this, which the object has.
    pub most: Option<u64>,
    /// What the memory is used for is not modelled: whoever asks for it is at this limit.
    pub limit: Option<String>,
    /// Memory is checked, and the object has more cells than some requests are for: how many those are.
    pub measure: Option<Measure>,
    /// Memory is checked: a block in the second parameter is given back by this function, and its contents go to the new one.
    pub moves: Option<FuncId>,
}

/// How many cells a request for so many bytes has.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Measure {
    /// Requests are for one of these numbers of bytes, each with its cells.
    Listed(Vec<(i128, u64)>),
    /// Cells of a head, and of each element behind it: bytes and cells.
    Counted {
        /// Of the head; `(0, 0)` if there is none.
        head: (u64, u64),
        /// Of one element.
        element: (u64, u64),
    },
}

/// A lowered source file.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Module {
    /// File names that spans refer to.
    pub files: Vec<String>,
    /// Text of the source lines of each file, where known: `lines[file][line - 1]`.
    pub lines: Vec<Vec<String>>,
    /// Objects: globals, statics, and templates of functions' locals; an [`ObjId`] is an index here.
    pub objects: Vec<Object>,
    /// Functions with a body; a [`FuncId`] is an index here.
    pub functions: Vec<Function>,
    /// Where execution starts: `main`, or the functions named by `--threads` (all at once).
    pub starts: Vec<FuncId>,
    /// The start is no function of the source but calls those that are: where it ends, they have returned.
    pub start_made: bool,
    /// Places that make memory.
    pub heap: Vec<HeapSite>,
    /// The function that gives memory back, if there is one: it takes the address.
    pub free: Option<FuncId>,
    /// Objects that are given back, and the cell of each that is not 0 then.
    pub lifetimes: BTreeMap<ObjId, (ObjId, usize)>,
    /// Objects of which a run may have fewer cells than they are given, and the cell that says how many.
    pub extents: BTreeMap<ObjId, (ObjId, usize)>,
    /// Locals of blocks, where that matters: the functions that are called where the lifetime of one begins and ends.
    pub blocks: BTreeMap<ObjId, (FuncId, FuncId)>,
    /// Arrays of one variable length, locals that have the first cells; more are a limit.
    pub variable: BTreeSet<ObjId>,
    /// Holds how many cells objects of unknown size may have beyond those that are known, where that matters: 0.
    pub beyond: Option<ObjId>,
    /// Pairs of accesses that may race, as far as that can be seen without looking at runs.
    pub race_pairs: usize,
    /// What was assumed about the source, a line each, in order.
    pub assumes: Vec<String>,
    /// What the property is about.
    pub checks: Checks,
}
