//! Of all the shortest runs to a violation, those with the fewest context switches.
//!
//! Once breadth-first search has found a violation, the levels are expanded again, the last one first. For each
//! state from which a violation is as near as its level allows, it is noted how many switches the rest of a shortest
//! run takes, by the thread that moves next.

use super::moves::Mover;
use super::ordered::place;
use super::store::hash;
use super::{Found, Search};
use relyant_interp::machine::{State, Stop};
use relyant_interp::normal::Scratch;
use rustc_hash::FxHashMap;

/// More states than this are not looked at again.
const MOST: usize = 4_000_000;

/// Switches to come, by the thread of the normal form that moves next.
pub(super) type Rest = Box<[u16]>;

/// For a thread whose next move begins no shortest run.
pub(super) const NEVER: u16 = u16::MAX;

/// By level and state: what a shortest run takes from there.
pub(super) type Guide = Vec<FxHashMap<u32, Rest>>;

/// Switches to come in a state when a thread moved last, if a run goes on from there.
pub(super) fn rest(after: &Rest, last: u16) -> u16 {
    let same = after.get(usize::from(last)).copied().unwrap_or(NEVER);
    let other = after.iter().copied().min().unwrap_or(NEVER);
    same.min(other.saturating_add(1))
}

/// The guide to violations as near as the one found. `None` where that is too much work.
pub(super) fn guide(search: &Search<'_, '_, '_>, found: Found) -> Result<Option<Guide>, Stop> {
    if search.store.len() > MOST || matches!(found, Found::AtStart(_)) {
        return Ok(None);
    }
    let last = search.stats.depth as usize;
    let jobs = search.settings.jobs.max(1);
    let mut levels: Guide = vec![FxHashMap::default(); last + 1];
    for level in (0..=last).rev() {
        let from = level.checked_sub(1).map_or([0; super::store::SHARDS], |l| search.levels[l]);
        let ids = search.store.between(&from, &search.levels[level]);
        let next = levels.get(level + 1);
        let expand = |ids: &[u32]| expand(search, found, ids, next);
        let part = ids.len().div_ceil(jobs).max(1);
        let lists: Vec<_> = if ids.len() < 2048 {
            vec![expand(&ids)]
        } else {
            std::thread::scope(|scope| {
                let workers: Vec<_> = ids.chunks(part).map(|ids| scope.spawn(|| expand(ids))).collect();
                let lost = Err(Stop::Malformed("a worker is lost"));
                workers.into_iter().map(|w| w.join().unwrap_or(lost.clone())).collect()
            })
        };
        for list in lists {
            match list? {
                Some(list) => levels[level].extend(list),
                None => return Ok(None),
            }
        }
    }
    Ok(Some(levels))
}

/// The states of a part of a level from which the violation is near; `None` when asked to stop.
fn expand(
    search: &Search<'_, '_, '_>,
    found: Found,
    ids: &[u32],
    next: Option<&FxHashMap<u32, Rest>>,
) -> Result<Option<Vec<(u32, Rest)>>, Stop> {
    let config = search.config;
    let mut mover = Mover::new(config, search.reduction);
    let mut state = State::default();
    let (mut packed, mut scratch) = (Vec::new(), Scratch::default());
    let mut list = Vec::new();
    for (i, &id) in ids.iter().enumerate() {
        if i % 256 == 0 && search.account.cancelled() {
            return Ok(None);
        }
        config.unpack(search.store.get(id), &mut state);
        let mut after = vec![NEVER; state.threads.len()];
        let mut any = false;
        let mut moved = false;
        for thread in 0..state.threads.len() {
            let best = &mut after[thread];
            moved |= mover.successors(&state, thread, &mut |after, arrival| {
                let violation = arrival.violation;
                let switches = match next {
                    None if violation && matches!(found, Found::After(_)) => 0,
                    Some(next) if !violation => {
                        config.pack(after, &mut scratch, &mut packed);
                        let id = search.store.find(hash(&packed), &packed);
                        id.and_then(|id| next.get(&id)).map_or(NEVER, |r| rest(r, place(&scratch, thread)))
                    }
                    _ => NEVER,
                };
                *best = (*best).min(switches);
                any |= switches != NEVER;
            })?;
        }
        if next.is_none() && matches!(found, Found::Deadlock(_)) && !moved && config.deadlock(&state) {
            // The run ends here, whoever moved last.
            after.fill(0);
            any = true;
        }
        if any {
            list.push((id, after.into_boxed_slice()));
        }
    }
    Ok(Some(list))
}
