//! The coverability oracle: Karp and Miller's procedure, made sound for transfers (Kaiser, Kroening and Wahl,
//! TOPLAS 2014, section 3.5).
//!
//! It never accelerates across a step that transfers threads or asks for their absence; then it may not terminate. Each
//! node is covered by reachable configurations, and [`Oracle::realise`] says by which run.

use super::ideals::{self, Ideals, OMEGA, minus, plus};
use super::pre;
use super::run::Demand;
use relyant_finite::model::{Config, Counts, Local, Shared, System, Transition};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use std::ops::ControlFlow;

/// Ways in which a step may transfer threads.
const SPLITS: usize = 64;
/// Steps of a loop that is repeated.
const LOOP: usize = 4_000;
/// Steps of a run.
const RUN: usize = 200_000;

/// A node of the tree.
struct KarpMillerNode {
    config: Config,
    /// Before it, and by which transition.
    from: Option<(u32, u32)>,
    /// Accelerations: the node's ancestor, and the configuration before.
    pumped: Vec<(u32, Config)>,
    /// In the set of maximal elements.
    id: u32,
}

/// The forward search: a tree of configurations with [`OMEGA`], breadth first.
pub struct Oracle<'a> {
    system: &'a System,
    /// Transitions by the shared state before them.
    from: FxHashMap<Shared, Vec<u32>>,
    /// By number; a node comes after the one that it was made from.
    nodes: Vec<KarpMillerNode>,
    worklist: VecDeque<u32>,
    /// No step of the system asks for the absence of threads.
    accelerate: bool,
    /// How many steps of nodes were made.
    pub work: u64,
}

impl<'a> Oracle<'a> {
    /// Begins with the initial configurations.
    pub fn new(system: &'a System, known: &mut Ideals) -> Oracle<'a> {
        let mut from: FxHashMap<Shared, Vec<u32>> = FxHashMap::default();
        for (i, t) in (0u32..).zip(&system.transitions) {
            from.entry(t.from).or_default().push(i);
        }
        let accelerate = !system.has_zero_tests();
        let mut o =
            Oracle { system, from, nodes: Vec::new(), worklist: VecDeque::new(), accelerate, work: 0 };
        for i in &system.initial {
            let config = ideals::of_initial(i);
            if known.above(&config).is_none() {
                o.push(config, None, Vec::new(), known);
            }
        }
        o
    }

    /// Nothing is left to do.
    pub fn is_done(&self) -> bool {
        self.worklist.is_empty()
    }

    /// How many nodes the tree has.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// A node's configuration, and its number in the set of what is known.
    pub fn element(&self, node: u32) -> Option<(&Config, u32)> {
        self.nodes.get(node as usize).map(|n| (&n.config, n.id))
    }

    fn push(
        &mut self,
        config: Config,
        from: Option<(u32, u32)>,
        pumped: Vec<(u32, Config)>,
        known: &mut Ideals,
    ) -> u32 {
        let node = u32::try_from(self.nodes.len()).unwrap_or(u32::MAX);
        let id = known.insert(&config);
        self.nodes.push(KarpMillerNode { config, from, pumped, id });
        self.worklist.push_back(node);
        node
    }

    /// Looks at one more node. New nodes go to `known` and into `fresh`.
    pub fn advance(&mut self, known: &mut Ideals, fresh: &mut Vec<u32>) {
        let Some(at) = self.worklist.pop_front() else { return };
        let Some(node) = self.nodes.get(at as usize) else { return };
        self.work += 1;
        // what covers this one is looked at as well
        if !known.is_live(node.id) {
            return;
        }
        let config = node.config.clone();
        let steps = self.from.get(&config.shared).cloned().unwrap_or_default();
        for i in steps {
            let Some(t) = self.system.transitions.get(i as usize) else { continue };
            for next in self.after(t, &config) {
                self.work += 1;
                if known.above(&next).is_some() {
                    continue;
                }
                let (next, pumped) = self.pump(next, at, t);
                if pumped.is_empty() || known.above(&next).is_none() {
                    fresh.push(self.push(next, Some((at, i)), pumped, known));
                }
            }
        }
    }

    /// Configurations after a step.
    fn after(&mut self, t: &Transition, c: &Config) -> Vec<Config> {
        let Some(rest) = minus(&c.locals, &t.take) else { return Vec::new() };
        let mut fixed = t.put.clone();
        let mut choices: Vec<(u32, &[Local])> = Vec::new();
        let more = |counts: &mut Counts, l: Local, n: u32| counts.set(l, plus(counts.get(l), n));
        for (l, n) in rest.iter() {
            if t.absent.binary_search(&l).is_ok() {
                if n != OMEGA {
                    return Vec::new();
                }
                continue;
            }
            match t.transfer(l).map(|x| x.to.as_slice()) {
                None => more(&mut fixed, l, n),
                Some([]) => {}
                Some([to]) => more(&mut fixed, *to, n),
                Some(many) if n == OMEGA => many.iter().for_each(|to| more(&mut fixed, *to, OMEGA)),
                Some(many) => choices.push((n, many)),
            }
        }
        let mut out = vec![fixed];
        for (n, many) in choices {
            for _ in 0..n {
                let mut next: Vec<Counts> = Vec::new();
                for c in &out {
                    for to in many {
                        let mut d = c.clone();
                        more(&mut d, *to, 1);
                        next.push(d);
                    }
                }
                next.sort_unstable();
                next.dedup();
                if next.len() > SPLITS {
                    next.truncate(SPLITS);
                }
                out = next;
            }
        }
        out.into_iter().map(|locals| Config::new(t.to, locals)).collect()
    }

    /// Accelerates: what a loop from an ancestor has more of, it may have any number of.
    fn pump(&mut self, mut next: Config, at: u32, by: &Transition) -> (Config, Vec<(u32, Config)>) {
        let plain = |t: &Transition| t.transfers.is_empty() && t.absent.is_empty();
        let mut pumped = Vec::new();
        if !self.accelerate || !plain(by) {
            return (next, pumped);
        }
        let mut ancestor = at;
        for _ in 0..LOOP {
            let Some(node) = self.nodes.get(ancestor as usize) else { break };
            self.work += 1;
            if node.config.is_below(&next) {
                let mut more = next.clone();
                for (l, n) in next.locals.iter() {
                    if n != OMEGA && n > node.config.locals.get(l) {
                        more.locals.set(l, OMEGA);
                    }
                }
                if more != next {
                    pumped.push((ancestor, next));
                    next = more;
                }
            }
            let Some((before, i)) = node.from else { break };
            if !self.system.transitions.get(i as usize).is_some_and(plain) {
                break;
            }
            ancestor = before;
        }
        (next, pumped)
    }

    /// A run that covers `wanted`, which is below the node: backwards, what has to be covered before each step. `None`
    /// if it is too long.
    pub fn realise(&self, mut node: u32, mut wanted: Config, out: &mut Vec<Demand>) -> Option<Config> {
        loop {
            let n = self.nodes.get(node as usize)?;
            for (ancestor, base) in n.pumped.iter().rev() {
                while !wanted.is_below(base) {
                    if out.len() > RUN {
                        return None;
                    }
                    let (mut at, mut by) = n.from?;
                    loop {
                        wanted = self.back(by, &wanted, None, out)?;
                        if at == *ancestor {
                            break;
                        }
                        (at, by) = self.nodes.get(at as usize)?.from?;
                    }
                }
            }
            let Some((before, by)) = n.from else { return Some(wanted) };
            let limit = &self.nodes.get(before as usize)?.config;
            wanted = self.back(by, &wanted, Some(limit), out)?;
            node = before;
        }
    }

    /// A predecessor, below the limit if there is one.
    fn back(
        &self,
        by: u32,
        wanted: &Config,
        limit: Option<&Config>,
        out: &mut Vec<Demand>,
    ) -> Option<Config> {
        let t = self.system.transitions.get(by as usize)?;
        let flow = pre::predecessors(t, wanted, |p, splits| {
            if limit.is_none_or(|l| p.is_below(l)) {
                ControlFlow::Break((p, splits.to_vec()))
            } else {
                ControlFlow::Continue(())
            }
        });
        let Ok(ControlFlow::Break((before, splits))) = flow else { return None };
        out.push(Demand { transition: by, splits });
        Some(before)
    }
}
