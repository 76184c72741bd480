//! Reports about replicated finite-state threads: text and JSON.
//!
//! The JSON document is that of [`crate::report::json`] as far as it applies: `format`, `tool`, `version`, `results`
//! with `file`, `verdict`, `reason`, `error`, `assumes`, `proof`, `seconds`, `peak_memory_kib`. A result has numbers of
//! the engine beside it; an unsafe one has `run`, a list of lines.

use crate::report::json::{self, InputError};
use anstyle::{AnsiColor, Style};
use relyant_finite::evidence::{Replayed, Run};
use relyant_finite::model::{Config, System, Target};
use relyant_frontend::diagnostic::Diagnostic;
use serde_json::{Value, json};
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
    /// Proved.
    Safe,
    /// Refuted by a run.
    Unsafe,
    /// Neither: why.
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
    /// The answer.
    pub answer: Answer,
    /// What it takes for granted.
    pub assumes: Vec<String>,
    /// What the proof is, if there is one.
    pub proof: String,
    /// Its kind, in a word.
    pub rule: &'static str,
    /// What was checked about it.
    pub checked: String,
    /// The run, a line a step.
    pub trace: Vec<String>,
    /// What the engine did.
    pub work: String,
    /// The same as numbers, for JSON.
    pub numbers: Vec<(&'static str, u64)>,
    /// Evidence to keep, as a JSON document.
    pub certificate: Option<Value>,
    /// Wall-clock time: reading, deciding, checking.
    pub seconds: [f64; 3],
}

/// What came of a file.
pub enum Outcome {
    /// It was decided, or not.
    Done(Box<Report>),
    /// It is wrong.
    BadInput(Box<Diagnostic>),
    /// The run was left behind: why.
    Abandoned(String),
}

impl Outcome {
    /// `safe`, `unsafe`, `unknown`, or `None` for bad input.
    pub fn verdict(&self) -> Option<&'static str> {
        match self {
            Outcome::BadInput(_) => None,
            Outcome::Abandoned(_) => Some("unknown"),
            Outcome::Done(r) => Some(match r.answer {
                Answer::Safe => "safe",
                Answer::Unsafe => "unsafe",
                Answer::Unknown(_) => "unknown",
            }),
        }
    }
}

/// The report for people. Its last line is the verdict.
pub fn text(outcome: &Outcome, full: bool) -> String {
    let mut out = String::new();
    let last = |style: Style, word: &str| format!("verdict: {style}{word}{style:#}\n");
    let r = match outcome {
        Outcome::BadInput(d) => return format!("{d}\n"),
        Outcome::Abandoned(why) => return format!("reason: {why}\n{}", last(DULL, "unknown")),
        Outcome::Done(r) => r,
    };
    for a in &r.assumes {
        let _ = writeln!(out, "{FAINT}assumes:{FAINT:#} {a}");
    }
    match &r.answer {
        Answer::Safe => {
            let _ = writeln!(out, "proof: {}\nchecked: {}\nfound: {}", r.proof, r.checked, r.work);
            out + &last(GOOD, "safe")
        }
        Answer::Unsafe => {
            let hidden = if full { 0 } else { r.trace.len().saturating_sub(SHOWN) };
            let from = r.trace.len() - hidden;
            for (i, line) in r.trace.iter().enumerate() {
                // the beginning and the end say most
                if hidden > 0 && i == SHOWN / 2 {
                    let _ = writeln!(out, "       ... {hidden} more steps (-v shows them)");
                }
                if hidden == 0 || i < SHOWN / 2 || i >= SHOWN / 2 + (r.trace.len() - from) {
                    let _ = writeln!(out, "{line}");
                }
            }
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
pub fn document(results: &[(String, Outcome)]) -> Value {
    let entries: Vec<Value> = results.iter().map(|(file, o)| entry(file, o)).collect();
    json!({
        "format": json::FORMAT, "tool": "relyant", "version": env!("CARGO_PKG_VERSION"), "results": entries,
    })
}

fn entry(file: &str, outcome: &Outcome) -> Value {
    let peak = crate::limits::memory_kib().map(|m| m.1);
    let mut e = json!({ "file": file, "verdict": outcome.verdict(), "peak_memory_kib": peak });
    let Value::Object(map) = &mut e else { return e };
    let mut put = |name: &str, value: Value| drop(map.insert(name.into(), value));
    match outcome {
        Outcome::Abandoned(why) => put("reason", json!(why)),
        Outcome::BadInput(d) => {
            let error = InputError {
                file: d.file.clone(),
                line: d.line,
                column: d.column,
                message: d.message.clone(),
                help: d.help.clone(),
            };
            put("error", json!(error));
        }
        Outcome::Done(r) => {
            if let Answer::Unknown(why) = &r.answer {
                put("reason", json!(why));
            }
            put("assumes", json!(r.assumes));
            if r.answer == Answer::Safe {
                let obligations = r.numbers.iter().find(|x| x.0 == "obligations").map_or(0, |x| x.1);
                put("proof", json!({ "rule": r.rule, "modular": false, "obligations": obligations }));
            }
            if r.answer == Answer::Unsafe {
                put("run", json!(r.trace));
            }
            r.numbers.iter().for_each(|(name, n)| put(name, json!(n)));
            let [read, search, check] = r.seconds;
            put("seconds", json!({ "read": read, "search": search, "prove": 0.0, "check": check }));
        }
    }
    e
}

/// A run, a line a step: what changes, and by which line of the input.
pub fn run(system: &System, target: &Target, run: &Run, seen: &Replayed) -> Vec<String> {
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
