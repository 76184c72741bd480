//! What library functions do to the memory behind their arguments, as accesses like those of the program.
//!
//! Reads are done where somebody minds them: data races and checks of memory. Elsewhere a read that is defined changes
//! nothing.

use super::access::How;
use super::body::Body;
use super::calls::Args;
use super::library::{Effect, Far, Gives, Model, Row, bodies, model};
use super::lower::{Lower, Res};
use super::parts::Part;
use super::scan::name_of;
use super::scope::Symbol;
use super::translation::Translation;
use super::types::{INT, Int, Ty};
use super::value::{Value, binary, compare, offset};
use lang_c::ast::Expression;
use lang_c::span::{Node, Span as Bytes};
use relyant_cfa::options::{Integers, Property};
use relyant_cfa::{BinOp, Callee, CmpOp, Expr, FuncId, InputSource, IntKind, Op};

/// Most cells that are accessed one by one; more are in a loop.
const FEW: usize = 64;

impl<'a> Lower<'a> {
    /// The values of the arguments of a library function, in any order.
    pub fn library_values(&mut self, args: Args<'a>) -> Res<Vec<Value>> {
        self.body.begin_operands(false);
        let mut values = Vec::new();
        for a in args {
            values.push(self.library_value(a)?);
            self.body.end_operand();
        }
        self.body.end_arguments();
        Ok(values)
    }

    fn library_value(&mut self, a: &'a Node<Expression>) -> Res<Value> {
        if self.of_command_line(&a.node) {
            return Ok(Value::void());
        }
        if let Some(Symbol::Local(_, Ty::Unsupported(_))) =
            name_of(&a.node).and_then(|n| self.context.scopes.get(n))
        {
            return Ok(Value::void());
        }
        self.value(a)
    }

    /// A call of a function of the table.
    pub fn row_call(
        &mut self,
        row: &'static Row,
        name: &str,
        args: Args<'a>,
        wanted: bool,
        at: Bytes,
    ) -> Res<Value> {
        let options = name == "getopt";
        let outside = !options && args.iter().any(|a| self.of_command_line(&a.node));
        let mut values = self.library_values(args)?;
        if options {
            // What the words are does not matter.
            values.drain(..values.len().min(2));
            self.unit.assume("an option of the command line has at most 16 characters");
        }
        let result = self.unit.signature(name).map_or(Ty::Int(INT), |s| s.result.clone());
        let numbers = row.effects.is_empty() && row.gives == Gives::Any;
        if numbers && values.iter().any(|v| v.ty.target().is_some()) {
            // A function of the program's that happens to have the name.
            return self.refuse(
                at,
                format!("`{name}`, which has no body and gets a pointer, is"),
                "it could write memory the property depends on: define it in the file",
            );
        }
        if name == "getline" {
            self.unit.assume("`getline` finds lines that fit in the memory it is given, or in 120 bytes");
        }
        let (mut done, mut value) = (None, Value::void());
        if let Gives::Upto(k, least) = row.gives {
            let most = self.number(&values, k, at)?;
            let kind = self.unit.types.kind(&result);
            let v = self.body.havoc(kind, InputSource::input(name));
            self.body.between(&v, Expr::Const(least), most);
            done = Some(v.clone());
            value = Value { expr: v, ty: result.plain().clone() };
        }
        for e in row.effects {
            self.act(*e, done.as_ref(), name, &values, at)?;
        }
        if !matches!(row.gives, Gives::Fixed(_) | Gives::Nothing | Gives::Body(_) | Gives::Argument(_)) {
            self.any_errno(at)?;
        }
        match row.gives {
            Gives::Nothing => Ok(if result == Ty::Void { Value::void() } else { Value::int(0) }),
            Gives::Fixed(n) => Ok(Value { expr: Expr::Const(n), ty: result.plain().clone() }),
            Gives::Argument(k) => match values.get(k) {
                Some(v) if v.ty != Ty::Void => self.convert(v.clone(), &result, at),
                _ => self.error(at, "too few arguments", ""),
            },
            Gives::Within(least, most) => {
                self.within(InputSource::input(name), &result, least, most, wanted, at)
            }
            Gives::About(least, most) => {
                self.within(InputSource::approximate(name), &result, least, most, wanted, at)
            }
            Gives::Any => self.some(name, &result, wanted, at),
            Gives::Upto(..) => Ok(value),
            Gives::Static(n, or_null) => self.library_object(name, &result, n, or_null, at),
            Gives::Body(body) => {
                if outside {
                    // What else it writes through is not known.
                    if values.iter().any(|v| v.ty.target().is_some_and(|t| t.target().is_some())) {
                        return self.refuse(
                            at,
                            format!("`{name}` on the command line is"),
                            "make it an input, as by __VERIFIER_nondet_int()",
                        );
                    }
                    return match body {
                        "atoi" | "atol" | "strtol" | "strtoul" => {
                            self.any(&result, InputSource::input(name), wanted, at)
                        }
                        _ => self.some(name, &result, wanted, at),
                    };
                }
                let ideal = self.unit.options.integers == Integers::Ideal;
                if ideal && ["strtol", "strtoul", "atoi", "atol", "rand_r"].contains(&body) {
                    let all = values.iter().skip(1).all(|v| v.constant().is_some());
                    return if all {
                        self.some(name, &result, wanted, at)
                    } else {
                        self.refuse(at, format!("`{name}` with mathematical integers is"), "")
                    };
                }
                self.body_call(body, name, &values, &result, at)
            }
        }
    }

    /// A value of which it is not known that it is possible.
    pub fn some(&mut self, name: &str, ty: &Ty, wanted: bool, at: Bytes) -> Res<Value> {
        if ty.target().is_some() && wanted {
            return self.refuse(at, format!("what `{name}` points to is"), "use an array of the file");
        }
        if wanted && *ty != Ty::Void {
            self.unit.assume(format!("`{name}` returns any value of its type"));
        }
        self.any(ty, InputSource::approximate(name), wanted, at)
    }

    fn within(
        &mut self,
        source: InputSource,
        ty: &Ty,
        least: i128,
        most: i128,
        wanted: bool,
        at: Bytes,
    ) -> Res<Value> {
        let v = self.any(ty, source, wanted, at)?;
        if wanted && v.ty != Ty::Void {
            self.body.between(&v.expr, Expr::Const(least), Expr::Const(most));
        }
        Ok(v)
    }

    /// An argument that is a number.
    fn number(&mut self, values: &[Value], k: usize, at: Bytes) -> Res<Expr> {
        match values.get(k) {
            Some(v) if v.ty.int().is_some() => Ok(v.expr.clone()),
            Some(_) => self.error(at, format!("argument {} is no integer", k + 1), ""),
            None => self.error(at, "too few arguments", ""),
        }
    }

    /// A call of a body of ours with arguments that were evaluated.
    fn body_call(&mut self, body: &str, name: &str, values: &[Value], result: &Ty, at: Bytes) -> Res<Value> {
        let own = bodies::name(body);
        let Some(signature) = self.unit.signature(&own) else {
            return self.refuse(at, format!("`{name}` here is"), "call it by its name");
        };
        let params = signature.params.clone().unwrap_or_default();
        let mut args = Vec::new();
        for (k, p) in params.iter().enumerate() {
            let Some(v) = values.get(k) else { return self.error(at, "too few arguments", "") };
            if let (Some(Ty::Int(to)), Some(from)) = (p.target().map(Ty::plain), v.ty.target()) {
                let same = from.int().is_some_and(|i| i.bits == to.bits) || *from.plain() == Ty::Void;
                if !same {
                    let what = format!("`{name}` on a `{}` is", self.unit.types.describe(&v.ty));
                    return self.refuse(at, what, "use a pointer to char");
                }
            }
            args.push(self.convert(v.clone(), p, at)?.expr);
        }
        let v = self.run_body(body, args, at)?;
        if *result == Ty::Void { Ok(Value::void()) } else { self.convert(v, result, at) }
    }

    /// Runs a body of ours.
    pub fn run_body(&mut self, body: &str, args: Vec<Expr>, at: Bytes) -> Res<Value> {
        let own = bodies::name(body);
        let (Some(id), Some(s)) = (self.unit.functions.ask(&own), self.unit.signature(&own)) else {
            return self.refuse(at, format!("`{body}` here is"), "call it by its name");
        };
        self.unit.functions.call(id);
        self.emit_call(Callee::Known(id), args, &s.result, true, at)
    }

    /// An object of the library that a pointer to is given.
    fn library_object(&mut self, name: &str, result: &Ty, n: usize, or_null: bool, at: Bytes) -> Res<Value> {
        let Some(element) = result.target().cloned() else {
            return self.error(at, format!("`{name}` is declared without a pointer as its result"), "");
        };
        if element.int().is_some() {
            self.unit.assume(format!("the string that `{name}` gives has less than {n} characters"));
        }
        let object = match self.unit.objects.library.get(name) {
            Some(o) => *o,
            None => {
                let ty = Ty::Array(element.clone().into(), Some(n as u64));
                let o = self.object(&format!("{name}()"), &ty, at)?;
                self.unit.objects[o].thread_local = true;
                self.unit.objects[o].init.iter_mut().for_each(|v| *v = Some(0));
                self.unit.objects.library.insert(name.to_string(), o);
                o
            }
        };
        let cells = self.unit.objects[object].cells.clone();
        let last = cells.len().saturating_sub(1);
        let text = element.int().is_some_and(|i| i.rank == 1);
        for (k, (kind, _)) in cells.into_iter().enumerate() {
            let v = if text && k == last {
                Expr::Const(0)
            } else {
                self.body.havoc(kind, InputSource::approximate(name))
            };
            self.body.store(offset(Expr::Addr(object), k as u64), v, kind);
        }
        let ty = result.plain().clone();
        if !or_null {
            return Ok(Value { expr: Expr::Addr(object), ty });
        }
        let (r, end) = (self.body.temp(IntKind::Ideal), self.body.fresh());
        self.body.edge_to(end, Op::Assign(r, Expr::Const(0)));
        self.body.edge_to(end, Op::Assign(r, Expr::Addr(object)));
        self.body.cur = end;
        Ok(Value { expr: Expr::Reg(r), ty })
    }

    /// Does what a row says of an argument. `done`: so much was really read or written.
    fn act(&mut self, e: Effect, done: Option<&Expr>, name: &str, values: &[Value], at: Bytes) -> Res<()> {
        let given = |k: usize| {
            let v = values.get(k).filter(|v| v.ty.target().is_some())?;
            (v.constant() != Some(0)).then(|| v.clone())
        };
        match e {
            Effect::Null(k) => match values.get(k) {
                Some(v) if v.constant() != Some(0) => {
                    self.refuse(at, format!("`{name}` with a buffer is"), "pass a null pointer")
                }
                _ => Ok(()),
            },
            Effect::Format(k) => self.format_call(k, name, values, at),
            Effect::Reads(k, far) => match given(k) {
                Some(v) if self.unit.minds_reads() => self.touch(&v, far, None, done, values, at),
                _ => Ok(()),
            },
            Effect::Writes(k, far) => {
                let Some(v) = given(k) else { return Ok(()) };
                let one = self.written_as_one(&v, far);
                let source = InputSource { name: name.to_string(), approximate: !one };
                if far != Far::One || matches!(v.expr, Expr::Addr(_)) {
                    return self.touch(&v, far, Some(&source), done, values, at);
                }
                // It may be null.
                let (yes, end) = (self.body.fresh(), self.body.fresh());
                self.body.branch(compare(CmpOp::Ne, v.expr.clone(), Expr::Const(0)), yes, end);
                self.body.cur = yes;
                self.touch(&v, far, Some(&source), done, values, at)?;
                self.body.join(end);
                Ok(())
            }
        }
    }

    /// Is each value of each cell possible, whatever the other cells have?
    fn written_as_one(&self, v: &Value, far: Far) -> bool {
        far != Far::One || v.ty.target().is_some_and(Ty::is_scalar)
    }

    /// Reads the memory behind a pointer, or writes any values there.
    fn touch(
        &mut self,
        v: &Value,
        far: Far,
        write: Option<&InputSource>,
        done: Option<&Expr>,
        values: &[Value],
        at: Bytes,
    ) -> Res<()> {
        let bytes = match far {
            Far::Text => return self.read_text(v, None, at),
            Far::One => None,
            Far::Bytes(k) => match done {
                Some(d) => Some(d.clone()),
                None => Some(self.number(values, k, at)?),
            },
            Far::Items(size, n) => {
                let size = self.number(values, size, at)?;
                let n = match done {
                    Some(d) => d.clone(),
                    None => self.number(values, n, at)?,
                };
                Some(binary(BinOp::Mul, size, n, IntKind::Ideal))
            }
        };
        let element = v.ty.target().cloned().unwrap_or(Ty::Void);
        let (parts, size) = match (self.unit.types.layout(&element), self.unit.types.size(&element)) {
            (Ok(parts), Ok((size, _))) if !parts.is_empty() && size > 0 => (parts, i128::from(size)),
            _ => {
                let what = format!(
                    "a library function on what a `{}` points to is",
                    self.unit.types.describe(&v.ty)
                );
                return self.refuse(at, what, "cast it to a pointer to the objects there");
            }
        };
        let base = self.body.kept_address(&v.expr);
        let whole = match &bytes {
            None => Some(1),
            Some(Expr::Const(n)) => Some(n.div_euclid(size) + i128::from(n.rem_euclid(size) != 0)),
            Some(_) => None,
        };
        if let Some(n) = whole.filter(|n| (*n).max(0) * parts.len() as i128 <= FEW as i128) {
            for k in 0..n.max(0) {
                self.touch_parts(&offset(base.clone(), k as u64 * parts.len() as u64), &parts, write, at);
            }
            return Ok(());
        }
        let bytes = bytes.unwrap_or(Expr::Const(size));
        let bytes = Expr::Reg(self.body.assign(IntKind::Ideal, bytes));
        let i = self.body.assign(IntKind::Ideal, Expr::Const(0));
        let (head, inside, end) = (self.body.fresh(), self.body.fresh(), self.body.fresh());
        self.body.join(head);
        let here = binary(BinOp::Mul, Expr::Reg(i), Expr::Const(size), IntKind::Ideal);
        self.body.branch(compare(CmpOp::Lt, here, bytes), inside, end);
        self.body.cur = inside;
        let cells = binary(BinOp::Mul, Expr::Reg(i), Expr::Const(parts.len() as i128), IntKind::Ideal);
        self.touch_parts(&binary(BinOp::Add, base, cells, IntKind::Ideal), &parts, write, at);
        let next = binary(BinOp::Add, Expr::Reg(i), Expr::Const(1), IntKind::Ideal);
        self.body.edge_to(head, Op::Assign(i, next));
        self.body.cur = end;
        Ok(())
    }

    fn touch_parts(&mut self, base: &Expr, parts: &[Part], write: Option<&InputSource>, at: Bytes) {
        for (k, p) in parts.iter().enumerate().filter(|p| p.1.width > 0) {
            let address = offset(base.clone(), k as u64);
            match write {
                None => {
                    self.read_cell(address, p.kind, p.how(), at);
                }
                Some(source) => {
                    let v = self.body.havoc(p.kind, source.clone());
                    self.write_cell(address, v, p.kind, p.how(), at);
                }
            }
        }
    }

    /// Reads a string up to its 0, or so many characters.
    pub fn read_text(&mut self, v: &Value, most: Option<Expr>, at: Bytes) -> Res<()> {
        if self.unit.known_text(&v.expr).is_some() {
            return Ok(());
        }
        let char = match v.ty.target().map(Ty::plain) {
            Some(t @ Ty::Int(Int { rank: 1, .. })) => t.clone(),
            _ => {
                let what = format!("a `{}` as a string is", self.unit.types.describe(&v.ty));
                return self.refuse(at, what, "use a pointer to char");
            }
        };
        let kind = self.unit.types.kind(&char);
        let base = self.body.kept_address(&v.expr);
        let most = most.map(|m| Expr::Reg(self.body.assign(IntKind::Ideal, m)));
        let i = self.body.assign(IntKind::Ideal, Expr::Const(0));
        let (head, end, more) = (self.body.fresh(), self.body.fresh(), self.body.fresh());
        self.body.join(head);
        if let Some(n) = most {
            let inside = self.body.fresh();
            self.body.branch(compare(CmpOp::Lt, Expr::Reg(i), n), inside, end);
            self.body.cur = inside;
        }
        let address = binary(BinOp::Add, base, Expr::Reg(i), IntKind::Ideal);
        let c = self.read_cell(address, kind, How::default(), at);
        self.body.branch(compare(CmpOp::Eq, c, Expr::Const(0)), end, more);
        self.body.cur = more;
        let next = binary(BinOp::Add, Expr::Reg(i), Expr::Const(1), IntKind::Ideal);
        self.body.edge_to(head, Op::Assign(i, next));
        self.body.cur = end;
        Ok(())
    }
}

impl Translation<'_> {
    /// A library function that has an address: its body, or one of ours that calls it.
    pub fn library_function(&mut self, name: &str) -> Option<FuncId> {
        let of_row = match model(name) {
            Some(Model::Row(Row { gives: Gives::Body(body), .. })) => {
                let own = bodies::name(body);
                let params = |f: &str| self.signature(f).and_then(|s| Some(s.params.as_ref()?.len()));
                (params(&own) == params(name)).then(|| self.functions.ask(&own)).flatten()
            }
            _ => None,
        };
        of_row.or_else(|| self.functions.ask(&bodies::pointer(name)))
    }
}

impl Translation<'_> {
    /// Does anybody mind what is read?
    pub fn minds_reads(&self) -> bool {
        self.options.property == Property::NoDataRace || self.options.checks_memory()
    }
}

impl Body {
    /// Goes on only where a value is in a range.
    fn between(&mut self, v: &Expr, least: Expr, most: Expr) {
        for test in [compare(CmpOp::Ge, v.clone(), least), compare(CmpOp::Le, v.clone(), most)] {
            self.assumes();
            self.emit(Op::Assume(test));
        }
    }

    /// An address that stays the same while others change what it was read from.
    fn kept_address(&mut self, e: &Expr) -> Expr {
        match e {
            Expr::Const(_) | Expr::Addr(_) => e.clone(),
            e => Expr::Reg(self.assign(IntKind::Ideal, e.clone())),
        }
    }
}
