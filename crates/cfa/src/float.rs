//! IEEE 754 arithmetic on bit patterns: a floating-point value is held in a cell of its width as an unsigned integer.
//!
//! Rounding is to nearest, ties to even. A result that is no number is what SSE gives: the first operand that is
//! none, made quiet, or the negative quiet NaN.

use super::IntKind;

/// The binary formats of IEEE 754 that are modelled.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Precision {
    /// `float`, binary32: held in 32 bits.
    Single,
    /// `double`, binary64: held in 64 bits.
    Double,
}

/// Two operands of one format.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[allow(missing_docs)]
pub enum FloatOp {
    Add,
    Sub,
    Mul,
    Div,
    /// 1 or 0, as the comparisons that follow.
    Less,
    LessEqual,
    Equal,
}

/// Functions of the C library that IEEE 754 has exactly.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Rounding {
    /// To an integer below.
    Floor,
    /// To an integer above.
    Ceil,
    /// To an integer toward zero.
    Trunc,
    /// To the nearest integer, ties away from zero.
    Round,
    /// To the nearest integer, ties to even.
    Nearest,
    /// The square root, rounded once.
    Root,
}

/// Operations of one operand, on bit patterns; `FromInt` takes an integer and `ToInt` gives one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum FloatUnary {
    /// The sign bit flipped, that of a NaN too.
    Negate(Precision),
    /// From an integer to the nearest value, ties to even.
    FromInt(Precision),
    /// To an integer, toward zero; undefined where the integer is none of the kind.
    ToInt(Precision),
    /// From single to double.
    Widen,
    /// From double to single.
    Narrow,
    /// The function of the library, on a value of the format.
    Round(Rounding, Precision),
}

impl Precision {
    /// Kind of the cells that hold such values.
    pub fn kind(self) -> IntKind {
        IntKind::Machine { bits: self.bits(), signed: false }
    }
    fn bits(self) -> u8 {
        match self {
            Precision::Single => 32,
            Precision::Double => 64,
        }
    }
    /// Bit pattern of a double of the source, rounded once.
    pub fn of(self, v: f64) -> i128 {
        match self {
            Precision::Single => i128::from((v as f32).to_bits()),
            Precision::Double => i128::from(v.to_bits()),
        }
    }
    /// The value of a bit pattern; exact.
    pub fn value(self, bits: i128) -> f64 {
        match self {
            Precision::Single => f64::from(f32::from_bits(bits as u32)),
            Precision::Double => f64::from_bits(bits as u64),
        }
    }
}

impl FloatOp {
    /// Is the result 0 or 1?
    pub fn is_comparison(self) -> bool {
        matches!(self, FloatOp::Less | FloatOp::LessEqual | FloatOp::Equal)
    }
    /// `a op b` of two bit patterns of the format; a comparison with a NaN gives 0.
    pub fn apply(self, p: Precision, a: i128, b: i128) -> i128 {
        let (x, y) = (p.value(a), p.value(b));
        match self {
            FloatOp::Less => return i128::from(x < y),
            FloatOp::LessEqual => return i128::from(x <= y),
            FloatOp::Equal => return i128::from(x == y),
            _ => {}
        }
        if x.is_nan() {
            return quiet(p, a);
        }
        if y.is_nan() {
            return quiet(p, b);
        }
        let (nan, bits) = match p {
            Precision::Single => {
                let (x, y) = (f32::from_bits(a as u32), f32::from_bits(b as u32));
                let r = match self {
                    FloatOp::Add => x + y,
                    FloatOp::Sub => x - y,
                    FloatOp::Mul => x * y,
                    _ => x / y,
                };
                (r.is_nan(), i128::from(r.to_bits()))
            }
            Precision::Double => {
                let r = match self {
                    FloatOp::Add => x + y,
                    FloatOp::Sub => x - y,
                    FloatOp::Mul => x * y,
                    _ => x / y,
                };
                (r.is_nan(), i128::from(r.to_bits()))
            }
        };
        if nan { no_number(p) } else { bits }
    }
}

/// A pattern that is no number, made quiet.
fn quiet(p: Precision, bits: i128) -> i128 {
    bits | 1i128 << (if p == Precision::Single { 22 } else { 51 })
}

/// What an operation gives that has no result.
fn no_number(p: Precision) -> i128 {
    match p {
        Precision::Single => 0xffc0_0000,
        Precision::Double => 0xfff8_0000_0000_0000,
    }
}

impl FloatUnary {
    /// `op a`; `None` where it is undefined.
    pub fn apply(self, a: i128, kind: IntKind) -> Option<i128> {
        Some(match self {
            FloatUnary::Negate(p) => a ^ 1i128 << (p.bits() - 1),
            FloatUnary::FromInt(Precision::Single) => i128::from((a as f32).to_bits()),
            FloatUnary::FromInt(Precision::Double) => i128::from((a as f64).to_bits()),
            FloatUnary::ToInt(p) => {
                let v = p.value(a).trunc();
                // Beyond this a double is no i128.
                if v.is_nan() || v.abs() >= 1e38 {
                    return None;
                }
                let n = v as i128;
                let inside = kind.min().is_none_or(|m| m <= n) && kind.max().is_none_or(|m| n <= m);
                return inside.then_some(n);
            }
            FloatUnary::Widen => {
                let v = f32::from_bits(a as u32);
                if v.is_nan() {
                    // Sign and payload stay, the quiet bit is set.
                    let (sign, payload) = ((a >> 31 & 1) << 63, (a & 0x3f_ffff) << 29);
                    return Some(sign | 0x7ff8_0000_0000_0000 | payload);
                }
                i128::from(f64::from(v).to_bits())
            }
            FloatUnary::Narrow => {
                let v = f64::from_bits(a as u64);
                if v.is_nan() {
                    return Some((a >> 63 & 1) << 31 | 0x7fc0_0000 | (a >> 29 & 0x3f_ffff));
                }
                i128::from((v as f32).to_bits())
            }
            FloatUnary::Round(how, p) => {
                let v = p.value(a);
                if v.is_nan() {
                    return Some(quiet(p, a));
                }
                // Doubles have more than twice the digits of singles: the root of one, rounded twice, is exact.
                let r = match how {
                    Rounding::Floor => v.floor(),
                    Rounding::Ceil => v.ceil(),
                    Rounding::Trunc => v.trunc(),
                    Rounding::Round => v.round(),
                    Rounding::Nearest => v.round_ties_even(),
                    Rounding::Root => v.sqrt(),
                };
                if r.is_nan() { no_number(p) } else { p.of(r) }
            }
        })
    }
    /// Kind of the result; an integer's is as the expression says.
    pub fn kind(self) -> Option<IntKind> {
        match self {
            FloatUnary::Negate(p) | FloatUnary::FromInt(p) | FloatUnary::Round(_, p) => Some(p.kind()),
            FloatUnary::Widen => Some(Precision::Double.kind()),
            FloatUnary::Narrow => Some(Precision::Single.kind()),
            FloatUnary::ToInt(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn double(v: f64) -> i128 {
        Precision::Double.of(v)
    }

    #[test]
    fn arithmetic_rounds_in_its_format() {
        let d = |op: FloatOp, a: f64, b: f64| op.apply(Precision::Double, double(a), double(b));
        assert_eq!(d(FloatOp::Add, 0.1, 0.2), double(0.1 + 0.2));
        assert_ne!(d(FloatOp::Add, 0.1, 0.2), double(0.3));
        let s = |v| Precision::Single.of(v);
        // 2^24 + 1 is no float.
        assert_eq!(FloatOp::Add.apply(Precision::Single, s(16777216.0), s(1.0)), s(16777216.0));
        assert_eq!(FloatUnary::FromInt(Precision::Single).apply(16777217, IntKind::INT), Some(s(16777216.0)));
        assert_eq!(d(FloatOp::Equal, 0.0, -0.0), 1);
        assert_eq!(d(FloatOp::Equal, f64::NAN, f64::NAN), 0);
        assert_eq!(d(FloatOp::LessEqual, f64::NAN, 1.0), 0);
        assert_eq!(d(FloatOp::Div, 0.0, 0.0), 0xfff8_0000_0000_0000);
        assert_eq!(d(FloatOp::Div, 1.0, 0.0), double(f64::INFINITY));
    }

    #[test]
    fn roundings_are_those_of_the_library() {
        let d = |how, v: f64| {
            let p = Precision::Double;
            p.value(FloatUnary::Round(how, p).apply(double(v), p.kind()).unwrap())
        };
        let all = [Rounding::Floor, Rounding::Ceil, Rounding::Trunc, Rounding::Round, Rounding::Nearest];
        assert_eq!(all.map(|how| d(how, 2.5)), [2.0, 3.0, 2.0, 3.0, 2.0]);
        assert_eq!(all.map(|how| d(how, -2.5)), [-3.0, -2.0, -2.0, -3.0, -2.0]);
        assert!(d(Rounding::Ceil, -0.5).is_sign_negative() && d(Rounding::Nearest, 0.5) == 0.0);
        assert_eq!((d(Rounding::Root, 9.0), d(Rounding::Root, 2.0)), (3.0, 2f64.sqrt()));
        let s = Precision::Single;
        let root = FloatUnary::Round(Rounding::Root, s);
        assert_eq!(root.apply(s.of(2.0), s.kind()), Some(s.of(f64::from(2f32.sqrt()))));
        assert_eq!(root.apply(s.of(-1.0), s.kind()), Some(no_number(s)));
        assert_eq!(root.apply(s.of(-0.0), s.kind()), Some(s.of(-0.0)));
    }

    #[test]
    fn conversions_truncate_and_know_their_bounds() {
        let to = |v: f64| FloatUnary::ToInt(Precision::Double).apply(double(v), IntKind::INT);
        assert_eq!((to(-3.9), to(3.9)), (Some(-3), Some(3)));
        assert_eq!((to(2147483647.5), to(2147483648.0), to(f64::NAN)), (Some(2147483647), None, None));
        assert_eq!(
            FloatUnary::Narrow.apply(double(1e300), IntKind::INT),
            Some(Precision::Single.of(f64::INFINITY))
        );
        let third = Precision::Single.of(1.0 / 3.0);
        let wide = FloatUnary::Widen.apply(third, IntKind::INT).unwrap();
        assert_eq!(FloatUnary::Narrow.apply(wide, IntKind::INT), Some(third));
        assert_eq!(
            FloatUnary::Negate(Precision::Double).apply(double(0.0), IntKind::INT),
            Some(double(-0.0))
        );
    }
}
