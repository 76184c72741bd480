//! Who reads and writes which variable, and which steps others cannot tell apart in time.

use super::sections::Sections;
use crate::{Count, Edge, Program};
use relyant_linear::{Atom, Rat, Var};
use std::collections::BTreeSet;

/// Which templates read and write each variable, of the program as it was when this was made. Passes that share one
/// only take accesses away, so that it lists too many at worst.
pub struct Access {
    /// `readers[variable]`: templates with an edge that reads it, ascending.
    readers: Vec<Vec<usize>>,
    /// `writers[variable]`: templates with an edge that writes it, ascending.
    writers: Vec<Vec<usize>>,
    /// By variable: all the values ever written, where they are constants.
    values: Vec<Option<Vec<Rat>>>,
    /// By variable: is it a thread's own?
    local: Vec<bool>,
    /// By template: may there be several threads?
    several: Vec<bool>,
    /// Arrays of which it accesses elements, by template, and whether it writes some.
    elements: BTreeSet<(u32, usize, bool)>,
    /// Sections under locks, where these are to be one step.
    sections: Option<Sections>,
}

impl Access {
    /// Accesses of a program.
    pub fn new(p: &Program) -> Access {
        let n = p.variables.len();
        let mut a = Access {
            readers: vec![Vec::new(); n],
            writers: vec![Vec::new(); n],
            values: vec![Some(Vec::new()); n],
            // No thread reads what somebody wrote beside the program, so that nobody can tell when it changes.
            local: (0..n as u32).map(|v| !p.is_global(Var(v)) || p.is_given(Var(v))).collect(),
            several: p.templates.iter().map(|t| t.count != Count::AtMost(1)).collect(),
            elements: BTreeSet::new(),
            sections: None,
        };
        for (t, template) in p.templates.iter().enumerate() {
            for e in &template.edges {
                a.elements.extend(e.touches.iter().map(|x| (x.array, t, x.write)));
                for v in e.reads() {
                    if let Some(r) = a.readers.get_mut(v.0 as usize).filter(|r| r.last() != Some(&t)) {
                        r.push(t);
                    }
                }
                for (v, value) in &e.updates {
                    let v = v.0 as usize;
                    if a.writers[v].last() != Some(&t) {
                        a.writers[v].push(t);
                    }
                    match (&mut a.values[v], value.is_constant()) {
                        (Some(list), true) => list.push(value.constant_part().clone()),
                        (list, _) => *list = None,
                    }
                }
            }
        }
        a
    }
    /// The same, with steps in sections under locks that can wait.
    pub fn with_sections(p: &Program) -> Access {
        Access { sections: Sections::of(p), ..Access::new(p) }
    }
    /// Templates that access a variable.
    pub fn users(&self, v: Var) -> Vec<usize> {
        let v = v.0 as usize;
        let mut out: Vec<usize> = self.readers[v].iter().chain(&self.writers[v]).copied().collect();
        out.sort_unstable();
        out.dedup();
        out
    }
    /// Is it ever written?
    pub fn written(&self, v: Var) -> bool {
        self.writers.get(v.0 as usize).is_some_and(|w| !w.is_empty())
    }
    fn by_other(&self, t: usize, list: &[usize]) -> bool {
        list.iter().any(|u| *u != t || self.several[t])
    }
    /// May another thread than this one of template `t` change it? Inputs: no.
    pub(super) fn changes(&self, t: usize, v: Var) -> bool {
        let v = v.0 as usize;
        v < self.local.len() && !self.local[v] && self.by_other(t, &self.writers[v])
    }
    /// May another thread see it?
    pub(super) fn sees(&self, t: usize, v: Var) -> bool {
        let v = v.0 as usize;
        !self.local[v] && (self.by_other(t, &self.readers[v]) || self.by_other(t, &self.writers[v]))
    }
    /// Does the step write what others see?
    pub fn writes(&self, t: usize, e: &Edge) -> bool {
        let elements = e.touches.iter().any(|x| x.write && self.touches_elsewhere(t, x.array, false));
        elements || e.updates.iter().any(|u| self.sees(t, u.0))
    }
    /// May another thread access elements of an array, or (`write`) write some?
    fn touches_elsewhere(&self, t: usize, array: u32, write: bool) -> bool {
        let of =
            |(a, u, w): &(u32, usize, bool)| *a == array && (*u != t || self.several[t]) && (*w || !write);
        self.elements.iter().any(of)
    }
    /// May another thread write what the step reads of arrays?
    fn elements_change(&self, t: usize, e: &Edge) -> bool {
        e.touches.iter().any(|x| self.touches_elsewhere(t, x.array, true))
    }
    /// Do others access the elements that the step accesses, one of them writing?
    pub(super) fn elements_matter(&self, t: usize, e: &Edge) -> bool {
        e.touches.iter().any(|x| self.touches_elsewhere(t, x.array, !x.write))
    }
    /// Others can neither see nor influence the step.
    pub fn unseen(&self, t: usize, e: &Edge) -> bool {
        !self.writes(t, e)
            && !self.elements_change(t, e)
            && e.reads().into_iter().all(|v| !self.changes(t, v))
    }
    /// Others cannot see the step, and once it can be done it can be done later as well, with the same effect.
    pub fn can_wait(&self, p: &Program, t: usize, e: &Edge) -> bool {
        if self.sections.as_ref().is_some_and(|s| s.can_wait(p, self, t, e)) {
            return true;
        }
        let lasting = |a: &Atom| a.vars().all(|v| !self.changes(t, v)) || self.lasting(a);
        !self.writes(t, e)
            && !self.elements_change(t, e)
            && e.touched().all(|v| !self.changes(t, v))
            && e.guard.atoms().iter().all(lasting)
            && e.bounds.atoms().iter().all(lasting)
            && e.updates.iter().all(|(_, x)| x.vars().all(|v| !self.changes(t, v)))
    }
    /// Does every write to the atom's only variable make it true?
    fn lasting(&self, a: &Atom) -> bool {
        let mut vars = a.vars();
        match (vars.next(), vars.next()) {
            (Some(v), None) => match self.values.get(v.0 as usize) {
                Some(Some(list)) => list.iter().all(|x| a.holds(|_| x.clone())),
                _ => false,
            },
            _ => false,
        }
    }
}
