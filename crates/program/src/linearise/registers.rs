//! Ranges of registers at a location, and their residues. Registers that are not listed have any value.

use super::range::Range;
use relyant_cfa::sparse::{Map, Row};
use relyant_cfa::{Reg, Residue};

static ALL: Range = Range::Between(None, None);

/// By number of the register: its range, and its residue. Registers that are not listed may have any value, so that equal ranges are
/// equal maps.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Registers {
    ranges: Map<Range>,
    residues: Map<Residue>,
}

impl Registers {
    /// The range of a register.
    pub fn get(&self, r: Reg) -> &Range {
        self.ranges.get(r.0).unwrap_or(&ALL)
    }

    /// Gives a register a range; its residue stays.
    pub fn set(&mut self, r: Reg, range: Range) {
        if range == ALL { self.ranges.remove(r.0) } else { self.ranges.insert(r.0, range) }
    }

    /// What the values of a register have in common.
    pub fn residue(&self, r: Reg) -> Residue {
        self.residues.get(r.0).copied().unwrap_or(Residue::ANY)
    }

    /// Gives a register a residue; its range stays.
    pub fn set_residue(&mut self, r: Reg, residue: Residue) {
        if residue == Residue::ANY { self.residues.remove(r.0) } else { self.residues.insert(r.0, residue) }
    }

    /// Forgets the registers that are not of a set.
    pub fn keep(&mut self, row: &Row) {
        self.ranges.keep(row);
        self.residues.keep(row);
    }

    /// Changes registers whose ranges differ from those of `new` to what `join` makes of both; says whether any did.
    /// What is any value on one side stays that.
    pub fn join(&mut self, new: &Registers, mut join: impl FnMut(Reg, &Range, &Range) -> Range) -> bool {
        let mut changes = Vec::new();
        for (n, old, given) in self.ranges.differing(&new.ranges) {
            let joined = join(Reg(n), old, given.unwrap_or(&ALL));
            if joined != *old {
                changes.push((Reg(n), joined));
            }
        }
        let known = self.residues.differing(&new.residues);
        let joined =
            known.map(|(n, old, given)| (Reg(n), *old, old.join(given.copied().unwrap_or(Residue::ANY))));
        let residues: Vec<(Reg, Residue, Residue)> = joined.filter(|(_, old, new)| old != new).collect();
        let changed = !changes.is_empty() || !residues.is_empty();
        changes.into_iter().for_each(|(r, range)| self.set(r, range));
        residues.into_iter().for_each(|(r, _, residue)| self.set_residue(r, residue));
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
        [3, 70, 99].iter().for_each(|r| row.insert(*r));
        a.keep(&row);
        assert_eq!((a.get(Reg(70)), a.get(Reg(71))), (&Range::one(70), &Range::all()));
        let mut b = a.clone();
        b.set(Reg(3), Range::one(5));
        b.set(Reg(99), Range::all());
        assert!(a.clone().join(&b, |_, x, y| x.join(y)));
        assert!(a.join(&b, |_, x, y| x.join(y)));
        assert_eq!(*a.get(Reg(3)), Range::one(3).join(&Range::one(5)));
        assert_eq!((a.get(Reg(70)), a.get(Reg(99))), (&Range::one(70), &Range::all()));
        assert!(!a.clone().join(&a, |_, x, _| x.clone()));
        // What is known on one side only is not known.
        a.set_residue(Reg(3), Residue::one(6));
        let mut b = a.clone();
        b.set_residue(Reg(3), Residue::one(16));
        assert!(a.join(&b, |_, x, y| x.join(y)));
        assert!(a.residue(Reg(3)).contains(26) && !a.residue(Reg(3)).contains(25));
        assert!(a.join(&Registers::default(), |_, x, y| x.join(y)));
        assert_eq!(a.residue(Reg(3)), Residue::ANY);
    }
}
