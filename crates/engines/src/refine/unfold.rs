//! The Horn clauses of an error tuple, unfolded to a tree (GPR, figures 9 to 11 and 15).
//!
//! A node's relation is an abstract state or an environment transition; variables that a step leaves alone are
//! shared between the copies before and after it. What a relation may speak of is what the tree shares: in the
//! modular form, the globals and the thread's own locals.

use crate::aret::Method;
use crate::aret::precision::{Precision, Thread};
use crate::aret::step::{PairRelation, Side, pair_atoms, pair_relations, relates_at};
use crate::aret::store::{EnvId, Envs, Parent, StateId, States};
use relyant_linear::{Cube, LinExpr, Norm, Var};
use relyant_program::{Edge, Loc, Program, Scope};
use std::collections::VecDeque;

/// What a node's relation stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NodeKind {
    /// The clause whose head is false.
    Root,
    /// An abstract state of a thread.
    State {
        /// Index of the thread whose state it is.
        thread: usize,
        /// The state of the fixpoint that the node is a copy of.
        state: StateId,
    },
    /// An environment transition of the fixpoint.
    Transition {
        /// Index of the thread that moves.
        actor: usize,
        /// Whose environment it is.
        target: usize,
    },
}

/// A node of the tree.
#[derive(Clone, Debug)]
pub struct ClauseNode {
    /// Which relation it is a copy of.
    pub kind: NodeKind,
    /// Parent; the root's is itself.
    pub parent: usize,
    /// Distance from the root.
    pub depth: usize,
    /// Constraint of the clause with this head.
    pub constraint: Cube,
    /// Copies of program variables after the step: by program variable, `u32::MAX` where it may not speak of it.
    pub copy: Vec<u32>,
    /// Copies before the step, as the target has them (environment transitions only).
    pub before: Vec<u32>,
}

/// A claim that a thread's location has a value: node, copy of the location, thread, location.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LocationClaim {
    /// Node whose clause claims it.
    pub node: usize,
    /// Which copy of the thread's program counter.
    pub copy: u32,
    /// Index of the thread whose location it is.
    pub thread: usize,
    /// The location that it has, by this claim.
    pub loc: Loc,
}

/// The Horn clauses of an error tuple, unfolded to a tree: each relation is the head of one clause and in the body of
/// one.
#[derive(Default, Debug)]
pub struct Unfolding {
    /// Nodes; the first is the root; parents come before their children.
    pub nodes: Vec<ClauseNode>,
    /// The program variable that a tree variable is a copy of (`u32::MAX`: of an input).
    pub origin: Vec<u32>,
    /// Claims about locations (unrestricted form only).
    pub claims: Vec<LocationClaim>,
    /// Some states were not derived.
    pub cut: bool,
    counters: u32,
}

/// Where to unfold from.
pub struct Unfolder<'a> {
    /// The thread program that the fixpoint is of.
    pub program: &'a Program,
    /// The analysis' threads, which states and transitions name by index.
    pub threads: &'a [Thread],
    /// All states of the fixpoint: parents lead back to initial ones.
    pub states: &'a States,
    /// All environment transitions of the fixpoint, with the states that they come from.
    pub envs: &'a Envs,
    /// The start condition, over globals and locals.
    pub start: &'a Cube,
    /// How transitions were computed.
    pub method: Method,
    /// Restrict relations as the modular form does.
    pub modular: bool,
    /// Predicates of the states.
    pub precision: &'a Precision,
    /// States this far from the root are not derived; their relation is what is known of them. A contradiction then
    /// holds for every way to reach them.
    pub depth: usize,
    /// No state is derived once there are this many nodes.
    pub most: usize,
}

const ABSENT: u32 = u32::MAX;

/// A state to expand: its node, and the copies of variables and program counters at it.
struct Task {
    node: usize,
    state: StateId,
    /// By program variable: its copy there, or [`ABSENT`].
    copy: Vec<u32>,
    /// By thread: the copy of its program counter there.
    counters: Vec<u32>,
}

impl Unfolder<'_> {
    /// Function MKHORNCLAUSES (figures 10 and 11): the tree of an error tuple of one or two states. `pair` is what is known
    /// of the two threads.
    pub fn mk_horn_clauses(&self, tuple: &[StateId], pair: PairRelation) -> Unfolding {
        let mut u = Unfolding::default();
        let n = self.program.variables.len();
        u.nodes.push(ClauseNode {
            kind: NodeKind::Root,
            parent: 0,
            depth: 0,
            constraint: Cube::top(),
            copy: vec![ABSENT; n],
            before: Vec::new(),
        });
        let first = &self.states[tuple[0]];
        let copy = self.fresh_copy(&mut u, first.thread as usize);
        let counters: Vec<u32> = (0..self.threads.len()).map(|_| u.counter()).collect();
        let mut tasks = VecDeque::new();
        for (k, s) in tuple.iter().enumerate() {
            let thread = self.states[*s].thread as usize;
            let mine = if k == 0 { copy.clone() } else { self.pass(&mut u, &copy, thread) };
            let node = u.add(0, NodeKind::State { thread, state: *s }, mine.clone());
            tasks.push_back(Task { node, state: *s, copy: mine, counters: counters.clone() });
        }
        if let [a, b] = tasks.make_contiguous() {
            u.nodes[0].constraint = self.apart(a, b, pair);
        }
        while let Some(t) = tasks.pop_front() {
            if u.nodes[t.node].depth >= self.depth || u.nodes.len() > self.most {
                u.cut = true;
                self.label(&mut u, &t);
            } else {
                self.expand(&mut u, t, &mut tasks);
            }
        }
        u
    }

    /// What is known of a state, as the constraint of its node.
    fn label(&self, u: &mut Unfolding, t: &Task) {
        let s = &self.states[t.state];
        let i = s.thread as usize;
        let known = s.bits.iter().map(|k| &self.precision.views[i].predicates[k]);
        let spoken = known.filter(|p| p.vars().all(|v| t.copy[v.0 as usize] != ABSENT));
        u.nodes[t.node].constraint =
            Cube::of(spoken.map(|p| Norm::Atom(p.rename(|v| Var(t.copy[v.0 as usize])))));
        if self.threads[i].single {
            u.claims.push(LocationClaim { node: t.node, copy: t.counters[i], thread: i, loc: s.loc });
        }
    }

    /// The ways in which two threads of a tuple may differ.
    pub fn pair_relations(&self, tuple: &[StateId]) -> Vec<PairRelation> {
        let [a, b] = *tuple else { return vec![PairRelation { identity: Side::Any, ticket: Side::Any }] };
        let (a, b) = (&self.states[a], &self.states[b]);
        let (x, y) = (&self.threads[a.thread as usize], &self.threads[b.thread as usize]);
        pair_relations(x, y).into_iter().filter(|m| relates_at(*m, x, y, a.loc, b.loc)).collect()
    }

    fn apart(&self, a: &Task, b: &Task, pair: PairRelation) -> Cube {
        let thread = |t: &Task| &self.threads[self.states[t.state].thread as usize];
        let of = |v: Var| Var(a.copy[v.0 as usize]);
        let atoms = pair_atoms(pair, (thread(a), thread(b)), &of, &|v| Var(b.copy[v.0 as usize]));
        Cube::of(atoms.into_iter().map(Norm::Atom))
    }

    /// Fresh copies of what a thread's states may speak of.
    fn fresh_copy(&self, u: &mut Unfolding, thread: usize) -> Vec<u32> {
        (0..self.program.variables.len())
            .map(|v| if self.speaks(thread, Var(v as u32)) { u.variable(v as u32) } else { ABSENT })
            .collect()
    }

    /// May states of the thread speak of the variable?
    fn speaks(&self, thread: usize, v: Var) -> bool {
        match self.program.variables[v.0 as usize].scope {
            Scope::Global => true,
            Scope::Local(t) if t == self.threads[thread].template => true,
            Scope::Local(t) => !self.modular && self.threads.iter().any(|x| x.template == t && x.single),
        }
    }

    /// The copy for another thread's state at the same moment.
    fn pass(&self, u: &mut Unfolding, copy: &[u32], to: usize) -> Vec<u32> {
        (0..copy.len())
            .map(|v| {
                let var = Var(v as u32);
                if !self.speaks(to, var) {
                    return ABSENT;
                }
                let shared = self.program.is_global(var) || !self.modular;
                // Locals of a template of several threads are those of one thread each.
                let several = matches!(self.program.variables[v].scope,
                    Scope::Local(t) if self.threads.iter().any(|x| x.template == t && !x.single));
                if shared && !several && copy[v] != ABSENT { copy[v] } else { u.variable(v as u32) }
            })
            .collect()
    }

    fn expand(&self, u: &mut Unfolding, t: Task, tasks: &mut VecDeque<Task>) {
        let s = &self.states[t.state];
        let i = s.thread as usize;
        if self.threads[i].single {
            u.claims.push(LocationClaim { node: t.node, copy: t.counters[i], thread: i, loc: s.loc });
        }
        match s.parent {
            Parent::Initial => {
                let copy = self.complete(u, &t.copy);
                u.nodes[t.node].constraint = self.start.rename(|v| Var(copy[v.0 as usize]));
                for (k, thread) in self.threads.iter().enumerate().filter(|(_, x)| x.single) {
                    let loc = self.program.templates[thread.template as usize].entry;
                    u.claims.push(LocationClaim { node: t.node, copy: t.counters[k], thread: k, loc });
                }
            }
            Parent::Own { state, edge } => {
                let edge = &self.program.templates[self.threads[i].template as usize].edges[edge as usize];
                let before = self.before(u, &t.copy, edge, |_| true);
                u.nodes[t.node].constraint = self.relation(u, edge, &before, &t.copy, |_| true);
                let mut counters = t.counters;
                counters[i] = u.counter();
                let node = u.add(t.node, NodeKind::State { thread: i, state }, before.clone());
                tasks.push_back(Task { node, state, copy: before, counters });
            }
            Parent::Env { state, env } => self.expand_env(u, t, (state, env), tasks),
        }
    }

    fn expand_env(
        &self,
        u: &mut Unfolding,
        t: Task,
        (state, env): (StateId, EnvId),
        tasks: &mut VecDeque<Task>,
    ) {
        let env = &self.envs[env];
        let (i, j) = (env.actor as usize, env.target as usize);
        let (source, edge) = env.parent;
        let edge = &self.program.templates[self.threads[i].template as usize].edges[edge as usize];
        // What the target may see of the step: globals, and a single actor's locals where it may speak of them.
        let seen =
            |v: Var| self.program.is_global(v) || (i != j && self.threads[i].single && self.speaks(j, v));
        let before = self.before(u, &t.copy, edge, seen);
        let theirs = self.pass(u, &before, i);
        let mut counters = t.counters.clone();
        if self.threads[i].single {
            counters[i] = u.counter();
        }
        let node = u.add(t.node, NodeKind::State { thread: j, state }, before.clone());
        tasks.push_back(Task { node, state, copy: before.clone(), counters: counters.clone() });
        let mut relation = self.relation(u, edge, &theirs, &t.copy, seen);
        let (of_actor, of_target) = (|v: Var| Var(theirs[v.0 as usize]), |v: Var| Var(before[v.0 as usize]));
        let apart = pair_atoms(env.pair, (&self.threads[i], &self.threads[j]), &of_actor, &of_target);
        relation = relation.and(&Cube::of(apart.into_iter().map(Norm::Atom)));
        let holder = if self.method == Method::OwickiGries {
            t.node
        } else {
            u.add(t.node, NodeKind::Transition { actor: i, target: j }, t.copy.clone())
        };
        u.nodes[holder].constraint = relation;
        if holder != t.node {
            u.nodes[holder].before = before.clone();
        }
        if self.threads[i].single {
            u.claims.push(LocationClaim { node: holder, copy: t.counters[i], thread: i, loc: edge.to });
        }
        let node = u.add(holder, NodeKind::State { thread: i, state: source }, theirs.clone());
        tasks.push_back(Task { node, state: source, copy: theirs, counters });
    }

    /// Copies before an edge: fresh for what it writes and may be seen, the same for the rest.
    fn before(&self, u: &mut Unfolding, after: &[u32], edge: &Edge, seen: impl Fn(Var) -> bool) -> Vec<u32> {
        let mut copy = after.to_vec();
        for (v, _) in edge.updates.iter().filter(|x| seen(x.0)) {
            if copy[v.0 as usize] != ABSENT {
                copy[v.0 as usize] = u.variable(v.0);
            }
        }
        copy
    }

    /// Guard, bounds and seen updates of an edge, from copies `before` (the actor's) to `after` (the target's).
    fn relation(
        &self,
        u: &mut Unfolding,
        edge: &Edge,
        before: &[u32],
        after: &[u32],
        seen: impl Fn(Var) -> bool,
    ) -> Cube {
        let n = self.program.variables.len() as u32;
        let inputs: Vec<u32> = edge.inputs.iter().map(|_| u.variable(ABSENT)).collect();
        let name = |v: Var| Var(if v.0 >= n { inputs[(v.0 - n) as usize] } else { before[v.0 as usize] });
        let mut cube = edge.guard.rename(name).and(&edge.bounds.rename(name));
        for (v, e) in edge.updates.iter().filter(|x| seen(x.0)) {
            let to = after[v.0 as usize];
            if to != ABSENT {
                let e = e.rename(name);
                cube.push(relyant_linear::Atom::eq(&e.sub(&LinExpr::var(Var(to)))));
            }
        }
        cube
    }

    /// Fresh copies for what a copy leaves out.
    fn complete(&self, u: &mut Unfolding, copy: &[u32]) -> Vec<u32> {
        copy.iter().enumerate().map(|(v, c)| if *c == ABSENT { u.variable(v as u32) } else { *c }).collect()
    }
}

impl Unfolding {
    fn variable(&mut self, origin: u32) -> u32 {
        self.origin.push(origin);
        self.origin.len() as u32 - 1
    }
    fn counter(&mut self) -> u32 {
        self.counters += 1;
        self.counters - 1
    }
    fn add(&mut self, parent: usize, kind: NodeKind, copy: Vec<u32>) -> usize {
        let depth = self.nodes[parent].depth + 1;
        self.nodes.push(ClauseNode {
            kind,
            parent,
            depth,
            constraint: Cube::top(),
            copy,
            before: Vec::new(),
        });
        self.nodes.len() - 1
    }
}
