//! Ranges of registers at a location. Registers that are not listed have any value; copies share what they have in
//! common, so that the ranges at all locations of a long program take little more room than those at one.

use super::dead::Row;
use super::range::Range;
use crate::cfa::Reg;
use std::rc::Rc;

static ALL: Range = Range::Between(None, None);

/// Up to 64 registers in a row.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Chunk {
    at: u32,
    /// Which of them are listed.
    mask: u64,
    /// Their ranges, in order.
    values: Rc<Vec<Range>>,
}

/// Ranges of registers.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Registers {
    chunks: Vec<Chunk>,
}

fn bit(r: Reg) -> (u32, u64) {
    (r.0 / 64, 1 << (r.0 % 64))
}

impl Chunk {
    /// Where the register of a bit is, or would be.
    fn place(&self, bit: u64) -> usize {
        (self.mask & (bit - 1)).count_ones() as usize
    }
}

impl Registers {
    fn chunk(&self, at: u32) -> Result<usize, usize> {
        self.chunks.binary_search_by_key(&at, |c| c.at)
    }

    /// The range of a register.
    pub fn get(&self, r: Reg) -> &Range {
        let (at, bit) = bit(r);
        match self.chunk(at).map(|i| &self.chunks[i]) {
            Ok(c) if c.mask & bit != 0 => &c.values[c.place(bit)],
            _ => &ALL,
        }
    }

    /// Gives a register a range.
    pub fn set(&mut self, r: Reg, range: Range) {
        let (at, bit) = bit(r);
        let i = match self.chunk(at) {
            Ok(i) => i,
            Err(_) if range == ALL => return,
            Err(i) => {
                self.chunks.insert(i, Chunk { at, mask: 0, values: Rc::default() });
                i
            }
        };
        let c = &mut self.chunks[i];
        let (k, listed) = (c.place(bit), c.mask & bit != 0);
        match (listed, range == ALL) {
            (false, true) => {}
            (false, false) => {
                Rc::make_mut(&mut c.values).insert(k, range);
                c.mask |= bit;
            }
            (true, true) => {
                Rc::make_mut(&mut c.values).remove(k);
                c.mask &= !bit;
                if c.mask == 0 {
                    self.chunks.remove(i);
                }
            }
            (true, false) => Rc::make_mut(&mut c.values)[k] = range,
        }
    }

    /// Forgets the registers that are not of a row.
    pub fn keep(&mut self, row: &Row) {
        self.chunks.retain_mut(|c| {
            let kept = c.mask & row.word(c.at);
            if kept != c.mask {
                let mut mask = c.mask;
                let mut values = Vec::with_capacity(kept.count_ones() as usize);
                for v in c.values.iter() {
                    let bit = mask & mask.wrapping_neg();
                    mask ^= bit;
                    if kept & bit != 0 {
                        values.push(v.clone());
                    }
                }
                (c.mask, c.values) = (kept, Rc::new(values));
            }
            kept != 0
        });
    }

    /// Changes registers whose ranges differ from those of `new` to what `join` makes of both; says whether any did.
    /// What is any value on one side stays that.
    pub fn join(&mut self, new: &Registers, mut join: impl FnMut(Reg, &Range, &Range) -> Range) -> bool {
        let mut changes = Vec::new();
        for c in &self.chunks {
            let other = new.chunk(c.at).ok().map(|i| &new.chunks[i]);
            if other.is_some_and(|o| o.mask == c.mask && Rc::ptr_eq(&o.values, &c.values)) {
                continue;
            }
            let mut mask = c.mask;
            for old in c.values.iter() {
                let r = Reg(c.at * 64 + mask.trailing_zeros());
                mask &= mask - 1;
                let given = new.get(r);
                if old != given {
                    let joined = join(r, old, given);
                    if joined != *old {
                        changes.push((r, joined));
                    }
                }
            }
        }
        let changed = !changes.is_empty();
        changes.into_iter().for_each(|(r, range)| self.set(r, range));
        changed
    }
}

impl FromIterator<Range> for Registers {
    /// Ranges of the first registers.
    fn from_iter<I: IntoIterator<Item = Range>>(ranges: I) -> Registers {
        let mut out = Registers::default();
        (0u32..).zip(ranges).for_each(|(r, range)| out.set(Reg(r), range));
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_listed_is_any_value() {
        let mut a: Registers = (0..100).map(Range::one).collect();
        assert_eq!(*a.get(Reg(70)), Range::one(70));
        assert_eq!(*a.get(Reg(100)), Range::all());
        let mut row = Row::default();
        [3, 70, 99].iter().for_each(|r| {
            row.insert(*r);
        });
        a.keep(&row);
        assert_eq!((a.get(Reg(70)), a.get(Reg(71))), (&Range::one(70), &Range::all()));
        let mut b = a.clone();
        b.set(Reg(3), Range::one(5));
        b.set(Reg(99), Range::all());
        assert!(b.chunks.len() == 2 && a.clone().join(&b, |_, x, y| x.join(y)));
        assert!(a.join(&b, |_, x, y| x.join(y)));
        assert_eq!(*a.get(Reg(3)), Range::one(3).join(&Range::one(5)));
        assert_eq!((a.get(Reg(70)), a.get(Reg(99))), (&Range::one(70), &Range::all()));
        assert!(!a.clone().join(&a, |_, x, _| x.clone()));
    }
}
