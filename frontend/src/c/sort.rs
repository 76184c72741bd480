//! `qsort` and `bsearch`, which call a function of the program: which of several equal elements comes first, or is
//! found, is any.

use super::calls::Args;
use super::lower::{Lower, Res};
use super::parts::Part;
use super::types::{Signature, Ty};
use super::value::{Value, binary, compare};
use super::views::{Conversion, Seen};
use lang_c::span::Span as Bytes;
use relyant_cfa::{BinOp, Callee, CmpOp, Expr, IntKind, Op};
use std::rc::Rc;

/// What is sorted or searched.
struct Elements {
    base: Expr,
    ty: Ty,
    parts: Vec<Part>,
    callee: Callee,
    signature: Rc<Signature>,
}

impl Elements {
    fn at(&self, index: Expr) -> Expr {
        let distance = binary(BinOp::Mul, index, Expr::Const(self.parts.len() as i128), IntKind::Ideal);
        binary(BinOp::Add, self.base.clone(), distance, IntKind::Ideal)
    }
}

impl<'a> Lower<'a> {
    /// `qsort(base, n, size, compare)`, or with a key before them `bsearch`.
    pub fn sort_call(&mut self, search: bool, name: &str, args: Args<'a>, at: Bytes) -> Res<Value> {
        let first = usize::from(search);
        self.body.begin_operands(false);
        let mut values = Vec::new();
        for k in 0..first + 4 {
            let a = self.argument(args, k, at)?;
            values.push(if k <= first { self.pointer_argument(a)? } else { self.value(a)? });
            self.body.end_operand();
        }
        self.body.end_arguments();
        let (base, number, size, function) =
            (values[first].clone(), &values[first + 1], &values[first + 2], &values[first + 3]);
        let ulong = Ty::Int(self.unit.types.ulong());
        let number = self.convert(number.clone(), &ulong, at)?.expr;
        let told = base.ty.target().filter(|t| *t.plain() != Ty::Void).cloned();
        let untyped = told.is_none();
        let counted = self.counted(&self.argument(args, first + 2, at)?.node);
        let Some(ty) = told.or(counted) else {
            return self.refuse(
                at,
                format!("`{name}` on an untyped pointer is"),
                "cast it to a pointer to the elements, or give their size as sizeof",
            );
        };
        if untyped {
            let (value, target) = (base.expr.clone(), ty.clone());
            self.body.conversions.push(Conversion { value, target, seen: Seen::Memory, span: self.span(at) });
        }
        let (parts, one) = match (self.unit.types.layout(&ty), self.unit.types.size(&ty)) {
            (Ok(parts), Ok((one, _))) if !parts.is_empty() => (parts, i128::from(one)),
            (Err(why), _) | (_, Err(why)) => return self.error(at, why, ""),
            _ => return self.refuse(at, format!("`{name}` on elements without members is"), ""),
        };
        if size.constant() != Some(one) {
            let what =
                format!("`{name}` with another size than that of a `{}` is", self.unit.types.describe(&ty));
            return self.refuse(at, what, "give the size of an element as sizeof");
        }
        let signature = match function.ty.target().unwrap_or(&function.ty) {
            Ty::Function(s) if s.result.int().is_some() && s.params.as_ref().is_none_or(|p| p.len() == 2) => {
                s.clone()
            }
            _ => {
                return self.refuse(
                    at,
                    format!("`{name}` with such a function is"),
                    "give it one of the file",
                );
            }
        };
        let callee = match function.expr.clone() {
            Expr::Func(id) => {
                self.unit.functions.call(id);
                Callee::Known(id)
            }
            e => {
                self.unit.functions.call_pointer();
                Callee::Pointer(self.body.kept(&e))
            }
        };
        let base = self.body.kept(&base.expr);
        let elements = Elements { base, ty, parts, callee, signature };
        if search {
            self.unit.assume("`bsearch` gets a sorted array, and compares its elements in their order");
            let key = values[0].clone();
            return self.search(&elements, &key, &number, name, at);
        }
        self.unit.assume("`qsort` compares elements as sorting by insertion does");
        self.sort(&elements, &number, at)?;
        Ok(Value::void())
    }

    fn compared(&mut self, e: &Elements, a: Value, b: Value, at: Bytes) -> Res<Expr> {
        let mut args = Vec::new();
        for (k, v) in [a, b].into_iter().enumerate() {
            args.push(match e.signature.params.as_ref() {
                Some(p) => self.convert(v, &p[k], at)?.expr,
                None => v.expr,
            });
        }
        Ok(self.emit_call(e.callee.clone(), args, &e.signature.result, true, at)?.expr)
    }

    /// Each element moves down past those that are greater, and past any number of those that are equal.
    fn sort(&mut self, e: &Elements, number: &Expr, at: Bytes) -> Res<()> {
        let spare = Expr::Addr(self.local_object("element", &e.ty, at)?);
        let i = self.body.count_up(number);
        let j = self.body.assign(IntKind::Ideal, Expr::Reg(i.index));
        let [head, more, swap, equal, rest, done] = [(); 6].map(|()| self.body.fresh());
        self.body.join(head);
        self.body.branch(compare(CmpOp::Gt, Expr::Reg(j), Expr::Const(0)), more, done);
        self.body.cur = more;
        let below = binary(BinOp::Add, Expr::Reg(j), Expr::Const(-1), IntKind::Ideal);
        let (lower, upper) = (e.at(below.clone()), e.at(Expr::Reg(j)));
        let pointer = |expr: &Expr| Value { expr: expr.clone(), ty: e.ty.clone().pointer() };
        let c = self.compared(e, pointer(&lower), pointer(&upper), at)?;
        self.body.branch(compare(CmpOp::Gt, c.clone(), Expr::Const(0)), swap, rest);
        self.body.cur = rest;
        self.body.branch(compare(CmpOp::Eq, c, Expr::Const(0)), equal, done);
        self.body.cur = equal;
        self.body.edge_to(swap, Op::Skip);
        self.body.edge_to(done, Op::Skip);
        self.body.cur = swap;
        self.copy_parts(&spare, &lower, &e.parts, at);
        self.copy_parts(&lower, &upper, &e.parts, at);
        self.copy_parts(&upper, &spare, &e.parts, at);
        self.body.edge_to(head, Op::Assign(j, below));
        self.body.cur = done;
        self.body.next(&i);
        Ok(())
    }

    /// Any element that is equal to the key, else null.
    fn search(&mut self, e: &Elements, key: &Value, number: &Expr, name: &str, at: Bytes) -> Res<Value> {
        let ty = self.unit.signature(name).map_or(Ty::Void.pointer(), |s| s.result.clone());
        let key = Value { expr: self.body.kept(&key.expr), ty: key.ty.clone() };
        let found = self.body.assign(IntKind::Ideal, Expr::Const(0));
        let i = self.body.count_up(number);
        let here = e.at(Expr::Reg(i.index));
        let pointer = Value { expr: here.clone(), ty: e.ty.clone().pointer() };
        let c = self.compared(e, key, pointer, at)?;
        let [equal, on, end] = [(); 3].map(|()| self.body.fresh());
        self.body.branch(compare(CmpOp::Eq, c, Expr::Const(0)), equal, on);
        self.body.cur = equal;
        self.body.emit(Op::Assign(found, here));
        self.body.edge_to(end, Op::Skip);
        self.body.edge_to(on, Op::Skip);
        self.body.cur = on;
        self.body.next(&i);
        self.body.join(end);
        Ok(Value { expr: Expr::Reg(found), ty: ty.plain().clone() })
    }
}
