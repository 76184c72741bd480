//! Evidence of coverability and of its absence, and checkers of their own.

mod check;
mod replay;

pub use check::{Checked, Rejection, check};
pub use replay::{Replayed, Unreplayable, replay};

use crate::model::{Config, Local, Shared, Split};

/// An uncoverability proof (Kaiser, Kroening and Wahl, TOPLAS 2014, definition 2): an upward-closed set that contains
/// the target, is closed under predecessors and has no initial configuration. It is the union of the configurations
/// above `minimal`, and of those that one of `weights` finds too heavy.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Certificate {
    /// Its minimal elements, but for those that `weights` find too heavy.
    pub minimal: Vec<Config>,
    /// Invariants: no step from outside of the set makes a configuration heavier.
    pub weights: Vec<Weights>,
}

/// A linear invariant: of no reachable configuration is the sum above `bound`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Weights {
    /// Of shared states, sorted; 0 where not listed.
    pub shared: Vec<(Shared, u64)>,
    /// Of a thread in a local state, sorted; 0 where not listed.
    pub local: Vec<(Local, u64)>,
    /// What an initial configuration weighs at most.
    pub bound: u64,
}

impl Weights {
    fn of(list: &[(u32, u64)], x: u32) -> u64 {
        list.binary_search_by_key(&x, |e| e.0).ok().and_then(|i| list.get(i)).map_or(0, |e| e.1)
    }
    /// The weight of a shared state.
    pub fn shared(&self, s: Shared) -> u64 {
        Weights::of(&self.shared, s)
    }
    /// The weight of a thread in a local state.
    pub fn local(&self, l: Local) -> u64 {
        Weights::of(&self.local, l)
    }
    /// Of a configuration. 64-bit weights times 32-bit numbers of fewer than 2^32 local states fit.
    pub fn weigh(&self, c: &Config) -> u128 {
        let locals: u128 = c.locals.iter().map(|(l, n)| u128::from(self.local(l)) * u128::from(n)).sum();
        u128::from(self.shared(c.shared)) + locals
    }
}

/// A run from an initial configuration.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct CoveringRun {
    /// The configuration it starts from.
    pub start: Config,
    /// Its steps from there, in order.
    pub steps: Vec<Step>,
}

/// A step of a run.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Step {
    /// Index of the transition.
    pub transition: usize,
    /// Where transferred threads go, if not to the first that they may go to.
    pub splits: Vec<Split>,
}
