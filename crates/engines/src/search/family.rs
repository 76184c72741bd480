//! Threads of a run whose moves are put in another order.
//!
//! A thread's number is its place among those created. Where creations by different threads change their order the
//! numbers change with them; who created it, and as which of its children, stays.

use super::Found;
use super::config::Config;
use super::trace::Part;
use relyant_interp::machine::{State, Stop};

/// Who created whom in the run that the search found.
pub(super) struct Family<'c, 'p> {
    config: &'c Config<'p>,
    start: usize,
    /// By thread, the threads it creates, in their order.
    children: Vec<Vec<usize>>,
}

/// A run of the same moves in some order.
#[derive(Clone)]
pub(super) struct FamilyRun<'f, 'p> {
    family: &'f Family<'f, 'p>,
    /// The state it has come to.
    pub state: State,
    /// By number in the run that the search found, the number here.
    numbers: Vec<Option<usize>>,
    /// How many each has created.
    made: Vec<usize>,
}

impl<'c, 'p> Family<'c, 'p> {
    /// Follows the run as the search found it.
    pub fn of(config: &'c Config<'p>, start: usize, parts: &[Part]) -> Result<Self, Stop> {
        let mut state = config.initial(&config.starts[start])?;
        let mut children = vec![Vec::new(); state.threads.len()];
        for part in parts {
            for (edge, choice) in &part.steps {
                config.step(&mut state, part.thread, *edge, *choice)?;
                while children.len() < state.threads.len() {
                    let child = children.len();
                    children[part.thread].push(child);
                    children.push(Vec::new());
                }
            }
        }
        Ok(Family { config, start, children })
    }

    /// Number of threads that there are in the end.
    pub fn threads(&self) -> usize {
        self.children.len()
    }

    /// The run before any move.
    pub fn begin(&self) -> Result<FamilyRun<'_, 'p>, Stop> {
        let state = self.config.initial(&self.config.starts[self.start])?;
        let mut numbers = vec![None; self.children.len()];
        (0..state.threads.len()).for_each(|t| numbers[t] = Some(t));
        Ok(FamilyRun { family: self, state, numbers, made: vec![0; self.children.len()] })
    }

    /// Does a run of these parts lead to a violation? Stops at the first part that can't be done.
    pub fn violates(&self, parts: &[&Part], found: Found) -> bool {
        let Ok(mut run) = self.begin() else { return false };
        if !parts.iter().all(|p| run.part(p)) {
            return false;
        }
        match found {
            Found::Deadlock(_) => self.config.deadlock(&run.state),
            _ => self.config.machine.violation(&run.state).is_some(),
        }
    }
}

impl FamilyRun<'_, '_> {
    /// The number that the thread of a part has here, if it has been created.
    pub fn now(&self, part: &Part) -> Option<usize> {
        self.numbers.get(part.thread).copied().flatten()
    }

    /// Does all of a part, if that is possible.
    pub fn part(&mut self, part: &Part) -> bool {
        part.steps.iter().all(|s| self.step(part, *s).is_ok())
    }

    /// Does one step of a part.
    pub fn step(&mut self, part: &Part, (edge, choice): (u32, u32)) -> Result<(), Stop> {
        let thread = self.now(part).ok_or(Stop::Blocked)?;
        let next = self.state.threads.len();
        self.family.config.step(&mut self.state, thread, edge, choice)?;
        if self.state.threads.len() > next {
            let child = self.family.children[part.thread].get(self.made[part.thread]);
            self.made[part.thread] += 1;
            if let Some(child) = child {
                self.numbers[*child] = Some(next);
            }
        }
        Ok(())
    }
}
