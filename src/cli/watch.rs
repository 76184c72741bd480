//! Clock, memory and signals: what ends a run from outside.
//!
//! A run that does not listen within [`GRACE`] is left behind, so that a limit always ends with a report.

use super::internal::{self, Panicked};
use relyant_cfa::memory;
use relyant_cfa::stack::fitting;
use relyant_checker::guard::is_ignored;
use relyant_engines::limits::{STACK, Stop};
use relyant_frontend::c::compiler;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

/// How long a run may take to stop after it was asked to.
pub const GRACE: Duration = Duration::from_millis(700);
/// How often the watcher looks.
pub const TICK: Duration = Duration::from_millis(20);

/// Limits of a run.
#[derive(Clone, Copy)]
pub struct Limits {
    /// For each file, of wall-clock time; `None`: no limit.
    pub timeout: Option<Duration>,
    /// For the whole process.
    pub memory: memory::MemoryLimits,
}

impl Limits {
    /// As the command line says; memory is limited to what there is in any case. Sets what compilers may take as well.
    pub fn new(timeout: Option<Duration>, memory_mib: Option<u64>) -> Limits {
        compiler::limit(compiler::Limits::within(timeout, memory::share_kib()));
        Limits { timeout, memory: memory::MemoryLimits::new(memory_mib) }
    }
    /// The reason to stop a run that has taken so long.
    pub fn too_late(&self, elapsed: Duration) -> Option<Stop> {
        let limit = self.timeout.filter(|t| elapsed >= *t)?;
        Some(Stop::Time(limit))
    }
    /// The reason to stop all runs.
    pub fn too_large(&self) -> Option<Stop> {
        self.memory.exceeded().map(Stop::Memory)
    }
}

/// What a run came to, and why it was asked to stop if it was.
pub type Ended<T> = (T, Option<Stop>);

/// Why a run came to nothing.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Lost {
    /// A bug of ours.
    #[error(transparent)]
    Panicked(#[from] Panicked),
    /// It ended without a word.
    #[error("the run was lost")]
    Silent,
    /// A limit was reached, and the run did not listen; or there was no thread for it.
    #[error("{0}")]
    Stopped(Stop),
}

/// Does work that looks at a flag, on a thread of its own, until it ends or a limit is reached. Without a result: why.
pub fn watch<T: Send + 'static>(
    limits: &Limits,
    signals: &Signals,
    work: impl FnOnce(&AtomicBool) -> T + Send + 'static,
) -> Result<Ended<T>, Lost> {
    let cancel = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&cancel);
    let (sender, receiver) = mpsc::channel();
    let guarded = move || {
        let _ = sender.send(internal::guarded(|| work(&flag)));
    };
    std::thread::Builder::new()
        .stack_size(fitting(STACK))
        .spawn(guarded)
        .map_err(|_| Lost::Stopped(Stop::NoThread))?;
    let began = Instant::now();
    let mut stopped: Option<(Instant, Stop)> = None;
    loop {
        match receiver.recv_timeout(TICK) {
            Ok(Ok(result)) => return Ok((result, stopped.map(|s| s.1))),
            Ok(Err(panicked)) => return Err(panicked.into()),
            Err(RecvTimeoutError::Disconnected) => return Err(Lost::Silent),
            Err(RecvTimeoutError::Timeout) => {}
        }
        if let Some((since, reason)) = &stopped {
            if since.elapsed() >= GRACE {
                return Err(Lost::Stopped(reason.clone()));
            }
            continue;
        }
        let over = signals.reason().or_else(|| limits.too_large());
        if let Some(reason) = over.or_else(|| limits.too_late(began.elapsed())) {
            cancel.store(true, Ordering::Relaxed);
            stopped = Some((Instant::now(), reason));
        }
    }
}

/// How long after the first signal another one ends the process at once. `timeout` sends two together: one to the
/// process, one to its group.
const PATIENCE: Duration = Duration::from_secs(1);

/// Ctrl-C, SIGTERM and SIGHUP. The first asks for an end with a report; one that comes [`PATIENCE`] later ends the process
/// at once.
pub struct Signals {
    interrupt: Arc<AtomicBool>,
    terminate: Arc<AtomicBool>,
}

impl Signals {
    /// Listens from now on. Where that is not possible, signals do what the system has them do.
    pub fn register() -> Signals {
        let (interrupt, terminate) = (Arc::default(), Arc::default());
        let mut all = vec![(SIGINT, &interrupt), (SIGTERM, &terminate)];
        if !is_ignored(SIGHUP) {
            all.push((SIGHUP, &terminate));
        }
        for (signal, flag) in &all {
            let _ = signal_hook::flag::register(*signal, Arc::clone(flag));
        }
        if let Ok(mut signals) = iterator::Signals::new(all.iter().map(|a| a.0)) {
            // without this thread, reports come as well, only they cannot be cut short
            let _ = std::thread::Builder::new().spawn(move || {
                let mut first = None;
                for _ in signals.forever() {
                    if first.get_or_insert_with(Instant::now).elapsed() >= PATIENCE {
                        compiler::end();
                        signal_hook::low_level::exit(super::exit::Status::Unknown.code());
                    }
                }
            });
        }
        Signals { interrupt, terminate }
    }
    /// Why the run is to stop, if a signal came.
    pub fn reason(&self) -> Option<Stop> {
        if self.interrupt.load(Ordering::Relaxed) {
            Some(Stop::Interrupted)
        } else if self.terminate.load(Ordering::Relaxed) {
            Some(Stop::Terminated)
        } else {
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread::sleep;

    fn limits(milliseconds: u64, kib: Option<u64>) -> Limits {
        let timeout = Some(Duration::from_millis(milliseconds));
        Limits { timeout, memory: memory::MemoryLimits { kib, asked: true, address_kib: None } }
    }

    /// Returns when it is asked to.
    fn listen(cancel: &AtomicBool) -> u32 {
        while !cancel.load(Ordering::Relaxed) {
            sleep(TICK);
        }
        7
    }

    #[test]
    fn runs_end_by_themselves_or_by_a_limit() {
        let signals = Signals::register();
        assert_eq!(watch(&limits(60_000, None), &signals, |_| 7), Ok((7, None)));
        let late = Some(Stop::Time(Duration::from_millis(50)));
        assert_eq!(watch(&limits(50, None), &signals, listen), Ok((7, late.clone())));
        let deaf = |_: &AtomicBool| sleep(Duration::from_secs(60));
        assert_eq!(
            watch(&limits(50, None), &signals, deaf).map_err(|e| e.to_string()),
            Err("time limit of 0.05 s reached".into())
        );
        let large = Some(Stop::Memory(memory::Exceeded::Memory { mib: 0, asked: true }));
        assert_eq!(watch(&limits(60_000, Some(1)), &signals, listen), Ok((7, large)));
        let bug = |_: &AtomicBool| -> u32 { panic!("a bug") };
        let end = watch(&limits(60_000, None), &signals, bug);
        assert!(end.as_ref().is_err_and(|e| e.to_string().starts_with("internal error: a bug")), "{end:?}");
    }
}
