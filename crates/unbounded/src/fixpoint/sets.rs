//! Sets as a cube beside a decision diagram: what has one value in all of a set takes two bits, however many such
//! variables there are. A diagram alone has a node for each, and to copy these is most of the work on programs whose
//! variables are set one after the other.

use super::space::{self, Slot, Space};
use biodivine_lib_bdd::{Bdd, BddPointer, BddVariable, op_function};

/// Places with a value: bits of what has one, and of the values.
type Word = (u64, u64);

/// A set of places, a bit each, 64 a word; those beyond the last word are not in it.
#[derive(Clone, Debug, Default)]
pub struct PlaceSet(Vec<u64>);

impl PlaceSet {
    /// Is it one of them?
    pub fn has(&self, v: BddVariable) -> bool {
        let i = v.to_index();
        self.0.get(i / 64).is_some_and(|w| w >> (i % 64) & 1 == 1)
    }
}

impl FromIterator<BddVariable> for PlaceSet {
    fn from_iter<T: IntoIterator<Item = BddVariable>>(all: T) -> PlaceSet {
        let mut out = PlaceSet::default();
        for i in all.into_iter().map(BddVariable::to_index) {
            if out.0.len() <= i / 64 {
                out.0.resize(i / 64 + 1, 0);
            }
            if let Some(w) = out.0.get_mut(i / 64) {
                *w |= 1 << (i % 64);
            }
        }
        out
    }
}

/// The places before a step in a word.
const NOW: u64 = 0x5555_5555_5555_5555;

/// Places that have the same value everywhere. No trailing words without one.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct Cube(Vec<Word>);

impl Cube {
    fn get(&self, v: BddVariable) -> Option<bool> {
        let i = v.to_index();
        let (known, values) = self.0.get(i / 64)?;
        (known >> (i % 64) & 1 == 1).then_some(values >> (i % 64) & 1 == 1)
    }
    fn insert(&mut self, v: BddVariable, b: bool) {
        let i = v.to_index();
        if self.0.len() <= i / 64 {
            self.0.resize(i / 64 + 1, (0, 0));
        }
        if let Some(w) = self.0.get_mut(i / 64) {
            w.0 |= 1 << (i % 64);
            w.1 = w.1 & !(1 << (i % 64)) | u64::from(b) << (i % 64);
        }
    }
    fn iter(&self) -> impl Iterator<Item = (BddVariable, bool)> + '_ {
        self.0.iter().enumerate().flat_map(|(k, (known, values))| {
            let mut rest = *known;
            std::iter::from_fn(move || {
                let bit = (rest != 0).then(|| rest.trailing_zeros() as usize)?;
                rest &= rest - 1;
                Some((BddVariable::from_index(k * 64 + bit), values >> bit & 1 == 1))
            })
        })
    }
    /// Word by word, a missing one of either as (0, 0).
    fn zip(&self, o: &Cube, f: impl Fn(Word, Word) -> Word) -> Cube {
        let word = |c: &Cube, i: usize| c.0.get(i).copied().unwrap_or_default();
        let n = self.0.len().max(o.0.len());
        Cube((0..n).map(|i| f(word(self, i), word(o, i))).collect()).trimmed()
    }
    fn trimmed(mut self) -> Cube {
        while self.0.last() == Some(&(0, 0)) {
            self.0.pop();
        }
        self
    }
    fn conflicts(&self, o: &Cube) -> bool {
        self.0.iter().zip(&o.0).any(|(a, b)| a.0 & b.0 & (a.1 ^ b.1) != 0)
    }
    /// The places of either, with their values. They must not conflict.
    fn both(&self, o: &Cube) -> Cube {
        self.zip(o, |a, b| (a.0 | b.0, a.1 | b.1))
    }
    /// The places with the same value in both.
    fn common(&self, o: &Cube) -> Cube {
        self.zip(o, |a, b| {
            let same = a.0 & b.0 & !(a.1 ^ b.1);
            (same, a.1 & same)
        })
    }
    /// Without the places of another.
    fn minus(&self, o: &Cube) -> Cube {
        self.zip(o, |a, b| (a.0 & !b.0, a.1 & !b.0))
    }
    /// Without the values of some places.
    fn without(&self, gone: &PlaceSet) -> Cube {
        let kept = |(i, w): (usize, &Word)| {
            let gone = gone.0.get(i).copied().unwrap_or(0);
            (w.0 & !gone, w.1 & !gone)
        };
        Cube(self.0.iter().enumerate().map(kept).collect()).trimmed()
    }
    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// A set. The diagram says nothing of the cube's places, and has none with one value itself.
#[derive(Clone, Debug)]
pub struct Set {
    cube: Cube,
    rest: Bdd,
}

impl Set {
    /// The set of a diagram, whatever it is.
    pub fn new(b: Bdd) -> Set {
        Set::of(Cube::default(), b)
    }

    /// The set of all valuations.
    pub fn all(space: &Space) -> Set {
        Set::new(space.all())
    }

    /// With what has one value in the diagram moved to the cube.
    fn of(mut cube: Cube, mut rest: Bdd) -> Set {
        if rest.is_false() {
            return Set { cube: Cube::default(), rest };
        }
        let known = forced(&rest);
        if !known.is_empty() {
            rest = rest.restrict(&known);
            known.into_iter().for_each(|(v, b)| cube.insert(v, b));
        }
        Set { cube, rest }
    }

    /// As one diagram; equal sets give equal ones.
    pub fn diagram(&self, space: &Space) -> Bdd {
        // other operations than this keep no order of nodes
        self.rest.and(&space.literals(self.cube.iter()))
    }

    /// The diagram and these values.
    fn with(&self, space: &Space, values: &Cube) -> Bdd {
        if values.is_empty() || self.is_false() {
            return self.rest.clone();
        }
        space::and(&self.rest, &space.literals(values.iter()))
    }

    /// Is it the empty set?
    pub fn is_false(&self) -> bool {
        self.rest.is_false()
    }
    /// Is it the set of all valuations?
    pub fn is_true(&self) -> bool {
        self.rest.is_true() && self.cube.is_empty()
    }

    /// The set with a place at a value that is not mentioned so far.
    pub fn fixed(mut self, v: BddVariable, b: bool) -> Set {
        if !self.is_false() {
            self.cube.insert(v, b);
        }
        self
    }

    /// The diagram where the places of a cube have its values.
    fn under(&self, cube: &Cube) -> Bdd {
        let mut hit: Vec<(BddVariable, bool)> =
            space::variables(&self.rest).filter_map(|v| cube.get(v).map(|b| (v, b))).collect();
        if hit.is_empty() {
            return self.rest.clone();
        }
        hit.sort_unstable();
        hit.dedup();
        self.rest.restrict(&hit)
    }

    /// The intersection; as a relation, both conditions.
    pub fn and(&self, o: &Set) -> Set {
        self.and_exists(o, &PlaceSet::default())
    }

    /// The conjunction without some places.
    pub fn and_exists(&self, o: &Set, gone: &PlaceSet) -> Set {
        if self.is_false() || o.is_false() {
            return if self.is_false() { self.clone() } else { o.clone() };
        }
        if o.is_true() {
            return self.exists(gone);
        }
        if self.cube.conflicts(&o.cube) {
            return Set { cube: Cube::default(), rest: self.rest.and_not(&self.rest) };
        }
        let rest = space::and_exists(&self.under(&o.cube), &o.under(&self.cube), &|v| gone.has(v));
        Set::of(self.cube.both(&o.cube).without(gone), rest)
    }

    /// With some places forgotten: they may have any values.
    pub fn exists(&self, gone: &PlaceSet) -> Set {
        let cube = self.cube.without(gone);
        if space::variables(&self.rest).any(|v| gone.has(v)) {
            return Set::of(cube, self.rest.exists_trigger(|v| gone.has(v)));
        }
        Set { cube, rest: self.rest.clone() }
    }

    /// The union; what has one value in both stays in the cube.
    pub fn or(&self, space: &Space, o: &Set) -> Set {
        if self.is_inside(o) || o.is_inside(self) {
            return if self.is_inside(o) { o.clone() } else { self.clone() };
        }
        let common = self.cube.common(&o.cube);
        let [a, b] = [self, o].map(|s| s.with(space, &s.cube.minus(&common)));
        Set::of(common, a.or(&b))
    }

    /// Is all of it in the other?
    pub fn is_inside(&self, o: &Set) -> bool {
        if self.is_false() || o.is_true() {
            return true;
        }
        // What has one value in the other has it here, and no diagram says that of a place.
        if o.is_false() || self.cube.common(&o.cube) != o.cube {
            return false;
        }
        let o = o.under(&self.cube);
        let some = Bdd::check_binary_op(usize::MAX, &self.rest, &o, op_function::and_not);
        some.is_some_and(|(any, _)| !any)
    }

    /// The variables that it depends on, in rising order.
    pub fn support(&self) -> Vec<Slot> {
        let all = self.cube.iter().map(|l| l.0).chain(space::variables(&self.rest));
        let mut out: Vec<Slot> = all.map(|v| Space::of(v).0).collect();
        out.sort_unstable();
        out.dedup();
        out
    }

    /// With the places after a step as those before it, of which it must not have the same.
    pub fn stepped(self) -> Set {
        let word = |w: Word| ((w.0 | w.0 >> 1) & NOW, (w.1 | w.1 >> 1) & NOW);
        let cube = Cube(self.cube.0.into_iter().map(word).collect());
        let now = |v: BddVariable| Space::now(Space::of(v).0);
        let moves = space::variables(&self.rest).any(|v| now(v) != v);
        Set { cube, rest: if moves { space::rename(self.rest, now) } else { self.rest } }
    }

    /// With other places, which must keep their order.
    pub fn rename(self, to: impl Fn(BddVariable) -> BddVariable) -> Set {
        let mut cube = Cube::default();
        self.cube.iter().for_each(|(v, b)| cube.insert(to(v), b));
        let moves = space::variables(&self.rest).any(|v| to(v) != v);
        Set { cube, rest: if moves { space::rename(self.rest, to) } else { self.rest } }
    }
}

/// What has one value in all of a set: each way to true takes the same turn there, and none goes past it.
fn forced(b: &Bdd) -> Vec<(BddVariable, bool)> {
    let mut vars: Vec<BddVariable> = space::variables(b).collect();
    vars.sort_unstable();
    vars.dedup();
    // by place: false and true are possible, and by how many more ways it begins to be passed than it ends
    let mut turns = vec![[false; 2]; vars.len()];
    let mut passed = vec![0i64; vars.len() + 1];
    for i in 2..b.size() {
        let node = BddPointer::from_index(i);
        let Ok(at) = vars.binary_search(&b.var_of(node)) else { continue };
        for (turn, to) in [(0, b.low_link_of(node)), (1, b.high_link_of(node))] {
            if to.is_zero() {
                continue;
            }
            turns[at][turn] = true;
            let end = if to.is_one() { vars.len() } else { vars.binary_search(&b.var_of(to)).unwrap_or(at) };
            if end > at + 1 {
                passed[at + 1] += 1;
                passed[end] -= 1;
            }
        }
    }
    let mut ways = 0;
    let mut out = Vec::new();
    for ((v, [no, yes]), more) in vars.into_iter().zip(turns).zip(passed) {
        ways += more;
        if ways == 0 && no != yes {
            out.push((v, yes));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const SLOTS: u32 = 4;

    /// Conjunction of clauses; literals are places of a few variables.
    fn diagram(clauses: &[Vec<(u8, bool)>]) -> Bdd {
        let s = Space::of_slots(SLOTS);
        clauses.iter().fold(s.all(), |all, c| {
            let one = |(v, b): &(u8, bool)| s.literal(BddVariable::from_index(usize::from(*v)), *b);
            all.and(&c.iter().fold(s.none(), |any, l| any.or(&one(l))))
        })
    }

    fn some() -> impl Strategy<Value = Bdd> {
        let literal = (0..2 * SLOTS as u8, any::<bool>());
        let clause = proptest::collection::vec(literal, 1..4);
        proptest::collection::vec(clause, 0..6).prop_map(|c| diagram(&c))
    }

    /// The same set, as nothing in the diagram is about a place of the cube, or could be in it.
    fn same(s: &Set, b: &Bdd) -> bool {
        let space = Space::of_slots(SLOTS);
        let d = s.diagram(&space);
        d == b.and(&space.all()) && forced(&s.rest).is_empty() && s.under(&s.cube).iff(&s.rest).is_true()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(400))]
        #[test]
        fn as_diagrams(a in some(), b in some(), gone in any::<u8>()) {
            let space = Space::of_slots(SLOTS);
            let gone = |v: BddVariable| gone >> v.to_index() & 1 == 1;
            let places: PlaceSet = (0..2 * SLOTS as usize).map(BddVariable::from_index).filter(|v| gone(*v)).collect();
            let (x, y) = (Set::new(a.clone()), Set::new(b.clone()));
            let both = space::and_exists(&a, &b, &gone);
            prop_assert!(same(&x, &a) && same(&y, &b));
            prop_assert!(same(&x.and(&y), &a.and(&b)));
            prop_assert!(same(&x.or(&space, &y), &a.or(&b)));
            prop_assert!(same(&x.and_exists(&y, &places), &both));
            prop_assert!(same(&x.exists(&places), &space::and_exists(&a, &space.all(), &gone)));
            prop_assert_eq!(x.is_inside(&y), a.and_not(&b).is_false());
            prop_assert!(x.and(&y).is_inside(&x) && x.is_inside(&x.or(&space, &y)));
            prop_assert_eq!((x.is_true(), x.is_false()), (a.is_true(), a.is_false()));
            prop_assert_eq!(x.support(), space::support(&a));
            // all at the places after a step
            let odd = |v: BddVariable| v.to_index() % 2 == 1;
            let now = space::and_exists(&a, &space.all(), &odd);
            let later = |v: BddVariable| Space::next(Space::of(v).0);
            let after = Set::new(now.clone()).rename(later);
            prop_assert!(same(&after, &space::rename(now.clone(), later)));
            prop_assert!(same(&after.stepped(), &now));
        }
        #[test]
        fn one_value(a in some()) {
            let known = forced(&a);
            for i in 0..2 * SLOTS as usize {
                let v = BddVariable::from_index(i);
                let turns = [false, true].map(|b| !a.var_restrict(v, b).is_false());
                let one = known.iter().find(|k| k.0 == v).map(|k| k.1);
                let expected = if a.is_false() || turns[0] == turns[1] { None } else { Some(turns[1]) };
                prop_assert_eq!(one, expected);
            }
        }
    }
}
