//! Which cells of objects an address may mean: points-to, and of an index that is not known what its multiples leave over, so
//! that the lock in each slot of an array is told apart from what it protects.

use relyant_cfa::points_to::{PointsTo, Targets};
use relyant_cfa::{BinOp, Expr, IntKind, ObjId, Op, Program};
use std::collections::BTreeSet;

/// Cells of an object: those whose number is `rest` modulo `step`; with 0 that one only.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Cells {
    pub object: ObjId,
    pub step: usize,
    pub rest: usize,
}

impl Cells {
    pub(super) fn one(object: ObjId, cell: usize) -> Cells {
        Cells { object, step: 0, rest: cell }
    }
    pub(super) fn has(self, cell: usize) -> bool {
        congruent(self.rest, cell, self.step)
    }
    pub(super) fn meets(self, other: Cells) -> bool {
        self.object == other.object && congruent(self.rest, other.rest, gcd(self.step, other.step))
    }
    /// Are all of these among the other ones?
    pub(super) fn is_within(self, other: Cells) -> bool {
        let divides = if other.step == 0 { self.step == 0 } else { self.step % other.step == 0 };
        self.object == other.object && divides && other.has(self.rest)
    }
}

fn gcd(mut a: usize, mut b: usize) -> usize {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

fn congruent(a: usize, b: usize, step: usize) -> bool {
    if step == 0 { a == b } else { a % step == b % step }
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
                let step = gcd(gcd(a.step, b.step), a.rest.abs_diff(b.rest));
                Place::In(Cells { step, rest: if step == 0 { a.rest } else { a.rest % step }, ..a })
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
                Place::In(at) => match step(b) {
                    Some((step, rest)) => moved(at, step, rest),
                    None => Place::Unknown,
                },
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
            (None, _) => Cells { object: o, step: 1, rest: 0 },
        };
        Some(set.into_iter().map(cells).collect())
    }
}

/// A number that is added, as a multiple of the first one and the second one.
fn step(e: &Expr) -> Option<(usize, i128)> {
    match e {
        Expr::Const(n) => Some((0, *n)),
        Expr::Binary(BinOp::Mul, a, b, IntKind::Ideal) => match (&**a, &**b) {
            (_, Expr::Const(n)) | (Expr::Const(n), _) => {
                Some((usize::try_from(n.checked_abs()?).ok().filter(|n| *n > 0)?, 0))
            }
            _ => None,
        },
        Expr::Binary(BinOp::Add, a, b, IntKind::Ideal) => {
            let ((s, x), (t, y)) = (step(a)?, step(b)?);
            Some((gcd(s, t), x.checked_add(y)?))
        }
        // Any number.
        _ => Some((1, 0)),
    }
}

fn moved(at: Cells, by: usize, rest: i128) -> Place {
    let step = gcd(at.step, by);
    let moved = || {
        let sum = rest.checked_add(at.rest as i128)?;
        let sum = if step == 0 { sum } else { sum.rem_euclid(step as i128) };
        Some(Cells { step, rest: usize::try_from(sum).ok()?, ..at })
    };
    moved().map_or(Place::Unknown, Place::In)
}
