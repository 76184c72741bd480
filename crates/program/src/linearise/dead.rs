//! Registers whose value nobody reads any more.

use relyant_cfa::sparse::Row;
use relyant_cfa::{Expr, Op, Template};

/// By location: the registers whose value is still read.
pub fn live_registers(t: &Template) -> Vec<Row> {
    let n = t.graph.locations.len();
    let mut live = vec![Row::default(); n];
    let mut into: Vec<Vec<usize>> = vec![Vec::new(); n];
    for (i, e) in t.graph.edges.iter().enumerate() {
        into[e.to.0 as usize].push(i);
    }
    let mut work: Vec<usize> = (0..n).collect();
    let mut queued = vec![true; n];
    while let Some(l) = work.pop() {
        queued[l] = false;
        for i in &into[l] {
            let e = &t.graph.edges[*i];
            let mut before = live[l].clone();
            let written = target(&e.op);
            if let Some(r) = written {
                before.remove(r);
            }
            // What a dead assignment reads does not count.
            let needed = match &e.op {
                Op::Assign(r, _) | Op::Load(r, _, _) => live[l].has(r.0),
                _ => true,
            };
            if needed {
                visit(&e.op, &mut |r| before.insert(r));
            }
            let from = e.from.0 as usize;
            if live[from].extend(&before) && !std::mem::replace(&mut queued[from], true) {
                work.push(from);
            }
        }
    }
    live
}

fn target(op: &Op) -> Option<u32> {
    match op {
        Op::Assign(r, _) | Op::Load(r, _, _) | Op::Havoc { dst: r, .. } | Op::Create { handle: r, .. } => {
            Some(r.0)
        }
        Op::Join { result: Some(r), .. } => Some(r.0),
        _ => None,
    }
}

fn visit(op: &Op, f: &mut impl FnMut(u32)) {
    fn expr(e: &Expr, f: &mut impl FnMut(u32)) {
        match e {
            Expr::Reg(r) => f(r.0),
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
