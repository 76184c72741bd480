//! Congruences of addresses: what a sum of multiples is modulo a number.
//!
//! `&slots[i].lock` is the base of `slots` and some multiple of the size of a slot, and the place of `lock` in it: whatever `i` is, it
//! is no address of another member. So it is with a register that holds such an address. (Granger, "Static analysis of arithmetical
//! congruences", 1989.)

use super::ranges::Env;
use relyant_cfa::{BinOp, Expr, IntKind, UnOp};

/// Integers that are `rest` modulo `modulus`; modulo 0, `rest` alone.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Residue {
    modulus: u128,
    rest: i128,
}

impl Residue {
    /// Any integer.
    pub const ANY: Residue = Residue { modulus: 1, rest: 0 };

    /// One integer.
    pub fn one(c: i128) -> Residue {
        Residue { modulus: 0, rest: c }
    }
    /// The least set of this form with the numbers of both. A chain of them that grows is finite: each modulus divides the one
    /// before.
    pub fn join(self, other: Residue) -> Residue {
        let Some(d) = self.rest.checked_sub(other.rest) else { return Residue::ANY };
        let modulus = gcd(gcd(self.modulus, other.modulus), d.unsigned_abs());
        match i128::try_from(modulus) {
            Ok(0) => self,
            Ok(m) => Residue { modulus, rest: self.rest.rem_euclid(m) },
            Err(_) => Residue::ANY,
        }
    }
    /// May it be this number?
    pub fn contains(self, c: i128) -> bool {
        self.meets(c, 0)
    }
    /// May it be `first` and a multiple of `stride`?
    pub fn meets(self, first: i128, stride: usize) -> bool {
        let Some(d) = first.checked_sub(self.rest) else { return true };
        match gcd(self.modulus, stride as u128) {
            0 => d == 0,
            m => d.unsigned_abs() % m == 0,
        }
    }
    /// The same numbers, or more, modulo one that divides `m` too.
    fn modulo(self, m: u128) -> Residue {
        Residue { modulus: gcd(self.modulus, m), ..self }
    }
    fn add(self, other: Residue) -> Residue {
        let rest = self.rest.checked_add(other.rest);
        rest.map_or(Residue::ANY, |rest| Residue { modulus: gcd(self.modulus, other.modulus), rest })
    }
    fn neg(self) -> Residue {
        self.rest.checked_neg().map_or(Residue::ANY, |rest| Residue { rest, ..self })
    }
    fn mul(self, other: Residue) -> Residue {
        let product = || {
            let rest = self.rest.checked_mul(other.rest)?;
            let both = self.modulus.checked_mul(other.modulus)?;
            let left = self.modulus.checked_mul(other.rest.unsigned_abs())?;
            let right = other.modulus.checked_mul(self.rest.unsigned_abs())?;
            Some(Residue { modulus: gcd(both, gcd(left, right)), rest })
        };
        product().unwrap_or(Residue::ANY)
    }
}

fn gcd(mut a: u128, mut b: u128) -> u128 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

impl Env<'_> {
    /// What an expression's values have in common.
    pub fn residue(&self, e: &Expr) -> Residue {
        match e {
            Expr::Const(c) => Residue::one(*c),
            Expr::Reg(r) => self.registers.residue(*r),
            Expr::Addr(o) => self.program.bases.get(o.0 as usize).map_or(Residue::ANY, |b| Residue::one(*b)),
            Expr::Cast(a, kind) => {
                let inside = || self.range(a).fits(*kind);
                wrapped(self.residue(a), *kind, inside)
            }
            Expr::Unary(UnOp::Neg, a, kind) => {
                let inside = || !self.wraps(*kind) || self.before_wrap_unary(UnOp::Neg, a, *kind).fits(*kind);
                wrapped(self.residue(a).neg(), *kind, inside)
            }
            Expr::Binary(op @ (BinOp::Add | BinOp::Sub | BinOp::Mul), a, b, kind) => {
                let (x, y) = (self.residue(a), self.residue(b));
                let exact = match op {
                    BinOp::Add => x.add(y),
                    BinOp::Sub => x.add(y.neg()),
                    _ => x.mul(y),
                };
                let inside = || !self.wraps(*kind) || self.range(a).binary(*op, &self.range(b)).fits(*kind);
                wrapped(exact, *kind, inside)
            }
            _ => Residue::ANY,
        }
    }
}

/// A result brought into a kind, where it is `inside` already or wraps.
fn wrapped(exact: Residue, kind: IntKind, inside: impl FnOnce() -> bool) -> Residue {
    match kind {
        _ if exact == Residue::ANY => exact,
        IntKind::Ideal => exact,
        IntKind::Bool => Residue::ANY,
        IntKind::Machine { bits, .. } => {
            if inside() {
                exact
            } else {
                1u128.checked_shl(bits.into()).map_or(Residue::ANY, |m| exact.modulo(m))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_of_multiples() {
        let (any, two) = (Residue::ANY, Residue::one(2));
        let odd = any.mul(two).add(Residue::one(7));
        assert_eq!((odd.modulus, odd.rest), (2, 7));
        assert!(odd.contains(1) && odd.contains(-3) && !odd.contains(4));
        assert!(odd.meets(4, 3) && !odd.meets(4, 6) && odd.meets(5, 6));
        assert!(two.meets(8, 3) && !two.meets(9, 3) && !two.contains(3));
        assert_eq!(odd.mul(odd).modulo(8).modulus, 2);
        assert_eq!(odd.neg().add(odd).modulus, 2);
        // 12 divides no power of 2, but 4 does.
        let twelve = any.mul(Residue::one(12));
        assert_eq!(twelve.modulo(1 << 32).modulus, 4);
        assert_eq!(Residue::one(i128::MAX).add(two), any);
        assert_eq!(two.join(two), two);
        assert_eq!(two.join(Residue::one(14)).join(Residue::one(-4)), Residue { modulus: 6, rest: 2 });
        assert_eq!(odd.join(Residue::one(4)), any);
        assert_eq!(Residue::one(i128::MIN).join(two), any);
    }
}
