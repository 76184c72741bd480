//! What a program's verdicts assume because C leaves it undefined: overflow, division by zero, accesses outside objects.

use crate::cfa::{BinOp, Expr, IntKind, Op, Program, UnOp};
use crate::options::{Integers, Options, Signed};

/// The assumptions that the program's operations call for, a line each.
pub fn assumptions(p: &Program, options: &Options) -> Vec<String> {
    let cells = p.objects.iter().map(|o| o.cells.len() as i128).collect();
    let mut found = Found { cells, ..Found::default() };
    for e in p.templates.iter().flat_map(|t| &t.graph.edges) {
        match &e.op {
            Op::Assign(_, e) | Op::Assume(e) | Op::ThreadExit(e) | Op::Return(Some(e)) => found.expr(e),
            Op::Call { args, .. } => args.iter().for_each(|e| found.expr(e)),
            Op::Load(_, address, _) => found.address(address),
            Op::Store(address, value, _) => {
                found.address(address);
                found.expr(value);
            }
            Op::Create { arg: Some(e), .. } => found.expr(e),
            Op::Join { handle, .. } => found.expr(handle),
            _ => {}
        }
    }
    let mut out = Vec::new();
    let checked = options.checks_overflow();
    let wraps = options.signed == Signed::Wrap || options.integers == Integers::Ideal;
    if found.signed && !checked && !wraps {
        out.push("signed arithmetic does not overflow".into());
    }
    if found.division && !checked {
        out.push("nothing is divided by zero".into());
    }
    if found.shift && !checked {
        out.push("shifts are by less than the width".into());
    }
    if found.access {
        out.push("pointers and indices stay inside their objects".into());
    }
    out
}

#[derive(Default)]
struct Found {
    /// Number of cells of each object.
    cells: Vec<i128>,
    signed: bool,
    division: bool,
    shift: bool,
    access: bool,
}

impl Found {
    fn address(&mut self, e: &Expr) {
        let known = match e {
            Expr::Addr(_) => true,
            Expr::Binary(BinOp::Add, a, b, _) => match (&**a, &**b) {
                (Expr::Addr(o), Expr::Const(k)) | (Expr::Const(k), Expr::Addr(o)) => {
                    self.cells.get(o.0 as usize).is_some_and(|n| (0..*n).contains(k))
                }
                _ => false,
            },
            _ => false,
        };
        self.access |= !known;
        self.expr(e);
    }
    fn expr(&mut self, e: &Expr) {
        match e {
            Expr::Unary(op, a, kind) => {
                self.signed |= *op == UnOp::Neg && signed(*kind);
                self.expr(a);
            }
            Expr::Binary(op, a, b, kind) => {
                match op {
                    BinOp::Div | BinOp::Rem => self.division |= !matches!(**b, Expr::Const(c) if c != 0),
                    BinOp::Shl | BinOp::Shr => self.shift |= !matches!(**b, Expr::Const(_)),
                    BinOp::Add | BinOp::Sub | BinOp::Mul => self.signed |= signed(*kind),
                    BinOp::And | BinOp::Or | BinOp::Xor | BinOp::Float(..) => {}
                }
                self.expr(a);
                self.expr(b);
            }
            Expr::Compare(_, a, b) => {
                self.expr(a);
                self.expr(b);
            }
            Expr::Not(a) | Expr::Cast(a, _) => self.expr(a),
            Expr::Const(_) | Expr::Reg(_) | Expr::Addr(_) | Expr::Func(_) | Expr::SelfId => {}
        }
    }
}

fn signed(kind: IntKind) -> bool {
    matches!(kind, IntKind::Machine { signed: true, .. })
}
