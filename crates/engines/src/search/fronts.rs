//! States that are below no other: of states that differ in numbers that only matter by being large, the largest.
//!
//! See [`relyant_check::states::order`]. For each exact part of a state, the set keeps the maximal vectors of the other
//! numbers.

use super::config::Config;
use relyant_check::states::order::Order;
use relyant_check::states::split::{Parts, Split, below};
use rustc_hash::FxHashMap;

/// Maximal vectors by exact part.
pub(super) struct Fronts {
    split: Split,
    parts: Parts,
    /// By exact part: vectors of the other numbers, none of which is below another.
    maximal: FxHashMap<Box<[u8]>, Vec<Vec<i128>>>,
}

impl Fronts {
    /// No states yet, under this order.
    pub fn new(config: &Config<'_>, order: &Order) -> Fronts {
        Fronts {
            split: Split::new(&config.machine, order),
            parts: Parts::default(),
            maximal: FxHashMap::default(),
        }
    }

    /// Takes in a packed state, unless it is below one that was taken in before.
    pub fn admit(&mut self, config: &Config<'_>, packed: &[u8]) -> bool {
        self.split.split(config.normal(), packed, &mut self.parts);
        let (exact, numbers) = (&self.parts.exact, &self.parts.numbers);
        let Some(known) = self.maximal.get_mut(exact.as_slice()) else {
            self.maximal.insert(exact.as_slice().into(), vec![numbers.clone()]);
            return true;
        };
        if known.iter().any(|v| below(numbers, v)) {
            return false;
        }
        known.retain(|v| !below(v, numbers));
        known.push(numbers.clone());
        true
    }
}
