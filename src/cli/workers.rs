//! Verifies several files at once, within limits.
//!
//! Workers run the files; the calling thread watches clock, memory and signals, and asks a run to stop by its flag.

use super::internal;
use super::watch::{GRACE, Limits, Signals, TICK};
use relyant::pipeline::{self, Settings};
use relyant::report::FileOutcome;
use relyant_cfa::stack::fitting;
use relyant_engines::limits::{Progress, RunHandle, STACK, Stop};
use relyant_frontend::c::unit::Unit;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::time::Instant;

/// A file to verify, and how.
#[derive(Clone)]
pub struct Job {
    /// The first file of the program.
    pub file: PathBuf,
    /// What it is called in reports, if not by its path.
    pub called: Option<String>,
    /// What is asked about it, and by which engines.
    pub settings: Settings,
}

impl Job {
    /// What is read.
    pub fn unit(&self) -> Unit<'_> {
        Unit::called(&self.file, self.called.as_deref())
    }
}

struct Shared {
    jobs: Vec<Job>,
    runs: Vec<RunHandle>,
    next: AtomicUsize,
}

/// How many files are done, and how far the oldest of the running ones is.
pub struct Standing<'a> {
    /// How many files are done.
    pub done: usize,
    /// The file being run.
    pub current: Option<(&'a PathBuf, Progress)>,
}

/// Verifies the files, `at_once` at the same time; outcomes in the order of the files. `tick` is called every now and
/// then, `tell` after each iteration of an engine.
pub fn verify_all(
    jobs: &[Job],
    limits: &Limits,
    at_once: usize,
    tell: Option<fn(&relyant_engines::watch::Stats)>,
    mut tick: impl FnMut(&Standing),
) -> Vec<FileOutcome> {
    let signals = Signals::register();
    let shared = Arc::new(Shared {
        jobs: jobs.to_vec(),
        runs: jobs.iter().map(|_| RunHandle::new(tell)).collect(),
        next: AtomicUsize::new(0),
    });
    let (sender, results) = mpsc::channel();
    for _ in 0..at_once.clamp(1, jobs.len().max(1)) {
        spawn(&shared, &sender);
    }
    let mut outcomes: Vec<Option<FileOutcome>> = jobs.iter().map(|_| None).collect();
    let mut stopped: Vec<Option<Instant>> = vec![None; jobs.len()];
    while outcomes.iter().any(Option::is_none) {
        match results.recv_timeout(TICK) {
            Ok((i, outcome)) => {
                let slot: &mut Option<FileOutcome> = &mut outcomes[i];
                slot.get_or_insert(outcome);
                continue;
            }
            // cannot be: this function keeps a sender
            Err(RecvTimeoutError::Disconnected) => break,
            Err(RecvTimeoutError::Timeout) => {}
        }
        let over = signals.reason().or_else(|| limits.too_large());
        for (i, run) in shared.runs.iter().enumerate().filter(|(i, _)| outcomes[*i].is_none()) {
            let progress = run.progress();
            if let Some(reason) = &over {
                run.stop(reason.clone());
            } else if let Some(reason) = limits.too_late(progress.elapsed()) {
                run.stop(reason);
            }
            if run.stopped() {
                stopped[i].get_or_insert_with(Instant::now);
            }
        }
        for i in 0..jobs.len() {
            if outcomes[i].is_none() && stopped[i].is_some_and(|t| t.elapsed() >= GRACE) {
                let run = &shared.runs[i];
                let why = run.reason().map(|r| r.to_string()).unwrap_or_default();
                outcomes[i] = Some(FileOutcome::Abandoned(why, run.progress()));
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
        .map(|o| o.unwrap_or_else(|| FileOutcome::Abandoned("no worker".into(), Progress::default())))
        .collect()
}

fn spawn(shared: &Arc<Shared>, sender: &Sender<(usize, FileOutcome)>) {
    let (shared_, sender_) = (Arc::clone(shared), sender.clone());
    let spawned =
        std::thread::Builder::new().stack_size(fitting(STACK)).spawn(move || work(&shared_, &sender_));
    if spawned.is_err() {
        // no thread to be had: nothing will take what is left
        for (i, run) in shared.runs.iter().enumerate().filter(|(_, r)| r.progress().since.is_none()) {
            run.stop(Stop::NoThread);
            let _ = sender.send((i, FileOutcome::Abandoned(Stop::NoThread.to_string(), run.progress())));
        }
    }
}

fn work(shared: &Shared, sender: &Sender<(usize, FileOutcome)>) {
    loop {
        let i = shared.next.fetch_add(1, Ordering::Relaxed);
        let (Some(job), Some(run)) = (shared.jobs.get(i), shared.runs.get(i)) else { return };
        let outcome = match run.reason() {
            Some(reason) => FileOutcome::Abandoned(reason.to_string(), run.progress()),
            None => match internal::guarded(|| pipeline::verify_file(job.unit(), &job.settings, run)) {
                Ok(Ok(report)) => FileOutcome::Verdict(Box::new(report)),
                // A child that was to help in reading may have been ended.
                Ok(Err(diagnostic)) => match run.reason() {
                    Some(reason) => FileOutcome::Abandoned(reason.to_string(), run.progress()),
                    None => FileOutcome::BadInput(Box::new(diagnostic)),
                },
                Err(panicked) => FileOutcome::Abandoned(panicked.to_string(), run.progress()),
            },
        };
        if sender.send((i, outcome)).is_err() {
            return;
        }
    }
}
