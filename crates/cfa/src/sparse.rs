//! Sets and maps of small numbers. They are as long as what they list, and copies of a map share what they have in
//! common: one at each location of a long program takes little more room than one alone.

use std::rc::Rc;

/// A set of numbers as pairs `(k, bits)`: bit `i` of `bits` says that `64 * k + i` is in it. Sorted by `k`, and no
/// `bits` is 0, so that equal sets are equal rows.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Row(Vec<(u32, u64)>);

impl Row {
    /// The numbers from `64 * at` on.
    pub fn word(&self, at: u32) -> u64 {
        self.0.binary_search_by_key(&at, |w| w.0).map_or(0, |i| self.0[i].1)
    }
    /// Is a number of the set?
    pub fn has(&self, n: u32) -> bool {
        self.word(n / 64) >> (n % 64) & 1 == 1
    }
    /// Adds a number; no effect if it is there.
    pub fn insert(&mut self, n: u32) {
        let (at, bit) = bit(n);
        match self.0.binary_search_by_key(&at, |w| w.0) {
            Ok(i) => self.0[i].1 |= bit,
            Err(i) => self.0.insert(i, (at, bit)),
        }
    }
    /// Adds all of another set; was one new?
    pub fn extend(&mut self, other: &Row) -> bool {
        let (mut grown, mut i) = (false, 0);
        for (at, bits) in &other.0 {
            while self.0.get(i).is_some_and(|w| w.0 < *at) {
                i += 1;
            }
            match self.0.get_mut(i).filter(|w| w.0 == *at) {
                Some(w) => {
                    grown |= bits & !w.1 != 0;
                    w.1 |= bits;
                }
                None => {
                    self.0.insert(i, (*at, *bits));
                    grown = true;
                }
            }
        }
        grown
    }
    /// All of them, in order.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        self.0.iter().flat_map(|(at, word)| bits(*at, *word).map(|(_, n)| n))
    }
    /// Takes a number out.
    pub fn remove(&mut self, n: u32) {
        if let Ok(i) = self.0.binary_search_by_key(&(n / 64), |w| w.0) {
            self.0[i].1 &= !(1 << (n % 64));
            if self.0[i].1 == 0 {
                self.0.remove(i);
            }
        }
    }
}

/// Up to 64 numbers in a row, from `64 * at` on, and what they are mapped to. At least one is listed, and `values`
/// has an entry for each bit of `mask`.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Chunk<T> {
    /// The first number, divided by 64; the chunks of a map are sorted by it.
    at: u32,
    /// Which of them are listed.
    mask: u64,
    /// Their values, in order.
    values: Rc<Vec<T>>,
}

/// A map from numbers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Map<T> {
    chunks: Vec<Chunk<T>>,
}

impl<T> Default for Map<T> {
    fn default() -> Map<T> {
        Map { chunks: Vec::new() }
    }
}

fn bit(n: u32) -> (u32, u64) {
    (n / 64, 1 << (n % 64))
}

impl<T> Chunk<T> {
    /// Where the value of a bit is, or would be.
    fn place(&self, bit: u64) -> usize {
        (self.mask & (bit - 1)).count_ones() as usize
    }
}

/// The bits of a mask, lowest first, each with the number it stands for.
fn bits(at: u32, mut mask: u64) -> impl Iterator<Item = (u64, u32)> {
    std::iter::from_fn(move || {
        let bit = mask & mask.wrapping_neg();
        mask ^= bit;
        (bit != 0).then(|| (bit, at * 64 + bit.trailing_zeros()))
    })
}

impl<T: Clone + PartialEq> Map<T> {
    fn chunk(&self, at: u32) -> Result<usize, usize> {
        self.chunks.binary_search_by_key(&at, |c| c.at)
    }
    /// What a number is mapped to.
    pub fn get(&self, n: u32) -> Option<&T> {
        let (at, bit) = bit(n);
        let c = &self.chunks[self.chunk(at).ok()?];
        (c.mask & bit != 0).then(|| &c.values[c.place(bit)])
    }
    /// Maps a number to a value.
    pub fn insert(&mut self, n: u32, value: T) {
        let (at, bit) = bit(n);
        let i = self.chunk(at).unwrap_or_else(|i| {
            self.chunks.insert(i, Chunk { at, mask: 0, values: Rc::default() });
            i
        });
        let c = &mut self.chunks[i];
        let k = c.place(bit);
        if c.mask & bit != 0 {
            Rc::make_mut(&mut c.values)[k] = value;
        } else {
            Rc::make_mut(&mut c.values).insert(k, value);
            c.mask |= bit;
        }
    }
    /// Takes a number out.
    pub fn remove(&mut self, n: u32) {
        let (at, bit) = bit(n);
        let Ok(i) = self.chunk(at) else { return };
        let c = &mut self.chunks[i];
        if c.mask & bit != 0 {
            let k = c.place(bit);
            Rc::make_mut(&mut c.values).remove(k);
            c.mask &= !bit;
            if c.mask == 0 {
                self.chunks.remove(i);
            }
        }
    }
    /// Takes out what is not of a set.
    pub fn keep(&mut self, row: &Row) {
        self.keep_below(u32::MAX, row);
    }
    /// Takes out what is below a multiple of 64 and not of a set.
    pub fn keep_below(&mut self, end: u32, row: &Row) {
        let mut words = row.0.iter().peekable();
        self.mask(|c| {
            if c.at >= end / 64 {
                return u64::MAX;
            }
            while words.next_if(|w| w.0 < c.at).is_some() {}
            words.peek().filter(|w| w.0 == c.at).map_or(0, |w| w.1)
        });
    }
    /// Takes out a range of numbers.
    pub fn remove_range(&mut self, range: std::ops::Range<u32>) {
        let below = |n: u32, at: u32| match n.saturating_sub(at * 64) {
            k if k < 64 => (1u64 << k) - 1,
            _ => u64::MAX,
        };
        self.mask(|c| below(range.start, c.at) | !below(range.end, c.at));
    }
    /// Takes out what another map does not have, or has otherwise; was there anything?
    pub fn meet(&mut self, other: &Map<T>) -> bool {
        let mut any = false;
        let mut others = other.chunks.iter().peekable();
        self.mask(|c| {
            while others.next_if(|o| o.at < c.at).is_some() {}
            let Some(o) = others.peek().filter(|o| o.at == c.at) else {
                any = true;
                return 0;
            };
            if o.mask == c.mask && Rc::ptr_eq(&o.values, &c.values) {
                return c.mask;
            }
            let mine = bits(c.at, c.mask).zip(c.values.iter());
            let same = |bit: u64, v: &T| o.mask & bit != 0 && o.values[o.place(bit)] == *v;
            let kept = mine.filter(|((bit, _), v)| same(*bit, v)).fold(0, |m, ((bit, _), _)| m | bit);
            any |= kept != c.mask;
            kept
        });
        any
    }
    /// Keeps of each chunk what a mask lists.
    fn mask(&mut self, mut mask: impl FnMut(&Chunk<T>) -> u64) {
        self.chunks.retain_mut(|c| {
            let kept = c.mask & mask(c);
            if kept != c.mask && kept != 0 {
                let all = bits(c.at, c.mask).zip(c.values.iter());
                let values = all.filter(|((bit, _), _)| kept & bit != 0).map(|(_, v)| v.clone()).collect();
                (c.mask, c.values) = (kept, Rc::new(values));
            }
            kept != 0
        });
    }
    /// What is mapped from the numbers of a set, in order.
    pub fn within<'a>(&'a self, row: &'a Row) -> impl Iterator<Item = (u32, &'a T)> {
        row.0.iter().flat_map(|(at, word)| {
            let found = self.chunk(*at).ok().map(|i| &self.chunks[i]);
            found
                .into_iter()
                .flat_map(|c| bits(c.at, c.mask & *word).map(|(bit, n)| (n, &c.values[c.place(bit)])))
        })
    }
    /// All of it, in order.
    pub fn iter(&self) -> impl Iterator<Item = (u32, &T)> {
        self.chunks.iter().flat_map(|c| bits(c.at, c.mask).map(|(_, n)| n).zip(c.values.iter()))
    }
    /// What is listed here and is not the same in another map; and what is there.
    pub fn differing<'a>(&'a self, other: &'a Map<T>) -> impl Iterator<Item = (u32, &'a T, Option<&'a T>)> {
        let unshared = self.chunks.iter().filter(|c| {
            let theirs = other.chunk(c.at).ok().map(|i| &other.chunks[i]);
            !theirs.is_some_and(|o| o.mask == c.mask && Rc::ptr_eq(&o.values, &c.values))
        });
        let mine = unshared.flat_map(|c| bits(c.at, c.mask).map(|(_, n)| n).zip(c.values.iter()));
        mine.map(|(n, v)| (n, v, other.get(n))).filter(|(_, v, w)| Some(*v) != *w)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn maps_are_what_was_put_in() {
        let mut a = Map::default();
        (0..100).for_each(|n| a.insert(n, 10 * n));
        assert_eq!((a.get(70), a.get(100)), (Some(&700), None));
        let mut row = Row::default();
        [3, 70, 99].iter().for_each(|n| row.insert(*n));
        a.keep(&row);
        assert_eq!(a.iter().collect::<Vec<_>>(), [(3, &30), (70, &700), (99, &990)]);
        let mut b = a.clone();
        assert_eq!(a.differing(&b).count(), 0);
        b.insert(3, 31);
        b.remove(99);
        assert_eq!(b.chunks.len(), 2);
        assert_eq!(a.differing(&b).collect::<Vec<_>>(), [(3, &30, Some(&31)), (99, &990, None)]);
        assert!(Rc::ptr_eq(&a.clone().chunks[0].values, &a.chunks[0].values));
    }

    #[test]
    fn maps_shrink() {
        let mut a = Map::default();
        [3, 63, 64, 100, 130, 200].iter().for_each(|n| a.insert(*n, *n));
        let mut row = Row::default();
        [63, 100].iter().for_each(|n| row.insert(*n));
        assert_eq!(a.within(&row).collect::<Vec<_>>(), [(63, &63), (100, &100)]);
        a.keep_below(64, &row);
        a.remove_range(100..131);
        let numbers = |m: &Map<u32>| m.iter().map(|(n, _)| n).collect::<Vec<_>>();
        assert_eq!(numbers(&a), [63, 64, 200]);
        let mut b = a.clone();
        assert!(!b.meet(&a));
        a.insert(64, 0);
        a.remove(200);
        assert!(b.meet(&a) && !b.meet(&a));
        assert_eq!(numbers(&b), [63]);
        b.remove_range(0..64);
        assert_eq!(b, Map::default());
    }

    #[test]
    fn sets_grow() {
        let (mut a, mut b) = (Row::default(), Row::default());
        a.insert(5);
        b.insert(500);
        assert!(a.extend(&b) && !a.extend(&b) && a.has(5) && a.has(500) && !a.has(6));
        a.remove(5);
        assert_eq!(a, b);
    }
}
