//! Values of expressions, exactly as C has them.
//!
//! Every operation says at which width it works; numbers of ours are `i128` and never wrap by accident. What C
//! leaves undefined is an error here, so that no run relies on it.

use super::stop::Stop;
use relyant_cfa::{BinOp, CmpOp, Expr, IntKind, UnOp, Undefined};

/// What an expression may refer to.
#[derive(Clone, Copy, Debug)]
pub struct Env<'a> {
    /// Registers of the running thread.
    pub registers: &'a [i128],
    /// Handle of the running thread.
    pub self_id: i128,
    /// Base address of each object.
    pub bases: &'a [i128],
    /// Address of each function.
    pub function_bases: &'a [i128],
    /// Signed overflow wraps; else it is an error, being undefined behaviour.
    pub signed_wraps: bool,
}

/// Is the value one of the kind?
pub fn in_kind(value: i128, kind: IntKind) -> bool {
    kind.min().is_none_or(|m| m <= value) && kind.max().is_none_or(|m| value <= m)
}

/// Conversion to a kind: unsigned and signed kinds take the value modulo two to their width.
pub fn cast(value: i128, kind: IntKind) -> i128 {
    match kind {
        IntKind::Ideal => value,
        IntKind::Bool => i128::from(value != 0),
        IntKind::Machine { bits, signed } => {
            let unused = 128u32.saturating_sub(u32::from(bits).max(1));
            if signed {
                // Shifting left drops the high bits, shifting right again extends the sign.
                ((value as u128) << unused) as i128 >> unused
            } else {
                // At 128 bits this would not fit; the front end refuses such a kind and the machine checks it.
                (((value as u128) << unused) >> unused) as i128
            }
        }
    }
}

/// `op a` in a kind.
pub fn unary(op: UnOp, a: i128, kind: IntKind, signed_wraps: bool) -> Result<i128, Stop> {
    match op {
        UnOp::Neg => fit(a.checked_neg(), a.wrapping_neg(), kind, signed_wraps),
        UnOp::BitNot => fit(Some(!a), !a, kind, signed_wraps),
        UnOp::Float(op) => match op.apply(a, kind) {
            Some(v) => fit(Some(v), v, kind, signed_wraps),
            None => Err(Stop::Undefined(Undefined::Conversion)),
        },
    }
}

/// `a op b` in a kind. Both are values of the kind (a shift's right one of its own).
pub fn binary(op: BinOp, a: i128, b: i128, kind: IntKind, signed_wraps: bool) -> Result<i128, Stop> {
    let (exact, wrapped) = match op {
        BinOp::Add => (a.checked_add(b), a.wrapping_add(b)),
        BinOp::Sub => (a.checked_sub(b), a.wrapping_sub(b)),
        BinOp::Mul => (a.checked_mul(b), a.wrapping_mul(b)),
        BinOp::Div | BinOp::Rem => return divide(op, a, b, kind),
        BinOp::And => (Some(a & b), a & b),
        BinOp::Or => (Some(a | b), a | b),
        BinOp::Xor => (Some(a ^ b), a ^ b),
        BinOp::Float(op, p) => {
            let v = op.apply(p, a, b);
            (Some(v), v)
        }
        BinOp::Shl => {
            let by = shift_count(b, kind)?;
            let power = 1i128.checked_shl(by).filter(|p| *p > 0);
            let exact = if a == 0 { Some(0) } else { power.and_then(|p| a.checked_mul(p)) };
            (exact, ((a as u128) << by) as i128)
        }
        BinOp::Shr => {
            let by = shift_count(b, kind)?;
            (Some(a >> by), a >> by)
        }
    };
    fit(exact, wrapped, kind, signed_wraps)
}

/// Division toward zero. `INT_MIN / -1` has no value, nor has `INT_MIN % -1` (C11 6.5.5), wrapping or not.
fn divide(op: BinOp, a: i128, b: i128, kind: IntKind) -> Result<i128, Stop> {
    if b == 0 {
        return Err(Stop::Undefined(Undefined::Division));
    }
    let quotient = a.checked_div(b).ok_or(Stop::TooLarge)?;
    if !in_kind(quotient, kind) {
        return Err(Stop::Undefined(Undefined::Quotient));
    }
    Ok(if op == BinOp::Div { quotient } else { a % b })
}

/// The count of a shift, checked against the width of the shifted operand.
fn shift_count(b: i128, kind: IntKind) -> Result<u32, Stop> {
    let width = match kind {
        IntKind::Machine { bits, .. } => i128::from(bits),
        IntKind::Bool => 1,
        IntKind::Ideal => 128,
    };
    match u32::try_from(b) {
        Ok(by) if i128::from(by) < width => Ok(by),
        _ if kind == IntKind::Ideal && b >= 0 => Err(Stop::TooLarge),
        _ => Err(Stop::Undefined(Undefined::Shift)),
    }
}

/// The exact result (`None` if it does not fit our numbers) brought into the kind; `wrapped` is it modulo 2^128.
fn fit(exact: Option<i128>, wrapped: i128, kind: IntKind, signed_wraps: bool) -> Result<i128, Stop> {
    if let Some(x) = exact
        && in_kind(x, kind)
    {
        return Ok(x);
    }
    match kind {
        IntKind::Ideal => exact.ok_or(Stop::TooLarge),
        IntKind::Machine { signed: true, .. } if !signed_wraps => Err(Stop::Undefined(Undefined::Overflow)),
        IntKind::Machine { .. } => Ok(cast(wrapped, kind)),
        IntKind::Bool => Err(Stop::Malformed("arithmetic in _Bool")),
    }
}

/// The value of an expression.
pub fn eval(e: &Expr, env: &Env<'_>) -> Result<i128, Stop> {
    Ok(match e {
        Expr::Const(c) => *c,
        Expr::Reg(r) => {
            *env.registers.get(r.0 as usize).ok_or(Stop::Malformed("a register that does not exist"))?
        }
        Expr::Addr(o) => {
            *env.bases.get(o.0 as usize).ok_or(Stop::Malformed("an object that does not exist"))?
        }
        Expr::Func(f) => {
            *env.function_bases.get(f.0 as usize).ok_or(Stop::Malformed("a function that does not exist"))?
        }
        Expr::SelfId => env.self_id,
        Expr::Unary(op, a, kind) => unary(*op, eval(a, env)?, *kind, env.signed_wraps)?,
        Expr::Binary(op, a, b, kind) => binary(*op, eval(a, env)?, eval(b, env)?, *kind, env.signed_wraps)?,
        Expr::Compare(op, a, b) => {
            let (a, b) = (eval(a, env)?, eval(b, env)?);
            i128::from(match op {
                CmpOp::Lt => a < b,
                CmpOp::Le => a <= b,
                CmpOp::Gt => a > b,
                CmpOp::Ge => a >= b,
                CmpOp::Eq => a == b,
                CmpOp::Ne => a != b,
            })
        }
        Expr::Not(a) => i128::from(eval(a, env)? == 0),
        Expr::Cast(a, kind) => cast(eval(a, env)?, *kind),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const U8: IntKind = IntKind::Machine { bits: 8, signed: false };
    const U64: IntKind = IntKind::Machine { bits: 64, signed: false };
    const I8: IntKind = IntKind::Machine { bits: 8, signed: true };
    const OVERFLOW: Result<i128, Stop> = Err(Stop::Undefined(Undefined::Overflow));

    #[test]
    fn unsigned_wraps_at_its_width() {
        assert_eq!(binary(BinOp::Add, 200, 100, U8, false), Ok(44));
        assert_eq!(binary(BinOp::Sub, 0, 1, U8, false), Ok(255));
        let big = i128::from(u64::MAX);
        assert_eq!(binary(BinOp::Mul, big, big, U64, false), Ok(1));
        assert_eq!(unary(UnOp::Neg, 1, U64, false), Ok(big));
        assert_eq!(unary(UnOp::BitNot, 0, U8, false), Ok(255));
        assert_eq!(binary(BinOp::Shl, 0x81, 1, U8, false), Ok(2));
    }

    #[test]
    fn signed_overflow_is_undefined_or_wraps() {
        assert_eq!(binary(BinOp::Add, 127, 1, I8, false), OVERFLOW);
        assert_eq!(binary(BinOp::Add, 127, 1, I8, true), Ok(-128));
        assert_eq!(unary(UnOp::Neg, -128, I8, false), OVERFLOW);
        assert_eq!(unary(UnOp::Neg, -128, I8, true), Ok(-128));
        let quotient = Err(Stop::Undefined(Undefined::Quotient));
        assert_eq!(binary(BinOp::Div, -128, -1, I8, true), quotient);
        assert_eq!(binary(BinOp::Rem, -128, -1, I8, true), quotient);
        assert_eq!(unary(UnOp::BitNot, 5, I8, false), Ok(-6));
    }

    #[test]
    fn division_truncates_and_has_the_sign_of_the_left() {
        assert_eq!(binary(BinOp::Div, -7, 2, I8, false), Ok(-3));
        assert_eq!(binary(BinOp::Rem, -7, 2, I8, false), Ok(-1));
        assert_eq!(binary(BinOp::Rem, 7, -2, I8, false), Ok(1));
        assert_eq!(binary(BinOp::Div, 1, 0, I8, false), Err(Stop::Undefined(Undefined::Division)));
    }

    #[test]
    fn shifts_check_their_count() {
        let bad = Err(Stop::Undefined(Undefined::Shift));
        assert_eq!(binary(BinOp::Shl, 1, 8, U8, false), bad);
        assert_eq!(binary(BinOp::Shr, 1, -1, U8, false), bad);
        assert_eq!(binary(BinOp::Shr, -5, 1, I8, false), Ok(-3));
        assert_eq!(binary(BinOp::Shl, 1, 7, I8, false), OVERFLOW);
        assert_eq!(binary(BinOp::Shl, 1, 127, IntKind::Ideal, false), Err(Stop::TooLarge));
        assert_eq!(binary(BinOp::Shl, 0, 127, IntKind::Ideal, false), Ok(0));
    }

    #[test]
    fn casts() {
        assert_eq!(cast(300, U8), 44);
        assert_eq!(cast(-1, U8), 255);
        assert_eq!(cast(200, I8), -56);
        assert_eq!(cast(-1, U64), i128::from(u64::MAX));
        assert_eq!(cast(2, IntKind::Bool), 1);
        assert_eq!(cast(i128::MAX, IntKind::Machine { bits: 127, signed: false }), i128::MAX);
    }

    #[test]
    fn ideal_integers_do_not_wrap() {
        assert_eq!(binary(BinOp::Add, i128::MAX, 1, IntKind::Ideal, true), Err(Stop::TooLarge));
    }
}
