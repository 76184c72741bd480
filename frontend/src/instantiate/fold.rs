//! Constant folding: values known before the program runs, addresses kept symbolic.
//!
//! Folding never changes what an expression means. Where an operation may be undefined (signed overflow, division by
//! zero, an odd shift) or its result depends on where objects lie, the expression stays.

use super::memory::LAST_BASE;
use relyant_cfa::{BinOp, CmpOp, Expr, FloatUnary, FuncId, IntKind, ObjId, UnOp};

/// A value known before the program runs.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum Value {
    /// A number, no address.
    Int(i128),
    /// Base address of an object plus a distance.
    Addr(ObjId, i128),
    /// Address of a function.
    Func(FuncId),
}

impl Value {
    /// The value as an expression without registers.
    pub(crate) fn expr(self) -> Expr {
        match self {
            Value::Int(n) => Expr::Const(n),
            Value::Func(f) => Expr::Func(f),
            Value::Addr(o, 0) => Expr::Addr(o),
            Value::Addr(o, k) => {
                Expr::Binary(BinOp::Add, Box::new(Expr::Addr(o)), Box::new(Expr::Const(k)), IntKind::Ideal)
            }
        }
    }
}

/// What folding must know of the program.
#[derive(Clone, Copy)]
pub(crate) struct Rules<'a> {
    /// Signed overflow wraps; else an expression that overflows has no value.
    pub(crate) signed_wraps: bool,
    /// Number of cells of each object.
    pub(crate) cells: &'a dyn Fn(ObjId) -> usize,
}

impl Rules<'_> {
    /// The expression's value, where it is one whatever the registers hold.
    pub(crate) fn value(&self, e: &Expr) -> Option<Value> {
        match e {
            Expr::Const(n) => Some(Value::Int(*n)),
            Expr::Addr(o) => Some(Value::Addr(*o, 0)),
            Expr::Func(f) => Some(Value::Func(*f)),
            Expr::Reg(_) | Expr::SelfId => None,
            Expr::Unary(op, a, k) => match (op, self.value(a)?) {
                (UnOp::Neg, Value::Int(n)) => self.fit(n.checked_neg()?, *k),
                (UnOp::BitNot, Value::Int(n)) => match k {
                    IntKind::Machine { signed: false, .. } => convert(!n, *k).map(Value::Int),
                    _ => Some(Value::Int(!n)),
                },
                (UnOp::Float(op), Value::Int(n)) => op.apply(n, *k).map(Value::Int),
                _ => None,
            },
            Expr::Not(a) => Some(Value::Int((self.value(a)? == Value::Int(0)) as i128)),
            Expr::Cast(a, k) => self.cast(self.value(a)?, *k),
            Expr::Binary(op, a, b, k) => self.binary(*op, self.value(a)?, self.value(b)?, *k),
            Expr::Compare(op, a, b) => self.compare(*op, self.value(a)?, self.value(b)?),
        }
    }

    /// The expression with all that is known folded.
    pub(crate) fn fold(&self, e: &Expr) -> Expr {
        let e = match e {
            Expr::Const(_) | Expr::Reg(_) | Expr::Addr(_) | Expr::Func(_) | Expr::SelfId => return e.clone(),
            Expr::Unary(op, a, k) => Expr::Unary(*op, Box::new(self.fold(a)), *k),
            Expr::Not(a) => match self.fold(a) {
                a @ (Expr::Compare(..) | Expr::Not(_)) => a.is_false(),
                a => Expr::Not(Box::new(a)),
            },
            Expr::Cast(a, k) => match self.fold(a) {
                // A truth value fits every kind but that of a signed bit-field of one bit.
                a @ (Expr::Compare(..) | Expr::Not(_)) if IntKind::max(*k).is_none_or(|m| m >= 1) => a,
                a if *k == IntKind::Ideal => a,
                a => Expr::Cast(Box::new(a), *k),
            },
            Expr::Binary(op, a, b, k) => {
                let (a, b) = (self.fold(a), self.fold(b));
                match (op, &a, &b) {
                    (BinOp::Add | BinOp::Sub, _, Expr::Const(0)) => a,
                    (BinOp::Add, Expr::Const(0), _) => b,
                    (BinOp::Mul | BinOp::Div, _, Expr::Const(1)) => a,
                    (BinOp::Mul, Expr::Const(1), _) => b,
                    _ => Expr::Binary(*op, Box::new(a), Box::new(b), *k),
                }
            }
            Expr::Compare(op, a, b) => {
                let (a, b) = (self.fold(a), self.fold(b));
                match (op, &a, &b) {
                    (CmpOp::Ne, Expr::Compare(..) | Expr::Not(_), Expr::Const(0)) => a,
                    (CmpOp::Eq, Expr::Compare(..) | Expr::Not(_), Expr::Const(0)) => a.is_false(),
                    _ => Expr::Compare(*op, Box::new(a), Box::new(b)),
                }
            }
        };
        match self.value(&e) {
            Some(v) => v.expr(),
            None => e,
        }
    }

    /// The result of an operation, where its kind holds it or wraps.
    fn fit(&self, n: i128, k: IntKind) -> Option<Value> {
        let wraps = match k {
            IntKind::Machine { signed, .. } => !signed || self.signed_wraps,
            IntKind::Bool | IntKind::Ideal => false,
        };
        let fits = k.min().is_none_or(|m| m <= n) && k.max().is_none_or(|m| n <= m);
        if fits {
            Some(Value::Int(n))
        } else if wraps {
            convert(n, k).map(Value::Int)
        } else {
            None
        }
    }

    fn cast(&self, v: Value, k: IntKind) -> Option<Value> {
        match (v, k) {
            (Value::Int(n), k) => convert(n, k).map(Value::Int),
            (v, IntKind::Ideal) => Some(v),
            (_, IntKind::Bool) if self.positive(v) => Some(Value::Int(1)),
            (v, IntKind::Machine { .. }) if self.positive(v) && k.max() >= Some(LAST_BASE) => Some(v),
            _ => None,
        }
    }

    /// Is it a function's address, or one within an object or just past its end?
    fn positive(&self, v: Value) -> bool {
        match v {
            Value::Func(_) => true,
            Value::Addr(o, k) => 0 <= k && k <= (self.cells)(o) as i128,
            Value::Int(n) => n > 0,
        }
    }

    fn binary(&self, op: BinOp, a: Value, b: Value, k: IntKind) -> Option<Value> {
        let roomy = k.max().is_none_or(|m| m >= LAST_BASE);
        match (op, a, b) {
            (BinOp::Add, Value::Addr(o, i), Value::Int(j))
            | (BinOp::Add, Value::Int(j), Value::Addr(o, i))
                if roomy =>
            {
                let v = Value::Addr(o, i.checked_add(j)?);
                (k == IntKind::Ideal || self.positive(v)).then_some(v)
            }
            (BinOp::Sub, Value::Addr(o, i), Value::Int(j)) if roomy => {
                let v = Value::Addr(o, i.checked_sub(j)?);
                (k == IntKind::Ideal || self.positive(v)).then_some(v)
            }
            (BinOp::Sub, Value::Addr(o, i), Value::Addr(p, j)) if o == p => self.fit(i.checked_sub(j)?, k),
            (_, Value::Int(a), Value::Int(b)) => self.arithmetic(op, a, b, k),
            _ => None,
        }
    }

    fn arithmetic(&self, op: BinOp, a: i128, b: i128, k: IntKind) -> Option<Value> {
        let (bits, signed) = match k {
            IntKind::Machine { bits, signed } => (bits as i128, signed),
            IntKind::Bool => (1, false),
            IntKind::Ideal => (i128::MAX, true),
        };
        match op {
            BinOp::Add => self.fit(a.checked_add(b)?, k),
            BinOp::Sub => self.fit(a.checked_sub(b)?, k),
            BinOp::Mul => self.fit(a.checked_mul(b)?, k),
            BinOp::Div => self.fit(a.checked_div(b)?, k),
            BinOp::Rem => {
                // INT_MIN % -1 overflows as the division does.
                self.fit(a.checked_div(b)?, k)?;
                self.fit(a.checked_rem(b)?, k)
            }
            BinOp::Shl if 0 <= b && b < bits && b < 64 && a >= 0 => {
                let n = a.checked_mul(1i128 << b)?;
                let fits = k.max().is_none_or(|m| n <= m);
                if fits || !signed { self.fit(n, k) } else { None }
            }
            BinOp::Shr if 0 <= b && b < bits && b < 127 && a >= 0 => Some(Value::Int(a >> b)),
            BinOp::Shl | BinOp::Shr => None,
            BinOp::And => Some(Value::Int(a & b)),
            BinOp::Or => Some(Value::Int(a | b)),
            BinOp::Xor => Some(Value::Int(a ^ b)),
            BinOp::Float(op, p) => Some(Value::Int(op.apply(p, a, b))),
        }
    }

    fn compare(&self, op: CmpOp, a: Value, b: Value) -> Option<Value> {
        use std::cmp::Ordering;
        let order = match (a, b) {
            (Value::Int(a), Value::Int(b)) => Some(a.cmp(&b)),
            (Value::Addr(o, i), Value::Addr(p, j)) if o == p => Some(i.cmp(&j)),
            // Objects lie in their order, functions below them, all above 0.
            (Value::Addr(o, _), Value::Addr(p, _)) if self.positive(a) && self.positive(b) => Some(o.cmp(&p)),
            (Value::Func(f), Value::Func(g)) => Some(f.cmp(&g)),
            (Value::Addr(..), Value::Func(_)) if self.positive(a) => Some(Ordering::Greater),
            (Value::Func(_), Value::Addr(..)) if self.positive(b) => Some(Ordering::Less),
            (v, Value::Int(n)) if n <= 0 && self.positive(v) => Some(Ordering::Greater),
            (Value::Int(n), v) if n <= 0 && self.positive(v) => Some(Ordering::Less),
            _ => None,
        }?;
        let holds = match op {
            CmpOp::Lt => order.is_lt(),
            CmpOp::Le => order.is_le(),
            CmpOp::Gt => order.is_gt(),
            CmpOp::Ge => order.is_ge(),
            CmpOp::Eq => order.is_eq(),
            CmpOp::Ne => order.is_ne(),
        };
        Some(Value::Int(holds as i128))
    }
}

/// Conversion to a kind: modulo its range.
pub(crate) fn convert(n: i128, k: IntKind) -> Option<i128> {
    match k {
        IntKind::Ideal => Some(n),
        IntKind::Bool => Some((n != 0) as i128),
        IntKind::Machine { bits: 0, .. } => None,
        IntKind::Machine { bits, .. } if bits > 127 => (k.min()? <= n && n <= k.max()?).then_some(n),
        IntKind::Machine { bits, signed } => {
            let shift = 128 - bits as u32;
            let m = (n as u128) << shift;
            Some(if signed { (m as i128) >> shift } else { (m >> shift) as i128 })
        }
    }
}

/// May evaluating the expression be undefined, so that it ends the run?
pub(crate) fn may_be_undefined(e: &Expr, signed_wraps: bool) -> bool {
    let mut bad = false;
    relyant_cfa::walk::visit(e, &mut |x| match x {
        Expr::Binary(BinOp::Div | BinOp::Rem | BinOp::Shl | BinOp::Shr, ..) => bad = true,
        Expr::Binary(BinOp::Add | BinOp::Sub | BinOp::Mul, _, _, IntKind::Machine { signed: true, .. })
        | Expr::Unary(UnOp::Neg, _, IntKind::Machine { signed: true, .. }) => bad |= !signed_wraps,
        Expr::Unary(UnOp::Float(FloatUnary::ToInt(_)), ..) => bad = true,
        _ => {}
    });
    bad
}
