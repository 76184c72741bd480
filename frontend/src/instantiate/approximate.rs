//! Recursion without a stack: a call becomes a thread that runs the function, and waits for its end.
//!
//! Cook, Kroening, Sharygina, "Verification of Boolean programs with unbounded thread creation", 2007, section 4.3.
//! Arguments and result are passed through globals. The caller asks for a call (`call(f) := 1`) and a thread made for
//! it takes the arguments, so that there are as many activations as calls. At its end it says from which place it was
//! called (`returned(f) := k`), and a caller at that place goes on. What is lost: with several calls from one place
//! under way, any of them may be the one that goes on. Every run of the program is one of the result, in which these
//! steps follow each other at once; so a proof of the result is one of the program.
//!
//! The thread must stand for its caller in all it does: functions are refused that end their thread, use objects of
//! the thread, run without interruption, or use the thread's handle for more than locks which are free at every call
//! and return (see [`identity`](super::identity)).

use super::callees::Callees;
use super::calls;
use super::error::Refusal;
use super::{Plan, build_as, identity, sharing};
use relyant_cfa::diagnostic::Span;
use relyant_cfa::options::Options;
use relyant_cfa::points_to::PointsTo;
use relyant_cfa::strong::components;
use relyant_cfa::walk;
use relyant_cfa::{
    Callee, CmpOp, Edge, Expr, FuncId, Function, InputSource, IntKind, Loc, Module, ObjId, Object, Op,
    Program, Reg, Register,
};
use std::collections::{BTreeMap, BTreeSet};

/// Builds a program in which recursive calls are over-approximated; the refusal is that of the exact one.
pub(super) fn build(module: &Module, options: &Options, first: Refusal) -> Result<Program, Refusal> {
    if options.max_threads.is_some() {
        return Err(first);
    }
    let callees = Callees { module, points_to: PointsTo::of_module(module), taken: sharing::taken(module) };
    let graph = CallGraph::new(&callees);
    let mut cut: BTreeSet<FuncId> = BTreeSet::new();
    let mut refusal = first.clone();
    loop {
        let Refusal::Recursion { function, .. } = &refusal else { return Err(first) };
        let named = |f: &FuncId| module.functions[f.0 as usize].name == *function && !cut.contains(f);
        let Some(f) = graph.recursive.iter().find(|f| named(f)).copied() else { return Err(first) };
        cut.insert(f);
        if !graph.may_cut(&callees, f) {
            return Err(first);
        }
        let mut threads = Threads::new(module, &cut);
        threads.rewrite(&callees, &graph);
        let plan = Plan { optimise: true, many: threads.routines.clone(), choose: false };
        match build_as(&threads.module, options, &plan) {
            Ok(mut program) if identity::is_kept(&program, &threads.routines) => {
                program.approximate = true;
                program.losses = threads.losses;
                return Ok(program);
            }
            Ok(_) => return Err(first),
            Err(r) => refusal = r,
        }
    }
}

/// Which functions may call which, through pointers too.
struct CallGraph {
    calls: Vec<Vec<usize>>,
    /// Component of each function.
    component: Vec<usize>,
    recursive: BTreeSet<FuncId>,
    /// Functions that may run inside an atomic section.
    atomic: Vec<bool>,
}

impl CallGraph {
    fn new(callees: &Callees<'_>) -> CallGraph {
        let module = callees.module;
        let calls = calls::graph(callees);
        let mut component = vec![0; calls.len()];
        for (k, c) in components(&calls).into_iter().enumerate() {
            c.into_iter().for_each(|f| component[f] = k);
        }
        let mut graph = CallGraph {
            recursive: calls::recursive(callees),
            component,
            atomic: vec![false; calls.len()],
            calls,
        };
        let mut inside = Vec::new();
        for (k, f) in module.functions.iter().enumerate() {
            if f.atomic {
                inside.push(k);
            }
            for e in f.graph.edges.iter().filter(|e| f.graph.locations[e.from.0 as usize].atomic) {
                inside.extend(calls::meant(callees, FuncId(k as u32), &e.op).iter().map(|g| g.0 as usize));
            }
        }
        graph.atomic = graph.reached(inside);
        graph
    }

    /// The functions that may run when one of these does.
    fn reached(&self, mut work: Vec<usize>) -> Vec<bool> {
        let mut seen = vec![false; self.calls.len()];
        while let Some(f) = work.pop() {
            if !std::mem::replace(&mut seen[f], true) {
                work.extend(self.calls[f].iter().copied());
            }
        }
        seen
    }

    /// Does a call from one function to another close a cycle?
    fn recurs(&self, from: FuncId, to: FuncId) -> bool {
        self.component[from.0 as usize] == self.component[to.0 as usize]
    }

    /// May the function run in a thread of its own instead of its caller's?
    fn may_cut(&self, callees: &Callees<'_>, f: FuncId) -> bool {
        let module = callees.module;
        let all = self.reached(vec![f.0 as usize]);
        let mut fit = true;
        for (_, g) in module.functions.iter().enumerate().filter(|(k, _)| all[*k]) {
            for e in &g.graph.edges {
                fit &= !matches!(e.op, Op::ThreadExit(_));
                for x in walk::reads(&e.op) {
                    walk::visit(x, &mut |x| {
                        fit &= !matches!(x, Expr::Addr(o) if module.objects[o.0 as usize].thread_local);
                    });
                }
            }
        }
        let around = (0..self.calls.len()).filter(|g| self.recurs(FuncId(*g as u32), f));
        fit && around.into_iter().all(|g| !self.atomic[g])
    }
}

/// How calls of one function are asked for and answered.
struct Protocol {
    routine: FuncId,
    call: ObjId,
    site: ObjId,
    arguments: Vec<ObjId>,
    returned: ObjId,
    result: Option<ObjId>,
    sites: u32,
}

/// The module under construction.
struct Threads {
    module: Module,
    protocols: BTreeMap<FuncId, Protocol>,
    routines: BTreeSet<FuncId>,
    losses: Vec<String>,
}

impl Threads {
    fn new(module: &Module, cut: &BTreeSet<FuncId>) -> Threads {
        let mut t = Threads {
            module: module.clone(),
            protocols: BTreeMap::new(),
            routines: BTreeSet::new(),
            losses: Vec::new(),
        };
        for (k, f) in cut.iter().enumerate() {
            let function = &module.functions[f.0 as usize];
            let routine = FuncId((module.functions.len() + k) as u32);
            let name = &function.name;
            let arguments = function
                .params
                .iter()
                .enumerate()
                .map(|(i, p)| {
                    let r = &function.registers[p.0 as usize];
                    let what = if r.name.is_empty() { (i + 1).to_string() } else { r.name.clone() };
                    t.object(format!("argument({name}, {what})"), r.kind)
                })
                .collect();
            let protocol = Protocol {
                routine,
                call: t.object(format!("call({name})"), IntKind::INT),
                site: t.object(format!("site({name})"), IntKind::INT),
                arguments,
                returned: t.object(format!("returned({name})"), IntKind::INT),
                result: function.result.map(|k| t.object(format!("result({name})"), k)),
                sites: 0,
            };
            t.protocols.insert(*f, protocol);
            t.routines.insert(routine);
        }
        t
    }

    fn object(&mut self, name: String, kind: IntKind) -> ObjId {
        self.module.objects.push(Object::synthetic(name, kind, Some(0), Span::default()));
        ObjId(self.module.objects.len() as u32 - 1)
    }

    /// Rewrites the recursive calls, and makes the routines.
    fn rewrite(&mut self, callees: &Callees<'_>, graph: &CallGraph) {
        let module = callees.module;
        for (k, f) in module.functions.iter().enumerate() {
            let id = FuncId(k as u32);
            if self.protocols.keys().any(|g| graph.recurs(id, *g)) {
                self.module.functions[k] = self.function(callees, graph, id, f.clone(), false);
            }
        }
        let cut: Vec<FuncId> = self.protocols.keys().copied().collect();
        let mut routines = Vec::new();
        for f in &cut {
            let original = module.functions[f.0 as usize].clone();
            routines.push(self.function(callees, graph, *f, original, true));
        }
        for (f, routine) in cut.iter().zip(routines) {
            let routine = self.routine(&self.protocols[f], routine);
            self.module.functions.push(routine);
        }
        self.losses.sort();
        self.losses.dedup();
    }

    /// A function with its recursive calls rewritten, to be inlined or to be made a routine.
    fn function(
        &mut self,
        callees: &Callees<'_>,
        graph: &CallGraph,
        id: FuncId,
        mut f: Function,
        is_routine: bool,
    ) -> Function {
        let original = &callees.module.functions[id.0 as usize];
        for i in 0..f.graph.edges.len() {
            let e = f.graph.edges[i].clone();
            let Op::Call { dst, callee, args } = &e.op else { continue };
            let meant = calls::meant(callees, id, &e.op);
            let rewritten = |g: &FuncId| self.protocols.contains_key(g) && graph.recurs(id, *g);
            if !meant.iter().any(rewritten) {
                continue;
            }
            f.graph.edges[i].op = Op::Skip;
            f.graph.edges[i].to = f.graph.add_location(e.span);
            let start = f.graph.edges[i].to;
            for g in meant {
                let mut from = start;
                if let Callee::Pointer(p) = callee {
                    from = f.graph.add_location(e.span);
                    let test = compare(p.clone(), Expr::Func(g));
                    f.graph.add_edge(start, from, Op::Assume(test), e.span);
                }
                let loops = g == id && calls::is_tail(original, &e);
                if loops && is_routine {
                    jump(&mut f, from, args, e.span);
                    continue;
                }
                if !self.protocols.contains_key(&g) || !graph.recurs(id, g) || loops {
                    let op = Op::Call { dst: *dst, callee: Callee::Known(g), args: args.clone() };
                    f.graph.add_edge(from, e.to, op, e.span);
                    continue;
                }
                let name = &callees.module.functions[g.0 as usize].name;
                self.losses.push(format!(
                    "calls of `{name}` in line {} are over-approximated: each runs in a thread of its own, and any \
                     that was made there may be the one that returns",
                    e.span.line
                ));
                let target = &callees.module.functions[g.0 as usize];
                let Some(p) = self.protocols.get_mut(&g) else { continue };
                p.sites += 1;
                request(&mut f, p, target, Request { from, to: e.to, dst: *dst, args, span: e.span });
            }
        }
        f
    }

    /// The start routine that answers calls.
    fn routine(&self, p: &Protocol, mut f: Function) -> Function {
        let span = f.span;
        let site = temp(&mut f, IntKind::INT);
        let entry = f.graph.add_location(span);
        let mut ops = take(&mut f, p.call, 1, 0);
        for (param, o) in f.params.iter().zip(&p.arguments) {
            ops.push(Op::Load(*param, Expr::Addr(*o), f.registers[param.0 as usize].kind));
        }
        if p.sites > 1 {
            ops.push(Op::Load(site, Expr::Addr(p.site), IntKind::INT));
        }
        let first = f.entry;
        section(&mut f, entry, first, ops, span);
        for i in 0..f.graph.edges.len() {
            let Op::Return(v) = f.graph.edges[i].op.clone() else { continue };
            let Edge { from, to, span, .. } = f.graph.edges[i];
            // The value first; then the answer, in one step.
            let ready = f.graph.add_location(span);
            let mut value = Op::Skip;
            let mut ops = take(&mut f, p.returned, 0, 0);
            ops.truncate(2);
            if let (Some(o), Some(kind)) = (p.result, f.result) {
                let t = temp(&mut f, kind);
                value = match v {
                    Some(v) => Op::Assign(t, v),
                    None => Op::Havoc { dst: t, source: InputSource::uninitialised() },
                };
                ops.push(Op::Store(Expr::Addr(o), Expr::Reg(t), kind));
            }
            let k = if p.sites > 1 { Expr::Reg(site) } else { Expr::Const(1) };
            ops.push(Op::Store(Expr::Addr(p.returned), k, IntKind::INT));
            ops.push(Op::Return(None));
            f.graph.edges[i] = Edge { from, to: ready, op: value, span };
            section(&mut f, ready, to, ops, span);
        }
        f.entry = entry;
        f.params.clear();
        f.result = None;
        f
    }
}

fn temp(f: &mut Function, kind: IntKind) -> Reg {
    f.registers.push(Register { name: String::new(), kind });
    Reg(f.registers.len() as u32 - 1)
}

fn compare(a: Expr, b: Expr) -> Expr {
    Expr::Compare(CmpOp::Eq, Box::new(a), Box::new(b))
}

/// Waits until a cell has a value, and sets it.
fn take(f: &mut Function, cell: ObjId, value: i128, then: i128) -> Vec<Op> {
    let r = temp(f, IntKind::INT);
    vec![
        Op::Load(r, Expr::Addr(cell), IntKind::INT),
        Op::Assume(compare(Expr::Reg(r), Expr::Const(value))),
        Op::Store(Expr::Addr(cell), Expr::Const(then), IntKind::INT),
    ]
}

/// Operations that are done without interruption.
fn section(f: &mut Function, mut from: Loc, to: Loc, ops: Vec<Op>, span: Span) {
    let n = ops.len();
    for (k, op) in ops.into_iter().enumerate() {
        let next = if k + 1 == n {
            to
        } else {
            let l = f.graph.add_location(span);
            f.graph.locations[l.0 as usize].atomic = true;
            l
        };
        f.graph.add_edge(from, next, op, span);
        from = next;
    }
}

/// A call of a routine's function by itself as its last act.
fn jump(f: &mut Function, mut from: Loc, args: &[Expr], span: Span) {
    let mut step = |f: &mut Function, op: Op| {
        let next = f.graph.add_location(span);
        f.graph.add_edge(from, next, op, span);
        from = next;
    };
    let mut values = Vec::new();
    for (i, p) in f.params.clone().into_iter().enumerate() {
        let dst = temp(f, f.registers[p.0 as usize].kind);
        step(
            f,
            match args.get(i) {
                Some(a) => Op::Assign(dst, a.clone()),
                None => Op::Havoc { dst, source: InputSource::uninitialised() },
            },
        );
        values.push((p, dst));
    }
    for (p, t) in values {
        step(f, Op::Assign(p, Expr::Reg(t)));
    }
    let entry = f.entry;
    f.graph.add_edge(from, entry, Op::Skip, span);
}

/// The call that a request stands for.
struct Request<'e> {
    /// Where the caller is before it.
    from: Loc,
    /// Where it goes on.
    to: Loc,
    /// Where the result goes.
    dst: Option<Reg>,
    /// Values of parameters, the first ones; others may have any.
    args: &'e [Expr],
    /// Where the call is in the source.
    span: Span,
}

/// A call by a thread: arguments are stored, a thread is made that runs the target, and the caller waits for one that returns.
fn request(f: &mut Function, p: &Protocol, target: &Function, call: Request) {
    let Request { mut from, to, dst, args, span } = call;
    let mut values = Vec::new();
    for (i, param) in target.params.iter().enumerate() {
        let kind = target.registers[param.0 as usize].kind;
        let value = match args.get(i) {
            Some(a) => a.clone(),
            None => {
                let dst = temp(f, kind);
                let next = f.graph.add_location(span);
                f.graph.add_edge(from, next, Op::Havoc { dst, source: InputSource::uninitialised() }, span);
                from = next;
                Expr::Reg(dst)
            }
        };
        values.push((value, kind));
    }
    let mut ops = take(f, p.call, 0, 1);
    for (o, (value, kind)) in p.arguments.iter().zip(values) {
        ops.push(Op::Store(Expr::Addr(*o), value, kind));
    }
    let site = i128::from(p.sites);
    ops.push(Op::Store(Expr::Addr(p.site), Expr::Const(site), IntKind::INT));
    let handle = temp(f, IntKind::Ideal);
    ops.push(Op::Create { handle, routine: Callee::Known(p.routine), arg: None, template: None });
    let waiting = f.graph.add_location(span);
    section(f, from, waiting, ops, span);
    let mut ops = take(f, p.returned, site, 0);
    match (dst, p.result, target.result) {
        (Some(dst), Some(o), Some(kind)) => {
            let t = temp(f, kind);
            ops.push(Op::Load(t, Expr::Addr(o), kind));
            let to = f.registers[dst.0 as usize].kind;
            let value = if to == kind { Expr::Reg(t) } else { Expr::Cast(Box::new(Expr::Reg(t)), to) };
            ops.push(Op::Assign(dst, value));
        }
        (Some(dst), _, _) => ops.push(Op::Havoc { dst, source: InputSource::uninitialised() }),
        (None, _, _) => {}
    }
    section(f, waiting, to, ops, span);
}
