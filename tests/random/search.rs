//! The search on random small thread programs, compared with plain exploration.
//!
//! `RELYANT_CASES` sets how many, `RELYANT_SEED` the first seed. A program on which they disagree is printed, shrunk.

use rayon::prelude::*;
use relyant_cfa::Program;
use relyant_cfa::options::Options as MeaningOptions;
use relyant_cfa::schedule::Schedule;
use relyant_engines::search::{SearchOutcome, Settings, Strategy, search};
use relyant_engines::watch::Watch;
use relyant_frontend::c;
use relyant_frontend::instantiate::for_search;
use relyant_interp::explore::{Exploration, ExploreOptions, explore};
use relyant_interp::replay::replay;
use relyant_testing::rng::cases;
use relyant_testing::shrink::shrink;
use relyant_testing::threads::{ThreadProgram, generate};

/// States that exploration may look at; the search, without reduction, may need more.
const STATES: usize = 6_000;

/// Steps of random runs.
const RANDOM_STEPS: u64 = 2_000;

const ORDERS: [(Strategy, Option<u32>); 4] = [
    (Strategy::DepthFirst, None),
    (Strategy::FewSwitches, None),
    (Strategy::BreadthFirst, Some(1)),
    (Strategy::BreadthFirst, Some(30)),
];

/// Context switches of a run.
fn switches(schedule: &Schedule) -> usize {
    schedule.moves.windows(2).filter(|w| w[0].thread != w[1].thread).count()
}

/// `Some(true)`: there is a violation; `None`: not decided. Where there is one, the plain search without reduction
/// finds a run that is as short.
fn truth(program: &Program) -> Result<Option<bool>, String> {
    let options = ExploreOptions { max_states: STATES, ..ExploreOptions::default() };
    match explore(program, &options, &|| false) {
        Ok(Exploration::Violation(run)) => {
            let plain = Settings {
                reduction: false,
                subsumption: false,
                max_states: 4 * STATES,
                ..Settings::default()
            };
            if let Ok((SearchOutcome::Violation { schedule, shortest }, _)) =
                search(program, &plain, &Watch::NONE)
            {
                let (a, b) = (schedule.moves.len(), run.moves.len());
                if a > b || (shortest && a < b) || (a == b && switches(&schedule) > switches(&run)) {
                    return Err(format!("{a} moves, {b} by exploration:\n{schedule:?}\n{run:?}"));
                }
            }
            Ok(Some(true))
        }
        Ok(Exploration::Exhausted { complete: true, .. }) => Ok(Some(false)),
        Ok(_) => Ok(None),
        Err(e) => Err(format!("malformed: {e}")),
    }
}

fn found(program: &Program, settings: &Settings) -> Result<(Option<bool>, String), String> {
    match search(program, settings, &Watch::NONE) {
        Ok((SearchOutcome::Violation { schedule, shortest }, stats)) => match replay(program, &schedule) {
            Ok(_) => Ok((Some(true), format!("{schedule:?} {shortest} {stats:?}"))),
            Err(e) => Err(format!("{settings:?}: the schedule does not replay: {e}")),
        },
        Ok((SearchOutcome::Exhausted(space), stats)) => {
            Ok((Some(false), format!("{} {stats:?}", space.len())))
        }
        Ok((SearchOutcome::Limit { reason, .. }, stats)) => Ok((None, format!("{reason} {stats:?}"))),
        Err(e) => Err(format!("malformed: {e}")),
    }
}

/// All ways to search agree with exploration, on the automata made directly and on those made from C text, in which
/// threads that do the same share a template. What exploration says.
///
/// With `deadlock` deadlocks are errors, too.
fn compare(p: &ThreadProgram, deadlock: bool) -> Result<Option<bool>, String> {
    let direct = p.to_program();
    let options = MeaningOptions { deadlock, ..MeaningOptions::default() };
    let module = c::load_text("random.i", &p.to_c(), &options).map_err(|e| e.to_string())?;
    let text = for_search(&module, &options).map_err(|e| e.to_string())?;
    // Automata made directly do not tell assumptions from waiting.
    let direct = if deadlock { &text } else { &direct };
    let truth = truth(direct)?;
    for (program, reduction, symmetry, subsumption) in [
        (direct, true, true, true),
        (direct, false, true, true),
        (&text, true, true, true),
        (&text, true, true, false),
        (&text, true, false, true),
        (&text, false, true, true),
        (&text, false, false, false),
    ] {
        let one =
            Settings { reduction, symmetry, subsumption, max_states: 4 * STATES, ..Settings::default() };
        let first = found(program, &one)?;
        if let (Some(a), Some(b)) = (truth, first.0)
            && a != b
        {
            return Err(format!("{one:?}: violation {b}, but {a} by exploration; {}", first.1));
        }
        if truth.is_some() && first.0.is_none() && reduction {
            return Err(format!("decided by exploration, but not by search: {one:?} {}", first.1));
        }
        if std::ptr::eq(program, &text) && symmetry {
            for (strategy, max_switches) in ORDERS {
                let other = Settings { strategy, max_switches, ..one };
                let (answer, what) = found(program, &other)?;
                if answer.is_some() && truth.is_some() && answer != truth {
                    return Err(format!("{other:?}: violation {answer:?}, but {truth:?}; {what}"));
                }
                if answer != truth && truth.is_some() && first.0.is_some() && max_switches.is_none() {
                    return Err(format!("{other:?}: not decided; {what}"));
                }
            }
        }
        let random = Settings { strategy: Strategy::Random, max_steps: RANDOM_STEPS, ..one };
        let (answer, what) = found(program, &random)?;
        if answer == Some(false) || (answer == Some(true) && truth == Some(false)) {
            return Err(format!("at random: violation {answer:?}, but {truth:?}; {what}"));
        }
        if reduction && symmetry {
            let second = found(program, &Settings { jobs: 2, ..one })?;
            if first != second {
                return Err(format!("{first:?} with one worker, {second:?} with two"));
            }
        }
    }
    Ok(truth)
}

fn run(default: u64, deadlock: bool) {
    let first = std::env::var("RELYANT_SEED").ok().and_then(|v| v.parse().ok()).unwrap_or(0);
    let seeds: Vec<u64> = (first..first + cases(default)).collect();
    let results: Vec<_> = seeds.par_iter().map(|s| compare(&generate(*s), deadlock)).collect();
    let mut counts = [0; 3];
    for (seed, result) in seeds.iter().zip(results) {
        match result {
            Ok(truth) => counts[truth.map_or(2, usize::from)] += 1,
            Err(what) => {
                let small = shrink(&generate(*seed), &mut |q| compare(q, deadlock).is_err());
                panic!("seed {seed}: {what}\n{}\n{:?}", small.to_c(), compare(&small, deadlock));
            }
        }
    }
    println!("safe, unsafe, too large: {counts:?}");
    assert!(counts[0] > 0 && counts[1] > 0);
}

#[test]
fn search_agrees_with_exploration() {
    run(60, false);
}

#[test]
fn search_agrees_with_exploration_on_deadlocks() {
    run(20, true);
}
