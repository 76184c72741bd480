//! Assignments of `main` before it starts a thread, one after the other, as one: nobody is there to see the states between.
//! A set of thread states is then needed only once for all of them.

use super::{Action, Flat, Role, Write, index};
use crate::boolean::program::{Exp, Var};
use rustc_hash::FxHashSet;

/// The graph with such assignments merged.
pub fn merged(mut f: Flat) -> Flat {
    let mut entries = vec![0usize; f.nodes.len()];
    for t in f.nodes.iter().flat_map(|n| n.action.next().into_iter().chain(n.action.starts())) {
        entries[t as usize] += 1;
    }
    let mut gone = vec![false; f.nodes.len()];
    for i in 0..f.nodes.len() {
        if gone[i] {
            continue;
        }
        let n = &f.nodes[i];
        let Action::Write(w, first) = &n.action else { continue };
        if n.role != Role::Alone || w.constrain.is_some() {
            continue;
        }
        let mut to = *first;
        let (mut all, mut written): (Write, FxHashSet<Var>) =
            (w.clone(), w.targets.iter().copied().collect());
        loop {
            let t = to as usize;
            let m = &f.nodes[t];
            let Action::Write(w, next) = &m.action else { break };
            let plain = m.role == Role::Alone && m.atomic == n.atomic && m.guard.is_none();
            // not the first node, where the run begins
            if !plain || entries[t] != 1 || t == 0 || t == i || !follows(w, &written) {
                break;
            }
            gone[t] = true;
            written.extend(&w.targets);
            all.targets.extend(&w.targets);
            all.values.extend(w.values.iter().cloned());
            to = *next;
        }
        f.nodes[i].action = Action::Write(all, to);
    }
    without(f, &gone)
}

/// Can assignments be made together with those of `written` before?
fn follows(w: &Write, written: &FxHashSet<Var>) -> bool {
    let mut reads = false;
    w.values.iter().for_each(|e: &Exp| e.each(&mut |v, _| reads |= written.contains(v)));
    w.constrain.is_none() && !reads && w.targets.iter().all(|t| !written.contains(t))
}

fn without(mut f: Flat, gone: &[bool]) -> Flat {
    let mut kept = 0;
    let new: Vec<u32> = gone
        .iter()
        .map(|g| {
            kept += u32::from(!g);
            kept.saturating_sub(1)
        })
        .collect();
    let mut stays = gone.iter().map(|g| !g);
    f.nodes.retain(|_| stays.next().unwrap_or(true));
    let mut stays = gone.iter().map(|g| !g);
    f.live.retain(|_| stays.next().unwrap_or(true));
    debug_assert_eq!(index(f.nodes.len()), kept);
    for n in &mut f.nodes {
        n.action.each_node(|t| *t = new[*t as usize]);
    }
    f
}
