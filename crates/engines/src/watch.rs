//! How others watch an engine: what it has done, and whether it is to stop.

/// Where the engine stands, after each fixpoint.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Stats {
    /// Fixpoints computed.
    pub iterations: u32,
    /// Of the refinements: modular, by control, by data.
    pub refinements: (u32, u32, u32),
    /// State and transition predicates.
    pub predicates: (usize, usize),
    /// Abstract states of the last fixpoint.
    pub states: usize,
    /// Environment transitions of the last fixpoint.
    pub environment: usize,
    /// Transitions of the last system of replicated threads, which has no environment transitions.
    pub transitions: usize,
    /// The proof, if there is one, is modular.
    pub modular: bool,
}

/// How others watch and stop a run.
pub struct Watch<'a> {
    /// Has somebody asked to stop?
    pub cancel: &'a (dyn Fn() -> bool + Sync),
    /// Told of work done, in units of about a microsecond; the same in every run.
    pub work: &'a (dyn Fn(u64) + Sync),
    /// Called after each fixpoint.
    pub progress: &'a (dyn Fn(&Stats) + Sync),
}

impl Watch<'_> {
    /// Has somebody asked to stop?
    pub fn cancelled(&self) -> bool {
        (self.cancel)()
    }
}
