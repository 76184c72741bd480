//! Two steps in a row as one, and locations that disappear because of it.
//!
//! A step that neither reads what others change nor writes what others see can be done right after the step
//! before it, or just before the step after it, whatever the others do. A location all of whose out-edges (or all
//! of whose in-edges) are such steps disappears: each in-edge is joined with each out-edge.

use crate::edges::access::Access;
use crate::edges::bounds::feasible;
use crate::edges::inputs::without_inputs;
use crate::edges::steps::Steps;
use crate::{Edge, Loc, Program};
use relyant_linear::Cube;

/// A location may disappear if it leaves at most this many edges more.
const GROWTH: usize = 8;

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
    let mut steps = Steps::take(p, t);
    for rule in [after, before] {
        loop {
            let mut changed = false;
            // Backwards: an input is joined with the tests of it before both are joined with what comes earlier.
            for v in (0..p.templates[t].locations.len()).rev().map(|v| Loc(v as u32)) {
                if may_disappear(p, t, &steps, v)
                    && let Some(stays) = rule(p, t, &steps, v, access)
                {
                    steps.bypass(p, t, v, &stays);
                    changed = true;
                }
            }
            if !changed {
                break;
            }
            any = true;
        }
    }
    steps.put(p, t);
    any
}

/// May a location disappear, and would it leave few enough edges?
fn may_disappear(p: &Program, t: usize, steps: &Steps, v: Loc) -> bool {
    let template = &p.templates[t];
    let l = &template.locations[v];
    let kept = p.exclusive.as_ref().is_some_and(|x| l.labels.contains(x));
    let (ins, outs) = (steps.ins(v), steps.outs(v));
    let (n, m) = (ins.len(), outs.len());
    let few = n > 0 && m > 0 && n * m <= n + m + GROWTH;
    few && v != template.entry && l.error.is_none() && !kept && outs.iter().all(|e| e.to != v)
}

/// May the out-edges of a location be joined to the steps before it, since others cannot tell when they happen? The
/// conditions under which a step before it stays.
fn after(p: &Program, t: usize, steps: &Steps, v: Loc, access: &Access) -> Option<Vec<Cube>> {
    let outs = steps.outs(v);
    if !outs.iter().all(|e| access.unseen(t, e)) {
        return None;
    }
    // Where no out-edge may be taken the thread stays; if others saw it come, it must be able to come.
    if !steps.ins(v).iter().any(|e| access.writes(t, e)) {
        return Some(Vec::new());
    }
    match uncovered(p, &outs) {
        Some(rest) if rest.len() <= 1 => Some(rest),
        // One step that may stop here always is as good as several that do where they must.
        _ => Some(vec![Cube::top()]),
    }
}

/// May the in-edges of a location be joined to the steps after it?
fn before(p: &Program, t: usize, steps: &Steps, v: Loc, access: &Access) -> Option<Vec<Cube>> {
    steps.ins(v).iter().all(|e| access.can_wait(p, t, e)).then(Vec::new)
}
