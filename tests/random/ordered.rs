//! Proofs in an order of preference, and runs of products, compared with exhaustive exploration: in each order an error can be reached
//! exactly if some interleaving reaches it.
//!
//! `RELYANT_CASES` sets how many programs, `RELYANT_SEED` the first seed.

use super::arrays::workers;
use super::judged::{Outcome, STATES, judge_all, patiently, program_of, proved, truth};
use super::sections;
use rayon::prelude::*;
use relyant_check::check;
use relyant_engines::aret::Settings;
use relyant_engines::rely_guarantee;
use relyant_engines::verdict::Answer;
use relyant_program::linearise::ArrayLimits;
use relyant_program::ordered::{Commuting, has_threads, ordered, orders};
use relyant_program::recognisers::Recognisers;
use relyant_program::{Program, thread_program_with};
use relyant_testing::rng::cases;
use std::time::Duration;

/// A verdict that takes longer counts as unknown.
const PATIENCE: Duration = Duration::from_secs(1);

/// What is said in one order.
fn in_order(product: &Program) -> Outcome {
    let settings = Settings::default();
    match patiently(PATIENCE, |watch| rely_guarantee::verify(product, &settings, watch).0) {
        Answer::Safe(proof) => proved(check::check(product, &proof, &check::Limits::default())),
        Answer::Unsafe(_) => Outcome::Unsafe,
        Answer::Unknown(why) => Outcome::Unknown(why.to_string()),
    }
}

fn judge(program: &relyant_cfa::Program, limits: ArrayLimits) -> Outcome {
    let violated = match truth(program, STATES) {
        Ok(Some(violated)) => violated,
        Ok(None) => return Outcome::TooLarge,
        Err(wrong) => return wrong,
    };
    let threads = match thread_program_with(program, limits, Recognisers::none()) {
        Ok(threads) => threads,
        Err(e) => return Outcome::Wrong(format!("refused: {e}")),
    };
    if !has_threads(&threads) {
        return Outcome::TooLarge;
    }
    let exact = threads.templates.iter().flat_map(|t| &t.edges).all(|e| e.exact);
    let mut commuting = Commuting::default();
    let mut said = Outcome::Unknown("no order".into());
    for order in orders(&threads) {
        let Some(product) = ordered(&threads, &order, &mut |p, a, b| commuting.swap(p, a, b), &|| false)
        else {
            continue;
        };
        match in_order(&product) {
            Outcome::Safe if violated => {
                return Outcome::Wrong(format!("proved in the order {order:?}, but a violation exists"));
            }
            // Sums of the program stay far from its types' bounds, which are all that the product does not know.
            Outcome::Unsafe if !violated && exact => {
                return Outcome::Wrong(format!("a run in the order {order:?}, but no violation exists"));
            }
            Outcome::Unknown(why) if matches!(said, Outcome::Unknown(_)) => said = Outcome::Unknown(why),
            Outcome::Unsafe if !violated => {}
            Outcome::Wrong(why) => return Outcome::Wrong(why),
            Outcome::Safe => said = Outcome::Safe,
            Outcome::Unsafe => said = Outcome::Unsafe,
            _ => {}
        }
    }
    said
}

#[test]
fn each_order_has_the_errors_of_all_interleavings() {
    judge_all(60, 30, |_, p| judge(&p.to_program(), ArrayLimits::touching()));
}

/// Programs by seed, each in all orders: how many were proved, and how many have a violation.
fn judge_texts(programs: u64, text: fn(u64) -> String, limits: ArrayLimits) -> (usize, usize) {
    let first = std::env::var("RELYANT_SEED").ok().and_then(|v| v.parse().ok()).unwrap_or(0);
    let seeds: Vec<u64> = (first..first + cases(programs)).collect();
    let outcomes: Vec<Outcome> = seeds.par_iter().map(|s| judge(&program_of(&text(*s)), limits)).collect();
    for (seed, outcome) in seeds.iter().zip(&outcomes) {
        assert!(!matches!(outcome, Outcome::Wrong(_)), "seed {seed}: {outcome:?}\n{}", text(*seed));
    }
    let count = |o: &Outcome| outcomes.iter().filter(|x| *x == o).count();
    println!("{} proved, {} with a violation", count(&Outcome::Safe), count(&Outcome::Unsafe));
    (count(&Outcome::Safe), count(&Outcome::Unsafe))
}

#[test]
fn elements_of_arrays_are_what_was_written_last() {
    let small = ArrayLimits { cases: 1, cells: 2, touches: true };
    let (safe, violated) = judge_texts(150, workers, small);
    assert!(safe > 0 && violated > 0);
}

#[test]
fn sections_are_one_step_in_turns_too() {
    let (safe, violated) = judge_texts(24, sections::program, ArrayLimits::touching());
    assert!(safe > 0 && violated > 0);
}
