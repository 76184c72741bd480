//! A run step by step, as a compiled program goes through it (`relyant reproduce`).

use relyant_cfa::diagnostic::Span;
use relyant_interp::Trace;
use relyant_interp::act::{Act, At, Deed};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// The run of a counterexample in all its steps that a compiled program has, too.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, schemars::JsonSchema)]
pub struct RunEntry {
    /// Names of the threads, by number: in order of creation, `main` is 0.
    pub threads: Vec<String>,
    /// Number of the thread that comes to the violation.
    pub fails: u32,
    /// In a data race: number of the thread that is about to do the other access.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub other: Option<u32>,
    /// Where the functions are called that the failing thread is in, the outermost first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub inside: Vec<Call>,
    /// What was done, in order.
    pub steps: Vec<RunStep>,
}

/// A step of a thread.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, schemars::JsonSchema)]
pub struct RunStep {
    /// Number of the thread.
    pub thread: u32,
    /// What it does.
    pub does: StepKind,
    /// The object that is accessed, or the function that gives the input.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub object: String,
    /// Which cell of the object: `[2]`, `.next`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub cell: String,
    /// What is read, written or given, the thread that is created or joined; absent for addresses.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<i128>,
    /// The cell is no memory of the program but the state of a lock or the like.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub model: bool,
    /// A compiled program does not have the cell, or it is of a string literal.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub hidden: bool,
    /// Done together with the thread's step before.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub held: bool,
    /// The value was chosen, as the program gives none: it was not initialised.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub chosen: bool,
    /// Where the functions are called that it is in, the outermost first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<Call>,
    /// File; empty when unknown.
    pub file: String,
    /// Line, from 1; 0 when unknown.
    pub line: u32,
    /// Column, from 1; 0 when unknown.
    pub column: u32,
}

/// What a step of a compiled program does.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum StepKind {
    /// Reads a cell.
    #[default]
    Read,
    /// Writes a cell.
    Write,
    /// Writes the first value of a cell.
    First,
    /// Takes an input.
    Input,
    /// Chooses a value for what is given none.
    Choice,
    /// Has one of several results of a function of the library.
    Outcome,
    /// Looks at what a signal is set to.
    Signal,
    /// Creates a thread.
    Create,
    /// Joins a thread.
    Join,
    /// Ends the thread.
    Exit,
    /// Ends the program.
    Halt,
}

/// Where a function is called.
#[derive(
    Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default, Serialize, Deserialize, schemars::JsonSchema,
)]
pub struct Call {
    /// File; empty when unknown.
    pub file: String,
    /// Line, from 1; 0 when unknown.
    pub line: u32,
    /// Column, from 1; 0 when unknown.
    pub column: u32,
}

impl From<&Trace> for RunEntry {
    fn from(t: &Trace) -> RunEntry {
        let name = |file: u32| t.files.get(file as usize).cloned().unwrap_or_default();
        let call = |s: &Span| Call { file: name(s.file), line: s.line, column: s.column };
        let mut choices = Choices::default();
        let steps = t.events.iter().filter_map(|e| {
            let act = e.act.as_ref()?;
            let chosen = choices.of(act);
            let (does, other) = match act.deed {
                Deed::Read => (StepKind::Read, None),
                Deed::Write => (StepKind::Write, None),
                Deed::First => (StepKind::First, None),
                Deed::Input => (StepKind::Input, None),
                Deed::Choice if act.object.is_empty() => return None,
                Deed::Choice => (StepKind::Choice, None),
                Deed::Signal(n) => (StepKind::Signal, Some(u32::from(n))),
                Deed::Create(new) => (StepKind::Create, Some(new)),
                Deed::Join(joined) => (StepKind::Join, Some(joined)),
                Deed::Outcome => (StepKind::Outcome, None),
                Deed::Exit => (StepKind::Exit, None),
                Deed::Halt => (StepKind::Halt, None),
            };
            Some(RunStep {
                thread: act.thread,
                does,
                object: act.object.clone(),
                cell: act.cell.clone(),
                value: other.map(i128::from).or(act.value),
                model: act.model,
                hidden: act.hidden,
                held: act.held,
                chosen,
                calls: act.calls.iter().map(call).collect(),
                file: name(e.span.file),
                line: e.span.line,
                column: e.span.column,
            })
        });
        let other = t.race.as_ref().and_then(|r| t.threads.iter().position(|n| *n == r.thread_name));
        RunEntry {
            threads: t.threads.clone(),
            fails: t.thread,
            other: other.and_then(|i| u32::try_from(i).ok()),
            steps: steps.collect(),
            inside: t.calls.iter().map(call).collect(),
        }
    }
}

/// Which values are choices.
#[derive(Default)]
struct Choices {
    /// The last step of each thread, where it was a choice.
    last: BTreeMap<u32, relyant_cfa::Reg>,
    /// Cells that hold a choice nobody has read.
    open: BTreeSet<At>,
    /// Cells that have been accessed.
    known: BTreeSet<At>,
}

impl Choices {
    /// Is the value of a step one that the program does not give?
    fn of(&mut self, act: &Act) -> bool {
        let last = self.last.remove(&act.thread);
        match (act.deed, act.at) {
            (Deed::Choice, _) => {
                self.last.extend(act.register.map(|r| (act.thread, r)));
                true
            }
            (Deed::Write | Deed::First, Some(at)) => {
                self.known.insert(at);
                let chosen = last.is_some() && act.register == last;
                match chosen {
                    true => self.open.insert(at),
                    false => self.open.remove(&at),
                };
                chosen
            }
            (Deed::Read, Some(at)) => (self.known.insert(at) && at.open) | self.open.remove(&at),
            _ => false,
        }
    }
}

/// What came of a counterexample that was compiled and run.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Attempt {
    /// How often it failed as found.
    pub failed: u32,
    /// How often it was run.
    pub runs: u32,
    /// Why a run did not fail as found; empty when all did.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reason: String,
    /// What had to be done for that; empty when the source is compiled as it is.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub way: String,
    /// Seconds that it took to compile.
    pub built: f64,
    /// Seconds of all runs.
    pub ran: f64,
}

impl Attempt {
    /// Did each run fail as found?
    pub fn succeeded(&self) -> bool {
        self.runs > 0 && self.failed == self.runs
    }
}
