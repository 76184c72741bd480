//! The symbolic search on random small thread programs, compared with exhaustive exploration.

use super::judged::{Outcome, accepted, compare, judge_all, threads_of};
use relyant_cfa::Program;
use relyant_engines::symbolic::{Settings, search};
use relyant_engines::watch::Watch;

/// What the search says, once its evidence is accepted.
fn verdict(program: &Program, settings: &Settings) -> Outcome {
    match threads_of(program) {
        Ok(threads) => accepted(program, &threads, search(&threads.0, settings, &Watch::NONE).0),
        Err(wrong) => wrong,
    }
}

fn run(settings: Settings, default: u64) {
    judge_all(default, 5, |_, p| compare(p, |program| verdict(program, &settings)));
}

#[test]
fn symbolic_search_agrees_with_exploration() {
    run(Settings { states: 20_000, merge: true }, 200);
}

#[test]
fn symbolic_search_without_unions_agrees_with_exploration() {
    run(Settings { states: 20_000, merge: false }, 60);
}
