//! Statements and declarations inside functions.

use super::body::Body;
use super::body::Label as LabelAt;
use super::context::{Jump, Switch};
use super::lower::{Lower, Res};
use super::meanings::Attributes;
use super::scope::{Storage, Symbol};
use super::specifiers::specifiers;
use super::types::Ty;
use super::value::{At, Place, compare};
use lang_c::ast::*;
use lang_c::span::{Node, Span as Bytes};
use relyant_cfa::options::Atomicity;
use relyant_cfa::{Check, CmpOp, Expr, InputSource, Loc, Op, Violated};

impl<'a> Lower<'a> {
    /// Runs one full expression, which is one step with `--atomicity statement`.
    pub fn full<T>(&mut self, run: impl FnOnce(&mut Self) -> Res<T>) -> Res<T> {
        let mark = self.body.mark();
        let result = run(self)?;
        if self.unit.options.atomicity == Atomicity::Statement {
            self.body.one_step(mark);
        }
        Ok(result)
    }

    fn start(&mut self, at: Bytes) {
        let span = self.span(at);
        self.body.span = span;
        let cur = self.body.cur.0 as usize;
        self.body.graph.locations[cur].span = span;
    }

    /// An element of a block.
    pub fn block_item(&mut self, item: &'a Node<BlockItem>) -> Res<()> {
        match &item.node {
            BlockItem::Declaration(d) => self.declaration(d),
            BlockItem::StaticAssert(a) => self.static_assert(a),
            BlockItem::Statement(s) => self.statement(s),
        }
    }

    /// Lowers a statement from the present location on.
    pub fn statement(&mut self, s: &'a Node<Statement>) -> Res<()> {
        if !matches!(s.node, Statement::Compound(_) | Statement::Labeled(_)) {
            self.start(s.span);
        }
        match &s.node {
            Statement::Labeled(l) => self.labeled(l),
            Statement::Compound(items) => {
                let cleanups = self.context.cleanups.len();
                self.enter_block();
                let done = items.iter().try_for_each(|i| self.block_item(i));
                let done = done.map(|()| self.end_cleanups(cleanups));
                self.leave_block();
                done?;
                self.body.end_atomic_block(items);
                Ok(())
            }
            Statement::Expression(None) => Ok(()),
            Statement::Expression(Some(e)) => self.full(|l| l.effect(e)),
            Statement::If(i) => self.if_statement(&i.node),
            Statement::Switch(x) => self.switch(&x.node),
            Statement::While(w) => {
                let cleanups = self.context.cleanups.len();
                let head = self.body.fresh();
                self.body.join(head);
                let (yes, end) = (self.body.fresh(), self.body.fresh());
                self.full(|l| l.condition(&w.node.expression, yes, end))?;
                self.body.cur = yes;
                self.loop_body(&w.node.statement, Jump { exit: end, next: Some(head), cleanups })?;
                self.body.edge_to(head, Op::Skip);
                self.body.cur = end;
                Ok(())
            }
            Statement::DoWhile(w) => {
                let cleanups = self.context.cleanups.len();
                let (head, test, end) = (self.body.fresh(), self.body.fresh(), self.body.fresh());
                self.body.join(head);
                self.loop_body(&w.node.statement, Jump { exit: end, next: Some(test), cleanups })?;
                self.body.join(test);
                self.start(w.node.expression.span);
                self.full(|l| l.condition(&w.node.expression, head, end))?;
                self.body.cur = end;
                Ok(())
            }
            Statement::For(f) => {
                let cleanups = self.context.cleanups.len();
                self.enter_block();
                let done = self.for_statement(&f.node).map(|()| self.end_cleanups(cleanups));
                self.leave_block();
                done
            }
            Statement::Goto(label) => {
                self.no_cleanups(0, s.span)?;
                let to = self.label(&label.node.name, label.span).at;
                self.body.leave(to, Op::Skip);
                Ok(())
            }
            Statement::Continue => match self.context.jumps.iter().rev().find_map(|j| Some((*j, j.next?))) {
                Some((j, to)) => {
                    self.jump_out(j, to);
                    Ok(())
                }
                None => self.error(s.span, "`continue` outside of a loop", ""),
            },
            Statement::Break => match self.context.jumps.last() {
                Some(j) => {
                    self.jump_out(*j, j.exit);
                    Ok(())
                }
                None => self.error(s.span, "`break` outside of a loop or switch", ""),
            },
            Statement::Return(None) => self.return_value(None, s.span),
            Statement::Return(Some(e)) => self.full(|l| {
                if l.body.result == Ty::Void {
                    l.effect(e)?;
                    return l.return_value(None, e.span);
                }
                let v = l.value(e)?;
                l.return_value(Some(v), e.span)
            }),
            Statement::Asm(a) => self.assembler(&a.node, s.span),
        }
    }

    fn if_statement(&mut self, i: &'a IfStatement) -> Res<()> {
        let (yes, no, end) = (self.body.fresh(), self.body.fresh(), self.body.fresh());
        self.full(|l| l.condition(&i.condition, yes, no))?;
        self.body.cur = yes;
        self.statement(&i.then_statement)?;
        self.body.edge_to(end, Op::Skip);
        self.body.cur = no;
        if let Some(e) = &i.else_statement {
            self.statement(e)?;
        }
        self.body.join(end);
        Ok(())
    }

    fn loop_body(&mut self, s: &'a Node<Statement>, jump: Jump) -> Res<()> {
        self.context.jumps.push(jump);
        let done = self.statement(s);
        self.context.jumps.pop();
        done
    }

    fn for_statement(&mut self, f: &'a ForStatement) -> Res<()> {
        match &f.initializer.node {
            ForInitializer::Empty => {}
            ForInitializer::StaticAssert(a) => self.static_assert(a)?,
            ForInitializer::Expression(e) => self.full(|l| l.effect(e))?,
            ForInitializer::Declaration(d) => self.declaration(d)?,
        }
        let head = self.body.fresh();
        self.body.join(head);
        let (yes, step, end) = (self.body.fresh(), self.body.fresh(), self.body.fresh());
        match &f.condition {
            Some(c) => {
                self.start(c.span);
                self.full(|l| l.condition(c, yes, end))?;
            }
            None => self.body.edge_to(yes, Op::Skip),
        }
        self.body.cur = yes;
        let cleanups = self.context.cleanups.len();
        self.loop_body(&f.statement, Jump { exit: end, next: Some(step), cleanups })?;
        self.body.join(step);
        if let Some(e) = &f.step {
            self.start(e.span);
            self.full(|l| l.effect(e))?;
        }
        self.body.edge_to(head, Op::Skip);
        self.body.cur = end;
        Ok(())
    }

    fn switch(&mut self, s: &'a SwitchStatement) -> Res<()> {
        let (r, ty) = self.full(|l| {
            let v = l.value(&s.expression)?;
            let v = l.unary(None, v, s.expression.span)?;
            let kind = l.unit.types.kind(&v.ty);
            Ok((l.body.assign(kind, v.expr), v.ty))
        })?;
        let dispatch = self.body.cur;
        let end = self.body.fresh();
        self.body.cur = self.body.fresh();
        self.body.switched = true;
        self.context.switches.push(Switch { ty: Some(ty), ..Switch::default() });
        let cleanups = self.context.cleanups.len();
        let done = self.loop_body(&s.statement, Jump { exit: end, next: None, cleanups });
        let cases = self.context.switches.pop().unwrap_or_default();
        done?;
        self.body.edge_to(end, Op::Skip);
        self.body.cur = dispatch;
        let v = || Expr::Reg(r);
        for (low, high, to) in &cases.cases {
            if low == high {
                let test = compare(CmpOp::Eq, v(), Expr::Const(*low));
                self.body.edge_to(*to, Op::Assume(test.clone()));
                self.body.emit(Op::Assume(test.is_false()));
                continue;
            }
            let (inside, after) = (self.body.fresh(), self.body.fresh());
            let above = compare(CmpOp::Ge, v(), Expr::Const(*low));
            let below = compare(CmpOp::Le, v(), Expr::Const(*high));
            self.body.edge_to(inside, Op::Assume(above.clone()));
            self.body.edge_to(after, Op::Assume(above.is_false()));
            self.body.cur = inside;
            self.body.edge_to(*to, Op::Assume(below.clone()));
            self.body.edge_to(after, Op::Assume(below.is_false()));
            self.body.cur = after;
        }
        self.body.edge_to(cases.default.unwrap_or(end), Op::Skip);
        self.body.cur = end;
        Ok(())
    }

    fn case_value(&mut self, e: &'a Node<Expression>, ty: &Ty) -> Res<i128> {
        let v = self.constant(e)?;
        let Some(v) = v else { return self.error(e.span, "a case label must be constant", "") };
        let wrapped = super::value::wrap(v, self.unit.types.kind(ty));
        Ok(wrapped)
    }

    fn labeled(&mut self, l: &'a Node<LabeledStatement>) -> Res<()> {
        let at = self.body.fresh();
        match &l.node.label.node {
            Label::Identifier(i) => {
                let name = &i.node.name;
                if name.starts_with("__CPROVER_ASYNC_") {
                    self.start(l.node.statement.span);
                    return self.full(|x| x.async_statement(&l.node.statement));
                }
                self.no_cleanups(0, i.span)?;
                let label = self.label(name, i.span);
                if label.defined.is_some() {
                    return self.error(i.span, format!("label `{name}` is defined twice"), "");
                }
                let seen = self.body.graph.locations.len();
                if let Some(x) = self.body.labels.get_mut(name) {
                    x.defined = Some(seen);
                }
                self.body.join(label.at);
                self.body.blocks.label(label.at);
                let shown = super::tokens::original_name(self.unit.source.names.plain(name));
                let error = shown == "ERROR" || self.unit.options.error_labels.contains(&shown);
                if self.unit.options.exclusive.as_ref() == Some(&shown) {
                    self.checked(Check::Exclusive, l.span);
                }
                let what = Violated::Label(shown.clone());
                self.body.graph.locations[label.at.0 as usize].labels.push(shown);
                if error && self.unit.options.asserts() {
                    self.checked(Check::ErrorLabel, l.span);
                    self.start(l.node.statement.span);
                    self.body.fail(what);
                    return Ok(());
                }
            }
            Label::Case(e) => {
                let Some(ty) = self.context.switches.last().and_then(|s| s.ty.clone()) else {
                    return self.error(l.span, "`case` outside of a switch", "");
                };
                let v = self.case_value(e, &ty)?;
                self.body.join(at);
                self.add_case(v, v, at, e.span)?;
            }
            Label::CaseRange(r) => {
                let Some(ty) = self.context.switches.last().and_then(|s| s.ty.clone()) else {
                    return self.error(l.span, "`case` outside of a switch", "");
                };
                let (low, high) = (self.case_value(&r.node.low, &ty)?, self.case_value(&r.node.high, &ty)?);
                self.body.join(at);
                self.add_case(low, high, at, r.span)?;
            }
            Label::Default => {
                self.body.join(at);
                match self.context.switches.last_mut() {
                    Some(s) if s.default.is_some() => {
                        return self.error(l.span, "a second `default` in a switch", "");
                    }
                    Some(s) => s.default = Some(at),
                    None => return self.error(l.span, "`default` outside of a switch", ""),
                }
            }
        }
        self.statement(&l.node.statement)
    }

    fn add_case(&mut self, low: i128, high: i128, at: Loc, span: Bytes) -> Res<()> {
        self.no_cleanups(self.context.jumps.last().map_or(0, |j| j.cleanups), span)?;
        let dialect = self.unit.uses.dialect;
        let Some(s) = self.context.switches.last_mut() else { return Ok(()) };
        let twice =
            !dialect && s.cases.iter().any(|c| low <= high && c.0 <= c.1 && c.0 <= high && low <= c.1);
        s.cases.push((low, high, at));
        if twice { self.error(span, "a second `case` with the same value", "") } else { Ok(()) }
    }

    fn label(&mut self, name: &str, at: Bytes) -> LabelAt {
        if let Some(l) = self.body.labels.get(name) {
            return *l;
        }
        let label = LabelAt { at: self.body.fresh(), defined: None, span: self.span(at) };
        self.body.labels.insert(name.to_string(), label);
        label
    }

    /// A declaration inside a function.
    pub fn declaration(&mut self, d: &'a Node<Declaration>) -> Res<()> {
        let s = specifiers(&d.node.specifiers);
        let base = self.base_type(&s)?;
        for x in &d.node.declarators {
            if let Some(()) = self.variable_array(&base, &x.node.declarator, x.span)? {
                continue;
            }
            let named = self.declared(&s, base.clone(), x)?;
            let fixed = s.fixed || s.external || s.typedef || matches!(named.ty, Ty::Function(_));
            let cleanup = s.attributes.iter().chain(&named.attributes).copied().collect::<Vec<_>>();
            let cleanup = Attributes::of(&cleanup).cleanup;
            if fixed {
                if s.external {
                    let list: Vec<_> = s.attributes.iter().chain(&named.attributes).copied().collect();
                    self.local_symbol(&list)?;
                }
                self.declare_static(&s, named, x, d.span);
                continue;
            }
            let init = x.node.initializer.as_ref().map(|i| &i.node);
            let (ty, constant) = (self.complete(named.ty, init), named.constant);
            self.start(x.span);
            let name = named.name;
            if cleanup.is_none() && self.declare_constant(&s, &name, &ty, init) {
                continue;
            }
            if cleanup.is_none() && ty.is_scalar() && !self.body.addressed.contains(&name) {
                let kind = self.unit.types.kind(&ty);
                let r = self.body.register(&super::tokens::original_name(&name), kind);
                self.context.scopes.declare(&name, Symbol::Local(Storage::Register(r), ty.clone()));
                self.full(|l| match init.and_then(first_expression) {
                    Some(e) => {
                        let v = l.value(e)?;
                        l.write(
                            &Place { at: At::Register(r), ty: ty.clone(), bit_field: None, through: None },
                            v,
                            e.span,
                        )
                        .map(drop)
                    }
                    None => {
                        let op = match init {
                            Some(_) => Op::Assign(r, Expr::Const(0)),
                            None => Op::Havoc { dst: r, source: InputSource::uninitialised() },
                        };
                        l.body.emit(op);
                        Ok(())
                    }
                })?;
                continue;
            }
            let object = self.local_object(&name, &ty, x.span)?;
            self.unit.protect(object, &ty, constant);
            self.body.started.push(object);
            self.context.scopes.declare(&name, Symbol::Local(Storage::Object(object), ty.clone()));
            self.full(|l| l.initialize_local(object, &ty, init, x.span))?;
            if let Some((function, at)) = cleanup {
                self.add_cleanup(object, function, at)?;
            }
        }
        Ok(())
    }
}

impl Body {
    /// Closes the section that `__blockattribute__((atomic))` opened in a block.
    fn end_atomic_block(&mut self, items: &[Node<BlockItem>]) {
        let is_marker = |i: &Node<BlockItem>| match &i.node {
            BlockItem::Statement(s) => match &s.node {
                Statement::Expression(Some(e)) => match &e.node {
                    Expression::Call(c) => {
                        super::scan::name_of(&c.node.callee.node) == Some(super::tokens::ATOMIC_BLOCK)
                    }
                    _ => false,
                },
                _ => false,
            },
            _ => false,
        };
        if items.iter().any(is_marker) {
            self.marker(-1);
        }
    }
}

/// The expression in `{ e }` or `e`.
fn first_expression(init: &Initializer) -> Option<&Node<Expression>> {
    match init {
        Initializer::Expression(e) => Some(e),
        Initializer::List(list) => first_expression(&list.first()?.node.initializer.node),
    }
}
