//! Automata that grow from their start to their end: what functions that make memory do.

use relyant_cfa::diagnostic::Span;
use relyant_cfa::{
    BinOp, Callee, CmpOp, Expr, FuncId, Graph, InputSource, IntKind, Limit, Loc, LocationKind, Measure,
    ObjId, Op, Reg, Register, Violated,
};

/// An automaton that grows from its start to its end.
pub(super) struct Code<'f> {
    pub(super) graph: &'f mut Graph,
    pub(super) registers: &'f mut Vec<Register>,
    pub(super) at: Loc,
    pub(super) span: Span,
    pub(super) atomic: bool,
}

impl Code<'_> {
    pub(super) fn fresh(&mut self) -> Loc {
        let l = self.graph.add_location(self.span);
        self.graph.locations[l.0 as usize].atomic = self.atomic;
        l
    }
    pub(super) fn edge(&mut self, to: Loc, op: Op) {
        self.graph.add_edge(self.at, to, op, self.span);
    }
    pub(super) fn step(&mut self, op: Op) {
        let to = self.fresh();
        self.edge(to, op);
        self.at = to;
    }
    /// An access to memory that is right whatever the sizes of objects are.
    fn own(&mut self, op: Op) {
        self.graph.locations[self.at.0 as usize].unchecked = true;
        self.step(op);
    }
    pub(super) fn temp(&mut self, kind: IntKind) -> Reg {
        self.registers.push(Register { name: String::new(), kind });
        Reg(self.registers.len() as u32 - 1)
    }
    pub(super) fn load(&mut self, o: ObjId, cell: usize) -> Expr {
        let r = self.temp(IntKind::Ideal);
        self.step(Op::Load(r, cell_of(&Expr::Addr(o), cell), IntKind::Ideal));
        Expr::Reg(r)
    }
    pub(super) fn error(&mut self, what: Violated) -> Loc {
        let l = self.graph.add_location(self.span);
        self.graph.locations[l.0 as usize].kind = LocationKind::Error(what);
        l
    }
    pub(super) fn limit(&mut self, what: impl Into<Limit>) -> Loc {
        let l = self.graph.add_location(self.span);
        self.graph.locations[l.0 as usize].kind = LocationKind::Limit(what.into());
        l
    }
    /// Stores what a fresh object has: any values in some cells, or 0 everywhere. `clear`: what nobody reads before it is
    /// written is 0, so that no address is left over.
    pub(super) fn fill(
        &mut self,
        base: &Expr,
        cells: &[(IntKind, String)],
        zero: bool,
        open: &[bool],
        clear: bool,
    ) {
        for (k, (kind, _)) in cells.iter().enumerate() {
            if zero || (clear && open.get(k) == Some(&false)) {
                self.own(Op::Store(cell_of(base, k), Expr::Const(0), *kind));
            } else if open.get(k) != Some(&false) {
                let dst = self.temp(*kind);
                self.step(Op::Havoc { dst, source: InputSource::uninitialised() });
                self.own(Op::Store(cell_of(base, k), Expr::Reg(dst), *kind));
            }
        }
    }
}

impl Code<'_> {
    /// How many cells a request has; where that is no whole number of elements, it is a limit.
    pub(super) fn measured(&mut self, measure: &Measure, bytes: &Expr, file: &str) -> Expr {
        let n = self.temp(IntKind::Ideal);
        let limit = |code: &mut Self| {
            let line = code.span.line;
            code.limit(format!("{file}:{line}: memory for a part of an object"))
        };
        match measure {
            Measure::Listed(all) => {
                let (start, done) = (self.at, self.fresh());
                for (b, cells) in all {
                    self.at = start;
                    self.step(test(CmpOp::Eq, bytes, Expr::Const(*b)));
                    self.edge(done, Op::Assign(n, Expr::Const(i128::from(*cells))));
                }
                self.at = done;
            }
            Measure::Counted { head, element } => {
                let constant = |v: u64| Expr::Const(i128::from(v));
                let binary = |op, a: Expr, b: u64| match (op, b) {
                    (BinOp::Add | BinOp::Sub, 0) | (BinOp::Mul | BinOp::Div, 1) => a,
                    _ => Expr::Binary(op, Box::new(a), Box::new(constant(b)), IntKind::Ideal),
                };
                if head.0 > 0 {
                    let part = limit(self);
                    self.edge(part, test(CmpOp::Lt, bytes, constant(head.0)));
                    self.step(test(CmpOp::Ge, bytes, constant(head.0)));
                }
                let rest = binary(BinOp::Sub, bytes.clone(), head.0);
                let count = self.temp(IntKind::Ideal);
                self.step(Op::Assign(count, binary(BinOp::Div, rest.clone(), element.0)));
                if element.1 > 1 {
                    let part = limit(self);
                    let whole = binary(BinOp::Mul, Expr::Reg(count), element.0);
                    self.edge(part, test(CmpOp::Ne, &whole, rest.clone()));
                    self.step(test(CmpOp::Eq, &whole, rest));
                }
                let cells = binary(BinOp::Mul, Expr::Reg(count), element.1);
                self.step(Op::Assign(n, binary(BinOp::Add, cells, head.1)));
            }
        }
        Expr::Reg(n)
    }
    /// Goes on where `realloc` is asked for some bytes.
    pub(super) fn some_bytes(&mut self, bytes: &Expr, file: &str) {
        let limit = self.limit(format!("{file}:{}: `realloc` for no bytes", self.span.line));
        self.edge(limit, test(CmpOp::Eq, bytes, Expr::Const(0)));
        self.step(test(CmpOp::Ne, bytes, Expr::Const(0)));
    }
    /// Gives a block back, if there is one, and puts what it held in a new one that has as many cells at least.
    pub(super) fn moved(&mut self, old: &Expr, new: &Expr, cells: &[(IntKind, String)], free: FuncId) {
        let done = self.fresh();
        self.edge(done, test(CmpOp::Eq, old, Expr::Const(0)));
        self.step(test(CmpOp::Ne, old, Expr::Const(0)));
        self.step(Op::Call { dst: None, callee: Callee::Known(free), args: vec![old.clone()] });
        for (k, (kind, _)) in cells.iter().enumerate() {
            let r = self.temp(*kind);
            self.own(Op::Load(r, cell_of(old, k), *kind));
            self.own(Op::Store(cell_of(new, k), Expr::Reg(r), *kind));
        }
        self.edge(done, Op::Skip);
        self.at = done;
    }
}

pub(super) fn cell_of(base: &Expr, cell: usize) -> Expr {
    let k = Expr::Const(cell as i128);
    match cell {
        0 => base.clone(),
        _ => Expr::Binary(BinOp::Add, Box::new(base.clone()), Box::new(k), IntKind::Ideal),
    }
}

pub(super) fn test(op: CmpOp, a: &Expr, b: Expr) -> Op {
    Op::Assume(Expr::Compare(op, Box::new(a.clone()), Box::new(b)))
}
