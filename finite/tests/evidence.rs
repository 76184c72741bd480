//! Evidence about random small systems, against a plain walk through the configurations of few threads: no upward-closed
//! set is a proof where the target can be covered, and no run covers it where it cannot.

use relyant_finite::evidence::{Certificate, CoveringRun, Rejection, Step, Weights, check, replay};
use relyant_finite::model::{Config, Counts, Initial, Split, System, Target, Transfer, Transition};
use relyant_testing::rng::{Rng, cases};
use std::collections::BTreeSet;
use std::sync::atomic::AtomicBool;

const SHARED: u32 = 2;
const LOCAL: u32 = 3;
/// Threads of a configuration that the walk looks at.
const THREADS: usize = 4;

/// A configuration of the walk: the shared state, and the local states of the threads, sorted.
type Plain = (u32, Vec<u32>);

fn counts(locals: &[u32]) -> Counts {
    Counts::of(locals.iter().copied()).unwrap()
}
fn config(c: &Plain) -> Config {
    Config::new(c.0, counts(&c.1))
}

fn some(rng: &mut Rng, below: u32, most: usize) -> Vec<u32> {
    let n = rng.below(most + 1);
    (0..n).map(|_| rng.below(below as usize) as u32).collect()
}

fn transition(rng: &mut Rng) -> Transition {
    let take = some(rng, LOCAL, 2);
    let put = if rng.percent(70) {
        take.iter().map(|_| rng.below(LOCAL as usize) as u32).collect()
    } else {
        some(rng, LOCAL, 2)
    };
    let mut transfers = Vec::new();
    for from in 0..LOCAL {
        if rng.percent(20) {
            let to = (0..LOCAL).filter(|_| rng.percent(40)).collect();
            transfers.push(Transfer { from, to });
        }
    }
    let absent = (0..LOCAL).filter(|_| rng.percent(8)).collect();
    Transition {
        from: rng.below(SHARED as usize) as u32,
        to: rng.below(SHARED as usize) as u32,
        take: counts(&take),
        put: counts(&put),
        transfers,
        absent,
        ..Transition::default()
    }
}

fn system(rng: &mut Rng) -> System {
    let transitions = (0..1 + rng.below(3)).map(|_| transition(rng)).collect();
    let any = (0..LOCAL).filter(|_| rng.percent(25)).collect();
    let exactly = Config::new(0, counts(&some(rng, LOCAL, 2)));
    System {
        shared: SHARED,
        local: LOCAL,
        transitions,
        initial: vec![Initial { exactly, any }],
        ..System::default()
    }
}

fn spread(c: &Counts) -> Vec<u32> {
    c.iter().flat_map(|(l, n)| std::iter::repeat_n(l, n as usize)).collect()
}

/// All that a step leads to, thread by thread.
fn after(t: &Transition, c: &Plain) -> Vec<Plain> {
    let mut rest = c.1.clone();
    for l in spread(&t.take) {
        let Some(k) = rest.iter().position(|x| *x == l) else { return Vec::new() };
        rest.remove(k);
    }
    if c.0 != t.from || rest.iter().any(|l| t.absent.contains(l)) {
        return Vec::new();
    }
    let mut all = vec![spread(&t.put)];
    for l in rest {
        let goes = match t.transfers.iter().find(|x| x.from == l) {
            Some(x) if x.to.is_empty() => continue,
            Some(x) => x.to.clone(),
            None => vec![l],
        };
        let each = |base: &Vec<u32>| goes.iter().map(|to| [&base[..], &[*to]].concat()).collect::<Vec<_>>();
        all = all.iter().flat_map(each).collect();
    }
    let sorted = |mut l: Vec<u32>| {
        l.sort_unstable();
        (t.to, l)
    };
    all.into_iter().map(sorted).collect()
}

/// Configurations of few threads that can be reached without more.
fn walk(s: &System) -> BTreeSet<Plain> {
    let mut todo = Vec::new();
    for i in &s.initial {
        let mut level = vec![spread(&i.exactly.locals)];
        while let Some(locals) = level.pop() {
            if locals.len() < THREADS {
                level.extend(i.any.iter().map(|l| [&locals[..], &[*l]].concat()));
            }
            let mut locals = locals;
            locals.sort_unstable();
            todo.push((i.exactly.shared, locals));
        }
    }
    let mut seen: BTreeSet<Plain> = todo.iter().cloned().collect();
    while let Some(c) = todo.pop() {
        for next in s.transitions.iter().flat_map(|t| after(t, &c)) {
            if next.1.len() <= THREADS && seen.insert(next.clone()) {
                todo.push(next);
            }
        }
    }
    seen
}

fn covered(reached: &BTreeSet<Plain>, target: &Plain) -> bool {
    reached.iter().any(|c| c.0 == target.0 && (0..LOCAL).all(|l| of(&target.1, l) <= of(&c.1, l)))
}
fn of(list: &[u32], l: u32) -> usize {
    list.iter().filter(|x| **x == l).count()
}

/// All configurations of at most two threads.
fn small() -> Vec<Plain> {
    let mut all = Vec::new();
    for s in 0..SHARED {
        all.push((s, vec![]));
        for a in 0..LOCAL {
            all.push((s, vec![a]));
            all.extend((a..LOCAL).map(|b| (s, vec![a, b])));
        }
    }
    all
}

fn accepts(s: &System, t: &Plain, c: &Certificate) -> Result<(), Rejection> {
    check(s, &vec![config(t)], c, &AtomicBool::new(false)).map(|_| ())
}

fn weights(rng: &mut Rng) -> Weights {
    let mut list = |n: u32, most: usize| {
        (0..n).filter_map(|x| Some((x, rng.below(most) as u64)).filter(|w| w.1 > 0)).collect::<Vec<_>>()
    };
    let (shared, local) = (list(SHARED, 3), list(LOCAL, 3));
    Weights { shared, local, bound: rng.below(4) as u64 }
}

#[test]
fn sets_that_claim_too_much() {
    let mut rng = Rng::new(21);
    let small = small();
    let (mut proofs, mut by_weight) = (0, 0);
    for _ in 0..cases(700) {
        let s = system(&mut rng);
        let reached = walk(&s);
        let t = rng.pick(&small);
        let is_covered = covered(&reached, &t);
        for round in 0..30 {
            let mut minimal: Vec<Config> = Vec::new();
            if round == 0 {
                // Nothing smaller than two threads is missing from the largest set.
                let out = small.iter().filter(|c| !covered(&reached, c));
                minimal.extend(out.map(config));
            } else {
                minimal.extend((0..rng.below(4)).map(|_| config(&rng.pick(&small))));
                if rng.percent(80) {
                    minimal.push(config(&t));
                }
            }
            let weights = if rng.percent(40) { vec![weights(&mut rng)] } else { Vec::new() };
            let c = Certificate { minimal, weights };
            if accepts(&s, &t, &c).is_ok() {
                assert!(!is_covered, "{s:?} {t:?} {c:?}");
                proofs += 1;
                by_weight += usize::from(c.minimal.is_empty());
            }
        }
    }
    assert!(proofs > 100 && by_weight > 5, "{proofs} {by_weight}");
}

fn splits(rng: &mut Rng) -> Vec<Split> {
    let mut below = |n: u32| rng.below(n as usize) as u32;
    let mut list = Vec::new();
    if below(2) == 1 {
        list.push(Split { from: below(LOCAL), to: below(LOCAL), count: below(3) });
    }
    list
}

#[test]
fn runs_that_claim_too_much() {
    let mut rng = Rng::new(22);
    let small = small();
    let mut runs = 0;
    for _ in 0..cases(700) {
        let s = system(&mut rng);
        let reached = walk(&s);
        let t = rng.pick(&small);
        for _ in 0..20 {
            let start =
                if rng.percent(70) { s.initial[0].exactly.clone() } else { config(&rng.pick(&small)) };
            let step = |rng: &mut Rng| Step {
                transition: {
                    let far = usize::from(rng.percent(5));
                    rng.below(s.transitions.len() + far)
                },
                splits: splits(rng),
            };
            let steps = (0..rng.below(4)).map(|_| step(&mut rng)).collect();
            let run = CoveringRun { start, steps };
            let Ok(replayed) = replay(&s, &vec![config(&t)], &run) else { continue };
            // Each configuration follows from the one before it; those of few threads are among those reached.
            let plain: Vec<Plain> = replayed.configs.iter().map(|c| (c.shared, spread(&c.locals))).collect();
            for (k, step) in run.steps.iter().enumerate() {
                assert!(after(&s.transitions[step.transition], &plain[k]).contains(&plain[k + 1]), "{run:?}");
            }
            let first = &plain[0];
            assert!(first.1.len() > THREADS || reached.contains(first), "{run:?}");
            assert!(covered(&plain[plain.len() - 1..].iter().cloned().collect(), &t), "{run:?}");
            runs += 1;
        }
    }
    assert!(runs > 300, "{runs}");
}

/// Each promise of a system and of a target, broken by itself.
#[test]
fn what_is_out_of_range_or_order() {
    let one = Counts::one;
    let good = System {
        shared: 2,
        local: 3,
        transitions: vec![Transition {
            transfers: vec![
                Transfer { from: 0, to: vec![1, 2] },
                Transfer { from: 1, to: vec![] },
                Transfer { from: 2, to: vec![0] },
            ],
            absent: vec![0, 1],
            take: one(0),
            put: one(1),
            from: 1,
            to: 0,
            ..Transition::default()
        }],
        initial: vec![Initial { exactly: Config::new(0, one(0)), any: vec![0, 2] }],
        ..System::default()
    };
    let target: Target = vec![Config::new(1, one(2))];
    assert_eq!(good.validate(&target), Ok(()));
    let changes: [fn(&mut System); 14] = [
        |s| s.transitions[0].from = 2,
        |s| s.transitions[0].to = 2,
        |s| s.transitions[0].take = Counts::one(3),
        |s| s.transitions[0].put = Counts::one(3),
        |s| s.transitions[0].absent = vec![0, 3],
        |s| s.transitions[0].absent = vec![1, 1],
        |s| s.transitions[0].transfers[2].from = 3,
        |s| s.transitions[0].transfers[1].from = 0,
        |s| s.transitions[0].transfers[0].to = vec![1, 3],
        |s| s.transitions[0].transfers[0].to = vec![1, 1],
        |s| s.initial[0].exactly = Config::new(2, Counts::new()),
        |s| s.initial[0].exactly = Config::new(0, Counts::one(3)),
        |s| s.initial[0].any = vec![0, 3],
        |s| s.initial[0].any = vec![2, 0],
    ];
    for (k, change) in changes.iter().enumerate() {
        let mut s = good.clone();
        change(&mut s);
        assert!(s.validate(&target).is_err(), "{k}");
    }
    assert!(good.validate(&vec![Config::new(2, one(0))]).is_err());
    assert!(good.validate(&vec![Config::new(0, one(3))]).is_err());
    // Weights are looked up by their order.
    let rejected = |shared, local| {
        let c = Certificate { minimal: target.clone(), weights: vec![Weights { shared, local, bound: 9 }] };
        matches!(check(&good, &target, &c, &AtomicBool::new(false)), Err(Rejection::Malformed(_)))
    };
    assert!(!rejected(vec![(0, 1)], vec![(0, 1)]));
    assert!(rejected(vec![(1, 1), (0, 1)], vec![]));
    assert!(rejected(vec![], vec![(1, 1), (0, 1)]));
    assert!(rejected(vec![(0, 1), (0, 9)], vec![]));
}

/// A transfer to where threads weigh more, which nothing takes threads to.
#[test]
fn a_transfer_makes_threads_heavier() {
    let transition =
        |to| Transition { transfers: vec![Transfer { from: 0, to: vec![to] }], ..Transition::default() };
    let s = |to| System {
        shared: 1,
        local: 3,
        transitions: vec![transition(to)],
        initial: vec![Initial { exactly: Config::new(0, Counts::one(0)), any: vec![] }],
        ..System::default()
    };
    let weights = vec![Weights { shared: vec![], local: vec![(0, 1), (1, 1), (2, 2)], bound: 1 }];
    let c = Certificate { minimal: Vec::new(), weights };
    assert_eq!(accepts(&s(1), &(0, vec![2]), &c), Ok(()));
    assert!(matches!(accepts(&s(2), &(0, vec![2]), &c), Err(Rejection::Heavier { .. })));
}
