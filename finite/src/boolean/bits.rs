//! Valuations of variables.

use smallvec::{SmallVec, smallvec};

/// Truth values by number. Two are equal only if they have the same length.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Bits(SmallVec<[u64; 2]>);

impl Bits {
    /// So many values, all false.
    pub fn new(n: usize) -> Bits {
        Bits(smallvec![0; n.div_ceil(64)])
    }
    /// The value of a number; false beyond the end.
    pub fn get(&self, i: u32) -> bool {
        self.0.get(i as usize / 64).is_some_and(|w| w >> (i % 64) & 1 == 1)
    }
    /// Changes a value; beyond the end nothing happens.
    pub fn set(&mut self, i: u32, b: bool) {
        if let Some(w) = self.0.get_mut(i as usize / 64) {
            *w = *w & !(1 << (i % 64)) | u64::from(b) << (i % 64);
        }
    }
    /// Have both the same length?
    pub fn same_size(&self, o: &Bits) -> bool {
        self.0.len() == o.0.len()
    }
    /// Is any value true?
    pub fn any(&self) -> bool {
        self.0.iter().any(|w| *w != 0)
    }
    /// Is any true in both?
    pub fn meets(&self, o: &Bits) -> bool {
        self.0.iter().zip(&o.0).any(|(a, b)| a & b != 0)
    }
    /// Adds the true values of another; tells whether there were new ones.
    pub fn join(&mut self, o: &Bits) -> bool {
        let mut grown = false;
        for (a, b) in self.0.iter_mut().zip(&o.0) {
            grown |= b & !*a != 0;
            *a |= b;
        }
        grown
    }
    /// Numbers of the true values.
    pub fn ones(&self) -> impl Iterator<Item = u32> + '_ {
        self.0
            .iter()
            .zip(0u32..)
            .flat_map(|(w, i)| (0..64).filter(move |b| w >> b & 1 == 1).map(move |b| i * 64 + b))
    }
}
