//! The product of operands: all ways to do an edge of one of them after another, as far as their order can be told.

use super::effects::Effects;
use super::groups::{Groups, Set};
use super::{Operand, Region, is_final};
use crate::races::Access;
use relyant_cfa::{Edge, Graph, Loc, Op, Told};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, VecDeque};
use std::ops::Range;
use std::rc::Rc;

/// As many operands may a product have.
const OPERANDS: usize = 64;
/// Most locations of a product.
const LOCATIONS: usize = 2000;
/// Most calls in a product: those of five calls that may come in any order.
const CALLS: usize = 80;

/// A function's graph, while products are made.
pub(super) struct Work {
    pub(super) graph: Graph,
    /// Locations where other operands wait.
    pub(super) held: FxHashSet<Loc>,
    /// Locations before and after calls.
    pub(super) open: FxHashSet<Loc>,
    /// By edge of the graph: what it does.
    pub(super) effects: Vec<Rc<Effects>>,
    /// Accesses by the locations they start from, where races are looked for.
    pub(super) accesses: BTreeMap<Loc, Vec<Access>>,
    /// Each statement is one step, up to calls.
    pub(super) statements: bool,
}

/// An edge of the product: from which of its locations, and the edge it is a copy of.
struct Step {
    from: usize,
    operand: usize,
    edge: usize,
    to: Target,
}

enum Target {
    /// A location of the product.
    Inner(usize),
    /// A location where the run ends.
    Final(Loc),
}

/// Puts the product in the place of the operands. Gives the new locations, or says why it was not made.
pub(super) fn build(
    region: &Region,
    groups: &Groups,
    set: &Set<'_>,
    work: &mut Work,
) -> Result<Range<u32>, &'static str> {
    let operands = &region.operands;
    if operands.len() > OPERANDS {
        return Err("has too many of them");
    }
    let owner = owners(operands, &work.graph)?;
    let shape = Shape::new(region, groups, set, work, &owner);
    let (tuples, steps) = shape.explore()?;
    let (start, end) = (operands[0].entry, operands[operands.len() - 1].exit);
    let first = work.graph.locations.len() as u32;
    let mut place: Vec<Loc> = Vec::new();
    for (i, tuple) in tuples.iter().enumerate() {
        let done = tuple.iter().zip(operands).all(|(l, o)| *l == o.exit);
        place.push(match (i, done) {
            (0, _) => start,
            (_, true) => end,
            _ => work.combined(tuple, operands),
        });
    }
    let mut movers: FxHashMap<usize, FxHashSet<usize>> = FxHashMap::default();
    steps.iter().for_each(|s| {
        movers.entry(s.from).or_default().insert(s.operand);
    });
    let mut own_start: FxHashMap<(usize, usize), Loc> = FxHashMap::default();
    let (mut new, mut effects) = (Vec::new(), Vec::new());
    for s in &steps {
        let mut edge = work.graph.edges[s.edge].clone();
        let old = edge.from;
        let several = movers[&s.from].len() > 1;
        let call = matches!(edge.op, Op::Call { .. });
        let accessed = work.accesses.contains_key(&old);
        edge.from = place[s.from];
        if several && (accessed || (call && work.statements)) {
            // The thread settles what comes next.
            edge.from = *own_start.entry((s.from, s.operand)).or_insert_with(|| {
                let l = work.graph.add_location(edge.span);
                let at = &work.graph.locations[place[s.from].0 as usize];
                let (atomic, assumes, initial) = (at.atomic && !call, at.assumes, at.initial);
                let made = &mut work.graph.locations[l.0 as usize];
                (made.atomic, made.assumes, made.initial) = (atomic, assumes, initial);
                new.push(Edge { from: place[s.from], to: l, op: Op::Skip, span: edge.span });
                effects.push(Rc::default());
                l
            });
        }
        if accessed && edge.from != old {
            let from = edge.from;
            let copies = work.accesses[&old].iter().map(|a| Access { from, ..*a }).collect();
            work.accesses.insert(from, copies);
        }
        edge.to = match s.to {
            Target::Inner(i) => place[i],
            Target::Final(l) => l,
        };
        new.push(edge);
        effects.push(work.effects[s.edge].clone());
    }
    let mut outside = owner.iter().map(Option::is_none);
    work.graph.edges.retain(|_| outside.next().unwrap_or(true));
    let mut outside = owner.iter().map(Option::is_none);
    work.effects.retain(|_| outside.next().unwrap_or(true));
    work.graph.edges.extend(new);
    work.effects.extend(effects);
    Ok(first..work.graph.locations.len() as u32)
}

/// The operand that each edge belongs to. Nothing else comes into one or leaves it.
fn owners(operands: &[Operand], graph: &Graph) -> Result<Vec<Option<usize>>, &'static str> {
    let mut at: FxHashMap<Loc, usize> = FxHashMap::default();
    for (k, o) in operands.iter().enumerate() {
        at.extend(o.locations().filter(|l| *l != o.exit).map(|l| (l, k)));
        at.insert(o.entry, k);
    }
    let last = operands.last().map(|o| o.exit);
    let mut owner = vec![None; graph.edges.len()];
    for (i, e) in graph.edges.iter().enumerate() {
        owner[i] = at.get(&e.from).copied().filter(|_| Some(e.from) != last);
        let (from, to) = (owner[i], at.get(&e.to).copied());
        let inside = |k: usize| operands[k].has(e.to) || operands[k].exit == e.to;
        let fits = match (from, to) {
            (Some(k), _) => inside(k) || is_final(graph, e.to),
            (None, Some(k)) => e.to == operands[k].entry && k == 0,
            (None, None) => true,
        };
        if !fits {
            return Err("is jumped into or out of");
        }
    }
    Ok(owner)
}

/// The product to be explored.
struct Shape<'w> {
    region: &'w Region,
    groups: &'w Groups,
    graph: &'w Graph,
    held: &'w FxHashSet<Loc>,
    /// Edges of each operand by location.
    out: Vec<FxHashMap<Loc, Vec<usize>>>,
    /// Locations of each operand from where nothing can be told by the others.
    quiet: Vec<FxHashSet<Loc>>,
}

type Tuples = Vec<Vec<Loc>>;

impl<'w> Shape<'w> {
    fn new(
        region: &'w Region,
        groups: &'w Groups,
        set: &Set<'_>,
        work: &'w Work,
        owner: &[Option<usize>],
    ) -> Shape<'w> {
        let n = region.operands.len();
        let mut out: Vec<FxHashMap<Loc, Vec<usize>>> = vec![FxHashMap::default(); n];
        for (i, k) in owner.iter().enumerate() {
            if let Some(k) = k {
                out[*k].entry(work.graph.edges[i].from).or_default().push(i);
            }
        }
        let mut quiet = Vec::new();
        for (k, leaving) in out.iter().enumerate() {
            let mut others = set.context.cloned().unwrap_or_default();
            let with = |j: &usize| *j != k && groups.of[*j] == groups.of[k];
            (0..n).filter(with).for_each(|j| others.add(&set.of[j]));
            let silent = |i: &usize| {
                let effects = &work.effects[*i];
                // What is held after it belongs to it.
                let alone = !work.held.contains(&work.graph.edges[*i].to);
                alone && !effects.stops && !set.dependent(effects, &others)
            };
            let quiet_at = |(_, list): &(&Loc, &Vec<usize>)| list.iter().all(silent);
            quiet.push(leaving.iter().filter(quiet_at).map(|(l, _)| *l).collect());
        }
        Shape { region, groups, graph: &work.graph, held: &work.held, out, quiet }
    }

    /// Who may go on.
    fn movers(&self, tuple: &[Loc]) -> Vec<usize> {
        let operands = &self.region.operands;
        let inside = |k: &usize| tuple[*k] != operands[*k].entry && tuple[*k] != operands[*k].exit;
        let all = || 0..operands.len();
        if let Some(k) = all().filter(inside).find(|k| self.region.whole || self.held.contains(&tuple[*k])) {
            return vec![k];
        }
        let Some(next) = all().find(|k| tuple[*k] != operands[*k].exit) else { return Vec::new() };
        let group = self.groups.of[next];
        let waiting: Vec<usize> =
            all().filter(|k| self.groups.of[*k] == group && tuple[*k] != operands[*k].exit).collect();
        match waiting.iter().find(|k| self.quiet[**k].contains(&tuple[**k])) {
            Some(k) if !self.region.whole => vec![*k],
            _ => waiting,
        }
    }

    fn explore(&self) -> Result<(Tuples, Vec<Step>), &'static str> {
        let start: Vec<Loc> = self.region.operands.iter().map(|o| o.entry).collect();
        let mut tuples = vec![start.clone()];
        let mut numbers: FxHashMap<Vec<Loc>, usize> = FxHashMap::default();
        numbers.insert(start, 0);
        let (mut steps, mut calls) = (Vec::new(), 0);
        let mut work = VecDeque::from([0]);
        while let Some(from) = work.pop_front() {
            let tuple = tuples[from].clone();
            for operand in self.movers(&tuple) {
                let edges = self.out[operand].get(&tuple[operand]);
                for &edge in edges.into_iter().flatten() {
                    let e = &self.graph.edges[edge];
                    calls += usize::from(matches!(e.op, Op::Call { .. }));
                    let to = if is_final(self.graph, e.to) {
                        Target::Final(e.to)
                    } else {
                        let mut next = tuple.clone();
                        next[operand] = e.to;
                        Target::Inner(*numbers.entry(next.clone()).or_insert_with(|| {
                            tuples.push(next);
                            work.push_back(tuples.len() - 1);
                            tuples.len() - 1
                        }))
                    };
                    steps.push(Step { from, operand, edge, to });
                }
            }
            if tuples.len() > LOCATIONS || calls > CALLS {
                return Err("has too many orders");
            }
        }
        Ok((tuples, steps))
    }
}

impl Work {
    /// A location of the product.
    fn combined(&mut self, tuple: &[Loc], operands: &[Operand]) -> Loc {
        let at = |l: &Loc| &self.graph.locations[l.0 as usize];
        let held = tuple.iter().any(|l| self.held.contains(l));
        let held_atomic = tuple.iter().any(|l| self.held.contains(l) && at(l).atomic);
        let with = || tuple.iter().zip(operands);
        let closed = |l: &Loc| at(l).atomic && !self.open.contains(l);
        let inside = with().any(|(l, o)| *l != o.entry && *l != o.exit && closed(l));
        let open = tuple.iter().any(|l| self.open.contains(l));
        let between = self.statements && (inside || (!open && tuple.iter().any(|l| at(l).atomic)));
        let atomic = held_atomic || between || tuple.iter().all(|l| at(l).atomic);
        let assumes = tuple.iter().any(|l| at(l).assumes);
        let initial = tuple.iter().any(|l| at(l).initial);
        let told = tuple.iter().map(|l| at(l).told).find(|t| *t != Told::Nothing).unwrap_or_default();
        let labels: Vec<String> = tuple.iter().flat_map(|l| at(l).labels.clone()).collect();
        let waiting = with().find(|(l, o)| **l != o.exit).map(|(l, _)| l);
        let span = waiting.map(|l| at(l).span).unwrap_or_default();
        let new = self.graph.add_location(span);
        let location = &mut self.graph.locations[new.0 as usize];
        (location.atomic, location.assumes, location.labels) = (atomic, assumes, labels);
        location.initial = initial;
        location.told = told;
        if held {
            self.held.insert(new);
        }
        if tuple.iter().any(|l| self.open.contains(l)) {
            self.open.insert(new);
        }
        new
    }
}
