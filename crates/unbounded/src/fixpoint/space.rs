//! Sets of thread states and relations between them as binary decision diagrams.
//!
//! A variable has two places next to each other, for its value before and after a step. First the flag of atomic
//! sections, then globals, locks that the thread holds, and its locals.

use biodivine_lib_bdd::{
    Bdd, BddNode, BddPartialValuation, BddPointer, BddVariable, BddVariableSet, op_function,
};
use relyant_finite::boolean::expr::Expr;
use relyant_finite::boolean::flat::Flat;
use relyant_finite::boolean::program::{Exp, Var};

/// Programs with more variables are refused.
pub const VARIABLES: usize = 32_000;

/// A program has so many variables, which are too many.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0} variables where at most {VARIABLES} are supported")]
pub struct TooLarge(pub usize);

/// The places of variables.
pub struct Space {
    set: BddVariableSet,
    globals: u32,
    locks: u32,
}

/// A variable by its number among all.
pub type Slot = u32;

impl Space {
    /// Two places for the flag of atomic sections, and for each variable of a flat graph.
    pub fn new(f: &Flat) -> Result<Space, TooLarge> {
        let count = 1 + f.globals as usize + f.locks as usize + f.locals as usize;
        let places = u16::try_from(count * 2).ok().filter(|_| count <= VARIABLES).ok_or(TooLarge(count))?;
        Ok(Space { set: BddVariableSet::new_anonymous(places), globals: f.globals, locks: f.locks })
    }
    /// So many variables, all shared.
    #[cfg(test)]
    pub fn of_slots(n: u32) -> Space {
        Space { set: BddVariableSet::new_anonymous(u16::try_from(2 * n).expect("few")), globals: n, locks: 0 }
    }
    /// The flag of atomic sections.
    pub const ATOMIC: Slot = 0;
    /// The number of a variable among all.
    pub fn slot(&self, v: Var) -> Slot {
        match v {
            Var::Global(i) => 1 + i,
            Var::Held(i) => 1 + self.globals + i,
            Var::Local(i) => 1 + self.globals + self.locks + i,
        }
    }
    /// The numbers of all variables, ascending.
    pub fn slots(&self) -> impl Iterator<Item = Slot> + use<> {
        0..u32::from(self.set.num_vars() / 2)
    }
    /// Do all threads see it?
    pub fn is_shared(&self, s: Slot) -> bool {
        s <= self.globals
    }
    /// Is it whether the thread holds a lock?
    pub fn is_lock(&self, s: Slot) -> bool {
        s > self.globals && s <= self.globals + self.locks
    }
    /// Those that say which locks the thread holds.
    pub fn locks(&self) -> impl Iterator<Item = Slot> + use<> {
        self.globals + 1..self.globals + self.locks + 1
    }
    /// The place before a step.
    pub fn now(s: Slot) -> BddVariable {
        BddVariable::from_index(2 * s as usize)
    }
    /// The place after it.
    pub fn next(s: Slot) -> BddVariable {
        BddVariable::from_index(2 * s as usize + 1)
    }
    /// Which variable a place belongs to, and whether it is the one after a step.
    pub fn of(v: BddVariable) -> (Slot, bool) {
        let i = v.to_index();
        (u32::try_from(i / 2).unwrap_or(u32::MAX), i % 2 == 1)
    }
    /// The set of all valuations.
    pub fn all(&self) -> Bdd {
        self.set.mk_true()
    }
    /// The empty set, which no valuation is in.
    pub fn none(&self) -> Bdd {
        self.set.mk_false()
    }
    /// A place with a value.
    pub fn literal(&self, v: BddVariable, b: bool) -> Bdd {
        self.set.mk_literal(v, b)
    }
    /// No lock is held.
    pub fn no_locks(&self) -> Bdd {
        self.locks().fold(self.all(), |b, l| b.and(&self.literal(Space::now(l), false)))
    }

    /// Where an expression may be false and where it may be true; `written` are those whose next value is not the old.
    pub fn values(&self, e: &Exp, written: &[Var]) -> (Bdd, Bdd) {
        match e {
            Expr::Const(b) => {
                let (no, yes) = (self.none(), self.all());
                if *b { (no, yes) } else { (yes, no) }
            }
            Expr::Any => (self.all(), self.all()),
            Expr::Var(v) => self.var(Space::now(self.slot(*v))),
            Expr::Next(v) if written.contains(v) => self.var(Space::next(self.slot(*v))),
            Expr::Next(v) => self.var(Space::now(self.slot(*v))),
            Expr::Not(e) => {
                let (no, yes) = self.values(e, written);
                (yes, no)
            }
            Expr::And(es) => self.join(es, written, |(an, ay), (bn, by)| (an.or(&bn), ay.and(&by)), true),
            Expr::Or(es) => self.join(es, written, |(an, ay), (bn, by)| (an.and(&bn), ay.or(&by)), false),
            Expr::Iff(a, b) => {
                let ((an, ay), (bn, by)) = (self.values(a, written), self.values(b, written));
                (an.and(&by).or(&ay.and(&bn)), an.and(&bn).or(&ay.and(&by)))
            }
            Expr::Choose(a, b) => {
                let ((an, ay), (bn, _)) = (self.values(a, written), self.values(b, written));
                (an, ay.or(&bn))
            }
        }
    }

    /// Of operands; `unit` is the value of none. By halves, which keeps the diagrams on the way small.
    fn join(
        &self,
        es: &[Exp],
        written: &[Var],
        both: impl Fn((Bdd, Bdd), (Bdd, Bdd)) -> (Bdd, Bdd) + Copy,
        unit: bool,
    ) -> (Bdd, Bdd) {
        match es {
            [] => self.values(&Expr::Const(unit), written),
            [e] => self.values(e, written),
            _ => {
                let (a, b) = es.split_at(es.len() / 2);
                both(self.join(a, written, both, unit), self.join(b, written, both, unit))
            }
        }
    }

    /// All of these places with these values.
    pub fn literals(&self, of: impl Iterator<Item = (BddVariable, bool)>) -> Bdd {
        self.set.mk_conjunctive_clause(&BddPartialValuation::from_values(&of.collect::<Vec<_>>()))
    }

    fn var(&self, v: BddVariable) -> (Bdd, Bdd) {
        (self.literal(v, false), self.literal(v, true))
    }
}

/// The variables of a diagram's nodes.
pub fn variables(b: &Bdd) -> impl Iterator<Item = BddVariable> + '_ {
    (2..b.size()).map(|i| b.var_of(BddPointer::from_index(i)))
}

/// A conjunction without some variables.
pub fn and_exists(a: &Bdd, b: &Bdd, gone: &impl Fn(BddVariable) -> bool) -> Bdd {
    if a.is_false() || b.is_false() {
        return if a.is_false() { a.clone() } else { b.clone() };
    }
    let hit = |b: &Bdd| variables(b).any(&gone);
    if !hit(a) && !hit(b) {
        return and(a, b);
    }
    Bdd::binary_op_with_exists_trigger(a, b, gone, op_function::and)
}

/// A conjunction, quick if one is everything.
pub fn and(a: &Bdd, b: &Bdd) -> Bdd {
    match (a.is_true(), b.is_true()) {
        (true, _) => b.clone(),
        (_, true) => a.clone(),
        _ => a.and(b),
    }
}

/// The variables that a set depends on, in rising order.
pub fn support(set: &Bdd) -> Vec<Slot> {
    let mut out: Vec<Slot> = variables(set).map(|v| Space::of(v).0).collect();
    out.sort_unstable();
    out.dedup();
    out
}

/// The same set with other places, which must keep their order.
pub fn rename(b: Bdd, to: impl Fn(BddVariable) -> BddVariable) -> Bdd {
    let mut nodes: Vec<BddNode> = b.to_nodes();
    for n in nodes.iter_mut().skip(2) {
        n.var = to(n.var);
    }
    // The order is kept, so that this is still a diagram.
    Bdd::from_nodes(&nodes).unwrap_or_else(|message| unreachable!("places out of order: {message}"))
}
