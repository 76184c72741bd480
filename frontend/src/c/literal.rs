//! Integer, character and string literals.

use super::lower::{Lower, Res};
use super::types::{INT, Int, Ty};
use super::value::Value;
use crate::cfa::Expr;
use lang_c::ast::{Constant, Float, FloatBase, FloatFormat, Integer, IntegerBase, IntegerSize};
use lang_c::span::{Node, Span as Bytes};

impl Lower<'_> {
    /// The value of a literal.
    pub fn literal(&mut self, c: &Node<Constant>) -> Res<Value> {
        match &c.node {
            Constant::Integer(i) => self.integer_literal(i, c.span),
            Constant::Float(f) => self.float_literal(f, c.span),
            Constant::Character(text) => {
                let body =
                    text.trim_start_matches(['L', 'u', 'U']).trim_start_matches('\'').trim_end_matches('\'');
                let bytes = unescape(body);
                // Several characters make one int, as gcc has it.
                let value = match bytes.as_slice() {
                    [one] => i128::from(*one as u8 as i8),
                    many => many.iter().fold(0i128, |v, b| (v << 8 | i128::from(b & 255)) & 0xffff_ffff),
                };
                Ok(Value::int(value))
            }
        }
    }

    fn float_literal(&mut self, f: &Float, at: Bytes) -> Res<Value> {
        let ty = match f.suffix.format {
            FloatFormat::Float => Ty::Float(4),
            FloatFormat::Double => Ty::Float(8),
            _ => return self.refuse(at, "`long double` and other wide formats are", "use `double`"),
        };
        if f.suffix.imaginary {
            return self.refuse(at, "complex numbers are", "use real ones");
        }
        let single = ty == Ty::Float(4);
        let bits = match f.base {
            // Both parse to the nearest value of their format.
            FloatBase::Decimal if single => f.number.parse().ok().map(|v: f32| i128::from(v.to_bits())),
            FloatBase::Decimal => f.number.parse().ok().map(|v: f64| i128::from(v.to_bits())),
            FloatBase::Hexadecimal => hexadecimal(&f.number).and_then(|v| {
                let exact = !single || f64::from(v as f32) == v;
                exact.then(|| ty.precision().map(|p| p.of(v))).flatten()
            }),
        };
        match bits {
            Some(bits) => Ok(Value { expr: Expr::Const(bits), ty }),
            None => self.refuse(at, "this floating-point constant is", "write it in decimal"),
        }
    }

    fn integer_literal(&mut self, i: &Integer, at: Bytes) -> Res<Value> {
        let radix = match i.base {
            IntegerBase::Decimal => 10,
            IntegerBase::Octal => 8,
            IntegerBase::Hexadecimal => 16,
            IntegerBase::Binary => 2,
        };
        if i.suffix.imaginary {
            return self.refuse(at, "complex numbers are", "use integers");
        }
        let digits = if i.number.is_empty() { "0" } else { &i.number };
        let value = u64::from_str_radix(digits, radix).ok();
        let Some(value) = value else {
            return self.error(
                at,
                "this constant does not fit in 64 bits",
                "the widest integer type has 64 bits",
            );
        };
        let long = self.types.long();
        let long_long = Int { rank: 5, bits: 64, signed: true };
        let least = match i.suffix.size {
            IntegerSize::Int => 3,
            IntegerSize::Long => 4,
            IntegerSize::LongLong => 5,
        };
        // The first type of the list that holds the value; decimal ones without u stay signed.
        for t in [INT, long, long_long].into_iter().filter(|t| t.rank >= least) {
            let fits = |bits: u8| bits >= 64 || value >> bits == 0;
            if !i.suffix.unsigned && fits(t.bits - 1) && value <= i64::MAX as u64 {
                return Ok(Value { expr: Expr::Const(i128::from(value)), ty: Ty::Int(t) });
            }
            if (i.suffix.unsigned || radix != 10) && fits(t.bits) {
                return Ok(Value {
                    expr: Expr::Const(i128::from(value)),
                    ty: Ty::Int(Int { signed: false, ..t }),
                });
            }
        }
        self.error(at, "this constant does not fit in any signed type", "add the suffix u")
    }

    /// Characters of a string literal, the final 0 included.
    pub fn string_cells(&self, parts: &[String]) -> Vec<i128> {
        let mut cells = Vec::new();
        for p in parts {
            let body = p.trim_start_matches(['L', 'u', 'U', '8', 'R']);
            let body = body.strip_prefix('"').unwrap_or(body);
            let body = body.strip_suffix('"').unwrap_or(body);
            cells.extend(unescape(body).into_iter().map(|b| i128::from(b as u8 as i8)));
        }
        cells.push(0);
        cells
    }
}

/// The value of `1.8p3`, if a double holds all its digits.
fn hexadecimal(text: &str) -> Option<f64> {
    let (digits, power) = text.split_once(['p', 'P'])?;
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let mantissa = u64::from_str_radix(&format!("{whole}{fraction}"), 16).ok().filter(|m| m >> 53 == 0)?;
    let power = power.parse::<i32>().ok()?.checked_sub(4 * i32::try_from(fraction.len()).ok()?)?;
    // Powers in this range are exact, and so is the product.
    (-900..900).contains(&power).then(|| mantissa as f64 * 2f64.powi(power))
}

/// Bytes of the inside of a literal.
fn unescape(text: &str) -> Vec<u32> {
    let mut out = Vec::new();
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if c != '\\' {
            let mut utf8 = [0; 4];
            out.extend(c.encode_utf8(&mut utf8).bytes().map(u32::from));
            continue;
        }
        let Some(e) = chars.next() else { break };
        out.push(match e {
            'n' => 10,
            't' => 9,
            'r' => 13,
            'a' => 7,
            'b' => 8,
            'f' => 12,
            'v' => 11,
            'e' => 27,
            'x' => {
                let mut v = 0u32;
                while let Some(d) = chars.peek().and_then(|d| d.to_digit(16)) {
                    v = (v << 4) | d;
                    chars.next();
                }
                v
            }
            '0'..='7' => {
                let mut v = e.to_digit(8).unwrap_or(0);
                for _ in 0..2 {
                    if let Some(d) = chars.peek().and_then(|d| d.to_digit(8)) {
                        v = (v << 3) | d;
                        chars.next();
                    }
                }
                v
            }
            other => other as u32,
        });
    }
    out
}
