//! The symbolic search on random small thread programs, compared with exhaustive exploration.
//!
//! `RELYANT_CASES` sets how many, `RELYANT_SEED` the first seed. A program on which they disagree is printed, shrunk.

use rayon::prelude::*;
use relyant_cfa as cfa;
use relyant_check::check;
use relyant_engines::symbolic::{Settings, search};
use relyant_engines::verdict::Answer;
use relyant_engines::watch::Watch;
use relyant_interp::explore::{Exploration, Options, explore};
use relyant_interp::replay::replay;
use relyant_program::thread_program;
use relyant_program::{Step, schedule};
use relyant_testing::rng::cases;
use relyant_testing::shrink::shrink;
use relyant_testing::threads::{ThreadProgram, generate};

/// States that the explorer may look at.
const STATES: usize = 30_000;

#[derive(Clone, PartialEq, Eq, Debug)]
enum Outcome {
    Safe,
    Unsafe,
    /// The explorer has no answer.
    TooLarge,
    /// The search has none.
    Unknown(String),
    /// They disagree, or evidence is rejected.
    Wrong(String),
}

/// What the search says, once its evidence is accepted.
fn verdict(program: &cfa::Program, settings: &Settings) -> Outcome {
    let threads = match thread_program(program) {
        Ok(threads) => threads,
        Err(e) => return Outcome::Wrong(format!("refused: {e}")),
    };
    let exact = threads.templates.iter().flat_map(|t| &t.edges).all(|e| e.exact);
    match search(&threads, settings, &Watch::NONE).0 {
        Answer::Safe(proof) => match check::check(&threads, &proof, &check::Limits::default()) {
            Ok(_) => Outcome::Safe,
            Err(e) => Outcome::Wrong(format!("the checker rejects the proof: {e}")),
        },
        Answer::Unsafe(c) => {
            let steps: Vec<Step> =
                c.steps.into_iter().map(|s| (s.thread, s.edge as usize, s.inputs)).collect();
            match replay(program, &schedule(&threads, program, &c.start, &steps)) {
                Ok(_) => Outcome::Unsafe,
                // Where the thread program does more than the program, a counterexample may be none.
                Err(e) if exact => Outcome::Wrong(format!("the counterexample does not replay: {e}")),
                Err(e) => Outcome::Unknown(format!("the counterexample does not replay: {e}")),
            }
        }
        Answer::Unknown(reason) => Outcome::Unknown(reason.to_string()),
    }
}

fn compare(p: &ThreadProgram, settings: &Settings) -> Outcome {
    let program = p.to_program();
    let options = Options { max_states: STATES, ..Options::default() };
    let truth = match explore(&program, &options, &|| false) {
        Ok(Exploration::Violation(_)) => Outcome::Unsafe,
        Ok(Exploration::Exhausted { complete: true, .. }) => Outcome::Safe,
        Ok(_) => return Outcome::TooLarge,
        Err(e) => return Outcome::Wrong(format!("malformed: {e}")),
    };
    match verdict(&program, settings) {
        Outcome::Safe if truth == Outcome::Unsafe => Outcome::Wrong("proved, but a violation exists".into()),
        Outcome::Unsafe if truth == Outcome::Safe => {
            Outcome::Wrong("refuted, but no violation exists".into())
        }
        other => other,
    }
}

fn run(settings: Settings, default: u64, most_unknown: usize) {
    let first = std::env::var("RELYANT_SEED").ok().and_then(|v| v.parse().ok()).unwrap_or(0);
    let seeds: Vec<u64> = (first..first + cases(default)).collect();
    let outcomes: Vec<Outcome> = seeds.par_iter().map(|s| compare(&generate(*s), &settings)).collect();
    let mut counts = [0; 4];
    for (seed, outcome) in seeds.iter().zip(&outcomes) {
        match outcome {
            Outcome::Safe => counts[0] += 1,
            Outcome::Unsafe => counts[1] += 1,
            Outcome::TooLarge => counts[2] += 1,
            Outcome::Unknown(why) => {
                println!("seed {seed}: unknown: {why}");
                counts[3] += 1;
            }
            Outcome::Wrong(what) => {
                let wrong = |q: &ThreadProgram| matches!(compare(q, &settings), Outcome::Wrong(_));
                let small = shrink(&generate(*seed), &mut |q| wrong(q));
                panic!("seed {seed}: {what}\n{}\n{:?}", small.to_c(), compare(&small, &settings));
            }
        }
    }
    println!("safe, unsafe, too large, unknown: {counts:?}");
    assert!(counts[0] > 0 && counts[1] > 0);
    assert!(counts[3] * 100 <= most_unknown * seeds.len(), "too many unknown: {counts:?}");
}

#[test]
fn symbolic_search_agrees_with_exploration() {
    run(Settings { states: 20_000, merge: true }, 200, 5);
}

#[test]
fn symbolic_search_without_unions_agrees_with_exploration() {
    run(Settings { states: 20_000, merge: false }, 60, 5);
}
