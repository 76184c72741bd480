//! Edges of a template while locations are left out: by their ends, and in order.

use crate::edges::bounds::feasible;
use crate::edges::join::join;
use crate::{Edge, Loc, Location, Program};
use relyant_linear::Cube;

/// The edges of a template. They have numbers; an edge that is left out has none any more.
pub struct Steps {
    /// By number; `None` once it was left out.
    edges: Vec<Option<Edge>>,
    /// By number: keys whose order is that of the edges.
    keys: Vec<Vec<u32>>,
    /// By location: numbers of the edges into it that are left, in the order of their keys.
    ins: Vec<Vec<usize>>,
    /// The same of edges out of it.
    outs: Vec<Vec<usize>>,
    /// How many edges are left.
    count: usize,
}

impl Steps {
    /// Takes the edges out of a template.
    pub fn take(p: &mut Program, t: usize) -> Steps {
        let edges = std::mem::take(&mut p.templates[t].edges);
        let n = p.templates[t].locations.len();
        let mut s = Steps {
            edges: Vec::with_capacity(edges.len()),
            keys: Vec::with_capacity(edges.len()),
            ins: vec![Vec::new(); n],
            outs: vec![Vec::new(); n],
            count: 0,
        };
        (0u32..).zip(edges).for_each(|(i, e)| s.add(e, vec![i]));
        s
    }
    /// Gives the template its edges back, those that are left, in the order of their keys.
    pub fn put(self, p: &mut Program, t: usize) {
        let mut all: Vec<(Vec<u32>, Edge)> =
            self.keys.into_iter().zip(self.edges).filter_map(|(k, e)| Some((k, e?))).collect();
        all.sort_by(|a, b| a.0.cmp(&b.0));
        p.templates[t].edges = all.into_iter().map(|(_, e)| e).collect();
    }
    /// How many there are.
    pub fn count(&self) -> usize {
        self.count
    }
    /// Edges into a location, in order.
    pub fn ins(&self, v: Loc) -> Vec<&Edge> {
        self.ins[v.0 as usize].iter().filter_map(|i| self.edges[*i].as_ref()).collect()
    }
    /// Edges out of a location, in order.
    pub fn outs(&self, v: Loc) -> Vec<&Edge> {
        self.outs[v.0 as usize].iter().filter_map(|i| self.edges[*i].as_ref()).collect()
    }
    /// How many edges lead into a location, and out of it.
    pub fn degree(&self, v: Loc) -> (usize, usize) {
        (self.ins[v.0 as usize].len(), self.outs[v.0 as usize].len())
    }
    fn place(&self, list: &[usize], key: &[u32]) -> usize {
        list.partition_point(|i| self.keys[*i].as_slice() < key)
    }
    fn add(&mut self, e: Edge, key: Vec<u32>) {
        let (n, from, to) = (self.edges.len(), e.from.0 as usize, e.to.0 as usize);
        let at = self.place(&self.outs[from], &key);
        self.outs[from].insert(at, n);
        let at = self.place(&self.ins[to], &key);
        self.ins[to].insert(at, n);
        self.edges.push(Some(e));
        self.keys.push(key);
        self.count += 1;
    }
    fn remove(&mut self, n: usize) {
        let Some(e) = self.edges[n].take() else { return };
        let (from, to) = (e.from.0 as usize, e.to.0 as usize);
        let at = self.place(&self.outs[from], &self.keys[n]);
        self.outs[from].remove(at);
        let at = self.place(&self.ins[to], &self.keys[n]);
        self.ins[to].remove(at);
        self.count -= 1;
    }
    /// Joins each in-edge of a location with each out-edge, and leaves both out. `stays`: conditions under which an
    /// in-edge is kept, leading to a location without out-edges. New edges take the place of the in-edge, so that
    /// edges stay in source order.
    pub fn bypass(&mut self, p: &mut Program, t: usize, v: Loc, stays: &[Cube]) {
        let (ins, outs) = (self.ins[v.0 as usize].clone(), self.outs[v.0 as usize].clone());
        let mut joined = Vec::new();
        let mut dead = None;
        for i in &ins {
            let Some(a) = &self.edges[*i] else { continue };
            let mut new = Vec::new();
            for o in &outs {
                let Some(b) = &self.edges[*o] else { continue };
                let e = join(p, a, b);
                if feasible(p, &e.guard.and(&e.bounds)) {
                    new.push(e);
                }
            }
            for s in stays {
                let rest = s.subst(|v| a.after(v).cloned());
                let e = Edge { bounds: a.bounds.and(&rest), ..a.clone() };
                if feasible(p, &e.guard.and(&e.bounds)) {
                    let to = *dead.get_or_insert(Loc(p.templates[t].locations.len() as u32));
                    new.push(Edge { to, ..e });
                }
            }
            joined.push((self.keys[*i].clone(), new));
        }
        if dead.is_some() {
            let l = p.templates[t].locations[v].clone();
            p.templates[t].locations.push(Location { labels: Vec::new(), error: None, ..l });
            self.ins.push(Vec::new());
            self.outs.push(Vec::new());
        }
        ins.into_iter().chain(outs).for_each(|n| self.remove(n));
        for (key, new) in joined {
            let alone = new.len() == 1;
            for (k, e) in (0u32..).zip(new) {
                let mut key = key.clone();
                if !alone {
                    key.push(k);
                }
                self.add(e, key);
            }
        }
    }
}
