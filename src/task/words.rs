//! Verdicts in SV-COMP's words.

use crate::pipeline::Verdict;
use crate::report::FileOutcome;
use relyant_cfa::Violated;
use relyant_cfa::options::Property as Asked;

/// `true`, `false(…)` with the property that is violated, or `unknown`, where this was asked.
pub fn of(outcome: &FileOutcome, asked: Asked) -> String {
    let FileOutcome::Verdict(report) = outcome else { return "unknown".into() };
    match &report.verdict {
        Verdict::Safe(_) => "true".into(),
        Verdict::Unsafe { trace, .. } => {
            format!("false({})", violated(&trace.violation, asked))
        }
        Verdict::Unknown(_) => "unknown".into(),
    }
}

/// The property that a violation is one of.
fn violated(violation: &Violated, asked: Asked) -> &'static str {
    match (asked, violation) {
        (_, Violated::Deadlock) => "no-deadlock",
        (Asked::NoDataRace, _) => "no-data-race",
        (Asked::NoOverflow, _) | (_, Violated::SignedOverflow) => "no-overflow",
        (Asked::ValidMemory, Violated::Leak { .. }) => "valid-memtrack",
        (Asked::ValidMemory, Violated::DoubleFree | Violated::FreeOfNoBlock) => "valid-free",
        (Asked::ValidMemory, _) => "valid-deref",
        (Asked::NoDeadlock, _) => "no-deadlock",
        (Asked::Assertions, _) => "unreach-call",
    }
}
