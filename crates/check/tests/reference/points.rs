//! Values of all that a premise speaks of, tried one after another.

use relyant_check::{Assertion, Tickets};
use relyant_linear::{Cube, LinExpr, Rel, Var};
use relyant_program::{Edge, Loc, Program, Role, Scope};
use std::collections::BTreeSet;

/// The least and the greatest value that is tried of a variable.
pub const DOMAIN: (i128, i128) = (-1, 2);

/// What a premise may speak of, as an index: each program variable and each template's place, of the thread that moves or the
/// only one (copy 0) and of a second one of its template (copy 1), before and after a step; then inputs.
pub type Slot = usize;

/// Values by slot.
pub type Point = Vec<i128>;

/// A condition on the values of some slots.
#[derive(Clone, Debug)]
pub enum Fact {
    /// The sum of multiples of slots and a number is 0, or at most 0.
    Sum { terms: Vec<(Slot, i128)>, number: i128, rel: Rel },
    /// Where a thread is.
    At(Slot, Vec<i128>),
    /// They are different.
    Differ(Slot, Slot),
    /// Nothing satisfies it.
    Never,
}

impl Fact {
    pub fn same(a: Slot, b: Slot) -> Fact {
        Fact::Sum { terms: vec![(a, 1), (b, -1)], number: 0, rel: Rel::Eq }
    }
    pub fn place(slot: Slot, ls: &[Loc]) -> Fact {
        Fact::At(slot, ls.iter().map(|l| l.0.into()).collect())
    }
    pub fn holds(&self, p: &[i128]) -> bool {
        match self {
            Fact::Sum { terms, number, rel } => {
                let sum = terms.iter().fold(*number, |s, (x, c)| s + c * p[*x]);
                if *rel == Rel::Eq { sum == 0 } else { sum <= 0 }
            }
            Fact::At(x, ls) => ls.contains(&p[*x]),
            Fact::Differ(a, b) => p[*a] != p[*b],
            Fact::Never => false,
        }
    }
    pub fn slots(&self) -> Vec<Slot> {
        match self {
            Fact::Sum { terms, .. } => terms.iter().map(|t| t.0).collect(),
            Fact::At(x, _) => vec![*x],
            Fact::Differ(a, b) => vec![*a, *b],
            Fact::Never => vec![],
        }
    }
}

/// Whose locals a name means: those of copy 1 for this template, of copy 0 for the others.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Second(pub Option<u32>);

/// Which slot is what.
pub struct Slots<'a> {
    p: &'a Program,
    variables: usize,
    templates: usize,
}

impl<'a> Slots<'a> {
    pub fn new(p: &'a Program) -> Slots<'a> {
        Slots { p, variables: p.variables.len(), templates: p.templates.len() }
    }
    fn len(&self) -> usize {
        self.input(0) + 4
    }
    pub fn of(&self, v: Var, second: Second, after: bool) -> Slot {
        let copy = match self.p.variables[v.0 as usize].scope {
            Scope::Local(t) if second.0 == Some(t) => 1,
            _ => 0,
        };
        (copy * 2 + after as usize) * self.variables + v.0 as usize
    }
    pub fn at(&self, t: u32, second: Second, after: bool) -> Slot {
        let copy = (second.0 == Some(t)) as usize;
        4 * self.variables + (copy * 2 + after as usize) * self.templates + t as usize
    }
    pub fn input(&self, k: usize) -> Slot {
        4 * (self.variables + self.templates) + k
    }
    fn fact(&self, e: &LinExpr, rel: Rel, slot: &dyn Fn(Var) -> Slot) -> Fact {
        let whole = |r: &relyant_linear::Rat| r.to_i128().expect("an integer");
        let terms = e.terms().iter().map(|(v, c)| (slot(*v), whole(c))).collect();
        Fact::Sum { terms, number: whole(e.constant_part()), rel }
    }
    fn cube(&self, c: &Cube, slot: &dyn Fn(Var) -> Slot) -> Vec<Fact> {
        if c.is_bottom() {
            return vec![Fact::Never];
        }
        c.atoms().iter().map(|a| self.fact(a.expr(), a.rel(), slot)).collect()
    }
    /// A condition on the values before the step, or after it.
    pub fn condition(&self, c: &Cube, second: Second, after: bool) -> Vec<Fact> {
        self.cube(c, &|v| self.of(v, second, after))
    }
    pub fn assertion(&self, s: &Assertion, second: Second, after: bool) -> Vec<Fact> {
        let mut facts = self.condition(&s.cube, second, after);
        facts.extend(self.places(&s.control, second, after));
        facts
    }
    pub fn places(&self, control: &[(u32, Vec<Loc>)], second: Second, after: bool) -> Vec<Fact> {
        control.iter().map(|(t, ls)| Fact::place(self.at(*t, second, after), ls)).collect()
    }
    /// A relation between values before and after a step.
    pub fn relation(&self, c: &Cube, second: Second) -> Vec<Fact> {
        self.cube(c, &|v| match Role::of(v) {
            Role::Before(v) => self.of(v, second, false),
            Role::After(v) => self.of(v, second, true),
            r => panic!("no value of this thread: {r:?}"),
        })
    }
    /// When a thread, copy 0 of its template, can take an edge.
    pub fn enabled(&self, e: &Edge) -> Vec<Fact> {
        let slot = |v: Var| match (v.0 as usize).checked_sub(self.variables) {
            Some(k) => self.input(k),
            None => self.of(v, Second(None), false),
        };
        [self.cube(&e.guard, &slot), self.cube(&e.bounds, &slot)].concat()
    }
    /// The values after the step of a thread of template i, copy 0.
    pub fn fire(&self, i: u32, e: &Edge, p: &[i128]) -> Point {
        let mut next = p.to_vec();
        for copy in [Second(None), Second(Some(i))] {
            for v in (0..self.variables as u32).map(Var) {
                next[self.of(v, copy, true)] = p[self.of(v, copy, false)];
            }
            for t in 0..self.templates as u32 {
                next[self.at(t, copy, true)] = p[self.at(t, copy, false)];
            }
        }
        for (v, value) in &e.updates {
            let read = |v: Var| match (v.0 as usize).checked_sub(self.variables) {
                Some(k) => p[self.input(k)],
                None => p[self.of(v, Second(None), false)],
            };
            let value = value.eval(|v| read(v).into()).to_i128().expect("an integer");
            next[self.of(*v, Second(None), true)] = value;
        }
        next[self.at(i, Second(None), true)] = e.to.0.into();
        next
    }
    /// What is known of handles among the slots: in range, and no two the same.
    fn handles(&self, slots: &BTreeSet<Slot>) -> Vec<Fact> {
        let mut known = Vec::new();
        let mut facts = Vec::new();
        for (k, x) in self.p.variables.iter().enumerate().filter(|(_, x)| x.identity) {
            let (v, Scope::Local(t)) = (Var(k as u32), x.scope) else { panic!("an identity is a local") };
            for slot in [self.of(v, Second(None), false), self.of(v, Second(Some(t)), false)] {
                if !slots.contains(&slot) {
                    continue;
                }
                facts.extend(known.iter().map(|y| Fact::Differ(slot, *y)));
                known.push(slot);
                let bound = |k: i128, n: i128| Fact::Sum { terms: vec![(slot, k)], number: n, rel: Rel::Le };
                facts.extend(x.min.map(|m| bound(-1, m)));
                facts.extend(x.max.map(|m| bound(1, -m)));
            }
        }
        facts
    }
    /// Two threads that hold tickets of a counter hold different ones: one of template i at l, copy 0, and one of j.
    pub fn tickets(&self, all: &[Tickets], (i, l): (u32, Loc), j: u32, second: Second, p: &[i128]) -> bool {
        all.iter().all(|t| {
            let held = |k: u32, at: i128| {
                let h = t.holders.iter().find(|h| h.template == k)?;
                h.locations.iter().any(|x| i128::from(x.0) == at).then_some(h.variable)
            };
            match (held(i, l.0.into()), held(j, p[self.at(j, second, false)])) {
                (Some(a), Some(b)) => p[self.of(a, Second(None), false)] != p[self.of(b, second, false)],
                _ => true,
            }
        })
    }
    /// All values that a slot may have, of those that are tried.
    fn values(&self, x: Slot) -> (i128, i128) {
        match x.checked_sub(4 * self.variables) {
            Some(k) if k < 4 * self.templates => {
                (0, self.p.templates[k % self.templates].locations.len() as i128 - 1)
            }
            _ => DOMAIN,
        }
    }
    /// Is there a point where all facts hold and the test, too? Slots that neither facts nor `more` speak of are 0.
    pub fn find(&self, facts: &[Fact], more: &[Slot], test: &mut dyn FnMut(&[i128]) -> bool) -> bool {
        let slots: BTreeSet<Slot> = facts.iter().flat_map(Fact::slots).chain(more.iter().copied()).collect();
        let facts = [facts.to_vec(), self.handles(&slots)].concat();
        if facts.iter().any(|f| matches!(f, Fact::Never)) {
            return false;
        }
        let order: Vec<Slot> = slots.into_iter().collect();
        // Each fact is looked at when its last slot has a value.
        let last = |f: &Fact| order.iter().rposition(|x| f.slots().contains(x));
        let ready = |k: usize| facts.iter().filter(|f| last(f) == Some(k)).collect();
        let by_slot: Vec<Vec<&Fact>> = (0..order.len()).map(ready).collect();
        if !facts.iter().filter(|f| last(f).is_none()).all(|f| f.holds(&[])) {
            return false;
        }
        let mut point = vec![0; self.len()];
        self.extend(&order, &by_slot, 0, &mut point, test)
    }
    fn extend(
        &self,
        order: &[Slot],
        facts: &[Vec<&Fact>],
        k: usize,
        point: &mut Point,
        test: &mut dyn FnMut(&[i128]) -> bool,
    ) -> bool {
        let Some(x) = order.get(k) else { return test(point) };
        let (low, high) = self.values(*x);
        for n in low..=high {
            point[*x] = n;
            if facts[k].iter().all(|f| f.holds(point)) && self.extend(order, facts, k + 1, point, test) {
                return true;
            }
        }
        point[*x] = 0;
        false
    }
}
