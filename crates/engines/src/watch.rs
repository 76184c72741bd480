//! How others watch an engine: what it has done, and whether it is to stop.

use relyant_program::Loc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

/// Where refinement stands, after each fixpoint.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Stats {
    /// Fixpoints computed so far, the last one included.
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
    /// Of locations in loops, the one that had the most abstract states after any fixpoint.
    pub crowded: Option<Crowded>,
    /// Of the last error that is no run, as far as is known: the last step of another thread on the way to it.
    pub unstable: Option<Unstable>,
    /// It is the program with chosen threads whose locations these are.
    pub chosen: bool,
}

/// A location whose assertion a step of another thread does not keep.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Unstable {
    /// Template of the thread program.
    pub template: u32,
    /// Location of it.
    pub location: Loc,
    /// Template of the thread that moves.
    pub by: u32,
    /// Edge of it, by index.
    pub edge: usize,
}

/// A location at which abstract states pile up.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Crowded {
    /// Template of the thread program.
    pub template: u32,
    /// Location of it.
    pub location: Loc,
    /// Abstract states there.
    pub states: usize,
}

/// How far a search of states has come.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Explored {
    /// States stored so far, without duplicates.
    pub states: usize,
    /// Steps tried; those in large states count for several.
    pub steps: u64,
    /// All states at up to this many visible steps from the start were explored.
    pub depth: u32,
    /// Bytes that the states take; 0 for symbolic states.
    pub bytes: usize,
    /// Random runs made, none of which keeps states.
    pub runs: u64,
}

/// Where an engine stands, in its own terms.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Standing {
    /// Predicates, and a fixpoint of abstract states.
    Refined(Stats),
    /// States of the search program.
    Searched(Explored),
    /// Symbolic states of the thread program.
    Symbolic(Explored),
}

/// How others watch and stop a run.
#[derive(Clone, Copy)]
pub struct Watch<'a> {
    /// Has somebody asked to stop?
    pub cancel: &'a (dyn Fn() -> bool + Sync),
    /// Told of work done, in units of about a microsecond; the same in every run.
    pub work: &'a (dyn Fn(u64) + Sync),
    /// Told where it stands: after each fixpoint or layer, or now and then.
    pub progress: &'a (dyn Fn(&Standing) + Sync),
}

/// How soon a flag follows.
const TICK: Duration = Duration::from_millis(10);

/// Sets a flag at the end, a panic included.
struct Done<'a>(&'a AtomicBool);

impl Drop for Done<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl Watch<'_> {
    /// Nobody watches, nobody stops it.
    pub const NONE: Watch<'static> = Watch { cancel: &|| false, work: &|_| (), progress: &|_| () };

    /// Has somebody asked to stop?
    pub fn cancelled(&self) -> bool {
        (self.cancel)()
    }

    /// Runs what stops after so much work, too.
    pub fn within<T>(&self, most: u64, run: impl FnOnce(&Watch<'_>) -> T) -> T {
        let done = AtomicU64::new(0);
        run(&Watch {
            cancel: &|| self.cancelled() || done.load(Ordering::Relaxed) >= most,
            work: &|more| {
                done.fetch_add(more, Ordering::Relaxed);
                (self.work)(more);
            },
            progress: self.progress,
        })
    }

    /// Runs what looks at a flag, which is set soon after somebody has asked to stop.
    pub fn flagged<T>(&self, run: impl FnOnce(&AtomicBool) -> T) -> T {
        let (cancel, done) = (AtomicBool::new(false), AtomicBool::new(false));
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !done.load(Ordering::Relaxed) && !cancel.load(Ordering::Relaxed) {
                    std::thread::sleep(TICK);
                    cancel.store(self.cancelled(), Ordering::Relaxed);
                }
            });
            let _done = Done(&done);
            run(&cancel)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_is_counted_and_ends() {
        let told = AtomicU64::new(0);
        let work = |more| {
            told.fetch_add(more, Ordering::Relaxed);
        };
        Watch { work: &work, ..Watch::NONE }.within(10, |part| {
            (part.work)(9);
            assert!(!part.cancelled());
            (part.work)(1);
            assert!(part.cancelled());
        });
        assert_eq!(told.into_inner(), 10);
        Watch { cancel: &|| true, ..Watch::NONE }.within(10, |part| assert!(part.cancelled()));
    }

    #[test]
    fn a_flag_follows_the_watch() {
        let watch = Watch { cancel: &|| true, ..Watch::NONE };
        watch.flagged(|flag| {
            while !flag.load(Ordering::Relaxed) {
                std::thread::yield_now();
            }
        });
        assert!(!Watch::NONE.flagged(|flag| flag.load(Ordering::Relaxed)));
    }
}
