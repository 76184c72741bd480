//! Values to try for inputs: one of each kind that the program can tell apart, or all, where they are few, else
//! those near the constants that they are computed with.

use super::eval::in_kind;
use super::flow::{Class, Flow};
use super::machine::Machine;
use relyant_cfa::schedule::Start;
use relyant_cfa::{IntKind, ObjId, Program, Reg};
use std::collections::BTreeSet;

/// More values than this are not tried all where they are computed with.
const FEW: i128 = 16;

/// At most this many combinations of start values are tried.
const MAX_STARTS: usize = 4096;

/// What inputs of a program to try.
pub struct Candidates {
    flow: Flow,
    most: usize,
    all: i128,
}

impl Candidates {
    /// `most` bounds the number of values tried where not all are; kinds of at most `all` values have all tried,
    /// whatever they are for.
    pub fn new(program: &Program, most: usize, all: i128) -> Self {
        Candidates { flow: Flow::new(program), most, all }
    }

    /// Values to try for an input into a register, smallest non-negative first, and whether they are enough to
    /// see all behaviours.
    pub fn inputs(&self, template: u32, r: Reg, kind: IntKind) -> (Vec<i128>, bool) {
        self.values(self.flow.register(template, r), kind)
    }

    /// Values to try for a cell of an object, and whether they are enough.
    pub fn cell(&self, object: ObjId, kind: IntKind) -> (Vec<i128>, bool) {
        self.values(self.flow.object(object), kind)
    }

    fn values(&self, class: &Class, kind: IntKind) -> (Vec<i128>, bool) {
        let mut values: Vec<i128> = if let Some(all) = few(kind, self.all) {
            all
        } else if !class.opaque {
            representatives(class, kind)
        } else if let Some(all) = few(kind, FEW) {
            all
        } else {
            let near = |c: &i128| [c.saturating_sub(1), *c, c.saturating_add(1)];
            let mut values: BTreeSet<i128> = class.constants.iter().flat_map(near).collect();
            values.extend([-1, 0, 1, 2]);
            let mut values: Vec<i128> = values.into_iter().filter(|v| in_kind(*v, kind)).collect();
            values.sort_by_key(|v| (v.unsigned_abs(), *v < 0));
            values.truncate(self.most);
            let ends = kind.min().into_iter().chain(kind.max());
            values.extend(ends.filter(|v| !values.contains(v)).collect::<Vec<_>>());
            return (values, false);
        };
        values.sort_by_key(|v| (v.unsigned_abs(), *v < 0));
        (values, true)
    }

    /// Combinations of start values for the cells that have none, and whether they are enough.
    pub fn starts(&self, machine: &Machine<'_>) -> (Vec<Start>, bool) {
        let mut starts = vec![Start::new()];
        let mut complete = true;
        for (object, cell, kind, shared) in machine.open_cells() {
            let (mut values, all) = self.values(self.flow.object(object), kind);
            // A thread's own cells: each thread could start with values of its own, which is not tried.
            if (!shared && values.len() > 1) || starts.len().saturating_mul(values.len()) > MAX_STARTS {
                values.truncate(1);
                complete = false;
            }
            complete &= all;
            let extended = starts.iter().flat_map(|s| {
                values.iter().map(|v| {
                    let mut s = s.clone();
                    s.push((object, cell, *v));
                    s
                })
            });
            starts = extended.collect();
        }
        (starts, complete)
    }
}

fn few(kind: IntKind, most: i128) -> Option<Vec<i128>> {
    let (min, max) = (kind.min()?, kind.max()?);
    (max.saturating_sub(min) < most).then(|| (min..=max).collect())
}

/// Each constant, and a value of each interval between them; if order does not matter, one other value.
fn representatives(class: &Class, kind: IntKind) -> Vec<i128> {
    let inside: Vec<i128> = class.constants.iter().copied().filter(|c| in_kind(*c, kind)).collect();
    let mut values: BTreeSet<i128> = inside.iter().copied().collect();
    // Every interval begins behind a constant or ends before one.
    let beside = inside.iter().flat_map(|c| [c.saturating_add(1), c.saturating_sub(1)]);
    let mut others: Vec<i128> =
        beside.chain([0]).filter(|v| in_kind(*v, kind) && !inside.contains(v)).collect();
    others.sort_by_key(|v| (v.unsigned_abs(), *v < 0));
    if !class.ordered {
        others.truncate(1);
    }
    values.extend(others);
    values.into_iter().collect()
}
