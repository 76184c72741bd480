//! Reports about rewriting systems: text and JSON.
//!
//! The JSON document is that of [`super::json`] as far as it applies: `format`, `tool`, `version`, `results` with
//! `file`, `verdict`, `reason`, `error`, `seconds`. A result has `terms`, `explored`, `rewrite_steps` and `depth`
//! beside it; an unsafe one `automaton` and `trace`, a safe one `closed_set`.

use super::json::InputError;
use relyant_cfa::diagnostic::Diagnostic;
use relyant_rewriting::ground::{Ground, Machine};
use relyant_rewriting::timbuk::System;
use relyant_rewriting::{Reachability, Report};
use serde::Serialize;
use std::collections::BTreeMap;

const PROPERTY: &str = "no bad term can be reached";

/// What came of one file.
pub enum RewritingOutcome {
    /// It was decided, or not.
    Verdict(Box<System>, Report),
    /// The input is wrong, and was refused.
    BadInput(Box<Diagnostic>),
    /// The run was left behind: why.
    Abandoned(String),
}

impl RewritingOutcome {
    /// `safe`, `unsafe`, `unknown`, or `None` for bad input.
    pub fn verdict(&self) -> Option<&'static str> {
        match self {
            RewritingOutcome::Verdict(_, r) => Some(r.verdict.word()),
            RewritingOutcome::BadInput(_) => None,
            RewritingOutcome::Abandoned(_) => Some("unknown"),
        }
    }
}

/// The report of one call of the tool about rewriting systems.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub struct Document {
    /// The format that it has, [`super::json::FORMAT`].
    pub format: u32,
    /// Who made it: always `relyant`.
    pub tool: &'static str,
    /// Version of the tool, not of the format.
    pub version: &'static str,
    /// One for each file.
    pub results: Vec<Entry>,
}

/// What came of one file.
#[derive(Debug, Default, Serialize, schemars::JsonSchema)]
pub struct Entry {
    /// Name of the file, as it was given.
    pub file: String,
    /// `safe`, `unsafe`, `unknown`; null when the input was refused.
    pub verdict: Option<&'static str>,
    /// Why it is unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What is wrong with the input.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<InputError>,
    /// What must not happen.
    pub property: &'static str,
    /// How many automata accept what is bad.
    pub checks: BTreeMap<&'static str, usize>,
    /// Terms found, not counting instances of others.
    pub terms: usize,
    /// Terms of which all successors are known.
    pub explored: usize,
    /// How many rewrite steps were made.
    pub rewrite_steps: u64,
    /// Rewrite steps from an initial term, at most.
    pub depth: u32,
    /// Terms of the closed set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub closed_set: Option<usize>,
    /// The automaton that accepts the last term.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub automaton: Option<String>,
    /// The rewrite sequence to a bad term, if one was found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trace: Option<Trace>,
    /// Wall-clock time, by stage.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seconds: Option<Seconds>,
}

/// A rewrite sequence of ground terms, as text.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub struct Trace {
    /// The initial term that it begins with.
    pub start: String,
    /// Its steps, in order.
    pub steps: Vec<Step>,
    /// The bad term that it ends with.
    pub end: String,
}

/// A rewrite step: a rule, and what it changes.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub struct Step {
    /// Line of the rule.
    pub line: u32,
    /// The rule as it is written.
    pub rule: String,
    /// What the step changes.
    pub changes: Vec<Change>,
}

/// A subterm that a step changes.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub struct Change {
    /// The subterm before the step.
    pub from: String,
    /// What stands in its place afterwards.
    pub to: String,
}

/// Wall-clock time of each stage, in seconds.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub struct Seconds {
    /// The search for a bad term or a closed set.
    pub search: f64,
    /// Check of what was found.
    pub check: f64,
}

/// What other reports have as well; the sequence is lines.
impl From<&Document> for super::json::Document {
    fn from(d: &Document) -> super::json::Document {
        let run = |t: &Trace| -> Vec<String> {
            let steps = t.steps.iter().map(|s| format!("line {}: {}", s.line, s.rule));
            std::iter::once(t.start.clone()).chain(steps).chain([t.end.clone()]).collect()
        };
        let result = |e: &Entry| super::json::Entry {
            file: e.file.clone(),
            verdict: e.verdict.map(String::from),
            reason: e.reason.clone(),
            error: e.error.clone(),
            property: e.property.into(),
            checks: e.checks.iter().map(|(what, n)| ((*what).to_string(), *n)).collect(),
            run: e.trace.as_ref().map(run).unwrap_or_default(),
            seconds: e.seconds.as_ref().map_or_else(Default::default, |s| super::json::SecondsEntry {
                search: s.search,
                check: s.check,
                ..Default::default()
            }),
            ..Default::default()
        };
        let results = d.results.iter().map(result).collect();
        super::json::Document { format: d.format, tool: d.tool.into(), version: d.version.into(), results }
    }
}

/// All results as one document.
pub fn document(results: &[(String, RewritingOutcome)]) -> Document {
    Document {
        format: super::json::FORMAT,
        tool: "relyant",
        version: env!("CARGO_PKG_VERSION"),
        results: results.iter().map(|(file, o)| entry(file, o)).collect(),
    }
}

fn entry(file: &str, outcome: &RewritingOutcome) -> Entry {
    let mut e = Entry { file: file.into(), verdict: outcome.verdict(), ..Entry::default() };
    match outcome {
        RewritingOutcome::Abandoned(why) => e.reason = Some(why.clone()),
        RewritingOutcome::BadInput(d) => {
            e.error = Some((&**d).into());
        }
        RewritingOutcome::Verdict(system, r) => {
            e.property = PROPERTY;
            e.checks = [("automata", system.automata.len())].into();
            let s = r.stats;
            (e.terms, e.explored, e.rewrite_steps, e.depth) = (s.terms, s.explored, s.steps, s.depth);
            e.seconds = Some(Seconds { search: r.seconds.0, check: r.seconds.1 });
            match &r.verdict {
                Reachability::Unknown(why) => e.reason = Some(why.to_string()),
                Reachability::Closed(n) => e.closed_set = Some(*n),
                Reachability::Reachable(path) => {
                    e.automaton = Some(path.automaton.clone());
                    e.trace = Some(trace(system, path));
                }
            }
        }
    }
    e
}

fn trace(system: &System, path: &relyant_rewriting::trace::Path) -> Trace {
    let m = Machine::new(system, 0);
    let mut before = &path.start;
    let mut steps = Vec::new();
    for step in &path.moves {
        let mut changes = Vec::new();
        differences(&m, before, &step.after, &mut changes);
        let (line, rule) = system.rules().nth(step.rule).map_or((0, String::new()), |r| {
            let (left, right) = (system.show(&r.left), system.show(&r.right));
            (r.place.line, format!("{left} -> {right}{}", system.show_condition(&r.condition)))
        });
        steps.push(Step { line, rule, changes });
        before = &step.after;
    }
    Trace { start: m.show(&path.start), steps, end: m.show(before) }
}

/// The smallest subterms that differ; arguments of AC operators are not looked into, so that a thread is shown whole.
fn differences(m: &Machine, a: &Ground, b: &Ground, out: &mut Vec<Change>) {
    if a == b {
        return;
    }
    match (a, b) {
        (Ground::App(f, xs), Ground::App(g, ys)) if f == g && !xs.is_empty() => {
            if !m.system().op(*f).ac {
                // a number alone would not say whose it is
                let numbers = |t: &Ground| m.value(t).is_some();
                if xs.iter().all(numbers) {
                    out.push(Change { from: m.show(a), to: m.show(b) });
                    return;
                }
                xs.iter().zip(ys.iter()).for_each(|(x, y)| differences(m, x, y, out));
                return;
            }
            let (mut from, mut to) = (xs.to_vec(), ys.to_vec());
            from.retain(|x| match to.iter().position(|y| x == y) {
                Some(i) => {
                    to.remove(i);
                    false
                }
                None => true,
            });
            let list = |terms: &[Ground]| match terms {
                [] => "nothing".to_string(),
                [t] => m.show(t),
                _ => m.show(&Ground::App(*f, terms.into())),
            };
            out.push(Change { from: list(&from), to: list(&to) });
        }
        _ => out.push(Change { from: m.show(a), to: m.show(b) }),
    }
}

/// The report for people.
pub fn text(outcome: &RewritingOutcome, verbose: bool) -> String {
    let (system, r) = match outcome {
        RewritingOutcome::BadInput(d) => return format!("{d}\n"),
        RewritingOutcome::Abandoned(why) => return format!("unknown: {why}\n"),
        RewritingOutcome::Verdict(system, r) => (system, r),
    };
    let plural = |n: u64, what: &str| if n == 1 { format!("1 {what}") } else { format!("{n} {what}s") };
    let mut out = String::new();
    let automata = plural(system.automata.len() as u64, "automaton").replace("automatons", "automata");
    out.push_str(&format!("property: {PROPERTY}\nchecks: {automata} of bad terms\n"));
    match &r.verdict {
        Reachability::Unknown(why) => out.push_str(&format!("unknown: {why}\n")),
        Reachability::Closed(n) => {
            out.push_str("safe: no bad term is reachable\n");
            let terms = plural(*n as u64, "term");
            out.push_str(&format!("  closed under rewriting and checked: {terms} with their instances\n"));
        }
        Reachability::Reachable(path) => {
            let steps = plural(path.moves.len() as u64, "rewrite step");
            out.push_str(&format!(
                "unsafe: a term that automaton {} accepts is reached in {steps} (replayed)\n",
                path.automaton
            ));
            let t = trace(system, path);
            out.push_str(&format!("  initial   {}\n", t.start));
            for (i, step) in t.steps.iter().enumerate() {
                let changes: Vec<String> =
                    step.changes.iter().map(|c| format!("{} -> {}", c.from, c.to)).collect();
                out.push_str(&format!("{:>5}  line {:<4} {}\n", i + 1, step.line, changes.join(", ")));
                if verbose {
                    out.push_str(&format!("             by {}\n", step.rule));
                }
            }
            out.push_str(&format!("  bad       {}\n", t.end));
        }
    }
    out.push_str(&format!(
        "  {} explored of {} found, {}, depth {}\n",
        plural(r.stats.explored as u64, "term"),
        r.stats.terms,
        plural(r.stats.steps, "rewrite step"),
        r.stats.depth
    ));
    out.push_str(&format!(
        "  {:.3} s: search {:.3}, check {:.3}\n",
        r.seconds.0 + r.seconds.1,
        r.seconds.0,
        r.seconds.1
    ));
    out
}
