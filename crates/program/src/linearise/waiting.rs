//! How many threads of a template have been created and have not begun.
//!
//! A template of any number of threads has a flag for that in the thread program: once one was created, any number may begin,
//! and abstractions stay finite. What counts threads has to be shown of the exact program, which is made here, and goes back
//! to the other one by forgetting the numbers.

use super::case::{at_least, eq};
use crate::edges::bounds::only;
use crate::{Ghost, Program, Scope, Variable};
use relyant_cfa as cfa;
use relyant_cfa::{Count, Op};
use relyant_linear::{LinExpr, Var};
use std::collections::BTreeMap;

/// Adds the numbers, of templates of which there may be several threads, none at the start. No thread begins before it was created.
/// A creation that fails counts, so the numbers are at least the real ones. The program has not been reduced; every thread of
/// `of` is one that is created (it is not approximate).
pub fn add_waiting(p: &mut Program, of: &cfa::Program) -> BTreeMap<usize, Var> {
    let several = |t: &usize| {
        !matches!(p.templates[*t].count, Count::AtMost(0 | 1))
            && of.templates.get(*t).is_some_and(|s| !s.initial)
    };
    let templates: Vec<usize> = (0..p.templates.len()).filter(several).collect();
    let variable = |t: &usize| {
        let name = format!("waiting({})", p.templates[*t].name);
        Variable::ghost(name, Scope::Global, (Some(0), None), Ghost::Other)
    };
    let first = p.add_variables(templates.iter().map(variable).collect());
    let numbers: BTreeMap<usize, Var> = templates.into_iter().zip((first.0..).map(Var)).collect();
    for (t, template) in p.templates.iter_mut().enumerate() {
        for e in &mut template.edges {
            for (u, v) in &numbers {
                let begins = t == *u && e.from == template.entry;
                let value = LinExpr::var(*v);
                if begins {
                    e.guard.push(at_least(&value, 1));
                }
                let more = creations(of, t, &e.path, *u) as i128 - i128::from(begins);
                if more != 0 {
                    e.updates.push((*v, value.add(&LinExpr::int(more))));
                }
            }
            e.updates.sort_by_key(|u| u.0);
        }
    }
    numbers.values().for_each(|v| p.init.push(eq(&LinExpr::var(*v), &LinExpr::zero())));
    numbers
}

/// How many threads of a template the steps of another one create.
pub fn creations(of: &cfa::Program, t: usize, path: &[u32], template: usize) -> usize {
    let creates = |k: &&u32| {
        let op = of.templates.get(t).and_then(|s| s.graph.edges.get(**k as usize)).map(|e| &e.op);
        matches!(op, Some(Op::Create { template: Some(u), .. }) if *u as usize == template)
    };
    path.iter().filter(creates).count()
}

/// Forgets the numbers: threads may begin before they were created.
pub fn drop_waiting(p: &mut Program, numbers: &BTreeMap<usize, Var>) {
    let keep: Vec<bool> =
        (0..p.variables.len() as u32).map(|v| !numbers.values().any(|n| n.0 == v)).collect();
    let kept = |v: Var| keep.get(v.0 as usize).is_none_or(|k| *k);
    for e in p.templates.iter_mut().flat_map(|t| &mut t.edges) {
        e.guard = only(&e.guard, |a| a.vars().all(kept));
        e.updates.retain(|u| kept(u.0));
    }
    p.init = only(&p.init, |a| a.vars().all(kept));
    p.keep_variables(&keep);
}
