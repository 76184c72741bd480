//! Which cells of objects an address may mean: points-to, and of an index that is not known what its multiples leave over, so
//! that the lock in each slot of an array is told apart from what it protects.

use relyant_cfa::points_to::{PointsTo, Targets};
use relyant_cfa::{BinOp, Expr, IntKind, ObjId, Op, Program, Residue};
use std::collections::BTreeSet;

/// Cells of an object, by their numbers.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Cells {
    pub object: ObjId,
    pub numbers: Residue,
}

impl Cells {
    pub(super) fn one(object: ObjId, cell: usize) -> Cells {
        Cells { object, numbers: Residue::one(cell as i128) }
    }
    pub(super) fn has(self, cell: usize) -> bool {
        self.numbers.contains(cell as i128)
    }
    pub(super) fn meets(self, other: Cells) -> bool {
        self.object == other.object && self.numbers.meets(other.numbers)
    }
    /// Are all of these among the other ones?
    pub(super) fn is_within(self, other: Cells) -> bool {
        self.object == other.object && self.numbers.is_within(other.numbers)
    }
    /// The number of the cell, if it is but one.
    pub(super) fn single(self) -> Option<usize> {
        self.numbers.single().and_then(|n| usize::try_from(n).ok())
    }
    /// The number of the first cell.
    pub(super) fn first(self) -> usize {
        usize::try_from(self.numbers.first()).unwrap_or(usize::MAX)
    }
}

/// What addresses of a program mean.
pub(super) struct Meaning<'p> {
    points_to: &'p PointsTo,
    program: &'p Program,
    /// By template and register: the object that it has an address in, and where there.
    registers: Vec<Vec<Place>>,
}

/// Where an address lies in an object, if it is one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Place {
    /// No value so far.
    Nothing,
    In(Cells),
    Unknown,
}

impl Place {
    fn or(self, other: Place) -> Place {
        match (self, other) {
            (Place::Nothing, x) | (x, Place::Nothing) => x,
            (Place::In(a), Place::In(b)) if a.object == b.object => {
                Place::In(Cells { numbers: a.numbers.join(b.numbers), ..a })
            }
            _ => Place::Unknown,
        }
    }
}

impl<'p> Meaning<'p> {
    pub(super) fn new(program: &'p Program, points_to: &'p PointsTo) -> Meaning<'p> {
        let registers = program.templates.iter().map(|t| vec![Place::Nothing; t.registers.len()]).collect();
        let mut m = Meaning { points_to, program, registers };
        while m.grow() {}
        m
    }

    /// Registers get what is assigned to them; a place is left for a coarser one only.
    fn grow(&mut self) -> bool {
        let mut grown = false;
        for (t, template) in self.program.templates.iter().enumerate() {
            for e in &template.graph.edges {
                let Some(r) = relyant_cfa::walk::writes(&e.op) else { continue };
                let place = match &e.op {
                    Op::Assign(_, x) => self.place(t, x),
                    _ => Place::Unknown,
                };
                grown |= self.add(t, r.0 as usize, place);
            }
            if let Some(p) = template.param {
                grown |= self.add(t, p.0 as usize, Place::Unknown);
            }
        }
        grown
    }

    fn add(&mut self, t: usize, r: usize, place: Place) -> bool {
        let known = &mut self.registers[t][r];
        let after = known.or(place);
        std::mem::replace(known, after) != after
    }

    /// An address is the base of an object, a number, and multiples of numbers.
    fn place(&self, t: usize, e: &Expr) -> Place {
        match e {
            Expr::Addr(o) => Place::In(Cells::one(*o, 0)),
            Expr::Reg(r) => self.registers[t][r.0 as usize],
            Expr::Binary(BinOp::Add, a, b, IntKind::Ideal) => match self.place(t, a) {
                Place::In(at) => moved(at, numbers(b)),
                other => other,
            },
            _ => Place::Unknown,
        }
    }

    /// What an address may mean; `None` if that is not known.
    pub(super) fn of(&self, template: u32, address: &Expr) -> Option<BTreeSet<Cells>> {
        let Targets::Objects(set) = self.points_to.targets(template, address) else { return None };
        let place = self.place(template as usize, address);
        let cells = |(o, k): (ObjId, Option<usize>)| match (k, place) {
            (Some(k), _) => Cells::one(o, k),
            (None, Place::In(at)) if at.object == o => at,
            (None, _) => Cells { object: o, numbers: Residue::ANY },
        };
        Some(set.into_iter().map(cells).collect())
    }
}

/// What a number that is added may be.
fn numbers(e: &Expr) -> Residue {
    match e {
        Expr::Const(n) => Residue::one(*n),
        Expr::Binary(BinOp::Mul, a, b, IntKind::Ideal) => numbers(a) * numbers(b),
        Expr::Binary(BinOp::Add, a, b, IntKind::Ideal) => numbers(a) + numbers(b),
        _ => Residue::ANY,
    }
}

/// So many cells behind; before the object nothing is known.
fn moved(at: Cells, by: Residue) -> Place {
    let numbers = at.numbers + by;
    if numbers.single().is_some_and(|n| n < 0) { Place::Unknown } else { Place::In(Cells { numbers, ..at }) }
}
