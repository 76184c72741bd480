//! Abstract successors: a thread's own edges, and what they look like to others (GPR, figure 7, lines 10 and 20).

use super::bits::Bits;
use super::layout::{Bound, Layout, Query, Solver, answer, bounds, query};
use super::precision::{Precision, Thread};
use crate::proof::PRIME;
use relyant_frontend::program::{Edge, Program};
use relyant_horn::linear::{Atom, LinExpr, Norm, Rat, Var};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// Stands for the target's identity where actor and target may be of one template.
pub const TARGET_IDENTITY: Var = Var(1 << 26);

/// How the actor's identity compares with the target's.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Side {
    /// One of them has none.
    Any,
    /// Actor's below target's.
    Below,
    /// Actor's above target's.
    Above,
}

/// The sides to consider for a pair of threads.
pub fn sides(actor: &Thread, target: &Thread) -> &'static [Side] {
    if actor.identity.is_some() && target.identity.is_some() {
        &[Side::Below, Side::Above]
    } else {
        &[Side::Any]
    }
}

/// `actor < target`, or the reverse, as an atom; `None` for `Any`.
pub fn side_atom(side: Side, actor: Var, target: Var) -> Option<Atom> {
    let (low, high) = match side {
        Side::Any => return None,
        Side::Below => (actor, target),
        Side::Above => (target, actor),
    };
    match Atom::lt(&LinExpr::new([(low, Rat::one()), (high, Rat::from(-1i64))], Rat::zero())) {
        Norm::Atom(a) => Some(a),
        _ => None,
    }
}

/// The edge's effect on a primed or unprimed variable: the value after the step, over values before it.
pub fn after(edge: &Edge, v: Var) -> Option<LinExpr> {
    edge.updates.binary_search_by_key(&v, |u| u.0).ok().map(|i| edge.updates[i].1.clone())
}

struct CompiledEdge {
    layout: Layout,
    conditions: Vec<Bound>,
    states: Vec<Bound>,
    post: Vec<Query>,
    /// By target and side: the condition on identities, questions for transition predicates.
    env: Vec<(usize, Side, Option<Bound>, Vec<Query>)>,
}

/// What one edge does from one abstract state.
#[derive(Debug)]
pub struct Post {
    /// Predicates that hold after the step.
    pub state: Bits,
    /// Transition predicates of the step, by target and side.
    pub env: Vec<(usize, Side, Bits)>,
}

/// Successors by a thread's own edges, remembered.
pub struct Steps {
    edges: Vec<Vec<CompiledEdge>>,
    known: FxHashMap<(u32, u32, Bits), Option<Rc<Post>>>,
    /// Answers found in memory.
    pub hits: u64,
    /// Answers computed.
    pub misses: u64,
}

impl Steps {
    /// Compiles all edges; `abstract_env` is false where transitions are not abstracted (Owicki-Gries).
    pub fn new(program: &Program, threads: &[Thread], precision: &Precision, abstract_env: bool) -> Steps {
        let edges = threads
            .iter()
            .enumerate()
            .map(|(i, t)| {
                program.templates[t.template as usize]
                    .edges
                    .iter()
                    .map(|e| compile(i, e, threads, precision, abstract_env))
                    .collect()
            })
            .collect();
        Steps { edges, known: FxHashMap::default(), hits: 0, misses: 0 }
    }
    /// The successor of a state of thread `i` by its edge `e`; `None` if the edge can't be taken.
    pub fn post(&mut self, i: usize, e: usize, state: &Bits, solver: &mut Solver) -> Option<Rc<Post>> {
        let key = (i as u32, e as u32, state.clone());
        if let Some(p) = self.known.get(&key) {
            self.hits += 1;
            return p.clone();
        }
        self.misses += 1;
        let p = self.edges[i][e].post(state, solver).map(Rc::new);
        self.known.insert(key, p.clone());
        p
    }
}

fn compile(
    i: usize,
    edge: &Edge,
    threads: &[Thread],
    precision: &Precision,
    abstract_env: bool,
) -> CompiledEdge {
    let mut layout = Layout::default();
    let states = state_bounds(&precision.views[i].predicates, &mut layout);
    let mut conditions = bounds(&edge.guard, &mut layout);
    conditions.extend(bounds(&edge.bounds, &mut layout));
    let post =
        precision.views[i].predicates.iter().map(|p| query(p, &mut layout, |v| after(edge, v))).collect();
    let mut env = Vec::new();
    for (j, target) in threads.iter().enumerate() {
        if !abstract_env || (j == i && threads[i].single) {
            continue;
        }
        for &side in sides(&threads[i], target) {
            let predicates = &precision.transitions[i][j];
            let seen = |v: Var| {
                if Some(v) == target.identity {
                    return Some(LinExpr::var(TARGET_IDENTITY));
                }
                let plain = Var(v.0.checked_sub(PRIME)?);
                Some(after(edge, plain).unwrap_or_else(|| LinExpr::var(plain)))
            };
            let questions: Vec<Query> = predicates
                .iter()
                .map(|p| match query(p, &mut layout, seen) {
                    Query::Keeps(b) => Query::Ask(b),
                    q => q,
                })
                .collect();
            let identities = threads[i].identity.and_then(|a| side_atom(side, a, TARGET_IDENTITY));
            let condition = identities.and_then(|a| super::layout::bound(&a, &mut layout));
            env.push((j, side, condition, questions));
        }
    }
    CompiledEdge { layout, conditions, states, post, env }
}

/// Compiles predicates as constraints. One with numbers out of range is replaced by a trivial bound.
pub fn state_bounds(predicates: &[Atom], layout: &mut Layout) -> Vec<Bound> {
    predicates.iter().map(|p| super::layout::bound(p, layout).unwrap_or(Bound::Difference(0, 0, 0))).collect()
}

impl CompiledEdge {
    fn load(&self, state: &Bits, solver: &mut Solver) {
        solver.reset(&self.layout);
        for k in state.iter() {
            solver.add(&self.states[k]);
        }
        for b in &self.conditions {
            solver.add(b);
        }
    }
    fn post(&self, state: &Bits, solver: &mut Solver) -> Option<Post> {
        self.load(state, solver);
        if !solver.close(&self.layout) {
            return None;
        }
        let after = answer(solver, &self.layout, &self.post, Some(state));
        let mut env = Vec::with_capacity(self.env.len());
        for (j, side, condition, questions) in &self.env {
            if let Some(c) = condition {
                self.load(state, solver);
                solver.add(c);
                if !solver.close(&self.layout) {
                    continue;
                }
            }
            env.push((*j, *side, answer(solver, &self.layout, questions, None)));
        }
        Some(Post { state: after, env })
    }
}
