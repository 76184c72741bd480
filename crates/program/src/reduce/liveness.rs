//! Drops updates of locals that nobody reads afterwards.

use crate::edges::order::Order;
use crate::{Program, Scope};
use relyant_cfa::sparse::Row;
use relyant_linear::Var;
use std::collections::BTreeSet;

/// By location of a template: its locals whose values are still read.
pub fn live(p: &Program, t: usize) -> Vec<BTreeSet<Var>> {
    live_rows(p, t).iter().map(|row| row.iter().map(Var).collect()).collect()
}

/// The same, by numbers of variables.
pub fn live_rows(p: &Program, t: usize) -> Vec<Row> {
    let template = &p.templates[t];
    let local = |v: u32| p.variables.get(v as usize).is_some_and(|x| x.scope == Scope::Local(t as u32));
    // A proof may speak of these anywhere.
    let given: Vec<u32> =
        (0..p.variables.len() as u32).filter(|v| local(*v) && p.is_given(Var(*v))).collect();
    let mut all = Row::default();
    given.iter().for_each(|v| all.insert(*v));
    let mut live = vec![all; template.locations.len()];
    let order = Order::new(template);
    let mut work = order.all();
    while let Some(l) = work.pop_last() {
        let l = order.location(l);
        for e in order.outs(l).map(|e| &template.edges[e]) {
            let after = &live[e.to.0 as usize];
            let mut before = after.clone();
            e.updates.iter().for_each(|(v, _)| before.remove(v.0));
            let needed = e.updates.iter().filter(|(v, _)| !local(v.0) || after.has(v.0));
            let values = needed.flat_map(|(_, x)| x.vars());
            for v in e.guard.vars().into_iter().chain(e.bounds.vars()).chain(values).chain(e.touched()) {
                if local(v.0) {
                    before.insert(v.0);
                }
            }
            given.iter().for_each(|v| before.insert(*v));
            if live[l.0 as usize].extend(&before) {
                work.extend(order.before(l));
            }
        }
    }
    live
}

/// Drops dead updates; was there one?
pub fn drop_dead_updates(p: &mut Program) -> bool {
    let mut any = false;
    for t in 0..p.templates.len() {
        let live = live_rows(p, t);
        let variables = &p.variables;
        for e in &mut p.templates[t].edges {
            let n = e.updates.len();
            let after = &live[e.to.0 as usize];
            e.updates.retain(|(v, _)| variables[v.0 as usize].scope == Scope::Global || after.has(v.0));
            any |= e.updates.len() < n;
        }
    }
    any
}
