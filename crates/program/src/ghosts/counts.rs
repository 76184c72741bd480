//! Counted threads: how many threads were created, and how many of them did a step that each does at most once.
//!
//! `x := x + 1` once in each of the threads that a loop creates has no proof over globals and one thread's locals, since
//! nothing there bounds how often it happens. Ghost globals count the creations of a template's threads (`created`)
//! and the threads that have written a global (`counted`, where no path writes it twice). Two guards are added that
//! all steps meet:
//!
//! * a thread that does its counted step was created, and none of those counted so far: `counted + 1 <= created`;
//! * a thread between its first and its second counted step is counted once more there: `second + 1 <= first`.
//!
//! What is claimed for that is linear in counts and in numbers of threads at locations, the counters of counter abstraction: those
//! counted are where the step may have been done; those that begun, or wait to, were created; those between the first and
//! the second step are counted once more there. Where a global moves with its ghost in every step, the global stands for it.
//! (Auxiliary variables of Owicki and Gries, 1976.)
//!
//! Reach: steps that each thread does at most once, and creations of its template. Needed by `unbounded/all_counted.c` and
//! `unbounded/announced.c`.

use super::extension::{Claim, Extension, Fact, GhostVariable, Start, StepCase, extend};
use crate::edges::paths::reachable;
use crate::linearise::waiting::creations;
use crate::recognisers::Recogniser;
use crate::reduce::constants::fixed;
use crate::{Edge, Ghost, Loc, Origin, Program, Scope, Template, Variable};
use relyant_cfa as cfa;
use relyant_cfa::Op;
use relyant_linear::{Atom, LinExpr, Rel, Var};
use std::collections::BTreeMap;

/// Steps of one template that write one global, of which a thread does at most one.
pub(super) struct Counted {
    pub(super) template: usize,
    /// Of the edge: is it one of them?
    pub(super) steps: Vec<bool>,
    /// Locations where they start.
    from: Vec<usize>,
    /// Of the location: has a thread there done one for sure, or none for sure?
    pub(super) done: Vec<Option<bool>>,
    name: String,
}

/// Counts for a program that has not been reduced, where its reduced form has a use for them. `waiting`: by template, how many of
/// its threads were created and have not begun.
pub fn find(
    p: &Program,
    waiting: &BTreeMap<usize, Var>,
    reduced: &Program,
    of: &cfa::Program,
) -> Option<Extension> {
    let mut counted = Vec::new();
    for (t, template) in p.templates.iter().enumerate().filter(|(t, _)| waiting.contains_key(t)) {
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
        return None;
    }
    let mut templates: Vec<usize> = counted.iter().map(|c| c.template).filter(|t| bounded[*t]).collect();
    templates.dedup();
    let ghost = |name: String, what| {
        let variable = Variable::ghost(name, Scope::Global, (Some(0), None), what);
        GhostVariable { variable, start: Start::Value(LinExpr::zero()), hidden: false }
    };
    let mut out = Extension::new(Recogniser::Counts);
    for t in &templates {
        out.ghosts.push(ghost(format!("created({})", p.templates[*t].name), Ghost::Created));
    }
    out.ghosts.extend(counted.iter().map(|c| ghost(c.name.clone(), Ghost::Counted)));
    let mut numbers = (p.variables.len() as u32..).map(Var);
    let created: BTreeMap<usize, Var> = templates.into_iter().zip(&mut numbers).collect();
    let counted: Vec<(Counted, Var)> = counted.into_iter().zip(numbers).collect();
    out.facts = facts(p, waiting, &created, &counted);
    for (t, template) in p.templates.iter().enumerate() {
        for (k, e) in template.edges.iter().enumerate() {
            let mut case = StepCase::same();
            for (u, v) in &created {
                let n = creations(of, t, &e.path, *u);
                if n > 0 {
                    case.updates.push((*v, LinExpr::var(*v).add(&LinExpr::int(n as i128))));
                }
            }
            for (c, ghost) in counted.iter().filter(|(c, _)| c.template == t) {
                count(p, &mut case, (k, e), (c, *ghost), &counted);
                if let (true, Some(v)) = (c.steps[k], created.get(&t)) {
                    let after = LinExpr::var(*ghost).add(&LinExpr::int(1));
                    case.guard.push(Atom::le(&after.sub(&LinExpr::var(*v))));
                }
            }
            if case != StepCase::same() {
                case.updates.sort_by_key(|u| u.0);
                out.cases.insert((t as u32, k), vec![case]);
            }
        }
    }
    Some(out)
}

/// What an edge does to a count.
fn count(
    p: &Program,
    case: &mut StepCase,
    (k, e): (usize, &Edge),
    (c, ghost): (&Counted, Var),
    all: &[(Counted, Var)],
) {
    let after = LinExpr::var(ghost).add(&LinExpr::int(1));
    // Only at steps that touch what is shared: others stay free to be joined.
    if c.done[e.from.0 as usize] == Some(false) && (c.steps[k] || is_shared(p, e)) {
        for (_, v) in all.iter().filter(|(d, _)| precedes(d, c) && d.done[e.from.0 as usize] == Some(true)) {
            case.guard.push(Atom::le(&after.sub(&LinExpr::var(*v))));
        }
    }
    if c.steps[k] {
        case.updates.push((ghost, after));
    }
}

/// What holds of counts and of where threads are.
fn facts(
    p: &Program,
    waiting: &BTreeMap<usize, Var>,
    created: &BTreeMap<usize, Var>,
    counted: &[(Counted, Var)],
) -> Vec<Fact> {
    let at_most = |sum: LinExpr, k: i128, t: usize, is: &dyn Fn(usize) -> bool| {
        let locations = (0..p.templates[t].locations.len()).filter(|l| is(*l)).map(|l| Loc(l as u32));
        let threads = vec![(k, t as u32, locations.collect())];
        Fact::always(Claim::Sum { rel: Rel::Le, sum, threads })
    };
    let mut out = Vec::new();
    for (t, v) in created {
        // Who has begun or waits was created.
        let Some(number) = waiting.get(t).map(|w| LinExpr::var(*w)) else { continue };
        let entry = p.templates[*t].entry.0 as usize;
        out.push(at_most(number.sub(&LinExpr::var(*v)), 1, *t, &|l| l != entry));
        out.push(Fact::compares(None, Rel::Le, number.negated()));
    }
    for (c, v) in counted {
        // Those counted are where the step may have been done.
        out.push(at_most(LinExpr::var(*v), -1, c.template, &|l| c.done[l] != Some(false)));
        for (d, w) in counted.iter().filter(|(d, _)| precedes(d, c)) {
            // Those counted first are counted second, or are between both steps.
            let between = |l: usize| d.done[l] == Some(true) && c.done[l] == Some(false);
            out.push(at_most(LinExpr::var(*v).sub(&LinExpr::var(*w)), 1, c.template, &between));
        }
    }
    out
}

/// Replaces each count that moves as a global does by that global.
pub fn replace_counts(p: &mut Program) {
    let ghosts: Vec<Var> = (0..p.variables.len())
        .filter(|v| p.variables[*v].origin == Origin::Ghost(Ghost::Counted))
        .map(|v| Var(v as u32))
        .collect();
    let mut out = Extension::new(Recogniser::Counts);
    for ghost in ghosts {
        let twin = (0..p.variables.len() as u32)
            .map(Var)
            .find(|v| *v != ghost && p.is_global(*v) && moves_with(p, *v, ghost));
        let Some((twin, start)) = twin.and_then(|v| Some((v, start_of(p, v)?))) else { continue };
        let taken = |r: &(Var, LinExpr)| r.0 == twin || r.1.vars().any(|v| v == ghost);
        if start_of(p, ghost) != Some(LinExpr::zero()) || out.replaced.iter().any(taken) {
            continue;
        }
        let value = LinExpr::var(twin).sub(&start);
        out.facts.push(Fact::compares(None, Rel::Eq, value.sub(&LinExpr::var(ghost))));
        out.replaced.push((ghost, value));
    }
    if !out.replaced.is_empty() {
        extend(p, out);
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
pub(super) fn counts_up(reduced: &Program, t: usize, origin: Origin) -> bool {
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
pub(super) fn counted_steps(template: &Template, t: usize, v: Var, name: &str) -> Option<Counted> {
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

pub(super) fn is_shared(p: &Program, e: &Edge) -> bool {
    e.reads().into_iter().chain(e.updates.iter().map(|u| u.0)).any(|v| p.is_global(v))
}
