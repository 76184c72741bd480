//! Numbers as bytes, and sets of byte strings: where packed states are kept.

use rustc_hash::FxHasher;
use std::hash::Hasher;

/// Does it take but a byte?
#[inline]
pub(super) fn is_small(v: i128) -> bool {
    (v as i64 as i128) == v && (v as i64).wrapping_add(64) as u64 <= 127
}

/// The byte of a small number.
#[inline]
pub(super) fn small(v: i128) -> u8 {
    let v = v as i8;
    ((v << 1) ^ (v >> 7)) as u8
}

/// Zigzag, then seven bits a byte.
#[inline]
pub(super) fn put(out: &mut Vec<u8>, v: i128) {
    if is_small(v) {
        return out.push(small(v));
    }
    put_long(out, v);
}

fn put_long(out: &mut Vec<u8>, v: i128) {
    let mut z = ((v << 1) ^ (v >> 127)) as u128;
    while z >= 0x80 {
        out.push(z as u8 | 0x80);
        z >>= 7;
    }
    out.push(z as u8);
}

/// Goes past so many numbers.
pub(super) fn skip(bytes: &mut &[u8], mut count: i128) {
    while count > 0
        && let Some((b, rest)) = bytes.split_first()
    {
        *bytes = rest;
        count -= i128::from(b & 0x80 == 0);
    }
}

/// Reads what [`put`] wrote.
#[inline]
pub(super) fn take(bytes: &mut &[u8]) -> i128 {
    if let Some((b, rest)) = bytes.split_first()
        && b & 0x80 == 0
    {
        *bytes = rest;
        return i128::from((b >> 1) as i8 ^ -((b & 1) as i8));
    }
    take_long(bytes)
}

fn take_long(bytes: &mut &[u8]) -> i128 {
    let mut z = 0u128;
    let mut shift = 0;
    while let Some((b, rest)) = bytes.split_first() {
        *bytes = rest;
        z |= u128::from(b & 0x7f) << shift;
        shift += 7;
        if b & 0x80 == 0 || shift > 126 {
            break;
        }
    }
    (z >> 1) as i128 ^ -((z & 1) as i128)
}

/// A set of byte strings, numbered in order of insertion.
#[derive(Default)]
pub struct ByteSet {
    /// The strings, one after the other.
    bytes: Vec<u8>,
    /// By number: where its string ends in `bytes`; ascending.
    ends: Vec<usize>,
    /// Open addressing: number + 1, 0 is free. The upper half of the hash is kept to compare without a look.
    slots: Vec<(u32, u32)>,
}

impl ByteSet {
    /// How many strings there are; the next one gets this number.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Is there no string?
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The string with that number.
    pub fn get(&self, i: usize) -> &[u8] {
        let start = if i == 0 { 0 } else { self.ends[i - 1] };
        &self.bytes[start..self.ends[i]]
    }

    /// Adds one; `None` if it was there.
    pub fn insert(&mut self, bytes: &[u8]) -> Option<usize> {
        if (self.ends.len() + 1) * 2 > self.slots.len() {
            self.grow();
        }
        let hash = hash(bytes);
        let mask = self.slots.len() - 1;
        let tag = (hash >> 32) as u32;
        let mut i = hash as usize & mask;
        loop {
            let (number, have) = self.slots[i];
            if number == 0 {
                break;
            }
            if have == tag && self.get(number as usize - 1) == bytes {
                return None;
            }
            i = (i + 1) & mask;
        }
        let number = self.ends.len();
        self.bytes.extend_from_slice(bytes);
        self.ends.push(self.bytes.len());
        self.slots[i] = (number as u32 + 1, tag);
        Some(number)
    }

    fn grow(&mut self) {
        let size = (self.slots.len() * 2).max(1024);
        let mut slots = vec![(0, 0); size];
        for number in 0..self.ends.len() {
            let hash = hash(self.get(number));
            let mut i = hash as usize & (size - 1);
            while slots[i].0 != 0 {
                i = (i + 1) & (size - 1);
            }
            slots[i] = (number as u32 + 1, (hash >> 32) as u32);
        }
        self.slots = slots;
    }
}

fn hash(bytes: &[u8]) -> u64 {
    let mut h = FxHasher::default();
    h.write(bytes);
    // FxHash leaves the low bits weak.
    let x = h.finish();
    (x ^ (x >> 29)).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ (x >> 32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back() {
        for v in [0, 1, -1, 63, 64, -64, -65, 1 << 40, -(1 << 90), i128::MAX, i128::MIN] {
            let mut out = Vec::new();
            put(&mut out, v);
            let mut rest = &out[..];
            assert_eq!(take(&mut rest), v);
            assert!(rest.is_empty());
        }
    }

    #[test]
    fn sets_keep_each_string_once() {
        let mut set = ByteSet::default();
        for round in 0..2 {
            for i in 0u32..5000 {
                let number = set.insert(&i.to_le_bytes());
                assert_eq!(number, (round == 0).then_some(i as usize));
            }
        }
        assert_eq!(set.len(), 5000);
        assert_eq!(set.get(4711), 4711u32.to_le_bytes());
    }
}
