//! Explicit counter abstraction (section 5), and plain exploration for comparison.

use relyant_finite::moves::{Interleaving, Move, RunStep, Template};
use rustc_hash::FxHashMap;
use std::sync::atomic::{AtomicBool, Ordering};

/// The mark of a thread that has ended, in plain states.
const GONE: u32 = u32::MAX;

/// What an exploration looks at, and how far.
#[derive(Clone, Copy, Debug)]
pub struct CounterOptions<'a> {
    /// Threads at the same time; more are not started. No bound if `None`.
    pub threads: Option<u32>,
    /// As many states may be stored; beyond, nothing is known.
    pub states: usize,
    /// Count threads, instead of keeping a list of them?
    pub counted: bool,
    /// Let one thread alone go on where its steps are enough ([`Template::alone`])?
    pub reduce: bool,
    /// Stops the search when set.
    pub cancel: &'a AtomicBool,
}

/// A state: the shared one, and the threads: local states in rising order with counts.
pub type CounterState = (u32, Vec<(u32, u32)>);

/// What ends an exploration before all is seen.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Limit {
    /// It was stopped.
    #[error("stopped")]
    Stopped,
    /// There are more states than it may store.
    #[error("too many states")]
    States,
}

/// What an exploration came to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CounterOutcome {
    /// A run to a failure, with as few steps as there can be.
    Failure(Interleaving),
    /// All states were seen, and nothing fails.
    Exhausted,
    /// Too many states, or stopped.
    Limit(Limit),
}

/// What an exploration came to, and how large it was.
#[derive(Clone, Debug)]
pub struct Explored {
    /// What it came to.
    pub found: CounterOutcome,
    /// How many states were stored.
    pub states: usize,
    /// How many steps of threads were made.
    pub steps: u64,
    /// Most threads at the same time.
    pub threads: u32,
    /// Was a thread not started because of the bound?
    pub bounded: bool,
    keys: Vec<Box<[u32]>>,
    counted: bool,
}

impl Explored {
    /// The states, in the order in which they were found.
    pub fn reached(&self) -> impl Iterator<Item = CounterState> + '_ {
        self.keys.iter().map(|k| state(k, self.counted))
    }
}

/// The state that a key stands for. A counted key is the shared state and pairs, a plain one the shared state and a thread each.
fn state(key: &[u32], counted: bool) -> CounterState {
    let (shared, rest) = key.split_first().map_or((0, key), |(s, r)| (*s, r));
    if counted {
        return (shared, rest.chunks_exact(2).map(|c| (c[0], c[1])).collect());
    }
    let mut locals: Vec<u32> = rest.iter().copied().filter(|l| *l != GONE).collect();
    locals.sort_unstable();
    let mut out: Vec<(u32, u32)> = Vec::new();
    for l in locals {
        match out.last_mut() {
            Some((m, n)) if *m == l => *n = n.saturating_add(1),
            _ => out.push((l, 1)),
        }
    }
    (shared, out)
}

struct Search<'a, T> {
    template: &'a mut T,
    options: CounterOptions<'a>,
    /// The number of each state, by its key: the shared state, then pairs of local states and counts, or a local state
    /// for each thread.
    seen: FxHashMap<Box<[u32]>, u32>,
    /// The keys by number, in the order in which states were found.
    keys: Vec<Box<[u32]>>,
    /// Where a state comes from: its predecessor, and the thread and the number of its move.
    from: Vec<Option<(u32, u32, u32)>>,
    bounded: bool,
    threads: u32,
    steps: u64,
}

/// Explores all states, breadth first.
pub fn explore<T: Template>(template: &mut T, options: &CounterOptions) -> Result<Explored, T::Error> {
    let mut s = Search {
        template,
        options: *options,
        seen: FxHashMap::default(),
        keys: Vec::new(),
        from: Vec::new(),
        bounded: false,
        threads: 1,
        steps: 0,
    };
    let found = s.run()?;
    Ok(Explored {
        found,
        states: s.keys.len(),
        steps: s.steps,
        threads: s.threads,
        bounded: s.bounded,
        keys: s.keys,
        counted: options.counted,
    })
}

impl<T: Template> Search<'_, T> {
    fn add(&mut self, mut key: Box<[u32]>, from: Option<(u32, u32, u32)>) {
        let Some((shared, threads)) = key.split_first() else { return };
        let Some(fresh) = self.template.fresh(*shared, threads) else { return };
        key[0] = fresh;
        let id = u32::try_from(self.keys.len()).unwrap_or(u32::MAX);
        if let std::collections::hash_map::Entry::Vacant(v) = self.seen.entry(key.clone()) {
            v.insert(id);
            self.keys.push(key);
            self.from.push(from);
        }
    }

    fn run(&mut self) -> Result<CounterOutcome, T::Error> {
        for (shared, local) in self.template.initial()? {
            let key: Box<[u32]> =
                if self.options.counted { [shared, local, 1].into() } else { [shared, local].into() };
            self.add(key, None);
        }
        let mut at = 0;
        while at < self.keys.len() {
            if self.options.cancel.load(Ordering::Relaxed) {
                return Ok(CounterOutcome::Limit(Limit::Stopped));
            }
            if self.keys.len() > self.options.states {
                return Ok(CounterOutcome::Limit(Limit::States));
            }
            if let Some(run) = self.expand(at)? {
                return Ok(CounterOutcome::Failure(run));
            }
            at += 1;
        }
        Ok(CounterOutcome::Exhausted)
    }

    fn expand(&mut self, at: usize) -> Result<Option<Interleaving>, T::Error> {
        let key = self.keys[at].clone();
        let shared = key[0];
        let counted = self.options.counted;
        let (_, counts) = state(&key, counted);
        let alive = counts.iter().fold(0u32, |n, c| n.saturating_add(c.1));
        self.threads = self.threads.max(alive);
        let full = self.options.threads.is_some_and(|n| alive >= n);
        let only = if self.options.reduce { self.template.alone(shared, &counts)? } else { None };
        let only = only.and_then(|i| counts.get(i)).map(|c| c.0);
        let id = u32::try_from(at).unwrap_or(u32::MAX);
        let mut done = false;
        let places = if counted { counts.len() } else { key.len() - 1 };
        for i in 0..places {
            let local = if counted { counts[i].0 } else { key[i + 1] };
            if local == GONE || only.is_some_and(|l| l != local) || (done && only.is_some()) {
                continue;
            }
            done = true;
            for (m, step) in (0..).zip(self.template.moves(shared, local)?.iter()) {
                self.steps += 1;
                let here = Some((id, local, m));
                if step.failed {
                    return self.trace(here).map(Some);
                }
                let spawned = step.spawned.filter(|_| !full);
                self.bounded |= step.spawned.is_some() && full;
                let next = if counted {
                    count(&counts, i, step, spawned)
                } else {
                    let mut k = key.to_vec();
                    k[0] = step.shared;
                    k[i + 1] = step.local.unwrap_or(GONE);
                    // A new thread takes the place of one that has ended, or there would be no end of places.
                    match (spawned, k.iter().skip(1).position(|l| *l == GONE)) {
                        (Some(l), Some(free)) => k[free + 1] = l,
                        (born, _) => k.extend(born),
                    }
                    while k.len() > 1 && k.last() == Some(&GONE) {
                        k.pop();
                    }
                    k.into_boxed_slice()
                };
                self.add(next, here);
            }
        }
        Ok(None)
    }

    fn trace(&mut self, last: Option<(u32, u32, u32)>) -> Result<Interleaving, T::Error> {
        let mut steps = Vec::new();
        let mut at = last;
        let mut first = 0;
        while let Some((id, local, m)) = at {
            first = id;
            let shared = self.keys[id as usize][0];
            if let Some(step) = self.template.moves(shared, local)?.get(m as usize) {
                steps.push(RunStep { local, step: step.clone() });
            }
            at = self.from[id as usize];
        }
        steps.reverse();
        let key = &self.keys[first as usize];
        Ok(Interleaving { start: (key[0], key.get(1).copied().unwrap_or(0)), steps })
    }
}

/// `UPDATECOUNTERS` of algorithm 1: the thread at place `i` moves.
fn count(counts: &[(u32, u32)], i: usize, step: &Move, spawned: Option<u32>) -> Box<[u32]> {
    let mut next = counts.to_vec();
    if next[i].1 > 1 {
        next[i].1 -= 1;
    } else {
        next.remove(i);
    }
    for l in step.local.into_iter().chain(spawned) {
        match next.binary_search_by_key(&l, |c| c.0) {
            Ok(j) => next[j].1 = next[j].1.saturating_add(1),
            Err(j) => next.insert(j, (l, 1)),
        }
    }
    let mut key = Vec::with_capacity(1 + 2 * next.len());
    key.push(step.shared);
    key.extend(next.iter().flat_map(|c| [c.0, c.1]));
    key.into_boxed_slice()
}
