//! Functions on memory and strings: cell by cell where the size is constant, else a loop.
//!
//! What they do is done in steps, an access each, as a definition in C would.

use super::body::Body;
use super::calls::Args;
use super::counter::Counter;
use super::library::MemoryCall;
use super::lower::{Lower, Res};
use super::parts::Part;
use super::types::{CHAR, Int, Ty};
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
    pub fn memory_call(&mut self, m: MemoryCall, args: Args<'a>, at: Bytes) -> Res<Value> {
        let (first, second) = (self.argument(args, 0, at)?, self.argument(args, 1, at)?);
        let last = if m == MemoryCall::Zero { second } else { self.argument(args, 2, at)? };
        self.body.begin_operands(false);
        let to = self.pointer_argument(first)?;
        self.body.end_operand();
        let from = match m {
            MemoryCall::Zero => Value::int(0),
            MemoryCall::Set => self.value(second)?,
            _ => self.pointer_argument(second)?,
        };
        self.body.end_operand();
        let size = self.value(last)?;
        self.body.end_operand();
        self.body.end_arguments();
        let alone = matches!(m, MemoryCall::Set | MemoryCall::Zero);
        let pointers = if alone { vec![first] } else { vec![first, second] };
        let whole = self.rows_touched(&pointers, last, &size, at)?;
        let counted = self.counted(&last.node);
        if !self.is_told(&to) && (alone || !self.is_told(&from)) && counted.is_none() {
            self.untyped_call(m, &to, &from, &size, at)?;
            return Ok(to);
        }
        let element = self.element(&to, &from, counted, alone, at)?;
        let untyped = |v: &Value| matches!(v.ty.target().map(Ty::plain), Some(Ty::Void));
        let both = if matches!(m, MemoryCall::Set | MemoryCall::Zero) { vec![&to] } else { vec![&to, &from] };
        for v in both.into_iter().filter(|v| untyped(v)) {
            let (value, target) = (v.expr.clone(), element.clone());
            self.body.conversions.push(Conversion { value, target, seen: Seen::Memory, span: self.span(at) });
        }
        let extent = match whole.map(|ty| self.unit.types.layout(&ty)) {
            Some(Ok(parts)) if m != MemoryCall::Compare => Extent::Cells(parts),
            Some(_) => {
                self.beyond(at, super::rows::WHAT, super::rows::HELP)?;
                return Ok(Value::int(0));
            }
            None => self.extent(&element, &size, at)?,
        };
        match m {
            MemoryCall::Set | MemoryCall::Zero => {
                self.fill(&to, &from, extent, at)?;
                Ok(to)
            }
            MemoryCall::Copy | MemoryCall::Move => {
                match extent {
                    Extent::Cells(parts) => self.copy_parts(&to.expr, &from.expr, &parts, at),
                    Extent::Loop(n, parts) => {
                        self.copy_loop(&to.expr, &from.expr, &n, &parts, m == MemoryCall::Move, at);
                    }
                }
                Ok(to)
            }
            MemoryCall::Compare => {
                let Extent::Cells(parts) = extent else {
                    if element.plain().int().is_none_or(|i| i.rank > 1) {
                        return self.refuse(
                            at,
                            "comparing memory of a size that is not constant is",
                            "use a loop",
                        );
                    }
                    let Extent::Loop(n, _) = extent else { return Ok(Value::int(0)) };
                    return Ok(self.compare_bytes(&to, &from, &n, at));
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
        self.unit.assume(super::texts::DIFFERENCE);
        let (a, b) = (self.body.kept(&a.expr), self.body.kept(&b.expr));
        let result = self.body.temp(IntKind::INT);
        let end = self.body.fresh();
        // All of both is read, whatever differs.
        let read = |(k, p): (usize, &Part)| {
            let mut cell =
                |object: &Expr| self.read_cell(offset(object.clone(), k as u64), p.kind, p.how(), at);
            (cell(&a), cell(&b))
        };
        let cells: Vec<(Expr, Expr)> = parts.iter().enumerate().map(read).collect();
        for ((x, y), p) in cells.into_iter().zip(&parts) {
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
