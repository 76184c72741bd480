//! `div` and the like: quotient and remainder at once.

use super::calls::Args;
use super::lower::{Lower, Res};
use super::types::Ty;
use super::value::{Value, offset};
use lang_c::span::Span as Bytes;
use relyant_cfa::{BinOp, Expr};

impl<'a> Lower<'a> {
    /// `div(a, b)` and its like: a record of quotient and remainder.
    pub fn divide(&mut self, name: &str, args: Args<'a>, at: Bytes) -> Res<Value> {
        let result = self.unit.signature(name).map(|s| s.result.plain().clone());
        let Some(ty @ Ty::Record(id)) = result else {
            return self.refuse(at, format!("`{name}` without its declaration is"), "include <stdlib.h>");
        };
        let (Some(quot), Some(rem)) = (self.unit.types.member(id, "quot"), self.unit.types.member(id, "rem"))
        else {
            return self.refuse(at, format!("`{name}` with another result is"), "include <stdlib.h>");
        };
        let mut numbers = Vec::new();
        for k in 0..2 {
            let e = self.argument(args, k, at)?;
            let v = self.value(e)?;
            let v = self.convert(v, &quot.ty, e.span)?;
            let kind = self.unit.types.kind(&quot.ty);
            numbers.push(Value { expr: Expr::Reg(self.body.assign(kind, v.expr)), ty: quot.ty.clone() });
        }
        let object = self.local_object("result", &ty, at)?;
        for (op, member) in [(BinOp::Div, quot), (BinOp::Rem, rem)] {
            let v = self.arithmetic(op, numbers[0].clone(), numbers[1].clone(), at)?;
            let kind = self.unit.types.kind(&member.ty);
            self.body.store(offset(Expr::Addr(object), member.cell), v.expr, kind);
        }
        Ok(Value { expr: Expr::Addr(object), ty })
    }
}
