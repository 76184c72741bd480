//! Where members are: `offsetof`, and expressions that say the same.

use super::lower::{Lower, Res};
use super::types::Ty;
use super::value::Value;
use lang_c::ast::*;
use lang_c::span::{Node, Span as Bytes};
use relyant_cfa::Expr;

impl<'a> Lower<'a> {
    /// Size of the scalar at the start of an object.
    pub fn first_scalar(&self, ty: &Ty) -> Option<u64> {
        match ty.plain() {
            t @ (Ty::Int(_) | Ty::Pointer(_)) => self.unit.types.size(t).ok().map(|s| s.0),
            Ty::Array(t, _) => self.first_scalar(t),
            Ty::Record(id) => {
                let r = &self.unit.types.records[id.0];
                match (r.union, r.views.first()) {
                    // No scalar is that small: it is never seen as another type.
                    (true, _) if r.tag.is_some() => Some(0),
                    (true, None) => Some(0),
                    (true, Some(v)) => self.first_scalar(&r.fields.as_ref()?.get(v.field)?.ty),
                    _ => self.first_scalar(&r.fields.as_ref()?.first()?.ty),
                }
            }
            _ => None,
        }
    }

    /// `offsetof` in scalars, where it is added to or taken from a pointer to bytes.
    pub fn member_offset(&mut self, pointer: &Value, e: &'a Node<Expression>) -> Res<Option<Value>> {
        match (&e.node, pointer.ty.target().map(Ty::plain)) {
            (Expression::Cast(c), Some(Ty::Void | Ty::Int(super::types::Int { rank: 1, .. })))
                if is_null_member(&c.node.expression.node) =>
            {
                let cells = self.value(&c.node.expression)?;
                Ok(Some(Value { expr: cells.expr, ty: Ty::Int(self.unit.types.long()) }))
            }
            (Expression::Cast(c), Some(_)) => self.member_offset(pointer, &c.node.expression),
            (Expression::OffsetOf(o), Some(Ty::Void | Ty::Int(super::types::Int { rank: 1, .. }))) => {
                let cells = self.offset_of(o, e.span)?.1;
                Ok(Some(Value { expr: Expr::Const(i128::from(cells)), ty: Ty::Int(self.unit.types.long()) }))
            }
            _ => Ok(None),
        }
    }

    /// Where a member is in a record: bytes, cells, and its type.
    pub fn member_at(&self, ty: &Ty, name: &str, at: Bytes) -> Res<(u64, u64, Ty)> {
        let member = match ty.plain() {
            Ty::Record(id) => self.unit.types.member(*id, name),
            _ => None,
        };
        match member {
            Some(m) => Ok((m.byte, m.cell, m.ty)),
            None => self.error(at, format!("no member `{name}`"), ""),
        }
    }

    /// The number of bytes that `&((T *)0)->member` stands for.
    pub fn bytes_of_null_member(&mut self, e: &'a Node<Expression>) -> Res<u64> {
        match &e.node {
            Expression::Cast(c) => self.bytes_of_null_member(&c.node.expression),
            Expression::UnaryOperator(u) => self.bytes_of_null_member(&u.node.operand),
            Expression::Member(m) => {
                let (base, ty) = match m.node.operator.node {
                    MemberOperator::Direct => {
                        (self.bytes_of_null_member(&m.node.expression)?, self.type_of(&m.node.expression)?)
                    }
                    MemberOperator::Indirect => {
                        let ty = self.value_type(&m.node.expression)?;
                        (0, ty.target().cloned().unwrap_or(Ty::Void))
                    }
                };
                let name = &m.node.identifier.node.name;
                Ok(base.saturating_add(self.member_at(&ty, name, e.span)?.0))
            }
            _ => self.error(e.span, "this is no member", ""),
        }
    }

    /// Distance of a member from the start of its object, in bytes and in cells.
    pub fn offset_of(&mut self, o: &'a Node<OffsetOfExpression>, at: Bytes) -> Res<(u64, u64)> {
        let ty = self.type_name(&o.node.type_name)?;
        let designator = &o.node.designator.node;
        let (mut bytes, mut cells, mut ty) = self.member_at(&ty, &designator.base.node.name, at)?;
        for m in &designator.members {
            let (more, cell, inner) = match (&m.node, ty.plain().clone()) {
                (OffsetMember::Member(n) | OffsetMember::IndirectMember(n), t) => {
                    self.member_at(&t, &n.node.name, m.span)?
                }
                (OffsetMember::Index(e), Ty::Array(t, _)) => {
                    let k = self.constant(e)?.and_then(|k| u64::try_from(k).ok());
                    let (Some(k), Ok((one, _))) = (k, self.unit.types.size(&t)) else {
                        return self.refuse(
                            m.span,
                            "`offsetof` of an element that is not constant is",
                            "use &a[i]",
                        );
                    };
                    (one.saturating_mul(k), self.unit.types.stride(&t).saturating_mul(k), (*t).clone())
                }
                _ => return self.error(m.span, "this is no array", ""),
            };
            (bytes, cells, ty) = (bytes.saturating_add(more), cells.saturating_add(cell), inner);
        }
        Ok((bytes, cells))
    }

    /// Is it arithmetic with a member's offset, whose operands may be seen as bytes?
    pub fn is_member_arithmetic(e: &Expression) -> bool {
        match e {
            Expression::BinaryOperator(b) => is_offset(&b.node.rhs.node),
            _ => false,
        }
    }
}

/// Is it `&((T *)0)->member`, a member's offset written without `offsetof`?
pub fn is_null_member(e: &Expression) -> bool {
    fn null(e: &Expression) -> bool {
        match e {
            Expression::Cast(c) => null(&c.node.expression.node),
            Expression::Constant(c) => matches!(&c.node, Constant::Integer(i) if &*i.number == "0"),
            _ => false,
        }
    }
    fn path(e: &Expression) -> bool {
        match e {
            Expression::Member(m) if m.node.operator.node == MemberOperator::Indirect => {
                matches!(m.node.expression.node, Expression::Cast(_)) && null(&m.node.expression.node)
            }
            Expression::Member(m) => path(&m.node.expression.node),
            _ => false,
        }
    }
    match e {
        Expression::UnaryOperator(u) => {
            u.node.operator.node == UnaryOperator::Address && path(&u.node.operand.node)
        }
        Expression::Cast(c) => is_null_member(&c.node.expression.node),
        _ => false,
    }
}

/// Is it a member's offset, through casts?
pub fn is_offset(e: &Expression) -> bool {
    match e {
        Expression::Cast(c) if is_null_member(&c.node.expression.node) => true,
        Expression::OffsetOf(_) => true,
        Expression::Cast(c) => is_offset(&c.node.expression.node),
        _ => false,
    }
}
