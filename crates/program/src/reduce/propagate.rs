//! Locals that are known where a thread is: a constant, or another local and a constant.

use crate::edges::order::Order;
use crate::reduce::constants::fixed;
use crate::{Edge, Program, Scope};
use relyant_cfa::sparse::{Map, Row};
use relyant_linear::{LinExpr, Rel, Var};
use std::collections::BTreeSet;

/// What locals are equal to.
#[derive(Clone, PartialEq, Eq, Default)]
struct Known {
    /// By number of the local: what it is equal to; not listed: nothing is known.
    values: Map<LinExpr>,
    /// All locals that values mention, perhaps more.
    sources: Row,
}

impl Known {
    fn get(&self, v: Var) -> Option<LinExpr> {
        self.values.get(v.0).cloned()
    }
    fn insert(&mut self, v: Var, x: LinExpr) {
        x.vars().for_each(|w| self.sources.insert(w.0));
        self.values.insert(v.0, x);
    }
    /// Forgets a local that is written, and what is given through it.
    fn forget(&mut self, v: Var) {
        self.values.remove(v.0);
        for w in self.given_through(v) {
            self.values.remove(w.0);
        }
        self.sources.remove(v.0);
    }
    fn given_through(&self, v: Var) -> Vec<Var> {
        if !self.sources.has(v.0) {
            return Vec::new();
        }
        self.values.iter().filter(|(_, x)| !x.coeff(v).is_zero()).map(|(w, _)| Var(w)).collect()
    }
    /// Keeps what another knows too; was that less?
    fn meet(&mut self, other: &Known) -> bool {
        let lost: Vec<u32> = self.values.differing(&other.values).map(|d| d.0).collect();
        lost.iter().for_each(|v| self.values.remove(*v));
        !lost.is_empty()
    }
}

/// Replaces locals by what they are known to be; was there anything to replace?
pub fn propagate(p: &mut Program) -> bool {
    let mut any = false;
    for t in 0..p.templates.len() {
        let known = known(p, t);
        for e in &mut p.templates[t].edges {
            let Some(known) = &known[e.from.0 as usize] else { continue };
            if !e.reads().iter().any(|v| known.values.get(v.0).is_some()) {
                continue;
            }
            e.substitute(|v: Var| known.get(v));
            e.updates.retain(|(v, x)| *x != LinExpr::var(*v));
            any = true;
        }
    }
    any
}

/// By location; `None` where a thread never is.
fn known(p: &Program, t: usize) -> Vec<Option<Known>> {
    let template = &p.templates[t];
    let local = |v: Var| {
        p.variables.get(v.0 as usize).is_some_and(|x| x.scope == Scope::Local(t as u32) && !x.identity)
    };
    // What nobody reads any more need not be known.
    let live = crate::reduce::liveness::live_rows(p, t);
    let mut entry = Known::default();
    for (v, value) in p.init.atoms().iter().filter_map(fixed).filter(|(v, _)| local(*v)) {
        entry.insert(v, LinExpr::constant(value));
    }
    let mut at: Vec<Option<Known>> = vec![None; template.locations.len()];
    at[template.entry.0 as usize] = Some(entry);
    let order = Order::new(template);
    let mut work = BTreeSet::from([order.number(template.entry)]);
    while let Some(l) = work.pop_first() {
        let l = order.location(l);
        for e in order.outs(l).map(|e| &template.edges[e]) {
            let Some(before) = &at[l.0 as usize] else { continue };
            let mut after = after(e, before, &local);
            after.values.keep(&live[e.to.0 as usize]);
            let to = &mut at[e.to.0 as usize];
            let changed = match to {
                None => {
                    *to = Some(after);
                    true
                }
                Some(old) => old.meet(&after),
            };
            if changed {
                work.insert(order.number(e.to));
            }
        }
    }
    at
}

fn after(e: &Edge, before: &Known, local: &dyn Fn(Var) -> bool) -> Known {
    let written = |v: Var| e.after(v).is_some();
    let mut out = before.clone();
    e.updates.iter().for_each(|u| out.forget(u.0));
    // A test for equality with a constant tells as much. What was given through the local is that constant too: no
    // value is given through one that is replaced itself.
    for a in e.guard.atoms().iter().filter(|a| a.rel() == Rel::Eq) {
        if let [(v, c)] = a.expr().terms()
            && local(*v)
            && !written(*v)
            && out.get(*v).is_none()
        {
            let value = LinExpr::constant(&-a.expr().constant_part() / c);
            for w in out.given_through(*v) {
                let x = out.get(w).map(|x| x.subst(|u| (u == *v).then(|| value.clone())));
                x.into_iter().for_each(|x| out.insert(w, x));
            }
            out.insert(*v, value);
        }
    }
    let mut values: Vec<(&LinExpr, Var)> = Vec::new();
    for (v, x) in e.updates.iter().filter(|u| local(u.0)) {
        let simple = match x.terms() {
            [] => true,
            [(w, c)] => c.is_one() && local(*w) && !written(*w),
            _ => false,
        };
        if simple {
            // Through what is known of the other, which this step does not write.
            let value = x.subst(|w| out.get(w));
            out.insert(*v, value);
        } else if let Some((_, first)) = values.iter().find(|(y, _)| *y == x) {
            out.insert(*v, LinExpr::var(*first));
        } else {
            values.push((x, *v));
        }
    }
    out
}
