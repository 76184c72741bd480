//! A state in two parts: what an order takes as it is, and the numbers of which more is more.

use super::Space;
use super::order::{Direction, Order};
use relyant_cfa::{IntKind, Owner};
use relyant_interp::eval::in_kind;
use relyant_interp::machine::{Machine, State};
use relyant_interp::normal::{Normal, Scratch};
use rustc_hash::FxHashMap;

/// What an order says of the numbers in a machine's states.
pub struct Split {
    /// Shared cells that are not exact, ascending: index into the state's, does it rise, and its kind.
    cells: Vec<(usize, bool, IntKind)>,
    /// `data[template]`: the same of a thread's data, registers first, then own cells.
    data: Vec<Vec<(usize, bool, IntKind)>>,
}

/// The two parts of a state, and buffers that are used again.
#[derive(Debug, Default)]
pub struct Parts {
    /// The normal form of the state with 0 for all that is not exact.
    pub exact: Vec<u8>,
    /// The other numbers, such that larger is more.
    pub numbers: Vec<i128>,
    state: State,
    masked: State,
    scratch: Scratch,
}

impl Split {
    /// For the states of a machine.
    pub fn new(machine: &Machine<'_>, order: &Order) -> Split {
        let program = machine.program();
        let inexact = |list: &mut Vec<(usize, bool, IntKind)>, at: usize, d: Direction, kind: IntKind| {
            if d != Direction::Exact {
                list.push((at, d == Direction::Rising, kind));
            }
        };
        // The machine has the cells of one owner in the order of their objects.
        let owned = |owner: Owner| {
            let objects =
                program.objects.iter().enumerate().filter(move |(o, _)| program.owners[*o] == owner);
            objects.flat_map(|(o, object)| object.cells.iter().map(move |c| (o, c.0)))
        };
        let mut cells = Vec::new();
        for (i, (o, kind)) in owned(Owner::Shared).enumerate() {
            inexact(&mut cells, i, order.objects[o], kind);
        }
        let data = (0u32..).zip(&program.templates).map(|(t, template)| {
            let mut list = Vec::new();
            for (i, d) in order.registers[t as usize].iter().enumerate() {
                inexact(&mut list, i, *d, template.registers[i].kind);
            }
            for (i, (o, kind)) in owned(Owner::Template(t)).enumerate() {
                inexact(&mut list, template.registers.len() + i, order.objects[o], kind);
            }
            list
        });
        Split { cells, data: data.collect() }
    }

    /// Are the numbers that are not exact of their kinds?
    fn in_kinds(&self, state: &State) -> bool {
        self.cells.iter().all(|(i, _, kind)| in_kind(state.cells[*i], *kind))
            && state.threads.iter().all(|t| {
                let data = &self.data[t.name.template as usize];
                data.iter().all(|(i, _, kind)| in_kind(state.data[t.at + i], *kind))
            })
    }

    /// Splits a packed state.
    pub fn split(&self, normal: &Normal, packed: &[u8], parts: &mut Parts) {
        normal.unpack(packed, &mut parts.state);
        parts.masked.clone_from(&parts.state);
        self.cells.iter().for_each(|(i, ..)| parts.masked.cells[*i] = 0);
        for t in &parts.state.threads {
            for (i, ..) in &self.data[t.name.template as usize] {
                parts.masked.data[t.at + i] = 0;
            }
        }
        normal.pack(&parts.masked, &mut parts.scratch, &mut parts.exact);
        parts.numbers.clear();
        // The smallest number of all has no opposite, and no type of C has it.
        let as_more = |v: i128, rises: bool| if rises { v } else { v.saturating_neg() };
        for (i, rises, _) in &self.cells {
            parts.numbers.push(as_more(parts.state.cells[*i], *rises));
        }
        for k in &parts.scratch.order {
            let t = &parts.state.threads[*k as usize];
            for (i, rises, _) in &self.data[t.name.template as usize] {
                parts.numbers.push(as_more(parts.state.data[t.at + i], *rises));
            }
        }
    }
}

/// Is the first below the second?
pub fn below(a: &[i128], b: &[i128]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(x, y)| x <= y)
}

/// Numbers of states, with what is not exact in them, by their exact part.
type ByExact = FxHashMap<Box<[u8]>, Vec<(u32, Box<[i128]>)>>;

/// A state of a set with more threads than this subsumes none but itself.
const MOST_THREADS: usize = 1 << 12;

/// States by their exact part, to find one that is not below a given one.
pub struct Larger {
    split: Split,
    states: ByExact,
}

impl Larger {
    /// Of the states of a set.
    pub fn new(machine: &Machine<'_>, normal: &Normal, order: &Order, space: &Space) -> Larger {
        let split = Split::new(machine, order);
        let mut states = ByExact::default();
        let mut parts = Parts::default();
        for i in 0..space.len() as u32 {
            // The bytes may be anything. What is exact in them is compared with that of states that were met; the
            // other numbers must be such as the program can have.
            if !normal.is_readable(space.get(i), MOST_THREADS) {
                continue;
            }
            split.split(normal, space.get(i), &mut parts);
            if !split.in_kinds(&parts.state) {
                continue;
            }
            states
                .entry(parts.exact.as_slice().into())
                .or_default()
                .push((i, parts.numbers.as_slice().into()));
        }
        Larger { split, states }
    }

    /// The first state of the set that a packed one is below.
    pub fn find(&self, normal: &Normal, packed: &[u8], parts: &mut Parts) -> Option<u32> {
        self.split.split(normal, packed, parts);
        let states = self.states.get(parts.exact.as_slice())?;
        states.iter().find(|(_, numbers)| below(&parts.numbers, numbers)).map(|(i, _)| *i)
    }
}
