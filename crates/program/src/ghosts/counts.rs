//! Counted threads: how many threads were created, and how many of them did a step that each does at most once.
//!
//! `x := x + 1` once in each of the threads that a loop creates has no proof over globals and one thread's locals, since
//! nothing there bounds how often it happens. Ghost globals count the creations of a template's threads (`created`)
//! and the threads that have written a global (`counted`, where no path writes it twice). Two facts are then invariants
//! of every run, and are added as guards that all real steps meet:
//!
//! * a thread that does its counted step was created, and none of those counted so far: `counted + 1 <= created`;
//! * a thread between its first and its second counted step is counted once more there: `second + 1 <= first`.
//!
//! The ghosts change no run. Where a global moves with its ghost in every step, the global stands for it.
//! (Auxiliary variables of Owicki and Gries, 1976; the counting argument is that of counter abstraction.)

use crate::edges::paths::reachable;
use crate::reduce::constants::fixed;
use crate::{Edge, Ghost, Origin, Program, Scope, Template, Variable};
use relyant_cfa as cfa;
use relyant_cfa::{Count, Op};
use relyant_linear::{Atom, LinExpr, Var};
use std::collections::BTreeMap;

/// Steps of one template that write one global, of which a thread does at most one.
struct Counted {
    template: usize,
    /// Of the edge: is it one of them?
    steps: Vec<bool>,
    /// Locations where they start.
    from: Vec<usize>,
    /// Of the location: has a thread there done one for sure, or none for sure?
    done: Vec<Option<bool>>,
    name: String,
}

/// Adds counts to a program that has not been reduced, where its reduced form has a use for them; were there any?
pub fn add_counts(p: &mut Program, reduced: &Program, of: &cfa::Program) -> bool {
    if of.approximate {
        // A thread there can stand for a call, and a creation for many.
        return false;
    }
    let mut counted = Vec::new();
    for (t, template) in p.templates.iter().enumerate() {
        let Some(source) = of.templates.get(t) else { continue };
        if matches!(template.count, Count::AtMost(0 | 1)) || source.initial {
            continue;
        }
        for (v, x) in p.variables.iter().enumerate() {
            if matches!(x.origin, Origin::Cell(..))
                && x.scope == Scope::Global
                && counts_up(reduced, t, x.origin)
                && let Some(c) = counted_steps(template, t, Var(v as u32), &x.name)
            {
                counted.push(c);
            }
        }
    }
    let bounded: Vec<bool> = (0..p.templates.len()).map(|t| bounded(reduced, of, t)).collect();
    let useful: Vec<bool> = counted
        .iter()
        .map(|c| bounded[c.template] || counted.iter().any(|d| precedes(c, d) || precedes(d, c)))
        .collect();
    let mut keep = useful.into_iter();
    counted.retain(|_| keep.next() == Some(true));
    if counted.is_empty() {
        return false;
    }
    let mut templates: Vec<usize> = counted.iter().map(|c| c.template).filter(|t| bounded[*t]).collect();
    templates.dedup();
    let ghost = |name: String, what| Variable::ghost(name, Scope::Global, (Some(0), None), what);
    let mut new: Vec<Variable> = templates
        .iter()
        .map(|t| ghost(format!("created({})", p.templates[*t].name), Ghost::Created))
        .collect();
    new.extend(counted.iter().map(|c| ghost(c.name.clone(), Ghost::Counted)));
    let all: Vec<Var> = (p.add_variables(new).0..).map(Var).take(templates.len() + counted.len()).collect();
    all.iter().for_each(|v| p.init.push(Atom::eq(&LinExpr::var(*v))));
    let (first, ghosts) = all.split_at(templates.len());
    let created: BTreeMap<usize, Var> = templates.iter().copied().zip(first.iter().copied()).collect();
    count_creations(p, of, &created);
    for (c, ghost) in counted.iter().zip(ghosts) {
        let after = LinExpr::var(*ghost).add(&LinExpr::int(1));
        let first: Vec<(&Counted, Var)> =
            counted.iter().zip(ghosts).filter(|(d, _)| precedes(d, c)).map(|(d, v)| (d, *v)).collect();
        for k in 0..p.templates[c.template].edges.len() {
            let e = &p.templates[c.template].edges[k];
            let mut larger = Vec::new();
            // Only at steps that touch what is shared: others stay free to be joined.
            if c.done[e.from.0 as usize] == Some(false) && (c.steps[k] || is_shared(p, e)) {
                larger.extend(
                    first.iter().filter(|(d, _)| d.done[e.from.0 as usize] == Some(true)).map(|d| d.1),
                );
            }
            let e = &mut p.templates[c.template].edges[k];
            if c.steps[k] {
                larger.extend(created.get(&c.template));
                e.updates.push((*ghost, after.clone()));
                e.updates.sort_by_key(|u| u.0);
            }
            for v in larger {
                e.guard.push(Atom::le(&after.sub(&LinExpr::var(v))));
            }
        }
    }
    true
}

/// Replaces each count that moves as a global does by that global.
pub fn replace_counts(p: &mut Program) {
    let ghosts: Vec<Var> = (0..p.variables.len())
        .filter(|v| p.variables[*v].origin == Origin::Ghost(Ghost::Counted))
        .map(|v| Var(v as u32))
        .collect();
    for ghost in ghosts {
        let twin = (0..p.variables.len() as u32)
            .map(Var)
            .find(|v| *v != ghost && p.is_global(*v) && moves_with(p, *v, ghost));
        let Some((twin, start)) = twin.and_then(|v| Some((v, start_of(p, v)?))) else { continue };
        if start_of(p, ghost) != Some(LinExpr::zero()) {
            continue;
        }
        let value = LinExpr::var(twin).sub(&start);
        let f = |v: Var| (v == ghost).then(|| value.clone());
        for e in p.templates.iter_mut().flat_map(|t| &mut t.edges) {
            (e.guard, e.bounds) = (e.guard.subst(f), e.bounds.subst(f));
            e.updates.retain(|u| u.0 != ghost);
            for (_, x) in &mut e.updates {
                *x = x.subst(f);
            }
        }
    }
}

/// Do all steps change both by the same constant?
fn moves_with(p: &Program, v: Var, ghost: Var) -> bool {
    let by = |e: &Edge, v: Var| match e.updates.iter().find(|u| u.0 == v) {
        None => Some(LinExpr::zero()),
        Some((_, x)) => Some(x.sub(&LinExpr::var(v))).filter(LinExpr::is_constant),
    };
    let mut moved = false;
    p.templates.iter().flat_map(|t| &t.edges).all(|e| match (by(e, v), by(e, ghost)) {
        (Some(a), Some(b)) => {
            moved |= !b.constant_part().is_zero();
            a == b
        }
        _ => false,
    }) && moved
}

/// The start value, where there is only one.
fn start_of(p: &Program, v: Var) -> Option<LinExpr> {
    p.init.atoms().iter().filter_map(fixed).find(|(x, _)| *x == v).map(|(_, c)| LinExpr::constant(c))
}

/// Raises the counts of created threads.
fn count_creations(p: &mut Program, of: &cfa::Program, created: &BTreeMap<usize, Var>) {
    for (template, source) in p.templates.iter_mut().zip(&of.templates) {
        for e in &mut template.edges {
            for (t, v) in created {
                let creates = |k: &&u32| {
                    let op = source.graph.edges.get(**k as usize).map(|e| &e.op);
                    matches!(op, Some(Op::Create { template: Some(u), .. }) if *u as usize == *t)
                };
                let n = e.path.iter().filter(creates).count();
                if n > 0 {
                    e.updates.push((*v, LinExpr::var(*v).add(&LinExpr::int(n as i128))));
                }
            }
            e.updates.sort_by_key(|u| u.0);
        }
    }
}

/// Does a number that counts and that is tested bound how often a template's threads are created?
fn bounded(reduced: &Program, of: &cfa::Program, t: usize) -> bool {
    let creates = |k: usize| {
        of.templates.get(k).is_some_and(|s| {
            let of_t =
                |e: &cfa::Edge| matches!(e.op, Op::Create { template: Some(u), .. } if u as usize == t);
            s.graph.edges.iter().any(of_t)
        })
    };
    reduced.templates.iter().enumerate().filter(|(k, _)| creates(*k)).any(|(_, template)| {
        let tested = |v: Var| {
            template.edges.iter().any(|e| !e.guard.atoms().iter().all(|a| a.expr().coeff(v).is_zero()))
        };
        template.edges.iter().flat_map(|e| &e.updates).any(|(v, x)| {
            let by = x.sub(&LinExpr::var(*v));
            by.is_constant() && !by.constant_part().is_zero() && tested(*v)
        })
    })
}

/// Does the reduced template set the global to a variable and a constant that is not 0?
fn counts_up(reduced: &Program, t: usize, origin: Origin) -> bool {
    let Some(v) = reduced.variables.iter().position(|x| x.origin == origin && x.scope == Scope::Global)
    else {
        return false;
    };
    reduced.templates[t].edges.iter().flat_map(|e| &e.updates).any(|(w, x)| {
        w.0 as usize == v
            && !x.constant_part().is_zero()
            && matches!(x.terms(), [(y, c)] if c.is_one() && (y.0 as usize) < reduced.variables.len())
    })
}

/// The steps that write a global, if no path has two of them.
fn counted_steps(template: &Template, t: usize, v: Var, name: &str) -> Option<Counted> {
    let steps: Vec<bool> = template.edges.iter().map(|e| e.updates.iter().any(|u| u.0 == v)).collect();
    let targets = template.edges.iter().zip(&steps).filter(|x| *x.1).map(|x| x.0.to.0 as usize);
    let after = reachable(template, targets, |_| true);
    if template.edges.iter().zip(&steps).any(|(e, s)| *s && after[e.from.0 as usize]) {
        return None;
    }
    let before = reachable(template, [template.entry.0 as usize], |k| !steps[k]);
    let done = after.iter().zip(&before).map(|x| match x {
        (false, _) => Some(false),
        (true, false) => Some(true),
        (true, true) => None,
    });
    let done = done.collect();
    let from = template.edges.iter().zip(&steps).filter(|x| *x.1).map(|x| x.0.from.0 as usize).collect();
    Some(Counted { template: t, steps, from, done, name: format!("counted({}, {name})", template.name) })
}

/// Has each thread done a step of the first kind before its step of the second?
fn precedes(first: &Counted, second: &Counted) -> bool {
    first.template == second.template && second.from.iter().all(|l| first.done[*l] == Some(true))
}

fn is_shared(p: &Program, e: &Edge) -> bool {
    e.reads().into_iter().chain(e.updates.iter().map(|u| u.0)).any(|v| p.is_global(v))
}
