//! From a source file to a verdict with checked evidence.
//!
//! ```text
//!               .-> search program -> quick search -> search ---.--> replay -------> unsafe
//! load -> Module                                        race     \-> states checked -> safe
//!               '-> proof program  -> thread program -> refinement -> schedule, replay -> unsafe
//!                                                              '----> checker --------> safe
//! ```
//!
//! An engine's answer alone is never a verdict: what the checker or the interpreter does not accept is *unknown*.

pub mod certify;
mod engines;
mod pairs;
mod programs;
mod unknown;
mod vacuous;

pub use pairs::Races;
pub use programs::{Programs, Provable};
pub use unknown::Unknown;

use engines::{Finding, Progress};
use programs::Draft;
use relyant_cfa as cfa;
use relyant_cfa::diagnostic::Diagnostic;
use relyant_cfa::options::Options;
use relyant_check::Proof;
use relyant_check::check::{self, CheckReport};
use relyant_check::replicated;
use relyant_check::states::{Space, SpaceReport};
use relyant_engines::aret;
use relyant_engines::limits::{Run, Stage};
use relyant_engines::race::{Lane, Racer, race};
use relyant_engines::search;
use relyant_engines::watch::Stats;
use relyant_frontend::c;
use relyant_frontend::c::instrument::Instrumentation;
use relyant_frontend::c::unit::Unit;
use relyant_interp::Trace;
use relyant_program::Program;
use relyant_program::recognisers::Recognisers;
use std::ops::ControlFlow;
use std::path::Path;
use std::time::Instant;

/// States that the search before the proof may look at. A number of states, not a time: the verdict does not depend
/// on the machine.
pub const QUICK_STATES: usize = 20_000;

/// Work that a set of all states counts for on top, see [`relyant_engines::race`]: a proof found soon says more.
const SPACE_HANDICAP: u64 = 250_000;

/// Work that it takes to make the steps of the proof program linear, for each edge of its automata.
const MAKING: u64 = 500;

/// How a file is decided.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Method {
    /// Search and proof side by side.
    #[default]
    Auto,
    /// The search alone.
    Search,
    /// The symbolic search alone.
    Symbolic,
    /// The proof rule of [`aret::Settings`], after the quick search.
    Prove,
    /// Replicated finite-state threads, after the quick search.
    Coverability,
}

/// What the user may choose.
#[derive(Clone, Debug)]
pub struct Settings {
    /// What the program means.
    pub meaning: Options,
    /// Which engines.
    pub method: Method,
    /// How it is proved.
    pub engine: aret::Settings,
    /// How it is searched.
    pub search: search::Settings,
    /// States of the quick search, 0 for no search at all.
    pub quick_states: usize,
    /// Work that each engine may do, in units of about a microsecond.
    pub max_work: u64,
    /// Limits of the checker.
    pub check: check::Limits,
    /// A program in which there is nothing to check is refused: nobody asked for a property by its name.
    pub needs_checks: bool,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            meaning: Options::default(),
            method: Method::Auto,
            engine: aret::Settings::default(),
            search: search::Settings::default(),
            quick_states: QUICK_STATES,
            max_work: u64::MAX,
            check: check::Limits::default(),
            needs_checks: false,
        }
    }
}

/// Why a program is safe, accepted by the checker.
#[derive(Clone, Debug)]
pub enum Evidence {
    /// A proof by assertions.
    Proof {
        /// The proof.
        proof: Proof,
        /// What it is a proof of.
        program: Box<Program>,
        /// What the checker did.
        checked: CheckReport,
    },
    /// Replicated finite-state threads that do what it does, no number of which covers an error.
    Replicated {
        /// The proof.
        proof: Box<replicated::Proof>,
        /// What it is a proof of.
        program: Box<Program>,
        /// What the checker did.
        checked: replicated::check::Report,
    },
    /// All its states, none of which is an error.
    Space {
        /// The states.
        space: Space,
        /// What the checker did.
        checked: SpaceReport,
    },
}

/// A verdict and its evidence.
#[derive(Clone, Debug)]
pub enum Verdict {
    /// No error can be reached.
    Safe(Evidence),
    /// An error can be reached: a run of the program that gets there, replayed by the interpreter.
    Unsafe {
        /// The run.
        trace: Box<Trace>,
        /// No run with fewer steps gets to an error.
        shortest: bool,
    },
    /// Neither is known: why.
    Unknown(Unknown),
}

impl Verdict {
    /// `safe`, `unsafe` or `unknown`.
    pub fn word(&self) -> &'static str {
        match self {
            Verdict::Safe(_) => "safe",
            Verdict::Unsafe { .. } => "unsafe",
            Verdict::Unknown(_) => "unknown",
        }
    }
}

/// Who found the evidence.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Engine {
    /// The search of states.
    Search,
    /// The search of symbolic states.
    SymbolicSearch,
    /// Abstraction and refinement.
    Refinement,
    /// Abstraction to replicated threads, whose coverability is decided.
    Coverability,
}

impl Engine {
    /// For reports.
    pub fn name(self) -> &'static str {
        match self {
            Engine::Search => "search",
            Engine::SymbolicSearch => "symbolic search",
            Engine::Refinement => "refinement",
            Engine::Coverability => "coverability",
        }
    }
}

/// Seconds of wall-clock time, by stage.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Seconds {
    /// Reading the source, making the programs.
    pub read: f64,
    /// The quick search.
    pub search: f64,
    /// Refinement, and the search beside it.
    pub prove: f64,
    /// Checking the certificate, or the replay.
    pub check: f64,
}

/// Where the search ended.
#[derive(Clone, Copy, Debug, Default)]
pub struct Searched {
    /// Its numbers.
    pub stats: search::Stats,
    /// Seconds it took.
    pub seconds: f64,
}

/// What is said about a file.
#[derive(Clone, Debug)]
pub struct Report {
    /// The verdict.
    pub verdict: Verdict,
    /// Who found its evidence.
    pub engine: Option<Engine>,
    /// What was decided, in words.
    pub property: String,
    /// The places that the property is about.
    pub checks: cfa::Checks,
    /// What was assumed about the program, a line each.
    pub assumes: Vec<String>,
    /// In a program with a data race: all pairs of accesses that race, the one of the verdict first.
    pub races: Races,
    /// Where the proof engine had to take the program for more than it is, a line each.
    pub losses: Vec<String>,
    /// Lines of the source file.
    pub source_lines: usize,
    /// Threads, by name and number.
    pub threads: Vec<(String, cfa::Count)>,
    /// Where refinement ended, if it ran.
    pub stats: Option<Stats>,
    /// Where the search ended, if it ran.
    pub searched: Option<Searched>,
    /// Where the time went.
    pub seconds: Seconds,
    /// Work until there was evidence, or no engine had any, in units of about a microsecond: the same in every run.
    pub work: u64,
}

/// Verifies a file, or a text.
///
/// # Errors
/// What is wrong with the input. Everything else, the limits that `run` brings included, is a verdict.
pub fn verify_file<'a>(
    what: impl Into<Unit<'a>>,
    settings: &Settings,
    run: &Run,
) -> Result<Report, Diagnostic> {
    let unit: Unit<'a> = what.into();
    let mut pairs = 0;
    let mut report = verify_read(unit, settings, run, || {
        c::load(unit, &settings.meaning).inspect(|module| pairs = module.race_pairs)
    })?;
    if let Verdict::Unsafe { trace, .. } = &report.verdict
        && !trace.accesses.is_empty()
    {
        report.races = pairs::all(unit, settings, run, pairs, &trace.accesses);
    }
    Ok(report)
}

/// Verifies a file with what is added to it.
///
/// # Errors
/// What is wrong with the input or with what is added.
pub fn verify_with(
    path: &Path,
    what: &Instrumentation,
    settings: &Settings,
    run: &Run,
) -> Result<Report, Diagnostic> {
    verify_read(path.into(), settings, run, || c::load_with(path, &settings.meaning, what))
}

fn verify_read(
    unit: Unit<'_>,
    settings: &Settings,
    run: &Run,
    read: impl FnOnce() -> Result<cfa::Module, Diagnostic>,
) -> Result<Report, Diagnostic> {
    run.enter(Stage::Reading);
    let start = Instant::now();
    let module = read()?;
    let checks = &module.checks;
    let meant = checks.declares_errors && checks.unreached.is_empty();
    if settings.needs_checks && checks.is_empty() && !meant {
        return Err(nothing_to_check(&unit.name(), checks));
    }
    let draft = Draft::of(&module, &settings.meaning)?;
    let mut report = Report {
        verdict: Verdict::Unknown(Unknown::All(Vec::new())),
        engine: None,
        property: settings.meaning.describe(),
        checks: module.checks,
        assumes: Vec::new(),
        races: Races::default(),
        losses: Vec::new(),
        source_lines: source_lines(unit.path()),
        threads: Vec::new(),
        stats: None,
        searched: None,
        seconds: Seconds { read: start.elapsed().as_secs_f64(), ..Seconds::default() },
        work: 0,
    };
    draft.shown().into_iter().for_each(|p| report.show(p));
    let progress = Progress::new(run);
    let programs = match (&draft.search, settings.method) {
        // What comes of a short search may be all that there is to say.
        (Ok(search), Method::Auto | Method::Search) => {
            match quick(search, settings, &progress, &mut report) {
                ControlFlow::Break(()) => draft.search.map(Programs::searched)?,
                // No proof would come soon enough.
                ControlFlow::Continue(Some(safe @ Verdict::Safe(_)))
                    if draft.edges() * MAKING > SPACE_HANDICAP =>
                {
                    accept(&mut report, safe, Engine::Search);
                    draft.search.map(Programs::searched)?
                }
                ControlFlow::Continue(pocket) => {
                    run.enter(Stage::Proving);
                    let programs = finish(draft, settings.engine.recognisers, &mut report)?;
                    decide(&programs, settings, &progress, pocket, &mut report);
                    programs
                }
            }
        }
        _ => {
            let programs = finish(draft, settings.engine.recognisers, &mut report)?;
            if let (Method::Prove | Method::Symbolic | Method::Coverability, Err(e)) =
                (settings.method, &programs.proof)
            {
                return Err(e.clone());
            }
            if let ControlFlow::Continue(pocket) = quick(&programs.search, settings, &progress, &mut report) {
                run.enter(Stage::Proving);
                decide(&programs, settings, &progress, pocket, &mut report);
            }
            programs
        }
    };
    if matches!(report.verdict, Verdict::Safe(_)) {
        report.assumes.extend(vacuous::note(&programs.search, &|| run.stopped()));
    }
    if let Some(reason) = run.reason().filter(|_| matches!(report.verdict, Verdict::Unknown(_))) {
        report.verdict = Verdict::Unknown(Unknown::Stopped(reason));
    }
    Ok(report)
}

/// Makes the proof program, for a report that then speaks of it.
fn finish(draft: Draft, recognisers: Recognisers, report: &mut Report) -> Result<Programs, Diagnostic> {
    let start = Instant::now();
    let programs = draft.finish(recognisers)?;
    report.show(programs.shown());
    report.seconds.read += start.elapsed().as_secs_f64();
    Ok(programs)
}

/// A short search. It may decide; else it gives a verdict that a proof in a few steps would be better than.
fn quick(
    program: &cfa::Program,
    settings: &Settings,
    progress: &Progress<'_>,
    report: &mut Report,
) -> ControlFlow<(), Option<Verdict>> {
    if settings.quick_states == 0 || settings.method == Method::Symbolic {
        return ControlFlow::Continue(None);
    }
    progress.run.enter(Stage::Searching);
    let start = Instant::now();
    let found = engines::quick(program, settings, progress);
    report.searched = found.searched;
    report.work = found.work;
    report.seconds.search = start.elapsed().as_secs_f64() - found.check_seconds;
    report.seconds.check += found.check_seconds;
    match found.verdict {
        Some(v @ Verdict::Unsafe { .. }) => accept(report, v, Engine::Search),
        Some(safe) if settings.method == Method::Search => accept(report, safe, Engine::Search),
        pocket => return ControlFlow::Continue(pocket),
    }
    ControlFlow::Break(())
}

fn decide(
    programs: &Programs,
    settings: &Settings,
    progress: &Progress<'_>,
    pocket: Option<Verdict>,
    report: &mut Report,
) {
    let start = Instant::now();
    let checked = report.seconds.check;
    let stopped = || progress.run.stopped();
    // Only the search looks for deadlocks.
    let provable = programs.proof.as_ref().ok().filter(|p| !p.automata.deadlock);
    let prove: Racer<'_, Finding> = Box::new(|lane| match (provable, settings.method) {
        (Some(p), Method::Auto) => engines::prove_or_count(p, settings, progress, lane).in_race(lane),
        (Some(p), Method::Prove) => engines::prove(p, settings, progress, lane, u64::MAX).in_race(lane),
        (Some(p), Method::Coverability) => {
            engines::count(p, settings, progress, lane, u64::MAX).in_race(lane)
        }
        _ => (Finding::default(), None),
    });
    let search: Racer<'_, Finding> = Box::new(|lane| match (pocket, settings.method) {
        (Some(safe), Method::Auto | Method::Search) => {
            (Finding { verdict: Some(safe), ..Finding::default() }, Some(SPACE_HANDICAP))
        }
        (_, Method::Prove | Method::Coverability) => (Finding::default(), None),
        (_, Method::Symbolic) => engines::symbolic(provable, progress, lane).in_race(lane),
        (None, _) => engines::search(programs, settings, progress, lane).in_race(lane),
    });
    let outcome = race(settings.max_work.saturating_sub(report.work), &stopped, vec![prove, search]);
    let mut answers =
        outcome.answers.into_iter().map(|a| a.unwrap_or_else(|| Finding::unknown(Unknown::Panic)));
    let (proved, searched) = (answers.next().unwrap_or_default(), answers.next().unwrap_or_default());
    report.stats = proved.stats;
    report.searched = searched.searched.or(report.searched);
    report.seconds.check += proved.check_seconds + searched.check_seconds;
    report.seconds.prove = (start.elapsed().as_secs_f64() - (report.seconds.check - checked)).max(0.0);
    let (verdict, engine, work) = match outcome.winner {
        Some(0) => (proved.verdict, proved.engine.unwrap_or(Engine::Refinement), proved.work),
        Some(_) => (searched.verdict, searched.engine.unwrap_or(Engine::Search), searched.work),
        None => (None, Engine::Search, proved.work.max(searched.work)),
    };
    report.work = report.work.saturating_add(work);
    match verdict {
        Some(v) => accept(report, v, engine),
        None => {
            let mut reasons: Vec<Unknown> = [proved.reason, searched.reason].into_iter().flatten().collect();
            if provable.is_none() && programs.proof.is_ok() && settings.method != Method::Search {
                reasons.push(Unknown::Deadlocks);
            }
            if let Err(e) = &programs.proof {
                reasons.insert(0, Unknown::Refused(Box::new(e.clone())));
            }
            // Two engines may say the same.
            reasons.dedup_by_key(|r| r.to_string());
            report.verdict = Verdict::Unknown(Unknown::All(reasons));
        }
    }
}

/// No property was asked for, and the program says none.
fn nothing_to_check(name: &str, checks: &cfa::Checks) -> Diagnostic {
    let unreached = match checks.unreached.as_slice() {
        [] => String::new(),
        all => format!(": what asserts is in `{}`, which cannot be reached", all.join("`, `")),
    };
    Diagnostic {
        file: name.into(),
        line: 0,
        column: 0,
        message: format!("nothing to check: no assertion, call of an error function or error label{unreached}"),
        help: "ask for a property: --property assertions, no-data-race, deadlock, no-overflow, valid-memsafety or all"
            .into(),
        source_line: None,
    }
}

fn accept(report: &mut Report, verdict: Verdict, engine: Engine) {
    report.verdict = verdict;
    report.engine = Some(engine);
}

fn source_lines(path: &Path) -> usize {
    relyant_cfa::files::read(path).map_or(0, |text| text.split(|b| *b == b'\n').count().saturating_sub(1))
}

impl Report {
    /// Says what is known of the program before anything is decided.
    fn show(&mut self, p: &cfa::Program) {
        self.assumes.clone_from(&p.assumes);
        self.losses.clone_from(&p.losses);
        self.threads = p.templates.iter().map(|t| (t.name.clone(), t.count)).collect();
    }
}

impl Finding {
    /// As a race wants it: with what its evidence counts for.
    fn in_race(mut self, lane: &Lane<'_>) -> (Finding, Option<u64>) {
        self.work = lane.clock();
        let extra = self.verdict.as_ref().map(|v| match v {
            Verdict::Safe(Evidence::Space { .. }) => SPACE_HANDICAP,
            _ => 0,
        });
        (self, extra)
    }
}
