//! Functions on memory and strings: cell by cell where the size is constant, else a loop.
//!
//! What they do is done in steps, an access each, as a definition in C would.

use super::access::How;
use super::body::Body;
use super::calls::Args;
use super::library::{Memory, Text};
use super::lower::{Lower, Res};
use super::translation::Translation;
use super::types::{CHAR, Int, Part, Ty};
use super::value::{Value, binary, cast, compare, offset};
use super::views::{Conversion, Seen};
use lang_c::ast::{BinaryOperator, Expression};
use lang_c::span::{Node, Span as Bytes};
use relyant_cfa::{BinOp, CmpOp, Expr, IntKind, Loc, Op, Reg};

/// Most cells that one call touches one by one.
const MAX_CELLS: usize = 4096;

const WHOLE: &str = "the size must be that of whole objects or of their first members, as in sizeof *p";

/// How many cells a memory function touches.
enum Extent {
    /// These, from the pointer on.
    Cells(Vec<Part>),
    /// So many objects of these cells.
    Loop(Expr, Vec<Part>),
}

impl<'a> Lower<'a> {
    /// A call of a memory function.
    pub fn memory_call(&mut self, m: Memory, args: Args<'a>, at: Bytes) -> Res<Value> {
        let (first, second) = (self.argument(args, 0, at)?, self.argument(args, 1, at)?);
        let last = if m == Memory::Zero { second } else { self.argument(args, 2, at)? };
        self.body.begin_operands(false);
        let to = self.pointer_argument(first)?;
        self.body.end_operand();
        let from = match m {
            Memory::Zero => Value::int(0),
            Memory::Set => self.value(second)?,
            _ => self.pointer_argument(second)?,
        };
        self.body.end_operand();
        let size = self.value(last)?;
        self.body.end_operand();
        self.body.end_arguments();
        let alone = matches!(m, Memory::Set | Memory::Zero);
        let counted = self.counted(&last.node);
        if !self.is_told(&to) && (alone || !self.is_told(&from)) && counted.is_none() {
            self.untyped_call(m, &to, &from, &size, at)?;
            return Ok(to);
        }
        let element = self.element(&to, &from, counted, alone, at)?;
        let untyped = |v: &Value| matches!(v.ty.target().map(Ty::plain), Some(Ty::Void));
        let both = if matches!(m, Memory::Set | Memory::Zero) { vec![&to] } else { vec![&to, &from] };
        for v in both.into_iter().filter(|v| untyped(v)) {
            let (value, target) = (v.expr.clone(), element.clone());
            self.body.conversions.push(Conversion { value, target, seen: Seen::Memory, span: self.span(at) });
        }
        let extent = self.extent(&element, &size, at)?;
        match m {
            Memory::Set | Memory::Zero => {
                self.fill(&to, &from, extent, at)?;
                Ok(to)
            }
            Memory::Copy | Memory::Move => {
                match extent {
                    Extent::Cells(parts) => self.copy_parts(&to.expr, &from.expr, &parts, at),
                    Extent::Loop(n, parts) => {
                        self.copy_loop(&to.expr, &from.expr, &n, &parts, m == Memory::Move, at);
                    }
                }
                Ok(to)
            }
            Memory::Compare => {
                let Extent::Cells(parts) = extent else {
                    if element.plain().int().is_none_or(|i| i.rank > 1) {
                        return self.refuse(
                            at,
                            "comparing memory of a size that is not constant is",
                            "use a loop",
                        );
                    }
                    let Extent::Loop(n, _) = extent else { return Ok(Value::int(0)) };
                    return self.compare_text(&to, &from, Some(n), false, at);
                };
                self.compare_parts(&to, &from, &element, parts, at)
            }
        }
    }

    /// A pointer that a function takes as `void *`: what it was before casts that tell less.
    pub fn pointer_argument(&mut self, e: &'a Node<Expression>) -> Res<Value> {
        if let Expression::Cast(c) = &e.node {
            let to = self.type_name(&c.node.type_name)?;
            if matches!(to.target().map(Ty::plain), Some(Ty::Void | Ty::Int(Int { rank: 1, .. }))) {
                let inner = self.value_type(&c.node.expression)?;
                if !matches!(inner.target().map(Ty::plain), None | Some(Ty::Void | Ty::Function(_))) {
                    return self.pointer_argument(&c.node.expression);
                }
            }
        }
        self.value(e)
    }

    /// Does a pointer say what is there?
    fn is_told(&self, v: &Value) -> bool {
        !matches!(v.ty.target().map(Ty::plain), None | Some(Ty::Void))
    }

    /// The type whose size a number of bytes is told by: `sizeof(T)`, `sizeof(x)`, times a number.
    pub fn counted(&mut self, size: &'a Expression) -> Option<Ty> {
        let ty = match size {
            Expression::SizeOfTy(s) => self.type_name(&s.node.0).ok()?,
            Expression::SizeOfVal(s) => self.type_of(&s.node.0).ok()?,
            Expression::BinaryOperator(b) if b.node.operator.node == BinaryOperator::Multiply => {
                return self.counted(&b.node.lhs.node).or_else(|| self.counted(&b.node.rhs.node));
            }
            _ => return None,
        };
        (!matches!(ty.plain(), Ty::Void)).then_some(ty)
    }

    /// The type that both pointers point to, else the one whose size counts.
    fn element(&mut self, to: &Value, from: &Value, counted: Option<Ty>, alone: bool, at: Bytes) -> Res<Ty> {
        let typed = |v: &Value| v.ty.target().filter(|t| !matches!(t.plain(), Ty::Void)).cloned();
        let Some(target) = typed(to).or_else(|| if alone { None } else { typed(from) }).or(counted) else {
            return self.refuse(
                at,
                "a memory function on an untyped pointer is",
                "cast it to a pointer to the objects there, or use the members one by one",
            );
        };
        if let (false, Some(other)) = (alone, typed(from)) {
            if other.plain() != target.plain() && !self.unit.types.same_layout(&other, &target) {
                // One may be an array of what the other is.
                let inner = |t: &Ty| {
                    let mut t = t.clone();
                    while let Ty::Array(e, _) = t.plain() {
                        t = (**e).clone();
                    }
                    t
                };
                let (a, b) = (inner(&target), inner(&other));
                if a.plain() == b.plain() || self.unit.types.same_layout(&a, &b) {
                    return Ok(a);
                }
                return self.refuse(
                    at,
                    "a copy or comparison between objects of different types is",
                    "copy the members one by one",
                );
            }
        }
        Ok(target)
    }

    fn extent(&mut self, element: &Ty, size: &Value, at: Bytes) -> Res<Extent> {
        let parts = match self.unit.types.layout(element) {
            Ok(parts) => parts,
            Err(why) => return self.error(at, why, ""),
        };
        let one = match self.unit.types.size(element) {
            Ok((n, _)) => i128::from(n.max(1)),
            Err(why) => return self.error(at, why, ""),
        };
        let Some(n) = size.constant() else {
            let count = match objects(&size.expr, one) {
                Some(count) => count,
                None => {
                    let n = self.body.kept(&size.expr);
                    let rest = binary(BinOp::Rem, n.clone(), Expr::Const(one), IntKind::Ideal);
                    let (part, whole) = (self.body.fresh(), self.body.fresh());
                    self.body.branch(compare(CmpOp::Ne, rest, Expr::Const(0)), part, whole);
                    self.body.cur = part;
                    let limit = self.body.limit("a memory function goes on a part of an object");
                    self.body.edge_to(limit, Op::Skip);
                    self.body.cur = whole;
                    binary(BinOp::Div, n, Expr::Const(one), IntKind::Ideal)
                }
            };
            return Ok(Extent::Loop(count, parts));
        };
        let (whole, rest) = (n / one, n % one);
        if n < 0 || whole.saturating_mul(parts.len() as i128) > MAX_CELLS as i128 {
            return self.refuse(
                at,
                format!("a memory function on more than {MAX_CELLS} scalars is"),
                "use a loop",
            );
        }
        let mut cells = Vec::new();
        for k in 0..whole {
            let shift = (k * one) as u64;
            cells.extend(parts.iter().map(|p| Part { bit: p.bit + shift * 8, ..p.clone() }));
        }
        let rest = rest as u64;
        for p in parts.iter().take_while(|p| p.byte() < rest) {
            if p.byte() + p.size() > rest || p.joint {
                return self.refuse(at, "a memory function on a part of a scalar is", WHOLE);
            }
            cells.push(Part { bit: p.bit + whole as u64 * one as u64 * 8, ..p.clone() });
        }
        Ok(Extent::Cells(cells))
    }

    /// All reads, then all writes.
    pub fn copy_parts(&mut self, to: &Expr, from: &Expr, parts: &[Part], at: Bytes) {
        let read = |l: &mut Self, k: usize, p: &Part| {
            if p.width == 0 {
                return l.body.copied_tag(to, from, k as u64);
            }
            l.read_cell(offset(from.clone(), k as u64), p.kind, p.how(), at)
        };
        let values: Vec<Expr> = parts.iter().enumerate().map(|(k, p)| read(self, k, p)).collect();
        for (k, v) in values.into_iter().enumerate() {
            self.write_cell(offset(to.clone(), k as u64), v, parts[k].kind, parts[k].how(), at);
        }
    }

    /// Copies one object after the other; `either`: from the end where the target lies behind the source.
    fn copy_loop(&mut self, to: &Expr, from: &Expr, n: &Expr, parts: &[Part], either: bool, at: Bytes) {
        let end = self.body.fresh();
        let (to, from) = (self.body.kept(to), self.body.kept(from));
        if either {
            let (down, up) = (self.body.fresh(), self.body.fresh());
            self.body.branch(compare(CmpOp::Gt, to.clone(), from.clone()), down, up);
            self.body.cur = down;
            let i = self.body.count_down(n);
            self.copy_object(&to, &from, &i, parts, at);
            self.body.edge_to(i.head, Op::Skip);
            self.body.cur = i.exit;
            self.body.edge_to(end, Op::Skip);
            self.body.cur = up;
        }
        let i = self.body.count_up(n);
        self.copy_object(&to, &from, &i, parts, at);
        self.body.next(&i);
        self.body.join(end);
    }

    fn copy_object(&mut self, to: &Expr, from: &Expr, i: &Counter, parts: &[Part], at: Bytes) {
        let cells = parts.len() as i128;
        self.copy_parts(&i.shifted(to, cells), &i.shifted(from, cells), parts, at);
    }

    /// Fills memory with a byte.
    fn fill(&mut self, to: &Value, byte: &Value, extent: Extent, at: Bytes) -> Res<()> {
        let (parts, count) = match extent {
            Extent::Cells(parts) => (parts, None),
            Extent::Loop(n, parts) => (parts, Some(n)),
        };
        let uchar = Ty::Int(Int { signed: false, ..CHAR });
        let byte = self.convert(byte.clone(), &uchar, at)?;
        let byte = match byte.constant() {
            Some(_) => byte,
            None => Value { expr: self.body.kept(&byte.expr), ty: byte.ty },
        };
        let mut values = Vec::new();
        for p in &parts {
            values.push(self.filled(&byte, p, at)?);
        }
        let store = |l: &mut Self, base: Expr| {
            for (k, p) in parts.iter().enumerate() {
                if p.width == 0 {
                    l.body.free_tag(offset(base.clone(), k as u64));
                }
                l.write_cell(offset(base.clone(), k as u64), values[k].clone(), p.kind, p.how(), at);
            }
        };
        match count {
            None => store(self, to.expr.clone()),
            Some(n) => {
                let to = self.body.kept(&to.expr);
                let i = self.body.count_up(&n);
                store(self, i.shifted(&to, parts.len() as i128));
                self.body.next(&i);
            }
        }
        Ok(())
    }

    /// A scalar all of whose bytes are the same.
    fn filled(&mut self, byte: &Value, p: &Part, at: Bytes) -> Res<Expr> {
        if p.width == 0 {
            return Ok(Expr::Const(0));
        }
        if p.joint && byte.constant() != Some(0) {
            return self.refuse(at, "filling bit-fields with bytes other than 0 is", "set them one by one");
        }
        let IntKind::Machine { bits, .. } = p.kind else {
            return match (byte.constant(), p.kind) {
                (Some(0), _) => Ok(Expr::Const(0)),
                (Some(1), IntKind::Bool) => Ok(Expr::Const(1)),
                _ => self.refuse(
                    at,
                    "filling pointers, truth values or locks with bytes other than 0 is",
                    "set them one by one",
                ),
            };
        };
        let wide = IntKind::Machine { bits: 64, signed: false };
        let ones = if bits == 8 { 1 } else { 0x0101_0101_0101_0101 };
        let all = binary(BinOp::Mul, byte.expr.clone(), Expr::Const(ones), wide);
        Ok(if bits > 64 {
            return self.refuse(at, "filling wide integers is", "set them one by one");
        } else {
            cast(all, wide, p.kind)
        })
    }

    /// The difference of the first two bytes that differ.
    fn compare_parts(
        &mut self,
        a: &Value,
        b: &Value,
        element: &Ty,
        parts: Vec<Part>,
        at: Bytes,
    ) -> Res<Value> {
        let mut next = 0;
        for p in &parts {
            if !matches!(p.kind, IntKind::Machine { .. } | IntKind::Bool) || p.joint {
                return self.refuse(
                    at,
                    format!("comparing the bytes of `{}` is", self.unit.types.describe(element)),
                    "compare the members one by one",
                );
            }
            if p.byte() != next {
                return self.refuse(
                    at,
                    "comparing objects with padding is",
                    "compare the members one by one",
                );
            }
            next = p.byte() + p.size();
        }
        let (a, b) = (self.body.kept(&a.expr), self.body.kept(&b.expr));
        let result = self.body.temp(IntKind::INT);
        let end = self.body.fresh();
        for (k, p) in parts.iter().enumerate() {
            let x = self.read_cell(offset(a.clone(), k as u64), p.kind, p.how(), at);
            let y = self.read_cell(offset(b.clone(), k as u64), p.kind, p.how(), at);
            let (differ, same) = (self.body.fresh(), self.body.fresh());
            self.body.branch(compare(CmpOp::Ne, x.clone(), y.clone()), differ, same);
            self.body.cur = differ;
            self.body.difference(&x, &y, p, result, end);
            self.body.cur = same;
        }
        self.body.edge_to(end, Op::Assign(result, Expr::Const(0)));
        self.body.cur = end;
        Ok(Value { expr: Expr::Reg(result), ty: Ty::Int(super::types::INT) })
    }

    /// A call of a string function.
    pub fn text_call(&mut self, t: Text, args: Args<'a>, at: Bytes) -> Res<Value> {
        let ulong = Ty::Int(self.unit.types.ulong());
        let first = self.text(self.argument(args, 0, at)?, at)?;
        let limit = |l: &mut Self, k: usize| -> Res<Expr> {
            let n = l.value(l.argument(args, k, at)?)?;
            let n = l.convert(n, &ulong, at)?.expr;
            Ok(l.body.kept(&n))
        };
        match t {
            Text::Length => {
                let n = self.end_of(&first, None, at);
                Ok(Value { expr: n, ty: ulong })
            }
            Text::LengthWithin => {
                let most = limit(self, 1)?;
                let n = self.end_of(&first, Some(most), at);
                Ok(Value { expr: n, ty: ulong })
            }
            Text::Compare => {
                let second = self.text(self.argument(args, 1, at)?, at)?;
                self.compare_text(&first, &second, None, true, at)
            }
            Text::CompareWithin => {
                let second = self.text(self.argument(args, 1, at)?, at)?;
                let most = limit(self, 2)?;
                self.compare_text(&first, &second, Some(most), true, at)
            }
            Text::Copy => {
                let second = self.text(self.argument(args, 1, at)?, at)?;
                self.copy_text(&first.expr, &second, None, at);
                Ok(first)
            }
            Text::CopyWithin => {
                let second = self.text(self.argument(args, 1, at)?, at)?;
                let most = limit(self, 2)?;
                self.copy_padded(&first.expr, &second, &most, at);
                Ok(first)
            }
            Text::Append => {
                let second = self.text(self.argument(args, 1, at)?, at)?;
                let end = self.end_of(&first, None, at);
                let behind = self.body.kept(&binary(BinOp::Add, first.expr.clone(), end, IntKind::Ideal));
                self.copy_text(&behind, &second, None, at);
                Ok(first)
            }
            Text::AppendWithin => {
                let second = self.text(self.argument(args, 1, at)?, at)?;
                let most = limit(self, 2)?;
                let end = self.end_of(&first, None, at);
                let behind = self.body.kept(&binary(BinOp::Add, first.expr.clone(), end, IntKind::Ideal));
                self.copy_text(&behind, &second, Some(most), at);
                Ok(first)
            }
            Text::Find => {
                let c = self.value(self.argument(args, 1, at)?)?;
                let char = first.ty.target().cloned().unwrap_or(Ty::Int(CHAR));
                let c = self.convert(c, &char, at)?.expr;
                let c = self.body.kept(&c);
                self.find(&first, &c, at)
            }
        }
    }

    /// An argument that is a string.
    fn text(&mut self, e: &'a Node<Expression>, at: Bytes) -> Res<Value> {
        let v = self.value(e)?;
        match v.ty.target().and_then(Ty::int) {
            Some(Int { rank: 1, .. }) => Ok(Value { expr: self.body.kept(&v.expr), ty: v.ty }),
            _ => self.refuse(
                at,
                format!("a string function on a `{}` is", self.unit.types.describe(&v.ty)),
                "use a pointer to char",
            ),
        }
    }

    fn char_at(&mut self, v: &Value, i: Expr, at: Bytes) -> Expr {
        let kind = v.ty.target().map_or(IntKind::INT, |t| self.unit.types.kind(t));
        self.read_cell(binary(BinOp::Add, v.expr.clone(), i, IntKind::Ideal), kind, How::default(), at)
    }

    /// Number of characters before the 0, or before some number of them.
    fn end_of(&mut self, v: &Value, most: Option<Expr>, at: Bytes) -> Expr {
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

    /// Compares bytes; `text`: up to the first 0.
    fn compare_text(
        &mut self,
        a: &Value,
        b: &Value,
        most: Option<Expr>,
        text: bool,
        at: Bytes,
    ) -> Res<Value> {
        self.unit.assume("comparing strings or memory gives the difference of the first bytes that differ");
        let a = Value { expr: self.body.kept(&a.expr), ty: a.ty.clone() };
        let b = Value { expr: self.body.kept(&b.expr), ty: b.ty.clone() };
        let uchar = IntKind::Machine { bits: 8, signed: false };
        let result = self.body.temp(IntKind::INT);
        let end = self.body.fresh();
        let i = self.body.counter(most.as_ref());
        let kind = |l: &Self, v: &Value| v.ty.target().map_or(uchar, |t| l.unit.types.kind(t));
        let (ka, kb) = (kind(self, &a), kind(self, &b));
        let x = self.char_at(&a, Expr::Reg(i.index), at);
        let y = self.char_at(&b, Expr::Reg(i.index), at);
        let (x, y) = (cast(x, ka, uchar), cast(y, kb, uchar));
        let (differ, same, more) = (self.body.fresh(), self.body.fresh(), self.body.fresh());
        self.body.branch(compare(CmpOp::Ne, x.clone(), y.clone()), differ, same);
        self.body.cur = differ;
        self.body.edge_to(end, Op::Assign(result, binary(BinOp::Sub, x.clone(), y, IntKind::INT)));
        self.body.cur = same;
        if text {
            self.body.branch(compare(CmpOp::Eq, x, Expr::Const(0)), i.exit, more);
        } else {
            self.body.edge_to(more, Op::Skip);
        }
        self.body.cur = more;
        self.body.next(&i);
        self.body.edge_to(end, Op::Assign(result, Expr::Const(0)));
        self.body.cur = end;
        Ok(Value { expr: Expr::Reg(result), ty: Ty::Int(super::types::INT) })
    }

    /// Copies a string with its 0; of at most so many characters, then with a 0 behind them.
    fn copy_text(&mut self, to: &Expr, from: &Value, most: Option<Expr>, at: Bytes) {
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
    fn copy_padded(&mut self, to: &Expr, from: &Value, most: &Expr, at: Bytes) {
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

    /// `strchr`.
    fn find(&mut self, v: &Value, wanted: &Expr, at: Bytes) -> Res<Value> {
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

impl Body {
    pub fn count_up(&mut self, n: &Expr) -> Counter {
        let n = self.kept(n);
        self.counter(Some(&n))
    }
}

impl Body {
    /// The first byte in which two numbers that differ do, the lowest first.
    fn difference(&mut self, x: &Expr, y: &Expr, p: &Part, result: Reg, end: Loc) {
        let wide = IntKind::Machine { bits: (p.width) as u8, signed: false };
        let byte = |e: &Expr, k: u64| {
            let e = cast(e.clone(), p.kind, wide);
            let e = binary(BinOp::Shr, e, Expr::Const(i128::from(k * 8)), wide);
            binary(BinOp::And, e, Expr::Const(255), wide)
        };
        for k in 0..p.size() {
            let (u, v) = (byte(x, k), byte(y, k));
            let minus = binary(BinOp::Sub, u.clone(), v.clone(), IntKind::INT);
            if k + 1 == p.size() {
                self.edge_to(end, Op::Assign(result, minus));
                return;
            }
            let (differ, same) = (self.fresh(), self.fresh());
            self.branch(compare(CmpOp::Ne, u, v), differ, same);
            self.cur = differ;
            self.edge_to(end, Op::Assign(result, minus));
            self.cur = same;
        }
    }

    /// A loop from 0 up, with a bound or without; goes on in its body.
    pub fn counter(&mut self, most: Option<&Expr>) -> Counter {
        let index = self.assign(IntKind::Ideal, Expr::Const(0));
        let (head, exit) = (self.fresh(), self.fresh());
        self.join(head);
        if let Some(n) = most {
            let inside = self.fresh();
            self.branch(compare(CmpOp::Lt, Expr::Reg(index), n.clone()), inside, exit);
            self.cur = inside;
        }
        Counter { index, head, exit }
    }

    /// The same from `n - 1` down to 0; the end of the body leads to the head.
    fn count_down(&mut self, n: &Expr) -> Counter {
        let index = self.assign(IntKind::Ideal, n.clone());
        let (head, exit, inside) = (self.fresh(), self.fresh(), self.fresh());
        self.join(head);
        self.branch(compare(CmpOp::Gt, Expr::Reg(index), Expr::Const(0)), inside, exit);
        self.cur = inside;
        let i = Counter { index, head, exit };
        self.emit(Op::Assign(index, i.after(-1)));
        i
    }
}

impl Body {
    /// The value in a register, unless it is fixed.
    pub fn kept(&mut self, e: &Expr) -> Expr {
        match e {
            Expr::Const(_) | Expr::Addr(_) => e.clone(),
            e => Expr::Reg(self.assign(IntKind::Ideal, e.clone())),
        }
    }

    /// The next round; goes on after the loop.
    pub fn next(&mut self, i: &Counter) {
        self.edge_to(i.head, Op::Assign(i.index, i.after(1)));
        self.cur = i.exit;
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
        if !object.name.starts_with("string#") {
            return None;
        }
        let text: Option<Vec<i128>> = object.init.get(k..)?.iter().copied().collect();
        text.filter(|t| t.contains(&0))
    }
}

/// A loop.
pub struct Counter {
    /// The number of rounds before.
    pub index: Reg,
    head: Loc,
    exit: Loc,
}

impl Counter {
    fn after(&self, d: i128) -> Expr {
        binary(BinOp::Add, Expr::Reg(self.index), Expr::Const(d), IntKind::Ideal)
    }
    /// A pointer moved by the index.
    pub fn shifted(&self, base: &Expr, cells: i128) -> Expr {
        let distance = binary(BinOp::Mul, Expr::Reg(self.index), Expr::Const(cells), IntKind::Ideal);
        binary(BinOp::Add, base.clone(), distance, IntKind::Ideal)
    }
}

/// How many objects of so many bytes a size is, if it is told by its form.
fn objects(size: &Expr, one: i128) -> Option<Expr> {
    if one == 1 {
        return Some(size.clone());
    }
    match size {
        // Where it would wrap it is larger than any object.
        Expr::Binary(
            BinOp::Mul,
            a,
            b,
            IntKind::Ideal | IntKind::Machine { bits: 64, .. } | IntKind::Machine { signed: true, .. },
        ) => match (&**a, &**b) {
            (x, Expr::Const(c)) | (Expr::Const(c), x) if *c > 0 && c % one == 0 => {
                Some(binary(BinOp::Mul, x.clone(), Expr::Const(c / one), IntKind::Ideal))
            }
            _ => None,
        },
        Expr::Cast(a, IntKind::Machine { bits: 64, .. }) => objects(a, one),
        _ => None,
    }
}
