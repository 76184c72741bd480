//! What may help where there is no verdict, told by the kind of the reason, never by its text.

use crate::pipeline::Unknown;
use relyant_cfa::diagnostic::Diagnostic;
use relyant_engines::limits::Stop;
use relyant_engines::verdict::{Reason, Unseen};

/// A reason, and what may help.
pub(super) struct Advice {
    /// What ran out, in words.
    pub(super) ran_out: String,
    /// Where in the source, if that is known.
    pub(super) place: Option<Diagnostic>,
    /// Options, and why they may help.
    pub(super) tries: Vec<(String, &'static str)>,
}

/// What may help when time or memory is over.
pub(super) fn limits() -> Vec<(String, &'static str)> {
    vec![
        ("--timeout 600".into(), "more time"),
        ("--method rely-guarantee".into(), "all time for a proof: threads apart, no interleavings"),
        ("--method search".into(), "all time for the search: few threads, small numbers"),
    ]
}

/// The reasons, one by one.
pub(super) fn advice(why: &Unknown) -> Vec<Advice> {
    let one = |place, tries| vec![Advice { ran_out: why.to_string(), place, tries }];
    match why {
        Unknown::All(all) => all.iter().flat_map(advice).collect(),
        Unknown::Stopped(stop) => one(None, of_stop(stop)),
        Unknown::Engine(reason) => one(None, of_reason(reason)),
        Unknown::Refused(d) => {
            one(Some((**d).clone()), vec![("--method search".into(), "the search needs no proof program")])
        }
        Unknown::NotReproduced(_) | Unknown::Panic | Unknown::Replay(_) | Unknown::Deadlocks => {
            one(None, Vec::new())
        }
        Unknown::Proof(_) | Unknown::System(_) | Unknown::States(_) => one(None, Vec::new()),
    }
}

fn of_stop(stop: &Stop) -> Vec<(String, &'static str)> {
    match stop {
        Stop::Time(limit) => {
            let mut all = limits();
            if let Some(first) = all.first_mut() {
                first.0 = format!("--timeout {}", limit.as_secs().saturating_mul(5).max(1));
            }
            all
        }
        Stop::Memory(_) => {
            vec![("--method rely-guarantee".into(), "a proof keeps no states of all threads together")]
        }
        Stop::Patience | Stop::Interrupted | Stop::Terminated | Stop::NoThread => Vec::new(),
    }
}

fn of_reason(reason: &Reason) -> Vec<(String, &'static str)> {
    match reason {
        Reason::NotModular => {
            vec![("--method coverability".into(), "counts threads instead of proving each alone")]
        }
        Reason::Search { reason: Unseen::States | Unseen::Work | Unseen::Depth, .. } => {
            vec![("--method rely-guarantee".into(), "a proof looks at no interleavings")]
        }
        Reason::LargeProduct | Reason::LargeSystem => {
            vec![("--method rely-guarantee".into(), "proves each thread on its own, without the product")]
        }
        Reason::Replicated(inner) => of_reason(inner),
        Reason::Approximate => vec![(
            "--method rely-guarantee".into(),
            "a proof takes calls for more than they do, which the search cannot",
        )],
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn each_reason_has_its_own_advice() {
        let time = Unknown::Stopped(Stop::Time(Duration::from_secs(60)));
        let modular = Unknown::Engine(Reason::NotModular);
        let all = advice(&Unknown::All(vec![time, modular]));
        assert_eq!(all.len(), 2);
        assert_eq!(all[0].tries[0].0, "--timeout 300");
        assert_eq!(all[1].tries[0].0, "--method coverability");
        assert!(all[0].ran_out.contains("60 s"));
    }
}
