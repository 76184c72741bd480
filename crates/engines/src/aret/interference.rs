//! Abstract successors by environment transitions (GPR, figure 7, line 11), with frames: a transition carries the
//! variables it writes, all others keep their values (the paper's `e = true` may change everything). In a prototype
//! the paper's took 4 times as long.

use super::bits::Bits;
use super::layout::{Bound, Layout, Query, Solver, answer, bounds, query};
use super::numbered::Numbered;
use super::precision::{Precision, Thread};
use super::step::{PairRelation, after, pair_atoms, state_bounds};
use relyant_linear::{LinExpr, Var};
use relyant_program::{Program, Role};
use rustc_hash::{FxHashMap, FxHashSet};

/// What decides the data part of an environment transition, besides its bits.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Shape {
    /// Abstracted: bits are transition predicates; the variables written that the target knows of, sorted.
    Abstract(Vec<Var>),
    /// The actor's edge itself: bits are the actor's state predicates (Owicki-Gries).
    Exact(u32),
}

/// One target, actor and shape, compiled.
struct Compiled {
    layout: Layout,
    target_states: Vec<Bound>,
    env: Vec<Bound>,
    fixed: Vec<Bound>,
    post: Vec<Query>,
}

/// Successors by environment transitions, remembered.
pub struct Interference {
    /// Variables in each thread's state predicates.
    pub relevant: Vec<FxHashSet<Var>>,
    /// Primed variables in the transition predicates of a pair, unprimed.
    pub primed: Vec<Vec<FxHashSet<Var>>>,
    /// The index in `compiled` of each target, actor, relation and shape.
    groups: FxHashMap<(u32, u32, PairRelation, Shape), u32>,
    compiled: Vec<Compiled>,
    /// By thread: sets of state predicates, numbered.
    states: Vec<Numbered<Bits>>,
    /// Groups with sets of transition predicates, numbered.
    envs: Numbered<(u32, Bits)>,
    /// By transition and state: the state after it, or `NONE`.
    known: FxHashMap<(u32, u32), u32>,
}

const NONE: u32 = u32::MAX;

impl Interference {
    /// Nothing remembered yet; predicates of the precision may not change afterwards, its blocks may.
    pub fn new(threads: &[Thread], precision: &Precision) -> Interference {
        let relevant = precision
            .views
            .iter()
            .map(|v| v.predicates.iter().flat_map(|p| p.vars().collect::<Vec<_>>()).collect())
            .collect();
        let primed = (0..threads.len())
            .map(|i| {
                (0..threads.len())
                    .map(|j| {
                        let vars =
                            precision.transitions[i][j].iter().flat_map(|p| p.vars().collect::<Vec<_>>());
                        vars.filter_map(|v| Role::of(v).after()).collect()
                    })
                    .collect()
            })
            .collect();
        Interference {
            relevant,
            primed,
            groups: FxHashMap::default(),
            compiled: Vec::new(),
            states: threads.iter().map(|_| Numbered::new()).collect(),
            envs: Numbered::new(),
            known: FxHashMap::default(),
        }
    }
    /// Number of a group of transitions of `actor` as seen by `target`.
    pub fn group(
        &mut self,
        program: &Program,
        threads: &[Thread],
        precision: &Precision,
        (actor, target, pair): (usize, usize, PairRelation),
        shape: &Shape,
    ) -> u32 {
        let key = (actor as u32, target as u32, pair, shape.clone());
        if let Some(g) = self.groups.get(&key) {
            return *g;
        }
        let compiled = match shape {
            Shape::Abstract(writes) => compile_abstract(precision, actor, target, writes),
            Shape::Exact(e) => {
                let edge = &program.templates[threads[actor].template as usize].edges[*e as usize];
                compile_exact(program, threads, precision, (actor, target, pair), edge)
            }
        };
        self.compiled.push(compiled);
        let g = self.compiled.len() as u32 - 1;
        self.groups.insert(key, g);
        g
    }
    /// The number of a set of state predicates of a thread.
    pub fn state_number(&mut self, thread: usize, bits: &Bits) -> u32 {
        self.states[thread].number(bits)
    }
    /// The number of a transition's data.
    pub fn env_number(&mut self, group: u32, bits: &Bits) -> u32 {
        self.envs.number(&(group, bits.clone()))
    }
    /// The target's predicates after a transition, both by number; `None` if the two don't go together.
    pub fn apply(&mut self, target: usize, env: u32, state: u32, solver: &mut Solver) -> Option<(u32, Bits)> {
        let next = match self.known.get(&(env, state)) {
            Some(n) => *n,
            None => {
                let next = self.compute(target, env, state, solver);
                let n = next.map_or(NONE, |bits| self.states[target].number(&bits));
                self.known.insert((env, state), n);
                n
            }
        };
        (next != NONE).then(|| (next, self.states[target].list[next as usize].clone()))
    }
    /// Does the transition leave the predicates as they are? Only if that is known already.
    pub fn known_unchanged(&self, env: u32, state: u32) -> bool {
        self.known.get(&(env, state)).is_some_and(|n| *n == state || *n == NONE)
    }
    fn compute(&self, target: usize, env: u32, state: u32, solver: &mut Solver) -> Option<Bits> {
        let (group, env) = &self.envs.list[env as usize];
        let state = &self.states[target].list[state as usize];
        let c = &self.compiled[*group as usize];
        solver.reset(&c.layout);
        for k in state.iter() {
            solver.add(&c.target_states[k]);
        }
        for k in env.iter() {
            solver.add(&c.env[k]);
        }
        for b in &c.fixed {
            solver.add(b);
        }
        solver.close(&c.layout).then(|| answer(solver, &c.layout, &c.post, Some(state)))
    }
}

fn compile_abstract(precision: &Precision, actor: usize, target: usize, writes: &[Var]) -> Compiled {
    let mut layout = Layout::default();
    let view = &precision.views[target];
    let target_states = state_bounds(&view.predicates, &mut layout);
    // A primed variable that is not written is the variable itself.
    let plain = |v: Var| {
        let u = Role::of(v).after()?;
        (writes.binary_search(&u).is_err()).then(|| LinExpr::var(u))
    };
    let env = precision.transitions[actor][target]
        .iter()
        .map(|p| match query(p, &mut layout, plain) {
            Query::Keeps(b) | Query::Ask(b) => b,
            // `False` can't be held by a transition that writes nothing of it; `True` says nothing.
            Query::True => Bound::Difference(0, 0, 0),
            Query::False => Bound::Difference(0, 0, -1),
        })
        .collect();
    let primed = |v: Var| writes.binary_search(&v).is_ok().then(|| Role::After(v).expr());
    let post = view.predicates.iter().map(|p| query(p, &mut layout, primed)).collect();
    Compiled { layout, target_states, env, fixed: Vec::new(), post }
}

fn compile_exact(
    program: &Program,
    threads: &[Thread],
    precision: &Precision,
    (actor, target, pair): (usize, usize, PairRelation),
    edge: &relyant_program::Edge,
) -> Compiled {
    let mut layout = Layout::default();
    let view = &precision.views[target];
    let target_states = state_bounds(&view.predicates, &mut layout);
    // An actor of the target's template has locals of its own.
    let rename = |v: Var| if actor == target && !program.is_global(v) { Role::Second(v).var() } else { v };
    let env_predicates: Vec<_> = precision.views[actor].predicates.iter().map(|p| p.rename(rename)).collect();
    let env = state_bounds(&env_predicates, &mut layout);
    let mut fixed = bounds(&edge.guard.rename(rename), &mut layout);
    fixed.extend(bounds(&edge.bounds.rename(rename), &mut layout));
    for a in pair_atoms(pair, (&threads[actor], &threads[target]), &rename, &|v| v) {
        fixed.extend(super::layout::bound(&a, &mut layout));
    }
    // Another thread's locals are not the target's, whatever the edge does to its own.
    let written = |v: Var| {
        if actor == target && !program.is_global(v) { None } else { after(edge, v).map(|e| e.rename(rename)) }
    };
    let post = view.predicates.iter().map(|p| query(p, &mut layout, written)).collect();
    Compiled { layout, target_states, env, fixed, post }
}
