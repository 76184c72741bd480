//! Verdicts on random small thread programs, compared with exhaustive exploration.

use super::judged::{Outcome, accepted, compare, judge_all, patiently, threads_of};
use relyant_cfa::Program;
use relyant_engines::aret::{Bias, Method, Settings};
use relyant_engines::rely_guarantee;
use std::time::Duration;

/// A verdict that takes longer counts as unknown.
const PATIENCE: Duration = Duration::from_secs(5);

/// What the engine says, once its evidence is accepted.
fn verdict(program: &Program, settings: &Settings) -> Outcome {
    let threads = match threads_of(program) {
        Ok(threads) => threads,
        Err(wrong) => return wrong,
    };
    let answer = patiently(PATIENCE, |watch| rely_guarantee::verify(&threads.0, settings, watch).0);
    accepted(program, &threads, answer)
}

fn run(settings: Settings, default: u64, most_unknown: usize) {
    judge_all(default, most_unknown, |_, p| compare(p, |program| verdict(program, &settings)));
}

#[test]
fn rely_guarantee_agrees_with_exploration() {
    run(Settings::default(), 100, 5);
}

#[test]
fn rely_guarantee_without_bias_agrees_with_exploration() {
    run(Settings { bias: Bias::None, ..Settings::default() }, 60, 10);
}

#[test]
fn owicki_gries_agrees_with_exploration() {
    run(Settings { method: Method::OwickiGries, ..Settings::default() }, 60, 10);
}

#[test]
fn monolithic_agrees_with_exploration() {
    run(Settings { method: Method::Monolithic, ..Settings::default() }, 60, 10);
}
