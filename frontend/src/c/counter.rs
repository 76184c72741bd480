//! Counters of the loops that library functions are lowered to.

use super::body::Body;
use super::value::{binary, compare};
use relyant_cfa::{BinOp, CmpOp, Expr, IntKind, Loc, Op, Reg};

/// A loop with a register that counts its rounds; what is lowered before [`Body::next`] is its body.
pub struct Counter {
    /// The number of rounds before.
    pub index: Reg,
    pub head: Loc,
    pub exit: Loc,
}

impl Counter {
    pub fn after(&self, d: i128) -> Expr {
        binary(BinOp::Add, Expr::Reg(self.index), Expr::Const(d), IntKind::Ideal)
    }
    /// A pointer moved by the index.
    pub fn shifted(&self, base: &Expr, cells: i128) -> Expr {
        let distance = binary(BinOp::Mul, Expr::Reg(self.index), Expr::Const(cells), IntKind::Ideal);
        binary(BinOp::Add, base.clone(), distance, IntKind::Ideal)
    }
}

impl Body {
    pub fn count_up(&mut self, n: &Expr) -> Counter {
        let n = self.kept(n);
        self.counter(Some(&n))
    }

    /// A loop from 0 up, with a bound or without; goes on in its body.
    pub fn counter(&mut self, most: Option<&Expr>) -> Counter {
        let index = self.assign(IntKind::Ideal, Expr::Const(0));
        let (head, exit) = (self.fresh(), self.fresh());
        self.join(head);
        if let Some(n) = most {
            let inside = self.fresh();
            self.branch(compare(CmpOp::Lt, Expr::Reg(index), n.clone()), inside, exit);
            self.cur = inside;
        }
        Counter { index, head, exit }
    }

    /// The same from `n - 1` down to 0; the end of the body leads to the head.
    pub fn count_down(&mut self, n: &Expr) -> Counter {
        let index = self.assign(IntKind::Ideal, n.clone());
        let (head, exit, inside) = (self.fresh(), self.fresh(), self.fresh());
        self.join(head);
        self.branch(compare(CmpOp::Gt, Expr::Reg(index), Expr::Const(0)), inside, exit);
        self.cur = inside;
        let i = Counter { index, head, exit };
        self.emit(Op::Assign(index, i.after(-1)));
        i
    }

    /// The value in a register, unless it is fixed.
    pub fn kept(&mut self, e: &Expr) -> Expr {
        match e {
            Expr::Const(_) | Expr::Addr(_) => e.clone(),
            e => Expr::Reg(self.assign(IntKind::Ideal, e.clone())),
        }
    }

    /// The next round; goes on after the loop.
    pub fn next(&mut self, i: &Counter) {
        self.edge_to(i.head, Op::Assign(i.index, i.after(1)));
        self.cur = i.exit;
    }
}
