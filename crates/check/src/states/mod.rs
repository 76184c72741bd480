//! Proofs of safety by a set of states, and their checker: what an exhausted search leaves behind.
//!
//! States are in normal form ([`relyant_interp::normal`]). A set proves safety when it *covers* all starts
//! and all that one move of one thread leads to from a state of the set, and when no state met on the way violates the
//! property. An atomic section is one move, which does not happen when the section cannot be left. A state is covered
//!
//! * when it is in the set, or below one that is, where the set comes with an order ([`order`]),
//! * when some thread can move, all that its moves lead to is covered, and each of them is independent of all
//!   that other threads may ever do (`future`).
//!
//! Why that is enough: take a run of fewest moves from a covered state to a violation. If the state is in the set, the
//! first move leads to a covered state, from where a shorter run violates the property. If it is covered by the moves
//! of a thread, put the thread's first move in the run at the front: that changes nothing for the others, and what it
//! leads to is covered and has a shorter run. If the thread does not move in the run, any of its moves can be put at the
//! front: the run is no shorter, but coverage is a finite tree and one step nearer to its leaves. A deadlock is such a
//! violation too: the thread can move and nobody can keep it from that, so it moves in the run.
//!
//! A set may come with points that tell inputs apart ([`relyant_interp::observe`]); then the moves that are
//! checked must need no others.
//!
//! A set may come with switches instead: then it has the states between [`transactions`], of which each has to lead to others.
//!
//! The checker knows the machine and the normal form, and nothing of the search. It starts from the starts and reads
//! only those states of the set that it came upon, so that a set may have anything else in it.

mod cover;
mod doors;
mod facts;
mod future;
pub mod order;
mod space;
pub mod split;
mod things;
pub mod transactions;
mod waiting;

use cover::Walker;
use facts::Facts;
use relyant_cfa::Program;
use relyant_interp::machine::{RunEnd, State, Stop};
use relyant_interp::observe::Needs;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

pub use space::{Encoding, Space};

use transactions::{Closure, Transactions};

/// How long a check may take.
#[derive(Clone, Copy)]
pub struct StateLimits<'a> {
    /// Workers that check states side by side; the answer does not depend on it.
    pub jobs: usize,
    /// Steps tried from one state.
    pub fuel: u64,
    /// Is it to stop?
    pub cancel: &'a (dyn Fn() -> bool + Sync),
}

impl Default for StateLimits<'_> {
    fn default() -> Self {
        StateLimits { jobs: 1, fuel: 5_000_000, cancel: &|| false }
    }
}

/// What an accepted check did.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct SpaceReport {
    /// States of the set.
    pub states: usize,
    /// Those that the proof needs: the others cannot be reached from the starts.
    pub needed: usize,
    /// Steps of threads that were tried, whether or not they could be done.
    pub steps: u64,
    /// Wall-clock time, in seconds.
    pub seconds: f64,
}

/// Why a set of states is not accepted as a proof.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Rejection {
    /// The program breaks a rule.
    #[error("{0}")]
    Program(Stop),
    /// No set of states is a proof of this program.
    #[error("no set of states proves this program: {0}")]
    Incomplete(&'static str),
    /// A state violates the property.
    #[error("{0} can be reached")]
    Violation(RunEnd),
    /// Two threads may be about to access one cell, and one of them to write it.
    #[error("two threads may access one cell at once")]
    Meeting,
    /// It is not known whether a state is a deadlock.
    #[error("a state in which no thread moves may be a deadlock")]
    Stuck,
    /// Something that is not in the set, nor covered by what is.
    #[error("not closed: {what} leads out of the set")]
    NotCovered {
        /// The start, or the state and the thread that moves, in words.
        what: String,
    },
    /// A step touched a cell that it should not have been able to touch.
    #[error("an access to `{0}` that the analysis of pointers did not foresee")]
    Access(String),
    /// Too many steps from one state.
    #[error("too many steps from one state")]
    Fuel,
    /// It was asked to stop: nothing is known.
    #[error("stopped")]
    Cancelled,
}

impl From<Stop> for Rejection {
    fn from(stop: Stop) -> Rejection {
        match stop {
            Stop::TooLarge => Rejection::Incomplete("it has numbers too large for the interpreter"),
            other => Rejection::Program(other),
        }
    }
}

/// States that one worker takes at a time.
const CHUNK: usize = 32;
/// Fewer states than this are not worth a second worker.
const SHARED: usize = 256;

/// Checks that a set of states proves a program safe.
///
/// # Errors
/// Why it does not, or that it is not known within the limits. Where there are several reasons, the one that is given
/// does not depend on the number of workers.
pub fn check(program: &Program, space: &Space, limits: &StateLimits<'_>) -> Result<SpaceReport, Rejection> {
    let clock = Instant::now();
    if let Some(switches) = space.switches() {
        let transactions = Transactions::new(program, space.encoding(), space.points())?;
        if switches.0.len() != program.templates.len() || space.order().is_some() {
            return Err(Rejection::Incomplete("its switches are no list of steps of each thread"));
        }
        let worker = || Closure::new(&transactions, switches, space, limits.fuel);
        return closed(&transactions.facts, space, limits, clock, &worker);
    }
    let facts = Facts::new(program, space)?;
    closed(&facts, space, limits, clock, &|| Walker::new(&facts, space, limits.fuel))
}

/// What a worker asks of a state.
trait Looks: Send {
    /// Is a start covered?
    fn covers_start(&mut self, state: &State, met: &mut dyn FnMut(u32)) -> Result<bool, Rejection>;
    /// Checks that what follows a state of the set is covered. `state` is a buffer.
    fn expand(&mut self, number: u32, state: &mut State, met: &mut dyn FnMut(u32)) -> Result<(), Rejection>;
    /// Steps since this was asked last.
    fn take_steps(&mut self) -> u64;
    /// Points that the set lacks to tell inputs apart.
    fn needs(&self) -> Needs;
}

/// Checks a set from the starts on.
fn closed<L: Looks>(
    facts: &Facts<'_>,
    space: &Space,
    limits: &StateLimits<'_>,
    clock: Instant,
    looks: &dyn Fn() -> L,
) -> Result<SpaceReport, Rejection> {
    let hits = Hits::new(space.len());
    let mut workers: Vec<Worker<L>> =
        (0..limits.jobs.max(1)).map(|_| Worker { looks: looks(), state: State::default() }).collect();
    let mut level = Vec::new();
    let mut steps = 0;
    for start in &facts.starts {
        let looks = &mut workers[0].looks;
        let state = facts.machine.initial(start, 0)?;
        let covered = looks.covers_start(&state, &mut |i| hits.insert(i, &mut level))?;
        steps += looks.take_steps();
        if !covered {
            return Err(Rejection::NotCovered { what: "the start".into() });
        }
    }
    let mut needed = 0;
    while !level.is_empty() {
        needed += level.len();
        // Which worker came upon a state first is chance; the states of a level are not.
        level.sort_unstable();
        let jobs = if level.len() < SHARED { 1 } else { workers.len() };
        let (next, more) = expand(&level, &hits, &mut workers[..jobs], limits)?;
        level = next;
        steps += more;
    }
    let mut needs = Needs::default();
    workers.iter().for_each(|w| needs.extend(&w.looks.needs()));
    if !needs.is_empty() {
        return Err(Rejection::Incomplete("an input needs more values than were tried"));
    }
    let seconds = clock.elapsed().as_secs_f64();
    Ok(SpaceReport { states: space.len(), needed, steps, seconds })
}

struct Worker<L> {
    looks: L,
    state: State,
}

/// Checks what the states of a level lead to. Gives the next level and the number of steps.
fn expand<L: Looks>(
    level: &[u32],
    hits: &Hits,
    workers: &mut [Worker<L>],
    limits: &StateLimits<'_>,
) -> Result<(Vec<u32>, u64), Rejection> {
    let next_chunk = AtomicUsize::new(0);
    let least = AtomicUsize::new(usize::MAX);
    let stopped = AtomicBool::new(false);
    let steps = AtomicU64::new(0);
    let found = Mutex::new((Vec::new(), None::<(usize, Rejection)>));
    let work = |worker: &mut Worker<L>| {
        let mut new = Vec::new();
        let mut failed = None;
        loop {
            let first = next_chunk.fetch_add(1, Ordering::Relaxed).saturating_mul(CHUNK);
            let last = level.len().min(least.load(Ordering::Relaxed));
            if first >= last || stopped.load(Ordering::Relaxed) {
                break;
            }
            if (limits.cancel)() {
                stopped.store(true, Ordering::Relaxed);
                break;
            }
            for (k, &i) in (first..).zip(level[first..].iter().take(CHUNK)) {
                let Worker { looks, state } = worker;
                if let Err(e) = looks.expand(i, state, &mut |j| hits.insert(j, &mut new)) {
                    failed = Some((k, e));
                    least.fetch_min(k, Ordering::Relaxed);
                    break;
                }
            }
        }
        steps.fetch_add(worker.looks.take_steps(), Ordering::Relaxed);
        let mut found = found.lock().unwrap_or_else(PoisonError::into_inner);
        found.0.append(&mut new);
        if let Some(e) = failed {
            // Chunks are taken in order and gone through up to their first failure, so that the least one is found.
            if found.1.as_ref().is_none_or(|f| e.0 < f.0) {
                found.1 = Some(e);
            }
        }
    };
    match workers {
        [worker] => work(worker),
        many => std::thread::scope(|scope| {
            let work = &work;
            for worker in many {
                scope.spawn(move || work(worker));
            }
        }),
    }
    if stopped.into_inner() {
        return Err(Rejection::Cancelled);
    }
    match found.into_inner().unwrap_or_else(PoisonError::into_inner) {
        (_, Some((_, e))) => Err(e),
        (next, None) => Ok((next, steps.into_inner())),
    }
}

/// Which states of the set were met.
struct Hits(Vec<AtomicU64>);

impl Hits {
    fn new(n: usize) -> Hits {
        Hits((0..n.div_ceil(64)).map(|_| AtomicU64::new(0)).collect())
    }
    /// Notes a state, and adds it to the list when it is new.
    fn insert(&self, i: u32, new: &mut Vec<u32>) {
        let bit = 1 << (i % 64);
        let word = &self.0[i as usize / 64];
        if word.load(Ordering::Relaxed) & bit == 0 && word.fetch_or(bit, Ordering::Relaxed) & bit == 0 {
            new.push(i);
        }
    }
}
