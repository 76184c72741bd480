//! Expressions: each read and each write of memory becomes an edge, left to right.

use super::condition::is_logical;
use super::discard::designates;
use super::init::names_function;
use super::lower::{Lower, Res};
use super::offsets::is_null_member;
use super::offsets::is_offset;
use super::operators::Operator;
use super::scan::name_of;
use super::scope::Symbol;
use super::translation::{External, Translation, Work};
use super::types::{INT, Ty};
use super::value::{At, Value};
use lang_c::ast::*;
use lang_c::span::{Node, Span as Bytes};
use relyant_cfa::{BinOp, Expr, InputSource, IntKind, Op, UnOp};

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
                if let Some(bytes) = self.variable_type_size(&s.node.0)? {
                    return Ok(Value { expr: bytes, ty: Ty::Int(self.unit.types.ulong()) });
                }
                let ty = self.type_name(&s.node.0)?;
                self.size_of(&ty, e.span)
            }
            Expression::SizeOfVal(s) => {
                if let Some(bytes) = self.variable_size(&s.node.0) {
                    return Ok(Value { expr: bytes, ty: Ty::Int(self.unit.types.ulong()) });
                }
                let ty = self.type_of(&s.node.0)?;
                self.no_size_of_row(&s.node.0, &ty)?;
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
                if let Some(v) = self.long_double_as(&c.node.expression.node, &ty, e.span)? {
                    return Ok(v);
                }
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
            Expression::VaArg(a) => self.listed_argument(a, e.span),
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
                    At::Memory(_) if self.is_variable_block(operand) => self.refuse(
                        e.span,
                        "the address of an array of variable length is",
                        "use that of its first element",
                    ),
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
                self.context.in_cells = false;
                self.comparison(op, x, y, e.span)
            }
            Operator::Arithmetic(op) => {
                if let Some(v) = self.difference_in_bytes(op, lhs, rhs)? {
                    return Ok(v);
                }
                let (x, y) = self.operands(lhs, rhs)?;
                self.arithmetic(op, x, y, e.span)
            }
            Operator::Compound(op) => self.compound_assignment(op, lhs, rhs, e.span),
        }
    }

    /// `(char *)p - (char *)q`, where both point to objects of one type.
    fn difference_in_bytes(
        &mut self,
        op: BinOp,
        lhs: &'a Node<Expression>,
        rhs: &'a Node<Expression>,
    ) -> Res<Option<Value>> {
        let (BinOp::Sub, Expression::Cast(a), Expression::Cast(b)) = (op, &lhs.node, &rhs.node) else {
            return Ok(None);
        };
        for c in [a, b] {
            let to = self.type_name(&c.node.type_name)?;
            if to.target().and_then(Ty::int).is_none_or(|i| i.rank != 1) {
                return Ok(None);
            }
        }
        let (x, y) = (self.type_of(&a.node.expression)?, self.type_of(&b.node.expression)?);
        let element = |t: &Ty| match t.plain() {
            Ty::Array(t, _) | Ty::Pointer(t) => Some((**t).clone()),
            _ => None,
        };
        let (Some(from), Some(to)) = (element(&x), element(&y)) else { return Ok(None) };
        let Ok((bytes, _)) = self.unit.types.size(&from) else { return Ok(None) };
        if from.plain() != to.plain() || bytes < 2 {
            return Ok(None);
        }
        let (x, y) = self.operands(&a.node.expression, &b.node.expression)?;
        let span = self.span(lhs.span);
        self.note_apart(&x.expr, &from, span);
        self.note_apart(&y.expr, &from, span);
        let items = self.arithmetic(op, x, y, lhs.span)?;
        let size = Value { expr: Expr::Const(i128::from(bytes)), ty: items.ty.clone() };
        self.arithmetic(BinOp::Mul, items, size, lhs.span).map(Some)
    }

    /// Two operands of an operator.
    fn operands(&mut self, lhs: &'a Node<Expression>, rhs: &'a Node<Expression>) -> Res<(Value, Value)> {
        if is_offset(&rhs.node) {
            let x = self.value(lhs)?;
            let y = match self.member_offset(&x, rhs)? {
                Some(cells) => {
                    self.context.in_cells = true;
                    cells
                }
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
                    let expr = self.body.havoc(IntKind::Ideal, InputSource::uninitialised());
                    return Ok(Value { expr, ty: ty.clone() });
                }
            }
        }
        self.convert(v, ty, at)
    }

    /// A value that a condition can test.
    pub fn scalar(&self, v: &Value, at: Bytes) -> Res<()> {
        match v.ty.plain() {
            Ty::Int(_) | Ty::Pointer(_) => Ok(()),
            t => self.error(at, format!("a condition of type `{}`", self.unit.types.describe(t)), ""),
        }
    }

    /// The value of a constant integer expression.
    pub fn constant(&mut self, e: &'a Node<Expression>) -> Res<Option<i128>> {
        let mark = self.body.mark();
        let v = self.value(e);
        let moved = self.body.graph.edges[mark.edges()..].iter().any(|x| !matches!(x.op, Op::Skip));
        self.rewind(mark);
        Ok(if moved { None } else { v?.constant() })
    }

    fn statement_expression(&mut self, s: &'a Node<Statement>) -> Res<Value> {
        let Statement::Compound(items) = &s.node else {
            self.statement(s)?;
            return Ok(Value::void());
        };
        let cleanups = self.context.cleanups.len();
        self.enter_block();
        let result = self.statement_items(items);
        if let Ok(v) = &result
            && !(v.ty.is_scalar() || v.ty == Ty::Void)
        {
            // It is copied from where it is in the block.
            self.body.blocks.outlive();
        }
        self.leave_block();
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

impl Translation<'_> {
    /// The declared type of a function.
    pub fn function_type_of(&self, name: &str) -> Ty {
        self.functions.declared.get(name).map_or(Ty::Void, |d| d.ty.clone())
    }
}
