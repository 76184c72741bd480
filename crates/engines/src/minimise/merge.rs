//! Unions of many regions with fewer of them, told by their words alone: no question about a cube is asked.
//!
//! Two regions that differ in one set of locations are one, as are two that differ in one comparison and its opposite; a region
//! that says all that another one says, and more, goes. `region` finds more, and asks a number of questions that grows with the
//! square of the union's size: for proofs with thousands of disjuncts that takes minutes.

use super::region::{Region, Work};
use relyant_linear::{Cube, Norm, Rel};
use relyant_program::Loc;
use std::collections::{BTreeMap, BTreeSet};

/// The same union. Each pair of regions that is compared is work.
pub(super) fn merge(regions: Vec<Region>, work: &mut Work) -> Vec<Region> {
    let mut all: BTreeSet<Region> = regions.into_iter().collect();
    loop {
        let before = all.len();
        let dimensions = all.first().map_or(0, |r| r.sets.len());
        for d in 0..dimensions {
            all = join_sets(all, d);
        }
        join_opposites(&mut all, work);
        if all.len() == before {
            break;
        }
    }
    let all: Vec<Region> = all.into_iter().collect();
    let goes = |r: &Region, work: &mut Work| all.iter().any(|s| work.spend() && r != s && says(r, s));
    all.iter().filter(|r| !goes(r, work)).cloned().collect()
}

/// Joins regions that differ in one dimension only.
fn join_sets(all: BTreeSet<Region>, d: usize) -> BTreeSet<Region> {
    let mut alike: BTreeMap<Region, Vec<Loc>> = BTreeMap::new();
    for mut r in all {
        let Some(set) = r.sets.get_mut(d) else { continue };
        let set = std::mem::take(set);
        alike.entry(r).or_default().extend(set);
    }
    let joined = alike.into_iter().map(|(mut r, mut set)| {
        set.sort_unstable();
        set.dedup();
        if let Some(s) = r.sets.get_mut(d) {
            *s = set;
        }
        r
    });
    joined.collect()
}

/// Joins regions of which one has a comparison, and one the opposite, and that are the same else.
fn join_opposites(all: &mut BTreeSet<Region>, work: &mut Work) {
    let list: Vec<Region> = all.iter().cloned().collect();
    for r in list {
        for a in r.cube.atoms().iter().filter(|a| a.rel() == Rel::Le) {
            if !work.spend() || !all.contains(&r) {
                break;
            }
            let rest = || r.cube.atoms().iter().filter(|b| *b != a).cloned().map(Norm::Atom);
            let other = Region { sets: r.sets.clone(), cube: Cube::of(rest().chain(a.negate())) };
            if other != r && all.remove(&other) {
                all.remove(&r);
                all.insert(Region { sets: r.sets.clone(), cube: Cube::of(rest()) });
                break;
            }
        }
    }
}

/// Does a region say all that another one says? Then it is a part of that.
fn says(r: &Region, other: &Region) -> bool {
    let within = |(a, b): (&Vec<Loc>, &Vec<Loc>)| a.iter().all(|l| b.binary_search(l).is_ok());
    let said = |a| r.cube.atoms().binary_search(a).is_ok();
    !other.cube.is_bottom()
        && r.sets.iter().zip(&other.sets).all(within)
        && other.cube.atoms().iter().all(said)
}

#[cfg(test)]
mod tests {
    use super::super::region::covered;
    use super::*;
    use relyant_linear::{Atom, LinExpr, Var};

    fn region(sets: &[&[u32]], norms: &[Norm]) -> Region {
        let sets = sets.iter().map(|s| s.iter().copied().map(Loc).collect()).collect();
        Region { sets, cube: Cube::of(norms.iter().cloned()) }
    }
    fn at_most(v: u32, n: i128) -> Norm {
        Atom::le(&LinExpr::var(Var(v)).sub(&LinExpr::int(n)))
    }
    fn at_least(v: u32, n: i128) -> Norm {
        Atom::le(&LinExpr::int(n).sub(&LinExpr::var(Var(v))))
    }
    fn same(a: &[Region], b: &[Region]) -> bool {
        let within = |a: &[Region], b: &[Region]| {
            let b: Vec<&Region> = b.iter().collect();
            a.iter().all(|r| covered(&r.sets, &r.cube, &b, &mut Work(10_000)))
        };
        within(a, b) && within(b, a)
    }

    #[test]
    fn what_differs_in_one_word_is_one() {
        let parts = vec![
            region(&[&[0], &[1]], &[at_most(0, 3)]),
            region(&[&[0], &[2]], &[at_most(0, 3)]),
            region(&[&[1], &[1, 2]], &[at_most(0, 3)]),
            region(&[&[0, 1], &[1, 2]], &[at_least(0, 4)]),
        ];
        let one = merge(parts.clone(), &mut Work(1000));
        assert_eq!(one, [region(&[&[0, 1], &[1, 2]], &[])]);
        assert!(same(&parts, &one));
    }

    #[test]
    fn what_says_more_goes_and_what_differs_in_two_words_stays() {
        let parts = vec![
            region(&[&[0], &[1]], &[at_most(0, 3), at_most(1, 5)]),
            region(&[&[0, 1], &[1]], &[at_most(0, 3)]),
            region(&[&[2], &[0]], &[at_most(0, 3)]),
            region(&[&[0, 1], &[1]], &[at_least(0, 5)]),
        ];
        let fewer = merge(parts.clone(), &mut Work(1000));
        assert_eq!(fewer.len(), 3);
        assert!(same(&parts, &fewer));
    }

    #[test]
    fn without_work_nothing_goes() {
        let parts = vec![region(&[&[0]], &[at_most(0, 3), at_most(1, 5)]), region(&[&[0]], &[at_most(0, 3)])];
        assert_eq!(merge(parts, &mut Work(0)).len(), 2);
    }

    #[test]
    fn the_union_stays_the_same() {
        // Numbers that look random, the same in each run.
        let mut state = 1u32;
        let mut next = |n: u32| {
            state = state.wrapping_mul(1_103_515_245).wrapping_add(12_345);
            (state >> 16) % n
        };
        for _ in 0..200 {
            let parts: Vec<Region> = (0..6)
                .map(|_| {
                    let sets: Vec<Vec<u32>> = (0..2).map(|_| (0..=next(2)).collect()).collect();
                    let norms: Vec<Norm> = (0..next(3))
                        .map(|_| match next(2) {
                            0 => at_most(next(2), i128::from(next(3))),
                            _ => at_least(next(2), i128::from(next(3))),
                        })
                        .collect();
                    region(&sets.iter().map(|s| &s[..]).collect::<Vec<_>>(), &norms)
                })
                .collect();
            let fewer = merge(parts.clone(), &mut Work(10_000));
            assert!(fewer.len() <= parts.len() && same(&parts, &fewer), "{parts:?} {fewer:?}");
        }
    }
}
