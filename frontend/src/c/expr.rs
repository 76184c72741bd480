//! Expressions: each read and each write of memory becomes an edge, left to right.

use super::body::Body;
use super::discard::designates;
use super::init::names_function;
use super::lower::{Lower, Res};
use super::operators::Operator;
use super::scan::name_of;
use super::scope::{Storage, Symbol};
use super::translation::{External, Translation, Work};
use super::types::{INT, Ty};
use super::value::{At, Place, Value, offset};
use lang_c::ast::*;
use lang_c::span::{Node, Span as Bytes};
use relyant_cfa::{BinOp, Expr, IntKind, Op, UnOp};

/// Part of how a span is shown.
fn spans(c: char) -> bool {
    c.is_ascii_digit() || c == '…' || c == '.'
}

/// Are types that are equal here equal in C?
fn is_told_apart(ty: &Ty) -> bool {
    match ty {
        Ty::Int(i) => i.rank > 1 && (i.rank != 3 || i.signed),
        Ty::Float(_) | Ty::Record(_) | Ty::Void => true,
        Ty::Array(t, _) => is_told_apart(t),
        _ => false,
    }
}

impl<'a> Lower<'a> {
    /// The value of an expression.
    pub fn value(&mut self, e: &'a Node<Expression>) -> Res<Value> {
        match &e.node {
            Expression::Identifier(i) => match self.context.scopes.get(&i.node.name).cloned() {
                Some(Symbol::Constant(v, ty)) => Ok(Value { expr: Expr::Const(v), ty }),
                Some(Symbol::Function) => self.unit.function_value(&i.node.name, e.span),
                _ => self.read_expression(e),
            },
            Expression::Constant(c) => self.literal(c),
            Expression::StringLiteral(s) => self.string(&s.node, e.span),
            Expression::Member(_) | Expression::CompoundLiteral(_) => self.read_expression(e),
            Expression::Call(c) => self.call(c, true),
            Expression::SizeOfTy(s) => {
                let ty = self.type_name(&s.node.0)?;
                self.size_of(&ty, e.span)
            }
            Expression::SizeOfVal(s) => {
                if let Some(bytes) = self.variable_size(&s.node.0) {
                    return Ok(Value { expr: bytes, ty: Ty::Int(self.unit.types.ulong()) });
                }
                let ty = self.type_of(&s.node.0)?;
                self.size_of(&ty, e.span)
            }
            Expression::AlignOf(s) => {
                let align = self.align_of(&s.node.0)?;
                Ok(Value { expr: Expr::Const(i128::from(align)), ty: Ty::Int(self.unit.types.ulong()) })
            }
            Expression::UnaryOperator(u) => self.unary_expression(u, e),
            Expression::Cast(c) if is_null_member(&c.node.expression.node) => {
                let ty = self.type_name(&c.node.type_name)?;
                match ty.plain() {
                    Ty::Int(_) => {
                        let bytes = self.bytes_of_null_member(&c.node.expression)?;
                        let v = Value {
                            expr: Expr::Const(i128::from(bytes)),
                            ty: Ty::Int(self.unit.types.ulong()),
                        };
                        self.convert(v, &ty, e.span)
                    }
                    _ => self.refuse(e.span, "the address of a member of no object is", "use offsetof"),
                }
            }
            Expression::Cast(c) => {
                let ty = self.type_name(&c.node.type_name)?;
                if ty == Ty::Void {
                    self.effect(&c.node.expression)?;
                    return Ok(Value::void());
                }
                let outer = self.context.through_bytes;
                let bytes = Self::is_member_arithmetic(&c.node.expression.node);
                self.context.through_bytes = bytes;
                let v = self.value(&c.node.expression);
                self.context.through_bytes = outer || bytes;
                let v = self.cast_value(v?, &ty, e.span);
                self.context.through_bytes = outer;
                v
            }
            Expression::BinaryOperator(b) => self.binary_expression(b, e),
            Expression::Conditional(c) => self.conditional(c),
            Expression::Comma(list) => {
                let Some((last, rest)) = list.split_last() else { return Ok(Value::void()) };
                for x in rest {
                    self.effect(x)?;
                }
                self.value(last)
            }
            Expression::OffsetOf(o) => {
                let bytes = self.offset_of(o, e.span)?.0;
                Ok(Value { expr: Expr::Const(i128::from(bytes)), ty: Ty::Int(self.unit.types.ulong()) })
            }
            Expression::VaArg(_) => {
                self.refuse(e.span, "variable argument lists are", "give the function fixed parameters")
            }
            Expression::Statement(s) => self.statement_expression(s),
            Expression::GenericSelection(g) => {
                let chosen = self.generic(g, e.span)?;
                self.value(chosen)
            }
        }
    }

    /// Evaluates an expression for what it does.
    pub fn effect(&mut self, e: &'a Node<Expression>) -> Res<()> {
        use UnaryOperator::*;
        match &e.node {
            Expression::Constant(_) | Expression::StringLiteral(_) => Ok(()),
            x if designates(x) => self.discard(e),
            Expression::GenericSelection(g) => {
                let chosen = self.generic(g, e.span)?;
                self.effect(chosen)
            }
            Expression::Call(c) => self.call(c, false).map(drop),
            Expression::UnaryOperator(u) if matches!(u.node.operator.node, PostIncrement | PreIncrement) => {
                self.increment(&u.node.operand, BinOp::Add, true, e.span).map(drop)
            }
            Expression::UnaryOperator(u) if matches!(u.node.operator.node, PostDecrement | PreDecrement) => {
                self.increment(&u.node.operand, BinOp::Sub, true, e.span).map(drop)
            }
            Expression::Comma(list) => list.iter().try_for_each(|x| self.effect(x)),
            Expression::Cast(c) => self.effect(&c.node.expression),
            Expression::BinaryOperator(b)
                if matches!(b.node.operator.node, BinaryOperator::LogicalAnd | BinaryOperator::LogicalOr) =>
            {
                let (yes, end) = (self.body.fresh(), self.body.fresh());
                let or = b.node.operator.node == BinaryOperator::LogicalOr;
                let (t, f) = if or { (end, yes) } else { (yes, end) };
                self.condition(&b.node.lhs, t, f)?;
                self.body.cur = yes;
                self.effect(&b.node.rhs)?;
                self.body.join(end);
                Ok(())
            }
            Expression::Conditional(c) => {
                let (yes, no, end) = (self.body.fresh(), self.body.fresh(), self.body.fresh());
                self.condition(&c.node.condition, yes, no)?;
                self.body.cur = yes;
                self.effect(&c.node.then_expression)?;
                self.body.join(end);
                self.body.cur = no;
                self.effect(&c.node.else_expression)?;
                self.body.join(end);
                Ok(())
            }
            _ => self.value(e).map(drop),
        }
    }

    fn read_expression(&mut self, e: &'a Node<Expression>) -> Res<Value> {
        if let Some(v) = self.command_line_character(&e.node)? {
            return Ok(v);
        }
        let p = self.place(e)?;
        self.read(&p, e.span)
    }

    /// The place an expression designates.
    pub fn place(&mut self, e: &'a Node<Expression>) -> Res<Place> {
        if let Some(p) = self.byte_place(e)? {
            return Ok(p);
        }
        match &e.node {
            Expression::Identifier(i) => {
                let name = &i.node.name;
                if names_function(name) && self.context.scopes.get(name).is_none() {
                    return self.function_name(e.span);
                }
                self.variable_place(name, e.span)
            }
            Expression::Member(m) => self.member(m, e.span),
            Expression::UnaryOperator(u) if u.node.operator.node == UnaryOperator::Indirection => {
                let v = self.value(&u.node.operand)?;
                self.pointed(v, e.span)
            }
            Expression::BinaryOperator(b) if b.node.operator.node == BinaryOperator::Index => {
                self.indexed(b, e.span)
            }
            Expression::CompoundLiteral(c) => {
                let ty = self.type_name(&c.node.type_name)?;
                let constant = self.is_constant_type(&c.node.type_name);
                self.compound_literal(ty, &c.node.initializer_list, constant, e.span)
            }
            Expression::StringLiteral(s) => {
                let v = self.string(&s.node, e.span)?;
                let n = self.string_cells(&s.node, e.span)?.len() as u64;
                Ok(Place {
                    at: At::Memory(v.expr),
                    ty: Ty::Array(Ty::Int(self.unit.string_unit(&s.node)).into(), Some(n)),
                    bit_field: None,
                    through: None,
                })
            }
            Expression::GenericSelection(g) => {
                let chosen = self.generic(g, e.span)?;
                self.place(chosen)
            }
            Expression::Comma(list) => {
                let Some((last, rest)) = list.split_last() else {
                    return self.error(e.span, "an empty expression", "");
                };
                for x in rest {
                    self.effect(x)?;
                }
                self.place(last)
            }
            _ => {
                // A record that an expression gives is where its cells are.
                let v = self.value(e)?;
                match v.ty {
                    Ty::Record(_) => {
                        Ok(Place { at: At::Memory(v.expr), ty: v.ty, bit_field: None, through: None })
                    }
                    _ => self.error(e.span, "this expression designates no object", ""),
                }
            }
        }
    }

    /// The place of a variable.
    fn variable_place(&mut self, name: &str, at: Bytes) -> Res<Place> {
        let (at, ty) = match self.lookup(name, at)? {
            Symbol::Local(Storage::Register(r), ty) => (At::Register(r), ty),
            Symbol::Local(Storage::Object(o), ty) => (At::Memory(Expr::Addr(o)), ty),
            Symbol::Global(g) => {
                let global = &self.unit.objects.globals[g];
                if self.unit.uses.nondet
                    && global.name == "NONDET"
                    && global.init.is_none()
                    && global.ty.is_scalar()
                {
                    (At::Input, global.ty.clone())
                } else {
                    let object = self.global_object(g, at)?;
                    (At::Memory(Expr::Addr(object)), self.unit.objects.globals[g].ty.clone())
                }
            }
            _ => {
                let shown = super::tokens::original_name(name);
                return self.error(at, format!("`{shown}` is no object"), "");
            }
        };
        Ok(Place { at, ty, bit_field: None, through: None })
    }

    /// The place of an element, `a[i]`.
    fn indexed(&mut self, b: &'a Node<BinaryOperatorExpression>, at: Bytes) -> Res<Place> {
        let (lhs, rhs) = (&b.node.lhs, &b.node.rhs);
        self.body.begin_operands(false);
        let mut within = None;
        let base = if let Expression::Member(_) = &lhs.node {
            let base = self.place(lhs)?;
            match (&base.through, &base.at, base.ty.plain().clone()) {
                (Some(_), At::Memory(address), Ty::Array(t, _)) => {
                    let pointer = Value { expr: address.clone(), ty: Ty::Pointer(t.clone()) };
                    within = Some((base, t));
                    pointer
                }
                _ => self.read(&base, lhs.span)?,
            }
        } else {
            self.value(lhs)?
        };
        self.body.end_operand();
        let index = self.value(rhs)?;
        self.body.end_operand();
        self.body.end_operands();
        if name_of(&lhs.node) == Some(super::lower::THREADS_EXITED) {
            self.body.within_threads(&index);
        }
        let sum = self.arithmetic(BinOp::Add, base, index, at)?;
        match within {
            // What is known of the union it is in stays.
            Some((base, t)) => Ok(Place { at: At::Memory(sum.expr), ty: (*t).clone(), ..base }),
            None => self.pointed(sum, at),
        }
    }

    /// The place a pointer points to.
    pub fn pointed(&mut self, v: Value, at: Bytes) -> Res<Place> {
        match v.ty.target() {
            Some(t) => Ok(Place { at: At::Memory(v.expr), ty: t.clone(), bit_field: None, through: None }),
            None => self.error(at, format!("`{}` is no pointer", self.unit.types.describe(&v.ty)), ""),
        }
    }

    fn member(&mut self, m: &'a Node<MemberExpression>, at: Bytes) -> Res<Place> {
        let base = match m.node.operator.node {
            MemberOperator::Direct => self.place(&m.node.expression)?,
            MemberOperator::Indirect => {
                let v = self.value(&m.node.expression)?;
                self.pointed(v, at)?
            }
        };
        let name = &m.node.identifier.node.name;
        let Ty::Record(id) = base.ty.plain() else {
            return self.error(at, format!("`{}` has no members", self.unit.types.describe(&base.ty)), "");
        };
        if base.ty.is_whole() {
            let what = if self.unit.types.records[id.0].union { "union" } else { "structure" };
            return self.error(
                at,
                format!("accessing a member `{name}` of an atomic {what} is undefined"),
                "copy it to an object that is not atomic, or use atomic_load, atomic_store and atomic_compare_exchange",
            );
        }
        let Some(member) = self.unit.types.member(*id, name) else {
            return self.error(
                at,
                format!("`{}` has no member `{name}`", self.unit.types.describe(&base.ty)),
                "",
            );
        };
        let At::Memory(address) = base.at else {
            return self.error(at, "a member of something without an address", "");
        };
        let through = match (self.through(&address, &member.unions, at)?, base.through) {
            (Some(_), Some(_)) => {
                return self.refuse(
                    at,
                    "a union inside a union is, both seen in several ways and",
                    "use one",
                );
            }
            (a, b) => a.or(b),
        };
        Ok(Place {
            at: At::Memory(offset(address, member.cell)),
            ty: member.ty,
            bit_field: member.bit_field.then_some(member.in_unit),
            through,
        })
    }

    fn unary_expression(
        &mut self,
        u: &'a Node<UnaryOperatorExpression>,
        e: &'a Node<Expression>,
    ) -> Res<Value> {
        let operand = &u.node.operand;
        match u.node.operator.node {
            UnaryOperator::PostIncrement => self.increment(operand, BinOp::Add, false, e.span),
            UnaryOperator::PostDecrement => self.increment(operand, BinOp::Sub, false, e.span),
            UnaryOperator::PreIncrement => self.increment(operand, BinOp::Add, true, e.span),
            UnaryOperator::PreDecrement => self.increment(operand, BinOp::Sub, true, e.span),
            UnaryOperator::Address => {
                if let Some(name) = name_of(&operand.node) {
                    if matches!(self.context.scopes.get(name), Some(Symbol::Function)) {
                        return self.unit.function_value(name, e.span);
                    }
                }
                let p = self.place(operand)?;
                self.fix(&p);
                match p.at {
                    At::Memory(expr) if p.bit_field.is_none() => Ok(Value { expr, ty: p.ty.pointer() }),
                    _ => self.error(e.span, "the address of something that has none", ""),
                }
            }
            UnaryOperator::Indirection => {
                if let Some(v) = self.command_line_character(&e.node)? {
                    return Ok(v);
                }
                if let Some(p) = self.byte_place(e)? {
                    return self.read(&p, e.span);
                }
                let v = self.value(operand)?;
                if let Some(Ty::Function(_)) = v.ty.target() {
                    return Ok(v);
                }
                let p = self.pointed(v, e.span)?;
                self.read(&p, e.span)
            }
            UnaryOperator::Plus | UnaryOperator::Minus | UnaryOperator::Complement => {
                let v = self.value(operand)?;
                let op = match u.node.operator.node {
                    UnaryOperator::Minus => Some(UnOp::Neg),
                    UnaryOperator::Complement => Some(UnOp::BitNot),
                    _ => None,
                };
                self.unary(op, v, e.span)
            }
            UnaryOperator::Negate => {
                if is_logical(&operand.node) {
                    return self.truth(e);
                }
                let v = self.value(operand)?;
                let e = self.tested(v, operand.span)?;
                Ok(Value { expr: super::value::not(e), ty: Ty::Int(INT) })
            }
        }
    }

    fn binary_expression(
        &mut self,
        b: &'a Node<BinaryOperatorExpression>,
        e: &'a Node<Expression>,
    ) -> Res<Value> {
        let (lhs, rhs) = (&b.node.lhs, &b.node.rhs);
        match Operator::of(&b.node.operator.node) {
            Operator::Index => self.read_expression(e),
            Operator::Logical => self.truth(e),
            Operator::Assign => {
                let (p, v) = self.assigned(lhs, rhs)?;
                self.write(&p, v, e.span)
            }
            Operator::Comparison(op) => {
                if let Some(v) = self.command_line_end(op, lhs, rhs)? {
                    return Ok(v);
                }
                let (x, y) = self.operands(lhs, rhs)?;
                self.comparison(op, x, y, e.span)
            }
            Operator::Arithmetic(op) => {
                let (x, y) = self.operands(lhs, rhs)?;
                self.arithmetic(op, x, y, e.span)
            }
            Operator::Compound(op) => self.compound_assignment(op, lhs, rhs, e.span),
        }
    }

    /// The place and the value of an assignment, in any order.
    fn assigned(&mut self, lhs: &'a Node<Expression>, rhs: &'a Node<Expression>) -> Res<(Place, Value)> {
        self.body.begin_operands(false);
        let p = self.place(lhs)?;
        self.body.end_operand();
        let v = self.value(rhs)?;
        self.body.end_operand();
        self.body.end_operands();
        Ok((p, v))
    }

    /// Two operands of an operator.
    fn operands(&mut self, lhs: &'a Node<Expression>, rhs: &'a Node<Expression>) -> Res<(Value, Value)> {
        if is_offset(&rhs.node) {
            let x = self.value(lhs)?;
            let y = match self.member_offset(&x, rhs)? {
                Some(cells) => cells,
                None => self.value(rhs)?,
            };
            return Ok((x, y));
        }
        self.body.begin_operands(false);
        let x = self.value(lhs)?;
        self.body.end_operand();
        let y = self.value(rhs)?;
        self.body.end_operand();
        self.body.end_operands();
        Ok((x, y))
    }

    /// `lhs op= rhs`; on an `_Atomic` object the read and the write are one step.
    fn compound_assignment(
        &mut self,
        op: BinOp,
        lhs: &'a Node<Expression>,
        rhs: &'a Node<Expression>,
        at: Bytes,
    ) -> Res<Value> {
        self.body.begin_operands(false);
        let p = self.place(lhs)?;
        let atomic = matches!(p.ty, Ty::Atomic(_));
        let old = if atomic { None } else { Some(self.read(&p, at)?) };
        self.body.end_operand();
        let by = self.value(rhs)?;
        self.body.end_operand();
        self.body.end_operands();
        let Some(old) = old else {
            return self.update(&p, |l, old| l.arithmetic(op, old, by, at), at).map(|u| u.1);
        };
        let new = self.arithmetic(op, old, by, at)?;
        self.write(&p, new, at)
    }

    /// Reads a place, computes, and writes it in one step; gives the old and the new value.
    pub fn update(
        &mut self,
        p: &Place,
        compute: impl FnOnce(&mut Self, Value) -> Res<Value>,
        at: Bytes,
    ) -> Res<(Value, Value)> {
        let mut old = self.read(p, at)?;
        let mark = self.body.mark();
        match p.at {
            At::Memory(_) => self.body.hold(),
            // The old value must survive the write.
            _ => {
                let kind = self.unit.types.kind(&old.ty);
                old.expr = Expr::Reg(self.body.assign(kind, old.expr));
            }
        }
        let new = compute(self, old.clone())?;
        let new = self.write(p, new, at)?;
        self.body.one_step(mark);
        Ok((old, new))
    }

    /// `++` and `--`; `new` asks for the value after it.
    fn increment(&mut self, operand: &'a Node<Expression>, op: BinOp, new: bool, at: Bytes) -> Res<Value> {
        let p = self.place(operand)?;
        let one = Value::int(1);
        if matches!(p.ty, Ty::Atomic(_)) {
            let (before, after) = self.update(&p, |l, old| l.arithmetic(op, old, one, at), at)?;
            return Ok(if new { after } else { before });
        }
        let mut old = self.read(&p, at)?;
        if let (false, At::Register(_)) = (new, &p.at) {
            // The old value must survive the write.
            let kind = self.unit.types.kind(&old.ty);
            old.expr = Expr::Reg(self.body.assign(kind, old.expr));
        }
        let next = self.arithmetic(op, old.clone(), one, at)?;
        let after = self.write(&p, next, at)?;
        Ok(if new { after } else { old })
    }

    fn conditional(&mut self, c: &'a Node<ConditionalExpression>) -> Res<Value> {
        let (then, other) = (&c.node.then_expression, &c.node.else_expression);
        if name_of(&then.node) == Some(super::tokens::SAME) {
            return self.value_or(&c.node.condition, other, c.span);
        }
        let (yes, no) = (self.body.fresh(), self.body.fresh());
        if let Some(known) = self.condition(&c.node.condition, yes, no)? {
            // Only one side can be reached; the other one counts for the type.
            self.body.cur = if known { no } else { yes };
            let unused = self.value_type(if known { other } else { then })?;
            self.body.cur = if known { yes } else { no };
            let v = self.value(if known { then } else { other })?;
            let ty = self.conditional_type(&v.ty, &unused, c.span)?;
            return self.convert(v, &ty, c.span);
        }
        self.body.cur = yes;
        let a = self.value(then)?;
        let a_end = std::mem::replace(&mut self.body.cur, no);
        let b = self.value(other)?;
        let b_end = self.body.cur;
        let ty = self.conditional_type(&a.ty, &b.ty, c.span)?;
        let end = self.body.fresh();
        let kind = self.unit.types.kind(&ty);
        let target = (ty != Ty::Void).then(|| self.body.temp(kind));
        for (at, v) in [(a_end, a), (b_end, b)] {
            self.body.cur = at;
            let v = self.convert(v, &ty, c.span)?;
            self.body.edge_to(end, target.map_or(Op::Skip, |r| Op::Assign(r, v.expr)));
        }
        self.body.cur = end;
        Ok(target.map_or(Value::void(), |r| Value { expr: Expr::Reg(r), ty }))
    }

    /// `x ?: y`: x is evaluated once.
    fn value_or(&mut self, x: &'a Node<Expression>, y: &'a Node<Expression>, at: Bytes) -> Res<Value> {
        let x = self.value(x)?;
        if let Some(known) = x.constant() {
            let other = self.value_type(y)?;
            let ty = self.conditional_type(&x.ty, &other, at)?;
            let v = if known != 0 { x } else { self.value(y)? };
            return self.convert(v, &ty, at);
        }
        let kind = self.unit.types.kind(&x.ty);
        let kept = Value { expr: Expr::Reg(self.body.assign(kind, x.expr)), ty: x.ty };
        let tested = self.tested(kept.clone(), at)?;
        let (yes, no, end) = (self.body.fresh(), self.body.fresh(), self.body.fresh());
        self.body.branch(tested, yes, no);
        self.body.cur = no;
        let y = self.value(y)?;
        let y_end = self.body.cur;
        let ty = self.conditional_type(&kept.ty, &y.ty, at)?;
        if ty == Ty::Void {
            return self.error(at, "the two sides of `?:` have types that do not go together", "");
        }
        let target = self.body.temp(self.unit.types.kind(&ty));
        for (from, v) in [(yes, kept), (y_end, y)] {
            self.body.cur = from;
            let v = self.convert(v, &ty, at)?;
            self.body.edge_to(end, Op::Assign(target, v.expr));
        }
        self.body.cur = end;
        Ok(Value { expr: Expr::Reg(target), ty })
    }

    /// `__builtin_types_compatible_p`: both arguments are sizes of types. Qualifiers outside do not matter.
    pub fn compatible(&mut self, args: super::calls::Args<'a>, at: Bytes) -> Res<Value> {
        let (mut types, mut spelled) = (Vec::new(), Vec::new());
        for k in 0..2 {
            let e = self.argument(args, k, at)?;
            types.push(match &e.node {
                Expression::SizeOfTy(s) => self.type_name(&s.node.0)?,
                Expression::SizeOfVal(s) => self.type_of(&s.node.0)?,
                _ => return self.error(at, "two types are needed here", ""),
            });
            // But for where it stands.
            let text = format!("{:?}", e.node);
            spelled.push(text.split("span: ").map(|s| s.trim_start_matches(spans)).collect::<String>());
        }
        let same = types[0].plain() == types[1].plain();
        if same && spelled[0] != spelled[1] && !is_told_apart(types[0].plain()) {
            return self.refuse(
                at,
                "telling types apart that may differ in qualifiers, or in `char` and `signed char`, is",
                "write 0 or 1",
            );
        }
        Ok(Value::int(i128::from(same)))
    }

    fn conditional_type(&self, x: &Ty, y: &Ty, at: Bytes) -> Res<Ty> {
        Ok(match (x.plain(), y.plain()) {
            (Ty::Int(x), Ty::Int(y)) => Ty::Int(self.unit.types.common(*x, *y)),
            (Ty::Void, _) | (_, Ty::Void) => Ty::Void,
            (x @ Ty::Float(_), y) | (y, x @ Ty::Float(_)) if y.is_arithmetic() => {
                if y.precision() > x.precision() { y.clone() } else { x.clone() }
            }
            (Ty::Pointer(t), Ty::Pointer(_)) if **t == Ty::Void => y.plain().clone(),
            (p @ Ty::Pointer(_), _) | (_, p @ Ty::Pointer(_)) => p.clone(),
            (x, y) if x == y => x.clone(),
            _ => return self.error(at, "the two sides of `?:` have types that do not go together", ""),
        })
    }

    /// The type of an expression's value, without evaluating it.
    pub fn value_type(&mut self, e: &'a Node<Expression>) -> Res<Ty> {
        let mark = self.body.mark();
        let v = self.value(e);
        self.rewind(mark);
        Ok(v?.ty)
    }

    /// The type of an expression as `sizeof` and `typeof` see it: arrays stay arrays.
    pub fn type_of(&mut self, e: &'a Node<Expression>) -> Res<Ty> {
        let object = match &e.node {
            Expression::Identifier(i) => {
                matches!(self.context.scopes.get(&i.node.name), Some(Symbol::Local(..) | Symbol::Global(_)))
                    || names_function(&i.node.name)
            }
            Expression::UnaryOperator(u) => u.node.operator.node == UnaryOperator::Indirection,
            Expression::BinaryOperator(b) => b.node.operator.node == BinaryOperator::Index,
            Expression::Member(_) | Expression::StringLiteral(_) | Expression::CompoundLiteral(_) => true,
            _ => false,
        };
        if !object {
            return self.value_type(e);
        }
        let mark = self.body.mark();
        let p = self.place(e);
        self.rewind(mark);
        Ok(p?.ty)
    }

    fn size_of(&mut self, ty: &Ty, at: Bytes) -> Res<Value> {
        match self.unit.types.size(ty) {
            Ok((n, _)) => {
                Ok(Value { expr: Expr::Const(i128::from(n)), ty: Ty::Int(self.unit.types.ulong()) })
            }
            Err(why) => self.error(at, why, ""),
        }
    }

    fn cast_value(&mut self, v: Value, ty: &Ty, at: Bytes) -> Res<Value> {
        if let (Some(from), Some(to)) = (v.ty.target(), ty.target()) {
            let sizes = (self.first_scalar(from), self.first_scalar(to));
            if let ((Some(a), Some(b)), false) = (sizes, self.context.through_bytes) {
                if a != b {
                    let message = format!(
                        "a `{}` seen as a `{}` is",
                        self.unit.types.describe(&v.ty),
                        self.unit.types.describe(ty)
                    );
                    self.beyond(at, &message, "memory is scalars here, not bytes")?;
                    let expr = self.body.havoc(IntKind::Ideal, "");
                    return Ok(Value { expr, ty: ty.clone() });
                }
            }
        }
        self.convert(v, ty, at)
    }

    /// Size of the scalar at the start of an object.
    fn first_scalar(&self, ty: &Ty) -> Option<u64> {
        match ty.plain() {
            t @ (Ty::Int(_) | Ty::Pointer(_)) => self.unit.types.size(t).ok().map(|s| s.0),
            Ty::Array(t, _) => self.first_scalar(t),
            Ty::Record(id) => {
                let r = &self.unit.types.records[id.0];
                match (r.union, r.views.first()) {
                    // No scalar is that small: it is never seen as another type.
                    (true, _) if r.tag.is_some() => Some(0),
                    (true, None) => Some(0),
                    (true, Some(v)) => self.first_scalar(&r.fields.as_ref()?.get(v.field)?.ty),
                    _ => self.first_scalar(&r.fields.as_ref()?.first()?.ty),
                }
            }
            _ => None,
        }
    }

    /// `offsetof` in scalars, where it is added to or taken from a pointer to bytes.
    fn member_offset(&mut self, pointer: &Value, e: &'a Node<Expression>) -> Res<Option<Value>> {
        match (&e.node, pointer.ty.target().map(Ty::plain)) {
            (Expression::Cast(c), Some(Ty::Void | Ty::Int(super::types::Int { rank: 1, .. })))
                if is_null_member(&c.node.expression.node) =>
            {
                let cells = self.value(&c.node.expression)?;
                Ok(Some(Value { expr: cells.expr, ty: Ty::Int(self.unit.types.long()) }))
            }
            (Expression::Cast(c), Some(_)) => self.member_offset(pointer, &c.node.expression),
            (Expression::OffsetOf(o), Some(Ty::Void | Ty::Int(super::types::Int { rank: 1, .. }))) => {
                let cells = self.offset_of(o, e.span)?.1;
                Ok(Some(Value { expr: Expr::Const(i128::from(cells)), ty: Ty::Int(self.unit.types.long()) }))
            }
            _ => Ok(None),
        }
    }

    /// Where a member is in a record: bytes, cells, and its type.
    fn member_at(&self, ty: &Ty, name: &str, at: Bytes) -> Res<(u64, u64, Ty)> {
        let member = match ty.plain() {
            Ty::Record(id) => self.unit.types.member(*id, name),
            _ => None,
        };
        match member {
            Some(m) => Ok((m.byte, m.cell, m.ty)),
            None => self.error(at, format!("no member `{name}`"), ""),
        }
    }

    /// The number of bytes that `&((T *)0)->member` stands for.
    fn bytes_of_null_member(&mut self, e: &'a Node<Expression>) -> Res<u64> {
        match &e.node {
            Expression::Cast(c) => self.bytes_of_null_member(&c.node.expression),
            Expression::UnaryOperator(u) => self.bytes_of_null_member(&u.node.operand),
            Expression::Member(m) => {
                let (base, ty) = match m.node.operator.node {
                    MemberOperator::Direct => {
                        (self.bytes_of_null_member(&m.node.expression)?, self.type_of(&m.node.expression)?)
                    }
                    MemberOperator::Indirect => {
                        let ty = self.value_type(&m.node.expression)?;
                        (0, ty.target().cloned().unwrap_or(Ty::Void))
                    }
                };
                let name = &m.node.identifier.node.name;
                Ok(base.saturating_add(self.member_at(&ty, name, e.span)?.0))
            }
            _ => self.error(e.span, "this is no member", ""),
        }
    }

    /// Distance of a member from the start of its object, in bytes and in cells.
    fn offset_of(&mut self, o: &'a Node<OffsetOfExpression>, at: Bytes) -> Res<(u64, u64)> {
        let ty = self.type_name(&o.node.type_name)?;
        let designator = &o.node.designator.node;
        let (mut bytes, mut cells, mut ty) = self.member_at(&ty, &designator.base.node.name, at)?;
        for m in &designator.members {
            let (more, cell, inner) = match (&m.node, ty.plain().clone()) {
                (OffsetMember::Member(n) | OffsetMember::IndirectMember(n), t) => {
                    self.member_at(&t, &n.node.name, m.span)?
                }
                (OffsetMember::Index(e), Ty::Array(t, _)) => {
                    let k = self.constant(e)?.and_then(|k| u64::try_from(k).ok());
                    let (Some(k), Ok((one, _))) = (k, self.unit.types.size(&t)) else {
                        return self.refuse(
                            m.span,
                            "`offsetof` of an element that is not constant is",
                            "use &a[i]",
                        );
                    };
                    (one.saturating_mul(k), self.unit.types.stride(&t).saturating_mul(k), (*t).clone())
                }
                _ => return self.error(m.span, "this is no array", ""),
            };
            (bytes, cells, ty) = (bytes.saturating_add(more), cells.saturating_add(cell), inner);
        }
        Ok((bytes, cells))
    }

    /// Is it arithmetic with a member's offset, whose operands may be seen as bytes?
    fn is_member_arithmetic(e: &Expression) -> bool {
        match e {
            Expression::BinaryOperator(b) => is_offset(&b.node.rhs.node),
            _ => false,
        }
    }

    /// A value that a condition can test.
    pub fn scalar(&self, v: &Value, at: Bytes) -> Res<()> {
        match v.ty.plain() {
            Ty::Int(_) | Ty::Pointer(_) => Ok(()),
            t => self.error(at, format!("a condition of type `{}`", self.unit.types.describe(t)), ""),
        }
    }

    /// A logical expression as 0 or 1, by branches.
    fn truth(&mut self, e: &'a Node<Expression>) -> Res<Value> {
        let (yes, no) = (self.body.fresh(), self.body.fresh());
        if let Some(known) = self.condition(e, yes, no)? {
            self.body.cur = if known { yes } else { no };
            return Ok(Value::int(i128::from(known)));
        }
        let end = self.body.fresh();
        let r = self.body.temp(IntKind::INT);
        for (at, v) in [(yes, 1), (no, 0)] {
            self.body.cur = at;
            self.body.edge_to(end, Op::Assign(r, Expr::Const(v)));
        }
        self.body.cur = end;
        Ok(Value { expr: Expr::Reg(r), ty: Ty::Int(INT) })
    }

    /// Branches on an expression; leaves the current location undefined. Says which way if only one can be taken.
    pub fn condition(
        &mut self,
        e: &'a Node<Expression>,
        yes: relyant_cfa::Loc,
        no: relyant_cfa::Loc,
    ) -> Res<Option<bool>> {
        match &e.node {
            Expression::UnaryOperator(u) if u.node.operator.node == UnaryOperator::Negate => {
                return Ok(self.condition(&u.node.operand, no, yes)?.map(|k| !k));
            }
            Expression::BinaryOperator(b) if b.node.operator.node == BinaryOperator::LogicalAnd => {
                let middle = self.body.fresh();
                let left = self.condition(&b.node.lhs, middle, no)?;
                if left == Some(false) {
                    return Ok(left);
                }
                self.body.cur = middle;
                let right = self.condition(&b.node.rhs, yes, no)?;
                return Ok(if left == Some(true) { right } else { None });
            }
            Expression::BinaryOperator(b) if b.node.operator.node == BinaryOperator::LogicalOr => {
                let middle = self.body.fresh();
                let left = self.condition(&b.node.lhs, yes, middle)?;
                if left == Some(true) {
                    return Ok(left);
                }
                self.body.cur = middle;
                let right = self.condition(&b.node.rhs, yes, no)?;
                return Ok(if left == Some(false) { right } else { None });
            }
            Expression::StringLiteral(_) => {
                self.body.edge_to(yes, Op::Skip);
                return Ok(Some(true));
            }
            _ => {}
        }
        let v = self.value(e)?;
        let v = self.tested(v, e.span)?;
        Ok(self.body.branch(v, yes, no))
    }

    /// The value of a constant integer expression.
    pub fn constant(&mut self, e: &'a Node<Expression>) -> Res<Option<i128>> {
        let mark = self.body.mark();
        let v = self.value(e);
        let moved = self.body.graph.edges[mark.edges()..].iter().any(|x| !matches!(x.op, Op::Skip));
        self.rewind(mark);
        Ok(if moved { None } else { v?.constant() })
    }

    fn generic(&mut self, g: &'a Node<GenericSelection>, at: Bytes) -> Res<&'a Node<Expression>> {
        let ty = self.value_type(&g.node.expression)?;
        let mut default = None;
        for a in &g.node.associations {
            match &a.node {
                GenericAssociation::Type(t) => {
                    if self.type_name(&t.node.type_name)? == ty {
                        return Ok(&t.node.expression);
                    }
                }
                GenericAssociation::Default(e) => default = Some(e),
            }
        }
        match default {
            Some(e) => Ok(e),
            None => self.error(at, "no association of `_Generic` fits", ""),
        }
    }

    fn statement_expression(&mut self, s: &'a Node<Statement>) -> Res<Value> {
        let Statement::Compound(items) = &s.node else {
            self.statement(s)?;
            return Ok(Value::void());
        };
        let cleanups = self.context.cleanups.len();
        self.context.scopes.enter();
        let result = self.statement_items(items);
        self.context.scopes.leave();
        let result = result?;
        if !(result.ty.is_scalar() || result.ty == Ty::Void) {
            self.no_cleanups(cleanups, s.span)?;
        }
        self.end_cleanups(cleanups);
        Ok(result)
    }

    fn statement_items(&mut self, items: &'a [Node<BlockItem>]) -> Res<Value> {
        let Some((last, rest)) = items.split_last() else { return Ok(Value::void()) };
        for item in rest {
            self.block_item(item)?;
        }
        if let BlockItem::Statement(s) = &last.node {
            if let Statement::Expression(Some(e)) = &s.node {
                let v = self.value(e)?;
                if !v.ty.is_scalar() {
                    return Ok(v);
                }
                // Locals of the block may get new values when it is entered again.
                let kind = self.unit.types.kind(&v.ty);
                let expr = match v.expr {
                    e @ Expr::Const(_) => e,
                    e => Expr::Reg(self.body.assign(kind, e)),
                };
                return Ok(Value { expr, ty: v.ty });
            }
        }
        self.block_item(last)?;
        Ok(Value::void())
    }
}

impl Translation<'_> {
    /// The address of a function as a value.
    pub fn function_value(&mut self, name: &str, at: Bytes) -> Res<Value> {
        let id = match self.functions.ask(name).or_else(|| self.library_function(name)) {
            Some(id) => id,
            None => {
                let params = self.signature(name).and_then(|s| s.params.as_ref().map(Vec::len)).unwrap_or(0);
                self.functions.externals.push(External {
                    name: super::tokens::original_name(name),
                    params,
                    at,
                });
                self.functions.enqueue(name.to_string(), Work::External(params))
            }
        };
        self.functions.point_at(id);
        let ty = self.function_type_of(name);
        Ok(Value { expr: Expr::Func(id), ty: ty.pointer() })
    }
}

impl Body {
    /// Branches on a value.
    pub fn branch(&mut self, e: Expr, yes: relyant_cfa::Loc, no: relyant_cfa::Loc) -> Option<bool> {
        let known = match e {
            Expr::Const(n) => n != 0,
            Expr::Addr(_) | Expr::Func(_) => true,
            e => {
                self.edge_to(yes, Op::Assume(e.clone().is_true()));
                self.edge_to(no, Op::Assume(e.is_false()));
                return None;
            }
        };
        self.edge_to(if known { yes } else { no }, Op::Skip);
        Some(known)
    }
}

impl Translation<'_> {
    /// The declared type of a function.
    pub fn function_type_of(&self, name: &str) -> Ty {
        self.functions.declared.get(name).map_or(Ty::Void, |d| d.ty.clone())
    }
}

/// `&((T *)0)->member`
fn is_null_member(e: &Expression) -> bool {
    fn null(e: &Expression) -> bool {
        match e {
            Expression::Cast(c) => null(&c.node.expression.node),
            Expression::Constant(c) => matches!(&c.node, Constant::Integer(i) if &*i.number == "0"),
            _ => false,
        }
    }
    fn path(e: &Expression) -> bool {
        match e {
            Expression::Member(m) if m.node.operator.node == MemberOperator::Indirect => {
                matches!(m.node.expression.node, Expression::Cast(_)) && null(&m.node.expression.node)
            }
            Expression::Member(m) => path(&m.node.expression.node),
            _ => false,
        }
    }
    match e {
        Expression::UnaryOperator(u) => {
            u.node.operator.node == UnaryOperator::Address && path(&u.node.operand.node)
        }
        Expression::Cast(c) => is_null_member(&c.node.expression.node),
        _ => false,
    }
}

/// `offsetof`, through casts.
fn is_offset(e: &Expression) -> bool {
    match e {
        Expression::Cast(c) if is_null_member(&c.node.expression.node) => true,
        Expression::OffsetOf(_) => true,
        Expression::Cast(c) => is_offset(&c.node.expression.node),
        _ => false,
    }
}

fn is_logical(e: &Expression) -> bool {
    match e {
        Expression::BinaryOperator(b) => {
            matches!(b.node.operator.node, BinaryOperator::LogicalAnd | BinaryOperator::LogicalOr)
        }
        Expression::UnaryOperator(u) => {
            u.node.operator.node == UnaryOperator::Negate && is_logical(&u.node.operand.node)
        }
        _ => false,
    }
}
