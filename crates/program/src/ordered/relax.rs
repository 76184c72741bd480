//! A program without the bounds that only say that arithmetic does not overflow: steps that differ in nothing else commute then.

use crate::edges::bounds::{only, type_bounds, type_bounds_of};
use crate::{Edge, Input, Loc, Program, Template};
use relyant_linear::{Atom, LinExpr, Norm, Var};
use std::collections::BTreeSet;

/// The program with steps that can do more: of their bounds those are left that speak of inputs, or tell steps apart. Variables that may leave
/// their types then have no bounds any more.
pub fn relaxed(p: &Program) -> Program {
    let mut out = p.clone();
    let base = out.variables.len() as u32;
    for t in &mut out.templates {
        let told = told_apart(t);
        for e in &mut t.edges {
            let stays = |a: &Atom| a.vars().any(|v| v.0 >= base) || told.contains(&(e.from, a.clone()));
            let bounds = only(&e.bounds, stays);
            e.exact &= bounds == e.bounds;
            e.bounds = bounds;
            for i in &mut e.inputs {
                if matches!(i, Input::Remainder { .. }) {
                    *i = Input::Auxiliary;
                }
            }
        }
    }
    loop {
        let lost = leaving(&out);
        if lost.is_empty() {
            return out;
        }
        for v in lost {
            let v = &mut out.variables[v.0 as usize];
            (v.min, v.max) = (None, None);
        }
    }
}

/// By location: bounds of a step from there which another one has the opposite of, as where arithmetic wraps.
fn told_apart(t: &Template) -> BTreeSet<(Loc, Atom)> {
    let bounds = |e: &Edge| e.bounds.atoms().iter().map(|a| (e.from, a.clone())).collect::<Vec<_>>();
    let all: BTreeSet<(Loc, Atom)> = t.edges.iter().flat_map(bounds).collect();
    let opposite = |(l, a): &(Loc, Atom)| {
        let not = a.negate();
        not.iter().any(|n| matches!(n, Norm::Atom(n) if all.contains(&(*l, n.clone()))))
    };
    all.iter().filter(|x| opposite(x)).cloned().collect()
}

/// Variables that a step may bring out of their bounds.
fn leaving(p: &Program) -> BTreeSet<Var> {
    let mut out = BTreeSet::new();
    for e in p.templates.iter().flat_map(|t| &t.edges) {
        for u in &e.updates {
            if !out.contains(&u.0) && !keeps(p, e, u) {
                out.insert(u.0);
            }
        }
    }
    out
}

/// Is the new value within the bounds of the variable, where all old ones are?
fn keeps(p: &Program, e: &Edge, (v, value): &(Var, LinExpr)) -> bool {
    let x = &p.variables[v.0 as usize];
    let min = x.min.map(|min| Atom::le(&LinExpr::int(min).sub(value)));
    let max = x.max.map(|max| Atom::le(&value.sub(&LinExpr::int(max))));
    let wanted: Vec<Norm> = min.into_iter().chain(max).filter(|n| *n != Norm::True).collect();
    if wanted.is_empty() {
        return true;
    }
    let mut known = type_bounds(p, &e.guard.and(&e.bounds));
    for v in value.vars() {
        if let Some(x) = p.variables.get(v.0 as usize) {
            known = type_bounds_of(&known, v, x.min, x.max);
        }
    }
    wanted.iter().all(|n| match n {
        Norm::True => true,
        Norm::False => false,
        Norm::Atom(a) => known.entails_rational(a),
    })
}
