//! Transactions: what one thread does from one switch to the next, as one move.
//!
//! After some edges of a program the other threads may move: they are its [`Switches`]; moves without one are *quiet*. A
//! *transaction* of a thread is quiet moves and then one that is not. Where in no state between transactions what a thread's
//! quiet moves touch is touched by another thread's transaction (written, or written by the quiet move), runs of transactions
//! find all violations there are. For take any run: its state is always that of a run of transactions, from which each thread has
//! done some quiet moves more. These touch nothing of each other's, so that their order does not matter, and each
//! thread's next move is in its transaction from that state. If it is quiet, it is one more of them; else it ends a transaction, to which
//! the other threads' quiet moves are nothing. What is touched is looked at state by state (Stoller and Cohen, "Optimistic
//! synchronization-based state-space reduction", TACAS 2003), so that no analysis has to know which lock guards what.
//!
//! Data races are watched (`relyant_frontend::races`): a thread may say which cell it is about to access, and wait, and
//! an access of another thread to that cell meanwhile is an error. What is not said changes nothing. So in all runs of
//! transactions watches stay empty, and a thread that could say something before an access is compared with what the
//! other threads' transactions from the same state look for: whoever waits after some quiet moves does nothing more,
//! and nobody else's transaction is changed but where it looks at the watch.

mod closure;
mod explorer;
mod known;
mod touched;
mod watched;

pub(super) use closure::Closure;
pub use explorer::{Emit, Explorer, Obstacle, Path, PathStep};
pub use known::Transactions;

use relyant_cfa::{LocationKind, Op, Program};
use std::collections::BTreeSet;

/// Edges after which other threads may move, by template and index.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Switches(pub Vec<BTreeSet<u32>>);

impl Switches {
    /// None that a program can do without.
    pub fn none(program: &Program) -> Switches {
        Switches(vec![BTreeSet::new(); program.templates.len()])
    }

    /// May other threads move after an edge?
    pub fn has(&self, template: u32, edge: u32) -> bool {
        self.0.get(template as usize).is_some_and(|list| list.contains(&edge))
    }

    /// Other threads may move after this edge, too. Says whether that is new.
    pub fn add(&mut self, template: u32, edge: u32) -> bool {
        self.0.get_mut(template as usize).is_some_and(|list| list.insert(edge))
    }

    /// How many edges there are.
    pub fn len(&self) -> usize {
        self.0.iter().map(BTreeSet::len).sum()
    }

    /// Is there none?
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Does an edge touch what is no cell: who exists, who has ended, whether the program goes on?
fn is_about_threads(program: &Program, template: usize, edge: usize) -> bool {
    let graph = &program.templates[template].graph;
    let e = &graph.edges[edge];
    let ends = |l: usize| graph.locations[l].kind == LocationKind::End;
    match &e.op {
        Op::Create { .. } | Op::Join { .. } | Op::ThreadExit(_) | Op::Halt => true,
        // Where it goes is on the stack.
        Op::Return(_) => {
            graph.edges.iter().any(|call| matches!(call.op, Op::Call { .. }) && ends(call.to.0 as usize))
        }
        _ => ends(e.to.0 as usize),
    }
}
