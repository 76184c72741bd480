//! Sets of states as proofs: those of the search and of a plain walk through all states are accepted, damaged ones are
//! not, and nothing makes an unsafe program accepted.
//!
//! `RELYANT_CASES` sets how many random programs, `RELYANT_SEED` the first seed.

use rayon::prelude::*;
use relyant::proof::states::{Encoding, Limits, Rejection, Space, SpaceReport, check};
use relyant::search::{self, Outcome, Settings, Watch};
use relyant_frontend::c;
use relyant_frontend::cfa::{Op, Program};
use relyant_frontend::instantiate::for_search;
use relyant_frontend::interp::candidates::Candidates;
use relyant_frontend::interp::machine::{Machine, State};
use relyant_frontend::interp::normal::{Normal, NormalOptions, Scratch};
use relyant_frontend::options::Options;
use relyant_frontend::testing::rng::cases;
use relyant_frontend::testing::threads::{ThreadProgram, generate};
use std::collections::BTreeSet;

const STATES: usize = 3000;

type States = BTreeSet<Vec<u8>>;

fn program(source: &str, options: &Options) -> Program {
    let module = c::load_text("test.i", source, options).unwrap();
    for_search(&module, options).unwrap()
}

fn checked(program: &Program, space: &Space, jobs: usize) -> Result<SpaceReport, Rejection> {
    check(program, space, &Limits { jobs, ..Limits::default() })
}

fn space_of(symmetry: bool, states: &States) -> Space {
    Space::new(Encoding { symmetry }, states.iter().map(|s| &s[..]))
}

/// The set that a search ends with.
fn searched(program: &Program, settings: &Settings) -> Option<Space> {
    match search::search(program, settings, &Watch::NONE).unwrap().0 {
        Outcome::Exhausted(space) => {
            let states = Space::new(Encoding { symmetry: space.symmetry() }, space.states());
            Some(states.with_order(space.order().cloned()))
        }
        _ => None,
    }
}

/// A plain walk through all states at which nobody is inside an atomic section.
struct Walk<'p> {
    machine: Machine<'p>,
    normal: Normal,
    candidates: Candidates,
    scratch: Scratch,
    complete: bool,
}

impl<'p> Walk<'p> {
    fn new(program: &'p Program, symmetry: bool) -> Self {
        let machine = Machine::new(program).unwrap();
        let normal = Normal::new(&machine, NormalOptions { symmetry, keep_dead: false });
        let candidates = Candidates::new(program, 40, 0);
        Walk { machine, normal, candidates, scratch: Scratch::default(), complete: true }
    }

    fn packed(&mut self, state: &State) -> Vec<u8> {
        let mut bytes = Vec::new();
        self.normal.pack(state, &mut self.scratch, &mut bytes);
        bytes
    }

    /// What whole moves of a thread lead to.
    fn ends(&mut self, state: &State, thread: usize) -> Vec<State> {
        let template = state.threads[thread].name.template;
        let (mut todo, mut ends, mut seen) = (vec![state.clone()], Vec::new(), States::new());
        while let Some(state) = todo.pop() {
            for edge in self.machine.out(&state, thread).to_vec() {
                let mut inputs = vec![None];
                if let Some(Op::Havoc { dst, .. }) = self.machine.edge(template, edge).map(|e| &e.op) {
                    let kind =
                        self.machine.program().templates[template as usize].registers[dst.0 as usize].kind;
                    let (values, all) = self.candidates.inputs(template, *dst, kind);
                    self.complete &= all;
                    inputs = values.into_iter().map(Some).collect();
                }
                for input in inputs {
                    let mut after = state.clone();
                    if self.machine.step(&mut after, thread, edge, input, &[]).is_err() {
                        continue;
                    }
                    if after.halted || !self.machine.inside_atomic(&after, thread) {
                        ends.push(after);
                    } else if seen.insert(self.packed(&after)) {
                        todo.push(after);
                    }
                }
            }
        }
        ends
    }
}

/// All states, and whether one violates the property; `None`: too many, or not all inputs.
fn all_states(program: &Program, symmetry: bool) -> Option<(States, bool)> {
    let mut walk = Walk::new(program, symmetry);
    let (starts, complete) = walk.candidates.starts(&walk.machine);
    let (mut states, mut wrong) = (States::new(), false);
    let mut todo: Vec<State> = starts.iter().map(|s| walk.machine.initial(s, 0).unwrap()).collect();
    while let Some(state) = todo.pop() {
        if walk.machine.violation(&state).is_some() {
            wrong = true;
            continue;
        }
        if !states.insert(walk.packed(&state)) {
            continue;
        }
        let ends: Vec<State> = (0..state.threads.len()).flat_map(|t| walk.ends(&state, t)).collect();
        wrong |= ends.is_empty() && walk.machine.deadlock(&state, &walk.candidates).is_some();
        todo.extend(ends.into_iter().filter(|s| !s.halted));
        if states.len() > STATES || !complete || !walk.complete {
            return None;
        }
    }
    Some((states, wrong))
}

fn programs(p: &ThreadProgram) -> [Program; 2] {
    [p.to_program(), program(&p.to_c(), &Options::default())]
}

/// What is wrong with the checker's answers about a program.
fn problem(p: &ThreadProgram) -> Result<[usize; 4], String> {
    let mut counts = [0; 4];
    for (k, mut program) in programs(p).into_iter().enumerate() {
        for deadlock in [false, true] {
            program.deadlock = deadlock;
            for symmetry in [true, false] {
                let Some((states, wrong)) = all_states(&program, symmetry) else { continue };
                let all = space_of(symmetry, &states);
                let answer = checked(&program, &all, 1);
                if answer.is_ok() == wrong {
                    return Err(format!("{k} {deadlock} {symmetry}: violation {wrong}, but {answer:?}"));
                }
                counts[usize::from(wrong)] += 1;
                for reduction in [true, false] {
                    let settings =
                        Settings { reduction, symmetry, max_states: STATES * 2, ..Settings::default() };
                    let Some(space) = searched(&program, &settings) else { continue };
                    let answer = checked(&program, &space, 1);
                    if answer.is_ok() == wrong {
                        let what = format!("violation {wrong}, but {answer:?}");
                        return Err(format!("{k} {deadlock} {settings:?}: {what}"));
                    }
                    let two = checked(&program, &space, 2);
                    let of = |a: &Result<SpaceReport, Rejection>| {
                        a.clone().map(|r| (r.states, r.needed, r.steps)).map_err(|e| e.to_string())
                    };
                    if of(&answer) != of(&two) {
                        return Err(format!("{answer:?} with one worker, {two:?} with two"));
                    }
                    counts[2] += 1;
                    counts[3] += answer.map_or(0, |r| r.states - r.needed);
                }
            }
        }
    }
    Ok(counts)
}

fn seeds(default: u64) -> Vec<u64> {
    let first = std::env::var("RELYANT_SEED").ok().and_then(|v| v.parse().ok()).unwrap_or(0);
    (first..first + cases(default)).collect()
}

#[test]
fn the_sets_of_searches_are_accepted() {
    let results: Vec<_> = seeds(150).par_iter().map(|s| (*s, problem(&generate(*s)))).collect();
    let mut counts = [0; 4];
    for (seed, result) in results {
        match result {
            Ok(more) => counts.iter_mut().zip(more).for_each(|(a, b)| *a += b),
            Err(what) => panic!("seed {seed}: {what}\n{}", generate(seed).to_c()),
        }
    }
    println!("safe, unsafe, sets of searches, states not needed: {counts:?}");
    assert!(counts[0] > 0 && counts[1] > 0 && counts[2] > 0);
}
