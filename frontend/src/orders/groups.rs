//! Which operands of a region have an order that can be told.

use super::Region;
use super::effects::{CellSet, Effects, registers};
use relyant_cfa::{Graph, ObjId};
use std::collections::BTreeMap;

/// The operands of a region, and what may come between them.
pub(super) struct Set<'e> {
    /// What each operand does, in their order.
    pub(super) of: &'e [Effects],
    /// Of the operands around the region.
    pub(super) context: Option<&'e Effects>,
    /// No other thread moves meanwhile.
    pub(super) alone: bool,
    /// Plain reads come in any order.
    pub(super) any_reads: bool,
    /// Only data races count: the order of accesses matters where threads synchronise.
    pub(super) races: bool,
}

impl Set<'_> {
    /// Can the order of two things be told?
    pub(super) fn dependent(&self, a: &Effects, b: &Effects) -> bool {
        let memory = a.writes.meet(&b.writes) || a.writes.meet(&b.reads) || b.writes.meet(&a.reads);
        let ends = (a.stops && b.noticed) || (b.stops && a.noticed);
        memory || ends || self.threads_tell(a, b)
    }

    /// Can other threads tell?
    fn threads_tell(&self, a: &Effects, b: &Effects) -> bool {
        let plain = !a.acts && !b.acts && !self.any_reads;
        let unsynchronised = self.races && !a.calls && !b.calls;
        a.contested && b.contested && !self.alone && !plain && !unsynchronised
    }
}

/// Operands in groups: members of different ones have no order that can be told.
pub(super) struct Groups {
    /// The group of each operand: the number of its first member.
    pub(super) of: Vec<usize>,
    /// Other threads could tell the order of plain reads.
    pub(super) reads_left_to_right: bool,
}

impl Groups {
    /// Is there a group of more than one?
    pub(super) fn any(&self) -> bool {
        self.of.iter().enumerate().any(|(k, g)| k != *g)
    }
    fn root(&self, mut k: usize) -> usize {
        while self.of[k] != k {
            k = self.of[k];
        }
        k
    }
    fn union(&mut self, a: usize, b: usize) {
        let (a, b) = (self.root(a), self.root(b));
        let (low, high) = (a.min(b), a.max(b));
        self.of[high] = low;
    }
    fn union_all(&mut self, all: &[usize]) {
        all.iter().for_each(|k| self.union(all[0], *k));
    }
}

/// Finds the groups of a region.
pub(super) fn find(set: &Set<'_>, region: &Region, graph: &Graph) -> Groups {
    let n = set.of.len();
    let all: Vec<&Effects> = set.of.iter().chain(set.context).collect();
    let mut groups = Groups { of: (0..all.len()).collect(), reads_left_to_right: false };
    memory(&all, &mut groups);
    let pick = |test: &dyn Fn(&Effects) -> bool| -> Vec<usize> {
        (0..all.len()).filter(|k| test(all[*k])).collect()
    };
    let (stops, noticed) = (pick(&|e| e.stops), pick(&|e| e.noticed));
    if !stops.is_empty() && !noticed.is_empty() && (stops != noticed || stops.len() > 1) {
        groups.union_all(&[stops, noticed].concat());
    }
    let contested = pick(&|e| e.contested);
    if contested.len() > 1 && !set.alone {
        let told =
            contested.iter().any(|k| contested.iter().any(|j| j != k && set.threads_tell(all[*k], all[*j])));
        if told {
            groups.union_all(&contested);
        } else if !set.races && contested.iter().filter(|k| **k < n).count() > 1 {
            groups.reads_left_to_right = true;
        }
    }
    if region.whole {
        // Elements of a list that change one local variable after another: their order is not undefined.
        let parts: Vec<_> = region
            .operands
            .iter()
            .map(|o| registers(graph.edges.iter().filter(|e| o.has(e.from) && e.from != o.exit)))
            .collect();
        let mut users: BTreeMap<u32, (Vec<usize>, bool)> = BTreeMap::new();
        for (k, (read, written)) in parts.iter().enumerate() {
            for (r, w) in read.iter().map(|r| (r, false)).chain(written.iter().map(|r| (r, true))) {
                let user = users.entry(*r).or_default();
                user.0.push(k);
                user.1 |= w;
            }
        }
        for (ops, _) in users.values().filter(|u| u.1) {
            groups.union_all(ops);
        }
    }
    // What is dependent on the context only goes with it.
    let of: Vec<usize> = (0..n).map(|k| groups.root(k)).collect();
    let mut first: BTreeMap<usize, usize> = BTreeMap::new();
    groups.of = (0..n).map(|k| *first.entry(of[k]).or_insert(k)).collect();
    groups
}

/// Puts together what acts on one cell, if something writes it.
fn memory(all: &[&Effects], groups: &mut Groups) {
    type Users = (Vec<usize>, bool);
    let mut by: BTreeMap<ObjId, BTreeMap<Option<usize>, Users>> = BTreeMap::new();
    let mut add = |k: usize, cells: &CellSet, written: bool| {
        for (o, cell) in &cells.set {
            let users = by.entry(*o).or_default().entry(*cell).or_default();
            users.0.push(k);
            users.1 |= written;
        }
    };
    for (k, e) in all.iter().enumerate() {
        add(k, &e.reads, false);
        add(k, &e.writes, true);
    }
    for cells in by.values_mut() {
        let (whole, written) = cells.remove(&None).unwrap_or_default();
        let mut everybody = whole.clone();
        for (users, w) in cells.values() {
            if *w || written {
                groups.union_all(&[users.as_slice(), &whole].concat());
            }
            everybody.extend(users);
        }
        if written {
            groups.union_all(&everybody);
        }
    }
    for (k, e) in all.iter().enumerate().filter(|(_, e)| e.reads.all || e.writes.all) {
        for (j, other) in all.iter().enumerate() {
            let reads = e.writes.all && !other.reads.is_empty();
            if j != k && (reads || !other.writes.is_empty()) {
                groups.union(k, j);
            }
        }
    }
}
