//! Which threads an error waits for: steps of theirs can be done first.
//!
//! A *flag* is a variable that is 0 at the start, that one thread alone writes, and never twice; the end of a thread is one. Where
//! every error that can still be reached is behind a test of a flag of thread `t`, and `t` has not written it yet, `t` moves before any error.

use crate::{Edge, Loc, Program};
use relyant_linear::{Atom, Cube, LinExpr, Norm, Var};
use std::collections::{BTreeMap, BTreeSet};

/// What is known of threads and errors, by template and location.
pub struct Awaited {
    /// By template and location: flags that the thread finds written before it comes from there to an error of its own; `None` where
    /// there is none.
    before: Vec<Vec<Option<BTreeSet<Var>>>>,
    /// By template and location: flags that the thread has still to write.
    unwritten: Vec<Vec<BTreeSet<Var>>>,
    /// Whose flag a variable is.
    flags: BTreeMap<Var, u32>,
    /// By flag, and location of whose it is: flags that the thread finds written before it writes this one.
    writing: BTreeMap<Var, Vec<Option<BTreeSet<Var>>>>,
}

impl Awaited {
    /// Of a program.
    pub fn new(p: &Program) -> Awaited {
        let unwritten: Vec<Vec<BTreeSet<Var>>> = (0..p.templates.len()).map(|t| unwritten(p, t)).collect();
        let flags = flags(p, &unwritten);
        let errors =
            |t: usize| tests(p, t, &flags, |l| p.templates[t].locations[l].error.is_some(), |_| false);
        let before = (0..p.templates.len()).map(errors).collect();
        let write = |(v, t): (&Var, &u32)| {
            (*v, tests(p, *t as usize, &flags, |_| false, |e| e.updates.iter().any(|u| u.0 == *v)))
        };
        let writing = flags.iter().map(write).collect();
        Awaited { before, unwritten, flags, writing }
    }

    /// Does each way to an error from where the threads are need a step of this one?
    pub fn moves(&self, at: &[Loc], t: u32) -> bool {
        at.iter().enumerate().all(|(u, l)| match &self.before[u][l.0 as usize] {
            None => true,
            Some(flags) => u as u32 == t || self.needs(at, flags, t),
        })
    }

    /// Does it need a step of the thread that these flags are found written? Who writes them may have to find others written.
    fn needs(&self, at: &[Loc], flags: &BTreeSet<Var>, t: u32) -> bool {
        let mut seen = flags.clone();
        let mut work: Vec<Var> = flags.iter().copied().collect();
        while let Some(v) = work.pop() {
            let Some(by) = self.flags.get(&v) else { continue };
            let l = at[*by as usize].0 as usize;
            if !self.unwritten[*by as usize][l].contains(&v) {
                continue;
            }
            if *by == t {
                return true;
            }
            let more = self.writing.get(&v).and_then(|w| w[l].as_ref());
            work.extend(more.into_iter().flatten().copied().filter(|w| seen.insert(*w)));
        }
        false
    }

    /// Does a step wait for another thread, which has not moved yet?
    pub fn is_blocked(&self, e: &Edge, at: &[Loc]) -> bool {
        tested(e, &self.flags)
            .any(|(v, t)| self.unwritten[t as usize][at[t as usize].0 as usize].contains(&v))
    }

    /// All steps that other threads may do before one of these threads moves, as `(template, edge)`.
    pub fn before_steps_of(&self, p: &Program, at: &[Loc], threads: &[u32]) -> Vec<(u32, u32)> {
        let others = |t: &u32| !threads.contains(t);
        let mut there: Vec<BTreeSet<Loc>> = at.iter().map(|l| BTreeSet::from([*l])).collect();
        let mut done: BTreeSet<(u32, u32)> = BTreeSet::new();
        let mut written: BTreeSet<Var> = BTreeSet::new();
        loop {
            let size = done.len();
            for t in (0..p.templates.len() as u32).filter(others) {
                for (k, e) in (0u32..).zip(&p.templates[t as usize].edges) {
                    let missing = |(v, by): (Var, u32)| {
                        let l = at[by as usize].0 as usize;
                        self.unwritten[by as usize][l].contains(&v) && !written.contains(&v)
                    };
                    if there[t as usize].contains(&e.from) && !tested(e, &self.flags).any(missing) {
                        there[t as usize].insert(e.to);
                        if done.insert((t, k)) {
                            written.extend(e.updates.iter().map(|u| u.0));
                        }
                    }
                }
            }
            if done.len() == size {
                return done.into_iter().collect();
            }
        }
    }

    /// Does a step wait for one of these threads, none of which has moved since they were there?
    pub fn waits(&self, e: &Edge, at: &[Loc], threads: &[u32]) -> bool {
        tested(e, &self.flags).any(|(v, t)| {
            threads.contains(&t) && self.unwritten[t as usize][at[t as usize].0 as usize].contains(&v)
        })
    }
}

/// Flags that a step finds written, with those who write them.
fn tested<'a>(e: &'a Edge, flags: &'a BTreeMap<Var, u32>) -> impl Iterator<Item = (Var, u32)> + 'a {
    let set = |v: Var| {
        let wanted = Atom::le(&LinExpr::int(1).sub(&LinExpr::var(v)));
        e.guard.atoms().iter().any(|a| Norm::Atom(a.clone()) == wanted)
    };
    flags.iter().filter(move |f| set(*f.0)).map(|(v, t)| (*v, *t))
}

/// By location of a template: variables that an edge writes which is still to come.
fn unwritten(p: &Program, t: usize) -> Vec<BTreeSet<Var>> {
    let template = &p.templates[t];
    let mut out = vec![BTreeSet::new(); template.locations.len()];
    loop {
        let mut changed = false;
        for e in &template.edges {
            let mut later: BTreeSet<Var> = out[e.to.0 as usize].clone();
            later.extend(e.updates.iter().map(|u| u.0));
            let here = &mut out[e.from.0 as usize];
            let size = here.len();
            here.extend(later);
            changed |= here.len() > size;
        }
        if !changed {
            return out;
        }
    }
}

/// Variables that are 0 at the start, that one thread writes, and after which it writes them no more.
fn flags(p: &Program, unwritten: &[Vec<BTreeSet<Var>>]) -> BTreeMap<Var, u32> {
    let mut writers: BTreeMap<Var, BTreeSet<u32>> = BTreeMap::new();
    let mut twice = BTreeSet::new();
    for (t, template) in p.templates.iter().enumerate() {
        for e in &template.edges {
            for (v, _) in &e.updates {
                writers.entry(*v).or_default().insert(t as u32);
                if unwritten[t][e.to.0 as usize].contains(v) {
                    twice.insert(*v);
                }
            }
        }
    }
    let zero = |v: Var| Cube::of([Atom::eq(&LinExpr::var(v))]).atoms().first().cloned();
    let starts = |v: Var| zero(v).is_some_and(|a| p.init.atoms().contains(&a));
    let one = |(v, by): (Var, BTreeSet<u32>)| Some((v, by.first().copied().filter(|_| by.len() == 1)?));
    writers.into_iter().filter_map(one).filter(|(v, _)| !twice.contains(v) && starts(*v)).collect()
}

/// By location of a template: flags that are tested on each way to some locations, or to the end of some steps; `None` where there is no
/// way.
fn tests(
    p: &Program,
    t: usize,
    flags: &BTreeMap<Var, u32>,
    location: impl Fn(Loc) -> bool,
    step: impl Fn(&Edge) -> bool,
) -> Vec<Option<BTreeSet<Var>>> {
    let template = &p.templates[t];
    let count = template.locations.len() as u32;
    let mut out: Vec<Option<BTreeSet<Var>>> =
        (0..count).map(|l| location(Loc(l)).then(BTreeSet::new)).collect();
    loop {
        let mut changed = false;
        for e in &template.edges {
            let later = if step(e) { Some(BTreeSet::new()) } else { out[e.to.0 as usize].clone() };
            let Some(mut there) = later else { continue };
            there.extend(tested(e, flags).map(|f| f.0));
            let here = &mut out[e.from.0 as usize];
            let less = match &*here {
                None => there,
                Some(old) => old.intersection(&there).copied().collect(),
            };
            if here.as_ref() != Some(&less) {
                *here = Some(less);
                changed = true;
            }
        }
        if !changed {
            return out;
        }
    }
}
