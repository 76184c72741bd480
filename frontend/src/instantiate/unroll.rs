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
use super::loops::{self, Loop};
use super::walk;
use crate::cfa::{Callee, CmpOp, Edge, Expr, Graph, Loc, ObjId, Object, Op, Reg};
use std::collections::{BTreeMap, BTreeSet};

/// A location of a loop with threads gets at most so many copies for that loop: 64 rounds and the end.
const THREAD_COPIES: usize = 66;
/// The same for loops that only index arrays.
const INDEX_COPIES: usize = 18;
/// All copies of all locations.
const NODES: usize = 40_000;
/// So many registers are given up before tracking stops.
const ATTEMPTS: usize = 40;

type Env = BTreeMap<Reg, Value>;
type Key = Vec<(Reg, Value)>;

/// What specialisation knows of the program around the body.
pub(super) struct Context<'a> {
    pub(super) objects: &'a [Object],
    /// Objects that are never written.
    pub(super) constant: &'a BTreeSet<ObjId>,
    pub(super) signed_wraps: bool,
}

/// Propagates constants through a body and unrolls its loops.
pub(super) fn specialise(body: &mut Body, context: &Context<'_>) {
    let Some(live) = Liveness::new(&body.graph, body.registers.len()) else { return };
    let loops = loops::loops(&body.graph, body.entry);
    let mut banned: Vec<BTreeSet<Reg>> = vec![BTreeSet::new(); loops.len()];
    for attempt in 0..=ATTEMPTS {
        let plan = if attempt < ATTEMPTS {
            Plan::new(&body.graph, &loops, &banned)
        } else {
            Plan::none(&body.graph)
        };
        let mut search = Search::new(body, context, &live, &plan);
        match search.run() {
            Ok(()) => {
                let (graph, entry, was) = search.rebuild();
                body.replace_graph(graph, entry, &was);
                return;
            }
            Err(Excess { in_loop, registers }) => banned[in_loop].extend(registers),
        }
    }
}

/// What is tracked where.
struct Plan {
    /// Tracked registers by location.
    tracked: Vec<BTreeSet<Reg>>,
    /// Loops that have registers of their own, by location.
    around: Vec<Vec<usize>>,
    /// Registers of each loop that no loop inside it tracks.
    own: Vec<BTreeSet<Reg>>,
    limit: Vec<usize>,
}

impl Plan {
    fn none(graph: &Graph) -> Plan {
        let n = graph.locations.len();
        Plan {
            tracked: vec![BTreeSet::new(); n],
            around: vec![Vec::new(); n],
            own: Vec::new(),
            limit: Vec::new(),
        }
    }

    fn new(graph: &Graph, loops: &[Loop], banned: &[BTreeSet<Reg>]) -> Plan {
        let mut plan = Plan::none(graph);
        let mut registers: Vec<BTreeSet<Reg>> = Vec::new();
        for (i, l) in loops.iter().enumerate() {
            // What an inner loop gave up is not tracked around it either.
            let mut given_up = banned[i].clone();
            for (k, b) in banned.iter().enumerate().skip(i + 1) {
                if is_inside(loops, k, i) {
                    given_up.extend(b);
                }
            }
            let (set, limit) = steering(graph, l, &given_up);
            registers.push(set);
            plan.limit.push(limit);
        }
        for (i, l) in loops.iter().enumerate() {
            let mut own = registers[i].clone();
            for (k, r) in registers.iter().enumerate().skip(i + 1) {
                if is_inside(loops, k, i) {
                    own.retain(|x| !r.contains(x));
                }
            }
            for at in &l.body {
                plan.tracked[at.0 as usize].extend(&registers[i]);
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

/// The registers that steer a loop, and how many copies a location may get for it.
fn steering(graph: &Graph, l: &Loop, given_up: &BTreeSet<Reg>) -> (BTreeSet<Reg>, usize) {
    let inside = |x: Loc| l.body.binary_search(&x).is_ok();
    let edges: Vec<&Edge> = graph.edges.iter().filter(|e| inside(e.from)).collect();
    let exits: BTreeSet<Loc> = edges.iter().filter(|e| !inside(e.to)).map(|e| e.from).collect();
    let mut written: BTreeMap<Reg, Vec<&Edge>> = BTreeMap::new();
    for e in edges.iter().filter(|e| inside(e.to)) {
        if let Some(r) = walk::writes(&e.op) {
            written.entry(r).or_default().push(e);
        }
    }
    let mut threads = false;
    let (mut tests, mut accesses) = (Vec::new(), Vec::new());
    for e in &edges {
        match &e.op {
            Op::Assume(x) if exits.contains(&e.from) => walk::registers(x, &mut tests),
            Op::Load(_, a, _) | Op::Store(a, _, _) if inside(e.to) => walk::registers(a, &mut accesses),
            Op::Create { .. } | Op::Join { .. } | Op::Call { callee: Callee::Pointer(_), .. }
                if inside(e.to) =>
            {
                threads = true;
                walk::reads(&e.op).iter().for_each(|x| walk::registers(x, &mut accesses));
            }
            _ => {}
        }
    }
    let close = |seeds: &[Reg]| {
        let mut set = BTreeSet::new();
        let mut work = seeds.to_vec();
        while let Some(r) = work.pop() {
            if given_up.contains(&r) || !written.contains_key(&r) || !set.insert(r) {
                continue;
            }
            for e in &written[&r] {
                if let Op::Assign(_, x) = &e.op {
                    walk::registers(x, &mut work);
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

/// A location has too many copies.
struct Excess {
    in_loop: usize,
    registers: BTreeSet<Reg>,
}

/// The fixpoint over nodes.
struct Search<'a> {
    body: &'a Body,
    context: &'a Context<'a>,
    live: &'a Liveness,
    plan: &'a Plan,
    out: Vec<Vec<usize>>,
    nodes: BTreeMap<(Loc, Key), usize>,
    locations: Vec<Loc>,
    envs: Vec<Env>,
    /// Values of a loop's own registers met at a location.
    met: BTreeMap<(usize, Loc), BTreeSet<Key>>,
}

impl<'a> Search<'a> {
    fn new(body: &'a Body, context: &'a Context<'a>, live: &'a Liveness, plan: &'a Plan) -> Search<'a> {
        Search {
            body,
            context,
            live,
            plan,
            out: body.graph.out_edges(),
            nodes: BTreeMap::new(),
            locations: Vec::new(),
            envs: Vec::new(),
            met: BTreeMap::new(),
        }
    }

    fn run(&mut self) -> Result<(), Excess> {
        let order = loops::order(&self.body.graph, &self.out, self.body.entry);
        let (first, _) = self.enter(self.body.entry, Env::new())?;
        let mut work = BTreeSet::from([(order[self.body.entry.0 as usize], first)]);
        while let Some((_, n)) = work.pop_first() {
            let l = self.locations[n];
            for i in 0..self.out[l.0 as usize].len() {
                let e = self.out[l.0 as usize][i];
                let Some(env) = self.after(&self.envs[n], e) else { continue };
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
        env.retain(|r, _| self.live.at(l, *r));
        let key = self.key(l, &env);
        if let Some(&n) = self.nodes.get(&(l, key.clone())) {
            let known = &mut self.envs[n];
            let before = known.len();
            known.retain(|r, v| env.get(r) == Some(v));
            let changed = known.len() != before;
            return Ok((n, changed));
        }
        for &i in &self.plan.around[l.0 as usize] {
            let own = &self.plan.own[i];
            let part: Key = key.iter().filter(|(r, _)| own.contains(r)).copied().collect();
            let met = self.met.entry((i, l)).or_default();
            met.insert(part);
            if met.len() > self.plan.limit[i] {
                return Err(Excess { in_loop: i, registers: busiest(met) });
            }
        }
        if self.locations.len() >= NODES {
            let most = self.met.iter().max_by_key(|(_, v)| v.len());
            if let Some(((i, _), _)) = most {
                return Err(Excess { in_loop: *i, registers: self.plan.own[*i].clone() });
            }
        }
        let n = self.locations.len();
        self.nodes.insert((l, key), n);
        self.locations.push(l);
        self.envs.push(env);
        Ok((n, true))
    }

    fn key(&self, l: Loc, env: &Env) -> Key {
        let tracked = &self.plan.tracked[l.0 as usize];
        env.iter().filter(|(r, _)| tracked.contains(r)).map(|(r, v)| (*r, *v)).collect()
    }

    fn fold(&self, env: &Env, e: &Expr) -> Expr {
        let cells = |o: ObjId| self.context.objects[o.0 as usize].cells.len();
        let rules = Rules { signed_wraps: self.context.signed_wraps, cells: &cells };
        rules.fold(&walk::map_leaves(e, &mut |x| match x {
            Expr::Reg(r) => env.get(r).map_or_else(|| x.clone(), |v| v.expr()),
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
            Op::Load(r, a, kind) => Some(match self.constant_cell(&a, kind) {
                Some(n) => Op::Assign(r, Expr::Const(n)),
                None => Op::Load(r, a, kind),
            }),
            op => Some(op),
        }
    }

    /// The value of a cell that is never written.
    fn constant_cell(&self, a: &Expr, kind: crate::cfa::IntKind) -> Option<i128> {
        let Some(Value::Addr(o, k)) = self.value(&Env::new(), a) else { return None };
        if !self.context.constant.contains(&o) {
            return None;
        }
        let object = &self.context.objects[o.0 as usize];
        let k = usize::try_from(k).ok()?;
        (object.cells.get(k)?.0 == kind).then(|| object.init.get(k).copied().flatten())?
    }

    /// What is known after an edge; `None` if it cannot be taken.
    fn after(&self, env: &Env, e: usize) -> Option<Env> {
        let op = self.residual(env, e)?;
        let mut env = env.clone();
        if let Op::Assume(Expr::Compare(CmpOp::Eq, a, b)) = &op {
            match (&**a, &**b) {
                (Expr::Reg(r), v) | (v, Expr::Reg(r)) => {
                    if let Some(v) = self.value(&Env::new(), v) {
                        env.insert(*r, v);
                    }
                }
                _ => {}
            }
        }
        if let Some(r) = walk::writes(&op) {
            let v = if let Op::Assign(_, x) = &op { self.value(&Env::new(), x) } else { None };
            match v {
                Some(v) => env.insert(r, v),
                None => env.remove(&r),
            };
        }
        Some(env)
    }

    /// The automaton of all nodes reached, and the location each one was.
    fn rebuild(&self) -> (Graph, Loc, Vec<Loc>) {
        let mut graph = Graph::default();
        let mut was = Vec::new();
        let mut number: BTreeMap<usize, Loc> = BTreeMap::new();
        let mut work = Vec::new();
        let mut visit = |n: usize, graph: &mut Graph, work: &mut Vec<usize>| {
            *number.entry(n).or_insert_with(|| {
                let l = self.locations[n];
                graph.locations.push(self.body.graph.locations[l.0 as usize].clone());
                was.push(l);
                work.push(n);
                Loc(graph.locations.len() as u32 - 1)
            })
        };
        let entry = visit(0, &mut graph, &mut work);
        while let Some(n) = work.pop() {
            let from = visit(n, &mut graph, &mut work);
            for &e in &self.out[self.locations[n].0 as usize] {
                let edge = &self.body.graph.edges[e];
                let (Some(op), Some(mut env)) =
                    (self.residual(&self.envs[n], e), self.after(&self.envs[n], e))
                else {
                    continue;
                };
                env.retain(|r, _| self.live.at(edge.to, *r));
                let key = self.key(edge.to, &env);
                let Some(&m) = self.nodes.get(&(edge.to, key)) else { continue };
                let to = visit(m, &mut graph, &mut work);
                graph.edges.push(Edge { from, to, op, span: edge.span });
            }
        }
        (graph, entry, was)
    }
}

/// The register that has the most values among these.
fn busiest(met: &BTreeSet<Key>) -> BTreeSet<Reg> {
    let mut values: BTreeMap<Reg, BTreeSet<Value>> = BTreeMap::new();
    for key in met {
        for (r, v) in key {
            values.entry(*r).or_default().insert(*v);
        }
    }
    values.iter().max_by_key(|(_, v)| v.len()).map(|(r, _)| *r).into_iter().collect()
}
