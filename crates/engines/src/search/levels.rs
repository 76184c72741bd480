//! Breadth first, a level at a time, each level in batches of chunks that workers share.
//!
//! First the chunks' states are expanded, and successors that are new so far are put into a list for each shard;
//! then each shard takes in its lists, in the order of the chunks. So numbers of states, parents and what is found
//! are the same for any number of workers.

use super::config::Config;
use super::cut::Cut;
use super::fronts::Fronts;
use super::moves::Mover;
use super::store::{ROOT, SHARDS, Store, hash, shard_of};
use super::{End, Found, Reason, Search};
use relyant_interp::machine::{State, Stop};
use relyant_interp::normal::{Base, Scratch};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{PoisonError, RwLock};

/// States of a chunk.
const CHUNK: usize = 128;
/// Chunks of a batch.
const BATCH: usize = 128;
/// With fewer states than this there is nothing to share.
const SHARED: usize = 4 * CHUNK;

/// What became of a chunk.
#[derive(Default)]
struct Chunk {
    bytes: Vec<u8>,
    /// By shard: hash, place in `bytes`, length, parent.
    new: Vec<Vec<(u64, u32, u32, u32)>>,
    found: Option<Found>,
    stop: Option<Stop>,
    steps: u64,
    cut: Cut,
}

/// What a worker uses for one state after the other.
struct Worker<'c, 'p> {
    mover: Mover<'c, 'p>,
    state: State,
    /// By thread of the state at hand: nothing tells it from the one before it, so that it need not move.
    twins: Vec<bool>,
    base: Base,
    packed: Vec<u8>,
    scratch: Scratch,
    found: Pending,
}

/// Successors that are not looked up yet.
#[derive(Default)]
struct Pending {
    bytes: Vec<u8>,
    /// Hash, place in `bytes`, length, parent.
    list: Vec<(u64, u32, u32, u32)>,
}

/// Successors that are looked up at once, so that the processor need not wait for memory for each of them.
const LOOKED_UP: usize = 64;

pub(super) fn run(search: &mut Search<'_, '_, '_>) -> Result<End, Stop> {
    let jobs = search.settings.jobs.max(1);
    let worker = || Worker {
        mover: Mover::new(search.config, search.reduction),
        state: State::default(),
        twins: Vec::new(),
        base: Base::default(),
        packed: Vec::new(),
        scratch: Scratch::default(),
        found: Pending::default(),
    };
    let mut workers: Vec<Worker<'_, '_>> = (0..jobs).map(|_| worker()).collect();
    if let Some(end) = starts(search, &mut workers[0])? {
        return Ok(end);
    }
    let chunks: Vec<RwLock<Chunk>> = (0..BATCH).map(|_| RwLock::default()).collect();
    let mut from = [0; SHARDS];
    loop {
        let to = search.store.ends();
        let level = search.store.between(&from, &to);
        if level.is_empty() {
            return Ok(End::All);
        }
        if search.settings.max_depth.is_some_and(|d| search.stats.depth >= d) {
            return Ok(End::Limit(Reason::Depth));
        }
        from = to;
        search.levels.push(to);
        let mut nearest = None;
        for batch in level.chunks(CHUNK * BATCH) {
            let used = &chunks[..batch.len().div_ceil(CHUNK)];
            let jobs = if batch.len() < SHARED { 1 } else { jobs };
            if !expand(search, batch, used, &mut workers[..jobs]) {
                return Ok(End::Limit(Reason::Cancelled));
            }
            let mut found = None;
            for chunk in used {
                let chunk = chunk.read().unwrap_or_else(PoisonError::into_inner);
                if let Some(stop) = chunk.stop {
                    return Err(stop);
                }
                search.stats.steps += chunk.steps;
                search.cut.add(chunk.cut);
                found = match (found, chunk.found) {
                    (Some(Found::After(_)), Some(Found::Deadlock(_))) | (None, _) => chunk.found,
                    _ => found,
                };
            }
            // A deadlock in this level is one move nearer than another violation.
            nearest = match (nearest, found) {
                (Some(Found::After(_)), Some(Found::Deadlock(_))) | (None, _) => found,
                _ => nearest,
            };
            if nearest.is_some() {
                if search.config.machine.program().deadlock && !matches!(nearest, Some(Found::Deadlock(_))) {
                    continue;
                }
                break;
            }
            match &mut search.fronts {
                Some(fronts) => take_in_larger(search.config, &mut search.store, fronts, used),
                None => take_in(&mut search.store, used, jobs),
            }
            if let Some(reason) = search.report() {
                return Ok(End::Limit(reason));
            }
        }
        if let Some(found) = nearest {
            return Ok(End::Violation(found));
        }
        search.stats.depth += 1;
    }
}

/// Stores what the starts lead to by invisible moves.
fn starts(search: &mut Search<'_, '_, '_>, worker: &mut Worker<'_, '_>) -> Result<Option<End>, Stop> {
    let config = search.config;
    for (i, start) in config.starts.iter().enumerate() {
        let state = config.initial(start)?;
        let mut violated = false;
        let (store, packed, scratch) = (&mut search.store, &mut worker.packed, &mut worker.scratch);
        let fronts = &mut search.fronts;
        worker.mover.start(&state, &mut |after, arrival| {
            violated |= arrival.violation;
            if !arrival.violation {
                config.pack(after, scratch, packed);
                if fronts.as_mut().is_none_or(|f| f.admit(config, packed)) {
                    store.insert(hash(packed), packed, ROOT);
                }
            }
        })?;
        if violated {
            return Ok(Some(End::Violation(Found::AtStart(i))));
        }
    }
    search.stats.steps = worker.mover.steps;
    search.cut.add(worker.mover.cut);
    Ok(search.report().map(End::Limit))
}

/// Expands the states of a batch; `false` when asked to stop.
fn expand(
    search: &Search<'_, '_, '_>,
    batch: &[u32],
    chunks: &[RwLock<Chunk>],
    workers: &mut [Worker<'_, '_>],
) -> bool {
    let next = AtomicUsize::new(0);
    let stopped = AtomicBool::new(false);
    let work = |worker: &mut Worker<'_, '_>| {
        loop {
            let i = next.fetch_add(1, Ordering::Relaxed);
            if i >= chunks.len() {
                return;
            }
            if search.account.cancelled() {
                stopped.store(true, Ordering::Relaxed);
                return;
            }
            let states = &batch[i * CHUNK..batch.len().min((i + 1) * CHUNK)];
            let mut chunk = chunks[i].write().unwrap_or_else(PoisonError::into_inner);
            worker.expand(search, states, &mut chunk);
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
    !stopped.into_inner()
}

impl Worker<'_, '_> {
    fn expand(&mut self, search: &Search<'_, '_, '_>, states: &[u32], chunk: &mut Chunk) {
        chunk.bytes.clear();
        chunk.new.resize_with(SHARDS, Vec::new);
        chunk.new.iter_mut().for_each(Vec::clear);
        (chunk.found, chunk.stop) = (None, None);
        (self.mover.steps, self.mover.cut) = (0, Cut::default());
        for &id in states {
            if let Err(stop) = self.expand_one(search, id, chunk) {
                chunk.stop = Some(stop);
                break;
            }
        }
        self.look_up(&search.store, chunk);
        (chunk.steps, chunk.cut) = (self.mover.steps, self.mover.cut);
    }

    fn expand_one(&mut self, search: &Search<'_, '_, '_>, id: u32, chunk: &mut Chunk) -> Result<(), Stop> {
        let (config, store) = (search.config, &search.store);
        config.unpack_twins(store.get(id), &mut self.state, &mut self.twins);
        self.mover.count(&self.state);
        let (packed, scratch, pending) = (&mut self.packed, &mut self.scratch, &mut self.found);
        config.base(&self.state, scratch, &mut self.base);
        let base = &self.base;
        let mut moved = false;
        for thread in 0..self.state.threads.len() {
            if self.twins[thread] {
                continue;
            }
            moved |= self.mover.successors(&self.state, thread, &mut |after, arrival| {
                if arrival.violation {
                    chunk.found.get_or_insert(Found::After(id));
                    return;
                }
                config.pack_moved(after, (base, arrival.moved), scratch, packed);
                let place = pending.bytes.len() as u32;
                pending.bytes.extend_from_slice(packed);
                pending.list.push((hash(packed), place, packed.len() as u32, id));
            })?;
        }
        if !moved && config.deadlock(&self.state) && !matches!(chunk.found, Some(Found::Deadlock(_))) {
            chunk.found = Some(Found::Deadlock(id));
        }
        if self.found.list.len() >= LOOKED_UP {
            self.look_up(store, chunk);
        }
        Ok(())
    }

    /// Puts those successors into the chunk that the set does not have.
    fn look_up(&mut self, store: &Store, chunk: &mut Chunk) {
        let Pending { bytes, list } = &mut self.found;
        store.draw_near(list.iter().map(|found| found.0));
        for (h, place, length, parent) in list.drain(..) {
            let state = &bytes[place as usize..(place + length) as usize];
            if store.find(h, state).is_none() {
                let place = chunk.bytes.len() as u32;
                chunk.bytes.extend_from_slice(state);
                chunk.new[shard_of(h)].push((h, place, length, parent));
            }
        }
        bytes.clear();
    }
}

/// Puts those new states of a batch into the set that are below no other.
fn take_in_larger(config: &Config<'_>, store: &mut Store, fronts: &mut Fronts, chunks: &[RwLock<Chunk>]) {
    for chunk in chunks {
        let chunk = chunk.read().unwrap_or_else(PoisonError::into_inner);
        for &(h, place, length, parent) in chunk.new.iter().flatten() {
            let bytes = &chunk.bytes[place as usize..(place + length) as usize];
            if fronts.admit(config, bytes) {
                store.insert(h, bytes, parent);
            }
        }
    }
}

/// Puts the new states of a batch into the set.
fn take_in(store: &mut Store, chunks: &[RwLock<Chunk>], jobs: usize) {
    let take = |shards: &mut [super::store::Shard], first: usize| {
        for chunk in chunks {
            let chunk = chunk.read().unwrap_or_else(PoisonError::into_inner);
            for (shard, new) in shards.iter_mut().zip(&chunk.new[first..]) {
                for &(h, place, length, parent) in new {
                    let bytes = &chunk.bytes[place as usize..(place + length) as usize];
                    shard.insert(h, bytes, parent);
                }
            }
        }
    };
    let shards = store.shards();
    if jobs == 1 {
        return take(shards, 0);
    }
    let share = SHARDS.div_ceil(jobs);
    std::thread::scope(|scope| {
        let take = &take;
        for (i, part) in shards.chunks_mut(share).enumerate() {
            scope.spawn(move || take(part, i * share));
        }
    });
}
