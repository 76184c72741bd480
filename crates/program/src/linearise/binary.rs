//! Binary operators: exact where linear arithmetic can say it, else bounded.

use super::case::{ValueCase, at_least, at_most, eq, le, times};
use super::range::Range;
use super::value::Linear;
use crate::Input;
use relyant_cfa::{BinOp, Expr, IntKind};
use relyant_linear::{LinExpr, Var};

/// Is it a count that a value of the kind can be shifted by? Otherwise C leaves it undefined.
pub(super) fn shifts(count: i128, kind: IntKind) -> bool {
    let width = match kind {
        IntKind::Machine { bits, .. } => bits as i128,
        _ => 126,
    };
    (0..width).contains(&count)
}

/// The variable that an expression is; inputs are numbered from `base` on and are none.
fn variable(e: &LinExpr, base: u32) -> Option<Var> {
    match e.terms() {
        [(v, c)] if c.is_one() && e.constant_part().is_zero() && v.0 < base => Some(*v),
        _ => None,
    }
}

/// An operand with at most this many values is split into cases.
const SPLIT: usize = 8;

impl Linear<'_> {
    /// `a op b` in a kind.
    pub(super) fn binary(&self, op: BinOp, a: &Expr, b: &Expr, kind: IntKind) -> Vec<ValueCase> {
        let (x, y) = (self.env.range(a), self.env.range(b));
        let before = x.binary(op, &y);
        let cases = match op {
            BinOp::Add => self.both(a, b, |x, y| x.add(y)),
            BinOp::Sub => self.both(a, b, |x, y| x.sub(y)),
            // Nothing linear says what floating-point operations do.
            BinOp::Float(..) => vec![self.unknown(&before)],
            _ => match self.bitwise(op, a, b, kind) {
                Some(cases) => cases,
                None => self.by_constant(op, a, b, kind),
            },
        };
        self.arithmetic(cases, &before, kind)
    }
    fn both(&self, a: &Expr, b: &Expr, f: impl Fn(&LinExpr, &LinExpr) -> LinExpr) -> Vec<ValueCase> {
        let pairs = self.pairs(&self.value(a), &self.value(b));
        pairs.into_iter().map(|(c, y)| c.with(f(&c.value, &y))).collect()
    }
    /// Splits on the few values of an operand, if there are few.
    fn by_constant(&self, op: BinOp, a: &Expr, b: &Expr, kind: IntKind) -> Vec<ValueCase> {
        let (x, y) = (self.env.range(a), self.env.range(b));
        let few = |r: &Range| r.values().map(<[i128]>::to_vec).filter(|v| v.len() <= SPLIT);
        let (few_x, few_y) = (few(&x), few(&y));
        let prefer_y = match (&few_x, &few_y) {
            (Some(p), Some(q)) => q.len() <= p.len(),
            (None, Some(_)) => true,
            _ => false,
        };
        if let (Some(values), true) = (few_y, prefer_y) {
            return self.split(b, &values, |c, k| self.right_constant(op, c, &self.value(a), &x, k, kind));
        }
        if let (Some(values), BinOp::Mul | BinOp::And | BinOp::Or | BinOp::Xor) = (few_x, op) {
            return self.split(a, &values, |c, k| self.right_constant(op, c, &self.value(b), &y, k, kind));
        }
        self.pairs(&self.value(a), &self.value(b))
            .into_iter()
            .map(|(c, v)| self.opaque(op, c, &v, &x, &y, kind))
            .collect()
    }
    /// Cases for each value of an expression.
    fn split(
        &self,
        e: &Expr,
        values: &[i128],
        f: impl Fn(&ValueCase, i128) -> Vec<ValueCase>,
    ) -> Vec<ValueCase> {
        let mut out = Vec::new();
        for c in self.value(e) {
            for k in values {
                let d = c.clone().when(eq(&c.value, &LinExpr::int(*k)));
                if !d.is_false() {
                    out.extend(f(&d, *k));
                }
            }
        }
        self.possible(out)
    }
    /// `a op k`, under the condition of a case.
    fn right_constant(
        &self,
        op: BinOp,
        under: &ValueCase,
        a: &[ValueCase],
        x: &Range,
        k: i128,
        kind: IntKind,
    ) -> Vec<ValueCase> {
        let here: Vec<ValueCase> =
            self.pairs(a, std::slice::from_ref(under)).into_iter().map(|p| p.0).collect();
        let power = |k: i128| (0..126).contains(&k).then(|| 1i128 << k);
        here.into_iter()
            .flat_map(|c| match op {
                BinOp::Add => vec![c.with(c.value.add(&LinExpr::int(k)))],
                BinOp::Sub => vec![c.with(c.value.sub(&LinExpr::int(k)))],
                BinOp::Mul => vec![c.with(times(k, &c.value))],
                BinOp::Div | BinOp::Rem => self.divide(op, c, x, k, kind),
                BinOp::Float(..) => vec![self.unknown(&Range::of_kind(kind))],
                BinOp::Shl | BinOp::Shr if !shifts(k, kind) => Vec::new(),
                BinOp::Shl => match power(k) {
                    Some(p) => vec![c.with(times(p, &c.value))],
                    None => vec![self.opaque(op, c, &LinExpr::int(k), x, &Range::one(k), kind)],
                },
                BinOp::Shr => match power(k) {
                    Some(p) => vec![self.floor(c, p)],
                    None => vec![self.opaque(op, c, &LinExpr::int(k), x, &Range::one(k), kind)],
                },
                BinOp::And | BinOp::Or | BinOp::Xor => match self.mask(&c, x, k) {
                    None => vec![self.opaque(op, c, &LinExpr::int(k), x, &Range::one(k), kind)],
                    Some(m) => {
                        let sum = c.value.add(&LinExpr::int(k));
                        let v = m.value.clone();
                        vec![match op {
                            BinOp::And => m,
                            BinOp::Or => m.with(sum.sub(&v)),
                            _ => m.with(sum.sub(&v).sub(&v)),
                        }]
                    }
                },
            })
            .collect()
    }
    /// Quotient or remainder by a constant, toward zero. By zero there is none.
    fn divide(&self, op: BinOp, mut c: ValueCase, x: &Range, k: i128, kind: IntKind) -> Vec<ValueCase> {
        let Some(d) = k.checked_abs().filter(|d| *d > 0) else { return Vec::new() };
        let n = c.value.clone();
        // The smallest number by -1 has no value, whether arithmetic wraps or not.
        if let (-1, Some(min)) = (k, kind.min())
            && x.contains(min)
        {
            c = c.bound(at_least(&n, min.saturating_add(1)));
        }
        let mut out = Vec::new();
        for negative in [false, true] {
            if !x.may(if negative { relyant_cfa::CmpOp::Lt } else { relyant_cfa::CmpOp::Ge }, &Range::one(0))
            {
                continue;
            }
            let mut e = c.clone();
            let part = if negative { x.clip(None, Some(-1)) } else { x.clip(Some(0), None) };
            let q = match part.binary(BinOp::Div, &Range::one(d)).single() {
                Some(q) => LinExpr::int(q),
                None => LinExpr::var(e.input(self.base(), Input::Auxiliary)),
            };
            let rest = n.sub(&times(d, &q));
            e = if negative {
                e.bound(at_most(&n, -1)).bound(at_least(&rest, 1 - d)).bound(at_most(&rest, 0))
            } else {
                e.bound(at_least(&n, 0)).bound(at_least(&rest, 0)).bound(at_most(&rest, d - 1))
            };
            e.value = match op {
                BinOp::Rem => rest,
                _ if k < 0 => q.negated(),
                _ => q,
            };
            if d == 1 {
                e = c.with(if op == BinOp::Rem { LinExpr::zero() } else { times(k, &n) });
                return vec![e];
            }
            out.push(e);
        }
        out
    }
    /// Quotient by a positive constant, rounded down.
    fn floor(&self, mut c: ValueCase, d: i128) -> ValueCase {
        if d == 1 {
            return c;
        }
        let n = c.value.clone();
        let q = LinExpr::var(c.input(self.base(), Input::Auxiliary));
        let rest = n.sub(&times(d, &q));
        c.value = q;
        c.bound(at_least(&rest, 0)).bound(at_most(&rest, d - 1))
    }
    /// The bits of a mask that is one run of ones (or all ones above some bit): `x & k`.
    fn mask(&self, c: &ValueCase, x: &Range, k: i128) -> Option<ValueCase> {
        if k == 0 {
            return Some(c.with(LinExpr::zero()));
        }
        if k == -1 {
            return Some(c.clone());
        }
        let low = k.trailing_zeros();
        let run = k >> low;
        let unit = 1i128.checked_shl(low).filter(|u| *u > 0)?;
        let high = self.floor(c.clone(), unit);
        if run == -1 {
            return Some(high.with(times(unit, &high.value)));
        }
        let width = run.trailing_ones();
        if run < 0 || run >> width != 0 || width + low > 125 {
            return None;
        }
        if x.lo().is_some_and(|a| a >= 0) && x.hi().is_some_and(|b| b >> (width + low) == 0) {
            return Some(high.with(times(unit, &high.value)));
        }
        let higher = self.floor(high.clone(), 1i128 << width);
        let bits = high.value.sub(&times(1i128 << width, &higher.value));
        Some(higher.with(times(unit, &bits)))
    }
    /// Bitwise operators on operands of 0 and 1.
    fn bitwise(&self, op: BinOp, a: &Expr, b: &Expr, _kind: IntKind) -> Option<Vec<ValueCase>> {
        if !matches!(op, BinOp::And | BinOp::Or | BinOp::Xor)
            || !self.env.range(a).fits(IntKind::Bool)
            || !self.env.range(b).fits(IntKind::Bool)
        {
            return None;
        }
        let mut out = Vec::new();
        for (c, y) in self.pairs(&self.value(a), &self.value(b)) {
            let zero = c.clone().when(eq(&c.value, &LinExpr::zero()));
            let one = c.clone().when(eq(&c.value, &LinExpr::int(1)));
            let (if_zero, if_one) = match op {
                BinOp::And => (LinExpr::zero(), y),
                BinOp::Or => (y, LinExpr::int(1)),
                _ => (y.clone(), LinExpr::int(1).sub(&y)),
            };
            out.extend([zero.with(if_zero), one.with(if_one)]);
        }
        Some(self.possible(out))
    }
    /// Some value within what is known of the result: no linear arithmetic says it.
    fn opaque(&self, op: BinOp, c: ValueCase, b: &LinExpr, x: &Range, y: &Range, kind: IntKind) -> ValueCase {
        let a = c.value.clone();
        let mut d = c;
        d.exact = false;
        let nonneg = |r: &Range| r.lo().is_some_and(|a| a >= 0);
        let input = match (op, variable(&a, self.base()), variable(b, self.base())) {
            (BinOp::Rem, Some(number), Some(divisor)) if nonneg(x) && nonneg(y) => {
                Input::Remainder { number, divisor }
            }
            _ => Input::Auxiliary,
        };
        d.value = LinExpr::var(d.input(self.base(), input));
        let v = d.value.clone();
        let mut range = x.binary(op, y);
        if self.env.wraps(kind) && !range.fits(kind) {
            range = Range::of_kind(kind);
        }
        d = self.within(d, &range);
        match op {
            BinOp::And => {
                if nonneg(x) {
                    d = d.bound(le(&v, &a));
                }
                if nonneg(y) {
                    d = d.bound(le(&v, b));
                }
            }
            BinOp::Or if nonneg(x) && nonneg(y) => {
                d = d.bound(le(&a, &v)).bound(le(b, &v)).bound(le(&v, &a.add(b)));
            }
            BinOp::Xor if nonneg(x) && nonneg(y) => d = d.bound(le(&v, &a.add(b))),
            BinOp::Div | BinOp::Shr if nonneg(x) && nonneg(y) => d = d.bound(le(&v, &a)),
            BinOp::Rem if nonneg(x) && nonneg(y) => {
                d = d.bound(le(&v, &a)).bound(le(&v, &b.sub(&LinExpr::int(1))));
            }
            _ => {}
        }
        d
    }
}
