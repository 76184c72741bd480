//! Random thread programs as automata, made without the C front end: a second opinion on what they mean.

use super::threads::{Cond, Ex, Place, Stmt, ThreadProgram};
use relyant_cfa::diagnostic::Span;
use relyant_cfa::*;
use relyant_cfa::{InputSource, ObjectKind, Violated};

const UNSIGNED: IntKind = IntKind::Machine { bits: 32, signed: false };

impl ThreadProgram {
    /// The automata of the program.
    pub fn to_program(&self) -> Program {
        let object = |name: String, kind: IntKind, value: i32, synthetic: bool| Object {
            name,
            function: None,
            cells: vec![(kind, String::new())],
            init: vec![Some(i128::from(value))],
            kind: ObjectKind::Plain,
            thread_local: false,
            synthetic,
            look: Default::default(),
            constant: Vec::new(),
            extent: Default::default(),
            span: Span::default(),
        };
        let globals =
            (0..).zip(&self.globals).map(|(i, (ty, v))| object(format!("x{i}"), kind_of(ty), *v, false));
        let mutexes = (0..self.mutexes).map(|i| object(format!("m{i}"), IntKind::INT, 0, true));
        let objects: Vec<Object> = globals.chain(mutexes).collect();
        let mut templates = vec![self.main()];
        for (i, (body, copies)) in self.threads.iter().enumerate() {
            let mut b = Builder::new(self);
            b.block(body);
            b.exit();
            let template = b.template(format!("thread{}", i + 1), false);
            templates.extend(std::iter::repeat_n(template, *copies));
        }
        Program {
            owners: vec![Owner::Shared; objects.len()],
            bases: (0..objects.len()).map(|i| 64 + 2 * i as i128).collect(),
            objects,
            templates,
            ..Program::default()
        }
    }

    fn main(&self) -> Template {
        let mut b = Builder::new(self);
        b.main = true;
        let mut handles = Vec::new();
        for (i, (_, copies)) in self.threads.iter().enumerate() {
            for _ in 0..*copies {
                let handle = b.register(IntKind::Ideal);
                handles.push(handle);
                let routine = Callee::Known(FuncId(i as u32));
                b.edge(Op::Create { handle, routine, arg: None, template: Some(handles.len() as u32) });
            }
        }
        b.block(&self.main);
        if let Some(check) = &self.after {
            for h in handles {
                b.edge(Op::Join { handle: Expr::Reg(h), result: None });
            }
            b.assert(check);
        }
        b.exit();
        b.template("main".into(), true)
    }
}

fn kind_of(ty: &str) -> IntKind {
    match ty {
        "unsigned" => UNSIGNED,
        "_Bool" => IntKind::Bool,
        "unsigned char" => IntKind::Machine { bits: 8, signed: false },
        "short" => IntKind::Machine { bits: 16, signed: true },
        _ => IntKind::INT,
    }
}

/// A value and the kind that C's promotions give it.
type Value = (Expr, IntKind);

struct Builder<'p> {
    program: &'p ThreadProgram,
    graph: Graph,
    registers: Vec<Register>,
    at: Loc,
    atomic: bool,
    main: bool,
}

impl<'p> Builder<'p> {
    fn new(program: &'p ThreadProgram) -> Self {
        let mut graph = Graph::default();
        let at = graph.add_location(Span::default());
        let mut b = Builder { program, graph, registers: Vec::new(), at, atomic: false, main: false };
        for (i, v) in program.locals.iter().enumerate() {
            let r = b.register(IntKind::INT);
            b.registers[i].name = format!("local{i}");
            b.edge(Op::Assign(r, Expr::Const(i128::from(*v))));
        }
        b
    }

    fn template(self, name: String, initial: bool) -> Template {
        Template {
            name,
            count: Count::AtMost(1),
            initial,
            param: None,
            registers: self.registers,
            entry: Loc(0),
            graph: self.graph,
            inlined: Vec::new(),
            procedures: Vec::new(),
        }
    }

    fn register(&mut self, kind: IntKind) -> Reg {
        self.registers.push(Register { name: String::new(), kind });
        Reg(self.registers.len() as u32 - 1)
    }

    fn location(&mut self) -> Loc {
        let l = self.graph.add_location(Span::default());
        self.graph.locations[l.0 as usize].atomic = self.atomic;
        l
    }

    /// Goes on by an operation, to a new location.
    fn edge(&mut self, op: Op) {
        let to = self.location();
        self.jump(to, op);
        self.at = to;
    }

    fn jump(&mut self, to: Loc, op: Op) {
        self.graph.add_edge(self.at, to, op, Span::default());
    }

    fn exit(&mut self) {
        let end = self.location();
        self.graph.locations[end.0 as usize].kind = LocationKind::End;
        self.jump(end, if self.main { Op::Halt } else { Op::ThreadExit(Expr::Const(0)) });
        // What follows a return is not reached.
        self.at = self.location();
    }

    fn read(&mut self, p: Place) -> Value {
        match p {
            Place::Local(i) => (Expr::Reg(Reg(i as u32)), IntKind::INT),
            Place::Global(i) => {
                let i = i % self.program.globals.len();
                let kind = kind_of(self.program.globals[i].0);
                let r = self.register(kind);
                self.edge(Op::Load(r, Expr::Addr(ObjId(i as u32)), kind));
                (Expr::Reg(r), if kind == UNSIGNED { UNSIGNED } else { IntKind::INT })
            }
        }
    }

    fn write(&mut self, p: Place, value: Expr) {
        match p {
            Place::Local(i) => {
                self.edge(Op::Assign(Reg(i as u32), Expr::Cast(Box::new(value), IntKind::INT)))
            }
            Place::Global(i) => {
                let i = i % self.program.globals.len();
                let kind = kind_of(self.program.globals[i].0);
                let value = Expr::Cast(Box::new(value), kind);
                self.edge(Op::Store(Expr::Addr(ObjId(i as u32)), value, kind));
            }
        }
    }

    fn value(&mut self, e: &Ex) -> Value {
        match e {
            Ex::Const(c) => (Expr::Const(i128::from(*c)), IntKind::INT),
            Ex::Var(p) => self.read(*p),
            Ex::Plus(p, c) => {
                let x = self.read(*p);
                arithmetic(BinOp::Add, x, (Expr::Const(i128::from(*c)), IntKind::INT))
            }
            Ex::Sum(p, q) | Ex::Difference(p, q) => {
                let (x, y) = (self.read(*p), self.read(*q));
                arithmetic(if matches!(e, Ex::Sum(..)) { BinOp::Add } else { BinOp::Sub }, x, y)
            }
            Ex::Next(p, k) => {
                let x = self.read(*p);
                let sum = arithmetic(BinOp::Add, x, (Expr::Const(1), IntKind::INT));
                arithmetic(BinOp::Rem, sum, (Expr::Const(i128::from(*k)), IntKind::INT))
            }
            Ex::Choose(c, a, b) => {
                // The result's kind must be known before the branches are written.
                let kind = if self.is_unsigned(a) || self.is_unsigned(b) { UNSIGNED } else { IntKind::INT };
                let r = self.register(kind);
                let (yes, no, join) = (self.location(), self.location(), self.location());
                self.branch(c, yes, no);
                for (from, e) in [(yes, a), (no, b)] {
                    self.at = from;
                    let (x, _) = self.value(e);
                    self.jump(join, Op::Assign(r, Expr::Cast(Box::new(x), kind)));
                }
                self.at = join;
                (Expr::Reg(r), kind)
            }
        }
    }

    fn is_unsigned(&self, e: &Ex) -> bool {
        let of = |p: &Place| match p {
            Place::Global(i) => self.program.globals[i % self.program.globals.len()].0 == "unsigned",
            Place::Local(_) => false,
        };
        match e {
            Ex::Const(_) => false,
            Ex::Var(p) | Ex::Plus(p, _) | Ex::Next(p, _) => of(p),
            Ex::Sum(p, q) | Ex::Difference(p, q) => of(p) || of(q),
            Ex::Choose(_, a, b) => self.is_unsigned(a) || self.is_unsigned(b),
        }
    }

    /// Goes to `yes` or `no`; afterwards the builder is nowhere.
    fn branch(&mut self, c: &Cond, yes: Loc, no: Loc) {
        match c {
            Cond::Not(c) => self.branch(c, no, yes),
            Cond::And(a, b) => {
                let middle = self.location();
                self.branch(a, middle, no);
                self.at = middle;
                self.branch(b, yes, no);
            }
            Cond::Or(a, b) => {
                let middle = self.location();
                self.branch(a, yes, middle);
                self.at = middle;
                self.branch(b, yes, no);
            }
            Cond::Truth(p) => {
                let (x, _) = self.read(*p);
                self.test(x.is_true(), yes, no);
            }
            Cond::Input => {
                let r = self.register(IntKind::Bool);
                self.edge(Op::Havoc { dst: r, source: InputSource::input("__VERIFIER_nondet_bool") });
                self.test(Expr::Reg(r).is_true(), yes, no);
            }
            Cond::Compare(a, op, b) => {
                let (x, y) = (self.value(a), self.value(b));
                let kind = common(x.1, y.1);
                let op = match *op {
                    "==" => CmpOp::Eq,
                    "!=" => CmpOp::Ne,
                    "<" => CmpOp::Lt,
                    "<=" => CmpOp::Le,
                    ">" => CmpOp::Gt,
                    _ => CmpOp::Ge,
                };
                let to = |x: Value| Box::new(Expr::Cast(Box::new(x.0), kind));
                self.test(Expr::Compare(op, to(x), to(y)), yes, no);
            }
        }
    }

    fn test(&mut self, e: Expr, yes: Loc, no: Loc) {
        self.jump(yes, Op::Assume(e.clone()));
        self.jump(no, Op::Assume(e.is_false()));
    }

    fn assert(&mut self, c: &Cond) {
        let (ok, error) = (self.location(), self.location());
        self.graph.locations[error.0 as usize].kind = LocationKind::Error(Violated::Assertion);
        self.branch(c, ok, error);
        self.at = ok;
    }

    fn block(&mut self, list: &[Stmt]) {
        for s in list {
            self.stmt(s);
        }
    }

    fn stmt(&mut self, s: &Stmt) {
        match s {
            Stmt::Set(p, e) => {
                let (x, _) = self.value(e);
                self.write(*p, x);
            }
            Stmt::Step(p, op) => {
                let x = self.read(*p);
                let op = if *op == "--" { BinOp::Sub } else { BinOp::Add };
                let (sum, _) = arithmetic(op, x, (Expr::Const(1), IntKind::INT));
                self.write(*p, sum);
            }
            Stmt::Update(p, op, e) => {
                let x = self.read(*p);
                let y = self.value(e);
                let (sum, _) = arithmetic(if *op == "-" { BinOp::Sub } else { BinOp::Add }, x, y);
                self.write(*p, sum);
            }
            Stmt::If(c, a, b) => {
                let (yes, no, join) = (self.location(), self.location(), self.location());
                self.branch(c, yes, no);
                for (from, list) in [(yes, a), (no, b)] {
                    self.at = from;
                    self.block(list);
                    self.jump(join, Op::Skip);
                }
                self.at = join;
            }
            Stmt::While(c, body) => {
                let (head, inside, out) = (self.location(), self.location(), self.location());
                self.jump(head, Op::Skip);
                self.at = head;
                self.branch(c, inside, out);
                self.at = inside;
                self.block(body);
                self.jump(head, Op::Skip);
                self.at = out;
            }
            Stmt::DoWhile(body, c) => {
                let (head, out) = (self.location(), self.location());
                self.jump(head, Op::Skip);
                self.at = head;
                self.block(body);
                self.branch(c, head, out);
                self.at = out;
            }
            Stmt::Atomic(body) => {
                self.atomic = true;
                self.edge(Op::Skip);
                self.block(&body.iter().map(super::threads::without_return).collect::<Vec<_>>());
                self.atomic = false;
                self.edge(Op::Skip);
            }
            Stmt::Locked(m, body) => {
                self.lock(*m);
                self.block(body);
                self.unlock(*m);
            }
            Stmt::Try(m, body, other) => self.try_lock(*m, body, other),
            Stmt::Lock(m) => self.lock(*m),
            Stmt::Unlock(m) => self.unlock(*m),
            Stmt::Assume(c) => {
                let (go, stay) = (self.location(), self.location());
                self.branch(c, go, stay);
                self.at = go;
            }
            Stmt::Assert(c) => self.assert(c),
            Stmt::Input(p) => {
                let r = self.register(IntKind::Machine { bits: 8, signed: false });
                self.edge(Op::Havoc { dst: r, source: InputSource::input("__VERIFIER_nondet_uchar") });
                self.write(*p, Expr::Reg(r));
            }
            Stmt::Return => self.exit(),
        }
    }

    fn mutex(&self, m: usize) -> Expr {
        Expr::Addr(ObjId((self.program.globals.len() + m) as u32))
    }

    fn lock(&mut self, m: usize) {
        let r = self.register(IntKind::INT);
        let outer = std::mem::replace(&mut self.atomic, true);
        self.edge(Op::Load(r, self.mutex(m), IntKind::INT));
        self.edge(Op::Assume(Expr::Reg(r).is_false()));
        self.atomic = outer;
        self.edge(Op::Store(self.mutex(m), Expr::Const(1), IntKind::INT));
    }

    fn try_lock(&mut self, m: usize, body: &[Stmt], other: &[Stmt]) {
        let r = self.register(IntKind::INT);
        let outer = std::mem::replace(&mut self.atomic, true);
        self.edge(Op::Load(r, self.mutex(m), IntKind::INT));
        let yes = self.location();
        self.atomic = outer;
        let (no, join) = (self.location(), self.location());
        self.test(Expr::Reg(r).is_false(), yes, no);
        self.at = yes;
        self.edge(Op::Store(self.mutex(m), Expr::Const(1), IntKind::INT));
        self.block(body);
        self.unlock(m);
        self.jump(join, Op::Skip);
        self.at = no;
        self.block(other);
        self.jump(join, Op::Skip);
        self.at = join;
    }

    fn unlock(&mut self, m: usize) {
        self.edge(Op::Store(self.mutex(m), Expr::Const(0), IntKind::INT));
    }
}

fn common(a: IntKind, b: IntKind) -> IntKind {
    if a == UNSIGNED || b == UNSIGNED { UNSIGNED } else { IntKind::INT }
}

/// C's usual conversions, then the operation.
fn arithmetic(op: BinOp, x: Value, y: Value) -> Value {
    let kind = common(x.1, y.1);
    let to = |x: Value| Box::new(Expr::Cast(Box::new(x.0), kind));
    (Expr::Binary(op, to(x), to(y), kind), kind)
}
