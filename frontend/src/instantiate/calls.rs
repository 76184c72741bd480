//! Which functions call themselves, directly or through others.
//!
//! A call of oneself as the last act is a jump, no call.

use super::callees::Callees;
use super::inline::returns_at_once;
use relyant_cfa::strong::components;
use relyant_cfa::walk;
use relyant_cfa::{Callee, Edge, Expr, FuncId, Function, Module, Op};
use std::collections::BTreeSet;

/// The number of a function's copy that runs without interruption, or of the plain one. An atomic function has only
/// the former.
pub(super) fn copy(module: &Module, f: FuncId, atomic: bool) -> FuncId {
    if atomic { FuncId(f.0 + module.functions.len() as u32) } else { f }
}

/// The function that a number from [`copy`] stands for, and whether the copy is atomic.
pub(super) fn copied(module: &Module, f: FuncId) -> (FuncId, bool) {
    let n = module.functions.len() as u32;
    if f.0 < n { (f, false) } else { (FuncId(f.0 - n), true) }
}

/// Is a call in a function of that function itself a jump?
pub(super) fn is_tail(f: &Function, call: &Edge) -> bool {
    matches!(call.op, Op::Call { dst, .. } if returns_at_once(f, call.to, dst))
}

/// The functions that each one may call, but for jumps to itself.
pub(super) fn graph(callees: &Callees<'_>) -> Vec<Vec<usize>> {
    let called = |(k, f): (usize, &Function)| {
        let mut called = BTreeSet::new();
        for e in &f.graph.edges {
            let meant = meant(callees, FuncId(k as u32), &e.op).into_iter().map(|g| g.0 as usize);
            called.extend(meant.filter(|g| *g != k || !is_tail(f, e)));
        }
        called.into_iter().collect()
    };
    callees.module.functions.iter().enumerate().map(called).collect()
}

/// The functions on a cycle of the call graph.
pub(super) fn recursive(callees: &Callees<'_>) -> BTreeSet<FuncId> {
    let calls = graph(callees);
    let mut out = BTreeSet::new();
    for component in components(&calls) {
        if component.len() > 1 || calls[component[0]].contains(&component[0]) {
            out.extend(component.into_iter().map(|f| FuncId(f as u32)));
        }
    }
    out
}

/// The functions that a call may mean in any copy of its function.
pub(super) fn meant(callees: &Callees<'_>, f: FuncId, op: &Op) -> Vec<FuncId> {
    let Op::Call { callee, args, .. } = op else { return Vec::new() };
    let pointer = match callee {
        Callee::Known(g) | Callee::Pointer(Expr::Func(g)) => return vec![*g],
        Callee::Pointer(p) => p,
    };
    // Copies name other objects than the function itself; there nothing is known of where they point.
    let mut names_objects = false;
    walk::visit(pointer, &mut |x| names_objects |= matches!(x, Expr::Addr(_)));
    if !names_objects {
        return callees.candidates(f, 0, op);
    }
    let fits = |g: &FuncId| callees.module.functions[g.0 as usize].params.len() == args.len();
    callees.taken.iter().copied().filter(fits).collect()
}
