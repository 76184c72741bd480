//! Replay of runs.

use super::CoveringRun;
use crate::model::{Config, Misfit, System, Target};

/// What a replay has seen.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Replayed {
    /// All configurations, from the first to the last.
    pub configs: Vec<Config>,
    /// Index of the alternative of the target that the last one covers.
    pub target: usize,
}

/// Why a run is none.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Unreplayable {
    /// The first configuration is not initial.
    #[error("the run does not start from an initial configuration")]
    Start,
    /// There is no such transition.
    #[error("step {0} names a transition that does not exist")]
    Unknown(usize),
    /// A step does not fit.
    #[error("step {0}: {1}")]
    Step(usize, Misfit),
    /// The last configuration does not cover the target.
    #[error("the last configuration does not cover the target")]
    End,
}

/// Runs a run, step by step.
pub fn replay(system: &System, target: &Target, run: &CoveringRun) -> Result<Replayed, Unreplayable> {
    if !system.initial.iter().any(|i| i.contains(&run.start)) {
        return Err(Unreplayable::Start);
    }
    let mut configs = vec![run.start.clone()];
    let mut now = run.start.clone();
    for (i, step) in run.steps.iter().enumerate() {
        let t = system.transitions.get(step.transition).ok_or(Unreplayable::Unknown(i))?;
        now = t.fire(&now, &step.splits).map_err(|why| Unreplayable::Step(i, why))?;
        configs.push(now.clone());
    }
    let target = target.iter().position(|t| t.is_below(&now)).ok_or(Unreplayable::End)?;
    Ok(Replayed { configs, target })
}
