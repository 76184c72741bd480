//! Random programs, compared with a detector that knows no watches: it explores the program as it is and looks, in each
//! state, at what a thread is about to access and what the others access in their next steps.

use crate::c;
use crate::instantiate::{build_whole, for_search, instantiate};
use relyant_cfa::Violated;
use relyant_cfa::options::{Options, Property};
use relyant_cfa::{Module, Object, Op, Program};
use relyant_interp::Exploration;
use relyant_interp::explore::{self, explore};
use relyant_interp::machine::{Machine, State};
use relyant_interp::replay;
use relyant_testing::rng::{Rng, cases};
use relyant_testing::shrink::shrink;
use relyant_testing::threads::{ThreadProgram, generate};
use rustc_hash::FxHashSet;
use std::collections::VecDeque;

/// States that are explored at most.
const STATES: usize = 15_000;

/// A random program, some of whose globals are atomic.
fn program(seed: u64) -> ThreadProgram {
    let mut p = generate(seed);
    let mut rng = Rng::new(seed ^ 0x5eed);
    for g in &mut p.globals {
        if rng.percent(35) {
            g.0 = match g.0 {
                "int" => "_Atomic int",
                "unsigned" => "_Atomic unsigned",
                other => other,
            };
        }
    }
    p
}

fn module(p: &ThreadProgram, options: &Options) -> Module {
    c::load_text("random.c", &p.to_c(), options).expect("C")
}

/// An access: object, cell, is it a write, is it atomic?
type Access = (u32, u32, bool, bool);

struct Detector<'p> {
    machine: Machine<'p>,
    /// By object: do accesses count, are they atomic?
    kinds: Vec<(bool, bool)>,
}

impl Detector<'_> {
    /// Is there a race? `None` where that was not found out.
    fn run(&self) -> Option<bool> {
        let start = self.machine.initial(&[], 1).ok()?;
        let mut seen = FxHashSet::default();
        let mut queue = VecDeque::from([start]);
        while let Some(s) = queue.pop_front() {
            if s.halted {
                continue;
            }
            // Who is at a failing assertion has not ended the run yet, and may be late to do so.
            let busy = (0..s.threads.len()).find(|i| self.machine.inside_atomic(&s, *i));
            let pending: Vec<(usize, Access)> = match busy {
                None => (0..s.threads.len()).flat_map(|i| self.next(&s, i).map(move |a| (i, a))).collect(),
                Some(_) => Vec::new(),
            };
            let moving = busy.map_or(0..s.threads.len(), |i| i..i + 1);
            for i in moving {
                let mut ends = Vec::new();
                let mut accesses = Vec::new();
                self.section(s.clone(), i, &mut ends, &mut accesses)?;
                let races = |(j, b): &(usize, Access)| {
                    let meets = |a: &Access| (a.0, a.1) == (b.0, b.1) && (a.2 || b.2);
                    *j != i && !b.3 && accesses.iter().any(meets)
                };
                if pending.iter().any(races) {
                    return Some(true);
                }
                for t in ends {
                    if seen.insert(key(&t)) {
                        queue.push_back(t);
                    }
                }
            }
            if seen.len() > STATES {
                return None;
            }
        }
        Some(false)
    }

    /// The accesses of the edges where a thread is.
    fn next<'s>(&'s self, s: &'s State, i: usize) -> impl Iterator<Item = Access> + 's {
        self.machine.out(s, i).iter().filter_map(move |e| self.access(s, i, *e))
    }

    fn access(&self, s: &State, i: usize, edge: u32) -> Option<Access> {
        let e = self.machine.edge(s.threads[i].name.template, edge)?;
        let write = match e.op {
            Op::Load(..) => false,
            Op::Store(..) => true,
            _ => return None,
        };
        let (o, k) = self.machine.accessed(s, i, edge)?;
        let (counts, atomic) = self.kinds[o.0 as usize];
        counts.then_some((o.0, k, write, atomic))
    }

    /// All steps of a thread up to where others may move again. `None`: an input with too many values.
    fn section(&self, s: State, i: usize, ends: &mut Vec<State>, accesses: &mut Vec<Access>) -> Option<()> {
        let mut inside = FxHashSet::default();
        let mut work = vec![s];
        while let Some(s) = work.pop() {
            for &edge in self.machine.out(&s, i) {
                let template = s.threads[i].name.template;
                let inputs: Vec<Option<i128>> = match &self.machine.edge(template, edge)?.op {
                    Op::Havoc { source, .. } if source.name.contains("bool") => vec![Some(0), Some(1)],
                    // Handles not set yet.
                    Op::Havoc { source, .. } if source.is_uninitialised() => vec![Some(0)],
                    Op::Havoc { .. } => return None,
                    _ => vec![None],
                };
                for input in inputs {
                    let mut t = s.clone();
                    if self.machine.step(&mut t, i, edge, input, &[]).is_err() {
                        continue;
                    }
                    accesses.extend(self.access(&s, i, edge));
                    if !self.machine.inside_atomic(&t, i) {
                        ends.push(t);
                    } else if inside.len() > STATES {
                        return None;
                    } else if inside.insert(key(&t)) {
                        work.push(t);
                    }
                }
            }
        }
        Some(())
    }
}

fn key(s: &State) -> Vec<i128> {
    let mut out = s.cells.clone();
    out.extend(&s.data);
    out.push(i128::from(s.halted));
    for t in &s.threads {
        let ended = t.ended.map_or(i128::MIN, |v| v);
        out.extend([i128::from(t.name.template), i128::from(t.loc.0), ended, i128::from(t.begun)]);
    }
    out
}

/// What the detector says.
fn detect(p: &ThreadProgram) -> Option<bool> {
    let options = Options::default();
    // A read whose value is not used may race too.
    let program = build_whole(&module(p, &options), &options).expect("a program");
    let names = ["x", "y", "z", "w"];
    let kind = |o: &Object| match names.iter().position(|n| *n == o.name) {
        Some(k) => (true, p.globals[k].0.starts_with("_Atomic")),
        None => (false, false),
    };
    let kinds = program.objects.iter().map(kind).collect();
    Detector { machine: Machine::new(&program).ok()?, kinds }.run()
}

/// What exploration of the program with watches says.
fn explored(program: &Program) -> Result<Option<bool>, String> {
    let options = explore::ExploreOptions { max_states: 4 * STATES, ..explore::ExploreOptions::default() };
    match explore(program, &options, &|| false) {
        Ok(Exploration::Violation(schedule)) => {
            let trace = replay(program, &schedule).map_err(|e| e.to_string())?;
            if !matches!(trace.violation, Violated::Race(_)) {
                return Err(format!("violated: {}", trace.violation));
            }
            let other = trace.race.ok_or("the other access is not told")?;
            if other.thread_name == trace.thread_name && program.templates.iter().all(|t| t.name != "thread1")
            {
                return Err("a race of a thread with itself".into());
            }
            Ok(Some(true))
        }
        Ok(Exploration::Exhausted { complete: true, .. }) => Ok(Some(false)),
        Ok(_) => Ok(None),
        Err(e) => Err(e.to_string()),
    }
}

fn problem(p: &ThreadProgram) -> Option<String> {
    let expected = detect(p)?;
    let options = Options { property: Property::NoDataRace, ..Options::default() };
    let module = module(p, &options);
    for program in [instantiate(&module, &options), for_search(&module, &options)] {
        match explored(&program.expect("a program")) {
            Ok(Some(found)) if found != expected => return Some(format!("race {found}, but {expected}")),
            Ok(_) => {}
            Err(e) => return Some(e),
        }
    }
    None
}

#[test]
fn races_are_those_of_a_detector() {
    let mut counts = [0; 3];
    for seed in 0..cases(100) {
        let p = program(seed);
        if let Some(what) = problem(&p) {
            let small = shrink(&p, &mut |q| problem(q).is_some());
            panic!("seed {seed}: {what}\n{}\n{:?}", small.to_c(), problem(&small));
        }
        counts[detect(&p).map_or(2, usize::from)] += 1;
    }
    println!("no race, race, not known: {counts:?}");
    let [safe, racy, unknown] = counts;
    assert!(safe * 10 > racy && racy * 10 > safe && unknown < safe + racy, "{counts:?}");
}
