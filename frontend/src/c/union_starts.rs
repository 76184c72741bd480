//! Addresses of a union's members in start values of static objects: the view is fixed before anything runs.

use super::parts::Part;
use super::translation::Translation;
use super::types::Ty;
use super::unions::{FIXED, Through};
use super::value::{Place, wrap};
use relyant_cfa::{BinOp, Expr, IntKind, ObjId};

impl Translation<'_> {
    /// Has a static union start in the view of a place, fixed; `false` if its bytes do not tell that view's values.
    pub fn fix_at_start(&mut self, p: &Place) -> bool {
        let Some(Through { base, union, view }) = &p.through else { return true };
        let Some((object, first)) = constant_cell(base) else { return false };
        let r = &self.types.records[union.0];
        let init = &self.objects[object].init;
        let value = |cell: u64| init.get((first + cell) as usize).copied().flatten();
        let tag = r.tag.unwrap_or(0);
        let now = match value(tag) {
            Some(now) if now == *view as i128 + FIXED => return true,
            Some(now) => usize::try_from(now).ok().filter(|now| *now < r.views.len()),
            None => None,
        };
        let Some(now) = now else { return false };
        let mut starts = vec![(tag, *view as i128 + FIXED)];
        if now != *view {
            let (from, to) = (&r.views[now], &r.views[*view]);
            let later = |(a, _, _): &(Expr, Expr, IntKind)| constant_cell(a).is_none_or(|(o, _)| o == object);
            if !from.parts.iter().all(Part::has_bits) || self.objects.prologue.iter().any(later) {
                return false;
            }
            for (k, w) in (to.start..).zip(&to.parts) {
                let mut bits = 0i128;
                for (i, f) in (from.start..).zip(&from.parts) {
                    let (low, high) = (w.bit.max(f.bit), (w.bit + w.width).min(f.bit + f.width));
                    let Some(v) = value(i) else { return false };
                    if low < high {
                        bits |= (v >> (low - f.bit) & ((1 << (high - low)) - 1)) << (low - w.bit);
                    }
                }
                // Bytes that become an address are those of a null pointer, or none that we know.
                if !w.has_bits() && bits != 0 {
                    return false;
                }
                starts.push((k, wrap(bits, w.kind)));
            }
        }
        for (cell, v) in starts {
            self.objects[object].init[(first + cell) as usize] = Some(v);
        }
        true
    }

    /// Is the address of a member of a union in a static object known, before the object has its start values?
    pub fn is_fixed(&self, object: ObjId, ty: &Ty) -> bool {
        let init = &self.objects[object].init;
        self.types.tags(ty).iter().any(|k| init[*k as usize].is_some_and(|v| v >= FIXED))
    }
}

/// The cell at a constant address.
fn constant_cell(address: &Expr) -> Option<(ObjId, u64)> {
    match address {
        Expr::Addr(o) => Some((*o, 0)),
        Expr::Binary(BinOp::Add, o, k, _) => match (&**o, &**k) {
            (Expr::Addr(o), Expr::Const(k)) => Some((*o, u64::try_from(*k).ok()?)),
            _ => None,
        },
        _ => None,
    }
}
