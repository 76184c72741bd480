//! From a source file to a verdict with checked evidence.
//!
//! ```text
//!               .-> search program -> quick search -.             .-> replay, schedule -> unsafe
//! load -> Module                                    task -> race -
//!               '-> proof program  -> thread program              '-> checkers ---------> safe
//! ```
//!
//! The race is between lanes of engines, which [`relyant_engines::registry`] lists.
//!
//! An engine's answer alone is never a verdict: what the checker or the interpreter does not accept is *unknown*.

pub mod certify;
mod evidence;
mod hints;
mod lanes;
mod pairs;
mod programs;
mod relaxed;
mod report;
mod settings;
#[cfg(test)]
mod tests;
mod unknown;
mod vacuous;

pub use hints::Hint;
pub use pairs::Races;
pub use programs::{Programs, Provable};
pub use report::{Evidence, Report, Searched, Seconds, Verdict};
pub use settings::{Method, QUICK_STATES, Settings};
pub use unknown::Unknown;

use crate::predicates::{self, resolve_all};
use evidence::Checker;
use lanes::{Found, SPACE_HANDICAP};
use programs::Draft;
use relyant_cfa as cfa;
use relyant_cfa::diagnostic::Diagnostic;
use relyant_engines::engine::{Engine, Task};
use relyant_engines::limits::{RunHandle, Stage};
use relyant_engines::ordered;
use relyant_engines::race::{Racer, race};
use relyant_engines::registry::Entry;
use relyant_engines::rely_guarantee;
use relyant_engines::search::{self, FewThreads, Interleavings};
use relyant_engines::watch::Watch;
use relyant_frontend::c;
use relyant_frontend::c::instrument::Instrumentation;
use relyant_frontend::c::unit::Unit;
use std::collections::BTreeMap;
use std::iter;
use std::ops::ControlFlow;
use std::path::Path;
use std::time::Instant;

/// Work that it takes to make the steps of the proof program linear, for each edge of its automata.
const MAKING: u64 = 500;

/// Verifies a file, or a text.
///
/// # Errors
/// What is wrong with the input. Everything else, the limits that `run` brings included, is a verdict.
pub fn verify_file<'a>(
    what: impl Into<Unit<'a>>,
    settings: &Settings,
    run: &RunHandle,
) -> Result<Report, Diagnostic> {
    let unit: Unit<'a> = what.into();
    let mut pairs = 0;
    let (mut report, programs) = verify_read(unit, settings, run, || {
        c::load(unit, &settings.meaning).inspect(|module| pairs = module.race_pairs)
    })?;
    if matches!(report.verdict, Verdict::Safe(_)) {
        report.assumes.extend(relaxed::note(unit, &programs.search, settings, run));
    }
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
    run: &RunHandle,
) -> Result<Report, Diagnostic> {
    verify_read(path.into(), settings, run, || c::load_with(path, &settings.meaning, what)).map(|read| read.0)
}

fn verify_read(
    unit: Unit<'_>,
    settings: &Settings,
    run: &RunHandle,
    read: impl FnOnce() -> Result<cfa::Module, Diagnostic>,
) -> Result<(Report, Programs), Diagnostic> {
    run.enter(Stage::Reading);
    let start = Instant::now();
    let module = read()?;
    let settings = &with_comments(unit, settings)?;
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
        robust: draft.robust,
        losses: Vec::new(),
        hints: Vec::new(),
        source_lines: source_lines(unit.path()),
        threads: Vec::new(),
        stats: None,
        searched: None,
        seconds: Seconds { read: start.elapsed().as_secs_f64(), ..Seconds::default() },
        work: 0,
    };
    draft.shown().into_iter().for_each(|p| report.show(p));
    let programs = verdict(draft, settings, run, &mut report)?;
    if matches!(report.verdict, Verdict::Safe(_)) {
        report.assumes.extend(vacuous::not_held(&programs.search, &|| run.stopped()));
        report.assumes.extend(vacuous::note(&programs.search, &|| run.stopped()));
    }
    if let Some(reason) = run.reason().filter(|_| matches!(report.verdict, Verdict::Unknown(_))) {
        report.verdict = Verdict::Unknown(Unknown::Stopped(reason));
    }
    report.hints = hints::of(&programs, &report, settings);
    Ok((report, programs))
}

/// From the automata to a verdict in the report: a quick search, then the race. Gives the programs that it made.
fn verdict(
    draft: Draft,
    settings: &Settings,
    run: &RunHandle,
    report: &mut Report,
) -> Result<Programs, Diagnostic> {
    // What comes of a short search may be all that there is to say.
    let search = draft.search.as_ref().ok().filter(|_| !settings.needs_threads());
    let early = search.map(|search| quick(search, settings, run, report));
    let pocket = match early {
        Some(ControlFlow::Break(())) => return draft.search.map(Programs::searched),
        // No proof would come soon enough.
        Some(ControlFlow::Continue(Some(safe))) if draft.edges() * MAKING > SPACE_HANDICAP => {
            accept(report, safe, search::NAME);
            return draft.search.map(Programs::searched);
        }
        Some(ControlFlow::Continue(pocket)) => {
            run.enter(Stage::Proving);
            Some(pocket)
        }
        None => None,
    };
    let programs = finish(draft, settings, report)?;
    if let (true, Err(e)) = (settings.needs_threads(), &programs.proof) {
        return Err(e.clone());
    }
    let pocket = match pocket {
        Some(pocket) => pocket,
        None => match quick(&programs.search, settings, run, report) {
            ControlFlow::Break(()) => return Ok(programs),
            ControlFlow::Continue(pocket) => {
                run.enter(Stage::Proving);
                pocket
            }
        },
    };
    decide(&programs, settings, run, pocket, report);
    Ok(without_unproved(programs, settings, run, report))
}

/// Decides again as long as it is ghosts that were not shown: without those who found them. Gives the programs decided last.
fn without_unproved(
    mut programs: Programs,
    settings: &Settings,
    run: &RunHandle,
    report: &mut Report,
) -> Programs {
    let mut settings = settings.clone();
    while let Verdict::Unknown(why) = &report.verdict
        && let Some(by) = why.unproved().filter(|by| settings.engine.recognisers.has(*by))
        && !run.stopped()
    {
        settings.engine.recognisers = settings.engine.recognisers.and_without(by);
        let Some(fewer) = programs.with(settings.engine.recognisers) else { break };
        programs = fewer;
        decide(&programs, &settings, run, None, report);
    }
    programs
}

/// Makes the proof program, for a report that then speaks of it.
fn finish(draft: Draft, settings: &Settings, report: &mut Report) -> Result<Programs, Diagnostic> {
    let start = Instant::now();
    let programs = draft.finish(settings.engine.recognisers)?;
    report.show(programs.shown());
    report.seconds.read += start.elapsed().as_secs_f64();
    Ok(programs)
}

/// A short search. It may decide; else it gives all states of a safe program, and a proof in a few steps would be better.
fn quick(
    program: &cfa::Program,
    settings: &Settings,
    run: &RunHandle,
    report: &mut Report,
) -> ControlFlow<(), Option<Verdict>> {
    if !settings.quick_first() {
        return ControlFlow::Continue(None);
    }
    run.enter(Stage::Searching);
    let start = Instant::now();
    let found = short_search(program, settings, run);
    report.searched = found.searched;
    report.work = found.work;
    report.seconds.search = start.elapsed().as_secs_f64() - found.check_seconds;
    report.seconds.check += found.check_seconds;
    match found.verdict {
        Some(v @ Verdict::Unsafe { .. }) => accept(report, v, search::NAME),
        Some(safe) if settings.searches_only() => accept(report, safe, search::NAME),
        pocket => return ControlFlow::Continue(pocket),
    }
    ControlFlow::Break(())
}

fn short_search(program: &cfa::Program, settings: &Settings, run: &RunHandle) -> Found {
    let task = Task { search: program, threads: None, predicates: &[] };
    let checker = Checker { search: program, proof: None, limits: &settings.check, jobs: 1, run };
    let watch = Watch { cancel: &|| run.stopped(), work: &|_| (), progress: &|s| run.advance(s) };
    let mut found = Found::default();
    let searches = settings.quick_searches();
    let few: Box<dyn Engine> = Box::new(FewThreads(searches[0]));
    let plain = searches.map(|s| -> Box<dyn Engine> { Box::new(Interleavings(vec![s])) });
    for engine in iter::once(few).chain(plain) {
        let next = lanes::ask(&*engine, &task, &watch, &checker);
        let work = found.work + next.searched.map_or(0, |s| s.stats.steps);
        found = Found { work, ..found.then(next) };
        if found.verdict.is_some() || run.stopped() {
            break;
        }
    }
    found
}

/// The race. `pocket` is a verdict that the searches would come to.
fn decide(
    programs: &Programs,
    settings: &Settings,
    run: &RunHandle,
    pocket: Option<Verdict>,
    report: &mut Report,
) {
    let start = Instant::now();
    let checked = report.seconds.check;
    // Only the search looks for deadlocks.
    let proof = programs.proof.as_ref().ok().filter(|p| !p.automata.deadlock);
    let given =
        |p: Option<&Provable>| p.map(|p| resolve_all(&p.threads, &settings.predicates)).unwrap_or_default();
    let predicates = &given(proof);
    let task = &Task { search: &programs.search, threads: proof.map(|p| &p.threads), predicates };
    let alone = settings.searches_only() || programs.proof.is_err();
    let jobs = if alone { settings.search.jobs } else { 1 };
    let checker = &Checker { search: &programs.search, proof, limits: &settings.check, jobs, run };
    let mut pocket = pocket.filter(|_| settings.method == Method::Auto);
    let in_order = |e: &Entry| e.engine.name() == ordered::NAME;
    let lanes = by_lane(settings.engines(alone), |e| settings.takes(e, task) && !in_order(e));
    let others: Vec<_> =
        programs.others().filter(|p| !p.automata.deadlock).map(|p| (p, given(Some(p)))).collect();
    let others: Vec<_> = others
        .iter()
        .map(|(p, predicates)| {
            let task = Task { search: &programs.search, threads: Some(&p.threads), predicates };
            let checker =
                Checker { search: &programs.search, proof: Some(p), limits: &settings.check, jobs, run };
            (task, checker)
        })
        .collect();
    let second = others.iter().filter_map(|(task, checker)| {
        let proves = |e: &Entry| e.engine.name() == rely_guarantee::NAME && settings.takes(e, task);
        let lane: Vec<Entry> = settings.engines(alone).into_iter().filter(proves).collect();
        (!lane.is_empty()).then(|| -> Racer<'_, Found> {
            Box::new(move |l| lanes::take_turns(&lane, task, checker, run, l).or_nothing().in_race(l))
        })
    });
    let racers = lanes.into_iter().map(|lane| -> Racer<'_, Found> {
        let searches = lane.iter().any(|e| e.engine.name() == search::NAME);
        match pocket.take_if(|_| searches) {
            Some(safe) => Box::new(|lane| {
                let (verdict, engine) = (Some(safe), Some(search::NAME));
                Found { verdict, engine, ..Found::default() }.in_race(lane)
            }),
            None => {
                Box::new(move |l| lanes::take_part(&lane, settings.method, task, checker, run, l).in_race(l))
            }
        }
    });
    let orders = || settings.engines(alone).into_iter().filter(in_order);
    let threads = proof.filter(|_| orders().any(|e| settings.takes(&e, task)));
    let third = threads.map(|p| -> Racer<'_, Found> {
        let of = programs.chosen.as_ref().filter(|p| ordered::joins(&p.threads)).unwrap_or(p);
        Box::new(move |l| {
            let watch = Watch { cancel: &|| l.is_over(), work: &|more| l.work(more), progress: &|_| () };
            if settings.method == Method::Auto && !ordered::let_others_begin(&watch) {
                return Found::default().in_race(l);
            }
            let Ok(plain) = of.without_ghosts() else { return Found::default().in_race(l) };
            let predicates = &resolve_all(&plain.threads, &settings.predicates);
            let task = Task { search: &programs.search, threads: Some(&plain.threads), predicates };
            let checker =
                Checker { search: &programs.search, proof: Some(&plain), limits: &settings.check, jobs, run };
            let entries: Vec<Entry> = orders().collect();
            lanes::take_turns(&entries, &task, &checker, run, l).or_nothing().in_race(l)
        })
    });
    let limit = settings.max_work.saturating_sub(report.work);
    let outcome = race(limit, &|| run.stopped(), racers.chain(second).chain(third).collect());
    let panicked = || Found::unknown(Unknown::Panic);
    let mut all: Vec<Found> =
        outcome.answers.into_iter().map(|found| found.unwrap_or_else(panicked)).collect();
    for found in &all {
        report.stats = found.stats.or(report.stats);
        report.searched = found.searched.or(report.searched);
        report.seconds.check += found.check_seconds;
    }
    report.seconds.prove = (start.elapsed().as_secs_f64() - (report.seconds.check - checked)).max(0.0);
    let winner = outcome.winner.map(|own| all.swap_remove(own));
    report.stats = winner.as_ref().and_then(|w| w.stats).or(report.stats);
    let work = winner.as_ref().map(|w| w.work).or_else(|| all.iter().map(|found| found.work).max());
    report.work = report.work.saturating_add(work.unwrap_or(0));
    match winner {
        Some(Found { verdict: Some(verdict), engine: Some(engine), .. }) => accept(report, verdict, engine),
        _ => {
            let mut reasons: Vec<Unknown> = all.into_iter().filter_map(|found| found.reason).collect();
            if proof.is_none() && programs.proof.is_ok() && !settings.searches_only() {
                reasons.push(programs.no_order(&settings.meaning));
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

/// The engines that take part, by lane.
fn by_lane(engines: Vec<Entry>, takes: impl Fn(&Entry) -> bool) -> Vec<Vec<Entry>> {
    let mut lanes: BTreeMap<usize, Vec<Entry>> = BTreeMap::new();
    for entry in engines.into_iter().filter(takes) {
        lanes.entry(entry.lane).or_default().push(entry);
    }
    lanes.into_values().collect()
}

/// No property was asked for, and the program says none.
fn nothing_to_check(name: &str, checks: &cfa::Checks) -> Diagnostic {
    let unreached = match checks.unreached.as_slice() {
        [] => String::new(),
        all => format!(": what asserts is in `{}`, which cannot be reached", all.join("`, `")),
    };
    Diagnostic::of_file(
        name,
        format!("nothing to check: no assertion, call of an error function or error label{unreached}"),
        "ask for a property: --property assertions, no-data-race, deadlock, no-overflow, valid-memsafety or all",
    )
}

fn accept(report: &mut Report, verdict: Verdict, engine: &'static str) {
    report.verdict = verdict;
    report.engine = Some(engine);
}

/// The settings, with the predicates that comments of the sources have.
fn with_comments(unit: Unit<'_>, settings: &Settings) -> Result<Settings, Diagnostic> {
    let mut settings = settings.clone();
    let more = settings.meaning.more_files.iter().map(|f| (f.clone(), unit.name_of(f)));
    for (path, name) in std::iter::once((unit.path().to_path_buf(), unit.name())).chain(more) {
        // What can be read but once, as a pipe, was read by the compiler.
        let bytes = relyant_cfa::files::read(&path).unwrap_or_default();
        settings.predicates.extend(predicates::of_source(&name, &String::from_utf8_lossy(&bytes))?);
    }
    Ok(settings)
}

fn source_lines(path: &Path) -> usize {
    relyant_cfa::files::read(path).map_or(0, |text| text.split(|b| *b == b'\n').count().saturating_sub(1))
}
