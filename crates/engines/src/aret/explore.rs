//! Abstract reachability and environment transitions (GPR, figure 7), breadth first, up to the first error and a little
//! further: where other assertions fail nearby, one refinement takes them all.
//!
//! Each pair of a state and a transition is met once: when the later of the two is taken from the worklist.
//!
//! Tried in a prototype, and lost: the whole fixpoint before an error tuple is picked (2.4 times the time); depth first
//! (trees of clauses beyond 20,000 nodes, where breadth first stays below 1,800); error tuples of all threads where the
//! assertion of one fails (18 s where its own state alone takes 5.6 s). States that a new one subsumes are dropped,
//! which was worth a tenth.

use super::Method;
use super::bits::Bits;
use super::interference::{Interference, Shape};
use super::layout::{Layout, Query, Solver, answer, bounds, query};
use super::precision::{Precision, Thread};
use super::step::{PairRelation, Post, Steps, pair_relations, relates_at, relates_from};
use super::store::{AbstractState, Blocks, Env, EnvId, Parent, StateId};
use crate::watch::Watch;
use index_vec::{IndexVec, index_vec};
use relyant_linear::meter;
use relyant_linear::{Atom, Cube, Satisfiable, Var};
use relyant_program::{Loc, Program};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use std::collections::VecDeque;

/// Work of looking at an environment transition, in the meter's units.
const APPLY_WORK: usize = 10;
/// Work of taking a state or an environment transition from the worklist, see [`Watch::work`].
const ITEM_WORK: u64 = 2;
/// After the first error tuple, as many items of the worklist again divided by this.
const FURTHER: usize = 2;

/// How the fixpoint ended.
pub enum Reached {
    /// A pre-fixpoint without error.
    Fixpoint,
    /// Error tuples, one at least, each for another error location: these states together (one for an assertion) meet the error condition.
    Errors(Vec<Vec<StateId>>),
    /// Somebody asked to stop.
    Stopped,
}

enum Item {
    State(StateId),
    Env(EnvId),
}

/// Answers that depend on predicates only, not on blocks.
pub struct Caches {
    steps: Steps,
    /// Successors by environment transitions, by numbers of predicates.
    pub interference: Interference,
}

/// The ARET under construction.
pub struct Aret<'a> {
    program: &'a Program,
    /// The threads of the analysis; a `thread` elsewhere is an index into these.
    pub threads: &'a [Thread],
    /// Predicates and blocks; they stay as they are while this runs.
    pub precision: &'a Precision,
    method: Method,
    start: &'a Cube,
    /// All states, in order of discovery.
    pub states: IndexVec<StateId, AbstractState>,
    /// All environment transitions, in order of discovery.
    pub envs: IndexVec<EnvId, Env>,
    /// Answers computed so far.
    pub caches: Caches,
    solver: Solver,
    /// `out[thread][location]`: indices of the edges from there.
    out: Vec<IndexVec<Loc, Vec<u32>>>,
    /// `global_writes[thread][edge]`: the variables that its updates write, sorted.
    global_writes: Vec<Vec<Vec<Var>>>,
    worklist: VecDeque<Item>,
    /// `places[thread][location]`: states found, by the blocks where others are; none that another one subsumes.
    places: Vec<IndexVec<Loc, FxHashMap<Blocks, Vec<StateId>>>>,
    /// By thread: states taken from the worklist, which meet each new transition.
    open_states: Vec<Vec<StateId>>,
    /// By target: transitions taken from the worklist, which meet each new state.
    open_envs: Vec<Vec<EnvId>>,
    /// Transitions that differ in predicates and third threads only.
    env_index: FxHashMap<EnvKey, Vec<EnvId>>,
    stutters: FxHashSet<(u16, u16, u16)>,
    /// Error tuples found.
    errors: Vec<Vec<StateId>>,
}

type EnvKey = (u16, u16, PairRelation, (u16, u16), u32);

impl<'a> Aret<'a> {
    /// Ready to run with a precision. `caches` may come from a run with the same predicates.
    pub fn new(
        program: &'a Program,
        threads: &'a [Thread],
        precision: &'a Precision,
        method: Method,
        start: &'a Cube,
        caches: Option<Caches>,
    ) -> Aret<'a> {
        let caches = caches.unwrap_or_else(|| Caches {
            steps: Steps::new(program, threads, precision, method != Method::OwickiGries),
            interference: Interference::new(threads, precision),
        });
        let templates = threads.iter().map(|t| &program.templates[t.template as usize]);
        let out = templates
            .clone()
            .map(|t| {
                let mut out = index_vec![Vec::new(); t.locations.len()];
                for (k, e) in t.edges.iter().enumerate() {
                    out[e.from].push(k as u32);
                }
                out
            })
            .collect();
        let global_writes = templates
            .clone()
            .map(|t| t.edges.iter().map(|e| e.updates.iter().map(|u| u.0).collect()).collect())
            .collect();
        let places = templates.map(|t| index_vec![FxHashMap::default(); t.locations.len()]).collect();
        Aret {
            program,
            threads,
            precision,
            method,
            start,
            states: IndexVec::new(),
            envs: IndexVec::new(),
            caches,
            solver: Solver::default(),
            out,
            global_writes,
            worklist: VecDeque::new(),
            places,
            open_states: vec![Vec::new(); threads.len()],
            open_envs: vec![Vec::new(); threads.len()],
            env_index: FxHashMap::default(),
            stutters: FxHashSet::default(),
            errors: Vec::new(),
        }
    }

    /// Procedure ABSTREACHENV (figure 7): runs to a fixpoint or to the first error tuple. Where the figure goes through all
    /// states and environment transitions again and again (lines 5 to 27), a worklist has each of them taken once, against all
    /// that were taken before.
    pub fn abst_reach_env(&mut self, watch: &Watch) -> Reached {
        for i in 0..self.threads.len() {
            if let Some(s) = self.initial(i) {
                self.add_state(s);
            }
        }
        let (places, mut count, mut most) = (self.error_places(), 0usize, usize::MAX);
        loop {
            if !self.errors.is_empty() {
                most = most.min(count + count / FURTHER);
                if count >= most || self.errors.len() >= places {
                    break;
                }
            }
            let Some(item) = self.worklist.pop_front() else { break };
            count += 1;
            (watch.work)(ITEM_WORK + meter::take());
            if count % 64 == 0 && watch.cancelled() {
                return Reached::Stopped;
            }
            match item {
                Item::State(s) => self.post_state(s),
                Item::Env(e) => self.post_env(e),
            }
        }
        match std::mem::take(&mut self.errors) {
            none if none.is_empty() => Reached::Fixpoint,
            errors => Reached::Errors(errors),
        }
    }

    /// How many error tuples there are to be told apart: by location where assertions fail, one where threads exclude each other.
    fn error_places(&self) -> usize {
        if self.program.exclusive.is_some() {
            return 1;
        }
        let templates = self.threads.iter().map(|t| &self.program.templates[t.template as usize]);
        templates.flat_map(|t| &t.locations).filter(|l| l.error.is_some()).count()
    }

    fn template(&self, i: usize) -> &'a relyant_program::Template {
        &self.program.templates[self.threads[i].template as usize]
    }

    fn initial(&mut self, i: usize) -> Option<AbstractState> {
        let mut layout = Layout::default();
        let init = bounds(self.start, &mut layout);
        let predicates = &self.precision.views[i].predicates;
        let (thread, entry) = (&self.threads[i], self.template(i).entry);
        let asked = predicates.iter().map(|p| thread.asks(entry, p, self.program).then_some(p));
        let mut question = |p: &Atom| query(p, &mut layout, |_| None);
        let questions: Vec<_> = asked.map(|p| p.map_or(Query::False, &mut question)).collect();
        self.solver.reset(&layout);
        init.iter().for_each(|b| self.solver.add(b));
        if !self.solver.close(&layout) {
            return None;
        }
        let bits = answer(&mut self.solver, &layout, &questions, None);
        let blocks =
            (0..self.threads.len())
                .map(|j| {
                    if j == i {
                        0
                    } else {
                        self.precision.views[i].partitions[j].block(self.template(j).entry)
                    }
                })
                .collect();
        let loc = self.template(i).entry;
        let number = self.caches.interference.state_number(i, &bits);
        Some(AbstractState {
            thread: i as u16,
            loc,
            blocks,
            bits,
            number,
            parent: Parent::Initial,
            covered: false,
        })
    }

    /// Adds a state unless another one subsumes it, and an error tuple if it makes one at a new place.
    fn add_state(&mut self, s: AbstractState) {
        let place = self.places[s.thread as usize][s.loc].entry(s.blocks.clone()).or_default();
        if place.iter().any(|o| self.states[*o].bits.is_subset(&s.bits)) {
            return;
        }
        let states = &mut self.states;
        place.retain(|o| {
            let weaker = s.bits.is_subset(&states[*o].bits);
            states[*o].covered |= weaker;
            !weaker
        });
        let id = self.states.push(s);
        place.push(id);
        self.worklist.push_back(Item::State(id));
        let s = &self.states[id];
        let tuple = if self.template(s.thread as usize).locations[s.loc].error.is_some() {
            Some(vec![id])
        } else {
            self.exclusion(id)
        };
        let place = |id: &StateId| (self.states[*id].thread, self.states[*id].loc);
        let Some(tuple) = tuple else { return };
        if !self.errors.iter().any(|t| t.iter().map(place).eq(tuple.iter().map(place))) {
            self.errors.push(tuple);
        }
    }

    /// A state of another thread that must not go with this one, but does.
    fn exclusion(&mut self, id: StateId) -> Option<Vec<StateId>> {
        let label = self.program.exclusive.as_ref()?;
        let program = self.program;
        let labelled =
            |t: &Thread, l: Loc| program.templates[t.template as usize].locations[l].labels.contains(label);
        let (i, loc) = (self.states[id].thread as usize, self.states[id].loc);
        if !labelled(&self.threads[i], loc) {
            return None;
        }
        for other in self.states.indices() {
            let (j, place) = (self.states[other].thread as usize, self.states[other].loc);
            if (j == i && self.threads[i].single)
                || self.states[other].covered
                || !labelled(&self.threads[j], place)
            {
                continue;
            }
            let (a, b) = (&self.states[id], &self.states[other]);
            if i != j {
                let (vi, vj) = (&self.precision.views[i], &self.precision.views[j]);
                if a.blocks[j] != vi.partitions[j].block(place) || b.blocks[i] != vj.partitions[i].block(loc)
                {
                    continue;
                }
            }
            let (x, y) = (&self.threads[i], &self.threads[j]);
            for pair in pair_relations(x, y).into_iter().filter(|m| relates_at(*m, x, y, loc, place)) {
                let both = super::pair::cube(program, self.threads, self.precision, (a, b), pair);
                if both.sat_rational() != Satisfiable::Unsat {
                    return Some(vec![id, other]);
                }
            }
        }
        None
    }

    /// A state is taken (lines 7 to 26): its own steps, what they are for others, and the environment transitions so far.
    fn post_state(&mut self, id: StateId) {
        let s = &self.states[id];
        if s.covered {
            return;
        }
        let i = s.thread as usize;
        self.open_states[i].push(id);
        let edges = self.out[i][s.loc].clone();
        for e in edges {
            let bits = self.states[id].bits.clone();
            let Some(post) = self.caches.steps.post(i, e as usize, &bits, &mut self.solver) else { continue };
            let edge = &self.template(i).edges[e as usize];
            let s = &self.states[id];
            let next = AbstractState {
                thread: s.thread,
                loc: edge.to,
                blocks: s.blocks.clone(),
                bits: post.state.clone(),
                number: self.caches.interference.state_number(i, &post.state),
                parent: Parent::Own { state: id, edge: e },
                covered: false,
            };
            self.add_state(next);
            self.add_envs(id, e, &post);
        }
        for k in 0..self.open_envs[i].len() {
            let e = self.open_envs[i][k];
            self.apply(id, e);
        }
    }

    /// An environment transition is taken (line 11): applied to the states of its target so far.
    fn post_env(&mut self, e: EnvId) {
        let j = self.envs[e].target as usize;
        self.open_envs[j].push(e);
        for k in 0..self.open_states[j].len() {
            let id = self.open_states[j][k];
            self.apply(id, e);
        }
    }

    /// The environment transitions that an edge from a state gives to others (lines 19 to 24).
    fn add_envs(&mut self, id: StateId, e: u32, post: &Post) {
        let i = self.states[id].thread as usize;
        if self.method == Method::OwickiGries {
            for j in 0..self.threads.len() {
                if j == i && self.threads[i].single {
                    continue;
                }
                for pair in pair_relations(&self.threads[i], &self.threads[j]) {
                    let loc = self.states[id].loc;
                    if relates_from(pair, &self.threads[i], loc) {
                        let bits = self.states[id].bits.clone();
                        self.add_env(id, e, j, pair, bits);
                    }
                }
            }
            return;
        }
        for (j, pair, bits) in &post.env {
            self.add_env(id, e, *j, *pair, bits.clone());
        }
    }

    fn add_env(&mut self, id: StateId, e: u32, j: usize, pair: PairRelation, bits: Bits) {
        let s = &self.states[id];
        let i = s.thread as usize;
        let edge = &self.template(i).edges[e as usize];
        // A thread of the same template is another one: its locals are not the target's.
        let known = |v: &Var| {
            (i != j || self.program.is_global(*v))
                && (self.caches.interference.relevant[j].contains(v)
                    || self.caches.interference.primed[i][j].contains(v))
        };
        let writes: Vec<Var> = self.global_writes[i][e as usize].iter().copied().filter(known).collect();
        let blocks = if i == j {
            (0, 0)
        } else {
            let p = &self.precision.views[j].partitions[i];
            (p.block(edge.from), p.block(edge.to))
        };
        if writes.is_empty() && blocks.0 == blocks.1 {
            self.stutters.insert((i as u16, j as u16, blocks.0));
            return;
        }
        let shape = match self.method {
            Method::OwickiGries => Shape::Exact(e),
            _ => Shape::Abstract(writes.clone()),
        };
        let (third, mut at) = self.control(id, j);
        self.restrict(&mut at, pair, (i, j), edge.from);
        let group =
            self.caches.interference.group(self.program, self.threads, self.precision, (i, j, pair), &shape);
        let env = Env {
            actor: i as u16,
            target: j as u16,
            pair,
            blocks,
            third,
            at,
            group,
            writes,
            number: self.caches.interference.env_number(group, &bits),
            bits,
            parent: (id, e),
        };
        let found = self.env_index.entry((env.actor, env.target, pair, blocks, group)).or_default();
        let envs = &self.envs;
        let covered = |o: &EnvId| {
            let o = &envs[*o];
            let there = match (&o.at, &env.at) {
                (None, _) => true,
                (Some(_), None) => false,
                (Some(a), Some(b)) => a.iter().zip(b).all(|(a, b)| *a || !*b),
            };
            o.bits.is_subset(&env.bits) && o.third.iter().zip(&env.third).all(|(a, b)| b & !a == 0) && there
        };
        if found.iter().any(covered) {
            return;
        }
        let n = self.envs.push(env);
        found.push(n);
        self.worklist.push_back(Item::Env(n));
    }

    /// What a state knows of where others are, in terms of the target's partitions.
    fn control(&self, id: StateId, target: usize) -> (SmallVec<[u64; 4]>, Option<IndexVec<Loc, bool>>) {
        let s = &self.states[id];
        let i = s.thread as usize;
        let view = &self.precision.views[i];
        let third = (0..self.threads.len())
            .map(|k| {
                if k == i || k == target || !self.threads[k].single || view.partitions[k].blocks() == 1 {
                    return u64::MAX;
                }
                let theirs = &self.precision.views[target].partitions[k];
                view.partitions[k].members(s.blocks[k]).iter().fold(0, |m, l| m | 1 << theirs.block(*l))
            })
            .collect();
        let seen = target != i && self.threads[target].single && view.partitions[target].blocks() > 1;
        let at = seen.then(|| {
            let mut at = index_vec![false; self.template(target).locations.len()];
            for l in view.partitions[target].members(s.blocks[target]) {
                at[l] = true;
            }
            at
        });
        (third, at)
    }

    /// Leaves out the target's locations where the relation can't be.
    fn restrict(
        &self,
        at: &mut Option<IndexVec<Loc, bool>>,
        pair: PairRelation,
        (i, j): (usize, usize),
        from: Loc,
    ) {
        let (actor, target) = (&self.threads[i], &self.threads[j]);
        if !actor.shares_counter(target) || !actor.holds(from) {
            return;
        }
        let at = at.get_or_insert_with(|| index_vec![true; self.template(j).locations.len()]);
        for (l, here) in at.iter_mut_enumerated() {
            *here &= relates_at(pair, actor, target, from, l);
        }
    }

    /// Applies a transition to a state.
    fn apply(&mut self, id: StateId, e: EnvId) {
        meter::add(APPLY_WORK);
        let (s, env) = (&self.states[id], &self.envs[e]);
        let (i, j) = (env.actor as usize, env.target as usize);
        if s.covered
            || (i != j && s.blocks[i] != env.blocks.0)
            || env.at.as_ref().is_some_and(|at| !at[s.loc])
            || (0..self.threads.len()).any(|k| k != i && k != j && env.third[k] >> s.blocks[k] & 1 == 0)
        {
            return;
        }
        let moved = i != j && env.blocks.0 != env.blocks.1;
        if !moved && self.caches.interference.known_unchanged(env.number, s.number) {
            return;
        }
        let applied = self.caches.interference.apply(j, env.number, s.number, &mut self.solver);
        let Some((number, bits)) = applied else { return };
        if !moved && number == s.number {
            return;
        }
        let mut blocks = s.blocks.clone();
        if i != j {
            blocks[i] = env.blocks.1;
        }
        let next = AbstractState {
            thread: s.thread,
            loc: s.loc,
            blocks,
            bits,
            number,
            parent: Parent::Env { state: id, env: e },
            covered: false,
        };
        self.add_state(next);
    }

    /// Moves of others that change nothing a thread knows of: actor, target, block.
    pub fn stutters(&self) -> Vec<(u16, u16, u16)> {
        let mut v: Vec<_> = self.stutters.iter().copied().collect();
        v.sort_unstable();
        v
    }
}

/// The start condition, with the ranges of identities.
pub fn start(program: &Program) -> Cube {
    use relyant_linear::{Atom, LinExpr, Rat};
    let mut c = program.init.clone();
    for (k, v) in program.variables.iter().enumerate().filter(|(_, v)| v.identity) {
        if let Some(min) = v.min {
            let e = LinExpr::int(min).add_scaled(&LinExpr::var(Var(k as u32)), &Rat::from(-1i64));
            c.push(Atom::le(&e));
        }
    }
    c
}
