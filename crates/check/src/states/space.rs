//! A set of packed states.

use super::order::Order;
use super::transactions::Switches;
use relyant_interp::observe::Points;
use rustc_hash::FxHasher;
use std::hash::Hasher;

/// How the states of a set were packed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Encoding {
    /// Interchangeable threads are sorted.
    pub symmetry: bool,
}

/// A set of packed states, numbered in order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Space {
    encoding: Encoding,
    /// A state subsumes those below it.
    order: Option<Order>,
    /// Values that tell inputs apart, where what the program does with them was observed.
    points: Option<Points>,
    /// Where other threads may move, where the states are those between transactions.
    switches: Option<Switches>,
    /// The states, one after the other.
    bytes: Vec<u8>,
    /// By number: where its state ends in `bytes`; ascending.
    ends: Vec<usize>,
    /// Open addressing: number + 1 in the low bits, a part of the hash in the others; 0 is free.
    slots: Vec<u32>,
    /// Bits of a slot that hold the number.
    low: u32,
}

/// Most states of a set.
const MOST: usize = (1 << 31) - 2;

impl Space {
    /// The set of these packed states. Those that are there twice take room and do no harm; more than 2^31 are too
    /// many for a proof, and left out.
    pub fn new<'b>(encoding: Encoding, states: impl Iterator<Item = &'b [u8]>) -> Space {
        let (mut bytes, mut ends) = (Vec::new(), Vec::new());
        for state in states {
            bytes.extend_from_slice(state);
            ends.push(bytes.len());
        }
        Space::from_parts(encoding, bytes, ends)
    }

    /// The set of states that stand one after the other; `ends` says where each ends.
    pub fn from_parts(encoding: Encoding, bytes: Vec<u8>, mut ends: Vec<usize>) -> Space {
        ends.truncate(MOST);
        let size = (ends.len() * 3 / 2 + 1).next_power_of_two();
        let low = (ends.len() + 1).next_power_of_two() as u32 - 1;
        let mut space = Space {
            encoding,
            order: None,
            points: None,
            switches: None,
            bytes,
            ends,
            slots: vec![0; size],
            low,
        };
        for number in 0..space.ends.len() as u32 {
            let hash = hash(space.get(number));
            let mut i = hash as usize & (size - 1);
            while space.slots[i] != 0 {
                i = (i + 1) & (size - 1);
            }
            space.slots[i] = (hash >> 32) as u32 & !low | (number + 1);
        }
        space
    }

    /// The same states, each of which subsumes those below it.
    pub fn with_order(self, order: Option<Order>) -> Space {
        Space { order, ..self }
    }
    /// The same states, of a program whose inputs are told apart by these points.
    pub fn with_points(self, points: Option<Points>) -> Space {
        Space { points, ..self }
    }
    /// The same states, those between transactions that end with these switches.
    pub fn with_switches(self, switches: Option<Switches>) -> Space {
        Space { switches, ..self }
    }
    /// The switches of the transactions between its states, if they are states between transactions.
    pub fn switches(&self) -> Option<&Switches> {
        self.switches.as_ref()
    }
    /// The points that tell inputs apart.
    pub fn points(&self) -> Option<&Points> {
        self.points.as_ref()
    }
    /// The order in which a state subsumes those below it.
    pub fn order(&self) -> Option<&Order> {
        self.order.as_ref()
    }
    /// How many states there are, repeated ones counted again.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Is there no state at all?
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// How they were packed.
    pub fn encoding(&self) -> Encoding {
        self.encoding
    }

    /// The states, in order.
    pub fn states(&self) -> impl Iterator<Item = &[u8]> {
        (0..self.ends.len() as u32).map(|i| self.get(i))
    }

    /// The state with that number.
    pub(super) fn get(&self, i: u32) -> &[u8] {
        let start = (i as usize).checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.bytes[start..self.ends[i as usize]]
    }

    /// The number of a state.
    pub(super) fn find(&self, bytes: &[u8]) -> Option<u32> {
        let hash = hash(bytes);
        let tag = (hash >> 32) as u32 & !self.low;
        let mask = self.slots.len() - 1;
        let mut i = hash as usize & mask;
        loop {
            let slot = self.slots[i];
            if slot == 0 {
                return None;
            }
            let number = (slot & self.low) - 1;
            if slot & !self.low == tag && self.get(number) == bytes {
                return Some(number);
            }
            i = (i + 1) & mask;
        }
    }
}

fn hash(bytes: &[u8]) -> u64 {
    let mut h = FxHasher::default();
    h.write(bytes);
    // The low bits of FxHash are weak, and the length is not in it.
    let x = h.finish() ^ (bytes.len() as u64) << 56;
    let x = (x ^ (x >> 29)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    x ^ (x >> 32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_are_found_by_their_bytes() {
        let state = |i: u32| {
            let mut bytes = i.to_le_bytes().to_vec();
            bytes.resize(i as usize % 9, 1);
            bytes
        };
        let all: Vec<Vec<u8>> = (0..3000).map(state).collect();
        let space = Space::new(Encoding { symmetry: true }, all.iter().map(|s| &s[..]));
        assert_eq!(space.len(), 3000);
        for s in &all {
            let found = space.find(s).unwrap();
            assert_eq!(space.get(found), &s[..]);
        }
        assert_eq!(space.find(&[9; 40]), None);
        assert_eq!(Space::new(Encoding { symmetry: true }, std::iter::empty()).find(&[]), None);
    }
}
