//! Memory functions on `void *` whose pointers tell no type: a call is one of a function of its own, which is written
//! when all functions are known, from the objects that may be there.
//!
//! Functions that call one on their own arguments are copied for each call (`wrappers`), so that mostly there is one
//! object, and one size.

use super::library::MemoryCall;
use super::lower::{Lower, Res};
use super::parts::Part;
use super::settle::called;
use super::sizes::{Sizes, Values};
use super::translation::Translation;
use super::types::{Ty, Types};
use super::value::{Value, binary, cast, compare, offset};
use crate::races::{Access, AccessTarget};
use lang_c::span::Span as Bytes;
use relyant_cfa::diagnostic::Span;
use relyant_cfa::points_to::{PointsTo, Targets};
use relyant_cfa::{
    BinOp, Callee, CmpOp, Expr, FuncId, Function, Graph, IntKind, Loc, LocationKind, Module, Op, Reg,
    Register,
};

/// A call of a memory function.
#[derive(Clone, Debug)]
pub struct Untyped {
    /// Its function. It takes the pointers, or a pointer and a byte, and the size.
    pub function: FuncId,
    /// What it does with the memory.
    pub what: MemoryCall,
    /// Where the call is in the source.
    pub span: Span,
}

const TO: Reg = Reg(0);
const FROM: Reg = Reg(1);
const SIZE: Reg = Reg(2);
const HELP: &str = "cast it to a pointer to the objects there, or use the members one by one";
/// Most cells that one call touches one by one.
const MOST: usize = 4096;

impl Lower<'_> {
    /// Calls a memory function whose pointers tell no type.
    pub fn untyped_call(
        &mut self,
        what: MemoryCall,
        to: &Value,
        from: &Value,
        size: &Value,
        at: Bytes,
    ) -> Res<()> {
        if what == MemoryCall::Compare {
            return self.refuse(at, "comparing memory through untyped pointers is", HELP);
        }
        let ulong = Ty::Int(self.unit.types.ulong());
        let size = self.convert(size.clone(), &ulong, at)?.expr;
        let from = match what {
            MemoryCall::Copy | MemoryCall::Move => from.expr.clone(),
            _ => {
                let byte = Ty::Int(super::types::Int { signed: false, ..super::types::CHAR });
                self.convert(from.clone(), &byte, at)?.expr
            }
        };
        let span = self.span(at);
        let function = self.unit.functions.made(empty(span));
        self.unit.memory.untyped.push(Untyped { function, what, span });
        let args = vec![to.expr.clone(), from, size];
        self.body.emit(Op::Call { dst: None, callee: Callee::Known(function), args });
        Ok(())
    }
}

/// A function of three arguments that does nothing.
fn empty(span: Span) -> Function {
    let mut graph = Graph::default();
    let (entry, end) = (graph.add_location(span), graph.add_location(span));
    graph.locations[end.0 as usize].kind = LocationKind::End;
    graph.add_edge(entry, end, Op::Return(None), span);
    let registers = (0..3).map(|_| Register { name: String::new(), kind: IntKind::Ideal }).collect();
    Function {
        name: "memory function".into(),
        params: vec![TO, FROM, SIZE],
        result: None,
        registers,
        locals: Vec::new(),
        entry,
        graph,
        atomic: false,
        span,
    }
}

/// Writes the functions. Gives the accesses of each.
pub fn write(module: &mut Module, unit: &Translation) -> Res<Vec<(FuncId, Vec<Access>)>> {
    let (types, source, variables) = (&unit.types, unit.source, &unit.objects.types);
    let conversions = &unit.memory.conversions;
    let used = called(module);
    let calls: Vec<&Untyped> = unit.memory.untyped.iter().filter(|c| used.contains(&c.function)).collect();
    if calls.is_empty() {
        return Ok(Vec::new());
    }
    let sizes = Sizes::new(module);
    let points_to = PointsTo::of_module(module);
    let mut all = Vec::new();
    for c in &calls {
        let f = c.function.0;
        let refuse = |why: &str| {
            let message = format!("a memory function on an untyped pointer is not supported: {why}");
            Err(source.diagnostic(c.span, message, HELP))
        };
        let two = matches!(c.what, MemoryCall::Copy | MemoryCall::Move);
        let size = sizes.eval(f as usize, &Expr::Reg(SIZE));
        let mut found: Option<Reach> = None;
        for pointer in [TO, FROM].into_iter().take(if two { 2 } else { 1 }) {
            let Targets::Objects(targets) = points_to.targets(f, &Expr::Reg(pointer)) else {
                return refuse("it may point to anything");
            };
            for (o, cell) in targets {
                let name = module.objects.get(o.0 as usize).map_or("", |o| &o.name);
                if unit.memory.rows.contains(&o) {
                    return refuse("rows of variable length are there");
                }
                let Some(parts) = variables.get(&o).and_then(|t| types.layout(t).ok()) else {
                    return refuse(&format!("the type of `{name}` is not known"));
                };
                let reach = match reach(types, &variables[&o], &parts, cell, &size) {
                    Ok(reach) => reach,
                    Err(why) => return refuse(&format!("{why}, in `{name}`")),
                };
                match &found {
                    Some(other) if !other.is_like(&reach) => {
                        return refuse("objects of different types may be there");
                    }
                    _ => found = Some(reach),
                }
            }
        }
        // Where there is no object, the call is undefined, and does nothing here.
        let Some(reach) = found else { continue };
        let overlapping = c.what == MemoryCall::Move && matches!(reach, Reach::Elements(..)) && {
            let of = |r: Reg| points_to.held(f, &Expr::Reg(r));
            !of(TO).is_disjoint(&of(FROM))
        };
        if overlapping {
            return refuse("of a size that is not constant, in one object");
        }
        let mut code = Code::new(c.span);
        if two {
            code.copy(&reach);
        } else {
            code.fill(&reach);
        }
        all.push((c.function, code));
    }
    let held =
        |p: &PointsTo| -> Vec<_> { conversions.iter().map(|(f, c)| p.targets(f.0, &c.value)).collect() };
    let reached = |p: &PointsTo| -> Vec<_> {
        calls.iter().flat_map(|c| [TO, FROM].map(|r| p.targets(c.function.0, &Expr::Reg(r)))).collect()
    };
    let before = (held(&points_to), reached(&points_to));
    let mut accesses = Vec::new();
    for (f, code) in all {
        let function = &mut module.functions[f.0 as usize];
        (function.graph, function.registers, function.entry) = (code.graph, code.registers, code.entry);
        accesses.push((f, code.accesses));
    }
    // What pointers are copied may lead to more: types were told without them.
    let points_to = PointsTo::of_module(module);
    if before != (held(&points_to), reached(&points_to)) {
        let message = "memory functions on untyped pointers that copy pointers are not supported here";
        return Err(source.diagnostic(calls[0].span, message, HELP));
    }
    Ok(accesses)
}

/// What a call goes over.
enum Reach {
    /// These cells, from the pointer on.
    Cells(Vec<Part>),
    /// Objects of so many bytes and these cells.
    Elements(u64, Vec<Part>),
}

impl Reach {
    fn is_like(&self, other: &Reach) -> bool {
        let alike = |a: &[Part], b: &[Part]| a.len() == b.len() && a.iter().zip(b).all(|(p, q)| p.is_like(q));
        match (self, other) {
            (Reach::Cells(a), Reach::Cells(b)) => alike(a, b),
            (Reach::Elements(m, a), Reach::Elements(n, b)) => m == n && alike(a, b),
            _ => false,
        }
    }
}

/// What is reached from a cell of an object on, or why that cannot be told.
fn reach(
    types: &Types,
    ty: &Ty,
    parts: &[Part],
    cell: Option<usize>,
    size: &Values,
) -> Result<Reach, &'static str> {
    if parts.iter().any(|p| p.width == 0) {
        return Err("a union seen in several ways is part");
    }
    let mut element = ty.plain();
    while let Ty::Array(t, _) = element {
        element = t.plain();
    }
    let one = types.layout(element).map_err(|_| "its type is not known")?;
    let bytes = types.size(element).map_err(|_| "its size is not known")?.0.max(1);
    let constant = match size {
        Values::Some(set) if set.len() == 1 => set.first().copied(),
        _ => None,
    };
    match (constant, cell) {
        (Some(n), Some(k)) => {
            let n = u64::try_from(n).map_err(|_| "the size is no size")?;
            let Some(rest) = parts.get(k..) else { return Err("of what lies outside") };
            let Some(first) = rest.first() else { return Err("of what lies outside") };
            let (start, mut cells) = (first.bit, Vec::new());
            let all = types.size(ty).map_err(|_| "its size is not known")?.0;
            if start.saturating_add(n.saturating_mul(8)) > all.saturating_mul(8) {
                return Err("of what lies behind the end");
            }
            for p in rest.iter().take_while(|p| p.bit < start.saturating_add(n.saturating_mul(8))) {
                let moved = Part { bit: p.bit - start, ..p.clone() };
                if moved.bit + moved.width > n * 8 || (p.joint && !covered(parts, p, start, n)) {
                    return Err("of a part of a scalar");
                }
                cells.push(moved);
            }
            if cells.len() > MOST { Err("of more than 4096 scalars") } else { Ok(Reach::Cells(cells)) }
        }
        // Elements one after the other, from the start of one.
        (_, cell) if one.len() == 1 || cell.is_some_and(|k| !one.is_empty() && k % one.len() == 0) => {
            Ok(Reach::Elements(bytes, one))
        }
        _ => Err("of a part that is not told"),
    }
}

/// Are all bytes of a bit-field among those from a bit on?
fn covered(parts: &[Part], p: &Part, start: u64, bytes: u64) -> bool {
    let end = start + bytes * 8;
    parts.iter().all(|q| {
        let meets = q.bit / 8 <= (p.bit + p.width - 1) / 8 && p.bit / 8 <= (q.bit + q.width.max(1) - 1) / 8;
        !meets || (start <= q.bit && q.bit + q.width <= end)
    })
}

/// The function's automaton while it grows.
struct Code {
    graph: Graph,
    registers: Vec<Register>,
    accesses: Vec<Access>,
    entry: Loc,
    at: Loc,
    end: Loc,
    span: Span,
}

impl Code {
    fn new(span: Span) -> Code {
        let f = empty(span);
        let mut graph = Graph::default();
        let (entry, end) = (graph.add_location(span), graph.add_location(span));
        graph.locations[end.0 as usize].kind = LocationKind::End;
        Code { graph, registers: f.registers, accesses: Vec::new(), entry, at: entry, end, span }
    }
    fn step(&mut self, op: Op) {
        let to = self.graph.add_location(self.span);
        self.edge(to, op);
        self.at = to;
    }
    fn edge(&mut self, to: Loc, op: Op) {
        self.graph.add_edge(self.at, to, op, self.span);
    }
    fn temp(&mut self, kind: IntKind) -> Reg {
        self.registers.push(Register { name: String::new(), kind });
        Reg(self.registers.len() as u32 - 1)
    }
    fn access(&mut self, write: bool, p: &Part) {
        let (from, in_unit) = (self.at, p.in_unit);
        self.accesses.push(Access {
            from,
            write,
            atomic: false,
            relaxed: false,
            fails_relaxed: false,
            drains: false,
            in_unit,
            to: AccessTarget::Cell,
        });
    }
    fn load(&mut self, address: Expr, p: &Part) -> Reg {
        let r = self.temp(p.kind);
        self.access(false, p);
        self.step(Op::Load(r, address, p.kind));
        r
    }
    fn store(&mut self, address: Expr, value: Expr, p: &Part) {
        self.access(true, p);
        self.step(Op::Store(address, value, p.kind));
    }

    /// Does something to each object, or once; then returns. Gives the distance from the pointers.
    fn each(&mut self, reach: &Reach, act: &mut dyn FnMut(&mut Code, &[Part], Expr)) {
        match reach {
            Reach::Cells(parts) => {
                act(self, parts, Expr::Const(0));
                self.edge(self.end, Op::Return(None));
            }
            Reach::Elements(bytes, parts) => {
                let constant = |n: u64| Expr::Const(i128::from(n));
                let ideal = |op, a, b| binary(op, a, b, IntKind::Ideal);
                let rest = ideal(BinOp::Rem, Expr::Reg(SIZE), constant(*bytes));
                let limit = self.graph.add_location(self.span);
                self.graph.locations[limit.0 as usize].kind =
                    LocationKind::Limit("a memory function goes on a part of an object".into());
                if *bytes > 1 {
                    self.edge(limit, Op::Assume(compare(CmpOp::Ne, rest.clone(), Expr::Const(0))));
                    self.step(Op::Assume(compare(CmpOp::Eq, rest, Expr::Const(0))));
                }
                let (n, i) = (self.temp(IntKind::Ideal), self.temp(IntKind::Ideal));
                self.step(Op::Assign(n, ideal(BinOp::Div, Expr::Reg(SIZE), constant(*bytes))));
                self.step(Op::Assign(i, Expr::Const(0)));
                let (head, out) = (self.at, self.graph.add_location(self.span));
                self.edge(out, Op::Assume(compare(CmpOp::Ge, Expr::Reg(i), Expr::Reg(n))));
                self.graph.add_edge(out, self.end, Op::Return(None), self.span);
                self.step(Op::Assume(compare(CmpOp::Lt, Expr::Reg(i), Expr::Reg(n))));
                act(self, parts, ideal(BinOp::Mul, Expr::Reg(i), constant(parts.len() as u64)));
                self.edge(head, Op::Assign(i, ideal(BinOp::Add, Expr::Reg(i), Expr::Const(1))));
            }
        }
    }

    fn copy(&mut self, reach: &Reach) {
        self.each(reach, &mut |code, parts, distance| {
            let at = |r: Reg, k: usize| {
                offset(binary(BinOp::Add, Expr::Reg(r), distance.clone(), IntKind::Ideal), k as u64)
            };
            let values: Vec<Reg> = parts.iter().enumerate().map(|(k, p)| code.load(at(FROM, k), p)).collect();
            for (k, v) in values.into_iter().enumerate() {
                code.store(at(TO, k), Expr::Reg(v), &parts[k]);
            }
        });
    }

    fn fill(&mut self, reach: &Reach) {
        let (Reach::Cells(parts) | Reach::Elements(_, parts)) = reach;
        // A byte other than 0 is known to fit whole integers only.
        let whole = |p: &Part| !p.joint && matches!(p.kind, IntKind::Machine { bits, .. } if bits <= 64);
        let any = parts.iter().all(whole);
        if !any {
            let limit = self.graph.add_location(self.span);
            self.graph.locations[limit.0 as usize].kind = LocationKind::Limit(
                "pointers, bit-fields or locks are filled with bytes other than 0".into(),
            );
            self.edge(limit, Op::Assume(compare(CmpOp::Ne, Expr::Reg(FROM), Expr::Const(0))));
            self.step(Op::Assume(compare(CmpOp::Eq, Expr::Reg(FROM), Expr::Const(0))));
        }
        self.each(reach, &mut |code, parts, distance| {
            for (k, p) in parts.iter().enumerate() {
                let wide = IntKind::Machine { bits: 64, signed: false };
                let ones = if p.width == 8 { 1 } else { 0x0101_0101_0101_0101 };
                let all = binary(BinOp::Mul, Expr::Reg(FROM), Expr::Const(ones), wide);
                let value = if any { cast(all, wide, p.kind) } else { Expr::Const(0) };
                let base = binary(BinOp::Add, Expr::Reg(TO), distance.clone(), IntKind::Ideal);
                code.store(offset(base, k as u64), value, p);
            }
        });
    }
}
