//! The report as JSON (`--format json`): one document whatever happens.
//!
//! `docs/FORMATS.md` has an example. `verdict` is `safe`, `unsafe`, `unknown` (with `reason`) or null (with `error`: the input was
//! refused). What does not apply is left out.

use super::FileOutcome;
pub use super::evidence::ProofEntry;
use super::rules::Rule;
use super::run::{Attempt, RunEntry};
use super::story::Story;
use crate::pipeline::{Hint, Report, Verdict};
use relyant_cfa::diagnostic::Diagnostic;
use relyant_cfa::{Count, InputSource};
use relyant_engines::watch::Stats;
use relyant_interp::{NamedValue, RacingAccess, Trace, TraceStep, Waiting};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Version of the format: raised when a field changes its meaning or goes.
pub const FORMAT: u32 = 1;

/// The report of one call of the tool, whatever happens.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Document {
    /// The format that it has, [`FORMAT`].
    pub format: u32,
    /// Who made it: always `relyant`.
    pub tool: String,
    /// Version of the tool, not of the format.
    pub version: String,
    /// One for each input file, in the order they were given.
    pub results: Vec<Entry>,
}

/// What may help where there is no verdict.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct HintEntry {
    /// The file that the lines are of, as the program names it; none where the whole program is meant.
    pub file: Option<String>,
    /// Lines of the loop or the inputs that it is about.
    pub lines: Vec<u32>,
    /// One sentence.
    pub text: String,
}

/// What came of one file.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Entry {
    /// Name of the file, as it was given.
    pub file: String,
    /// Further files of the same program.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub more_files: Vec<String>,
    /// `safe`, `unsafe`, `unknown`; null when the input was refused.
    pub verdict: Option<String>,
    /// Why it is unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What is wrong with the input.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<InputError>,
    /// What was decided, in words: all that must not happen.
    #[serde(default)]
    pub property: String,
    /// How many places the property is about, by kind, in functions that can be reached.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub checks: BTreeMap<String, usize>,
    /// What a reader of the verdict should know: that there was nothing to check, say.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// What the verdict assumes of the program, a line each.
    #[serde(default)]
    pub assumes: Vec<String>,
    /// Where the proof engine had to take the program for more than it is.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub losses: Vec<String>,
    /// Where there is no verdict: what may help.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hints: Vec<HintEntry>,
    /// Lines of the source file.
    #[serde(default)]
    pub source_lines: usize,
    /// Templates of threads with their numbers, `main` among them.
    #[serde(default)]
    pub threads: Vec<Thread>,
    /// The counterexample, of an unsafe program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace: Option<TraceEntry>,
    /// What came of the counterexample as a program that was compiled and run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reproduced: Option<Attempt>,
    /// The run of finite-state threads, a line a step.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub run: Vec<String>,
    /// What the engines for finite-state threads did, in numbers.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub counts: BTreeMap<String, u64>,
    /// The proof, of a safe program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proof: Option<ProofEntry>,
    /// Which engine found the evidence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answered_by: Option<String>,
    /// The numbers with which refinement ended, if it ran.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub engine: Option<Engine>,
    /// Where the search ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub search: Option<Search>,
    /// Wall-clock time, by stage.
    #[serde(default)]
    pub seconds: SecondsEntry,
    /// The most memory the process ever used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub peak_memory_kib: Option<u64>,
}

/// Why an input was refused, and where.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct InputError {
    /// Name of the file that it is in.
    pub file: String,
    /// Line from 1, or 0.
    pub line: u32,
    /// Column from 1, or 0.
    pub column: u32,
    /// What is wrong, on one line.
    pub message: String,
    /// What to do about it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub help: String,
}

/// A thread of the program.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Thread {
    /// Name of the start routine, numbered when there are several.
    pub name: String,
    /// At most how many; null: any number.
    pub count: Option<u32>,
}

/// Numbers of the refinement, from its last fixpoint.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Engine {
    /// How many fixpoints were computed.
    pub iterations: u32,
    /// Predicates on states, of all threads together.
    pub state_predicates: usize,
    /// Predicates on environment transitions.
    pub transition_predicates: usize,
    /// Abstract states of the last fixpoint.
    pub states: usize,
    /// Environment transitions of the last fixpoint.
    pub environment: usize,
    /// Transitions of the system of replicated threads, where there is one.
    #[serde(default, skip_serializing_if = "is_none")]
    pub transitions: usize,
}

/// Is there nothing to tell?
fn is_none(n: &usize) -> bool {
    *n == 0
}

/// Numbers of the search of interleavings.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Search {
    /// How many different states were seen.
    pub states: usize,
    /// Steps done, those to states seen before included.
    pub steps: u64,
    /// Visible steps to the last states that were all seen.
    pub depth: u32,
    /// Bytes kept of all states.
    pub bytes: usize,
    /// Wall-clock time that it took, in seconds.
    pub seconds: f64,
}

/// Wall-clock time of each stage, in seconds; 0 for one that was not.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct SecondsEntry {
    /// Reading the source, and making programs of it.
    pub read: f64,
    /// The quick search before a proof is tried.
    pub search: f64,
    /// Engines, until one had evidence or all gave up.
    pub prove: f64,
    /// Checking the proof, or replaying the run.
    pub check: f64,
}

/// A variable and a value.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Assignment {
    /// Variable, or the function that gave an input (empty: an uninitialised object).
    pub name: String,
    /// The value that it has then: of a floating type its bits, of an enumeration its number, of a pointer a number of ours.
    pub value: i128,
    /// The same as the source writes it: `2.5`, `BLUE`, `&node1->next`.
    #[serde(default)]
    pub text: String,
}

/// A counterexample, in terms of the source.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct TraceEntry {
    /// What was violated: `assertion`, `data race`, `deadlock`…
    pub violation: String,
    /// The kind of it, a name that stays ([`super::rules`]): `assertion`, `data-race`, `deadlock`…
    #[serde(default)]
    pub kind: String,
    /// No run with fewer steps gets there.
    #[serde(default)]
    pub shortest: bool,
    /// The thread that came to the violation.
    pub thread: String,
    /// File in which that is; empty when unknown.
    pub file: String,
    /// Line of it, from 1; 0 when unknown.
    pub line: u32,
    /// Column of it, from 1; 0 when unknown.
    pub column: u32,
    /// Start values of what has no fixed one.
    pub start: Vec<Assignment>,
    /// What was done, in order.
    pub steps: Vec<StepEntry>,
    /// The same as a compiled program does it (`relyant reproduce`).
    #[serde(default)]
    pub run: RunEntry,
    /// The same for people: with names of threads, values read, locks, and in a sentence what went wrong.
    #[serde(default)]
    pub story: Story,
    /// In a data race: the step of the other access, which was about to happen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub race: Option<StepEntry>,
    /// In a data race: both accesses, that of the thread above first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub accesses: Vec<AccessEntry>,
    /// All pairs of accesses that race, where there are several.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub races: Vec<Vec<AccessEntry>>,
    /// The runs to those after the first one, in their order; of each the story alone says what was done.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub race_runs: Vec<TraceEntry>,
    /// In a deadlock: the threads that have not ended, and where they wait.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub waiting: Vec<WaitingEntry>,
}

impl TraceEntry {
    /// The kind of what was violated; `None`: no kind that is known here.
    pub fn rule(&self) -> Option<Rule> {
        super::rules::named(&self.kind)
    }
}

/// A thread that waits in a deadlock.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct WaitingEntry {
    /// Its name.
    pub thread: String,
    /// File in which it waits; empty when unknown.
    pub file: String,
    /// Line of it, from 1; 0 when unknown.
    pub line: u32,
    /// Column of it, from 1; 0 when unknown.
    pub column: u32,
    /// Text of the line.
    pub statement: String,
}

/// An access of a data race.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct AccessEntry {
    /// `write`, `read` or `free`.
    pub kind: String,
    /// The thread that does it.
    pub thread: String,
    /// File of the access; empty when unknown.
    pub file: String,
    /// Line of it, from 1; 0 when unknown.
    pub line: u32,
    /// Column of it, from 1; 0 when unknown.
    pub column: u32,
    /// Text of the line.
    pub statement: String,
    /// Name of the cell; empty when unknown.
    #[serde(default)]
    pub object: String,
    /// The calls that led there, the last one first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<CallEntry>,
    /// Locks that the thread holds alone.
    pub locks: Vec<String>,
    /// Where the thread was created; absent for one that runs from the start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created: Option<PlaceEntry>,
}

/// A call that a thread is in.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct CallEntry {
    /// Name of the function that was called.
    pub function: String,
    /// Where the call stands; absent for a start routine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub called: Option<PlaceEntry>,
}

/// A place in the source.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct PlaceEntry {
    /// File of the place; empty when unknown.
    pub file: String,
    /// Line of it, from 1; 0 when unknown.
    pub line: u32,
    /// Column of it, from 1; 0 when unknown.
    pub column: u32,
}

/// A step of a counterexample.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct StepEntry {
    /// The thread that does it.
    pub thread: String,
    /// File of the statement; empty when unknown.
    pub file: String,
    /// Line of it, from 1; 0 when unknown.
    pub line: u32,
    /// Column of it, from 1; 0 when unknown.
    pub column: u32,
    /// Text of the line.
    pub statement: String,
    /// Variables that were written, with their new values.
    pub changes: Vec<Assignment>,
    /// Inputs that were taken, with their values.
    pub inputs: Vec<Assignment>,
    /// The access that the thread is about to do: `write x`, `read x`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub about_to: Option<String>,
}

/// The document for these outcomes.
pub fn document(outcomes: &[(String, FileOutcome)], peak_memory_kib: Option<u64>) -> Document {
    Document {
        format: FORMAT,
        tool: "relyant".into(),
        version: env!("CARGO_PKG_VERSION").into(),
        results: outcomes.iter().map(|(file, o)| entry(file, o, peak_memory_kib)).collect(),
    }
}

/// What is said of one file that was read.
pub fn of(file: &str, report: &Report) -> Entry {
    let verdict = Some(report.verdict.word().into());
    let mut e = Entry { file: file.into(), verdict, ..Entry::default() };
    fill(&mut e, report);
    e
}

fn entry(file: &str, outcome: &FileOutcome, peak_memory_kib: Option<u64>) -> Entry {
    let verdict = outcome.verdict().map(String::from);
    let mut e = Entry { file: file.into(), verdict, peak_memory_kib, ..Entry::default() };
    match outcome {
        FileOutcome::Verdict(r) => fill(&mut e, r),
        FileOutcome::BadInput(d) => e.error = Some((&**d).into()),
        FileOutcome::Abandoned(reason, progress) => {
            e.reason = Some(format!("{reason}{}", progress.stage.during()));
            e.engine = (progress.stats.iterations > 0).then(|| engine(&progress.stats));
        }
    }
    e
}

fn fill(e: &mut Entry, r: &Report) {
    e.assumes.clone_from(&r.assumes);
    e.losses.clone_from(&r.losses);
    e.hints = r.hints.iter().map(HintEntry::from).collect();
    e.source_lines = r.source_lines;
    e.threads = r
        .threads
        .iter()
        .map(|(name, count)| Thread {
            name: name.clone(),
            count: match count {
                Count::AtMost(n) => Some(*n),
                Count::Unbounded => None,
            },
        })
        .collect();
    e.engine = r.stats.as_ref().map(engine);
    e.property = r.property.clone();
    e.checks = r.checks.counts.iter().map(|(c, n)| (c.key().to_string(), *n)).collect();
    e.notes.clone_from(&r.checks.notes);
    e.answered_by = r.engine.map(Into::into);
    e.search = r.searched.map(|s| Search {
        states: s.stats.states,
        steps: s.stats.steps,
        depth: s.stats.depth,
        bytes: s.stats.bytes,
        seconds: s.seconds,
    });
    let s = r.seconds;
    e.seconds = SecondsEntry { read: s.read, search: s.search, prove: s.prove, check: s.check };
    match &r.verdict {
        Verdict::Safe(evidence) => e.proof = Some(ProofEntry::of(evidence)),
        Verdict::Unsafe { trace: t, shortest } => {
            let pairs: &[_] = if r.races.pairs.len() > 1 { &r.races.pairs } else { &[] };
            let races = pairs.iter().map(|p| p.iter().map(access).collect()).collect();
            let race_runs = r.races.runs.iter().map(told).collect();
            e.trace = Some(TraceEntry { shortest: *shortest, races, race_runs, ..trace(t) });
        }
        Verdict::Unknown(reason) => e.reason = Some(reason.to_string()),
    }
}

impl From<&Hint> for HintEntry {
    fn from(h: &Hint) -> HintEntry {
        let (file, lines) = h.place.clone().map_or((None, Vec::new()), |(file, lines)| (Some(file), lines));
        HintEntry { file, lines, text: h.text.clone() }
    }
}

impl From<&Diagnostic> for InputError {
    fn from(d: &Diagnostic) -> InputError {
        InputError {
            file: d.file.clone(),
            line: d.line,
            column: d.column,
            message: d.message.clone(),
            help: d.help.clone(),
        }
    }
}

fn engine(s: &Stats) -> Engine {
    Engine {
        iterations: s.iterations,
        state_predicates: s.predicates.0,
        transition_predicates: s.predicates.1,
        states: s.states,
        environment: s.environment,
        transitions: s.transitions,
    }
}

/// A counterexample as JSON has it.
pub fn trace(t: &Trace) -> TraceEntry {
    TraceEntry {
        violation: t.violation.to_string(),
        kind: super::rules::of(&t.violation).id.into(),
        shortest: false,
        thread: t.thread_name.clone(),
        file: t.place.0.clone(),
        line: t.place.1,
        column: t.place.2,
        start: t.start.iter().map(Assignment::from).collect(),
        steps: t.steps.iter().map(step).collect(),
        run: RunEntry::from(t),
        story: Story::from(t),
        race: t.race.as_ref().map(step),
        accesses: t.accesses.iter().map(access).collect(),
        races: Vec::new(),
        race_runs: Vec::new(),
        waiting: t.waiting.iter().map(waiting).collect(),
    }
}

/// A counterexample of which nothing but the story says what was done.
fn told(t: &Trace) -> TraceEntry {
    let all = trace(t);
    TraceEntry { steps: Vec::new(), run: RunEntry { steps: Vec::new(), ..all.run }, ..all }
}

fn waiting(w: &Waiting) -> WaitingEntry {
    WaitingEntry {
        thread: w.thread_name.clone(),
        file: w.file.clone(),
        line: w.line,
        column: w.column,
        statement: w.statement.clone(),
    }
}

fn place(at: &Option<(String, u32, u32)>) -> Option<PlaceEntry> {
    at.as_ref().map(|(file, line, column)| PlaceEntry { file: file.clone(), line: *line, column: *column })
}

fn access(a: &RacingAccess) -> AccessEntry {
    AccessEntry {
        kind: a.access.verb().into(),
        thread: a.thread_name.clone(),
        file: a.file.clone(),
        line: a.line,
        column: a.column,
        statement: a.statement.clone(),
        object: a.object.clone(),
        calls: a
            .calls
            .iter()
            .map(|c| CallEntry { function: c.function.clone(), called: place(&c.called) })
            .collect(),
        locks: a.locks.clone(),
        created: place(&a.created),
    }
}

fn step(s: &TraceStep) -> StepEntry {
    StepEntry {
        thread: s.thread_name.clone(),
        file: s.file.clone(),
        line: s.line,
        column: s.column,
        statement: s.statement.clone(),
        changes: s.changes.iter().map(Assignment::from).collect(),
        inputs: s.inputs.iter().map(|(source, v)| input(source, *v)).collect(),
        about_to: s.about_to.as_ref().map(|a| format!("{} {}", a.access().verb(), a.object)),
    }
}

impl From<&NamedValue> for Assignment {
    fn from(v: &NamedValue) -> Assignment {
        Assignment { name: v.name.clone(), value: v.number, text: v.text.clone() }
    }
}

fn input(source: &InputSource, value: i128) -> Assignment {
    Assignment { name: source.to_string(), value, text: value.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refused_input_keeps_its_place() {
        let d = Diagnostic {
            file: "a.c".into(),
            line: 3,
            column: 7,
            message: "unknown function `f`".into(),
            help: String::new(),
            source_line: None,
        };
        let doc = document(&[("a.c".into(), FileOutcome::BadInput(Box::new(d)))], None);
        let text = serde_json::to_string(&doc).unwrap();
        let back: Document = serde_json::from_str(&text).unwrap();
        assert_eq!(back, doc);
        let e = back.results[0].error.as_ref().unwrap();
        assert_eq!((e.line, e.column, back.results[0].verdict.as_deref()), (3, 7, None));
    }

    #[test]
    fn numbers_are_whole() {
        let a = Assignment { name: "x".into(), value: i128::from(u64::MAX), text: "x".into() };
        let text = serde_json::to_string(&a).unwrap();
        assert_eq!(text, r#"{"name":"x","value":18446744073709551615,"text":"x"}"#);
        assert_eq!(serde_json::from_str::<Assignment>(&text).unwrap(), a);
    }
}
