//! Search over symbolic states of the thread program (Ben Rajeb, Nasri, Robbana and Touili's non-ground terms).
//!
//! A state is a tuple of locations, for each variable a number or a sum of symbols, and a cube over the symbols. A
//! guard splits a state by itself, since each of its cases is an edge. Breadth first, so that a counterexample has
//! as few steps as there can be. When no state is new, the states are a monolithic proof.

mod cover;
mod eliminate;
mod live;
mod normal;
mod proof;
mod state;
mod step;
#[cfg(test)]
mod tests;
mod trace;

use crate::verdict::{Answer, Counterexample, Reason};
use cover::Index;
use live::Live;
use normal::Normal;
use relyant_frontend::program::{Count, Loc, Program};
use state::State;
use std::sync::Arc;
use step::Steps;
use trace::{Node, Origin};

/// Limits of a search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Settings {
    /// States to look at.
    pub states: usize,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings { states: 200_000 }
    }
}

/// How far a search came.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Stats {
    /// States.
    pub states: usize,
    /// Steps tried.
    pub steps: u64,
    /// Steps from the start to the last state.
    pub depth: u32,
}

/// How others watch and stop a search.
pub struct Watch<'a> {
    /// Was it asked to stop?
    pub cancel: &'a (dyn Fn() -> bool + Sync),
    /// Told of work done, in units of about a microsecond; the same in every run.
    pub work: &'a (dyn Fn(u64) + Sync),
    /// Called after each layer.
    pub progress: &'a (dyn Fn(&Stats) + Sync),
}

/// Searches a thread program.
pub fn search(program: &Program, settings: &Settings, watch: &Watch) -> (Answer, Stats) {
    if program.templates.iter().any(|t| !matches!(t.count, Count::AtMost(0 | 1))) {
        let why = "the symbolic search needs a bounded number of threads";
        return (Answer::Unknown(Reason::Stuck(why.into())), Stats::default());
    }
    let live = Live::new(program);
    let mut search = Search {
        program,
        steps: Steps::new(program),
        normal: Normal::new(&live),
        nodes: Vec::new(),
        index: Index::default(),
        next: Vec::new(),
        doubtful: None,
        stats: Stats::default(),
    };
    let answer = search.run(settings, watch);
    (answer, search.stats)
}

struct Search<'a> {
    program: &'a Program,
    steps: Steps<'a>,
    normal: Normal<'a>,
    nodes: Vec<Node>,
    index: Index,
    /// The next layer.
    next: Vec<u32>,
    /// A counterexample that may be none: it has a step that is not exact.
    doubtful: Option<Counterexample>,
    stats: Stats,
}

impl Search<'_> {
    fn run(&mut self, settings: &Settings, watch: &Watch) -> Answer {
        let Some(start) = step::start(self.program, &mut self.normal) else {
            return Answer::Safe(proof::of([]));
        };
        if let Some(answer) = self.add(start, Origin::Start) {
            return answer;
        }
        while !self.next.is_empty() {
            self.stats.depth += 1;
            for id in std::mem::take(&mut self.next) {
                if (watch.cancel)() {
                    return self.end(Reason::Limit("stopped".into()));
                }
                let before = self.stats.steps;
                let state = self.nodes[id as usize].state.clone();
                let moves: Vec<(u32, u32)> = self.steps.from(&state.at).collect();
                for (t, e) in moves {
                    self.stats.steps += 1;
                    let edge = self.steps.edge((t, e));
                    if let Some(after) = step::step(&state, t, edge, &mut self.normal)
                        && let Some(answer) = self.add(after, Origin::Step(id, t, e))
                    {
                        return answer;
                    }
                }
                (watch.work)(self.stats.steps - before);
                if self.nodes.len() > settings.states {
                    let why = format!("no verdict after {} symbolic states", self.nodes.len());
                    return self.end(Reason::Limit(why));
                }
            }
            (watch.progress)(&self.stats);
        }
        if self.doubtful.is_some() {
            return self.end(Reason::Stuck(String::new()));
        }
        Answer::Safe(proof::of(self.nodes.iter().map(|n| n.state.clone())))
    }
    /// What there is to say at the end of a search without a verdict.
    fn end(&mut self, reason: Reason) -> Answer {
        self.doubtful.take().map_or(Answer::Unknown(reason), Answer::Unsafe)
    }
    /// Adds a state, unless it is known; an answer if it is an error.
    fn add(&mut self, state: State, origin: Origin) -> Option<Answer> {
        let error = self.is_error(&state.at);
        if error && self.doubtful.is_some() && !self.is_exact(origin) {
            return None;
        }
        if !error && self.index.find(&state, |id| self.nodes[id as usize].state.clone()).is_some() {
            return None;
        }
        let id = self.nodes.len() as u32;
        let state = Arc::new(state);
        self.nodes.push(Node { state: state.clone(), origin });
        self.stats.states = self.nodes.len();
        if error {
            let exact = self.is_exact(origin);
            let run = trace::run(self.program, &self.steps, &self.nodes, id);
            self.nodes.pop();
            return match run {
                Some(c) if exact => Some(Answer::Unsafe(c)),
                Some(c) => {
                    self.doubtful.get_or_insert(c);
                    None
                }
                None => Some(Answer::Unknown(Reason::Stuck("no numbers for a path to an error".into()))),
            };
        }
        self.index.insert(&state, id);
        self.next.push(id);
        None
    }
    /// Is every step exact on the way?
    fn is_exact(&self, mut origin: Origin) -> bool {
        loop {
            match origin {
                Origin::Start => return true,
                Origin::Step(from, t, e) => {
                    if !self.steps.edge((t, e)).exact {
                        return false;
                    }
                    origin = self.nodes[from as usize].origin;
                }
                Origin::Union(a, b) => {
                    return self.is_exact(self.nodes[a as usize].origin)
                        && self.is_exact(self.nodes[b as usize].origin);
                }
            }
        }
    }
    fn is_error(&self, at: &[Loc]) -> bool {
        let there = || self.program.templates.iter().zip(at).filter(|(t, _)| t.count != Count::AtMost(0));
        let locations = || there().map(|(t, l)| &t.locations[l.0 as usize]);
        let label = |label: &String| locations().filter(|l| l.labels.contains(label)).count() > 1;
        locations().any(|l| l.error.is_some()) || self.program.exclusive.as_ref().is_some_and(label)
    }
}
