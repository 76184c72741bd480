//! Functions of the table that are lowered in a few edges: assertions and assumptions, ends of the program, inputs, and
//! arithmetic.

use super::body::Body;
use super::calls::Args;
use super::library::{bodies, nondet_type};
use super::lower::{Lower, Res};
use super::types::{INT, Ty};
use super::value::{Value, binary, compare};
use lang_c::ast::Expression;
use lang_c::span::{Node, Span as Bytes};
use relyant_cfa::{BinOp, Callee, CmpOp, Expr, InputSource, IntKind, Loc, Op, UnOp, Violated};

impl<'a> Lower<'a> {
    /// Where a failing assertion leads: an error, or the end of the program where assertions are not asked about.
    fn failure(&mut self, what: Violated) -> Loc {
        if self.unit.options.asserts() {
            return self.body.error(what);
        }
        let at = self.body.fresh();
        let here = std::mem::replace(&mut self.body.cur, at);
        let end = self.body.end;
        self.body.edge_to(end, Op::Halt);
        self.body.cur = here;
        at
    }

    /// Reaching the call violates the property.
    pub fn error_call(&mut self, what: Violated, at: Bytes) {
        self.body.span = self.span(at);
        let error = self.failure(what);
        self.body.leave(error, Op::Skip);
    }

    /// The condition must hold.
    pub fn assertion(&mut self, e: &'a Node<Expression>) -> Res<()> {
        let (ok, error) = (self.body.fresh(), self.failure(Violated::Assertion));
        self.condition(e, ok, error)?;
        self.body.cur = ok;
        Ok(())
    }

    /// Goes on only where the condition holds.
    pub fn assumption(&mut self, e: &'a Node<Expression>) -> Res<()> {
        let (ok, dead) = (self.body.fresh(), self.body.fresh());
        self.body.rule_out(dead);
        self.condition(e, ok, dead)?;
        self.body.cur = ok;
        Ok(())
    }

    /// Ends the program; `exits`: by what is registered to run then.
    pub fn halt(&mut self, exits: bool, args: Args<'a>) -> Res<()> {
        self.evaluate(args)?;
        if let (Some(id), true) = (self.unit.symbols.at_exit, exits) {
            self.body.emit_open(Op::Call { dst: None, callee: Callee::Known(id), args: Vec::new() });
        }
        let end = self.body.end;
        self.body.leave(end, Op::Halt);
        Ok(())
    }

    /// Any value of the type that a verifier's function gives.
    pub fn nondet(&mut self, name: &str, args: Args<'a>, wanted: bool, at: Bytes) -> Res<Value> {
        self.evaluate(args)?;
        let ty = match self.unit.signature(name) {
            Some(s) => s.result.clone(),
            None => self.unit.named_type(nondet_type(name)),
        };
        self.any(&ty, InputSource::input(name), wanted, at)
    }

    /// Any value, in a body of the library's.
    pub fn input(&mut self, approximates: bool, name: &str, wanted: bool, at: Bytes) -> Res<Value> {
        let ty = self.unit.named_type(nondet_type(name));
        let name = bodies::original(&self.body.name).unwrap_or("").to_string();
        self.any(&ty, InputSource { name, approximate: approximates }, wanted, at)
    }

    /// The first argument, as a `long`.
    pub fn first_argument(&mut self, e: &'a Node<Expression>, args: Args<'a>, at: Bytes) -> Res<Value> {
        let v = self.value(e)?;
        args.iter().skip(1).try_for_each(|a| self.effect(a))?;
        let long = Ty::Int(self.unit.types.long());
        self.convert(v, &long, at)
    }

    /// The absolute value of an integer.
    pub fn absolute(&mut self, name: &str, e: &'a Node<Expression>, at: Bytes) -> Res<Value> {
        let v = self.value(e)?;
        let ty = self.unit.signature(name).map_or(Ty::Int(INT), |s| s.result.clone());
        let v = self.convert(v, &ty, at)?;
        let kind = self.unit.types.kind(&ty);
        let (end, r) = (self.body.fresh(), self.body.temp(kind));
        let negative = compare(CmpOp::Lt, v.expr.clone(), Expr::Const(0));
        let (yes, no) = (self.body.fresh(), self.body.fresh());
        self.body.branch(negative, yes, no);
        self.body.cur = no;
        self.body.edge_to(end, Op::Assign(r, v.expr.clone()));
        self.body.cur = yes;
        let minus = self.unary(Some(UnOp::Neg), v, at)?;
        self.body.edge_to(end, Op::Assign(r, minus.expr));
        self.body.cur = end;
        Ok(Value { expr: Expr::Reg(r), ty })
    }

    /// The absolute value of a floating-point number: without the bit of the sign.
    pub fn magnitude(&mut self, name: &str, e: &'a Node<Expression>, at: Bytes) -> Res<Value> {
        let v = self.value(e)?;
        let ty = self.unit.signature(name).map_or(Ty::Float(8), |s| s.result.clone());
        let v = self.convert(v, &ty, at)?;
        let kind = self.unit.types.kind(&ty);
        let mask = IntKind::max(kind).unwrap_or(0) >> 1;
        let expr = binary(BinOp::And, v.expr, Expr::Const(mask), kind);
        Ok(Value { expr, ty })
    }
}

impl Body {
    /// Never goes on: that is assumed.
    pub fn stay(&mut self) {
        self.assumes();
        self.cur = self.fresh();
    }
}
