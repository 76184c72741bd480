//! Verifies several files at once, within limits.
//!
//! Workers run the files; the calling thread watches clock, memory and signals, and asks a run to stop by its flag.
//! A run that does not listen within [`GRACE`] is left behind, so that a limit always ends with a report.

use super::internal;
use relyant::limits::{self, Progress, Run};
use relyant::pipeline::{self, Settings};
use relyant::report::Outcome;
use signal_hook::consts::{SIGINT, SIGTERM};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};

/// How long a run may take to stop after it was asked to.
const GRACE: Duration = Duration::from_millis(700);
/// How often the watcher looks.
const TICK: Duration = Duration::from_millis(20);
/// Deeply nested sources need deep stacks. Only what is used is ever allocated.
const STACK: usize = 1 << 28;

/// A file to verify, and how.
#[derive(Clone)]
pub struct Job {
    /// The file.
    pub file: PathBuf,
    /// How.
    pub settings: Settings,
}

/// Limits of a run.
pub struct Limits {
    /// For each file.
    pub timeout: Option<Duration>,
    /// For the process.
    pub memory_kib: Option<u64>,
    /// Files at the same time.
    pub jobs: usize,
}

struct Shared {
    jobs: Vec<Job>,
    runs: Vec<Run>,
    next: AtomicUsize,
}

/// How many files are done, and how far the oldest of the running ones is.
pub struct Standing<'a> {
    /// Files done.
    pub done: usize,
    /// The file being run.
    pub current: Option<(&'a PathBuf, Progress)>,
}

/// Verifies the files; outcomes in the order of the files. `tick` is called every now and then, `tell` after each
/// iteration of an engine.
pub fn verify_all(
    jobs: &[Job],
    limits: &Limits,
    tell: Option<fn(&relyant::aret::Stats)>,
    mut tick: impl FnMut(&Standing),
) -> Vec<Outcome> {
    let signals = Signals::register();
    let shared = Arc::new(Shared {
        jobs: jobs.to_vec(),
        runs: jobs.iter().map(|_| Run::new(tell)).collect(),
        next: AtomicUsize::new(0),
    });
    let (sender, results) = mpsc::channel();
    for _ in 0..limits.jobs.clamp(1, jobs.len().max(1)) {
        spawn(&shared, &sender);
    }
    let mut outcomes: Vec<Option<Outcome>> = jobs.iter().map(|_| None).collect();
    let mut stopped: Vec<Option<Instant>> = vec![None; jobs.len()];
    while outcomes.iter().any(Option::is_none) {
        match results.recv_timeout(TICK) {
            Ok((i, outcome)) => {
                let slot: &mut Option<Outcome> = &mut outcomes[i];
                slot.get_or_insert(outcome);
                continue;
            }
            // cannot be: this function keeps a sender
            Err(RecvTimeoutError::Disconnected) => break,
            Err(RecvTimeoutError::Timeout) => {}
        }
        let over = signals.reason().or_else(|| too_much_memory(limits.memory_kib));
        for (i, run) in shared.runs.iter().enumerate().filter(|(i, _)| outcomes[*i].is_none()) {
            let progress = run.progress();
            if let Some(reason) = &over {
                run.stop(reason.clone());
            } else if let Some(limit) = limits.timeout.filter(|t| progress.elapsed() >= *t) {
                run.stop(format!("time limit of {} s reached", limit.as_secs_f64()));
            }
            if run.stopped() {
                stopped[i].get_or_insert_with(Instant::now);
            }
        }
        for i in 0..jobs.len() {
            if outcomes[i].is_none() && stopped[i].is_some_and(|t| t.elapsed() >= GRACE) {
                let run = &shared.runs[i];
                outcomes[i] = Some(Outcome::Abandoned(run.reason().unwrap_or_default(), run.progress()));
                // its worker may never come back
                spawn(&shared, &sender);
            }
        }
        let done = outcomes.iter().filter(|o| o.is_some()).count();
        let running =
            (0..jobs.len()).find(|i| outcomes[*i].is_none() && shared.runs[*i].progress().since.is_some());
        tick(&Standing { done, current: running.map(|i| (&jobs[i].file, shared.runs[i].progress())) });
    }
    outcomes
        .into_iter()
        .map(|o| o.unwrap_or_else(|| Outcome::Abandoned("no worker".into(), Progress::default())))
        .collect()
}

fn spawn(shared: &Arc<Shared>, sender: &Sender<(usize, Outcome)>) {
    let (shared_, sender_) = (Arc::clone(shared), sender.clone());
    let spawned = std::thread::Builder::new().stack_size(STACK).spawn(move || work(&shared_, &sender_));
    if spawned.is_err() {
        // no thread to be had: nothing will take what is left
        for (i, run) in shared.runs.iter().enumerate().filter(|(_, r)| r.progress().since.is_none()) {
            run.stop("no thread could be started");
            let _ = sender.send((i, Outcome::Abandoned("no thread could be started".into(), run.progress())));
        }
    }
}

fn work(shared: &Shared, sender: &Sender<(usize, Outcome)>) {
    loop {
        let i = shared.next.fetch_add(1, Ordering::Relaxed);
        let (Some(job), Some(run)) = (shared.jobs.get(i), shared.runs.get(i)) else { return };
        let outcome = match run.reason() {
            Some(reason) => Outcome::Abandoned(reason, run.progress()),
            None => match internal::guarded(|| pipeline::verify_file(&job.file, &job.settings, run)) {
                Ok(Ok(report)) => Outcome::Verdict(Box::new(report)),
                Ok(Err(diagnostic)) => Outcome::BadInput(Box::new(diagnostic)),
                Err(message) => Outcome::Abandoned(format!("internal error: {message}"), run.progress()),
            },
        };
        if sender.send((i, outcome)).is_err() {
            return;
        }
    }
}

fn too_much_memory(limit: Option<u64>) -> Option<String> {
    let limit = limit?;
    let (now, _) = limits::memory_kib()?;
    (now > limit).then(|| format!("memory limit of {} MiB reached", limit / 1024))
}

/// Ctrl-C and SIGTERM. A second one of a kind ends the process at once.
pub struct Signals {
    interrupt: Arc<AtomicBool>,
    terminate: Arc<AtomicBool>,
}

impl Signals {
    /// Listens from now on. Where that is not possible, signals do what the system has them do.
    pub fn register() -> Signals {
        let flag = |signal| {
            let flag = Arc::new(AtomicBool::new(false));
            let status = super::exit::Status::Unknown.code();
            let _ = signal_hook::flag::register_conditional_shutdown(signal, status, Arc::clone(&flag));
            let _ = signal_hook::flag::register(signal, Arc::clone(&flag));
            flag
        };
        Signals { interrupt: flag(SIGINT), terminate: flag(SIGTERM) }
    }
    /// Was there one?
    pub fn reason(&self) -> Option<String> {
        if self.interrupt.load(Ordering::Relaxed) {
            Some("interrupted".into())
        } else if self.terminate.load(Ordering::Relaxed) {
            Some("terminated".into())
        } else {
            None
        }
    }
}
