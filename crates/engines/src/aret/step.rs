//! Abstract successors: a thread's own edges, and what they look like to others (GPR, figure 7, lines 10 and 20).

use super::bits::Bits;
use super::layout::{Bound, Layout, Query, Solver, answer, bounds, query};
use super::precision::{Precision, Thread};
use relyant_linear::{Atom, LinExpr, Norm, Rat, Var};
use relyant_program::{Edge, Loc, Program, Role};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// How a value of the actor compares with the target's.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Side {
    /// Nothing is known of the two.
    Any,
    /// The actor's is less than the target's.
    Below,
    /// The actor's is greater than the target's.
    Above,
}

/// The thread-pair relation: what is known of actor and target because they are two threads, however they got there.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct PairRelation {
    /// How their identities compare; `Any` where one has none.
    pub identity: Side,
    /// Their tickets. `Any` is for a target that holds none, or an actor that holds none.
    pub ticket: Side,
}

/// The thread-pair relations to consider for two threads, whatever their locations.
pub fn pair_relations(actor: &Thread, target: &Thread) -> Vec<PairRelation> {
    let sides = |both: bool| if both { &[Side::Below, Side::Above][..] } else { &[Side::Any][..] };
    let mut all = Vec::new();
    for &identity in sides(actor.identity.is_some() && target.identity.is_some()) {
        all.push(PairRelation { identity, ticket: Side::Any });
        if actor.shares_counter(target) {
            all.extend(sides(true).iter().map(|&ticket| PairRelation { identity, ticket }));
        }
    }
    all
}

/// Does an actor at a location leave under this relation?
pub fn relates_from(pair: PairRelation, actor: &Thread, loc: Loc) -> bool {
    pair.ticket == Side::Any || actor.holds(loc)
}

/// Does the relation apply to a target at a location, when the actor moves from `from`?
pub fn relates_at(pair: PairRelation, actor: &Thread, target: &Thread, from: Loc, loc: Loc) -> bool {
    let both = actor.shares_counter(target) && actor.holds(from) && target.holds(loc);
    (pair.ticket != Side::Any) == both
}

/// What a relation says of the actor's and the target's variables.
pub fn pair_atoms(
    pair: PairRelation,
    (actor, target): (&Thread, &Thread),
    of_actor: &dyn Fn(Var) -> Var,
    of_target: &dyn Fn(Var) -> Var,
) -> Vec<Atom> {
    let mut atoms = Vec::new();
    if let (Some(a), Some(t)) = (actor.identity, target.identity) {
        atoms.extend(side_atom(pair.identity, of_actor(a), of_target(t)));
    }
    if let (Some(a), Some(t)) = (&actor.ticket, &target.ticket) {
        atoms.extend(side_atom(pair.ticket, of_actor(a.variable), of_target(t.variable)));
    }
    atoms
}

/// `actor < target`, or the reverse, as an atom; `None` for `Any`.
fn side_atom(side: Side, actor: Var, target: Var) -> Option<Atom> {
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
    /// By target and relation: what the relation says, questions for transition predicates.
    env: Vec<(usize, PairRelation, Vec<Bound>, Vec<Query>)>,
}

/// What one edge does from one abstract state.
#[derive(Debug)]
pub struct Post {
    /// Predicates that hold after the step.
    pub state: Bits,
    /// Transition predicates of the step, by target and relation.
    pub env: Vec<(usize, PairRelation, Bits)>,
}

/// Successors by a thread's own edges, remembered.
pub struct Steps {
    /// `edges[thread][edge]`, under the precision that the steps were made for.
    edges: Vec<Vec<CompiledEdge>>,
    /// By thread, edge and the predicates before it: what comes after; `None` where the edge is disabled.
    known: FxHashMap<(u32, u32, Bits), Option<Rc<Post>>>,
    /// Answers found in memory.
    pub hits: u64,
    /// Answers that had to be computed.
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
                    .map(|e| compile(program, i, e, threads, precision, abstract_env))
                    .collect()
            })
            .collect();
        Steps { edges, known: FxHashMap::default(), hits: 0, misses: 0 }
    }
    /// The successor of a state of thread `i` by its edge `e`; `None` if the edge is disabled.
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
    program: &Program,
    i: usize,
    edge: &Edge,
    threads: &[Thread],
    precision: &Precision,
    abstract_env: bool,
) -> CompiledEdge {
    let mut layout = Layout::default();
    let predicates = &precision.views[i].predicates;
    let asked = |loc| predicates.iter().map(move |p| threads[i].asks(loc, p, program).then_some(p));
    let states = asked(edge.from).map(|p| p.map_or(NOTHING, |p| state_bound(p, &mut layout))).collect();
    let mut conditions = bounds(&edge.guard, &mut layout);
    conditions.extend(bounds(&edge.bounds, &mut layout));
    let question = |p: Option<&Atom>| p.map_or(Query::False, |p| query(p, &mut layout, |v| after(edge, v)));
    let post = asked(edge.to).map(question).collect();
    let mut env = Vec::new();
    for (j, target) in threads.iter().enumerate() {
        if !abstract_env || (j == i && threads[i].single) {
            continue;
        }
        for pair in pair_relations(&threads[i], target) {
            if !relates_from(pair, &threads[i], edge.from) {
                continue;
            }
            let predicates = &precision.transitions[i][j];
            // The target's identity and ticket: it may be of the actor's template.
            let seen = |v: Var| {
                if target.tells(v) {
                    return Some(Role::Second(v).expr());
                }
                let plain = Role::of(v).after()?;
                Some(after(edge, plain).unwrap_or_else(|| LinExpr::var(plain)))
            };
            let questions: Vec<Query> = predicates
                .iter()
                .map(|p| match query(p, &mut layout, seen) {
                    Query::Keeps(b) => Query::Ask(b),
                    q => q,
                })
                .collect();
            let of_target = |v: Var| Role::Second(v).var();
            let says = pair_atoms(pair, (&threads[i], target), &|v| v, &of_target)
                .iter()
                .filter_map(|a| super::layout::bound(a, &mut layout))
                .collect();
            env.push((j, pair, says, questions));
        }
    }
    CompiledEdge { layout, conditions, states, post, env }
}

/// A bound that says nothing.
const NOTHING: Bound = Bound::Difference(0, 0, 0);

/// Compiles predicates as constraints.
pub fn state_bounds(predicates: &[Atom], layout: &mut Layout) -> Vec<Bound> {
    predicates.iter().map(|p| state_bound(p, layout)).collect()
}

/// A predicate as a constraint. One with numbers out of range is replaced by a trivial bound.
fn state_bound(predicate: &Atom, layout: &mut Layout) -> Bound {
    super::layout::bound(predicate, layout).unwrap_or(NOTHING)
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
        for (j, pair, says, questions) in &self.env {
            if !says.is_empty() {
                self.load(state, solver);
                says.iter().for_each(|b| solver.add(b));
                if !solver.close(&self.layout) {
                    continue;
                }
            }
            env.push((*j, *pair, answer(solver, &self.layout, questions, None)));
        }
        Some(Post { state: after, env })
    }
}
