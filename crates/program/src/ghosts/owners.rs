//! Owners of locks that do not say who holds them: a ghost global that remembers who wrote last.
//!
//! `[m == 0] m := 1` by any number of threads has no proof over globals and one thread's locals, since nothing there
//! tells the holder from others, and none has a semaphore that is at most 1. The ghost is written with the lock, in the same step, and nothing is claimed of it but that it is
//! not negative. (Auxiliary variables of Owicki and Gries, 1976.)
//!
//! Reach: globals that a template of several threads tests and sets without naming itself, and semaphores. Needed by
//! `unbounded/spin_cas.c` and `unbounded/mailbox.c`.

use super::extension::{Extension, GhostVariable, Start, StepCase};
use crate::recognisers::Recogniser;
use crate::{Count, Edge, Ghost, Program, Scope, Variable};
use relyant_linear::{Atom, Cube, LinExpr, Norm, Rat, Var};

/// Owners for each global that a template of several threads tests and sets without naming itself, and for semaphores that it takes from.
pub fn find(p: &Program) -> Option<Extension> {
    let locks: Vec<Var> = (0..p.variables.len() as u32).map(Var).filter(|v| is_lock(p, *v)).collect();
    if locks.is_empty() {
        return None;
    }
    let nameless: Vec<usize> = (0..p.templates.len())
        .filter(|t| {
            !matches!(p.templates[*t].count, Count::AtMost(0 | 1)) && p.templates[*t].identity.is_none()
        })
        .collect();
    let owner = |lock: &Var| {
        let name = format!("owner({})", p.variables[lock.0 as usize].name);
        let variable = Variable::ghost(name, Scope::Global, (Some(0), None), Ghost::Other);
        GhostVariable { variable, start: Start::Value(LinExpr::zero()), hidden: false }
    };
    let others = p.templates.len() as i128 + 1;
    let own = |t: &usize| {
        let name = format!("{}::self", p.templates[*t].name);
        let ghost = Variable::ghost(name, Scope::Local(*t as u32), (Some(others), None), Ghost::Other);
        let variable = Variable { identity: true, ..ghost };
        GhostVariable { variable, start: Start::Identity, hidden: false }
    };
    let first = p.variables.len() as u32;
    let mut out = Extension::new(Recogniser::Owners);
    out.ghosts = locks.iter().map(owner).chain(nameless.iter().map(own)).collect();
    let mut identity: Vec<Option<Var>> = p.templates.iter().map(|t| t.identity).collect();
    for (k, t) in (locks.len() as u32..).zip(nameless) {
        identity[t] = Some(Var(first + k));
    }
    for (t, template) in p.templates.iter().enumerate() {
        let handle = identity[t].map_or_else(|| LinExpr::int(t as i128 + 1), LinExpr::var);
        for (k, e) in template.edges.iter().enumerate() {
            let written = (first..).zip(&locks).filter(|(_, v)| writes(p, e, **v));
            let updates: Vec<(Var, LinExpr)> = written.map(|(g, _)| (Var(g), handle.clone())).collect();
            if !updates.is_empty() {
                out.cases.insert((t as u32, k), vec![StepCase { updates, ..StepCase::same() }]);
            }
        }
    }
    Some(out)
}

fn writes(p: &Program, e: &Edge, v: Var) -> bool {
    e.updates.iter().any(|u| u.0 == v) && !rewrites(p, e, v)
}

/// Does a thread that may be one of several go from one constant to another in one step?
fn is_lock(p: &Program, v: Var) -> bool {
    let named = |e: &Edge| {
        e.updates.iter().any(|u| {
            u.0 == v && u.1.vars().any(|x| p.variables.get(x.0 as usize).is_some_and(|x| x.identity))
        })
    };
    p.is_global(v)
        && !p.templates.iter().flat_map(|t| &t.edges).any(named)
        && p.templates
            .iter()
            .filter(|t| !matches!(t.count, Count::AtMost(0 | 1)))
            .flat_map(|t| &t.edges)
            .any(|e| tests_and_sets(p, e, v) || takes(p, e, v))
}

/// Is the variable a semaphore, of which the edge takes one? It is only waited for, one is taken when there is one, and one is given: all
/// that is known of its number is who may go on.
fn takes(p: &Program, e: &Edge, v: Var) -> bool {
    let by = |e: &Edge| {
        let new = e.updates.iter().find(|u| u.0 == v).map(|u| u.1.sub(&LinExpr::var(v)));
        new.filter(LinExpr::is_constant).map(|d| d.constant_part().clone())
    };
    let takes = |e: &Edge| {
        by(e) == Some(Rat::from(-1i64))
            && follows(&condition(p, e), &Atom::le(&LinExpr::int(1).sub(&LinExpr::var(v))))
    };
    let counts = |e: &Edge| !e.reads().contains(&v) || takes(e) || by(e) == Some(Rat::from(1i64));
    takes(e) && p.templates.iter().flat_map(|t| &t.edges).all(counts)
}

fn tests_and_sets(p: &Program, e: &Edge, v: Var) -> bool {
    let Some(set) = e.updates.iter().find(|u| u.0 == v).map(|u| &u.1).filter(|u| u.is_constant()) else {
        return false;
    };
    let d = LinExpr::var(v).sub(set);
    let before = condition(p, e);
    follows(&before, &Atom::lt(&d)) || follows(&before, &Atom::lt(&d.scale(&Rat::from(-1i64))))
}

/// Does the edge leave the variable as it is, though it writes it?
fn rewrites(p: &Program, e: &Edge, v: Var) -> bool {
    let value = e.updates.iter().find(|u| u.0 == v).map(|u| LinExpr::var(v).sub(&u.1));
    value.is_some_and(|d| {
        let before = condition(p, e);
        follows(&before, &Atom::le(&d)) && follows(&before, &Atom::le(&d.scale(&Rat::from(-1i64))))
    })
}

fn condition(p: &Program, e: &Edge) -> Cube {
    crate::edges::bounds::type_bounds(p, &e.guard.and(&e.bounds))
}

fn follows(before: &Cube, n: &Norm) -> bool {
    match n {
        Norm::True => true,
        Norm::False => false,
        Norm::Atom(a) => before.entails_rational(a),
    }
}
