//! `__CPROVER_ASYNC_1: statement` runs the statement in a thread of its own, as CBMC has it: the new thread has copies of
//! the locals of the one that creates it, as they are then, and shares the globals.

use super::lower::{Lower, Res};
use super::scope::{Storage, Symbol};
use super::translation::Work;
use super::types::Ty;
use super::value::{cast, offset};
use super::views::{Conversion, Seen};
use lang_c::ast::*;
use lang_c::span::{Node, Span as Bytes};
use relyant_cfa::{Callee, Expr, IntKind, Op, Reg};
use std::rc::Rc;

/// Locals that a new thread gets copies of.
pub type Copies = Vec<(String, Ty)>;

impl<'a> Lower<'a> {
    /// Creates a thread that runs the statement with copies of the locals it uses.
    pub fn async_statement(&mut self, s: &'a Node<Statement>) -> Res<()> {
        let handle = self.body.temp(IntKind::Ideal);
        let (routine, arg) = match self.async_call(s)? {
            Some(found) => found,
            None => self.async_copies(s)?,
        };
        self.body.emit(Op::Create { handle, routine, arg, template: None });
        Ok(())
    }

    /// A call of one function, if what it is passed is the same before the thread is created: one value at most, or
    /// constants.
    fn async_call(&mut self, s: &'a Node<Statement>) -> Res<Option<(Callee, Option<Expr>)>> {
        let Statement::Expression(Some(e)) = &s.node else { return Ok(None) };
        let Expression::Call(c) = &e.node else { return Ok(None) };
        let Some(name) = super::scan::name_of(&c.node.callee.node) else { return Ok(None) };
        if self.context.scopes.is_local(name) {
            return match c.node.arguments.as_slice() {
                [] => Ok(Some((Callee::Pointer(self.value(&c.node.callee)?.expr), None))),
                _ => Ok(None),
            };
        }
        let Some(f) = self.unit.functions.ask(name) else { return Ok(None) };
        let mark = self.body.mark();
        let args = self.arguments(name, &c.node.arguments, e.span)?;
        let private = |op: &Op| matches!(op, Op::Skip | Op::Assign(..) | Op::Havoc { .. } | Op::Assume(_));
        if !self.body.graph.edges[mark.edges()..].iter().all(|e| private(&e.op)) {
            self.rewind(mark);
            return Ok(None);
        }
        let constant = |a: &Expr| matches!(a, Expr::Const(_) | Expr::Addr(_) | Expr::Func(_));
        Ok(match args.as_slice() {
            [] => Some((Callee::Known(f), None)),
            [one] => Some((Callee::Known(f), Some(one.clone()))),
            many if many.iter().all(constant) => {
                let span = self.span(s.span);
                Some((Callee::Known(self.unit.call_thread(f, name, args, span)), None))
            }
            _ => {
                self.rewind(mark);
                None
            }
        })
    }

    /// Any statement, with copies of the locals that it names.
    fn async_copies(&mut self, s: &'a Node<Statement>) -> Res<(Callee, Option<Expr>)> {
        let (mut copies, mut values) = (Copies::new(), Vec::new());
        for (name, at) in super::scan::identifiers(s) {
            if !self.context.scopes.is_local(name) || copies.iter().any(|c| c.0 == name) {
                continue;
            }
            let Some(Symbol::Local(Storage::Register(r), ty)) = self.context.scopes.get(name) else {
                return self.refuse(
                    at,
                    format!(
                        "a local of the creating thread, `{name}`, in a statement that a new thread runs is"
                    ),
                    "make it a global or pass it to a function",
                );
            };
            values.push(Expr::Reg(*r));
            copies.push((name.to_string(), ty.clone()));
        }
        let arg = self.packed(values, s.span)?;
        let stem = format!("{}#thread", self.body.name);
        let routine = self.unit.functions.enqueue_thread(&stem, Work::Thread(s, copies));
        Ok((Callee::Known(routine), arg))
    }

    /// Values as the one argument of a thread: the value, or a block of its own that holds them.
    fn packed(&mut self, values: Vec<Expr>, at: Bytes) -> Res<Option<Expr>> {
        let n = match values.as_slice() {
            [] => return Ok(None),
            [one] => return Ok(Some(one.clone())),
            many => many.len() as u64,
        };
        if self.unit.options.checks_memory() || self.unit.options.leaks {
            return self.refuse(
                at,
                "a statement that a new thread runs with several locals of the creating one, where memory is checked,",
                "pass them in globals or a struct",
            );
        }
        let word = Ty::Void.pointer();
        let bytes = self.unit.types.size(&word).map_or(8, |s| s.0);
        let made = self.fresh_block("copies of locals", Expr::Const(i128::from(bytes * n)), at);
        let (value, target) = (made.clone(), Ty::Array(Rc::new(word), Some(n)));
        let span = self.span(at);
        self.body.conversions.push(Conversion { value, target, seen: Seen::First, span });
        for (k, v) in values.into_iter().enumerate() {
            self.body.store(offset(made.clone(), k as u64), v, IntKind::Ideal);
        }
        Ok(Some(made))
    }

    /// Declares the copies in the new thread. Gives its parameters.
    pub fn unpack(&mut self, copies: &Copies) -> Vec<Reg> {
        if copies.is_empty() {
            return Vec::new();
        }
        let arg = self.body.register("", IntKind::Ideal);
        for (k, (name, ty)) in copies.iter().enumerate() {
            let held = match copies.len() {
                1 => Expr::Reg(arg),
                _ => self.body.load(offset(Expr::Reg(arg), k as u64), IntKind::Ideal),
            };
            let kind = self.unit.types.kind(ty);
            let r = self.body.register(&super::tokens::original_name(name), kind);
            self.body.emit(Op::Assign(r, cast(held, IntKind::Ideal, kind)));
            self.context.scopes.declare(name, Symbol::Local(Storage::Register(r), ty.clone()));
        }
        vec![arg]
    }
}
