//! Symbolic counter abstraction (section 6): counted sets of local states, beside a set of shared states.
//!
//! A state stands for all combinations of its sets. What a step leads to is such a combination only after a case split on
//! splice variables, which tie the shared state to a thread's local state; it is done where it is needed. The threads are
//! those of a flat graph, the sets have numbers, and the search is that of [`super::explicit`].

use crate::fixpoint::effect::Effect;
use crate::fixpoint::sets::Set;
use crate::fixpoint::space::{Slot, Space, TooLarge, and, support};
use biodivine_lib_bdd::Bdd;
use relyant_finite::boolean::flat::{Action, Flat, FlatNode, Write};
use relyant_finite::boolean::program::{Exp, Var};
use relyant_finite::boolean::template::Numbers;
use relyant_finite::moves::{Move, Template};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// States that a new one is compared with.
const COMPARED: usize = 300;

/// Why there is no symbolic search.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Stop {
    /// Calls that are not inlined.
    #[error("recursive calls have no finite graph")]
    Recursion,
    /// More variables than diagrams are made with.
    #[error(transparent)]
    Large(#[from] TooLarge),
}

/// Where a thread is, and the values that its variables may have.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Local {
    /// Index into the nodes of the flat graph.
    pub node: u32,
    /// Values of locals and of which locks it holds.
    pub set: Bdd,
}

/// The threads of a flat graph by number.
pub struct Sets {
    flat: Flat,
    space: Space,
    /// Sets of shared states.
    pub shared: Numbers<Bdd>,
    /// Sets of local states.
    pub locals: Numbers<Local>,
    /// By node: its assignments as a relation, where it has any.
    effects: Vec<Option<Effect>>,
    /// By node: every cycle of the graph has one that is marked.
    cut_points: Vec<bool>,
    /// Nodes where ending is all that a thread can do.
    over: Vec<bool>,
    /// By shared and local number: the moves of such a thread, once they were asked for.
    memo: FxHashMap<(u32, u32), Rc<[Move]>>,
    /// What all have seen, by threads: states that differ in that only are one (section 7.1).
    merged: FxHashMap<Box<[u32]>, Bdd>,
    /// States by the nodes of their threads: sets of shared states, and the threads in the order of the nodes.
    known: FxHashMap<Vec<u32>, Vec<(Bdd, Vec<u32>)>>,
    /// Is one local set inside of another?
    inside: FxHashMap<(u32, u32), bool>,
}

/// A graph in which atomic sections are a shared variable, the last, so that steps are assignments.
fn plain(f: &Flat) -> Flat {
    let section = Var::Global(f.globals);
    let mut out = f.clone();
    out.globals = f.globals + 1;
    out.has_atomic = false;
    for n in &mut out.nodes {
        if f.has_atomic && !n.atomic {
            let outside = Exp::Not(Box::new(Exp::Var(section)));
            n.guard = Some(Exp::And(n.guard.take().into_iter().chain([outside]).collect()));
        }
        if let Action::Atomic(b, to) = n.action {
            let w = Write { targets: vec![section], values: vec![Exp::Const(b)], constrain: None };
            n.action = Action::Write(w, to);
        }
    }
    out
}

impl Sets {
    /// Those of a graph.
    pub fn new(flat: &Flat) -> Result<Sets, Stop> {
        if flat.nodes.iter().any(|n| matches!(n.action, Action::Invoke(..) | Action::Wait(..))) {
            return Err(Stop::Recursion);
        }
        let over = |n: &FlatNode| matches!(n.action, Action::End) && !n.atomic && n.guard.is_none();
        let over = flat.nodes.iter().map(over).collect();
        let flat = plain(flat);
        let space = Space::new(&flat)?;
        let effect = |n: &FlatNode| match &n.action {
            Action::Write(w, _) | Action::Spawn(w, ..) => Some(Effect::new(&space, w)),
            _ => None,
        };
        let effects = flat.nodes.iter().map(effect).collect();
        let cut_points = cut_points(&flat);
        Ok(Sets {
            flat,
            space,
            shared: Numbers::default(),
            locals: Numbers::default(),
            effects,
            cut_points,
            over,
            memo: FxHashMap::default(),
            merged: FxHashMap::default(),
            known: FxHashMap::default(),
            inside: FxHashMap::default(),
        })
    }

    /// The program's node where a thread is.
    pub fn source(&self, local: u32) -> Option<u32> {
        let l = self.locals.get(local)?;
        self.flat.nodes.get(l.node as usize).map(|n| n.source)
    }

    fn is_inside(&mut self, a: u32, b: u32) -> bool {
        if a == b {
            return true;
        }
        if let Some(known) = self.inside.get(&(a, b)) {
            return *known;
        }
        let sets = self.locals.get(a).zip(self.locals.get(b));
        let is = sets.is_some_and(|(a, b)| a.node == b.node && a.set.and_not(&b.set).is_false());
        self.inside.insert((a, b), is);
        is
    }

    /// Is each combination of a state one of another that is known? Remembers it if not.
    fn is_covered(&mut self, set: &Bdd, counts: &[u32]) -> bool {
        let each = counts.chunks_exact(2).flat_map(|c| std::iter::repeat_n(c[0], c[1] as usize));
        let mut all: Vec<(u32, u32)> = each.map(|l| (self.locals.get(l).map_or(0, |l| l.node), l)).collect();
        all.sort_unstable();
        let nodes: Vec<u32> = all.iter().map(|a| a.0).collect();
        let list = self.known.remove(&nodes).unwrap_or_default();
        let covered = list.iter().rev().take(COMPARED).any(|(other, locals)| {
            let mut used = vec![false; locals.len()];
            let fits = all.iter().all(|(_, l)| {
                let free = (0..locals.len()).find(|i| !used[*i] && self.is_inside(*l, locals[*i]));
                free.is_some_and(|i| !std::mem::replace(&mut used[i], true))
            });
            fits && set.and_not(other).is_false()
        });
        let mut list = list;
        if !covered {
            list.push((set.clone(), all.into_iter().map(|a| a.1).collect()));
        }
        self.known.insert(nodes, list);
        covered
    }

    fn is_own(&self, s: Slot) -> bool {
        !self.space.is_shared(s)
    }

    /// The shared part, and what is the thread's, of a set of both.
    fn project(&self, set: &Bdd, keep: impl Fn(Slot) -> bool) -> Bdd {
        let gone: Vec<_> = support(set).into_iter().filter(|s| !keep(*s)).map(Space::now).collect();
        if gone.is_empty() { set.clone() } else { set.exists(&gone) }
    }

    /// Splits a set of both into combinations, by values of splice variables (definition 3).
    fn combinations(&self, set: Bdd, out: &mut Vec<(Bdd, Bdd)>) {
        let mut todo = vec![set];
        while let Some(set) = todo.pop() {
            if set.is_false() {
                continue;
            }
            let shared = self.project(&set, |s| self.space.is_shared(s));
            let own = self.project(&set, |s| self.is_own(s));
            if and(&shared, &own) == set {
                out.push((shared, own));
                continue;
            }
            // One of the shared variables matters, or the two would be independent. The first after whose values the
            // local parts differ.
            let own_after = |s: Slot, b: bool| {
                let half = set.and(&self.space.literal(Space::now(s), b));
                self.project(&half, |t| self.is_own(t))
            };
            let open = |s: &Slot| {
                let half = |b| set.and(&self.space.literal(Space::now(*s), b));
                self.space.is_shared(*s) && !half(false).is_false() && !half(true).is_false()
            };
            let candidates: Vec<Slot> = support(&set).into_iter().filter(open).collect();
            let splice = candidates.iter().find(|s| own_after(**s, false) != own_after(**s, true));
            let Some(splice) = splice.or(candidates.first()) else { continue };
            for b in [true, false] {
                todo.push(set.and(&self.space.literal(Space::now(*splice), b)));
            }
        }
    }

    fn forget(&self, set: Bdd, node: u32) -> Bdd {
        let first = self.space.slot(Var::Local(0));
        let live = &self.flat.live[node as usize];
        self.project(&set, |s| s < first || live.binary_search(&(s - first)).is_ok())
    }

    /// Moves to a node with these states.
    fn go(&mut self, set: Bdd, to: u32, out: &mut Vec<Move>) {
        let set = self.forget(set, to);
        let mut parts = Vec::new();
        self.combinations(set, &mut parts);
        for (shared, own) in parts {
            let ended = self.over[to as usize];
            let local = (!ended).then(|| self.locals.number(Local { node: to, set: own }));
            let m = Move { shared: self.shared.number(shared), local, spawned: None, failed: false };
            out.push(m);
        }
    }

    fn steps(&mut self, shared: &Bdd, local: &Local) -> Vec<Move> {
        let node = self.flat.nodes[local.node as usize].clone();
        let both = and(shared, &local.set);
        let ready =
            node.guard.as_ref().map_or_else(|| both.clone(), |g| and(&both, &self.space.values(g, &[]).1));
        let mut out = Vec::new();
        if ready.is_false() {
            return out;
        }
        match &node.action {
            Action::Goto(ts) => ts.iter().for_each(|t| self.go(ready.clone(), *t, &mut out)),
            Action::Branch(e, a, b) => {
                let (no, yes) = self.space.values(e, &[]);
                self.go(and(&ready, &yes), *a, &mut out);
                self.go(and(&ready, &no), *b, &mut out);
            }
            Action::Assume(e, t) => {
                let yes = self.space.values(e, &[]).1;
                self.go(and(&ready, &yes), *t, &mut out);
            }
            Action::Assert(e, t) => {
                let (no, yes) = self.space.values(e, &[]);
                let bad = and(&ready, &no);
                if !bad.is_false() {
                    let shared = self.shared.number(self.project(&bad, |s| self.space.is_shared(s)));
                    let own = self.project(&bad, |s| self.is_own(s));
                    let local = self.locals.number(Local { node: local.node, set: own });
                    out.push(Move { shared, local: Some(local), spawned: None, failed: true });
                }
                self.go(and(&ready, &yes), *t, &mut out);
            }
            Action::Write(_, t) => {
                let after = self.effects[local.node as usize]
                    .as_ref()
                    .map(|e| e.image(&Set::new(ready.clone())).diagram(&self.space));
                if let Some(after) = after {
                    self.go(after, *t, &mut out);
                }
            }
            Action::End => {
                // An atomic section ends with the thread; what it locked stays locked.
                let section = Var::Global(self.flat.globals - 1);
                let w = Write { targets: vec![section], values: vec![Exp::Const(false)], constrain: None };
                let effect = if node.atomic { w } else { Write::default() };
                let after = Effect::new(&self.space, &effect)
                    .image_without(&self.space, &Set::new(ready), |s| s > self.space.slot(section))
                    .diagram(&self.space);
                let shared = self.shared.number(after);
                out.push(Move { shared, local: None, spawned: None, failed: false });
            }
            Action::Spawn(w, entry, to) => {
                let live = &self.flat.live[*entry as usize];
                let first = self.space.slot(Var::Local(0));
                let params = w.targets.iter().map(|t| self.space.slot(*t));
                let params: Vec<Slot> = params.filter(|p| live.binary_search(&(p - first)).is_ok()).collect();
                self.start(&ready, local.node, &params, *entry, *to, &mut out);
            }
            Action::Copy(entry, to) => {
                let first = self.space.slot(Var::Local(0));
                let params: Vec<Slot> = self.flat.live[*entry as usize].iter().map(|l| first + l).collect();
                self.start(&ready, local.node, &params, *entry, *to, &mut out);
            }
            Action::Atomic(..) | Action::Invoke(..) | Action::Wait(..) | Action::Exit => {}
        }
        out
    }

    /// Starts a thread, a case for each valuation of what it is given.
    fn start(&mut self, ready: &Bdd, node: u32, params: &[Slot], entry: u32, to: u32, out: &mut Vec<Move>) {
        // Pairs of the spawner's states and the values that the new thread is given there.
        let mut cases = vec![(ready.clone(), self.space.no_locks())];
        for p in params {
            let mut next = Vec::new();
            for (from, given) in cases {
                for b in [false, true] {
                    let may = self.given(node, *p, b);
                    let from = and(&from, &may);
                    if !from.is_false() {
                        next.push((from, and(&given, &self.space.literal(Space::now(*p), b))));
                    }
                }
            }
            cases = next;
        }
        for (from, given) in cases {
            let born = self.forget(given, entry);
            let mut moves = Vec::new();
            self.go(from, to, &mut moves);
            let born =
                (!self.over[entry as usize]).then(|| self.locals.number(Local { node: entry, set: born }));
            out.extend(moves.into_iter().map(|m| Move { spawned: born, ..m }));
        }
    }

    /// Where a new thread's variable may have a value.
    fn given(&self, node: u32, p: Slot, b: bool) -> Bdd {
        match &self.flat.nodes[node as usize].action {
            Action::Spawn(w, ..) => {
                let i = w.targets.iter().position(|t| self.space.slot(*t) == p);
                let (no, yes) = i.map_or_else(
                    || (self.space.all(), self.space.all()),
                    |i| self.space.values(&w.values[i], &[]),
                );
                if b { yes } else { no }
            }
            _ => self.space.literal(Space::now(p), b),
        }
    }
}

impl Template for Sets {
    type Error = Stop;

    fn initial(&mut self) -> Result<Vec<(u32, u32)>, Stop> {
        // Variables have any values; locks are free, and nobody is inside of an atomic section.
        let free = (self.flat.free..self.flat.globals).map(|g| Space::now(self.space.slot(Var::Global(g))));
        let atomic = std::iter::once(Space::now(Space::ATOMIC));
        let shared = free.chain(atomic).fold(self.space.all(), |b, v| b.and(&self.space.literal(v, false)));
        let own = self.space.no_locks();
        Ok(vec![(self.shared.number(shared), self.locals.number(Local { node: 0, set: own }))])
    }

    fn moves(&mut self, shared: u32, local: u32) -> Result<Rc<[Move]>, Stop> {
        if let Some(m) = self.memo.get(&(shared, local)) {
            return Ok(Rc::clone(m));
        }
        let moves: Rc<[Move]> = match (self.shared.get(shared).cloned(), self.locals.get(local).cloned()) {
            (Some(s), Some(l)) => self.steps(&s, &l).into(),
            _ => Vec::new().into(),
        };
        self.memo.insert((shared, local), Rc::clone(&moves));
        Ok(moves)
    }

    fn fresh(&mut self, shared: u32, threads: &[u32]) -> Option<u32> {
        let set = self.shared.get(shared)?.clone();
        if self.is_covered(&set, threads) {
            return None;
        }
        let Some(known) = self.merged.get_mut(threads) else {
            self.merged.insert(threads.into(), set);
            return Some(shared);
        };
        let new = set.and_not(known);
        if new.is_false() {
            return None;
        }
        *known = known.or(&set);
        Some(self.shared.number(new))
    }

    /// A thread whose next step is on its own variables only, and can be made with all their values: what a step
    /// excludes, others could go on with.
    fn alone(&mut self, _: u32, locals: &[(u32, u32)]) -> Result<Option<usize>, Stop> {
        let own = |e: &Exp| {
            let mut own = true;
            e.each(&mut |v, _| own &= !matches!(v, Var::Global(_)));
            own
        };
        Ok(locals.iter().position(|(l, _)| {
            let Some(node) = self.locals.get(*l).map(|l| l.node as usize) else { return false };
            let n = &self.flat.nodes[node];
            let free = match &n.action {
                Action::Goto(_) => true,
                Action::Branch(e, ..) | Action::Assert(e, _) => own(e),
                Action::Write(w, _) => {
                    w.constrain.is_none()
                        && w.targets.iter().all(|t| matches!(t, Var::Local(_)))
                        && w.values.iter().all(own)
                }
                _ => false,
            };
            free && n.guard.is_none() && !self.cut_points[node]
        }))
    }
}

/// A set of nodes that every cycle meets.
fn cut_points(f: &Flat) -> Vec<bool> {
    let mut cut_points = vec![false; f.nodes.len()];
    let mut mark = vec![0u8; f.nodes.len()];
    for root in 0..f.nodes.len() {
        if mark[root] != 0 {
            continue;
        }
        mark[root] = 1;
        let mut path = vec![(root, f.nodes[root].action.next())];
        while let Some((n, rest)) = path.last_mut() {
            let Some(next) = rest.pop() else {
                mark[*n] = 2;
                path.pop();
                continue;
            };
            let next = next as usize;
            match mark[next] {
                0 => {
                    mark[next] = 1;
                    path.push((next, f.nodes[next].action.next()));
                }
                1 => cut_points[next] = true,
                _ => {}
            }
        }
    }
    cut_points
}
