//! Which registers may still be read, by location.

use relyant_cfa::sparse::Row;
use relyant_cfa::walk;
use relyant_cfa::{Graph, Loc, Reg};

/// Live registers of each location.
pub(crate) struct Liveness {
    /// By location: registers that may be read from there before they are written.
    rows: Vec<Row>,
}

impl Liveness {
    /// Works the sets out backwards along the edges, as a least fixpoint.
    pub(crate) fn new(graph: &Graph) -> Liveness {
        let n = graph.locations.len();
        let mut live = Liveness { rows: vec![Row::default(); n] };
        let into = graph.into_edges();
        let mut queued = vec![true; graph.edges.len()];
        let mut work: Vec<usize> = (0..graph.edges.len()).collect();
        let mut found = Vec::new();
        while let Some(i) = work.pop() {
            queued[i] = false;
            let e = &graph.edges[i];
            let mut row = live.row(e.to).clone();
            if let Some(r) = walk::writes(&e.op) {
                row.remove(r.0);
            }
            found.clear();
            walk::reads(&e.op).iter().for_each(|x| walk::registers(x, &mut found));
            found.iter().for_each(|r: &Reg| row.insert(r.0));
            if live.rows[e.from.0 as usize].extend(&row) {
                for &p in &into[e.from.0 as usize] {
                    if !std::mem::replace(&mut queued[p], true) {
                        work.push(p);
                    }
                }
            }
        }
        live
    }

    /// The live registers at a location.
    pub(crate) fn row(&self, l: Loc) -> &Row {
        &self.rows[l.0 as usize]
    }

    /// May the register's value at the location be read later?
    pub(crate) fn at(&self, l: Loc, r: Reg) -> bool {
        self.row(l).has(r.0)
    }
}
