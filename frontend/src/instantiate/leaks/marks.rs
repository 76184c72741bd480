//! Which blocks pointers lead to.

use super::super::code::{Code, cell_of, test};
use super::{FEW, Plan};
use relyant_cfa::{BinOp, CmpOp, Expr, IntKind, ObjId, Op, Reg};
use std::collections::BTreeSet;

/// The registers that say which blocks pointers lead to: 1, and 2 once what they hold was followed.
pub(super) struct Marks<'p> {
    pub(super) plan: &'p Plan,
    pub(super) marks: Vec<Reg>,
    pub(super) changed: Reg,
    pub(super) sizes: Vec<usize>,
}

impl Marks<'_> {
    /// Marks the blocks whose addresses an object holds.
    pub(super) fn follow(&self, code: &mut Code<'_>, o: ObjId, holds: &BTreeSet<ObjId>) {
        let n = self.sizes[o.0 as usize];
        let v = code.temp(IntKind::Ideal);
        if n <= FEW {
            for k in 0..n {
                code.step(Op::Load(v, cell_of(&Expr::Addr(o), k), IntKind::Ideal));
                self.mark(code, v, holds);
            }
            return;
        }
        let i = code.temp(IntKind::Ideal);
        code.step(Op::Assign(i, Expr::Const(0)));
        let sum = |a: Expr, b: Expr| Expr::Binary(BinOp::Add, Box::new(a), Box::new(b), IntKind::Ideal);
        let (head, done) = (code.fresh(), code.fresh());
        code.edge(head, Op::Skip);
        code.at = head;
        code.edge(done, test(CmpOp::Ge, &Expr::Reg(i), Expr::Const(n as i128)));
        code.step(test(CmpOp::Lt, &Expr::Reg(i), Expr::Const(n as i128)));
        code.step(Op::Load(v, sum(Expr::Addr(o), Expr::Reg(i)), IntKind::Ideal));
        self.mark(code, v, holds);
        code.edge(head, Op::Assign(i, sum(Expr::Reg(i), Expr::Const(1))));
        code.at = done;
    }

    /// Marks the block that an address leads to.
    fn mark(&self, code: &mut Code<'_>, v: Reg, holds: &BTreeSet<ObjId>) {
        let done = code.fresh();
        let v = Expr::Reg(v);
        for (b, mark) in self.plan.blocks.iter().zip(&self.marks).filter(|(b, _)| holds.contains(&b.object)) {
            let next = code.fresh();
            let first = Expr::Addr(b.object);
            let end = cell_of(&first, self.sizes[b.object.0 as usize]);
            code.edge(next, test(CmpOp::Lt, &v, first.clone()));
            code.step(test(CmpOp::Ge, &v, first));
            code.edge(next, test(CmpOp::Gt, &v, end.clone()));
            code.step(test(CmpOp::Le, &v, end));
            code.edge(done, test(CmpOp::Ne, &Expr::Reg(*mark), Expr::Const(0)));
            code.step(test(CmpOp::Eq, &Expr::Reg(*mark), Expr::Const(0)));
            code.step(Op::Assign(*mark, Expr::Const(1)));
            code.edge(done, Op::Assign(self.changed, Expr::Const(1)));
            code.at = next;
        }
        code.edge(done, Op::Skip);
        code.at = done;
    }

    /// Follows what marked blocks hold, until nothing is added.
    pub(super) fn spread(&self, code: &mut Code<'_>) {
        if self.plan.blocks.iter().all(|b| b.holds.is_empty()) {
            return;
        }
        let (head, done) = (code.fresh(), code.fresh());
        code.edge(head, Op::Assign(self.changed, Expr::Const(0)));
        code.at = head;
        for (b, mark) in self.plan.blocks.iter().zip(&self.marks).filter(|(b, _)| !b.holds.is_empty()) {
            let next = code.fresh();
            code.edge(next, test(CmpOp::Ne, &Expr::Reg(*mark), Expr::Const(1)));
            code.step(test(CmpOp::Eq, &Expr::Reg(*mark), Expr::Const(1)));
            code.step(Op::Assign(*mark, Expr::Const(2)));
            // What was given back holds nothing.
            let back = code.load(b.back, b.index);
            code.edge(next, test(CmpOp::Ne, &back, Expr::Const(0)));
            code.step(test(CmpOp::Eq, &back, Expr::Const(0)));
            self.follow(code, b.object, &b.holds);
            code.edge(next, Op::Skip);
            code.at = next;
        }
        let changed = Expr::Reg(self.changed);
        code.edge(done, test(CmpOp::Eq, &changed, Expr::Const(0)));
        code.step(test(CmpOp::Ne, &changed, Expr::Const(0)));
        code.edge(head, Op::Assign(self.changed, Expr::Const(0)));
        code.at = done;
    }
}
