//! Cancellation of threads (POSIX 2.9.5), deferred, and cleanup handlers.
//!
//! A request is the thread's handle in one of a few shared slots. A thread whose handle is in one acts at its
//! cancellation points: its cleanup handlers run, newest first, then the destructors of keys, and it ends with
//! `PTHREAD_CANCELED`. Points that wait may be left that way at any time of the wait; points that need not be any
//! (output, say) may act or not. Each thread has a stack of its handlers, as long as the file has places that push one.
//!
//! `pthread_cleanup_push` is read as glibc's macro writes it: `__pthread_register_cancel` pushes what the locals
//! `__cancel_routine` and `__cancel_arg` of the block have; the jump that the library would make back never happens here.

use super::calls::Args;
use super::library::Cancel;
use super::lower::{Lower, Res};
use super::scan::name_of;
use super::scope::{Storage, Symbol};
use super::translation::Work;
use super::types::{INT, Ty};
use super::value::{Value, binary, compare, offset};
use lang_c::ast::*;
use lang_c::span::Span as Bytes;
use lang_c::visit::{self, Visit};
use relyant_cfa::{BinOp, Callee, CmpOp, Expr, FuncId, IntKind, ObjId, ObjectKind, Op};
use std::rc::Rc;

const EINVAL: i128 = 22;
/// `PTHREAD_CANCELED`: what a cancelled thread's join gives.
const CANCELED: i128 = -1;
/// Slots for requests where one place may make several.
const REQUESTS: usize = 8;
/// Handlers of a thread at once, at most.
const HANDLERS: usize = 16;

/// What a file does with cancellation.
#[derive(Debug, Default)]
pub struct Cancellation {
    /// Slots for requests; none if nobody cancels.
    requests: usize,
    /// Places that push a handler.
    pushes: usize,
    /// The state is changed.
    switches: bool,
    slots: Option<ObjId>,
    disabled: Option<ObjId>,
    kind: Option<ObjId>,
    stack: Option<ObjId>,
    runner: Option<FuncId>,
}

impl Cancellation {
    /// Does anybody cancel a thread?
    pub fn is_used(&self) -> bool {
        self.requests > 0
    }
}

/// When a call is a cancellation point.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Point {
    /// If there is a request before it begins; it does not wait.
    Always,
    /// The same, and as long as it waits.
    Waits,
    /// It may be one.
    Maybe,
}

/// Functions that are cancellation points.
const POINTS: [(Point, &[&str]); 3] = [
    (Point::Always, &["pthread_testcancel"]),
    (
        Point::Waits,
        &[
            "pthread_join",
            "thrd_join",
            "thrd_sleep",
            "pthread_timedjoin_np",
            "pthread_clockjoin_np",
            "sem_wait",
            "sem_timedwait",
            "sem_clockwait",
            "sleep",
            "usleep",
            "nanosleep",
            "clock_nanosleep",
            "pause",
            "read",
            "write",
            "poll",
            "select",
            "wait",
            "waitpid",
            "close",
            "open",
            "fsync",
            "sigwait",
            "system",
            "pread",
            "pwrite",
            "readv",
            "writev",
            "recv",
            "send",
            "accept",
            "connect",
            "fcntl",
        ],
    ),
    (
        Point::Maybe,
        &[
            "printf",
            "fprintf",
            "dprintf",
            "vprintf",
            "vfprintf",
            "puts",
            "putchar",
            "fputs",
            "fputc",
            "putc",
            "perror",
            "fflush",
            "fclose",
            "fopen",
            "freopen",
            "fdopen",
            "popen",
            "pclose",
            "fwrite",
            "fread",
            "fgets",
            "gets",
            "getline",
            "getdelim",
            "getchar",
            "getc",
            "fgetc",
            "ungetc",
            "scanf",
            "fscanf",
            "__isoc99_scanf",
            "__isoc99_fscanf",
            "__isoc23_scanf",
            "__isoc23_fscanf",
            "fseek",
            "ftell",
            "rewind",
            "syslog",
            "openlog",
            "closelog",
            "tmpfile",
            "getenv",
            "localtime",
            "ctime",
            "strftime",
            "mktime",
            "gmtime",
            "strerror",
            "getopt",
            "opendir",
            "readdir",
            "remove",
            "rename",
            "unlink",
            "access",
            "stat",
            "fstat",
            "lseek",
            "pthread_rwlock_rdlock",
            "pthread_rwlock_wrlock",
            "pthread_rwlock_timedrdlock",
            "pthread_rwlock_timedwrlock",
        ],
    ),
];

fn point(name: &str) -> Option<Point> {
    POINTS.iter().find(|(_, names)| names.contains(&name)).map(|p| p.0)
}

impl<'a> Lower<'a> {
    /// A call of a function on cancellation.
    pub fn cancel_call(&mut self, c: Cancel, args: Args<'a>, at: Bytes) -> Res<Value> {
        match c {
            Cancel::Request => {
                if self.unit.options.deadlock {
                    return self.refuse(at, "cancelling threads where deadlocks are looked for is", "");
                }
                self.unit.assume("pthread calls succeed");
                let handle = self.value(self.argument(args, 0, at)?)?;
                self.request(handle.expr, at)?;
                Ok(Value::int(0))
            }
            Cancel::State => {
                let cell = self.disabled(at)?;
                self.exchange(cell, args, at)
            }
            Cancel::Kind => {
                let wanted = self.constant(self.argument(args, 0, at)?)?;
                if self.unit.cancellation.requests > 0 && wanted != Some(0) {
                    let what = "cancellation at any time (PTHREAD_CANCEL_ASYNCHRONOUS) is";
                    return self.refuse(at, what, "leave it deferred");
                }
                let cell = match self.unit.cancellation.kind {
                    Some(o) => o,
                    None => self.own_cells("(cancellation type)", 1, at)?,
                };
                self.unit.cancellation.kind = Some(cell);
                self.exchange(cell, args, at)
            }
            Cancel::Test => Ok(Value::void()),
            // The jump back to it is made here, where the thread ends.
            Cancel::Jump if self.context.scopes.get("__cancel_buf").is_some() => Ok(Value::int(0)),
            Cancel::Jump => self.refuse(at, "jumping between functions is", "return a status instead"),
            Cancel::Push => {
                self.push_handler(at)?;
                Ok(Value::void())
            }
            Cancel::Pop => {
                let stack = self.stack(at)?;
                let depth = self.body.load(Expr::Addr(stack), IntKind::Ideal);
                let less = binary(BinOp::Sub, depth, Expr::Const(1), IntKind::Ideal);
                self.body.store(Expr::Addr(stack), less, IntKind::Ideal);
                Ok(Value::void())
            }
            Cancel::Unwind => {
                self.body.cur = self.body.fresh();
                Ok(Value::void())
            }
        }
    }

    /// Before a call of a modelled function: the thread may end there if it is cancelled.
    pub fn cancellation_point(&mut self, name: &str, args: Args<'a>, at: Bytes) -> Res<()> {
        if matches!(name, "sigprocmask" | "pthread_sigmask") {
            self.unit.signals.mask();
        }
        if self.unit.cancellation.requests == 0 {
            return Ok(());
        }
        let Some(p) = point(name) else { return Ok(()) };
        if args.iter().any(|a| does_something(&a.node)) {
            let what =
                format!("an argument of `{name}`, a cancellation point, that does something itself is");
            return self.refuse(at, what, "compute it in a statement of its own, before");
        }
        if p != Point::Maybe {
            self.cancelled_now(at)?;
        }
        if p != Point::Always {
            self.may_be_cancelled(at)?;
        }
        Ok(())
    }

    /// The thread ends here if there is a request.
    pub fn cancelled_now(&mut self, at: Bytes) -> Res<()> {
        if self.unit.cancellation.requests > 0 {
            let go = self.body.fresh();
            self.act_if_cancelled(go, at)?;
            self.body.cur = go;
        }
        Ok(())
    }

    /// The thread may end here, if there is a request.
    pub fn may_be_cancelled(&mut self, at: Bytes) -> Res<()> {
        if self.unit.cancellation.requests == 0 {
            return Ok(());
        }
        let (go, acts) = (self.body.fresh(), self.body.fresh());
        self.body.edge_to(go, Op::Skip);
        self.body.edge_to(acts, Op::Skip);
        self.body.cur = acts;
        let never = self.body.fresh();
        self.act_if_cancelled(never, at)?;
        self.body.dead.insert(never);
        self.body.cur = go;
        Ok(())
    }

    /// Ends the thread if there is a request for it and it heeds them; else goes to a location.
    fn act_if_cancelled(&mut self, otherwise: relyant_cfa::Loc, at: Bytes) -> Res<()> {
        if self.unit.cancellation.switches {
            let cell = self.disabled(at)?;
            let off = self.body.load(Expr::Addr(cell), IntKind::INT);
            let on = self.body.fresh();
            let test = compare(CmpOp::Eq, off, Expr::Const(0));
            self.body.edge_to(otherwise, Op::Assume(test.clone().is_false()));
            self.body.edge_to(on, Op::Assume(test));
            self.body.cur = on;
        }
        let slots = self.requests(at)?;
        let acts = self.body.fresh();
        for k in 0..self.unit.cancellation.requests {
            let who = self.body.load(offset(Expr::Addr(slots), k as u64), IntKind::Ideal);
            self.body.hold();
            let me = compare(CmpOp::Eq, who, Expr::SelfId);
            let next =
                if k + 1 < self.unit.cancellation.requests { self.body.fresh_held() } else { otherwise };
            self.body.edge_to(acts, Op::Assume(me.clone()));
            self.body.edge_to(next, Op::Assume(me.is_false()));
            self.body.cur = next;
        }
        self.body.cur = acts;
        self.end_of_thread();
        let end = self.body.end;
        self.body.edge_to(end, Op::ThreadExit(Expr::Const(CANCELED)));
        Ok(())
    }

    /// Puts a handle in the first free slot, in one step.
    fn request(&mut self, handle: Expr, at: Bytes) -> Res<()> {
        let slots = self.requests(at)?;
        let kept = self.body.temp(IntKind::Ideal);
        self.body.emit(Op::Assign(kept, handle));
        let done = self.body.fresh();
        for k in 0..self.unit.cancellation.requests {
            let slot = offset(Expr::Addr(slots), k as u64);
            let who = self.body.load(slot.clone(), IntKind::Ideal);
            self.body.hold();
            let (free, taken) = (self.body.fresh_held(), self.body.fresh_held());
            let test = compare(CmpOp::Eq, who, Expr::Const(0));
            self.body.edge_to(free, Op::Assume(test.clone()));
            self.body.edge_to(taken, Op::Assume(test.is_false()));
            self.body.cur = free;
            self.body.edge_to(done, Op::Store(slot, Expr::Reg(kept), IntKind::Ideal));
            self.body.cur = taken;
        }
        let limit = self.body.limit("requests to cancel a thread: there are too many");
        let out = self.body.fresh();
        self.body.join(out);
        self.body.edge_to(limit, Op::Skip);
        self.body.cur = done;
        Ok(())
    }

    /// What the thread's own cell holds goes to the second argument, and the first one into the cell.
    fn exchange(&mut self, cell: ObjId, args: Args<'a>, at: Bytes) -> Res<Value> {
        let new = self.value(self.argument(args, 0, at)?)?;
        let new = self.convert(new, &Ty::Int(INT), at)?.expr;
        let to = self.pointee(self.argument(args, 1, at)?)?;
        let r = self.body.result_register();
        let (ok, bad, end) = (self.body.fresh(), self.body.fresh(), self.body.fresh());
        let low = compare(
            CmpOp::Eq,
            binary(BinOp::Div, new.clone(), Expr::Const(2), IntKind::Ideal),
            Expr::Const(0),
        );
        let not_negative = compare(CmpOp::Ge, new.clone(), Expr::Const(0));
        let between = self.body.fresh();
        self.body.edge_to(between, Op::Assume(not_negative.clone()));
        self.body.edge_to(bad, Op::Assume(not_negative.is_false()));
        self.body.cur = between;
        self.body.edge_to(ok, Op::Assume(low.clone()));
        self.body.edge_to(bad, Op::Assume(low.is_false()));
        self.body.cur = ok;
        if let Some(to) = to {
            let old = self.body.load(Expr::Addr(cell), IntKind::INT);
            self.write(&to, Value { expr: old, ty: Ty::Int(INT) }, at)?;
        }
        self.body.store(Expr::Addr(cell), new, IntKind::INT);
        self.body.edge_to(end, Op::Assign(r, Expr::Const(0)));
        self.body.cur = bad;
        self.body.edge_to(end, Op::Assign(r, Expr::Const(EINVAL)));
        self.body.cur = end;
        Ok(Value { expr: Expr::Reg(r), ty: Ty::Int(INT) })
    }

    fn push_handler(&mut self, at: Bytes) -> Res<()> {
        let held = |l: &Self, name: &str| match l.context.scopes.get(name) {
            Some(Symbol::Local(Storage::Register(r), _)) => Some(Expr::Reg(*r)),
            _ => None,
        };
        let (Some(routine), Some(arg)) = (held(self, "__cancel_routine"), held(self, "__cancel_arg")) else {
            return self.refuse(at, "this form of `pthread_cleanup_push` is", "use the macro of <pthread.h>");
        };
        self.unit.functions.call_pointer();
        let stack = self.stack(at)?;
        let depth = self.body.load(Expr::Addr(stack), IntKind::Ideal);
        let done = self.body.fresh();
        for k in 0..self.handlers() {
            let (here, deeper) = (self.body.fresh(), self.body.fresh());
            self.body.branch(compare(CmpOp::Eq, depth.clone(), Expr::Const(k as i128)), here, deeper);
            self.body.cur = here;
            let slot = offset(Expr::Addr(stack), 1 + 2 * k as u64);
            self.body.store(slot.clone(), routine.clone(), IntKind::Ideal);
            self.body.store(offset(slot, 1), arg.clone(), IntKind::Ideal);
            self.body.store(Expr::Addr(stack), Expr::Const(k as i128 + 1), IntKind::Ideal);
            self.body.edge_to(done, Op::Skip);
            self.body.cur = deeper;
        }
        let limit = self.body.limit("cleanup handlers at once: there are too many");
        self.body.edge_to(limit, Op::Skip);
        self.body.cur = done;
        Ok(())
    }

    fn handlers(&self) -> usize {
        self.unit.cancellation.pushes.clamp(1, HANDLERS)
    }

    /// Runs the thread's handlers, where it is about to end.
    pub fn run_handlers(&mut self) {
        if self.unit.cancellation.requests > 0 && self.unit.cancellation.switches {
            // Requests are heeded no more.
            if let Ok(cell) = self.disabled(Bytes::none()) {
                self.body.store(Expr::Addr(cell), Expr::Const(1), IntKind::INT);
            }
        }
        if self.unit.cancellation.pushes == 0 {
            return;
        }
        let known = self.unit.cancellation.runner;
        let id =
            known.unwrap_or_else(|| self.unit.functions.enqueue("(cleanup handlers)".into(), Work::Handlers));
        self.unit.cancellation.runner = Some(id);
        self.unit.functions.call(id);
        self.body.emit_open(Op::Call { dst: None, callee: Callee::Known(id), args: Vec::new() });
    }

    /// The body of the function that does so.
    pub fn handlers_body(&mut self) -> Res<()> {
        let at = Bytes::none();
        let stack = self.stack(at)?;
        self.unit.functions.call_pointer();
        for k in (0..self.handlers()).rev() {
            let depth = self.body.load(Expr::Addr(stack), IntKind::Ideal);
            let (some, next) = (self.body.fresh(), self.body.fresh());
            self.body.branch(compare(CmpOp::Eq, depth, Expr::Const(k as i128 + 1)), some, next);
            self.body.cur = some;
            self.body.store(Expr::Addr(stack), Expr::Const(k as i128), IntKind::Ideal);
            let slot = offset(Expr::Addr(stack), 1 + 2 * k as u64);
            let routine = self.body.load(slot.clone(), IntKind::Ideal);
            let arg = self.body.load(offset(slot, 1), IntKind::Ideal);
            self.body.emit_open(Op::Call { dst: None, callee: Callee::Pointer(routine), args: vec![arg] });
            self.body.join(next);
        }
        Ok(())
    }

    fn own_cells(&mut self, name: &str, n: u64, at: Bytes) -> Res<ObjId> {
        let o = self.object(name, &Ty::Array(Rc::new(Ty::Int(INT)), Some(n)), at)?;
        let object = &mut self.unit.objects[o];
        object.thread_local = true;
        object.init = vec![Some(0); object.cells.len()];
        object.kind = ObjectKind::Ghost;
        Ok(o)
    }

    fn disabled(&mut self, at: Bytes) -> Res<ObjId> {
        let o = match self.unit.cancellation.disabled {
            Some(o) => o,
            None => self.own_cells("(cancellation disabled)", 1, at)?,
        };
        self.unit.cancellation.disabled = Some(o);
        Ok(o)
    }

    fn stack(&mut self, at: Bytes) -> Res<ObjId> {
        if let Some(o) = self.unit.cancellation.stack {
            return Ok(o);
        }
        let n = 1 + 2 * self.handlers() as u64;
        let o = self.object("(cleanup handlers)", &Ty::Array(Rc::new(Ty::Void.pointer()), Some(n)), at)?;
        let object = &mut self.unit.objects[o];
        object.thread_local = true;
        object.init = vec![Some(0); object.cells.len()];
        object.kind = ObjectKind::Ghost;
        self.unit.cancellation.stack = Some(o);
        Ok(o)
    }

    fn requests(&mut self, at: Bytes) -> Res<ObjId> {
        if let Some(o) = self.unit.cancellation.slots {
            return Ok(o);
        }
        let n = self.unit.cancellation.requests.max(1) as u64;
        let o = self.object("(cancelled)", &Ty::Array(Rc::new(Ty::Void.pointer()), Some(n)), at)?;
        let object = &mut self.unit.objects[o];
        object.init = vec![Some(0); object.cells.len()];
        object.synthetic = true;
        self.unit.cancellation.slots = Some(o);
        Ok(o)
    }
}

/// Does evaluating the expression more than give a value?
fn does_something(e: &Expression) -> bool {
    struct Doing(bool);
    impl<'a> Visit<'a> for Doing {
        fn visit_expression(&mut self, e: &'a Expression, span: &'a Bytes) {
            self.0 |= match e {
                Expression::Call(_) | Expression::Statement(_) => true,
                Expression::UnaryOperator(u) => matches!(
                    u.node.operator.node,
                    UnaryOperator::PostIncrement
                        | UnaryOperator::PostDecrement
                        | UnaryOperator::PreIncrement
                        | UnaryOperator::PreDecrement
                ),
                Expression::BinaryOperator(b) => is_assignment(&b.node.operator.node),
                _ => false,
            };
            visit::visit_expression(self, e, span);
        }
    }
    let mut v = Doing(false);
    v.visit_expression(e, &Bytes::none());
    v.0
}

fn is_assignment(op: &BinaryOperator) -> bool {
    matches!(
        op,
        BinaryOperator::Assign
            | BinaryOperator::AssignMultiply
            | BinaryOperator::AssignDivide
            | BinaryOperator::AssignModulo
            | BinaryOperator::AssignPlus
            | BinaryOperator::AssignMinus
            | BinaryOperator::AssignShiftLeft
            | BinaryOperator::AssignShiftRight
            | BinaryOperator::AssignBitwiseAnd
            | BinaryOperator::AssignBitwiseXor
            | BinaryOperator::AssignBitwiseOr
    )
}

/// What the file does with cancellation.
pub fn facts(unit: &TranslationUnit) -> Cancellation {
    struct Counts {
        found: Cancellation,
        repeats: bool,
    }
    impl<'a> Visit<'a> for Counts {
        fn visit_function_definition(&mut self, f: &'a FunctionDefinition, span: &'a Bytes) {
            let mut d = &f.declarator.node;
            while let DeclaratorKind::Declarator(inner) = &d.kind.node {
                d = &inner.node;
            }
            // Other functions may be called, and run by threads, several times; `main` may have loops.
            self.repeats = !matches!(&d.kind.node, DeclaratorKind::Identifier(i) if i.node.name == "main");
            visit::visit_function_definition(self, f, span);
        }
        fn visit_statement(&mut self, s: &'a Statement, span: &'a Bytes) {
            let outer = self.repeats;
            self.repeats |= matches!(s, Statement::While(_) | Statement::DoWhile(_) | Statement::For(_));
            visit::visit_statement(self, s, span);
            self.repeats = outer || matches!(s, Statement::Labeled(_));
        }
        fn visit_call_expression(&mut self, c: &'a CallExpression, span: &'a Bytes) {
            match name_of(&c.callee.node) {
                Some("pthread_cancel") => {
                    self.found.requests += if self.repeats { REQUESTS } else { 1 };
                    self.found.requests = self.found.requests.min(REQUESTS);
                }
                Some("__pthread_register_cancel") => self.found.pushes += 1,
                Some("pthread_setcancelstate") => self.found.switches = true,
                _ => {}
            }
            visit::visit_call_expression(self, c, span);
        }
    }
    let mut v = Counts { found: Cancellation::default(), repeats: false };
    v.visit_translation_unit(unit);
    v.found
}
