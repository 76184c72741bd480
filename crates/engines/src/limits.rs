//! Stopping a run from outside, and what it had reached by then.

use crate::watch::{Explored, Standing, Stats};
use relyant_cfa::memory::Exceeded;
use relyant_cfa::stack::fitting;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Why a run was asked to stop.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Stop {
    /// The user's limit of time.
    #[error("time limit of {} s reached", .0.as_secs_f64())]
    Time(Duration),
    /// A limit of time that is not the user's.
    #[error("time limit")]
    Patience,
    /// A limit of memory.
    #[error(transparent)]
    Memory(#[from] Exceeded),
    /// By the user, with SIGINT.
    #[error("interrupted")]
    Interrupted,
    /// By the system, with SIGTERM.
    #[error("terminated")]
    Terminated,
    /// The system gives no thread to work on.
    #[error("no thread could be started")]
    NoThread,
}

/// What a run is doing.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Stage {
    /// Nothing has been read yet.
    #[default]
    Waiting,
    /// Reading the source and making the program of threads.
    Reading,
    /// Looking for a short counterexample.
    Searching,
    /// Searching and refining the abstraction.
    Proving,
    /// Checking the certificate, or replaying the counterexample.
    Checking,
}

impl Stage {
    /// For messages: "while …".
    pub fn doing(self) -> &'static str {
        match self {
            Stage::Waiting => "waiting",
            Stage::Reading => "reading the source",
            Stage::Searching => "searching for a short counterexample",
            Stage::Proving => "searching and proving",
            Stage::Checking => "checking the evidence",
        }
    }
}

impl Stage {
    /// For messages: ", while …".
    pub fn during(self) -> String {
        match self {
            Stage::Waiting => String::new(),
            _ => format!(", while {}", self.doing()),
        }
    }
}

/// How far a run has come.
#[derive(Clone, Copy, Debug, Default)]
pub struct Progress {
    /// What it is doing.
    pub stage: Stage,
    /// When the run began; none before that.
    pub since: Option<Instant>,
    /// What refinement has done up to its last fixpoint; zeros before the first.
    pub stats: Stats,
    /// Where the search stands.
    pub searched: Explored,
}

impl Progress {
    /// Time since the run began.
    pub fn elapsed(&self) -> Duration {
        self.since.map_or(Duration::ZERO, |t| t.elapsed())
    }
}

/// A run, seen from outside.
#[derive(Debug, Default)]
pub struct RunHandle {
    listener: Option<fn(&Stats)>,
    cancel: AtomicBool,
    reason: Mutex<Option<Stop>>,
    progress: Mutex<Progress>,
}

/// What a poisoned mutex holds is whole: nothing here panics between two writes.
fn open<T>(m: &Mutex<T>) -> MutexGuard<'_, T> {
    m.lock().unwrap_or_else(PoisonError::into_inner)
}

impl RunHandle {
    /// A run that tells of each iteration of the engine.
    pub fn new(listener: Option<fn(&Stats)>) -> RunHandle {
        RunHandle { listener, ..RunHandle::default() }
    }
    /// Asks the run to stop; the first reason counts.
    pub fn stop(&self, reason: Stop) {
        open(&self.reason).get_or_insert(reason);
        self.cancel.store(true, Ordering::Relaxed);
    }
    /// Why it was asked to stop.
    pub fn reason(&self) -> Option<Stop> {
        open(&self.reason).clone()
    }
    /// Was it asked to stop?
    pub fn stopped(&self) -> bool {
        self.cancel.load(Ordering::Relaxed)
    }
    /// The flag that engines look at: true once somebody asked to stop.
    pub fn cancel(&self) -> &AtomicBool {
        &self.cancel
    }
    /// How far it has come.
    pub fn progress(&self) -> Progress {
        *open(&self.progress)
    }
    /// A new stage begins.
    pub fn enter(&self, stage: Stage) {
        let mut p = open(&self.progress);
        p.stage = stage;
        p.since.get_or_insert_with(Instant::now);
    }
    /// An engine has come further.
    pub fn advance(&self, standing: &Standing) {
        match standing {
            Standing::Refined(stats) => {
                open(&self.progress).stats = *stats;
                if let Some(tell) = self.listener {
                    tell(stats);
                }
            }
            Standing::Searched(stats) => open(&self.progress).searched = *stats,
            Standing::Symbolic(_) => {}
        }
    }
}

/// Bytes of stack for engines: deeply nested input needs deep stacks. Only what is used is ever touched.
pub const STACK: usize = 1 << 28;

/// What engines came to that gave no result.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Lost {
    /// The system has no thread left for them.
    #[error("no thread could be started")]
    NoThread,
    /// They panicked, with this message.
    #[error("internal error: {0}")]
    Panicked(String),
}

/// Runs engines on a stack that they need. When the time is over they are asked to stop, for this reason, and waited for.
///
/// # Errors
/// What a panic said, or that no thread could be started.
pub fn bounded<T: Send>(
    limit: Option<(Duration, Stop)>,
    what: impl FnOnce(&RunHandle) -> T + Send,
) -> Result<T, Lost> {
    bounded_by(&RunHandle::new(None), limit, what)
}

/// The same as a run that others may stop, too.
///
/// # Errors
/// What a panic said, or that no thread could be started.
pub fn bounded_by<T: Send>(
    run: &RunHandle,
    limit: Option<(Duration, Stop)>,
    what: impl FnOnce(&RunHandle) -> T + Send,
) -> Result<T, Lost> {
    std::thread::scope(|scope| {
        let (done, over) = mpsc::channel();
        let work = move || {
            let result = what(run);
            let _ = done.send(());
            result
        };
        let worker = std::thread::Builder::new().stack_size(fitting(STACK)).spawn_scoped(scope, work);
        if let Some((t, reason)) = limit
            && over.recv_timeout(t) == Err(RecvTimeoutError::Timeout)
        {
            run.stop(reason);
        }
        let worker = worker.map_err(|_| Lost::NoThread)?;
        worker.join().map_err(|payload| {
            let text = payload.downcast_ref::<&str>().map(|s| (*s).to_string());
            let text = text.or_else(|| payload.downcast_ref::<String>().cloned());
            Lost::Panicked(text.unwrap_or_else(|| "no message".into()))
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_reason_counts() {
        let run = RunHandle::default();
        assert!(!run.stopped());
        run.stop(Stop::Patience);
        run.stop(Stop::Interrupted);
        assert!(run.stopped());
        assert_eq!(run.reason(), Some(Stop::Patience));
    }

    #[test]
    fn engines_are_asked_to_stop_and_their_panics_are_no_crash() {
        assert_eq!(bounded(None, |_| 7), Ok(7));
        let listen = |run: &RunHandle| {
            while !run.stopped() {
                std::thread::sleep(Duration::from_millis(1));
            }
            run.reason()
        };
        let limit = (Duration::from_millis(20), Stop::Patience);
        assert_eq!(bounded(Some(limit), listen), Ok(Some(Stop::Patience)));
        let bug = |_: &RunHandle| -> u32 { panic!("a bug") };
        assert_eq!(bounded(None, bug), Err(Lost::Panicked("a bug".into())));
    }

    #[test]
    fn the_clock_starts_with_the_first_stage() {
        let run = RunHandle::default();
        assert!(run.progress().since.is_none());
        run.enter(Stage::Reading);
        let since = run.progress().since;
        run.enter(Stage::Proving);
        assert_eq!(run.progress().since, since);
    }
}
