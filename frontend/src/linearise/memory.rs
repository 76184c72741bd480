//! Which cells an address may be.

use super::ranges::Env;
use crate::cfa::{BinOp, Expr, ObjId, Owner};
use crate::points_to::Targets;

/// More candidates than this are refused.
const MOST: usize = 256;

/// The object that an address expression points into by its form.
pub fn base_object(e: &Expr) -> Option<ObjId> {
    match e {
        Expr::Addr(o) => Some(*o),
        Expr::Binary(BinOp::Add, a, b, _) => match (base_object(a), base_object(b)) {
            (Some(o), None) | (None, Some(o)) => Some(o),
            _ => None,
        },
        Expr::Binary(BinOp::Sub, a, _, _) => base_object(a),
        Expr::Cast(a, _) => base_object(a),
        _ => None,
    }
}

impl Env<'_> {
    /// Cells that an access by the running thread may touch, in order of address; accesses outside of objects are
    /// undefined and left out. `None` when they cannot be told.
    pub fn cells(&self, address: &Expr) -> Option<Vec<(ObjId, usize)>> {
        let range = self.range(address);
        let mine = |o: ObjId| match self.program.owners.get(o.0 as usize) {
            Some(Owner::Template(t)) => *t as usize == self.template,
            _ => true,
        };
        let within = |o: ObjId| {
            let base = self.program.bases[o.0 as usize];
            let n = self.program.objects[o.0 as usize].cells.len();
            let range = &range;
            (0..n)
                .filter(move |k| base.checked_add(*k as i128).is_some_and(|a| range.contains(a)))
                .map(move |k| (o, k))
        };
        if let Some(o) = base_object(address) {
            let cells: Vec<_> = within(o).take(MOST + 1).collect();
            return (cells.len() <= MOST).then_some(cells);
        }
        if let Some(values) = range.values() {
            return Some(
                values.iter().filter_map(|a| self.program.cell_at(*a)).filter(|(o, _)| mine(*o)).collect(),
            );
        }
        if let Targets::Objects(targets) = self.points_to.targets(self.template as u32, address) {
            let mut cells: Vec<(ObjId, usize)> = Vec::new();
            for (o, cell) in targets.into_iter().filter(|(o, _)| mine(*o)) {
                cells.extend(within(o).filter(|(_, k)| cell.is_none_or(|c| c == *k)).take(MOST + 1));
            }
            cells.sort_unstable();
            cells.dedup();
            return (cells.len() <= MOST).then_some(cells);
        }
        if let (Some(lo), Some(hi)) = (range.lo(), range.hi()) {
            let first = self.program.bases.partition_point(|b| *b <= lo).saturating_sub(1);
            let last = self.program.bases.partition_point(|b| *b <= hi);
            let objects = (first..last).map(|o| ObjId(o as u32)).filter(|o| mine(*o));
            let cells: Vec<_> = objects.flat_map(within).take(MOST + 1).collect();
            return (cells.len() <= MOST).then_some(cells);
        }
        None
    }
}
