//! Drops impossible and repeated edges, conditions that others imply, and locations that are never reached.

use crate::edges::bounds::feasible;
use crate::edges::bounds::only;
use crate::edges::order::Order;
use crate::{Edge, Loc, Program};
use relyant_linear::Cube;
use rustc_hash::{FxHashMap, FxHashSet};

/// Larger conditions are left as they are.
const ATOMS: usize = 12;

/// Conditions and bounds of steps that were found tidy before: most stay as they are from pass to pass.
#[derive(Default)]
pub struct Tidied {
    /// The variables' bounds, under which they are.
    types: Vec<(Option<i128>, Option<i128>)>,
    steps: FxHashSet<(Cube, Cube)>,
}

impl Tidied {
    fn renew(&mut self, p: &Program) {
        let types = p.variables.iter().map(|v| (v.min, v.max));
        if !types.clone().eq(self.types.iter().copied()) {
            *self = Tidied { types: types.collect(), steps: FxHashSet::default() };
        }
    }
}

/// Tidies all edges; the number of edges and atoms left out.
pub fn tidy_edges(p: &mut Program, tidied: &mut Tidied) -> usize {
    crate::edges::inputs::tidy_inputs(p);
    tidied.renew(p);
    let mut dropped = 0;
    for t in 0..p.templates.len() {
        let mut kept: Vec<Edge> = Vec::new();
        let mut between: FxHashMap<(Loc, Loc), Vec<usize>> = FxHashMap::default();
        for mut e in std::mem::take(&mut p.templates[t].edges) {
            let before = (e.guard.clone(), e.bounds.clone());
            let known = tidied.steps.contains(&before);
            let all = e.guard.and(&e.bounds);
            if !(known || feasible(p, &all))
                || (e.from == e.to && e.updates.is_empty() && !e.writes_element())
            {
                dropped += 1;
                continue;
            }
            if all.atoms().len() <= ATOMS && !known {
                simplify(&mut e);
            }
            dropped += all.atoms().len().saturating_sub(e.guard.atoms().len() + e.bounds.atoms().len());
            if (&e.guard, &e.bounds) == (&before.0, &before.1) && !known {
                tidied.steps.insert(before);
            }
            // One that says the same: the exact one, then the shorter path.
            let same = |k: &Edge| {
                (&k.guard, &k.bounds, &k.updates, &k.touches) == (&e.guard, &e.bounds, &e.updates, &e.touches)
            };
            let beside = between.entry((e.from, e.to)).or_default();
            match beside.iter().find(|k| same(&kept[**k])) {
                Some(k) => {
                    let k = &mut kept[*k];
                    if (!e.exact, e.path.len()) < (!k.exact, k.path.len()) {
                        *k = e;
                    }
                    dropped += 1;
                }
                None => {
                    beside.push(kept.len());
                    kept.push(e);
                }
            }
        }
        dropped += merge_complements(p, &mut kept, between.into_values());
        p.templates[t].edges = kept;
    }
    dropped
}

/// Drops atoms that the others imply: bounds first.
fn simplify(e: &mut Edge) {
    for of_bounds in [true, false] {
        let mut i = 0;
        loop {
            let list = if of_bounds { &e.bounds } else { &e.guard };
            let Some(a) = list.atoms().get(i).cloned() else { break };
            let rest = only(list, |b| *b != a);
            let context = if of_bounds { e.guard.and(&rest) } else { rest.clone() };
            if context.entails_rational(&a) {
                *(if of_bounds { &mut e.bounds } else { &mut e.guard }) = rest;
            } else {
                i += 1;
            }
        }
    }
}

/// Two edges that differ in one atom of the guard, and one of them holds always: one edge. `between`: edges, in order,
/// that have both ends in common.
fn merge_complements(p: &Program, edges: &mut Vec<Edge>, between: impl Iterator<Item = Vec<usize>>) -> usize {
    let mut gone = vec![false; edges.len()];
    for mut list in between {
        let mut n = 0;
        while n < list.len() {
            let i = list[n];
            let merged = (n + 1..list.len()).find_map(|m| {
                let common = complement(p, &edges[i], &edges[list[m]])?;
                Some((m, common))
            });
            match merged {
                Some((m, common)) => {
                    let j = list.remove(m);
                    edges[i].guard = common;
                    edges[i].exact &= edges[j].exact;
                    gone[j] = true;
                }
                None => n += 1,
            }
        }
    }
    let dropped = gone.iter().filter(|g| **g).count();
    let mut at = 0;
    edges.retain(|_| {
        at += 1;
        !gone[at - 1]
    });
    dropped
}

/// What two edges with the same ends have in common in their conditions, if they differ in one atom of the guard, and
/// one of them holds always.
fn complement(p: &Program, a: &Edge, b: &Edge) -> Option<Cube> {
    let base = p.variables.len() as u32;
    if (&a.updates, &a.bounds, &a.inputs, &a.touches) != (&b.updates, &b.bounds, &b.inputs, &b.touches) {
        return None;
    }
    // Only where the steps differ in the condition alone: replay takes either by its path.
    let common = only(&a.guard, |x| b.guard.atoms().contains(x));
    let (x, y) =
        (only(&a.guard, |x| !common.atoms().contains(x)), only(&b.guard, |x| !common.atoms().contains(x)));
    let ([x], [y]) = (x.atoms(), y.atoms()) else { return None };
    if a.path != b.path || x.vars().chain(y.vars()).any(|v| v.0 >= base) {
        return None;
    }
    let outside = x
        .negate()
        .into_iter()
        .all(|n| y.negate().into_iter().all(|m| !feasible(p, &Cube::of([n.clone(), m]).and(&common))));
    outside.then_some(common)
}

/// Drops locations that cannot be reached from the entry, with their edges.
pub fn drop_unreachable(p: &mut Program) {
    for t in &mut p.templates {
        let order = Order::new(t);
        let mut seen = vec![false; t.locations.len()];
        let mut work = vec![t.entry];
        while let Some(l) = work.pop() {
            if !std::mem::replace(&mut seen[l.0 as usize], true) {
                work.extend(order.outs(l).map(|e| t.edges[e].to));
            }
        }
        let mut new = Vec::new();
        let mut n = 0;
        for s in &seen {
            new.push(Loc(n));
            n += *s as u32;
        }
        t.edges.retain(|e| seen[e.from.0 as usize]);
        for e in &mut t.edges {
            (e.from, e.to) = (new[e.from.0 as usize], new[e.to.0 as usize]);
        }
        t.entry = new[t.entry.0 as usize];
        let mut i = 0;
        t.locations.retain(|_| {
            i += 1;
            seen[i - 1]
        });
    }
}
