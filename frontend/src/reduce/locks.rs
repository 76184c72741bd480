//! Locks, and the globals that are accessed only with one held: steps on them are movers.
//!
//! A global `m` is a lock if every step that writes it needs `m == 0` or comes from where its thread has locked it; a
//! thread *holds* it from a step that finds it 0 and makes it something else up to its next write of it. At most one
//! thread holds a lock: taking it needs 0, which no other write makes while it is held. A step on a global that every
//! access is made to with the lock held (or free, in one step) commutes with all steps of others that can happen
//! before the lock is given back. (Lipton, "Reduction", CACM 1975.)

use crate::program::{Edge, Program};
use relyant_horn::linear::{Atom, LinExpr, Rel, Var};

/// By variable: is it a global to which every access needs some lock?
pub fn protected(p: &Program) -> Vec<bool> {
    let mut out = vec![false; p.variables.len()];
    for m in (0..p.variables.len() as u32).map(Var).filter(|m| p.is_global(*m)) {
        let Some(held) = held(p, m) else { continue };
        let mut under = vec![true; p.variables.len()];
        for (t, template) in p.templates.iter().enumerate() {
            for e in template.edges.iter().filter(|e| !held[t][e.from.0 as usize] && !finds_free(p, e, m)) {
                for v in e.reads().into_iter().chain(e.updates.iter().map(|u| u.0)) {
                    if let Some(u) = under.get_mut(v.0 as usize) {
                        *u = false;
                    }
                }
            }
        }
        under[m.0 as usize] = false;
        for (k, u) in under.into_iter().enumerate() {
            out[k] |= u && p.is_global(Var(k as u32));
        }
    }
    out
}

/// By template and location: does a thread there hold the lock? `None` if the variable is no lock.
fn held(p: &Program, m: Var) -> Option<Vec<Vec<bool>>> {
    let takes = |e: &Edge| finds_free(p, e, m) && e.after(m).is_some_and(|x| is_taken(p, x));
    if !p.templates.iter().flat_map(|t| &t.edges).any(takes) {
        return None;
    }
    let mut held: Vec<Vec<bool>> = p.templates.iter().map(|t| vec![true; t.locations.len()]).collect();
    for (t, template) in p.templates.iter().enumerate() {
        held[t][template.entry.0 as usize] = false;
        let mut changed = true;
        while changed {
            changed = false;
            for e in &template.edges {
                let before = held[t][e.from.0 as usize];
                let after = match e.after(m) {
                    Some(x) => (before || finds_free(p, e, m)) && is_taken(p, x),
                    None => before,
                };
                let to = &mut held[t][e.to.0 as usize];
                changed |= *to && !after;
                *to &= after;
            }
        }
    }
    let fair = |t: usize, e: &Edge| e.after(m).is_none() || held[t][e.from.0 as usize] || finds_free(p, e, m);
    let all = p.templates.iter().enumerate().all(|(t, x)| x.edges.iter().all(|e| fair(t, e)));
    all.then_some(held)
}

/// Does the step happen only when the variable is 0?
fn finds_free(p: &Program, e: &Edge, m: Var) -> bool {
    let x = LinExpr::var(m);
    let not_negative = p.variables[m.0 as usize].min.is_some_and(|c| c >= 0);
    let zero = |a: &Atom| match a.rel() {
        Rel::Eq => *a.expr() == x,
        Rel::Le => not_negative && *a.expr() == x,
    };
    e.guard.is_bottom() || e.guard.atoms().iter().any(zero)
}

/// Is the value never 0?
fn is_taken(p: &Program, value: &LinExpr) -> bool {
    if value.is_constant() {
        return !value.constant_part().is_zero();
    }
    let positive = |v: Var| p.variables.get(v.0 as usize).is_some_and(|x| x.min.is_some_and(|c| c >= 1));
    let [(v, k)] = value.terms() else { return false };
    k.is_one() && value.constant_part().is_zero() && positive(*v)
}
