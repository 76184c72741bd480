//! One function: parameters, body, and which of its locations are atomic.

use super::body::Body;
use super::declare::Named;
use super::lower::{Lower, Res};
use super::scope::{Storage, Symbol};
use super::specifiers::specifiers;
use super::translation::{Translation, Work};
use super::types::{Signature, Ty};
use super::value::{Value, offset};
use super::views::Conversion;
use super::walks::Sight;
use crate::orders::Unsequenced;
use crate::races::Access;
use lang_c::ast::*;
use lang_c::span::{Node, Span as Bytes};
use relyant_cfa::diagnostic::Span;
use relyant_cfa::{
    Callee, Check, Expr, FuncId, Function, Graph, InputSource, IntKind, Loc, LocationKind, ObjId, Op, Reg,
    Violated,
};
use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;

/// A function once it is lowered, and what is told of it by location of its graph.
struct Done {
    function: Function,
    conversions: Vec<Conversion>,
    sights: Vec<Sight>,
    accesses: Vec<Access>,
    unsequenced: Unsequenced,
}

impl<'a> Lower<'a> {
    /// Lowers a function that was asked for.
    pub fn lower_function(&mut self, id: FuncId, name: &str, work: Work<'a>) -> Res<()> {
        let done = self.lower_work(name, work)?;
        self.unit.memory.conversions.extend(done.conversions.into_iter().map(|c| (id, c)));
        self.unit.memory.sights.extend(done.sights.into_iter().map(|s| (id, s)));
        self.unit.functions.accesses.insert(id, done.accesses);
        self.unit.functions.unsequenced.insert(id, done.unsequenced);
        self.unit.functions.lowered(id, done.function);
        Ok(())
    }

    fn lower_work(&mut self, name: &str, work: Work<'a>) -> Res<Done> {
        match work {
            Work::Definition(f) => self.definition(name, f),
            Work::Thread(s, copies) => {
                let span = self.span(s.span);
                self.begin(name, Ty::Void, span);
                self.body.addressed = super::scan::addressed(&s.node);
                if let Some((n, _)) = copies.iter().find(|c| self.body.addressed.contains(&c.0)) {
                    let what = format!(
                        "the address of a copy of `{n}`, a local of the creating thread, in a new thread is"
                    );
                    return self.refuse(s.span, what, "make it a global or pass it to a function");
                }
                self.context.scopes.enter();
                let params = self.unpack(&copies);
                let done = self.statement(s);
                self.context.scopes.leave();
                done?;
                self.close(params, s.span, span)
            }
            Work::External(params) => {
                self.begin(name, Ty::Void, Span::default());
                let params = (0..params).map(|_| self.body.register("", IntKind::Ideal)).collect();
                let shown = super::tokens::original_name(name);
                let limit =
                    self.body.limit(format!("`{shown}`, which has no body, is called through a pointer"));
                self.body.leave(limit, Op::Skip);
                self.close(params, Bytes::none(), Span::default())
            }
            Work::Start(conditions, routines) => self.start_function(name, conditions, routines),
            Work::Routine { routine, takes, gives, extra, destructors } => {
                self.begin(name, Ty::Void.pointer(), Span::default());
                let arg = self.body.register("", IntKind::Ideal);
                let dst = gives.then(|| self.body.temp(IntKind::Ideal));
                let mut args = if takes { vec![Expr::Reg(arg)] } else { Vec::new() };
                for kind in extra {
                    args.push(
                        self.body.havoc(kind, InputSource::input("a parameter that nobody gives a value")),
                    );
                }
                self.body.emit_open(Op::Call { dst, callee: Callee::Known(routine), args });
                if let Some(d) = destructors {
                    self.body.emit_open(Op::Call { dst: None, callee: Callee::Known(d), args: Vec::new() });
                }
                let end = self.body.end;
                self.body.leave(end, Op::Return(Some(dst.map_or(Expr::Const(0), Expr::Reg))));
                self.close(vec![arg], Bytes::none(), Span::default())
            }
            Work::Handlers => {
                self.begin(name, Ty::Void, Span::default());
                self.handlers_body()?;
                self.close(Vec::new(), Bytes::none(), Span::default())
            }
            Work::Handler { number, handler, cell } => {
                self.begin(name, Ty::Void, Span::default());
                self.body.handler_body(number, handler, cell);
                self.close(Vec::new(), Bytes::none(), Span::default())
            }
            Work::Calls(functions) => {
                self.begin(name, Ty::Void, Span::default());
                self.emit_calls(&functions);
                self.close(Vec::new(), Bytes::none(), Span::default())
            }
            Work::AtExit(functions) => {
                self.begin(name, Ty::Void, Span::default());
                self.exit_body(&functions)?;
                self.close(Vec::new(), Bytes::none(), Span::default())
            }
            Work::Destructors => {
                self.begin(name, Ty::Void, Span::default());
                self.run_destructors()?;
                self.close(Vec::new(), Bytes::none(), Span::default())
            }
            Work::Call(f, args, span) => {
                self.begin(name, Ty::Void, span);
                self.body.emit(Op::Call { dst: None, callee: Callee::Known(f), args });
                self.close(Vec::new(), Bytes::none(), span)
            }
        }
    }

    /// Sets the globals of the conditions to any values for which they hold, then starts the threads.
    fn start_function(
        &mut self,
        name: &str,
        conditions: Vec<&'a Node<Expression>>,
        routines: Vec<FuncId>,
    ) -> Res<Done> {
        self.begin(name, Ty::Void, Span::default());
        let mut seen = Vec::new();
        for e in &conditions {
            for (name, at) in super::scan::names(e) {
                let Some(Symbol::Global(g)) = self.context.scopes.get(name).cloned() else { continue };
                let object = self.global_object(g, at)?;
                if !seen.contains(&object) {
                    seen.push(object);
                    let ty = self.unit.objects.globals[g].ty.clone();
                    self.initialize_local(object, &ty, None, at)?;
                }
            }
        }
        for e in conditions {
            let span = self.span(e.span);
            self.body.span = span;
            let (ok, dead) = (self.body.fresh(), self.body.fresh());
            self.body.rule_out(dead);
            self.condition(e, ok, dead)?;
            self.body.cur = ok;
        }
        for f in routines {
            let handle = self.body.temp(IntKind::Ideal);
            self.body.emit(Op::Create { handle, routine: Callee::Known(f), arg: None, template: None });
        }
        // The end of this thread is not the end of the program.
        let end = self.body.end;
        self.body.leave(end, Op::ThreadExit(Expr::Const(0)));
        self.close(Vec::new(), Bytes::none(), Span::default())
    }

    fn definition(&mut self, name: &str, f: &'a Node<FunctionDefinition>) -> Res<Done> {
        let span = self.span(f.node.declarator.span);
        let s = specifiers(&f.node.specifiers);
        let base = self.base_type(&s)?;
        let named = self.declarator(base, &f.node.declarator)?;
        let Ty::Function(signature) = &named.ty else {
            return self.error(f.span, format!("`{name}` is defined like a function but is none"), "");
        };
        self.begin(name, signature.result.clone(), span);
        self.body.addressed = super::scan::addressed(&f.node.statement.node);
        self.context.scopes.enter();
        if self.has_list(signature) {
            self.body.list = Some(self.body.register("", IntKind::Ideal));
        }
        let done = self.parameters_and_body(f, &named.params);
        self.context.scopes.leave();
        let params = done?;
        self.close(params, f.span, span)
    }

    fn parameters_and_body(
        &mut self,
        f: &'a Node<FunctionDefinition>,
        params: &Option<&'a Node<DerivedDeclarator>>,
    ) -> Res<Vec<Reg>> {
        let mut registers = Vec::new();
        if let Ty::Record(_) = self.body.result {
            let to = self.body.register("", IntKind::Ideal);
            self.body.return_to = Some(to);
            registers.push(to);
        }
        match params.map(|p| &p.node) {
            Some(DerivedDeclarator::Function(d)) => {
                for (k, p) in d.node.parameters.iter().enumerate() {
                    let mut named = self.parameter(&p.node)?;
                    self.with_known_rows(k, &mut named);
                    if self.body.name == "main" && registers.len() == 1 && named.ty.target().is_some() {
                        named.ty = super::input::command_line();
                    }
                    if named.ty != Ty::Void {
                        self.declare_parameter(&named, p.span, &mut registers)?;
                    }
                }
            }
            Some(DerivedDeclarator::KRFunction(names)) => {
                for n in names {
                    let named = self.old_style_parameter(f, &n.node.name)?;
                    self.declare_parameter(&named, n.span, &mut registers)?;
                }
            }
            _ => {}
        }
        registers.extend(self.body.list);
        if self.unit.options.threads.iter().any(|t| self.unit.start_name(t) == self.body.name)
            || self.body.name == "main"
        {
            // Nobody passes arguments to what the program starts with.
            for r in &registers {
                self.body.emit(Op::Havoc { dst: *r, source: InputSource::uninitialised() });
            }
            if let (Some(argc), "main") = (registers.first(), self.body.name.as_str()) {
                // C11 5.1.2.2.1
                self.body.assumes();
                let least = super::value::compare(relyant_cfa::CmpOp::Ge, Expr::Reg(*argc), Expr::Const(0));
                self.body.emit(Op::Assume(least));
                if let [argc, argv] = registers[..] {
                    let argc = self.body.assign(IntKind::INT, Expr::Reg(argc));
                    let argv = self.body.assign(IntKind::Ideal, Expr::Reg(argv));
                    self.body.words = Some((argc, argv));
                }
            }
        }
        if self.unit.is_error_function(&self.body.name) {
            // Called through a pointer, or started as a thread.
            let what = Violated::Call(self.body.name.clone());
            self.checked(Check::ErrorCall, f.node.declarator.span);
            self.body.fail(what);
        }
        if let Statement::Compound(items) = &f.node.statement.node {
            for item in items {
                self.block_item(item)?;
            }
            self.end_cleanups(0);
        }
        Ok(registers)
    }

    /// A parameter that `f(a, b) int a; { … }` declares.
    pub fn old_style_parameter(&mut self, f: &'a Node<FunctionDefinition>, name: &str) -> Res<Named<'a>> {
        for d in &f.node.declarations {
            let s = specifiers(&d.node.specifiers);
            let base = self.base_type(&s)?;
            for x in &d.node.declarators {
                let mut named = self.declarator(base.clone(), &x.node.declarator)?;
                if named.name == name {
                    named.decay(self.is_constant(&s, Some(&x.node.declarator)));
                    return Ok(named);
                }
            }
        }
        Ok(Named::of(name, Ty::Int(super::types::INT)))
    }

    /// A parameter: one register for each of its cells, copied to an object where it needs an address.
    fn declare_parameter(&mut self, named: &Named<'a>, at: Bytes, registers: &mut Vec<Reg>) -> Res<()> {
        let Named { name, ty, constant, .. } = named;
        let mut cells = Vec::new();
        if let Err(why) = self.unit.types.flatten(ty, "", &mut cells) {
            return self.refuse(at, format!("parameter `{name}`: {why}; this is"), "");
        }
        let shown = super::tokens::original_name(name);
        let first = registers.len();
        for (kind, suffix) in &cells {
            registers.push(self.body.register(&format!("{shown}{suffix}"), *kind));
        }
        if ty.is_scalar() && !self.body.addressed.contains(name) {
            self.context.scopes.declare(name, Symbol::Local(Storage::Register(registers[first]), ty.clone()));
            return Ok(());
        }
        let object = self.local_object(name, ty, at)?;
        self.unit.protect(object, ty, *constant);
        self.body.started.push(object);
        self.initially(|l| {
            for (k, r) in registers[first..].iter().enumerate() {
                l.body.store(offset(Expr::Addr(object), k as u64), Expr::Reg(*r), cells[k].0);
            }
            Ok(())
        })?;
        self.context.scopes.declare(name, Symbol::Local(Storage::Object(object), ty.clone()));
        Ok(())
    }

    /// An object that each activation of the function has.
    pub fn local_object(&mut self, name: &str, ty: &Ty, at: Bytes) -> Res<ObjId> {
        let object = self.object(&format!("{}::{name}", self.body.name), ty, at)?;
        self.unit.objects[object].function = Some(super::tokens::original_name(&self.body.name));
        self.body.locals.push(object);
        self.body.blocks.object(object);
        Ok(object)
    }

    /// Returns at the end of the body and makes the function and the conversions of pointers in it.
    fn close(&mut self, params: Vec<Reg>, at: Bytes, span: Span) -> Res<Done> {
        self.fall_off(at)?;
        for (name, label) in &self.body.labels {
            if label.defined.is_none() {
                return Err(self.unit.source.diagnostic(
                    label.span,
                    format!("label `{name}` is not defined"),
                    "",
                ));
            }
        }
        let mut body = std::mem::replace(&mut self.body, Body::new("", Ty::Void, Span::default()));
        let conversions = std::mem::take(&mut body.conversions);
        let sights = std::mem::take(&mut body.sights);
        self.unit.mark_lifetimes(&mut body);
        if body.labels.is_empty() && !body.switched {
            // What they hold before nobody sees: that is no input.
            for o in &body.started {
                let init = &mut self.unit.objects[*o].init;
                init.iter_mut().for_each(|v| *v = v.or(Some(0)));
            }
        }
        let atomic = body.name.starts_with("__VERIFIER_atomic_");
        let result = match &body.result {
            Ty::Void | Ty::Record(_) => None,
            t => Some(self.unit.types.kind(t)),
        };
        let name = super::tokens::original_name(&body.name);
        let registers = body.registers.clone();
        let locals = body.locals.clone();
        let accesses = body.accesses.clone();
        let mut unsequenced = Unsequenced {
            regions: std::mem::take(&mut body.regions),
            held: std::mem::take(&mut body.held),
            open: body.open.clone(),
        };
        let (graph, entry, new) = self.unit.finish_graph(body, atomic, &params, &mut unsequenced)?;
        let unsequenced = unsequenced.moved(&new);
        let accesses = accesses.iter().filter_map(|a| a.moved(&new)).collect();
        let function = Function { name, params, result, registers, locals, entry, graph, atomic, span };
        Ok(Done { function, conversions, sights, accesses, unsequenced })
    }

    /// The end of the body without a return.
    fn fall_off(&mut self, at: Bytes) -> Res<()> {
        let ty = self.body.result.clone();
        let value = match &ty {
            Ty::Void | Ty::Record(_) => None,
            // C99 has main return 0.
            _ if self.body.name == "main" => Some(Expr::Const(0)),
            t if t.is_scalar() => {
                let kind = self.unit.types.kind(&ty);
                Some(self.body.havoc(kind, InputSource::uninitialised()))
            }
            _ => {
                return self.refuse(
                    at,
                    format!("a function that returns `{}` is", self.unit.types.describe(&ty)),
                    "return it through a pointer",
                );
            }
        };
        let end = self.body.end;
        self.body.leave(end, Op::Return(value));
        Ok(())
    }

    /// `return e;`: converts to the result's type and leaves the function; without a value for `return;`.
    pub fn return_value(&mut self, v: Option<Value>, at: Bytes) -> Res<()> {
        let ty = self.body.result.clone();
        let value = match (v, &ty) {
            (_, Ty::Void) | (None, _) => None,
            (Some(v), Ty::Record(_)) => {
                let v = self.convert(v, &ty, at)?;
                if let Some(to) = self.body.return_to {
                    self.copy(Expr::Reg(to), v.expr, &ty, at)?;
                }
                None
            }
            (Some(v), t) if t.is_scalar() => Some(self.convert(v, &ty, at)?.expr),
            _ => {
                return self.refuse(
                    at,
                    format!("a function that returns `{}` is", self.unit.types.describe(&ty)),
                    "return it through a pointer",
                );
            }
        };
        if !self.context.cleanups.is_empty() {
            // The value is there before anything is cleaned up.
            let value = value.map(|v| {
                let kind = self.unit.types.kind(&ty);
                Expr::Reg(self.body.assign(kind, v))
            });
            self.clean_up(0);
            let end = self.body.end;
            self.body.leave(end, Op::Return(value));
            return Ok(());
        }
        let end = self.body.end;
        self.body.leave(end, Op::Return(value));
        Ok(())
    }
}

impl Translation<'_> {
    /// Marks atomic locations and drops what can't be reached.
    fn finish_graph(
        &mut self,
        mut body: Body,
        atomic: bool,
        params: &[Reg],
        unsequenced: &mut Unsequenced,
    ) -> Res<(Graph, Loc, Vec<Option<Loc>>)> {
        super::fresh::forget_skipped(&mut body, params);
        let any_order = unsequenced.any_order();
        let depth = self.depths(&body, &any_order)?;
        let main = body.name == "main" && self.options.threads.is_empty();
        let open = |e: &&relyant_cfa::Edge| {
            let ends = body.graph.locations[e.to.0 as usize].kind == LocationKind::End;
            ends && matches!(e.op, Op::Return(_)) && depth[e.from.0 as usize].is_some_and(|d| d > 0)
        };
        if let (true, Some(e)) = (main, body.graph.edges.iter().find(open)) {
            self.functions.open_main = Some(e.span);
        }
        unsequenced.hold_sections(&depth);
        for e in body.graph.edges.iter().filter(|e| body.assumed.contains(&e.to)) {
            body.graph.locations[e.from.0 as usize].assumes = true;
        }
        body.graph.edges.retain(|e| !body.dead.contains(&e.to));
        let mut entry = body.first;
        for (k, l) in body.graph.locations.iter_mut().enumerate() {
            let inside = atomic || depth[k].is_some_and(|d| d > 0);
            l.atomic = (l.atomic || inside) && l.kind == LocationKind::Normal;
        }
        if atomic {
            // The first edge starts the section; a loop back to the start stays inside.
            let span = body.graph.locations[entry.0 as usize].span;
            let inner = entry;
            entry = body.graph.add_location(span);
            body.graph.edges.insert(0, relyant_cfa::Edge { from: entry, to: inner, op: Op::Skip, span });
        }
        Ok(body.graph.pruned(entry, &any_order))
    }
}

impl Translation<'_> {
    /// Types of a function's parameters as its callers see them.
    pub fn signature(&self, name: &str) -> Option<Rc<Signature>> {
        match &self.functions.declared.get(name)?.ty {
            Ty::Function(s) => Some(s.clone()),
            _ => None,
        }
    }

    /// A section that `main` leaves open ends with the program, unless somebody calls `main`.
    pub fn ends_with_main(&self) -> Res<()> {
        let main = self.functions.id("main");
        let returns = main.is_some_and(|m| self.functions.is_named(m));
        match self.functions.open_main {
            Some(at) if returns => Err(self.source.diagnostic(
                at,
                "`main`, which is called, returns inside an atomic section",
                "begin and end a section in the same function",
            )),
            _ => Ok(()),
        }
    }

    /// How many atomic sections are open at each location that can be reached.
    fn depths(&self, body: &Body, any_order: &[(Loc, Loc)]) -> Res<Vec<Option<i32>>> {
        let mut depth: Vec<Option<i32>> = vec![None; body.graph.locations.len()];
        let out = body.graph.out_edges();
        let markers: BTreeMap<usize, i32> = body.markers.iter().copied().collect();
        let change = |e: usize| markers.get(&e).copied().unwrap_or(0);
        let mut work = VecDeque::from([body.first]);
        depth[body.first.0 as usize] = Some(0);
        loop {
            let Some(l) = work.pop_front() else {
                // What comes after an operand that never ends may come before it.
                let at = |l: &Loc| depth[l.0 as usize];
                let more =
                    any_order.iter().find_map(|(a, b)| at(a).filter(|_| at(b).is_none()).map(|d| (*b, d)));
                let Some((l, d)) = more else { break };
                depth[l.0 as usize] = Some(d);
                work.push_back(l);
                continue;
            };
            let here = depth[l.0 as usize].unwrap_or(0);
            for &e in &out[l.0 as usize] {
                let edge = &body.graph.edges[e];
                if body.dead.contains(&edge.to) {
                    continue;
                }
                let mut next = here + change(e);
                if next < 0 {
                    return Err(self.source.diagnostic(
                        edge.span,
                        "the end of an atomic section that was not begun",
                        "begin and end a section in the same function",
                    ));
                }
                let to = edge.to.0 as usize;
                match body.graph.locations[to].kind {
                    LocationKind::End
                        if next > 0
                            && matches!(edge.op, Op::Return(_))
                            && (body.name != "main" || !self.options.threads.is_empty()) =>
                    {
                        return Err(self.source.diagnostic(
                            edge.span,
                            format!("`{}` returns inside an atomic section", body.name),
                            "begin and end a section in the same function",
                        ));
                    }
                    LocationKind::Normal => {}
                    // The thread or the program is over.
                    _ => next = 0,
                }
                match depth[to] {
                    None => {
                        depth[to] = Some(next);
                        work.push_back(edge.to);
                    }
                    Some(d) if d == next => {}
                    Some(_) => {
                        return Err(self.source.diagnostic(
                            body.graph.locations[to].span,
                            "an atomic section is open on one way to this place and not on another",
                            "begin and end the section on both",
                        ));
                    }
                }
            }
        }
        Ok(depth)
    }

    /// Gives a function an id that runs a call with constants.
    pub fn call_thread(&mut self, f: FuncId, name: &str, args: Vec<Expr>, span: Span) -> FuncId {
        self.functions.call(f);
        self.functions.enqueue_thread(&format!("{name}#"), Work::Call(f, args, span))
    }
}
