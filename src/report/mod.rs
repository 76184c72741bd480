//! What users read: text for people, JSON for programs, SARIF, JUnit XML and Markdown for what shows reports.

pub mod automaton;
pub mod columns;
mod evidence;
pub mod findings;
pub mod json;
pub mod junit;
pub mod markdown;
pub mod rewriting;
pub mod rules;
pub mod run;
pub mod sarif;
pub mod schema;
pub mod story;
pub mod text;

use crate::pipeline::Report;
use relyant_cfa::diagnostic::Diagnostic;
use relyant_engines::limits::Progress;

/// What came of one input file.
#[derive(Clone, Debug)]
pub enum FileOutcome {
    /// It was read, and there is a verdict.
    Verdict(Box<Report>),
    /// It is wrong or not supported.
    BadInput(Box<Diagnostic>),
    /// The run had to be left behind before it could say anything: why, and how far it was.
    Abandoned(String, Progress),
}

impl FileOutcome {
    /// `safe`, `unsafe`, `unknown`, or `None` for bad input.
    pub fn verdict(&self) -> Option<&'static str> {
        match self {
            FileOutcome::Verdict(r) => Some(r.verdict.word()),
            FileOutcome::BadInput(_) => None,
            FileOutcome::Abandoned(..) => Some("unknown"),
        }
    }
}

/// How far an engine came, in words; empty if it did not run.
pub fn standing(stats: &relyant_engines::watch::Stats) -> String {
    if stats.iterations == 0 {
        return String::new();
    }
    let plural = |n: usize, what: &str| if n == 1 { format!("1 {what}") } else { format!("{n} {what}s") };
    format!(
        "{}, {}, {}, {}",
        plural(stats.iterations as usize, "iteration"),
        plural(stats.predicates.0 + stats.predicates.1, "predicate"),
        plural(stats.states, "state"),
        match stats.transitions {
            0 => plural(stats.environment, "environment transition"),
            n => plural(n, "transition"),
        },
    )
}

/// How far the search came, in words.
pub fn seen(s: &relyant_engines::search::Stats) -> String {
    if s.states == 0 && s.runs > 0 {
        return format!("{} random run{}", s.runs, if s.runs == 1 { "" } else { "s" });
    }
    let states = if s.states == 1 { "1 state".to_string() } else { format!("{} states", s.states) };
    // Of states that were all seen at once nothing is known of how far they are.
    if s.depth == 0 { states } else { format!("{states}, all within {} steps", s.depth) }
}
