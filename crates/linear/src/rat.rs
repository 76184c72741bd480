//! Exact rationals with a fast path for small numbers that never wraps.

use num_bigint::BigInt;
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::{One, Signed, ToPrimitive, Zero};
use std::cmp::Ordering;
use std::fmt;
use std::ops::{Add, Div, Mul, Neg, Sub};

/// An exact rational number.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Rat(Repr);

/// Canonical: `Small` wherever the reduced numerator and denominator fit, so derived equality and
/// hashing agree with the value. Reduced, denominator positive, in both.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Repr {
    Small(i64, i64),
    Big(Box<BigRational>),
}
use Repr::{Big, Small};

impl Rat {
    /// The number zero, `0 / 1`.
    pub const fn zero() -> Rat {
        Rat(Small(0, 1))
    }
    /// The number one, `1 / 1`.
    pub const fn one() -> Rat {
        Rat(Small(1, 1))
    }
    /// `numer / denom`; `denom` must not be zero.
    pub fn new(numer: BigInt, denom: BigInt) -> Rat {
        Rat::from_big(BigRational::new(numer, denom))
    }
    /// Is this zero? By its form: numbers are reduced.
    pub fn is_zero(&self) -> bool {
        matches!(self.0, Small(0, _))
    }
    /// Is this one? By its form: numbers are reduced.
    pub fn is_one(&self) -> bool {
        matches!(self.0, Small(1, 1))
    }
    /// Is this below zero?
    pub fn is_negative(&self) -> bool {
        match &self.0 {
            Small(n, _) => *n < 0,
            Big(b) => b.is_negative(),
        }
    }
    /// Is this above zero?
    pub fn is_positive(&self) -> bool {
        match &self.0 {
            Small(n, _) => *n > 0,
            Big(b) => b.is_positive(),
        }
    }
    /// Is this an integer?
    pub fn is_integer(&self) -> bool {
        match &self.0 {
            Small(_, d) => *d == 1,
            Big(b) => b.is_integer(),
        }
    }
    /// Numerator, with the sign.
    pub fn numer(&self) -> BigInt {
        match &self.0 {
            Small(n, _) => BigInt::from(*n),
            Big(b) => b.numer().clone(),
        }
    }
    /// Denominator of the reduced fraction, positive.
    pub fn denom(&self) -> BigInt {
        match &self.0 {
            Small(_, d) => BigInt::from(*d),
            Big(b) => b.denom().clone(),
        }
    }
    /// Numerator and denominator when both fit in an `i64`.
    pub fn small(&self) -> Option<(i64, i64)> {
        match self.0 {
            Small(n, d) => Some((n, d)),
            Big(_) => None,
        }
    }
    /// Largest integer not above this.
    pub fn floor(&self) -> Rat {
        match &self.0 {
            Small(n, d) => Rat(Small(n.div_euclid(*d), 1)),
            Big(b) => Rat::from_big(b.floor()),
        }
    }
    /// Smallest integer not below this.
    pub fn ceil(&self) -> Rat {
        match &self.0 {
            Small(_, 1) => self.clone(),
            Small(n, d) => Rat(Small(n.div_euclid(*d) + 1, 1)),
            Big(b) => Rat::from_big(b.ceil()),
        }
    }
    /// The value without its sign; never overflows.
    pub fn abs(&self) -> Rat {
        if self.is_negative() { -self } else { self.clone() }
    }
    /// `1 / self`; must not be zero.
    pub fn recip(&self) -> Rat {
        &Rat::one() / self
    }
    /// The value as an `i64`, when it is an integer that fits.
    pub fn to_i64(&self) -> Option<i64> {
        match self.0 {
            Small(n, 1) => Some(n),
            _ => None,
        }
    }
    /// The value as an `i128`, when it is an integer that fits.
    pub fn to_i128(&self) -> Option<i128> {
        match &self.0 {
            Small(n, 1) => Some(i128::from(*n)),
            Big(b) if b.is_integer() => b.numer().to_i128(),
            _ => None,
        }
    }
    /// The value as a `BigInt`, when it is an integer.
    pub fn to_bigint(&self) -> Option<BigInt> {
        if self.is_integer() { Some(self.numer()) } else { None }
    }
    /// The nearest floating-point number, as far as one exists; only to propose, never to decide.
    pub fn to_f64(&self) -> f64 {
        match &self.0 {
            Small(n, d) => *n as f64 / *d as f64,
            Big(b) => b.to_f64().unwrap_or(f64::NAN),
        }
    }

    fn big(&self) -> BigRational {
        match &self.0 {
            Small(n, d) => BigRational::new_raw((*n).into(), (*d).into()),
            Big(b) => (**b).clone(),
        }
    }
    fn from_big(b: BigRational) -> Rat {
        match (b.numer().to_i64(), b.denom().to_i64()) {
            (Some(n), Some(d)) => Rat(Small(n, d)),
            _ => Rat(Big(Box::new(b))),
        }
    }
    /// `n / d` reduced; `d > 0`.
    fn reduce(n: i128, d: i128) -> Rat {
        let g = if d == 1 { 1 } else { gcd(n.unsigned_abs(), d.unsigned_abs()) as i128 };
        let (n, d) = (n / g, d / g);
        match (i64::try_from(n), i64::try_from(d)) {
            (Ok(n), Ok(d)) => Rat(Small(n, d)),
            _ => Rat(Big(Box::new(BigRational::new_raw(n.into(), d.into())))),
        }
    }
}

/// Greatest common divisor; in 64 bits where both fit, which is nearly always.
fn gcd(a: u128, b: u128) -> u128 {
    match (u64::try_from(a), u64::try_from(b)) {
        (Ok(a), Ok(b)) => u128::from(a.gcd(&b)),
        _ => a.gcd(&b),
    }
}

impl From<i64> for Rat {
    fn from(n: i64) -> Rat {
        Rat(Small(n, 1))
    }
}
impl From<i128> for Rat {
    fn from(n: i128) -> Rat {
        match i64::try_from(n) {
            Ok(n) => Rat(Small(n, 1)),
            Err(_) => Rat(Big(Box::new(BigRational::from_integer(n.into())))),
        }
    }
}
impl From<BigInt> for Rat {
    fn from(n: BigInt) -> Rat {
        Rat::from_big(BigRational::from_integer(n))
    }
}

impl PartialOrd for Rat {
    fn partial_cmp(&self, other: &Rat) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Rat {
    fn cmp(&self, other: &Rat) -> Ordering {
        match (&self.0, &other.0) {
            (Small(a, 1), Small(b, 1)) => a.cmp(b),
            (Small(a, b), Small(c, d)) => {
                (i128::from(*a) * i128::from(*d)).cmp(&(i128::from(*c) * i128::from(*b)))
            }
            _ => self.big().cmp(&other.big()),
        }
    }
}

// Products of two 64-bit numbers are below 2^126 in magnitude, a sum of two of them below 2^127.
impl Add<&Rat> for &Rat {
    type Output = Rat;
    fn add(self, other: &Rat) -> Rat {
        match (&self.0, &other.0) {
            (Small(a, 1), Small(b, 1)) => match a.checked_add(*b) {
                Some(n) => Rat(Small(n, 1)),
                None => Rat::from(i128::from(*a) + i128::from(*b)),
            },
            (Small(a, b), Small(c, d)) => {
                let (a, b, c, d) = (i128::from(*a), i128::from(*b), i128::from(*c), i128::from(*d));
                Rat::reduce(a * d + c * b, b * d)
            }
            _ => Rat::from_big(self.big() + other.big()),
        }
    }
}
impl Sub<&Rat> for &Rat {
    type Output = Rat;
    fn sub(self, other: &Rat) -> Rat {
        self + &-other
    }
}
impl Mul<&Rat> for &Rat {
    type Output = Rat;
    fn mul(self, other: &Rat) -> Rat {
        match (&self.0, &other.0) {
            (Small(a, 1), Small(b, 1)) => match a.checked_mul(*b) {
                Some(n) => Rat(Small(n, 1)),
                None => Rat::from(i128::from(*a) * i128::from(*b)),
            },
            (Small(a, b), Small(c, d)) => {
                let (a, b, c, d) = (i128::from(*a), i128::from(*b), i128::from(*c), i128::from(*d));
                Rat::reduce(a * c, b * d)
            }
            _ => Rat::from_big(self.big() * other.big()),
        }
    }
}
/// The divisor must not be zero.
impl Div<&Rat> for &Rat {
    type Output = Rat;
    fn div(self, other: &Rat) -> Rat {
        match (&self.0, &other.0) {
            (_, Small(1, 1)) => self.clone(),
            (Small(a, b), Small(c, d)) => {
                let (a, b, c, d) = (i128::from(*a), i128::from(*b), i128::from(*c), i128::from(*d));
                let sign = if c < 0 { -1 } else { 1 };
                Rat::reduce(sign * a * d, sign * b * c)
            }
            _ => Rat::from_big(self.big() / other.big()),
        }
    }
}
impl Neg for &Rat {
    type Output = Rat;
    fn neg(self) -> Rat {
        match &self.0 {
            Small(n, d) => match n.checked_neg() {
                Some(n) => Rat(Small(n, *d)),
                None => Rat::from_big(-self.big()),
            },
            Big(b) => Rat::from_big(-&**b),
        }
    }
}
impl Neg for Rat {
    type Output = Rat;
    fn neg(self) -> Rat {
        -&self
    }
}

macro_rules! by_value {
    ($trait:ident, $f:ident) => {
        impl $trait for Rat {
            type Output = Rat;
            fn $f(self, other: Rat) -> Rat {
                (&self).$f(&other)
            }
        }
    };
}
by_value!(Add, add);
by_value!(Sub, sub);
by_value!(Mul, mul);
by_value!(Div, div);

/// The positive factor that makes the given numbers integers with greatest common divisor 1;
/// `None` when it is 1. At least one must not be zero.
pub(crate) fn coprime_factor<'a>(numbers: impl Iterator<Item = &'a Rat> + Clone) -> Option<Rat> {
    let (mut g, mut l) = (0i64, 1i64);
    for c in numbers.clone() {
        match c.0 {
            // Lowest terms: gcd of numerators over lcm of denominators.
            Small(n, d) if n != i64::MIN => {
                g = g.gcd(&n);
                match (l / l.gcd(&d)).checked_mul(d) {
                    Some(m) => l = m,
                    None => return coprime_factor_big(numbers),
                }
            }
            _ => return coprime_factor_big(numbers),
        }
    }
    if g == 1 && l == 1 { None } else { Some(Rat(Small(l, g))) }
}

fn coprime_factor_big<'a>(numbers: impl Iterator<Item = &'a Rat>) -> Option<Rat> {
    let (mut g, mut l) = (BigInt::zero(), BigInt::one());
    for c in numbers {
        g = g.gcd(&c.numer());
        l = l.lcm(&c.denom());
    }
    let f = Rat::new(l, g);
    if f.is_one() { None } else { Some(f) }
}

impl fmt::Display for Rat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Small(n, 1) => write!(f, "{n}"),
            Small(n, d) => write!(f, "{n}/{d}"),
            Big(b) => write!(f, "{b}"),
        }
    }
}
impl fmt::Debug for Rat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn r(n: i64, d: i64) -> Rat {
        Rat::new(n.into(), d.into())
    }

    #[test]
    fn agrees_with_big_rationals_at_the_edges() {
        let edge = [0, 1, -1, 2, -3, 7, i64::MAX, i64::MIN, i64::MAX - 1, i64::MIN + 1, 1 << 32, 3037000500];
        let mut numbers = Vec::new();
        for n in edge {
            for d in edge {
                if d != 0 {
                    numbers.push(r(n, d));
                }
            }
        }
        numbers.push(&r(i64::MAX, 1) * &r(i64::MAX, 3));
        for a in &numbers {
            assert_eq!(&-&-a, a);
            assert_eq!(Rat::from_big(a.big().floor()), a.floor());
            assert_eq!(Rat::from_big(a.big().ceil()), a.ceil());
            for b in &numbers {
                assert_eq!((a + b).big(), a.big() + b.big());
                assert_eq!((a - b).big(), a.big() - b.big());
                assert_eq!((a * b).big(), a.big() * b.big());
                assert_eq!(a.cmp(b), a.big().cmp(&b.big()));
                assert_eq!(&(a + b) - b, *a);
                if !b.is_zero() {
                    assert_eq!((a / b).big(), a.big() / b.big());
                    assert_eq!(&(a / b) * b, *a);
                }
            }
        }
    }

    #[test]
    fn prints_as_integer_or_fraction() {
        assert_eq!(r(6, -4).to_string(), "-3/2");
        assert_eq!(r(6, 3).to_string(), "2");
        assert_eq!((-r(i64::MIN, 1)).to_string(), "9223372036854775808");
    }

    #[test]
    fn coprime_factors() {
        let f = |v: &[Rat]| coprime_factor(v.iter());
        assert_eq!(f(&[r(1, 2), r(3, 4)]), Some(r(4, 1)));
        assert_eq!(f(&[r(2, 1), r(-4, 1)]), Some(r(1, 2)));
        assert_eq!(f(&[r(3, 1), r(-4, 1)]), None);
        assert_eq!(f(&[r(i64::MIN, 1)]), Some(&Rat::one() / &-r(i64::MIN, 1)));
    }
}
