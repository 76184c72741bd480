//! How many threads run, so that the last one is known.

use super::super::code::{Code, test};
use super::{Plan, before, taken};
use relyant_cfa::options::Options;
use relyant_cfa::{
    BinOp, Callee, CmpOp, Expr, FuncId, Function, Graph, IntKind, LocationKind, Module, ObjId, Object, Op,
    Reg,
};
use std::collections::{BTreeMap, BTreeSet};

/// Functions that may run in the threads that are created.
pub(super) fn of_threads(module: &Module) -> BTreeSet<FuncId> {
    let taken = taken(module);
    let meant = |c: &Callee| match c {
        Callee::Known(f) => BTreeSet::from([*f]),
        Callee::Pointer(_) => taken.clone(),
    };
    let mut out = BTreeSet::new();
    let mut work: Vec<FuncId> = Vec::new();
    for e in module.functions.iter().flat_map(|f| &f.graph.edges) {
        if let Op::Create { routine, .. } = &e.op {
            work.extend(meant(routine));
        }
    }
    while let Some(f) = work.pop() {
        if out.insert(f) {
            for e in &module.functions[f.0 as usize].graph.edges {
                if let Op::Call { callee, .. } = &e.op {
                    work.extend(meant(callee));
                }
            }
        }
    }
    out
}

/// Counts the threads that run, in a cell of its own. None where that is not possible: with a bound on threads, where
/// start routines are not known by name, and where there are no threads.
pub(super) fn count_threads(module: &mut Module, main: FuncId, options: &Options) -> Option<ObjId> {
    let mut routines = BTreeSet::new();
    for e in module.functions.iter().flat_map(|f| &f.graph.edges) {
        match &e.op {
            Op::Create { routine: Callee::Known(f), .. } => routines.insert(*f),
            Op::Create { .. } => return None,
            _ => false,
        };
    }
    if routines.is_empty() || options.max_threads.is_some() {
        return None;
    }
    let span = module.functions[main.0 as usize].span;
    module.objects.push(Object::synthetic("(threads that run)", IntKind::Ideal, Some(1), span));
    let running = ObjId(module.objects.len() as u32 - 1);
    let mut own = BTreeMap::new();
    for f in routines {
        let wrapper = wrapper(&module.functions[f.0 as usize], f, running);
        own.insert(f, FuncId(module.functions.len() as u32));
        module.functions.push(wrapper);
    }
    for f in &mut module.functions {
        for i in 0..f.graph.edges.len() {
            let by = match &mut f.graph.edges[i].op {
                Op::Create { routine: Callee::Known(g), .. } => {
                    *g = own[g];
                    1
                }
                Op::ThreadExit(_) => -1,
                _ => continue,
            };
            before(f, i, |code| count(code, running, by));
        }
    }
    Some(running)
}

/// Adds to the number of threads that run, in one step with what comes next.
fn count(code: &mut Code<'_>, running: ObjId, by: i128) {
    let n = code.temp(IntKind::Ideal);
    let outer = std::mem::replace(&mut code.atomic, true);
    code.step(Op::Load(n, Expr::Addr(running), IntKind::Ideal));
    let more = Expr::Binary(BinOp::Add, Box::new(Expr::Reg(n)), Box::new(Expr::Const(by)), IntKind::Ideal);
    code.step(Op::Store(Expr::Addr(running), more, IntKind::Ideal));
    code.atomic = outer;
}

/// A thread's start routine that calls another function, and is counted out at its end.
fn wrapper(f: &Function, id: FuncId, running: ObjId) -> Function {
    let span = f.span;
    let mut graph = Graph::default();
    let end = graph.add_location(span);
    graph.locations[end.0 as usize].kind = LocationKind::End;
    let entry = graph.add_location(span);
    let mut registers: Vec<_> = f.params.iter().map(|p| f.registers[p.0 as usize].clone()).collect();
    let params: Vec<Reg> = (0..registers.len() as u32).map(Reg).collect();
    let mut code = Code { graph: &mut graph, registers: &mut registers, at: entry, span, atomic: false };
    let dst = f.result.map(|kind| code.temp(kind));
    let args = params.iter().map(|p| Expr::Reg(*p)).collect();
    code.step(Op::Call { dst, callee: Callee::Known(id), args });
    count(&mut code, running, -1);
    code.edge(end, Op::Return(dst.map(Expr::Reg)));
    Function {
        name: f.name.clone(),
        params,
        result: f.result,
        registers,
        locals: Vec::new(),
        entry,
        graph,
        atomic: false,
        span,
    }
}

/// May main end as threads do, with other threads left?
pub(super) fn ends_as_thread(module: &Module, main: FuncId) -> bool {
    let mut seen = BTreeSet::new();
    let mut work = vec![main];
    while let Some(f) = work.pop() {
        if !seen.insert(f) {
            continue;
        }
        for e in &module.functions[f.0 as usize].graph.edges {
            match &e.op {
                Op::ThreadExit(_) => return true,
                Op::Call { callee: Callee::Known(g), .. } => work.push(*g),
                Op::Call { callee: Callee::Pointer(_), .. } => work.extend(taken(module)),
                _ => {}
            }
        }
    }
    false
}

/// Looks at the end of each thread whether it was the last one.
pub(super) fn last_thread(module: &mut Module, running: ObjId, check: FuncId, plan: &Plan) {
    // Behind each place that counts a thread out.
    for f in &mut module.functions {
        let counted: Vec<usize> = (0..f.graph.edges.len())
            .filter(|i| matches!(&f.graph.edges[*i].op, Op::Store(Expr::Addr(o), ..) if *o == running))
            .collect();
        for i in counted {
            let next = f.graph.edges[i].to;
            let Some(leaves) = f.graph.edges.iter().position(|e| e.from == next) else { continue };
            if !matches!(f.graph.edges[leaves].op, Op::ThreadExit(_) | Op::Return(_)) {
                continue;
            }
            let span = f.graph.edges[leaves].span;
            let mut code =
                Code { graph: &mut f.graph, registers: &mut f.registers, at: next, span, atomic: true };
            let n = code.load(running, 0);
            let (from, go) = (code.at, code.fresh());
            code.edge(go, test(CmpOp::Ne, &n, Expr::Const(0)));
            code.at = from;
            code.step(test(CmpOp::Eq, &n, Expr::Const(0)));
            plan.ask(&mut code, check);
            code.edge(go, Op::Skip);
            f.graph.edges[leaves].from = go;
        }
    }
}
