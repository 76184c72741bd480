//! Puts the module together once all functions are lowered: what needs to know where every pointer may go.

use super::body::Body;
use super::lower::{Lower, Res};
use super::translation::External;
use super::types::Ty;
use crate::orders::Unsequenced;
use crate::races::Access;
use lang_c::ast::TranslationUnit;
use relyant_cfa::diagnostic::Diagnostic;
use relyant_cfa::options::Property;
use relyant_cfa::{Callee, Expr, FuncId, Function, IntKind, Module, Op};
use std::collections::BTreeMap;

impl<'a> Lower<'a> {
    /// Refuses a function without a body if it may be a thread's, or if a call through a pointer in `main` may reach it.
    fn externals_uncalled(&self, functions: &[Function]) -> Res<()> {
        for External { name, params, at } in &self.unit.functions.externals {
            for (main, e) in
                functions.iter().flat_map(|f| f.graph.edges.iter().map(move |e| (f.name == "main", e)))
            {
                let fits = match &e.op {
                    Op::Call { callee: Callee::Pointer(_), args, .. } => main && args.len() == *params,
                    Op::Create { routine: Callee::Pointer(_), .. } => *params <= 1,
                    _ => false,
                };
                if fits {
                    let line = e.span.line;
                    return self.refuse(
                        *at,
                        format!(
                            "the address of `{name}`, which has no body and may be called in line {line}, is"
                        ),
                        "define the function",
                    );
                }
            }
        }
        Ok(())
    }

    /// Puts the module together.
    pub fn finish(mut self, unit: &'a TranslationUnit, starts: Vec<FuncId>) -> Res<Module> {
        let source = self.unit.source;
        let named = self.unit.starts()?;
        let Some(mut functions) = self.unit.functions.take() else {
            return Err(Diagnostic::of_file(&source.files[0], "a function was not lowered", ""));
        };
        self.externals_uncalled(&functions)?;
        self.check_handlers(&functions)?;
        self.unit.ends_with_main()?;
        let prologue = std::mem::take(&mut self.unit.objects.prologue);
        let starts = start_addresses(&mut functions, starts, prologue, |f| self.unit.functions.is_called(f));
        let checks = self.unit.checks(unit, &functions, &starts)?;
        let mut module = Module {
            files: source.files.clone(),
            lines: source.lines.clone(),
            objects: self.unit.objects.take(),
            functions,
            start_made: starts != named,
            starts,
            heap: Vec::new(),
            lifetimes: BTreeMap::new(),
            extents: Default::default(),
            blocks: std::mem::take(&mut self.unit.objects.lifetimes),
            variable: std::mem::take(&mut self.unit.objects.variable),
            free: self.unit.memory.free,
            beyond: None,
            race_pairs: 0,
            assumes: self.unit.assumes().to_vec(),
            checks,
        };
        if self.unit.options.is_tso() {
            crate::tso::supported(&module, self.unit.cancellation.is_used(), self.unit.options)?;
        }
        super::signals::check_actions(&module, &self.unit.signals, source)?;
        let told = super::told::tell(&mut module, &mut self.unit)?;
        self.unit.functions.accesses.extend(told.accesses);
        super::look::note(&mut module, &self.unit);
        self.order(&mut module, told.copies);
        Ok(module)
    }

    /// Adds the orders of evaluation that C leaves open, and data races as errors. Copies of functions are like what
    /// they are copies of.
    fn order(self, module: &mut Module, copies: Vec<(FuncId, FuncId)>) {
        let (mut accesses, mut unsequenced) = (self.unit.functions.accesses, self.unit.functions.unsequenced);
        for (copy, of) in copies {
            accesses.insert(copy, accesses.get(&of).cloned().unwrap_or_default());
            unsequenced.insert(copy, unsequenced.get(&of).cloned().unwrap_or_default());
        }
        let of = |f: u32| unsequenced.remove(&FuncId(f)).unwrap_or_default();
        let unsequenced: Vec<Unsequenced> = (0..module.functions.len() as u32).map(of).collect();
        crate::orders::add(module, unsequenced, &mut accesses, self.unit.options);
        if self.unit.options.is_tso() {
            crate::tso::mark(module, &accesses);
        }
        if self.unit.options.property == Property::NoDataRace {
            let of = |f: u32| accesses.remove(&FuncId(f)).unwrap_or_default();
            let accesses: Vec<Vec<Access>> = (0..module.functions.len() as u32).map(of).collect();
            crate::races::instrument(module, &accesses, self.unit.options.race_pair);
        }
    }
}

/// Stores the addresses that globals start with. Addresses are not known yet, so stores that come before everything
/// else take the place of start values: in `main` where it runs once, else in a function of its own.
fn start_addresses(
    functions: &mut Vec<Function>,
    starts: Vec<FuncId>,
    prologue: Vec<(Expr, Expr, IntKind)>,
    called: impl Fn(FuncId) -> bool,
) -> Vec<FuncId> {
    if prologue.is_empty() {
        return starts;
    }
    let stores = prologue.into_iter().map(|(address, value, kind)| Op::Store(address, value, kind));
    if let [main] = starts.as_slice() {
        if !called(*main) {
            let f = &mut functions[main.0 as usize];
            let span = f.span;
            let ops: Vec<Op> = stores.collect();
            let mut at = f.graph.add_location(span);
            let entry = std::mem::replace(&mut f.entry, at);
            let n = ops.len();
            for (k, op) in ops.into_iter().enumerate() {
                let to = if k + 1 == n { entry } else { f.graph.add_location(span) };
                f.graph.locations[at.0 as usize].initial = true;
                f.graph.add_edge(at, to, op, span);
                at = to;
            }
            return starts;
        }
    }
    let span = functions[starts[0].0 as usize].span;
    let mut body = Body::new("main#start", Ty::Void, span);
    body.initial = true;
    stores.for_each(|op| body.emit(op));
    body.initial = false;
    if let [main] = starts.as_slice() {
        body.emit(Op::Call { dst: None, callee: Callee::Known(*main), args: Vec::new() });
        body.edge_to(body.end, Op::Halt);
    } else {
        for f in starts {
            let handle = body.temp(IntKind::Ideal);
            body.emit(Op::Create { handle, routine: Callee::Known(f), arg: None, template: None });
        }
        body.edge_to(body.end, Op::ThreadExit(Expr::Const(0)));
    }
    functions.push(Function {
        name: body.name,
        params: Vec::new(),
        result: None,
        registers: body.registers,
        locals: Vec::new(),
        entry: body.first,
        graph: body.graph,
        atomic: false,
        span,
    });
    vec![FuncId(functions.len() as u32 - 1)]
}
