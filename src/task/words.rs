//! Verdicts in SV-COMP's words.

use crate::pipeline::Verdict;
use crate::report::FileOutcome;
use relyant_cfa::options::Property as Asked;

/// `true`, `false(…)` with the property that is violated, or `unknown`, where this was asked.
pub fn of(outcome: &FileOutcome, asked: Asked) -> String {
    let FileOutcome::Verdict(report) = outcome else { return "unknown".into() };
    match &report.verdict {
        Verdict::Safe(_) => "true".into(),
        Verdict::Unsafe { trace, .. } => {
            format!("false({})", violated(&trace.violation, trace.waiting.is_empty(), asked))
        }
        Verdict::Unknown(_) => "unknown".into(),
    }
}

/// The property that a violation is one of.
fn violated(violation: &str, moves: bool, asked: Asked) -> &'static str {
    match (asked, violation) {
        _ if !moves => "no-deadlock",
        (Asked::NoDataRace, _) => "no-data-race",
        (Asked::NoOverflow, _) | (_, "signed overflow") => "no-overflow",
        (Asked::ValidMemory, v) if v.starts_with("memory leak") => "valid-memtrack",
        (Asked::ValidMemory, v) if v.contains("free") => "valid-free",
        (Asked::ValidMemory, _) => "valid-deref",
        (Asked::NoDeadlock, _) => "no-deadlock",
        (Asked::Assertions, _) => "unreach-call",
    }
}
