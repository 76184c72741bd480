//! Accesses of the program to its objects. All of them pass here: reads, writes, copies, compound assignments, atomic
//! operations and memory functions; not what the front end does itself: locks, start values, arguments.

use super::body::Body;
use super::lower::Lower;
use super::parts::Part;
use super::types::Ty;
use super::value::Place;
use crate::races::{Access, AccessTarget};
use lang_c::span::Span as Bytes;
use relyant_cfa::{Expr, IntKind, Op};

/// What is known of an access besides its address.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct How {
    /// To an object of atomic type, or by an atomic operation.
    pub atomic: bool,
    /// Cells from the first one of a row of bit-fields.
    pub in_unit: u64,
}

impl How {
    /// How a place is accessed by an operator of C.
    pub fn of(p: &Place) -> How {
        How { atomic: matches!(p.ty, Ty::Atomic(_)), in_unit: p.bit_field.unwrap_or(0) }
    }
}

/// Which accesses of an atomic operation order nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Relaxed {
    /// Its reads: the order is no acquire.
    pub load: bool,
    /// Its reads where a compare-exchange fails.
    pub failure: bool,
    /// Its writes: the order is no release.
    pub store: bool,
    /// Its write is not sequentially consistent: on x86 it is a plain store.
    pub buffered: bool,
    /// It reads and writes in one step.
    pub locked: bool,
}

impl Part {
    /// How a part of a larger object is accessed.
    pub fn how(&self) -> How {
        How { atomic: false, in_unit: self.in_unit }
    }
}

impl Lower<'_> {
    /// Loads one cell into a register; the access is remembered for data races.
    pub fn read_cell(&mut self, address: Expr, kind: IntKind, how: How, at: Bytes) -> Expr {
        self.access(&address, false, how, at);
        self.body.load(address, kind)
    }

    /// Writes a value, converted to the kind, to a cell.
    pub fn write_cell(&mut self, address: Expr, value: Expr, kind: IntKind, how: How, at: Bytes) {
        self.access(&address, true, how, at);
        self.body.store(address, value, kind);
    }

    /// What is to be done before an access, whose edge comes next.
    fn access(&mut self, _address: &Expr, write: bool, how: How, _at: Bytes) {
        let How { atomic, in_unit } = how;
        let to = AccessTarget::Cell;
        let relaxed = atomic && if write { self.context.relaxed.store } else { self.context.relaxed.load };
        let fails_relaxed = atomic && !write && self.context.relaxed.failure;
        let drains = atomic && (self.context.relaxed.locked || write && !self.context.relaxed.buffered);
        let from = self.body.cur;
        self.body.accesses.push(Access { from, write, atomic, relaxed, fails_relaxed, drains, in_unit, to });
    }
}

impl Body {
    /// The edge that comes next is a call that gives back the object at its last argument.
    pub fn free_object(&mut self) {
        self.accesses.push(Access {
            from: self.cur,
            write: true,
            atomic: false,
            relaxed: false,
            fails_relaxed: false,
            drains: false,
            in_unit: 0,
            to: AccessTarget::Object,
        });
    }

    /// A fence: nothing that comes before it is unordered with what comes after it any more. `drains`: stores before it
    /// have come to memory, too.
    pub fn fence(&mut self, drains: bool) {
        self.accesses.push(Access {
            from: self.cur,
            write: false,
            atomic: true,
            relaxed: false,
            fails_relaxed: false,
            drains,
            in_unit: 0,
            to: AccessTarget::Fence,
        });
        self.emit(Op::Skip);
    }
}
