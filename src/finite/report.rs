//! Reports about replicated finite-state threads: text and JSON.
//!
//! The JSON document is that of [`crate::report::json`].

use crate::report::json::{self, Document, Entry, ProofEntry, SecondsEntry};
use anstyle::{AnsiColor, Style};
use relyant_cfa::diagnostic::Diagnostic;
use relyant_finite::evidence::{CoveringRun, Replayed};
use relyant_finite::model::{Config, System, Target};
use std::fmt::Write;

const GOOD: Style = AnsiColor::Green.on_default().bold();
const BAD: Style = AnsiColor::Red.on_default().bold();
const DULL: Style = AnsiColor::Yellow.on_default().bold();
const FAINT: Style = Style::new().dimmed();
/// Steps of a run that are shown unless all are asked for.
const SHOWN: usize = 60;

/// An answer. The evidence was checked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    /// Proved: the target is not coverable, or no assertion fails.
    Safe,
    /// Refuted by a run.
    Unsafe,
    /// Neither, for this reason.
    Unknown(String),
}

impl Default for Answer {
    fn default() -> Answer {
        Answer::Unknown("nothing was done".into())
    }
}

/// What came of a file, whatever the engine.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// The answer, whose evidence was checked.
    pub answer: Answer,
    /// What must not happen.
    pub property: String,
    /// The places that this is about: how many there are, of what, and the name in JSON.
    pub checks: Vec<(usize, &'static str, &'static str)>,
    /// What a reader of the verdict should know, a line each.
    pub notes: Vec<String>,
    /// What it takes for granted.
    pub assumes: Vec<String>,
    /// What the proof is, if there is one.
    pub proof: String,
    /// Its kind, in a word.
    pub rule: &'static str,
    /// Does it speak of shared variables and of one thread's own only?
    pub modular: bool,
    /// What the checker had to decide.
    pub obligations: usize,
    /// What was checked about it.
    pub checked: String,
    /// The run, a line a step.
    pub trace: Vec<String>,
    /// What the engine did.
    pub work: String,
    /// The same as numbers, for JSON.
    pub numbers: Vec<(&'static str, u64)>,
    /// Evidence to keep, if that was asked for, as a JSON document.
    pub certificate: Option<String>,
    /// Lines of the file.
    pub source_lines: usize,
    /// Wall-clock time: reading, deciding, checking.
    pub seconds: [f64; 3],
}

/// What came of a file.
pub enum FiniteOutcome {
    /// It was decided, or not.
    Done(Box<Report>),
    /// The input is wrong, and was refused.
    BadInput(Box<Diagnostic>),
    /// The run was left behind: why.
    Abandoned(String),
}

impl FiniteOutcome {
    /// `safe`, `unsafe`, `unknown`, or `None` for bad input.
    pub fn verdict(&self) -> Option<&'static str> {
        match self {
            FiniteOutcome::BadInput(_) => None,
            FiniteOutcome::Abandoned(_) => Some("unknown"),
            FiniteOutcome::Done(r) => Some(match r.answer {
                Answer::Safe => "safe",
                Answer::Unsafe => "unsafe",
                Answer::Unknown(_) => "unknown",
            }),
        }
    }
}

/// The report for people. Its last line is the verdict.
pub fn text(outcome: &FiniteOutcome, full: bool) -> String {
    let mut out = String::new();
    let last = |style: Style, word: &str| format!("verdict: {style}{word}{style:#}\n");
    let r = match outcome {
        FiniteOutcome::BadInput(d) => return format!("{d}\n"),
        FiniteOutcome::Abandoned(why) => return format!("reason: {why}\n{}", last(DULL, "unknown")),
        FiniteOutcome::Done(r) => r,
    };
    let checks = r.checks.iter().filter(|c| c.0 > 0);
    let checks: Vec<String> =
        checks.map(|(n, what, _)| format!("{n} {what}{}", if *n == 1 { "" } else { "s" })).collect();
    let checks = if checks.is_empty() { "nothing".to_string() } else { checks.join(", ") };
    let _ = writeln!(out, "property: {}\nchecks: {checks}", r.property);
    for n in &r.notes {
        let _ = writeln!(out, "{DULL}note:{DULL:#} {n}");
    }
    for a in &r.assumes {
        let _ = writeln!(out, "{FAINT}assumes:{FAINT:#} {a}");
    }
    match &r.answer {
        Answer::Safe => {
            let _ = writeln!(out, "proof: {}\nchecked: {}\nfound: {}", r.proof, r.checked, r.work);
            out + &last(GOOD, "safe")
        }
        Answer::Unsafe => {
            // the beginning and the end say most
            let hidden = if full { 0 } else { r.trace.len().saturating_sub(SHOWN) };
            let (begin, rest) = r.trace.split_at(r.trace.len().min(SHOWN / 2));
            begin.iter().for_each(|line| out.push_str(&format!("{line}\n")));
            if hidden > 0 {
                let _ = writeln!(out, "       ... {hidden} more steps (-v shows them)");
            }
            rest.iter().skip(hidden).for_each(|line| out.push_str(&format!("{line}\n")));
            let _ = writeln!(out, "checked: the run was replayed\nfound: {}", r.work);
            out + &last(BAD, "unsafe")
        }
        Answer::Unknown(why) => {
            let _ = writeln!(out, "reason: {why}");
            if !r.work.is_empty() {
                let _ = writeln!(out, "so far: {}", r.work);
            }
            out + &last(DULL, "unknown")
        }
    }
}

/// All results as one document.
pub fn document(results: &[(String, FiniteOutcome)]) -> Document {
    Document {
        format: json::FORMAT,
        tool: "relyant".into(),
        version: env!("CARGO_PKG_VERSION").into(),
        results: results.iter().map(|(file, o)| entry(file, o)).collect(),
    }
}

fn entry(file: &str, outcome: &FiniteOutcome) -> Entry {
    let peak_memory_kib = relyant_cfa::memory::used_kib().map(|m| m.1);
    let verdict = outcome.verdict().map(String::from);
    let mut e = Entry { file: file.into(), verdict, peak_memory_kib, ..Entry::default() };
    match outcome {
        FiniteOutcome::Abandoned(why) => e.reason = Some(why.clone()),
        FiniteOutcome::BadInput(d) => e.error = Some((&**d).into()),
        FiniteOutcome::Done(r) => {
            match &r.answer {
                Answer::Safe => {
                    let (rule, modular, obligations) = (r.rule.into(), r.modular, r.obligations);
                    e.proof = Some(ProofEntry { rule, modular, obligations, ..ProofEntry::default() });
                }
                Answer::Unsafe => e.run.clone_from(&r.trace),
                Answer::Unknown(why) => e.reason = Some(why.clone()),
            }
            e.property.clone_from(&r.property);
            let counted = r.checks.iter().filter(|c| c.0 > 0);
            e.checks = counted.map(|(n, _, key)| ((*key).to_string(), *n)).collect();
            e.notes.clone_from(&r.notes);
            e.assumes.clone_from(&r.assumes);
            e.source_lines = r.source_lines;
            e.counts = r.numbers.iter().map(|(name, n)| ((*name).to_string(), *n)).collect();
            let [read, search, check] = r.seconds;
            e.seconds = SecondsEntry { read, search, prove: 0.0, check };
        }
    }
    e
}

/// A run, a line a step: what changes, and by which line of the input.
pub fn run(system: &System, target: &Target, run: &CoveringRun, seen: &Replayed) -> Vec<String> {
    let mut out = Vec::new();
    let Some(first) = seen.configs.first() else { return out };
    let what = if system.shared <= 1 { "token" } else { "thread" };
    let n = first.locals.total();
    let plural = if n == 1 { "" } else { "s" };
    out.push(format!("start       {} ({n} {what}{plural})", system.show(first)));
    for (i, (step, pair)) in run.steps.iter().zip(seen.configs.windows(2)).enumerate() {
        let [before, after] = pair else { continue };
        let line = system.transitions.get(step.transition).map_or(0, |t| t.place.line);
        out.push(format!("{:>5}  line {line:<5} {}", i + 1, change(system, before, after)));
    }
    if let (Some(last), Some(t)) = (seen.configs.last(), target.get(seen.target)) {
        out.push(format!("covers      {} with {}", system.show(t), system.show(last)));
    }
    out
}

/// What a step changes.
fn change(system: &System, before: &Config, after: &Config) -> String {
    let side = |a: &Config, b: &Config| {
        let c = Config::new(a.shared, a.locals.without(&b.locals));
        system.show(&c)
    };
    format!("{} -> {}", side(before, after), side(after, before))
}
