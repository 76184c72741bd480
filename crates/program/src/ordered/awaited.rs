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
}

impl Awaited {
    /// Of a program.
    pub fn new(p: &Program) -> Awaited {
        let unwritten: Vec<Vec<BTreeSet<Var>>> = (0..p.templates.len()).map(|t| unwritten(p, t)).collect();
        let flags = flags(p, &unwritten);
        let before = (0..p.templates.len()).map(|t| before(p, t, &flags)).collect();
        Awaited { before, unwritten, flags }
    }

    /// Does each way to an error from where the threads are need a step of this one?
    pub fn moves(&self, at: &[Loc], t: u32) -> bool {
        let left = &self.unwritten[t as usize][at[t as usize].0 as usize];
        let own = |v: &Var| self.flags.get(v) == Some(&t) && left.contains(v);
        at.iter().enumerate().all(|(u, l)| match &self.before[u][l.0 as usize] {
            None => true,
            Some(flags) => u as u32 == t || flags.iter().any(own),
        })
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

/// By location of a template: flags that are tested on each way to an error of the template.
fn before(p: &Program, t: usize, flags: &BTreeMap<Var, u32>) -> Vec<Option<BTreeSet<Var>>> {
    let template = &p.templates[t];
    let error = |l: &crate::Location| l.error.is_some().then(BTreeSet::new);
    let mut out: Vec<Option<BTreeSet<Var>>> = template.locations.iter().map(error).collect();
    loop {
        let mut changed = false;
        for e in &template.edges {
            let Some(later) = &out[e.to.0 as usize] else { continue };
            let mut there = later.clone();
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
