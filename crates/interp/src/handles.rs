//! Where handles of threads may be, and whether the program can tell one thread's handle from another's.
//!
//! Threads of one template are interchangeable (Basler et al., BOOM, section 5.1) as long as their
//! handles are only copied, joined, and compared for equality with each other or with values that are no handles.
//! Then a run stays a run when threads change places and handles are renamed with them. Registers and cells between
//! which values are copied or compared are in one class, as unification has it (Steensgaard, POPL 1996).

use super::eval::cast;
use relyant_cfa::points_to::{PointsTo, Targets};
use relyant_cfa::{Callee, CmpOp, Edge, Expr, IntKind, ObjId, Op, Program, Reg};

/// Where handles may be.
#[derive(Debug)]
pub struct Handles {
    /// Renaming threads makes no difference to the program.
    pub exact: bool,
    /// By template and register.
    pub registers: Vec<Vec<bool>>,
    /// By object and cell.
    pub cells: Vec<Vec<bool>>,
    /// May the values that threads return be handles?
    pub results: bool,
}

/// What an expression's value is.
enum Shape<'e> {
    Copy(Reg),
    /// A constant that is no handle.
    Neutral,
    SelfId,
    /// 0 or 1, from a condition.
    Truth(&'e Expr),
    Other,
}

struct Classes<'p> {
    program: &'p Program,
    points: &'p PointsTo,
    /// Union-find, numbered by `registers`, `cells`, `returns` and `results`. A root is its own parent.
    parent: Vec<usize>,
    /// Handles come into the class.
    source: Vec<bool>,
    /// So do other values, or it is used in a way that tells handles apart.
    told: Vec<bool>,
    /// First register of each template, first cell of each object, what procedures of each template return.
    registers: Vec<usize>,
    cells: Vec<usize>,
    returns: usize,
    results: usize,
    /// A thread's own handle is used in a way that tells.
    self_told: bool,
}

impl Handles {
    /// The handles of a program.
    pub fn new(program: &Program, points: &PointsTo) -> Handles {
        let mut n = 0;
        let mut next = |k: usize| {
            n += k;
            n - k
        };
        let registers = program.templates.iter().map(|t| next(t.registers.len())).collect();
        let cells = program.objects.iter().map(|o| next(o.cells.len())).collect();
        let returns = next(program.templates.len());
        let results = next(1);
        let mut c = Classes {
            program,
            points,
            parent: (0..n).collect(),
            source: vec![false; n],
            told: vec![false; n],
            registers,
            cells,
            returns,
            results,
            self_told: false,
        };
        c.narrow_ones();
        for (t, template) in program.templates.iter().enumerate() {
            template.graph.edges.iter().for_each(|e| c.edge(t, e));
        }
        let class: Vec<usize> = (0..n).map(|i| c.find(i)).collect();
        let may: Vec<bool> = class.iter().map(|k| c.source[*k]).collect();
        let told = class.iter().any(|k| c.source[*k] && c.told[*k]);
        let part = |from: &usize, k: usize| may[*from..from + k].to_vec();
        let templates = c.registers.iter().zip(&program.templates);
        let objects = c.cells.iter().zip(&program.objects);
        Handles {
            exact: !told && !c.self_told,
            registers: templates.map(|(i, t)| part(i, t.registers.len())).collect(),
            cells: objects.map(|(i, o)| part(i, o.cells.len())).collect(),
            results: may[results],
        }
    }
}

impl Classes<'_> {
    fn find(&mut self, mut i: usize) -> usize {
        while self.parent[i] != i {
            self.parent[i] = self.parent[self.parent[i]];
            i = self.parent[i];
        }
        i
    }

    fn union(&mut self, a: usize, b: usize) {
        let (a, b) = (self.find(a), self.find(b));
        self.parent[b] = a;
        self.source[a] |= self.source[b];
        self.told[a] |= self.told[b];
    }

    fn source(&mut self, i: usize) {
        let i = self.find(i);
        self.source[i] = true;
    }

    fn tell(&mut self, i: usize) {
        let i = self.find(i);
        self.told[i] = true;
    }

    fn node(&self, t: usize, r: Reg) -> usize {
        self.registers[t] + r.0 as usize
    }

    /// Places that may not hold handles, or hold other values at the start: not every handle fits into a narrow kind.
    fn narrow_ones(&mut self) {
        for (t, template) in self.program.templates.iter().enumerate() {
            for (r, register) in template.registers.iter().enumerate() {
                if !is_wide(register.kind) {
                    self.tell(self.registers[t] + r);
                }
            }
        }
        for (o, object) in self.program.objects.iter().enumerate() {
            for (k, (kind, _)) in object.cells.iter().enumerate() {
                // A start value could be some thread's handle.
                if !is_wide(*kind) || object.init[k].is_some_and(|v| !is_neutral(v)) {
                    self.tell(self.cells[o] + k);
                }
            }
        }
    }

    /// The cells at an address.
    fn memory(&self, t: usize, address: &Expr) -> Vec<usize> {
        let all = |o: &ObjId| {
            let at = self.cells[o.0 as usize];
            at..at + self.program.objects[o.0 as usize].cells.len()
        };
        match self.points.targets(t as u32, address) {
            Targets::Objects(list) => list
                .iter()
                .flat_map(|(o, k)| match k {
                    Some(k) => all(o).skip(*k).take(1).collect::<Vec<_>>(),
                    None => all(o).collect(),
                })
                .collect(),
            Targets::Unknown => (0..self.program.objects.len() as u32).flat_map(|o| all(&ObjId(o))).collect(),
        }
    }

    fn edge(&mut self, t: usize, edge: &Edge) {
        match &edge.op {
            Op::Skip | Op::Havoc { .. } | Op::Halt | Op::Return(None) => {}
            Op::Assign(r, e) => self.value(t, e, self.node(t, *r)),
            Op::Load(r, address, kind) => {
                self.mixed(t, address);
                let r = self.node(t, *r);
                for cell in self.memory(t, address) {
                    self.union(r, cell);
                }
                if !is_wide(*kind) {
                    self.tell(r);
                }
            }
            Op::Store(address, e, kind) => {
                self.mixed(t, address);
                for cell in self.memory(t, address) {
                    self.value(t, e, cell);
                    if !is_wide(*kind) {
                        self.tell(cell);
                    }
                }
                self.condition_in(t, e);
            }
            Op::Assume(e) => self.truth(t, e),
            Op::Create { handle, arg, template, routine } => {
                if let Callee::Pointer(e) = routine {
                    self.mixed(t, e);
                }
                self.source(self.node(t, *handle));
                let other = template.map(|u| u as usize);
                let param = other.and_then(|u| Some((u, self.program.templates.get(u)?.param?)));
                match (arg, param) {
                    (Some(e), Some((u, p))) => self.value(t, e, self.node(u, p)),
                    (Some(e), None) => self.condition_in(t, e),
                    _ => {}
                }
            }
            Op::Join { handle, result } => {
                match self.shape(t, handle) {
                    Shape::Copy(r) => self.source(self.node(t, r)),
                    Shape::Neutral | Shape::SelfId => {}
                    Shape::Truth(_) | Shape::Other => {
                        self.mixed(t, handle);
                        self.self_told = true;
                    }
                }
                if let Some(r) = result {
                    self.union(self.node(t, *r), self.results);
                }
            }
            Op::ThreadExit(e) => self.value(t, e, self.results),
            Op::Call { dst, callee, args } => {
                let procedures = &self.program.templates[t].procedures;
                let called = procedures.iter().find(|p| *callee == Callee::Known(p.function));
                for (r, e) in called.iter().flat_map(|p| &p.params).zip(args) {
                    self.value(t, e, self.node(t, *r));
                }
                if let Some(r) = dst {
                    self.union(self.node(t, *r), self.returns + t);
                }
            }
            Op::Return(Some(e)) => self.value(t, e, self.returns + t),
        }
    }

    fn shape<'e>(&self, t: usize, e: &'e Expr) -> Shape<'e> {
        match e {
            Expr::Reg(r) if self.program.templates[t].registers.len() > r.0 as usize => Shape::Copy(*r),
            Expr::Const(c) if is_neutral(*c) => Shape::Neutral,
            Expr::SelfId => Shape::SelfId,
            Expr::Compare(..) | Expr::Not(_) | Expr::Cast(_, IntKind::Bool) => Shape::Truth(e),
            Expr::Cast(a, kind) if is_wide(*kind) => match &**a {
                Expr::Const(c) if is_neutral(cast(*c, *kind)) => Shape::Neutral,
                a => self.shape(t, a),
            },
            _ => Shape::Other,
        }
    }

    /// A value goes to a node.
    fn value(&mut self, t: usize, e: &Expr, to: usize) {
        match self.shape(t, e) {
            Shape::Copy(r) => self.union(to, self.node(t, r)),
            Shape::Neutral => {}
            Shape::SelfId => self.source(to),
            Shape::Truth(_) | Shape::Other => {
                self.tell(to);
                self.condition_in(t, e);
            }
        }
    }

    /// A value goes where it does not matter.
    fn condition_in(&mut self, t: usize, e: &Expr) {
        match self.shape(t, e) {
            Shape::Copy(_) | Shape::Neutral | Shape::SelfId => {}
            Shape::Truth(c) => self.truth(t, c),
            Shape::Other => self.mixed(t, e),
        }
    }

    /// Is the value 0?
    fn truth(&mut self, t: usize, e: &Expr) {
        match e {
            Expr::Not(a) | Expr::Cast(a, IntKind::Bool) => self.truth(t, a),
            Expr::Compare(op, a, b) => self.compare(t, e, *op, a, b),
            _ => match self.shape(t, e) {
                Shape::Copy(_) | Shape::Neutral | Shape::SelfId => {}
                Shape::Truth(c) => self.truth(t, c),
                Shape::Other => self.mixed(t, e),
            },
        }
    }

    fn compare(&mut self, t: usize, whole: &Expr, op: CmpOp, a: &Expr, b: &Expr) {
        let constant = |e: &Expr| matches!(e, Expr::Const(_));
        let equality = matches!(op, CmpOp::Eq | CmpOp::Ne);
        match (self.shape(t, a), self.shape(t, b)) {
            (Shape::Truth(c), _) if constant(b) => self.truth(t, c),
            (_, Shape::Truth(c)) if constant(a) => self.truth(t, c),
            (Shape::Copy(r), Shape::Copy(s)) if equality => self.union(self.node(t, r), self.node(t, s)),
            (Shape::Copy(r), Shape::SelfId) | (Shape::SelfId, Shape::Copy(r)) if equality => {
                self.source(self.node(t, r));
            }
            (Shape::Copy(_) | Shape::SelfId | Shape::Neutral, Shape::Neutral) if equality => {}
            (Shape::Neutral, Shape::Copy(_) | Shape::SelfId) if equality => {}
            (Shape::SelfId, Shape::SelfId) if equality => {}
            _ => self.mixed(t, whole),
        }
    }

    /// All that occurs in an expression is told.
    fn mixed(&mut self, t: usize, e: &Expr) {
        match e {
            Expr::Reg(r) if self.program.templates[t].registers.len() > r.0 as usize => {
                self.tell(self.node(t, *r));
            }
            Expr::SelfId => self.self_told = true,
            Expr::Reg(_) | Expr::Const(_) | Expr::Addr(_) | Expr::Func(_) => {}
            Expr::Unary(_, a, _) | Expr::Not(a) | Expr::Cast(a, _) => self.mixed(t, a),
            Expr::Binary(_, a, b, _) | Expr::Compare(_, a, b) => {
                self.mixed(t, a);
                self.mixed(t, b);
            }
        }
    }
}

/// Every handle fits: there are fewer threads than 2^31.
fn is_wide(kind: IntKind) -> bool {
    match kind {
        IntKind::Machine { bits, .. } => bits >= 32,
        IntKind::Bool => false,
        IntKind::Ideal => true,
    }
}

/// No thread's handle, whatever wide kind it is converted to.
fn is_neutral(c: i128) -> bool {
    let low = c.rem_euclid(1 << 32);
    (low == 0 || low >= 1 << 31) && !(1..1 << 31).contains(&c)
}

/// Cells that loads may read, and cells that stores may write, by object.
pub fn accessed(program: &Program, points: &PointsTo) -> (Vec<Vec<bool>>, Vec<Vec<bool>>) {
    let none = || -> Vec<Vec<bool>> { program.objects.iter().map(|o| vec![false; o.cells.len()]).collect() };
    let (mut loaded, mut stored) = (none(), none());
    for (t, template) in (0u32..).zip(&program.templates) {
        for e in &template.graph.edges {
            let (address, to) = match &e.op {
                Op::Load(_, a, _) => (a, &mut loaded),
                Op::Store(a, _, _) => (a, &mut stored),
                _ => continue,
            };
            match points.targets(t, address) {
                Targets::Objects(list) => {
                    for (o, k) in list {
                        let cells = &mut to[o.0 as usize];
                        match k {
                            Some(k) => cells[k] = true,
                            None => cells.fill(true),
                        }
                    }
                }
                Targets::Unknown => to.iter_mut().for_each(|cells| cells.fill(true)),
            }
        }
    }
    (loaded, stored)
}
