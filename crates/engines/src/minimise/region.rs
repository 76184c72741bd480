//! Unions of regions with fewer words: a region is a product of sets of locations and a cube.
//!
//! As two-level minimisers of Boolean functions do (Brayton, Hachtel, McMullen, Sangiovanni-Vincentelli, "Logic
//! minimization algorithms for VLSI synthesis", 1984: EXPAND and IRREDUNDANT), each region is made larger while the
//! union stays the same, and regions that the others cover go. Atoms are those that are there, or the equality of two;
//! a cover by overlapping regions need not be the smallest.

use relyant_linear::{Atom, Cube, LinExpr, Norm, Rat, Rel, Satisfiable, Var};
use relyant_program::Loc;

/// All points whose locations are in the sets, dimension by dimension, and whose values satisfy the cube.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Region {
    /// Sorted; all regions of a union have the same dimensions.
    pub(super) sets: Vec<Vec<Loc>>,
    /// Over integers.
    pub(super) cube: Cube,
}

/// Counts the work, in questions about cubes; once there is none left nothing becomes smaller.
pub(super) struct Work(pub(super) usize);

impl Work {
    pub(super) fn spend(&mut self) -> bool {
        self.0 = self.0.saturating_sub(1);
        self.0 > 0
    }
}

fn is_empty(cube: &Cube) -> bool {
    cube.is_bottom() || cube.sat_int() == Satisfiable::Unsat
}

/// Is each point in one of the regions? `false` as well where the work is used up.
pub(super) fn covered(sets: &[Vec<Loc>], cube: &Cube, by: &[&Region], work: &mut Work) -> bool {
    if !work.spend() {
        return false;
    }
    if sets.iter().any(Vec::is_empty) || is_empty(cube) {
        return true;
    }
    let Some((first, rest)) = by.split_first() else { return false };
    let mut inside = Vec::with_capacity(sets.len());
    let mut outside = Vec::with_capacity(sets.len());
    for (set, other) in sets.iter().zip(&first.sets) {
        let (both, left): (Vec<Loc>, Vec<Loc>) = set.iter().partition(|l| other.binary_search(l).is_ok());
        inside.push(both);
        outside.push(left);
    }
    if inside.iter().any(Vec::is_empty) || is_empty(&cube.and(&first.cube)) {
        return covered(sets, cube, rest, work);
    }
    for (d, left) in outside.iter().enumerate().filter(|(_, left)| !left.is_empty()) {
        let before = inside.iter().take(d).chain([left]);
        let part: Vec<Vec<Loc>> = before.chain(sets.iter().skip(d + 1)).cloned().collect();
        if !covered(&part, cube, rest, work) {
            return false;
        }
    }
    let mut within = cube.clone();
    for a in first.cube.atoms() {
        if within.entails(a) == Some(true) {
            continue;
        }
        for n in a.negate() {
            let mut without = within.clone();
            without.push(n);
            if !covered(&inside, &without, rest, work) {
                return false;
            }
        }
        within.push(Norm::Atom(a.clone()));
    }
    true
}

/// The same union in fewer words. `full` are the sets that say nothing; of two variables that are equal, one that `is_ghost`
/// is said of as the other.
pub(super) fn simplify(
    mut regions: Vec<Region>,
    full: &[Vec<Loc>],
    is_ghost: &dyn Fn(Var) -> bool,
    work: &mut Work,
) -> Vec<Region> {
    for r in &mut regions {
        r.cube = without_ghosts(&with_constants(&with_equalities(&r.cube)), is_ghost);
    }
    regions.retain(|r| !is_empty(&r.cube) && r.sets.iter().all(|s| !s.is_empty()));
    regions.sort();
    regions.dedup();
    for i in 0..regions.len() {
        widen_sets(&mut regions, i, full, work);
        widen_cube(&mut regions, i, work);
        widen_sets(&mut regions, i, full, work);
    }
    for i in (0..regions.len()).rev() {
        let Some(r) = regions.get(i).cloned() else { continue };
        let others: Vec<&Region> =
            regions.iter().enumerate().filter(|(k, _)| *k != i).map(|(_, r)| r).collect();
        if covered(&r.sets, &r.cube, &others, work) {
            regions.remove(i);
        }
    }
    for r in &mut regions {
        r.cube = with_equalities(&r.cube);
    }
    regions.sort();
    regions
}

/// Drops atoms that keep out nothing but what the union has.
fn widen_cube(regions: &mut [Region], i: usize, work: &mut Work) {
    // Half of an equality may be enough.
    let Some(r) = regions.get_mut(i) else { return };
    if !r.cube.is_bottom() {
        r.cube = Cube::of(r.cube.atoms().iter().flat_map(Atom::inequalities).map(|e| Atom::le(&e)));
    }
    let mut atoms: Vec<Atom> = r.cube.atoms().to_vec();
    // What takes most words goes first.
    atoms.sort_by_key(|a| std::cmp::Reverse(a.expr().terms().len()));
    for a in atoms {
        let Some(r) = regions.get(i) else { return };
        let rest = Cube::of(r.cube.atoms().iter().filter(|b| **b != a).cloned().map(Norm::Atom));
        let all: Vec<&Region> = regions.iter().collect();
        let free = a.negate().into_iter().all(|n| {
            let mut added = rest.clone();
            added.push(n);
            covered(&r.sets, &added, &all, work)
        });
        if free && let Some(r) = regions.get_mut(i) {
            r.cube = rest;
        }
    }
}

/// Adds locations that the union has anyway.
fn widen_sets(regions: &mut [Region], i: usize, full: &[Vec<Loc>], work: &mut Work) {
    for (d, all) in full.iter().enumerate() {
        let Some(r) = regions.get(i) else { return };
        let missing = all.iter().filter(|l| r.sets.get(d).is_some_and(|s| s.binary_search(l).is_err()));
        for l in missing.copied().collect::<Vec<_>>() {
            let Some(r) = regions.get(i) else { return };
            let mut sets = r.sets.clone();
            if let Some(s) = sets.get_mut(d) {
                *s = vec![l];
            }
            let union: Vec<&Region> = regions.iter().collect();
            if covered(&sets, &r.cube, &union, work)
                && let Some(s) = regions.get_mut(i).and_then(|r| r.sets.get_mut(d))
                && let Err(k) = s.binary_search(&l)
            {
                s.insert(k, l);
            }
        }
    }
}

/// A variable that has one value is replaced by it, but where that is said.
fn with_constants(cube: &Cube) -> Cube {
    let mut out = cube.clone();
    for a in cube.atoms().iter().filter(|a| a.rel() == Rel::Eq) {
        let [(x, c)] = a.expr().terms() else { continue };
        if *c != Rat::one() {
            continue;
        }
        let value = LinExpr::constant(-a.expr().constant_part());
        let mut next = out.subst(|v| (v == *x).then(|| value.clone()));
        next.push(Norm::Atom(a.clone()));
        out = next;
    }
    with_equalities(&out)
}

/// A ghost that is equal to another variable is replaced by it, but for the equality itself.
fn without_ghosts(cube: &Cube, is_ghost: &dyn Fn(Var) -> bool) -> Cube {
    let mut out = cube.clone();
    for a in cube.atoms().iter().filter(|a| a.rel() == Rel::Eq) {
        let [(x, c), (y, d)] = a.expr().terms() else { continue };
        if !a.expr().constant_part().is_zero() || !(c + d).is_zero() || is_ghost(*x) == is_ghost(*y) {
            continue;
        }
        let (ghost, other) = if is_ghost(*x) { (*x, *y) } else { (*y, *x) };
        let same = LinExpr::var(other);
        let mut next = out.subst(|v| (v == ghost).then(|| same.clone()));
        next.push(Norm::Atom(a.clone()));
        out = next;
    }
    out
}

/// Two inequalities as an equality, where they are one.
fn with_equalities(cube: &Cube) -> Cube {
    if cube.is_bottom() {
        return cube.clone();
    }
    let opposite = |e: &LinExpr| Atom::le(&e.negated());
    let both = |a: &Atom| {
        a.rel() == Rel::Le
            && matches!(opposite(a.expr()), Norm::Atom(b) if cube.atoms().binary_search(&b).is_ok())
    };
    Cube::of(cube.atoms().iter().map(|a| if both(a) { Atom::eq(a.expr()) } else { Norm::Atom(a.clone()) }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn x(v: u32) -> LinExpr {
        LinExpr::var(Var(v))
    }
    fn at_most(v: u32, n: i128) -> Norm {
        Atom::le(&x(v).sub(&LinExpr::int(n)))
    }
    fn at_least(v: u32, n: i128) -> Norm {
        Atom::le(&LinExpr::int(n).sub(&x(v)))
    }
    fn region(set: &[u32], norms: impl IntoIterator<Item = Norm>) -> Region {
        Region { sets: vec![set.iter().copied().map(Loc).collect()], cube: Cube::of(norms) }
    }
    fn full() -> Vec<Vec<Loc>> {
        vec![vec![Loc(0), Loc(1), Loc(2)]]
    }

    #[test]
    fn two_halves_are_one() {
        let halves = vec![region(&[0, 1, 2], [at_most(0, 3)]), region(&[0, 1, 2], [at_least(0, 4)])];
        let one = simplify(halves, &full(), &|_| false, &mut Work(1000));
        assert_eq!(one, [region(&[0, 1, 2], [])]);
    }

    #[test]
    fn a_gap_stays() {
        let halves = vec![region(&[0], [at_most(0, 3)]), region(&[0], [at_least(0, 5)])];
        assert_eq!(simplify(halves.clone(), &full(), &|_| false, &mut Work(1000)).len(), 2);
        assert!(!covered(&[vec![Loc(0)]], &Cube::top(), &halves.iter().collect::<Vec<_>>(), &mut Work(1000)));
    }

    #[test]
    fn locations_are_joined() {
        let both = [at_most(0, 3), at_least(1, 2)];
        let parts = vec![region(&[0], both.clone()), region(&[1, 2], both.clone())];
        assert_eq!(simplify(parts, &full(), &|_| false, &mut Work(1000)), [region(&[0, 1, 2], both)]);
    }

    #[test]
    fn without_work_nothing_changes() {
        let halves = vec![region(&[0, 1, 2], [at_most(0, 3)]), region(&[0, 1, 2], [at_least(0, 4)])];
        assert_eq!(simplify(halves, &full(), &|_| false, &mut Work(0)).len(), 2);
    }

    #[test]
    fn bounds_that_meet_are_an_equality() {
        let one = simplify(
            vec![region(&[0], [at_most(0, 3), at_least(0, 3)])],
            &full(),
            &|_| false,
            &mut Work(1000),
        );
        assert_eq!(one, [region(&[0], [Atom::eq(&x(0).sub(&LinExpr::int(3)))])]);
    }

    #[test]
    fn a_ghost_is_said_as_what_it_equals() {
        let (equal, bound) = (Atom::eq(&x(0).sub(&x(1))), at_most(0, 3));
        let ghost = |v: Var| v == Var(0);
        let one = simplify(vec![region(&[0], [equal.clone(), bound])], &full(), &ghost, &mut Work(1000));
        assert_eq!(one, [region(&[0], [equal, at_most(1, 3)])]);
    }

    #[test]
    fn values_that_are_known_are_put_in() {
        let (known, equal) = (Atom::eq(&x(0).sub(&LinExpr::int(2))), Atom::eq(&x(0).sub(&x(1))));
        let one = simplify(vec![region(&[0], [known.clone(), equal])], &full(), &|_| false, &mut Work(1000));
        assert_eq!(one, [region(&[0], [known, Atom::eq(&x(1).sub(&LinExpr::int(2)))])]);
    }

    #[test]
    fn half_of_an_equality_may_be_enough() {
        let parts = vec![
            region(&[0], [Atom::eq(&x(0).sub(&LinExpr::int(1)))]),
            region(&[0], [Atom::eq(&x(0).sub(&LinExpr::int(2)))]),
            region(&[0], [at_least(0, 3)]),
        ];
        let one = simplify(parts, &full(), &|_| false, &mut Work(1000));
        assert_eq!(one, [region(&[0], [at_least(0, 1)])]);
    }
}
