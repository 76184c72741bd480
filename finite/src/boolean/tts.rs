//! A Boolean program as a system of replicated threads, if it has few enough states.
//!
//! Shared states are what all threads see, local states those of a thread. Two of each are special: 0 is the state before
//! the start, 1 that of a failure, or of a thread that has ended.

use super::bits::Bits;
use super::machine::{Thread, TooMany};
use super::program::Program;
use super::template::Threads;
use crate::evidence;
use crate::input::Place;
use crate::model::{Config, Counts, Initial, Names, System, Target, Transition};
use crate::moves::{Interleaving, Move, RunStep, Template};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};

/// Transitions that a system may have where engines and checkers make it.
pub const TRANSITIONS: usize = 2_000_000;

/// Numbers of the first state that is not special.
const FIRST: u32 = 2;

/// A system, and what its transitions stand for.
#[derive(Clone, Debug)]
pub struct Exported {
    /// The system, whose first states are special: 0 before the start, 1 for failures.
    pub system: System,
    /// The one configuration that says that something failed.
    pub target: Target,
    /// By transition: the local state that moves, and its move; `None` for the start.
    moves: Vec<Option<(u32, Move)>>,
}

/// Why there is no system.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum NoSystem {
    /// Threads have more steps than this.
    #[error("more than {0} steps of threads")]
    Large(usize),
    /// A step has too many outcomes to list them.
    #[error(transparent)]
    Many(#[from] TooMany),
    /// It was asked to stop.
    #[error("stopped")]
    Cancelled,
}

/// Builds the system. `plain`: with transitions that the text format has, where a thread that starts another stays where
/// it is.
pub fn export(
    threads: &mut Threads,
    plain: bool,
    limit: usize,
    cancel: &AtomicBool,
) -> Result<Exported, NoSystem> {
    let mut b = Builder { transitions: Vec::new(), moves: Vec::new(), plain, extra_shared: 0 };
    let starts = threads.initial()?;
    let mut pairs = Pairs::default();
    for (s, l) in &starts {
        b.add((0, 0), (s + FIRST, Some(l + FIRST)), None, None, Place::default());
        pairs.see(*s, *l);
    }
    // All pairs of a shared and a local state that thread states (definition 8 of BOPPO) may have: local states are
    // combined with what a step of another thread makes of a shared state that they were seen with.
    let mut changes: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
    let mut with: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
    while let Some((s, l)) = pairs.worklist.pop_front() {
        if cancel.load(Ordering::Relaxed) {
            return Err(NoSystem::Cancelled);
        }
        let place = place(threads, l);
        for t in changes.get(&s).cloned().unwrap_or_default() {
            pairs.see(t, l);
        }
        with.entry(s).or_default().push(l);
        for m in threads.moves(s, l)?.iter() {
            b.step(s, l, m, place);
            if m.failed {
                continue;
            }
            for l in m.local.into_iter().chain(m.spawned) {
                pairs.see(m.shared, l);
            }
            if m.shared != s && !changes.entry(s).or_default().contains(&m.shared) {
                changes.entry(s).or_default().push(m.shared);
                for l in with.get(&s).cloned().unwrap_or_default() {
                    pairs.see(m.shared, l);
                }
            }
        }
        if b.transitions.len() > limit {
            return Err(NoSystem::Large(limit));
        }
    }
    let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX).saturating_add(FIRST);
    let extra = b.extra_shared;
    // States that only the text format needs come last.
    let (shared, local) = (count(threads.shared.len()), count(threads.locals.len()));
    b.finish(shared, local);
    let system = System {
        shared: shared.saturating_add(extra),
        local: local.saturating_add(u32::from(extra > 0)),
        transitions: b.transitions,
        initial: vec![Initial { exactly: Config::new(0, Counts::one(0)), any: Vec::new() }],
        names: names(threads, extra),
    };
    Ok(Exported { system, target: vec![Config::new(1, Counts::one(1))], moves: b.moves })
}

#[derive(Default)]
struct Pairs {
    seen: FxHashSet<(u32, u32)>,
    worklist: VecDeque<(u32, u32)>,
}

impl Pairs {
    fn see(&mut self, s: u32, l: u32) {
        if self.seen.insert((s, l)) {
            self.worklist.push_back((s, l));
        }
    }
}

struct Builder {
    transitions: Vec<Transition>,
    moves: Vec<Option<(u32, Move)>>,
    plain: bool,
    /// Shared states in the middle of a step, numbered from the end of all numbers until [`Builder::finish`].
    extra_shared: u32,
}

/// The local state of a thread in the middle of a step, until [`Builder::finish`].
const BUSY: u32 = u32::MAX;

impl Builder {
    fn add(
        &mut self,
        from: (u32, u32),
        to: (u32, Option<u32>),
        born: Option<u32>,
        step: Option<(u32, Move)>,
        place: Place,
    ) {
        let mut put = to.1.map_or_else(Counts::new, Counts::one);
        if let Some(l) = born {
            // Two threads fit.
            let _ = put.add(l, 1);
        }
        self.transitions.push(Transition {
            from: from.0,
            to: to.0,
            take: Counts::one(from.1),
            put,
            place,
            ..Transition::default()
        });
        self.moves.push(step);
    }

    fn step(&mut self, s: u32, l: u32, m: &Move, place: Place) {
        let from = (s + FIRST, l + FIRST);
        let step = Some((l, m.clone()));
        if m.failed {
            return self.add(from, (1, Some(1)), None, step, place);
        }
        let to = (m.shared + FIRST, m.local.map(|l| l + FIRST).or(self.plain.then_some(1)));
        match m.spawned.map(|l| l + FIRST) {
            Some(born) if self.plain => {
                // In three: nobody else moves meanwhile.
                let (first, second) = (u32::MAX - self.extra_shared, u32::MAX - self.extra_shared - 1);
                self.extra_shared += 2;
                self.add(from, (first, Some(BUSY)), None, step, place);
                self.add((first, BUSY), (second, Some(BUSY)), Some(born), None, place);
                self.add((second, BUSY), to, None, None, place);
            }
            born => self.add(from, to, born, step, place),
        }
    }

    fn finish(&mut self, shared: u32, local: u32) {
        let lowest = u32::MAX - self.extra_shared;
        let s = |n: u32| if n > lowest { shared + (u32::MAX - n) } else { n };
        for t in &mut self.transitions {
            (t.from, t.to) = (s(t.from), s(t.to));
            for c in [&mut t.take, &mut t.put] {
                let busy = c.get(BUSY);
                c.set(BUSY, 0);
                c.set(local, busy);
            }
        }
    }
}

fn place(threads: &Threads, l: u32) -> Place {
    let frame = threads.locals.get(l).and_then(|t| t.frames.last());
    frame.map_or(Place::default(), |f| threads.machine().program().node(f.node).place)
}

fn names(threads: &Threads, extra: u32) -> Names {
    let p = threads.machine().program();
    let all = |n: usize| 0..u32::try_from(n).unwrap_or(u32::MAX);
    let shared = all(threads.shared.len()).filter_map(|i| threads.shared.get(i)).map(|b| show_shared(p, b));
    let local = all(threads.locals.len()).filter_map(|i| threads.locals.get(i)).map(|t| show_thread(p, t));
    let special = |a: &str, b: &str| [a.to_string(), b.to_string()];
    let busy = (extra > 0).then(|| "starts a thread".to_string());
    Names {
        shared: special("start", "failed").into_iter().chain(shared).collect(),
        local: special("start", "ended").into_iter().chain(local).chain(busy).collect(),
    }
}

/// A shared state as text: globals as 0 and 1 in the order of their declaration, then what is taken.
pub fn show_shared(p: &Program, b: &Bits) -> String {
    let globals = u32::try_from(p.globals.len()).unwrap_or(u32::MAX);
    let mut out: String = (0..globals).map(|i| if b.get(i) { '1' } else { '0' }).collect();
    for i in b.ones().filter(|i| *i >= globals) {
        match p.locks.get((i - globals) as usize) {
            Some(name) => out.push_str(&format!("+{name}")),
            None => out.push_str("+atomic"),
        }
    }
    out
}

/// A thread as text: calls with lines, and the locals that are true.
pub fn show_thread(p: &Program, t: &Thread) -> String {
    let frame = |f: &super::machine::Frame| {
        let node = p.node(f.node);
        let q = p.proc(node.proc);
        let names: Vec<&str> =
            f.locals.ones().filter_map(|l| q.locals.get(l as usize)).map(String::as_str).collect();
        let values = if names.is_empty() { String::new() } else { format!("({})", names.join(",")) };
        format!("{}:{}{values}", q.name, node.place.line)
    };
    t.frames.iter().map(frame).collect::<Vec<_>>().join("/")
}

impl Exported {
    /// The path that a run of the system stands for.
    pub fn path(&self, run: &evidence::CoveringRun) -> Option<Interleaving> {
        let first = self.system.transitions.get(run.steps.first()?.transition)?;
        let start = (first.to.checked_sub(FIRST)?, first.put.iter().next()?.0.checked_sub(FIRST)?);
        let mut steps = Vec::new();
        for s in run.steps.get(1..)? {
            if let Some((local, step)) = self.moves.get(s.transition)? {
                let failed = step.failed;
                steps.push(RunStep { local: *local, step: step.clone() });
                if failed {
                    break;
                }
            }
        }
        Some(Interleaving { start, steps })
    }
}
