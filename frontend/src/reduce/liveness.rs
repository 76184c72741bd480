//! Drops updates of locals that nobody reads afterwards.

use crate::program::{Program, Scope};
use relyant_horn::linear::Var;
use std::collections::BTreeSet;

/// By location of a template: its locals whose values are still read.
pub fn live(p: &Program, t: usize) -> Vec<BTreeSet<Var>> {
    let template = &p.templates[t];
    let local = |v: &Var| p.variables.get(v.0 as usize).is_some_and(|x| x.scope == Scope::Local(t as u32));
    let mut live = vec![BTreeSet::new(); template.locations.len()];
    loop {
        let mut changed = false;
        for e in template.edges.iter().rev() {
            let after: BTreeSet<Var> = live[e.to.0 as usize].clone();
            let mut before: BTreeSet<Var> = e.guard.vars().into_iter().chain(e.bounds.vars()).collect();
            for (v, x) in &e.updates {
                if !local(v) || after.contains(v) {
                    before.extend(x.vars());
                }
            }
            before.extend(after.into_iter().filter(|v| e.after(*v).is_none()));
            let from = &mut live[e.from.0 as usize];
            for v in before.into_iter().filter(|v| local(v)) {
                changed |= from.insert(v);
            }
        }
        if !changed {
            return live;
        }
    }
}

/// Drops dead updates; was there one?
pub fn drop_dead_updates(p: &mut Program) -> bool {
    let mut any = false;
    for t in 0..p.templates.len() {
        let live = live(p, t);
        let variables = &p.variables;
        for e in &mut p.templates[t].edges {
            let n = e.updates.len();
            let after = &live[e.to.0 as usize];
            e.updates.retain(|(v, _)| variables[v.0 as usize].scope == Scope::Global || after.contains(v));
            any |= e.updates.len() < n;
        }
    }
    any
}
