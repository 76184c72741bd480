//! Files about replicated finite-state threads, from text to a verdict.

pub mod boolean;
pub mod report;

use relyant_cfa::diagnostic::Diagnostic;
use relyant_check::finite::{FileKind, Input, Question, certificate, plain, read, text_of};
use relyant_finite::evidence;
use relyant_unbounded::cover::{self, CoverOptions, CoverOutcome, Coverability, Limits};
use report::{Answer, Report};
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

/// What the command line asks for.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    /// What it is about.
    pub question: Question,
    /// How to search for coverability.
    pub options: CoverOptions,
    /// What is asked about Boolean programs only.
    pub boolean: boolean::Asked,
    /// Keep the evidence in the report?
    pub keep: bool,
}

type Result<T> = std::result::Result<T, Box<Diagnostic>>;

/// Lines of a file.
fn lines(bytes: &[u8]) -> usize {
    bytes.iter().filter(|b| **b == b'\n').count()
}

/// Decides a file. This is the place where kinds of files with engines of their own part.
pub fn verify(path: &Path, kind: FileKind, wanted: &Wanted, cancel: &AtomicBool) -> Result<Report> {
    if kind == FileKind::Boolean {
        return boolean::verify(path, &wanted.boolean, wanted.keep, cancel);
    }
    let began = Instant::now();
    let input = read(path, kind, &wanted.question)?;
    let reading = began.elapsed().as_secs_f64();
    let outcome = cover::decide(&input.system, &input.target, &wanted.options, &Limits::new(cancel))
        .map_err(|e| plain(path, &format!("malformed: {e}"), ""))?;
    let mut r = coverability(&input, outcome, wanted.keep, reading, began.elapsed().as_secs_f64() - reading);
    r.source_lines = input.sources.first().map_or(0, |(_, bytes)| lines(bytes));
    Ok(r)
}

/// The report on a question of coverability.
fn coverability(input: &Input, outcome: CoverOutcome, keep: bool, reading: f64, seconds: f64) -> Report {
    let s = outcome.stats;
    let checking = outcome.checking.as_secs_f64();
    let spent = [reading, (seconds - checking).max(0.0), checking];
    let mut r = Report {
        property: "no target can be covered".into(),
        checks: vec![(input.target.len(), "target", "targets")],
        assumes: input.assumes.clone(),
        seconds: spent,
        rule: "uncoverability",
        ..Report::default()
    };
    r.work = format!(
        "{} vertices, {} expanded, {} trees pruned, {} nodes of the oracle, in {seconds:.2} s",
        s.vertices, s.expanded, s.pruned, s.oracle
    );
    r.numbers = vec![
        ("vertices", s.vertices as u64),
        ("expanded", s.expanded),
        ("pruned", s.pruned),
        ("oracle", s.oracle as u64),
    ];
    match &outcome.verdict {
        Coverability::Uncoverable(c) => {
            let heavy = match c.weights.len() {
                0 => String::new(),
                1 => " and 1 linear invariant".into(),
                n => format!(" and {n} linear invariants"),
            };
            r.proof = format!("an upward-closed set of {} minimal configurations{heavy}", c.minimal.len());
            r.checked = format!(
                "it has the target and no initial configuration, and all {} predecessors of its elements, in {checking:.2} s",
                outcome.obligations
            );
            r.obligations = usize::try_from(outcome.obligations).unwrap_or(usize::MAX);
            r.certificate = keep.then(|| text_of(&certificate::uncoverable(input, c))).flatten();
            r.answer = Answer::Safe;
        }
        Coverability::Coverable(run) => {
            let Ok(replayed) = evidence::replay(&input.system, &input.target, run) else {
                r.answer = Answer::Unknown("the run was rejected".into());
                return r;
            };
            r.trace = report::run(&input.system, &input.target, run, &replayed);
            r.certificate = keep.then(|| text_of(&certificate::coverable(input, run))).flatten();
            r.answer = Answer::Unsafe;
        }
        Coverability::Unknown(why) => r.answer = Answer::Unknown(why.to_string()),
    }
    r
}
