//! Things that CBMC knows by name: functions of which nothing is known but that they are functions, and an array
//! without an end.

use super::body::Body;
use super::calls::Args;
use super::lower::{Lower, MOST_THREADS, Res};
use super::types::Ty;
use super::value::{Value, binary, compare};
use lang_c::span::Span as Bytes;
use relyant_cfa::{BinOp, CmpOp, Expr, IntKind, Op};
use std::rc::Rc;

/// How names of functions start that give the same for the same, and any value else.
const UNINTERPRETED: &str = "__CPROVER_uninterpreted_";

impl<'a> Lower<'a> {
    /// A call of an uninterpreted function of one byte: a table of any values, which nobody writes.
    pub fn uninterpreted(&mut self, name: &str, args: Args<'a>, at: Bytes) -> Res<Option<Value>> {
        if !name.starts_with(UNINTERPRETED) {
            return Ok(None);
        }
        let Some(s) = self.unit.signature(name) else { return Ok(None) };
        let (Some([one]), Ty::Int(_), 1) = (s.params.as_deref(), s.result.plain(), args.len()) else {
            return Ok(None);
        };
        let Some(byte) = one.int().filter(|i| i.bits <= 8) else { return Ok(None) };
        let table = match self.unit.objects.library.get(name) {
            Some(o) => *o,
            None => {
                let ty = Ty::Array(Rc::new(s.result.plain().clone()), Some(256));
                let o = self.object(&super::tokens::original_name(name), &ty, at)?;
                self.unit.objects.library.insert(name.to_string(), o);
                o
            }
        };
        let values = self.arguments(name, args, at)?;
        let Some(key) = values.into_iter().next() else { return Ok(None) };
        let least = if byte.signed { Expr::Const(128) } else { Expr::Const(0) };
        let index = binary(BinOp::Add, key, least, IntKind::Ideal);
        let address = binary(BinOp::Add, Expr::Addr(table), index, IntKind::Ideal);
        let expr = self.body.load(address, self.unit.types.kind(&s.result));
        self.unit
            .assume(format!("`{}` is some function of its argument", super::tokens::original_name(name)));
        Ok(Some(Value { expr, ty: s.result.plain().clone() }))
    }
}

impl Body {
    /// An index of the array of threads that have ended: what goes further than its elements here meets a limit.
    pub fn within_threads(&mut self, index: &Value) {
        let limit = self.limit("an array of CBMC's has more elements");
        let ok = self.fresh();
        let within = compare(CmpOp::Lt, index.expr.clone(), Expr::Const(i128::from(MOST_THREADS)));
        self.branch(within, ok, limit);
        self.cur = ok;
        if index.ty.int().is_none_or(|i| i.signed) {
            self.assumes();
            self.emit(Op::Assume(compare(CmpOp::Ge, index.expr.clone(), Expr::Const(0))));
        }
    }
}
