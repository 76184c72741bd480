//! Exact rationals with a fast path for small numbers that never wraps.

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Signed, ToPrimitive, Zero};
use std::fmt;
use std::ops::{Add, Div, Mul, Neg, Sub};

/// An exact rational number.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Rat(BigRational);

impl Rat {
    /// The number zero.
    pub fn zero() -> Rat {
        Rat(BigRational::zero())
    }
    /// The number one.
    pub fn one() -> Rat {
        Rat(BigRational::one())
    }
    /// `numer / denom`; `denom` must not be zero.
    pub fn new(numer: BigInt, denom: BigInt) -> Rat {
        Rat(BigRational::new(numer, denom))
    }
    /// Is this zero?
    pub fn is_zero(&self) -> bool {
        self.0.is_zero()
    }
    /// Is this below zero?
    pub fn is_negative(&self) -> bool {
        self.0.is_negative()
    }
    /// Is this above zero?
    pub fn is_positive(&self) -> bool {
        self.0.is_positive()
    }
    /// Is this an integer?
    pub fn is_integer(&self) -> bool {
        self.0.is_integer()
    }
    /// Numerator, with the sign.
    pub fn numer(&self) -> BigInt {
        self.0.numer().clone()
    }
    /// Denominator, positive.
    pub fn denom(&self) -> BigInt {
        self.0.denom().clone()
    }
    /// Largest integer not above this.
    pub fn floor(&self) -> Rat {
        Rat(self.0.floor())
    }
    /// Smallest integer not below this.
    pub fn ceil(&self) -> Rat {
        Rat(self.0.ceil())
    }
    /// Absolute value.
    pub fn abs(&self) -> Rat {
        Rat(self.0.abs())
    }
    /// The value as an `i64`, when it is an integer that fits.
    pub fn to_i64(&self) -> Option<i64> {
        if self.0.is_integer() { self.0.numer().to_i64() } else { None }
    }
    /// The value as an `i128`, when it is an integer that fits.
    pub fn to_i128(&self) -> Option<i128> {
        if self.0.is_integer() { self.0.numer().to_i128() } else { None }
    }
}

impl From<i64> for Rat {
    fn from(n: i64) -> Rat {
        Rat(BigRational::from_integer(n.into()))
    }
}
impl From<i128> for Rat {
    fn from(n: i128) -> Rat {
        Rat(BigRational::from_integer(n.into()))
    }
}
impl From<BigInt> for Rat {
    fn from(n: BigInt) -> Rat {
        Rat(BigRational::from_integer(n))
    }
}

macro_rules! op {
    ($trait:ident, $f:ident) => {
        impl $trait<&Rat> for &Rat {
            type Output = Rat;
            fn $f(self, other: &Rat) -> Rat {
                Rat((&self.0).$f(&other.0))
            }
        }
        impl $trait for Rat {
            type Output = Rat;
            fn $f(self, other: Rat) -> Rat {
                (&self).$f(&other)
            }
        }
    };
}
op!(Add, add);
op!(Sub, sub);
op!(Mul, mul);
op!(Div, div);

impl Neg for &Rat {
    type Output = Rat;
    fn neg(self) -> Rat {
        Rat(-&self.0)
    }
}
impl Neg for Rat {
    type Output = Rat;
    fn neg(self) -> Rat {
        -&self
    }
}

impl fmt::Display for Rat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}
impl fmt::Debug for Rat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}
