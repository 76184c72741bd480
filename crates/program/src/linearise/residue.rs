//! Congruences of expressions: what a sum of multiples is modulo a number, in C's kinds of integers.

use super::ranges::Env;
use relyant_cfa::{BinOp, Expr, IntKind, Residue, UnOp};

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
                wrapped(-self.residue(a), *kind, inside)
            }
            Expr::Binary(op @ (BinOp::Add | BinOp::Sub | BinOp::Mul), a, b, kind) => {
                let (x, y) = (self.residue(a), self.residue(b));
                let exact = match op {
                    BinOp::Add => x + y,
                    BinOp::Sub => x - y,
                    _ => x * y,
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
