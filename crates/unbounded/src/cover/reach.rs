//! Thread states that may be reachable: an over-approximation that forgets how many threads there are.
//!
//! What it leaves out is not coverable, and closed under predecessors in the sense that each predecessor of a thread
//! state that is left out has one that is left out too.

use relyant_finite::model::{Config, Local, Shared, System};
use rustc_hash::FxHashMap;

/// Bytes that the rows may take.
const MOST: usize = 256 << 20;

/// Local states that threads may be in, for each shared state that may be reached.
pub struct Reach {
    /// By shared state that may be reached: a bit for each local state, 64 a word.
    rows: FxHashMap<Shared, Vec<u64>>,
}

impl Reach {
    /// The least fixpoint; `None` if it is too large to keep.
    pub fn new(system: &System) -> Option<Reach> {
        let words = (system.local as usize).div_ceil(64);
        let mut from: FxHashMap<Shared, Vec<u32>> = FxHashMap::default();
        for (i, t) in (0u32..).zip(&system.transitions) {
            from.entry(t.from).or_default().push(i);
        }
        let mut r = Reach { rows: FxHashMap::default() };
        let mut worklist = Vec::new();
        for i in &system.initial {
            let row = r.rows.entry(i.exactly.shared).or_insert_with(|| vec![0; words]);
            let here = i.exactly.locals.iter().map(|x| x.0).chain(i.any.iter().copied());
            here.for_each(|l| set(row, l));
            worklist.push(i.exactly.shared);
        }
        let mut queued: rustc_hash::FxHashSet<Shared> = worklist.iter().copied().collect();
        while let Some(s) = worklist.pop() {
            queued.remove(&s);
            let mut row = r.rows.get(&s).cloned().unwrap_or_default();
            let mut again = true;
            while again {
                again = false;
                for t in
                    from.get(&s).into_iter().flatten().filter_map(|i| system.transitions.get(*i as usize))
                {
                    if !t.take.iter().all(|(l, _)| get(&row, l)) {
                        continue;
                    }
                    let mut after = row.clone();
                    t.transfers.iter().for_each(|x| clear(&mut after, x.from));
                    for x in t.transfers.iter().filter(|x| get(&row, x.from)) {
                        x.to.iter().for_each(|l| set(&mut after, *l));
                    }
                    t.put.iter().for_each(|(l, _)| set(&mut after, l));
                    if t.to == s {
                        let before = row.clone();
                        row.iter_mut().zip(&after).for_each(|(a, b)| *a |= b);
                        again |= row != before;
                        continue;
                    }
                    if !r.rows.contains_key(&t.to) && (r.rows.len() + 1).saturating_mul(words * 8) > MOST {
                        return None;
                    }
                    let fresh = !r.rows.contains_key(&t.to);
                    let other = r.rows.entry(t.to).or_insert_with(|| vec![0; words]);
                    let mut grown = fresh;
                    for (a, b) in other.iter_mut().zip(&after) {
                        grown |= *b & !*a != 0;
                        *a |= b;
                    }
                    if grown && queued.insert(t.to) {
                        worklist.push(t.to);
                    }
                }
            }
            r.rows.insert(s, row);
        }
        Some(r)
    }

    /// May this shared state be reached?
    pub fn shared(&self, s: Shared) -> bool {
        self.rows.contains_key(&s)
    }

    /// May a thread be here?
    pub fn local(&self, s: Shared, l: Local) -> bool {
        self.rows.get(&s).is_some_and(|row| get(row, l))
    }

    /// A part of the configuration, with one thread at most, that is not coverable.
    pub fn unreachable(&self, c: &Config) -> Option<Config> {
        if !self.shared(c.shared) {
            return Some(Config::new(c.shared, Default::default()));
        }
        let lost = c.locals.iter().find(|(l, _)| !self.local(c.shared, *l))?;
        Some(Config::new(c.shared, relyant_finite::model::Counts::one(lost.0)))
    }
}

fn set(row: &mut [u64], l: Local) {
    if let Some(w) = row.get_mut(l as usize / 64) {
        *w |= 1 << (l % 64);
    }
}

fn clear(row: &mut [u64], l: Local) {
    if let Some(w) = row.get_mut(l as usize / 64) {
        *w &= !(1 << (l % 64));
    }
}

fn get(row: &[u64], l: Local) -> bool {
    row.get(l as usize / 64).is_some_and(|w| w >> (l % 64) & 1 == 1)
}
