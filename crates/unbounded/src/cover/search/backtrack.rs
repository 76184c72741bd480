//! Backtracking: what is found to be coverable takes its tree with it, and whoever relied on that is looked at again.

use super::super::minimal::VertexId;
use super::{End, Flow, Reason, Search, State};
use relyant_finite::model::{Config, Counts};
use std::cmp::Reverse;
use std::collections::VecDeque;
use std::ops::ControlFlow;

impl<'a> Search<'a> {
    /// All vertices below `c` are coverable.
    pub(super) fn withdraw(&mut self, c: &Config, reason: Reason) -> Flow {
        let vertices = &self.vertices;
        let below = self.minimal.all_below(c, |id| &vertices[id].config);
        let mut queue: VecDeque<(VertexId, Reason)> = below.into_iter().map(|u| (u, reason)).collect();
        self.coverable(&mut queue)
    }

    /// Backtracks: these vertices are coverable, and so is what they lead to.
    pub(super) fn coverable(&mut self, queue: &mut VecDeque<(VertexId, Reason)>) -> Flow {
        while let Some((u, reason)) = queue.pop_front() {
            let (mut at, mut why) = (u, reason);
            let root = loop {
                let Some(v) = self.vertices.get(at) else { break None };
                if v.state == State::Dead {
                    break None;
                }
                let (config, next) = (v.config.clone(), v.next);
                if let Some(q) = self.target.iter().find(|q| q.is_below(&config)) {
                    return ControlFlow::Break(End::Coverable(q.clone(), self.keep(config, why)));
                }
                let known = self.keep(config.clone(), why);
                if self.known.above(&config).is_none() {
                    let id = self.known.insert(&config);
                    self.reasons.insert(id, known);
                    let vertices = &self.vertices;
                    let below = self.minimal.all_below(&config, |id| &vertices[id].config);
                    queue.extend(below.into_iter().filter(|x| *x != at).map(|x| (x, known)));
                }
                let Some((next, by)) = next else { break Some(at) };
                why = Reason::Step(by, self.proved.len() as u32 - 1);
                at = next;
            };
            if let Some(root) = root {
                self.prune(root, queue);
            }
        }
        ControlFlow::Continue(())
    }

    /// Remembers why a configuration is coverable.
    pub(super) fn keep(&mut self, config: Config, why: Reason) -> Reason {
        self.bytes += 64;
        self.proved.push((config, why));
        why
    }

    /// Prunes a tree, and revives who relied on it.
    pub(super) fn prune(&mut self, root: VertexId, queue: &mut VecDeque<(VertexId, Reason)>) {
        self.stats.pruned += 1;
        let (mut revived, mut open) = (Vec::new(), Vec::new());
        for x in self.trees.remove(&root).unwrap_or_default() {
            let Some(v) = self.vertices.get_mut(x) else { continue };
            if v.state == State::Minimal {
                self.minimal.remove(x, &v.config);
            }
            v.state = State::Dead;
            revived.append(&mut v.watchers);
            if !self.options.lean {
                if self.index.get(&v.config) == Some(&x) {
                    self.index.remove(&v.config);
                }
                open.extend(self.edges.remove(&x).unwrap_or_default());
            }
            v.config.locals = Counts::new();
        }
        revived.sort_unstable();
        revived.dedup();
        if self.options.lean {
            // who was covered, and who had a predecessor that was
            open.clone_from(&revived);
        }
        for x in open {
            self.reopen(x);
        }
        for x in revived {
            if self.vertices.get(x).is_some_and(|v| v.state == State::Redundant) {
                self.revive(x, queue);
            }
        }
    }

    /// A vertex lost a predecessor, and has to be expanded again.
    pub(super) fn reopen(&mut self, x: VertexId) {
        let Some(v) = self.vertices.get_mut(x) else { return };
        let expanded = std::mem::take(&mut v.expanded);
        if expanded && v.state == State::Minimal {
            self.work.push(Reverse((v.config.locals.total(), x)));
        }
    }

    pub(super) fn revive(&mut self, x: VertexId, queue: &mut VecDeque<(VertexId, Reason)>) {
        let Some(config) = self.vertices.get(x).map(|v| v.config.clone()) else { return };
        let vertices = &self.vertices;
        if let Some(u) = self.minimal.below(&config, |id| &vertices[id].config) {
            self.watch(u, x);
            return;
        }
        if let Some(d) = self.known.above(&config) {
            queue.push_back((x, self.reason(d)));
            return;
        }
        match self.candidate(&config) {
            Some(r) => {
                let id = self.add(r, None);
                self.watch(id, x);
            }
            None => self.enter(x),
        }
    }
}
