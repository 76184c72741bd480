//! Atomic sections: the steps of each path through one are joined to one. Where there are loops inside, or too
//! many paths, a ghost tells all other threads to wait.

use super::case::{at_most, eq};
use crate::edges::steps::Steps;
use crate::{Ghost, Loc, Program, Scope, Variable};
use relyant_cfa as cfa;
use relyant_linear::LinExpr;
use std::collections::BTreeSet;

/// Edges a template may get.
const MOST: usize = 600;

/// Joins atomic sections. `held`: by template and location, does nobody else move while a thread is there?
pub fn join_sections(p: &mut Program, held: Vec<Vec<bool>>) {
    let mut left = Vec::new();
    for (t, mut held) in held.into_iter().enumerate() {
        held.resize(p.templates[t].locations.len(), false);
        // A thread that has not begun holds nothing: its section begins with its first step.
        held[p.templates[t].entry.0 as usize] = false;
        let mut steps = Steps::take(p, t);
        let mut costs: Vec<_> = (0..held.len()).map(|v| cost(p, t, &steps, &held, v)).collect();
        let mut queue: BTreeSet<_> = (0..).zip(&costs).filter_map(|(v, c)| Some(((*c)?, v))).collect();
        // The location whose removal adds the fewest edges.
        while let Some(((all, ends), v)) = queue.pop_first() {
            if all > ends && steps.count() + all > MOST {
                break;
            }
            let at = Loc(v as u32);
            let near: Vec<_> = steps.ins(at).iter().map(|e| e.from).collect();
            let near: Vec<_> = near.into_iter().chain(steps.outs(at).iter().map(|e| e.to)).collect();
            steps.bypass(p, t, at, &[]);
            (held[v], costs[v]) = (false, None);
            for u in near.into_iter().map(|u| u.0 as usize) {
                if let Some(c) = costs[u] {
                    queue.remove(&(c, u));
                }
                costs[u] = cost(p, t, &steps, &held, u);
                queue.extend(costs[u].map(|c| (c, u)));
            }
        }
        let used = |v: usize| steps.degree(Loc(v as u32)) != (0, 0);
        left.push(held.iter().enumerate().map(|(v, h)| *h && used(v)).collect::<Vec<bool>>());
        steps.put(p, t);
    }
    if left.iter().flatten().any(|h| *h) {
        guard_with_ghost(p, &left);
    }
}

/// How many edges the removal of a held location adds, and how many it takes away; `None` if it must stay.
fn cost(p: &Program, t: usize, steps: &Steps, held: &[bool], v: usize) -> Option<(usize, usize)> {
    if !held[v] {
        return None;
    }
    let l = &p.templates[t].locations[v];
    let at = Loc(v as u32);
    let kept = p.exclusive.as_ref().is_some_and(|x| l.labels.contains(x));
    let (ins, outs) = steps.degree(at);
    let stays = kept || l.error.is_some() || ins + outs == 0 || steps.outs(at).iter().any(|e| e.to == at);
    (!stays).then_some((ins * outs, ins + outs))
}

/// Steps from elsewhere wait while the ghost is set; it is set on entering a held location and reset on leaving.
fn guard_with_ghost(p: &mut Program, held: &[Vec<bool>]) {
    let ghost = p.add_variables(vec![Variable::ghost(
        "atomic".into(),
        Scope::Global,
        (Some(0), Some(1)),
        Ghost::Other,
    )]);
    let value = LinExpr::var(ghost);
    p.init.push(eq(&value, &LinExpr::zero()));
    for (template, held) in p.templates.iter_mut().zip(held) {
        for e in &mut template.edges {
            let (from, to) = (held[e.from.0 as usize], held[e.to.0 as usize]);
            if !from {
                e.guard.push(at_most(&value, 0));
            }
            if from != to {
                e.updates.push((ghost, LinExpr::int(to as i128)));
                e.updates.sort_by_key(|u| u.0);
            }
        }
    }
}

/// Locations where nobody else moves.
pub fn held(t: &cfa::Template) -> Vec<bool> {
    t.graph.locations.iter().map(|l| l.atomic && l.kind == cfa::LocationKind::Normal).collect()
}
