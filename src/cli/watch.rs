//! Clock, memory and signals: what ends a run from outside.
//!
//! A run that does not listen within [`GRACE`] is left behind, so that a limit always ends with a report.

use super::internal;
use relyant::memory;
use relyant_cfa::stack::fitting;
use relyant_engines::limits::{self, STACK, Stop};
use relyant_frontend::c::compiler;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

/// How long a run may take to stop after it was asked to.
pub const GRACE: Duration = Duration::from_millis(700);
/// KiB that a compiler gets at least.
const SMALL: u64 = 256 << 10;
/// How often the watcher looks.
pub const TICK: Duration = Duration::from_millis(20);

/// What is left of the memory there is, in percent: a run must not be what the system chooses to kill.
const SHARE: u64 = 90;

/// Limits of a run.
#[derive(Clone, Copy)]
pub struct Limits {
    /// For each file, of wall-clock time; `None`: no limit.
    pub timeout: Option<Duration>,
    /// For the whole process; `None`: no limit is known.
    pub memory_kib: Option<u64>,
    /// Was it asked for? Else it is what there is.
    pub asked: bool,
    /// What the system allows of address space, if it limits that.
    pub address_kib: Option<u64>,
}

impl Limits {
    /// As the command line says; memory is limited to what there is in any case. Sets what compilers may take as well.
    pub fn new(timeout: Option<Duration>, memory_mib: Option<u64>) -> Limits {
        let share = |kib: u64| kib / 100 * SHARE;
        let there = memory::available_kib().map(share);
        let default = compiler::Limits::default();
        compiler::limit(compiler::Limits {
            time: timeout.map_or(default.time, |t| t.min(default.time)),
            memory: there.map_or(default.memory, |kib| default.memory.min(kib.max(SMALL) * 1024)),
            ..default
        });
        Limits {
            timeout,
            memory_kib: memory_mib.map(|m| m.saturating_mul(1024)).or(there),
            asked: memory_mib.is_some(),
            address_kib: memory::address_space_kib().map(share),
        }
    }
    /// The reason to stop a run that has taken so long.
    pub fn too_late(&self, elapsed: Duration) -> Option<Stop> {
        let limit = self.timeout.filter(|t| elapsed >= *t)?;
        Some(Stop::Time(limit))
    }
    /// The reason to stop all runs.
    pub fn too_large(&self) -> Option<Stop> {
        if let (Some(limit), Some((now, _))) = (self.memory_kib, limits::memory_kib())
            && now > limit
        {
            return Some(Stop::Memory { mib: limit / 1024, asked: self.asked });
        }
        let (limit, now) = (self.address_kib?, memory::address_space_used_kib()?);
        (now > limit).then_some(Stop::AddressSpace(now / 1024))
    }
}

/// What a run came to, and why it was asked to stop if it was.
pub type Ended<T> = (T, Option<Stop>);

/// Does work that looks at a flag, on a thread of its own, until it ends or a limit is reached. Without a result: why.
pub fn watch<T: Send + 'static>(
    limits: &Limits,
    signals: &Signals,
    work: impl FnOnce(&AtomicBool) -> T + Send + 'static,
) -> Result<Ended<T>, String> {
    let cancel = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&cancel);
    let (sender, receiver) = mpsc::channel();
    let guarded = move || {
        let _ = sender.send(internal::guarded(|| work(&flag)));
    };
    std::thread::Builder::new()
        .stack_size(fitting(STACK))
        .spawn(guarded)
        .map_err(|_| Stop::NoThread.to_string())?;
    let began = Instant::now();
    let mut stopped: Option<(Instant, Stop)> = None;
    loop {
        match receiver.recv_timeout(TICK) {
            Ok(Ok(result)) => return Ok((result, stopped.map(|s| s.1))),
            Ok(Err(message)) => return Err(format!("internal error: {message}")),
            Err(RecvTimeoutError::Disconnected) => return Err("the run was lost".into()),
            Err(RecvTimeoutError::Timeout) => {}
        }
        if let Some((since, reason)) = &stopped {
            if since.elapsed() >= GRACE {
                return Err(reason.to_string());
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

/// Was it to be ignored when this process began (`nohup`)?
fn is_ignored(signal: i32) -> bool {
    // SAFETY: a system call that writes to memory of this function.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        libc::sigaction(signal, std::ptr::null(), &mut action) == 0 && action.sa_sigaction == libc::SIG_IGN
    }
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

/// For commands without a watcher: a signal ends what they have started, and then does what the system has it do.
pub fn end_on_signals() {
    let all = [SIGINT, SIGTERM, SIGHUP].into_iter().filter(|s| !is_ignored(*s));
    let Ok(mut signals) = iterator::Signals::new(all) else { return };
    let _ = std::thread::Builder::new().spawn(move || {
        if let Some(signal) = signals.forever().next() {
            compiler::end();
            let _ = signal_hook::low_level::emulate_default_handler(signal);
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread::sleep;

    fn limits(milliseconds: u64, memory_kib: Option<u64>) -> Limits {
        let timeout = Some(Duration::from_millis(milliseconds));
        Limits { timeout, memory_kib, asked: true, address_kib: None }
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
            watch(&limits(50, None), &signals, deaf).err().as_deref(),
            Some("time limit of 0.05 s reached")
        );
        let large = Some(Stop::Memory { mib: 0, asked: true });
        assert_eq!(watch(&limits(60_000, Some(1)), &signals, listen), Ok((7, large)));
        let bug = |_: &AtomicBool| -> u32 { panic!("a bug") };
        let end = watch(&limits(60_000, None), &signals, bug);
        assert!(end.as_ref().is_err_and(|e| e.starts_with("internal error: a bug")), "{end:?}");
    }
}
