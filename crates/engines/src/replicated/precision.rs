//! The predicates of an abstraction to replicated threads.

use super::abstraction::opposite;
use crate::aret::precision::halves;
use relyant_check::replicated::{View, several};
use relyant_linear::{Atom, LinExpr, Norm, Var};
use relyant_program::{Program, Role, Scope};
use std::collections::BTreeSet;

/// Values that a variable may have for all of them to be told apart from the start.
const FEW: i128 = 8;

/// Predicates, all of the form `e <= 0`, in order of discovery.
#[derive(Clone, Debug)]
pub struct Precision {
    /// Those over globals only, which all threads see alike.
    pub shared: Vec<Atom>,
    /// Of the threads of a template, those that can move.
    pub views: Vec<View>,
    known: BTreeSet<(Holder, Atom)>,
    /// Predicates that a step decides by cases: of a view or shared, which.
    split: BTreeSet<(Option<usize>, usize)>,
}

/// Who has a predicate.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Holder {
    Shared,
    Own(usize),
    Others(usize, usize),
}

impl Precision {
    /// The guard atoms over globals alone or over one local, and their negations. Found to save refinements. With
    /// `values` all bounds of variables that have few values, too.
    pub fn seed(program: &Program, values: bool) -> Precision {
        let views = program
            .templates
            .iter()
            .enumerate()
            .filter(|(_, t)| !t.edges.is_empty() || t.locations[t.entry].error.is_some())
            .map(|(i, _)| View { template: i as u32, own: Vec::new(), others: Vec::new() })
            .collect();
        let mut p = Precision { shared: Vec::new(), views, known: BTreeSet::new(), split: BTreeSet::new() };
        for view in 0..p.views.len() {
            let template = &program.templates[p.views[view].template as usize];
            for atom in template.edges.iter().flat_map(|e| e.guard.atoms()) {
                let inputs = atom.vars().any(|v| v.0 as usize >= program.variables.len());
                let globals = atom.vars().all(|v| program.is_global(v));
                if inputs || !(globals || atom.vars().count() == 1) {
                    continue;
                }
                let negated = atom.negate().into_iter().filter_map(|n| match n {
                    Norm::Atom(a) => Some(a),
                    _ => None,
                });
                for a in std::iter::once(atom.clone()).chain(negated) {
                    p.add_own(program, view, &a);
                }
            }
        }
        if values {
            p.values(program);
        }
        p
    }

    /// All bounds of variables that have few values: where threads have them, none of their predicates has to follow
    /// what others do.
    fn values(&mut self, program: &Program) {
        for (k, x) in (0u32..).zip(&program.variables) {
            let (Some(min), Some(max)) = (x.min, x.max) else { continue };
            let views: Vec<usize> = match x.scope {
                Scope::Global => vec![0],
                Scope::Local(t) => (0..self.views.len()).filter(|v| self.views[*v].template == t).collect(),
            };
            if x.identity || views.is_empty() || max.checked_sub(min).is_none_or(|d| d >= FEW) {
                continue;
            }
            let v = LinExpr::var(Var(k));
            for c in min..max {
                let sides = [Atom::le(&v.sub(&LinExpr::int(c))), Atom::le(&LinExpr::int(c + 1).sub(&v))];
                for side in sides {
                    if let Norm::Atom(a) = side {
                        for view in &views {
                            self.add_own(program, *view, &a);
                        }
                    }
                }
            }
        }
    }

    /// Adds a predicate over globals, and the thread's own locals or not; true if anything is new.
    pub fn add_own(&mut self, program: &Program, view: usize, atom: &Atom) -> bool {
        let globals = atom.vars().all(|v| program.is_global(v));
        let mut new = false;
        for a in halves(atom) {
            if globals && self.known.insert((Holder::Shared, a.clone())) {
                self.shared.push(a);
                new = true;
            } else if !globals {
                new |= self.add_to(view, a);
            }
        }
        new
    }

    fn add_to(&mut self, view: usize, a: Atom) -> bool {
        let new = self.known.insert((Holder::Own(view), a.clone()));
        if new {
            self.views[view].own.push(a);
        }
        new
    }

    /// Adds a predicate about another thread, whose locals are [`Role::Second`].
    fn add_others(&mut self, program: &Program, (view, other): (usize, usize), atom: &Atom) -> bool {
        if view == other && !several(program, self.views[view].template) {
            return false;
        }
        let mut new = false;
        for a in halves(atom) {
            if self.known.insert((Holder::Others(view, other), a.clone())) {
                self.views[view].others.push((other as u32, a));
                new = true;
            }
        }
        new
    }

    /// Adds a predicate found for threads of a path, at most two, with those whose locals it speaks of; true if anything
    /// is new. `views` are those of the path's threads, `origin` says what a variable of the predicate is: whose, and
    /// which.
    pub fn add(
        &mut self,
        program: &Program,
        views: &[usize],
        atom: &Atom,
        origin: &dyn Fn(Var) -> (usize, Var),
    ) -> bool {
        let local = |v: Var| !program.is_global(v);
        let plain = |v: Var| origin(v).1;
        let mut who: Vec<usize> =
            atom.vars().map(origin).filter(|(_, v)| local(*v)).map(|(thread, _)| thread).collect();
        who.sort_unstable();
        who.dedup();
        match who[..] {
            [] => self.add_own(program, 0, &atom.rename(plain)),
            [a] => self.add_own(program, views[a], &atom.rename(plain)),
            [_, _] => self.add_known(program, views, &who, atom, origin),
            _ => false,
        }
    }

    /// Adds a predicate with those who have to know it, though it need not speak of their locals: what is known of
    /// one thread may follow from what another one knows only.
    pub fn add_known(
        &mut self,
        program: &Program,
        views: &[usize],
        who: &[usize],
        atom: &Atom,
        origin: &dyn Fn(Var) -> (usize, Var),
    ) -> bool {
        match *who {
            [a] => {
                let plain = halves(&atom.rename(|v| origin(v).1));
                plain.into_iter().fold(false, |new, x| new | self.add_to(views[a], x))
            }
            [a, b] => {
                let mut new = false;
                for (me, you) in [(a, b), (b, a)] {
                    let name = |v: Var| {
                        let (thread, v) = origin(v);
                        if !program.is_global(v) && thread == you { Role::Second(v).var() } else { v }
                    };
                    new |= self.add_others(program, (views[me], views[you]), &atom.rename(name));
                }
                new
            }
            _ => false,
        }
    }

    /// Is a predicate, shared or of a view's own, one that steps decide by cases?
    pub fn is_split(&self, view: Option<usize>, k: usize) -> bool {
        self.split.contains(&(view, k))
    }

    /// Has steps decide a known predicate of one thread by cases; true if that is new. A disjunction of predicates says
    /// nothing to an abstraction that keeps those that hold.
    pub fn split(
        &mut self,
        program: &Program,
        views: &[usize],
        atom: &Atom,
        origin: &dyn Fn(Var) -> (usize, Var),
    ) -> bool {
        let mut who = atom.vars().map(origin).filter(|(_, v)| !program.is_global(*v)).map(|(t, _)| t);
        let first = who.next();
        if who.any(|t| Some(t) != first) {
            return false;
        }
        let view = first.map(|t| views[t]);
        let mut new = false;
        for a in halves(&atom.rename(|v| origin(v).1)) {
            for a in [opposite(&a), Some(a)].into_iter().flatten() {
                self.add_own(program, view.unwrap_or(0), &a);
                let list = view.map_or(&self.shared, |v| &self.views[v].own);
                if let Some(k) = list.iter().position(|x| *x == a) {
                    new |= self.split.insert((view, k));
                }
            }
        }
        new
    }

    /// Predicates over globals, of one thread, of one and any other.
    pub fn size(&self) -> (usize, usize, usize) {
        let own = self.views.iter().map(|v| v.own.len()).sum();
        let others = self.views.iter().map(|v| v.others.len()).sum();
        (self.shared.len(), own, others)
    }
}
