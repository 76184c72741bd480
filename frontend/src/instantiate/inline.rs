//! Inlines calls: one automaton per start routine, with a copy of each function for every call of it.
//!
//! A call in an atomic function, or from an atomic location, is atomic from the call edge to the return. A function
//! that ends by calling itself becomes a loop; other recursion is unfolded as long as constants do not end it.

use super::error::Refusal;
use super::memory::Memory;
use relyant_cfa::diagnostic::Span;
use relyant_cfa::walk;
use relyant_cfa::{
    Callee, Edge, Expr, FuncId, Function, Graph, Inlined, InputSource, IntKind, Loc, Module, ObjId, Op,
    Order, Reg, Register,
};
use std::collections::{BTreeMap, BTreeSet};

/// No more edges than this in one automaton.
pub(super) const EDGE_LIMIT: usize = 200_000;

/// The same while recursion is unfolded.
const RECURSION_LIMIT: usize = 20_000;

/// An automaton under construction.
pub(super) struct Body {
    pub(super) template: u32,
    pub(super) registers: Vec<Register>,
    pub(super) entry: Loc,
    pub(super) graph: Graph,
    /// The start routine's parameters.
    pub(super) params: Vec<Reg>,
    frames: Vec<Frame>,
    /// Where each location comes from: the activation, and the function's location (none for those made here).
    origin: Vec<(u32, Option<Loc>)>,
}

/// One activation of a function.
struct Frame {
    function: FuncId,
    parent: Option<u32>,
    /// Where it is called.
    called: Span,
    entry: Loc,
    params: Vec<Reg>,
    /// Registers of an activation are numbered in a row, from this.
    first_register: u32,
}

/// What the end of the start routine means.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum End {
    /// The program ends: it is that of `main`.
    Program,
    /// Only the thread ends, with the value returned.
    Thread,
}

/// Where a returning call goes on, and what takes its result.
enum Return {
    Root(End),
    To {
        dst: Option<Reg>,
        cont: Loc,
    },
    /// To the edge that called: the function is not inlined.
    Caller,
}

/// Which calls are inlined.
pub(super) struct Inlining<'a> {
    /// No more activations of one function are inlined into each other.
    pub(super) depth: usize,
    /// Functions whose calls stay.
    pub(super) keep: &'a BTreeSet<FuncId>,
}

impl Body {
    fn new(template: u32) -> Body {
        Body {
            template,
            registers: Vec::new(),
            entry: Loc(0),
            graph: Graph::default(),
            params: Vec::new(),
            frames: Vec::new(),
            origin: Vec::new(),
        }
    }

    /// The automaton of a function that is called, atomic as a whole or as it is itself.
    pub(super) fn procedure(
        module: &Module,
        memory: &mut Memory,
        template: u32,
        f: FuncId,
        atomic: bool,
    ) -> Body {
        let mut body = Body::new(template);
        body.entry = body.activate(module, memory, f, None, atomic, Return::Caller);
        body.params = body.frames[0].params.clone();
        body
    }

    /// The automaton of a start routine, calls not inlined yet.
    pub(super) fn start(module: &Module, memory: &mut Memory, template: u32, f: FuncId, end: End) -> Body {
        let mut body = Body::new(template);
        let function = &module.functions[f.0 as usize];
        // A location of its own, so that a thread that has not begun is in no atomic section.
        let entry = body.location(0, None, function.span, false);
        let inner = body.activate(module, memory, f, None, function.atomic, Return::Root(end));
        body.graph.add_edge(entry, inner, Op::Skip, function.span);
        body.entry = entry;
        body.params = body.frames[0].params.clone();
        body
    }

    /// The calls that were inlined.
    pub(super) fn inlined(&self, module: &Module) -> Vec<Inlined> {
        let name = |f: FuncId| module.functions[f.0 as usize].name.clone();
        let of =
            |f: &Frame| Inlined { function: name(f.function), caller: (f.parent.unwrap_or(0), f.called) };
        self.frames.iter().map(of).collect()
    }

    /// The function whose copy a location is in, and the register that its first one became.
    pub(super) fn activation(&self, l: Loc) -> (FuncId, u32) {
        let f = &self.frames[self.origin[l.0 as usize].0 as usize];
        (f.function, f.first_register)
    }

    /// Which location of this body each location of a new graph was; the new graph replaces the old.
    pub(super) fn replace_graph(&mut self, graph: Graph, entry: Loc, was: &[Loc]) {
        self.origin = was.iter().map(|l| self.origin[l.0 as usize]).collect();
        self.graph = graph;
        self.entry = entry;
        // Frames name their entries for tail calls, which are all expanded before a graph is replaced or else
        // are refused: an entry that has been copied is no single location.
        for f in &mut self.frames {
            f.entry = Loc(u32::MAX);
        }
    }

    fn location(&mut self, frame: u32, from: Option<Loc>, span: Span, atomic: bool) -> Loc {
        let l = self.graph.add_location(span);
        self.graph.locations[l.0 as usize].atomic = atomic;
        self.graph.locations[l.0 as usize].inlined = frame;
        self.origin.push((frame, from));
        l
    }

    fn register(&mut self, r: Register) -> Reg {
        self.registers.push(r);
        Reg(self.registers.len() as u32 - 1)
    }

    /// Copies a function into the graph; gives the copy of its entry.
    fn activate(
        &mut self,
        module: &Module,
        memory: &mut Memory,
        f: FuncId,
        parent: Option<(u32, Span)>,
        atomic: bool,
        ret: Return,
    ) -> Loc {
        let function = &module.functions[f.0 as usize];
        let frame = self.frames.len() as u32;
        let base = self.registers.len() as u32;
        let reg = |r: Reg| Reg(base + r.0);
        self.registers.extend(function.registers.iter().cloned());
        let locals: BTreeMap<ObjId, ObjId> =
            function.locals.iter().map(|o| (*o, memory.local(*o, self.template))).collect();
        let first = self.graph.locations.len() as u32;
        let loc = |l: Loc| Loc(first + l.0);
        for (i, l) in function.graph.locations.iter().enumerate() {
            let mut l = l.clone();
            l.atomic |= atomic;
            l.inlined = frame;
            if atomic && l.order == Order::Buffered {
                l.order = Order::Drained;
            }
            self.graph.locations.push(l);
            self.origin.push((frame, Some(Loc(i as u32))));
        }
        self.frames.push(Frame {
            function: f,
            parent: parent.map(|p| p.0),
            called: parent.map_or(Span::default(), |p| p.1),
            entry: loc(function.entry),
            params: function.params.iter().map(|p| reg(*p)).collect(),
            first_register: base,
        });
        // What gives blocks back is one function for all calls: each has its own place.
        let here = parent.map(|p| p.1).filter(|_| module.free == Some(f));
        if let Some(here) = here {
            let copied = self.graph.locations.len() - function.graph.locations.len()..;
            self.graph.locations[copied].iter_mut().for_each(|l| l.span = here);
        }
        let template = self.template;
        let mut leaf = |e: &Expr| match e {
            Expr::Reg(r) => Expr::Reg(reg(*r)),
            Expr::Addr(o) if locals.contains_key(o) => Expr::Addr(locals[o]),
            Expr::Addr(o) if module.objects[o.0 as usize].thread_local => {
                Expr::Addr(memory.thread_local(*o, template))
            }
            other => other.clone(),
        };
        for e in &function.graph.edges {
            let op = walk::map_op(&e.op, &mut |x| walk::map_leaves(x, &mut leaf), &reg);
            let (op, to) = match (op, &ret) {
                (Op::Return(_), Return::Root(End::Program)) => (Op::Halt, loc(e.to)),
                (Op::Return(v), Return::Root(End::Thread)) => {
                    (Op::ThreadExit(v.unwrap_or(Expr::Const(0))), loc(e.to))
                }
                (Op::Return(v), Return::To { dst, cont }) => {
                    (return_op(&self.registers, function.result, *dst, v), *cont)
                }
                (Op::Return(None), Return::Caller) if function.result.is_some() => {
                    // Without a value, a result that is used is any value.
                    let kind = function.result.unwrap_or(IntKind::Ideal);
                    let any = self.register(Register { name: String::new(), kind });
                    let atomic = self.graph.locations[loc(e.from).0 as usize].atomic;
                    let mid = self.location(frame, None, e.span, atomic);
                    let returned = Op::Return(Some(Expr::Reg(any)));
                    self.graph.edges.push(Edge { from: mid, to: loc(e.to), op: returned, span: e.span });
                    (Op::Havoc { dst: any, source: InputSource::uninitialised() }, mid)
                }
                (op, _) => (op, loc(e.to)),
            };
            let span = here.unwrap_or(e.span);
            self.graph.edges.push(Edge { from: loc(e.from), to, op, span });
        }
        loc(function.entry)
    }

    /// Inlines the calls of known functions, until only calls through pointers are left, calls of functions that are
    /// kept, and calls of functions that already have `depth` activations. Gives one of the latter that can be
    /// reached, if there is any.
    pub(super) fn inline(
        &mut self,
        module: &Module,
        memory: &mut Memory,
        which: &Inlining<'_>,
    ) -> Result<Option<Refusal>, Refusal> {
        let depth = which.depth;
        let mut recursive = None;
        let mut i = 0;
        while i < self.graph.edges.len() {
            if let Op::Call { callee: Callee::Known(f), .. } = self.graph.edges[i].op {
                if !self.expand(module, memory, i, f, which) && recursive.is_none() {
                    let function = module.functions[f.0 as usize].name.clone();
                    recursive = Some(Refusal::Recursion { function, span: self.graph.edges[i].span });
                }
            }
            let limit = if recursive.is_some() && depth > 1 { RECURSION_LIMIT } else { EDGE_LIMIT };
            if self.graph.edges.len() > limit {
                if let Some(refusal) = recursive {
                    return Err(refusal);
                }
                let root = &module.functions[self.frames[0].function.0 as usize];
                return Err(Refusal::TooLarge {
                    function: root.name.clone(),
                    limit: EDGE_LIMIT,
                    span: root.span,
                });
            }
            i += 1;
        }
        Ok(recursive)
    }

    /// Replaces the call at an edge by the function's body, unless it is kept or the recursion is too deep; the latter
    /// gives `false`.
    fn expand(
        &mut self,
        module: &Module,
        memory: &mut Memory,
        i: usize,
        f: FuncId,
        which: &Inlining<'_>,
    ) -> bool {
        let Edge { from, to, op, span } = self.graph.edges[i].clone();
        let Op::Call { dst, args, .. } = op else { return true };
        let (caller, _) = self.origin[from.0 as usize];
        let function = &module.functions[f.0 as usize];
        let mut up = Some(caller);
        let mut active = 0;
        while let Some(k) = up {
            if self.frames[k as usize].function == f {
                if k == caller && self.is_tail_call(module, to, dst) {
                    self.loop_back(module, i, args);
                    return true;
                }
                active += 1;
            }
            up = self.frames[k as usize].parent;
        }
        if which.keep.contains(&f) {
            return true;
        }
        if active >= which.depth {
            return false;
        }
        let atomic = function.atomic || self.graph.locations[from.0 as usize].atomic;
        let ret = Return::To { dst, cont: to };
        let entry = self.activate(module, memory, f, Some((caller, span)), atomic, ret);
        let params = self.frames[self.frames.len() - 1].params.clone();
        let mut ops = Vec::new();
        for (k, p) in params.iter().enumerate() {
            ops.push(match args.get(k) {
                Some(a) => Op::Assign(*p, a.clone()),
                None => Op::Havoc { dst: *p, source: InputSource::uninitialised() },
            });
        }
        self.chain(i, ops, entry, caller, atomic, span);
        true
    }

    /// Puts a sequence of operations in the place of an edge.
    fn chain(&mut self, i: usize, mut ops: Vec<Op>, target: Loc, frame: u32, atomic: bool, span: Span) {
        if ops.is_empty() {
            ops.push(Op::Skip);
        }
        let mut from = self.graph.edges[i].from;
        let n = ops.len();
        for (k, op) in ops.into_iter().enumerate() {
            let to = if k + 1 == n { target } else { self.location(frame, None, span, atomic) };
            let edge = Edge { from, to, op, span };
            if k == 0 {
                self.graph.edges[i] = edge;
            } else {
                self.graph.edges.push(edge);
            }
            from = to;
        }
    }

    /// Does the function do nothing after this location but return what the register has?
    fn is_tail_call(&self, module: &Module, to: Loc, dst: Option<Reg>) -> bool {
        let (frame, Some(at)) = self.origin[to.0 as usize] else { return false };
        let frame = &self.frames[frame as usize];
        if frame.entry == Loc(u32::MAX) {
            return false;
        }
        let dst = match dst {
            None => None,
            Some(r) => match r.0.checked_sub(frame.first_register) {
                Some(k) => Some(Reg(k)),
                None => return false,
            },
        };
        returns_at_once(&module.functions[frame.function.0 as usize], at, dst)
    }

    /// Turns a tail call of the running function into a jump to its entry.
    fn loop_back(&mut self, module: &Module, i: usize, args: Vec<Expr>) {
        let Edge { from, span, .. } = self.graph.edges[i].clone();
        let (frame, _) = self.origin[from.0 as usize];
        let f = &self.frames[frame as usize];
        let (params, entry, atomic) = (
            f.params.clone(),
            f.entry,
            module.functions[f.function.0 as usize].atomic || self.graph.locations[from.0 as usize].atomic,
        );
        let mut first = Vec::new();
        let mut second = Vec::new();
        for (k, p) in params.iter().enumerate() {
            match args.get(k) {
                Some(a) => {
                    let t = self.register(self.registers[p.0 as usize].clone());
                    self.registers[t.0 as usize].name.clear();
                    first.push(Op::Assign(t, a.clone()));
                    second.push(Op::Assign(*p, Expr::Reg(t)));
                }
                None => second.push(Op::Havoc { dst: *p, source: InputSource::uninitialised() }),
            }
        }
        first.extend(second);
        self.chain(i, first, entry, frame, atomic, span);
    }

    /// Gives the calls that stay as many arguments as there are parameters, and a result only where there is one;
    /// what C leaves open is any value. They name the copy of the function that is called.
    pub(super) fn settle_calls(&mut self, module: &Module) {
        for i in 0..self.graph.edges.len() {
            let Edge { from, to, op, span } = self.graph.edges[i].clone();
            let Op::Call { mut dst, callee: Callee::Known(f), mut args } = op else { continue };
            let function = &module.functions[f.0 as usize];
            let (frame, _) = self.origin[from.0 as usize];
            let atomic = self.graph.locations[from.0 as usize].atomic;
            args.truncate(function.params.len());
            let mut before = Vec::new();
            for p in &function.params[args.len()..] {
                let kind = function.registers[p.0 as usize].kind;
                let any = self.register(Register { name: String::new(), kind });
                before.push(Op::Havoc { dst: any, source: InputSource::uninitialised() });
                args.push(Expr::Reg(any));
            }
            let after = dst.filter(|_| function.result.is_none());
            if after.is_some() {
                dst = None;
            }
            let callee = Callee::Known(super::calls::copy(module, f, function.atomic || atomic));
            before.push(Op::Call { dst, callee, args });
            if let Some(dst) = after {
                before.push(Op::Havoc { dst, source: InputSource::uninitialised() });
            }
            self.chain(i, before, to, frame, true, span);
        }
    }

    /// A call or creation through a pointer that no function fits: code that is not there would run.
    pub(super) fn without_callee(&mut self, i: usize) {
        let Edge { from, span, .. } = self.graph.edges[i];
        let (frame, _) = self.origin[from.0 as usize];
        let to = self.location(frame, None, span, false);
        let what = format!("a pointer is called that no function of the file fits (line {})", span.line);
        self.graph.locations[to.0 as usize].kind = relyant_cfa::LocationKind::Limit(what.into());
        self.graph.edges[i] = Edge { from, to, op: Op::Skip, span };
    }

    /// Replaces a call or creation through a pointer by a choice between functions: `assume(p == f)`, then it.
    pub(super) fn branch(&mut self, i: usize, candidates: &[FuncId]) {
        let edge = self.graph.edges[i].clone();
        let (Op::Call { callee: Callee::Pointer(p), .. } | Op::Create { routine: Callee::Pointer(p), .. }) =
            &edge.op
        else {
            return;
        };
        let (frame, _) = self.origin[edge.from.0 as usize];
        let atomic = self.graph.locations[edge.from.0 as usize].atomic;
        // What the pointer holds otherwise is no function that C lets it call.
        self.graph.locations[edge.from.0 as usize].assumes = true;
        for (k, f) in candidates.iter().enumerate() {
            let known = match edge.op.clone() {
                Op::Call { dst, args, .. } => Op::Call { dst, callee: Callee::Known(*f), args },
                Op::Create { handle, arg, template, .. } => {
                    Op::Create { handle, routine: Callee::Known(*f), arg, template }
                }
                other => other,
            };
            let mid = self.location(frame, None, edge.span, atomic);
            let is = Expr::Compare(relyant_cfa::CmpOp::Eq, Box::new(p.clone()), Box::new(Expr::Func(*f)));
            let test = Edge { from: edge.from, to: mid, op: Op::Assume(is), span: edge.span };
            if k == 0 {
                self.graph.edges[i] = test;
            } else {
                self.graph.edges.push(test);
            }
            self.graph.edges.push(Edge { from: mid, to: edge.to, op: known, span: edge.span });
        }
    }
}

/// Does a function do nothing after a location but return what the register has?
pub(super) fn returns_at_once(function: &Function, mut at: Loc, dst: Option<Reg>) -> bool {
    for _ in 0..function.graph.locations.len() {
        let mut out = function.graph.edges.iter().filter(|e| e.from == at);
        let (Some(e), None) = (out.next(), out.next()) else { return false };
        match &e.op {
            Op::Skip => at = e.to,
            Op::Return(None) => return true,
            Op::Return(Some(Expr::Reg(r))) => return dst == Some(*r),
            _ => return false,
        }
    }
    false
}

/// What returning a value to a call means.
fn return_op(registers: &[Register], kind: Option<IntKind>, dst: Option<Reg>, value: Option<Expr>) -> Op {
    match (dst, value) {
        (None, _) => Op::Skip,
        // Falling off the end of a function whose result is used: any value.
        (Some(d), None) => Op::Havoc { dst: d, source: InputSource::uninitialised() },
        (Some(d), Some(v)) => {
            let to = registers[d.0 as usize].kind;
            Op::Assign(d, if kind == Some(to) { v } else { Expr::Cast(Box::new(v), to) })
        }
    }
}
