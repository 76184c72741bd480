//! A state of a running program.

use relyant_cfa::Loc;
use relyant_cfa::schedule::ThreadRef;

/// A thread: where it is; its registers and own cells are in [`State::data`], its calls in [`State::stacks`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Thread {
    /// Its template and its number among the template's threads; its handle is given by its place in
    /// [`State::threads`].
    pub name: ThreadRef,
    /// Where it is, in the graph of its template.
    pub loc: Loc,
    /// Its first step is done. Always true where that makes no difference: where the entry is not atomic.
    pub begun: bool,
    /// What it returned, once it has ended.
    pub ended: Option<i128>,
    /// Start of its registers in `data`; its own cells follow.
    pub at: usize,
}

/// A state of the whole program. The handle of thread `i` is `i + 1`.
#[derive(PartialEq, Eq, Debug, Default)]
pub struct State {
    /// Shared cells, object after object.
    pub cells: Vec<i128>,
    /// Threads, in order of creation.
    pub threads: Vec<Thread>,
    /// Registers and own cells of the threads.
    pub data: Vec<i128>,
    /// Calls of each thread that have not returned, the oldest first; empty where the program has no procedures.
    /// A call is what it kept (registers and objects of the procedure as they were), then its edge.
    pub stacks: Vec<Vec<i128>>,
    /// The program has ended.
    pub halted: bool,
}

impl State {
    /// As numbers, to tell states apart.
    pub fn key(&self) -> Vec<i128> {
        let mut key = vec![i128::from(self.halted), self.threads.len() as i128];
        for t in &self.threads {
            key.extend([i128::from(t.name.template), i128::from(t.name.instance), i128::from(t.loc.0)]);
            key.extend([i128::from(t.begun), i128::from(t.ended.is_some()), t.ended.unwrap_or(0)]);
        }
        key.extend(&self.cells);
        key.extend(&self.data);
        for stack in &self.stacks {
            key.push(stack.len() as i128);
            key.extend(stack);
        }
        key
    }
}

impl Clone for State {
    fn clone(&self) -> Self {
        let mut copy = State::default();
        copy.clone_from(self);
        copy
    }
    /// Copies into the buffers that are there: states are copied in the search's inner loop.
    fn clone_from(&mut self, other: &Self) {
        self.cells.clone_from(&other.cells);
        self.threads.clone_from(&other.threads);
        self.data.clone_from(&other.data);
        self.stacks.clone_from(&other.stacks);
        self.halted = other.halted;
    }
}
