//! Runs, from what has to be covered before each step.

use relyant_finite::evidence::{CoveringRun, Step};
use relyant_finite::model::{Config, Split, System};

/// A step, with the transfers that it needs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Demand {
    /// Index of the transition.
    pub transition: u32,
    /// Where transferred threads have to go, if not to the first that they may go to.
    pub splits: Vec<Split>,
}

/// The run whose first configuration covers `start`; `backwards` has its steps, the last one first.
pub fn assemble(system: &System, start: &Config, backwards: &[Demand]) -> Option<CoveringRun> {
    let initial = system.initial.iter().find(|i| i.covers(start))?;
    let mut first = initial.exactly.clone();
    for (l, n) in start.locals.iter() {
        first.locals.set(l, first.locals.get(l).max(n));
    }
    let step = |d: &Demand| Step { transition: d.transition as usize, splits: d.splits.clone() };
    Some(CoveringRun { start: first, steps: backwards.iter().rev().map(step).collect() })
}
