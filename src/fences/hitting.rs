//! The smallest set that has an element of each of some sets.

use super::Place;
use std::collections::BTreeSet;

/// The smallest set with an element of each; of several the one in fewest loops, then the first.
pub(super) fn fewest(sets: &[BTreeSet<Place>]) -> BTreeSet<Place> {
    for size in 0..=sets.len() {
        let mut best: Option<(u32, BTreeSet<Place>)> = None;
        grow(sets, size, &mut Vec::new(), &mut best);
        if let Some((_, set)) = best {
            return set;
        }
    }
    BTreeSet::new()
}

/// Tries all elements of the first set that has none yet.
fn grow(
    sets: &[BTreeSet<Place>],
    size: usize,
    taken: &mut Vec<Place>,
    best: &mut Option<(u32, BTreeSet<Place>)>,
) {
    let Some(open) = sets.iter().find(|s| !taken.iter().any(|p| s.contains(p))) else {
        let loops = taken.iter().map(|p| p.loops).sum();
        let set: BTreeSet<Place> = taken.iter().cloned().collect();
        let better = |b: &(u32, BTreeSet<Place>)| (loops, &set) < (b.0, &b.1);
        if best.as_ref().is_none_or(better) {
            *best = Some((loops, set));
        }
        return;
    };
    if taken.len() == size {
        return;
    }
    for p in open {
        taken.push(p.clone());
        grow(sets, size, taken, best);
        taken.pop();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(lines: &[(u32, u32)]) -> BTreeSet<Place> {
        let place = |(line, loops): &(u32, u32)| Place { line: *line, loops: *loops, ..Place::default() };
        lines.iter().map(place).collect()
    }

    #[test]
    fn one_place_may_serve_several_runs() {
        let sets = [set(&[(1, 0), (2, 0)]), set(&[(2, 0), (3, 0)]), set(&[(4, 0)])];
        assert_eq!(fewest(&sets), set(&[(2, 0), (4, 0)]));
        assert_eq!(fewest(&[]), set(&[]));
    }

    #[test]
    fn fewer_loops_are_better() {
        assert_eq!(fewest(&[set(&[(1, 2), (5, 1)])]), set(&[(5, 1)]));
    }
}
