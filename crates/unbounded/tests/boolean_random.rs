//! Random small Boolean programs: the engines against plain exploration with few threads, both ways.

mod boolean_writer;

use boolean_writer::{cases, program};
use relyant_finite::boolean::closed;
use relyant_finite::boolean::flat::{flatten, merged};
use relyant_finite::boolean::live::Live;
use relyant_finite::boolean::machine::Machine;
use relyant_finite::boolean::program::Program;
use relyant_finite::boolean::replay;
use relyant_finite::boolean::template::Threads;
use relyant_unbounded::boolean::decide::{BooleanVerdict, Method, Settings, decide};
use relyant_unbounded::boolean::guide;
use relyant_unbounded::counter::explicit::{CounterOptions, CounterOutcome, Explored, explore};
use relyant_unbounded::counter::symbolic::Sets;
use relyant_unbounded::fixpoint;
use std::sync::atomic::AtomicBool;

static CANCEL: AtomicBool = AtomicBool::new(false);

fn explored(
    p: &Program,
    live: &Live,
    n: u32,
    counted: bool,
    reduce: bool,
    states: usize,
) -> Option<Explored> {
    let mut t = Threads::new(Machine::new(p, live));
    let o = CounterOptions { threads: Some(n), states, counted, reduce, cancel: &CANCEL };
    explore(&mut t, &o).ok().filter(|e| !matches!(e.found, CounterOutcome::Limit(_)))
}

fn fails(e: &Explored) -> bool {
    matches!(e.found, CounterOutcome::Failure(_))
}

#[test]
fn counted_and_reduced_searches_agree_with_the_plain_one() {
    let (mut safe, mut bad) = (0, 0);
    for seed in 0..cases(400) {
        let (text, p) = program(seed, false);
        let live = Live::new(&p);
        let Some(plain) = explored(&p, &live, 3, false, false, 6_000) else { continue };
        for reduce in [false, true] {
            let e = explored(&p, &live, 3, true, reduce, 6_000).expect("fewer states than the plain one");
            assert_eq!(fails(&plain), fails(&e), "seed {seed}, reduce {reduce}\n{text}");
            assert!(fails(&e) || e.states <= plain.states, "seed {seed}");
            if let CounterOutcome::Failure(path) = &e.found {
                let mut t = Threads::new(Machine::new(&p, &live));
                let o = CounterOptions {
                    threads: Some(3),
                    states: 6_000,
                    counted: true,
                    reduce,
                    cancel: &CANCEL,
                };
                explore(&mut t, &o).expect("the same again");
                let (run, _) =
                    replay::concrete(&t, path).unwrap_or_else(|e| panic!("seed {seed}: {e}\n{text}"));
                replay::replay(&t.machine(), &run).expect("replayed once more");
            }
        }
        if fails(&plain) { bad += 1 } else { safe += 1 }
    }
    assert!(safe > 40 && bad > 40, "{safe} safe, {bad} unsafe");
}

#[test]
fn no_failure_escapes_the_fixpoint() {
    let (mut proved, mut alarms, mut real, mut joined) = (0, 0, 0, 0);
    for seed in 0..cases(600) {
        let (text, p) = program(seed, seed % 3 == 0);
        let live = Live::new(&p);
        let flat = flatten(&p, &live);
        let found = fixpoint::run(&flat, &CANCEL).expect("small");
        let fewer = merged(flat.clone());
        let same = fixpoint::run(&fewer, &CANCEL).expect("small");
        assert_eq!(same.alarm.is_some(), found.alarm.is_some(), "seed {seed}\n{text}");
        joined += usize::from(fewer.nodes.len() < flat.nodes.len());
        let n = if seed % 2 == 0 { 3 } else { 4 };
        // Stacks of recursive calls make states large.
        let states = if seed % 3 == 0 { 600 } else { 8_000 };
        let few = explored(&p, &live, n, true, false, states);
        let bad = few.as_ref().is_some_and(fails);
        real += usize::from(bad);
        if found.alarm.is_some() {
            alarms += 1;
            continue;
        }
        proved += 1;
        assert!(!bad, "seed {seed}: a failure that the fixpoint does not see\n{text}");
        for (flat, found) in [(flat, found), (fewer, same)] {
            let checked = closed::check(&flat, &found.sets, &CANCEL);
            checked.unwrap_or_else(|e| panic!("seed {seed}: {e}\n{text}"));
        }
    }
    assert!(joined > 60, "{joined}");
    assert!(proved > 60 && real > 80 && alarms >= real, "{proved} proved, {alarms} alarms, {real} real");
}

#[test]
fn all_methods_agree() {
    let mut decided = [0, 0];
    for seed in 0..cases(250) {
        let (text, p) = program(seed.wrapping_add(1 << 40), false);
        let mut answers = Vec::new();
        for method in [Method::Auto, Method::Coverability] {
            let s = Settings { method, threads: None, states: 20_000, cancel: &CANCEL };
            match decide(&p, &s).verdict {
                BooleanVerdict::Safe(_) => answers.push(true),
                BooleanVerdict::Unsafe(..) => answers.push(false),
                BooleanVerdict::Unknown(why) => {
                    assert!(!why.to_string().contains("rejected"), "seed {seed}: {why}\n{text}");
                }
            }
        }
        assert!(answers.windows(2).all(|w| w[0] == w[1]), "seed {seed}: {answers:?}\n{text}");
        if let Some(safe) = answers.first() {
            decided[usize::from(*safe)] += 1;
            let live = Live::new(&p);
            if let Some(few) = explored(&p, &live, 3, true, true, 20_000) {
                assert!(!(*safe && fails(&few)), "seed {seed}\n{text}");
            }
        }
    }
    assert!(decided[0] > 30 && decided[1] > 30, "{decided:?}");
}

#[test]
fn sets_of_states_agree_with_states() {
    let (mut safe, mut bad, mut found) = (0, 0, 0);
    for seed in 0..cases(400) {
        let (text, p) = program(seed.wrapping_add(7 << 32), false);
        let live = Live::new(&p);
        let Some(plain) = explored(&p, &live, 3, true, false, 1_500) else { continue };
        let flat = flatten(&p, &live);
        for reduce in [false, true] {
            let mut sets = Sets::new(&flat).expect("no recursion");
            let o =
                CounterOptions { threads: Some(3), states: 2_000, counted: true, reduce, cancel: &CANCEL };
            let e = explore(&mut sets, &o).expect("small");
            if matches!(e.found, CounterOutcome::Limit(_)) {
                continue;
            }
            assert_eq!(fails(&plain), fails(&e), "seed {seed}, reduce {reduce}\n{text}");
            if let CounterOutcome::Failure(path) = &e.found {
                let mut t = Threads::new(Machine::new(&p, &live));
                let path = guide::along(&mut t, &sets, path).expect("few values");
                let path = path.unwrap_or_else(|| panic!("seed {seed}: no path of states\n{text}"));
                replay::concrete(&t, &path).unwrap_or_else(|e| panic!("seed {seed}: {e}\n{text}"));
                found += 1;
            }
        }
        if fails(&plain) { bad += 1 } else { safe += 1 }
    }
    assert!(safe > 40 && bad > 60 && found > 100, "{safe} safe, {bad} unsafe, {found} runs");
}
