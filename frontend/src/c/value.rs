//! Values and places: conversions, arithmetic with constants folded, reading and writing.

use super::access::How;
use super::body::Body;
use super::bytes::Byte;
use super::floats::float_unary;
use super::lower::{Lower, Res};
use super::types::{INT, Int, Ty};
use super::unions::Through;
use super::views::{Conversion, Seen};
use lang_c::span::Span as Bytes;
use relyant_cfa::{BinOp, CmpOp, Expr, FloatUnary, InputSource, IntKind, Op, Reg, UnOp};

/// Larger expressions go through a register, so that nobody has to recurse deep.
const MAX_SIZE: usize = 48;

/// A value and its type. A record's is the address of its first cell.
#[derive(Clone, Debug)]
pub struct Value {
    /// What is computed; registers in it keep their values until it is used.
    pub expr: Expr,
    /// The type that C gives it.
    pub ty: Ty,
}

impl Value {
    /// A constant of type `int`, which must be in its range.
    pub fn int(n: i128) -> Value {
        Value { expr: Expr::Const(n), ty: Ty::Int(INT) }
    }
    /// Nothing, of type `void`.
    pub fn void() -> Value {
        Value { expr: Expr::Const(0), ty: Ty::Void }
    }
    /// Its value if it is constant.
    pub fn constant(&self) -> Option<i128> {
        match self.expr {
            Expr::Const(n) => Some(n),
            _ => None,
        }
    }
}

/// Where a place is.
#[derive(Clone, Debug)]
pub enum At {
    /// A register, for a local whose address nobody takes.
    Register(Reg),
    /// Memory at an address.
    Memory(Expr),
    /// The global `NONDET`, which has any value at each read.
    Input,
    /// A byte of an integer in memory.
    Byte(Byte),
}

/// Something that can be read or written.
#[derive(Clone, Debug)]
pub struct Place {
    /// Where what it holds is kept.
    pub at: At,
    /// The type that C gives it.
    pub ty: Ty,
    /// It has no address; so many cells are between it and the first bit-field of its unit.
    pub bit_field: Option<u64>,
    /// It is in a union that is seen in several ways.
    pub through: Option<Through>,
}

/// Number of nodes of an expression, leaves included.
pub fn size(e: &Expr) -> usize {
    match e {
        Expr::Unary(_, a, _) | Expr::Not(a) | Expr::Cast(a, _) => 1 + size(a),
        Expr::Binary(_, a, b, _) | Expr::Compare(_, a, b) => 1 + size(a) + size(b),
        _ => 1,
    }
}

/// The value in a kind that is congruent to `v`, as C converts.
pub fn wrap(v: i128, kind: IntKind) -> i128 {
    match kind {
        IntKind::Bool => i128::from(v != 0),
        IntKind::Machine { bits, signed } if bits < 127 => {
            let low = v & ((1i128 << bits) - 1);
            if signed && bits > 0 && low >> (bits - 1) == 1 { low - (1i128 << bits) } else { low }
        }
        _ => v,
    }
}

/// Does a kind hold all values of another?
fn holds(outer: IntKind, inner: IntKind) -> bool {
    match (outer, inner) {
        (IntKind::Ideal, _) => true,
        (IntKind::Bool, i) => i == IntKind::Bool,
        (o, i) => match (o.min(), o.max(), i.min(), i.max()) {
            (Some(a), Some(b), Some(c), Some(d)) => a <= c && d <= b,
            _ => false,
        },
    }
}

/// Is it an address, or some way from one?
fn is_address(e: &Expr) -> bool {
    match e {
        Expr::Addr(_) | Expr::Func(_) => true,
        Expr::Binary(BinOp::Add | BinOp::Sub, a, _, IntKind::Ideal) => is_address(a),
        _ => false,
    }
}

/// Bounds of an expression's value that can be seen at once.
fn is_bit(e: &Expr) -> bool {
    match e {
        Expr::Compare(..) | Expr::Not(_) | Expr::Cast(_, IntKind::Bool) => true,
        Expr::Binary(BinOp::Float(op, _), ..) => op.is_comparison(),
        _ => false,
    }
}

/// Folds `a op b` on constants; `None` where the result is no constant or undefined.
fn fold(op: BinOp, a: i128, b: i128, kind: IntKind) -> Option<i128> {
    let exact = match op {
        BinOp::Add => a.checked_add(b),
        BinOp::Sub => a.checked_sub(b),
        // Wrapping at 2^128 changes nothing modulo a machine width.
        BinOp::Mul if kind != IntKind::Ideal => Some(a.wrapping_mul(b)),
        BinOp::Mul => a.checked_mul(b),
        BinOp::Div => a.checked_div(b),
        BinOp::Rem => a.checked_rem(b),
        BinOp::And => Some(a & b),
        BinOp::Or => Some(a | b),
        BinOp::Xor => Some(a ^ b),
        BinOp::Float(op, p) => Some(op.apply(p, a, b)),
        BinOp::Shl | BinOp::Shr => {
            let width = if let IntKind::Machine { bits, .. } = kind { i128::from(bits) } else { 100 };
            if b < 0 || b >= width {
                return None;
            }
            match op {
                BinOp::Shr => Some(a >> b),
                _ => a.checked_mul(1i128 << b),
            }
        }
    };
    exact.map(|v| wrap(v, kind))
}

/// `a op b`, simplified where that is always right.
pub fn binary(op: BinOp, a: Expr, b: Expr, kind: IntKind) -> Expr {
    if let (Expr::Const(x), Expr::Const(y)) = (&a, &b) {
        if let Some(v) = fold(op, *x, *y, kind) {
            return Expr::Const(v);
        }
    }
    match (op, &a, &b) {
        (BinOp::Add, _, Expr::Const(0))
        | (BinOp::Sub, _, Expr::Const(0))
        | (BinOp::Mul, _, Expr::Const(1)) => return a,
        (BinOp::Add, Expr::Const(0), _) | (BinOp::Mul, Expr::Const(1), _) => return b,
        (BinOp::Mul, _, Expr::Const(0)) | (BinOp::Mul, Expr::Const(0), _) => return Expr::Const(0),
        _ => {}
    }
    // Offsets into objects add up.
    if let (BinOp::Add, IntKind::Ideal, Expr::Const(y)) = (op, kind, &b) {
        if let Expr::Binary(BinOp::Add, base, x, IntKind::Ideal) = &a {
            if let Expr::Const(x) = **x {
                if let Some(sum) = x.checked_add(*y) {
                    return binary(BinOp::Add, (**base).clone(), Expr::Const(sum), kind);
                }
            }
        }
    }
    Expr::Binary(op, Box::new(a), Box::new(b), kind)
}

/// `a op b` as 0 or 1.
pub fn compare(op: CmpOp, a: Expr, b: Expr) -> Expr {
    if let (Expr::Const(x), Expr::Const(y)) = (&a, &b) {
        let holds = match op {
            CmpOp::Lt => x < y,
            CmpOp::Le => x <= y,
            CmpOp::Gt => x > y,
            CmpOp::Ge => x >= y,
            CmpOp::Eq => x == y,
            CmpOp::Ne => x != y,
        };
        return Expr::Const(i128::from(holds));
    }
    // An object's or function's address is never null, and every object has its own.
    let known = match (&a, &b) {
        (Expr::Addr(_) | Expr::Func(_), Expr::Const(0)) | (Expr::Const(0), Expr::Addr(_) | Expr::Func(_)) => {
            Some(false)
        }
        (Expr::Addr(x), Expr::Addr(y)) => Some(x == y),
        (Expr::Func(x), Expr::Func(y)) => Some(x == y),
        _ => None,
    };
    match (known, op) {
        (Some(same), CmpOp::Eq) => Expr::Const(i128::from(same)),
        (Some(same), CmpOp::Ne) => Expr::Const(i128::from(!same)),
        _ => Expr::Compare(op, Box::new(a), Box::new(b)),
    }
}

/// `!a`, which is 1 where `a` is 0, and 0 elsewhere.
pub fn not(a: Expr) -> Expr {
    match a {
        Expr::Const(n) => Expr::Const(i128::from(n == 0)),
        Expr::Addr(_) | Expr::Func(_) => Expr::Const(0),
        Expr::Compare(..) => a.is_false(),
        a => Expr::Not(Box::new(a)),
    }
}

/// `base + offset`, an address.
pub fn offset(base: Expr, offset: u64) -> Expr {
    binary(BinOp::Add, base, Expr::Const(i128::from(offset)), IntKind::Ideal)
}

/// Converts a value of one kind to another.
pub fn cast(e: Expr, from: IntKind, to: IntKind) -> Expr {
    if holds(to, from) || (to == IntKind::Bool && is_bit(&e)) {
        return e;
    }
    match e {
        Expr::Const(n) => Expr::Const(wrap(n, to)),
        Expr::Addr(_) | Expr::Func(_) if to == IntKind::Bool => Expr::Const(1),
        // Not so in a signed bit-field of one bit.
        e if is_bit(&e) && holds(to, IntKind::Bool) => e,
        e => Expr::Cast(Box::new(e), to),
    }
}

impl Lower<'_> {
    /// Converts a value to a type, as an assignment or a cast does.
    pub fn convert(&mut self, v: Value, to: &Ty, at: Bytes) -> Res<Value> {
        let plain = to.plain();
        if let (Some(Ty::Unsupported(why)), false) = (v.ty.target(), *plain == *v.ty.plain()) {
            let why = why.to_string();
            return self.error(at, why, "");
        }
        self.learn(&v, plain, at);
        let expr = match (v.ty.plain(), plain) {
            (_, Ty::Void) => return Ok(Value::void()),
            (Ty::Int(_), Ty::Int(_)) => {
                cast(v.expr, self.unit.types.kind(&v.ty), self.unit.types.kind(plain))
            }
            // An address keeps its value in an integer as wide as a pointer, and back; a number in a pointer is as in a signed one.
            (Ty::Pointer(_), Ty::Int(i)) if i.bits >= self.unit.types.long().bits && is_address(&v.expr) => {
                v.expr
            }
            (Ty::Pointer(_), Ty::Int(_)) => cast(v.expr, self.in_pointers(), self.unit.types.kind(plain)),
            (Ty::Int(_), Ty::Pointer(_)) => self.to_pointer(v.expr, self.unit.types.kind(&v.ty)),
            (Ty::Pointer(_), Ty::Pointer(_)) => v.expr,
            (Ty::Record(a), Ty::Record(b)) if a == b => v.expr,
            (Ty::Sync(a), Ty::Sync(b)) if a == b => v.expr,
            (Ty::Float(_), _) | (_, Ty::Float(_)) => self.convert_float(v, plain, at)?,
            (Ty::Unsupported(why), _) | (_, Ty::Unsupported(why)) => {
                let why = why.to_string();
                return self.error(at, why, "");
            }
            (a, b) => {
                let message = format!(
                    "a value of type `{}` where `{}` is needed",
                    self.unit.types.describe(a),
                    self.unit.types.describe(b)
                );
                return self.error(at, message, "");
            }
        };
        Ok(Value { expr, ty: plain.clone() })
    }

    /// What numbers in pointers are kept as.
    fn in_pointers(&self) -> IntKind {
        self.unit.types.kind(&Ty::Int(self.unit.types.long()))
    }

    /// A number becomes one in a pointer. What came from a pointer is as it was there.
    fn to_pointer(&self, e: Expr, from: IntKind) -> Expr {
        let kept = self.in_pointers();
        match e {
            Expr::Cast(inner, kind) if kind == from && !holds(kept, from) => match &*inner {
                // Ideal is what pointers are in.
                Expr::Reg(r)
                    if self
                        .body
                        .registers
                        .get(r.0 as usize)
                        .is_some_and(|r| r.kind == IntKind::Ideal || holds(kept, r.kind)) =>
                {
                    *inner
                }
                _ => cast(Expr::Cast(inner, kind), from, kept),
            },
            e => cast(e, from, kept),
        }
    }

    /// Keeps in mind what a pointer, or a number, is a pointer to from now on.
    fn learn(&mut self, v: &Value, to: &Ty, at: Bytes) {
        self.unit.memory.as_integers |= matches!(to, Ty::Int(i) if i.rank > 0) && v.ty.target().is_some();
        let Ty::Pointer(target) = to else { return };
        if !matches!(v.expr, Expr::Const(_) | Expr::Func(_)) {
            self.note_sight(&v.expr, &v.ty, to, self.span(at));
        }
        let untyped = match v.ty.plain() {
            Ty::Int(_) => true,
            Ty::Pointer(t) => matches!(t.plain(), Ty::Void | Ty::Int(Int { rank: 1, .. })),
            _ => false,
        };
        let told = !matches!(v.expr, Expr::Const(_) | Expr::Func(_)) && target.plain() != &Ty::Void;
        if told && v.ty.target() != Some(target) {
            self.body.conversions.push(Conversion {
                value: v.expr.clone(),
                target: (**target).clone(),
                seen: if untyped { Seen::First } else { Seen::Again },
                span: self.span(at),
            });
        }
    }

    /// The integer type of a value, or an error.
    pub fn integer(&self, v: &Value, at: Bytes) -> Res<Int> {
        match v.ty.plain() {
            Ty::Int(i) => Ok(*i),
            Ty::Unsupported(why) => self.error(at, why.to_string(), ""),
            t => self.error(at, format!("an integer is needed, not `{}`", self.unit.types.describe(t)), ""),
        }
    }

    /// Arithmetic on two values.
    pub fn arithmetic(&mut self, op: BinOp, a: Value, b: Value, at: Bytes) -> Res<Value> {
        match (op, a.ty.target().cloned(), b.ty.target().cloned()) {
            (BinOp::Add, Some(t), None) | (BinOp::Sub, Some(t), None) => {
                return self.step_pointer(op, a, &t, b, at);
            }
            (BinOp::Add, None, Some(t)) => return self.step_pointer(op, b, &t, a, at),
            (BinOp::Sub, Some(t), Some(_)) => {
                let cells = self.unit.types.stride(&t).max(1);
                let span = self.span(at);
                self.note_walk(&a.expr, Some(&b.expr), &t, span);
                self.note_walk(&b.expr, Some(&a.expr), &t, span);
                let difference = binary(BinOp::Sub, a.expr, b.expr, IntKind::Ideal);
                let expr = binary(BinOp::Div, difference, Expr::Const(i128::from(cells)), IntKind::Ideal);
                return Ok(Value { expr, ty: Ty::Int(self.unit.types.long()) });
            }
            (_, None, None) => {}
            _ => return self.error(at, "this operator takes no pointers", ""),
        }
        if let Some(p) = self.common_float(&a.ty, &b.ty) {
            return self.float_arithmetic(op, p, a, b, at);
        }
        let (x, y) = (self.integer(&a, at)?, self.integer(&b, at)?);
        let shift = matches!(op, BinOp::Shl | BinOp::Shr);
        let ty = if shift { self.unit.types.promote(x) } else { self.unit.types.common(x, y) };
        let right = if shift { self.unit.types.promote(y) } else { ty };
        let a = self.convert(a, &Ty::Int(ty), at)?.expr;
        let b = self.convert(b, &Ty::Int(right), at)?.expr;
        let kind = self.unit.types.kind(&Ty::Int(ty));
        self.check_arithmetic(op, &a, &b, kind);
        let expr = binary(op, a, b, kind);
        Ok(Value { expr: self.body.bounded(expr, kind), ty: Ty::Int(ty) })
    }

    /// `p + n` or `p - n`, in cells.
    fn step_pointer(&mut self, op: BinOp, p: Value, target: &Ty, n: Value, at: Bytes) -> Res<Value> {
        self.integer(&n, at)?;
        if !std::mem::take(&mut self.context.in_cells) && n.constant() != Some(0) {
            self.note_walk(&p.expr, None, target, self.span(at));
        }
        let cells = Expr::Const(i128::from(self.unit.types.stride(target)));
        let distance = binary(BinOp::Mul, n.expr, cells, IntKind::Ideal);
        let (op, distance) = match (op, distance) {
            (BinOp::Sub, Expr::Const(d)) if d != i128::MIN => (BinOp::Add, Expr::Const(-d)),
            other => other,
        };
        let expr = binary(op, p.expr, distance, IntKind::Ideal);
        Ok(Value { expr: self.body.bounded(expr, IntKind::Ideal), ty: p.ty })
    }

    /// `-v`, `~v` or `+v`.
    pub fn unary(&mut self, op: Option<UnOp>, v: Value, at: Bytes) -> Res<Value> {
        if let (Some(p), None | Some(UnOp::Neg)) = (v.ty.precision(), op) {
            return Ok(match op {
                None => v,
                Some(_) => Value { expr: float_unary(FloatUnary::Negate(p), v.expr, p.kind()), ty: v.ty },
            });
        }
        let int = self.integer(&v, at)?;
        let ty = self.unit.types.promote(int);
        let e = self.convert(v, &Ty::Int(ty), at)?.expr;
        let kind = self.unit.types.kind(&Ty::Int(ty));
        if op == Some(UnOp::Neg) {
            self.check_negation(&e, kind);
        }
        let expr = match (op, e) {
            (None, e) => e,
            (Some(UnOp::Neg), Expr::Const(n)) => Expr::Const(wrap(n.wrapping_neg(), kind)),
            (Some(UnOp::Float(_)), _) => return self.error(at, "this operator takes no such value", ""),
            (Some(UnOp::BitNot), Expr::Const(n)) => Expr::Const(wrap(!n, kind)),
            (Some(op), e) => Expr::Unary(op, Box::new(e), kind),
        };
        Ok(Value { expr: self.body.bounded(expr, kind), ty: Ty::Int(ty) })
    }

    /// `a op b` for a comparison, after the usual conversions.
    pub fn comparison(&mut self, op: CmpOp, a: Value, b: Value, at: Bytes) -> Res<Value> {
        let (a, b) = if a.ty.target().is_some() || b.ty.target().is_some() {
            let side = |l: &Self, v: Value| match v.ty.plain() {
                Ty::Int(_) => l.to_pointer(v.expr, l.unit.types.kind(&v.ty)),
                _ => v.expr,
            };
            if let (Some(x), Some(y)) = (a.ty.target(), b.ty.target()) {
                let target = if y == x { x.clone() } else { Ty::Void };
                self.note_compared(&a.expr, &b.expr, target, self.span(at));
            }
            (side(self, a), side(self, b))
        } else if let Some(p) = self.common_float(&a.ty, &b.ty) {
            return self.float_comparison(op, p, a, b, at);
        } else {
            let ty = Ty::Int(self.unit.types.common(self.integer(&a, at)?, self.integer(&b, at)?));
            (self.convert(a, &ty, at)?.expr, self.convert(b, &ty, at)?.expr)
        };
        let e = compare(op, a, b);
        Ok(Value { expr: self.body.bounded(e, IntKind::INT), ty: Ty::Int(INT) })
    }

    /// Reads a place; arrays and functions become addresses, records stay where they are.
    pub fn read(&mut self, p: &Place, at: Bytes) -> Res<Value> {
        let plain = p.ty.plain().clone();
        let kind = self.unit.types.kind(&plain);
        let mark = self.body.mark();
        if p.through.is_some() && !p.ty.is_whole() {
            match plain {
                Ty::Array(..) => self.fix(p),
                _ => self.see(p),
            }
        }
        let expr = match (&p.at, &plain) {
            (At::Register(r), _) => Expr::Reg(*r),
            (At::Input, _) => self.body.havoc(kind, InputSource::input("NONDET")),
            (At::Byte(b), _) => self.read_byte(b, &plain, at),
            (At::Memory(a), Ty::Int(_) | Ty::Pointer(_) | Ty::Float(4 | 8)) => {
                self.read_cell(a.clone(), kind, How::of(p), at)
            }
            (At::Memory(a), Ty::Array(t, _)) => {
                return Ok(Value { expr: a.clone(), ty: Ty::Pointer(t.clone()) });
            }
            (At::Memory(a), Ty::Function(_)) => return Ok(Value { expr: a.clone(), ty: plain.pointer() }),
            (At::Memory(_), Ty::Record(_)) if p.ty.is_whole() => return self.read_whole(p, at),
            (At::Memory(a), Ty::Record(_) | Ty::Sync(_)) => a.clone(),
            (At::Memory(_), Ty::Float(_)) => {
                return self.refuse(at, "`long double` and other wide formats are", "use `double`");
            }
            (At::Memory(_), Ty::Unsupported(why)) => {
                let why = why.to_string();
                return self.error(at, why, "");
            }
            (At::Memory(_), t) => {
                let message = format!("a value of type `{}` is read", self.unit.types.describe(t));
                return self.error(at, message, "");
            }
        };
        if p.through.is_some() {
            self.body.one_step(mark);
        }
        Ok(Value { expr, ty: plain })
    }

    /// Writes a value to a place, converted; gives the value written.
    pub fn write(&mut self, p: &Place, v: Value, at: Bytes) -> Res<Value> {
        let v = self.convert(v, &p.ty, at)?;
        match &p.at {
            At::Register(r) => {
                self.body.emit(Op::Assign(*r, v.expr.clone()));
                // The register may change before the value is used only where C leaves the order open.
                Ok(Value { expr: Expr::Reg(*r), ty: v.ty })
            }
            At::Input => self.error(at, "NONDET is an input and can't be written", ""),
            At::Byte(b) => {
                self.write_byte(b, &v, at);
                Ok(v)
            }
            At::Memory(_) if p.ty.is_whole() => {
                self.write_whole(p, &v, at)?;
                Ok(v)
            }
            At::Memory(a) => {
                let mark = self.body.mark();
                self.overwrite(p);
                if p.ty.is_scalar() {
                    let kind = self.unit.types.kind(&p.ty);
                    self.write_cell(a.clone(), v.expr.clone(), kind, How::of(p), at);
                } else {
                    self.copy(a.clone(), v.expr.clone(), &p.ty, at)?;
                }
                if p.through.is_some() {
                    self.put_back(p);
                    self.body.one_step(mark);
                }
                Ok(v)
            }
        }
    }

    /// Copies a record cell by cell: all reads, then all writes.
    pub fn copy(&mut self, to: Expr, from: Expr, ty: &Ty, at: Bytes) -> Res<()> {
        let mut cells = Vec::new();
        if let Err(why) = self.unit.types.flatten(ty, "", &mut cells) {
            return self.refuse(at, format!("{why}; a copy of it is"), "");
        }
        let parts = self.unit.types.layout(ty).unwrap_or_default();
        let how = |k: usize| parts.get(k).map_or(How::default(), |p| p.how());
        let mut values = Vec::new();
        let tags = self.unit.types.tags(ty);
        for (k, (kind, _)) in cells.iter().enumerate() {
            if tags.contains(&(k as u64)) {
                values.push(self.body.copied_tag(&to, &from, k as u64));
                continue;
            }
            values.push(self.read_cell(offset(from.clone(), k as u64), *kind, how(k), at));
        }
        for (k, v) in values.into_iter().enumerate() {
            self.write_cell(offset(to.clone(), k as u64), v, cells[k].0, how(k), at);
        }
        Ok(())
    }
}

impl Body {
    /// Puts a large expression in a register.
    pub fn bounded(&mut self, e: Expr, kind: IntKind) -> Expr {
        if size(&e) <= MAX_SIZE { e } else { Expr::Reg(self.assign(kind, e)) }
    }
}
