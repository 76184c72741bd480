//! Which locals matter at a node of the graph.

use super::{Action, Flat, index};
use crate::boolean::program::{Exp, Var};
use rustc_hash::FxHashSet;

/// Locals that may be read before they are written, by node.
pub fn liveness(f: &Flat) -> Vec<Vec<u32>> {
    let mut live: Vec<FxHashSet<u32>> = vec![FxHashSet::default(); f.nodes.len()];
    let mut before: Vec<Vec<u32>> = vec![Vec::new(); f.nodes.len()];
    for (i, n) in (0..).zip(&f.nodes) {
        for t in n.action.next().into_iter().chain(n.action.starts()) {
            before[t as usize].push(i);
        }
        if let Action::Wait(exits, results) = &n.action {
            // Results are read where the call is over.
            for (exit, _) in exits {
                live[*exit as usize].extend(results.iter().filter_map(|v| local(*v)));
            }
        }
    }
    let mut worklist: Vec<u32> = (0..index(f.nodes.len())).collect();
    let mut queued = vec![true; f.nodes.len()];
    while let Some(i) = worklist.pop() {
        let n = &f.nodes[i as usize];
        queued[i as usize] = false;
        let mut set: FxHashSet<u32> = FxHashSet::default();
        for t in n.action.next() {
            set.extend(&live[t as usize]);
        }
        let read = |set: &mut FxHashSet<u32>, e: &Exp| e.each(&mut |v, _| set.extend(local(*v)));
        match &n.action {
            Action::Branch(e, ..) | Action::Assume(e, _) | Action::Assert(e, _) => read(&mut set, e),
            Action::Write(w, _) => {
                for t in w.targets.iter().filter_map(|t| local(*t)) {
                    set.remove(&t);
                }
                w.values.iter().for_each(|e| read(&mut set, e));
                if let Some(c) = &w.constrain {
                    c.each(&mut |v, next| {
                        if !next || !w.targets.contains(v) {
                            set.extend(local(*v));
                        }
                    });
                }
            }
            Action::Spawn(w, ..) | Action::Invoke(w, ..) => w.values.iter().for_each(|e| read(&mut set, e)),
            Action::Copy(t, _) => set.extend(&live[*t as usize]),
            // Results come from the call.
            Action::Wait(_, results) => {
                for r in results.iter().filter_map(|v| local(*v)) {
                    set.remove(&r);
                }
            }
            Action::Exit => set.extend(&live[i as usize]),
            Action::Goto(_) | Action::End | Action::Atomic(..) => {}
        }
        n.guard.iter().for_each(|e| read(&mut set, e));
        let grown = set.iter().any(|v| !live[i as usize].contains(v));
        if grown {
            live[i as usize].extend(set);
            for b in &before[i as usize] {
                if !std::mem::replace(&mut queued[*b as usize], true) {
                    worklist.push(*b);
                }
            }
        }
    }
    live.into_iter()
        .map(|s| {
            let mut v: Vec<u32> = s.into_iter().collect();
            v.sort_unstable();
            v
        })
        .collect()
}

fn local(v: Var) -> Option<u32> {
    if let Var::Local(i) = v { Some(i) } else { None }
}
