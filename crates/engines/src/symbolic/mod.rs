//! Search over symbolic states of the thread program (Ben Rajeb, Nasri, Robbana and Touili's non-ground terms).
//!
//! A state is a tuple of locations, for each variable a number or a sum of symbols, and a cube over the symbols. A
//! guard splits a state by itself, since each of its cases is an edge. Breadth first, so that a counterexample has
//! as few steps as there can be. When no state is new, the states are a monolithic proof.

mod cover;
mod eliminate;
mod live;
mod merge;
mod normal;
mod proof;
mod state;
mod step;
#[cfg(test)]
mod tests;
mod trace;

pub use crate::watch::Explored as Stats;

use crate::engine::{Choice, Engine, Finding, Needs, Task};
use crate::verdict::{Answer, Counterexample, Reason};
use crate::watch::{Standing, Watch};
use cover::Index;
use live::Live;
use normal::Normal;
use relyant_program::{Count, Loc, Program};
use rustc_hash::FxHashMap;
use state::SymbolicState;
use std::sync::Arc;
use step::Steps;
use trace::{Origin, StateNode};

/// Limits of a search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Settings {
    /// States to look at.
    pub states: usize,
    /// Two states that are one together are made one.
    pub merge: bool,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings { states: 200_000, merge: true }
    }
}

/// By which it is asked for, and which reports say.
pub const NAME: &str = "symbolic search";

/// The words that ask for it.
const WORDS: [Choice; 1] = [Choice::plain("symbolic", "The search of symbolic states alone")];

/// The search as an engine.
#[derive(Clone, Copy, Debug)]
pub struct SymbolicSearch(pub Settings);

impl Engine for SymbolicSearch {
    fn name(&self) -> &'static str {
        NAME
    }

    fn choices(&self) -> &'static [Choice] {
        &WORDS
    }

    fn needs(&self) -> Needs {
        Needs::BoundedThreads
    }

    fn run(&self, task: &Task<'_>, watch: &Watch<'_>) -> Finding {
        let Some(program) = task.threads else { return Finding::nothing(Reason::NoThreads) };
        let (answer, stats) = search(program, &self.0, watch);
        Finding { claim: answer.into(), standing: Some(Standing::Symbolic(stats)), seconds: 0.0 }
    }
}

/// Searches a thread program.
pub fn search(program: &Program, settings: &Settings, watch: &Watch) -> (Answer, Stats) {
    if program.templates.iter().any(|t| !matches!(t.count, Count::AtMost(0 | 1))) {
        return (Answer::Unknown(Reason::UnboundedSymbolic), Stats::default());
    }
    let live = Live::new(program);
    let mut search = Search {
        program,
        steps: Steps::new(program),
        normal: Normal::new(&live),
        nodes: Vec::new(),
        index: Index::default(),
        places: FxHashMap::default(),
        next: Vec::new(),
        merge: settings.merge,
        exact: true,
        unions: 0,
        doubtful: None,
        stats: Stats::default(),
    };
    let answer = search.run(settings, watch);
    if !search.exact && settings.merge {
        // Steps of unions may leave sets that no cube describes where single states would not.
        return self::search(program, &Settings { merge: false, ..*settings }, watch);
    }
    (answer, search.stats)
}

/// States with the same locations.
#[derive(Default)]
struct SameLocations {
    /// The layer that `waiting` is of.
    depth: u32,
    /// Those of the next layer.
    waiting: Vec<u32>,
    /// Those that include all there are, the ones to be looked at included.
    all: Vec<u32>,
}

/// How many of the last states a new one is tried with.
const MERGE_WITH: usize = 8;

struct Search<'a> {
    program: &'a Program,
    steps: Steps<'a>,
    normal: Normal<'a>,
    /// By number; those that became part of a union stay.
    nodes: Vec<StateNode>,
    index: Index,
    /// By locations of all threads: the states there.
    places: FxHashMap<Arc<[Loc]>, SameLocations>,
    /// Numbers of the states of the next layer.
    next: Vec<u32>,
    /// Tries unions, as [`Settings::merge`] asked.
    merge: bool,
    /// The proof says exactly what the states say.
    exact: bool,
    /// Unions of two states that were tried.
    unions: u64,
    /// A counterexample that may be none: it has a step that is not exact.
    doubtful: Option<Counterexample>,
    stats: Stats,
}

impl Search<'_> {
    fn run(&mut self, settings: &Settings, watch: &Watch) -> Answer {
        let Some(start) = step::start(self.program, &mut self.normal) else {
            return Answer::Safe(proof::of([]).0);
        };
        if let Some(answer) = self.add(start, Origin::Start) {
            return answer;
        }
        while !self.next.is_empty() {
            self.stats.depth += 1;
            for id in self.layer() {
                if (watch.cancel)() {
                    return self.end(Reason::Stopped);
                }
                let before = self.work();
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
                (watch.work)(self.work() - before);
                if self.nodes.len() > settings.states {
                    return self.end(Reason::SymbolicStates(self.nodes.len()));
                }
            }
            (watch.progress)(&Standing::Symbolic(self.stats));
        }
        if let Some(c) = self.doubtful.take() {
            return Answer::Unsafe(c);
        }
        let all = self.places.values().flat_map(|p| &p.all);
        let (proof, exact) = proof::of(all.map(|id| self.nodes[*id as usize].state.clone()));
        self.exact = exact;
        Answer::Safe(proof)
    }
    /// The next layer, without what became part of another state.
    fn layer(&mut self) -> Vec<u32> {
        let mut next = std::mem::take(&mut self.next);
        next.retain(|id| !self.nodes[*id as usize].part);
        next
    }
    /// Work so far, in microseconds as measured once.
    fn work(&self) -> u64 {
        self.stats.steps * 4 + self.normal.tidy.work * 40 + self.unions * 15
    }
    /// What there is to say at the end of a search without a verdict.
    fn end(&mut self, reason: Reason) -> Answer {
        self.doubtful.take().map_or(Answer::Unknown(reason), Answer::Unsafe)
    }
    /// Adds a state, unless it is known; an answer if it is an error.
    fn add(&mut self, state: SymbolicState, origin: Origin) -> Option<Answer> {
        let exact = match origin {
            Origin::Start => true,
            Origin::Step(from, t, e) => self.nodes[from as usize].exact && self.steps.edge((t, e)).exact,
            Origin::Union(a, b) => self.nodes[a as usize].exact && self.nodes[b as usize].exact,
        };
        if !self.is_error(&state.at) {
            if self.index.find(&state, |id| self.nodes[id as usize].state.clone()).is_none() {
                let id = self.push(state, origin, exact);
                self.enter(id);
            }
            return None;
        }
        if self.doubtful.is_some() && !exact {
            return None;
        }
        let id = self.push(state, origin, exact);
        let run = trace::run(self.program, &self.steps, &self.nodes, id);
        self.nodes.pop();
        match run {
            Some(c) if exact => return Some(Answer::Unsafe(c)),
            Some(c) => {
                self.doubtful.get_or_insert(c);
            }
            None => return Some(Answer::Unknown(Reason::NoNumbers)),
        }
        None
    }
    fn push(&mut self, state: SymbolicState, origin: Origin, exact: bool) -> u32 {
        self.nodes.push(StateNode { state: Arc::new(state), origin, exact, part: false });
        self.stats.states = self.nodes.len();
        self.nodes.len() as u32 - 1
    }
    /// A new state will be looked at, as one with others of the next layer where that can be.
    fn enter(&mut self, mut id: u32) {
        let at = self.nodes[id as usize].state.at.clone();
        let mut place = self.places.remove(&at).unwrap_or_default();
        if place.depth != self.stats.depth {
            place.depth = self.stats.depth;
            place.waiting.clear();
        }
        while let Some((both, old)) = self.merged(id, &mut place.waiting) {
            self.nodes[old as usize].part = true;
            id = both;
        }
        place.waiting.push(id);
        self.next.push(id);
        // What is known of the place is kept small in the same way, but not looked at again.
        let mut whole = id;
        if self.merge {
            loop {
                let (nodes, index) = (&self.nodes, &mut self.index);
                let new = nodes[whole as usize].state.clone();
                let first = place.all.len().saturating_sub(MERGE_WITH);
                for k in (first..place.all.len()).rev() {
                    let old = &nodes[place.all[k] as usize].state;
                    if cover::covers(&new, old) {
                        index.remove(old, place.all[k]);
                        place.all.remove(k);
                    }
                }
                let Some((both, old)) = self.merged(whole, &mut place.all) else { break };
                self.index.remove(&self.nodes[old as usize].state, old);
                whole = both;
            }
        }
        self.index.insert(&self.nodes[whole as usize].state.clone(), whole);
        place.all.push(whole);
        self.places.insert(at, place);
    }
    /// The union of a state and one of these, and that one, which is taken out.
    fn merged(&mut self, id: u32, with: &mut Vec<u32>) -> Option<(u32, u32)> {
        if !self.merge {
            return None;
        }
        let new = self.nodes[id as usize].state.clone();
        for k in (0..with.len()).rev().take(MERGE_WITH) {
            let old = self.nodes[with[k] as usize].state.clone();
            self.unions += 1;
            if let Some(both) = merge::union(&old, &new, &mut self.normal.tidy) {
                let old = with.remove(k);
                let exact = self.nodes[old as usize].exact && self.nodes[id as usize].exact;
                return Some((self.push(both, Origin::Union(old, id), exact), old));
            }
        }
        None
    }
    fn is_error(&self, at: &[Loc]) -> bool {
        let there = || self.program.templates.iter().zip(at).filter(|(t, _)| t.count != Count::AtMost(0));
        let locations = || there().map(|(t, l)| &t.locations[*l]);
        let label = |label: &String| locations().filter(|l| l.labels.contains(label)).count() > 1;
        locations().any(|l| l.error.is_some()) || self.program.exclusive.as_ref().is_some_and(label)
    }
}
