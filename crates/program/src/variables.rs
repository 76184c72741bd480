//! Which variables edges and programs mention, and renaming them.

use super::{Edge, Input, Program};
use relyant_linear::{LinExpr, Var};
use std::collections::BTreeSet;

impl Edge {
    /// Variables and inputs in the guard, the bounds, the values of updates, and what inputs are remainders of.
    pub fn reads(&self) -> BTreeSet<Var> {
        let mut out: BTreeSet<Var> = self.guard.vars().into_iter().chain(self.bounds.vars()).collect();
        for (_, e) in &self.updates {
            out.extend(e.vars());
        }
        for i in &self.inputs {
            if let Input::Remainder { number, divisor } = i {
                out.extend([*number, *divisor]);
            }
        }
        out.extend(self.touched());
        out
    }
    /// Variables and inputs in the accesses to elements.
    pub fn touched(&self) -> impl Iterator<Item = Var> + '_ {
        self.touches.iter().flat_map(|t| t.at.vars().chain(t.value.vars()))
    }
    /// Does it write an element?
    pub fn writes_element(&self) -> bool {
        self.touches.iter().any(|t| t.write)
    }
    /// Variables and inputs replaced in all that it reads; `None` keeps them.
    pub fn substitute(&mut self, f: impl Fn(Var) -> Option<LinExpr> + Copy) {
        (self.guard, self.bounds) = (self.guard.subst(f), self.bounds.subst(f));
        for (_, x) in &mut self.updates {
            *x = x.subst(f);
        }
        for t in &mut self.touches {
            (t.at, t.value) = (t.at.subst(f), t.value.subst(f));
        }
    }
    /// The value of a variable after the step, over the values before.
    pub fn after(&self, v: Var) -> Option<&LinExpr> {
        self.updates.binary_search_by_key(&v, |u| u.0).ok().map(|i| &self.updates[i].1)
    }
    /// Renames variables and inputs by an injective map.
    pub fn rename(&mut self, f: impl Fn(Var) -> Var + Copy) {
        self.guard = self.guard.rename(f);
        self.bounds = self.bounds.rename(f);
        for (v, e) in &mut self.updates {
            (*v, *e) = (f(*v), e.rename(f));
        }
        self.updates.sort_by_key(|u| u.0);
        for t in &mut self.touches {
            (t.at, t.value) = (t.at.rename(f), t.value.rename(f));
        }
        for i in &mut self.inputs {
            if let Input::Remainder { number, divisor } = i {
                (*number, *divisor) = (f(*number), f(*divisor));
            }
        }
    }
}

impl Program {
    /// Adds variables after the others (inputs of edges move up); the first new one.
    pub fn add_variables(&mut self, new: Vec<super::Variable>) -> Var {
        let (n, k) = (self.variables.len() as u32, new.len() as u32);
        self.variables.extend(new);
        let f = |v: Var| if v.0 >= n { Var(v.0 + k) } else { v };
        for e in self.templates.iter_mut().flat_map(|t| &mut t.edges) {
            e.rename(f);
        }
        Var(n)
    }
    /// Leaves out the variables that are not kept; nothing may mention them any more.
    pub fn keep_variables(&mut self, keep: &[bool]) {
        let n = self.variables.len();
        let mut new = Vec::with_capacity(n);
        let mut count = 0u32;
        for k in keep {
            new.push(Var(count));
            count += *k as u32;
        }
        let f = |v: Var| match new.get(v.0 as usize) {
            Some(w) => *w,
            None => Var(v.0 - n as u32 + count),
        };
        for t in &mut self.templates {
            for e in &mut t.edges {
                e.rename(f);
            }
            t.identity = t.identity.filter(|v| keep[v.0 as usize]).map(f);
        }
        self.init = self.init.rename(f);
        for (_, e) in &mut self.given {
            *e = e.rename(f);
        }
        let mut i = 0;
        self.variables.retain(|_| {
            i += 1;
            keep[i - 1]
        });
    }
    /// Variables that some edge, the start condition or a value given before the start mentions.
    pub fn mentioned(&self) -> Vec<bool> {
        let mut out = vec![false; self.variables.len()];
        let mut mark = |v: Var| {
            if let Some(m) = out.get_mut(v.0 as usize) {
                *m = true;
            }
        };
        for e in self.templates.iter().flat_map(|t| &t.edges) {
            e.reads().into_iter().for_each(&mut mark);
            e.updates.iter().for_each(|u| mark(u.0));
        }
        self.init.vars().into_iter().for_each(&mut mark);
        self.given.iter().flat_map(|g| g.1.vars()).for_each(&mut mark);
        out
    }
}
