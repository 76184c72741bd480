//! Assignments as relations.

use super::sets::{PlaceSet, Set};
use super::space::{Slot, Space};
use relyant_finite::boolean::flat::Write;
use relyant_finite::boolean::program::{Exp, Var};

/// Assignments at once, as a relation.
pub struct Effect {
    /// Variables written, in rising order.
    pub written: Vec<Slot>,
    /// Between the places before and after; those written that have any value are not mentioned.
    pub relation: Set,
    /// The places before of those written.
    before: PlaceSet,
}

impl Effect {
    /// Of assignments at once.
    pub fn new(space: &Space, w: &Write) -> Effect {
        let mut written: Vec<Slot> = w.targets.iter().map(|t| space.slot(*t)).collect();
        written.sort_unstable();
        let of = |e: &Exp, targets: &[Var]| {
            let (no, yes) = space.values(e, targets);
            (Set::new(no), Set::new(yes))
        };
        let mut relation = w.constrain.as_ref().map_or_else(|| Set::all(space), |c| of(c, &w.targets).1);
        for (t, value) in w.targets.iter().zip(&w.values) {
            let after = Space::next(space.slot(*t));
            let is = match value {
                Exp::Any => continue,
                Exp::Const(b) => Set::all(space).fixed(after, *b),
                e => {
                    let (no, yes) = of(e, &[]);
                    let [n, y] = [false, true].map(|b| Set::all(space).fixed(after, b));
                    y.and(&yes).or(space, &n.and(&no))
                }
            };
            relation = relation.and(&is);
        }
        Effect { before: places(&written), written, relation }
    }

    /// A constant for one variable.
    pub fn constant(space: &Space, slot: Slot, b: bool) -> Effect {
        let relation = Set::all(space).fixed(Space::next(slot), b);
        Effect { written: vec![slot], relation, before: places(&[slot]) }
    }

    /// States after the assignments.
    pub fn image(&self, before: &Set) -> Set {
        before.and_exists(&self.relation, &self.before).stepped()
    }

    /// The same, where nothing is known of the variables `gone` but what the assignments say.
    pub fn image_without(&self, space: &Space, before: &Set, gone: impl Fn(Slot) -> bool) -> Set {
        let gone = space.slots().filter(|s| gone(*s) || self.written.binary_search(s).is_ok());
        before.and_exists(&self.relation, &gone.map(Space::now).collect()).stepped()
    }
}

/// The places of variables before a step.
pub fn places<'a>(slots: impl IntoIterator<Item = &'a Slot>) -> PlaceSet {
    slots.into_iter().map(|s| Space::now(*s)).collect()
}
