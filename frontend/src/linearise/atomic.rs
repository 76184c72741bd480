//! Atomic sections: the steps of each path through one are joined to one. Where there are loops inside, or too
//! many paths, a ghost tells all other threads to wait.

use super::case::{at_most, eq};
use crate::cfa;
use crate::program::{Loc, Origin, Program, Scope, Variable};
use crate::reduce::compose::bypass;
use relyant_horn::linear::LinExpr;

/// Edges a template may get.
const MOST: usize = 600;

/// Joins atomic sections. `held`: by template and location, does nobody else move while a thread is there?
pub fn join_sections(p: &mut Program, held: Vec<Vec<bool>>) {
    let mut left = Vec::new();
    for (t, mut held) in held.into_iter().enumerate() {
        held.resize(p.templates[t].locations.len(), false);
        // A thread that has not begun holds nothing: its section begins with its first step.
        held[p.templates[t].entry.0 as usize] = false;
        while let Some((v, ins, outs)) = next(p, t, &held) {
            bypass(p, t, v, &ins, &outs, Vec::new());
            held[v.0 as usize] = false;
        }
        let used = |v: u32| p.templates[t].edges.iter().any(|e| e.from.0 == v || e.to.0 == v);
        left.push(held.iter().enumerate().map(|(v, h)| *h && used(v as u32)).collect::<Vec<bool>>());
    }
    if left.iter().flatten().any(|h| *h) {
        guard_with_ghost(p, &left);
    }
}

/// The location whose removal adds the fewest edges, with its in- and out-edges.
fn next(p: &Program, t: usize, held: &[bool]) -> Option<(Loc, Vec<usize>, Vec<usize>)> {
    let template = &p.templates[t];
    let mut best: Option<(usize, Loc, Vec<usize>, Vec<usize>)> = None;
    for v in (0..held.len()).filter(|v| held[*v]) {
        let l = &template.locations[v];
        let kept = p.exclusive.as_ref().is_some_and(|x| l.labels.contains(x));
        let v = Loc(v as u32);
        let of = |f: &dyn Fn(&crate::program::Edge) -> bool| -> Vec<usize> {
            template.edges.iter().enumerate().filter(|(_, e)| f(e)).map(|(i, _)| i).collect()
        };
        let (ins, outs) = (of(&|e| e.to == v), of(&|e| e.from == v));
        let unused = ins.is_empty() && outs.is_empty();
        if kept || unused || l.error.is_some() || ins.iter().any(|i| outs.contains(i)) {
            continue;
        }
        let n = ins.len() * outs.len();
        if template.edges.len() + n <= MOST && best.as_ref().is_none_or(|b| n < b.0) {
            best = Some((n, v, ins, outs));
        }
    }
    best.map(|(_, v, ins, outs)| (v, ins, outs))
}

/// Steps from elsewhere wait while the ghost is set; it is set on entering a held location and reset on leaving.
fn guard_with_ghost(p: &mut Program, held: &[Vec<bool>]) {
    let ghost = p.add_variables(vec![Variable {
        name: "atomic".into(),
        scope: Scope::Global,
        min: Some(0),
        max: Some(1),
        identity: false,
        origin: Origin::Ghost,
    }]);
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
