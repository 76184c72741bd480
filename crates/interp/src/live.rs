//! Registers that matter: those read before they are written again. States that differ in others only are one.

use relyant_cfa::{Callee, Expr, Op, Reg, Template};

/// Live registers of each location of a template, in order.
pub fn live_registers(template: &Template) -> Vec<Vec<u32>> {
    let words = template.registers.len().div_ceil(64);
    let graph = &template.graph;
    let mut live = vec![vec![0u64; words]; graph.locations.len()];
    let mut into = vec![Vec::new(); graph.locations.len()];
    for (i, e) in graph.edges.iter().enumerate() {
        into[e.to.0 as usize].push(i);
    }
    let mut worklist: Vec<usize> = (0..graph.locations.len()).collect();
    while let Some(to) = worklist.pop() {
        for &i in &into[to] {
            let edge = &graph.edges[i];
            let mut before = live[to].clone();
            if let Some(r) = written(&edge.op) {
                clear(&mut before, r);
            }
            for_each_read(&edge.op, &mut |r| set(&mut before, r));
            let from = edge.from.0 as usize;
            let mut grown = false;
            for (have, new) in live[from].iter_mut().zip(&before) {
                grown |= *new & !*have != 0;
                *have |= new;
            }
            if grown {
                worklist.push(from);
            }
        }
    }
    let n = template.registers.len() as u32;
    live.iter().map(|bits| (0..n).filter(|r| bits[*r as usize / 64] >> (r % 64) & 1 == 1).collect()).collect()
}

fn set(bits: &mut [u64], r: Reg) {
    if let Some(w) = bits.get_mut(r.0 as usize / 64) {
        *w |= 1 << (r.0 % 64);
    }
}

fn clear(bits: &mut [u64], r: Reg) {
    if let Some(w) = bits.get_mut(r.0 as usize / 64) {
        *w &= !(1 << (r.0 % 64));
    }
}

/// The register an operation writes.
pub fn written(op: &Op) -> Option<Reg> {
    match op {
        Op::Assign(r, _) | Op::Load(r, _, _) | Op::Havoc { dst: r, .. } => Some(*r),
        Op::Create { handle, .. } => Some(*handle),
        Op::Join { result, .. } => *result,
        Op::Call { dst, .. } => *dst,
        _ => None,
    }
}

/// Visits the registers an operation reads.
pub fn for_each_read(op: &Op, f: &mut impl FnMut(Reg)) {
    for_each_expr(op, &mut |e| for_each_register(e, f));
}

/// Visits the expressions of an operation.
pub fn for_each_expr(op: &Op, f: &mut impl FnMut(&Expr)) {
    let callee = |c: &Callee, f: &mut dyn FnMut(&Expr)| {
        if let Callee::Pointer(e) = c {
            f(e);
        }
    };
    match op {
        Op::Assign(_, e) | Op::Load(_, e, _) | Op::Assume(e) | Op::ThreadExit(e) => f(e),
        Op::Store(a, e, _) => {
            f(a);
            f(e);
        }
        Op::Call { callee: c, args, .. } => {
            callee(c, f);
            args.iter().for_each(f);
        }
        Op::Create { routine, arg, .. } => {
            callee(routine, f);
            arg.iter().for_each(f);
        }
        Op::Join { handle, .. } => f(handle),
        Op::Return(e) => e.iter().for_each(f),
        Op::Skip | Op::Havoc { .. } | Op::Halt => {}
    }
}

/// Visits the registers of an expression.
pub fn for_each_register(e: &Expr, f: &mut impl FnMut(Reg)) {
    match e {
        Expr::Reg(r) => f(*r),
        Expr::Const(_) | Expr::Addr(_) | Expr::Func(_) | Expr::SelfId => {}
        Expr::Unary(_, a, _) | Expr::Not(a) | Expr::Cast(a, _) => for_each_register(a, f),
        Expr::Binary(_, a, b, _) | Expr::Compare(_, a, b) => {
            for_each_register(a, f);
            for_each_register(b, f);
        }
    }
}
