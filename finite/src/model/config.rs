//! Configurations, as sorted lists of local states with their numbers of threads.

use super::{Local, Shared};
use smallvec::SmallVec;

/// How many threads are in each local state; none in those not listed. Sorted by local state, and no number is 0, so
/// that equal counts are equal lists.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub struct Counts(SmallVec<[(Local, u32); 3]>);

impl Counts {
    /// No threads at all.
    pub fn new() -> Counts {
        Counts::default()
    }
    /// From local states, in any order, with repetitions. `None` if a number gets too large.
    pub fn of(locals: impl IntoIterator<Item = Local>) -> Option<Counts> {
        let mut out = Counts::new();
        locals.into_iter().try_for_each(|l| out.add(l, 1))?;
        Some(out)
    }
    /// One thread, in this local state.
    pub fn one(l: Local) -> Counts {
        Counts(SmallVec::from_slice(&[(l, 1)]))
    }
    /// Number of threads in a local state.
    pub fn get(&self, l: Local) -> u32 {
        self.0.binary_search_by_key(&l, |x| x.0).ok().and_then(|i| self.0.get(i)).map_or(0, |x| x.1)
    }
    /// Sets the number of threads in a local state; 0 takes it off the list.
    pub fn set(&mut self, l: Local, n: u32) {
        match (self.0.binary_search_by_key(&l, |x| x.0), n) {
            (Ok(i), 0) => {
                self.0.remove(i);
            }
            (Ok(i), n) => {
                if let Some(x) = self.0.get_mut(i) {
                    x.1 = n;
                }
            }
            (Err(_), 0) => {}
            (Err(i), n) => self.0.insert(i, (l, n)),
        }
    }
    /// More threads in a local state. `None` if that is too many.
    pub fn add(&mut self, l: Local, n: u32) -> Option<()> {
        let sum = self.get(l).checked_add(n)?;
        self.set(l, sum);
        Some(())
    }
    /// More threads. `None` if that is too many.
    pub fn add_all(&mut self, other: &Counts) -> Option<()> {
        other.iter().try_for_each(|(l, n)| self.add(l, n))
    }
    /// Without these, as far as they are there.
    pub fn without(&self, other: &Counts) -> Counts {
        Counts(
            self.iter()
                .filter_map(|(l, n)| {
                    let left = n.saturating_sub(other.get(l));
                    (left > 0).then_some((l, left))
                })
                .collect(),
        )
    }
    /// At most as many everywhere?
    pub fn is_below(&self, other: &Counts) -> bool {
        let mut rest = other.0.iter();
        self.0.iter().all(|(l, n)| rest.find(|x| x.0 >= *l).is_some_and(|x| x.0 == *l && *n <= x.1))
    }
    /// Local states with their numbers, by local state.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (Local, u32)> + '_ {
        self.0.iter().copied()
    }
    /// Number of different local states.
    pub fn len(&self) -> usize {
        self.0.len()
    }
    /// Is there no thread?
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
    /// Number of threads in all local states together.
    pub fn total(&self) -> u64 {
        self.0.iter().map(|x| u64::from(x.1)).sum()
    }
}

/// A shared state with threads.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub struct Config {
    /// The shared state that all threads see.
    pub shared: Shared,
    /// How many threads are in each local state.
    pub locals: Counts,
}

impl Config {
    /// The configuration of a shared state and threads.
    pub fn new(shared: Shared, locals: Counts) -> Config {
        Config { shared, locals }
    }
    /// Is this below the other: the same shared state, and at most as many threads everywhere?
    pub fn is_below(&self, other: &Config) -> bool {
        self.shared == other.shared && self.locals.is_below(&other.locals)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order() {
        let c = |v: &[u32]| Counts::of(v.iter().copied()).unwrap();
        assert!(c(&[]).is_below(&c(&[1])));
        assert!(c(&[2, 1]).is_below(&c(&[1, 0, 2])));
        assert!(!c(&[1, 1]).is_below(&c(&[1, 2])));
        assert!(!c(&[3]).is_below(&c(&[1, 2])));
        assert_eq!(c(&[1, 1, 2]).without(&c(&[1, 2, 5])), c(&[1]));
        assert_eq!(c(&[1, 1, 2]).total(), 3);
    }
}
