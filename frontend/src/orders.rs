//! Two reads whose order C leaves open: the other order is added, if asked for, where it can make a difference. Else it
//! is said that the order was left to right.
//!
//! It can make one only if other threads may write both what is read first and what is read second.

use crate::cfa::{Edge, FuncId, Graph, Loc, Module, ObjId, Op};
use crate::instantiate::{Sharing, taken};
use crate::points_to::{PointsTo, Targets};
use crate::races::concurrent::Concurrent;

/// Adds the other order, or an assumption. `between` has, for each function, the locations after the first of two such
/// reads.
pub(crate) fn add(module: &mut Module, between: &[Vec<Loc>], any: bool) {
    if between.iter().all(Vec::is_empty) {
        return;
    }
    let points_to = PointsTo::of_module(module);
    let concurrent = Concurrent::new(module, &points_to);
    let sharing = Sharing::new(module, &points_to, &taken(module));
    let own = |o: ObjId| module.objects[o.0 as usize].thread_local || sharing.alone(o);
    let mut writes: Vec<(FuncId, Targets)> = Vec::new();
    for (f, function) in module.functions.iter().enumerate() {
        for e in &function.graph.edges {
            if let Op::Store(a, _, _) = &e.op {
                writes.push((FuncId(f as u32), points_to.targets(f as u32, a)));
            }
        }
    }
    let contested = |f: FuncId, e: &Edge| {
        let Op::Load(_, a, _) = &e.op else { return false };
        let read = points_to.targets(f.0, a);
        writes.iter().any(|(g, written)| concurrent.both(f, *g) && meet(&read, written, &own))
    };
    let mut swaps: Vec<(usize, usize, usize)> = Vec::new();
    for (f, locations) in between.iter().enumerate() {
        let Some(function) = module.functions.get(f) else { continue };
        let id = FuncId(f as u32);
        for l in locations {
            let Some((first, second)) = pair(&function.graph, *l) else { continue };
            let edges = &function.graph.edges;
            if concurrent.at(id, *l) && contested(id, &edges[first]) && contested(id, &edges[second]) {
                swaps.push((f, first, second));
            }
        }
    }
    if !any {
        let said = "operands are evaluated from left to right";
        if !swaps.is_empty() && !module.assumes.iter().any(|a| a == said) {
            module.assumes.push(said.into());
        }
        return;
    }
    for (f, first, second) in swaps {
        let graph = &mut module.functions[f].graph;
        let (a, b) = (graph.edges[first].clone(), graph.edges[second].clone());
        let middle = graph.add_location(graph.locations[a.to.0 as usize].span);
        graph.add_edge(a.from, middle, b.op, b.span);
        graph.add_edge(middle, b.to, a.op, a.span);
    }
}

/// The reads before and after a location, if others may come between and neither needs the other's value.
fn pair(graph: &Graph, l: Loc) -> Option<(usize, usize)> {
    let only =
        |mut found: Box<dyn Iterator<Item = usize> + '_>| found.next().filter(|_| found.next().is_none());
    let all = || 0..graph.edges.len();
    let first = only(Box::new(all().filter(|e| graph.edges[*e].to == l)))?;
    let second = only(Box::new(all().filter(|e| graph.edges[*e].from == l)))?;
    let (a, b) = (&graph.edges[first], &graph.edges[second]);
    let atomic = |l: Loc| graph.locations[l.0 as usize].atomic;
    let (Op::Load(x, p, _), Op::Load(y, q, _)) = (&a.op, &b.op) else { return None };
    let uses = |e, r| {
        let mut registers = Vec::new();
        crate::instantiate::walk::registers(e, &mut registers);
        registers.contains(r)
    };
    let apart = x != y && !uses(q, x) && !uses(p, y);
    (apart && !atomic(l) && !atomic(a.from)).then_some((first, second))
}

/// May a read and a write meet at a cell that is not the thread's own?
fn meet(read: &Targets, written: &Targets, own: &dyn Fn(ObjId) -> bool) -> bool {
    let (Targets::Objects(r), Targets::Objects(w)) = (read, written) else { return true };
    r.iter()
        .filter(|c| !own(c.0))
        .any(|(o, k)| w.iter().any(|(p, j)| o == p && (k.is_none() || j.is_none() || k == j)))
}
