//! Sections under a lock: which steps nobody else can come between.
//!
//! A *lock* is a variable that is 0 at first, that a thread takes by testing that it is 0 and setting it to something else in one step, and
//! that only the thread that has taken it sets to 0 again; nobody else learns more of it than that it is free. So at most one thread
//! is where it *holds* the lock. A variable is protected in a section if each step of another thread that accesses it begins where
//! that one holds the same lock, or finds it free, or where the thread in the section has ended. As long as a section lasts, no other thread
//! does such a step: what the thread does in it with protected variables can as well be done right before its next step.
//! Taking a lock and accesses under it are *right movers* (Lipton, "Reduction", CACM 1975); what others do meanwhile is the
//! same without them, so that a thread that stops in a section need not have come there.

use super::access::Access;
use crate::{Count, Edge, Input, Program, Scope};
use relyant_linear::{Atom, LinExpr, Rat, Rel, Var};
use std::collections::{BTreeMap, BTreeSet};

/// Sets of locks, and of templates, are masks.
const MOST: usize = 64;

/// An access to a variable, by a step of some thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Place {
    template: usize,
    /// Locks that the thread holds before the step, or finds free in it.
    locks: u64,
    /// Templates whose only thread has ended by then.
    ended: u64,
}

/// The sections of a program.
#[derive(Debug)]
pub struct Sections {
    locks: Vec<Var>,
    /// By template and location: the locks that are held there.
    held: Vec<Vec<u64>>,
    /// By variable: where it is accessed.
    places: Vec<Vec<Place>>,
    /// By template: may there be several threads?
    several: Vec<bool>,
    local: Vec<bool>,
}

/// What a step does with a lock.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Use {
    /// Nothing.
    None,
    /// It finds it free, and leaves it so.
    Tests,
    /// It finds it free and takes it.
    Takes,
    /// It sets it to 0.
    Gives,
    /// It reads it in another way.
    Reads,
    /// It sets it to what may be 0, or without finding it free.
    Sets,
}

impl Sections {
    /// Those of a program; none where it has no locks.
    pub fn of(p: &Program) -> Option<Sections> {
        let n = p.variables.len();
        let mut s = Sections {
            locks: Vec::new(),
            held: p.templates.iter().map(|t| vec![0; t.locations.len()]).collect(),
            places: vec![Vec::new(); n],
            several: p.templates.iter().map(|t| t.count != Count::AtMost(1)).collect(),
            local: p.variables.iter().map(|v| v.scope != Scope::Global).collect(),
        };
        for m in taken(p).into_iter().filter(|m| begins_free(p, *m)) {
            if let Some(held) = held(p, m)
                && s.locks.len() < MOST
            {
                for (all, own) in s.held.iter_mut().zip(held) {
                    for (mask, is) in all.iter_mut().zip(own) {
                        *mask |= u64::from(is) << s.locks.len();
                    }
                }
                s.locks.push(m);
            }
        }
        if s.locks.is_empty() || p.templates.len() > MOST {
            return None;
        }
        let ended = Ended::of(p);
        for (t, template) in p.templates.iter().enumerate() {
            for e in &template.edges {
                let free = s.mask(|m| matches!(used(p, e, m), Use::Tests | Use::Takes));
                let place = Place {
                    template: t,
                    locks: s.held[t][e.from.0 as usize] | free,
                    ended: ended.at[t][e.from.0 as usize] | ended.by(e),
                };
                for v in e.reads().into_iter().chain(e.updates.iter().map(|u| u.0)) {
                    if let Some(list) = s.places.get_mut(v.0 as usize)
                        && !list.contains(&place)
                    {
                        list.push(place);
                    }
                }
            }
        }
        Some(s)
    }

    fn mask(&self, is: impl Fn(Var) -> bool) -> u64 {
        self.locks.iter().enumerate().fold(0, |mask, (i, m)| mask | u64::from(is(*m)) << i)
    }

    /// Is it a step after which the thread holds a lock, and which could as well be done later, as long as it does nothing else?
    pub fn can_wait(&self, p: &Program, access: &Access, t: usize, e: &Edge) -> bool {
        if self.mask(|m| used(p, e, m) == Use::Gives) != 0 || access.elements_matter(t, e) {
            return false;
        }
        let Some(held) = self.held.get(t).and_then(|h| h.get(e.from.0 as usize)) else { return false };
        let held = held | self.mask(|m| used(p, e, m) == Use::Takes);
        let is_lock = |v: Var| self.locks.iter().position(|m| *m == v).is_some_and(|i| held >> i & 1 == 1);
        let own = |v: Var| v.0 as usize >= self.local.len() || self.local[v.0 as usize];
        let guarded = |v: Var| own(v) || is_lock(v) || self.is_protected(t, v, held);
        held != 0
            && e.reads().into_iter().all(|v| guarded(v) || !access.changes(t, v))
            && e.updates.iter().all(|(v, _)| guarded(*v) || !access.sees(t, *v))
    }

    /// Do others access a variable only where they hold one of these locks, or find it free, or where template `t` has ended?
    fn is_protected(&self, t: usize, v: Var, held: u64) -> bool {
        self.places[v.0 as usize].iter().all(|a| {
            let own = a.template == t && !self.several[t];
            own || a.locks & held != 0 || (!self.several[t] && a.ended >> t & 1 == 1)
        })
    }
}

/// Is it 0 in each start, and never negative?
fn begins_free(p: &Program, m: Var) -> bool {
    let v = &p.variables[m.0 as usize];
    let zero = |a: &Atom| a.rel() == Rel::Eq && is_about(a, m) && a.holds(|_| Rat::zero());
    v.scope == Scope::Global
        && v.min.is_some_and(|least| least >= 0)
        && p.init.atoms().iter().any(zero)
        && !p.given.iter().any(|(_, e)| e.vars().any(|x| x == m))
}

/// Is it about this variable alone?
fn is_about(a: &Atom, m: Var) -> bool {
    let mut vars = a.vars();
    vars.next() == Some(m) && vars.next().is_none()
}

/// Variables that some step takes as a lock.
fn taken(p: &Program) -> BTreeSet<Var> {
    let edges = p.templates.iter().flat_map(|t| &t.edges);
    edges.flat_map(|e| e.updates.iter().map(|u| u.0).filter(|m| used(p, e, *m) == Use::Takes)).collect()
}

/// Where each template holds a lock; `None` if it is none.
fn held(p: &Program, m: Var) -> Option<Vec<Vec<bool>>> {
    let mut all = Vec::new();
    for template in &p.templates {
        let mut out: Vec<Vec<&Edge>> = vec![Vec::new(); template.locations.len()];
        template.edges.iter().for_each(|e| out[e.from.0 as usize].push(e));
        let mut known: Vec<Option<bool>> = vec![None; template.locations.len()];
        known[template.entry.0 as usize] = Some(false);
        let mut work = vec![template.entry];
        while let Some(l) = work.pop() {
            let here = known[l.0 as usize] == Some(true);
            for e in &out[l.0 as usize] {
                let after = match (here, used(p, e, m)) {
                    (here, Use::None) => here,
                    (false, Use::Tests) => false,
                    (false, Use::Takes) => true,
                    // It is not free.
                    (true, Use::Tests | Use::Takes) => continue,
                    (true, Use::Gives) => false,
                    (true, Use::Reads) => true,
                    (false, Use::Gives | Use::Reads) | (_, Use::Sets) => return None,
                };
                let then = &mut known[e.to.0 as usize];
                match then {
                    None => {
                        *then = Some(after);
                        work.push(e.to);
                    }
                    Some(before) if *before != after => return None,
                    Some(_) => {}
                }
            }
        }
        all.push(known.into_iter().map(|k| k == Some(true)).collect());
    }
    Some(all)
}

/// What a step does with a lock.
fn used(p: &Program, e: &Edge, m: Var) -> Use {
    // It is never negative: what holds for 0 and not for 1 says that it is 0.
    let says_free = |a: &Atom| is_about(a, m) && a.holds(|_| Rat::zero()) && !a.holds(|_| Rat::one());
    let free = e.guard.atoms().iter().any(says_free);
    let in_guard = |a: &Atom| !says_free(a) && a.vars().any(|v| v == m);
    let reads = e.guard.atoms().iter().any(in_guard)
        || e.bounds.vars().contains(&m)
        || e.updates.iter().any(|(_, x)| x.vars().any(|v| v == m))
        || e.touched().any(|v| v == m)
        || e.inputs
            .iter()
            .any(|i| matches!(i, Input::Remainder { number, divisor } if *number == m || *divisor == m));
    let set = e.after(m);
    match set {
        _ if reads && (free || set.is_some_and(|x| !is_zero(x))) => Use::Sets,
        Some(x) if is_zero(x) && !free => Use::Gives,
        None if reads => Use::Reads,
        None if free => Use::Tests,
        None => Use::None,
        Some(x) if free && is_zero(x) => Use::Tests,
        Some(x) if free && is_positive(p, x) => Use::Takes,
        Some(_) => Use::Sets,
    }
}

fn is_zero(x: &LinExpr) -> bool {
    x.is_constant() && *x.constant_part() == Rat::zero()
}

/// Is it a number above 0, or a thread's own handle?
fn is_positive(p: &Program, x: &LinExpr) -> bool {
    match x.terms() {
        [] => x.constant_part().is_positive(),
        [(v, one)] => {
            let variable = p.variables.get(v.0 as usize);
            *one == Rat::one()
                && *x.constant_part() == Rat::zero()
                && variable.is_some_and(|v| v.identity && v.min.is_some_and(|least| least >= 1))
        }
        _ => false,
    }
}

/// Which threads have ended.
struct Ended {
    /// Variables that are 0 until the only thread of a template has ended, with that template.
    flags: BTreeMap<Var, usize>,
    /// By template and location: the templates that have ended when a thread is there.
    at: Vec<Vec<u64>>,
}

impl Ended {
    fn of(p: &Program) -> Ended {
        let mut all = Ended { flags: flags(p), at: Vec::new() };
        for template in &p.templates {
            let mut out: Vec<Vec<&Edge>> = vec![Vec::new(); template.locations.len()];
            template.edges.iter().for_each(|e| out[e.from.0 as usize].push(e));
            // Where nobody comes, all may be said.
            let mut known = vec![u64::MAX; template.locations.len()];
            known[template.entry.0 as usize] = 0;
            let mut work = vec![template.entry];
            while let Some(l) = work.pop() {
                for e in &out[l.0 as usize] {
                    let after = (known[l.0 as usize] | all.by(e)) & known[e.to.0 as usize];
                    if after != known[e.to.0 as usize] {
                        known[e.to.0 as usize] = after;
                        work.push(e.to);
                    }
                }
            }
            all.at.push(known);
        }
        all
    }

    /// The templates that have ended if the step can be done.
    fn by(&self, e: &Edge) -> u64 {
        let flag = |a: &Atom| {
            let v = a.vars().next().filter(|v| is_about(a, *v) && !a.holds(|_| Rat::zero()))?;
            self.flags.get(&v).map(|t| 1u64 << t)
        };
        e.guard.atoms().iter().filter_map(flag).fold(0, |mask, t| mask | t)
    }
}

/// Globals that are 0 at first, and that one template with a single thread alone sets, in steps to where it has no more steps.
fn flags(p: &Program) -> BTreeMap<Var, usize> {
    let mut last: Vec<Vec<bool>> = p.templates.iter().map(|t| vec![true; t.locations.len()]).collect();
    for (t, template) in p.templates.iter().enumerate() {
        template.edges.iter().for_each(|e| last[t][e.from.0 as usize] = false);
    }
    let mut flags = BTreeMap::new();
    for f in (0..p.variables.len() as u32).map(Var) {
        let zero = |a: &Atom| a.rel() == Rel::Eq && is_about(a, f) && a.holds(|_| Rat::zero());
        if p.variables[f.0 as usize].scope != Scope::Global || !p.init.atoms().iter().any(zero) {
            continue;
        }
        let edges = p.templates.iter().enumerate().flat_map(|(t, x)| x.edges.iter().map(move |e| (t, e)));
        let mut writers = edges.filter(|(_, e)| e.after(f).is_some());
        let Some((t, first)) = writers.next() else { continue };
        let ends = |e: &Edge| last[t][e.to.0 as usize];
        if p.templates[t].count == Count::AtMost(1) && ends(first) && writers.all(|(u, e)| u == t && ends(e))
        {
            flags.insert(f, t);
        }
    }
    flags
}
