//! Shift symmetry: counters that are only compared with and assigned from each other behave alike from any start
//! value, so a proof needs no constants for them.
//!
//! A ticket lock's `next`, `serving` and `mine` are such. Starting from `next - serving = 0` instead of from
//! `next = 0 && serving = 0`, refinement can't unroll the counter and has to find how they relate. The weaker start is
//! sound for proofs; counterexamples are decided from the real one.
//!
//! A case of symmetry under translation. Reach: variables that are only compared with, and assigned from, each other. Needed by
//! none of our programs.

use relyant_linear::{Atom, Cube, LinExpr, Norm, Rat, Rel, Var};
use relyant_program::Program;

/// Classes of variables that shift together.
struct Classes {
    /// Union-find by variable; a root is its own parent.
    parent: Vec<usize>,
    /// By root: some variable of the class means a number, so that none may be shifted.
    pinned: Vec<bool>,
}

impl Classes {
    fn find(&mut self, mut v: usize) -> usize {
        while self.parent[v] != v {
            self.parent[v] = self.parent[self.parent[v]];
            v = self.parent[v];
        }
        v
    }
    fn join(&mut self, a: Var, b: Var) {
        let (a, b) = (self.find(a.0 as usize), self.find(b.0 as usize));
        self.parent[a] = b;
        self.pinned[b] |= self.pinned[a];
    }
    fn pin(&mut self, v: Var) {
        if (v.0 as usize) < self.parent.len() {
            let r = self.find(v.0 as usize);
            self.pinned[r] = true;
        }
    }
    fn shifts(&mut self, v: Var) -> bool {
        let r = self.find(v.0 as usize);
        !self.pinned[r]
    }
}

/// The start condition without the absolute values of variables that can shift.
pub fn start(program: &Program, full: &Cube) -> Cube {
    let n = program.variables.len();
    let mut classes = Classes { parent: (0..n).collect(), pinned: vec![false; n] };
    for e in program.templates.iter().flat_map(|t| &t.edges) {
        for a in e.guard.atoms() {
            match difference(a.expr(), n) {
                Some((x, y)) => classes.join(x, y),
                None => a.vars().for_each(|v| classes.pin(v)),
            }
        }
        for (v, value) in &e.updates {
            match value.terms() {
                [(x, k)] if *k == Rat::one() && (x.0 as usize) < n => classes.join(*v, *x),
                _ => {
                    classes.pin(*v);
                    value.vars().for_each(|x| classes.pin(x));
                }
            }
        }
    }
    for (k, x) in program.variables.iter().enumerate() {
        let v = Var(k as u32);
        // What counts threads is related to the program's own numbers by where both start.
        if x.identity || crate::refine::counts::is_count(program, v) {
            classes.pin(v);
        }
    }
    let mut out = Cube::top();
    let mut first: Vec<Option<(Var, Rat)>> = vec![None; n];
    for a in full.atoms() {
        match fixed(a) {
            Some((v, c)) if classes.shifts(v) => {
                let r = classes.find(v.0 as usize);
                match &first[r] {
                    None => first[r] = Some((v, c)),
                    Some((w, d)) => {
                        let e = LinExpr::var(v).sub(&LinExpr::var(*w));
                        out.push(Atom::eq(&e.sub(&LinExpr::constant(c - d.clone()))));
                    }
                }
            }
            _ => out.push(Norm::Atom(a.clone())),
        }
    }
    if full.is_bottom() { Cube::bottom() } else { out }
}

/// `x - y + c`, both of the program.
fn difference(e: &LinExpr, n: usize) -> Option<(Var, Var)> {
    match e.terms() {
        [(x, a), (y, b)] if (a + b).is_zero() && a.abs() == Rat::one() => {
            ((x.0 as usize) < n && (y.0 as usize) < n).then_some((*x, *y))
        }
        _ => None,
    }
}

/// The variable and value of `x = c`.
fn fixed(a: &Atom) -> Option<(Var, Rat)> {
    match a.expr().terms() {
        [(v, k)] if a.rel() == Rel::Eq && *k == Rat::one() => Some((*v, -a.expr().constant_part())),
        _ => None,
    }
}
