//! Assertions of threads, made weaker: what no obligation needs is not said.

use super::{Minimiser, is_ghost, region_of, rewrite, state_of};
use relyant_check::Proof;
use relyant_check::obligations::Obligation;
use relyant_linear::{Atom, Cube, LinExpr, Norm, Var};
use relyant_program::{Loc, Program, Role};
use std::collections::BTreeSet;

/// Does an obligation have a thread's assertion among its premises, at one location or at all?
fn needs(program: &Program, o: &Obligation, t: u32, at: Option<Loc>) -> bool {
    let here = |l: Loc| at.is_none_or(|a| a == l);
    let from = |i: u32, e: usize| {
        let edge = program.templates.get(i as usize).and_then(|x| x.edges.get(e));
        i == t && edge.is_some_and(|x| here(x.from))
    };
    match o {
        Obligation::Step(i, e) => from(*i, *e),
        Obligation::Environment(j, l) => *j == t && here(*l),
        Obligation::Interference(j, i, e) => *j == t || from(*i, *e),
        Obligation::Keep(j, l, i, e) => *j == t && here(*l) || from(*i, *e),
        Obligation::Ticket(_, i, e) => from(*i, *e),
        Obligation::Error(i, l) => *i == t && here(*l),
        Obligation::Exclusive(a, b) => [a, b].iter().any(|(i, l)| *i == t && here(*l)),
        Obligation::Start(_)
        | Obligation::GlobalStart
        | Obligation::GlobalStep(..)
        | Obligation::GlobalError(_) => false,
    }
}

/// What an assertion might do without.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Word {
    /// Where threads of a template are.
    Place(u32),
    /// All that is said of a variable.
    Variable(Var),
    /// One comparison.
    Comparison(Atom),
}

impl Word {
    fn drop_from(&self, control: &mut Vec<(u32, Vec<Loc>)>, cube: &mut Cube) -> bool {
        let before = (control.len(), cube.atoms().len());
        let keep = |drop: &dyn Fn(&Atom) -> bool, c: &Cube| {
            Cube::of(c.atoms().iter().filter(|a| !drop(a)).cloned().map(Norm::Atom))
        };
        match self {
            Word::Place(t) => control.retain(|c| c.0 != *t),
            _ if cube.is_bottom() => {}
            Word::Variable(v) => *cube = keep(&|a: &Atom| a.vars().any(|w| w == *v), cube),
            Word::Comparison(x) => *cube = keep(&|a: &Atom| a == x, cube),
        }
        before != (control.len(), cube.atoms().len())
    }
}

impl Minimiser<'_> {
    /// Writes the assertion at a location anew.
    pub(super) fn simplify_at(&mut self, t: usize, k: usize) {
        let program = self.program;
        let Some((_, states)) = self.proof.threads.get_mut(t).and_then(|x| x.invariants.get_mut(k)) else {
            return;
        };
        let regions = states.iter().map(|s| region_of(self.program, s)).collect();
        let full: Vec<Vec<Loc>> = self.program.templates.iter().map(super::all).collect();
        let simple = rewrite(program, self.large, regions, &full, &mut self.work);
        *states = simple.iter().map(|r| state_of(self.program, r)).collect();
    }

    /// Drops from all assertions of a thread, then location by location, what is not needed.
    pub(super) fn weaker_assertions(&mut self) {
        self.without_variables();
        for t in 0..self.proof.threads.len() {
            for w in self.words(t, None, None) {
                if !matches!(w, Word::Comparison(_)) {
                    self.try_without(t, None, None, &w);
                }
            }
        }
        for t in 0..self.proof.threads.len() {
            for k in 0..self.proof.threads.get(t).map_or(0, |x| x.invariants.len()) {
                for w in self.words(t, Some(k), None) {
                    self.try_without(t, Some(k), None, &w);
                }
                let alternatives = |m: &Self| Some(m.proof.threads.get(t)?.invariants.get(k)?.1.len());
                for s in 0..alternatives(self).unwrap_or_default() {
                    for w in self.words(t, Some(k), Some(s)) {
                        self.try_without(t, Some(k), Some(s), &w);
                    }
                }
            }
        }
    }

    /// Says a ghost that is always equal to a global as that global.
    pub(super) fn without_equal_ghosts(&mut self) {
        let globals =
            (0..self.program.variables.len() as u32).map(Var).filter(|v| self.program.is_global(*v));
        let (ghosts, others): (Vec<Var>, Vec<Var>) = globals.partition(|v| is_ghost(self.program, *v));
        for g in ghosts {
            let same = |x: &Var| match Atom::eq(&LinExpr::var(g).sub(&LinExpr::var(*x))) {
                Norm::Atom(a) => {
                    let states = self.proof.threads.iter().flat_map(|t| &t.invariants).flat_map(|l| &l.1);
                    let mut states = states.peekable();
                    states.peek().is_some() && states.all(|s| s.cube.entails(&a) == Some(true))
                }
                _ => false,
            };
            let Some(x) = others.iter().copied().find(same) else { continue };
            let put = |v: Var| match Role::of(v) {
                Role::Before(w) if w == g => Some(LinExpr::var(x)),
                Role::After(w) if w == g => Some(LinExpr::var(Role::After(x).var())),
                _ => None,
            };
            let mut proof = self.proof.clone();
            for t in &mut proof.threads {
                for s in t.invariants.iter_mut().flat_map(|l| &mut l.1) {
                    s.cube = s.cube.subst(put);
                }
                for e in &mut t.environment {
                    e.relation = e.relation.subst(put);
                }
            }
            proof.modular = super::is_modular(self.program, &proof);
            if self.hold(&proof, |_| true) {
                self.proof = proof;
            }
        }
    }

    /// Drops what all threads say of a variable, ghosts first.
    fn without_variables(&mut self) {
        let mut variables: Vec<Var> = (0..self.program.variables.len() as u32).map(Var).collect();
        variables.sort_by_key(|v| !is_ghost(self.program, *v));
        for v in variables {
            let mut proof = self.proof.clone();
            let mut changed = false;
            let invariants = proof.threads.iter_mut().flat_map(|t| &mut t.invariants);
            for s in invariants.flat_map(|x| &mut x.1) {
                changed |= Word::Variable(v).drop_from(&mut s.control, &mut s.cube);
            }
            proof.modular = super::is_modular(self.program, &proof);
            let program = self.program;
            let all: Vec<u32> = proof.threads.iter().map(|t| t.template).collect();
            if changed && self.hold(&proof, |o| all.iter().any(|t| needs(program, o, *t, None))) {
                self.proof = proof;
            }
        }
        for t in 0..self.proof.threads.len() {
            for k in 0..self.proof.threads.get(t).map_or(0, |x| x.invariants.len()) {
                self.simplify_at(t, k);
            }
        }
    }

    /// What a thread's assertions are made of, at one of its locations or at all, in one alternative or in all.
    fn words(&self, t: usize, k: Option<usize>, alternative: Option<usize>) -> BTreeSet<Word> {
        let invariants = self.proof.threads.get(t).map(|x| &x.invariants[..]).unwrap_or_default();
        let there = invariants.iter().enumerate().filter(|(i, _)| k.is_none_or(|k| k == *i));
        let mut out = BTreeSet::new();
        let all = there.flat_map(|(_, (_, states))| states.iter().enumerate());
        for (_, s) in all.filter(|(i, _)| alternative.is_none_or(|a| a == *i)) {
            out.extend(s.control.iter().map(|c| Word::Place(c.0)));
            out.extend(s.cube.vars().into_iter().map(Word::Variable));
            out.extend(s.cube.atoms().iter().cloned().map(Word::Comparison));
        }
        out
    }

    fn try_without(&mut self, t: usize, k: Option<usize>, alternative: Option<usize>, w: &Word) {
        if self.asks == 0 {
            return;
        }
        let mut proof = self.proof.clone();
        let Some(thread) = proof.threads.get_mut(t) else { return };
        let (template, mut changed) = (thread.template, BTreeSet::new());
        for (i, (_, states)) in thread.invariants.iter_mut().enumerate() {
            if k.is_none_or(|k| k == i) {
                for (n, s) in states.iter_mut().enumerate() {
                    let meant = alternative.is_none_or(|a| a == n);
                    if meant && w.drop_from(&mut s.control, &mut s.cube) {
                        changed.insert(i);
                    }
                }
            }
        }
        let at = k.and_then(|k| thread.invariants.get(k)).map(|x| x.0);
        if changed.is_empty() || !self.accept(proof, template, at) {
            return;
        }
        for i in changed {
            self.simplify_at(t, i);
        }
    }

    fn accept(&mut self, mut proof: Proof, template: u32, at: Option<Loc>) -> bool {
        proof.modular = super::is_modular(self.program, &proof);
        let program = self.program;
        let ok = self.hold(&proof, |o| needs(program, o, template, at));
        if ok {
            self.proof = proof;
        }
        ok
    }
}
