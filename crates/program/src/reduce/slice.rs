//! Leaves out what no error depends on: variables outside the cone of influence, and edges after which a thread
//! can do nothing that matters.

use crate::edges::bounds::only;
use crate::{Edge, Input, Program, Scope};
use relyant_linear::Var;
use std::collections::BTreeSet;

struct Slice {
    /// By variable: may an error depend on it?
    relevant: Vec<bool>,
    /// By template and location: may something that matters happen from here on?
    useful: Vec<Vec<bool>>,
}

/// Slices the program; was anything left out?
pub fn slice(p: &mut Program) -> bool {
    let mut s = Slice {
        relevant: (0..p.variables.len() as u32).map(|v| p.is_given(Var(v))).collect(),
        useful: p.templates.iter().map(|t| vec![false; t.locations.len()]).collect(),
    };
    s.grow(p);
    s.apply(p)
}

impl Slice {
    fn is_relevant(&self, v: Var) -> bool {
        self.relevant.get(v.0 as usize).copied().unwrap_or(false)
    }
    fn acts(&self, p: &Program, e: &Edge) -> bool {
        let shared = |v: &Var| self.is_relevant(*v) && p.variables[v.0 as usize].scope == Scope::Global;
        e.writes_element() || e.updates.iter().any(|(v, _)| shared(v))
    }
    fn keeps(&self, p: &Program, t: usize, e: &Edge) -> bool {
        self.useful[t][e.to.0 as usize] || self.acts(p, e)
    }
    /// Everything an error depends on.
    fn grow(&mut self, p: &Program) {
        let mut into: Vec<Vec<Vec<usize>>> =
            p.templates.iter().map(|t| vec![Vec::new(); t.locations.len()]).collect();
        let mut writers: Vec<Vec<(usize, usize)>> = vec![Vec::new(); p.variables.len()];
        for (t, template) in p.templates.iter().enumerate() {
            for (i, e) in template.edges.iter().enumerate() {
                into[t][e.to.0 as usize].push(i);
                e.updates.iter().for_each(|(v, _)| writers[v.0 as usize].push((t, i)));
            }
        }
        let all = p.templates.iter().enumerate();
        let edges = all.flat_map(|(t, x)| x.edges.iter().enumerate().map(move |(i, e)| (t, i, e)));
        let mut work: Vec<(usize, usize)> =
            edges.filter(|x| x.2.writes_element()).map(|(t, i, _)| (t, i)).collect();
        for (t, template) in p.templates.iter().enumerate() {
            for (l, location) in template.locations.iter().enumerate() {
                let labelled = p.exclusive.as_ref().is_some_and(|x| location.labels.contains(x));
                if labelled || location.error.is_some() {
                    self.useful[t][l] = true;
                    work.extend(into[t][l].iter().map(|i| (t, *i)));
                }
            }
        }
        // Edges that are kept, or that may write more that is relevant.
        while let Some((t, i)) = work.pop() {
            let e = &p.templates[t].edges[i];
            if !self.keeps(p, t, e) {
                continue;
            }
            let from = e.from.0 as usize;
            if !std::mem::replace(&mut self.useful[t][from], true) {
                work.extend(into[t][from].iter().map(|i| (t, *i)));
            }
            for v in self.influences(e) {
                if let Some(r) = self.relevant.get_mut(v.0 as usize)
                    && !std::mem::replace(r, true)
                {
                    work.extend(&writers[v.0 as usize]);
                }
            }
        }
    }
    /// What the condition and the relevant updates of an edge depend on, its inputs included. A bound alone makes
    /// nothing relevant, unless it defines an input that is.
    fn influences(&self, e: &Edge) -> BTreeSet<Var> {
        let mut out: BTreeSet<Var> = e.guard.vars().into_iter().chain(e.touched()).collect();
        for (v, x) in &e.updates {
            if self.is_relevant(*v) {
                out.extend(x.vars());
            }
        }
        let base = self.relevant.len() as u32;
        loop {
            let n = out.len();
            for a in e.bounds.atoms() {
                if a.vars().any(|v| v.0 >= base && out.contains(&v)) {
                    out.extend(a.vars());
                }
            }
            if out.len() == n {
                return out;
            }
        }
    }
    fn apply(&self, p: &mut Program) -> bool {
        let mut any = false;
        let base = self.relevant.len() as u32;
        let keep: Vec<Vec<bool>> = p
            .templates
            .iter()
            .enumerate()
            .map(|(t, template)| template.edges.iter().map(|e| self.keeps(p, t, e)).collect())
            .collect();
        for (template, keep) in p.templates.iter_mut().zip(&keep) {
            let n = template.edges.len();
            let mut i = 0;
            template.edges.retain(|_| {
                i += 1;
                keep[i - 1]
            });
            any |= template.edges.len() < n;
            for e in &mut template.edges {
                let matters = self.influences(e);
                let n = e.updates.len();
                e.updates.retain(|(v, _)| self.is_relevant(*v));
                any |= e.updates.len() < n;
                let kept = only(&e.bounds, |a| a.vars().all(|v| self.is_relevant(v) || matters.contains(&v)));
                for a in e.bounds.atoms().iter().filter(|a| !kept.atoms().contains(a)) {
                    // A quotient or the like always exists; else the step is no longer told from an overflow.
                    let auxiliary = |v: Var| {
                        v.0 >= base && matches!(e.inputs.get((v.0 - base) as usize), Some(Input::Auxiliary))
                    };
                    e.exact &= a.vars().any(auxiliary)
                        || a.expr().terms().len() == 1 && a.vars().all(|v| v.0 >= base);
                    any = true;
                }
                e.bounds = kept;
            }
        }
        any
    }
}
