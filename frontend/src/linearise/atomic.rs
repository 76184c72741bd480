//! Atomic sections: the steps of each path through one are joined to one. Where there are loops inside, or too
//! many paths, a ghost tells all other threads to wait.

use super::case::{at_most, eq};
use crate::cfa;
use crate::program::{Ghost, Loc, Program, Scope, Variable};
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
    // In-edges, out-edges, and is there one from the location to itself?
    let mut count = vec![(0, 0, false); held.len()];
    for e in &template.edges {
        count[e.to.0 as usize].0 += 1;
        count[e.from.0 as usize].1 += 1;
        count[e.from.0 as usize].2 |= e.from == e.to;
    }
    let may_go = |v: &usize| {
        let (l, (ins, outs, loops)) = (&template.locations[*v], count[*v]);
        let kept = p.exclusive.as_ref().is_some_and(|x| l.labels.contains(x));
        held[*v] && !kept && !loops && l.error.is_none() && ins + outs > 0
    };
    let best = (0..held.len()).filter(may_go).min_by_key(|v| count[*v].0 * count[*v].1)?;
    let (ins, outs, _) = count[best];
    if ins * outs > ins + outs && template.edges.len() + ins * outs > MOST {
        return None;
    }
    let v = Loc(best as u32);
    let all = || template.edges.iter().enumerate();
    let ins = all().filter(|(_, e)| e.to == v).map(|(i, _)| i).collect();
    let outs = all().filter(|(_, e)| e.from == v).map(|(i, _)| i).collect();
    Some((v, ins, outs))
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
