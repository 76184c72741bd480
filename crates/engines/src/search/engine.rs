//! The search as an engine.

use super::{Reason, SearchOutcome, Settings, Strategy, few, search};
use crate::engine::{Choice, Claim, Engine, Finding, Needs, Task};
use crate::verdict;
use crate::watch::{Standing, Watch};
use relyant_cfa::{Limit, LocationKind, Program};
use relyant_check::states::{Encoding, Space};
use std::time::Instant;

/// By which it is asked for, and which reports say.
pub const NAME: &str = "search";

/// The words that ask for it.
const WORDS: [Choice; 1] = [Choice::plain("search", "The search of states alone")];

/// The search of interleavings: with each of these settings, until one has seen all that it can see.
#[derive(Clone, Debug)]
pub struct Interleavings(pub Vec<Settings>);

impl Engine for Interleavings {
    fn name(&self) -> &'static str {
        NAME
    }

    fn choices(&self) -> &'static [Choice] {
        &WORDS
    }

    fn needs(&self) -> Needs {
        Needs::Search
    }

    fn run(&self, task: &Task<'_>, watch: &Watch<'_>) -> Finding {
        let program = task.search;
        if program.approximate {
            return Finding::nothing(verdict::Reason::Approximate);
        }
        let mut finding = Finding::nothing(verdict::Reason::Stopped);
        for settings in &self.0 {
            let start = Instant::now();
            let (outcome, stats) = match search(program, settings, watch) {
                Ok(found) => found,
                Err(stop) => {
                    finding.claim = Err(verdict::Reason::Program(stop));
                    break;
                }
            };
            finding.standing = Some(Standing::Searched(stats));
            finding.seconds = start.elapsed().as_secs_f64();
            let more = matches!(outcome, SearchOutcome::Limit { reason, .. } if !is_last(reason));
            finding.claim = claim(program, outcome);
            if !more || watch.cancelled() {
                break;
            }
        }
        finding
    }
}

/// Random runs, within the limits of these settings.
#[derive(Clone, Copy, Debug)]
pub struct Chances(pub Settings);

impl Engine for Chances {
    fn name(&self) -> &'static str {
        "random runs"
    }

    fn needs(&self) -> Needs {
        Needs::Search
    }

    fn run(&self, task: &Task<'_>, watch: &Watch<'_>) -> Finding {
        // The searches tell how far they are.
        let quiet = Watch { progress: &|_| (), ..*watch };
        Interleavings(vec![Settings { strategy: Strategy::Random, ..self.0 }]).run(task, &quiet)
    }
}

/// Where many threads are created, a run that few of them have: within the limits of these settings.
#[derive(Clone, Copy, Debug)]
pub struct FewThreads(pub Settings);

impl Engine for FewThreads {
    fn name(&self) -> &'static str {
        "few threads"
    }

    fn needs(&self) -> Needs {
        Needs::Search
    }

    fn run(&self, task: &Task<'_>, watch: &Watch<'_>) -> Finding {
        if task.search.approximate {
            return Finding::nothing(verdict::Reason::Approximate);
        }
        let claim = match few::run(task.search, &self.0, watch) {
            Ok(Some(schedule)) => Ok(Claim::Schedule { schedule, shortest: false }),
            Ok(None) => Err(verdict::Reason::Stopped),
            Err(stop) => Err(verdict::Reason::Program(stop)),
        };
        Finding { claim, standing: None, seconds: 0.0 }
    }
}

/// Has a search that ended like this seen all that any order of states would show?
fn is_last(reason: Reason) -> bool {
    matches!(reason, Reason::Inputs | Reason::Bound { .. })
}

fn claim(program: &Program, outcome: SearchOutcome) -> Result<Claim, verdict::Reason> {
    match outcome {
        SearchOutcome::Violation { schedule, shortest } => Ok(Claim::Schedule { schedule, shortest }),
        SearchOutcome::Exhausted(space) => Ok(Claim::Space(
            Space::new(Encoding { symmetry: space.symmetry() }, space.states())
                .with_order(space.order().cloned())
                .with_points(space.points().cloned()),
        )),
        SearchOutcome::Limit { reason, depth } => Err(match bound(program, reason) {
            Some(what) => verdict::Reason::Bound(what.clone()),
            None => verdict::Reason::Search { depth, reason },
        }),
    }
}

/// The bound of the program that a search came to.
fn bound(program: &Program, reason: Reason) -> Option<&Limit> {
    let Reason::Bound { template, location } = reason else { return None };
    let template = program.templates.get(template as usize)?;
    match &template.graph.locations.get(location as usize)?.kind {
        LocationKind::Limit(what) => Some(what),
        _ => None,
    }
}
