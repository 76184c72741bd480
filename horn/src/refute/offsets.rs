//! Classes of variables that equalities `x = y + c` tie together: union-find with offsets, and the
//! spanning forest of the equalities used, from which multipliers are recovered.

use super::Constraint;
use crate::linear::{LinExpr, Model, Rat, Var};
use rustc_hash::FxHashMap;

#[derive(PartialEq, Eq, Debug)]
pub(crate) enum Joined {
    /// The classes were apart.
    New,
    /// The equality was known.
    Known,
    /// The equality contradicts those before.
    Contradiction,
}

/// Vertex 0 stands for zero, the others for variables.
pub(crate) struct Offsets {
    index: FxHashMap<Var, usize>,
    vars: Vec<Option<Var>>,
    /// `x = parent(x) + offset(x)`; compressed lazily.
    parent: Vec<usize>,
    offset: Vec<Rat>,
    size: Vec<u32>,
    /// Equalities of the spanning forest: constraint and the two vertices.
    tree: Vec<(usize, usize, usize)>,
}

impl Offsets {
    /// Every variable in a class of its own.
    pub fn new(constraints: &[Constraint]) -> Offsets {
        let mut o = Offsets {
            index: FxHashMap::default(),
            vars: vec![None],
            parent: Vec::new(),
            offset: Vec::new(),
            size: Vec::new(),
            tree: Vec::new(),
        };
        for v in constraints.iter().flat_map(|c| c.expr.vars()) {
            o.index.entry(v).or_insert_with(|| {
                o.vars.push(Some(v));
                o.vars.len() - 1
            });
        }
        let n = o.vars.len();
        o.parent = (0..n).collect();
        o.offset = vec![Rat::zero(); n];
        o.size = vec![1; n];
        // Zero stays the root of its class.
        o.size[0] = u32::MAX;
        o
    }

    fn vertex(&self, v: Var) -> usize {
        self.index.get(&v).copied().unwrap_or(0)
    }

    /// `e = 0` as `x = y + k` between vertices.
    pub fn equality(&self, e: &LinExpr) -> Option<(usize, usize, Rat)> {
        let c = e.constant_part();
        match e.terms() {
            [(x, a)] if a.is_one() => Some((self.vertex(*x), 0, -c)),
            [(x, a)] if (-a).is_one() => Some((self.vertex(*x), 0, c.clone())),
            [(x, a), (y, b)] if a.is_one() && (-b).is_one() => Some((self.vertex(*x), self.vertex(*y), -c)),
            [(x, a), (y, b)] if b.is_one() && (-a).is_one() => Some((self.vertex(*y), self.vertex(*x), -c)),
            _ => None,
        }
    }

    /// The root of a vertex's class and its distance from it.
    fn find(&self, x: usize) -> (usize, Rat) {
        let (mut at, mut sum) = (x, Rat::zero());
        while self.parent[at] != at {
            sum = &sum + &self.offset[at];
            at = self.parent[at];
        }
        (at, sum)
    }

    /// Takes in `x = y + k`, which is constraint `id`.
    pub fn join(&mut self, id: usize, x: usize, y: usize, k: Rat) -> Joined {
        let ((rx, ox), (ry, oy)) = (self.find(x), self.find(y));
        // rx + ox = ry + oy + k
        let gap = &(&oy + &k) - &ox;
        if rx == ry {
            return if gap.is_zero() { Joined::Known } else { Joined::Contradiction };
        }
        self.tree.push((id, x, y));
        if self.size[rx] <= self.size[ry] {
            self.parent[rx] = ry;
            self.offset[rx] = gap;
            self.size[ry] = self.size[ry].saturating_add(self.size[rx]);
        } else {
            self.parent[ry] = rx;
            self.offset[ry] = -&gap;
            self.size[rx] = self.size[rx].saturating_add(self.size[ry]);
        }
        Joined::New
    }

    /// The representative of a variable (none for zero) and its distance from it.
    pub fn representative(&self, v: Var) -> (Option<Var>, Rat) {
        match self.index.get(&v) {
            None => (Some(v), Rat::zero()),
            Some(&x) => {
                let (r, o) = self.find(x);
                (self.vars[r], o)
            }
        }
    }

    /// An expression over the representatives.
    pub fn reduce(&self, e: &LinExpr) -> LinExpr {
        let mut constant = e.constant_part().clone();
        let mut terms = Vec::with_capacity(e.terms().len());
        for (v, a) in e.terms() {
            let (r, o) = self.representative(*v);
            if !o.is_zero() {
                constant = &constant + &(a * &o);
            }
            if let Some(r) = r {
                terms.push((r, a.clone()));
            }
        }
        LinExpr::new(terms, constant)
    }

    /// Values of the representatives extended to all variables.
    pub fn extend(&self, representatives: &Model) -> Model {
        let value = |v: &Option<Var>| {
            let v = (*v)?;
            let (r, o) = self.representative(v);
            let base = r.map_or_else(Rat::zero, |r| representatives.value(r));
            Some((v, &base + &o))
        };
        self.vars.iter().filter_map(value).collect()
    }

    /// Multipliers of the forest's equalities that cancel the variables of `sum`, where the coefficients
    /// of each class but zero's add up to nothing: each vertex passes its coefficient on to its parent.
    pub fn flow(&self, sum: &LinExpr, constraints: &[Constraint]) -> Vec<(usize, Rat)> {
        if sum.is_constant() {
            return Vec::new();
        }
        let n = self.vars.len();
        let mut adjacent: Vec<Vec<(usize, usize)>> = vec![Vec::new(); n];
        for (id, x, y) in &self.tree {
            adjacent[*x].push((*id, *y));
            adjacent[*y].push((*id, *x));
        }
        let mut over = vec![Rat::zero(); n];
        for (v, a) in sum.terms() {
            over[self.vertex(*v)] = a.clone();
        }
        // Breadth first from zero and then from each class still unseen.
        let mut up: Vec<Option<(usize, usize)>> = vec![None; n];
        let mut order = Vec::with_capacity(n);
        let mut seen = vec![false; n];
        let starts = std::iter::once(0).chain(sum.vars().map(|v| self.vertex(v)));
        for s in starts {
            if std::mem::replace(&mut seen[s], true) {
                continue;
            }
            let mut head = order.len();
            order.push(s);
            while head < order.len() {
                let x = order[head];
                head += 1;
                for (id, y) in &adjacent[x] {
                    if !std::mem::replace(&mut seen[*y], true) {
                        up[*y] = Some((*id, x));
                        order.push(*y);
                    }
                }
            }
        }
        let mut out = Vec::new();
        for &x in order.iter().rev() {
            let (Some((id, p)), Some(v)) = (up[x], self.vars[x]) else { continue };
            if over[x].is_zero() {
                continue;
            }
            let a = constraints[id].expr.coeff(v);
            out.push((id, &-&over[x] / &a));
            over[p] = &over[p] + &over[x];
        }
        out
    }
}
