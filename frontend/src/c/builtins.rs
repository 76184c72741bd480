//! Arithmetic that compilers and the C library have as functions: bits counted, overflow told, characters classified.
//!
//! Counting is a loop over the bits, in registers: no step of its own for others.

use super::calls::Args;
use super::library::{Bits, Class};
use super::lower::{Lower, Res};
use super::types::{BOOL, INT, Int, Ty};
use super::value::{Value, binary, cast, compare};
use lang_c::span::Span as Bytes;
use relyant_cfa::{BinOp, CmpOp, Expr, IntKind, Op, Reg};

impl<'a> Lower<'a> {
    /// `__builtin_popcount` and the like, on an unsigned number of so many bits.
    pub fn bits_call(&mut self, b: Bits, bits: u8, args: Args<'a>, at: Bytes) -> Res<Value> {
        let of = if bits > 32 { super::types::LONG_LONG } else { super::types::INT };
        let ty = Int { signed: false, bits, ..of };
        let kind = self.unit.types.kind(&Ty::Int(ty));
        let v = self.value(self.argument(args, 0, at)?)?;
        let v = self.convert(v, &Ty::Int(ty), at)?.expr;
        if b == Bits::Swap {
            return Ok(Value { expr: swapped(v, bits, kind), ty: Ty::Int(ty) });
        }
        if kind == IntKind::Ideal {
            return self.refuse(at, "counting the bits of mathematical integers is", "");
        }
        let v = self.body.assign(kind, v);
        let n = self.body.result_register();
        let start = if b == Bits::LeadingZeros { i128::from(bits) } else { 0 };
        self.body.emit(Op::Assign(n, Expr::Const(start)));
        let (head, step, end) = (self.body.fresh(), self.body.fresh(), self.body.fresh());
        let zero = compare(CmpOp::Eq, Expr::Reg(v), Expr::Const(0));
        match b {
            // The count of zeros of 0 is not defined.
            Bits::TrailingZeros | Bits::LeadingZeros => {
                let none = self.body.fresh();
                self.body.rule_out(none);
                self.body.branch(zero.clone(), none, head);
            }
            Bits::FirstSet => {
                let some = self.body.fresh();
                self.body.branch(zero.clone(), end, some);
                self.body.cur = some;
                self.body.emit(Op::Assign(n, Expr::Const(1)));
                self.body.edge_to(head, Op::Skip);
            }
            Bits::Ones | Bits::Parity | Bits::Swap => self.body.edge_to(head, Op::Skip),
        }
        self.body.cur = head;
        let low = binary(BinOp::Rem, Expr::Reg(v), Expr::Const(2), kind);
        let half = binary(BinOp::Div, Expr::Reg(v), Expr::Const(2), kind);
        let counted = |by: Expr, op| binary(op, Expr::Reg(n), by, IntKind::INT);
        match b {
            Bits::TrailingZeros | Bits::FirstSet => {
                self.body.branch(compare(CmpOp::Eq, low, Expr::Const(0)), step, end);
                self.body.cur = step;
                self.body.emit(Op::Assign(n, counted(Expr::Const(1), BinOp::Add)));
            }
            _ => {
                self.body.branch(zero, end, step);
                self.body.cur = step;
                let next = match b {
                    Bits::LeadingZeros => counted(Expr::Const(1), BinOp::Sub),
                    _ => counted(cast(low, kind, IntKind::INT), BinOp::Add),
                };
                self.body.emit(Op::Assign(n, next));
            }
        }
        self.body.edge_to(head, Op::Assign(v, half));
        self.body.cur = end;
        let count = Expr::Reg(n);
        let expr = match b {
            Bits::Parity => binary(BinOp::Rem, count, Expr::Const(2), IntKind::INT),
            _ => count,
        };
        Ok(Value { expr, ty: Ty::Int(INT) })
    }

    /// `__builtin_add_overflow` and the like: the exact result, what of it fits, and whether that is all.
    pub fn overflow_call(
        &mut self,
        op: BinOp,
        generic: bool,
        stores: bool,
        args: Args<'a>,
        at: Bytes,
    ) -> Res<Value> {
        let mut a = self.value(self.argument(args, 0, at)?)?;
        let mut b = self.value(self.argument(args, 1, at)?)?;
        let third = self.argument(args, 2, at)?;
        let (place, ty) = if stores {
            match self.pointee(third)? {
                Some(p) => (Some(p.clone()), p.ty),
                None => return self.error(third.span, "a null pointer", ""),
            }
        } else {
            (None, self.value_type(third)?)
        };
        if !generic {
            a = self.convert(a, &ty, at)?;
            b = self.convert(b, &ty, at)?;
        }
        self.integer(&a, at)?;
        self.integer(&b, at)?;
        let exact = Expr::Reg(self.body.assign(IntKind::Ideal, binary(op, a.expr, b.expr, IntKind::Ideal)));
        let kind = self.unit.types.kind(&ty);
        let fits = Expr::Reg(self.body.assign(kind, cast(exact.clone(), IntKind::Ideal, kind)));
        if let Some(p) = place {
            self.write(&p, Value { expr: fits.clone(), ty: ty.clone() }, at)?;
        }
        Ok(Value { expr: compare(CmpOp::Ne, exact, fits), ty: Ty::Int(BOOL) })
    }

    /// `isdigit` and the like, in the C locale.
    pub fn classify(&mut self, c: Class, args: Args<'a>, at: Bytes) -> Res<Value> {
        self.unit.assume("characters are those of the C locale");
        let (ranges, bit) = c.ranges();
        let v = self.character(args, at)?;
        let r = self.body.result_register();
        let (yes, end) = (self.body.fresh(), self.body.fresh());
        for (low, high) in ranges {
            let (above, next) = (self.body.fresh(), self.body.fresh());
            self.body.branch(compare(CmpOp::Ge, Expr::Reg(v), Expr::Const(*low)), above, next);
            self.body.cur = above;
            self.body.branch(compare(CmpOp::Le, Expr::Reg(v), Expr::Const(*high)), yes, next);
            self.body.cur = next;
        }
        self.body.edge_to(end, Op::Assign(r, Expr::Const(0)));
        // Any number but 0 may stand for true: programs meet these two.
        self.body.cur = yes;
        self.body.edge_to(end, Op::Assign(r, Expr::Const(1)));
        self.body.edge_to(end, Op::Assign(r, Expr::Const(bit)));
        self.body.cur = end;
        Ok(Value { expr: Expr::Reg(r), ty: Ty::Int(INT) })
    }

    /// `toupper` and `tolower`, in the C locale.
    pub fn change_case(&mut self, upper: bool, args: Args<'a>, at: Bytes) -> Res<Value> {
        self.unit.assume("characters are those of the C locale");
        let v = self.character(args, at)?;
        let (first, last, by) = if upper { (97, 122, -32) } else { (65, 90, 32) };
        let (above, inside, end) = (self.body.fresh(), self.body.fresh(), self.body.fresh());
        self.body.branch(compare(CmpOp::Ge, Expr::Reg(v), Expr::Const(first)), above, end);
        self.body.cur = above;
        self.body.branch(compare(CmpOp::Le, Expr::Reg(v), Expr::Const(last)), inside, end);
        self.body.cur = inside;
        let other = binary(BinOp::Add, Expr::Reg(v), Expr::Const(by), IntKind::INT);
        self.body.edge_to(end, Op::Assign(v, other));
        self.body.cur = end;
        Ok(Value { expr: Expr::Reg(v), ty: Ty::Int(INT) })
    }

    fn character(&mut self, args: Args<'a>, at: Bytes) -> Res<Reg> {
        let v = self.value(self.argument(args, 0, at)?)?;
        let v = self.convert(v, &Ty::Int(INT), at)?;
        Ok(self.body.assign(IntKind::INT, v.expr))
    }
}

/// The bytes in the other order.
fn swapped(v: Expr, bits: u8, kind: IntKind) -> Expr {
    let bytes = u32::from(bits) / 8;
    (0..bytes).fold(Expr::Const(0), |sum, k| {
        let down = binary(BinOp::Div, v.clone(), Expr::Const(1i128 << (8 * k)), kind);
        let byte = binary(BinOp::Rem, down, Expr::Const(256), kind);
        let up = binary(BinOp::Mul, byte, Expr::Const(1i128 << (8 * (bytes - 1 - k))), kind);
        binary(BinOp::Add, sum, up, kind)
    })
}
