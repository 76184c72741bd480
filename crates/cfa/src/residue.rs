//! Congruences: the integers that leave the same remainder (Granger, "Static analysis of arithmetical congruences", 1989).
//!
//! `&slots[i].lock` is the base of `slots` and some multiple of the size of a slot, and the place of `lock` in it: whatever `i` is, it
//! is no address of another member.

use std::ops::{Add, Mul, Neg, Sub};

/// The integers that are `rest` modulo `modulus`; with modulus 0, `rest` alone. `rest` is from 0 to below a modulus that is not 0,
/// so that equal sets are equal values. What would not fit becomes [`Residue::ANY`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
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
    /// `c`, and what is a multiple of `modulus` away from it.
    pub fn new(modulus: u128, c: i128) -> Residue {
        match i128::try_from(modulus) {
            Ok(0) => Residue::one(c),
            Ok(m) => Residue { modulus, rest: c.rem_euclid(m) },
            Err(_) => Residue::ANY,
        }
    }
    /// The integer, if it is but one.
    pub fn single(self) -> Option<i128> {
        (self.modulus == 0).then_some(self.rest)
    }
    /// The least one that is not negative, or the only one.
    pub fn first(self) -> i128 {
        self.rest
    }
    /// The least set of this form with the numbers of both. A chain of them that grows is finite: each modulus divides the one
    /// before.
    pub fn join(self, other: Residue) -> Residue {
        let Some(d) = self.rest.checked_sub(other.rest) else { return Residue::ANY };
        Residue::new(gcd(gcd(self.modulus, other.modulus), d.unsigned_abs()), self.rest)
    }
    /// Is this number among them?
    pub fn contains(self, c: i128) -> bool {
        self.meets(Residue::one(c))
    }
    /// Have both a number in common? Yes where that is too large to compute.
    pub fn meets(self, other: Residue) -> bool {
        let Some(d) = other.rest.checked_sub(self.rest) else { return true };
        match gcd(self.modulus, other.modulus) {
            0 => d == 0,
            m => d.unsigned_abs() % m == 0,
        }
    }
    /// Are all of these among the other ones?
    pub fn is_within(self, other: Residue) -> bool {
        let Some(d) = self.rest.checked_sub(other.rest) else { return other == Residue::ANY };
        match other.modulus {
            0 => self == other,
            m => self.modulus % m == 0 && d.unsigned_abs() % m == 0,
        }
    }
    /// The same numbers, or more, modulo one that divides `m` too.
    #[must_use]
    pub fn modulo(self, m: u128) -> Residue {
        Residue::new(gcd(self.modulus, m), self.rest)
    }
}

/// Of each number of the one and each of the other.
impl Add for Residue {
    type Output = Residue;
    fn add(self, other: Residue) -> Residue {
        let rest = self.rest.checked_add(other.rest);
        rest.map_or(Residue::ANY, |rest| Residue::new(gcd(self.modulus, other.modulus), rest))
    }
}

impl Sub for Residue {
    type Output = Residue;
    fn sub(self, other: Residue) -> Residue {
        self + -other
    }
}

impl Neg for Residue {
    type Output = Residue;
    fn neg(self) -> Residue {
        self.rest.checked_neg().map_or(Residue::ANY, |rest| Residue::new(self.modulus, rest))
    }
}

/// Of each number of the one and each of the other.
impl Mul for Residue {
    type Output = Residue;
    fn mul(self, other: Residue) -> Residue {
        let product = || {
            let rest = self.rest.checked_mul(other.rest)?;
            let both = self.modulus.checked_mul(other.modulus)?;
            let left = self.modulus.checked_mul(other.rest.unsigned_abs())?;
            let right = other.modulus.checked_mul(self.rest.unsigned_abs())?;
            Some(Residue::new(gcd(both, gcd(left, right)), rest))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_of_multiples() {
        let (any, two) = (Residue::ANY, Residue::one(2));
        let odd = any * two + Residue::one(7);
        assert_eq!((odd.modulus, odd.rest), (2, 1));
        assert!(odd.contains(1) && odd.contains(-3) && !odd.contains(4));
        let every = |step, first| Residue::new(step, first);
        assert!(odd.meets(every(3, 4)) && !odd.meets(every(6, 4)) && odd.meets(every(6, 5)));
        assert!(two.meets(every(3, 8)) && !two.meets(every(3, 9)) && !two.contains(3));
        assert_eq!((odd * odd).modulo(8).modulus, 2);
        assert_eq!((-odd + odd).modulus, 2);
        // 12 divides no power of 2, but 4 does.
        let twelve = any * Residue::one(12);
        assert_eq!(twelve.modulo(1 << 32).modulus, 4);
        assert_eq!(two.join(two), two);
        assert_eq!(two.join(Residue::one(14)).join(Residue::one(-4)), Residue { modulus: 6, rest: 2 });
        assert_eq!(odd.join(Residue::one(4)), any);
    }

    #[test]
    fn what_does_not_fit_is_any() {
        let (any, least, most) = (Residue::ANY, Residue::one(i128::MIN), Residue::one(i128::MAX));
        assert_eq!(most + Residue::one(2), any);
        assert_eq!(most - Residue::one(-1), any);
        assert_eq!(-least, any);
        assert_eq!(least * Residue::one(2), any);
        assert_eq!(least.join(Residue::one(2)), any);
        assert_eq!(Residue::new(1 << 127, 5), any);
        assert!(least.meets(most) && !least.is_within(most) && least.is_within(any));
    }

    /// Everything about small sets is compared with their numbers in a window that has all remainders.
    #[test]
    fn small_sets_are_what_their_numbers_are() {
        let window = -150..150i128;
        let numbers = |r: Residue| window.clone().filter(move |c| r.contains(*c));
        let all = || (0..7u128).flat_map(|m| (-4..5).map(move |c| Residue::new(m, c)));
        for (a, b) in all().flat_map(|a| all().map(move |b| (a, b))) {
            assert_eq!(a.meets(b), numbers(a).any(|c| b.contains(c)), "{a:?} {b:?}");
            assert_eq!(a.is_within(b), numbers(a).all(|c| b.contains(c)), "{a:?} {b:?}");
            assert_eq!(a == b, a.is_within(b) && b.is_within(a), "{a:?} {b:?}");
            let join = a.join(b);
            assert!(a.is_within(join) && b.is_within(join), "{a:?} {b:?}");
            assert!(all().filter(|c| a.is_within(*c) && b.is_within(*c)).all(|c| join.is_within(c)));
            for (x, y) in [0, 1, 2].into_iter().flat_map(|i| [0, 1, 2].map(|j| (i, j))) {
                let (x, y) = (a.first() + x * a.modulus as i128, b.first() - y * b.modulus as i128);
                assert!(
                    (a + b).contains(x + y) && (a - b).contains(x - y) && (-a).contains(-x),
                    "{a:?} {b:?}"
                );
                assert!((a * b).contains(x * y) && a.modulo(4).contains(x) && a.modulo(4).contains(x + 4));
            }
        }
    }
}
