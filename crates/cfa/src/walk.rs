//! Walks over expressions and operations: what they read and write, and how to rename it.

use crate::{Callee, Expr, Op, Reg};

/// Calls `f` on the expression and each of its parts.
pub fn visit(e: &Expr, f: &mut dyn FnMut(&Expr)) {
    f(e);
    match e {
        Expr::Const(_) | Expr::Reg(_) | Expr::Addr(_) | Expr::Func(_) | Expr::SelfId => {}
        Expr::Unary(_, a, _) | Expr::Not(a) | Expr::Cast(a, _) => visit(a, f),
        Expr::Binary(_, a, b, _) | Expr::Compare(_, a, b) => {
            visit(a, f);
            visit(b, f);
        }
    }
}

/// Rebuilds an expression with its leaves replaced.
pub fn map_leaves(e: &Expr, f: &mut dyn FnMut(&Expr) -> Expr) -> Expr {
    match e {
        Expr::Const(_) | Expr::Reg(_) | Expr::Addr(_) | Expr::Func(_) | Expr::SelfId => f(e),
        Expr::Unary(op, a, k) => Expr::Unary(*op, Box::new(map_leaves(a, f)), *k),
        Expr::Not(a) => Expr::Not(Box::new(map_leaves(a, f))),
        Expr::Cast(a, k) => Expr::Cast(Box::new(map_leaves(a, f)), *k),
        Expr::Binary(op, a, b, k) => {
            let a = map_leaves(a, f);
            Expr::Binary(*op, Box::new(a), Box::new(map_leaves(b, f)), *k)
        }
        Expr::Compare(op, a, b) => {
            let a = map_leaves(a, f);
            Expr::Compare(*op, Box::new(a), Box::new(map_leaves(b, f)))
        }
    }
}

/// The expressions an operation evaluates.
pub fn reads(op: &Op) -> Vec<&Expr> {
    match op {
        Op::Skip | Op::Havoc { .. } | Op::Halt | Op::Return(None) => vec![],
        Op::Assign(_, e)
        | Op::Load(_, e, _)
        | Op::Assume(e)
        | Op::ThreadExit(e)
        | Op::Return(Some(e))
        | Op::Join { handle: e, .. } => vec![e],
        Op::Store(a, v, _) => vec![a, v],
        Op::Call { callee, args, .. } => {
            let mut v: Vec<&Expr> = args.iter().collect();
            if let Callee::Pointer(p) = callee {
                v.push(p);
            }
            v
        }
        Op::Create { routine, arg, .. } => {
            let mut v: Vec<&Expr> = arg.iter().collect();
            if let Callee::Pointer(p) = routine {
                v.push(p);
            }
            v
        }
    }
}

/// The register an operation writes.
pub fn writes(op: &Op) -> Option<Reg> {
    match op {
        Op::Assign(r, _) | Op::Load(r, _, _) => Some(*r),
        Op::Havoc { dst, .. } => Some(*dst),
        Op::Call { dst, .. } => *dst,
        Op::Create { handle, .. } => Some(*handle),
        Op::Join { result, .. } => *result,
        Op::Skip | Op::Store(..) | Op::Assume(_) | Op::ThreadExit(_) | Op::Halt | Op::Return(_) => None,
    }
}

/// Rebuilds an operation with its expressions and its target register replaced.
pub fn map_op(op: &Op, expr: &mut dyn FnMut(&Expr) -> Expr, reg: &dyn Fn(Reg) -> Reg) -> Op {
    let callee = |c: &Callee, expr: &mut dyn FnMut(&Expr) -> Expr| match c {
        Callee::Known(f) => Callee::Known(*f),
        Callee::Pointer(e) => Callee::Pointer(expr(e)),
    };
    match op {
        Op::Skip => Op::Skip,
        Op::Halt => Op::Halt,
        Op::Assign(r, e) => Op::Assign(reg(*r), expr(e)),
        Op::Havoc { dst, source } => Op::Havoc { dst: reg(*dst), source: source.clone() },
        Op::Load(r, a, k) => Op::Load(reg(*r), expr(a), *k),
        Op::Store(a, v, k) => {
            let a = expr(a);
            Op::Store(a, expr(v), *k)
        }
        Op::Assume(e) => Op::Assume(expr(e)),
        Op::ThreadExit(e) => Op::ThreadExit(expr(e)),
        Op::Return(e) => Op::Return(e.as_ref().map(expr)),
        Op::Join { handle, result } => Op::Join { handle: expr(handle), result: result.map(reg) },
        Op::Call { dst, callee: c, args } => {
            let c = callee(c, expr);
            Op::Call { dst: dst.map(reg), callee: c, args: args.iter().map(expr).collect() }
        }
        Op::Create { handle, routine, arg, template } => {
            let routine = callee(routine, expr);
            Op::Create { handle: reg(*handle), routine, arg: arg.as_ref().map(expr), template: *template }
        }
    }
}

/// The registers an expression reads, added to `out`.
pub fn registers(e: &Expr, out: &mut Vec<Reg>) {
    visit(e, &mut |x| {
        if let Expr::Reg(r) = x {
            out.push(*r);
        }
    });
}
