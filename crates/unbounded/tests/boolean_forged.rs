//! Evidence about random Boolean programs that lacks something: sets of thread states, sets of states and runs, each as they
//! should be but for one thing. What an engine finds is the least that is closed, so that no part of it is evidence; and a run is
//! one only if the interpreter lists each of its steps.

mod boolean_plain;
mod boolean_writer;

use biodivine_lib_bdd::{Bdd, BddVariable, BddVariableSet};
use boolean_plain::{Plain, Sets};
use boolean_writer::{Random, cases, program};
use relyant_finite::boolean::bits::Bits;
use relyant_finite::boolean::flat::{flatten, merged};
use relyant_finite::boolean::live::Live;
use relyant_finite::boolean::machine::{Machine, Thread};
use relyant_finite::boolean::replay::{ConcreteRun, concrete, replay};
use relyant_finite::boolean::template::Threads;
use relyant_finite::boolean::{closed, exhausted};
use relyant_unbounded::counter::explicit::{CounterOptions, CounterOutcome, Explored, explore};
use relyant_unbounded::fixpoint;
use std::sync::atomic::AtomicBool;

static CANCEL: AtomicBool = AtomicBool::new(false);

#[test]
fn sets_are_evidence_if_they_are_closed() {
    let (mut accepted, mut rejected) = (0, 0);
    for seed in 0..cases(150) {
        let (text, p) = program(seed.wrapping_add(3 << 33), seed % 3 == 0);
        let flat = flatten(&p, &Live::new(&p));
        let flat = if seed % 2 == 0 { merged(flat) } else { flat };
        let Some(plain) = Plain::new(&flat) else { continue };
        let mut same = |sets: &Sets| {
            let listed: Vec<closed::Listed> = sets.iter().map(|s| plain.listed(s)).collect();
            let read = closed::sets(&flat, &listed).expect("well-formed");
            let (expected, answer) = (plain.closed(sets), closed::check(&flat, &read, &CANCEL));
            assert_eq!(answer.is_ok(), expected, "seed {seed}: {answer:?}\n{text}");
            if expected {
                accepted += 1
            } else {
                rejected += 1
            }
            expected
        };
        let (least, safe) = plain.least();
        assert_eq!(same(&least), safe, "seed {seed}\n{text}");
        // The engine may find larger sets, in which an assertion fails.
        let proved = fixpoint::run(&flat, &CANCEL).expect("small").alarm.is_none();
        assert!(safe || !proved, "seed {seed}\n{text}");
        let mut r = Random(seed);
        for _ in 0..if safe { 12 } else { 2 } {
            let mut other = least.clone();
            let n = r.below(other.len() as u64) as usize;
            let set = &mut other[n];
            // One state less is too few.
            if r.below(4) > 0 && !set.is_empty() {
                let k = r.below(set.len() as u64) as usize;
                let state = *set.iter().nth(k).expect("one of them");
                set.remove(&state);
                assert!(!same(&other), "seed {seed}\n{text}");
                continue;
            }
            // One more needs what follows from it.
            set.insert(r.below(1 << plain.bits()) as u32);
            same(&other);
        }
    }
    assert!(accepted as u64 > cases(150) / 5 && rejected > accepted, "{accepted}, {rejected}");
}

#[test]
fn malformed_diagrams_are_no_sets() {
    let (text, p) = program(3 << 33, true);
    let flat = flatten(&p, &Live::new(&p));
    let read = |diagram: &[closed::Entry]| closed::sets(&flat, &[Some(diagram.to_vec())]);
    assert!(read(&[(2, 0, 1), (0, 0, 2)]).is_ok(), "{text}");
    let wrong: [&[closed::Entry]; 8] = [
        // A value after the step; no such variable; one that is asked for again, or before one that comes first.
        &[(1, 0, 1)],
        &[(u16::MAX - 1, 0, 1)],
        &[(2, 0, 1), (2, 0, 2)],
        &[(2, 0, 1), (2, 2, 0)],
        &[(0, 0, 1), (2, 0, 2)],
        // Nothing depends on it; nodes that are not there, or not yet.
        &[(0, 1, 1)],
        &[(0, 0, 7)],
        &[(0, 0, 3), (2, 0, 1)],
    ];
    for diagram in wrong {
        assert_eq!(read(diagram).err(), Some(closed::Rejection::Malformed(0)), "{diagram:?}");
    }
    // As many sets as nodes, over the variables before a step.
    let all = closed::sets(&flat, &vec![Some(Vec::new()); flat.nodes.len()]).unwrap();
    let refused = |sets: &[Bdd]| closed::check(&flat, sets, &CANCEL).err();
    let set = BddVariableSet::new_anonymous(all[0].num_vars());
    let after = set.mk_var(BddVariable::from_index(1));
    let fewer = BddVariableSet::new_anonymous(1).mk_true();
    assert_eq!(refused(&all[1..]), Some(closed::Rejection::Other));
    assert_eq!(refused(&[&all[..], &all[..1]].concat()), Some(closed::Rejection::Other));
    assert_eq!(refused(&[&[fewer], &all[1..]].concat()), Some(closed::Rejection::Other));
    assert_eq!(refused(&[&[after], &all[1..]].concat()), Some(closed::Rejection::Malformed(0)));
}

/// All states of at most three threads, if they are few.
fn explored(t: &mut Threads, states: usize) -> Option<Explored> {
    let o = CounterOptions { threads: Some(3), states, counted: true, reduce: false, cancel: &CANCEL };
    explore(t, &o).ok().filter(|e| !matches!(e.found, CounterOutcome::Limit(_)))
}

/// Is a list of states all there is? With plain lists of threads.
fn all_there(machine: &Machine, s: &exhausted::States) -> bool {
    let plain = |(v, threads): &(u32, Vec<(u32, u32)>)| {
        let mut all = Vec::new();
        for (l, n) in threads {
            all.extend(vec![s.locals.get(*l as usize)?.clone(); *n as usize]);
        }
        let sorted = threads.windows(2).all(|w| w[0].0 < w[1].0) && threads.iter().all(|t| t.1 > 0);
        sorted.then_some((s.shared.get(*v as usize)?.clone(), all))
    };
    let Some(states) = s.states.iter().map(plain).collect::<Option<Vec<_>>>() else { return false };
    let is_there = |shared: &Bits, threads: &[Thread]| {
        states.iter().any(|(v, all)| {
            let mut left = all.clone();
            let all_found = threads.iter().all(|t| match left.iter().position(|x| x == t) {
                Some(k) => {
                    left.remove(k);
                    true
                }
                None => false,
            });
            v == shared && all_found && left.is_empty()
        })
    };
    let initial = machine.initial().expect("few").into_iter().all(|(v, t)| is_there(&v, &[t]));
    initial
        && states.iter().all(|(shared, threads)| {
            (0..threads.len()).all(|k| {
                machine.steps(shared, &threads[k]).expect("few").into_iter().all(|o| {
                    let mut next = threads.clone();
                    next.remove(k);
                    next.extend(o.thread);
                    let full = s.threads.is_some_and(|n| threads.len() >= n as usize);
                    next.extend(o.spawned.filter(|_| !full));
                    !o.failed && is_there(&o.shared, &next)
                })
            })
        })
}

#[test]
fn states_are_evidence_if_they_are_all() {
    let (mut accepted, mut rejected) = (0, 0);
    for seed in 0..cases(300) {
        let (text, p) = program(seed.wrapping_add(5 << 33), false);
        let live = Live::new(&p);
        let mut threads = Threads::new(Machine::new(&p, &live));
        let Some(all) = explored(&mut threads, 60) else { continue };
        let number = |n: usize| 0..n as u32;
        let states = exhausted::States {
            threads: Some(3),
            shared: number(threads.shared.len()).filter_map(|i| threads.shared.get(i).cloned()).collect(),
            locals: number(threads.locals.len()).filter_map(|i| threads.locals.get(i).cloned()).collect(),
            states: all.reached().collect(),
        };
        let machine = threads.machine();
        let mut same = |s: &exhausted::States| {
            let expected = all_there(&machine, s);
            let answer = exhausted::check(&machine, s, &CANCEL);
            assert_eq!(answer.is_ok(), expected, "seed {seed}: {answer:?}, {s:?}\n{text}");
            if expected {
                accepted += 1
            } else {
                rejected += 1
            }
            expected
        };
        let safe = matches!(all.found, CounterOutcome::Exhausted);
        assert_eq!(same(&states), safe, "seed {seed}\n{text}");
        for threads in [None, Some(1), Some(2), Some(4)] {
            same(&exhausted::States { threads, ..states.clone() });
        }
        let mut r = Random(seed);
        for _ in 0..15 {
            let mut other = states.clone();
            let k = r.below(other.states.len() as u64) as usize;
            let of = &mut other.states[k];
            let t = r.below(of.1.len().max(1) as u64) as usize;
            match (r.below(7), of.1.get_mut(t)) {
                (0, Some(t)) => t.1 = r.below(3) as u32,
                (1, Some(t)) => t.0 = r.below(states.locals.len() as u64 + 1) as u32,
                (2, Some(_)) => of.1.insert(t, of.1[t]),
                (3, Some(_)) => drop(of.1.remove(t)),
                (4, _) => of.0 = r.below(states.shared.len() as u64 + 1) as u32,
                _ => drop(other.states.remove(k)),
            }
            // In place of the right state, or beside it.
            if r.below(3) == 0 {
                other.states.push(states.states[k].clone());
            }
            same(&other);
        }
        for l in 0..states.locals.len() as u32 {
            same(&without(&states, l));
        }
    }
    assert!(accepted as u64 > cases(300) / 3 && rejected > accepted, "{accepted}, {rejected}");
}

/// The same states as if no thread were ever in one of the states of a thread.
fn without(states: &exhausted::States, l: u32) -> exhausted::States {
    let mut other = states.clone();
    other.locals.remove(l as usize);
    for (_, threads) in &mut other.states {
        threads.retain(|t| t.0 != l);
        threads.iter_mut().filter(|t| t.0 > l).for_each(|t| t.0 -= 1);
    }
    other
}

/// A run by the interpreter's lists of steps. Variables start with any values, and locks free.
fn is_run(machine: &Machine, run: &ConcreteRun) -> bool {
    let p = machine.program();
    let (start, main) = &run.start;
    let entry = p.procs[p.main as usize].entry;
    let at_entry = main.frames.len() == 1 && main.frames[0].node == entry;
    let free = start.ones().all(|g| (g as usize) < p.globals.len()) && !main.held.any();
    if !at_entry || !free || main.atomic {
        return false;
    }
    let (mut shared, mut threads) = (run.start.0.clone(), vec![Some(run.start.1.clone())]);
    for (k, (t, o)) in run.steps.iter().enumerate() {
        let Some(Some(thread)) = threads.get(*t) else { return false };
        let mut like = o.clone();
        machine.normalise(&mut like);
        let known = machine.steps(&shared, thread).expect("few");
        if !known.into_iter().any(|mut s| {
            machine.normalise(&mut s);
            s == like
        }) {
            return false;
        }
        if o.failed {
            return k + 1 == run.steps.len();
        }
        shared = o.shared.clone();
        threads[*t] = o.thread.clone();
        threads.extend(o.spawned.clone().map(Some));
    }
    false
}

#[test]
fn changed_runs_are_none() {
    let (mut tried, mut accepted) = (0, 0);
    for seed in 0..cases(300) {
        let (text, p) = program(seed.wrapping_add(9 << 33), false);
        let live = Live::new(&p);
        let mut threads = Threads::new(Machine::new(&p, &live));
        let Some(all) = explored(&mut threads, 800) else { continue };
        let CounterOutcome::Failure(path) = &all.found else { continue };
        let (run, count) = concrete(&threads, path).unwrap_or_else(|e| panic!("seed {seed}: {e}\n{text}"));
        let machine = threads.machine();
        assert!(is_run(&machine, &run), "seed {seed}: {run:?}\n{text}");
        let spawned = run.steps.iter().filter(|s| s.1.spawned.is_some()).count();
        assert_eq!(replay(&machine, &run), Ok(count), "seed {seed}\n{text}");
        assert_eq!(count, 1 + spawned, "seed {seed}\n{text}");
        // As if it began where `main` is after some steps.
        let alone =
            run.steps.iter().take_while(|s| s.0 == 0 && s.1.spawned.is_none() && s.1.thread.is_some());
        for k in 0..alone.count() {
            let o = &run.steps[k].1;
            let start = (o.shared.clone(), o.thread.clone().unwrap());
            let other = ConcreteRun { start, steps: run.steps[k + 1..].to_vec() };
            assert!(
                is_run(&machine, &other) || replay(&machine, &other).is_err(),
                "seed {seed}: {other:?}\n{text}"
            );
        }
        let mut r = Random(seed);
        for _ in 0..25 {
            let mut other = run.clone();
            let k = r.below(run.steps.len() as u64) as usize;
            let step = &mut other.steps[k];
            match r.below(8) {
                0 => drop(other.steps.remove(k)),
                1 => other.steps.insert(k, run.steps[k].clone()),
                2 => step.0 = r.below(4) as usize,
                3 => step.1.failed = !step.1.failed,
                4 => {
                    let g = r.below(2) as u32;
                    step.1.shared.set(g, !step.1.shared.get(g));
                }
                5 => match &mut step.1.thread {
                    Some(t) => match t.frames.last_mut() {
                        Some(f) if r.below(2) == 0 => f.node = r.below(p.nodes.len() as u64) as u32,
                        Some(f) => f.locals.set(0, !f.locals.get(0)),
                        None => {}
                    },
                    none => *none = Some(run.start.1.clone()),
                },
                6 => match &mut step.1.spawned {
                    some @ Some(_) => *some = None,
                    none => *none = Some(run.start.1.clone()),
                },
                _ => match r.below(5) {
                    0 => other.start.1.atomic = true,
                    1 if !p.locks.is_empty() => other.start.0.set(p.globals.len() as u32, true),
                    2 => other.start.1 = run.steps[k].1.thread.clone().unwrap_or(other.start.1),
                    3 => other.start.0.set(0, !run.start.0.get(0)),
                    _ => other.steps.truncate(k),
                },
            }
            let expected = is_run(&machine, &other);
            assert!(expected || replay(&machine, &other).is_err(), "seed {seed}: {other:?}\n{text}");
            tried += 1;
            accepted += usize::from(expected);
        }
    }
    assert!(tried as u64 > cases(300) * 3 && accepted < tried / 2, "{accepted} of {tried}");
}
