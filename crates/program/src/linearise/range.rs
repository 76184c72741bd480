//! Sets of values: a few listed ones, or an interval.

use relyant_cfa::{BinOp, CmpOp, IntKind};

/// At most this many values are listed.
const LISTED: usize = 16;

/// Values an expression may take.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Range {
    /// These, ascending; none means never computed.
    Listed(Vec<i128>),
    /// Those between two bounds, both included, where there are any.
    Between(Option<i128>, Option<i128>),
}

impl Range {
    /// All integers: nothing is known.
    pub fn all() -> Range {
        Range::Between(None, None)
    }
    /// No integer: nothing is computed there.
    pub fn none() -> Range {
        Range::Listed(Vec::new())
    }
    /// The one integer `c`.
    pub fn one(c: i128) -> Range {
        Range::Listed(vec![c])
    }
    /// The values of a kind.
    pub fn of_kind(kind: IntKind) -> Range {
        Range::between(kind.min(), kind.max())
    }
    /// An interval; few values are listed.
    pub fn between(lo: Option<i128>, hi: Option<i128>) -> Range {
        match (lo, hi) {
            (Some(a), Some(b)) if a > b => Range::none(),
            (Some(a), Some(b)) if b.checked_sub(a).is_some_and(|n| n < 4) => Range::Listed((a..=b).collect()),
            _ => Range::Between(lo, hi),
        }
    }
    fn listed(mut v: Vec<i128>) -> Range {
        v.sort_unstable();
        v.dedup();
        match v.len() {
            0..=LISTED => Range::Listed(v),
            n => Range::Between(Some(v[0]), Some(v[n - 1])),
        }
    }
    /// Is there no value?
    pub fn is_none(&self) -> bool {
        matches!(self, Range::Listed(v) if v.is_empty())
    }
    /// The value, if there is exactly one.
    pub fn single(&self) -> Option<i128> {
        match self {
            Range::Listed(v) if v.len() == 1 => Some(v[0]),
            _ => None,
        }
    }
    /// The listed values, ascending; `None` for an interval, however small.
    pub fn values(&self) -> Option<&[i128]> {
        match self {
            Range::Listed(v) => Some(v),
            Range::Between(..) => None,
        }
    }
    /// The least value; `None` where there is none, or no bound below.
    pub fn lo(&self) -> Option<i128> {
        match self {
            Range::Listed(v) => v.first().copied(),
            Range::Between(a, _) => *a,
        }
    }
    /// The greatest value; `None` where there is none, or no bound above.
    pub fn hi(&self) -> Option<i128> {
        match self {
            Range::Listed(v) => v.last().copied(),
            Range::Between(_, b) => *b,
        }
    }
    /// May it be this value?
    pub fn contains(&self, c: i128) -> bool {
        match self {
            Range::Listed(v) => v.binary_search(&c).is_ok(),
            Range::Between(a, b) => a.is_none_or(|a| a <= c) && b.is_none_or(|b| c <= b),
        }
    }
    /// Is it within the kind's range?
    pub fn fits(&self, kind: IntKind) -> bool {
        self.is_none()
            || (kind.min().is_none_or(|m| self.lo().is_some_and(|a| a >= m))
                && kind.max().is_none_or(|m| self.hi().is_some_and(|b| b <= m)))
    }
    /// Values of either; an interval between them where one is an interval, or there are too many.
    pub fn join(&self, other: &Range) -> Range {
        if self.is_none() {
            return other.clone();
        }
        if other.is_none() {
            return self.clone();
        }
        if let (Range::Listed(a), Range::Listed(b)) = (self, other) {
            return Range::listed(a.iter().chain(b).copied().collect());
        }
        let lo = self.lo().zip(other.lo()).map(|(a, b)| a.min(b));
        let hi = self.hi().zip(other.hi()).map(|(a, b)| a.max(b));
        Range::Between(lo, hi)
    }
    /// Values within bounds, both included; `None` is no bound.
    pub fn clip(&self, lo: Option<i128>, hi: Option<i128>) -> Range {
        match self {
            Range::Listed(v) => Range::Listed(
                v.iter()
                    .copied()
                    .filter(|c| lo.is_none_or(|a| a <= *c) && hi.is_none_or(|b| *c <= b))
                    .collect(),
            ),
            Range::Between(a, b) => {
                let lo = match (a, lo) {
                    (Some(a), Some(l)) => Some((*a).max(l)),
                    (a, l) => a.or(l),
                };
                let hi = match (b, hi) {
                    (Some(b), Some(h)) => Some((*b).min(h)),
                    (b, h) => b.or(h),
                };
                Range::between(lo, hi)
            }
        }
    }
    /// Values for which `x op other` may hold.
    pub fn refine(&self, op: CmpOp, other: &Range) -> Range {
        if other.is_none() {
            return Range::none();
        }
        let below = |h: Option<i128>, d: i128| h.and_then(|h| h.checked_sub(d));
        let above = |l: Option<i128>, d: i128| l.and_then(|l| l.checked_add(d));
        match op {
            CmpOp::Lt => self.clip(None, below(other.hi(), 1)),
            CmpOp::Le => self.clip(None, other.hi()),
            CmpOp::Gt => self.clip(above(other.lo(), 1), None),
            CmpOp::Ge => self.clip(other.lo(), None),
            CmpOp::Eq => {
                let r = self.clip(other.lo(), other.hi());
                match (&r, other) {
                    (Range::Listed(v), _) => {
                        Range::Listed(v.iter().copied().filter(|c| other.contains(*c)).collect())
                    }
                    (_, Range::Listed(v)) => {
                        Range::Listed(v.iter().copied().filter(|c| r.contains(*c)).collect())
                    }
                    _ => r,
                }
            }
            CmpOp::Ne => match (other.single(), self) {
                (None, _) => self.clone(),
                (Some(c), Range::Listed(v)) => Range::Listed(v.iter().copied().filter(|x| *x != c).collect()),
                (Some(c), Range::Between(a, b)) if *a == Some(c) => Range::between(above(Some(c), 1), *b),
                (Some(c), Range::Between(a, b)) if *b == Some(c) => Range::between(*a, below(Some(c), 1)),
                _ => self.clone(),
            },
        }
    }
    /// Can `x op y` hold?
    pub fn may(&self, op: CmpOp, other: &Range) -> bool {
        !self.refine(op, other).is_none()
    }
    /// `f` of every value, if they are few; `None` from `f` is undefined and left out.
    fn pointwise(&self, other: &Range, f: impl Fn(i128, i128) -> Option<i128>) -> Option<Range> {
        let (a, b) = (self.values()?, other.values()?);
        if a.len() * b.len() > 64 {
            return None;
        }
        let mut out = Vec::new();
        for x in a {
            for y in b {
                out.push(f(*x, *y)?);
            }
        }
        Some(Range::listed(out))
    }
    /// Sums of a value of each, as mathematics has them; what overflows `i128` has no bound.
    pub fn add(&self, other: &Range) -> Range {
        if self.is_none() || other.is_none() {
            return Range::none();
        }
        self.pointwise(other, i128::checked_add).unwrap_or_else(|| {
            let add = |a: Option<i128>, b: Option<i128>| a.zip(b).and_then(|(a, b)| a.checked_add(b));
            Range::between(add(self.lo(), other.lo()), add(self.hi(), other.hi()))
        })
    }
    /// Negated values, as mathematics has them.
    pub fn neg(&self) -> Range {
        match self {
            Range::Listed(v) => v
                .iter()
                .map(|c| c.checked_neg())
                .collect::<Option<Vec<_>>>()
                .map_or(Range::all(), Range::listed),
            Range::Between(a, b) => {
                Range::between(b.and_then(i128::checked_neg), a.and_then(i128::checked_neg))
            }
        }
    }
    /// Differences of a value of each, as mathematics has them.
    pub fn sub(&self, other: &Range) -> Range {
        self.add(&other.neg())
    }
    /// Products of a value of each, as mathematics has them.
    pub fn mul(&self, other: &Range) -> Range {
        if self.is_none() || other.is_none() {
            return Range::none();
        }
        if let Some(r) = self.pointwise(other, i128::checked_mul) {
            return r;
        }
        if let (Some(a), Some(b), Some(c), Some(d)) = (self.lo(), self.hi(), other.lo(), other.hi()) {
            let corners = [a.checked_mul(c), a.checked_mul(d), b.checked_mul(c), b.checked_mul(d)];
            if let [Some(p), Some(q), Some(r), Some(s)] = corners {
                return Range::between(Some(p.min(q).min(r).min(s)), Some(p.max(q).max(r).max(s)));
            }
        }
        let nonneg = |r: &Range| r.lo().is_some_and(|a| a >= 0);
        if nonneg(self) && nonneg(other) {
            return Range::Between(Some(0), None);
        }
        Range::all()
    }
    /// Results of an operator before anything wraps; what it is undefined for is left out.
    pub fn binary(&self, op: BinOp, other: &Range) -> Range {
        if self.is_none() || other.is_none() {
            return Range::none();
        }
        match op {
            BinOp::Add => return self.add(other),
            BinOp::Sub => return self.sub(other),
            BinOp::Mul => return self.mul(other),
            BinOp::Shl if other.single().is_some_and(|c| (0..127).contains(&c)) => {
                return self.mul(&Range::one(1i128 << other.single().unwrap_or(0)));
            }
            _ => {}
        }
        if let (Some(a), Some(b)) = (self.values(), other.values())
            && a.len() * b.len() <= 64
        {
            let pairs = a.iter().flat_map(|x| b.iter().map(move |y| (*x, *y)));
            return Range::listed(pairs.filter_map(|(x, y)| apply(op, x, y)).collect());
        }
        // Bits set in neither operand are not set in the result.
        let bits = |r: &Range| r.hi().filter(|_| r.lo().is_some_and(|a| a >= 0));
        let mask = |h: i128| if h == 0 { 0 } else { i128::MAX >> (h.leading_zeros() - 1) };
        match (op, bits(self), bits(other)) {
            (BinOp::Float(op, _), _, _) if op.is_comparison() => Range::of_kind(IntKind::Bool),
            (BinOp::Float(_, p), _, _) => Range::of_kind(p.kind()),
            (BinOp::And, Some(a), Some(b)) => Range::between(Some(0), Some(a.min(b))),
            (BinOp::And, Some(a), None) | (BinOp::And, None, Some(a)) => Range::between(Some(0), Some(a)),
            (BinOp::Or | BinOp::Xor, Some(a), Some(b)) => Range::between(Some(0), Some(mask(a.max(b)))),
            (BinOp::Div | BinOp::Shr, Some(a), Some(_)) => Range::between(Some(0), Some(a)),
            (BinOp::Rem, Some(a), b) => {
                let h = b.and_then(|b| b.checked_sub(1)).map_or(a, |b| a.min(b.max(0)));
                Range::between(Some(0), Some(h))
            }
            (BinOp::Div | BinOp::Rem | BinOp::Shr, _, _) => {
                let m = self
                    .lo()
                    .zip(self.hi())
                    .and_then(|(a, b)| a.checked_abs().map(|a| a.max(b.saturating_abs())));
                match m {
                    Some(m) => Range::between(m.checked_neg(), Some(m)),
                    None => Range::all(),
                }
            }
            (BinOp::And | BinOp::Or | BinOp::Xor, _, _) => match (self.widest(), other.widest()) {
                // A two's complement width that holds both holds the result.
                (Some(a), Some(b)) => {
                    let m = mask(a.max(b));
                    Range::between(m.checked_neg().and_then(|n| n.checked_sub(1)), Some(m))
                }
                _ => Range::all(),
            },
            _ => Range::all(),
        }
    }
    fn widest(&self) -> Option<i128> {
        Some(self.lo()?.checked_add(1)?.checked_abs()?.max(self.hi()?.checked_abs()?))
    }
}

/// `x op y` on mathematical integers, `None` if undefined or too large.
pub fn apply(op: BinOp, x: i128, y: i128) -> Option<i128> {
    let shift = |y: i128| u32::try_from(y).ok().filter(|y| *y < 127);
    match op {
        BinOp::Add => x.checked_add(y),
        BinOp::Sub => x.checked_sub(y),
        BinOp::Mul => x.checked_mul(y),
        BinOp::Div => x.checked_div(y),
        BinOp::Rem => x.checked_rem(y),
        BinOp::Shl => x.checked_mul(1i128.checked_shl(shift(y)?)?),
        BinOp::Shr => Some(x >> shift(y)?),
        BinOp::And => Some(x & y),
        BinOp::Or => Some(x | y),
        BinOp::Xor => Some(x ^ y),
        BinOp::Float(op, p) => Some(op.apply(p, x, y)),
    }
}

/// A value brought into a kind, modulo its width; `_Bool` is 0 or 1.
pub fn wrap(kind: IntKind, x: i128) -> i128 {
    match kind {
        IntKind::Ideal => x,
        IntKind::Bool => (x != 0) as i128,
        IntKind::Machine { bits: 127.., .. } => x,
        IntKind::Machine { bits, signed } => {
            let low = x & ((1i128 << bits) - 1);
            if signed && low >> (bits - 1) & 1 == 1 { low - (1i128 << bits) } else { low }
        }
    }
}
