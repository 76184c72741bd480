//! What steps access, by number: cells that threads share, and sets of them for each location.

use super::config::Config;
use relyant_cfa::points_to::{PointsTo, Targets};
use relyant_cfa::{BinOp, Expr, IntKind, ObjId, Owner, Program};
use relyant_interp::machine::State;

/// More cells than this are told apart by object only.
const MAX_KEYS: usize = 2048;

/// Numbers of what is accessed.
#[derive(Clone, Debug)]
pub(super) struct Keys {
    /// First key of each shared object.
    objects: Vec<Option<u32>>,
    /// One key a cell, or one an object.
    cells: bool,
    /// Object and cell of each key; cell 0 where keys are objects.
    of_key: Vec<(ObjId, u32)>,
    /// How many there are.
    pub number: u32,
    /// With a bound on live threads.
    pub bounded: bool,
}

impl Keys {
    /// Those of a program.
    pub fn new(program: &Program) -> Keys {
        let shared = |i: usize| program.owners[i] == Owner::Shared;
        let cells: usize =
            program.objects.iter().enumerate().filter(|(i, _)| shared(*i)).map(|(_, o)| o.cells.len()).sum();
        let by_cell = cells <= MAX_KEYS;
        let mut number = 0;
        let mut of_key = Vec::new();
        let objects = program.objects.iter().enumerate().map(|(i, o)| {
            shared(i).then(|| {
                let first = number;
                number += if by_cell { o.cells.len() as u32 } else { 1 };
                of_key.extend((0..number - first).map(|k| (ObjId(i as u32), k)));
                first
            })
        });
        let objects = objects.collect();
        Keys { objects, cells: by_cell, of_key, number, bounded: program.max_threads.is_some() }
    }
    /// The number of the next thread.
    pub fn created(&self) -> u32 {
        self.number
    }
    /// How many threads live.
    pub fn alive(&self) -> u32 {
        self.number + 1
    }
    /// Is the value of a cell of the key still to be chosen?
    pub fn is_unchosen(&self, config: &Config<'_>, state: &State, key: u32) -> bool {
        let Some((o, k)) = self.of_key.get(key as usize).copied() else { return false };
        let all = config.machine.program().objects[o.0 as usize].cells.len();
        let cells = if self.cells { k as usize..k as usize + 1 } else { 0..all };
        cells.into_iter().any(|k| config.machine.is_unchosen(state, o, k))
    }
    /// The key of a cell; `None` for one that only its thread may access.
    pub fn of(&self, object: usize, cell: usize) -> Option<u32> {
        self.objects[object].map(|first| if self.cells { first + cell as u32 } else { first })
    }
    /// What an address may access, and whether that is one cell for certain.
    pub fn targets(
        &self,
        program: &Program,
        points: &PointsTo,
        t: usize,
        address: &Expr,
    ) -> (Vec<u32>, bool) {
        if let Ok(key) = self.constant(program, address) {
            return (key.into_iter().collect(), true);
        }
        let mut keys = Vec::new();
        match points.targets(t as u32, address) {
            Targets::Unknown => keys.extend(0..self.number),
            Targets::Objects(list) => {
                for (o, k) in list {
                    let cells = match k {
                        Some(k) => k..k + 1,
                        None => 0..program.objects[o.0 as usize].cells.len(),
                    };
                    keys.extend(cells.filter_map(|k| self.of(o.0 as usize, k)));
                }
            }
        }
        keys.sort_unstable();
        keys.dedup();
        (keys, false)
    }
    /// What a constant address accesses: `Err` where it is not constant.
    pub fn constant(&self, program: &Program, address: &Expr) -> Result<Option<u32>, ()> {
        // An access that is none at all ends the run.
        Ok(constant(program, address)?.and_then(|(o, k)| self.of(o.0 as usize, k)))
    }
}

/// Accesses by location, as bits: those of location `l` are `words` words from `l * words` on, a bit for each key.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Rows {
    /// Words of a row.
    pub words: usize,
    /// Keys that may be read.
    pub reads: Vec<u64>,
    /// Keys that may be written.
    pub writes: Vec<u64>,
}

/// The cell at a constant address, if there is one: `Err` where it is not constant.
pub(super) fn constant(program: &Program, address: &Expr) -> Result<Option<(ObjId, usize)>, ()> {
    let c = match address {
        Expr::Addr(o) => program.bases[o.0 as usize],
        Expr::Const(c) => *c,
        Expr::Binary(BinOp::Add, a, b, IntKind::Ideal) => match (&**a, &**b) {
            (Expr::Addr(o), Expr::Const(c)) | (Expr::Const(c), Expr::Addr(o)) => {
                program.bases[o.0 as usize].checked_add(*c).ok_or(())?
            }
            _ => return Err(()),
        },
        _ => return Err(()),
    };
    Ok(program.cell_at(c))
}

/// The one cell that an address of a template may be of; `None` where there may be others.
pub(super) fn sole(program: &Program, points: &PointsTo, t: usize, address: &Expr) -> Option<(ObjId, usize)> {
    if let Ok(cell) = constant(program, address) {
        return cell;
    }
    match points.targets(t as u32, address) {
        Targets::Objects(list) => match *list.iter().collect::<Vec<_>>() {
            [&(o, Some(k))] => Some((o, k)),
            _ => None,
        },
        Targets::Unknown => None,
    }
}

impl Rows {
    /// So many rows of no keys.
    pub fn new(n: usize, keys: u32) -> Rows {
        let words = (keys as usize + 2).div_ceil(64);
        Rows { words, reads: vec![0; n * words], writes: vec![0; n * words] }
    }
    /// Adds a key to a row.
    pub fn set(&mut self, row: usize, key: u32, write: bool) {
        let list = if write { &mut self.writes } else { &mut self.reads };
        list[row * self.words + key as usize / 64] |= 1 << (key % 64);
    }
    /// The keys of a row that may be read, and written.
    pub fn row(&self, row: usize) -> (&[u64], &[u64]) {
        let range = row * self.words..(row + 1) * self.words;
        (&self.reads[range.clone()], &self.writes[range])
    }
    /// A row more, of no keys; its number.
    pub fn add(&mut self, words: usize) -> usize {
        self.words = words;
        let row = self.reads.len() / words.max(1);
        self.reads.resize((row + 1) * words, 0);
        self.writes.resize((row + 1) * words, 0);
        row
    }
    /// Adds a row of others.
    pub fn join_from(&mut self, to: usize, others: &Rows, from: usize) {
        let (reads, writes) = others.row(from);
        let at = to * self.words;
        self.reads[at..].iter_mut().zip(reads).for_each(|(a, b)| *a |= b);
        self.writes[at..].iter_mut().zip(writes).for_each(|(a, b)| *a |= b);
    }
    /// Adds a row to another; has it grown?
    pub fn join(&mut self, to: usize, from: usize) -> bool {
        let mut grown = false;
        for list in [&mut self.reads, &mut self.writes] {
            for w in 0..self.words {
                let new = list[from * self.words + w] & !list[to * self.words + w];
                list[to * self.words + w] |= new;
                grown |= new != 0;
            }
        }
        grown
    }
}
