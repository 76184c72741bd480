//! Atomic builtins of gcc and C11, as atomic sections; every memory order counts as sequentially consistent.

use super::access::Relaxed;
use super::calls::Args;
use super::library::{Atomic, Rmw, Weak};
use super::lower::{Lower, Res};
use super::types::{INT, Int, Ty};
use super::value::{Place, Value, cast};
use lang_c::ast::Expression;
use lang_c::span::{Node, Span as Bytes};
use relyant_cfa::{BinOp, CmpOp, Expr, Loc, Op, UnOp};
use std::rc::Rc;

impl<'a> Lower<'a> {
    /// What an argument points to; `whole`: it may be a struct.
    fn target(&mut self, args: Args<'a>, k: usize, whole: bool, at: Bytes) -> Res<Place> {
        let a = self.argument(args, k, at)?;
        match self.pointee(a)? {
            Some(p) if p.ty.is_scalar() || (whole && matches!(p.ty.plain(), Ty::Record(_))) => Ok(p),
            Some(p) => {
                let what = format!("an atomic operation on `{}` is", self.unit.types.describe(&p.ty));
                self.refuse(a.span, what, "use integers or pointers")
            }
            None => self.error(a.span, "an atomic operation on a null pointer", ""),
        }
    }

    /// The last arguments; notes a memory order that is not sequentially consistent.
    fn orders(&mut self, args: Args<'a>, from: usize) -> Res<()> {
        self.body.end_operand();
        let mut relaxed = Relaxed { buffered: self.context.relaxed.buffered, ..Relaxed::default() };
        for (k, a) in args.iter().skip(from).enumerate() {
            let order = self.constant(a)?;
            if order != Some(5) && !self.unit.options.is_tso() {
                self.unit.assume("every memory order is sequentially consistent");
            }
            relaxed.buffered |= k == 0 && order != Some(5);
            // The order of a failure is one of a read only.
            relaxed.load |= k == 0 && matches!(order, Some(0 | 3));
            relaxed.failure |= k > 0 && matches!(order, Some(0 | 3));
            relaxed.store |= k == 0 && matches!(order, Some(0..=2));
            self.effect(a)?;
            self.body.end_operand();
        }
        self.body.end_arguments();
        self.context.relaxed = relaxed;
        Ok(())
    }

    /// A call of an atomic function.
    pub fn atomic_call(&mut self, name: &str, f: Atomic, args: Args<'a>, at: Bytes) -> Res<Value> {
        // One that releases, and one that does not even order anything; neither has an argument that says so.
        self.context.relaxed.buffered = matches!(name, "__sync_lock_release" | "atomic_init");
        let v = self.atomic_operation(f, args, at);
        self.context.relaxed = Relaxed::default();
        v
    }

    fn atomic_operation(&mut self, f: Atomic, args: Args<'a>, at: Bytes) -> Res<Value> {
        self.body.begin_operands(false);
        let whole = matches!(
            f,
            Atomic::Load
                | Atomic::Store
                | Atomic::LoadInto
                | Atomic::StoreFrom
                | Atomic::ExchangeInto
                | Atomic::Fetch(Rmw::Exchange)
                | Atomic::CompareExchange { .. }
        );
        let mut p = self.target(args, 0, whole, at)?;
        self.body.end_operand();
        if !matches!(p.ty, Ty::Atomic(_)) {
            // The access is atomic whatever the object's type.
            p.ty = Ty::Atomic(Rc::new(p.ty));
        }
        let arg = |l: &Self, k: usize| -> Res<&'a Node<Expression>> { l.argument(args, k, at) };
        match f {
            Atomic::Load => {
                self.orders(args, 1)?;
                self.read(&p, at)
            }
            Atomic::Store => {
                let v = self.value(arg(self, 1)?)?;
                self.orders(args, 2)?;
                self.write(&p, v, at)?;
                Ok(Value::void())
            }
            Atomic::LoadInto => {
                let to = self.target(args, 1, whole, at)?;
                self.orders(args, 2)?;
                let v = self.read(&p, at)?;
                self.write(&to, v, at)?;
                Ok(Value::void())
            }
            Atomic::StoreFrom => {
                let from = self.target(args, 1, whole, at)?;
                self.orders(args, 2)?;
                let v = self.read(&from, at)?;
                self.write(&p, v, at)?;
                Ok(Value::void())
            }
            Atomic::ExchangeInto => {
                let from = self.target(args, 1, whole, at)?;
                self.body.end_operand();
                let to = self.target(args, 2, whole, at)?;
                self.orders(args, 3)?;
                let v = self.read(&from, at)?;
                let old = self.swapped_in(&p, v, at)?;
                self.write(&to, old, at)?;
                Ok(Value::void())
            }
            Atomic::Fetch(Rmw::Exchange) => {
                let v = self.value(arg(self, 1)?)?;
                self.orders(args, 2)?;
                self.swapped_in(&p, v, at)
            }
            Atomic::Fetch(op) | Atomic::Apply(op) => {
                let v = self.value(arg(self, 1)?)?;
                self.orders(args, 2)?;
                if p.ty.target().is_some() {
                    return self.refuse(
                        at,
                        "atomic arithmetic on pointers is",
                        "it counts in bytes; use an index",
                    );
                }
                let (old, new) = self.update(&p, |l, old| l.rmw(op, old, v, at), at)?;
                Ok(if matches!(f, Atomic::Apply(_)) { new } else { old })
            }
            Atomic::TestAndSet => {
                self.orders(args, 1)?;
                let (old, _) = self.update(&p, |_, _| Ok(Value::int(1)), at)?;
                let kind = self.unit.types.kind(&old.ty);
                let bool = Ty::Int(super::types::BOOL);
                Ok(Value { expr: cast(old.expr, kind, self.unit.types.kind(&bool)), ty: bool })
            }
            Atomic::Clear => {
                self.orders(args, 1)?;
                self.write(&p, Value::int(0), at)?;
                Ok(Value::void())
            }
            Atomic::CompareAndSwap { gives_old } => self.compare_and_swap(&p, gives_old, args, at),
            Atomic::CompareExchange { desired_pointer, weak } => {
                self.compare_exchange(&p, desired_pointer, weak, args, at)
            }
        }
    }

    /// GCC's compare-and-swap: gives the old value, or whether it was the expected one.
    fn compare_and_swap(&mut self, p: &Place, gives_old: bool, args: Args<'a>, at: Bytes) -> Res<Value> {
        let old = self.value(self.argument(args, 1, at)?)?;
        self.body.end_operand();
        let new = self.value(self.argument(args, 2, at)?)?;
        self.orders(args, 3)?;
        let (seen, swapped, differed) = self.swap(p, old, new, false, at)?;
        let end = self.body.fresh();
        let kind = self.unit.types.kind(&p.ty);
        let r = if gives_old { self.body.temp(kind) } else { self.body.result_register() };
        for (from, success) in [(swapped, 1), (differed, 0)] {
            self.body.cur = from;
            let v = if gives_old { seen.expr.clone() } else { Expr::Const(success) };
            self.body.edge_to(end, Op::Assign(r, v));
        }
        self.body.cur = end;
        Ok(Value { expr: Expr::Reg(r), ty: if gives_old { seen.ty } else { Ty::Int(INT) } })
    }

    /// C11's compare-exchange, which writes what it saw to where the expected value is.
    fn compare_exchange(
        &mut self,
        p: &Place,
        desired_pointer: bool,
        weak: Weak,
        args: Args<'a>,
        at: Bytes,
    ) -> Res<Value> {
        let expected = self.target(args, 1, true, at)?;
        self.body.end_operand();
        let (mut from, mut new) = (None, Value::void());
        if desired_pointer {
            from = Some(self.target(args, 2, true, at)?);
        } else {
            new = self.value(self.argument(args, 2, at)?)?;
        }
        let (weak, orders) = match weak {
            Weak::Yes => (true, 3),
            Weak::No => (false, 3),
            Weak::Argument => match args.get(3) {
                Some(a) => (self.constant(a)? != Some(0), 4),
                None => (false, 4),
            },
        };
        self.orders(args, orders)?;
        if let Some(from) = from {
            new = self.read(&from, at)?;
        }
        if p.ty.is_whole() {
            let expr = self.compare_exchange_whole(p, &expected, new, weak, at)?;
            return Ok(Value { expr, ty: Ty::Int(INT) });
        }
        let old = self.read(&expected, at)?;
        let (seen, swapped, differed) = self.swap(p, old, new, weak, at)?;
        let end = self.body.fresh();
        let r = self.body.result_register();
        self.body.cur = swapped;
        self.body.edge_to(end, Op::Assign(r, Expr::Const(1)));
        self.body.cur = differed;
        self.write(&expected, seen, at)?;
        self.body.edge_to(end, Op::Assign(r, Expr::Const(0)));
        self.body.cur = end;
        Ok(Value { expr: Expr::Reg(r), ty: Ty::Int(INT) })
    }

    /// Writes a value in the step that reads the old one, which it gives.
    fn swapped_in(&mut self, p: &Place, v: Value, at: Bytes) -> Res<Value> {
        if p.ty.is_whole() {
            return self.exchange_whole(p, v, at);
        }
        self.update(p, |_, _| Ok(v), at).map(|u| u.0)
    }

    fn rmw(&mut self, op: Rmw, old: Value, v: Value, at: Bytes) -> Res<Value> {
        let op = match op {
            Rmw::Exchange => return Ok(v),
            Rmw::Nand => {
                let and = self.arithmetic(BinOp::And, old, v, at)?;
                return self.unary(Some(UnOp::BitNot), and, at);
            }
            Rmw::Add => BinOp::Add,
            Rmw::Sub => BinOp::Sub,
            Rmw::And => BinOp::And,
            Rmw::Or => BinOp::Or,
            Rmw::Xor => BinOp::Xor,
        };
        if let (Some(i), true) = (old.ty.int().filter(|i| i.signed), self.unit.options.checks_overflow()) {
            // These wrap (C11 7.17.7.5p3).
            let ty = old.ty.clone();
            let unsigned = Ty::Int(Int { signed: false, ..i });
            let (old, v) = (self.convert(old, &unsigned, at)?, self.convert(v, &unsigned, at)?);
            let new = self.arithmetic(op, old, v, at)?;
            return self.convert(new, &ty, at);
        }
        self.arithmetic(op, old, v, at)
    }

    /// Reads, compares and on success writes, in one step. Gives the value read and the two ways on.
    pub fn swap(
        &mut self,
        p: &Place,
        old: Value,
        new: Value,
        weak: bool,
        at: Bytes,
    ) -> Res<(Value, Loc, Loc)> {
        let old = self.convert(old, &p.ty, at)?;
        let new = self.convert(new, &p.ty, at)?;
        self.context.relaxed.locked = true;
        let mut seen = self.read(p, at)?;
        if let super::value::At::Register(_) = p.at {
            let kind = self.unit.types.kind(&seen.ty);
            seen.expr = Expr::Reg(self.body.assign(kind, seen.expr));
        }
        self.body.hold();
        let same = super::value::compare(CmpOp::Eq, seen.expr.clone(), old.expr);
        let (write, swapped, differed) = (self.body.fresh_held(), self.body.fresh(), self.body.fresh());
        self.body.edge_to(write, Op::Assume(same.clone()));
        let fails = if weak { Op::Skip } else { Op::Assume(same.is_false()) };
        self.body.edge_to(differed, fails);
        self.body.cur = write;
        self.write(p, new, at)?;
        self.context.relaxed.locked = false;
        self.body.edge_to(swapped, Op::Skip);
        Ok((seen, swapped, differed))
    }
}
