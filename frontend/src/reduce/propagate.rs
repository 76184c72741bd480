//! Locals that are known where a thread is: a constant, or another local and a constant.

use super::constants::fixed;
use crate::program::{Edge, Program, Scope};
use relyant_horn::linear::{LinExpr, Rel, Var};
use std::collections::BTreeMap;

/// What locals are equal to.
type Known = BTreeMap<Var, LinExpr>;

/// Replaces locals by what they are known to be; was there anything to replace?
pub fn propagate(p: &mut Program) -> bool {
    let mut any = false;
    for t in 0..p.templates.len() {
        let known = known(p, t);
        for e in &mut p.templates[t].edges {
            let Some(known) = &known[e.from.0 as usize] else { continue };
            if !e.reads().iter().any(|v| known.contains_key(v)) {
                continue;
            }
            let f = |v: Var| known.get(&v).cloned();
            (e.guard, e.bounds) = (e.guard.subst(f), e.bounds.subst(f));
            for (_, x) in &mut e.updates {
                *x = x.subst(f);
            }
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
    let live = super::liveness::live(p, t);
    let mut entry = Known::new();
    for (v, value) in p.init.atoms().iter().filter_map(fixed).filter(|(v, _)| local(*v)) {
        entry.insert(v, LinExpr::constant(value));
    }
    let mut at: Vec<Option<Known>> = vec![None; template.locations.len()];
    at[template.entry.0 as usize] = Some(entry);
    loop {
        let mut changed = false;
        for e in &template.edges {
            let Some(before) = &at[e.from.0 as usize] else { continue };
            let mut after = after(e, before, &local);
            after.retain(|v, _| live[e.to.0 as usize].contains(v));
            let to = &mut at[e.to.0 as usize];
            let new = match &to {
                None => after,
                Some(old) => old
                    .iter()
                    .filter(|(v, x)| after.get(v) == Some(x))
                    .map(|(v, x)| (*v, x.clone()))
                    .collect(),
            };
            if to.as_ref() != Some(&new) {
                *to = Some(new);
                changed = true;
            }
        }
        if !changed {
            return at;
        }
    }
}

fn after(e: &Edge, before: &Known, local: &dyn Fn(Var) -> bool) -> Known {
    let written = |v: Var| e.after(v).is_some();
    let mut out: Known = before
        .iter()
        .filter(|(v, x)| !written(**v) && !x.vars().any(written))
        .map(|(v, x)| (*v, x.clone()))
        .collect();
    let mut values: Vec<(&LinExpr, Var)> = Vec::new();
    for (v, x) in e.updates.iter().filter(|u| local(u.0)) {
        let simple = match x.terms() {
            [] => true,
            [(w, c)] => c.is_one() && local(*w) && !written(*w),
            _ => false,
        };
        if simple {
            out.insert(*v, x.clone());
        } else if let Some((_, first)) = values.iter().find(|(y, _)| *y == x) {
            out.insert(*v, LinExpr::var(*first));
        } else {
            values.push((x, *v));
        }
    }
    // A test for equality with a constant tells as much.
    for a in e.guard.atoms().iter().filter(|a| a.rel() == Rel::Eq) {
        if let [(v, c)] = a.expr().terms()
            && local(*v)
            && !written(*v)
        {
            out.entry(*v).or_insert_with(|| LinExpr::constant(&-a.expr().constant_part() / c));
        }
    }
    // Chains lead to their end, so that no value is given through one that is replaced itself.
    let through = |v: Var| out.get(&v).cloned();
    out.iter().map(|(v, x)| (*v, x.subst(through))).collect()
}
