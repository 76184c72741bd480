//! Thread-specific data by key: each thread has a slot for each place in the file that makes a key.
//!
//! That is right where such a place is passed once; where it may be passed more often there are as many slots as POSIX
//! promises at least, handed out in order. What a destructor is for runs where the thread ends: when its start routine
//! returns, or in `pthread_exit`.

use super::calls::Args;
use super::library::KeyCall;
use super::lower::{Lower, Res};
use super::scan::name_of;
use super::translation::{Translation, Work};
use super::types::{INT, Ty};
use super::value::{Value, binary, compare, offset};
use lang_c::ast::*;
use lang_c::span::Span as Bytes;
use lang_c::visit::{self, Visit};
use relyant_cfa::{BinOp, Callee, CmpOp, Expr, FuncId, IntKind, ObjId, ObjectKind, Op};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// `_POSIX_THREAD_KEYS_MAX`: keys that any library has room for.
const MANY: u64 = 128;
/// `PTHREAD_DESTRUCTOR_ITERATIONS`: rounds of destructors at the end of a thread, at most.
const ROUNDS: usize = 4;
const EAGAIN: i128 = 11;

/// Keys of the file.
#[derive(Debug, Default)]
pub struct Keys {
    /// Places in the file that make one.
    pub places: usize,
    /// Each is passed once at most.
    pub once: bool,
    /// Some key has a destructor.
    pub destructors: bool,
    /// Some key is deleted.
    pub deletes: bool,
    /// The places lowered so far, and their destructors.
    sites: Vec<(Bytes, Option<Callee>)>,
    slots: Option<ObjId>,
    next: Option<ObjId>,
    deleted: Option<ObjId>,
    runner: Option<FuncId>,
}

impl<'a> Lower<'a> {
    fn slots(&mut self, at: Bytes) -> Res<ObjId> {
        if let Some(o) = self.unit.keys.slots {
            return Ok(o);
        }
        let n = if self.unit.keys.once { self.unit.keys.places.max(1) as u64 } else { MANY };
        let o = self.object("(thread-specific)", &Ty::Array(Rc::new(Ty::Void.pointer()), Some(n)), at)?;
        let object = &mut self.unit.objects[o];
        object.thread_local = true;
        object.init = vec![Some(0); object.cells.len()];
        object.kind = ObjectKind::Ghost;
        self.unit.keys.slots = Some(o);
        Ok(o)
    }

    fn shared(&mut self, name: &str, n: u64, at: Bytes) -> Res<ObjId> {
        let o = self.object(name, &Ty::Array(Rc::new(Ty::Int(INT)), Some(n.max(1))), at)?;
        let object = &mut self.unit.objects[o];
        object.init = vec![Some(0); object.cells.len()];
        object.kind = ObjectKind::Ghost;
        Ok(o)
    }

    fn slot(&mut self, args: Args<'a>, at: Bytes) -> Res<Expr> {
        let key = self.value(self.argument(args, 0, at)?)?;
        self.integer(&key, at)?;
        let slots = self.slots(at)?;
        Ok(binary(BinOp::Add, Expr::Addr(slots), key.expr, IntKind::Ideal))
    }

    /// A call of a function on keys.
    pub fn key_call(&mut self, k: KeyCall, args: Args<'a>, at: Bytes) -> Res<Value> {
        match k {
            KeyCall::Create => self.create_key(args, at),
            KeyCall::Get => {
                let slot = self.slot(args, at)?;
                Ok(Value { expr: self.body.load(slot, IntKind::Ideal), ty: Ty::Void.pointer() })
            }
            KeyCall::Set => {
                let slot = self.slot(args, at)?;
                let v = self.value(self.argument(args, 1, at)?)?;
                let v = self.convert(v, &Ty::Void.pointer(), at)?;
                self.body.store(slot, v.expr, IntKind::Ideal);
                Ok(Value::int(0))
            }
            KeyCall::Delete => {
                let key = self.value(self.argument(args, 0, at)?)?;
                if self.unit.keys.destructors {
                    let flags = self.deleted(at)?;
                    let flag = binary(BinOp::Add, Expr::Addr(flags), key.expr, IntKind::Ideal);
                    self.body.store(flag, Expr::Const(1), IntKind::INT);
                }
                Ok(Value::int(0))
            }
        }
    }

    fn deleted(&mut self, at: Bytes) -> Res<ObjId> {
        match self.unit.keys.deleted {
            Some(o) => Ok(o),
            None => {
                let o = self.shared("(deleted keys)", self.unit.keys.places as u64, at)?;
                self.unit.keys.deleted = Some(o);
                Ok(o)
            }
        }
    }

    fn create_key(&mut self, args: Args<'a>, at: Bytes) -> Res<Value> {
        self.unit.assume("pthread calls succeed");
        let target = self.argument(args, 0, at)?;
        let Some(place) = self.pointee(target)? else {
            return self.error(target.span, "a null pointer where a key is needed", "");
        };
        let destructor = match args.get(1) {
            Some(a) => {
                let v = self.value(a)?;
                match v.expr {
                    Expr::Const(0) => None,
                    Expr::Func(id) => {
                        self.unit.functions.call(id);
                        Some(Callee::Known(id))
                    }
                    _ => return self.refuse(a.span, "a destructor that is no function of the file is", ""),
                }
            }
            None => None,
        };
        if self.unit.keys.once {
            let known = self.unit.keys.sites.iter().position(|s| s.0 == at);
            let n = known.unwrap_or(self.unit.keys.sites.len());
            if known.is_none() {
                self.unit.keys.sites.push((at, destructor));
            }
            self.write(&place, Value::int(n as i128), at)?;
            return Ok(Value::int(0));
        }
        if destructor.is_some() {
            let help = "make the key in main or in a routine of pthread_once, outside of loops";
            return self.refuse(at, "a key with a destructor that may be made more than once is", help);
        }
        let next = match self.unit.keys.next {
            Some(o) => o,
            None => {
                let o = self.shared("(next key)", 1, at)?;
                self.unit.keys.next = Some(o);
                o
            }
        };
        let r = self.body.result_register();
        let (full, end) = (self.body.fresh(), self.body.fresh());
        let n = self.body.load(Expr::Addr(next), IntKind::INT);
        self.body.hold();
        let room = compare(CmpOp::Lt, n.clone(), Expr::Const(MANY.into()));
        self.body.edge_to(full, Op::Assume(room.clone().is_false()));
        self.body.emit_held(Op::Assume(room));
        let more = binary(BinOp::Add, n.clone(), Expr::Const(1), IntKind::INT);
        self.body.store(Expr::Addr(next), more, IntKind::INT);
        self.write(&place, Value { expr: n, ty: Ty::Int(INT) }, at)?;
        self.body.edge_to(end, Op::Assign(r, Expr::Const(0)));
        self.body.cur = full;
        self.body.edge_to(end, Op::Assign(r, Expr::Const(EAGAIN)));
        self.body.cur = end;
        Ok(Value { expr: Expr::Reg(r), ty: Ty::Int(INT) })
    }

    /// The body of that function: as long as there are values, but not for ever.
    pub fn run_destructors(&mut self) -> Res<()> {
        let at = Bytes::none();
        let sites = self.unit.keys.sites.clone();
        if sites.iter().all(|s| s.1.is_none()) {
            return Ok(());
        }
        let slots = self.slots(at)?;
        for _ in 0..ROUNDS {
            for (n, (_, destructor)) in sites.iter().enumerate() {
                let Some(callee) = destructor else { continue };
                let slot = offset(Expr::Addr(slots), n as u64);
                let (some, next) = (self.body.fresh(), self.body.fresh());
                if self.unit.keys.deletes {
                    let flags = self.deleted(at)?;
                    let gone = self.body.load(offset(Expr::Addr(flags), n as u64), IntKind::INT);
                    let kept = self.body.fresh();
                    self.body.branch(compare(CmpOp::Eq, gone, Expr::Const(0)), kept, next);
                    self.body.cur = kept;
                }
                let v = self.body.load(slot.clone(), IntKind::Ideal);
                self.body.branch(compare(CmpOp::Ne, v.clone(), Expr::Const(0)), some, next);
                self.body.cur = some;
                self.body.store(slot, Expr::Const(0), IntKind::Ideal);
                self.body.emit_open(Op::Call { dst: None, callee: callee.clone(), args: vec![v] });
                self.body.join(next);
            }
        }
        Ok(())
    }

    /// Runs cleanup handlers and destructors here, where a thread is about to end.
    pub fn end_of_thread(&mut self) {
        self.run_handlers();
        if let Some(id) = self.unit.destructors() {
            self.body.emit_open(Op::Call { dst: None, callee: Callee::Known(id), args: Vec::new() });
        }
    }
}

impl Translation<'_> {
    /// The function that runs destructors at the end of a thread, if there are any.
    pub fn destructors(&mut self) -> Option<FuncId> {
        if !self.keys.destructors {
            return None;
        }
        let known = self.keys.runner;
        let id = known.unwrap_or_else(|| self.functions.enqueue("(destructors)".into(), Work::Destructors));
        self.functions.call(id);
        self.keys.runner = Some(id);
        Some(id)
    }
}

/// What the file does with keys.
pub fn facts(unit: &TranslationUnit) -> Keys {
    let mut v = KeyVisitor::default();
    v.visit_translation_unit(unit);
    let main_only = |f: &str| f == "main" && !v.uses.contains_key("main");
    let flat = |u: &Use| !u.in_loop && !v.labelled.contains(&u.function);
    let once = |u: &Use| {
        flat(u)
            && (main_only(&u.function)
                || v.uses.get(&u.function).is_some_and(|all| match all.as_slice() {
                    [user] => user.by_once || (flat(user) && main_only(&user.function)),
                    _ => false,
                }))
    };
    v.keys.places = v.makes.len();
    v.keys.once = v.makes.iter().all(once);
    v.keys
}

/// Where a name is used.
struct Use {
    function: String,
    in_loop: bool,
    /// As the routine of a once.
    by_once: bool,
}

#[derive(Default)]
struct KeyVisitor {
    keys: Keys,
    function: String,
    loops: usize,
    by_once: bool,
    makes: Vec<Use>,
    uses: BTreeMap<String, Vec<Use>>,
    /// Functions with labels, where `goto` may go back.
    labelled: BTreeSet<String>,
}

impl KeyVisitor {
    fn here(&self) -> Use {
        Use { function: self.function.clone(), in_loop: self.loops > 0, by_once: self.by_once }
    }
}

impl<'a> Visit<'a> for KeyVisitor {
    fn visit_function_definition(&mut self, f: &'a FunctionDefinition, span: &'a Bytes) {
        let mut d = &f.declarator.node;
        while let DeclaratorKind::Declarator(inner) = &d.kind.node {
            d = &inner.node;
        }
        if let DeclaratorKind::Identifier(i) = &d.kind.node {
            self.function.clone_from(&i.node.name);
        }
        visit::visit_function_definition(self, f, span);
        self.function.clear();
    }
    fn visit_statement(&mut self, s: &'a Statement, span: &'a Bytes) {
        let is_loop = matches!(s, Statement::While(_) | Statement::DoWhile(_) | Statement::For(_));
        self.loops += usize::from(is_loop);
        if let Statement::Labeled(l) = s {
            if matches!(l.node.label.node, Label::Identifier(_)) {
                self.labelled.insert(self.function.clone());
            }
        }
        visit::visit_statement(self, s, span);
        self.loops -= usize::from(is_loop);
    }
    fn visit_expression(&mut self, e: &'a Expression, span: &'a Bytes) {
        if let Some(name) = name_of(e) {
            let here = self.here();
            self.uses.entry(name.to_string()).or_default().push(here);
        }
        visit::visit_expression(self, e, span);
    }
    fn visit_call_expression(&mut self, c: &'a CallExpression, span: &'a Bytes) {
        let outer = self.by_once;
        match name_of(&c.callee.node) {
            Some("pthread_key_create" | "tss_create") => {
                let here = self.here();
                self.makes.push(here);
                self.keys.destructors |= c.arguments.get(1).is_some_and(|a| !is_null(&a.node));
            }
            Some("pthread_key_delete" | "tss_delete") => self.keys.deletes = true,
            Some("pthread_once" | "call_once") => self.by_once = true,
            _ => {}
        }
        visit::visit_call_expression(self, c, span);
        self.by_once = outer;
    }
}

fn is_null(e: &Expression) -> bool {
    match e {
        Expression::Constant(c) => matches!(&c.node, Constant::Integer(i) if &*i.number == "0"),
        Expression::Cast(c) => is_null(&c.node.expression.node),
        _ => false,
    }
}
