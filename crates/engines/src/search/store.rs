//! The set of states seen: packed, in shards by hash, so that workers can insert into different shards at once.
//!
//! Each state has a number, its parent's number, and its bytes in blocks of a shard. Beside its bytes a state costs
//! 4 bytes for its place, 4 for its parent, 1 for its length and 5 to 11 in the table of hashes.

use rustc_hash::FxHasher;
use std::hash::Hasher;
use std::hint::black_box;

/// Number of shards, whatever the number of workers: numbers of states do not depend on it.
pub(super) const SHARDS: usize = 16;
const SHARD_SHIFT: u32 = 28;
/// Bits of a slot that hold a state's index plus 1; the others are a part of its hash.
const INDEX_BITS: u32 = 26;
const INDEX: u32 = (1 << INDEX_BITS) - 1;
/// Bytes of a block; a state is within one block.
const BLOCK: usize = 1 << 18;

/// Parent of a state in which a run starts.
pub(super) const ROOT: u32 = u32::MAX;

/// The states seen, by number: the shard in the high bits, the index in it in the others.
#[derive(Default)]
pub(super) struct Store {
    shards: Vec<Shard>,
}

#[derive(Default)]
pub(super) struct Shard {
    number: u32,
    /// Packed states; each within one block.
    blocks: Vec<Vec<u8>>,
    /// By index: block and place in it.
    places: Vec<u32>,
    /// By index: number of the state that it is reached from, or [`ROOT`].
    parents: Vec<u32>,
    /// Open addressing: index + 1 in the low bits, a part of the hash in the others; 0 is free.
    slots: Vec<u32>,
    /// There are no more indices: states were left out.
    full: bool,
}

/// The hash of a packed state.
pub(super) fn hash(bytes: &[u8]) -> u64 {
    let mut h = FxHasher::default();
    h.write(bytes);
    // FxHash leaves the low bits weak.
    let x = h.finish();
    let x = (x ^ (x >> 29)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    x ^ (x >> 32)
}

/// The shard of a hash.
pub(super) fn shard_of(hash: u64) -> usize {
    (hash >> 60) as usize % SHARDS
}

impl Store {
    /// An empty set, in shards.
    pub fn new() -> Store {
        Store { shards: (0..SHARDS as u32).map(|number| Shard { number, ..Shard::default() }).collect() }
    }
    /// How many states there are in all shards.
    pub fn len(&self) -> usize {
        self.shards.iter().map(|s| s.places.len()).sum()
    }
    /// The bytes of a state.
    pub fn get(&self, id: u32) -> &[u8] {
        self.shards[(id >> SHARD_SHIFT) as usize].get(id & ((1 << SHARD_SHIFT) - 1))
    }
    /// Whence a state was first reached.
    pub fn parent(&self, id: u32) -> u32 {
        self.shards[(id >> SHARD_SHIFT) as usize].parents[(id & ((1 << SHARD_SHIFT) - 1)) as usize]
    }
    /// It is reached from another state instead.
    pub fn set_parent(&mut self, id: u32, parent: u32) {
        let shard = &mut self.shards[(id >> SHARD_SHIFT) as usize];
        shard.parents[(id & ((1 << SHARD_SHIFT) - 1)) as usize] = parent;
    }
    /// The number of a state.
    pub fn find(&self, hash: u64, bytes: &[u8]) -> Option<u32> {
        let shard = &self.shards[shard_of(hash)];
        shard.find(hash, bytes).ok().map(|i| shard.id(i))
    }
    /// Reads what looking up these hashes begins with: loads that do not wait for each other, so that the lookups that
    /// follow need not wait for memory.
    pub fn draw_near(&self, hashes: impl Iterator<Item = u64> + Clone) {
        let slots = hashes.clone().map(|hash| self.shards[shard_of(hash)].first_slot(hash));
        black_box(slots.fold(0, |sum: u32, slot| sum.wrapping_add(slot)));
        let places = hashes.clone().map(|hash| self.shards[shard_of(hash)].first_place(hash));
        black_box(places.fold(0, |sum: u32, place| sum.wrapping_add(place.unwrap_or(0))));
        let bytes = hashes.map(|hash| {
            let shard = &self.shards[shard_of(hash)];
            shard.first_place(hash).map_or(0, |p| shard.blocks[p as usize / BLOCK][p as usize % BLOCK])
        });
        black_box(bytes.fold(0, |sum: u8, byte| sum.wrapping_add(byte)));
    }
    /// Adds a state; its number, and whether it is new. `None` when the set is full.
    pub fn insert(&mut self, hash: u64, bytes: &[u8], parent: u32) -> Option<(u32, bool)> {
        self.shards[shard_of(hash)].insert(hash, bytes, parent)
    }
    /// The shards, for workers.
    pub fn shards(&mut self) -> &mut [Shard] {
        &mut self.shards
    }
    /// How many states each shard has.
    pub fn ends(&self) -> [u32; SHARDS] {
        std::array::from_fn(|i| self.shards[i].places.len() as u32)
    }
    /// Numbers of the states between two such counts.
    pub fn between(&self, from: &[u32; SHARDS], to: &[u32; SHARDS]) -> Vec<u32> {
        (0..SHARDS).flat_map(|s| (from[s]..to[s]).map(move |i| (s as u32) << SHARD_SHIFT | i)).collect()
    }
    /// A shard could not take a state.
    pub fn full(&self) -> bool {
        self.shards.iter().any(|s| s.full)
    }
    /// Bytes that the set takes.
    pub fn bytes(&self) -> usize {
        let shard = |s: &Shard| {
            let table = (s.slots.capacity() + s.places.capacity() + s.parents.capacity()) * 4;
            table + s.blocks.iter().map(Vec::capacity).sum::<usize>()
        };
        self.shards.iter().map(shard).sum()
    }
    /// All states, in a fixed order.
    pub fn iter(&self) -> impl Iterator<Item = &[u8]> {
        self.shards.iter().flat_map(|s| (0..s.places.len() as u32).map(|i| s.get(i)))
    }
}

impl Shard {
    fn id(&self, index: u32) -> u32 {
        self.number << SHARD_SHIFT | index
    }

    fn get(&self, index: u32) -> &[u8] {
        let place = self.places[index as usize] as usize;
        let mut rest = &self.blocks[place / BLOCK][place % BLOCK..];
        let (mut length, mut shift) = (0usize, 0);
        while let Some((b, tail)) = rest.split_first() {
            rest = tail;
            length |= usize::from(b & 0x7f) << shift;
            shift += 7;
            if b & 0x80 == 0 {
                break;
            }
        }
        &rest[..length]
    }

    /// The slot where a lookup begins, 0 if there is none.
    fn first_slot(&self, hash: u64) -> u32 {
        let mask = self.slots.len().wrapping_sub(1);
        self.slots.get(hash as usize & mask).copied().unwrap_or(0)
    }

    /// The place of the state in that slot, if it may be the one with that hash.
    fn first_place(&self, hash: u64) -> Option<u32> {
        let slot = self.first_slot(hash);
        let tag = (hash >> 27) as u32 & !INDEX;
        (slot != 0 && slot & !INDEX == tag).then(|| self.places[(slot & INDEX) as usize - 1])
    }

    /// Index of a state, or the slot where it would go.
    fn find(&self, hash: u64, bytes: &[u8]) -> Result<u32, usize> {
        if self.slots.is_empty() {
            return Err(0);
        }
        let mask = self.slots.len() - 1;
        let tag = (hash >> 27) as u32 & !INDEX;
        let mut i = hash as usize & mask;
        loop {
            let slot = self.slots[i];
            if slot == 0 {
                return Err(i);
            }
            if slot & !INDEX == tag && self.get((slot & INDEX) - 1) == bytes {
                return Ok((slot & INDEX) - 1);
            }
            i = (i + 1) & mask;
        }
    }

    /// Adds a state; its number, and whether it is new.
    pub fn insert(&mut self, hash: u64, bytes: &[u8], parent: u32) -> Option<(u32, bool)> {
        if (self.places.len() + 1) * 4 > self.slots.len() * 3 {
            self.grow();
        }
        let slot = match self.find(hash, bytes) {
            Ok(index) => return Some((self.id(index), false)),
            Err(slot) => slot,
        };
        let index = self.places.len() as u32;
        let Some(place) = self.append(bytes).filter(|_| index < INDEX - 1) else {
            self.full = true;
            return None;
        };
        self.places.push(place);
        self.parents.push(parent);
        self.slots[slot] = (hash >> 27) as u32 & !INDEX | (index + 1);
        Some((self.id(index), true))
    }

    /// Puts the bytes behind their length.
    fn append(&mut self, bytes: &[u8]) -> Option<u32> {
        if bytes.len() + 4 > BLOCK {
            return None;
        }
        // The first block grows, so that small searches stay small; the others are there whole.
        let room = |b: &Vec<u8>| b.len() + bytes.len() + 4 <= BLOCK;
        if !self.blocks.last().is_some_and(room) {
            let size = if self.blocks.is_empty() { 0 } else { BLOCK };
            self.blocks.push(Vec::with_capacity(size));
        }
        let number = self.blocks.len() - 1;
        let block = &mut self.blocks[number];
        let place = u32::try_from(number * BLOCK + block.len()).ok()?;
        let mut length = bytes.len();
        while length >= 0x80 {
            block.push(length as u8 | 0x80);
            length >>= 7;
        }
        block.push(length as u8);
        block.extend_from_slice(bytes);
        Some(place)
    }

    fn grow(&mut self) {
        let size = (self.slots.len() * 2).max(64);
        let mut slots = vec![0u32; size];
        for index in 0..self.places.len() as u32 {
            let hash = hash(self.get(index));
            let mut i = hash as usize & (size - 1);
            while slots[i] != 0 {
                i = (i + 1) & (size - 1);
            }
            slots[i] = (hash >> 27) as u32 & !INDEX | (index + 1);
        }
        self.slots = slots;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_state_is_kept_once() {
        let mut store = Store::new();
        let state = |i: u32| {
            let mut bytes = i.to_le_bytes().to_vec();
            bytes.resize(4 + i as usize % 300, 7);
            bytes
        };
        for round in 0..2 {
            for i in 0..20_000 {
                let bytes = state(i);
                let h = hash(&bytes);
                assert_eq!(store.find(h, &bytes).is_some(), round == 1);
                let (id, new) = store.insert(h, &bytes, i).unwrap();
                assert_eq!(new, round == 0);
                assert_eq!((store.get(id), store.parent(id)), (&bytes[..], i));
            }
        }
        assert_eq!((store.len(), store.iter().count()), (20_000, 20_000));
        assert_eq!(store.between(&[0; SHARDS], &store.ends()).len(), 20_000);
    }

    #[test]
    fn a_state_too_long_for_a_block_fills_the_set() {
        let mut store = Store::new();
        let bytes = vec![1; BLOCK];
        assert_eq!(store.insert(hash(&bytes), &bytes, ROOT), None);
        assert!(store.full());
    }
}
