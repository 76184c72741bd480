//! Library functions that bring in values from outside, and what the command line says.

use super::access::How;
use super::calls::Args;
use super::lower::{Lower, Res};
use super::scan::name_of;
use super::scope::Symbol;
use super::types::{INT, Ty};
use super::value::{Value, offset};
use crate::cfa::{Expr, Op};
use lang_c::ast::{BinaryOperator, Expression, UnaryOperator};
use lang_c::span::{Node, Span as Bytes};
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
                let ty = match name_of(e).and_then(|n| self.scopes.get(n)) {
                    Some(Symbol::Local(_, ty)) => ty,
                    _ => return false,
                };
                matches!(ty.target(), Some(Ty::Unsupported(_)))
            }
        }
    }

    /// `scanf` and its like: from an argument on, each object is written, or reading ends before it.
    pub fn scan_call(&mut self, name: &str, from: usize, args: Args<'a>, at: Bytes) -> Res<Value> {
        self.evaluate(&args[..from.min(args.len())])?;
        let kind = self.types.kind(&Ty::Int(INT));
        let (result, end) = (self.body.temp(kind), self.body.fresh());
        self.body.edge_to(end, Op::Assign(result, Expr::Const(-1)));
        for (k, a) in args.iter().skip(from).enumerate() {
            self.body.edge_to(end, Op::Assign(result, Expr::Const(k as i128)));
            let more = self.body.fresh();
            self.body.join(more);
            self.any_into(name, a, None, at)?;
        }
        let all = args.len().saturating_sub(from) as i128;
        self.body.edge_to(end, Op::Assign(result, Expr::Const(all)));
        self.body.cur = end;
        Ok(Value { expr: Expr::Reg(result), ty: Ty::Int(INT) })
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
        if let Err(why) = self.types.flatten(&target, "", &mut cells) {
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
        self.assume(format!("`{name}` writes any values"));
        let text = matches!(&target, Ty::Int(i) if i.rank == 1)
            || matches!(&target, Ty::Array(t, _) if t.int().is_some_and(|i| i.rank == 1));
        let last = cells.len().saturating_sub(1);
        for (k, (kind, _)) in cells.into_iter().enumerate() {
            // A string ends somewhere.
            let v = if text && k == last { Expr::Const(0) } else { self.body.havoc(kind, name) };
            self.write_cell(offset(to.expr.clone(), k as u64), v, kind, How::default(), at);
        }
        Ok(())
    }

    /// `sprintf` and its like: any text in the first argument; `limited`: its length is the second.
    pub fn print_call(&mut self, name: &str, limited: bool, args: Args<'a>, at: Bytes) -> Res<Value> {
        let to = self.argument(args, 0, at)?;
        let most = match limited {
            true => {
                let e = self.argument(args, 1, at)?;
                let n = self.value(e)?.constant();
                if n.is_none() {
                    return self.refuse(
                        at,
                        format!("`{name}` with a length that is not constant is"),
                        "use sizeof",
                    );
                }
                n
            }
            false => None,
        };
        self.evaluate(args.get(if limited { 2 } else { 1 }..).unwrap_or(&[]))?;
        self.any_into(name, to, most, at)?;
        let kind = self.types.kind(&Ty::Int(INT));
        Ok(Value { expr: self.body.havoc(kind, name), ty: Ty::Int(INT) })
    }
}
