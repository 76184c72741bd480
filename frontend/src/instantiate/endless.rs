//! Threads that never end, because each waits for another of their kind to end first.
//!
//! A set of templates whose threads end only after they have joined a thread of the set: the first of these threads
//! to end would have joined one that ended before. The largest such set is taken, and joins of its threads are no way
//! on. A handle is followed through registers only.

use super::simplify;
use relyant_cfa::sparse::Map;
use relyant_cfa::walk;
use relyant_cfa::{Expr, LocationKind, Op, Template};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Templates whose thread a register's handle may be of; a register that is not there holds anything.
type Handles = Map<Created>;
/// Templates of the threads that a handle may be of.
type Created = Rc<BTreeSet<u32>>;

/// Removes joins that never end.
pub(super) fn remove_joins(templates: &mut [Template]) {
    if !templates.iter().all(|t| t.procedures.is_empty()) {
        return;
    }
    let joined: Vec<BTreeMap<usize, BTreeSet<u32>>> = templates.iter().map(joins).collect();
    let mut endless: BTreeSet<u32> = (0..templates.len() as u32).collect();
    let waits = |endless: &BTreeSet<u32>, t: usize, edge: usize| {
        joined[t].get(&edge).is_some_and(|of| of.is_subset(endless))
    };
    loop {
        let before = endless.len();
        for (t, template) in templates.iter().enumerate() {
            if ends(template, |edge| waits(&endless, t, edge)) {
                endless.remove(&(t as u32));
            }
        }
        if endless.len() == before {
            break;
        }
    }
    for (t, template) in templates.iter_mut().enumerate() {
        let all = template.graph.edges.len();
        let mut index = 0;
        template.graph.edges.retain(|_| {
            index += 1;
            !waits(&endless, t, index - 1)
        });
        if template.graph.edges.len() != all {
            simplify::prune(&mut template.graph, &mut template.entry);
        }
    }
}

/// Can a thread of the template end without the joins?
fn ends(t: &Template, without: impl Fn(usize) -> bool) -> bool {
    let out = t.graph.out_edges();
    let mut seen = vec![false; t.graph.locations.len()];
    seen[t.entry.0 as usize] = true;
    let mut work = vec![t.entry];
    while let Some(l) = work.pop() {
        for &e in &out[l.0 as usize] {
            let edge = &t.graph.edges[e];
            let to = edge.to.0 as usize;
            // The end of the program is none of the thread's: nobody joins it afterwards.
            if without(e) || edge.op == Op::Halt {
                continue;
            }
            if t.graph.locations[to].kind == LocationKind::End {
                return true;
            }
            if !std::mem::replace(&mut seen[to], true) {
                work.push(edge.to);
            }
        }
    }
    false
}

/// For each join of a known thread, the templates it may be of.
fn joins(t: &Template) -> BTreeMap<usize, BTreeSet<u32>> {
    let out = t.graph.out_edges();
    let mut at: Vec<Option<Handles>> = vec![None; t.graph.locations.len()];
    at[t.entry.0 as usize] = Some(Handles::default());
    let mut work = vec![t.entry];
    while let Some(l) = work.pop() {
        let Some(here) = at[l.0 as usize].clone() else { continue };
        for &e in &out[l.0 as usize] {
            let edge = &t.graph.edges[e];
            let after = step(&here, &edge.op);
            let target = &mut at[edge.to.0 as usize];
            let changed = match target {
                None => {
                    *target = Some(after);
                    true
                }
                Some(old) => merge(old, &after),
            };
            if changed {
                work.push(edge.to);
            }
        }
    }
    let mut found = BTreeMap::new();
    for (i, edge) in t.graph.edges.iter().enumerate() {
        let (Op::Join { handle: Expr::Reg(r), .. }, Some(here)) = (&edge.op, &at[edge.from.0 as usize])
        else {
            continue;
        };
        if let Some(of) = here.get(r.0) {
            found.insert(i, BTreeSet::clone(of));
        }
    }
    found
}

fn step(here: &Handles, op: &Op) -> Handles {
    let mut after = here.clone();
    if let Some(r) = walk::writes(op) {
        after.remove(r.0);
    }
    match op {
        Op::Create { handle, template: Some(u), .. } => {
            after.insert(handle.0, Rc::new(BTreeSet::from([*u])));
        }
        Op::Assign(r, Expr::Reg(from)) => {
            if let Some(of) = here.get(from.0) {
                after.insert(r.0, of.clone());
            }
        }
        _ => {}
    }
    after
}

/// Keeps what both know; does that change it?
fn merge(old: &mut Handles, new: &Handles) -> bool {
    let union = |(r, of, more): (u32, &Created, Option<&Created>)| {
        (r, more.map(|more| Rc::new(of.union(more).copied().collect::<BTreeSet<u32>>())))
    };
    let changes: Vec<_> = old.differing(new).map(union).collect();
    let mut changed = false;
    for (r, of) in changes {
        changed |= of.as_ref() != old.get(r);
        match of {
            Some(of) => old.insert(r, of),
            None => old.remove(r),
        }
    }
    changed
}

#[cfg(test)]
mod tests {
    use crate::c::load_text;
    use crate::instantiate::instantiate;
    use relyant_cfa::Op;
    use relyant_cfa::options::Options;

    fn joins(body: &str) -> usize {
        let text = format!(
            "typedef unsigned long pthread_t; void *f(void *a); int n;
             int pthread_create(pthread_t *, void *, void *(*)(void *), void *);
             int pthread_join(pthread_t, void **);
             void *f(void *a) {{ pthread_t t; pthread_create(&t, 0, f, a); {body} return a; }}
             int main(void) {{ pthread_t t; pthread_create(&t, 0, f, 0); pthread_join(t, 0); n = 1; }}"
        );
        let module = load_text("t.c", &text, &Options::default()).unwrap();
        let program = instantiate(&module, &Options::default()).unwrap();
        let edges = program.templates.iter().flat_map(|t| &t.graph.edges);
        edges.filter(|e| matches!(e.op, Op::Join { .. })).count()
    }

    #[test]
    fn chains_without_end() {
        assert_eq!(joins("pthread_join(t, 0);"), 0);
        // Here some thread may end.
        assert!(joins("if (n) pthread_join(t, 0);") > 0);
        assert!(joins("n = 2;") > 0);
        assert!(joins("pthread_t u = n; pthread_join(u, 0);") > 0);
    }
}
