//! Elements of arrays in a program of one thread: of each array the element that was accessed last is kept, by its address.
//!
//! Where the same element is read again, the value is the same; where another one is, it is any value, and that element is kept
//! from then on. Threads in lockstep read what they have in common one right after the other.

use crate::{Edge, Ghost, Program, Scope, Variable};
use relyant_linear::{Atom, Cube, LinExpr, Norm, Var};
use std::collections::{BTreeMap, BTreeSet};

/// Cases of one step, at most; in more, what it reads is any value, and what it accesses last is kept.
const CASES: usize = 27;

/// The program with the elements kept, and no accesses left.
pub fn kept(mut p: Program) -> Program {
    let edges = || p.templates.iter().flat_map(|t| &t.edges);
    let reads: BTreeSet<u32> =
        edges().flat_map(|e| &e.touches).filter(|t| !t.write).map(|t| t.array).collect();
    let mut variables = Vec::new();
    for array in &reads {
        for what in ["at", "value"] {
            let name = format!("{what}({array})");
            variables.push(Variable::ghost(name, Scope::Local(0), (None, None), Ghost::Other));
        }
    }
    let first = p.add_variables(variables).0;
    let places: BTreeMap<u32, (Var, Var)> =
        (0u32..).zip(&reads).map(|(k, a)| (*a, (Var(first + 2 * k), Var(first + 2 * k + 1)))).collect();
    for t in &mut p.templates {
        let edges = std::mem::take(&mut t.edges);
        t.edges = edges.into_iter().flat_map(|e| cases(e, &places)).collect();
    }
    p
}

/// A step under a condition, and what is kept of the arrays that it has accessed.
struct Case {
    when: Cube,
    kept: BTreeMap<u32, (LinExpr, LinExpr)>,
}

/// A step, by whether each element that it reads is the one that is kept.
fn cases(mut e: Edge, places: &BTreeMap<u32, (Var, Var)>) -> Vec<Edge> {
    let touches = std::mem::take(&mut e.touches);
    if touches.iter().all(|t| !places.contains_key(&t.array)) {
        return vec![e];
    }
    let mut cases = vec![Case { when: Cube::top(), kept: BTreeMap::new() }];
    for t in &touches {
        let Some((at, value)) = places.get(&t.array) else { continue };
        let mut next = Vec::new();
        for Case { when, kept } in cases {
            let before = kept.get(&t.array).cloned();
            let (at, value) = before.unwrap_or_else(|| (LinExpr::var(*at), LinExpr::var(*value)));
            let mut after = kept;
            after.insert(t.array, (t.at.clone(), t.value.clone()));
            if t.write {
                next.push(Case { when, kept: after });
                continue;
            }
            let distance = t.at.sub(&at);
            let one = LinExpr::int(1);
            let same = [Atom::eq(&distance), Atom::eq(&t.value.sub(&value))];
            let others = [Atom::le(&distance.add(&one)), Atom::le(&one.sub(&distance))];
            let conditions = std::iter::once(same.to_vec()).chain(others.into_iter().map(|n| vec![n]));
            for condition in conditions {
                let when = condition.into_iter().fold(when.clone(), |mut c, n: Norm| {
                    c.push(n);
                    c
                });
                if !when.is_bottom() {
                    next.push(Case { when, kept: after.clone() });
                }
            }
        }
        cases = next;
        if cases.len() > CASES {
            return vec![lost(e, &touches, places)];
        }
    }
    let made = |c: Case| {
        let mut e = Edge { guard: e.guard.and(&c.when), ..e.clone() };
        for (array, (at, value)) in c.kept {
            if let Some((a, v)) = places.get(&array) {
                e.updates.extend([(*a, at), (*v, value)]);
            }
        }
        e.updates.sort_by_key(|u| u.0);
        e
    };
    cases.into_iter().map(made).collect()
}

/// A step with too many cases: what it reads is any value, and of each array the element that it accesses last is kept.
fn lost(mut e: Edge, touches: &[crate::Touch], places: &BTreeMap<u32, (Var, Var)>) -> Edge {
    for t in touches {
        let Some((a, v)) = places.get(&t.array) else { continue };
        e.updates.retain(|u| u.0 != *a && u.0 != *v);
        e.updates.extend([(*a, t.at.clone()), (*v, t.value.clone())]);
    }
    e.updates.sort_by_key(|u| u.0);
    e
}
