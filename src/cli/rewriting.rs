//! `relyant verify` for rewriting systems.

use super::exit::Status;
use super::format::Reports;
use super::watch::{self, Signals, watch};
use super::{complain, say};
use relyant::report::rewriting::{self as report, RewritingOutcome};
use relyant_rewriting as rewriting;
use relyant_rewriting::search::Limits;
use relyant_rewriting::timbuk;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

/// Terms of one file.
const TERMS: usize = 4_000_000;

/// What the command line asks for.
pub struct Wanted<'a> {
    /// Of time and memory.
    pub limits: watch::Limits,
    /// Where reports go.
    pub reports: &'a Reports,
    /// Show the rules of all steps.
    pub verbose: bool,
    /// Why the process that was to do it is no more.
    pub lost: Option<&'a str>,
}

/// Are there rewriting systems among the files?
pub fn is_any(files: &[PathBuf]) -> bool {
    files.iter().any(|f| timbuk::is_named(f))
}

/// Decides the files in their order, and prints the report.
pub fn run(files: &[PathBuf], wanted: &Wanted) -> Status {
    if let Some(f) = files.iter().find(|f| !timbuk::is_named(f)) {
        complain(&format!(
            "error: {} is no rewriting system; verify the two kinds in separate calls",
            f.display()
        ));
        return Status::BadInput;
    }
    let signals = Signals::register();
    let results: Vec<(String, RewritingOutcome)> =
        files.iter().map(|f| (f.display().to_string(), one(f, wanted, &signals))).collect();
    let mut status =
        results.iter().map(|r| Status::of_verdict(r.1.verdict())).fold(Status::Good, Status::and);
    if wanted.reports.need_data() {
        status = status.and(wanted.reports.give_rewriting(&report::document(&results)));
    }
    if wanted.reports.are_text() {
        for (i, (file, outcome)) in results.iter().enumerate() {
            let text = report::text(outcome, wanted.verbose);
            if let RewritingOutcome::BadInput(_) = outcome {
                complain(text.trim_end());
                continue;
            }
            let heading = if results.len() == 1 { String::new() } else { format!("{file}:\n") };
            let gap = if i > 0 { "\n" } else { "" };
            say(&format!("{gap}{heading}{text}"));
        }
    }
    status
}

fn one(file: &Path, wanted: &Wanted, signals: &Signals) -> RewritingOutcome {
    if let Some(reason) = wanted.lost {
        return RewritingOutcome::Abandoned(reason.into());
    }
    let path = file.to_path_buf();
    match watch(&wanted.limits, signals, move |cancel| decide(&path, cancel)) {
        Ok((RewritingOutcome::Verdict(system, mut r), stopped)) => {
            if let (rewriting::Reachability::Unknown(why), Some(reason)) = (&mut r.verdict, stopped) {
                let depth = r.stats.depth.saturating_sub(1);
                *why = rewriting::unknown::Unknown::Limit { reason: reason.to_string(), steps: depth };
            }
            RewritingOutcome::Verdict(system, r)
        }
        Ok((outcome, _)) => outcome,
        Err(why) => RewritingOutcome::Abandoned(why.to_string()),
    }
}

fn decide(path: &Path, cancel: &AtomicBool) -> RewritingOutcome {
    let system = match timbuk::load(path) {
        Ok(s) => s,
        Err(d) => return RewritingOutcome::BadInput(Box::new(d)),
    };
    match rewriting::decide(&system, &Limits { terms: TERMS, cancel }) {
        Ok(r) => RewritingOutcome::Verdict(Box::new(system), r),
        Err(d) => RewritingOutcome::BadInput(d),
    }
}
