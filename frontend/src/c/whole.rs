//! Atomic structs and unions. They are read, written, exchanged and compared as a whole: all cells in one step (C11
//! 6.2.6.1p9, 7.17.7). What is read is a copy of its own. A member is never accessed alone (C11 6.5.2.3p5).

use super::access::How;
use super::lower::{Lower, Res};
use super::parts::Part;
use super::types::Ty;
use super::value::{At, Place, Value, compare, offset};
use lang_c::span::Span as Bytes;
use relyant_cfa::options::Property;
use relyant_cfa::{CmpOp, Expr, InputSource, IntKind, Loc, Op};

/// Said where padding may make a compare-exchange fail.
const PADDING: &str = "padding in atomic structs has any value: a compare-exchange compares it, too, and may fail where \
     all members are equal";

impl Ty {
    /// Is it an atomic struct or union?
    pub fn is_whole(&self) -> bool {
        matches!(self, Ty::Atomic(_)) && matches!(self.plain(), Ty::Record(_))
    }
    /// A function's result is not atomic (C17 6.7.6.3p5).
    pub fn into_result(self) -> Ty {
        if self.is_whole() { self.plain().clone() } else { self }
    }
}

/// Are there bits of an object of so many bytes that belong to no member?
fn has_padding(parts: &[Part], bytes: u64) -> bool {
    let mut taken: Vec<(u64, u64)> = parts.iter().map(|p| (p.bit, p.bit + p.width)).collect();
    taken.sort_unstable();
    let mut covered = 0;
    for (from, to) in taken {
        if from > covered {
            return true;
        }
        covered = covered.max(to);
    }
    covered < bytes * 8
}

impl Lower<'_> {
    /// The address and the cells of an atomic struct.
    fn whole(&mut self, p: &Place, at: Bytes) -> Res<(Expr, Vec<Part>)> {
        let what = self.unit.types.describe(&p.ty);
        if self.unit.options.is_tso() {
            let what = format!("an atomic access to `{what}` under --memory-model tso is");
            return self.refuse(at, what, "use an atomic integer or pointer");
        }
        let (At::Memory(address), None) = (&p.at, &p.through) else {
            let what = format!("`{what}` in a union that is seen in several ways is");
            return self.refuse(at, what, "put it in a struct");
        };
        if !self.unit.types.tags(&p.ty).is_empty() {
            let what = format!("`{what}`, which holds a union that is seen in several ways, is");
            return self.refuse(at, what, "use one member of the union");
        }
        match self.unit.types.layout(&p.ty) {
            Ok(parts) if parts.is_empty() => self.refuse(at, format!("`{what}`, which is empty, is"), ""),
            Ok(parts) => Ok((address.clone(), parts)),
            Err(why) => self.refuse(at, format!("`{what}`: {why}; accessing it is"), ""),
        }
    }

    /// Reads all cells, which is one step only if the caller makes it one.
    fn load_parts(&mut self, address: &Expr, parts: &[Part], atomic: bool, at: Bytes) -> Vec<Expr> {
        let cells = (0..).zip(parts);
        let read = |(k, p): (u64, &Part)| {
            self.read_cell(offset(address.clone(), k), p.kind, How { atomic, ..p.how() }, at)
        };
        cells.map(read).collect()
    }

    /// Writes all cells, which is one step only if the caller makes it one.
    fn store_parts(&mut self, address: &Expr, values: &[Expr], parts: &[Part], atomic: bool, at: Bytes) {
        for ((k, p), v) in (0..).zip(parts).zip(values) {
            self.write_cell(offset(address.clone(), k), v.clone(), p.kind, How { atomic, ..p.how() }, at);
        }
    }

    /// A value that was read, as an object of its own.
    fn copy_of(&mut self, values: &[Expr], parts: &[Part], ty: &Ty, at: Bytes) -> Res<Value> {
        let ty = ty.plain().clone();
        let object = self.local_object("value", &ty, at)?;
        self.body.started.push(object);
        for ((k, p), v) in (0..).zip(parts).zip(values) {
            self.body.initial_store(offset(Expr::Addr(object), k), v.clone(), p.kind);
        }
        Ok(Value { expr: Expr::Addr(object), ty })
    }

    /// Reads an atomic struct.
    pub fn read_whole(&mut self, p: &Place, at: Bytes) -> Res<Value> {
        let (address, parts) = self.whole(p, at)?;
        if self.context.scopes.at_file() {
            // Only its type counts.
            return Ok(Value { expr: address, ty: p.ty.plain().clone() });
        }
        let mark = self.body.mark();
        let values = self.load_parts(&address, &parts, true, at);
        self.body.one_step(mark);
        self.copy_of(&values, &parts, &p.ty, at)
    }

    /// Writes a value of its type to an atomic struct.
    pub fn write_whole(&mut self, p: &Place, v: &Value, at: Bytes) -> Res<()> {
        let (address, parts) = self.whole(p, at)?;
        let values = self.load_parts(&v.expr, &parts, false, at);
        let mark = self.body.mark();
        self.store_parts(&address, &values, &parts, true, at);
        self.body.one_step(mark);
        Ok(())
    }

    /// Writes a value to an atomic struct and gives the one that was there.
    pub fn exchange_whole(&mut self, p: &Place, v: Value, at: Bytes) -> Res<Value> {
        let v = self.convert(v, &p.ty, at)?;
        let (address, parts) = self.whole(p, at)?;
        let new = self.load_parts(&v.expr, &parts, false, at);
        let mark = self.body.mark();
        let old = self.load_parts(&address, &parts, true, at);
        self.store_parts(&address, &new, &parts, true, at);
        self.body.one_step(mark);
        self.copy_of(&old, &parts, &p.ty, at)
    }

    /// A compare-exchange of an atomic struct: 1 if the new value was written, else 0, and `expected` has the value seen.
    pub fn compare_exchange_whole(
        &mut self,
        p: &Place,
        expected: &Place,
        new: Value,
        weak: bool,
        at: Bytes,
    ) -> Res<Expr> {
        let new = self.convert(new, &p.ty, at)?;
        let (address, parts) = self.whole(p, at)?;
        if expected.ty != *p.ty.plain() {
            let what = self.unit.types.describe(&expected.ty);
            let help = "the value expected has the same type, and is not atomic";
            return self.refuse(at, format!("comparing an atomic struct with a `{what}` is"), help);
        }
        let (expected, _) = self.whole(expected, at)?;
        if self.unit.options.property == Property::NoDataRace
            && self.context.relaxed.failure
            && !self.context.relaxed.load
        {
            // Which of its reads order nothing would depend on all of them.
            let what = "a compare-exchange of a struct that orders nothing where it fails, where data races are looked for, is";
            self.beyond(at, what, "use memory_order_acquire for its failure")?;
        }
        let new = self.load_parts(&new.expr, &parts, false, at);
        let old = self.load_parts(&expected, &parts, false, at);
        let (differed, end) = (self.body.fresh(), self.body.fresh());
        let mark = self.body.mark();
        let seen = self.load_parts(&address, &parts, true, at);
        self.body.one_step(mark);
        self.body.hold();
        if weak {
            self.body.edge_to(differed, Op::Skip);
        }
        for (x, y) in seen.iter().zip(&old) {
            let same = compare(CmpOp::Eq, x.clone(), y.clone());
            let next = self.body.fresh_held();
            self.body.edge_to(next, Op::Assume(same.clone()));
            self.body.edge_to(differed, Op::Assume(same.is_false()));
            self.body.cur = next;
        }
        let bytes = self.unit.types.size(&p.ty).map_or(0, |s| s.0);
        if !weak && has_padding(&parts, bytes) {
            self.padding(&p.ty, differed);
        }
        let mark = self.body.mark();
        self.store_parts(&address, &new, &parts, true, at);
        self.body.one_step(mark);
        let r = self.body.temp(IntKind::INT);
        self.body.edge_to(end, Op::Assign(r, Expr::Const(1)));
        self.body.cur = differed;
        self.store_parts(&expected, &seen, &parts, false, at);
        self.body.edge_to(end, Op::Assign(r, Expr::Const(0)));
        self.body.cur = end;
        Ok(Expr::Reg(r))
    }

    /// All members are equal: goes on where the padding is, too. A run where it differs is no counterexample, as
    /// compilers often keep it equal.
    fn padding(&mut self, ty: &Ty, differed: Loc) {
        self.unit.assume(PADDING);
        let (equal, other) = (self.body.fresh_held(), self.body.fresh_held());
        self.body.edge_to(equal, Op::Skip);
        self.body.edge_to(other, Op::Skip);
        self.body.cur = other;
        let padded = self.unit.types.describe(ty.plain());
        let source = InputSource::approximate(format!("padding of {padded}"));
        let differs = self.body.havoc(IntKind::Bool, source);
        self.body.hold();
        self.body.assumes();
        let differs = compare(CmpOp::Ne, differs, Expr::Const(0));
        self.body.edge_to(differed, Op::Assume(differs));
        self.body.cur = equal;
    }
}
