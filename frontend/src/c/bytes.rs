//! Bytes of an integer, where the expression itself says which one: `((unsigned char *)&x)[k]`, `*((char *)&x + k)`, k
//! constant. The integer is read; a write changes the byte in it and keeps the others, in one step. Pointers to such
//! bytes there are none: addresses count scalars.

use super::access::How;
use super::lower::{Lower, Res};
use super::types::{Int, Ty};
use super::value::{At, Place, Value, binary, cast};
use lang_c::ast::*;
use lang_c::span::{Node, Span as Bytes};
use relyant_cfa::options::Property;
use relyant_cfa::{BinOp, Expr, IntKind};

/// A byte of an integer in memory.
#[derive(Clone, Debug)]
pub struct Byte {
    /// Where the integer is.
    pub address: Expr,
    /// The type of the whole integer.
    pub whole: Int,
    /// Bits below the byte.
    pub shift: u8,
}

impl Byte {
    fn unsigned(&self) -> IntKind {
        IntKind::Machine { bits: self.whole.bits, signed: false }
    }
}

/// `(T *)&x` as a cast and x, and an index; without one it is the first element.
type Element<'e> = (&'e CastExpression, &'e Node<Expression>, Option<&'e Node<Expression>>);

/// The element that an expression of this form designates.
fn parts(e: &Expression) -> Option<Element<'_>> {
    let (pointer, index) = match e {
        Expression::UnaryOperator(u) if u.node.operator.node == UnaryOperator::Indirection => {
            match &u.node.operand.node {
                Expression::BinaryOperator(b) if b.node.operator.node == BinaryOperator::Plus => {
                    (&b.node.lhs, Some(&*b.node.rhs))
                }
                _ => (&u.node.operand, None),
            }
        }
        Expression::BinaryOperator(b) if b.node.operator.node == BinaryOperator::Index => {
            (&b.node.lhs, Some(&*b.node.rhs))
        }
        _ => return None,
    };
    let Expression::Cast(c) = &pointer.node else { return None };
    match &c.node.expression.node {
        Expression::UnaryOperator(u) if u.node.operator.node == UnaryOperator::Address => {
            Some((&c.node, &u.node.operand, index))
        }
        _ => None,
    }
}

impl<'a> Lower<'a> {
    /// The byte of an integer that an expression designates, if it has this form.
    pub fn byte_place(&mut self, e: &'a Node<Expression>) -> Res<Option<Place>> {
        let Some((pointer, operand, index)) = parts(&e.node) else { return Ok(None) };
        let Ty::Pointer(target) = self.type_name(&pointer.type_name)? else { return Ok(None) };
        let Ty::Int(whole) = self.type_of(operand)? else { return Ok(None) };
        let kind = self.unit.types.kind(&Ty::Int(whole));
        if !matches!(*target, Ty::Int(Int { rank: 1, .. })) || whole.rank < 2 || kind == IntKind::Ideal {
            return Ok(None);
        }
        let index = match index {
            Some(i) => self.constant(i)?,
            None => Some(0),
        };
        let Some(shift) = index.and_then(|k| u8::try_from(k.checked_mul(8)?).ok()) else { return Ok(None) };
        // A bit-field has no address, and the width of the field.
        if shift >= whole.bits || whole.bits % 8 != 0 {
            return Ok(None);
        }
        let p = self.place(operand)?;
        let (At::Memory(address), None, None) = (&p.at, &p.through, &p.bit_field) else { return Ok(None) };
        if self.unit.options.property == Property::NoDataRace {
            // Threads that access different bytes do not race.
            self.beyond(
                e.span,
                "a byte of an integer, where data races are looked for, is",
                "memory is scalars here, not bytes",
            )?;
        }
        let byte = Byte { address: address.clone(), whole, shift };
        Ok(Some(Place { at: At::Byte(byte), ty: (*target).clone(), ..p }))
    }

    /// Reads it, as a value of a type.
    pub fn read_byte(&mut self, b: &Byte, ty: &Ty, at: Bytes) -> Expr {
        let kind = self.unit.types.kind(&Ty::Int(b.whole));
        let v = self.read_cell(b.address.clone(), kind, How::default(), at);
        let v =
            binary(BinOp::Shr, cast(v, kind, b.unsigned()), Expr::Const(i128::from(b.shift)), b.unsigned());
        let v = binary(BinOp::And, v, Expr::Const(0xff), b.unsigned());
        cast(v, b.unsigned(), self.unit.types.kind(ty))
    }

    /// Writes a value of its type to it.
    pub fn write_byte(&mut self, b: &Byte, v: &Value, at: Bytes) {
        let (kind, wide) = (self.unit.types.kind(&Ty::Int(b.whole)), b.unsigned());
        let byte =
            cast(v.expr.clone(), self.unit.types.kind(&v.ty), IntKind::Machine { bits: 8, signed: false });
        let byte = binary(BinOp::Mul, byte, Expr::Const(1i128 << b.shift), wide);
        let mark = self.body.mark();
        let old = self.read_cell(b.address.clone(), kind, How::default(), at);
        let others = super::value::wrap(!(0xffi128 << b.shift), wide);
        let kept = binary(BinOp::And, cast(old, kind, wide), Expr::Const(others), wide);
        let new = binary(BinOp::Add, kept, byte, wide);
        self.write_cell(b.address.clone(), cast(new, wide, kind), kind, How::default(), at);
        self.body.one_step(mark);
    }
}
