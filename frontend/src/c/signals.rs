//! Signal handlers. Once it is set, a handler may run at any time and any number of times, in a thread that is stopped
//! meanwhile. It is run here by a thread of its own, in one step. That is exact for handlers that do one thing with
//! memory that others can see, such as setting a flag: the others are refused.
//!
//! A cell for each signal holds what is set: 0 (default), 1 (ignored) or the handler.

use super::body::Body;
use super::calls::Args;
use super::library::Signal;
use super::lower::{Lower, Res};
use super::scan::name_of;
use super::source::Source;
use super::translation::Work;
use super::types::{Ty, UINT};
use super::value::{Value, compare, offset};
use lang_c::ast::Expression;
use lang_c::span::Span as Bytes;
use relyant_cfa::options::Property;
use relyant_cfa::points_to::PointsTo;
use relyant_cfa::walk;
use relyant_cfa::{Callee, CmpOp, Expr, FuncId, Function, IntKind, Module, ObjId, Object, ObjectKind, Op};
use std::collections::{BTreeMap, BTreeSet};

/// Signals without an effect by default: SIGCHLD, SIGCONT, SIGURG, SIGWINCH.
const IGNORED: [i128; 4] = [17, 18, 23, 28];
/// Signals that stop the program by default, or cannot be caught: SIGKILL, SIGSTOP, SIGTSTP, SIGTTIN, SIGTTOU.
const STOPS: [i128; 5] = [9, 19, 20, 21, 22];

/// Signals of a file.
#[derive(Debug, Default)]
pub struct Signals {
    /// What is set, by signal.
    cells: BTreeMap<i128, ObjId>,
    /// Handlers set somewhere, with the place.
    handlers: Vec<(FuncId, Bytes)>,
    /// Threads that run what `sigaction` sets, with the place.
    actions: Vec<(FuncId, Bytes)>,
    /// Some mask is changed.
    masked: bool,
}

impl Signals {
    /// Some mask is changed.
    pub fn mask(&mut self) {
        self.masked = true;
    }
}

impl<'a> Lower<'a> {
    /// A call of a function on signals.
    pub fn signal_call(&mut self, s: Signal, args: Args<'a>, at: Bytes) -> Res<Value> {
        if s == Signal::Alarm {
            return self.alarm(args, at);
        }
        let itself = |e: &Expression| match e {
            Expression::Call(c) => name_of(&c.node.callee.node) == Some("getpid"),
            _ => false,
        };
        if s == Signal::Kill && !itself(&self.argument(args, 0, at)?.node) {
            return self.refuse(at, "a signal to another process is", "send it to getpid()");
        }
        let number = self.argument(args, usize::from(s == Signal::Kill), at)?;
        let Some(number) = self.constant(number)? else {
            return self.refuse(number.span, "a signal that is no constant is", "name the signal");
        };
        if !(1..=64).contains(&number) || STOPS.contains(&number) {
            return self.refuse(at, format!("signal {number} is"), "use one that can be caught");
        }
        match s {
            Signal::Set => self.set_handler(number, args, at),
            Signal::Action => self.set_action(number, args, at),
            Signal::Raise => self.raise(number, at),
            // One that does not block the signal has it delivered before `kill` returns: this one, or another one (POSIX).
            Signal::Kill if self.unit.exits.threads => {
                self.refuse(at, "`kill` in a program with threads is", "use raise, which names the thread")
            }
            Signal::Kill | Signal::Alarm => self.raise(number, at),
        }
    }

    /// The signal may come at any time if it has a handler, as others may; without one it ends the program, which runs
    /// that go on do not show.
    fn alarm(&mut self, args: Args<'a>, at: Bytes) -> Res<Value> {
        if self.unit.options.deadlock {
            return self.refuse(at, "`alarm` where deadlocks are looked for is", "");
        }
        self.evaluate(args)?;
        let kind = self.unit.types.kind(&Ty::Int(UINT));
        let left = self.body.havoc(kind, relyant_cfa::InputSource::input("alarm"));
        Ok(Value { expr: left, ty: Ty::Int(UINT) })
    }

    fn set_handler(&mut self, number: i128, args: Args<'a>, at: Bytes) -> Res<Value> {
        if self.unit.options.deadlock || self.unit.options.property == Property::NoDataRace {
            return self.refuse(at, "a signal handler where deadlocks or data races are looked for is", "");
        }
        let h = self.value(self.argument(args, 1, at)?)?;
        let cell = self.signal_cell(number, at)?;
        let ty = h.ty.clone();
        let old = self.body.load(Expr::Addr(cell), IntKind::Ideal);
        self.body.hold();
        self.body.store(Expr::Addr(cell), h.expr.clone(), IntKind::Ideal);
        match h.expr {
            Expr::Const(0 | 1) => {}
            Expr::Func(id) => {
                self.has_body(id, at)?;
                self.unit.assume("calls that wait are not cut short by signals");
                self.unit.assume("a signal with a handler may come at any time");
                self.unit.functions.call(id);
                self.unit.signals.handlers.push((id, at));
                let name = format!("(signal {number}, handler {})", id.0);
                let known = self.unit.functions.id(&name);
                let work = Work::Handler { number, handler: Some(id), cell };
                let routine = known.unwrap_or_else(|| self.unit.functions.enqueue(name, work));
                self.unit.functions.call(routine);
                let handle = self.body.temp(IntKind::Ideal);
                let routine = Callee::Known(routine);
                self.body.emit(Op::Create { handle, routine, arg: None, template: None });
            }
            _ => return self.refuse(at, "a handler that is no function of the file is", "name the function"),
        }
        Ok(Value { expr: old, ty })
    }

    /// `sigaction`: the handler is what the structure says when it is called.
    fn set_action(&mut self, number: i128, args: Args<'a>, at: Bytes) -> Res<Value> {
        if self.unit.options.deadlock || self.unit.options.property == Property::NoDataRace {
            return self.refuse(at, "a signal handler where deadlocks or data races are looked for is", "");
        }
        let old = self.argument(args, 2, at)?;
        if self.constant(old)? != Some(0) {
            return self.refuse(old.span, "asking for the old action of a signal is", "pass a null pointer");
        }
        let action = self.value(self.argument(args, 1, at)?)?;
        if action.constant() == Some(0) {
            return Ok(Value::int(0));
        }
        let at_member = |l: &Self, ty: &Ty, name: &str| match ty.plain() {
            Ty::Record(id) => l.unit.types.member(*id, name).map(|m| (m.cell, m.ty)),
            _ => None,
        };
        let record = action.ty.target().cloned().unwrap_or(Ty::Void);
        let (first, inner) = at_member(self, &record, "__sigaction_handler").unwrap_or((0, record.clone()));
        let found = at_member(self, &inner, "sa_handler")
            .filter(|_| self.unit.types.mentioned.contains("sa_handler"));
        let Some((second, _)) = found.filter(|_| !self.unit.types.mentioned.contains("sa_sigaction")) else {
            return self.refuse(at, "a handler in another member than sa_handler is", "use sa_handler");
        };
        let to = Expr::Reg(self.body.assign(IntKind::Ideal, action.expr));
        if let Some((flags, ty)) = at_member(self, &record, "sa_flags") {
            let kind = self.unit.types.kind(&ty);
            let flags = self.body.load(offset(to.clone(), flags), kind);
            // SA_RESETHAND is the sign.
            let (reset, stays) = (self.body.fresh(), self.body.fresh());
            self.body.branch(compare(CmpOp::Lt, flags, Expr::Const(0)), reset, stays);
            self.body.cur = reset;
            let limit = self.body.limit("a signal handler that is set for one signal only (SA_RESETHAND)");
            self.body.edge_to(limit, Op::Skip);
            self.body.cur = stays;
        }
        let handler = self.body.load(offset(to, first + second), IntKind::Ideal);
        let cell = self.signal_cell(number, at)?;
        self.body.store(Expr::Addr(cell), handler, IntKind::Ideal);
        self.unit.assume("calls that wait are not cut short by signals");
        self.unit.assume("a signal with a handler may come at any time");
        self.unit.functions.call_pointer();
        let name = format!("(signal {number})");
        let known = self.unit.functions.id(&name);
        let routine = known.unwrap_or_else(|| {
            self.unit.functions.enqueue(name, Work::Handler { number, handler: None, cell })
        });
        self.unit.functions.call(routine);
        self.unit.signals.actions.push((routine, at));
        let handle = self.body.temp(IntKind::Ideal);
        let routine = Callee::Known(routine);
        self.body.emit(Op::Create { handle, routine, arg: None, template: None });
        Ok(Value::int(0))
    }

    /// The handler runs at once, in this thread.
    fn raise(&mut self, number: i128, at: Bytes) -> Res<Value> {
        let cell = self.signal_cell(number, at)?;
        let (default, set, end) = (self.body.fresh(), self.body.fresh(), self.body.fresh());
        let what = self.body.load(Expr::Addr(cell), IntKind::Ideal);
        let other = self.body.fresh();
        self.body.branch(compare(CmpOp::Eq, what.clone(), Expr::Const(0)), default, other);
        self.body.cur = other;
        self.body.branch(compare(CmpOp::Eq, what.clone(), Expr::Const(1)), end, set);
        self.body.cur = default;
        if IGNORED.contains(&number) {
            self.body.edge_to(end, Op::Skip);
        } else {
            let over = self.body.end;
            self.body.edge_to(over, Op::Halt);
        }
        self.body.cur = set;
        // Elsewhere in the file, or later, there may be handlers that this cell never holds.
        self.unit.functions.call_pointer();
        self.body.emit_open(Op::Call {
            dst: None,
            callee: Callee::Pointer(what),
            args: vec![Expr::Const(number)],
        });
        self.body.join(end);
        Ok(Value::int(0))
    }

    fn signal_cell(&mut self, number: i128, at: Bytes) -> Res<ObjId> {
        if let Some(o) = self.unit.signals.cells.get(&number) {
            return Ok(*o);
        }
        let o = self.object(&format!("(signal {number})"), &Ty::Void.pointer(), at)?;
        self.unit.objects[o].init = vec![Some(0)];
        // Numbers are up to 64.
        self.unit.objects[o].kind = ObjectKind::Signal(u8::try_from(number).unwrap_or_default());
        self.unit.signals.cells.insert(number, o);
        Ok(o)
    }

    /// Refuses handlers that do more than one thing that others can see, and masks beside handlers.
    pub fn check_handlers(&self, functions: &[Function]) -> Res<()> {
        for (handler, at) in &self.unit.signals.handlers {
            if self.unit.signals.masked {
                return self.refuse(*at, "a signal handler beside signals that are blocked is", "");
            }
            if !is_simple(*handler, functions, self.unit.objects.all()) {
                return self.refuse(*at, COMPLICATED.0, COMPLICATED.1);
            }
        }
        Ok(())
    }
}

impl Body {
    /// The body of the thread that runs a handler, any number of times, while it is the one that is set.
    pub fn handler_body(&mut self, number: i128, handler: Option<FuncId>, cell: ObjId) {
        let (head, out) = (self.fresh(), self.fresh());
        self.join(head);
        self.edge_to(out, Op::Skip);
        let set = self.load(Expr::Addr(cell), IntKind::Ideal);
        self.hold();
        let (is_set, callee) = match handler {
            Some(f) => (compare(CmpOp::Eq, set, Expr::Func(f)), Callee::Known(f)),
            None => (compare(CmpOp::Gt, set.clone(), Expr::Const(1)), Callee::Pointer(set)),
        };
        self.emit_held(Op::Assume(is_set));
        self.emit(Op::Call { dst: None, callee, args: vec![Expr::Const(number)] });
        self.edge_to(head, Op::Skip);
        self.cur = out;
    }
}

/// What is said of other handlers, and what to do.
const COMPLICATED: (&str, &str) = (
    "a signal handler that does more than one thing others can see is",
    "set one flag in the handler, and do the rest where it is read",
);

/// Refuses handlers of `sigaction` that do more than one thing that others can see, or are not known.
pub fn check_actions(module: &Module, signals: &Signals, source: &Source) -> Res<()> {
    let Some((_, first)) = signals.actions.first() else { return Ok(()) };
    let refuse = |at: Bytes, what: &str, help: &str| {
        Err(source.diagnostic(source.span(at.start), format!("{what} not supported"), help))
    };
    if signals.masked {
        return refuse(*first, "a signal handler beside signals that are blocked is", "");
    }
    let points_to = PointsTo::of_module(module);
    for (routine, at) in &signals.actions {
        for e in &module.functions[routine.0 as usize].graph.edges {
            let Op::Call { callee: Callee::Pointer(f), .. } = &e.op else { continue };
            let Some(handlers) = points_to.functions(routine.0, f) else {
                return refuse(*at, "a handler that is no function of the file is", "name the function");
            };
            for h in handlers {
                if module.functions[h.0 as usize].params.len() != 1 {
                    return refuse(*at, "a signal handler without the signal as its parameter is", "");
                }
                if !is_simple(h, &module.functions, &module.objects) {
                    return refuse(*at, COMPLICATED.0, COMPLICATED.1);
                }
            }
        }
    }
    Ok(())
}

/// Does a handler at most one thing that others can see?
fn is_simple(handler: FuncId, functions: &[Function], objects: &[Object]) -> bool {
    let mut seen = BTreeSet::new();
    let mut work = vec![handler];
    let (mut steps, mut strange) = (0, false);
    while let Some(f) = work.pop() {
        let function = &functions[f.0 as usize];
        if !seen.insert(f) {
            // Called from two places, or by itself.
            steps += 2;
            continue;
        }
        strange |= is_cyclic(function);
        for e in &function.graph.edges {
            match &e.op {
                Op::Load(_, a, _) | Op::Store(a, _, _) => {
                    steps += usize::from(!is_own(a, function));
                }
                Op::Call { callee: Callee::Known(g), .. } => work.push(*g),
                Op::Call { .. } | Op::Create { .. } | Op::Join { .. } | Op::ThreadExit(_) => {
                    strange = true;
                }
                Op::Halt => steps += 1,
                Op::Skip | Op::Assign(..) | Op::Havoc { .. } | Op::Assume(_) | Op::Return(_) => {}
            }
            for x in walk::reads(&e.op) {
                walk::visit(x, &mut |x| match x {
                    Expr::SelfId => strange = true,
                    Expr::Addr(o) => strange |= objects[o.0 as usize].thread_local,
                    _ => {}
                });
            }
        }
    }
    steps <= 1 && !strange
}

/// Is it a local of the function that is accessed?
fn is_own(a: &Expr, function: &Function) -> bool {
    let mut own = true;
    let mut some = false;
    walk::visit(a, &mut |x| match x {
        Expr::Addr(o) => {
            some = true;
            own &= function.locals.contains(o);
        }
        Expr::Reg(_) => own = false,
        _ => {}
    });
    own && some
}

fn is_cyclic(function: &Function) -> bool {
    let out = function.graph.out_edges();
    let n = out.len();
    // 0 new, 1 on the way, 2 done.
    let mut state = vec![0u8; n];
    for root in 0..n {
        let mut stack = vec![(root, 0)];
        if std::mem::replace(&mut state[root], 1) != 0 {
            state[root] = 2;
            continue;
        }
        while let Some((l, k)) = stack.pop() {
            let Some(e) = out[l].get(k) else {
                state[l] = 2;
                continue;
            };
            stack.push((l, k + 1));
            let to = function.graph.edges[*e].to.0 as usize;
            match state[to] {
                0 => {
                    state[to] = 1;
                    stack.push((to, 0));
                }
                1 => return true,
                _ => {}
            }
        }
    }
    false
}
