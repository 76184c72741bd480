//! Control-flow automata with C's typed expressions: what a C program does, exactly, step by step.
//!
//! Two stages share these types. A [`Module`] has functions, as lowered from C. A [`Program`] has thread
//! templates: calls inlined, each template one automaton. In both, an edge is at most one access to memory
//! (`Load`, `Store`); everything else works on registers, which only the running thread can see. A path through
//! locations marked `atomic` is taken without interruption.
//!
//! ```
//! use relyant_cfa::diagnostic::Span;
//! use relyant_cfa::{Expr, Graph, IntKind, Op, Reg};
//!
//! // int r = 3; return r;
//! let mut graph = Graph::default();
//! let [entry, set, end] = [(); 3].map(|()| graph.add_location(Span::default()));
//! graph.add_edge(entry, set, Op::Assign(Reg(0), Expr::Const(3)), Span::default());
//! graph.add_edge(set, end, Op::Return(Some(Expr::Reg(Reg(0)))), Span::default());
//! assert_eq!(graph.out_edges(), [vec![0], vec![1], vec![]]);
//! assert_eq!(IntKind::INT.max(), Some(i128::from(i32::MAX)));
//! ```
#![deny(missing_docs)]

mod checks;
pub mod comments;
pub mod diagnostic;
mod display;
mod expr;
pub mod files;
mod float;
mod look;
pub mod memory;
mod module;
mod op;
pub mod options;
pub mod points_to;
pub mod preprocessing;
mod program;
mod prune;
mod residue;
pub mod schedule;
mod source;
pub mod sparse;
pub mod stack;
pub mod strong;
mod types;
mod undefined;
pub mod validate;
mod violated;
pub mod walk;

pub use checks::{Check, Checks, Fails, Place};
pub use expr::{BinOp, CmpOp, Expr, UnOp};
pub use float::{FloatOp, FloatUnary, Precision, Rounding};
pub use look::{Block, Look, Shown};
pub use module::{Function, HeapSite, Measure, Module};
pub use op::{Bounded, Callee, Edge, Graph, Limit, Loc, Location, LocationKind, Op, Order, Told};
pub use program::{ChosenThread, Count, Inlined, Owner, Procedure, Program, Template};
pub use residue::Residue;
pub use source::InputSource;
pub use types::{ENDLESS, Extent, FuncId, IntKind, ObjId, Object, ObjectKind, Reg, Register};
pub use undefined::Undefined;

pub use violated::{Race, Use, Violated};
