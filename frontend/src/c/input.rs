//! Library functions that bring in values from outside, and what the command line says.

use super::access::How;
use super::library::TextCall;
use super::lower::{Lower, Res};
use super::scan::name_of;
use super::scope::Symbol;
use super::types::{CHAR, INT, Ty};
use super::value::{Value, binary, compare, offset};
use lang_c::ast::{BinaryOperator, Constant, Expression, UnaryOperator};
use lang_c::span::{Node, Span as Bytes};
use relyant_cfa::{BinOp, CmpOp, Expr, InputSource, IntKind, Op, Violated};
use std::rc::Rc;

/// Most cells that one call fills.
const MAX_CELLS: usize = 256;

/// The second parameter of `main`.
pub fn command_line() -> Ty {
    let why = "what the command line says has no value here: make it an input, as by __VERIFIER_nondet_int()";
    Ty::Pointer(Rc::new(Ty::Unsupported(Rc::from(why))))
}

impl<'a> Lower<'a> {
    /// Is it part of the command line, which only functions that give any value may look at?
    pub fn of_command_line(&self, e: &Expression) -> bool {
        match e {
            Expression::BinaryOperator(b) if b.node.operator.node == BinaryOperator::Index => {
                self.of_command_line(&b.node.lhs.node)
            }
            Expression::UnaryOperator(u) if u.node.operator.node == UnaryOperator::Indirection => {
                self.of_command_line(&u.node.operand.node)
            }
            Expression::Cast(c) => self.of_command_line(&c.node.expression.node),
            e => {
                let ty = match name_of(e).and_then(|n| self.context.scopes.get(n)) {
                    Some(Symbol::Local(_, ty)) => ty,
                    _ => return false,
                };
                *ty == command_line()
            }
        }
    }

    /// How far below the list of words it is: 0 for the list, 1 for a word, 2 for a character.
    fn depth_in_command_line(&self, e: &Expression) -> Option<u32> {
        match e {
            Expression::BinaryOperator(b) if b.node.operator.node == BinaryOperator::Index => {
                Some(self.depth_in_command_line(&b.node.lhs.node)? + 1)
            }
            Expression::UnaryOperator(u) if u.node.operator.node == UnaryOperator::Indirection => {
                Some(self.depth_in_command_line(&u.node.operand.node)? + 1)
            }
            e => self.of_command_line(e).then_some(0),
        }
    }

    /// A word of the command line compared with a null pointer, which is there behind the last word and nowhere before.
    pub fn command_line_end(
        &mut self,
        op: CmpOp,
        word: &'a Node<Expression>,
        other: &'a Node<Expression>,
    ) -> Res<Option<Value>> {
        let (true, Some((argc, argv))) = (matches!(op, CmpOp::Eq | CmpOp::Ne), self.body.words) else {
            return Ok(None);
        };
        if !is_null(&other.node) || self.depth_in_command_line(&word.node) != Some(1) {
            return Ok(None);
        }
        let long = Ty::Int(self.unit.types.long());
        let (list, index) = match &word.node {
            Expression::BinaryOperator(b) => {
                let list = self.value(&b.node.lhs)?;
                let index = self.value(&b.node.rhs)?;
                (list, self.convert(index, &long, b.node.rhs.span)?.expr)
            }
            Expression::UnaryOperator(u) => (self.value(&u.node.operand)?, Expr::Const(0)),
            _ => return Ok(None),
        };
        let from = binary(BinOp::Sub, list.expr, Expr::Reg(argv), IntKind::Ideal);
        let index = binary(BinOp::Add, from, index, IntKind::Ideal);
        let index = Expr::Reg(self.body.assign(IntKind::Ideal, index));
        if self.unit.options.checks_memory() {
            self.forbid(CmpOp::Lt, &index, Expr::Const(0), Violated::Outside);
            self.forbid(CmpOp::Gt, &index, Expr::Reg(argc), Violated::Outside);
        }
        self.unit.assume("the command line is read up to its end");
        for there in [
            compare(CmpOp::Ge, index.clone(), Expr::Const(0)),
            compare(CmpOp::Le, index.clone(), Expr::Reg(argc)),
        ] {
            self.body.assumes();
            self.body.emit(Op::Assume(there));
        }
        Ok(Some(Value { expr: compare(op, index, Expr::Reg(argc)), ty: Ty::Int(INT) }))
    }

    /// A character of a word of the command line; what it was before is not remembered.
    pub fn command_line_character(&mut self, e: &'a Expression) -> Res<Option<Value>> {
        if self.depth_in_command_line(e) != Some(2) {
            return Ok(None);
        }
        if let Expression::BinaryOperator(b) = e {
            self.value(&b.node.rhs)?;
        }
        self.unit.assume("the words of the command line hold any characters");
        let ty = Ty::Int(CHAR);
        let kind = self.unit.types.kind(&ty);
        Ok(Some(Value { expr: self.body.havoc(kind, InputSource::approximate("argv")), ty }))
    }

    /// A function on strings, one of which is a word of the command line.
    pub fn text_of_command_line(
        &mut self,
        t: TextCall,
        name: &str,
        args: super::calls::Args<'a>,
        wanted: bool,
        at: Bytes,
    ) -> Res<Value> {
        let refused = format!("`{name}` on the command line is");
        let values = self.library_values(args)?;
        let ty = self.unit.signature(name).map_or(Ty::Int(super::types::INT), |s| s.result.clone());
        match t {
            TextCall::Length | TextCall::LengthWithin | TextCall::Compare | TextCall::CompareWithin => {
                self.some(name, &ty, wanted, at)
            }
            TextCall::CopyWithin if values.iter().skip(1).all(|v| v.ty.target().is_none()) => {
                let to = values[0].clone();
                let n = values.get(2).filter(|v| v.ty.int().is_some());
                let Some(n) = n else { return self.error(at, "too few arguments", "") };
                let n = n.expr.clone();
                let ulong = Ty::Int(self.unit.types.ulong());
                let n = self.convert(Value { expr: n, ty: ulong.clone() }, &ulong, at)?.expr;
                self.run_body("chars_into", vec![to.expr.clone(), n], at)?;
                self.convert(to, &ty, at)
            }
            TextCall::Copy if !self.unit.options.checks_memory() => {
                let to = values[0].clone();
                if to.ty.target().is_none() {
                    return self.refuse(at, refused, "make it an input");
                }
                let most = Expr::Const(i128::from(i64::MAX));
                self.run_body("text_into", vec![to.expr.clone(), Expr::Const(0), most], at)?;
                self.convert(to, &ty, at)
            }
            _ => self.refuse(at, refused, "make it an input, as by __VERIFIER_nondet_int()"),
        }
    }

    /// Any values in what an argument points to.
    pub fn any_into(
        &mut self,
        name: &str,
        a: &'a Node<Expression>,
        most: Option<i128>,
        at: Bytes,
    ) -> Res<()> {
        let whole = self.type_of(a)?;
        let to = self.value(a)?;
        if to.constant() == Some(0) {
            return Ok(());
        }
        let target = match (&whole, to.ty.target()) {
            (Ty::Array(..), _) => whole.clone(),
            (_, Some(t)) if t.int().is_none_or(|i| i.rank > 1) || most.is_some() => t.clone(),
            _ => {
                return self.refuse(
                    at,
                    format!("`{name}` into a buffer whose length is not told by its type is"),
                    "give it an array",
                );
            }
        };
        let mut cells = Vec::new();
        if let Err(why) = self.unit.types.flatten(&target, "", &mut cells) {
            return self.error(at, why, "");
        }
        if let (Some(n), Ty::Array(..) | Ty::Int(_)) = (most, &target) {
            let n = usize::try_from(n).unwrap_or(0);
            if let (Ty::Int(_), Some(first)) = (&target, cells.first().cloned()) {
                cells.resize(n.min(MAX_CELLS + 1), first);
            }
            cells.truncate(n);
        }
        if cells.len() > MAX_CELLS {
            let what = format!("`{name}` into more than {MAX_CELLS} scalars is");
            return self.refuse(at, what, "use a smaller buffer");
        }
        self.unit.assume(format!("`{name}` writes any values"));
        let text = matches!(&target, Ty::Int(i) if i.rank == 1)
            || matches!(&target, Ty::Array(t, _) if t.int().is_some_and(|i| i.rank == 1));
        let last = cells.len().saturating_sub(1);
        for (k, (kind, _)) in cells.into_iter().enumerate() {
            // A string ends somewhere.
            let v = if text && k == last {
                Expr::Const(0)
            } else {
                self.body.havoc(kind, InputSource::approximate(name))
            };
            self.write_cell(offset(to.expr.clone(), k as u64), v, kind, How::default(), at);
        }
        Ok(())
    }
}

/// `0` and `((void *)0)`
fn is_null(e: &Expression) -> bool {
    match e {
        Expression::Cast(c) => is_null(&c.node.expression.node),
        Expression::Constant(c) => matches!(&c.node, Constant::Integer(i) if &*i.number == "0"),
        _ => false,
    }
}
