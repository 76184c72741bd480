//! Calls: of functions with a body, of modelled ones, and of unknown ones.

use super::access::How;
use super::body::Body;
use super::library::{Model, model, name_decides};
use super::lower::{Lower, Res};
use super::scan::name_of;
use super::scope::Symbol;
use super::translation::Translation;
use super::types::{BOOL, CHAR, INT, Int, Signature, Ty, UINT};
use super::value::{Value, offset};
use lang_c::ast::*;
use lang_c::span::{Node, Span as Bytes};
use relyant_cfa::options::Property;
use relyant_cfa::{Callee, Check, Expr, InputSource, IntKind, Op, Violated};

/// A list of arguments.
pub type Args<'a> = &'a [Node<Expression>];

impl<'a> Lower<'a> {
    /// A call; `wanted`: its value is used.
    pub fn call(&mut self, c: &'a Node<CallExpression>, wanted: bool) -> Res<Value> {
        self.body.nesting += 1;
        let v = self.called(c, wanted);
        self.body.nesting -= 1;
        v
    }

    fn called(&mut self, c: &'a Node<CallExpression>, wanted: bool) -> Res<Value> {
        let args = &c.node.arguments;
        if let Some(name) = callee_name(&c.node.callee.node) {
            match self.context.scopes.get(name) {
                Some(Symbol::Function) | None => {
                    return self.call_named(name, args, wanted, c.span);
                }
                _ => {}
            }
        }
        self.body.begin_operands(false);
        let f = self.value(&c.node.callee)?;
        self.body.end_operand();
        let target = f.ty.target().unwrap_or(&f.ty).clone();
        let Ty::Function(signature) = target else {
            return self.error(c.node.callee.span, "this is no function", "");
        };
        let promote = signature.params.is_none() || self.has_list(&signature);
        let args = self.convert_arguments(&signature, args, promote, c.span)?;
        self.body.end_operands();
        let args = self.put_in_list(&signature, args, c.span)?;
        let callee = match f.expr {
            Expr::Func(id) => {
                self.unit.functions.call(id);
                Callee::Known(id)
            }
            e => {
                // Which functions it can be is decided later; those are all that have their address taken.
                self.unit.functions.call_pointer();
                Callee::Pointer(e)
            }
        };
        self.emit_call(callee, args, &signature.result, wanted, c.span)
    }

    /// A call with arguments that were evaluated.
    pub fn emit_call(
        &mut self,
        callee: Callee,
        mut args: Vec<Expr>,
        result: &Ty,
        wanted: bool,
        at: Bytes,
    ) -> Res<Value> {
        let (dst, value) = match result {
            Ty::Void => (None, Value::void()),
            Ty::Record(_) => {
                let object = self.local_object("result", result, at)?;
                args.insert(0, Expr::Addr(object));
                (None, Value { expr: Expr::Addr(object), ty: result.clone() })
            }
            t if t.is_scalar() => {
                let kind = self.unit.types.kind(t);
                let r = wanted.then(|| self.body.temp(kind));
                (r, Value { expr: r.map_or(Expr::Const(0), Expr::Reg), ty: t.plain().clone() })
            }
            t => {
                let what = format!("a call of a function that returns `{}` is", self.unit.types.describe(t));
                return self.refuse(at, what, "return it through a pointer");
            }
        };
        let span = self.span(at);
        let before = std::mem::replace(&mut self.body.span, span);
        self.body.emit_open(Op::Call { dst, callee, args });
        self.body.span = before;
        Ok(value)
    }

    /// Arguments of a call of a function of the file.
    pub fn arguments(&mut self, name: &str, args: Args<'a>, at: Bytes) -> Res<Vec<Expr>> {
        match self.unit.signature(name) {
            Some(s) => {
                let s = self.with_rows(name, &s, args)?;
                self.body.begin_operands(false);
                let values = self.convert_arguments(&s, args, self.has_list(&s), at)?;
                self.body.end_operands();
                self.put_in_list(&s, values, at)
            }
            None => Ok(Vec::new()),
        }
    }

    /// Arguments converted to the parameters' types, records cell by cell: operands of the region that is open.
    /// `promote`: pass what has no parameter.
    fn convert_arguments(
        &mut self,
        s: &Signature,
        args: Args<'a>,
        promote: bool,
        at: Bytes,
    ) -> Res<Vec<Expr>> {
        let params = s.params.as_deref().unwrap_or(&[]);
        let mut out = Vec::new();
        for (k, a) in args.iter().enumerate() {
            let v = self.passed(a, params.get(k), promote)?;
            self.pass(v, a.span, &mut out)?;
            self.body.end_operand();
        }
        for ty in params.iter().skip(args.len()) {
            // Too few arguments: the parameters hold anything.
            let mut cells = Vec::new();
            if let Err(why) = self.unit.types.flatten(ty, "", &mut cells) {
                return self.error(at, why, "");
            }
            for (kind, _) in cells {
                out.push(self.body.havoc(kind, InputSource::uninitialised()));
            }
        }
        Ok(out)
    }

    /// Adds an argument to those that are passed, a record cell by cell.
    fn pass(&mut self, v: Value, at: Bytes, out: &mut Vec<Expr>) -> Res<()> {
        if v.ty == Ty::Void {
            return Ok(());
        }
        if v.ty.is_scalar() {
            out.push(v.expr);
            return Ok(());
        }
        let mut cells = Vec::new();
        if let Err(why) = self.unit.types.flatten(&v.ty, "", &mut cells) {
            return self.refuse(at, format!("{why}; passing it is"), "");
        }
        for (k, (kind, _)) in cells.into_iter().enumerate() {
            let cell = offset(v.expr.clone(), k as u64);
            out.push(self.read_cell(cell, kind, How::default(), at));
        }
        Ok(())
    }

    /// One argument, converted; nothing where no parameter takes it.
    fn passed(&mut self, a: &'a Node<Expression>, ty: Option<&Ty>, promote: bool) -> Res<Value> {
        match ty {
            Some(ty) => {
                let v = self.value(a)?;
                self.convert(v, ty, a.span)
            }
            None if promote => {
                let v = self.value(a)?;
                if v.ty.is_arithmetic() { self.promoted(v, a.span) } else { Ok(v) }
            }
            None => self.effect(a).map(|()| Value::void()),
        }
    }

    fn call_named(&mut self, name: &str, args: Args<'a>, wanted: bool, at: Bytes) -> Res<Value> {
        let defined = self.unit.functions.is_defined(name);
        if self.unit.is_error_function(name) {
            self.checked(Check::ErrorCall, at);
            self.evaluate(args)?;
            self.body.span = self.span(at);
            self.body.fail(Violated::Call(name.to_string()));
            return Ok(Value::void());
        }
        // Where reaching an error is none, the function does what it says.
        let called = self.unit.source.names.plain(name);
        let plain = !self.unit.options.asserts() && matches!(model(called), Some(Model::Error(_)));
        if defined && (plain || !name_decides(called)) {
            let signature = self.unit.signature(name);
            let values = self.arguments(name, args, at)?;
            let (Some(id), Some(s)) = (self.unit.functions.ask(name), signature) else {
                return self.error(at, format!("`{name}` is no function"), "");
            };
            self.unit.functions.call(id);
            return self.emit_call(Callee::Known(id), values, &s.result, wanted, at);
        }
        if name == "glb_init" && self.unit.options.threads.is_empty() {
            return self.refuse(
                at,
                "`glb_init` without --threads is",
                "say --threads f:g, or define the function",
            );
        }
        match model(called) {
            // POSIX's takes no argument: this is another one.
            Some(Model::Refuse(..)) if name == "pause" && !args.is_empty() => {
                self.unknown(name, args, wanted, at)
            }
            Some(m) => {
                self.cancellation_point(name, args, at)?;
                self.checked_call(&m, at);
                self.one_call(m, name, args, wanted, at)
            }
            None => self.unknown(name, args, wanted, at),
        }
    }

    /// A call of a modelled function: once its arguments are evaluated, nothing of the expression around it is until
    /// it has returned (C11 6.5.2.2p10).
    fn one_call(&mut self, m: Model, name: &str, args: Args<'a>, wanted: bool, at: Bytes) -> Res<Value> {
        self.body.last_arguments = None;
        let v = self.modelled(m, name, args, wanted, at)?;
        match self.body.last_arguments {
            Some((nesting, locations)) if nesting == self.body.nesting => self.body.one_call(locations),
            _ => {
                if args.len() > 1 && args.iter().filter(|a| self.acts(a)).count() > 1 {
                    self.unit.assume(format!("arguments of `{name}` are evaluated from left to right"));
                }
            }
        }
        Ok(v)
    }

    /// Has an expression a call or a side effect on memory?
    fn acts(&mut self, e: &'a Node<Expression>) -> bool {
        let mark = self.body.mark();
        let read = self.value(e).is_ok();
        let edges = &self.body.graph.edges[mark.edges()..];
        let acts = read && edges.iter().any(|e| matches!(e.op, Op::Call { .. } | Op::Store(..)));
        self.rewind(mark);
        acts
    }

    /// Where that matters, nobody knows what a function reads behind a list of arguments.
    fn list_is_read(&mut self, name: &str, at: Bytes) -> Res<()> {
        let o = &self.unit.options;
        if (o.checks_memory() || o.property == Property::NoDataRace) && super::library::takes_list(name) {
            let what = format!("`{name}` where memory or races are checked is");
            self.beyond(at, &what, "give the function fixed parameters")?;
        }
        Ok(())
    }

    /// Are atomic operations on so many bytes done without locks?
    fn lock_free(&mut self, args: Args<'a>, at: Bytes) -> Res<Value> {
        let bytes = self.constant(self.argument(args, 0, at)?)?;
        self.evaluate(args)?;
        match bytes {
            Some(1 | 2 | 4 | 8) => Ok(Value::int(1)),
            _ => self.refuse(at, "asking whether an object of this size is lock-free is", "write 0 or 1"),
        }
    }

    /// Any values in what arguments at these positions point to.
    fn fills(&mut self, which: &[usize], name: &str, args: Args<'a>, at: Bytes) -> Res<Value> {
        for (k, a) in args.iter().enumerate() {
            if which.contains(&k) { self.any_into(name, a, None, at)? } else { self.effect(a)? }
        }
        Ok(Value::int(0))
    }

    /// A call of a function of the table.
    fn modelled(&mut self, m: Model, name: &str, args: Args<'a>, wanted: bool, at: Bytes) -> Res<Value> {
        let first = |l: &Self| match args.first() {
            Some(a) => Ok(a),
            None => l.error(at, format!("`{name}` needs an argument"), ""),
        };
        match m {
            Model::Error(what) => self.error_call(what.violated(), at),
            Model::Assert => self.assertion(first(self)?)?,
            Model::Assume => self.assumption(first(self)?)?,
            Model::Begin => self.body.marker(1),
            Model::End => self.body.marker(-1),
            Model::Halt => self.halt(false, args)?,
            Model::Exit => self.halt(true, args)?,
            Model::Stuck => self.body.stay(),
            Model::Hint => {}
            Model::SetErrno => {
                let e = self.constant(first(self)?)?.unwrap_or(0);
                self.set_errno(e, at)?;
            }
            Model::Nothing => {
                self.evaluate(args)?;
                return Ok(Value::int(0));
            }
            Model::Fence => {
                let order = args.first().map(|a| self.constant(a)).transpose()?.flatten();
                self.evaluate(args)?;
                self.body.fence(args.is_empty() || order == Some(5));
                return Ok(Value::int(0));
            }
            Model::Fills(which) => return self.fills(which, name, args, at),
            Model::Nondet => return self.nondet(name, args, wanted, at),
            Model::Input(approximates) => return self.input(approximates, name, wanted, at),
            Model::First => return self.first_argument(first(self)?, args, at),
            Model::Errno => {
                let object = self.errno_object(at)?;
                return Ok(Value { expr: Expr::Addr(object), ty: Ty::Int(INT).pointer() });
            }
            Model::IsConstant => {
                let known = self.constant(first(self)?)?.is_some();
                return Ok(Value::int(i128::from(known)));
            }
            Model::List { copy } => return self.set_list(copy, args, at),
            Model::LockFree => return self.lock_free(args, at),
            Model::Choose => {
                return match self.constant(first(self)?)? {
                    Some(n) => self.value(self.argument(args, if n != 0 { 1 } else { 2 }, at)?),
                    None => self.error(at, "the first argument must be constant", ""),
                };
            }
            Model::ObjectSize => {
                self.unit.assume("what a compiler knows of sizes of objects is any number");
                let ty = Ty::Int(self.unit.types.ulong());
                return self.any(&ty, InputSource::input(name), wanted, at);
            }
            Model::Bits(b, width) => {
                let width = if width == 0 { self.unit.types.long().bits } else { width };
                return self.bits_call(b, width, args, at);
            }
            Model::Abs => return self.absolute(name, first(self)?, at),
            Model::Magnitude => return self.magnitude(name, first(self)?, at),
            Model::FloatClass(c) => return self.float_class(c, first(self)?, at),
            Model::Rounded(how, p) => return self.rounded(how, p, first(self)?, name, at),
            Model::Text(t) if args.iter().any(|a| self.of_command_line(&a.node)) => {
                return self.text_of_command_line(t, name, args, wanted, at);
            }
            Model::Row(row) => {
                self.list_is_read(name, at)?;
                return self.row_call(row, name, args, wanted, at);
            }
            Model::Compatible => return self.compatible(args, at),
            Model::Overflow { op, generic, stores } => {
                return self.overflow_call(op, generic, stores, args, at);
            }
            Model::Classify(c) => return self.classify(c, args, at),
            Model::ChangeCase { upper } => return self.change_case(upper, args, at),
            Model::Key(k) => return self.key_call(k, args, at),
            Model::Thread(t) => return self.thread_call(t, args, at),
            Model::Cancel(c) => return self.cancel_call(c, args, at),
            Model::Signal(s) => return self.signal_call(s, args, at),
            Model::AtExit => return self.register_at_exit(args, at),
            Model::Divide => return self.divide(name, args, at),
            Model::Lock(l) => return self.lock_call(l, false, args, at),
            Model::Lock11(l) => return self.lock_call(l, true, args, at),
            Model::Atomic(a) => return self.atomic_call(name, a, args, at),
            Model::Allocate(which) => return self.allocate(which, args, at),
            Model::Free => return self.give_back(args, at),
            Model::Scan(what) => return self.scan_call(name, what, args, at),
            Model::Print { limited } => {
                self.list_is_read(name, at)?;
                return self.print_call(name, limited, args, at);
            }
            Model::Sort { search } => return self.sort_call(search, name, args, at),
            Model::Memory(m) => return self.memory_call(m, args, at),
            Model::Text(t) => return self.text_call(t, args, at),
            Model::Refuse(what, help) => return self.refuse(at, format!("`{name}`: {what}"), help),
        }
        Ok(Value::void())
    }

    /// Evaluates arguments: what they read is read.
    pub fn evaluate(&mut self, args: Args<'a>) -> Res<()> {
        self.library_values(args).map(drop)
    }

    /// Any value of a type.
    pub fn any(&mut self, ty: &Ty, source: InputSource, wanted: bool, at: Bytes) -> Res<Value> {
        match ty.plain() {
            Ty::Void => Ok(Value::void()),
            t if t.is_scalar() => {
                let kind = self.unit.types.kind(t);
                let expr = if wanted { self.body.havoc(kind, source) } else { Expr::Const(0) };
                Ok(Value { expr, ty: t.clone() })
            }
            t => {
                let what = format!("`{source}`, which returns `{}`, is", self.unit.types.describe(t));
                self.refuse(at, what, "use integers")
            }
        }
    }

    /// A function that is neither defined nor modelled: without access to memory its value is any value.
    fn unknown(&mut self, name: &str, args: Args<'a>, wanted: bool, at: Bytes) -> Res<Value> {
        let shown = super::tokens::original_name(name);
        let families = [
            "__builtin_",
            "__sync_",
            "__atomic_",
            "__CPROVER_",
            "__VERIFIER_",
            "pthread_",
            "atomic_",
            "thrd_",
            "mtx_",
            "cnd_",
            "tss_",
            "sem_",
        ];
        if let Some(v) = self.uninterpreted(name, args, at)? {
            return Ok(v);
        }
        let declared_here = self.unit.functions.declared.contains_key(name) && name.starts_with("atomic_");
        if families.iter().any(|f| name.starts_with(f)) && !declared_here {
            return self.refuse(
                at,
                format!("`{shown}` is"),
                "what it does is not modelled; define it in the file",
            );
        }
        let signature = self.unit.signature(name);
        let result = signature.as_ref().map_or(Ty::Int(INT), |s| s.result.clone());
        self.body.begin_operands(false);
        for a in args {
            let ty = self.value_type(a)?;
            // Nobody may write a literal, and null points to nothing.
            let harmless = matches!(a.node, Expression::StringLiteral(_)) || self.constant(a)? == Some(0);
            if !harmless && !matches!(ty.plain(), Ty::Int(_) | Ty::Float(_)) {
                return self.refuse(
                    at,
                    format!("`{shown}`, which has no body and gets a pointer, is"),
                    "it could write memory the property depends on: define it in the file",
                );
            }
            self.effect(a)?;
            self.body.end_operand();
        }
        self.body.end_arguments();
        if result.target().is_some() && wanted {
            return self.refuse(
                at,
                format!("`{shown}`, which has no body and returns a pointer, is"),
                "what it points to is unknown: define it in the file",
            );
        }
        let stays = self.unit.symbols.is_noreturn(name);
        let what = if stays {
            "never returns; other threads go on"
        } else if result == Ty::Void || !wanted {
            "changes nothing"
        } else {
            "returns any value and changes nothing"
        };
        self.unit.assume(format!("`{shown}`, which has no body, {what}"));
        if stays {
            self.body.cur = self.body.fresh();
        }
        self.any_errno(at)?;
        let kind = self.unit.types.kind(&result);
        if wanted && result.is_scalar() {
            let expr = self.body.havoc(kind, InputSource::input(&shown));
            return Ok(Value { expr, ty: result.plain().clone() });
        }
        self.any(&result, InputSource::input(&shown), wanted, at)
    }
}

impl Body {
    /// A call is no part of the step of the statement it is in: it starts from and leads to a location where others
    /// may move.
    pub fn emit_open(&mut self, op: Op) {
        self.open.insert(self.cur);
        self.emit(op);
        self.open.insert(self.cur);
    }

    /// A fresh register that several branches set.
    pub fn result_register(&mut self) -> relyant_cfa::Reg {
        self.temp(IntKind::INT)
    }
}

impl Translation<'_> {
    /// Are calls of it what must not happen?
    pub fn is_error_function(&self, name: &str) -> bool {
        self.options.error_function.as_deref() == Some(self.source.names.plain(name))
    }

    /// The type that a short name stands for (`uchar`, `longlong`); `int` for others.
    pub fn named_type(&self, name: &str) -> Ty {
        let unsigned = |i: Int| Ty::Int(Int { signed: false, ..i });
        let short = super::types::SHORT;
        let long_long = super::types::LONG_LONG;
        match name {
            "bool" => Ty::Int(BOOL),
            "char" => Ty::Int(CHAR),
            "uchar" => unsigned(CHAR),
            "short" => Ty::Int(short),
            "ushort" => unsigned(short),
            "uint" => Ty::Int(UINT),
            "long" => Ty::Int(self.types.long()),
            "ulong" => Ty::Int(self.types.ulong()),
            "longlong" => Ty::Int(long_long),
            "ulonglong" => unsigned(long_long),
            "pointer" => Ty::Void.pointer(),
            "float" => Ty::Float(4),
            "double" => Ty::Float(8),
            _ => Ty::Int(INT),
        }
    }
}

/// The name of what is called, through `*f`, `&f`.
fn callee_name(e: &Expression) -> Option<&str> {
    match e {
        Expression::UnaryOperator(u)
            if matches!(u.node.operator.node, UnaryOperator::Indirection | UnaryOperator::Address) =>
        {
            callee_name(&u.node.operand.node)
        }
        e => name_of(e),
    }
}
