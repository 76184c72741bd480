//! What to keep apart when loops are unrolled: the places that steer them.

use super::loops::Loop;
use super::unroll::{Context, Place, followed};
use super::walk;
use crate::cfa::{Callee, Edge, Expr, Graph, Loc, Op};
use std::collections::{BTreeMap, BTreeSet};

/// A location of a loop with threads gets at most so many copies for that loop: 64 rounds and the end.
const THREAD_COPIES: usize = 66;
/// The same for loops that only index arrays.
const INDEX_COPIES: usize = 18;

/// What is tracked where.
pub(super) struct Plan {
    /// Tracked places by location.
    pub(super) tracked: Vec<BTreeSet<Place>>,
    /// Loops that have places of their own, by location.
    pub(super) around: Vec<Vec<usize>>,
    /// Places of each loop that no loop inside it tracks.
    pub(super) own: Vec<BTreeSet<Place>>,
    /// Copies that a location may get for each loop.
    pub(super) limit: Vec<usize>,
}

impl Plan {
    /// Nothing is tracked.
    pub(super) fn none(graph: &Graph) -> Plan {
        let n = graph.locations.len();
        Plan {
            tracked: vec![BTreeSet::new(); n],
            around: vec![Vec::new(); n],
            own: Vec::new(),
            limit: Vec::new(),
        }
    }

    /// Tracks what steers the loops, but for what was given up.
    pub(super) fn new(
        graph: &Graph,
        loops: &[Loop],
        banned: &[BTreeSet<Place>],
        context: &Context<'_>,
    ) -> Plan {
        let mut plan = Plan::none(graph);
        let mut places: Vec<BTreeSet<Place>> = Vec::new();
        for (i, l) in loops.iter().enumerate() {
            // What an inner loop gave up is not tracked around it either.
            let mut given_up = banned[i].clone();
            for (k, b) in banned.iter().enumerate().skip(i + 1) {
                if is_inside(loops, k, i) {
                    given_up.extend(b);
                }
            }
            let (set, limit) = steering(graph, l, &given_up, context);
            places.push(set);
            plan.limit.push(limit);
        }
        for (i, l) in loops.iter().enumerate() {
            let mut own = places[i].clone();
            for (k, r) in places.iter().enumerate().skip(i + 1) {
                if is_inside(loops, k, i) {
                    own.retain(|x| !r.contains(x));
                }
            }
            for at in &l.body {
                plan.tracked[at.0 as usize].extend(&places[i]);
                if !own.is_empty() {
                    plan.around[at.0 as usize].push(i);
                }
            }
            plan.own.push(own);
        }
        plan
    }
}

fn is_inside(loops: &[Loop], mut inner: usize, outer: usize) -> bool {
    while let Some(p) = loops[inner].parent {
        if p == outer {
            return true;
        }
        inner = p;
    }
    false
}

/// What steers a loop, and how many copies a location may get for it.
fn steering(
    graph: &Graph,
    l: &Loop,
    given_up: &BTreeSet<Place>,
    context: &Context<'_>,
) -> (BTreeSet<Place>, usize) {
    let inside = |x: Loc| l.body.binary_search(&x).is_ok();
    let edges: Vec<&Edge> = graph.edges.iter().filter(|e| inside(e.from)).collect();
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
    (set, if threads { THREAD_COPIES } else { INDEX_COPIES })
}
