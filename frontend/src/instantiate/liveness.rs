//! Which registers may still be read, by location.

use super::walk;
use crate::cfa::{Graph, Loc, Reg};

/// The table is not made larger than this, in bits.
const BITS: usize = 1 << 29;

/// Live registers of each location.
pub(crate) struct Liveness {
    words: usize,
    bits: Vec<u64>,
}

impl Liveness {
    /// Analyses a graph; `None` if it is too large.
    pub(crate) fn new(graph: &Graph, registers: usize) -> Option<Liveness> {
        let n = graph.locations.len();
        let words = registers.div_ceil(64);
        if n.checked_mul(words)?.checked_mul(64)? > BITS {
            return None;
        }
        let mut live = Liveness { words, bits: vec![0; n * words] };
        let mut into = vec![Vec::new(); n];
        for (i, e) in graph.edges.iter().enumerate() {
            into[e.to.0 as usize].push(i);
        }
        let mut reads: Vec<Vec<Reg>> = Vec::with_capacity(graph.edges.len());
        for e in &graph.edges {
            let mut found = Vec::new();
            walk::reads(&e.op).iter().for_each(|x| walk::registers(x, &mut found));
            reads.push(found);
        }
        let mut queued = vec![true; graph.edges.len()];
        let mut work: Vec<usize> = (0..graph.edges.len()).collect();
        let mut row = vec![0u64; words];
        while let Some(i) = work.pop() {
            queued[i] = false;
            let e = &graph.edges[i];
            row.copy_from_slice(live.row(e.to));
            if let Some(r) = walk::writes(&e.op) {
                row[r.0 as usize / 64] &= !(1 << (r.0 % 64));
            }
            for r in &reads[i] {
                row[r.0 as usize / 64] |= 1 << (r.0 % 64);
            }
            let mut changed = false;
            let at = e.from.0 as usize * words;
            for (w, r) in live.bits[at..at + words].iter_mut().zip(&row) {
                changed |= *r & !*w != 0;
                *w |= *r;
            }
            if changed {
                for &p in &into[e.from.0 as usize] {
                    if !std::mem::replace(&mut queued[p], true) {
                        work.push(p);
                    }
                }
            }
        }
        Some(live)
    }

    /// The live registers at a location, a bit each.
    pub(crate) fn row(&self, l: Loc) -> &[u64] {
        let at = l.0 as usize * self.words;
        &self.bits[at..at + self.words]
    }

    /// May the register's value at the location be read later?
    pub(crate) fn at(&self, l: Loc, r: Reg) -> bool {
        self.bits[l.0 as usize * self.words + r.0 as usize / 64] >> (r.0 % 64) & 1 == 1
    }
}
