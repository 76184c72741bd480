//! Random small systems: every way to search gives the same answer, explicit exploration agrees, and the checker
//! accepts exactly the proofs that are some.
//!
//! `RELYANT_CASES` sets how many, `RELYANT_SEED` the seed.

use proptest::prelude::*;
use relyant_finite::evidence::{self, Certificate};
use relyant_finite::model::{Config, Counts, Initial, System, Target, Transfer, Transition};
use relyant_unbounded::cover::{CoverOptions, Coverability, Limits, Unknown, decide};
use std::collections::BTreeSet;
use std::sync::atomic::AtomicBool;

fn cases(default: u32) -> ProptestConfig {
    let number = |name: &str| std::env::var(name).ok().and_then(|s| s.parse::<u64>().ok());
    ProptestConfig {
        cases: number("RELYANT_CASES").map_or(default, |n| n as u32),
        failure_persistence: None,
        rng_seed: proptest::test_runner::RngSeed::Fixed(number("RELYANT_SEED").unwrap_or(1)),
        ..ProptestConfig::default()
    }
}

const SHARED: u32 = 3;
const LOCAL: u32 = 4;

fn counts(most: usize) -> impl Strategy<Value = Counts> {
    prop::collection::vec(0..LOCAL, 0..=most).prop_map(|v| Counts::of(v).unwrap())
}

fn transfers() -> impl Strategy<Value = Vec<Transfer>> {
    let one = (0..LOCAL, prop::collection::btree_set(0..LOCAL, 0..3));
    let some = prop::collection::btree_map(0..LOCAL, prop::collection::btree_set(0..LOCAL, 0..3), 1..3);
    let list = |m: std::collections::BTreeMap<u32, BTreeSet<u32>>| {
        m.into_iter().map(|(from, to)| Transfer { from, to: to.into_iter().collect() }).collect()
    };
    prop_oneof![
        3 => Just(Vec::new()),
        1 => one.prop_map(|(from, to)| vec![Transfer { from, to: to.into_iter().collect() }]),
        1 => some.prop_map(list),
    ]
}

fn transition(shared: u32, tests: bool) -> impl Strategy<Value = Transition> {
    let absent = prop::collection::btree_set(0..LOCAL, if tests { 0..2 } else { 0..1 });
    (0..shared, 0..shared, counts(2), counts(2), transfers(), absent).prop_map(
        |(from, to, take, put, transfers, absent)| {
            let absent = absent.into_iter().collect();
            Transition { from, to, take, put, transfers, absent, ..Transition::default() }
        },
    )
}

fn config(shared: u32, most: usize) -> impl Strategy<Value = Config> {
    (0..shared, counts(most)).prop_map(|(s, c)| Config::new(s, c))
}

fn initial(shared: u32) -> impl Strategy<Value = Initial> {
    (config(shared, 2), prop::collection::btree_set(0..LOCAL, 0..2))
        .prop_map(|(exactly, any)| Initial { exactly, any: any.into_iter().collect() })
}

/// `tests`: with tests for the absence of threads.
fn question(tests: bool) -> impl Strategy<Value = (System, Target)> {
    (1..=SHARED).prop_flat_map(move |shared| {
        let transitions = prop::collection::vec(transition(shared, tests), 1..7);
        let start = prop::collection::vec(initial(shared), 1..3);
        let target = prop::collection::vec(config(shared, 3), 1..3);
        (transitions, start, target).prop_map(move |(transitions, initial, target)| {
            (System { shared, local: LOCAL, transitions, initial, ..System::default() }, target)
        })
    })
}

/// Is the target covered with few threads and in few steps?
fn explored(system: &System, target: &Target) -> bool {
    let mut seen: BTreeSet<Config> = BTreeSet::new();
    let mut todo = Vec::new();
    for i in &system.initial {
        let mut sets = vec![i.exactly.clone()];
        for l in &i.any {
            sets = (0..4u32)
                .flat_map(|n| sets.iter().map(move |c| (c.clone(), n)))
                .map(|(mut c, n)| {
                    c.locals.add(*l, n).unwrap();
                    c
                })
                .collect();
        }
        todo.extend(sets);
    }
    while let Some(c) = todo.pop() {
        if seen.len() > 3_000 || c.locals.total() > 8 || !seen.insert(c.clone()) {
            continue;
        }
        if target.iter().any(|t| t.is_below(&c)) {
            return true;
        }
        for t in &system.transitions {
            todo.extend(t.successors(&c, 200).unwrap_or_default());
        }
    }
    false
}

fn ways() -> Vec<CoverOptions> {
    let full = CoverOptions::default();
    let wide = |n| CoverOptions { widen: Some(n), widen_net: Some(n), ..full.clone() };
    vec![
        CoverOptions::backward(),
        full.clone(),
        wide(0),
        wide(2),
        wide(9),
        CoverOptions { oracle: false, ..wide(9) },
        CoverOptions { oracle: false, ..full.clone() },
        CoverOptions { reach: false, ..full.clone() },
        CoverOptions { invariants: false, ..wide(9) },
        CoverOptions { lean: false, ..full.clone() },
        CoverOptions { lean: false, oracle: false, reach: false, invariants: false, ..wide(9) },
        CoverOptions { lean: false, oracle: false, reach: false, invariants: false, ..full.clone() },
        CoverOptions { lean: false, ..CoverOptions::backward() },
        CoverOptions { widen: None, widen_net: None, ..full },
    ]
}

fn word(v: &Coverability) -> &'static str {
    match v {
        Coverability::Uncoverable(_) => "safe",
        Coverability::Coverable(_) => "unsafe",
        Coverability::Unknown(_) => "unknown",
    }
}

proptest! {
    #![proptest_config(cases(400))]

    #[test]
    fn all_ways_agree((system, target) in question(false)) {
        let cancel = AtomicBool::new(false);
        let limits = Limits { vertices: 20_000, ..Limits::new(&cancel) };
        let covered = explored(&system, &target);
        let mut answers = Vec::new();
        for o in ways() {
            let outcome = decide(&system, &target, &o, &limits).unwrap();
            if let Coverability::Unknown(why) = &outcome.verdict {
                prop_assert!(matches!(why, Unknown::Configurations(_) | Unknown::LongRun), "{why} by {o:?}");
            }
            answers.push(word(&outcome.verdict));
        }
        if covered {
            prop_assert!(!answers.contains(&"safe"), "{answers:?}, but it is covered");
        }
        prop_assert!(!(answers.contains(&"safe") && answers.contains(&"unsafe")), "{answers:?}");
        // these systems are small enough for all of them
        prop_assert!(answers.iter().filter(|a| **a == "unknown").count() <= 2, "{answers:?}");
    }

    #[test]
    fn tests_for_absence_are_sound((system, target) in question(true)) {
        let cancel = AtomicBool::new(false);
        let limits = Limits { vertices: 3_000, ..Limits::new(&cancel) };
        let covered = explored(&system, &target);
        for o in [CoverOptions::default(), CoverOptions::backward()] {
            let outcome = decide(&system, &target, &o, &limits).unwrap();
            prop_assert!(!(covered && word(&outcome.verdict) == "safe"), "safe by {o:?}, but it is covered");
        }
    }

    /// What leads to the target is a proof exactly if nothing of it is initial, and no part of it is.
    #[test]
    fn the_checker_accepts_proofs_only((system, target) in question(false)) {
        let cancel = AtomicBool::new(false);
        let limits = Limits { vertices: 20_000, ..Limits::new(&cancel) };
        let nowhere = System { initial: Vec::new(), ..system.clone() };
        let outcome = decide(&nowhere, &target, &CoverOptions::backward(), &limits).unwrap();
        let Coverability::Uncoverable(all) = outcome.verdict else { return Ok(()) };
        let check = |c: &Certificate| evidence::check(&system, &target, c, &cancel);
        let verdict = decide(&system, &target, &CoverOptions::default(), &limits).unwrap().verdict;
        prop_assert_eq!(check(&all).is_ok(), word(&verdict) == "safe");
        for i in 0..all.minimal.len() {
            let mut less = all.clone();
            less.minimal.remove(i);
            prop_assert!(check(&less).is_err(), "without {:?}", all.minimal[i]);
        }
        // a run that was tampered with is rejected or still one
        if let Coverability::Coverable(run) = verdict {
            for i in 0..run.steps.len() {
                let mut other = run.clone();
                other.steps[i].transition += 1;
                if let Ok(r) = evidence::replay(&system, &target, &other) {
                    prop_assert!(target.iter().any(|t| t.is_below(r.configs.last().unwrap())));
                    prop_assert!(explicit(&system, &r.configs));
                }
            }
        }
    }
}

/// Is each configuration a successor of the one before?
fn explicit(system: &System, configs: &[Config]) -> bool {
    configs.windows(2).all(|w| {
        system.transitions.iter().any(|t| t.successors(&w[0], 100_000).is_none_or(|all| all.contains(&w[1])))
    })
}

/// What covers a certain part of the proof may turn out coverable; the part stays. Found at random.
#[test]
fn certain_parts_stay() {
    let counts = |v: &[u32]| Counts::of(v.iter().copied()).unwrap();
    let spawn = |l: u32, transfers| Transition { put: counts(&[l]), transfers, ..Transition::default() };
    let transitions = vec![spawn(1, vec![]), spawn(0, vec![Transfer { from: 0, to: vec![] }])];
    let system = System {
        shared: 1,
        local: LOCAL,
        transitions,
        initial: vec![Initial::default()],
        ..System::default()
    };
    let target = vec![Config::new(0, counts(&[0, 0])), Config::new(0, counts(&[0, 2]))];
    let cancel = AtomicBool::new(false);
    for o in ways() {
        let outcome = decide(&system, &target, &o, &Limits::new(&cancel)).unwrap();
        assert_eq!(word(&outcome.verdict), "safe", "{o:?}: {:?}", outcome.verdict);
    }
}
