//! Sets of predicates, by index.

use smallvec::SmallVec;

/// A set of small numbers. Sets that are compared have the same capacity.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Bits(SmallVec<[u64; 2]>);

impl Bits {
    /// The empty set of numbers below `capacity`.
    pub fn new(capacity: usize) -> Bits {
        Bits(SmallVec::from_elem(0, capacity.div_ceil(64)))
    }
    /// Adds a number below the capacity.
    pub fn insert(&mut self, i: usize) {
        self.0[i / 64] |= 1 << (i % 64);
    }
    /// Removes the members that do not satisfy a condition.
    pub fn retain(&mut self, keep: impl Fn(usize) -> bool) {
        for (w, word) in self.0.iter_mut().enumerate() {
            let mut bits = *word;
            while bits != 0 {
                let b = bits.trailing_zeros() as usize;
                bits &= bits - 1;
                if !keep(w * 64 + b) {
                    *word &= !(1 << b);
                }
            }
        }
    }
    /// Is it in the set?
    pub fn contains(&self, i: usize) -> bool {
        self.0[i / 64] >> (i % 64) & 1 == 1
    }
    /// Are all members of `self` in `other`?
    pub fn is_subset(&self, other: &Bits) -> bool {
        self.0.iter().zip(&other.0).all(|(a, b)| a & !b == 0)
    }
    /// Do the sets share a member?
    pub fn intersects(&self, other: &Bits) -> bool {
        self.0.iter().zip(&other.0).any(|(a, b)| a & b != 0)
    }
    /// Adds all members of `other`.
    pub fn union(&mut self, other: &Bits) {
        for (a, b) in self.0.iter_mut().zip(&other.0) {
            *a |= b;
        }
    }
    /// The members, each once, ascending.
    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        self.0.iter().enumerate().flat_map(|(w, &bits)| {
            std::iter::successors(Some(bits), |b| Some(b & b.wrapping_sub(1)))
                .take_while(|b| *b != 0)
                .map(move |b| w * 64 + b.trailing_zeros() as usize)
        })
    }
}
