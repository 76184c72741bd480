//! Sums of two numbers without small bounds become loops, as rules add constants only: `x + y` counts `y` down to 0 and
//! `x` up or down with it. Only the running thread sees these steps.

use super::ranges::Ranges;
use relyant_cfa::{BinOp, CmpOp, Edge, Expr, IntKind, Loc, Location, Op, Program, Reg, Register, Template};
use relyant_interp::candidates::Candidates;

/// Numbers with as many values are told apart, case by case.
const FEW: i128 = 64;

/// The program with such sums computed before they are used.
pub(super) fn sums(program: &Program) -> Program {
    let ranges = Ranges::new(program, &Candidates::new(program, 0, 0));
    let mut out = program.clone();
    for (t, template) in out.templates.iter_mut().enumerate() {
        let old = template.registers.len() as u32;
        let mut i = 0;
        // edges that are added are looked at, too: sums of sums
        let mut original: Vec<Loc> = template.graph.edges.iter().map(|e| e.from).collect();
        while i < template.graph.edges.len() {
            let from = original[i];
            let large = |e: &Expr| {
                let mut new = false;
                each_register(e, &mut |r| new |= r.0 >= old);
                new || ranges.expr(program, t, from, e).is_some_and(|r| r.hi - r.lo >= FEW)
            };
            let negative = |e: &Expr| ranges.expr(program, t, from, e).is_none_or(|r| r.lo < 0);
            let op = template.graph.edges[i].op.clone();
            // a thread would wait in one of several ways that it has chosen already
            let skip = program.deadlock && matches!(op, Op::Assume(_));
            let mut found = None;
            if !skip {
                relyant_interp::live::for_each_expr(&op, &mut |e| {
                    found = found.take().or_else(|| sum(e, &large));
                });
            }
            if let Some(s) = found {
                let negative = {
                    let mut new = false;
                    each_register(&s.2, &mut |r| new |= r.0 >= old);
                    new || negative(&s.2)
                };
                unfold(template, i, &s, negative);
                original.resize(template.graph.edges.len(), from);
            } else {
                i += 1;
            }
        }
    }
    out
}

/// A sum or difference: which, and of what.
type Sum = (BinOp, Expr, Expr, IntKind);

/// The innermost sum of two large numbers, or difference.
fn sum(e: &Expr, large: &dyn Fn(&Expr) -> bool) -> Option<Sum> {
    match e {
        Expr::Const(_) | Expr::Reg(_) | Expr::Addr(_) | Expr::Func(_) | Expr::SelfId => None,
        Expr::Unary(_, a, _) | Expr::Not(a) | Expr::Cast(a, _) => sum(a, large),
        Expr::Compare(_, a, b) => sum(a, large).or_else(|| sum(b, large)),
        Expr::Binary(op, a, b, k) => sum(a, large).or_else(|| sum(b, large)).or_else(|| {
            let linear = matches!(op, BinOp::Add | BinOp::Sub) && large(a) && large(b);
            linear.then(|| (*op, (**a).clone(), (**b).clone(), *k))
        }),
    }
}

fn each_register(e: &Expr, f: &mut dyn FnMut(Reg)) {
    match e {
        Expr::Reg(r) => f(*r),
        Expr::Const(_) | Expr::Addr(_) | Expr::Func(_) | Expr::SelfId => {}
        Expr::Unary(_, a, _) | Expr::Not(a) | Expr::Cast(a, _) => each_register(a, f),
        Expr::Binary(_, a, b, _) | Expr::Compare(_, a, b) => {
            each_register(a, f);
            each_register(b, f);
        }
    }
}

/// Puts the loop of a sum before an edge.
fn unfold(t: &mut Template, i: usize, (op, a, b, kind): &Sum, negative: bool) {
    let edge = t.graph.edges[i].clone();
    let register = |t: &mut Template| {
        t.registers.push(Register { name: String::new(), kind: *kind });
        Reg(t.registers.len() as u32 - 1)
    };
    let (x, y) = (register(t), register(t));
    let like =
        Location { labels: Vec::new(), assumes: false, ..t.graph.locations[edge.from.0 as usize].clone() };
    let mut location = || {
        t.graph.locations.push(like.clone());
        Loc(t.graph.locations.len() as u32 - 1)
    };
    let (first, head, last) = (location(), location(), location());
    let whole = Expr::Binary(*op, Box::new(a.clone()), Box::new(b.clone()), *kind);
    let mut edges = vec![(first, head, Op::Assign(y, b.clone()))];
    let by = |r: Reg, n: i128| {
        Op::Assign(r, Expr::Binary(BinOp::Add, Box::new(Expr::Reg(r)), Box::new(Expr::Const(n)), *kind))
    };
    let is = |c| Op::Assume(Expr::Compare(c, Box::new(Expr::Reg(y)), Box::new(Expr::Const(0))));
    let sign = if *op == BinOp::Add { 1 } else { -1 };
    for (compare, n) in [(CmpOp::Gt, 1), (CmpOp::Lt, -1)].into_iter().take(if negative { 2 } else { 1 }) {
        let (one, two) = (location(), location());
        edges.push((head, one, is(compare)));
        edges.push((one, two, by(x, sign * n)));
        edges.push((two, head, by(y, -n)));
    }
    edges.push((head, last, is(CmpOp::Eq)));
    edges.push((last, edge.to, replaced(&edge.op, &whole, x)));
    t.graph.edges[i] = Edge { to: first, op: Op::Assign(x, a.clone()), ..edge.clone() };
    for (from, to, op) in edges {
        t.graph.edges.push(Edge { from, to, op, span: edge.span });
    }
}

fn replaced(op: &Op, whole: &Expr, by: Reg) -> Op {
    let e = |x: &Expr| within(x, whole, by);
    match op {
        Op::Assign(r, x) => Op::Assign(*r, e(x)),
        Op::Load(r, a, k) => Op::Load(*r, e(a), *k),
        Op::Store(a, x, k) => Op::Store(e(a), e(x), *k),
        Op::Assume(x) => Op::Assume(e(x)),
        Op::Call { dst, callee, args } => {
            Op::Call { dst: *dst, callee: callee.clone(), args: args.iter().map(e).collect() }
        }
        Op::Create { handle, routine, arg, template } => Op::Create {
            handle: *handle,
            routine: routine.clone(),
            arg: arg.as_ref().map(e),
            template: *template,
        },
        Op::Join { handle, result } => Op::Join { handle: e(handle), result: *result },
        Op::ThreadExit(x) => Op::ThreadExit(e(x)),
        Op::Return(x) => Op::Return(x.as_ref().map(e)),
        Op::Skip | Op::Havoc { .. } | Op::Halt => op.clone(),
    }
}

fn within(e: &Expr, whole: &Expr, by: Reg) -> Expr {
    if e == whole {
        return Expr::Reg(by);
    }
    let go = |x: &Expr| Box::new(within(x, whole, by));
    match e {
        Expr::Const(_) | Expr::Reg(_) | Expr::Addr(_) | Expr::Func(_) | Expr::SelfId => e.clone(),
        Expr::Unary(op, a, k) => Expr::Unary(*op, go(a), *k),
        Expr::Not(a) => Expr::Not(go(a)),
        Expr::Cast(a, k) => Expr::Cast(go(a), *k),
        Expr::Binary(op, a, b, k) => Expr::Binary(*op, go(a), go(b), *k),
        Expr::Compare(op, a, b) => Expr::Compare(*op, go(a), go(b)),
    }
}
