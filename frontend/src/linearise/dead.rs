//! Registers whose value nobody reads any more.

use crate::cfa::{Expr, Op, Template};

/// By location: is the register's value still read?
pub fn live_registers(t: &Template) -> Vec<Vec<bool>> {
    let n = t.graph.locations.len();
    let mut live = vec![vec![false; t.registers.len()]; n];
    let mut into: Vec<Vec<usize>> = vec![Vec::new(); n];
    for (i, e) in t.graph.edges.iter().enumerate() {
        into[e.to.0 as usize].push(i);
    }
    let mut work: Vec<usize> = (0..n).rev().collect();
    while let Some(l) = work.pop() {
        for i in &into[l] {
            let e = &t.graph.edges[*i];
            let mut before = live[l].clone();
            if let Some(r) = target(&e.op) {
                before[r] = false;
            }
            // What a dead assignment reads does not count.
            let needed = match &e.op {
                Op::Assign(r, _) | Op::Load(r, _, _) => live[l][r.0 as usize],
                _ => true,
            };
            if needed {
                visit(&e.op, &mut |r| before[r] = true);
            }
            let from = e.from.0 as usize;
            let grown: Vec<bool> = before.iter().zip(&live[from]).map(|(a, b)| *a || *b).collect();
            if grown != live[from] {
                live[from] = grown;
                work.push(from);
            }
        }
    }
    live
}

fn target(op: &Op) -> Option<usize> {
    match op {
        Op::Assign(r, _) | Op::Load(r, _, _) | Op::Havoc { dst: r, .. } | Op::Create { handle: r, .. } => {
            Some(r.0 as usize)
        }
        Op::Join { result: Some(r), .. } => Some(r.0 as usize),
        _ => None,
    }
}

fn visit(op: &Op, f: &mut impl FnMut(usize)) {
    fn expr(e: &Expr, f: &mut impl FnMut(usize)) {
        match e {
            Expr::Reg(r) => f(r.0 as usize),
            Expr::Unary(_, a, _) | Expr::Not(a) | Expr::Cast(a, _) => expr(a, f),
            Expr::Binary(_, a, b, _) | Expr::Compare(_, a, b) => {
                expr(a, f);
                expr(b, f);
            }
            _ => {}
        }
    }
    match op {
        Op::Assign(_, e) | Op::Load(_, e, _) | Op::Assume(e) | Op::ThreadExit(e) => expr(e, f),
        Op::Join { handle: e, .. } => expr(e, f),
        Op::Store(a, e, _) => {
            expr(a, f);
            expr(e, f);
        }
        Op::Create { arg: Some(e), .. } => expr(e, f),
        _ => {}
    }
}
