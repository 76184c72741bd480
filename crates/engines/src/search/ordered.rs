//! Other orders than breadth first, one state after the other.
//!
//! *Depth first*: the successors found last are explored first. *Few switches*: most errors need few context
//! switches (Musuvathi and Qadeer, "Iterative context bounding", PLDI 2007), so that a move that interrupts a thread
//! that could go on costs as much as many moves that do not; creating a thread does, too, as there may be no end of
//! that. With a *bound on switches* states are told apart by the thread that moved last, and explored in the order
//! of the switches they need; a state that is reached again with fewer switches is explored again.

use super::moves::Mover;
use super::store::{ROOT, hash};
use super::{End, Found, Reason, Search, Strategy};
use relyant_interp::machine::{State, Stop};
use relyant_interp::normal::Scratch;
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, VecDeque};

/// What a switch costs, in moves.
const SWITCH: u32 = 20;
/// The thread that moved last where nobody did: at the start.
pub(super) const NOBODY: u16 = u16::MAX;
/// States explored between two reports.
const REPORT: usize = 1024;

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
    let config = search.config;
    let bound = search.settings.max_switches;
    let few = search.settings.strategy == Strategy::FewSwitches;
    let mut mover = Mover::new(config, search.reduction);
    let mut queue = Queue { newest: search.settings.strategy == Strategy::DepthFirst, ..Queue::default() };
    let (mut packed, mut scratch) = (Vec::new(), Scratch::default());
    for (i, start) in config.starts.iter().enumerate() {
        let state = config.initial(start)?;
        let mut violated = false;
        let store = &mut search.store;
        mover.start(&state, &mut |after, _, _, violation| {
            violated |= violation;
            config.pack(after, &mut scratch, &mut packed);
            if bound.is_some() {
                with_last(&mut packed, NOBODY);
            }
            if let Some((id, true)) = store.insert(hash(&packed), &packed, ROOT) {
                queue.push(Item { id, last: NOBODY, depth: 0 }, 0);
            }
        })?;
        if violated {
            return Ok(End::Violation(Found::AtStart(i)));
        }
    }
    let mut state = State::default();
    let mut twins = Vec::new();
    // Switches needed, with a bound.
    let mut least: FxHashMap<u32, u32> = FxHashMap::default();
    let (mut too_deep, mut too_many) = (false, false);
    let mut explored = 0usize;
    while let Some((cost, item)) = queue.pop() {
        if bound.is_some() && least.get(&item.id).is_some_and(|least| *least < cost) {
            continue;
        }
        if search.settings.max_depth.is_some_and(|d| item.depth >= d) {
            too_deep = true;
            continue;
        }
        if explored % REPORT == 0 {
            search.stats.steps = mover.steps;
            if let Some(reason) = search.report() {
                search.cut.add(mover.cut);
                return Ok(End::Limit(reason));
            }
        }
        explored += 1;
        let bytes = search.store.get(item.id);
        let bytes = if bound.is_some() { without_last(bytes) } else { bytes };
        config.unpack_twins(bytes, &mut state, &mut twins);
        let n = state.threads.len();
        let last = usize::from(item.last);
        let mut goes_on = false;
        let mut moved = false;
        let mut found = false;
        let threads = (last < n).then_some(last).into_iter().chain((0..n).filter(|t| *t != last));
        for thread in threads {
            // Which of several equal threads moves makes no difference, unless one of them moved last.
            if twins[thread] && (bound.is_none() || last >= n) {
                continue;
            }
            let switches = u32::from(goes_on && thread != last);
            let mut new = false;
            let store = &mut search.store;
            let can_move = mover.successors(&state, thread, &mut |after, _, _, violation| {
                if violation {
                    let within = bound.is_none_or(|b| cost + switches <= b);
                    found |= within;
                    too_many |= !within;
                    return;
                }
                config.pack(after, &mut scratch, &mut packed);
                let last = place(&scratch, thread);
                let next = |id| Item { id, last, depth: item.depth + 1 };
                let Some(bound) = bound else {
                    if let Some((id, true)) = store.insert(hash(&packed), &packed, item.id) {
                        let created = u32::from(after.threads.len() > n);
                        let price = if few { 1 + SWITCH * (switches + created) } else { 0 };
                        queue.push(next(id), cost.saturating_add(price));
                        new = true;
                    }
                    return;
                };
                let cost = cost + switches;
                if cost > bound {
                    too_many = true;
                    return;
                }
                with_last(&mut packed, last);
                let Some((id, new)) = store.insert(hash(&packed), &packed, item.id) else { return };
                let best = least.entry(id).or_insert(u32::MAX);
                if cost < *best {
                    *best = cost;
                    if !new {
                        store.set_parent(id, item.id);
                    }
                    queue.push(next(id), cost);
                }
            })?;
            moved |= can_move;
            // Where the thread finds nothing new, switching costs nothing in the order of few switches.
            goes_on |= thread == last && if bound.is_some() { can_move } else { new };
            if found {
                break;
            }
        }
        if found || (!moved && config.deadlock(&state)) {
            search.stats.steps = mover.steps;
            search.cut.add(mover.cut);
            let after = if found { Found::After(item.id) } else { Found::Deadlock(item.id) };
            return Ok(End::Violation(after));
        }
    }
    search.stats.steps = mover.steps;
    search.cut.add(mover.cut);
    Ok(match (search.report(), too_deep, too_many) {
        (Some(Reason::States), ..) if search.store.full() => End::Limit(Reason::States),
        (_, true, _) => End::Limit(Reason::Depth),
        (_, _, true) => End::Limit(Reason::Switches),
        _ => End::All,
    })
}
