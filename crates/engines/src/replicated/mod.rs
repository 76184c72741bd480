//! Safety for any number of threads by predicate abstraction to replicated finite-state threads.
//!
//! From predicates over globals, over a thread's locals, and over one more thread's, an abstraction makes a system of
//! threads whose coverability is decided exactly for every number of threads (`relyant_unbounded::cover`). A run that covers
//! an error and that no values make real gives Horn clauses, whose solution gives more predicates.

mod abstraction;
mod fixpoint;
mod path;
mod precision;
mod unwind;

use crate::aret::{explore, precision as aret_precision};
use crate::engine::{Choice, Claim, Engine, Finding, Needs, Task};
use crate::refine::predicates::Solved;
use crate::verdict::{Counterexample, Reason};
use crate::watch::{Standing, Stats, Watch};
use path::Path;
use precision::Precision;
use relyant_check::replicated::Proof;
use relyant_linear::Cube;
use relyant_linear::meter;
use relyant_program::{Count, Program};
use relyant_unbounded::cover::{self, CoverOptions, Coverability, Limits};
use std::sync::atomic::AtomicBool;
use unwind::Unwinder;

/// What the engine found. Nothing here is believed before the checker or the interpreter has seen it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    /// No error can be reached.
    Safe(Box<Proof>),
    /// An error can be reached.
    Unsafe(Counterexample),
    /// Neither was found, for this reason.
    Unknown(Reason),
}

/// By which it is asked for, and which reports say.
pub const NAME: &str = "coverability";

const ABOUT: &str =
    "Replicated finite-state threads whose coverability is decided: for any number of threads";
/// The words that ask for it.
const WORDS: [Choice; 1] = [Choice::plain("coverability", ABOUT)];

/// Abstraction to replicated threads as an engine.
#[derive(Clone, Copy, Debug)]
pub struct Replicated {
    /// It takes part beside other engines where there may be any number of threads. Not where another kind of proof was
    /// asked for.
    pub joins: bool,
}

impl Engine for Replicated {
    fn name(&self) -> &'static str {
        NAME
    }

    fn choices(&self) -> &'static [Choice] {
        &WORDS
    }

    fn needs(&self) -> Needs {
        Needs::Threads
    }

    fn joins(&self, task: &Task<'_>) -> bool {
        let unbounded = |p: &Program| p.templates.iter().any(|t| t.count == Count::Unbounded);
        self.joins && task.threads.is_some_and(unbounded)
    }

    fn run(&self, task: &Task<'_>, watch: &Watch<'_>) -> Finding {
        let Some(program) = task.threads else { return Finding::nothing(Reason::NoThreads) };
        let (answer, stats) = verify(program, watch);
        let claim = match answer {
            Answer::Safe(proof) => Ok(Claim::Replicated(proof)),
            Answer::Unsafe(run) => Ok(Claim::Run(run)),
            Answer::Unknown(why) => Err(Reason::Replicated(Box::new(why))),
        };
        Finding { claim, standing: Some(Standing::Refined(stats)), seconds: 0.0 }
    }
}

/// Refinements after which the engine gives up.
const MOST_ITERATIONS: u32 = 1_000;
/// Vertices of one search for coverability, and bytes they may take.
const VERTICES: usize = 1_000_000;
const BYTES: usize = 400 << 20;
/// Work of a vertex and of a node of a tree, see [`Watch::work`].
const VERTEX_WORK: u64 = 20;
const NODE_WORK: u64 = 20;
/// How deep a run is looked at, step by step: a contradiction near the error is more general than one that needs the
/// whole history.
const DEPTHS: [usize; 5] = [4, 8, 16, 32, usize::MAX];

/// Proves or refutes a program for all numbers of its threads, or says why it can't.
pub fn verify(program: &Program, watch: &Watch) -> (Answer, Stats) {
    // Coverability looks at a flag.
    watch.flagged(|cancel| verify_until(program, watch, cancel))
}

fn verify_until(program: &Program, watch: &Watch, cancel: &AtomicBool) -> (Answer, Stats) {
    let mut stats = Stats::default();
    meter::take();
    // Few values are told apart from the start, unless that makes too many states.
    for values in [true, false] {
        let precision = Precision::seed(program, values);
        match decide(program, precision, watch, cancel, &mut stats) {
            None if !watch.cancelled() => {}
            None => return (Answer::Unknown(Reason::Stopped), stats),
            Some(answer) => return (answer, stats),
        }
    }
    (Answer::Unknown(Reason::LargeSystem), stats)
}

/// As [`verify`], from these predicates; `None` where the system gets too large, or when it is stopped.
fn decide(
    program: &Program,
    mut precision: Precision,
    watch: &Watch,
    cancel: &AtomicBool,
    stats: &mut Stats,
) -> Option<Answer> {
    let start = explore::start(program);
    let threads = aret_precision::threads(program, &[]);
    loop {
        stats.iterations += 1;
        let mut stopped = || {
            (watch.work)(meter::take());
            watch.cancelled()
        };
        let (mut system, reached) = fixpoint::build(program, &precision, &start, &mut stopped)?;
        let (shared, own, others) = precision.size();
        stats.predicates = (shared + own, others);
        stats.states = system.local_states.len();
        stats.transitions = system.steps.len();
        (watch.progress)(&Standing::Refined(*stats));
        let (net, target) = system.system(program, &reached);
        let limits = Limits { vertices: VERTICES, bytes: BYTES, cancel };
        let found = match cover::decide(&net, &target, &CoverOptions::default(), &limits) {
            Ok(found) => found,
            Err(e) => return Some(Answer::Unknown(Reason::MalformedSystem(e))),
        };
        (watch.work)(VERTEX_WORK * found.stats.vertices as u64);
        let run = match found.verdict {
            Coverability::Uncoverable(certificate) => {
                system.certificate = certificate;
                return Some(Answer::Safe(Box::new(system)));
            }
            Coverability::Unknown(why) => {
                return Some(Answer::Unknown(Reason::Coverability(why)));
            }
            Coverability::Coverable(run) => run,
        };
        let path = relyant_finite::evidence::replay(&net, &target, &run)
            .ok()
            .and_then(|r| Path::of(&system, &run, target.get(r.target)?));
        let Some(path) = path else {
            return Some(Answer::Unknown(Reason::LostRun));
        };
        let path = path.shrink(program, &system);
        if let Some(real) = path.feasible(program, &system, &threads) {
            return Some(Answer::Unsafe(real));
        }
        let first = path.conflict(program, &system, &threads);
        let loss = path.loss();
        if stats.iterations >= MOST_ITERATIONS {
            return Some(Answer::Unknown(Reason::Refinements(stats.iterations)));
        }
        let mut refiner = Refiner { program, system: &system, start: &start, watch };
        let paths: Vec<&Path> = [Some(&path), Some(&first), loss.as_ref()].into_iter().flatten().collect();
        if let Err(why) = refiner.refine(&paths, &mut precision, stats) {
            return Some(Answer::Unknown(why));
        }
    }
}

/// What refinement works on.
struct Refiner<'a> {
    program: &'a Program,
    system: &'a Proof,
    start: &'a Cube,
    watch: &'a Watch<'a>,
}

impl Refiner<'_> {
    /// Adds predicates that exclude one of the runs: over one thread's locals where these do, else over two threads'; near
    /// the end of a run where that is enough.
    fn refine(
        &mut self,
        paths: &[&Path],
        precision: &mut Precision,
        stats: &mut Stats,
    ) -> Result<(), Reason> {
        let mut why = Reason::NothingNew;
        let (program, system, start) = (self.program, self.system, self.start);
        for width in [1, 2] {
            let mut left: Vec<&Path> = paths.to_vec();
            for depth in DEPTHS {
                let mut cut = Vec::new();
                for path in left {
                    let u = Unwinder { program, system, path, start, width, depth }.unwind();
                    (self.watch.work)(NODE_WORK * u.size() as u64 + meter::take());
                    match u.refine(program, path, precision) {
                        Solved::New => {
                            let r = &mut stats.refinements;
                            *(if width == 1 { &mut r.0 } else { &mut r.2 }) += 1;
                            return Ok(());
                        }
                        Solved::Known => {}
                        Solved::Satisfiable if !u.cut && width == 2 => {
                            why = Reason::ThreeThreads;
                        }
                        Solved::Satisfiable => {}
                        Solved::Unknown(undecided) => why = Reason::Clauses(undecided),
                    }
                    if u.cut {
                        cut.push(path);
                    }
                    if self.watch.cancelled() {
                        return Err(Reason::Stopped);
                    }
                }
                left = cut;
            }
        }
        Err(why)
    }
}
