//! Classes of variables that equalities `x = y + c` tie together: union-find with offsets, and the
//! graph of these equalities, from which multipliers are recovered along cheapest paths.

use super::Constraint;
use relyant_linear::{LinExpr, Model, Rat, Var};
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

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
    /// The vertex of each variable, the inverse of `vars`.
    index: FxHashMap<Var, usize>,
    /// By vertex: its variable; `None` for zero.
    vars: Vec<Option<Var>>,
    /// `x = parent(x) + offset(x)`; compressed lazily.
    parent: Vec<usize>,
    offset: Vec<Rat>,
    /// By root: how many vertices its class has; that of zero is never the smaller one.
    size: Vec<u32>,
    /// The equalities taken in, all consistent: constraint and the two vertices.
    edges: Vec<(usize, usize, usize)>,
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
            edges: Vec::new(),
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
        if rx == ry && !gap.is_zero() {
            return Joined::Contradiction;
        }
        self.edges.push((id, x, y));
        if rx == ry {
            return Joined::Known;
        }
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

    /// Multipliers of equalities that cancel the variables of `sum`, where the coefficients of each class
    /// but zero's add up to nothing: each coefficient is passed on along a cheapest path to a vertex
    /// that lacks it. Zero takes anything.
    pub fn flow(&self, sum: &LinExpr, constraints: &[Constraint], graph: &Graph) -> Vec<(usize, Rat)> {
        if sum.is_constant() {
            return Vec::new();
        }
        let mut over = vec![Rat::zero(); self.vars.len()];
        for (v, a) in sum.terms() {
            over[self.vertex(*v)] = a.clone();
        }
        let mut out = Vec::new();
        for v in sum.vars() {
            let x = self.vertex(v);
            while !over[x].is_zero() {
                let positive = over[x].is_positive();
                let takes = |y: usize| y == 0 || !over[y].is_zero() && over[y].is_positive() != positive;
                let Some(path) = graph.cheapest_path(x, takes) else { break };
                let end = path.last().map_or(x, |s| s.1);
                let amount = if end == 0 {
                    over[x].clone()
                } else if positive {
                    over[x].clone().min(-&over[end])
                } else {
                    over[x].clone().max(-&over[end])
                };
                let mut at = x;
                for (id, y) in path {
                    // Cancels `amount` at one end and leaves it at the other.
                    let own = self.vars[at].map(|v| constraints[id].expr.coeff(v));
                    let far = self.vars[y].map(|v| constraints[id].expr.coeff(v));
                    let k = match (own, far) {
                        (Some(a), _) => &-&amount / &a,
                        (None, Some(a)) => &amount / &a,
                        (None, None) => Rat::zero(),
                    };
                    out.push((id, k));
                    at = y;
                }
                over[x] = &over[x] - &amount;
                over[end] = &over[end] + &amount;
            }
        }
        out
    }
}

/// The equalities as a graph: the edges at vertex `x` are `edges[start[x]..start[x + 1]]`, each with the
/// constraint, the other vertex and the cost.
pub(crate) struct Graph {
    start: Vec<usize>,
    edges: Vec<(usize, usize, u64)>,
}

impl Graph {
    pub fn new(offsets: &Offsets, constraints: &[Constraint]) -> Graph {
        let n = offsets.vars.len();
        let mut start = vec![0; n + 1];
        for (_, x, y) in &offsets.edges {
            start[*x] += 1;
            start[*y] += 1;
        }
        let mut total = 0;
        for s in &mut start {
            total += *s;
            *s = total;
        }
        let mut edges = vec![(0, 0, 0); total];
        for (id, x, y) in &offsets.edges {
            for (x, y) in [(x, y), (y, x)] {
                start[*x] -= 1;
                edges[start[*x]] = (*id, *y, constraints[*id].cost());
            }
        }
        Graph { start, edges }
    }

    /// Dijkstra: the steps, equality and vertex reached, of a cheapest path from `x` to a vertex that
    /// `takes`.
    fn cheapest_path(&self, x: usize, takes: impl Fn(usize) -> bool) -> Option<Vec<(usize, usize)>> {
        let mut done: Vec<Option<(usize, usize)>> = vec![None; self.start.len()];
        let mut queue = BinaryHeap::from([(Reverse(0u64), Reverse(x), (usize::MAX, x))]);
        while let Some((Reverse(cost), Reverse(at), by)) = queue.pop() {
            if done[at].is_some() {
                continue;
            }
            done[at] = Some(by);
            if at != x && takes(at) {
                let (mut path, mut y) = (Vec::new(), at);
                while y != x {
                    let (id, before) = done[y]?;
                    path.push((id, y));
                    y = before;
                }
                path.reverse();
                return Some(path);
            }
            for (id, y, c) in &self.edges[self.start[at]..self.start[at + 1]] {
                if done[*y].is_none() {
                    queue.push((Reverse(cost.saturating_add(*c)), Reverse(*y), (*id, at)));
                }
            }
        }
        None
    }
}
