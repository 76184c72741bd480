//! Constraints and questions over slots of a [`Closure`]: what the fixpoint asks, compiled once a precision.

use super::bits::Bits;
use super::closure::Closure;
use relyant_linear::meter;
use relyant_linear::{Atom, Closed, Cube, LinExpr, Norm, Rat, Rel, Satisfiable, Var};
use rustc_hash::FxHashMap;

/// Slots of variables; slot 0 is the constant zero.
#[derive(Clone, Default, Debug)]
pub struct Layout {
    /// The slot of each variable, from 1; slot 0 is the constant zero.
    slots: FxHashMap<Var, u16>,
}

impl Layout {
    /// The slot of a variable, made if there is none.
    pub fn slot(&mut self, v: Var) -> u16 {
        let next = self.slots.len() as u16 + 1;
        *self.slots.entry(v).or_insert(next)
    }
    /// Number of slots, zero's included.
    pub fn size(&self) -> usize {
        self.slots.len() + 1
    }
}

/// An inequality over slots.
#[derive(Clone, Debug)]
pub enum Bound {
    /// `x - y <= c`
    Difference(u16, u16, i64),
    /// Any other one, with its slots.
    General(Atom, Vec<(u16, i64)>, i64),
}

/// Compiles an inequality; `None` where a number is too large (then it is left out, or not known to follow).
pub fn bound(atom: &Atom, layout: &mut Layout) -> Option<Bound> {
    debug_assert_eq!(atom.rel(), Rel::Le);
    let c = (-atom.expr().constant_part()).to_i64().filter(|c| c.unsigned_abs() < 1 << 59);
    let terms = atom.expr().terms();
    let unit = |r: &Rat| r.to_i64().filter(|k| k.abs() == 1);
    if terms.len() <= 2 && terms.iter().all(|t| unit(&t.1).is_some()) {
        let c = c?;
        let k: Vec<(u16, bool)> = terms.iter().map(|t| (layout.slot(t.0), t.1.is_positive())).collect();
        match k[..] {
            [(x, true)] => return Some(Bound::Difference(x, 0, c)),
            [(x, false)] => return Some(Bound::Difference(0, x, c)),
            [(x, true), (y, false)] | [(y, false), (x, true)] => return Some(Bound::Difference(x, y, c)),
            _ => {}
        }
    }
    let slots = terms
        .iter()
        .map(|t| Some((layout.slot(t.0), t.1.to_i64().filter(|k| k.unsigned_abs() < 1 << 40)?)))
        .collect::<Option<Vec<_>>>()
        .unwrap_or_default();
    Some(Bound::General(atom.clone(), slots, c.unwrap_or(i64::MIN)))
}

/// Compiles the inequalities of a cube.
pub fn bounds(cube: &Cube, layout: &mut Layout) -> Vec<Bound> {
    cube.atoms().iter().flat_map(super::precision::halves).filter_map(|a| bound(&a, layout)).collect()
}

/// A question to a closed cube.
#[derive(Clone, Debug)]
pub enum Query {
    /// Holds after every step: the atom is constant then.
    True,
    /// Never known to hold: constant, or with numbers too large to ask about.
    False,
    /// Predicate `k` itself, untouched by the step: holds where it held, may be new otherwise.
    Keeps(Bound),
    /// Holds where this inequality follows.
    Ask(Bound),
}

/// The question whether an atom holds after a substitution.
pub fn query(atom: &Atom, layout: &mut Layout, subst: impl Fn(Var) -> Option<LinExpr>) -> Query {
    let touched = atom.vars().any(|v| subst(v).is_some());
    let norm = if touched { atom.subst(subst) } else { Norm::Atom(atom.clone()) };
    match norm {
        Norm::True => Query::True,
        Norm::False => Query::False,
        Norm::Atom(a) => match bound(&a, layout) {
            None => Query::False,
            Some(b) if touched => Query::Ask(b),
            Some(b) => Query::Keeps(b),
        },
    }
}

/// A conjunction under construction and then closed, ready to answer.
#[derive(Default)]
pub struct Solver {
    closure: Closure,
    general: Vec<Atom>,
    /// Some coefficient is neither 1 nor -1: only then do integers and rationals differ in practice.
    scaled: bool,
    cube: Option<Closed>,
    differences: Vec<(u16, u16, i64)>,
    /// The variable of each slot of the layout; empty until the general solver is needed.
    names: FxHashMap<u16, Var>,
    /// Questions that needed the general solver.
    pub general_questions: u64,
}

impl Solver {
    /// Forgets all conjuncts; those that follow are over this layout.
    pub fn reset(&mut self, layout: &Layout) {
        self.closure.reset(layout.size());
        self.general.clear();
        self.scaled = false;
        self.differences.clear();
        self.cube = None;
        self.names.clear();
    }
    /// Adds a conjunct of the layout, before anything is asked.
    pub fn add(&mut self, b: &Bound) {
        match b {
            Bound::Difference(x, y, c) => {
                self.closure.add(*x, *y, *c);
                if x != y {
                    self.differences.push((*x, *y, *c));
                }
            }
            Bound::General(a, terms, _) => {
                self.scaled |= terms.is_empty() || terms.iter().any(|t| t.1.abs() > 1);
                self.general.push(a.clone());
            }
        }
    }
    /// Closes; false when there is no solution.
    pub fn close(&mut self, layout: &Layout) -> bool {
        meter::add(3 * (self.differences.len() + self.general.len()));
        if !self.closure.close() {
            return false;
        }
        if self.general.is_empty() {
            return true;
        }
        self.names = layout.slots.iter().map(|(v, s)| (*s, *v)).collect();
        let scaled = self.scaled;
        let whole = self.whole();
        // A quotient or a wrap count may have no integer value where it has a rational one.
        !whole.is_unsat() && (!scaled || whole.cube().sat_int() != Satisfiable::Unsat)
    }
    /// Does it follow? ("No" may be wrong where numbers are large or a budget ran out, "yes" may not.)
    pub fn implies(&mut self, b: &Bound, layout: &Layout) -> bool {
        match b {
            Bound::Difference(x, y, c) => {
                if self.closure.implies(*x, *y, *c) {
                    return true;
                }
                if self.general.is_empty() {
                    return false;
                }
                let atom = difference(*x, *y, *c, |s| self.names[&s]);
                self.ask(&atom)
            }
            Bound::General(a, terms, c) => {
                if self.general.contains(a) || self.by_bounds(terms, *c) {
                    return true;
                }
                if self.names.is_empty() {
                    self.names = layout.slots.iter().map(|(v, s)| (*s, *v)).collect();
                }
                self.ask(a)
            }
        }
    }
    /// Does it follow from what the closure has, without the general solver?
    pub fn follows(&self, b: &Bound) -> bool {
        match b {
            Bound::Difference(x, y, c) => self.closure.implies(*x, *y, *c),
            Bound::General(a, terms, c) => self.general.contains(a) || self.by_bounds(terms, *c),
        }
    }
    /// `sum k x <= c` from the bounds of each `x` alone.
    fn by_bounds(&self, terms: &[(u16, i64)], c: i64) -> bool {
        let mut sum: i128 = 0;
        for (x, k) in terms {
            let b = if *k > 0 { self.closure.bound(*x, 0) } else { self.closure.bound(0, *x) };
            match b {
                Some(b) => sum += i128::from(k.unsigned_abs() as i64) * i128::from(b),
                None => return false,
            }
        }
        !terms.is_empty() && sum <= i128::from(c)
    }
    fn ask(&mut self, atom: &Atom) -> bool {
        self.general_questions += 1;
        let scaled = self.scaled;
        let whole = self.whole();
        whole.entails_rational(atom) || (scaled && whole.entails(atom) == Some(true))
    }
    fn whole(&mut self) -> &mut Closed {
        let (differences, general, names) = (&self.differences, &self.general, &self.names);
        self.cube.get_or_insert_with(|| {
            Closed::new(&Cube::of(
                differences
                    .iter()
                    .map(|(x, y, c)| difference(*x, *y, *c, |s| names[&s]))
                    .chain(general.iter().cloned())
                    .map(Norm::Atom),
            ))
        })
    }
}

fn difference(x: u16, y: u16, c: i64, name: impl Fn(u16) -> Var) -> Atom {
    let mut terms = Vec::new();
    if x != 0 {
        terms.push((name(x), Rat::one()));
    }
    if y != 0 {
        terms.push((name(y), Rat::from(-1i64)));
    }
    match Atom::le(&LinExpr::new(terms, Rat::from(-c))) {
        Norm::Atom(a) => a,
        _ => unreachable!("x and y differ"),
    }
}

/// Answers all questions; `held` are the predicates that held before the step.
pub fn answer(solver: &mut Solver, layout: &Layout, queries: &[Query], held: Option<&Bits>) -> Bits {
    meter::add(10 + 4 * queries.len());
    let mut out = Bits::new(queries.len());
    for (k, q) in queries.iter().enumerate() {
        let yes = match q {
            Query::True => true,
            Query::False => false,
            Query::Keeps(b) => held.is_some_and(|h| h.contains(k)) || solver.implies(b, layout),
            Query::Ask(b) => solver.implies(b, layout),
        };
        if yes {
            out.insert(k);
        }
    }
    out
}
