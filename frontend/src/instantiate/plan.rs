//! What to keep apart when loops are unrolled: the places that steer them.

use super::loops::Loop;
use super::places::{Numbers, Place};
use super::unroll::{Context, followed};
use relyant_cfa::sparse::Row;
use relyant_cfa::walk;
use relyant_cfa::{Callee, Edge, Expr, Graph, Loc, Op};
use std::collections::{BTreeMap, BTreeSet};

/// A location of a loop with threads gets at most so many copies for that loop: 64 rounds and the end.
pub(super) const THREAD_COPIES: usize = 66;
/// The same where one thread of many is chosen, which is a proof about all of them: 4 rounds and the end.
pub(super) const FEW_COPIES: usize = 6;
/// The same for loops that only index arrays, where those with threads get more than this.
const INDEX_COPIES: usize = 18;

/// What is tracked where.
pub(super) struct Plan {
    /// The innermost loop at each location.
    inner: Vec<Option<usize>>,
    /// Tracked places in each loop, by their numbers.
    tracked: Vec<Row>,
    /// For each loop: itself and those around it, if they have places of their own.
    around: Vec<Vec<usize>>,
    /// Places of each loop that no loop inside it tracks.
    pub(super) own: Vec<BTreeSet<Place>>,
    /// Copies that a location may get for each loop.
    pub(super) limit: Vec<usize>,
}

/// What steers a loop, with what was given up of it.
type Found = (BTreeSet<Place>, BTreeSet<Place>, usize);

/// What steers the loops of a graph, as far as it was found out.
pub(super) struct Steering<'a> {
    graph: &'a Graph,
    loops: &'a [Loop],
    out: Vec<Vec<usize>>,
    /// By loop: what was found out last, and under what was given up; `None` before.
    found: Vec<Option<Found>>,
}

impl<'a> Steering<'a> {
    pub(super) fn new(graph: &'a Graph, loops: &'a [Loop]) -> Steering<'a> {
        Steering { graph, loops, out: graph.out_edges(), found: vec![None; loops.len()] }
    }

    /// Places that steer a loop, and how many copies a location may get for it.
    fn of(&mut self, i: usize, given_up: &BTreeSet<Place>, context: &Context<'_>) -> &Found {
        let known = self.found[i].take().filter(|(without, _, _)| without == given_up);
        let found = known.unwrap_or_else(|| {
            let (places, limit) = steering(self.graph, &self.out, &self.loops[i], given_up, context);
            (given_up.clone(), places, limit)
        });
        self.found[i].insert(found)
    }
}

impl Plan {
    /// No loop is unrolled: nothing is tracked in any.
    pub(super) fn none(graph: &Graph) -> Plan {
        Plan {
            inner: vec![None; graph.locations.len()],
            tracked: Vec::new(),
            around: Vec::new(),
            own: Vec::new(),
            limit: Vec::new(),
        }
    }

    /// Tracks what steers the loops, but for what was given up.
    pub(super) fn new(
        steering: &mut Steering<'_>,
        banned: &[BTreeSet<Place>],
        context: &Context<'_>,
        numbers: &Numbers,
    ) -> Plan {
        let loops = steering.loops;
        let mut plan = Plan::none(steering.graph);
        // What an inner loop gave up is not tracked around it either.
        let mut given_up = banned.to_vec();
        for i in (0..loops.len()).rev() {
            extend_parent(loops, &mut given_up, i);
        }
        let mut places = Vec::new();
        for (i, given_up) in given_up.iter().enumerate() {
            let (_, set, limit) = steering.of(i, given_up, context);
            places.push(set.clone());
            plan.limit.push(*limit);
        }
        // Places of each loop and those inside it.
        let mut below = places.clone();
        plan.own = places.clone();
        for i in (0..loops.len()).rev() {
            if let Some(p) = loops[i].parent {
                plan.own[p].retain(|x| !below[i].contains(x));
            }
            extend_parent(loops, &mut below, i);
        }
        for (i, l) in loops.iter().enumerate() {
            let parent = l.parent;
            let mut tracked = parent.map_or_else(Row::default, |p| plan.tracked[p].clone());
            places[i].iter().for_each(|p| tracked.insert(numbers.of(*p)));
            plan.tracked.push(tracked);
            let mut around = parent.map_or_else(Vec::new, |p| plan.around[p].clone());
            if !plan.own[i].is_empty() {
                around.push(i);
            }
            plan.around.push(around);
            l.body.iter().for_each(|at| plan.inner[at.0 as usize] = Some(i));
        }
        plan
    }

    /// The places tracked at a location, by their numbers.
    pub(super) fn tracked(&self, l: Loc) -> Option<&Row> {
        self.inner[l.0 as usize].map(|i| &self.tracked[i])
    }

    /// Loops around a location that have places of their own.
    pub(super) fn around(&self, l: Loc) -> &[usize] {
        self.inner[l.0 as usize].map_or(&[], |i| &self.around[i])
    }
}

/// Adds a loop's set to that of the loop around it.
fn extend_parent(loops: &[Loop], sets: &mut [BTreeSet<Place>], i: usize) {
    if let Some(p) = loops[i].parent {
        let (before, rest) = sets.split_at_mut(i);
        before[p].extend(&rest[0]);
    }
}

/// What steers a loop, and how many copies a location may get for it.
fn steering(
    graph: &Graph,
    out: &[Vec<usize>],
    l: &Loop,
    given_up: &BTreeSet<Place>,
    context: &Context<'_>,
) -> (BTreeSet<Place>, usize) {
    let inside = |x: Loc| l.body.binary_search(&x).is_ok();
    let edges: Vec<&Edge> =
        l.body.iter().flat_map(|at| &out[at.0 as usize]).map(|e| &graph.edges[*e]).collect();
    let exits: BTreeSet<Loc> = edges.iter().filter(|e| !inside(e.to)).map(|e| e.from).collect();
    let mut written: BTreeMap<Place, Vec<&Edge>> = BTreeMap::new();
    for e in edges.iter().filter(|e| inside(e.to)) {
        let place = match &e.op {
            Op::Store(a, _, _) => followed(a, context),
            op => walk::writes(op).map(Place::Register),
        };
        if let Some(p) = place {
            written.entry(p).or_default().push(e);
        }
    }
    let read = |x: &Expr, out: &mut Vec<Place>| {
        let mut found = Vec::new();
        walk::registers(x, &mut found);
        out.extend(found.into_iter().map(Place::Register));
    };
    let mut threads = false;
    let (mut tests, mut accesses) = (Vec::new(), Vec::new());
    for e in &edges {
        match &e.op {
            Op::Assume(x) if exits.contains(&e.from) => read(x, &mut tests),
            Op::Load(_, a, _) | Op::Store(a, _, _) if inside(e.to) => read(a, &mut accesses),
            Op::Create { .. } | Op::Join { .. } | Op::Call { callee: Callee::Pointer(_), .. }
                if inside(e.to) =>
            {
                threads = true;
                walk::reads(&e.op).iter().for_each(|x| read(x, &mut accesses));
            }
            _ => {}
        }
    }
    let close = |seeds: &[Place]| {
        let mut set = BTreeSet::new();
        let mut work = seeds.to_vec();
        while let Some(p) = work.pop() {
            if given_up.contains(&p) || !written.contains_key(&p) || !set.insert(p) {
                continue;
            }
            for e in &written[&p] {
                match &e.op {
                    Op::Assign(_, x) | Op::Store(_, x, _) => read(x, &mut work),
                    Op::Load(_, a, _) => work.extend(followed(a, context)),
                    _ => {}
                }
            }
        }
        set
    };
    let mut set = close(&accesses);
    if !threads && set.is_empty() {
        return (set, 0);
    }
    set.extend(close(&tests));
    (set, if threads { context.copies } else { INDEX_COPIES.min(context.copies) })
}
