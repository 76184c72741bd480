//! Registers and cells as numbers, and what is known of them.

use super::fold::Value;
use relyant_cfa::sparse::Map;
use relyant_cfa::{Loc, ObjId, Object, Reg};
use std::collections::BTreeMap;

/// What holds a value.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum Place {
    Register(Reg),
    /// A cell that no other thread writes.
    Cell(ObjId, u32),
}

/// Known values, by numbers of places.
pub(super) type Values = Map<Value>;

/// Known values of cells.
pub(super) type Cells = BTreeMap<(ObjId, u32), Value>;

/// Numbers for places: registers first, then cells from a multiple of 64 on.
pub(super) struct Numbers {
    pub(super) cells: u32,
    /// The first cell of each object.
    objects: Vec<u32>,
}

impl Numbers {
    pub(super) fn new(registers: usize, objects: &[Object]) -> Numbers {
        let cells = (registers as u32).next_multiple_of(64);
        let first = objects.iter().scan(cells, |next, o| {
            let first = *next;
            *next += o.cells.len() as u32;
            Some(first)
        });
        Numbers { cells, objects: first.collect() }
    }
    pub(super) fn of(&self, p: Place) -> u32 {
        match p {
            Place::Register(r) => r.0,
            Place::Cell(o, k) => self.objects[o.0 as usize] + k,
        }
    }
    pub(super) fn place(&self, n: u32) -> Place {
        if n < self.cells {
            return Place::Register(Reg(n));
        }
        let o = self.objects.partition_point(|first| *first <= n) - 1;
        Place::Cell(ObjId(o as u32), n - self.objects[o])
    }
    /// The cells of an object.
    pub(super) fn cells_of(&self, o: ObjId) -> std::ops::Range<u32> {
        let i = o.0 as usize;
        self.objects[i]..self.objects.get(i + 1).copied().unwrap_or(u32::MAX)
    }
}

/// What is known of cells, by location.
pub(super) struct Known {
    pub(super) numbers: Numbers,
    pub(super) at: Vec<Values>,
}

impl Known {
    /// Nothing is known of any cell, at any location.
    pub(super) fn nothing() -> Known {
        Known { numbers: Numbers { cells: 0, objects: Vec::new() }, at: Vec::new() }
    }
    /// The cells that have one value at a location.
    pub(super) fn cells(&self, l: Loc) -> Cells {
        let all = self.at.get(l.0 as usize).into_iter().flat_map(Values::iter);
        let cell = |(n, v): (u32, &Value)| match self.numbers.place(n) {
            Place::Cell(o, k) => Some(((o, k), *v)),
            Place::Register(_) => None,
        };
        all.filter_map(cell).collect()
    }
}
