//! Functions that `atexit` registers: they run where `exit` is called or `main` returns, the last one first (C11
//! 7.22.4.2). A table holds them, and a cell how many there are.

use super::calls::Args;
use super::library::{Model, ThreadCall, model};
use super::lower::{Lower, Res};
use super::scan::name_of;
use super::types::Ty;
use super::value::{Value, binary, compare};
use lang_c::ast::*;
use lang_c::span::Span as Bytes;
use lang_c::visit::{self, Visit};
use relyant_cfa::{BinOp, Callee, CmpOp, Expr, FuncId, IntKind, ObjId, ObjectKind, Op};
use std::rc::Rc;

/// So many can be registered at least.
const MANY: u64 = 32;

/// What the file does about it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Exits {
    /// `atexit` is called somewhere.
    pub used: bool,
    /// `main` may end as threads do, and the program later.
    leaves: bool,
    /// Threads are created somewhere.
    pub threads: bool,
    table: Option<(ObjId, ObjId)>,
}

impl<'a> Lower<'a> {
    /// `atexit`: its argument is run at exit, before those registered earlier.
    pub fn register_at_exit(&mut self, args: Args<'a>, at: Bytes) -> Res<Value> {
        if self.unit.exits.leaves {
            let help = "return from main";
            return self.refuse(at, "`atexit` in a program whose main ends by pthread_exit is", help);
        }
        let h = self.value(self.argument(args, 0, at)?)?;
        let (table, count) = self.exit_table(at)?;
        let n = self.body.load(Expr::Addr(count), IntKind::Ideal);
        self.body.hold();
        let (full, room) = (self.body.fresh_held(), self.body.fresh_held());
        self.body.branch(compare(CmpOp::Ge, n.clone(), Expr::Const(i128::from(MANY))), full, room);
        self.body.cur = full;
        let limit = self.body.limit(format!("more than {MANY} functions are registered with atexit"));
        self.body.edge_to(limit, Op::Skip);
        self.body.cur = room;
        let slot = binary(BinOp::Add, Expr::Addr(table), n.clone(), IntKind::Ideal);
        self.body.store(slot, h.expr, IntKind::Ideal);
        self.body.hold();
        let more = binary(BinOp::Add, n, Expr::Const(1), IntKind::Ideal);
        self.body.store(Expr::Addr(count), more, IntKind::Ideal);
        Ok(Value::int(0))
    }

    fn exit_table(&mut self, at: Bytes) -> Res<(ObjId, ObjId)> {
        if let Some(both) = self.unit.exits.table {
            return Ok(both);
        }
        let pointer = Ty::Void.pointer();
        let table = self.object("(run at exit)", &Ty::Array(Rc::new(pointer.clone()), Some(MANY)), at)?;
        let count = self.object("(number run at exit)", &pointer, at)?;
        for o in [table, count] {
            let object = &mut self.unit.objects[o];
            object.init = vec![Some(0); object.cells.len()];
            object.kind = ObjectKind::Ghost;
        }
        self.unit.exits.table = Some((table, count));
        Ok((table, count))
    }

    /// Runs what is registered, then destructors, which end the program if there are any.
    pub fn exit_body(&mut self, after: &[FuncId]) -> Res<()> {
        let (table, count) = self.exit_table(Bytes::none())?;
        let (head, some, done) = (self.body.fresh(), self.body.fresh(), self.body.fresh());
        self.body.join(head);
        let n = self.body.load(Expr::Addr(count), IntKind::Ideal);
        self.body.branch(compare(CmpOp::Le, n.clone(), Expr::Const(0)), done, some);
        self.body.cur = some;
        let less = binary(BinOp::Sub, n, Expr::Const(1), IntKind::Ideal);
        let less = Expr::Reg(self.body.assign(IntKind::Ideal, less));
        self.body.store(Expr::Addr(count), less.clone(), IntKind::Ideal);
        let slot = binary(BinOp::Add, Expr::Addr(table), less, IntKind::Ideal);
        let f = self.body.load(slot, IntKind::Ideal);
        self.unit.functions.call_pointer();
        self.body.emit_open(Op::Call { dst: None, callee: Callee::Pointer(f), args: Vec::new() });
        self.body.edge_to(head, Op::Skip);
        self.body.cur = done;
        if !after.is_empty() {
            self.emit_calls(after);
        }
        Ok(())
    }
}

/// What a file does about it.
pub fn facts(unit: &TranslationUnit) -> Exits {
    let mut v = ExitVisitor::default();
    v.visit_translation_unit(unit);
    v.exits
}

#[derive(Default)]
struct ExitVisitor {
    exits: Exits,
    in_main: bool,
}

impl<'a> Visit<'a> for ExitVisitor {
    fn visit_function_definition(&mut self, f: &'a FunctionDefinition, span: &'a Bytes) {
        let name = match &f.declarator.node.kind.node {
            DeclaratorKind::Identifier(i) => i.node.name.as_str(),
            _ => "",
        };
        self.in_main = name == "main";
        visit::visit_function_definition(self, f, span);
    }
    fn visit_call_expression(&mut self, c: &'a CallExpression, span: &'a Bytes) {
        if let Some(name) = name_of(&c.callee.node) {
            self.exits.used |= name == "atexit";
            let model = model(name);
            self.exits.threads |=
                matches!(model, Some(Model::Thread(ThreadCall::Create | ThreadCall::Create11)));
            self.exits.leaves |= self.in_main && matches!(model, Some(Model::Thread(ThreadCall::Exit)));
        }
        visit::visit_call_expression(self, c, span);
    }
}
