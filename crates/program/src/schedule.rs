//! From a run of the thread program back to a schedule of the program it was made from.

use super::{Edge, Given, Input, Program};
use num_bigint::BigInt;
use num_traits::{ToPrimitive, Zero};
use relyant_cfa as cfa;
use relyant_cfa::schedule::{Move, Schedule, ThreadRef};
use relyant_linear::{Rat, Var};
use std::collections::BTreeMap;

/// A step of a run: who, which edge of its template, values of the edge's inputs.
pub type Step = (ThreadRef, usize, Vec<BigInt>);

/// The schedule for a run of the thread program `p` made from `c`: start values, the steps before the start, then
/// the run's. Threads of a template are numbered in the order in which they begin.
pub fn schedule(p: &Program, c: &cfa::Program, start: &[(Var, BigInt)], steps: &[Step]) -> Schedule {
    let values: BTreeMap<Var, Rat> = start.iter().map(|(v, x)| (*v, Rat::from(x.clone()))).collect();
    let value = |v: Var| values.get(&v).cloned().unwrap_or(Rat::zero());
    let mut out = Schedule::default();
    let mut inputs: Vec<(u32, i128)> = Vec::new();
    for (what, e) in &p.given {
        // Rounding matters for values only that the start condition does not allow.
        let x = fitting(&e.eval(value).floor().numer());
        match what {
            Given::Cell(o, k) => out.start.push((*o, *k, x)),
            Given::Havoc(i) => inputs.push((*i, x)),
        }
    }
    inputs.sort_unstable();
    let mut done = 0;
    for part in p.prefix.chunk_by(|a, b| a.0 == b.0) {
        let range = done as u32..(done + part.len()) as u32;
        let here = inputs.iter().filter(|(i, _)| range.contains(i)).map(|(i, x)| (i - range.start, *x));
        out.moves.push(Move {
            thread: ThreadRef { template: part[0].0, instance: 0 },
            path: part.iter().map(|x| x.1).collect(),
            inputs: here.collect(),
        });
        done += part.len();
    }
    let mut order: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    let steps = with_creations(p, c, steps);
    for (thread, edge, inputs) in &steps {
        let Some(e) = p.templates.get(thread.template as usize).and_then(|t| t.edges.get(*edge)) else {
            continue;
        };
        let seen = order.entry(thread.template).or_default();
        let instance = seen.iter().position(|i| *i == thread.instance).unwrap_or_else(|| {
            seen.push(thread.instance);
            seen.len() - 1
        });
        if e.path.is_empty() {
            continue;
        }
        let thread = ThreadRef { template: thread.template, instance: instance as u32 };
        out.moves.push(Move { thread, path: e.path.clone(), inputs: inputs_of(e, inputs) });
    }
    debug_assert!(out.moves.iter().all(|m| (m.thread.template as usize) < c.templates.len()));
    out
}

/// The thread program remembers only whether a template without bound was started at all: a creation in a loop is
/// repeated until there are as many threads as the run has.
fn with_creations(p: &Program, c: &cfa::Program, steps: &[Step]) -> Vec<Step> {
    let mut out = steps.to_vec();
    for (u, _) in
        c.templates.iter().enumerate().filter(|(_, t)| t.count == cfa::Count::Unbounded && !t.initial)
    {
        let mut threads: Vec<u32> =
            steps.iter().filter(|s| s.0.template as usize == u).map(|s| s.0.instance).collect();
        threads.sort_unstable();
        threads.dedup();
        let edge = |s: &Step| p.templates.get(s.0.template as usize).and_then(|t| t.edges.get(s.1));
        let creates = |s: &Step| {
            let graph = &c.templates[s.0.template as usize].graph;
            let here = |i: &u32| match graph.edges.get(*i as usize).map(|e| &e.op) {
                Some(cfa::Op::Create { template, .. }) => *template == Some(u as u32),
                _ => false,
            };
            edge(s).map_or(0, |e| e.path.iter().filter(|i| here(i)).count())
        };
        let made: usize = out.iter().map(creates).sum();
        let again = out.iter().position(|s| creates(s) > 0 && edge(s).is_some_and(|e| e.from == e.to));
        let again = again.map(|i| (i, out[i].clone())).or_else(|| {
            // The step is not in the run, since what it did before the start was enough.
            (0..p.templates.len()).find_map(|t| {
                let thread = ThreadRef { template: t as u32, instance: 0 };
                let mut at = p.templates[t].entry;
                (0..=out.len()).find_map(|i| {
                    let turns =
                        p.templates[t].edges.iter().enumerate().filter(|(_, e)| e.from == at && e.to == at);
                    let mut turn = turns.map(|(k, e)| (thread, k, vec![BigInt::zero(); e.inputs.len()]));
                    let found = turn.find(|s| creates(s) > 0).map(|s| (i, s));
                    if let Some(e) = out.get(i).filter(|s| s.0 == thread).and_then(edge) {
                        at = e.to;
                    }
                    found
                })
            })
        });
        if let Some((i, step)) = again {
            out.splice(i..i, std::iter::repeat_n(step, threads.len().saturating_sub(made)));
        }
    }
    out
}

fn inputs_of(e: &Edge, values: &[BigInt]) -> Vec<(u32, i128)> {
    let of = |(k, input): (usize, &Input)| match *input {
        Input::Havoc(i) => Some((i, fitting(values.get(k).unwrap_or(&BigInt::zero())))),
        Input::Chosen(i, x) => Some((i, x)),
        Input::Auxiliary | Input::Remainder { .. } => None,
    };
    let mut out: Vec<(u32, i128)> = e.inputs.iter().enumerate().filter_map(of).collect();
    out.sort_unstable();
    out
}

/// The number, or the nearest that fits.
fn fitting(x: &BigInt) -> i128 {
    x.to_i128().unwrap_or(if x.sign() == num_bigint::Sign::Minus { i128::MIN } else { i128::MAX })
}
