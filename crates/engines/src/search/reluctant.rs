//! Threads that hold a lock and are about to ask for another one: where random runs let all others go first, threads come to hold
//! what the others ask for (after Joshi, Park, Sen, Naik, "A randomized dynamic program analysis technique for detecting real
//! deadlocks", PLDI 2009, who have them pause at locks of a circle found before).

use relyant_cfa::{Expr, Graph, Loc, ObjId, Op, Program, walk};
use relyant_interp::machine::{Machine, State};
use std::collections::BTreeSet;

/// With more cells that may be locks nobody is reluctant: all are looked at before each move.
const MOST_CELLS: usize = 256;

/// Where threads ask for locks, and the locks.
pub(super) struct Reluctant {
    /// By template and location: a lock may be asked for next.
    asks: Vec<Vec<bool>>,
    locks: Vec<(ObjId, u32)>,
}

impl Reluctant {
    /// `None` where there are no locks, or too many.
    pub(super) fn new(program: &Program) -> Option<Reluctant> {
        let mut objects: BTreeSet<ObjId> = BTreeSet::new();
        let asks: Vec<Vec<bool>> = program.templates.iter().map(|t| asks(&t.graph, &mut objects)).collect();
        let cells = |o: &ObjId| program.objects[o.0 as usize].cells.len();
        let all = objects.iter().map(cells).sum::<usize>();
        let locks = objects.iter().flat_map(|o| (0..cells(o) as u32).map(|k| (*o, k)));
        (all > 0 && all <= MOST_CELLS).then(|| Reluctant { asks, locks: locks.collect() })
    }

    /// Does a thread hold a lock, and ask for another one next?
    pub(super) fn is(&self, machine: &Machine<'_>, state: &State, thread: usize) -> bool {
        let t = &state.threads[thread];
        let asks = self.asks.get(t.name.template as usize).and_then(|all| all.get(t.loc.0 as usize));
        let own = thread as i128 + 1;
        asks == Some(&true) && self.locks.iter().any(|c| machine.value(state, thread, *c) == Some(own))
    }
}

/// Locations from which a cell is loaded that has to be 0 for the thread to store its own handle there. The objects that are named there
/// are added.
fn asks(graph: &Graph, objects: &mut BTreeSet<ObjId>) -> Vec<bool> {
    let out = graph.out_edges();
    let waits = |l: Loc| match out[l.0 as usize][..] {
        [e] => matches!(graph.edges[e].op, Op::Assume(_)).then_some(graph.edges[e].to),
        _ => None,
    };
    let takes = |l: Loc| {
        out[l.0 as usize].iter().any(|e| matches!(graph.edges[*e].op, Op::Store(_, Expr::SelfId, _)))
    };
    let mut asks = vec![false; out.len()];
    for e in &graph.edges {
        let Op::Load(_, address, _) = &e.op else { continue };
        if waits(e.to).is_some_and(takes) {
            asks[e.from.0 as usize] = true;
            walk::visit(address, &mut |x| {
                if let Expr::Addr(o) = x {
                    objects.insert(*o);
                }
            });
        }
    }
    asks
}
