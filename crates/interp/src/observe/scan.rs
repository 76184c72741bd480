//! Where the values of inputs go: classes of registers, each at a location, and of objects, between which they are
//! copied; and what each edge does with them.

use super::{Observer, Watch};
use crate::flow::fits;
use crate::late::declarations;
use crate::live::{for_each_register, live_registers, written};
use relyant_cfa::points_to::{PointsTo, Targets};
use relyant_cfa::{
    BinOp, Callee, Expr, FloatOp, FloatUnary, IntKind, Loc, ObjId, Op, Precision, Program, Reg, UnOp,
};
use std::collections::{BTreeMap, BTreeSet};

/// A use of a register, before it is known where inputs go.
enum Use<'p> {
    Compared { register: Reg, with: &'p Expr, through: Option<Precision> },
    Computed(Reg),
    Taken(Reg),
    Loaded(Reg),
}

pub(super) struct Scan<'p> {
    program: &'p Program,
    points_to: PointsTo,
    parent: Vec<usize>,
    first: Vec<usize>,
    objects: usize,
    /// Behind the objects: what threads return, what unknown pointers point to, then what procedures return.
    result: usize,
    anything: usize,
    /// By node: kinds of the inputs that begin there; and those that can't be followed.
    inputs: Vec<(usize, IntKind)>,
    lost: Vec<usize>,
    /// By template: edges that declare an object whose cells get their values late.
    late: Vec<BTreeSet<usize>>,
    /// By template and edge.
    uses: Vec<Vec<Vec<Use<'p>>>>,
}

impl<'p> Scan<'p> {
    pub(super) fn new(program: &'p Program) -> Scan<'p> {
        let mut first = Vec::new();
        let mut objects = 0;
        for t in &program.templates {
            first.push(objects);
            objects += t.registers.len() * t.graph.locations.len();
        }
        let result = objects + program.objects.len();
        let anything = result + 1;
        let uses = program.templates.iter().map(|t| t.graph.edges.iter().map(|_| Vec::new()).collect());
        let mut scan = Scan {
            program,
            points_to: PointsTo::new(program),
            parent: (0..=anything + program.templates.len()).collect(),
            first,
            objects,
            result,
            anything,
            inputs: Vec::new(),
            lost: Vec::new(),
            late: (program.templates.iter())
                .map(|t| declarations(t).iter().map(|d| d.0 as usize).collect())
                .collect(),
            uses: uses.collect(),
        };
        for (o, object) in program.objects.iter().enumerate() {
            for (k, (kind, _)) in object.cells.iter().enumerate() {
                if object.init.get(k).copied().flatten().is_none() {
                    scan.inputs.push((objects + o, *kind));
                }
            }
        }
        scan
    }

    /// A register at a location: registers are used again for other things.
    fn node(&self, t: usize, l: Loc, r: Reg) -> usize {
        self.first[t] + l.0 as usize * self.program.templates[t].registers.len() + r.0 as usize
    }
    /// A register before an edge.
    fn before(&self, t: usize, edge: usize, r: Reg) -> usize {
        self.node(t, self.program.templates[t].graph.edges[edge].from, r)
    }
    /// A register after an edge.
    fn after(&self, t: usize, edge: usize, r: Reg) -> usize {
        self.node(t, self.program.templates[t].graph.edges[edge].to, r)
    }

    /// Values that stay in their registers.
    pub(super) fn keep(&mut self, t: usize) {
        let template = &self.program.templates[t];
        let live = live_registers(template);
        for (k, e) in template.graph.edges.iter().enumerate() {
            let written = written(&e.op);
            for r in live.get(e.to.0 as usize).into_iter().flatten().map(|r| Reg(*r)) {
                if written != Some(r) {
                    self.union(self.before(t, k, r), self.after(t, k, r));
                }
            }
        }
        if !template.procedures.is_empty() {
            // What calls keep, and where, is not followed: a register is the same everywhere.
            for l in 0..template.graph.locations.len() as u32 {
                for r in (0..template.registers.len() as u32).map(Reg) {
                    self.union(self.node(t, Loc(0), r), self.node(t, Loc(l), r));
                }
            }
        }
    }

    fn kind(&self, t: usize, r: Reg) -> IntKind {
        self.program.templates[t].registers.get(r.0 as usize).map_or(IntKind::Ideal, |x| x.kind)
    }

    fn find(&self, mut i: usize) -> usize {
        while self.parent[i] != i {
            i = self.parent[i];
        }
        i
    }

    fn union(&mut self, a: usize, b: usize) {
        let (a, b) = (self.find(a), self.find(b));
        self.parent[a.max(b)] = a.min(b);
    }

    /// The register whose value an expression is, unchanged.
    fn copied(&self, t: usize, e: &Expr) -> Option<Reg> {
        match e {
            Expr::Reg(r) => Some(*r),
            Expr::Cast(a, kind) => self.copied(t, a).filter(|r| fits(self.kind(t, *r), *kind)),
            _ => None,
        }
    }

    /// The register that is compared when an expression is, and through what.
    fn compared(&self, t: usize, e: &Expr) -> Option<(Reg, Option<Precision>)> {
        match e {
            Expr::Unary(UnOp::Float(FloatUnary::FromInt(p)), a, _) => {
                let r = self.copied(t, a)?;
                // Different numbers stay different.
                let bits = match p {
                    Precision::Single => 16,
                    Precision::Double => 32,
                };
                let small = matches!(self.kind(t, r), IntKind::Machine { bits: b, .. } if b <= bits);
                (small || self.kind(t, r) == IntKind::Bool).then_some((r, Some(*p)))
            }
            _ => self.copied(t, e).map(|r| (r, None)),
        }
    }

    /// A value goes to a node whose values have a kind.
    fn value(&mut self, t: usize, edge: usize, e: &'p Expr, to: usize, kind: IntKind) {
        match self.copied(t, e) {
            Some(r) if fits(self.kind(t, r), kind) => self.union(to, self.before(t, edge, r)),
            _ => self.walk(t, edge, e),
        }
    }

    /// An expression is evaluated.
    fn walk(&mut self, t: usize, edge: usize, e: &'p Expr) {
        match e {
            Expr::Reg(r) => self.uses[t][edge].push(Use::Computed(*r)),
            Expr::Const(_) | Expr::Addr(_) | Expr::Func(_) | Expr::SelfId => {}
            Expr::Not(a) | Expr::Cast(a, IntKind::Bool) => self.truth(t, edge, a),
            Expr::Compare(_, a, b) | Expr::Binary(BinOp::Float(FloatOp::Equal, _), a, b, _) => {
                self.comparison(t, edge, a, b)
            }
            Expr::Binary(BinOp::Float(FloatOp::Less | FloatOp::LessEqual, _), a, b, _) => {
                self.comparison(t, edge, a, b)
            }
            Expr::Unary(_, a, _) | Expr::Cast(a, _) => self.walk(t, edge, a),
            Expr::Binary(_, a, b, _) => {
                self.walk(t, edge, a);
                self.walk(t, edge, b);
            }
        }
    }

    /// Is the value 0?
    fn truth(&mut self, t: usize, edge: usize, e: &'p Expr) {
        const ZERO: &Expr = &Expr::Const(0);
        match self.copied(t, e) {
            Some(register) => {
                self.uses[t][edge].push(Use::Compared { register, with: ZERO, through: None });
            }
            None => self.walk(t, edge, e),
        }
    }

    fn comparison(&mut self, t: usize, edge: usize, a: &'p Expr, b: &'p Expr) {
        // Inputs may be on one side only: finishing sees to that.
        for (e, with) in [(a, b), (b, a)] {
            match self.compared(t, e) {
                Some((register, through)) => {
                    self.uses[t][edge].push(Use::Compared { register, with, through });
                }
                None => self.walk(t, edge, e),
            }
        }
    }

    /// The nodes of the cells at an address.
    fn memory(&mut self, t: usize, edge: usize, address: &'p Expr, kind: IntKind) -> Vec<usize> {
        self.walk(t, edge, address);
        let Targets::Objects(all) = self.points_to.targets(t as u32, address) else {
            self.lost.push(self.anything);
            for o in 0..self.program.objects.len() {
                self.union(self.anything, self.objects + o);
            }
            return vec![self.anything];
        };
        let all: BTreeSet<ObjId> = all.into_iter().map(|x| x.0).collect();
        let nodes = all.into_iter().map(|o| {
            let node = self.objects + o.0 as usize;
            if self.program.objects[o.0 as usize].cells.iter().any(|c| c.0 != kind) {
                self.lost.push(node);
            }
            node
        });
        nodes.collect()
    }

    /// Notes what an edge does.
    pub(super) fn op(&mut self, t: usize, edge: usize, op: &'p Op) {
        match op {
            Op::Skip | Op::Halt | Op::Return(None) => {}
            Op::Havoc { dst, .. } => {
                self.inputs.push((self.after(t, edge, *dst), self.kind(t, *dst)));
                // An object's declaration takes none when its cells wait for theirs.
                if !self.late[t].contains(&edge) {
                    self.uses[t][edge].push(Use::Taken(*dst));
                }
            }
            Op::Assign(r, e) => self.value(t, edge, e, self.after(t, edge, *r), self.kind(t, *r)),
            Op::Load(r, address, kind) => {
                for n in self.memory(t, edge, address, *kind) {
                    self.union(n, self.after(t, edge, *r));
                }
                self.uses[t][edge].push(Use::Loaded(*r));
                if self.kind(t, *r) != *kind {
                    self.lost.push(self.after(t, edge, *r));
                }
            }
            Op::Store(address, e, kind) => {
                for n in self.memory(t, edge, address, *kind) {
                    self.value(t, edge, e, n, *kind);
                }
            }
            Op::Assume(e) => self.truth(t, edge, e),
            Op::Create { routine, arg, template, .. } => {
                if let Callee::Pointer(e) = routine {
                    self.walk(t, edge, e);
                }
                let Some(e) = arg else { return };
                let to = template.and_then(|u| {
                    let p = self.program.templates.get(u as usize)?.param?;
                    let entry = self.program.templates[u as usize].entry;
                    Some((self.node(u as usize, entry, p), self.kind(u as usize, p)))
                });
                match to {
                    Some((to, kind)) => self.value(t, edge, e, to, kind),
                    None => self.walk(t, edge, e),
                }
            }
            Op::Join { handle, result } => {
                self.walk(t, edge, handle);
                if let Some(r) = result {
                    self.union(self.result, self.after(t, edge, *r));
                }
            }
            Op::ThreadExit(e) => self.value(t, edge, e, self.result, IntKind::Ideal),
            Op::Return(Some(e)) => {
                self.value(t, edge, e, self.anything + 1 + t, IntKind::Ideal);
            }
            Op::Call { dst, callee, args } => {
                if let Callee::Pointer(e) = callee {
                    self.walk(t, edge, e);
                }
                let procedures = &self.program.templates[t].procedures;
                let called = procedures.iter().find(|p| *callee == Callee::Known(p.function));
                let params = called.map_or(&[][..], |p| &p.params);
                for (k, e) in args.iter().enumerate() {
                    match params.get(k) {
                        // Here all locations are one.
                        Some(r) => self.value(t, edge, e, self.before(t, edge, *r), self.kind(t, *r)),
                        None => self.walk(t, edge, e),
                    }
                }
                if let Some(r) = dst {
                    self.union(self.anything + 1 + t, self.after(t, edge, *r));
                }
            }
        }
    }

    /// What came of it.
    pub(super) fn finish(self) -> Observer {
        let mut ranges: BTreeMap<u32, Option<(i128, i128)>> = BTreeMap::new();
        for (node, kind) in &self.inputs {
            let own = IntKind::min(*kind).zip(IntKind::max(*kind));
            let class = ranges.entry(self.find(*node) as u32).or_insert(own);
            *class = class.zip(own).map(|((a, b), (c, d))| (a.min(c), b.max(d)));
        }
        // What threads and procedures return may be converted on the way.
        let returned = std::iter::once(self.result).chain((self.anything + 1)..self.parent.len());
        let lost: Vec<usize> = self.lost.iter().copied().chain(returned).map(|n| self.find(n)).collect();
        for n in lost {
            if let Some(range) = ranges.get_mut(&(n as u32)) {
                *range = None;
            }
        }
        let class = |n: usize| Some(self.find(n) as u32).filter(|c| ranges.contains_key(c));
        let objects = (0..self.program.objects.len()).map(|o| class(self.objects + o)).collect();
        let edges = |t: usize| 0..self.program.templates[t].graph.edges.len();
        let watches = (0..self.uses.len()).map(|t| {
            let of = |k: usize| {
                let here = |r: &Reg| class(self.before(t, k, *r));
                let loaded = |r: &Reg| class(self.after(t, k, *r));
                self.uses[t][k].iter().filter_map(|u| watch(u, &here, &loaded)).collect()
            };
            edges(t).map(of).collect()
        });
        let inputs = (0..self.uses.len()).map(|t| {
            let of = |k: usize| match &self.program.templates[t].graph.edges[k].op {
                Op::Havoc { dst, .. } => class(self.after(t, k, *dst)),
                _ => None,
            };
            edges(t).map(of).collect()
        });
        let (watches, inputs) = (watches.collect(), inputs.collect());
        Observer { inputs, objects, ranges, watches }
    }
}

/// What a use is to an input; `None` if no input gets there. Registers have classes before the edge and after it.
fn watch(
    u: &Use<'_>,
    before: &dyn Fn(&Reg) -> Option<u32>,
    after: &dyn Fn(&Reg) -> Option<u32>,
) -> Option<Watch> {
    match u {
        Use::Taken(r) => Some(Watch::Taken { class: after(r)? }),
        Use::Loaded(r) => after(r).map(|_| Watch::Loaded),
        Use::Computed(r) => Some(Watch::Used { class: before(r)?, register: *r }),
        Use::Compared { register, with, through } => {
            let class = before(register)?;
            let mut free = true;
            for_each_register(with, &mut |r: Reg| free &= before(&r).is_none());
            Some(if free {
                Watch::Compared { class, with: (*with).clone(), through: *through }
            } else {
                Watch::Used { class, register: *register }
            })
        }
    }
}
