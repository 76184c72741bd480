//! What the property is about in this file: the places that were lowered, and labels that are none.

use super::alloc::Allocate;
use super::library::{Failure, Lock, Model, ThreadCall, model};
use super::lower::{Lower, Res};
use super::tokens::original_name;
use super::translation::Translation;
use crate::races::{Access, AccessTarget};
use lang_c::ast::*;
use lang_c::span::Span as Bytes;
use lang_c::visit::{self, Visit};
use relyant_cfa::diagnostic::{Diagnostic, Span};
use relyant_cfa::options::{Options, Property};
use relyant_cfa::{
    BinOp, Check, Checks, Edge, Expr, Fails, FuncId, Function, LocationKind, ObjectKind, Op, Place, walk,
};
use std::collections::{BTreeMap, BTreeSet};

/// What was seen while lowering. What is lowered twice, for two orders of evaluation, is one place.
#[derive(Debug, Default)]
pub struct Seen {
    /// With the statements that they are in.
    places: BTreeMap<(Check, Span), Span>,
    operations: usize,
    frees: usize,
    blocks: usize,
}

impl Lower<'_> {
    /// Notes a place that the property is about.
    pub fn checked(&mut self, what: Check, at: Bytes) {
        let span = self.span(at);
        self.unit.seen.places.insert((what, span), self.body.span);
    }
    /// Notes a call of a modelled function.
    pub fn checked_call(&mut self, m: &Model, at: Bytes) {
        match m {
            Model::Error(Failure::Assertion) | Model::Assert if self.unit.options.asserts() => {
                self.checked(Check::Assertion, at);
            }
            Model::Error(_) if self.unit.options.asserts() => self.checked(Check::ErrorCall, at),
            Model::Free if self.unit.options.checks_memory() => self.unit.seen.frees += 1,
            Model::Allocate(how) if self.unit.options.leaks && *how != Allocate::Automatic => {
                self.unit.seen.blocks += 1
            }
            m if self.unit.options.deadlock && waits(m) => self.checked(Check::Wait, at),
            _ => {}
        }
    }
}

impl Translation<'_> {
    /// Notes an operation that may be undefined.
    pub fn checked_operation(&mut self, op: BinOp, signed: bool) {
        let partial = matches!(op, BinOp::Div | BinOp::Rem | BinOp::Shl | BinOp::Shr);
        self.seen.operations += usize::from(signed || partial);
    }
}

/// May a thread have to wait in it?
fn waits(m: &Model) -> bool {
    use Lock::{BarrierWait, CondWait, MutexTake, ReadTake, SemWait, WriteTake};
    match m {
        Model::Lock(l) | Model::Lock11(l) => {
            matches!(l, MutexTake | ReadTake | WriteTake | CondWait | SemWait | BarrierWait)
        }
        Model::Thread(t) => matches!(t, ThreadCall::Join | ThreadCall::Join11 | ThreadCall::Once),
        _ => false,
    }
}

/// Labels of the file, and functions for errors that it declares.
struct Names<'a> {
    options: &'a Options,
    names: &'a super::join::Names,
    /// Labels of each function, by its name.
    labels: BTreeMap<String, BTreeSet<String>>,
    /// Functions with assertions or errors.
    asserting: BTreeSet<String>,
    declares_errors: bool,
    function: String,
}

fn declared(d: &Declarator) -> Option<&str> {
    match &d.kind.node {
        DeclaratorKind::Identifier(i) => Some(&i.node.name),
        DeclaratorKind::Declarator(inner) => declared(&inner.node),
        DeclaratorKind::Abstract => None,
    }
}

/// Functions that are declared for nothing but errors; `<assert.h>` has the first.
fn is_for_errors(name: &str) -> bool {
    matches!(
        name,
        "__assert_fail"
            | "reach_error"
            | "__VERIFIER_error"
            | "__VERIFIER_assert"
            | "__CPROVER_assert"
            | "assert"
    )
}

impl<'a> Visit<'a> for Names<'_> {
    fn visit_function_definition(&mut self, f: &'a FunctionDefinition, span: &'a Bytes) {
        self.function = declared(&f.declarator.node).unwrap_or_default().into();
        self.declares_errors |= is_for_errors(self.names.plain(&self.function));
        visit::visit_function_definition(self, f, span);
        self.function.clear();
    }
    fn visit_init_declarator(&mut self, d: &'a InitDeclarator, span: &'a Bytes) {
        self.declares_errors |=
            declared(&d.declarator.node).is_some_and(|n| is_for_errors(self.names.plain(n)));
        visit::visit_init_declarator(self, d, span);
    }
    fn visit_labeled_statement(&mut self, l: &'a LabeledStatement, span: &'a Bytes) {
        if let Label::Identifier(i) = &l.label.node {
            let name = original_name(self.names.plain(&i.node.name));
            if name == "ERROR" || self.options.error_labels.contains(&name) {
                self.asserting.insert(self.function.clone());
            }
            self.labels.entry(self.function.clone()).or_default().insert(name);
        }
        visit::visit_labeled_statement(self, l, span);
    }
    fn visit_call_expression(&mut self, call: &'a CallExpression, span: &'a Bytes) {
        let name = super::scan::name_of(&call.callee.node).map(|n| self.names.plain(n));
        if name.and_then(model).is_some_and(|m| matches!(m, Model::Error(_) | Model::Assert)) {
            self.asserting.insert(self.function.clone());
        }
        visit::visit_call_expression(self, call, span);
    }
}

impl<'a> Translation<'a> {
    /// Puts together what was seen, when all is lowered.
    ///
    /// # Errors
    /// A label was asked about that no statement has which can be reached.
    pub fn checks(
        &self,
        unit: &'a TranslationUnit,
        functions: &[Function],
        starts: &[FuncId],
    ) -> Res<Checks> {
        let mut names = Names {
            options: self.options,
            names: &self.source.names,
            labels: BTreeMap::new(),
            asserting: BTreeSet::new(),
            declares_errors: false,
            function: String::new(),
        };
        names.visit_translation_unit(unit);
        self.labels_exist(&names)?;
        let mut checks = Checks { declares_errors: names.declares_errors, ..Checks::default() };
        let mut add = |c: Check, n: usize| {
            if n > 0 {
                *checks.counts.entry(c).or_default() += n;
            }
        };
        self.seen.places.keys().for_each(|(c, _)| add(*c, 1));
        let accesses = || self.functions.accesses.values().flatten();
        if self.options.checks_overflow() {
            add(Check::Operation, self.seen.operations);
        }
        if self.options.checks_memory() {
            add(Check::Free, self.seen.frees);
            add(Check::Block, self.seen.blocks);
            add(Check::Computed, computed(functions, &self.functions.accesses));
        }
        if self.options.property == Property::NoDataRace {
            add(Check::Access, accesses().count());
        }
        let asserts = |c: Check| matches!(c, Check::Assertion | Check::ErrorCall | Check::ErrorLabel);
        let own = self.seen.places.iter().filter(|((c, _), _)| asserts(*c));
        let place = |((check, at), statement): (&(Check, Span), &Span)| Place {
            check: *check,
            at: *at,
            fails: self.fails(functions, *check, *statement),
        };
        checks.places = own.map(place).collect();
        checks.places.sort_by_key(|p| (p.at.file, p.at.line, p.at.column));
        checks.unreached = names.asserting.into_iter().filter(|f| self.functions.id(f).is_none()).collect();
        checks.notes = self.notes(functions, starts, &checks);
        Ok(checks)
    }
}

impl Translation<'_> {
    /// By what an assertion in a statement fails, as far as the steps of its line tell.
    fn fails(&self, functions: &[Function], check: Check, statement: Span) -> Fails {
        let mut names = BTreeSet::new();
        let (mut fails, mut decided) = (false, false);
        for f in functions {
            let here = |e: &&Edge| (e.span.file, e.span.line) == (statement.file, statement.line);
            for e in f.graph.edges.iter().filter(here) {
                let error = matches!(f.graph.locations[e.to.0 as usize].kind, LocationKind::Error(_));
                fails |= error;
                decided |= matches!(&e.op, Op::Assume(c) if !matches!(c, Expr::Const(_)));
                if let Op::Load(_, address, _) = &e.op {
                    walk::visit(address, &mut |x| names.extend(self.variable(x)));
                }
                for x in walk::reads(&e.op) {
                    let mut registers = Vec::new();
                    walk::registers(x, &mut registers);
                    let known = registers.iter().filter_map(|r| f.registers.get(r.0 as usize));
                    names.extend(known.map(|r| r.name.clone()));
                }
            }
        }
        names.remove("");
        match (check, fails) {
            (Check::ErrorCall | Check::ErrorLabel, _) => Fails::Reached,
            (_, false) => Fails::Never,
            _ if !decided => Fails::Reached,
            _ => Fails::By(names.into_iter().map(|n| original_name(&n)).collect()),
        }
    }

    /// The name of the variable that an expression is the address of.
    fn variable(&self, e: &Expr) -> Option<String> {
        let Expr::Addr(o) = e else { return None };
        let object = self.objects.all().get(o.0 as usize)?;
        let plain = object.kind == ObjectKind::Plain && !object.synthetic;
        plain.then(|| object.name.rsplit("::").next().unwrap_or_default().to_string())
    }

    /// What makes a verdict say less than it seems to.
    fn notes(&self, functions: &[Function], starts: &[FuncId], checks: &Checks) -> Vec<String> {
        let mut notes = Vec::new();
        let mut edges = functions.iter().flat_map(|f| &f.graph.edges);
        let alone = starts.len() == 1 && !edges.any(|e| matches!(e.op, Op::Create { .. }));
        let of_threads = self.options.property == Property::NoDataRace || self.options.deadlock;
        if of_threads && alone {
            notes.push("no thread is created: the program has one thread only".into());
        }
        if let (Property::Assertions, Some(f)) = (self.options.property, &self.options.error_function) {
            if !self.functions.declared.keys().any(|d| self.source.names.plain(d) == f) {
                notes.push(format!("`{f}` is not declared in this file"));
            }
        }
        if checks.is_empty() {
            notes.push(format!(
                "nothing to check for this property{}",
                unreached(checks, &self.start_names())
            ));
        }
        notes
    }

    fn labels_exist(&self, names: &Names) -> Res<()> {
        let asked = self.options.error_labels.iter().map(|l| (l, "--error-label"));
        let asked = asked.chain(self.options.exclusive.iter().map(|l| (l, "--exclusive")));
        for (label, option) in asked {
            let (mut reached, mut elsewhere) = (false, Vec::new());
            for (f, _) in names.labels.iter().filter(|(_, labels)| labels.contains(label)) {
                reached |= self.functions.id(f).is_some();
                elsewhere.push(format!("`{f}`"));
            }
            if reached {
                continue;
            }
            let known: BTreeSet<&str> = names.labels.values().flatten().map(String::as_str).collect();
            let known: Vec<&str> = known.into_iter().take(12).collect();
            let (message, help) = if !elsewhere.is_empty() {
                let (here, start) = (elsewhere.join(", "), self.start_names());
                (
                    format!("{option}: label `{label}` is in {here}, which cannot be reached from {start}"),
                    "name a label of a function that is called or started".to_string(),
                )
            } else if known.is_empty() {
                (format!("{option}: no label `{label}`"), "the file has no labels".into())
            } else {
                let all = known.join(", ");
                (format!("{option}: no label `{label}`"), format!("the labels of the file are {all}"))
            };
            return Err(Diagnostic::of_file(&self.source.files[0], message, &help));
        }
        Ok(())
    }
}

impl Translation<'_> {
    /// Functions that the program starts with, for messages.
    fn start_names(&self) -> String {
        match self.options.threads.as_slice() {
            [] => "`main`".into(),
            threads => threads.iter().map(|t| format!("`{t}`")).collect::<Vec<_>>().join(", "),
        }
    }
}

/// Accesses whose address is no constant place of an object.
fn computed(functions: &[Function], accesses: &BTreeMap<FuncId, Vec<Access>>) -> usize {
    let mut n = 0;
    for (f, list) in accesses {
        let Some(function) = functions.get(f.0 as usize) else { continue };
        let at: BTreeSet<_> = list.iter().filter(|a| a.to == AccessTarget::Cell).map(|a| a.from).collect();
        let is_computed = |op: &Op| match op {
            Op::Load(_, a, _) | Op::Store(a, _, _) => !plain(a),
            _ => false,
        };
        n += function.graph.edges.iter().filter(|e| at.contains(&e.from) && is_computed(&e.op)).count();
    }
    n
}

fn plain(address: &Expr) -> bool {
    match address {
        Expr::Addr(_) => true,
        Expr::Binary(BinOp::Add, a, k, _) => matches!((&**a, &**k), (Expr::Addr(_), Expr::Const(_))),
        _ => false,
    }
}

/// Where assertions are that cannot be reached, in words.
pub fn unreached(checks: &Checks, start: &str) -> String {
    if checks.unreached.is_empty() {
        return String::new();
    }
    let names: Vec<String> = checks.unreached.iter().take(5).map(|f| format!("`{f}`")).collect();
    format!(": what asserts is in {}, which cannot be reached from {start}", names.join(", "))
}
