//! Abstract reachability and environment transitions (GPR, figure 7), breadth first, up to the first error.
//!
//! Each pair of a state and a transition is met once: when the later of the two is taken from the queue.

use super::Method;
use super::bits::Bits;
use super::interference::{Interference, Shape};
use super::layout::{Layout, Solver, answer, bounds, query};
use super::precision::{Precision, Thread};
use super::step::{Meeting, Post, Steps, meetings, meets_at, meets_from, state_bounds};
use super::store::{Blocks, Env, Parent, State};
use crate::watch::Watch;
use relyant_horn::linear::{Cube, Satisfiable, Var};
use relyant_horn::meter;
use relyant_program::{Loc, Program};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use std::collections::VecDeque;

/// Work of looking at an environment transition, in the meter's units.
const APPLY_WORK: usize = 10;
/// Work of taking a state or an environment transition from the queue, see [`Watch::work`].
const ITEM_WORK: u64 = 2;

/// How the fixpoint ended.
pub enum Reached {
    /// A pre-fixpoint without error.
    Fixpoint,
    /// These states together (one for an assertion) meet the error condition.
    Error(Vec<u32>),
    /// Somebody asked to stop.
    Stopped,
}

enum Item {
    State(u32),
    Env(u32),
}

/// Answers that depend on predicates only, not on blocks.
pub struct Caches {
    steps: Steps,
    /// Environment transitions.
    pub interference: Interference,
}

/// The ARET under construction.
pub struct Aret<'a> {
    program: &'a Program,
    /// The analysis' threads.
    pub threads: &'a [Thread],
    /// Predicates and blocks.
    pub precision: &'a Precision,
    method: Method,
    start: &'a Cube,
    /// All states, in order of discovery.
    pub states: Vec<State>,
    /// All environment transitions, in order of discovery.
    pub envs: Vec<Env>,
    /// Answers computed so far.
    pub caches: Caches,
    solver: Solver,
    out: Vec<Vec<Vec<u32>>>,
    global_writes: Vec<Vec<Vec<Var>>>,
    queue: VecDeque<Item>,
    /// By thread and location: states found, by blocks.
    places: Vec<Vec<FxHashMap<Blocks, Vec<u32>>>>,
    /// States taken from the queue, by thread.
    open_states: Vec<Vec<u32>>,
    /// Transitions taken from the queue, by target.
    open_envs: Vec<Vec<u32>>,
    env_index: FxHashMap<EnvKey, Vec<u32>>,
    stutters: FxHashSet<(u16, u16, u16)>,
}

type EnvKey = (u16, u16, Meeting, (u16, u16), u32);

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
                let mut out = vec![Vec::new(); t.locations.len()];
                for (k, e) in t.edges.iter().enumerate() {
                    out[e.from.0 as usize].push(k as u32);
                }
                out
            })
            .collect();
        let global_writes = templates
            .clone()
            .map(|t| t.edges.iter().map(|e| e.updates.iter().map(|u| u.0).collect()).collect())
            .collect();
        let places = templates.map(|t| vec![FxHashMap::default(); t.locations.len()]).collect();
        Aret {
            program,
            threads,
            precision,
            method,
            start,
            states: Vec::new(),
            envs: Vec::new(),
            caches,
            solver: Solver::default(),
            out,
            global_writes,
            queue: VecDeque::new(),
            places,
            open_states: vec![Vec::new(); threads.len()],
            open_envs: vec![Vec::new(); threads.len()],
            env_index: FxHashMap::default(),
            stutters: FxHashSet::default(),
        }
    }

    /// Runs to a fixpoint or to the first error tuple.
    pub fn run(&mut self, watch: &Watch) -> Reached {
        for i in 0..self.threads.len() {
            if let Some(s) = self.initial(i) {
                if let Some(tuple) = self.add_state(s) {
                    return Reached::Error(tuple);
                }
            }
        }
        let mut count = 0u32;
        while let Some(item) = self.queue.pop_front() {
            count += 1;
            (watch.work)(ITEM_WORK + meter::take());
            if count % 64 == 0 && watch.cancelled() {
                return Reached::Stopped;
            }
            let error = match item {
                Item::State(s) => self.take_state(s),
                Item::Env(e) => self.take_env(e),
            };
            if let Some(tuple) = error {
                return Reached::Error(tuple);
            }
        }
        Reached::Fixpoint
    }

    fn template(&self, i: usize) -> &'a relyant_program::Template {
        &self.program.templates[self.threads[i].template as usize]
    }

    fn initial(&mut self, i: usize) -> Option<State> {
        let mut layout = Layout::default();
        let init = bounds(self.start, &mut layout);
        let predicates = &self.precision.views[i].predicates;
        state_bounds(predicates, &mut layout);
        let questions: Vec<_> = predicates.iter().map(|p| query(p, &mut layout, |_| None)).collect();
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
        let loc = self.template(i).entry.0;
        let number = self.caches.interference.state_number(i, &bits);
        Some(State { thread: i as u16, loc, blocks, bits, number, parent: Parent::Initial, covered: false })
    }

    /// Adds a state unless it is covered; an error tuple if it makes one.
    fn add_state(&mut self, s: State) -> Option<Vec<u32>> {
        let place = self.places[s.thread as usize][s.loc as usize].entry(s.blocks.clone()).or_default();
        if place.iter().any(|o| self.states[*o as usize].bits.is_subset(&s.bits)) {
            return None;
        }
        let states = &mut self.states;
        place.retain(|o| {
            let weaker = s.bits.is_subset(&states[*o as usize].bits);
            states[*o as usize].covered |= weaker;
            !weaker
        });
        let id = self.states.len() as u32;
        place.push(id);
        self.queue.push_back(Item::State(id));
        self.states.push(s);
        let s = &self.states[id as usize];
        if self.template(s.thread as usize).locations[s.loc as usize].error.is_some() {
            return Some(vec![id]);
        }
        self.exclusion(id)
    }

    /// A state of another thread that must not go with this one, but does.
    fn exclusion(&mut self, id: u32) -> Option<Vec<u32>> {
        let label = self.program.exclusive.as_ref()?;
        let program = self.program;
        let labelled = |t: &Thread, l: u32| {
            program.templates[t.template as usize].locations[l as usize].labels.contains(label)
        };
        let (i, loc) = (self.states[id as usize].thread as usize, self.states[id as usize].loc);
        if !labelled(&self.threads[i], loc) {
            return None;
        }
        for other in 0..=id {
            let (j, place) = (self.states[other as usize].thread as usize, self.states[other as usize].loc);
            if (j == i && self.threads[i].single)
                || self.states[other as usize].covered
                || !labelled(&self.threads[j], place)
            {
                continue;
            }
            let (a, b) = (&self.states[id as usize], &self.states[other as usize]);
            if i != j {
                let (vi, vj) = (&self.precision.views[i], &self.precision.views[j]);
                if a.blocks[j] != vi.partitions[j].block(Loc(place))
                    || b.blocks[i] != vj.partitions[i].block(Loc(loc))
                {
                    continue;
                }
            }
            let (x, y) = (&self.threads[i], &self.threads[j]);
            for meeting in meetings(x, y).into_iter().filter(|m| meets_at(*m, x, y, loc, place)) {
                let both = super::pair::cube(program, self.threads, self.precision, (a, b), meeting);
                if both.sat_rational() != Satisfiable::Unsat {
                    return Some(vec![id, other]);
                }
            }
        }
        None
    }

    fn take_state(&mut self, id: u32) -> Option<Vec<u32>> {
        let s = &self.states[id as usize];
        if s.covered {
            return None;
        }
        let i = s.thread as usize;
        self.open_states[i].push(id);
        let edges = self.out[i][s.loc as usize].clone();
        for e in edges {
            let bits = self.states[id as usize].bits.clone();
            let Some(post) = self.caches.steps.post(i, e as usize, &bits, &mut self.solver) else { continue };
            let edge = &self.template(i).edges[e as usize];
            let s = &self.states[id as usize];
            let next = State {
                thread: s.thread,
                loc: edge.to.0,
                blocks: s.blocks.clone(),
                bits: post.state.clone(),
                number: self.caches.interference.state_number(i, &post.state),
                parent: Parent::Own { state: id, edge: e },
                covered: false,
            };
            if let Some(t) = self.add_state(next) {
                return Some(t);
            }
            self.add_envs(id, e, &post);
        }
        for k in 0..self.open_envs[i].len() {
            let e = self.open_envs[i][k];
            if let Some(t) = self.apply(id, e) {
                return Some(t);
            }
        }
        None
    }

    fn take_env(&mut self, e: u32) -> Option<Vec<u32>> {
        let j = self.envs[e as usize].target as usize;
        self.open_envs[j].push(e);
        for k in 0..self.open_states[j].len() {
            let id = self.open_states[j][k];
            if let Some(t) = self.apply(id, e) {
                return Some(t);
            }
        }
        None
    }

    /// The environment transitions that an edge from a state gives to others.
    fn add_envs(&mut self, id: u32, e: u32, post: &Post) {
        let i = self.states[id as usize].thread as usize;
        if self.method == Method::OwickiGries {
            for j in 0..self.threads.len() {
                if j == i && self.threads[i].single {
                    continue;
                }
                for meeting in meetings(&self.threads[i], &self.threads[j]) {
                    let loc = self.states[id as usize].loc;
                    if meets_from(meeting, &self.threads[i], loc) {
                        let bits = self.states[id as usize].bits.clone();
                        self.add_env(id, e, j, meeting, bits);
                    }
                }
            }
            return;
        }
        for (j, meeting, bits) in &post.env {
            self.add_env(id, e, *j, *meeting, bits.clone());
        }
    }

    fn add_env(&mut self, id: u32, e: u32, j: usize, meeting: Meeting, bits: Bits) {
        let s = &self.states[id as usize];
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
        self.restrict(&mut at, meeting, (i, j), edge.from.0);
        let group = self.caches.interference.group(
            self.program,
            self.threads,
            self.precision,
            (i, j, meeting),
            &shape,
        );
        let env = Env {
            actor: i as u16,
            target: j as u16,
            meeting,
            blocks,
            third,
            at,
            group,
            writes,
            number: self.caches.interference.env_number(group, &bits),
            bits,
            parent: (id, e),
        };
        let found = self.env_index.entry((env.actor, env.target, meeting, blocks, group)).or_default();
        let envs = &self.envs;
        let covered = |o: &u32| {
            let o = &envs[*o as usize];
            o.bits.is_subset(&env.bits)
                && o.third.iter().zip(&env.third).all(|(a, b)| b & !a == 0)
                && (o.at.is_empty()
                    || (!env.at.is_empty() && o.at.iter().zip(&env.at).all(|(a, b)| *a || !*b)))
        };
        if found.iter().any(covered) {
            return;
        }
        let n = self.envs.len() as u32;
        found.push(n);
        self.queue.push_back(Item::Env(n));
        self.envs.push(env);
    }

    /// What a state knows of where others are, in terms of the target's partitions.
    fn control(&self, id: u32, target: usize) -> (SmallVec<[u64; 4]>, Vec<bool>) {
        let s = &self.states[id as usize];
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
        let mut at = Vec::new();
        if target != i && self.threads[target].single && view.partitions[target].blocks() > 1 {
            at = vec![false; self.template(target).locations.len()];
            for l in view.partitions[target].members(s.blocks[target]) {
                at[l.0 as usize] = true;
            }
        }
        (third, at)
    }

    /// Leaves out the target's locations where the meeting can't be.
    fn restrict(&self, at: &mut Vec<bool>, meeting: Meeting, (i, j): (usize, usize), from: u32) {
        let (actor, target) = (&self.threads[i], &self.threads[j]);
        if !actor.shares_counter(target) || !actor.holds(from) {
            return;
        }
        if at.is_empty() {
            *at = vec![true; self.template(j).locations.len()];
        }
        for (l, here) in at.iter_mut().enumerate() {
            *here &= meets_at(meeting, actor, target, from, l as u32);
        }
    }

    /// Applies a transition to a state.
    fn apply(&mut self, id: u32, e: u32) -> Option<Vec<u32>> {
        meter::add(APPLY_WORK);
        let (s, env) = (&self.states[id as usize], &self.envs[e as usize]);
        let (i, j) = (env.actor as usize, env.target as usize);
        if s.covered
            || (i != j && s.blocks[i] != env.blocks.0)
            || !(env.at.is_empty() || env.at[s.loc as usize])
            || (0..self.threads.len()).any(|k| k != i && k != j && env.third[k] >> s.blocks[k] & 1 == 0)
        {
            return None;
        }
        let moved = i != j && env.blocks.0 != env.blocks.1;
        if !moved && self.caches.interference.known_unchanged(env.number, s.number) {
            return None;
        }
        let (number, bits) = self.caches.interference.apply(j, env.number, s.number, &mut self.solver)?;
        if !moved && number == s.number {
            return None;
        }
        let mut blocks = s.blocks.clone();
        if i != j {
            blocks[i] = env.blocks.1;
        }
        let next = State {
            thread: s.thread,
            loc: s.loc,
            blocks,
            bits,
            number,
            parent: Parent::Env { state: id, env: e },
            covered: false,
        };
        self.add_state(next)
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
    use relyant_horn::linear::{Atom, LinExpr, Rat};
    let mut c = program.init.clone();
    for (k, v) in program.variables.iter().enumerate().filter(|(_, v)| v.identity) {
        if let Some(min) = v.min {
            let e = LinExpr::int(min).add_scaled(&LinExpr::var(Var(k as u32)), &Rat::from(-1i64));
            c.push(Atom::le(&e));
        }
    }
    c
}
