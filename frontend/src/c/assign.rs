//! Assignments, compound ones and increments.

use super::lower::{Lower, Res};
use super::types::Ty;
use super::value::{At, Place, Value};
use lang_c::ast::*;
use lang_c::span::{Node, Span as Bytes};
use relyant_cfa::{BinOp, Expr};

impl<'a> Lower<'a> {
    /// The place and the value of an assignment, in any order.
    pub fn assigned(&mut self, lhs: &'a Node<Expression>, rhs: &'a Node<Expression>) -> Res<(Place, Value)> {
        self.body.begin_operands(false);
        let p = self.place(lhs)?;
        self.body.end_operand();
        let v = self.value(rhs)?;
        self.body.end_operand();
        self.body.end_operands();
        Ok((p, v))
    }

    /// `lhs op= rhs`; on an `_Atomic` object the read and the write are one step.
    pub fn compound_assignment(
        &mut self,
        op: BinOp,
        lhs: &'a Node<Expression>,
        rhs: &'a Node<Expression>,
        at: Bytes,
    ) -> Res<Value> {
        self.body.begin_operands(false);
        let p = self.place(lhs)?;
        let atomic = matches!(p.ty, Ty::Atomic(_));
        let old = if atomic { None } else { Some(self.read(&p, at)?) };
        self.body.end_operand();
        let by = self.value(rhs)?;
        self.body.end_operand();
        self.body.end_operands();
        let Some(old) = old else {
            return self.update(&p, |l, old| l.arithmetic(op, old, by, at), at).map(|u| u.1);
        };
        let new = self.arithmetic(op, old, by, at)?;
        self.write(&p, new, at)
    }

    /// Reads a place, computes, and writes it in one step; gives the old and the new value.
    pub fn update(
        &mut self,
        p: &Place,
        compute: impl FnOnce(&mut Self, Value) -> Res<Value>,
        at: Bytes,
    ) -> Res<(Value, Value)> {
        self.context.relaxed.locked = true;
        let mut old = self.read(p, at)?;
        let mark = self.body.mark();
        match p.at {
            At::Memory(_) => self.body.hold(),
            // The old value must survive the write.
            _ => {
                let kind = self.unit.types.kind(&old.ty);
                old.expr = Expr::Reg(self.body.assign(kind, old.expr));
            }
        }
        let new = compute(self, old.clone())?;
        let new = self.write(p, new, at)?;
        self.context.relaxed.locked = false;
        self.body.one_step(mark);
        Ok((old, new))
    }

    /// `++` and `--`; `new` asks for the value after it.
    pub fn increment(
        &mut self,
        operand: &'a Node<Expression>,
        op: BinOp,
        new: bool,
        at: Bytes,
    ) -> Res<Value> {
        let p = self.place(operand)?;
        let one = Value::int(1);
        if matches!(p.ty, Ty::Atomic(_)) {
            let (before, after) = self.update(&p, |l, old| l.arithmetic(op, old, one, at), at)?;
            return Ok(if new { after } else { before });
        }
        let mut old = self.read(&p, at)?;
        if let (false, At::Register(_)) = (new, &p.at) {
            // The old value must survive the write.
            let kind = self.unit.types.kind(&old.ty);
            old.expr = Expr::Reg(self.body.assign(kind, old.expr));
        }
        let next = self.arithmetic(op, old.clone(), one, at)?;
        let after = self.write(&p, next, at)?;
        Ok(if new { after } else { old })
    }
}
