//! A run of the system of threads, with threads told apart.

use crate::aret::precision::Thread;
use crate::refine::path::{PathStep, concrete};
use crate::verdict::Counterexample;
use relyant_cfa::schedule::ThreadRef;
use relyant_check::replicated::{Proof, Step};
use relyant_finite::evidence::CoveringRun;
use relyant_finite::model::Config;
use relyant_program::Program;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// The local state of a thread that the system has lost: a step was taken beside which it could not be.
pub const LOST: u32 = u32::MAX;

/// States of a moment: the shared one, and that of each thread.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Moment {
    /// The shared state, by index in the system's.
    pub shared: u32,
    /// By thread: its local state, by index in the system's, or [`LOST`].
    pub locals: Vec<u32>,
}

/// A run: which thread takes which edge, from moment to moment.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Path {
    /// The view of each thread.
    pub views: Vec<usize>,
    /// One more than there are steps.
    pub moments: Vec<Moment>,
    /// From each moment to the next: the thread that moves, and its edge.
    pub steps: Vec<(usize, u32)>,
    /// One or two threads that make the error; or the one that takes one more step.
    pub end: Vec<usize>,
    /// An edge that the thread of `end` takes next, which ends the run.
    pub next: Option<u32>,
}

/// Steps by shared state, local state and edge.
type Table<'a> = FxHashMap<(u32, u32, u32), Vec<&'a Step>>;

impl Path {
    /// Names the threads of a run. Of those in the same local state the one that moved last goes on.
    pub fn of(proof: &Proof, run: &CoveringRun, target: &Config) -> Option<Path> {
        let mut locals: Vec<u32> = Vec::new();
        for (l, n) in run.start.locals.iter() {
            locals.extend(std::iter::repeat_n(l, n as usize));
        }
        let views = locals.iter().map(|l| proof.local_states[*l as usize].view as usize).collect();
        let mut moments = vec![Moment { shared: run.start.shared, locals: locals.clone() }];
        let mut steps = Vec::new();
        let mut last: Vec<usize> = vec![0; locals.len()];
        for (k, s) in run.steps.iter().enumerate() {
            let step = proof.steps.get(s.transition)?;
            let who = (0..locals.len())
                .filter(|t| locals[*t] == step.actor)
                .max_by_key(|t| (last[*t], usize::MAX - t))?;
            last[who] = k + 1;
            for (t, l) in locals.iter_mut().enumerate() {
                *l = if t == who { step.after } else { step.goes(*l).unwrap_or(LOST) };
            }
            steps.push((who, step.edge));
            moments.push(Moment { shared: step.to, locals: locals.clone() });
        }
        let mut end: Vec<usize> = Vec::new();
        for (l, n) in target.locals.iter() {
            let here: Vec<usize> = (0..locals.len()).filter(|t| locals[*t] == l).take(n as usize).collect();
            if here.len() < n as usize {
                return None;
            }
            end.extend(here);
        }
        Some(Path { views, moments, steps, end, next: None })
    }

    /// The same threads with these of the steps, if the system has such a run.
    fn again(&self, by: &Table<'_>, kept: &[usize]) -> Option<Path> {
        let mut now = self.moments.first()?.clone();
        let mut moments = vec![now.clone()];
        let steps: Vec<(usize, u32)> = kept.iter().map(|k| self.steps[*k]).collect();
        for (before, (who, edge)) in kept.iter().zip(&steps) {
            let cases = by.get(&(now.shared, now.locals[*who], *edge))?;
            // Of the cases the one that went to the same states, where there still is one.
            let alike = |s: &&&Step| {
                let to = self.moments.get(before + 1);
                (to.is_some_and(|m| m.locals[*who] == s.after), to.is_some_and(|m| m.shared == s.to))
            };
            let step = cases.iter().max_by_key(alike)?;
            for (t, l) in now.locals.iter_mut().enumerate() {
                *l = if t == *who { step.after } else { step.goes(*l).unwrap_or(LOST) };
            }
            now.shared = step.to;
            moments.push(now.clone());
        }
        Some(Path { views: self.views.clone(), moments, steps, end: self.end.clone(), next: None })
    }

    /// A run to the same locations without the steps of threads that it can do without.
    pub fn shrink(self, program: &Program, proof: &Proof) -> Path {
        let mut by: Table<'_> = FxHashMap::default();
        for s in &proof.steps {
            by.entry((s.from, s.actor, s.edge)).or_default().push(s);
        }
        let mut best = self;
        loop {
            let before = best.steps.len();
            for t in 0..best.views.len() {
                // The last steps of a thread, as many of them as possible.
                let own = best.steps.iter().filter(|s| s.0 == t).count();
                for keep in 0..own {
                    let mut seen = 0;
                    let fewer = (0..best.steps.len()).filter(|k| {
                        let own = best.steps[*k].0 == t;
                        seen += usize::from(own);
                        !own || seen <= keep
                    });
                    let fewer: Vec<usize> = fewer.collect();
                    if let Some(p) = best.again(&by, &fewer).filter(|p| p.ends_like(program, proof, &best)) {
                        best = p;
                        break;
                    }
                }
            }
            if best.steps.len() == before {
                return best;
            }
        }
    }

    /// Are the threads of the end at the same locations?
    fn ends_like(&self, program: &Program, proof: &Proof, other: &Path) -> bool {
        let local = |p: &Path, t: usize| p.moments.last().map(|m| m.locals[t]);
        let place =
            |p: &Path, t: usize| local(p, t).and_then(|l| proof.local_states.get(l as usize)).map(|l| l.loc);
        let fails = |t: usize| local(self, t).is_some_and(|l| proof.fails(program, l));
        self.end.iter().all(|t| place(self, *t) == place(other, *t))
            && (self.end.len() > 1 || fails(self.end[0]))
    }

    /// The steps up to the first one that no values make possible, which then ends the run.
    pub fn conflict(&self, program: &Program, proof: &Proof, threads: &[Thread]) -> Path {
        // With so many steps there is no run.
        let (mut possible, mut impossible) = (0, self.steps.len());
        while possible + 1 < impossible {
            let middle = (possible + impossible) / 2;
            if self.prefix(middle).feasible(program, proof, threads).is_some() {
                possible = middle;
            } else {
                impossible = middle;
            }
        }
        let Some((who, edge)) = self.steps.get(possible) else { return self.clone() };
        Path { end: vec![*who], next: Some(*edge), ..self.prefix(possible) }
    }

    /// The first step beside which another thread could not be, and these two, where the system has lost one.
    pub fn loss(&self) -> Option<Path> {
        let n = self.moments.iter().position(|m| m.locals.contains(&LOST))?.checked_sub(1)?;
        let (who, edge) = *self.steps.get(n)?;
        let lost = self.moments.get(n + 1)?.locals.iter().position(|l| *l == LOST)?;
        Some(Path { end: vec![who, lost], next: Some(edge), ..self.prefix(n) })
    }

    fn prefix(&self, n: usize) -> Path {
        Path {
            views: self.views.clone(),
            moments: self.moments[..=n].to_vec(),
            steps: self.steps[..n].to_vec(),
            end: self.end.clone(),
            next: None,
        }
    }

    /// The run with values, if the program has it.
    pub fn feasible(&self, program: &Program, proof: &Proof, threads: &[Thread]) -> Option<Counterexample> {
        // Threads are numbered within their templates in the order in which they first move.
        let mut names: BTreeMap<usize, ThreadRef> = BTreeMap::new();
        let mut count: BTreeMap<u32, u32> = BTreeMap::new();
        let movers = self.steps.iter().map(|s| s.0).chain(self.end.iter().copied());
        for t in movers {
            names.entry(t).or_insert_with(|| {
                let template = proof.views[self.views[t]].template;
                let n = count.entry(template).or_insert(0);
                *n += 1;
                ThreadRef { template, instance: *n - 1 }
            });
        }
        let who: Vec<ThreadRef> = self.steps.iter().map(|s| names[&s.0]).collect();
        let path: Vec<PathStep> =
            self.steps.iter().map(|s| PathStep { thread: self.views[s.0], edge: s.1, own: true }).collect();
        concrete(program, threads, &path, &who)
    }
}
