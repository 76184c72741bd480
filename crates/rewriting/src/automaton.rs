//! Tree automata made deterministic, complete and minimal; BNRT theorem 3.1 needs the first.
//!
//! Subsets of states are made only where a ground term reaches them. A transition table over all tuples would be
//! exponential in the number of arguments, so an operator is a decision diagram: a *node* is the set of transitions
//! that are still possible after some arguments. States that no context tells apart are merged. In the minimal
//! automaton a language is closed under AC exactly when the operator is commutative and associative on states.

use super::term::{Arena, Args, TermId, TermNode};
use crate::timbuk::{self, OpId, System, Transition};
use rustc_hash::FxHashMap;

/// The most entries of the diagrams.
const LIMIT: usize = 4_000_000;

/// A state of the deterministic automaton, by number from 0.
pub type StateId = u32;

/// Where an argument leads.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
enum Target {
    /// To another node of the diagram: more arguments follow.
    Node(u32),
    /// To the state of the whole term: this was the last argument.
    State(StateId),
}

/// Why an automaton cannot be used.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Unusable {
    /// More entries than are made, in the automaton of this name.
    #[error("automaton {0} has too many states when it is made deterministic")]
    TooLarge(String),
    /// Not closed under an AC operator: two equal terms that it tells apart.
    #[error("automaton {automaton} tells {left} from {right}, which are equal as {op} is AC")]
    NotCompatible {
        /// Name of the automaton in the input.
        automaton: String,
        /// Name of the AC operator.
        op: String,
        /// A ground term that it accepts, or does not.
        left: String,
        /// The same modulo AC.
        right: String,
    },
}

/// A deterministic complete automaton, all of whose states some ground term has.
pub struct Automaton {
    /// Name of the automaton in the input.
    pub name: String,
    /// By operator: where its arguments begin; for a constant its state.
    roots: Vec<Target>,
    /// `table[node][state]`: where an argument of that state leads.
    table: Vec<Vec<Target>>,
    /// By state: is it final?
    finals: Vec<bool>,
    /// A small ground term of each state.
    witnesses: Vec<TermId>,
    /// By operator: is it associative and commutative?
    ac: Vec<bool>,
    successor: Option<OpId>,
    /// States of the naturals, from the first one on, until they repeat; and where they go on from there.
    naturals: Vec<StateId>,
    again: usize,
    /// States of terms that were asked for.
    memo: FxHashMap<TermId, StateId>,
}

impl Automaton {
    /// Makes an automaton of the input deterministic.
    pub fn new(system: &System, a: &timbuk::Automaton, arena: &mut Arena) -> Result<Automaton, Unusable> {
        let subsets = Subsets::build(system, a).ok_or_else(|| Unusable::TooLarge(a.name.clone()))?;
        let mut out = subsets.minimal(system, a, arena);
        out.find_naturals(arena);
        out.check_ac(system, arena)?;
        Ok(out)
    }
    /// All states, each of which some ground term has.
    pub fn states(&self) -> std::ops::Range<StateId> {
        0..self.finals.len() as StateId
    }
    /// Does the automaton accept the terms of this state?
    pub fn is_final(&self, q: StateId) -> bool {
        self.finals[q as usize]
    }
    /// A ground term of a state.
    pub fn witness(&self, q: StateId) -> TermId {
        self.witnesses[q as usize]
    }
    fn next(&self, t: Target, q: StateId) -> Target {
        match t {
            Target::Node(n) => self.table[n as usize][q as usize],
            Target::State(_) => t,
        }
    }
    fn step(&self, op: OpId, args: &[StateId]) -> StateId {
        match args.iter().fold(self.roots[op.0 as usize], |t, q| self.next(t, *q)) {
            Target::State(q) => q,
            // only with too few arguments, which terms never have
            Target::Node(_) => 0,
        }
    }
    /// `s` applied `n` times.
    fn succ(&self, mut n: u64, mut q: StateId) -> StateId {
        let Some(s) = self.successor else { return q };
        let mut seen: Vec<StateId> = Vec::new();
        while n > 0 {
            if let Some(i) = seen.iter().position(|p| *p == q) {
                return seen[i + (n % (seen.len() - i) as u64) as usize];
            }
            seen.push(q);
            q = self.step(s, &[q]);
            n -= 1;
        }
        q
    }
    /// The state of a ground term.
    pub fn run(&mut self, t: TermId, arena: &Arena) -> StateId {
        if let Some(q) = self.memo.get(&t) {
            return *q;
        }
        let q = match arena.node(t) {
            // cannot be: the term is ground
            TermNode::Var(_) => 0,
            TermNode::Succ(n, base) => {
                let q = self.run(*base, arena);
                self.succ(*n, q)
            }
            TermNode::App(op, args) => {
                let states: Vec<StateId> = args.iter().map(|a| self.run(*a, arena)).collect();
                if self.ac[op.0 as usize] {
                    states[1..].iter().fold(states[0], |p, q| self.step(*op, &[p, *q]))
                } else {
                    self.step(*op, &states)
                }
            }
        };
        self.memo.insert(t, q);
        q
    }
    /// The states of all instances of a term, sorted, where `var` says which states a variable may have; too many
    /// when a variable occurs twice.
    pub fn reach(&mut self, t: TermId, arena: &Arena, var: &impl Fn(u32) -> Vec<StateId>) -> Vec<StateId> {
        if arena.ground(t) {
            return vec![self.run(t, arena)];
        }
        let mut out = match arena.node(t) {
            TermNode::Var(v) => var(*v),
            TermNode::Succ(n, base) => {
                let inner = self.reach(*base, arena, var);
                inner.into_iter().map(|q| self.succ(*n, q)).collect()
            }
            TermNode::App(op, args) => {
                let args: Vec<Vec<StateId>> = args.iter().map(|a| self.reach(*a, arena, var)).collect();
                let root = self.roots[op.0 as usize];
                if self.ac[op.0 as usize] {
                    args[1..].iter().fold(args[0].clone(), |left, right| {
                        let after = self.advance(&[root], &left);
                        self.ends(&self.advance(&after, right))
                    })
                } else {
                    self.ends(&args.iter().fold(vec![root], |nodes, states| self.advance(&nodes, states)))
                }
            }
        };
        out.sort_unstable();
        out.dedup();
        out
    }
    fn advance(&self, nodes: &[Target], states: &[StateId]) -> Vec<Target> {
        let mut out: Vec<Target> =
            nodes.iter().flat_map(|n| states.iter().map(|q| self.next(*n, *q))).collect();
        out.sort_unstable();
        out.dedup();
        out
    }
    fn ends(&self, targets: &[Target]) -> Vec<StateId> {
        targets.iter().filter_map(|t| if let Target::State(q) = t { Some(*q) } else { None }).collect()
    }
    /// States of the naturals in order, from the first one on, and the index at which the last one's successor is.
    pub fn naturals(&self) -> (&[StateId], usize) {
        (&self.naturals, self.again)
    }

    fn find_naturals(&mut self, arena: &Arena) {
        let (Some((first, _)), Some(s)) = (arena.first(), self.successor) else { return };
        let mut q = self.run(first, arena);
        while !self.naturals.contains(&q) {
            self.naturals.push(q);
            q = self.step(s, &[q]);
        }
        self.again = self.naturals.iter().position(|p| *p == q).unwrap_or(0);
    }

    fn check_ac(&self, system: &System, arena: &Arena) -> Result<(), Unusable> {
        for (i, op) in system.ops.iter().enumerate().filter(|(_, o)| o.ac) {
            let f = OpId(i as u32);
            let show = |q: StateId| system.show(&arena.export(self.witness(q)));
            let differ = |left: String, right: String| Unusable::NotCompatible {
                automaton: self.name.clone(),
                op: op.name.clone(),
                left,
                right,
            };
            let name = &op.name;
            for p in self.states() {
                for q in p + 1..self.states().end {
                    if self.step(f, &[p, q]) != self.step(f, &[q, p]) {
                        let (a, b) = (show(p), show(q));
                        return Err(differ(format!("{name}({a}, {b})"), format!("{name}({b}, {a})")));
                    }
                }
            }
            for (p, q) in self.states().flat_map(|p| self.states().map(move |q| (p, q))) {
                let pq = self.step(f, &[p, q]);
                for r in self.states() {
                    if self.step(f, &[pq, r]) != self.step(f, &[p, self.step(f, &[q, r])]) {
                        let (a, b, c) = (show(p), show(q), show(r));
                        let left = format!("{name}({name}({a}, {b}), {c})");
                        return Err(differ(left, format!("{name}({a}, {name}({b}, {c}))")));
                    }
                }
            }
        }
        Ok(())
    }
}

/// The subset construction, with sets and nodes numbered as they are reached.
struct Subsets {
    /// Sets of the input's states, sorted.
    sets: Vec<Vec<u32>>,
    /// The number of each set, the inverse of `sets`.
    set_index: FxHashMap<Vec<u32>, u32>,
    /// Operator, arguments read, transitions still possible.
    nodes: Vec<(OpId, usize, Vec<u32>)>,
    /// The number of each node, the inverse of `nodes`.
    node_index: FxHashMap<(OpId, usize, Vec<u32>), u32>,
    roots: Vec<Target>,
    table: Vec<Vec<Target>>,
    /// A term of each set: its operator and its arguments' sets.
    terms: Vec<(OpId, Vec<u32>)>,
    /// Sets of the arguments that lead to a node.
    prefixes: Vec<Vec<u32>>,
}

impl Subsets {
    fn build(system: &System, a: &timbuk::Automaton) -> Option<Subsets> {
        let closure = epsilon_closure(a);
        let transitions: Vec<(OpId, &[timbuk::StateId], u32)> = a
            .transitions
            .iter()
            .filter_map(|t| match t {
                Transition::Op(op, args, q) => Some((*op, &args[..], q.0)),
                Transition::Epsilon(..) => None,
            })
            .collect();
        let mut b = Subsets {
            sets: Vec::new(),
            set_index: FxHashMap::default(),
            nodes: Vec::new(),
            node_index: FxHashMap::default(),
            roots: Vec::new(),
            table: Vec::new(),
            terms: Vec::new(),
            prefixes: Vec::new(),
        };
        let target = |b: &mut Subsets, op: OpId, level: usize, live: Vec<u32>, prefix: Vec<u32>| {
            if level == system.op(op).arity as usize {
                let mut set: Vec<u32> =
                    live.iter().flat_map(|r| closure[transitions[*r as usize].2 as usize].clone()).collect();
                set.sort_unstable();
                set.dedup();
                let next = b.sets.len() as u32;
                let id = *b.set_index.entry(set.clone()).or_insert(next);
                if id == next {
                    b.sets.push(set);
                    b.terms.push((op, prefix));
                }
                return Target::State(id);
            }
            let next = b.nodes.len() as u32;
            let key = (op, level, live);
            let id = *b.node_index.entry(key.clone()).or_insert(next);
            if id == next {
                b.nodes.push(key);
                b.prefixes.push(prefix);
                b.table.push(Vec::new());
            }
            Target::Node(id)
        };
        for i in 0..system.ops.len() as u32 {
            let live =
                (0..transitions.len() as u32).filter(|r| transitions[*r as usize].0 == OpId(i)).collect();
            let root = target(&mut b, OpId(i), 0, live, Vec::new());
            b.roots.push(root);
        }
        loop {
            let before = (b.sets.len(), b.nodes.len());
            for n in 0..before.1 {
                while b.table[n].len() < before.0 {
                    let q = b.table[n].len() as u32;
                    let (op, level, live) = b.nodes[n].clone();
                    let set = &b.sets[q as usize];
                    let live = live
                        .into_iter()
                        .filter(|r| set.binary_search(&transitions[*r as usize].1[level].0).is_ok())
                        .collect();
                    let mut prefix = b.prefixes[n].clone();
                    prefix.push(q);
                    let t = target(&mut b, op, level + 1, live, prefix);
                    b.table[n].push(t);
                }
            }
            if before == (b.sets.len(), b.nodes.len()) {
                return Some(b);
            }
            if b.sets.len().saturating_mul(b.nodes.len()) > LIMIT {
                return None;
            }
        }
    }

    /// Merges what no context tells apart: classes of sets and of nodes, made finer until they are stable.
    fn minimal(&self, system: &System, a: &timbuk::Automaton, arena: &mut Arena) -> Automaton {
        let accepts = |set: &Vec<u32>| a.finals.iter().any(|f| set.binary_search(&f.0).is_ok());
        let mut sets: Vec<u32> = self.sets.iter().map(|s| u32::from(accepts(s))).collect();
        let mut nodes: Vec<u32> = vec![0; self.nodes.len()];
        let mut count = (0, 0);
        loop {
            let class = |t: Target| match t {
                Target::Node(n) => Target::Node(nodes[n as usize]),
                Target::State(q) => Target::State(sets[q as usize]),
            };
            let (finer_nodes, n) = number(
                (0..nodes.len()).map(|n| (nodes[n], self.table[n].iter().map(|t| class(*t)).collect())),
            );
            let (finer_sets, s) = number(
                (0..sets.len()).map(|q| (sets[q], self.table.iter().map(|row| class(row[q])).collect())),
            );
            (nodes, sets) = (finer_nodes, finer_sets);
            if count == (n, s) {
                break;
            }
            count = (n, s);
        }
        let class = |t: Target| match t {
            Target::Node(n) => Target::Node(nodes[n as usize]),
            Target::State(q) => Target::State(sets[q as usize]),
        };
        let (node_count, set_count) = count;
        let first = |classes: &[u32], k: usize| classes.iter().position(|c| *c as usize == k).unwrap_or(0);
        let set_of: Vec<usize> = (0..set_count).map(|k| first(&sets, k)).collect();
        let table = (0..node_count)
            .map(|k| {
                let row = &self.table[first(&nodes, k)];
                set_of.iter().map(|q| class(row[*q])).collect()
            })
            .collect();
        // a set's term has arguments of earlier sets
        let mut terms: Vec<TermId> = Vec::new();
        for (op, args) in &self.terms {
            let args: Args = args.iter().map(|q| terms[*q as usize]).collect();
            let t = arena.app(*op, args);
            terms.push(t);
        }
        Automaton {
            name: a.name.clone(),
            roots: self.roots.iter().map(|t| class(*t)).collect(),
            table,
            finals: set_of.iter().map(|q| accepts(&self.sets[*q])).collect(),
            witnesses: set_of.iter().map(|q| terms[*q]).collect(),
            ac: system.ops.iter().map(|o| o.ac).collect(),
            successor: arena.successor(),
            naturals: Vec::new(),
            again: 0,
            memo: FxHashMap::default(),
        }
    }
}

/// Numbers what is equal alike, in the order of first occurrence; how many there are.
fn number(keys: impl Iterator<Item = (u32, Vec<Target>)>) -> (Vec<u32>, usize) {
    let mut index: FxHashMap<(u32, Vec<Target>), u32> = FxHashMap::default();
    let classes = keys
        .map(|k| {
            let next = index.len() as u32;
            *index.entry(k).or_insert(next)
        })
        .collect();
    (classes, index.len())
}

/// The states that accept what each state accepts.
fn epsilon_closure(a: &timbuk::Automaton) -> Vec<Vec<u32>> {
    let mut out: Vec<Vec<u32>> = Vec::new();
    for start in 0..a.states.len() as u32 {
        let mut seen = vec![start];
        let mut at = 0;
        while at < seen.len() {
            for t in &a.transitions {
                if let Transition::Epsilon(p, q) = t {
                    if p.0 == seen[at] && !seen.contains(&q.0) {
                        seen.push(q.0);
                    }
                }
            }
            at += 1;
        }
        out.push(seen);
    }
    out
}
