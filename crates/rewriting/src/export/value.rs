//! Symbolic values on a path: what is known of a variable narrows until each step can be said by a pattern.

use super::ranges::{self, Range, negated};
use relyant_cfa::{BinOp, CmpOp, Expr, IntKind, Program, UnOp};
use relyant_interp::{eval, machine::Stop};
use std::collections::BTreeMap;

/// No more values than this are told apart.
const FEW: i128 = 64;

/// Terms are not higher than this: what is beyond is never reached.
const REACHABLE: i128 = (1 << 31) - 1;

/// What a value is, over the variables before the path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Val {
    Const(i128),
    /// A variable's value and a number.
    Lin(usize, i128),
    /// The running thread's handle.
    SelfId,
    /// The handle of some other thread, which one is not known.
    Other,
}

/// A variable: the value of a cell, of a register… before the path.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Var {
    pub(super) name: String,
    /// What holds whatever the path.
    pub(super) base: Range,
    /// What holds on this path.
    pub(super) now: Range,
    /// Values it does not have.
    pub(super) not: Vec<i128>,
}

/// What must be told apart first.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Need {
    /// All values of a variable.
    Values(usize),
    /// Values of a variable below the number, and the others.
    Split(usize, i128),
    /// Whether a comparison holds.
    Branch(CmpOp, Val, Val),
    /// Who has a lock.
    Holder(usize),
    /// The step is undefined behaviour.
    Undefined,
    /// It cannot be said.
    Refuse(String),
}

/// Variables and what is known of them.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Known {
    pub(super) vars: Vec<Var>,
    /// Comparisons of two variables that hold.
    pub(super) conditions: Vec<(CmpOp, Val, Val)>,
}

impl Known {
    pub(super) fn var(&mut self, name: String, base: Range) -> Val {
        if let Some(c) = base.constant() {
            // known without looking, but the pattern still needs a place
            self.vars.push(Var { name, base, now: base, not: Vec::new() });
            return if c.abs() <= REACHABLE { Val::Lin(self.vars.len() - 1, 0) } else { Val::Const(c) };
        }
        self.vars.push(Var { name, base, now: base, not: Vec::new() });
        Val::Lin(self.vars.len() - 1, 0)
    }

    pub(super) fn range(&self, v: Val) -> Range {
        match self.plain(v) {
            Val::Const(c) => Range::one(c),
            Val::Lin(x, k) => Range::of(self.vars[x].now.lo + k, self.vars[x].now.hi + k),
            Val::SelfId | Val::Other => Range::of(1, ranges::HUGE),
        }
    }

    /// A constant where it is one.
    pub(super) fn plain(&self, v: Val) -> Val {
        match v {
            Val::Lin(x, k) => self.vars[x].now.constant().map_or(v, |c| Val::Const(c + k)),
            v => v,
        }
    }

    pub(super) fn decide(&self, op: CmpOp, a: Val, b: Val) -> Result<Option<bool>, Need> {
        let (a, b) = (self.plain(a), self.plain(b));
        let handle = |v| matches!(v, Val::SelfId | Val::Other);
        if handle(a) || handle(b) {
            return match (a, b, op) {
                (Val::SelfId, Val::SelfId, _) => Ok(ranges::decide(op, Range::one(1), Range::one(1))),
                (Val::SelfId, Val::Other, CmpOp::Eq) | (Val::Other, Val::SelfId, CmpOp::Eq) => {
                    Ok(Some(false))
                }
                (Val::SelfId, Val::Other, CmpOp::Ne) | (Val::Other, Val::SelfId, CmpOp::Ne) => Ok(Some(true)),
                _ => match ranges::decide(op, self.range(a), self.range(b)) {
                    Some(v) if !(handle(a) && handle(b)) => Ok(Some(v)),
                    _ => Err(Need::Refuse("a thread's handle is compared with a number".into())),
                },
            };
        }
        if let (Val::Lin(x, k), Val::Lin(y, l)) = (a, b) {
            if x == y {
                return Ok(ranges::decide(op, Range::one(k), Range::one(l)));
            }
            for (o, c, d) in &self.conditions {
                if (*c, *d) == (a, b) && *o == op {
                    return Ok(Some(true));
                }
                if (*c, *d) == (a, b) && *o == negated(op) {
                    return Ok(Some(false));
                }
            }
        }
        if let (Val::Lin(x, k), Val::Const(c)) | (Val::Const(c), Val::Lin(x, k)) = (a, b)
            && self.vars[x].not.contains(&(c - k))
        {
            match op {
                CmpOp::Eq => return Ok(Some(false)),
                CmpOp::Ne => return Ok(Some(true)),
                _ => {}
            }
        }
        Ok(ranges::decide(op, self.range(a), self.range(b)))
    }

    /// The cases in which a comparison holds.
    pub(super) fn constrain(&self, op: CmpOp, a: Val, b: Val) -> Result<Vec<Known>, Need> {
        let (a, b) = (self.plain(a), self.plain(b));
        match self.decide(op, a, b)? {
            Some(true) => return Ok(vec![self.clone()]),
            Some(false) => return Ok(Vec::new()),
            None => {}
        }
        let (op, a, b) = if let Val::Const(_) = a { (ranges::mirrored(op), b, a) } else { (op, a, b) };
        let Val::Lin(x, k) = a else { return Err(Need::Refuse("a comparison of handles".into())) };
        match b {
            Val::Const(c) => {
                let c = c - k;
                let mut new = self.clone();
                let v = &mut new.vars[x];
                match op {
                    CmpOp::Lt => v.now.hi = v.now.hi.min(c - 1),
                    CmpOp::Le => v.now.hi = v.now.hi.min(c),
                    CmpOp::Gt => v.now.lo = v.now.lo.max(c + 1),
                    CmpOp::Ge => v.now.lo = v.now.lo.max(c),
                    CmpOp::Eq => v.now = Range::one(c),
                    CmpOp::Ne => v.not.push(c),
                }
                Ok(new.tidied(x).into_iter().collect())
            }
            Val::Lin(y, l) => {
                let signed = |v: &Var| v.now.lo < 0 && v.now.hi >= 0;
                for (z, at) in [(x, 0), (y, 0), (x, l - k), (y, k - l)] {
                    let mixed = signed(&self.vars[x])
                        || signed(&self.vars[y])
                        || (self.vars[x].now.lo < 0) != (self.vars[y].now.lo < 0);
                    let v = &self.vars[z];
                    if mixed && v.now.lo < at && at <= v.now.hi {
                        let mut out = Vec::new();
                        for half in self.split(z, at) {
                            out.extend(half.constrain(op, a, b)?);
                        }
                        return Ok(out);
                    }
                }
                if (self.vars[x].now.lo < 0) != (self.vars[y].now.lo < 0) {
                    return Err(Need::Refuse("a positive number is compared with a negative one".into()));
                }
                let mut new = self.clone();
                new.conditions.push((op, a, b));
                Ok(vec![new])
            }
            _ => Err(Need::Refuse("a number is compared with a handle".into())),
        }
    }

    /// Values that are excluded at an end of the range shorten it.
    fn tidied(mut self, x: usize) -> Option<Known> {
        let v = &mut self.vars[x];
        loop {
            let (lo, hi) = (v.now.lo, v.now.hi);
            if lo > hi {
                return None;
            }
            if v.not.contains(&lo) {
                v.now.lo += 1;
            } else if v.not.contains(&hi) {
                v.now.hi -= 1;
            } else {
                v.not.retain(|c| lo < *c && *c < hi);
                v.not.sort_unstable();
                v.not.dedup();
                return Some(self);
            }
        }
    }

    pub(super) fn split(&self, x: usize, at: i128) -> Vec<Known> {
        let (mut low, mut high) = (self.clone(), self.clone());
        low.vars[x].now.hi = low.vars[x].now.hi.min(at - 1);
        high.vars[x].now.lo = high.vars[x].now.lo.max(at);
        [low.tidied(x), high.tidied(x)].into_iter().flatten().collect()
    }

    pub(super) fn values(&self, x: usize) -> Result<Vec<Known>, Need> {
        let v = &self.vars[x];
        if v.now.hi - v.now.lo >= FEW {
            return Err(Need::Refuse(format!("`{}` has no small bounds and is computed with", v.name)));
        }
        let one = |c: i128| {
            let mut new = self.clone();
            new.vars[x].now = Range::one(c);
            new.tidied(x)
        };
        Ok((v.now.lo..=v.now.hi).filter_map(one).collect())
    }

    /// Is the value one of the kind? What terms never reach does not matter.
    fn fit(&self, v: Val, kind: IntKind, wraps: bool) -> Result<Val, Need> {
        let Val::Lin(x, k) = v else { return Ok(v) };
        let (r, all) = (self.range(v), Range::kind(kind));
        let undefined = matches!(kind, IntKind::Machine { signed: true, .. }) && !wraps;
        for (outside, at) in [
            (r.lo < all.lo && all.lo > -REACHABLE, all.lo - k),
            (r.hi > all.hi && all.hi < REACHABLE, all.hi + 1 - k),
        ] {
            if outside && self.vars[x].now.lo < at && at <= self.vars[x].now.hi {
                return Err(Need::Split(x, at));
            }
            if outside {
                return Err(if undefined {
                    Need::Undefined
                } else {
                    Need::Refuse(format!("`{}` may wrap around here", self.vars[x].name))
                });
            }
        }
        Ok(v)
    }

    /// A value seen as of another kind.
    pub(super) fn cast(&self, v: Val, kind: IntKind) -> Result<Val, Need> {
        match self.plain(v) {
            Val::Const(c) => Ok(Val::Const(eval::cast(c, kind))),
            v if kind == IntKind::Bool => Ok(match self.decide(CmpOp::Ne, v, Val::Const(0))? {
                Some(t) => Val::Const(i128::from(t)),
                None => return Err(Need::Branch(CmpOp::Ne, v, Val::Const(0))),
            }),
            v => self.fit(v, kind, true),
        }
    }

    pub(super) fn eval(&self, e: &Expr, regs: &BTreeMap<u32, Val>, program: &Program) -> Result<Val, Need> {
        let go = |e: &Expr| self.eval(e, regs, program);
        let wraps = program.signed_wraps;
        let truth = |op, a, b| match self.decide(op, a, b)? {
            Some(t) => Ok(Val::Const(i128::from(t))),
            None => Err(Need::Branch(op, a, b)),
        };
        Ok(match e {
            Expr::Const(c) => Val::Const(*c),
            Expr::Reg(r) => self.plain(regs.get(&r.0).copied().unwrap_or(Val::Const(0))),
            Expr::Addr(o) => Val::Const(program.bases[o.0 as usize]),
            Expr::Func(f) => Val::Const(program.function_bases[f.0 as usize]),
            Expr::SelfId => Val::SelfId,
            Expr::Compare(op, a, b) => truth(*op, go(a)?, go(b)?)?,
            Expr::Not(a) => truth(CmpOp::Eq, go(a)?, Val::Const(0))?,
            Expr::Cast(a, k) => self.cast(go(a)?, *k)?,
            Expr::Unary(op, a, k) => match go(a)? {
                Val::Const(c) => constant(eval::unary(*op, c, *k, wraps))?,
                Val::Lin(x, _) if matches!(op, UnOp::Neg | UnOp::BitNot) => return Err(Need::Values(x)),
                _ => return Err(Need::Refuse("a thread's handle is computed with".into())),
            },
            Expr::Binary(op, a, b, k) => {
                let (a, b) = (go(a)?, go(b)?);
                match (op, a, b) {
                    (_, Val::Const(a), Val::Const(b)) => constant(eval::binary(*op, a, b, *k, wraps))?,
                    (BinOp::Add, Val::Lin(x, n), Val::Const(c))
                    | (BinOp::Add, Val::Const(c), Val::Lin(x, n)) => {
                        self.fit(Val::Lin(x, n + c), *k, wraps)?
                    }
                    (BinOp::Sub, Val::Lin(x, n), Val::Const(c)) => self.fit(Val::Lin(x, n - c), *k, wraps)?,
                    (BinOp::Sub, Val::Lin(x, n), Val::Lin(y, m)) if x == y => Val::Const(n - m),
                    (BinOp::Mul, Val::Lin(..), Val::Const(0)) | (BinOp::Mul, Val::Const(0), Val::Lin(..)) => {
                        Val::Const(0)
                    }
                    (BinOp::Mul, v @ Val::Lin(..), Val::Const(1))
                    | (BinOp::Mul, Val::Const(1), v @ Val::Lin(..)) => v,
                    (_, Val::Lin(x, _), Val::Lin(y, _)) => {
                        let size = |z: usize| self.vars[z].now.hi - self.vars[z].now.lo;
                        return Err(Need::Values(if size(x) <= size(y) { x } else { y }));
                    }
                    (_, Val::Lin(x, _), Val::Const(_)) | (_, Val::Const(_), Val::Lin(x, _)) => {
                        return Err(Need::Values(x));
                    }
                    _ => return Err(Need::Refuse("a thread's handle is computed with".into())),
                }
            }
        })
    }
}

fn constant(v: Result<i128, Stop>) -> Result<Val, Need> {
    match v {
        Ok(c) => Ok(Val::Const(c)),
        Err(Stop::TooLarge) => Err(Need::Refuse("a number of more than 127 bits".into())),
        Err(_) => Err(Need::Undefined),
    }
}
