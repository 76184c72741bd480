//! Linear invariants that exclude configurations.

use crate::evidence::Weights;
use crate::model::{Config, System};

/// Those found so far.
pub struct Pool<'a> {
    _system: &'a System,
    all: Vec<(Weights, bool)>,
}

impl<'a> Pool<'a> {
    /// None yet.
    pub fn new(system: &'a System) -> Pool<'a> {
        Pool { _system: system, all: Vec::new() }
    }
    /// Is the configuration too heavy for one of them? That one will be part of the proof.
    pub fn excludes(&mut self, c: &Config) -> bool {
        let hit = self.all.iter_mut().find(|(w, _)| w.weigh(c) > u128::from(w.bound));
        hit.map(|x| x.1 = true).is_some()
    }
    /// Those that were needed.
    pub fn invariants(&self) -> Vec<Weights> {
        self.all.iter().filter(|x| x.1).map(|x| x.0.clone()).collect()
    }
    /// Number of those that were needed.
    pub fn used(&self) -> usize {
        self.all.iter().filter(|x| x.1).count()
    }
}
