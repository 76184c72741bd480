//! Blocks that are seen as objects of several types whose scalars lie at the same bytes: as a struct, and as the struct
//! that it starts with.

use super::types::{Ty, Types};
use super::views::{Conversion, Seen};
use relyant_cfa::points_to::{PointsTo, Targets};
use relyant_cfa::{FuncId, ObjId};
use std::collections::BTreeMap;

/// What an object is seen as, and from which cell on, if that is known.
pub type Sighting = (Ty, Option<usize>, Seen);

/// What each object is seen as, each once.
pub fn sightings(
    points_to: &PointsTo,
    conversions: &[(FuncId, Conversion)],
) -> BTreeMap<ObjId, Vec<Sighting>> {
    let mut out: BTreeMap<ObjId, Vec<Sighting>> = BTreeMap::new();
    for (f, c) in conversions {
        let Targets::Objects(targets) = points_to.targets(f.0, &c.value) else { continue };
        for (o, cell) in targets {
            let all = out.entry(o).or_default();
            let new = (c.target.clone(), cell, c.seen);
            if !all.contains(&new) {
                all.push(new);
            }
        }
    }
    out
}

/// The one of some types that has the size of a block, and whose scalars are where the other types that the block is
/// seen as have theirs; the one with most of them.
pub fn home(types: &Types, candidates: &[Ty], bytes: i128, seen: &[&Sighting]) -> Option<Ty> {
    // Elements that are alike may be anywhere in an array.
    if let Some(t) =
        seen.iter().map(|s| &s.0).find(|t| types.size(t).is_ok_and(|s| bytes % i128::from(s.0.max(1)) == 0))
    {
        let alike = |s: &&Sighting| *s.0.plain() == Ty::Void || types.same_layout(t, &s.0);
        if candidates.contains(t) && seen.iter().all(alike) {
            return Some(t.clone());
        }
    }
    let size = |t: &Ty| types.size(t).ok().map(|s| i128::from(s.0));
    let mut all: Vec<&Ty> = candidates.iter().filter(|t| bytes > 0 && size(t) == Some(bytes)).collect();
    all.sort_by_key(|t| std::cmp::Reverse(types.cells(t).unwrap_or(0)));
    all.into_iter().find(|t| seen.iter().all(|s| fits(types, t, bytes, s))).cloned()
}

/// Does a type, of so many bytes, have its scalars where what it is seen as has them?
pub fn fits(types: &Types, home: &Ty, bytes: i128, (target, cell, seen): &Sighting) -> bool {
    if target.plain() == home.plain() && *cell == Some(0) {
        return true;
    }
    if *seen == Seen::Memory {
        return types.has_part(home, target);
    }
    // What bytes are seen as is checked where they are accessed.
    if target.int().is_some_and(|i| i.rank == 1) {
        return true;
    }
    let Ok(wanted) = types.layout(target) else { return true };
    let (Ok(found), Some(k)) = (types.layout(home), *cell) else { return false };
    let Ok(first) = isize::try_from(k) else { return false };
    let (Some(start), Some(other)) = (found.get(k), wanted.first()) else { return wanted.is_empty() };
    // What the other type has more lies behind the block.
    let more = wanted.get(found.len() - k);
    let behind =
        more.is_none_or(|p| i128::from(start.bit) + i128::from(p.bit) - i128::from(other.bit) >= bytes * 8);
    behind && Types::coincide(&found, &wanted, first)
}
