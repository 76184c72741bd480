//! Undefined integer arithmetic as errors (C11 6.5p5, 6.5.5p5, 6.5.7p3 and p4): results out of range, division by zero,
//! shifts too far. Tests that a look at the operands' types decides are left out.

use super::lower::Lower;
use super::value::{binary, compare};
use relyant_cfa::{BinOp, CmpOp, Expr, IntKind, Op, UnOp, Violated};

impl Lower<'_> {
    /// Before `a op b` in a kind; the right operand of a shift has its own kind.
    pub fn check_arithmetic(&mut self, op: BinOp, a: &Expr, b: &Expr, kind: IntKind) {
        if !self.unit.options.checks_overflow() || kind == IntKind::Ideal {
            return;
        }
        let signed = matches!(kind, IntKind::Machine { signed: true, .. });
        self.unit.checked_operation(op, signed);
        match op {
            BinOp::Add | BinOp::Sub | BinOp::Mul if signed => {
                self.check_range(binary(op, a.clone(), b.clone(), IntKind::Ideal), kind);
            }
            BinOp::Div | BinOp::Rem => self.check_division(a, b, kind, signed),
            BinOp::Shl | BinOp::Shr => self.check_shift(op, a, b, kind, signed),
            _ => {}
        }
    }

    /// What is to hold before `-a`: that of `0 - a`.
    pub fn check_negation(&mut self, a: &Expr, kind: IntKind) {
        self.check_arithmetic(BinOp::Sub, &Expr::Const(0), a, kind);
    }

    fn check_range(&mut self, exact: Expr, kind: IntKind) {
        let (Some(min), Some(max)) = (kind.min(), kind.max()) else { return };
        let exact = self.body.bounded(exact, IntKind::Ideal);
        self.forbid(CmpOp::Gt, &exact, Expr::Const(max), Violated::SignedOverflow);
        self.forbid(CmpOp::Lt, &exact, Expr::Const(min), Violated::SignedOverflow);
    }

    fn check_division(&mut self, a: &Expr, b: &Expr, kind: IntKind, signed: bool) {
        self.forbid(CmpOp::Eq, b, Expr::Const(0), Violated::DivisionByZero);
        let Some(min) = kind.min().filter(|_| signed) else { return };
        let within = |r: Option<(i128, i128)>, v: i128| r.is_none_or(|(low, high)| low <= v && v <= high);
        if !within(self.range(a), min) || !within(self.range(b), -1) {
            return;
        }
        // Only the smallest value divided by -1 leaves the range.
        let by = compare(CmpOp::Eq, b.clone(), Expr::Const(-1));
        let (test, next) = (self.body.fresh(), self.body.fresh());
        self.body.edge_to(next, Op::Assume(by.clone().is_false()));
        self.body.edge_to(test, Op::Assume(by));
        self.body.cur = test;
        self.forbid(CmpOp::Eq, a, Expr::Const(min), Violated::SignedOverflow);
        self.body.join(next);
    }

    fn check_shift(&mut self, op: BinOp, a: &Expr, b: &Expr, kind: IntKind, signed: bool) {
        let IntKind::Machine { bits, .. } = kind else { return };
        self.forbid(CmpOp::Lt, b, Expr::Const(0), Violated::Shift);
        self.forbid(CmpOp::Ge, b, Expr::Const(i128::from(bits)), Violated::Shift);
        let Some(max) = kind.max().filter(|_| signed && op == BinOp::Shl) else { return };
        self.forbid(CmpOp::Lt, a, Expr::Const(0), Violated::SignedOverflow);
        if let Expr::Const(n) = a {
            // A bound on the distance says the same, and linearly.
            if let Some(most) = max.checked_div(*n).and_then(i128::checked_ilog2) {
                self.forbid(CmpOp::Gt, b, Expr::Const(i128::from(most)), Violated::SignedOverflow);
            }
            return;
        }
        let most = match b {
            Expr::Const(n) => {
                Expr::Const(u32::try_from(*n).ok().and_then(|n| max.checked_shr(n)).unwrap_or(0))
            }
            b => binary(BinOp::Shr, Expr::Const(max), b.clone(), kind),
        };
        self.forbid(CmpOp::Gt, a, most, Violated::SignedOverflow);
    }

    /// Goes to an error where a comparison holds, if it can.
    pub fn forbid(&mut self, op: CmpOp, a: &Expr, b: Expr, what: Violated) {
        if let (Some((low, high)), Expr::Const(n)) = (self.range(a), &b) {
            let never = match op {
                CmpOp::Gt => high <= *n,
                CmpOp::Ge => high < *n,
                CmpOp::Lt => low >= *n,
                CmpOp::Le => low > *n,
                CmpOp::Eq => *n < low || high < *n,
                CmpOp::Ne => low == high && low == *n,
            };
            if never {
                return;
            }
        }
        match compare(op, a.clone(), b) {
            Expr::Const(0) => {}
            Expr::Const(_) => self.body.fail(what),
            test => {
                let error = self.body.error(what);
                self.body.edge_to(error, Op::Assume(test.clone()));
                self.body.emit(Op::Assume(test.is_false()));
            }
        }
    }

    /// Bounds of a value by the kinds of what it is made of; `None` if there are none.
    fn range(&self, e: &Expr) -> Option<(i128, i128)> {
        let of = |k: IntKind| Some((k.min()?, k.max()?));
        let kind = |exact: Option<(i128, i128)>, k: IntKind| match (exact, of(k)) {
            (Some((a, b)), Some((c, d))) if c <= a && b <= d => Some((a, b)),
            (exact, None) if k == IntKind::Ideal => exact,
            (_, bounds) => bounds,
        };
        match e {
            Expr::Const(n) => Some((*n, *n)),
            Expr::Reg(r) => of(self.body.registers.get(r.0 as usize)?.kind),
            Expr::Compare(..) | Expr::Not(_) => Some((0, 1)),
            Expr::Cast(a, k) => kind(self.range(a), *k),
            Expr::Unary(UnOp::Neg, a, k) => {
                let exact = self.range(a).and_then(|(a, b)| Some((b.checked_neg()?, a.checked_neg()?)));
                kind(exact, *k)
            }
            Expr::Binary(op, a, b, k) => {
                let exact = match (op, self.range(a), self.range(b)) {
                    (BinOp::Add, Some((a, b)), Some((c, d))) => a.checked_add(c).zip(b.checked_add(d)),
                    (BinOp::Sub, Some((a, b)), Some((c, d))) => a.checked_sub(d).zip(b.checked_sub(c)),
                    (BinOp::Mul, Some((a, b)), Some((c, d))) => {
                        let ends = [a.checked_mul(c), a.checked_mul(d), b.checked_mul(c), b.checked_mul(d)];
                        let ends: Option<Vec<i128>> = ends.into_iter().collect();
                        ends.and_then(|e| Some((*e.iter().min()?, *e.iter().max()?)))
                    }
                    // What stays on one side of 0 comes no farther from it.
                    (BinOp::Div | BinOp::Shr, Some((a, b)), _) if a >= 0 && self.not_negative(e) => {
                        Some((0, b))
                    }
                    (BinOp::And, Some((a, b)), Some((c, d))) if a >= 0 || c >= 0 => Some((
                        0,
                        if a < 0 {
                            d
                        } else if c < 0 {
                            b
                        } else {
                            b.min(d)
                        },
                    )),
                    (BinOp::Rem, Some((a, _)), Some((c, d))) if c > 0 => {
                        Some((if a >= 0 { 0 } else { 1 - d }, d - 1))
                    }
                    _ => None,
                };
                kind(exact, *k)
            }
            _ => None,
        }
    }

    /// Is the right operand never negative?
    fn not_negative(&self, e: &Expr) -> bool {
        matches!(e, Expr::Binary(_, _, b, _) if self.range(b).is_some_and(|r| r.0 >= 0))
    }
}
