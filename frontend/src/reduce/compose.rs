//! Two steps in a row as one, and locations that disappear because of it.
//!
//! A step that neither reads what others change nor writes what others see can be done right after the step
//! before it, or just before the step after it, whatever the others do. A location all of whose out-edges (or all
//! of whose in-edges) are such steps disappears: each in-edge is joined with each out-edge.

use super::access::Access;
use super::feasible;
use super::inputs::without_inputs;
use crate::program::{Edge, Input, Loc, Location, Program};
use relyant_horn::linear::{Cube, LinExpr, Norm, Var};

/// A location may disappear if it leaves at most this many edges more.
const GROWTH: usize = 8;

/// The step `a` and then `b`.
pub fn join(p: &Program, a: &Edge, b: &Edge) -> Edge {
    let base = p.variables.len() as u32;
    let visible = a.reads().into_iter().chain(a.updates.iter().map(|u| u.0)).any(|v| p.is_global(v));
    let shift = a.inputs.len() as u32;
    let moved = |v: Var| if v.0 >= base { Var(v.0 + shift) } else { v };
    let through = |v: Var| a.after(v).cloned();
    let steps = a.path.len() as u32;
    let later = |i: &Input| match *i {
        Input::Havoc(k) => Input::Havoc(k + steps),
        Input::Chosen(k, value) => Input::Chosen(k + steps, value),
        Input::Auxiliary => Input::Auxiliary,
    };
    let mut updates: Vec<(Var, LinExpr)> =
        b.updates.iter().map(|(v, e)| (*v, e.rename(moved).subst(through))).collect();
    updates.extend(a.updates.iter().filter(|(v, _)| b.after(*v).is_none()).cloned());
    updates.sort_by_key(|u| u.0);
    updates.retain(|(v, e)| *e != LinExpr::var(*v));
    Edge {
        from: a.from,
        to: b.to,
        inputs: a.inputs.iter().copied().chain(b.inputs.iter().map(later)).collect(),
        guard: a.guard.and(&b.guard.rename(moved).subst(through)),
        bounds: a.bounds.and(&b.bounds.rename(moved).subst(through)),
        updates,
        path: a.path.iter().chain(&b.path).copied().collect(),
        span: if visible || a.path.is_empty() && b.path.is_empty() { a.span } else { b.span },
        exact: a.exact && b.exact,
    }
}

/// What a cube leaves uncovered of the cubes of some steps, `None` if that is hard to say.
fn uncovered(p: &Program, outs: &[&Edge]) -> Option<Vec<Cube>> {
    let base = p.variables.len() as u32;
    let mut rest = vec![Cube::top()];
    for e in outs {
        let covered = without_inputs(&e.guard.and(&e.bounds), base)?;
        let mut next: Vec<Cube> = Vec::new();
        for r in &rest {
            if covered.is_bottom() {
                next.push(r.clone());
            }
            for a in covered.atoms() {
                for n in a.negate() {
                    let mut c = r.clone();
                    c.push(n);
                    if !next.contains(&c) && feasible(p, &c) {
                        next.push(c);
                    }
                }
            }
        }
        if next.len() > 8 {
            return None;
        }
        rest = next;
    }
    Some(rest)
}

/// Removes locations of a template as long as any can be; was there one?
pub fn compose(p: &mut Program, t: usize, access: &Access) -> bool {
    let mut any = false;
    for rule in [after, before] {
        loop {
            let mut changed = false;
            // Backwards: an input is joined with the tests of it before both are joined with what comes earlier.
            for v in (0..p.templates[t].locations.len()).rev() {
                changed |= rule(p, t, Loc(v as u32), access);
            }
            if !changed {
                break;
            }
            any = true;
        }
    }
    any
}

/// In- and out-edges of a location that may disappear.
fn around(p: &Program, t: usize, v: Loc) -> Option<(Vec<usize>, Vec<usize>)> {
    let template = &p.templates[t];
    let l = &template.locations[v.0 as usize];
    let kept = p.exclusive.as_ref().is_some_and(|x| l.labels.contains(x));
    if v == template.entry || l.error.is_some() || kept {
        return None;
    }
    let (mut ins, mut outs) = (Vec::new(), Vec::new());
    for (i, e) in template.edges.iter().enumerate() {
        match (e.from == v, e.to == v) {
            (true, true) => return None,
            (true, _) => outs.push(i),
            (_, true) => ins.push(i),
            _ => {}
        }
    }
    let (n, m) = (ins.len(), outs.len());
    (n > 0 && m > 0 && n * m <= n + m + GROWTH).then_some((ins, outs))
}

/// Joins the out-edges of a location to the steps before it, if others cannot tell when they happen.
fn after(p: &mut Program, t: usize, v: Loc, access: &Access) -> bool {
    let Some((ins, outs)) = around(p, t, v) else { return false };
    let edges = &p.templates[t].edges;
    if !outs.iter().all(|o| access.unseen(t, &edges[*o])) {
        return false;
    }
    // Where no out-edge may be taken the thread stays; if others saw it come, it must be able to come.
    let mut stays = Vec::new();
    if ins.iter().any(|i| access.writes(t, &edges[*i])) {
        let outs: Vec<&Edge> = outs.iter().map(|o| &edges[*o]).collect();
        match uncovered(p, &outs) {
            Some(rest) if rest.len() <= 1 => stays = rest,
            // One step that may stop here always is as good as several that do where they must.
            _ => stays = vec![Cube::top()],
        }
    }
    bypass(p, t, v, &ins, &outs, stays);
    true
}

/// Joins the in-edges of a location to the steps after it.
fn before(p: &mut Program, t: usize, v: Loc, access: &Access) -> bool {
    let Some((ins, outs)) = around(p, t, v) else { return false };
    let edges = &p.templates[t].edges;
    if !ins.iter().all(|i| access.can_wait(t, &edges[*i])) {
        return false;
    }
    bypass(p, t, v, &ins, &outs, Vec::new());
    true
}

/// Joins each in-edge of a location with each out-edge, and leaves both out. `stays`: conditions under which an
/// in-edge is kept, leading to a location without out-edges.
pub fn bypass(p: &mut Program, t: usize, v: Loc, ins: &[usize], outs: &[usize], stays: Vec<Cube>) {
    let edges = &p.templates[t].edges;
    let mut joined = Vec::new();
    for i in ins {
        for o in outs {
            let e = join(p, &edges[*i], &edges[*o]);
            if feasible(p, &e.guard.and(&e.bounds)) {
                joined.push((*i, e));
            }
        }
    }
    let mut dead = None;
    for i in ins {
        for s in &stays {
            let a = &edges[*i];
            let rest = s.subst(|v| a.after(v).cloned());
            let e = Edge { bounds: a.bounds.and(&rest), ..a.clone() };
            if feasible(p, &e.guard.and(&e.bounds)) {
                let to = *dead.get_or_insert(Loc(p.templates[t].locations.len() as u32));
                joined.push((*i, Edge { to, ..e }));
            }
        }
    }
    let template = &mut p.templates[t];
    if dead.is_some() {
        let l = template.locations[v.0 as usize].clone();
        template.locations.push(Location { labels: Vec::new(), error: None, ..l });
    }
    let old = std::mem::take(&mut template.edges);
    for (k, e) in old.into_iter().enumerate() {
        // New edges take the place of the in-edge, so that edges stay in source order.
        template.edges.extend(joined.iter().filter(|(i, _)| *i == k).map(|(_, e)| e.clone()));
        if !ins.contains(&k) && !outs.contains(&k) {
            template.edges.push(e);
        }
    }
}

/// The conjunction of the atoms of a cube that satisfy a condition.
pub fn only(c: &Cube, keep: impl Fn(&relyant_horn::linear::Atom) -> bool) -> Cube {
    if c.is_bottom() {
        return Cube::bottom();
    }
    Cube::of(c.atoms().iter().filter(|a| keep(a)).map(|a| Norm::Atom(a.clone())))
}
