//! Downward-closed sets of configurations: the maximal ones, with [`OMEGA`] for any number of threads.

use relyant_finite::model::{Config, Counts, Initial, Local, Shared};
use rustc_hash::FxHashMap;

/// Any number of threads.
pub const OMEGA: u32 = u32::MAX;

/// The configurations below some initial one.
pub fn of_initial(i: &Initial) -> Config {
    let mut c = i.exactly.clone();
    for l in &i.any {
        c.locals.set(*l, OMEGA);
    }
    c
}

/// A set of maximal elements.
#[derive(Default)]
pub struct Ideals {
    /// By number; `None` once another one covers it.
    elements: Vec<Option<Config>>,
    /// By shared state: numbers of its elements, and some that were removed.
    here: FxHashMap<Shared, Vec<u32>>,
    /// By shared state and local state: numbers of elements with threads there, and some that were removed.
    with: FxHashMap<(Shared, Local), Vec<u32>>,
    /// How many comparisons of configurations were made.
    pub work: u64,
}

impl Ideals {
    /// An element that covers the configuration.
    pub fn above(&mut self, c: &Config) -> Option<u32> {
        let key = |l: Local| self.with.get(&(c.shared, l)).map_or(0, Vec::len);
        let list = match c.locals.iter().map(|x| x.0).min_by_key(|l| key(*l)) {
            None => self.here.get_mut(&c.shared)?,
            Some(l) => self.with.get_mut(&(c.shared, l))?,
        };
        // what was removed leaves the list now
        let mut i = 0;
        while let Some(id) = list.get(i).copied() {
            self.work += 1;
            match self.elements.get(id as usize).and_then(Option::as_ref) {
                None => drop(list.swap_remove(i)),
                Some(d) if c.locals.is_below(&d.locals) => return Some(id),
                Some(_) => i += 1,
            }
        }
        None
    }

    /// Adds an element that nothing covers, and removes those that it covers. Returns its number.
    pub fn insert(&mut self, c: &Config) -> u32 {
        let id = u32::try_from(self.elements.len()).unwrap_or(u32::MAX);
        let mut below = Vec::new();
        for old in self.here.get(&c.shared).into_iter().flatten() {
            self.work += 1;
            if self
                .elements
                .get(*old as usize)
                .and_then(Option::as_ref)
                .is_some_and(|d| d.locals.is_below(&c.locals))
            {
                below.push(*old);
            }
        }
        for old in &below {
            if let Some(slot) = self.elements.get_mut(*old as usize) {
                *slot = None;
            }
        }
        if let (Some(list), false) = (self.here.get_mut(&c.shared), below.is_empty()) {
            list.retain(|x| !below.contains(x));
        }
        self.here.entry(c.shared).or_default().push(id);
        for (l, _) in c.locals.iter() {
            self.with.entry((c.shared, l)).or_default().push(id);
        }
        self.elements.push(Some(c.clone()));
        id
    }

    /// Is this element still maximal?
    pub fn is_live(&self, id: u32) -> bool {
        self.elements.get(id as usize).is_some_and(Option::is_some)
    }
}

/// `a + b`, where [`OMEGA`] absorbs. Finite sums stay below it.
pub fn plus(a: u32, b: u32) -> u32 {
    if a == OMEGA || b == OMEGA { OMEGA } else { a.saturating_add(b).min(OMEGA - 1) }
}

/// Without `take`, if it is there.
pub fn minus(c: &Counts, take: &Counts) -> Option<Counts> {
    if !take.is_below(c) {
        return None;
    }
    let mut out = c.clone();
    for (l, n) in take.iter() {
        let there = c.get(l);
        out.set(l, if there == OMEGA { OMEGA } else { there - n });
    }
    Some(out)
}
