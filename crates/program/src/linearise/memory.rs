//! Which cells an address may be.

use super::range::Range;
use super::ranges::Env;
use relyant_cfa::points_to::Targets;
use relyant_cfa::{BinOp, Expr, Extent, ObjId, Owner, Residue};

/// Objects that an access may touch, by addresses alone, and a quarter of the cells.
const MOST: usize = 64;

/// Cells that an access may touch.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct TouchedCells {
    /// In order of address.
    pub cells: Vec<(ObjId, usize)>,
    /// Arrays of objects that it may touch, see [`super::arrays::Arrays`].
    pub arrays: Vec<(ObjId, usize)>,
    /// It may also touch cells that are not kept, at addresses from the first to the last of these.
    pub untracked: Option<(i128, i128)>,
}

impl TouchedCells {
    fn not_kept(&mut self, first: i128, last: i128) {
        let (lo, hi) = self.untracked.unwrap_or((first, last));
        self.untracked = Some((lo.min(first), hi.max(last)));
    }
}

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
    /// Cells that an access by the running thread may touch; accesses outside of objects are undefined and left out.
    /// `None` when they cannot be told. Objects that are too large for it are kept as arrays from now on.
    pub fn cells(&self, address: &Expr) -> Option<TouchedCells> {
        let range = self.range(address);
        let residue = self.residue(address);
        let mut out = TouchedCells::default();
        if let Some(o) = base_object(address) {
            self.add(o, None, (&range, residue), &mut out);
        } else if let Some(values) = range.values() {
            let places: Vec<(ObjId, usize)> =
                values.iter().filter_map(|a| self.program.object_at(*a)).collect();
            for of_one in places.chunk_by(|a, b| a.0 == b.0) {
                if of_one.len() > self.arrays.most_cases() {
                    self.arrays.use_for(of_one[0].0.0 as usize);
                }
            }
            for (o, k) in places {
                self.add(o, Some(k), (&range, residue), &mut out);
            }
        } else if let Targets::Objects(targets) = self.points_to.targets(self.template as u32, address) {
            for (o, k) in targets {
                self.add(o, k, (&range, residue), &mut out);
            }
        } else {
            let (lo, hi) = (range.lo()?, range.hi()?);
            let first = self.program.bases.partition_point(|b| *b <= lo).saturating_sub(1);
            let last = self.program.bases.partition_point(|b| *b <= hi);
            if last - first > MOST {
                return None;
            }
            for o in first..last {
                self.add(ObjId(o as u32), None, (&range, residue), &mut out);
            }
        }
        out.cells.sort_unstable();
        out.cells.dedup();
        out.arrays.sort_unstable();
        out.arrays.dedup();
        (out.cells.len() <= 4 * MOST).then_some(out)
    }
    /// Adds a cell of an object (or all) that the address may be.
    fn add(
        &self,
        o: ObjId,
        cell: Option<usize>,
        (range, residue): (&Range, Residue),
        out: &mut TouchedCells,
    ) {
        let i = o.0 as usize;
        if matches!(self.program.owners.get(i), Some(Owner::Template(t)) if *t as usize != self.template) {
            return;
        }
        let base = self.program.bases[i];
        let at = |k: &usize| {
            base.checked_add(*k as i128).is_some_and(|a| range.contains(a) && residue.contains(a))
        };
        let object = &self.program.objects[i];
        let endless = object.extent == Extent::Endless;
        let touched = || {
            let all = 0..object.cells.len();
            all.filter(|k| cell.is_none_or(|c| c == *k)).filter(at)
        };
        if endless || touched().nth(self.arrays.most_cases()).is_some() {
            self.arrays.use_for(i);
        }
        let Some(parts) = self.arrays.parts(i) else {
            out.cells.extend(touched().map(|k| (o, k)));
            return;
        };
        let may_be = |k: &usize| cell.is_none_or(|c| c == *k) && at(k);
        out.cells.extend(parts.apart.iter().filter(|k| may_be(k)).map(|k| (o, *k)));
        let address = |k: usize| base.saturating_add(k as i128);
        parts.nowhere.iter().filter(|k| may_be(k)).for_each(|k| out.not_kept(address(*k), address(*k)));
        // Cells that are not listed are in arrays, or nowhere.
        let listed = self.program.bases[i].saturating_add(object.cells.len() as i128);
        let beyond =
            cell.map_or_else(|| range.hi().is_none_or(|hi| hi >= listed), |c| c >= object.cells.len());
        if endless && beyond && !parts.covers() {
            out.not_kept(listed, base.saturating_add(i128::from(object.size())));
        }
        for (n, a) in parts.arrays.iter().enumerate() {
            let meets = || {
                base.checked_add(a.first as i128)
                    .is_none_or(|b| residue.meets(Residue::new(a.stride as u128, b)))
            };
            let far = || endless && beyond && a.count > a.listed && meets();
            if cell.map_or_else(|| far() || a.cells().any(|k| at(&k)), |c| at(&c) && a.has(c)) {
                out.arrays.push((o, n));
            }
        }
    }
}
