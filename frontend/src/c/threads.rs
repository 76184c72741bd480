//! Creating, joining and ending threads; `pthread_once`.

use super::calls::Args;
use super::library::Thread;
use super::lower::{Lower, Res};
use super::types::{INT, Ty};
use super::value::{At, Place, Value, compare};
use crate::cfa::{Callee, CmpOp, Expr, IntKind, Op};
use lang_c::ast::*;
use lang_c::span::{Node, Span as Bytes};

impl<'a> Lower<'a> {
    /// The place an argument points to: `&x`, or what a pointer holds. `None` for a null pointer.
    pub fn pointee(&mut self, e: &'a Node<Expression>) -> Res<Option<Place>> {
        if let Expression::UnaryOperator(u) = &e.node {
            if u.node.operator.node == UnaryOperator::Address {
                return self.place(&u.node.operand).map(Some);
            }
        }
        let v = self.value(e)?;
        if v.constant() == Some(0) {
            return Ok(None);
        }
        self.pointed(v, e.span).map(Some)
    }

    /// Argument `k` of a modelled function.
    pub fn argument(&self, args: Args<'a>, k: usize, at: Bytes) -> Res<&'a Node<Expression>> {
        match args.get(k) {
            Some(a) => Ok(a),
            None => self.error(at, "too few arguments", ""),
        }
    }

    /// A call of a thread function.
    pub fn thread_call(&mut self, t: Thread, args: Args<'a>, at: Bytes) -> Res<Value> {
        let pthread_t = Ty::Int(self.types.ulong());
        match t {
            Thread::Create => {
                self.assume("pthread calls succeed");
                let handle = self.argument(args, 0, at)?;
                let place = self.pointee(handle)?;
                self.effect(self.argument(args, 1, at)?)?;
                let routine = self.argument(args, 2, at)?;
                let f = self.value(routine)?;
                let arg = match args.get(3) {
                    Some(a) => {
                        let v = self.value(a)?;
                        Some(self.convert(v, &Ty::Void.pointer(), a.span)?.expr)
                    }
                    None => None,
                };
                let routine = match f.expr {
                    Expr::Func(id) => Callee::Known(id),
                    e => Callee::Pointer(e),
                };
                let ty = place.as_ref().map_or(pthread_t, |p| p.ty.clone());
                if !ty.is_scalar() {
                    return self.refuse(at, "a thread handle that is no integer is", "use pthread_t");
                }
                let kind = self.types.kind(&ty);
                let handle = self.body.temp(kind);
                self.body.emit(Op::Create { handle, routine, arg, template: None });
                if let Some(p) = place {
                    if matches!(p.at, At::Memory(_)) {
                        // A thread's handle is stored in the step that creates it.
                        self.body.hold();
                    }
                    self.write(&p, Value { expr: Expr::Reg(handle), ty }, at)?;
                }
                Ok(Value::int(0))
            }
            Thread::Join => {
                self.assume("pthread calls succeed");
                let handle = self.value(self.argument(args, 0, at)?)?;
                let place = match args.get(1) {
                    Some(a) => self.pointee(a)?,
                    None => None,
                };
                let result = place.as_ref().map(|_| self.body.temp(IntKind::Ideal));
                self.body.emit(Op::Join { handle: handle.expr, result });
                if let (Some(p), Some(r)) = (place, result) {
                    self.write(&p, Value { expr: Expr::Reg(r), ty: Ty::Void.pointer() }, at)?;
                }
                Ok(Value::int(0))
            }
            Thread::Exit => {
                let value = match args.first() {
                    Some(a) => {
                        let v = self.value(a)?;
                        self.convert(v, &Ty::Void.pointer(), a.span)?.expr
                    }
                    None => Expr::Const(0),
                };
                let end = self.body.end;
                self.body.leave(end, Op::ThreadExit(value));
                Ok(Value::void())
            }
            Thread::SelfId => Ok(Value { expr: Expr::SelfId, ty: pthread_t }),
            Thread::Equal => {
                let a = self.value(self.argument(args, 0, at)?)?;
                let b = self.value(self.argument(args, 1, at)?)?;
                Ok(Value { expr: compare(CmpOp::Eq, a.expr, b.expr), ty: Ty::Int(INT) })
            }
            Thread::Once => self.once(args, at),
        }
    }

    /// `pthread_once`: 0 not begun, 1 running, 2 done. The caller that finds 0 runs the routine; others wait for 2.
    fn once(&mut self, args: Args<'a>, at: Bytes) -> Res<Value> {
        let control = self.value(self.argument(args, 0, at)?)?.expr;
        let f = self.value(self.argument(args, 1, at)?)?;
        let state = self.body.load(control.clone(), IntKind::Ideal);
        self.body.hold();
        let (first, done, end) = (self.body.fresh_held(), self.body.fresh(), self.body.fresh());
        self.body.edge_to(first, Op::Assume(compare(CmpOp::Eq, state.clone(), Expr::Const(0))));
        self.body.edge_to(done, Op::Assume(compare(CmpOp::Eq, state, Expr::Const(2))));
        self.body.cur = done;
        self.body.edge_to(end, Op::Skip);
        self.body.cur = first;
        self.body.store(control.clone(), Expr::Const(1), IntKind::Ideal);
        let callee = match f.expr {
            Expr::Func(id) => {
                self.called.insert(id);
                Callee::Known(id)
            }
            e => {
                self.calls_pointers = true;
                Callee::Pointer(e)
            }
        };
        self.emit_open(Op::Call { dst: None, callee, args: Vec::new() });
        self.body.store(control, Expr::Const(2), IntKind::Ideal);
        self.body.join(end);
        Ok(Value::int(0))
    }
}
