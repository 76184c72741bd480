//! The product of all threads, in which threads sleep.
//!
//! A node is where each thread is, whose turn it is, and which steps sleep. A step of a node that is awake leads to a node in which those
//! sleep that slept before or were preferred to it, as far as they can be swapped with it. Where that has a condition, the
//! step is done in cases.

use super::awaited::Awaited;
use super::elements;
use super::{Order, Turns};
use crate::edges::bounds::feasible;
use crate::{Count, Edge, Loc, Location, Program, Scope, Template};
use index_vec::IndexVec;
use relyant_linear::{Cube, Norm};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// A step: its template, and its index in the template's edges.
pub type Letter = (u32, u32);

/// Locations of a product, at most.
const NODES: usize = 4_000;
/// Edges of a product, at most.
const EDGES: usize = 20_000;
/// Conditions that a step is done in cases of, at most; swaps under others are not used.
const CONDITIONS: usize = 3;

#[derive(Clone, PartialEq, Eq, Hash)]
struct Node {
    at: Vec<Loc>,
    /// The place in the ring of the thread that is preferred.
    turn: u32,
    asleep: BTreeSet<Letter>,
}

struct Product<'a> {
    p: &'a Program,
    order: &'a Order,
    swap: &'a mut dyn FnMut(Letter, Letter) -> Option<Cube>,
    /// By template and location: edges that leave it.
    outs: Vec<Vec<Vec<u32>>>,
    awaited: Awaited,
    /// By template and location: is it the head of a loop?
    heads: Vec<Vec<bool>>,
    nodes: FxHashMap<Node, Loc>,
    work: Vec<(Node, Loc)>,
    locations: IndexVec<Loc, Location>,
    edges: Vec<Edge>,
}

/// The product of a program's threads, as a program of one thread; `None` where it would be too large.
pub fn build(
    p: &Program,
    order: &Order,
    swap: &mut dyn FnMut(Letter, Letter) -> Option<Cube>,
    stop: &dyn Fn() -> bool,
) -> Option<Program> {
    let outs = |t: &Template| {
        let mut outs = vec![Vec::new(); t.locations.len()];
        (0u32..).zip(&t.edges).for_each(|(k, e)| outs[e.from.0 as usize].push(k));
        outs
    };
    let outs: Vec<Vec<Vec<u32>>> = p.templates.iter().map(outs).collect();
    let mut product = Product {
        p,
        order,
        swap,
        awaited: Awaited::new(p),
        heads: p.templates.iter().zip(&outs).map(|(t, outs)| heads(t, outs)).collect(),
        outs,
        nodes: FxHashMap::default(),
        work: Vec::new(),
        locations: IndexVec::new(),
        edges: Vec::new(),
    };
    let at = p.templates.iter().map(|t| t.entry).collect();
    let entry = product.node(Node { at, turn: 0, asleep: BTreeSet::new() });
    while let Some((node, at)) = product.work.pop() {
        product.expand(&node, at);
        if product.locations.len() > NODES || product.edges.len() > EDGES || stop() {
            return None;
        }
    }
    Some(product.finish(entry))
}

/// Targets of edges that lead back, in a search from the entry, depth first.
fn heads(t: &Template, outs: &[Vec<u32>]) -> Vec<bool> {
    let n = t.locations.len();
    let (mut heads, mut seen, mut open) = (vec![false; n], vec![false; n], vec![false; n]);
    let mut stack = vec![(t.entry.0 as usize, 0)];
    seen[t.entry.0 as usize] = true;
    open[t.entry.0 as usize] = true;
    while let Some((l, k)) = stack.pop() {
        let Some(e) = outs[l].get(k) else {
            open[l] = false;
            continue;
        };
        stack.push((l, k + 1));
        let to = t.edges[*e as usize].to.0 as usize;
        heads[to] |= open[to];
        if !std::mem::replace(&mut seen[to], true) {
            open[to] = true;
            stack.push((to, 0));
        }
    }
    heads
}

impl Product<'_> {
    fn node(&mut self, node: Node) -> Loc {
        if let Some(l) = self.nodes.get(&node) {
            return *l;
        }
        let l = self.locations.push(self.location(&node));
        self.nodes.insert(node.clone(), l);
        self.work.push((node, l));
        l
    }

    /// What is to be said of a node: an error where one of its threads has one, or two are at labels that exclude each other.
    fn location(&self, node: &Node) -> Location {
        let there = || self.p.templates.iter().zip(&node.at).map(|(t, l)| &t.locations[*l]);
        let exclusive = |x: &String| there().filter(|l| l.labels.contains(x)).count() > 1;
        let error = there().find_map(|l| l.error.clone());
        let met = self.p.exclusive.as_ref().filter(|x| exclusive(x));
        let error = error.or(met.map(|x| format!("two threads are at `{x}`")));
        let preferred = self.threads(node).into_iter().find(|t| !self.outs_of(node, *t).is_empty());
        let shown = preferred.unwrap_or(0) as usize;
        let span = self.p.templates[shown].locations[node.at[shown]].span;
        Location { error, labels: Vec::new(), span, origin: 0 }
    }

    fn outs_of(&self, node: &Node, t: u32) -> &[u32] {
        &self.outs[t as usize][node.at[t as usize].0 as usize]
    }

    /// The threads, the most preferred first: those that create others come last where they wait for some.
    fn threads(&self, node: &Node) -> Vec<u32> {
        let ring = &self.order.ring;
        let turned = ring.iter().cycle().skip(node.turn as usize).take(ring.len()).copied();
        let waits = |t: &u32| {
            let steps = self.outs_of(node, *t);
            let edge = |e: &u32| &self.p.templates[*t as usize].edges[*e as usize];
            !steps.is_empty() && steps.iter().all(|e| self.awaited.is_blocked(edge(e), &node.at))
        };
        let (last, first): (Vec<u32>, Vec<u32>) = self.order.first.iter().partition(|t| waits(t));
        first.into_iter().chain(turned).chain(last).collect()
    }

    /// Whose turn it is after a step.
    fn turn_after(&self, turn: u32, (t, e): Letter) -> u32 {
        let ring = &self.order.ring;
        let Some(place) = ring.iter().position(|x| *x == t) else { return turn };
        if self.order.turns != Turns::AnyLoop && place != turn as usize {
            return turn;
        }
        let to = self.p.templates[t as usize].edges[e as usize].to.0 as usize;
        let goes_on = match self.order.turns {
            Turns::Never => return turn,
            Turns::Loops | Turns::AnyLoop => {
                self.heads[t as usize][to] || self.outs[t as usize][to].is_empty()
            }
            Turns::Steps | Turns::All => true,
        };
        (place + usize::from(goes_on)) as u32 % ring.len() as u32
    }

    fn expand(&mut self, node: &Node, from: Loc) {
        if self.locations[from].error.is_some() {
            return;
        }
        let mut preferred: Vec<Letter> = Vec::new();
        let threads = self.threads(node);
        for (k, t) in threads.iter().copied().enumerate() {
            let own: Vec<Letter> = self.outs_of(node, t).iter().map(|e| (t, *e)).collect();
            for letter in own.iter().filter(|l| !node.asleep.contains(l)) {
                let others: Vec<Letter> =
                    node.asleep.iter().chain(&preferred).filter(|x| x.0 != t).copied().collect();
                self.step(node, from, *letter, &others);
            }
            preferred.extend(own);
            if self.suffices(node, &threads[..=k], &threads[k + 1..], &preferred) {
                return;
            }
        }
    }

    /// Can a step of these threads, which are preferred to the `others`, be done first in every run to an error? One of them has to move
    /// in it; and none of what the others may do before matters to the first step of them.
    fn suffices(&mut self, node: &Node, threads: &[u32], others: &[u32], steps: &[Letter]) -> bool {
        if others.iter().all(|t| self.outs_of(node, *t).is_empty()) {
            return false;
        }
        if self.p.exclusive.is_some() || !threads.iter().any(|t| self.awaited.moves(&node.at, *t)) {
            return false;
        }
        let later = self.awaited.before_steps_of(self.p, &node.at, threads);
        let possible = |x: &&Letter| {
            let e = &self.p.templates[x.0 as usize].edges[x.1 as usize];
            !self.awaited.waits(e, &node.at, threads)
        };
        let first: Vec<Letter> = steps.iter().filter(possible).copied().collect();
        first.iter().all(|x| later.iter().all(|b| (self.swap)(*b, *x).is_some_and(|when| when.is_top())))
    }

    /// A step, in the cases that there are of which others sleep afterwards.
    fn step(&mut self, node: &Node, from: Loc, letter: Letter, others: &[Letter]) {
        let e = self.p.templates[letter.0 as usize].edges[letter.1 as usize].clone();
        let mut always = BTreeSet::new();
        let mut under: Vec<(Cube, Vec<Letter>)> = Vec::new();
        for x in others {
            let Some(when) = (self.swap)(letter, *x) else { continue };
            if when.is_top() {
                always.insert(*x);
            } else if let Some(same) = under.iter_mut().find(|u| u.0 == when) {
                same.1.push(*x);
            } else if under.len() < CONDITIONS {
                under.push((when, vec![*x]));
            }
        }
        let mut cases = vec![(Cube::top(), always)];
        for (when, sleepers) in under {
            let mut next = Vec::new();
            for (case, asleep) in cases {
                let mut more = asleep.clone();
                more.extend(&sleepers);
                next.push((case.and(&when), more));
                next.extend(failing(&when).into_iter().map(|not| (case.and(&not), asleep.clone())));
            }
            let asks = e.guard.and(&e.bounds);
            next.retain(|(case, _)| feasible(self.p, &asks.and(case)));
            cases = next;
        }
        let mut at = node.at.clone();
        at[letter.0 as usize] = e.to;
        let turn = self.turn_after(node.turn, letter);
        for (case, asleep) in cases {
            let to = self.node(Node { at: at.clone(), turn, asleep });
            self.edges.push(Edge { from, to, guard: e.guard.and(&case), ..e.clone() });
        }
    }

    /// The program: of the locations those from which an error can be reached, and the entry.
    fn finish(self, entry: Loc) -> Program {
        let mut useful: Vec<bool> = self.locations.iter().map(|l| l.error.is_some()).collect();
        let mut into = vec![Vec::new(); self.locations.len()];
        self.edges.iter().for_each(|e| into[e.to.0 as usize].push(e.from.0 as usize));
        let mut work: Vec<usize> = (0..useful.len()).filter(|l| useful[*l]).collect();
        while let Some(l) = work.pop() {
            for from in &into[l] {
                if !std::mem::replace(&mut useful[*from], true) {
                    work.push(*from);
                }
            }
        }
        let edges: Vec<Edge> = self.edges.into_iter().filter(|e| useful[e.to.0 as usize]).collect();
        let mut variables = self.p.variables.clone();
        for v in &mut variables {
            (v.scope, v.identity) = (Scope::Local(0), false);
        }
        let template = Template {
            name: "all threads".into(),
            count: Count::AtMost(1),
            identity: None,
            entry,
            locations: self.locations,
            edges,
        };
        let product = Program {
            variables,
            templates: vec![template],
            exclusive: None,
            prefix: Vec::new(),
            given: Vec::new(),
            ..self.p.clone()
        };
        elements::kept(product)
    }
}

/// The cases in which a condition does not hold.
fn failing(c: &Cube) -> Vec<Cube> {
    // One that never holds has no atoms.
    if c.is_bottom() {
        return vec![Cube::top()];
    }
    let mut out = Vec::new();
    let mut before = Cube::top();
    for a in c.atoms() {
        for n in a.negate() {
            let mut case = before.clone();
            case.push(n);
            out.push(case);
        }
        before.push(Norm::Atom(a.clone()));
    }
    out
}
