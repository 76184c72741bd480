//! What edges, operands and called functions do that others can tell.

use super::Region;
use crate::instantiate::{Sharing, taken};
use crate::races::concurrent::Concurrent;
use relyant_cfa::options::{Options, Property};
use relyant_cfa::points_to::{PointsTo, Targets};
use relyant_cfa::walk;
use relyant_cfa::{Callee, Edge, Expr, FuncId, Graph, Loc, LocationKind, Module, ObjId, Op};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Larger sets of cells are everything.
const CELLS: usize = 2000;

/// A set of cells; without a number, all of an object.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct CellSet {
    pub(super) all: bool,
    pub(super) set: BTreeSet<(ObjId, Option<usize>)>,
}

impl CellSet {
    pub(super) fn is_empty(&self) -> bool {
        !self.all && self.set.is_empty()
    }
    fn add(&mut self, other: &CellSet) {
        self.all |= other.all;
        if !self.all {
            self.set.extend(other.set.iter().copied());
            self.all = self.set.len() > CELLS;
        }
        if self.all {
            self.set.clear();
        }
    }
    /// May they have a cell in common?
    pub(super) fn meet(&self, other: &CellSet) -> bool {
        if self.is_empty() || other.is_empty() {
            return false;
        }
        if self.all || other.all {
            return true;
        }
        let (few, many) = if self.set.len() < other.set.len() { (self, other) } else { (other, self) };
        few.set.iter().any(|(o, k)| match k {
            None => many.set.range((*o, None)..=(*o, Some(usize::MAX))).next().is_some(),
            Some(_) => many.set.contains(&(*o, *k)) || many.set.contains(&(*o, None)),
        })
    }
}

impl From<Targets> for CellSet {
    fn from(t: Targets) -> CellSet {
        match t {
            Targets::Objects(set) => CellSet { all: false, set },
            Targets::Unknown => CellSet { all: true, set: BTreeSet::new() },
        }
    }
}

/// What is done, and who can tell.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Effects {
    pub(super) reads: CellSet,
    pub(super) writes: CellSet,
    /// Something that other threads notice, or have an influence on.
    pub(super) contested: bool,
    /// Among that is more than plain reads.
    pub(super) acts: bool,
    /// It may be that nothing comes after it: it waits, it has no end, it ends the program.
    pub(super) stops: bool,
    /// It is noticed even if nothing comes after it.
    pub(super) noticed: bool,
    /// Synchronisation or a call.
    pub(super) calls: bool,
}

impl Effects {
    pub(super) fn add(&mut self, other: &Effects) {
        self.reads.add(&other.reads);
        self.writes.add(&other.writes);
        self.contested |= other.contested;
        self.acts |= other.acts;
        self.stops |= other.stops;
        self.noticed |= other.noticed;
        self.calls |= other.calls;
    }

    /// Those of each operand of each region.
    pub(super) fn of_operands(regions: &[Region], graph: &Graph, edges: &[Rc<Effects>]) -> Vec<Vec<Effects>> {
        // The innermost operand that each location is in; inner regions come later.
        let mut at: Vec<Option<(usize, usize)>> = vec![None; graph.locations.len()];
        for (r, region) in regions.iter().enumerate() {
            for (k, o) in region.operands.iter().enumerate() {
                o.locations().filter(|l| *l != o.exit).for_each(|l| at[l.0 as usize] = Some((r, k)));
                at[o.entry.0 as usize] = Some((r, k));
            }
        }
        let mut all: Vec<Vec<Effects>> =
            regions.iter().map(|r| vec![Effects::default(); r.operands.len()]).collect();
        for (e, effects) in graph.edges.iter().zip(edges) {
            if let Some((r, k)) = at[e.from.0 as usize] {
                all[r][k].add(effects);
            }
        }
        for r in (0..regions.len()).rev() {
            let Some((p, k)) = regions[r].parent else { continue };
            let (outer, inner) = all.split_at_mut(r);
            if let Some(o) = outer[p].get_mut(k) {
                inner[0].iter().for_each(|e| o.add(e));
            }
        }
        all
    }

    /// What may come between the operands of each region: the other operands of those around it.
    pub(super) fn around(regions: &[Region], effects: &[Vec<Effects>]) -> Vec<Option<Effects>> {
        let mut all: Vec<Option<Effects>> = Vec::new();
        for region in regions {
            all.push(region.parent.map(|(p, k)| {
                let mut sum = all[p].clone().unwrap_or_default();
                // Elements of a list are evaluated whole.
                if !regions[p].whole {
                    effects[p].iter().enumerate().filter(|(j, _)| *j != k).for_each(|(_, e)| sum.add(e));
                }
                sum
            }));
        }
        all
    }
}

/// Facts about a module.
pub(super) struct ModuleFacts<'m> {
    module: &'m Module,
    points_to: PointsTo,
    concurrent: Concurrent,
    taken: BTreeSet<FuncId>,
    /// Who accesses an object, which cell, and whether it writes.
    users: BTreeMap<ObjId, BTreeSet<(FuncId, Option<usize>, bool)>>,
    /// Who accesses anything, and whether it writes.
    anywhere: BTreeSet<(FuncId, bool)>,
    own: Vec<bool>,
    summaries: BTreeMap<FuncId, Effects>,
    pub(super) any_reads: bool,
    pub(super) races: bool,
    checks_memory: bool,
    exclusive: Option<String>,
}

impl<'m> ModuleFacts<'m> {
    pub(super) fn new(module: &'m Module, options: &Options) -> ModuleFacts<'m> {
        let points_to = PointsTo::of_module(module);
        let concurrent = Concurrent::new(module, &points_to);
        let taken = taken(module);
        let sharing = Sharing::new(module, &points_to, &taken);
        let own = (0u32..)
            .zip(&module.objects)
            .map(|(o, object)| object.thread_local || sharing.alone(ObjId(o)))
            .collect();
        let mut facts = ModuleFacts {
            module,
            points_to,
            concurrent,
            taken,
            users: BTreeMap::new(),
            anywhere: BTreeSet::new(),
            own,
            summaries: BTreeMap::new(),
            any_reads: options.reads_in_any_order,
            races: options.property == Property::NoDataRace,
            checks_memory: options.checks_memory(),
            exclusive: options.exclusive.clone(),
        };
        facts.find_users();
        facts
    }

    fn find_users(&mut self) {
        for (f, function) in (0u32..).zip(&self.module.functions) {
            for e in &function.graph.edges {
                let (address, write) = match &e.op {
                    Op::Load(_, a, _) => (a, false),
                    Op::Store(a, _, _) => (a, true),
                    _ => continue,
                };
                match self.points_to.targets(f, address) {
                    Targets::Unknown => {
                        self.anywhere.insert((FuncId(f), write));
                    }
                    Targets::Objects(set) => {
                        for (o, k) in set.into_iter().filter(|t| !self.own[t.0.0 as usize]) {
                            self.users.entry(o).or_default().insert((FuncId(f), k, write));
                        }
                    }
                }
            }
        }
    }

    pub(super) fn entry(&self, f: FuncId) -> Loc {
        self.module.functions[f.0 as usize].entry
    }

    /// May other threads be alive while the operands are evaluated, and come between?
    pub(super) fn at(&self, f: FuncId, region: &Region, graph: &Graph) -> bool {
        let n = self.module.functions[f.0 as usize].graph.locations.len() as u32;
        let start = region.operands.first().map(|o| o.entry);
        let atomic = |l: Loc| graph.locations[l.0 as usize].atomic;
        let inner = || region.operands.iter().flat_map(super::Operand::locations).filter(|l| l.0 < n);
        let last = region.operands.last().map(|o| o.exit);
        inner().chain(start).any(|l| self.concurrent.at(f, l))
            && inner().any(|l| Some(l) != last && !atomic(l))
    }

    /// Do other threads write what is accessed, or read what is written?
    fn contested(&self, f: FuncId, cells: &CellSet, write: bool) -> bool {
        let other = |g: &FuncId, w: &bool| (write || *w) && self.concurrent.both(f, *g);
        if cells.is_empty() {
            return false;
        }
        if self.anywhere.iter().any(|(g, w)| other(g, w)) {
            return cells.all || cells.set.iter().any(|(o, _)| !self.own[o.0 as usize]);
        }
        if cells.all {
            return self.users.values().flatten().any(|(g, _, w)| other(g, w));
        }
        cells.set.iter().any(|(o, k)| {
            let users = self.users.get(o).into_iter().flatten();
            users.filter(|(_, j, _)| k.is_none() || j.is_none() || k == j).any(|(g, _, w)| other(g, w))
        })
    }

    /// Effects of each edge of a function.
    pub(super) fn edges(&mut self, f: FuncId) -> Vec<Effects> {
        let module = self.module;
        let graph = &module.functions[f.0 as usize].graph;
        for e in &graph.edges {
            for g in self.callees(f, e) {
                self.summarise(g);
            }
        }
        let out = graph.out_edges();
        let back = back_edges(graph, module.functions[f.0 as usize].entry, &out);
        let mut all: Vec<Effects> = graph.edges.iter().map(|e| self.edge(f, graph, e, &out)).collect();
        back.into_iter().for_each(|e| all[e].stops = true);
        for (e, effects) in graph.edges.iter().zip(&mut all) {
            for g in self.callees(f, e) {
                if let Some(s) = self.summaries.get(&g) {
                    effects.add(s);
                }
            }
        }
        all
    }

    fn callees(&self, f: FuncId, e: &Edge) -> BTreeSet<FuncId> {
        match &e.op {
            Op::Call { callee: Callee::Known(g), .. } => BTreeSet::from([*g]),
            Op::Call { callee: Callee::Pointer(p), .. } => {
                self.points_to.functions(f.0, p).unwrap_or_else(|| self.taken.clone())
            }
            _ => BTreeSet::new(),
        }
    }

    /// Effects of an edge, without what functions do that it calls.
    fn edge(&self, f: FuncId, graph: &Graph, e: &Edge, out: &[Vec<usize>]) -> Effects {
        let mut x = Effects::default();
        let constant = |a: &Expr| match a {
            Expr::Addr(_) => true,
            Expr::Binary(_, a, b, _) => matches!((&**a, &**b), (Expr::Addr(_), Expr::Const(_))),
            _ => false,
        };
        match &e.op {
            Op::Load(_, a, _) => {
                x.reads = self.points_to.targets(f.0, a).into();
                x.contested = self.contested(f, &x.reads, false);
                x.noticed = self.checks_memory && !constant(a);
            }
            Op::Store(a, _, _) => {
                x.writes = self.points_to.targets(f.0, a).into();
                x.contested = self.contested(f, &x.writes, true);
                x.acts = x.contested;
                x.noticed = x.contested || (self.checks_memory && !constant(a));
            }
            Op::Assume(_) => x.stops = out[e.from.0 as usize].len() == 1,
            Op::Create { .. } => {
                (x.contested, x.acts, x.noticed, x.calls) = (true, true, true, true);
            }
            Op::Join { .. } => (x.contested, x.acts, x.stops, x.calls) = (true, true, true, true),
            Op::ThreadExit(_) | Op::Halt => (x.stops, x.noticed) = (true, true),
            Op::Call { callee, args, .. } => {
                x.calls = true;
                let known = if let Callee::Known(g) = callee { Some(*g) } else { None };
                let is_free = known.is_some() && known == self.module.free;
                // What is given back is touched.
                let old = if is_free { args.first() } else { None };
                let moved = || self.module.heap.iter().any(|s| Some(s.function) == known);
                let old = old.or_else(|| args.get(1).filter(|_| moved()));
                if let Some(p) = old {
                    let set: BTreeSet<_> =
                        self.points_to.held(f.0, p).into_iter().map(|o| (o, None)).collect();
                    x.writes.add(&CellSet { all: false, set });
                    x.contested |= self.contested(f, &x.writes, true);
                    x.acts |= x.contested;
                    x.noticed |= x.contested || self.checks_memory;
                }
            }
            Op::Skip | Op::Assign(..) | Op::Havoc { .. } | Op::Return(_) => {}
        }
        let to = &graph.locations[e.to.0 as usize];
        let watched = |l: &String| Some(l) == self.exclusive.as_ref();
        x.noticed |= matches!(to.kind, LocationKind::Error(_)) || to.labels.iter().any(watched);
        x
    }

    /// What a function does until it returns, and those it calls.
    fn summarise(&mut self, f: FuncId) {
        if self.summaries.contains_key(&f) {
            return;
        }
        let module = self.module;
        let mut all: Vec<FuncId> = Vec::new();
        let mut calls: BTreeMap<FuncId, BTreeSet<FuncId>> = BTreeMap::new();
        let mut work = vec![f];
        while let Some(g) = work.pop() {
            if self.summaries.contains_key(&g) || calls.contains_key(&g) {
                continue;
            }
            let edges = &module.functions[g.0 as usize].graph.edges;
            let called: BTreeSet<FuncId> = edges.iter().flat_map(|e| self.callees(g, e)).collect();
            work.extend(called.iter().copied());
            calls.insert(g, called);
            all.push(g);
        }
        let mut new: BTreeMap<FuncId, Effects> = BTreeMap::new();
        for g in &all {
            let function = &module.functions[g.0 as usize];
            let out = function.graph.out_edges();
            let mut sum = Effects { calls: true, ..Effects::default() };
            for e in &function.graph.edges {
                // A return leads to the end; that is none.
                sum.add(&self.edge(*g, &function.graph, e, &out));
            }
            sum.stops |= !back_edges(&function.graph, function.entry, &out).is_empty();
            // What threads read in a call counts like what they write.
            sum.acts |= sum.contested;
            new.insert(*g, sum);
        }
        let recursive: BTreeSet<FuncId> =
            all.iter().copied().filter(|g| reaches_itself(*g, &calls)).collect();
        for g in &recursive {
            if let Some(s) = new.get_mut(g) {
                s.stops = true;
            }
        }
        // Callees come after their callers, mostly.
        loop {
            let mut changed = false;
            for g in all.iter().rev() {
                let mut sum = new[g].clone();
                for h in &calls[g] {
                    match new.get(h).or_else(|| self.summaries.get(h)) {
                        Some(s) if h != g => sum.add(s),
                        _ => {}
                    }
                }
                if !recursive.contains(g) {
                    // Each activation has its own; nobody can name them afterwards.
                    let locals = &module.functions[g.0 as usize].locals;
                    let fresh = |o: &ObjId| locals.contains(o);
                    sum.reads.set.retain(|(o, _)| !fresh(o));
                    sum.writes.set.retain(|(o, _)| !fresh(o));
                }
                if sum != new[g] {
                    changed = true;
                    new.insert(*g, sum);
                }
            }
            if !changed {
                break;
            }
        }
        self.summaries.extend(new);
    }
}

fn reaches_itself(f: FuncId, calls: &BTreeMap<FuncId, BTreeSet<FuncId>>) -> bool {
    let mut seen = BTreeSet::new();
    let mut work: Vec<FuncId> = calls[&f].iter().copied().collect();
    while let Some(g) = work.pop() {
        if g == f {
            return true;
        }
        if seen.insert(g) {
            work.extend(calls.get(&g).into_iter().flatten().copied());
        }
    }
    false
}

/// Edges that close a cycle.
fn back_edges(graph: &Graph, entry: Loc, out: &[Vec<usize>]) -> Vec<usize> {
    #[derive(Clone, Copy, PartialEq)]
    enum Seen {
        No,
        Open,
        Done,
    }
    let mut seen = vec![Seen::No; graph.locations.len()];
    let mut back = Vec::new();
    let roots = std::iter::once(entry).chain((0..graph.locations.len() as u32).map(Loc));
    for root in roots {
        if seen[root.0 as usize] != Seen::No {
            continue;
        }
        seen[root.0 as usize] = Seen::Open;
        let mut stack = vec![(root.0 as usize, 0usize)];
        while let Some((l, next)) = stack.last_mut() {
            let Some(&e) = out[*l].get(*next) else {
                seen[*l] = Seen::Done;
                stack.pop();
                continue;
            };
            *next += 1;
            let to = graph.edges[e].to.0 as usize;
            match seen[to] {
                Seen::No => {
                    seen[to] = Seen::Open;
                    stack.push((to, 0));
                }
                Seen::Open => back.push(e),
                Seen::Done => {}
            }
        }
    }
    back
}

/// Registers that the edges from some locations read and write.
pub(super) fn registers<'e>(edges: impl Iterator<Item = &'e Edge>) -> (BTreeSet<u32>, BTreeSet<u32>) {
    let (mut read, mut written) = (BTreeSet::new(), BTreeSet::new());
    for e in edges {
        written.extend(walk::writes(&e.op).map(|r| r.0));
        let mut found = Vec::new();
        walk::reads(&e.op).into_iter().for_each(|x| walk::registers(x, &mut found));
        read.extend(found.into_iter().map(|r| r.0));
    }
    (read, written)
}
