//! String functions: loops that end at a zero.

use super::access::How;
use super::calls::Args;
use super::counter::Counter;
use super::library::TextCall;
use super::lower::{Lower, Res};
use super::translation::Translation;
use super::types::{CHAR, Int, Ty};
use super::value::{Value, binary, cast, compare, offset};
use lang_c::ast::Expression;
use lang_c::span::{Node, Span as Bytes};
use relyant_cfa::{BinOp, CmpOp, Expr, IntKind, ObjectKind, Op};

/// What is assumed where strings or memory are compared.
pub const DIFFERENCE: &str =
    "comparing strings or memory gives the difference of the first bytes that differ";

impl<'a> Lower<'a> {
    /// A call of a string function.
    pub fn text_call(&mut self, t: TextCall, args: Args<'a>, at: Bytes) -> Res<Value> {
        let ulong = Ty::Int(self.unit.types.ulong());
        let first = self.text(self.argument(args, 0, at)?, at)?;
        let limit = |l: &mut Self, k: usize| -> Res<Expr> {
            let n = l.value(l.argument(args, k, at)?)?;
            let n = l.convert(n, &ulong, at)?.expr;
            Ok(l.body.kept(&n))
        };
        match t {
            TextCall::Length => {
                let n = self.end_of(&first, None, at);
                Ok(Value { expr: n, ty: ulong })
            }
            TextCall::LengthWithin => {
                let most = limit(self, 1)?;
                let n = self.end_of(&first, Some(most), at);
                Ok(Value { expr: n, ty: ulong })
            }
            TextCall::Compare => {
                let second = self.text(self.argument(args, 1, at)?, at)?;
                Ok(self.compare_text(&first, &second, None, at))
            }
            TextCall::CompareWithin => {
                let second = self.text(self.argument(args, 1, at)?, at)?;
                let most = limit(self, 2)?;
                Ok(self.compare_text(&first, &second, Some(most), at))
            }
            TextCall::Copy => {
                let second = self.text(self.argument(args, 1, at)?, at)?;
                self.copy_text(&first.expr, &second, None, at);
                Ok(first)
            }
            TextCall::CopyWithin => {
                let second = self.text(self.argument(args, 1, at)?, at)?;
                let most = limit(self, 2)?;
                self.copy_padded(&first.expr, &second, &most, at);
                Ok(first)
            }
            TextCall::Append => {
                let second = self.text(self.argument(args, 1, at)?, at)?;
                let end = self.end_of(&first, None, at);
                let behind = self.body.kept(&binary(BinOp::Add, first.expr.clone(), end, IntKind::Ideal));
                self.copy_text(&behind, &second, None, at);
                Ok(first)
            }
            TextCall::AppendWithin => {
                let second = self.text(self.argument(args, 1, at)?, at)?;
                let most = limit(self, 2)?;
                let end = self.end_of(&first, None, at);
                let behind = self.body.kept(&binary(BinOp::Add, first.expr.clone(), end, IntKind::Ideal));
                self.copy_text(&behind, &second, Some(most), at);
                Ok(first)
            }
            TextCall::Find => {
                let c = self.value(self.argument(args, 1, at)?)?;
                let char = first.ty.target().cloned().unwrap_or(Ty::Int(CHAR));
                let c = self.convert(c, &char, at)?.expr;
                let c = self.body.kept(&c);
                self.find(&first, &c, at)
            }
        }
    }

    /// An argument that is a string.
    pub fn text(&mut self, e: &'a Node<Expression>, at: Bytes) -> Res<Value> {
        let mut v = self.value(e)?;
        if v.ty.target().is_some_and(|t| matches!(t.plain(), Ty::Void)) {
            v = self.convert(v, &Ty::Int(CHAR).pointer(), at)?;
        }
        match v.ty.target().and_then(Ty::int) {
            Some(Int { rank: 1, .. }) => Ok(Value { expr: self.body.kept(&v.expr), ty: v.ty }),
            _ => self.refuse(
                at,
                format!("a string function on a `{}` is", self.unit.types.describe(&v.ty)),
                "use a pointer to char",
            ),
        }
    }

    pub fn char_at(&mut self, v: &Value, i: Expr, at: Bytes) -> Expr {
        let kind = v.ty.target().map_or(IntKind::INT, |t| self.unit.types.kind(t));
        self.read_cell(binary(BinOp::Add, v.expr.clone(), i, IntKind::Ideal), kind, How::default(), at)
    }

    /// Number of characters before the 0, or before some number of them.
    pub fn end_of(&mut self, v: &Value, most: Option<Expr>, at: Bytes) -> Expr {
        if let (Some(text), None) = (self.unit.known_text(&v.expr), &most) {
            return Expr::Const(text.iter().position(|c| *c == 0).unwrap_or(0) as i128);
        }
        let i = self.body.counter(most.as_ref());
        let c = self.char_at(v, Expr::Reg(i.index), at);
        let more = self.body.fresh();
        self.body.branch(compare(CmpOp::Eq, c, Expr::Const(0)), i.exit, more);
        self.body.cur = more;
        self.body.next(&i);
        Expr::Reg(i.index)
    }

    /// Compares strings, of at most so many characters.
    pub fn compare_text(&mut self, a: &Value, b: &Value, most: Option<Expr>, at: Bytes) -> Value {
        self.unit.assume(DIFFERENCE);
        let (a, b) = (self.kept_text(a), self.kept_text(b));
        let result = self.body.temp(IntKind::INT);
        let end = self.body.fresh();
        let i = self.body.counter(most.as_ref());
        let (x, y) = (self.byte_at(&a, &i, at), self.byte_at(&b, &i, at));
        let (differ, same, more) = (self.body.fresh(), self.body.fresh(), self.body.fresh());
        self.body.branch(compare(CmpOp::Ne, x.clone(), y.clone()), differ, same);
        self.body.cur = differ;
        self.body.edge_to(end, Op::Assign(result, binary(BinOp::Sub, x.clone(), y, IntKind::INT)));
        self.body.cur = same;
        self.body.branch(compare(CmpOp::Eq, x, Expr::Const(0)), i.exit, more);
        self.body.cur = more;
        self.body.next(&i);
        self.body.edge_to(end, Op::Assign(result, Expr::Const(0)));
        self.body.cur = end;
        Value { expr: Expr::Reg(result), ty: Ty::Int(super::types::INT) }
    }

    /// Compares so many bytes; all of them are read, whatever differs.
    pub fn compare_bytes(&mut self, a: &Value, b: &Value, n: &Expr, at: Bytes) -> Value {
        self.unit.assume(DIFFERENCE);
        let (a, b) = (self.kept_text(a), self.kept_text(b));
        let result = self.body.assign(IntKind::INT, Expr::Const(0));
        let i = self.body.count_up(n);
        let (x, y) = (self.byte_at(&a, &i, at), self.byte_at(&b, &i, at));
        let (first, next) = (self.body.fresh(), self.body.fresh());
        self.body.branch(compare(CmpOp::Eq, Expr::Reg(result), Expr::Const(0)), first, next);
        self.body.cur = first;
        self.body.edge_to(next, Op::Assign(result, binary(BinOp::Sub, x, y, IntKind::INT)));
        self.body.cur = next;
        self.body.next(&i);
        Value { expr: Expr::Reg(result), ty: Ty::Int(super::types::INT) }
    }

    fn kept_text(&mut self, v: &Value) -> Value {
        Value { expr: self.body.kept(&v.expr), ty: v.ty.clone() }
    }

    /// A character as an unsigned one.
    fn byte_at(&mut self, v: &Value, i: &Counter, at: Bytes) -> Expr {
        let uchar = IntKind::Machine { bits: 8, signed: false };
        let kind = v.ty.target().map_or(uchar, |t| self.unit.types.kind(t));
        cast(self.char_at(v, Expr::Reg(i.index), at), kind, uchar)
    }

    /// Copies a string with its 0; of at most so many characters, then with a 0 behind them.
    pub fn copy_text(&mut self, to: &Expr, from: &Value, most: Option<Expr>, at: Bytes) {
        let kind = from.ty.target().map_or(IntKind::INT, |t| self.unit.types.kind(t));
        if let (Some(text), None) = (self.unit.known_text(&from.expr), &most) {
            let n = text.iter().position(|c| *c == 0).map_or(text.len(), |n| n + 1);
            for (k, c) in text.into_iter().take(n).enumerate() {
                self.write_cell(offset(to.clone(), k as u64), Expr::Const(c), kind, How::default(), at);
            }
            return;
        }
        let i = self.body.counter(most.as_ref());
        let c = self.char_at(from, Expr::Reg(i.index), at);
        let (more, last) = (self.body.fresh(), self.body.fresh());
        self.body.branch(compare(CmpOp::Eq, c.clone(), Expr::Const(0)), last, more);
        self.body.cur = last;
        self.body.edge_to(i.exit, Op::Skip);
        self.body.cur = more;
        self.write_cell(i.shifted(to, 1), c, kind, How::default(), at);
        self.body.next(&i);
        self.write_cell(i.shifted(to, 1), Expr::Const(0), kind, How::default(), at);
    }

    /// `strncpy`: exactly so many characters, 0 after the end.
    pub fn copy_padded(&mut self, to: &Expr, from: &Value, most: &Expr, at: Bytes) {
        let kind = from.ty.target().map_or(IntKind::INT, |t| self.unit.types.kind(t));
        let i = self.body.count_up(most);
        let c = self.char_at(from, Expr::Reg(i.index), at);
        let (end, more) = (self.body.fresh(), self.body.fresh());
        self.body.branch(compare(CmpOp::Eq, c.clone(), Expr::Const(0)), end, more);
        self.body.cur = more;
        self.write_cell(i.shifted(to, 1), c, kind, How::default(), at);
        self.body.next(&i);
        let done = self.body.fresh();
        self.body.edge_to(done, Op::Skip);
        // From the end of the string on.
        self.body.cur = end;
        let test = compare(CmpOp::Lt, Expr::Reg(i.index), most.clone());
        let inside = self.body.fresh();
        self.body.branch(test, inside, done);
        self.body.cur = inside;
        self.write_cell(i.shifted(to, 1), Expr::Const(0), kind, How::default(), at);
        self.body.edge_to(end, Op::Assign(i.index, i.after(1)));
        self.body.cur = done;
    }

    /// `strchr`: the address of the first such character, or null; the 0 at the end may be looked for.
    pub fn find(&mut self, v: &Value, wanted: &Expr, at: Bytes) -> Res<Value> {
        let result = self.body.temp(IntKind::Ideal);
        let end = self.body.fresh();
        let i = self.body.counter(None);
        let c = self.char_at(v, Expr::Reg(i.index), at);
        let (found, other, more) = (self.body.fresh(), self.body.fresh(), self.body.fresh());
        self.body.branch(compare(CmpOp::Eq, c.clone(), wanted.clone()), found, other);
        self.body.cur = found;
        self.body.edge_to(end, Op::Assign(result, i.shifted(&v.expr, 1)));
        self.body.cur = other;
        self.body.branch(compare(CmpOp::Eq, c, Expr::Const(0)), i.exit, more);
        self.body.cur = more;
        self.body.next(&i);
        self.body.edge_to(end, Op::Assign(result, Expr::Const(0)));
        self.body.cur = end;
        Ok(Value { expr: Expr::Reg(result), ty: v.ty.clone() })
    }
}

impl Translation<'_> {
    /// What a string literal that nothing changes holds.
    pub fn known_text(&self, v: &Expr) -> Option<Vec<i128>> {
        let (o, k) = match v {
            Expr::Addr(o) => (*o, 0),
            Expr::Binary(BinOp::Add, a, b, _) => match (&**a, &**b) {
                (Expr::Addr(o), Expr::Const(k)) => (*o, usize::try_from(*k).ok()?),
                _ => return None,
            },
            _ => return None,
        };
        let object = self.objects.all().get(o.0 as usize)?;
        if object.kind != ObjectKind::Literal {
            return None;
        }
        let text: Option<Vec<i128>> = object.init.get(k..)?.iter().copied().collect();
        text.filter(|t| t.contains(&0))
    }
}
