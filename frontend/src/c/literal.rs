//! Integer, character and string literals.

use super::lower::{Lower, Res};
use super::translation::Translation;
use super::types::{CHAR, INT, Int, Ty, UINT};
use super::value::Value;
use lang_c::ast::{Constant, Expression, Float, FloatBase, FloatFormat, Integer, IntegerBase, IntegerSize};
use lang_c::span::{Node, Span as Bytes};
use relyant_cfa::{Expr, IntKind};

impl Lower<'_> {
    /// The value of a literal.
    pub fn literal(&mut self, c: &Node<Constant>) -> Res<Value> {
        match &c.node {
            Constant::Integer(i) => self.integer_literal(i, c.span),
            Constant::Float(f) => self.float_literal(f, c.span),
            Constant::Character(text) => self.character_literal(text, c.span),
        }
    }

    /// A character constant; several characters make one int, as gcc has it.
    fn character_literal(&self, text: &str, at: Bytes) -> Res<Value> {
        let (unit, body) = self.unit.unit_of(text, '\'');
        let pieces = unescape(body);
        let units = match pieces.and_then(|p| self.encode(&p, unit)) {
            Some(units) if !units.is_empty() => units,
            _ => return self.refuse(at, "this character constant is", "write its value as a number"),
        };
        let ty = Ty::Int(if unit == CHAR { INT } else { unit });
        let value = match units.as_slice() {
            [one] => *one,
            many if unit == CHAR => {
                let all = many.iter().fold(0i128, |v, b| (v << 8) | (b & 255));
                super::value::wrap(all, IntKind::INT)
            }
            _ => return self.refuse(at, "several characters in a wide constant are", "use one"),
        };
        Ok(Value { expr: Expr::Const(value), ty })
    }

    /// The units that characters take: UTF-8, UTF-16 or UTF-32; `None` if an escape has more bits than one.
    fn encode(&self, pieces: &[Piece], unit: Int) -> Option<Vec<i128>> {
        let mut units: Vec<u32> = Vec::new();
        for p in pieces {
            match (p, unit.bits) {
                (Piece::Translation(v), bits) if bits < 32 && v >> bits != 0 => return None,
                (Piece::Translation(v), _) => units.push(*v),
                (Piece::Char(c), 8) => units.extend(c.encode_utf8(&mut [0; 4]).bytes().map(u32::from)),
                (Piece::Char(c), 16) => {
                    units.extend(c.encode_utf16(&mut [0; 2]).iter().map(|u| u32::from(*u)))
                }
                (Piece::Char(c), _) => units.push(u32::from(*c)),
            }
        }
        let kind = IntKind::Machine { bits: unit.bits, signed: unit.signed };
        Some(units.into_iter().map(|u| super::value::wrap(i128::from(u), kind)).collect())
    }

    /// `(double)1.5L`, as `<float.h>` has it, if it is such a constant made a `double` or a `float`.
    pub fn long_double_as(&mut self, e: &Expression, to: &Ty, at: Bytes) -> Res<Option<Value>> {
        match e {
            Expression::Constant(c) => match &c.node {
                Constant::Float(f) if f.suffix.format == FloatFormat::LongDouble => {
                    if to.precision().is_none() {
                        return Ok(None);
                    }
                    let mut double = f.clone();
                    double.suffix.format = FloatFormat::Double;
                    let v = self.float_literal(&double, at)?;
                    self.convert(v, to, at).map(Some)
                }
                _ => Ok(None),
            },
            _ => Ok(None),
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
        let long = self.unit.types.long();
        let long_long = super::types::LONG_LONG;
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
    pub fn string_cells(&self, parts: &[String], at: Bytes) -> Res<Vec<i128>> {
        let unit = self.unit.string_unit(parts);
        let mut cells = Vec::new();
        for p in parts {
            let (own, body) = self.unit.unit_of(p, '"');
            match unescape(body).and_then(|pieces| self.encode(&pieces, unit)) {
                Some(units) if own == CHAR || own == unit => cells.extend(units),
                _ => return self.refuse(at, "this string is", "write its characters as numbers"),
            }
        }
        cells.push(0);
        Ok(cells)
    }
}

impl Translation<'_> {
    /// The type of a string literal's characters.
    pub fn string_unit(&self, parts: &[String]) -> Int {
        parts.iter().map(|p| self.unit_of(p, '"').0).find(|u| *u != CHAR).unwrap_or(CHAR)
    }
}

impl Translation<'_> {
    /// The type of a literal's characters, and what is between its quotes.
    fn unit_of<'t>(&self, text: &'t str, quote: char) -> (Int, &'t str) {
        let (prefix, body) = text.split_at(text.find(quote).unwrap_or(0));
        let unit = match prefix.trim() {
            "L" => self.types.wide_char(),
            "u" => Int { signed: false, ..super::types::SHORT },
            "U" => UINT,
            _ => CHAR,
        };
        let body = body.strip_prefix(quote).unwrap_or(body);
        (unit, body.strip_suffix(quote).unwrap_or(body))
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

/// A character of a literal, or the value of one of its units.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Piece {
    Char(char),
    Translation(u32),
}

/// What the inside of a literal says; `None` where an escape means nothing.
fn unescape(text: &str) -> Option<Vec<Piece>> {
    let mut out = Vec::new();
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(Piece::Char(c));
            continue;
        }
        let e = chars.next()?;
        let mut digits = |radix: u32, most: usize| {
            let (mut v, mut n) = (0u32, 0);
            while let Some(d) = chars.peek().and_then(|d| d.to_digit(radix)).filter(|_| n < most) {
                v = v.checked_mul(radix)?.checked_add(d)?;
                n += 1;
                chars.next();
            }
            (n > 0).then_some((v, n))
        };
        out.push(match e {
            'n' => Piece::Translation(10),
            't' => Piece::Translation(9),
            'r' => Piece::Translation(13),
            'a' => Piece::Translation(7),
            'b' => Piece::Translation(8),
            'f' => Piece::Translation(12),
            'v' => Piece::Translation(11),
            'e' | 'E' => Piece::Translation(27),
            'x' => Piece::Translation(digits(16, usize::MAX)?.0),
            '0'..='7' => {
                let first = e.to_digit(8)?;
                Piece::Translation(digits(8, 2).map_or(first, |(v, n)| (first << (3 * n)) | v))
            }
            'u' => Piece::Char(digits(16, 4).filter(|d| d.1 == 4).and_then(|d| char::from_u32(d.0))?),
            'U' => Piece::Char(digits(16, 8).filter(|d| d.1 == 8).and_then(|d| char::from_u32(d.0))?),
            '\\' | '\'' | '"' | '?' => Piece::Translation(u32::from(e)),
            _ => return None,
        });
    }
    Some(out)
}
