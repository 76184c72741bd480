//! Conditions and choices: what goes one of two ways, by a value.

use super::body::Body;
use super::lower::{Lower, Res};
use super::scan::name_of;
use super::types::{INT, Ty};
use super::value::Value;
use lang_c::ast::*;
use lang_c::span::{Node, Span as Bytes};
use relyant_cfa::{Expr, IntKind, Op};

impl<'a> Lower<'a> {
    pub fn conditional(&mut self, c: &'a Node<ConditionalExpression>) -> Res<Value> {
        let (then, other) = (&c.node.then_expression, &c.node.else_expression);
        if name_of(&then.node) == Some(super::tokens::SAME) {
            return self.value_or(&c.node.condition, other, c.span);
        }
        let (yes, no) = (self.body.fresh(), self.body.fresh());
        if let Some(known) = self.condition(&c.node.condition, yes, no)? {
            // Only one side can be reached; the other one counts for the type.
            self.body.cur = if known { no } else { yes };
            let unused = self.value_type(if known { other } else { then })?;
            self.body.cur = if known { yes } else { no };
            let v = self.value(if known { then } else { other })?;
            let ty = self.conditional_type(&v.ty, &unused, c.span)?;
            return self.convert(v, &ty, c.span);
        }
        self.body.cur = yes;
        let a = self.value(then)?;
        let a_end = std::mem::replace(&mut self.body.cur, no);
        let b = self.value(other)?;
        let b_end = self.body.cur;
        let ty = self.conditional_type(&a.ty, &b.ty, c.span)?;
        let end = self.body.fresh();
        let kind = self.unit.types.kind(&ty);
        let target = (ty != Ty::Void).then(|| self.body.temp(kind));
        for (at, v) in [(a_end, a), (b_end, b)] {
            self.body.cur = at;
            let v = self.convert(v, &ty, c.span)?;
            self.body.edge_to(end, target.map_or(Op::Skip, |r| Op::Assign(r, v.expr)));
        }
        self.body.cur = end;
        Ok(target.map_or(Value::void(), |r| Value { expr: Expr::Reg(r), ty }))
    }

    /// `x ?: y`: x is evaluated once.
    pub fn value_or(&mut self, x: &'a Node<Expression>, y: &'a Node<Expression>, at: Bytes) -> Res<Value> {
        let x = self.value(x)?;
        if let Some(known) = x.constant() {
            let other = self.value_type(y)?;
            let ty = self.conditional_type(&x.ty, &other, at)?;
            let v = if known != 0 { x } else { self.value(y)? };
            return self.convert(v, &ty, at);
        }
        let kind = self.unit.types.kind(&x.ty);
        let kept = Value { expr: Expr::Reg(self.body.assign(kind, x.expr)), ty: x.ty };
        let tested = self.tested(kept.clone(), at)?;
        let (yes, no, end) = (self.body.fresh(), self.body.fresh(), self.body.fresh());
        self.body.branch(tested, yes, no);
        self.body.cur = no;
        let y = self.value(y)?;
        let y_end = self.body.cur;
        let ty = self.conditional_type(&kept.ty, &y.ty, at)?;
        if ty == Ty::Void {
            return self.error(at, "the two sides of `?:` have types that do not go together", "");
        }
        let target = self.body.temp(self.unit.types.kind(&ty));
        for (from, v) in [(yes, kept), (y_end, y)] {
            self.body.cur = from;
            let v = self.convert(v, &ty, at)?;
            self.body.edge_to(end, Op::Assign(target, v.expr));
        }
        self.body.cur = end;
        Ok(Value { expr: Expr::Reg(target), ty })
    }

    pub fn conditional_type(&self, x: &Ty, y: &Ty, at: Bytes) -> Res<Ty> {
        Ok(match (x.plain(), y.plain()) {
            (Ty::Int(x), Ty::Int(y)) => Ty::Int(self.unit.types.common(*x, *y)),
            (Ty::Void, _) | (_, Ty::Void) => Ty::Void,
            (x @ Ty::Float(_), y) | (y, x @ Ty::Float(_)) if y.is_arithmetic() => {
                if y.precision() > x.precision() { y.clone() } else { x.clone() }
            }
            (Ty::Pointer(t), Ty::Pointer(_)) if **t == Ty::Void => y.plain().clone(),
            (p @ Ty::Pointer(_), _) | (_, p @ Ty::Pointer(_)) => p.clone(),
            (x, y) if x == y => x.clone(),
            _ => return self.error(at, "the two sides of `?:` have types that do not go together", ""),
        })
    }

    /// A logical expression as 0 or 1, by branches.
    pub fn truth(&mut self, e: &'a Node<Expression>) -> Res<Value> {
        let (yes, no) = (self.body.fresh(), self.body.fresh());
        if let Some(known) = self.condition(e, yes, no)? {
            self.body.cur = if known { yes } else { no };
            return Ok(Value::int(i128::from(known)));
        }
        let end = self.body.fresh();
        let r = self.body.temp(IntKind::INT);
        for (at, v) in [(yes, 1), (no, 0)] {
            self.body.cur = at;
            self.body.edge_to(end, Op::Assign(r, Expr::Const(v)));
        }
        self.body.cur = end;
        Ok(Value { expr: Expr::Reg(r), ty: Ty::Int(INT) })
    }

    /// Branches on an expression; leaves the current location undefined. Says which way if only one can be taken.
    pub fn condition(
        &mut self,
        e: &'a Node<Expression>,
        yes: relyant_cfa::Loc,
        no: relyant_cfa::Loc,
    ) -> Res<Option<bool>> {
        match &e.node {
            Expression::UnaryOperator(u) if u.node.operator.node == UnaryOperator::Negate => {
                return Ok(self.condition(&u.node.operand, no, yes)?.map(|k| !k));
            }
            Expression::BinaryOperator(b) if b.node.operator.node == BinaryOperator::LogicalAnd => {
                let middle = self.body.fresh();
                let left = self.condition(&b.node.lhs, middle, no)?;
                if left == Some(false) {
                    return Ok(left);
                }
                self.body.cur = middle;
                let right = self.condition(&b.node.rhs, yes, no)?;
                return Ok(if left == Some(true) { right } else { None });
            }
            Expression::BinaryOperator(b) if b.node.operator.node == BinaryOperator::LogicalOr => {
                let middle = self.body.fresh();
                let left = self.condition(&b.node.lhs, yes, middle)?;
                if left == Some(true) {
                    return Ok(left);
                }
                self.body.cur = middle;
                let right = self.condition(&b.node.rhs, yes, no)?;
                return Ok(if left == Some(false) { right } else { None });
            }
            Expression::StringLiteral(_) => {
                self.body.edge_to(yes, Op::Skip);
                return Ok(Some(true));
            }
            _ => {}
        }
        let v = self.value(e)?;
        let v = self.tested(v, e.span)?;
        Ok(self.body.branch(v, yes, no))
    }
}

impl Body {
    /// Branches on a value.
    pub fn branch(&mut self, e: Expr, yes: relyant_cfa::Loc, no: relyant_cfa::Loc) -> Option<bool> {
        let known = match e {
            Expr::Const(n) => n != 0,
            Expr::Addr(_) | Expr::Func(_) => true,
            e => {
                self.edge_to(yes, Op::Assume(e.clone().is_true()));
                self.edge_to(no, Op::Assume(e.is_false()));
                return None;
            }
        };
        self.edge_to(if known { yes } else { no }, Op::Skip);
        Some(known)
    }
}

pub fn is_logical(e: &Expression) -> bool {
    match e {
        Expression::BinaryOperator(b) => {
            matches!(b.node.operator.node, BinaryOperator::LogicalAnd | BinaryOperator::LogicalOr)
        }
        Expression::UnaryOperator(u) => {
            u.node.operator.node == UnaryOperator::Negate && is_logical(&u.node.operand.node)
        }
        _ => false,
    }
}
