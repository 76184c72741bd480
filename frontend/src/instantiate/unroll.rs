//! Constant propagation that keeps locations apart by the constants that matter: unrolls loops that create or join
//! threads, and short loops that index arrays.
//!
//! Polyvariant specialisation (Jones, Gomard, Sestoft, "Partial evaluation and automatic program generation", 1993,
//! chapter 4) on automata: a node is a location with the known values of the registers tracked there; all other known
//! values are joined. A register is tracked in a loop if it decides when the loop ends, or what is accessed or started
//! in it. A register that takes too many values is tracked no more, and the analysis starts over.

use super::fold::{Rules, Value};
use super::inline::Body;
use super::liveness::Liveness;
use super::loops;
use super::places::{Cells, Known, Numbers, Place};
use super::plan::{Plan, Steering};
use relyant_cfa::walk;
use relyant_cfa::{BinOp, CmpOp, Edge, Expr, Graph, IntKind, Loc, ObjId, Object, Op};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};

/// All copies of all locations.
const NODES: usize = 40_000;
/// So many places are given up before tracking stops.
const ATTEMPTS: usize = 40;

type Env = super::places::Values;
type Key = Vec<(Place, Value)>;

/// What specialisation knows of the program around the body.
pub(super) struct Context<'a> {
    pub(super) objects: &'a [Object],
    /// Cells that have one value as long as the thread runs.
    pub(super) stable: &'a dyn Fn(ObjId, u32) -> Option<Value>,
    /// Cells that only the thread itself writes.
    pub(super) follows: &'a dyn Fn(ObjId, u32) -> bool,
    /// What is known of these when the thread starts.
    pub(super) start: Cells,
    pub(super) signed_wraps: bool,
    /// A location of a loop gets at most so many copies for that loop, fewer where it has no threads.
    pub(super) copies: usize,
}

/// Propagates constants through a body, first as it is, then with loops unrolled. Gives what is known of cells at each
/// location of the result.
pub(super) fn specialise(body: &mut Body, context: &Context<'_>) -> Known {
    pass(body, context, false);
    pass(body, context, true)
}

/// Propagates constants through a body as it is.
pub(super) fn propagate(body: &mut Body, context: &Context<'_>) {
    pass(body, context, false);
}

fn pass(body: &mut Body, context: &Context<'_>, unroll: bool) -> Known {
    let live = Liveness::new(&body.graph);
    let numbers = Numbers::new(body.registers.len(), context.objects);
    let loops = if unroll { loops::loops(&body.graph, body.entry) } else { Vec::new() };
    let mut banned: Vec<BTreeSet<Place>> = vec![BTreeSet::new(); loops.len()];
    let mut steering = Steering::new(&body.graph, &loops);
    for attempt in 0..=ATTEMPTS {
        let plan = if attempt < ATTEMPTS {
            Plan::new(&mut steering, &banned, context, &numbers)
        } else {
            Plan::none(&body.graph)
        };
        let mut search = Search::new(body, context, &live, &plan, &numbers);
        match search.run() {
            Ok(()) => {
                let (graph, entry, was, at) = search.rebuild();
                body.replace_graph(graph, entry, &was);
                return Known { numbers, at };
            }
            Err(Excess { in_loop, places }) => banned[in_loop].extend(places),
        }
    }
    Known::nothing()
}

/// The cell at a constant address.
fn cell(a: &Expr, objects: &[Object]) -> Option<(ObjId, u32)> {
    let (o, k) = match a {
        Expr::Addr(o) => (*o, 0),
        Expr::Binary(BinOp::Add, o, k, _) => match (&**o, &**k) {
            (Expr::Addr(o), Expr::Const(k)) => (*o, *k),
            _ => return None,
        },
        _ => return None,
    };
    let k = u32::try_from(k).ok()?;
    ((k as usize) < objects[o.0 as usize].cells.len()).then_some((o, k))
}

/// The cell at a constant address, if it is followed.
pub(super) fn followed(a: &Expr, context: &Context<'_>) -> Option<Place> {
    let (o, k) = cell(a, context.objects)?;
    (context.follows)(o, k).then_some(Place::Cell(o, k))
}

/// A location has too many copies.
struct Excess {
    in_loop: usize,
    places: BTreeSet<Place>,
}

/// The fixpoint over nodes.
struct Search<'a> {
    body: &'a Body,
    context: &'a Context<'a>,
    live: &'a Liveness,
    plan: &'a Plan,
    numbers: &'a Numbers,
    out: Vec<Vec<usize>>,
    nodes: FxHashMap<(Loc, Key), usize>,
    locations: Vec<Loc>,
    envs: Vec<Env>,
    /// Values of a loop's own registers met at a location.
    met: BTreeMap<(usize, Loc), BTreeSet<Key>>,
}

impl<'a> Search<'a> {
    fn new(
        body: &'a Body,
        context: &'a Context<'a>,
        live: &'a Liveness,
        plan: &'a Plan,
        numbers: &'a Numbers,
    ) -> Search<'a> {
        Search {
            body,
            context,
            live,
            plan,
            numbers,
            out: body.graph.out_edges(),
            nodes: FxHashMap::default(),
            locations: Vec::new(),
            envs: Vec::new(),
            met: BTreeMap::new(),
        }
    }

    fn run(&mut self) -> Result<(), Excess> {
        let order = loops::order(&self.body.graph, &self.out, self.body.entry);
        let mut start = Env::default();
        for ((o, k), v) in &self.context.start {
            start.insert(self.numbers.of(Place::Cell(*o, *k)), *v);
        }
        let (first, _) = self.enter(self.body.entry, start)?;
        let mut work = BTreeSet::from([(order[self.body.entry.0 as usize], first)]);
        while let Some((_, n)) = work.pop_first() {
            let l = self.locations[n];
            for i in 0..self.out[l.0 as usize].len() {
                let e = self.out[l.0 as usize][i];
                let Some(op) = self.residual(&self.envs[n], e) else { continue };
                let env = self.after(&self.envs[n], &op);
                let to = self.body.graph.edges[e].to;
                let (m, changed) = self.enter(to, env)?;
                if changed {
                    work.insert((order[to.0 as usize], m));
                }
            }
        }
        Ok(())
    }

    /// The node for a location and known values, and whether what is known there is new.
    fn enter(&mut self, l: Loc, mut env: Env) -> Result<(usize, bool), Excess> {
        self.keep_live(l, &mut env);
        let at = (l, self.key(l, &env));
        if let Some(&n) = self.nodes.get(&at) {
            let changed = self.envs[n].meet(&env);
            return Ok((n, changed));
        }
        let (_, key) = &at;
        for &i in self.plan.around(l) {
            let own = &self.plan.own[i];
            let part: Key = key.iter().filter(|(r, _)| own.contains(r)).copied().collect();
            let met = self.met.entry((i, l)).or_default();
            met.insert(part);
            if met.len() > self.plan.limit[i] {
                return Err(Excess { in_loop: i, places: busiest(met) });
            }
        }
        if self.locations.len() >= NODES {
            let most = self.met.iter().max_by_key(|(_, v)| v.len());
            if let Some(((i, _), _)) = most {
                return Err(Excess { in_loop: *i, places: self.plan.own[*i].clone() });
            }
        }
        let n = self.locations.len();
        self.nodes.insert(at, n);
        self.locations.push(l);
        self.envs.push(env);
        Ok((n, true))
    }

    /// Forgets registers that are not read after the location.
    fn keep_live(&self, l: Loc, env: &mut Env) {
        env.keep_below(self.numbers.cells, self.live.row(l));
    }

    fn key(&self, l: Loc, env: &Env) -> Key {
        let Some(tracked) = self.plan.tracked(l) else { return Key::new() };
        env.within(tracked).map(|(n, v)| (self.numbers.place(n), *v)).collect()
    }

    fn fold(&self, env: &Env, e: &Expr) -> Expr {
        let cells = |o: ObjId| self.context.objects[o.0 as usize].cells.len();
        let rules = Rules { signed_wraps: self.context.signed_wraps, cells: &cells };
        rules.fold(&walk::map_leaves(e, &mut |x| match x {
            Expr::Reg(r) => env.get(r.0).map_or_else(|| x.clone(), |v| v.expr()),
            x => x.clone(),
        }))
    }

    fn value(&self, env: &Env, e: &Expr) -> Option<Value> {
        let cells = |o: ObjId| self.context.objects[o.0 as usize].cells.len();
        Rules { signed_wraps: self.context.signed_wraps, cells: &cells }.value(&self.fold(env, e))
    }

    /// What an edge does where these values are known; `None` if it cannot be taken.
    fn residual(&self, env: &Env, e: usize) -> Option<Op> {
        let op = walk::map_op(&self.body.graph.edges[e].op, &mut |x| self.fold(env, x), &|r| r);
        match op {
            Op::Assume(Expr::Const(0)) => None,
            Op::Assume(Expr::Const(_)) => Some(Op::Skip),
            Op::Load(r, a, kind) => Some(match self.loaded(env, &a, kind) {
                Some(v) => Op::Assign(r, v.expr()),
                None => Op::Load(r, a, kind),
            }),
            op => Some(op),
        }
    }

    /// The value that a load gives, if it is known.
    fn loaded(&self, env: &Env, a: &Expr, kind: IntKind) -> Option<Value> {
        let (o, k) = cell(a, self.context.objects)?;
        if self.context.objects[o.0 as usize].cells[k as usize].0 != kind {
            return None;
        }
        env.get(self.numbers.of(Place::Cell(o, k))).copied().or_else(|| (self.context.stable)(o, k))
    }

    /// What a store makes known and unknown. An access through a named object stays in it.
    fn store(&self, env: &mut Env, a: &Expr, v: &Expr, kind: IntKind) {
        match target(a, self.context.objects) {
            Target::Cell(o, k) => {
                let v = self.value(&Env::default(), v);
                match v {
                    Some(v)
                        if (self.context.follows)(o, k)
                            && self.context.objects[o.0 as usize].cells[k as usize].0 == kind =>
                    {
                        env.insert(self.numbers.of(Place::Cell(o, k)), v);
                    }
                    _ => {
                        env.remove(self.numbers.of(Place::Cell(o, k)));
                    }
                }
            }
            Target::Object(o) => env.remove_range(self.numbers.cells_of(o)),
            Target::Any => env.remove_range(self.numbers.cells..u32::MAX),
        }
    }

    /// What is known after an operation.
    fn after(&self, env: &Env, op: &Op) -> Env {
        let mut env = env.clone();
        if let Op::Assume(Expr::Compare(CmpOp::Eq, a, b)) = op {
            match (&**a, &**b) {
                (Expr::Reg(r), v) | (v, Expr::Reg(r)) => {
                    if let Some(v) = self.value(&Env::default(), v) {
                        env.insert(r.0, v);
                    }
                }
                _ => {}
            }
        }
        if let Op::Store(a, v, kind) = op {
            self.store(&mut env, a, v, *kind);
        }
        if let Op::Call { .. } = op {
            // A call that is not inlined yet may write anything but registers.
            env.remove_range(self.numbers.cells..u32::MAX);
        }
        if let Some(r) = walk::writes(op) {
            let v = if let Op::Assign(_, x) = op { self.value(&Env::default(), x) } else { None };
            match v {
                Some(v) => env.insert(r.0, v),
                None => env.remove(r.0),
            }
        }
        env
    }

    /// The automaton of all nodes reached, the location each one was, and what is known of cells there.
    fn rebuild(&self) -> (Graph, Loc, Vec<Loc>, Vec<Env>) {
        let mut graph = Graph::default();
        let (mut was, mut cells) = (Vec::new(), Vec::new());
        let mut number: FxHashMap<usize, Loc> = FxHashMap::default();
        let mut work = Vec::new();
        let mut visit = |n: usize, graph: &mut Graph, work: &mut Vec<usize>| {
            *number.entry(n).or_insert_with(|| {
                let l = self.locations[n];
                graph.locations.push(self.body.graph.locations[l.0 as usize].clone());
                was.push(l);
                let mut known = self.envs[n].clone();
                known.remove_range(0..self.numbers.cells);
                cells.push(known);
                work.push(n);
                Loc(graph.locations.len() as u32 - 1)
            })
        };
        let entry = visit(0, &mut graph, &mut work);
        while let Some(n) = work.pop() {
            let from = visit(n, &mut graph, &mut work);
            for &e in &self.out[self.locations[n].0 as usize] {
                let edge = &self.body.graph.edges[e];
                let Some(op) = self.residual(&self.envs[n], e) else { continue };
                let mut env = self.after(&self.envs[n], &op);
                self.keep_live(edge.to, &mut env);
                let key = self.key(edge.to, &env);
                let Some(&m) = self.nodes.get(&(edge.to, key)) else { continue };
                let to = visit(m, &mut graph, &mut work);
                graph.edges.push(Edge { from, to, op, span: edge.span });
            }
        }
        (graph, entry, was, cells)
    }
}

/// What an address may mean.
pub(super) enum Target {
    Cell(ObjId, u32),
    Object(ObjId),
    Any,
}

/// What an address means, as far as its text tells.
pub(super) fn target(a: &Expr, objects: &[Object]) -> Target {
    if let Some((o, k)) = cell(a, objects) {
        return Target::Cell(o, k);
    }
    base(a).map_or(Target::Any, Target::Object)
}

/// The object that a sum starts from.
fn base(a: &Expr) -> Option<ObjId> {
    match a {
        Expr::Addr(o) => Some(*o),
        Expr::Cast(a, _) | Expr::Binary(BinOp::Sub, a, _, _) => base(a),
        Expr::Binary(BinOp::Add, a, b, _) => match (base(a), base(b)) {
            (Some(o), None) | (None, Some(o)) => Some(o),
            _ => None,
        },
        _ => None,
    }
}

/// The place that has the most values among these.
fn busiest(met: &BTreeSet<Key>) -> BTreeSet<Place> {
    let mut values: BTreeMap<Place, BTreeSet<Value>> = BTreeMap::new();
    for key in met {
        for (p, v) in key {
            values.entry(*p).or_default().insert(*v);
        }
    }
    values.iter().max_by_key(|(_, v)| v.len()).map(|(p, _)| *p).into_iter().collect()
}
