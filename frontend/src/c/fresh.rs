//! Locals whose declaration a jump passes by: they hold any value, as an uninitialised one does.

use super::body::Body;
use relyant_cfa::walk;
use relyant_cfa::{Edge, InputSource, Loc, Op, Reg};
use rustc_hash::FxHashSet;

/// Gives any value at the start to named registers that may be read before they are set. Only jumps make that
/// happen, since a declaration sets its register.
pub fn forget_skipped(body: &mut Body, params: &[Reg]) {
    if body.labels.is_empty() && !body.switched {
        return;
    }
    let named = |r: &Reg| !body.registers[r.0 as usize].name.is_empty() && !params.contains(r);
    let n = body.graph.locations.len();
    let mut into: Vec<Vec<usize>> = vec![Vec::new(); n];
    for (i, e) in body.graph.edges.iter().enumerate() {
        into[e.to.0 as usize].push(i);
    }
    let mut live: Vec<FxHashSet<Reg>> = vec![FxHashSet::default(); n];
    let mut work: Vec<usize> = (0..n).collect();
    while let Some(l) = work.pop() {
        for &i in &into[l] {
            let e = &body.graph.edges[i];
            let mut before = live[l].clone();
            if let Some(r) = walk::writes(&e.op) {
                before.remove(&r);
            }
            let mut reads = Vec::new();
            walk::reads(&e.op).into_iter().for_each(|x| walk::registers(x, &mut reads));
            before.extend(reads.into_iter().filter(named));
            let from = e.from.0 as usize;
            let old = live[from].len();
            live[from].extend(before);
            if live[from].len() > old {
                work.push(from);
            }
        }
    }
    let mut skipped: Vec<Reg> = live[body.first.0 as usize].iter().copied().filter(named).collect();
    skipped.sort();
    for dst in skipped {
        let span = body.graph.locations[body.first.0 as usize].span;
        let at: Loc = body.graph.add_location(span);
        let op = Op::Havoc { dst, source: InputSource::uninitialised() };
        body.graph.edges.push(Edge { from: at, to: body.first, op, span });
        body.first = at;
    }
}
