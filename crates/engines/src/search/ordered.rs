//! Other orders than breadth first, one state after the other.
//!
//! *Depth first*: the successors found last are explored first. *Few switches*: most errors need few context
//! switches (Musuvathi and Qadeer, "Iterative context bounding", PLDI 2007), so that a move that interrupts a thread
//! that could go on costs as much as many moves that do not; creating a thread does, too, as there may be no end of
//! that. With a *bound on switches* states are told apart by the thread that moved last, and explored in the order
//! of the switches they need; a state that is reached again with fewer switches is explored again.

use super::moves::{Arrival, Mover};
use super::store::{ROOT, Store, hash};
use super::{Config, End, Found, Reason, Search, Strategy};
use relyant_interp::machine::{State, Stop};
use relyant_interp::normal::{Base, Scratch};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, VecDeque};

/// What a switch costs, in moves.
const SWITCH: u32 = 20;
/// The thread that moved last where nobody did: at the start.
pub(super) const NOBODY: u16 = u16::MAX;
/// States explored between two reports, and steps, as those in large states count for several.
const REPORT: usize = 1024;
const REPORT_STEPS: u64 = 16_384;

/// A state to explore: its number, the thread of its normal form that moved last, and the moves to it.
#[derive(Clone, Copy)]
struct Item {
    id: u32,
    last: u16,
    depth: u32,
}

/// Cheapest first; of those, oldest or newest first.
#[derive(Default)]
struct Queue {
    /// By cost; none is empty.
    buckets: BTreeMap<u32, VecDeque<Item>>,
    newest: bool,
}

impl Queue {
    fn push(&mut self, item: Item, cost: u32) {
        self.buckets.entry(cost).or_default().push_back(item);
    }
    fn pop(&mut self) -> Option<(u32, Item)> {
        let mut first = self.buckets.first_entry()?;
        let cost = *first.key();
        let list = first.get_mut();
        let item = if self.newest { list.pop_back() } else { list.pop_front() };
        if list.is_empty() {
            first.remove();
        }
        item.map(|i| (cost, i))
    }
}

/// The thread of the normal form that a thread became.
pub(super) fn place(scratch: &Scratch, thread: usize) -> u16 {
    let at = scratch.order.iter().position(|t| *t as usize == thread);
    at.and_then(|k| u16::try_from(k).ok()).unwrap_or(NOBODY)
}

/// A normal form with the thread that moved last.
pub(super) fn with_last(bytes: &mut Vec<u8>, last: u16) {
    bytes.extend_from_slice(&last.to_le_bytes());
}

/// What [`with_last`] made, without the thread.
pub(super) fn without_last(bytes: &[u8]) -> &[u8] {
    &bytes[..bytes.len().saturating_sub(2)]
}

pub(super) fn run(search: &mut Search<'_, '_, '_>) -> Result<End, Stop> {
    let mut run = Run::new(search);
    if let Some(start) = run.start()? {
        return Ok(End::Violation(start));
    }
    let end = run.explore_all()?;
    run.search.stats.steps = run.mover.steps;
    run.search.cut.add(run.mover.cut);
    Ok(match end {
        Some(end) => end,
        None => run.exhausted(),
    })
}

/// A move that is looked at.
#[derive(Clone, Copy)]
struct Move {
    /// The state it starts from.
    from: Item,
    /// What that has cost.
    cost: u32,
    /// The thread that moves, by its place in the state.
    thread: usize,
    /// 1 if that interrupts a thread that could go on.
    switches: u32,
    /// Threads there are before it.
    threads: usize,
}

/// States that were reached, and those of them that are still to be explored.
struct Reached<'c, 'p> {
    config: &'c Config<'p>,
    /// The threads of the state that is explored.
    base: Base,
    /// Most switches; with one, a state has the thread that moved last.
    bound: Option<u32>,
    /// Switches cost more than moves.
    few: bool,
    queue: Queue,
    packed: Vec<u8>,
    scratch: Scratch,
    /// Switches needed for each state, with a bound.
    least: FxHashMap<u32, u32>,
    /// Some move needed more switches than the bound.
    too_many: bool,
}

/// What the moves of one thread led to.
#[derive(Default)]
struct Met {
    violation: bool,
    new: bool,
}

impl Reached<'_, '_> {
    /// Takes in a state in which a run starts.
    fn start(&mut self, store: &mut Store, state: &State) {
        self.config.pack(state, &mut self.scratch, &mut self.packed);
        if self.bound.is_some() {
            with_last(&mut self.packed, NOBODY);
        }
        if let Some((id, true)) = store.insert(hash(&self.packed), &self.packed, ROOT) {
            self.queue.push(Item { id, last: NOBODY, depth: 0 }, 0);
        }
    }

    /// The state after a move, or a violation in it.
    fn add(&mut self, store: &mut Store, m: Move, after: &State, arrival: &Arrival<'_>, met: &mut Met) {
        if arrival.violation {
            let within = self.bound.is_none_or(|b| m.cost + m.switches <= b);
            met.violation |= within;
            self.too_many |= !within;
            return;
        }
        let base = (&self.base, arrival.moved);
        self.config.pack_moved(after, base, &mut self.scratch, &mut self.packed);
        let last = place(&self.scratch, m.thread);
        let next = |id| Item { id, last, depth: m.from.depth + 1 };
        let Some(bound) = self.bound else {
            if let Some((id, true)) = store.insert(hash(&self.packed), &self.packed, m.from.id) {
                let created = u32::from(after.threads.len() > m.threads);
                let price = if self.few { 1 + SWITCH * (m.switches + created) } else { 0 };
                self.queue.push(next(id), m.cost.saturating_add(price));
                met.new = true;
            }
            return;
        };
        let cost = m.cost + m.switches;
        if cost > bound {
            self.too_many = true;
            return;
        }
        with_last(&mut self.packed, last);
        let Some((id, new)) = store.insert(hash(&self.packed), &self.packed, m.from.id) else { return };
        let best = self.least.entry(id).or_insert(u32::MAX);
        if cost < *best {
            *best = cost;
            if !new {
                store.set_parent(id, m.from.id);
            }
            self.queue.push(next(id), cost);
        }
    }
}

/// A search while it goes on.
struct Run<'s, 'c, 'p, 'w> {
    search: &'s mut Search<'c, 'p, 'w>,
    mover: Mover<'c, 'p>,
    reached: Reached<'c, 'p>,
    state: State,
    twins: Vec<bool>,
    /// Some state was not explored for its depth.
    too_deep: bool,
}

impl<'s, 'c, 'p, 'w> Run<'s, 'c, 'p, 'w> {
    fn new(search: &'s mut Search<'c, 'p, 'w>) -> Self {
        let strategy = search.settings.strategy;
        let reached = Reached {
            config: search.config,
            base: Base::default(),
            bound: search.settings.max_switches,
            few: strategy == Strategy::FewSwitches,
            queue: Queue { newest: strategy == Strategy::DepthFirst, ..Queue::default() },
            packed: Vec::new(),
            scratch: Scratch::default(),
            least: FxHashMap::default(),
            too_many: false,
        };
        let mover = Mover::new(search.config, search.reduction);
        Run { search, mover, reached, state: State::default(), twins: Vec::new(), too_deep: false }
    }

    /// Adds all starts; gives one that leads to a violation.
    fn start(&mut self) -> Result<Option<Found>, Stop> {
        let config = self.search.config;
        for (i, start) in config.starts.iter().enumerate() {
            let state = config.initial(start)?;
            let mut violated = false;
            let (store, reached) = (&mut self.search.store, &mut self.reached);
            self.mover.start(&state, &mut |after, arrival| {
                violated |= arrival.violation;
                reached.start(store, after);
            })?;
            if violated {
                return Ok(Some(Found::AtStart(i)));
            }
        }
        Ok(None)
    }

    /// Explores states until one violates the property or a limit is met; none: all that are within the bounds.
    fn explore_all(&mut self) -> Result<Option<End>, Stop> {
        let bounded = self.reached.bound.is_some();
        let (mut explored, mut due) = (0usize, 0);
        while let Some((cost, item)) = self.reached.queue.pop() {
            if bounded && self.reached.least.get(&item.id).is_some_and(|least| *least < cost) {
                continue;
            }
            if self.search.settings.max_depth.is_some_and(|d| item.depth >= d) {
                self.too_deep = true;
                continue;
            }
            if explored % REPORT == 0 || self.mover.steps >= due {
                due = self.mover.steps + REPORT_STEPS;
                self.search.stats.steps = self.mover.steps;
                if let Some(reason) = self.search.report() {
                    return Ok(Some(End::Limit(reason)));
                }
            }
            explored += 1;
            if let Some(found) = self.explore(item, cost)? {
                return Ok(Some(End::Violation(found)));
            }
        }
        Ok(None)
    }

    /// Does all moves of a state.
    fn explore(&mut self, item: Item, cost: u32) -> Result<Option<Found>, Stop> {
        let bounded = self.reached.bound.is_some();
        let config = self.search.config;
        let bytes = self.search.store.get(item.id);
        let bytes = if bounded { without_last(bytes) } else { bytes };
        config.unpack_twins(bytes, &mut self.state, &mut self.twins);
        self.mover.count(&self.state);
        config.base(&self.state, &mut self.reached.scratch, &mut self.reached.base);
        let n = self.state.threads.len();
        let last = usize::from(item.last);
        let (mut goes_on, mut moved) = (false, false);
        let threads = (last < n).then_some(last).into_iter().chain((0..n).filter(|t| *t != last));
        for thread in threads {
            // Which of several equal threads moves makes no difference, unless one of them moved last.
            if self.twins[thread] && (!bounded || last >= n) {
                continue;
            }
            let switches = u32::from(goes_on && thread != last);
            let m = Move { from: item, cost, thread, switches, threads: n };
            let mut met = Met::default();
            let (store, reached) = (&mut self.search.store, &mut self.reached);
            let can_move = self.mover.successors(&self.state, thread, &mut |after, arrival| {
                reached.add(store, m, after, arrival, &mut met);
            })?;
            moved |= can_move;
            // Where the thread finds nothing new, switching costs nothing in the order of few switches.
            goes_on |= thread == last && if bounded { can_move } else { met.new };
            if met.violation {
                return Ok(Some(Found::After(item.id)));
            }
        }
        Ok((!moved && config.deadlock(&self.state)).then_some(Found::Deadlock(item.id)))
    }

    /// What it means that nothing is left to explore.
    fn exhausted(&mut self) -> End {
        match (self.search.report(), self.too_deep, self.reached.too_many) {
            (Some(Reason::States), ..) if self.search.store.full() => End::Limit(Reason::States),
            (_, true, _) => End::Limit(Reason::Depth),
            (_, _, true) => End::Limit(Reason::Switches),
            _ => End::All,
        }
    }
}
