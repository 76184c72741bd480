//! Where values flow, roughly: registers and objects in classes between which values are copied.
//!
//! An input that is only copied and compared with constants has as many kinds of values as there are intervals
//! between those constants, so that one value of each is enough to see all that the program can do.

use relyant_cfa::{Callee, CmpOp, Expr, IntKind, ObjId, Op, Program, Reg};
use std::collections::BTreeSet;

/// What is known of a class.
#[derive(Clone, Debug, Default)]
pub struct Class {
    /// Constants that its values are compared or computed with.
    pub constants: BTreeSet<i128>,
    /// Its values are compared for order, not only for equality.
    pub ordered: bool,
    /// Its values are computed with, or compared with something that is no constant.
    pub opaque: bool,
}

/// Classes of a program.
pub struct Flow {
    /// Union-find: registers, objects, then what threads return, what unknown pointers point to, and what procedures
    /// of each template return. A root is its own parent.
    parent: Vec<usize>,
    /// By root; out of date for others.
    classes: Vec<Class>,
    /// First register of each template.
    first: Vec<usize>,
    /// The number of the first object; registers come before.
    objects: usize,
}

/// A kind of use.
enum Shape<'e> {
    /// The value of a register, unchanged.
    Copy(Reg),
    Const(i128),
    /// 0 or 1, from a condition.
    Truth(&'e Expr),
    Other,
}

impl Flow {
    /// The classes of a program.
    pub fn new(program: &Program) -> Flow {
        let mut first = Vec::new();
        let mut n = 0;
        for t in &program.templates {
            first.push(n);
            n += t.registers.len();
        }
        let objects = n;
        // Behind the objects: what threads return, what unknown pointers point to, what procedures return.
        let (result, anything) = (n + program.objects.len(), n + program.objects.len() + 1);
        let mut flow = Flow {
            parent: (0..=anything + program.templates.len()).collect(),
            classes: vec![Class::default(); anything + 1 + program.templates.len()],
            first,
            objects,
        };
        let mut unknown = false;
        for (t, template) in program.templates.iter().enumerate() {
            let mut scan = Scan { flow: &mut flow, program, t, result, anything, unknown: false };
            template.graph.edges.iter().for_each(|e| scan.op(&e.op));
            unknown |= scan.unknown;
        }
        if unknown {
            for o in 0..program.objects.len() {
                flow.union(objects + o, anything);
            }
        }
        flow
    }

    /// The class of a register.
    pub fn register(&self, template: u32, r: Reg) -> &Class {
        &self.classes[self.find(self.first[template as usize] + r.0 as usize)]
    }

    /// The class of an object's cells.
    pub fn object(&self, o: ObjId) -> &Class {
        &self.classes[self.find(self.objects + o.0 as usize)]
    }

    /// The number of a register's class.
    pub fn number(&self, template: u32, r: Reg) -> usize {
        self.find(self.first[template as usize] + r.0 as usize)
    }

    /// The number of the class of an object's cells.
    pub fn object_number(&self, o: ObjId) -> usize {
        self.find(self.objects + o.0 as usize)
    }

    fn find(&self, mut i: usize) -> usize {
        while self.parent[i] != i {
            i = self.parent[i];
        }
        i
    }

    fn union(&mut self, a: usize, b: usize) {
        let (a, b) = (self.find(a), self.find(b));
        if a == b {
            return;
        }
        let gone = std::mem::take(&mut self.classes[b]);
        let class = &mut self.classes[a];
        class.constants.extend(gone.constants);
        class.ordered |= gone.ordered;
        class.opaque |= gone.opaque;
        self.parent[b] = a;
    }

    fn class(&mut self, i: usize) -> &mut Class {
        let i = self.find(i);
        &mut self.classes[i]
    }
}

struct Scan<'f, 'p> {
    flow: &'f mut Flow,
    program: &'p Program,
    t: usize,
    result: usize,
    anything: usize,
    unknown: bool,
}

impl<'p> Scan<'_, 'p> {
    fn node(&self, r: Reg) -> usize {
        self.flow.first[self.t] + r.0 as usize
    }

    fn calls(&self) -> impl Iterator<Item = &'p Op> {
        let edges = &self.program.templates[self.t].graph.edges;
        edges.iter().map(|e| &e.op).filter(|op| matches!(op, Op::Call { .. }))
    }

    fn kind(&self, r: Reg) -> IntKind {
        self.program.templates[self.t].registers.get(r.0 as usize).map_or(IntKind::Ideal, |x| x.kind)
    }

    fn shape<'e>(&self, e: &'e Expr) -> Shape<'e> {
        match e {
            Expr::Reg(r) => Shape::Copy(*r),
            Expr::Const(c) => Shape::Const(*c),
            Expr::Compare(..) | Expr::Not(_) => Shape::Truth(e),
            Expr::Cast(a, kind) => match self.shape(a) {
                Shape::Copy(r) if fits(self.kind(r), *kind) => Shape::Copy(r),
                Shape::Const(c) => Shape::Const(super::eval::cast(c, *kind)),
                Shape::Copy(_) if *kind == IntKind::Bool => Shape::Truth(e),
                Shape::Truth(c) if IntKind::max(*kind).is_none_or(|m| m >= 1) => Shape::Truth(c),
                _ => Shape::Other,
            },
            _ => Shape::Other,
        }
    }

    /// A condition is evaluated.
    fn condition(&mut self, e: &Expr) {
        match e {
            Expr::Not(a) => self.truth(a),
            Expr::Cast(a, IntKind::Bool) => self.truth(a),
            Expr::Compare(op, a, b) => {
                let ordered = !matches!(op, CmpOp::Eq | CmpOp::Ne);
                match (self.shape(a), self.shape(b)) {
                    (Shape::Copy(r), Shape::Const(c)) | (Shape::Const(c), Shape::Copy(r)) => {
                        let node = self.node(r);
                        let class = self.flow.class(node);
                        class.constants.insert(c);
                        class.ordered |= ordered;
                    }
                    (Shape::Truth(c), Shape::Const(_)) | (Shape::Const(_), Shape::Truth(c)) => {
                        self.condition(c)
                    }
                    (Shape::Const(_), Shape::Const(_)) => {}
                    _ => self.mixed(e, None),
                }
            }
            other => self.truth(other),
        }
    }

    /// Is the value 0?
    fn truth(&mut self, e: &Expr) {
        match self.shape(e) {
            Shape::Copy(r) => {
                let node = self.node(r);
                self.flow.class(node).constants.insert(0);
            }
            Shape::Const(_) => {}
            Shape::Truth(c) => self.condition(c),
            Shape::Other => self.mixed(e, None),
        }
    }

    /// A value goes to a node.
    fn value(&mut self, e: &Expr, to: usize) {
        match self.shape(e) {
            Shape::Copy(r) => self.flow.union(to, self.node(r)),
            Shape::Const(_) => {}
            Shape::Truth(c) => self.condition(c),
            Shape::Other => self.mixed(e, Some(to)),
        }
    }

    /// All that occurs in an expression is computed with, in one class.
    fn mixed(&mut self, e: &Expr, to: Option<usize>) {
        let mut nodes: Vec<usize> = to.into_iter().collect();
        let mut constants = Vec::new();
        self.collect(e, &mut nodes, &mut constants);
        let Some(first) = nodes.first().copied() else { return };
        for n in nodes {
            self.flow.union(first, n);
        }
        let class = self.flow.class(first);
        class.constants.extend(constants);
        class.opaque = true;
    }

    fn collect(&self, e: &Expr, nodes: &mut Vec<usize>, constants: &mut Vec<i128>) {
        match e {
            Expr::Reg(r) => nodes.push(self.node(*r)),
            Expr::Const(c) => constants.push(*c),
            Expr::Addr(_) | Expr::Func(_) | Expr::SelfId => {}
            Expr::Unary(_, a, _) | Expr::Not(a) | Expr::Cast(a, _) => self.collect(a, nodes, constants),
            Expr::Binary(_, a, b, _) | Expr::Compare(_, a, b) => {
                self.collect(a, nodes, constants);
                self.collect(b, nodes, constants);
            }
        }
    }

    /// The node of the cells at an address.
    fn memory(&mut self, address: &Expr, kind: IntKind) -> usize {
        let mut objects = BTreeSet::new();
        base(address, &mut objects);
        if !matches!(address, Expr::Addr(_)) {
            self.mixed(address, None);
        }
        let Some(o) = objects.first().filter(|_| objects.len() == 1) else {
            self.unknown = true;
            self.flow.class(self.anything).opaque = true;
            return self.anything;
        };
        let node = self.flow.objects + o.0 as usize;
        let object = &self.program.objects[o.0 as usize];
        if object.cells.iter().any(|(cell, _)| *cell != kind) {
            self.flow.class(node).opaque = true;
        }
        node
    }

    fn op(&mut self, op: &Op) {
        match op {
            Op::Skip | Op::Havoc { .. } | Op::Halt | Op::Return(None) => {}
            Op::Return(Some(e)) => {
                // The result is converted to the kind of the register that takes it.
                let fitting = |r: Reg, kind| fits(self.kind(r), kind);
                let all = self.calls().all(|c| match (c, self.shape(e)) {
                    (Op::Call { dst: Some(d), .. }, Shape::Copy(r)) => fitting(r, self.kind(*d)),
                    (Op::Call { dst: Some(d), .. }, Shape::Const(c)) => {
                        super::eval::in_kind(c, self.kind(*d))
                    }
                    (_, Shape::Truth(_)) => true,
                    (Op::Call { dst: Some(_), .. }, _) => false,
                    _ => true,
                });
                let to = self.anything + 1 + self.t;
                self.value(e, to);
                self.flow.class(to).opaque |= !all;
            }
            Op::Call { dst, callee, args } => {
                let procedures = &self.program.templates[self.t].procedures;
                let called = procedures.iter().find(|p| *callee == Callee::Known(p.function));
                for (r, e) in called.iter().flat_map(|p| &p.params).zip(args) {
                    self.value(e, self.node(*r));
                }
                if let Some(r) = dst {
                    self.flow.union(self.node(*r), self.anything + 1 + self.t);
                }
            }
            Op::Assign(r, e) => self.value(e, self.node(*r)),
            Op::Load(r, address, kind) => {
                let from = self.memory(address, *kind);
                self.flow.union(self.node(*r), from);
            }
            Op::Store(address, e, kind) => {
                let to = self.memory(address, *kind);
                self.value(e, to);
            }
            Op::Assume(e) => self.condition(e),
            Op::Create { arg, template, .. } => {
                let param = template.and_then(|t| {
                    let p = self.program.templates.get(t as usize)?.param?;
                    Some(self.flow.first[t as usize] + p.0 as usize)
                });
                if let (Some(e), Some(to)) = (arg, param) {
                    self.value(e, to);
                }
            }
            Op::Join { handle, result } => {
                self.mixed(handle, None);
                if let Some(r) = result {
                    self.flow.union(self.node(*r), self.result);
                }
            }
            Op::ThreadExit(e) => self.value(e, self.result),
        }
    }
}

/// Every value of `from` is a value of `to`.
pub(super) fn fits(from: IntKind, to: IntKind) -> bool {
    let low = to.min().is_none_or(|b| from.min().is_some_and(|a| b <= a));
    low && to.max().is_none_or(|b| from.max().is_some_and(|a| a <= b))
}

fn base(e: &Expr, out: &mut BTreeSet<ObjId>) {
    match e {
        Expr::Addr(o) => {
            out.insert(*o);
        }
        Expr::Const(_) | Expr::Reg(_) | Expr::Func(_) | Expr::SelfId => {}
        Expr::Unary(_, a, _) | Expr::Not(a) | Expr::Cast(a, _) => base(a, out),
        Expr::Binary(_, a, b, _) | Expr::Compare(_, a, b) => {
            base(a, out);
            base(b, out);
        }
    }
}
