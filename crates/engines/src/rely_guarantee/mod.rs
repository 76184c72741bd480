//! Rely-guarantee verification by predicate abstraction and refinement (GPR, sections 4 to 6): the loop above abstract
//! reachability ([`crate::aret`]) and refinement ([`crate::refine`]).

mod parameters;
mod product;
mod shared;

#[cfg(test)]
mod tests;

use crate::aret::explore::{self, Aret, Reached};
use crate::aret::precision::{self, Precision};
use crate::aret::store::{Parent, StateId};
use crate::aret::{Method, Settings, proof, tickets};
use crate::engine::{Choice, Engine, Finding, Needs, Task};
use crate::refine::{self, Refined};
use crate::verdict::{Answer, Reason};
use crate::watch::{Crowded, Standing, Stats, Unstable, Watch};
use relyant_linear::{Atom, Cube};
use relyant_program::recognisers::Recogniser;
use relyant_program::{Loc, Program};
use std::collections::{BTreeMap, BTreeSet};

/// Refinements after which the engine gives up.
const MOST_ITERATIONS: u32 = 100_000;
/// Iterations with parameters for large constants. Most proofs that do without the numbers are found soon.
const GENERAL_ITERATIONS: u32 = 40;
/// Iterations with equalities of loops as first predicates, and their work: where they suffice little is missing, and where they do not
/// they tell states apart for nothing.
const EQUAL_ITERATIONS: u32 = 8;
const EQUAL_WORK: u64 = 10_000;

/// By which it is asked for, and which reports say.
pub const NAME: &str = "refinement";

/// The words that ask for it.
const WORDS: [Choice; 3] = [
    Choice::plain("rely-guarantee", ""),
    Choice { word: "owicki-gries", about: "", rule: Method::OwickiGries },
    Choice { word: "monolithic", about: "", rule: Method::Monolithic },
];

/// Abstraction and refinement as an engine.
#[derive(Clone, Copy, Debug)]
pub struct Refinement(pub Settings);

impl Engine for Refinement {
    fn name(&self) -> &'static str {
        NAME
    }

    fn choices(&self) -> &'static [Choice] {
        &WORDS
    }

    fn needs(&self) -> Needs {
        Needs::Threads
    }

    fn run(&self, task: &Task<'_>, watch: &Watch<'_>) -> Finding {
        let Some(program) = task.threads else { return Finding::nothing(Reason::NoThreads) };
        let asked = Asked { settings: &self.0, predicates: task.predicates };
        let (answer, stats) = verify_with(program, asked, watch);
        Finding { claim: answer.into(), standing: Some(Standing::Refined(stats)), seconds: 0.0 }
    }
}

/// Proves or refutes a program, or says why it can't (GPR, figure 6).
pub fn verify(program: &Program, settings: &Settings, watch: &Watch) -> (Answer, Stats) {
    verify_with(program, Asked { settings, predicates: &[] }, watch)
}

/// How a program is to be proved.
#[derive(Clone, Copy)]
pub struct Asked<'a> {
    /// Proof rule, bias and patterns.
    pub settings: &'a Settings,
    /// Comparisons of its variables that are tried from the start on.
    pub predicates: &'a [Atom],
}

/// The same, with comparisons to try.
pub fn verify_with(program: &Program, asked: Asked<'_>, watch: &Watch) -> (Answer, Stats) {
    let settings = asked.settings;
    if settings.method == Method::Monolithic {
        return product::verify_product(program, settings, watch);
    }
    if let Some(shared) = shared::Shared::of(program) {
        let predicates = shared.predicates(asked.predicates);
        let (answer, stats) = prove(&shared.program, Asked { predicates: &predicates, ..asked }, watch);
        if let Some(answer) = shared.answer(answer) {
            return (answer, stats);
        }
    }
    prove(program, asked, watch)
}

fn prove(program: &Program, asked: Asked<'_>, watch: &Watch) -> (Answer, Stats) {
    let settings = asked.settings;
    let start = explore::start(program);
    let mut stats = Stats::default();
    let used = settings.recognisers.has(Recogniser::Parameters);
    if let Some(general) = used.then(|| parameters::Parametric::of(program, &start)).flatten() {
        match in_turns(&general.program, &general.start, GENERAL_ITERATIONS, asked, watch, &mut stats) {
            Answer::Safe(proof) => return (Answer::Safe(general.proof(proof)), stats),
            Answer::Unsafe(c) => return (Answer::Unsafe(general.counterexample(c)), stats),
            // The numbers may matter after all.
            Answer::Unknown(_) if !watch.cancelled() => {}
            unknown => return (unknown, stats),
        }
    }
    let answer = in_turns(program, &start, MOST_ITERATIONS, asked, watch, &mut stats);
    (answer, stats)
}

/// First for some iterations with equalities of loops, if there are any; then as long as it may without.
fn in_turns(
    program: &Program,
    start: &Cube,
    most: u32,
    asked: Asked<'_>,
    watch: &Watch,
    stats: &mut Stats,
) -> Answer {
    let used = asked.settings.recognisers.has(Recogniser::Equalities);
    let (equal, work) = if used { refine::equalities::equalities(program, start) } else { (Vec::new(), 0) };
    (watch.work)(work);
    if !equal.is_empty() {
        let limits = (EQUAL_ITERATIONS, equal.as_slice());
        let answer = watch.within(EQUAL_WORK, |part| decide(program, start, limits, asked, part, stats));
        match answer {
            Answer::Unknown(_) if !watch.cancelled() => {}
            answer => return answer,
        }
    }
    decide(program, start, (most, &[]), asked, watch, stats)
}

/// Function MAIN (figure 6), lines 4 to 19: proves or refutes a program from `start`; gives up after `most` iterations. `also`: further first predicates.
fn decide(
    program: &Program,
    start: &Cube,
    (most, also): (u32, &[Atom]),
    asked: Asked<'_>,
    watch: &Watch,
    stats: &mut Stats,
) -> Answer {
    let settings = asked.settings;
    let most = stats.iterations.saturating_add(most);
    let has = |r| settings.recognisers.has(r);
    let tickets = if has(Recogniser::Tickets) { tickets::of_crowds(program) } else { Vec::new() };
    let threads = precision::threads(program, &tickets);
    let mut precision = Precision::empty(program, &threads);
    if has(Recogniser::Guards) {
        refine::seed::guards(program, &threads, &mut precision);
    }
    if has(Recogniser::Guards) {
        refine::chosen::chosen(program, &threads, &mut precision);
    }
    if has(Recogniser::Counts) {
        refine::counts::counts(program, &threads, &mut precision);
    }
    refine::given::given(program, &threads, asked.predicates, &mut precision);
    refine::seed::equal(program, &threads, also, &mut precision);
    let loops = looping(program, &threads);
    let mut caches = None;
    loop {
        stats.iterations += 1;
        let mut aret = Aret::new(program, &threads, &precision, settings.method, start, caches.take());
        let reached = aret.abst_reach_env(watch);
        stats.predicates = precision.size();
        stats.states = aret.states.len();
        stats.environment = aret.envs.len();
        stats.crowded = crowded(&aret, &loops, stats.crowded);
        stats.chosen = program.chosen;
        if let Reached::Errors(tuples) = &reached {
            stats.unstable = tuples.iter().find_map(|t| unstable(&aret, t)).or(stats.unstable);
        }
        (watch.progress)(&Standing::Refined(*stats));
        let tuples = match reached {
            Reached::Stopped => return Answer::Unknown(Reason::Stopped),
            Reached::Fixpoint => {
                let proof = proof::of(program, &aret, settings.method, tickets);
                stats.modular = proof.modular;
                return Answer::Safe(proof);
            }
            Reached::Errors(tuples) => tuples,
        };
        if stats.iterations >= most {
            return Answer::Unknown(Reason::Refinements(stats.iterations));
        }
        let trees = |tuple| refine::Tuple {
            program,
            threads: &threads,
            states: &aret.states,
            envs: &aret.envs,
            precision: &precision,
            start,
            method: settings.method,
            tuple,
        };
        let mut next = precision.clone();
        let mut tuples = tuples.iter().map(|t| trees(t));
        let first = tuples.next().map(|t| refine::refine(&t, settings, &mut next, watch));
        match first.unwrap_or(Refined::Stuck(Reason::NothingNew)) {
            Refined::Modular => {
                stats.refinements.0 += 1;
                for t in tuples {
                    if let Some(real) = refine::refine_further(&t, &mut next, watch) {
                        return Answer::Unsafe(real);
                    }
                }
            }
            Refined::Control => stats.refinements.1 += 1,
            Refined::Data => stats.refinements.2 += 1,
            Refined::Real(c) => return Answer::Unsafe(c),
            Refined::Stuck(reason) => return Answer::Unknown(reason),
        }
        if next.size() == precision.size() {
            caches = Some(aret.caches);
        }
        precision = next;
    }
}

/// The last step of another thread that led to an error tuple, and where its thread was then.
fn unstable(aret: &Aret, tuple: &[StateId]) -> Option<Unstable> {
    let last = |mut id: StateId| loop {
        match aret.states[id].parent {
            Parent::Initial => return None,
            Parent::Own { state, .. } => id = state,
            Parent::Env { env, .. } => return Some((id, env)),
        }
    };
    let (state, env) = tuple.iter().find_map(|id| last(*id))?;
    let (state, env) = (&aret.states[state], &aret.envs[env]);
    let template = |thread: u16| aret.threads.get(usize::from(thread)).map(|t| t.template);
    Some(Unstable {
        template: template(state.thread)?,
        location: state.loc,
        by: template(env.actor)?,
        edge: env.parent.1 as usize,
    })
}

/// By thread: the locations in loops.
fn looping(program: &Program, threads: &[precision::Thread]) -> Vec<(u32, BTreeSet<Loc>)> {
    let loops = |t: &precision::Thread| {
        let template = program.templates.get(t.template as usize);
        (t.template, template.into_iter().flat_map(|t| t.loops()).flatten().collect())
    };
    threads.iter().map(loops).collect()
}

/// Of the locations in loops the one that has the most abstract states, unless one had more before.
fn crowded(aret: &Aret, loops: &[(u32, BTreeSet<Loc>)], before: Option<Crowded>) -> Option<Crowded> {
    let mut counts: BTreeMap<(u16, Loc), usize> = BTreeMap::new();
    for state in aret.states.iter().filter(|s| !s.covered) {
        *counts.entry((state.thread, state.loc)).or_default() += 1;
    }
    let mut most = before;
    for ((thread, location), states) in counts {
        let Some((template, inside)) = loops.get(usize::from(thread)) else { continue };
        if inside.contains(&location) && most.is_none_or(|m| m.states < states) {
            most = Some(Crowded { template: *template, location, states });
        }
    }
    most
}
