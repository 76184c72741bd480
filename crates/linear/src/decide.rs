//! Satisfiability and entailment of cubes: difference bounds first, else simplex, branching and the
//! omega test.

use crate::branch::{Branched, branch};
use crate::dbm::{Closing, Dbm};
use crate::omega::{self, OmegaOutcome};
use crate::simplex::Simplex;
use crate::{Atom, Cube, LinExpr, Norm, Rat, Rel, Var};
use std::collections::BTreeMap;

/// Values of variables; one that is not mentioned is zero.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Model(BTreeMap<Var, Rat>);

impl Model {
    /// The value of a variable.
    pub fn value(&self, v: Var) -> Rat {
        self.0.get(&v).cloned().unwrap_or_else(Rat::zero)
    }
    /// Gives a variable a value.
    pub fn set(&mut self, v: Var, value: Rat) {
        self.0.insert(v, value);
    }
    /// The variables with a value, ascending.
    pub fn iter(&self) -> impl Iterator<Item = (Var, &Rat)> + '_ {
        self.0.iter().map(|(v, q)| (*v, q))
    }
}

impl FromIterator<(Var, Rat)> for Model {
    fn from_iter<I: IntoIterator<Item = (Var, Rat)>>(values: I) -> Model {
        Model(values.into_iter().collect())
    }
}

/// Whether a cube has a solution.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Satisfiable {
    /// It has this one.
    Sat(Model),
    /// It has none, over integers or rationals as asked.
    Unsat,
    /// The budget ran out; over rationals this cannot happen.
    Unknown,
}

/// Simplex calls spent on branching before the omega test takes over.
const BRANCHES: usize = 40;
/// Constraints that the omega test may write.
const OMEGA: usize = 40_000;

impl Cube {
    /// Has it an integer solution?
    pub fn sat_int(&self) -> Satisfiable {
        match Closed::new(self).form {
            Form::Unsat => Satisfiable::Unsat,
            Form::Dbm(m) => Satisfiable::Sat(m.model().into_iter().collect()),
            Form::General { mut simplex } => sat_int_general(self, &mut simplex, None),
        }
    }
    /// Has it a rational solution? Never `Unknown`.
    pub fn sat_rational(&self) -> Satisfiable {
        match Closed::new(self).form {
            Form::Unsat => Satisfiable::Unsat,
            Form::Dbm(m) => Satisfiable::Sat(m.model().into_iter().collect()),
            Form::General { simplex } => {
                Satisfiable::Sat(simplex.values().map(|(v, q)| (v, q.clone())).collect())
            }
        }
    }
    /// Do all integer solutions satisfy the atom? `None` when the budget ran out.
    pub fn entails(&self, a: &Atom) -> Option<bool> {
        if self.has_as_strong(a) { Some(true) } else { Closed::new(self).entails(a) }
    }
    /// Is the cube without rational solution where the atom fails by at least one, as it does at integers?
    /// True means that `entails` is; false that rationals alone cannot tell.
    pub fn entails_rational(&self, a: &Atom) -> bool {
        self.has_as_strong(a) || Closed::new(self).entails_rational(a)
    }
    /// Is it `false`, or one of its atoms `a` or a stronger bound on the same terms?
    fn has_as_strong(&self, a: &Atom) -> bool {
        self.is_bottom()
            || self.atoms().iter().any(|b| {
                b == a
                    || a.rel() == Rel::Le
                        && b.rel() == Rel::Le
                        && b.expr().terms() == a.expr().terms()
                        && b.expr().constant_part() >= a.expr().constant_part()
            })
    }
}

/// A cube made ready for many questions.
#[derive(Clone, Debug)]
pub struct Closed {
    cube: Cube,
    form: Form,
}

#[derive(Clone, Debug)]
enum Form {
    Unsat,
    Dbm(Dbm),
    /// A simplex tableau at a rational solution; whether there is an integer one is found when asked.
    General {
        simplex: Box<Simplex>,
    },
}

impl Closed {
    /// Closes a cube: difference bounds if its atoms are such, else a simplex tableau at a rational solution.
    pub fn new(cube: &Cube) -> Closed {
        Closed { cube: cube.clone(), form: Form::of(cube) }
    }
    /// The cube as it was given, not its closure.
    pub fn cube(&self) -> &Cube {
        &self.cube
    }
    /// An upper bound of an expression, where one is at hand: the least for difference bounds, not always for others.
    pub fn upper(&self, e: &LinExpr) -> Option<Rat> {
        let same = |a: &&Atom| a.expr().terms() == e.terms();
        if e.is_constant() {
            Some(e.constant_part().clone())
        } else if let Form::Dbm(m) = &self.form {
            m.upper_of(e)
        } else {
            self.cube.atoms().iter().find(same).map(|a| e.constant_part() - a.expr().constant_part())
        }
    }
    /// Is it known to have no solution? Exact over rationals, and over integers for difference bounds.
    pub fn is_unsat(&self) -> bool {
        matches!(self.form, Form::Unsat)
    }
    /// Do all integer solutions satisfy the atom? `None` when the budget ran out.
    pub fn entails(&mut self, a: &Atom) -> Option<bool> {
        if self.entails_rational(a) {
            return Some(true);
        }
        if let Form::Dbm(m) = &self.form
            && let Some(known) = m.entails(a)
        {
            return Some(known);
        }
        let mut simplex = self.tableau();
        let mut unknown = false;
        for n in a.negate() {
            match sat_int_general(&self.cube, &mut simplex, Some(n)) {
                Satisfiable::Sat(_) => return Some(false),
                Satisfiable::Unsat => {}
                Satisfiable::Unknown => unknown = true,
            }
        }
        if unknown { None } else { Some(true) }
    }
    /// As `Cube::entails_rational`: cheap, sound over integers, exact for difference bounds.
    pub fn entails_rational(&mut self, a: &Atom) -> bool {
        match &mut self.form {
            Form::Unsat => true,
            Form::Dbm(m) => {
                if let Some(known) = m.entails(a) {
                    return known;
                }
                if a.rel() == Rel::Le && m.interval_entails(a.expr()) {
                    return true;
                }
                self.tableau_entails(a)
            }
            Form::General { .. } => self.tableau_entails(a),
        }
    }

    fn tableau_entails(&mut self, a: &Atom) -> bool {
        let mut other;
        let simplex = match &mut self.form {
            Form::General { simplex } => &mut **simplex,
            _ => {
                other = self.tableau();
                &mut other
            }
        };
        a.negate().into_iter().all(|n| match n {
            Norm::True => false,
            Norm::False => true,
            Norm::Atom(n) => {
                let mark = simplex.mark();
                let unsat =
                    simplex.assert(usize::MAX, n.expr(), n.rel()).is_err() || simplex.check().is_err();
                simplex.undo(mark);
                unsat
            }
        })
    }

    fn tableau(&self) -> Simplex {
        match &self.form {
            Form::General { simplex } => (**simplex).clone(),
            _ => tableau(self.cube.atoms()).unwrap_or_default(),
        }
    }
}

impl Form {
    fn of(cube: &Cube) -> Form {
        if cube.is_bottom() {
            return Form::Unsat;
        }
        match Dbm::close(cube.atoms()) {
            Closing::Closed(m) => Form::Dbm(m),
            Closing::Unsat => Form::Unsat,
            Closing::Outside => match tableau(cube.atoms()) {
                None => Form::Unsat,
                Some(s) => Form::General { simplex: Box::new(s) },
            },
        }
    }
}

/// A tableau at a rational solution of the atoms.
fn tableau(atoms: &[Atom]) -> Option<Simplex> {
    let mut s = Simplex::default();
    for (i, a) in atoms.iter().enumerate() {
        s.assert(i, a.expr(), a.rel()).ok()?;
    }
    s.check().ok()?;
    Some(s)
}

/// An integer solution of the cube, which the tableau holds, and one more conjunct.
fn sat_int_general(cube: &Cube, s: &mut Simplex, extra: Option<Norm>) -> Satisfiable {
    let extra = match extra {
        None | Some(Norm::True) => None,
        Some(Norm::False) => return Satisfiable::Unsat,
        Some(Norm::Atom(a)) => Some(a),
    };
    let mark = s.mark();
    let mut budget = BRANCHES;
    let asserted = extra.as_ref().is_none_or(|a| s.assert(usize::MAX, a.expr(), a.rel()).is_ok());
    let found = if asserted { branch(s, &mut budget) } else { Branched::Unsat };
    let out = match found {
        Branched::Sat => Satisfiable::Sat(s.values().map(|(v, q)| (v, q.clone())).collect()),
        Branched::Unsat => Satisfiable::Unsat,
        Branched::Unknown => {
            let all = cube.atoms().iter().chain(&extra).map(|a| (a.expr().clone(), a.rel())).collect();
            let mut budget = OMEGA;
            match omega::decide(all, &mut budget) {
                OmegaOutcome::Model(m) => Satisfiable::Sat(
                    cube.atoms()
                        .iter()
                        .chain(&extra)
                        .flat_map(|a| a.vars())
                        .map(|v| (v, m.get(&v).cloned().unwrap_or_else(Rat::zero)))
                        .collect(),
                ),
                OmegaOutcome::Unsat => Satisfiable::Unsat,
                OmegaOutcome::Unknown => Satisfiable::Unknown,
            }
        }
    };
    s.undo(mark);
    if let Satisfiable::Sat(m) = &out {
        debug_assert!(cube.atoms().iter().chain(&extra).all(|a| a.holds(|v| m.value(v))));
    }
    out
}
