//! Expressions as linear cases.

use super::case::{ValueCase, at_least, at_most, eq, times};
use super::range::Range;
use super::ranges::Env;
use super::variables::Variables;
use crate::Input;
use relyant_cfa::{BinOp, CmpOp, Expr, FloatUnary, IntKind, Reg, UnOp};
use relyant_linear::{Cube, LinExpr, Norm, Rat, Satisfiable, Var};

/// More cases than this and the value is over-approximated.
const MOST: usize = 48;

/// Turns the expressions of one location into cases.
pub struct Linear<'a> {
    /// What is known of values.
    pub env: Env<'a>,
    /// Which variable each cell and register is.
    pub variables: &'a Variables,
}

impl Linear<'_> {
    /// Number of the first input.
    pub fn base(&self) -> u32 {
        self.variables.list.len() as u32
    }
    /// The variable of a register of the running thread.
    pub fn register(&self, r: Reg) -> Var {
        self.variables.register(self.env.template, r)
    }
    /// Handle of the running thread.
    pub fn self_handle(&self) -> LinExpr {
        match self.variables.ghosts[self.env.template].identity {
            Some(v) => LinExpr::var(v),
            None => LinExpr::int(self.env.template as i128 + 1),
        }
    }
    /// The value of an expression.
    pub fn value(&self, e: &Expr) -> Vec<ValueCase> {
        let range = self.env.range(e);
        if let Some(c) = range.single()
            && self.total(e)
        {
            return vec![ValueCase::of(LinExpr::int(c))];
        }
        let cases = match e {
            Expr::Const(c) => vec![ValueCase::of(LinExpr::int(*c))],
            Expr::Reg(r) => vec![ValueCase::of(LinExpr::var(self.register(*r)))],
            Expr::Addr(_) | Expr::Func(_) => match range.single() {
                Some(a) => vec![ValueCase::of(LinExpr::int(a))],
                None => vec![self.unknown(&range)],
            },
            Expr::SelfId => vec![ValueCase::of(self.self_handle())],
            Expr::Unary(UnOp::Float(_), _, _) => vec![self.unknown(&range)],
            Expr::Unary(op, a, kind) => {
                let (op, kind) = (*op, *kind);
                let before = self.env.before_wrap_unary(op, a, kind);
                let minus = |c: &ValueCase| {
                    let v = c.value.negated();
                    c.with(match (op, kind) {
                        (UnOp::Neg, _) => v,
                        (_, IntKind::Machine { signed: false, .. }) => {
                            v.add(&LinExpr::int(IntKind::max(kind).unwrap_or(0)))
                        }
                        _ => v.sub(&LinExpr::int(1)),
                    })
                };
                self.arithmetic(self.value(a).iter().map(minus).collect(), &before, kind)
            }
            Expr::Binary(op, a, b, kind) => self.binary(*op, a, b, *kind),
            Expr::Compare(..) | Expr::Not(_) => {
                let yes = self.truth(e, true).into_iter().map(|c| c.with(LinExpr::int(1)));
                yes.chain(self.truth(e, false).into_iter().map(|c| c.with(LinExpr::int(0)))).collect()
            }
            Expr::Cast(a, kind) => self.convert(self.value(a), &self.env.range(a), *kind),
        };
        // What is over-approximated stays within what is known of the result.
        let within = |c: ValueCase| if c.exact { c } else { self.within(c, &range) };
        let cases = self.possible(cases.into_iter().map(within).collect());
        if cases.len() > MOST { vec![self.unknown(&range)] } else { cases }
    }
    /// Has an expression a value whatever the registers hold: no overflow, no division by zero?
    pub fn total(&self, e: &Expr) -> bool {
        match e {
            Expr::Const(_) | Expr::Reg(_) | Expr::Addr(_) | Expr::Func(_) | Expr::SelfId => true,
            Expr::Unary(UnOp::Float(FloatUnary::ToInt(_)), ..) => false,
            Expr::Unary(op, a, kind) => {
                (self.env.wraps(*kind) || self.env.before_wrap_unary(*op, a, *kind).fits(*kind))
                    && self.total(a)
            }
            Expr::Binary(op, a, b, kind) => {
                let (x, y) = (self.env.range(a), self.env.range(b));
                let defined = match op {
                    BinOp::Div | BinOp::Rem => {
                        let overflows = y.contains(-1) && IntKind::min(*kind).is_some_and(|m| x.contains(m));
                        !(y.contains(0) || overflows)
                    }
                    BinOp::Shl | BinOp::Shr => {
                        let within = |c| super::binary::shifts(c, *kind);
                        y.lo().is_some_and(within) && y.hi().is_some_and(within)
                    }
                    _ => true,
                };
                let fits = self.env.wraps(*kind) || x.binary(*op, &y).fits(*kind);
                defined && fits && self.total(a) && self.total(b)
            }
            Expr::Compare(_, a, b) => self.total(a) && self.total(b),
            Expr::Not(a) | Expr::Cast(a, _) => self.total(a),
        }
    }
    /// Some value of a range.
    pub fn unknown(&self, range: &Range) -> ValueCase {
        let mut c = ValueCase::of(LinExpr::zero());
        c.value = LinExpr::var(c.input(self.base(), Input::Auxiliary));
        c.exact = false;
        self.within(c, range)
    }
    /// A bound on the value of a case.
    pub fn within(&self, mut c: ValueCase, range: &Range) -> ValueCase {
        let v = c.value.clone();
        if let Some(lo) = range.lo() {
            c = c.bound(at_least(&v, lo));
        }
        match range.hi() {
            Some(hi) => c.bound(at_most(&v, hi)),
            None => c,
        }
    }
    /// Results of arithmetic in a kind, given before they wrap: wraps them, or bounds them.
    pub fn arithmetic(&self, cases: Vec<ValueCase>, before: &Range, kind: IntKind) -> Vec<ValueCase> {
        if before.fits(kind) {
            cases
        } else if self.env.wraps(kind) {
            self.wrap(cases, before, kind)
        } else {
            cases.into_iter().map(|c| self.within(c, &Range::of_kind(kind))).collect()
        }
    }
    /// Values modulo the width of a kind.
    fn wrap(&self, cases: Vec<ValueCase>, before: &Range, kind: IntKind) -> Vec<ValueCase> {
        let (Some(min), IntKind::Machine { bits, .. }) = (kind.min(), kind) else { return cases };
        let Some(modulus) = 1i128.checked_shl(bits as u32).filter(|m| *m > 0) else {
            return cases.into_iter().map(|c| self.within(c, &Range::of_kind(kind))).collect();
        };
        let turn = |x: Option<i128>| x.and_then(|x| x.checked_sub(min)).map(|x| x.div_euclid(modulus));
        let (lo, hi) = (turn(before.lo()), turn(before.hi()));
        let top = min + (modulus - 1);
        let mut out = Vec::new();
        for c in cases {
            match (lo, hi) {
                (Some(lo), Some(hi)) if hi - lo < 3 => {
                    for k in lo..=hi {
                        let Some(shift) = k.checked_mul(modulus) else { continue };
                        let v = c.value.sub(&LinExpr::int(shift));
                        let mut d = c.with(v.clone());
                        if k > lo {
                            d = d.bound(at_least(&v, min));
                        }
                        if k < hi {
                            d = d.bound(at_most(&v, top));
                        }
                        out.push(d);
                    }
                }
                _ => {
                    let mut d = c.clone();
                    let k = d.input(self.base(), Input::Auxiliary);
                    d.value = d.value.sub(&times(modulus, &LinExpr::var(k)));
                    out.push(self.within(d, &Range::of_kind(kind)));
                }
            }
        }
        out
    }
    /// Values converted to a kind, given their range.
    pub fn convert(&self, cases: Vec<ValueCase>, before: &Range, kind: IntKind) -> Vec<ValueCase> {
        if before.fits(kind) {
            return cases;
        }
        let cases = match kind {
            IntKind::Bool => {
                let test = |c: ValueCase, op, v| {
                    let found = self.compare(c, op, &LinExpr::zero()).into_iter();
                    found.map(move |c| c.with(LinExpr::int(v))).collect::<Vec<_>>()
                };
                let both = |c: ValueCase| [test(c.clone(), CmpOp::Ne, 1), test(c, CmpOp::Eq, 0)].concat();
                cases.into_iter().flat_map(both).collect()
            }
            _ => self.wrap(cases, before, kind),
        };
        self.possible(cases)
    }
    /// Pairs of a case each: conditions of both, and both values.
    pub fn pairs(&self, a: &[ValueCase], b: &[ValueCase]) -> Vec<(ValueCase, LinExpr)> {
        let all = a.iter().flat_map(|x| b.iter().map(|y| x.and(y, self.base())));
        all.filter(|(c, _)| !c.is_false()).collect()
    }
    /// When an expression is not 0 (or is 0).
    pub fn truth(&self, e: &Expr, want: bool) -> Vec<ValueCase> {
        let boolean = |e: &Expr| match e {
            Expr::Compare(..) | Expr::Not(_) | Expr::Cast(_, IntKind::Bool) => true,
            Expr::Binary(BinOp::And | BinOp::Or | BinOp::Xor, ..) => self.env.range(e).fits(IntKind::Bool),
            _ => false,
        };
        let cases = match e {
            Expr::Not(a) => return self.truth(a, !want),
            Expr::Cast(a, IntKind::Bool) => return self.truth(a, want),
            Expr::Compare(CmpOp::Ne, a, b) if **b == Expr::Const(0) && boolean(a) => {
                return self.truth(a, want);
            }
            Expr::Compare(CmpOp::Eq, a, b) if **b == Expr::Const(0) && boolean(a) => {
                return self.truth(a, !want);
            }
            Expr::Binary(op @ (BinOp::And | BinOp::Or), a, b, _)
                if self.env.range(a).fits(IntKind::Bool) && self.env.range(b).fits(IntKind::Bool) =>
            {
                // One of the operands decides, or both are needed.
                let decides = *op == BinOp::Or;
                if want == decides {
                    let both = self.pairs(&self.truth(a, !want), &self.truth(b, want));
                    self.truth(a, want).into_iter().chain(both.into_iter().map(|c| c.0)).collect()
                } else {
                    self.pairs(&self.truth(a, want), &self.truth(b, want)).into_iter().map(|c| c.0).collect()
                }
            }
            Expr::Compare(op, a, b) => {
                let op = if want { *op } else { super::ranges::negate(*op) };
                let pairs = self.pairs(&self.value(a), &self.value(b));
                pairs.into_iter().flat_map(|(c, b)| self.compare(c, op, &b)).collect()
            }
            e => {
                let op = if want { CmpOp::Ne } else { CmpOp::Eq };
                self.value(e).into_iter().flat_map(|c| self.compare(c, op, &LinExpr::zero())).collect()
            }
        };
        let cases = self.possible(cases);
        if cases.len() <= MOST {
            return cases;
        }
        vec![ValueCase { exact: false, ..ValueCase::of(LinExpr::zero()) }]
    }
    /// Where the value of a case compares so with an expression.
    fn compare(&self, c: ValueCase, op: CmpOp, b: &LinExpr) -> Vec<ValueCase> {
        let d = c.value.sub(b);
        let neg = d.negated();
        let lt = |d: &LinExpr| relyant_linear::Atom::lt(d);
        match op {
            CmpOp::Lt => vec![c.when(lt(&d))],
            CmpOp::Le => vec![c.when(at_most(&d, 0))],
            CmpOp::Gt => vec![c.when(lt(&neg))],
            CmpOp::Ge => vec![c.when(at_most(&neg, 0))],
            CmpOp::Eq => vec![c.when(eq(&d, &LinExpr::zero()))],
            CmpOp::Ne => vec![c.clone().when(lt(&d)), c.when(lt(&neg))],
        }
    }
    /// Leaves out cases that cannot be, given the ranges of the registers, and conditions that types imply.
    pub fn possible(&self, cases: Vec<ValueCase>) -> Vec<ValueCase> {
        let mut out: Vec<ValueCase> = Vec::new();
        for mut c in cases {
            if c.is_false() {
                continue;
            }
            let known = |v: Var| {
                let r = self.known(v);
                (r.lo(), r.hi())
            };
            let always =
                |v: Var| self.variables.list.get(v.0 as usize).map_or((None, None), |x| (x.min, x.max));
            let all = c.guard.and(&c.bounds);
            if all
                .atoms()
                .iter()
                .any(|a| a.inequalities().iter().any(|e| lowest(e, known).is_some_and(|x| x > 0)))
            {
                continue;
            }
            let needed = |a: &relyant_linear::Atom| {
                a.inequalities().iter().any(|e| lowest(&e.negated(), always).is_none_or(|x| x < 0))
            };
            let keep = |cube: &Cube| {
                Cube::of(cube.atoms().iter().filter(|a| needed(a)).map(|a| Norm::Atom(a.clone())))
            };
            (c.guard, c.bounds) = (keep(&c.guard), keep(&c.bounds));
            if all.atoms().len() > 1 && matches!(all.sat_rational(), Satisfiable::Unsat) {
                continue;
            }
            if !out.contains(&c) {
                out.push(c);
            }
        }
        out
    }
    /// What is known of a variable here.
    fn known(&self, v: Var) -> Range {
        use crate::{Origin, Scope};
        match self.variables.list.get(v.0 as usize) {
            None => Range::all(),
            Some(x) => match (x.origin, x.scope) {
                (Origin::Register(r), Scope::Local(t)) if t as usize == self.env.template => {
                    self.env.registers.get(r).clone()
                }
                _ => Range::between(x.min, x.max),
            },
        }
    }
}

/// A lower bound of an expression.
fn lowest(e: &LinExpr, bounds: impl Fn(Var) -> (Option<i128>, Option<i128>)) -> Option<i128> {
    let mut sum = e.constant_part().to_i128()?;
    for (v, c) in e.terms() {
        let (lo, hi) = bounds(*v);
        let x = if c.is_positive() { lo? } else { hi? };
        sum = sum.checked_add((c * &Rat::from(x)).to_i128()?)?;
    }
    Some(sum)
}
