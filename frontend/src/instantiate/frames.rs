//! Blocks that end with the function that asks for them (`alloca`, arrays of variable length): where it returns they are
//! given back.

use super::code::{Code, test};
use super::pool::give_back;
use relyant_cfa::points_to::{Fact, PointsTo};
use relyant_cfa::{
    Callee, CmpOp, Edge, Expr, FuncId, Function, IntKind, LocationKind, Module, ObjId, Op, Reg, Register,
};
use std::collections::BTreeSet;

/// What is said where a call is come to again before the function returns.
const AGAIN: &str = "memory of `alloca` in a loop, whose address may outlive the function, is not kept";

/// What is said where a thread ends in a function that was called, and memory of its callers may be known elsewhere.
const ENDED: &str =
    "memory of functions whose callee ends the thread, and whose address may outlive it, is not kept";

/// Puts limits where a thread ends in a function that one of these calls, by however many calls: what they have asked for would
/// have to be given back there.
pub(super) fn limit_ends(out: &mut Module, module: &Module, of: BTreeSet<usize>) {
    let ends = |f: &Function| f.graph.edges.iter().any(|e| matches!(e.op, Op::ThreadExit(_)));
    if of.is_empty() || !module.functions.iter().any(ends) {
        return;
    }
    let points_to = PointsTo::of_module(module);
    let callees = |f: usize| {
        let mut found = BTreeSet::new();
        for e in &module.functions[f].graph.edges {
            match &e.op {
                Op::Call { callee: Callee::Known(g), .. } => {
                    found.insert(g.0 as usize);
                }
                Op::Call { callee: Callee::Pointer(p), .. } => {
                    for fact in points_to.eval(f as u32, p) {
                        match fact {
                            Fact::Function(g) => {
                                found.insert(g.0 as usize);
                            }
                            Fact::Anything => found.extend(0..module.functions.len()),
                            Fact::Object(..) => {}
                        }
                    }
                }
                _ => {}
            }
        }
        found
    };
    let mut work: Vec<usize> = of.into_iter().flat_map(callees).collect();
    let mut seen = BTreeSet::new();
    while let Some(f) = work.pop() {
        if seen.insert(f) {
            work.extend(callees(f));
        }
    }
    for f in seen {
        let graph = &mut out.functions[f].graph;
        for i in 0..graph.edges.len() {
            if matches!(graph.edges[i].op, Op::ThreadExit(_)) {
                let limit = graph.add_location(graph.edges[i].span);
                graph.locations[limit.0 as usize].kind = LocationKind::Limit(ENDED.to_string().into());
                (graph.edges[i].op, graph.edges[i].to) = (Op::Skip, limit);
            }
        }
    }
}

/// Functions that call a place that makes memory.
pub(super) fn callers(module: &Module, site: FuncId) -> impl Iterator<Item = usize> + '_ {
    let calls = move |e: &Edge| matches!(&e.op, Op::Call { callee: Callee::Known(g), .. } if *g == site);
    (0..module.functions.len()).filter(move |f| module.functions[*f].graph.edges.iter().any(calls))
}

/// Gives the blocks of a place back where the functions that call it return; `instances` are its objects, each with the cell
/// that says that it is gone.
pub(super) fn end_with_callers(
    functions: &mut [Function],
    site: FuncId,
    instances: &[(ObjId, ObjId, usize)],
) {
    for f in functions.iter_mut() {
        let asks = |e: &Edge| match &e.op {
            Op::Call { callee: Callee::Known(g), dst, .. } if *g == site => *dst,
            _ => None,
        };
        let calls: Vec<(usize, Reg)> =
            f.graph.edges.iter().enumerate().filter_map(|(i, e)| Some((i, asks(e)?))).collect();
        for (i, address) in calls {
            end_one(f, i, address, instances);
        }
    }
}

/// The same for the call at edge `i`, whose result is the address.
fn end_one(f: &mut Function, i: usize, address: Reg, instances: &[(ObjId, ObjId, usize)]) {
    let kept = Reg(f.registers.len() as u32);
    f.registers.push(Register { name: String::new(), kind: IntKind::Ideal });
    let Edge { from, to, op, span } = f.graph.edges[i].clone();
    let atomic = f.atomic || f.graph.locations[from.0 as usize].atomic;
    let leaving: Vec<usize> = (0..f.graph.edges.len())
        .filter(|i| matches!(f.graph.edges[*i].op, Op::Return(_) | Op::ThreadExit(_)))
        .collect();
    let mut code = Code { graph: &mut f.graph, registers: &mut f.registers, at: from, span, atomic };
    let again = code.limit(AGAIN.to_string());
    code.edge(again, test(CmpOp::Ne, &Expr::Reg(kept), Expr::Const(0)));
    code.step(test(CmpOp::Eq, &Expr::Reg(kept), Expr::Const(0)));
    code.step(op);
    let at = code.at;
    f.graph.edges[i] = Edge { from: at, to, op: Op::Assign(kept, Expr::Reg(address)), span };
    for i in leaving {
        let (from, span) = (f.graph.edges[i].from, f.graph.edges[i].span);
        let atomic = f.atomic || f.graph.locations[from.0 as usize].atomic;
        let mut code = Code { graph: &mut f.graph, registers: &mut f.registers, at: from, span, atomic };
        give_back(&mut code, &Expr::Reg(kept), instances, false);
        code.step(Op::Assign(kept, Expr::Const(0)));
        let at = code.at;
        f.graph.edges[i].from = at;
    }
    let (entry, span) = (f.entry, f.span);
    f.entry = f.graph.add_location(span);
    f.graph.locations[f.entry.0 as usize].atomic = f.atomic;
    f.graph.add_edge(f.entry, entry, Op::Assign(kept, Expr::Const(0)), span);
}
