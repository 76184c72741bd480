//! The loop of BNRT figure 1: breadth first, so that the rewrite sequence found is a shortest one.

use super::automaton::Automaton;
use super::gap::Gap;
use super::instance;
use super::narrow::{Config, Rules, Step};
use super::term::{Arena, TermId};
use super::trace::{self, Path};
use super::unknown::Unknown;
use super::visited::Visited;
use crate::timbuk::System;
use std::sync::atomic::{AtomicBool, Ordering};

/// Terms deeper than this are not rewritten.
const DEPTH: u32 = 5_000;

/// Nor are terms of more nodes.
const SIZE: u32 = 20_000;

/// When to give up.
#[derive(Clone, Copy)]
pub struct Limits<'a> {
    /// As many terms may be found; beyond, nothing is known.
    pub terms: usize,
    /// Set from outside to stop.
    pub cancel: &'a AtomicBool,
}

/// How far the search came.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Stats {
    /// Terms found that are no instances of earlier ones.
    pub terms: usize,
    /// Terms of which all successors are known.
    pub explored: usize,
    /// How many rewrite steps were made.
    pub steps: u64,
    /// Rewrite steps from an initial term to any found so far, at most.
    pub depth: u32,
}

/// What the search found.
pub enum NarrowingOutcome {
    /// A sequence of ground terms to a bad one.
    Bad(Path),
    /// These terms are all, and none is bad.
    Closed(Vec<Config>),
    /// Nothing is known, for this reason.
    Unknown(Unknown),
}

/// Where a term came from.
#[derive(Clone, Copy)]
enum Origin {
    /// The place of its pattern among the initial ones, and the case of its condition.
    Initial(usize, usize),
    Step(u32),
}

/// The search under way: what it has seen, and where that came from.
pub struct Search<'a> {
    system: &'a System,
    automata: &'a mut [Automaton],
    rules: &'a Rules,
    arena: &'a mut Arena,
    visited: Visited,
    /// By term: where it came from, and how many steps it is from an initial one.
    origins: Vec<(Origin, u32)>,
    /// Why not all successors were found.
    gap: Option<Gap>,
    /// How far it has come.
    pub stats: Stats,
}

impl<'a> Search<'a> {
    /// No term seen yet; initial ones come with [`Search::run`].
    pub fn new(
        system: &'a System,
        automata: &'a mut [Automaton],
        rules: &'a Rules,
        arena: &'a mut Arena,
    ) -> Search<'a> {
        Search {
            system,
            automata,
            rules,
            arena,
            visited: Visited::default(),
            origins: Vec::new(),
            gap: None,
            stats: Stats::default(),
        }
    }

    /// Runs to the end, or to a limit.
    pub fn run(&mut self, limits: &Limits) -> NarrowingOutcome {
        for (p, pattern) in self.system.initial().enumerate() {
            let Ok(cases) = self.rules.initial(pattern, self.arena) else {
                return NarrowingOutcome::Unknown(Unknown::Initial);
            };
            for (k, case) in cases.iter().enumerate() {
                if let Some(found) = self.meet(&case.next, Origin::Initial(p, k), 0) {
                    return found;
                }
            }
        }
        while self.stats.explored < self.visited.configs.len() {
            if limits.cancel.load(Ordering::Relaxed) {
                return NarrowingOutcome::Unknown(Unknown::Stopped);
            }
            let n = self.stats.explored;
            let config = self.visited.configs[n].clone();
            if self.arena.depth(config.term) > DEPTH {
                return NarrowingOutcome::Unknown(Unknown::Depth(DEPTH));
            }
            if self.arena.size(config.term) > SIZE {
                return NarrowingOutcome::Unknown(Unknown::Size(SIZE));
            }
            let narrowing = self.rules.narrow(&config, self.arena);
            if let Some(why) = narrowing.gap {
                self.gap.get_or_insert(why);
            }
            let depth = self.origins[n].1 + 1;
            self.stats.explored += 1;
            for step in narrowing.steps {
                self.stats.steps += 1;
                if let Some(found) = self.meet(&step.next, Origin::Step(n as u32), depth) {
                    return found;
                }
            }
            if self.visited.configs.len() > limits.terms {
                return NarrowingOutcome::Unknown(Unknown::Terms { limit: limits.terms, steps: depth - 1 });
            }
        }
        match self.gap.take() {
            Some(why) => NarrowingOutcome::Unknown(why.into()),
            None => NarrowingOutcome::Closed(std::mem::take(&mut self.visited.configs)),
        }
    }

    /// A term was reached.
    fn meet(&mut self, c: &Config, origin: Origin, depth: u32) -> Option<NarrowingOutcome> {
        self.visited.add(c, self.arena)?;
        self.origins.push((origin, depth));
        self.stats.terms = self.origins.len();
        self.stats.depth = depth;
        for a in self.automata.iter_mut() {
            match instance::find(a, c, self.arena) {
                Ok(None) => {}
                Ok(Some(values)) => {
                    let name = a.name.clone();
                    return Some(self.bad(values, name));
                }
                Err(why) => {
                    self.gap.get_or_insert(why.into());
                }
            }
        }
        None
    }

    /// The sequence to the last term, for these values of its variables.
    fn bad(&mut self, values: Vec<TermId>, automaton: String) -> NarrowingOutcome {
        let mut steps: Vec<Step> = Vec::new();
        let mut at = self.origins.len() - 1;
        let pattern = loop {
            let target = &self.visited.configs[at];
            match self.origins[at].0 {
                Origin::Initial(p, k) => {
                    let cases = self.system.initial().nth(p).map(|q| self.rules.initial(q, self.arena));
                    match cases {
                        Some(Ok(mut cases)) if k < cases.len() => steps.push(cases.swap_remove(k)),
                        _ => return NarrowingOutcome::Unknown(Unknown::Lost),
                    }
                    break p;
                }
                Origin::Step(from) => {
                    let source = &self.visited.configs[from as usize];
                    let again = self.rules.narrow(source, self.arena);
                    let Some(step) = again.steps.into_iter().find(|s| s.next == *target) else {
                        return NarrowingOutcome::Unknown(Unknown::Lost);
                    };
                    steps.push(step);
                    at = from as usize;
                }
            }
        };
        steps.reverse();
        let any = self.automata.first().filter(|a| !a.states().is_empty()).map(|a| a.witness(0));
        match trace::ground(self.system, self.rules, self.arena, (pattern, &steps), values, any) {
            Some(mut path) => {
                path.automaton = automaton;
                NarrowingOutcome::Bad(path)
            }
            None => NarrowingOutcome::Unknown(Unknown::LargePath),
        }
    }
}
