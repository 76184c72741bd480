//! Each engine, from a program to checked evidence.

use super::{Engine, Evidence, Programs, Provable, Searched, Settings, Unknown, Verdict};
use relyant_cfa as cfa;
use relyant_cfa::LocationKind;
use relyant_cfa::schedule::Schedule;
use relyant_check as proof;
use relyant_check::states::{Encoding, Space};
use relyant_check::{check, states};
use relyant_engines::limits::Run;
use relyant_engines::race::Lane;
use relyant_engines::rely_guarantee;
use relyant_engines::replicated;
use relyant_engines::search::{self, Strategy};
use relyant_engines::symbolic;
use relyant_engines::verdict::{Answer, Counterexample};
use relyant_engines::watch::{Stats, Watch};
use relyant_interp as interp;
use relyant_interp::Trace;
use relyant_program as program;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// States that the search for deep errors looks at before breadth first takes over: few switches find them soon or
/// not at all.
const FEW_SWITCHES: usize = 1_000_000;

/// What an engine found: a verdict with evidence that was checked, or why there is none.
#[derive(Default)]
pub(super) struct Finding {
    pub(super) verdict: Option<Verdict>,
    pub(super) engine: Option<Engine>,
    pub(super) reason: Option<Unknown>,
    pub(super) stats: Option<Stats>,
    pub(super) searched: Option<Searched>,
    /// Seconds that replay or checking took.
    pub(super) check_seconds: f64,
    /// Work that the engine did.
    pub(super) work: u64,
}

impl Finding {
    pub(super) fn unknown(reason: Unknown) -> Finding {
        Finding { reason: Some(reason), ..Finding::default() }
    }

    /// Takes a result that was checked just now.
    fn checked(&mut self, since: Instant, result: Result<Verdict, Unknown>) {
        self.check_seconds += since.elapsed().as_secs_f64();
        match result {
            Ok(v) => self.verdict = Some(v),
            Err(reason) => self.reason = Some(reason),
        }
    }
}

/// Where engines tell how far they are.
pub(super) struct Progress<'r> {
    pub(super) run: &'r Run,
}

impl<'r> Progress<'r> {
    pub(super) fn new(run: &'r Run) -> Progress<'r> {
        Progress { run }
    }
}

/// A short search: breadth first, then with few switches.
pub(super) fn quick(program: &cfa::Program, settings: &Settings, progress: &Progress<'_>) -> Finding {
    let mut finding = Finding::default();
    // Programs with many inputs take many steps to few states.
    let max_steps = (settings.quick_states as u64).saturating_mul(10);
    for strategy in [Strategy::BreadthFirst, Strategy::FewSwitches] {
        let options = search::Settings {
            strategy,
            max_states: settings.quick_states,
            max_steps,
            jobs: 1,
            ..settings.search
        };
        run_search(program, &options, progress, None, &mut finding);
        finding.work += finding.searched.map_or(0, |s| s.stats.steps);
        if finding.verdict.is_some() || progress.run.stopped() {
            break;
        }
    }
    finding
}

/// The search, to its end.
pub(super) fn search(
    programs: &Programs,
    settings: &Settings,
    progress: &Progress,
    lane: &Lane<'_>,
) -> Finding {
    let mut finding = Finding::default();
    let alone = settings.method == super::Method::Search || programs.proof.is_err();
    let jobs = if alone { settings.search.jobs } else { 1 };
    if settings.method == super::Method::Search {
        let options = search::Settings { jobs, ..settings.search };
        run_search(&programs.search, &options, progress, Some(lane), &mut finding);
        return finding;
    }
    for (strategy, states) in [(Strategy::FewSwitches, FEW_SWITCHES), (Strategy::BreadthFirst, usize::MAX)] {
        let max_states = settings.search.max_states.min(states);
        let options = search::Settings { strategy, max_states, jobs, ..settings.search };
        let all = run_search(&programs.search, &options, progress, Some(lane), &mut finding);
        if finding.verdict.is_some() || lane.is_over() {
            return finding;
        }
        if all {
            break;
        }
    }
    // What inputs there are may be too many for values, but few as constraints.
    let provable = programs.proof.as_ref().ok().filter(|p| !p.automata.deadlock);
    let other = symbolic(provable, progress, lane);
    if other.verdict.is_some() {
        let check_seconds = finding.check_seconds + other.check_seconds;
        return Finding { searched: finding.searched, check_seconds, ..other };
    }
    finding
}

/// One search; tells whether all was seen that it can see.
fn run_search(
    program: &cfa::Program,
    options: &search::Settings,
    progress: &Progress,
    lane: Option<&Lane<'_>>,
    finding: &mut Finding,
) -> bool {
    if program.approximate {
        finding.reason = Some(Unknown::Approximate);
        return true;
    }
    let before = lane.map_or(0, Lane::clock);
    let cancel = || progress.run.stopped() || lane.is_some_and(Lane::is_over);
    let tick = |work: u64| {
        if let Some(lane) = lane {
            lane.set(before.saturating_add(work));
        }
    };
    let tell = |s: &search::Stats| progress.run.searched(s);
    let watch = search::Watch { cancel: &cancel, progress: &tell, tick: &tick };
    let start = Instant::now();
    let (outcome, stats) = match search::search(program, options, &watch) {
        Ok(found) => found,
        Err(stop) => {
            finding.reason = Some(Unknown::Program(stop));
            return true;
        }
    };
    finding.searched = Some(Searched { stats, seconds: start.elapsed().as_secs_f64() });
    let start = Instant::now();
    match outcome {
        search::Outcome::Violation { schedule, shortest } => {
            finding.checked(
                start,
                replayed(program, &schedule)
                    .map(|trace| Verdict::Unsafe { trace: Box::new(trace), shortest }),
            );
            true
        }
        search::Outcome::Exhausted(space) => {
            let space = Space::new(Encoding { symmetry: space.symmetry() }, space.states())
                .with_order(space.order().cloned())
                .with_points(space.points().cloned());
            let stopped = || progress.run.stopped();
            let limits = states::Limits { jobs: options.jobs, cancel: &stopped, ..states::Limits::default() };
            let checked = states::check(program, &space, &limits);
            let result = checked.map_err(Unknown::States);
            finding.checked(start, result.map(|checked| Verdict::Safe(Evidence::Space { space, checked })));
            true
        }
        search::Outcome::Limit { reason, depth } => {
            finding.reason = Some(match bound(program, reason) {
                Some(what) => Unknown::Bound(what.into()),
                None => Unknown::Search { depth, reason },
            });
            matches!(reason, search::Reason::Inputs | search::Reason::Bound { .. })
        }
    }
}

/// The bound of the program that a search came to.
fn bound(program: &cfa::Program, reason: search::Reason) -> Option<&str> {
    let search::Reason::Bound { template, location } = reason else { return None };
    let template = program.templates.get(template as usize)?;
    match &template.graph.locations.get(location as usize)?.kind {
        LocationKind::Limit(what) => Some(what),
        _ => None,
    }
}

fn replayed(program: &cfa::Program, schedule: &Schedule) -> Result<Trace, Unknown> {
    interp::replay(program, schedule).map_err(Unknown::Replay)
}

/// Abstraction and refinement, until the lane's clock stands there.
pub(super) fn prove(
    p: &Provable,
    settings: &Settings,
    progress: &Progress,
    lane: &Lane<'_>,
    until: u64,
) -> Finding {
    let watch = Watch {
        cancel: &|| lane.is_over() || lane.clock() >= until,
        work: &|more| lane.work(more),
        progress: &|s| progress.run.advance(s),
    };
    let (answer, stats) = rely_guarantee::verify(&p.threads, &settings.engine, &watch);
    let mut finding = evidence(p, answer, settings);
    finding.stats = Some(stats);
    finding
}

/// How soon an engine hears that its race is over.
const TICK: Duration = Duration::from_millis(10);

/// Sets a flag at the end, a panic included.
struct Done<'a>(&'a AtomicBool);

impl Drop for Done<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Work of the first and the second turn where two proof engines take turns.
const TURNS: [u64; 2] = [8_000_000, 4_000_000];

/// Abstraction and refinement; where there may be any number of threads, in turns with replicated threads: a proof with
/// fewer notions is found soon, or not at all.
pub(super) fn prove_or_count(
    p: &Provable,
    settings: &Settings,
    progress: &Progress,
    lane: &Lane<'_>,
) -> Finding {
    let unbounded = p.threads.templates.iter().any(|t| t.count == cfa::Count::Unbounded);
    if !unbounded || settings.engine != relyant_engines::aret::Settings::default() {
        return prove(p, settings, progress, lane, u64::MAX);
    }
    let mut reasons = Vec::new();
    let mut given_up = [false; 2];
    let mut last = Finding::default();
    for (turn, work) in TURNS.into_iter().chain([u64::MAX; 2]).enumerate() {
        if given_up[turn % 2] {
            continue;
        }
        let until = lane.clock().saturating_add(work);
        let finding = match turn % 2 {
            0 => prove(p, settings, progress, lane, until),
            _ => count(p, settings, progress, lane, until),
        };
        let check_seconds = last.check_seconds + finding.check_seconds;
        let over = finding.verdict.is_some() || lane.is_over();
        given_up[turn % 2] = lane.clock() < until;
        if given_up[turn % 2] {
            reasons.extend(finding.reason.clone());
        }
        last = Finding { check_seconds, ..finding };
        if over {
            break;
        }
    }
    if last.verdict.is_none() && !reasons.is_empty() {
        last.reason = Some(Unknown::All(reasons));
    }
    last
}

/// Abstraction to replicated threads, until the lane's clock stands there.
pub(super) fn count(
    p: &Provable,
    settings: &Settings,
    progress: &Progress,
    lane: &Lane<'_>,
    until: u64,
) -> Finding {
    let watch = Watch {
        cancel: &|| progress.run.stopped() || lane.is_over() || lane.clock() >= until,
        work: &|more| lane.work(more),
        progress: &|s| progress.run.advance(s),
    };
    // Coverability looks at a flag; somebody has to set it when the race is over.
    let (cancel, done) = (AtomicBool::new(false), AtomicBool::new(false));
    let (answer, stats) = std::thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) && !cancel.load(Ordering::Relaxed) {
                std::thread::sleep(TICK);
                cancel.store(progress.run.stopped() || lane.is_over(), Ordering::Relaxed);
            }
        });
        let _done = Done(&done);
        replicated::verify(&p.threads, &watch, &cancel)
    });
    let mut finding =
        Finding { engine: Some(Engine::Coverability), stats: Some(stats), ..Finding::default() };
    let start = Instant::now();
    let result = match answer {
        replicated::Answer::Safe(proof) => {
            let checked =
                proof::replicated::check::check(&p.threads, &proof, &settings.check, progress.run.cancel());
            match checked {
                Ok(checked) => Ok(Verdict::Safe(Evidence::Replicated {
                    proof,
                    program: Box::new(p.threads.clone()),
                    checked,
                })),
                Err(e) => Err(Unknown::System(e)),
            }
        }
        replicated::Answer::Unsafe(found) => replayed(&p.automata, &schedule(p, found))
            .map(|trace| Verdict::Unsafe { trace: Box::new(trace), shortest: false }),
        replicated::Answer::Unknown(reason) => Err(Unknown::Coverability(reason)),
    };
    finding.checked(start, result);
    finding
}

/// The search of symbolic states.
pub(super) fn symbolic(p: Option<&Provable>, progress: &Progress, lane: &Lane<'_>) -> Finding {
    let Some(p) = p else { return Finding::default() };
    let watch = symbolic::Watch {
        cancel: &|| progress.run.stopped() || lane.is_over(),
        progress: &|_| (),
        work: &|more| lane.work(more),
    };
    let (answer, _) = symbolic::search(&p.threads, &symbolic::Settings::default(), &watch);
    let mut finding = evidence(p, answer, &Settings::default());
    finding.engine = Some(Engine::SymbolicSearch);
    finding
}

/// The answer of an engine that works on the thread program, checked.
fn evidence(p: &Provable, answer: Answer, settings: &Settings) -> Finding {
    let mut finding = Finding::default();
    let start = Instant::now();
    let result = match answer {
        Answer::Safe(proof) => match check::check(&p.threads, &proof, &settings.check) {
            Ok(checked) => {
                Ok(Verdict::Safe(Evidence::Proof { proof, program: Box::new(p.threads.clone()), checked }))
            }
            Err(e) => Err(Unknown::Proof(e)),
        },
        Answer::Unsafe(found) => replayed(&p.automata, &schedule(p, found))
            .map(|trace| Verdict::Unsafe { trace: Box::new(trace), shortest: false }),
        Answer::Unknown(reason) => Err(Unknown::Engine(reason)),
    };
    finding.checked(start, result);
    finding
}

fn schedule(p: &Provable, found: Counterexample) -> Schedule {
    let steps: Vec<program::Step> =
        found.steps.into_iter().map(|s| (s.thread, s.edge as usize, s.inputs)).collect();
    program::schedule(&p.threads, &p.automata, &found.start, &steps)
}
