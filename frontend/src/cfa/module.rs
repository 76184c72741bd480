//! What lowering a source file gives: objects and functions.

use super::{FuncId, Graph, IntKind, Loc, ObjId, Object, Reg, Register};
use crate::diagnostic::Span;

/// A function with a body.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Function {
    /// Name.
    pub name: String,
    /// Parameters; the caller's arguments are assigned to them.
    pub params: Vec<Reg>,
    /// Kind of the result, `None` for `void`.
    pub result: Option<IntKind>,
    /// Registers.
    pub registers: Vec<Register>,
    /// Objects of each activation: locals whose address is taken, local arrays. Code that enters the scope of one
    /// initialises it by stores.
    pub locals: Vec<ObjId>,
    /// First location.
    pub entry: Loc,
    /// The automaton.
    pub graph: Graph,
    /// Declared `__VERIFIER_atomic_…` or the like: runs without interruption.
    pub atomic: bool,
    /// Where it is.
    pub span: Span,
}

/// A lowered source file.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Module {
    /// File names that spans refer to.
    pub files: Vec<String>,
    /// Text of the source lines of each file, where known: `lines[file][line - 1]`.
    pub lines: Vec<Vec<String>>,
    /// Objects: globals, statics, and templates of functions' locals.
    pub objects: Vec<Object>,
    /// Functions with a body.
    pub functions: Vec<Function>,
    /// Where execution starts: `main`, or the functions named by `--threads` (all at once).
    pub starts: Vec<FuncId>,
    /// What was assumed about the source, a line each, in order.
    pub assumes: Vec<String>,
}
