//! Creating, joining and ending threads; `pthread_once`.

use super::calls::Args;
use super::library::ThreadCall;
use super::lower::{Lower, Res};
use super::translation::{External, Work};
use super::types::{INT, Ty};
use super::value::{At, Place, Value, compare};
use lang_c::ast::*;
use lang_c::span::{Node, Span as Bytes};
use relyant_cfa::{Callee, CmpOp, Expr, FuncId, IntKind, Op};

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
    pub fn thread_call(&mut self, t: ThreadCall, args: Args<'a>, at: Bytes) -> Res<Value> {
        let pthread_t = Ty::Int(self.unit.types.ulong());
        match t {
            ThreadCall::Create | ThreadCall::Create11 => {
                self.unit.assume("pthread calls succeed");
                let first = if t == ThreadCall::Create { 1 } else { 0 };
                self.body.begin_operands(false);
                let place = self.pointee(self.argument(args, 0, at)?)?;
                self.body.end_operand();
                if t == ThreadCall::Create {
                    self.effect(self.argument(args, 1, at)?)?;
                    self.body.end_operand();
                }
                let routine = self.argument(args, first + 1, at)?;
                let f = self.value(routine)?;
                self.body.end_operand();
                let arg = match args.get(first + 2) {
                    Some(a) => {
                        let v = self.value(a)?;
                        Some(self.convert(v, &Ty::Void.pointer(), a.span)?.expr)
                    }
                    None => None,
                };
                self.body.end_operand();
                self.body.end_arguments();
                let routine = self.routine(f, at)?;
                let ty = place.as_ref().map_or(pthread_t, |p| p.ty.clone());
                if !ty.is_scalar() {
                    return self.refuse(at, "a thread handle that is no integer is", "use pthread_t");
                }
                let kind = self.unit.types.kind(&ty);
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
            ThreadCall::Join | ThreadCall::Join11 => {
                self.unit.assume("pthread calls succeed");
                self.join_thread(t == ThreadCall::Join11, args, at)?;
                Ok(Value::int(0))
            }
            ThreadCall::TryJoin(running) => {
                self.unit.assume("pthread calls succeed");
                args.iter().skip(2).try_for_each(|a| self.effect(a))?;
                let (r, ended, end) = (self.body.result_register(), self.body.fresh(), self.body.fresh());
                self.body.edge_to(end, Op::Assign(r, Expr::Const(running)));
                self.body.edge_to(ended, Op::Skip);
                self.body.cur = ended;
                self.join_thread(false, args, at)?;
                self.body.edge_to(end, Op::Assign(r, Expr::Const(0)));
                self.body.cur = end;
                Ok(Value { expr: Expr::Reg(r), ty: Ty::Int(INT) })
            }
            ThreadCall::Exit => {
                let value = match args.first() {
                    Some(a) => {
                        let v = self.value(a)?;
                        self.convert(v, &Ty::Void.pointer(), a.span)?.expr
                    }
                    None => Expr::Const(0),
                };
                self.end_of_thread();
                let end = self.body.end;
                self.body.leave(end, Op::ThreadExit(value));
                Ok(Value::void())
            }
            ThreadCall::SelfId => Ok(Value { expr: Expr::SelfId, ty: pthread_t }),
            ThreadCall::Equal => {
                self.argument(args, 1, at)?;
                let v = self.argument_values(&args[..2])?;
                Ok(Value { expr: compare(CmpOp::Eq, v[0].expr.clone(), v[1].expr.clone()), ty: Ty::Int(INT) })
            }
            ThreadCall::Once => self.once(args, at),
        }
    }

    fn join_thread(&mut self, c11: bool, args: Args<'a>, at: Bytes) -> Res<()> {
        self.body.begin_operands(false);
        let handle = self.value(self.argument(args, 0, at)?)?;
        self.body.end_operand();
        let place = match args.get(1) {
            // Any pointer converts to `void *`, and that to `void **`.
            Some(a) => self.result_place(a)?,
            None => None,
        };
        self.body.end_operand();
        self.body.end_arguments();
        let result = place.as_ref().map(|_| self.body.temp(IntKind::Ideal));
        self.body.emit(Op::Join { handle: handle.expr, result });
        if let (Some(p), Some(r)) = (place, result) {
            let ty = if c11 { Ty::Int(self.unit.types.long()) } else { Ty::Void.pointer() };
            self.write(&p, Value { expr: Expr::Reg(r), ty }, at)?;
        }
        Ok(())
    }

    /// Where what a thread gives is stored: the object behind casts, if a pointer fits it.
    fn result_place(&mut self, a: &'a Node<Expression>) -> Res<Option<Place>> {
        let mut inner = a;
        while let Expression::Cast(c) = &inner.node {
            inner = &c.node.expression;
        }
        if let Expression::UnaryOperator(u) = &inner.node
            && u.node.operator.node == UnaryOperator::Address
            && !std::ptr::eq(inner, a)
        {
            let ty = self.type_of(&u.node.operand)?;
            let word = self.unit.types.long().bits;
            if ty.target().is_some() || ty.int().is_some_and(|i| i.bits == word) {
                return self.pointee(inner);
            }
        }
        self.pointee(a)
    }

    /// What a thread starts with: the routine, and after it what destructors of keys do.
    fn routine(&mut self, f: Value, at: Bytes) -> Res<Callee> {
        let id = match f.expr {
            Expr::Func(id) => id,
            e => {
                if self.unit.keys.destructors {
                    let what = "a start routine by pointer, beside keys with destructors, is";
                    return self.refuse(at, what, "name the routine");
                }
                return Ok(Callee::Pointer(e));
            }
        };
        self.has_body(id, at)?;
        let name = self.unit.functions.name(id);
        let signature = self.unit.signature(&name);
        let params = signature.as_ref().and_then(|s| s.params.clone()).unwrap_or_default();
        let mut extra = Vec::new();
        for p in params.iter().skip(1) {
            if !p.is_scalar() {
                return self.refuse(at, "a start routine with such parameters is", "give it one pointer");
            }
            extra.push(self.unit.types.kind(p));
        }
        let destructors = self.unit.destructors();
        if destructors.is_none() && extra.is_empty() {
            return Ok(Callee::Known(id));
        }
        self.unit.functions.call(id);
        let gives = signature.is_some_and(|s| s.result != Ty::Void);
        let whole = format!("{name}(as a thread)");
        let known = self.unit.functions.id(&whole);
        let work = Work::Routine { routine: id, takes: !params.is_empty(), gives, extra, destructors };
        Ok(Callee::Known(known.unwrap_or_else(|| self.unit.functions.enqueue(whole, work))))
    }

    /// Refuses a function without a body where it is to be run.
    pub fn has_body(&self, id: FuncId, at: Bytes) -> Res<()> {
        match self.unit.functions.externals.iter().find(|x| self.unit.functions.id(&x.name) == Some(id)) {
            Some(External { name, .. }) => {
                self.refuse(at, format!("running `{name}`, which has no body, is"), "define it")
            }
            None => Ok(()),
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
                self.has_body(id, at)?;
                self.unit.functions.call(id);
                Callee::Known(id)
            }
            e => {
                self.unit.functions.call_pointer();
                Callee::Pointer(e)
            }
        };
        self.body.emit_open(Op::Call { dst: None, callee, args: Vec::new() });
        if self.unit.options.is_tso() {
            self.body.fence(true);
        }
        self.body.store(control, Expr::Const(2), IntKind::Ideal);
        self.body.join(end);
        Ok(Value::int(0))
    }
}
