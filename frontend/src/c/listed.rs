//! Lists of arguments (C11 7.16), where some function of the program takes arguments from one. The caller puts what has
//! no parameter in an object, a cell each, and passes its address as a last argument; a `va_list` is where the next
//! one is.

use super::calls::Args;
use super::lower::{Lower, Res};
use super::types::{Signature, Ty, Types};
use super::value::{Value, cast, offset};
use lang_c::ast::*;
use lang_c::span::{Node, Span as Bytes};
use relyant_cfa::{Expr, IntKind};

/// What a `va_list` is: a pointer to arguments.
pub fn type_of_list(types: &Types) -> Ty {
    Ty::Int(types.ulong()).pointer()
}

impl<'a> Lower<'a> {
    /// Has a function a list of arguments that somebody may take arguments from?
    pub fn has_list(&self, s: &Signature) -> bool {
        s.variadic && self.unit.uses.lists
    }

    /// Puts the arguments that no parameter takes in an object.
    pub fn put_in_list(&mut self, s: &Signature, mut args: Vec<Expr>, at: Bytes) -> Res<Vec<Expr>> {
        if !self.has_list(s) {
            return Ok(args);
        }
        let cells = s.params.iter().flatten().map(|p| self.unit.types.cells(p).unwrap_or(0)).sum::<u64>();
        let listed = args.split_off(args.len().min(cells as usize));
        if listed.is_empty() {
            args.push(Expr::Const(0));
            return Ok(args);
        }
        let ty = Ty::Array(Ty::Void.pointer().into(), Some(listed.len() as u64));
        let object = self.local_object("arguments", &ty, at)?;
        for (k, v) in listed.into_iter().enumerate() {
            self.body.store(offset(Expr::Addr(object), k as u64), v, IntKind::Ideal);
        }
        args.push(Expr::Addr(object));
        Ok(args)
    }

    /// `va_start` and `va_copy`: a list becomes this one.
    pub fn set_list(&mut self, copy: bool, args: Args<'a>, at: Bytes) -> Res<Value> {
        if !self.unit.uses.lists {
            self.evaluate(args)?;
            return Ok(Value::int(0));
        }
        let list = self.place(self.argument(args, 0, at)?)?;
        let v = match (copy, self.body.list) {
            (true, _) => self.value(self.argument(args, 1, at)?)?,
            (false, Some(r)) => Value { expr: Expr::Reg(r), ty: list.ty.clone() },
            (false, None) => return self.error(at, "this function has no list of arguments", ""),
        };
        self.write(&list, v, at)?;
        Ok(Value::int(0))
    }

    /// The next of a list of arguments.
    pub fn listed_argument(&mut self, a: &'a Node<VaArgExpression>, at: Bytes) -> Res<Value> {
        let list = self.place(&a.node.va_list)?;
        let ty = self.type_name(&a.node.type_name)?;
        if !ty.is_scalar() {
            return self.refuse(at, "a structure from a list of arguments is", "pass a pointer to it");
        }
        let next = self.read(&list, at)?;
        let here = self.body.assign(IntKind::Ideal, next.expr);
        self.write(&list, Value { expr: offset(Expr::Reg(here), 1), ty: list.ty.clone() }, at)?;
        let kind = self.unit.types.kind(&ty);
        let held = self.body.load(Expr::Reg(here), IntKind::Ideal);
        Ok(Value { expr: cast(held, IntKind::Ideal, kind), ty: ty.plain().clone() })
    }
}
