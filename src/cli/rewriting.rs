//! `relyant verify` for rewriting systems.

use super::exit::Status;
use super::workers::Signals;
use super::{complain, input, internal, say};
use relyant::limits;
use relyant::report::rewriting::{self as report, Outcome};
use relyant::rewriting::{self, search::Limits};
use relyant_frontend::timbuk;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::time::{Duration, Instant};

/// How long a run may take to stop after it was asked to.
const GRACE: Duration = Duration::from_millis(700);
/// How often the clock is looked at.
const TICK: Duration = Duration::from_millis(20);
/// Terms may be deep.
const STACK: usize = 1 << 28;
/// Terms of one file.
const TERMS: usize = 4_000_000;

/// What the command line asks for.
pub struct Wanted {
    /// For each file.
    pub timeout: Option<Duration>,
    /// For the process.
    pub memory_kib: Option<u64>,
    /// JSON instead of text.
    pub json: bool,
    /// Show rules.
    pub verbose: bool,
}

/// Are there rewriting systems among the files?
pub fn is_any(files: &[PathBuf]) -> bool {
    files.iter().any(|f| timbuk::is_named(f))
}

/// Decides the files.
pub fn run(files: &[PathBuf], wanted: &Wanted) -> Status {
    if let Some(f) = files.iter().find(|f| !timbuk::is_named(f)) {
        complain(&format!(
            "error: {} is no rewriting system; verify the two kinds in separate calls",
            f.display()
        ));
        return Status::BadInput;
    }
    let signals = Signals::register();
    let results: Vec<(String, Outcome)> =
        files.iter().map(|f| (f.display().to_string(), one(f, wanted, &signals))).collect();
    if wanted.json {
        say(&input::pretty(&report::document(&results)));
    } else {
        for (i, (file, outcome)) in results.iter().enumerate() {
            let text = report::text(outcome, wanted.verbose);
            if let Outcome::BadInput(_) = outcome {
                complain(text.trim_end());
                continue;
            }
            let heading = if results.len() == 1 { String::new() } else { format!("{file}:\n") };
            let gap = if i > 0 { "\n" } else { "" };
            say(&format!("{gap}{heading}{text}"));
        }
    }
    results.iter().map(|r| Status::of_verdict(r.1.verdict())).fold(Status::Good, Status::and)
}

fn one(file: &Path, wanted: &Wanted, signals: &Signals) -> Outcome {
    let cancel = Arc::new(AtomicBool::new(false));
    let (sender, receiver) = mpsc::channel();
    let (path, flag) = (file.to_path_buf(), Arc::clone(&cancel));
    let work = move || {
        let outcome = internal::guarded(|| decide(&path, &flag))
            .unwrap_or_else(|message| Outcome::Abandoned(format!("internal error: {message}")));
        let _ = sender.send(outcome);
    };
    if std::thread::Builder::new().stack_size(STACK).spawn(work).is_err() {
        return Outcome::Abandoned("no thread could be started".into());
    }
    let began = Instant::now();
    let mut stopped: Option<(Instant, String)> = None;
    loop {
        match receiver.recv_timeout(TICK) {
            Ok(Outcome::Verdict(system, mut r)) => {
                if let (rewriting::Verdict::Unknown(why), Some((_, reason))) = (&mut r.verdict, stopped) {
                    *why = format!(
                        "{reason}; all of up to {} rewrite steps are explored",
                        r.stats.depth.saturating_sub(1)
                    );
                }
                return Outcome::Verdict(system, r);
            }
            Ok(outcome) => return outcome,
            Err(mpsc::RecvTimeoutError::Disconnected) => {
                return Outcome::Abandoned("the run was lost".into());
            }
            Err(mpsc::RecvTimeoutError::Timeout) => {}
        }
        let late = wanted.timeout.filter(|t| began.elapsed() >= *t);
        let late = late.map(|t| format!("time limit of {} s reached", t.as_secs_f64()));
        let large = wanted.memory_kib.filter(|l| limits::memory_kib().is_some_and(|m| m.0 > *l));
        let large = large.map(|l| format!("memory limit of {} MiB reached", l / 1024));
        if let Some(reason) = signals.reason().or(large).or(late) {
            cancel.store(true, Ordering::Relaxed);
            let (since, reason) = stopped.get_or_insert_with(|| (Instant::now(), reason));
            if since.elapsed() >= GRACE {
                return Outcome::Abandoned(reason.clone());
            }
        }
    }
}

fn decide(path: &Path, cancel: &AtomicBool) -> Outcome {
    let system = match timbuk::load(path) {
        Ok(s) => s,
        Err(d) => return Outcome::BadInput(Box::new(d)),
    };
    match rewriting::decide(&system, &Limits { terms: TERMS, cancel }) {
        Ok(r) => Outcome::Verdict(Box::new(system), r),
        Err(d) => Outcome::BadInput(d),
    }
}
