//! A schedule: everything that is needed to run a program one way.

use crate::ObjId;

/// Which thread: a template and the how-manyth thread of it, from 0 in order of creation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ThreadRef {
    /// Index into [`crate::Program::templates`], which says what the thread runs.
    pub template: u32,
    /// How-manyth thread of the template, from 0.
    pub instance: u32,
}

/// One move of one thread: steps of its automaton, done in a row.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Move {
    /// The thread that moves; it exists by then.
    pub thread: ThreadRef,
    /// Edges of the template's graph, in order.
    pub path: Vec<u32>,
    /// Values of `Havoc` ops: index into `path`, value. A havoc without an entry takes the smallest non-negative
    /// value of its kind.
    pub inputs: Vec<(u32, i128)>,
}

/// Start values of cells: object, index of the cell in it, value.
pub type Start = Vec<(ObjId, u32, i128)>;

/// Start values and moves.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Schedule {
    /// Start values of cells whose `init` is `None`.
    pub start: Start,
    /// In the order in which they are done.
    pub moves: Vec<Move>,
}
