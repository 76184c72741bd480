//! Floating-point values: bit patterns in cells of their width, computed with exactly as IEEE 754 says.

use super::library::FloatClass;
use super::lower::{Lower, Res};
use super::types::{INT, Ty};
use super::value::{Value, binary, not};
use lang_c::ast::Expression;
use lang_c::span::{Node, Span as Bytes};
use relyant_cfa::{BinOp, CmpOp, Expr, FloatOp, FloatUnary, IntKind, Precision, Rounding, UnOp};

/// `op a`, folded where it is constant and defined.
pub fn float_unary(op: FloatUnary, a: Expr, kind: IntKind) -> Expr {
    match a {
        Expr::Const(n) => match op.apply(n, kind) {
            Some(v) => Expr::Const(v),
            None => Expr::Unary(UnOp::Float(op), Box::new(Expr::Const(n)), kind),
        },
        a => Expr::Unary(UnOp::Float(op), Box::new(a), kind),
    }
}

/// `x != 0.0`, which a NaN is too.
pub fn float_truth(p: Precision, x: Expr) -> Expr {
    not(binary(BinOp::Float(FloatOp::Equal, p), x, Expr::Const(0), IntKind::INT))
}

impl<'a> Lower<'a> {
    /// The format that two operands are converted to, if one of them is a floating-point value.
    pub fn common_float(&self, a: &Ty, b: &Ty) -> Option<Precision> {
        if !a.is_arithmetic() || !b.is_arithmetic() {
            return None;
        }
        a.precision().max(b.precision())
    }

    /// A floating-point value as a type, or something as a floating-point value.
    pub fn convert_float(&mut self, v: Value, to: &Ty, at: Bytes) -> Res<Expr> {
        let (from, precision) = (v.ty.precision(), to.precision());
        let wide = |t: &Ty| matches!(t.plain(), Ty::Float(_)) && t.precision().is_none();
        if wide(&v.ty) || wide(to) {
            return self.refuse(at, "`long double` and other wide formats are", "use `double`");
        }
        Ok(match (from, precision) {
            (Some(Precision::Single), Some(Precision::Double)) => {
                float_unary(FloatUnary::Widen, v.expr, Precision::Double.kind())
            }
            (Some(Precision::Double), Some(Precision::Single)) => {
                float_unary(FloatUnary::Narrow, v.expr, Precision::Single.kind())
            }
            (Some(_), Some(_)) => v.expr,
            (Some(p), None) => {
                let Some(int) = to.int() else {
                    return self.error(at, "a floating-point value where a pointer is needed", "");
                };
                if int.rank == 0 {
                    float_truth(p, v.expr)
                } else {
                    self.unit.assume("floating-point values made integers are in range");
                    float_unary(FloatUnary::ToInt(p), v.expr, self.unit.types.kind(to))
                }
            }
            (None, Some(p)) if v.ty.int().is_some() => float_unary(FloatUnary::FromInt(p), v.expr, p.kind()),
            _ => {
                let message = format!(
                    "a value of type `{}` where `{}` is needed",
                    self.unit.types.describe(&v.ty),
                    self.unit.types.describe(to)
                );
                return self.error(at, message, "");
            }
        })
    }

    fn both_floats(&mut self, p: Precision, a: Value, b: Value, at: Bytes) -> Res<(Expr, Expr, Ty)> {
        let ty = Ty::Float(if p == Precision::Single { 4 } else { 8 });
        Ok((self.convert(a, &ty, at)?.expr, self.convert(b, &ty, at)?.expr, ty))
    }

    /// `a op b` on floating-point values.
    pub fn float_arithmetic(&mut self, op: BinOp, p: Precision, a: Value, b: Value, at: Bytes) -> Res<Value> {
        let op = match op {
            BinOp::Add => FloatOp::Add,
            BinOp::Sub => FloatOp::Sub,
            BinOp::Mul => FloatOp::Mul,
            BinOp::Div => FloatOp::Div,
            _ => return self.error(at, "this operator takes no floating-point values", ""),
        };
        let (a, b, ty) = self.both_floats(p, a, b, at)?;
        let e = binary(BinOp::Float(op, p), a, b, p.kind());
        Ok(Value { expr: self.body.bounded(e, p.kind()), ty })
    }

    /// `a op b` as 0 or 1; with a NaN only `!=` holds.
    pub fn float_comparison(&mut self, op: CmpOp, p: Precision, a: Value, b: Value, at: Bytes) -> Res<Value> {
        let (a, b, _) = self.both_floats(p, a, b, at)?;
        let test = |op, a, b| binary(BinOp::Float(op, p), a, b, IntKind::INT);
        let e = match op {
            CmpOp::Lt => test(FloatOp::Less, a, b),
            CmpOp::Le => test(FloatOp::LessEqual, a, b),
            CmpOp::Gt => test(FloatOp::Less, b, a),
            CmpOp::Ge => test(FloatOp::LessEqual, b, a),
            CmpOp::Eq => test(FloatOp::Equal, a, b),
            CmpOp::Ne => not(test(FloatOp::Equal, a, b)),
        };
        Ok(Value { expr: self.body.bounded(e, IntKind::INT), ty: Ty::Int(INT) })
    }

    /// Whether a number is of a class.
    pub fn float_class(&mut self, class: FloatClass, v: &'a Node<Expression>, at: Bytes) -> Res<Value> {
        let v = self.value(v)?;
        let v = match v.ty.precision() {
            Some(_) => v,
            None => self.convert(v, &Ty::Float(8), at)?,
        };
        let p = v.ty.precision().unwrap_or(Precision::Double);
        let most = match p {
            Precision::Single => f64::from(f32::MAX),
            Precision::Double => f64::MAX,
        };
        let (low, high) = (Expr::Const(p.of(-most)), Expr::Const(p.of(most)));
        let x = v.expr;
        let test = |op, a, b| binary(BinOp::Float(op, p), a, b, IntKind::INT);
        let e = match class {
            FloatClass::Nan => not(test(FloatOp::Equal, x.clone(), x)),
            FloatClass::Infinite => {
                let (above, below) = (test(FloatOp::Less, high, x.clone()), test(FloatOp::Less, x, low));
                binary(BinOp::Sub, above, below, IntKind::INT)
            }
            FloatClass::Finite => {
                let to = test(FloatOp::LessEqual, x.clone(), high);
                binary(BinOp::Mul, test(FloatOp::LessEqual, low, x), to, IntKind::INT)
            }
        };
        Ok(Value { expr: self.body.bounded(e, IntKind::INT), ty: Ty::Int(INT) })
    }

    /// A number as a function of the library rounds it.
    pub fn rounded(
        &mut self,
        how: Rounding,
        p: Precision,
        v: &'a Node<Expression>,
        name: &str,
        at: Bytes,
    ) -> Res<Value> {
        let v = self.value(v)?;
        let ty = Ty::Float(if p == Precision::Single { 4 } else { 8 });
        let v = self.convert(v, &ty, at)?;
        let result = self.unit.signature(name).map_or(ty.clone(), |s| s.result.clone());
        let expr = float_unary(FloatUnary::Round(how, p), v.expr, p.kind());
        let expr = self.body.bounded(expr, p.kind());
        if how == Rounding::Root || result.int().is_some() {
            self.any_errno(at)?;
        }
        self.convert(Value { expr, ty }, &result, at)
    }

    /// An argument without a parameter: promoted, a `float` made a `double`.
    pub fn promoted(&mut self, v: Value, at: Bytes) -> Res<Value> {
        match v.ty.precision() {
            Some(_) => self.convert(v, &Ty::Float(8), at),
            None => self.unary(None, v, at),
        }
    }

    /// A value that a condition can test, as an integer.
    pub fn tested(&mut self, v: Value, at: Bytes) -> Res<Expr> {
        match v.ty.precision() {
            Some(p) => Ok(float_truth(p, v.expr)),
            None => {
                self.scalar(&v, at)?;
                Ok(v.expr)
            }
        }
    }
}
