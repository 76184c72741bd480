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

/// What a thread's steps may change, as it was before them.
#[derive(Clone, Debug, Default)]
pub struct Before {
    thread: Option<Thread>,
    cells: Vec<i128>,
    data: Vec<i128>,
    stack: Vec<i128>,
    /// How many threads, and how much data there was.
    sizes: (usize, usize),
}

impl State {
    /// Keeps what steps of a thread, with so many registers and own cells, may change, unless they end the program.
    pub fn keep(&self, thread: usize, size: usize, before: &mut Before) {
        let t = self.threads[thread];
        before.thread = Some(t);
        before.cells.clone_from(&self.cells);
        before.data.clear();
        before.data.extend_from_slice(&self.data[t.at..t.at + size]);
        before.stack.clear();
        before.stack.extend_from_slice(self.stacks.get(thread).map_or(&[], |s| s));
        before.sizes = (self.threads.len(), self.data.len());
    }

    /// Becomes what a thread's step made of it.
    pub(crate) fn follow(&mut self, after: &State, thread: usize, size: usize) {
        self.cells.clone_from(&after.cells);
        self.threads.extend_from_slice(&after.threads[self.threads.len()..]);
        self.data.extend_from_slice(&after.data[self.data.len()..]);
        let t = after.threads[thread];
        self.threads[thread] = t;
        self.data[t.at..t.at + size].copy_from_slice(&after.data[t.at..t.at + size]);
        self.stacks.resize_with(after.stacks.len(), Vec::new);
        if let (Some(own), Some(stack)) = (self.stacks.get_mut(thread), after.stacks.get(thread)) {
            own.clone_from(stack);
        }
        self.halted = after.halted;
    }

    /// Undoes the steps of a thread since that.
    pub fn undo(&mut self, thread: usize, before: &Before) {
        let Some(t) = before.thread else { return };
        self.threads.truncate(before.sizes.0);
        self.threads[thread] = t;
        self.data.truncate(before.sizes.1);
        self.data[t.at..t.at + before.data.len()].copy_from_slice(&before.data);
        self.cells.clone_from(&before.cells);
        if !self.stacks.is_empty() {
            self.stacks.truncate(before.sizes.0);
            self.stacks[thread].clone_from(&before.stack);
        }
        self.halted = false;
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
