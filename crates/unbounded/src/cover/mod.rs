//! Coverability: is there a number of threads with which the target can be covered?

mod concrete;
mod ideals;
mod minimal;
mod oracle;
mod pre;
mod reach;
mod run;
mod search;
mod weights;

use relyant_finite::evidence::{self, Certificate, CoveringRun};
use relyant_finite::model::{Malformed, System, Target};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// How to search: each part can be left out, for comparison.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CoverOptions {
    /// Threads of a widening candidate at most; `None`: no widening, which is the classical
    /// backward search.
    pub widen: Option<u32>,
    /// In nets, where a place says less than a local state beside a shared one, every other attempt widens by so many.
    pub widen_net: Option<u32>,
    /// Forget predecessors that something smaller covers, and find them again when that is pruned (section 3.5). Without,
    /// they stay, each in its tree (algorithm 3 itself): more memory, and nothing is expanded again for their sake.
    pub lean: bool,
    /// Have the oracle run beside the search.
    pub oracle: bool,
    /// Exclude thread states that are not reachable for any number of threads.
    pub reach: bool,
    /// Look for linear invariants.
    pub invariants: bool,
}

impl Default for CoverOptions {
    fn default() -> CoverOptions {
        CoverOptions {
            widen: Some(1),
            widen_net: Some(3),
            lean: true,
            oracle: true,
            reach: true,
            invariants: true,
        }
    }
}

impl CoverOptions {
    /// The classical backward search alone (Abdulla and others, LICS 1996).
    pub fn backward() -> CoverOptions {
        CoverOptions {
            widen: None,
            widen_net: None,
            lean: true,
            oracle: false,
            reach: false,
            invariants: false,
        }
    }
}

/// When to give up. All but `cancel` are counts, so that the answer does not depend on the machine.
#[derive(Clone, Copy, Debug)]
pub struct Limits<'a> {
    /// Vertices of the search, and nodes of the oracle.
    pub vertices: usize,
    /// Bytes that vertices may take.
    pub bytes: usize,
    /// Stops the search when it is set.
    pub cancel: &'a AtomicBool,
}

impl<'a> Limits<'a> {
    /// Limits that only large systems meet.
    pub fn new(cancel: &'a AtomicBool) -> Limits<'a> {
        Limits { vertices: 20_000_000, bytes: 1_400 << 20, cancel }
    }
}

/// Why nothing is known.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Unknown {
    /// Somebody asked to stop.
    #[error("stopped")]
    Stopped,
    /// As many vertices, nodes or bytes were made as [`Limits`] allow.
    #[error("no answer within {0} configurations")]
    Configurations(usize),
    /// A step has too many predecessors to list.
    #[error("too many predecessors by line {0}")]
    Predecessors(u32),
    /// The target is coverable, by a run with too many steps.
    #[error("the target is coverable, by a run that is too long to show")]
    LongRun,
    /// The checker rejected the proof.
    #[error("the proof was rejected: {0}")]
    Proof(evidence::Rejection),
    /// The run does not replay.
    #[error("the run was rejected: {0}")]
    Run(evidence::Unreplayable),
    /// It does not replay because some steps need a state to be empty, and no other run was found.
    #[error(
        "where tests for absence are forgotten the target is coverable; no run with these tests was found"
    )]
    Absence,
}

/// What an engine says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Coverability {
    /// No number of threads covers the target.
    Uncoverable(Certificate),
    /// This run covers it.
    Coverable(CoveringRun),
    /// Nothing is known, for this reason.
    Unknown(Unknown),
}

/// What the search did.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Stats {
    /// How many vertices the search made, pruned ones among them.
    pub vertices: usize,
    /// How often cover predecessors of a vertex were looked for.
    pub expanded: u64,
    /// Minimal vertices at the end.
    pub minimal: usize,
    /// Minimal vertices at most.
    pub peak: usize,
    /// Trees pruned, whose candidates turned out coverable.
    pub pruned: u64,
    /// Nodes of the oracle.
    pub oracle: usize,
    /// Linear invariants that excluded a configuration.
    pub invariants: usize,
}

/// An answer, checked, and how it was found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CoverOutcome {
    /// The verdict. Its evidence was accepted by a checker of its own, or it is unknown.
    pub verdict: Coverability,
    /// How much the search did for it.
    pub stats: Stats,
    /// Predecessors that the checker found in the proof's set.
    pub obligations: u64,
    /// Time that the check of the evidence took.
    pub checking: Duration,
}

/// Configurations that the attempts in nets may keep, before the last one.
const ATTEMPTS: [usize; 4] = [12_000, 25_000, 100_000, 400_000];

/// One search, or in nets several with ever more room, as small and large candidates pay in different nets.
fn attempts(
    system: &System,
    target: &Target,
    options: &CoverOptions,
    limits: &Limits,
) -> (Coverability, Stats) {
    if system.shared == 1 && options.widen_net.is_some_and(|n| Some(n) != options.widen) {
        for (i, vertices) in ATTEMPTS.into_iter().enumerate() {
            let widen = if i % 2 == 0 { options.widen } else { options.widen_net };
            let (options, small) =
                (CoverOptions { widen, ..options.clone() }, Limits { vertices, ..*limits });
            let (verdict, stats) = search::Search::new(system, target, &options, &small).run();
            let over = matches!(verdict, Coverability::Unknown(_)) && vertices < limits.vertices;
            if !over || limits.cancel.load(Ordering::Relaxed) {
                return (verdict, stats);
            }
        }
    }
    search::Search::new(system, target, options, limits).run()
}

/// Decides whether the target is coverable.
pub fn decide(
    system: &System,
    target: &Target,
    options: &CoverOptions,
    limits: &Limits,
) -> Result<CoverOutcome, Malformed> {
    system.validate(target)?;
    let (found, stats) = attempts(system, target, options, limits);
    let began = Instant::now();
    let mut obligations = 0;
    let verdict = match found {
        Coverability::Uncoverable(c) => match evidence::check(system, target, &c, limits.cancel) {
            Ok(checked) => {
                obligations = checked.predecessors;
                Coverability::Uncoverable(c)
            }
            Err(evidence::Rejection::Cancelled) => Coverability::Unknown(Unknown::Stopped),
            Err(e) => Coverability::Unknown(Unknown::Proof(e)),
        },
        Coverability::Coverable(r) => match evidence::replay(system, target, &r) {
            Ok(_) => Coverability::Coverable(r),
            Err(e) => Coverability::Unknown(Unknown::Run(e)),
        },
        unknown => unknown,
    };
    let checking = began.elapsed();
    let verdict = match verdict {
        // not monotone: the search over-approximates
        Coverability::Unknown(why) if system.has_zero_tests() => {
            let run = concrete::search(system, target, limits);
            match run.filter(|r| evidence::replay(system, target, r).is_ok()) {
                Some(run) => Coverability::Coverable(run),
                None => Coverability::Unknown(match why {
                    Unknown::Run(_) => Unknown::Absence,
                    why => why,
                }),
            }
        }
        verdict => verdict,
    };
    Ok(CoverOutcome { verdict, stats, obligations, checking })
}
