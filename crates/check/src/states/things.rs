//! What threads share, by number.

use relyant_cfa::points_to::{PointsTo, Targets};
use relyant_cfa::{Expr, ObjId, Owner, Program};
use relyant_interp::machine::{Machine, State};

/// With more shared cells than this, objects are told apart but not their cells.
const MOST_CELLS: usize = 2048;

/// A thing that is read or written, by number.
pub(super) type Thing = u32;

/// What threads share, by number: cells of shared objects (whole objects, where there are many cells), then the
/// number of the next thread, then how many are alive.
pub(super) struct Things {
    /// By object: the number of its first cell, or of the whole object; `None` for a thread's own.
    first: Vec<Option<Thing>>,
    /// Object and cells of each thing that is one.
    cells: Vec<(ObjId, std::ops::Range<usize>)>,
    /// Each cell has a number of its own.
    by_cell: bool,
    pub next_thread: Thing,
    pub live_threads: Thing,
    pub bounded: bool,
}

impl Things {
    pub fn new(program: &Program) -> Things {
        let objects = || program.objects.iter().zip(&program.owners);
        let size = |(o, owner): (&relyant_cfa::Object, &Owner)| match owner {
            Owner::Shared => o.cells.len(),
            Owner::Template(_) => 0,
        };
        let by_cell = objects().map(size).sum::<usize>() <= MOST_CELLS;
        let mut next = 0;
        let (mut first, mut cells) = (Vec::new(), Vec::new());
        for (i, (o, owner)) in (0u32..).zip(objects()) {
            let shared = *owner == Owner::Shared;
            first.push(shared.then_some(next));
            next += if by_cell { size((o, owner)) as Thing } else { Thing::from(shared) };
            if by_cell {
                cells.extend((0..size((o, owner))).map(|k| (ObjId(i), k..k + 1)));
            } else if shared {
                cells.push((ObjId(i), 0..size((o, owner))));
            }
        }
        let bounded = program.max_threads.is_some();
        Things { first, cells, by_cell, next_thread: next, live_threads: next + 1, bounded }
    }

    /// Has a cell of the thing no value yet?
    pub fn is_unchosen(&self, machine: &Machine<'_>, state: &State, x: Thing) -> bool {
        let Some((o, cells)) = self.cells.get(x as usize) else { return false };
        cells.clone().any(|k| machine.is_unchosen(state, *o, k))
    }

    pub fn count(&self) -> usize {
        self.live_threads as usize + 1
    }

    /// A cell; `None` for a thread's own.
    pub fn cell(&self, object: usize, cell: usize) -> Option<Thing> {
        self.first[object].map(|f| if self.by_cell { f + cell as Thing } else { f })
    }

    /// What an access through an address may touch.
    pub fn at(&self, program: &Program, points: &PointsTo, template: usize, address: &Expr) -> Vec<Thing> {
        if let Some((o, k)) = constant(program, address).and_then(|a| program.cell_at(a)) {
            return self.cell(o.0 as usize, k).into_iter().collect();
        }
        let mut list: Vec<Thing> = match points.targets(template as u32, address) {
            Targets::Unknown => (0..self.next_thread).collect(),
            Targets::Objects(targets) => {
                let cells = |(o, k): &(relyant_cfa::ObjId, Option<usize>)| {
                    let (o, all) = (o.0 as usize, program.objects[o.0 as usize].cells.len());
                    let range = k.map_or(0..all, |k| k..k + 1);
                    range.filter_map(|k| self.cell(o, k)).collect::<Vec<_>>()
                };
                targets.iter().flat_map(cells).collect()
            }
        };
        list.sort_unstable();
        list.dedup();
        list
    }
}

/// The value of an address without registers.
pub(super) fn constant(program: &Program, e: &Expr) -> Option<i128> {
    match e {
        Expr::Const(c) => Some(*c),
        Expr::Addr(o) => program.bases.get(o.0 as usize).copied(),
        Expr::Binary(relyant_cfa::BinOp::Add, a, b, relyant_cfa::IntKind::Ideal) => {
            constant(program, a)?.checked_add(constant(program, b)?)
        }
        _ => None,
    }
}
