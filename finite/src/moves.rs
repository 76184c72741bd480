//! Threads by number: what one of them can do, and runs of several.

use std::rc::Rc;

/// A step of one thread.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Move {
    /// The shared state afterwards.
    pub shared: u32,
    /// Where the thread is; `None` if it has ended.
    pub local: Option<u32>,
    /// Where a new thread is.
    pub spawned: Option<u32>,
    /// Did an assertion fail in it?
    pub failed: bool,
}

/// Threads of one program, known by the numbers of shared and of local states.
pub trait Template {
    /// Why steps are not known.
    type Error;
    /// Initial states: shared, and that of the one thread.
    fn initial(&mut self) -> Result<Vec<(u32, u32)>, Self::Error>;
    /// The steps of a thread.
    fn moves(&mut self, shared: u32, local: u32) -> Result<Rc<[Move]>, Self::Error>;
    /// What of `shared` is new with these threads (local states and counts, or a list of threads); `None` if nothing is.
    fn fresh(&mut self, shared: u32, threads: &[u32]) -> Option<u32> {
        let _ = threads;
        Some(shared)
    }
    /// The one thread whose steps are enough (partial-order reduction, section 7.3), by its place in the list of local
    /// states and how many threads are in them. It has steps.
    fn alone(&mut self, shared: u32, locals: &[(u32, u32)]) -> Result<Option<usize>, Self::Error>;
}

/// A step of a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RunStep {
    /// Where the thread that moves is.
    pub local: u32,
    /// What that thread does.
    pub step: Move,
}

/// A run from an initial state to a failure.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Interleaving {
    /// The shared state at first, and where the first thread is.
    pub start: (u32, u32),
    /// Steps; the last fails.
    pub steps: Vec<RunStep>,
}
