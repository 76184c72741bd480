//! Lowering a parsed file: declarations first, then each function that can be reached from the starts.

use super::body::{Body, Mark};
use super::context::Context;
use super::scope::Symbol;
use super::source::Source;
use super::translation::{Translation, Work};
use super::types::Ty;
use lang_c::ast::{ExternalDeclaration, TranslationUnit};
use lang_c::span::Span as Bytes;
use relyant_cfa::diagnostic::{Diagnostic, Span};
use relyant_cfa::options::Options;
use relyant_cfa::{FuncId, Module, ObjId};
use rustc_hash::FxHashSet;

/// CBMC's array of threads that have ended, which a library of the program's may use.
pub const THREADS_EXITED: &str = "__CPROVER_threads_exited";
/// Elements that it has here; what goes further meets a limit.
pub const MOST_THREADS: u64 = 64;

/// A result with a diagnostic.
pub type Res<T> = Result<T, Diagnostic>;

/// State of lowering one file.
#[derive(Debug)]
pub struct Lower<'a> {
    /// What holds for the whole file.
    pub unit: Translation<'a>,
    /// The function being lowered, as far as it is made; empty between functions.
    pub body: Body,
    /// Where in the file lowering is.
    pub context: Context,
}

impl Lower<'_> {
    /// Place of a node.
    pub fn span(&self, bytes: Bytes) -> Span {
        if bytes.is_none() { self.body.span } else { self.unit.source.span(bytes.start) }
    }
    /// A diagnostic at a node.
    pub fn error<T>(&self, bytes: Bytes, message: impl Into<String>, help: impl Into<String>) -> Res<T> {
        Err(self.unit.source.diagnostic(self.span(bytes), message, help))
    }
    /// Refuses a construct at a node: what it is ("… is"), and what to do instead.
    pub fn refuse<T>(&self, bytes: Bytes, what: impl std::fmt::Display, help: impl Into<String>) -> Res<T> {
        self.error(bytes, format!("{what} not supported"), help)
    }
    /// Makes an object of a type; refused when it is too large.
    pub fn object(&mut self, name: &str, ty: &Ty, bytes: Bytes) -> Res<ObjId> {
        self.unit.object(name, ty, self.span(bytes))
    }
    /// Begins a function: the body is empty, and nothing is around.
    pub fn begin(&mut self, name: &str, result: Ty, span: Span) {
        self.body = Body::new(name, result, span);
        self.context.begin();
    }
    /// Forgets what was done in the function since a mark. What was learnt of the unit stays.
    pub fn rewind(&mut self, mark: Mark) {
        self.body.rewind(mark);
        self.context.rewind(mark.locations());
    }
    /// Runs something in the file's scope, outside of any function.
    pub fn at_file_scope<T>(&mut self, run: impl FnOnce(&mut Self) -> Res<T>) -> Res<T> {
        let aside = self.context.suspend();
        let body = std::mem::replace(&mut self.body, Body::new("", Ty::Void, Span::default()));
        let result = run(self);
        self.body = body;
        self.context.resume(aside);
        result
    }
}

/// Lowers a parsed file. Where a start value is for a member of a union that the file does not name, so that the union
/// has no place for it, once more with that member.
pub fn lower<'a>(source: &'a Source, unit: &'a TranslationUnit, options: &'a Options) -> Res<Module> {
    let mut named = FxHashSet::default();
    loop {
        let body = Body::new("", Ty::Void, Span::default());
        let mut l =
            Lower { unit: Translation::new(source, unit, options), body, context: Context::default() };
        l.unit.types.mentioned.extend(named.iter().cloned());
        match l.functions(unit) {
            Ok(starts) => return l.finish(unit, starts),
            Err(refusal) => match l.unit.types.unmentioned.take() {
                Some(member) if named.insert(member.clone()) => {}
                _ => return Err(refusal),
            },
        }
    }
}

impl<'a> Lower<'a> {
    /// Lowers all functions; gives those that the program starts with.
    fn functions(&mut self, unit: &'a TranslationUnit) -> Res<Vec<FuncId>> {
        for d in &unit.0 {
            match &d.node {
                ExternalDeclaration::Declaration(d) => self.file_declaration(d),
                ExternalDeclaration::StaticAssert(a) => self.static_assert(a)?,
                ExternalDeclaration::FunctionDefinition(f) => self.file_function(f),
            }
        }
        self.settle_symbols();
        if let Some(k) = self.unit.options.max_threads {
            self.unit.assume(format!(
                "no more than {k} threads are alive at once: creating one more has no effect"
            ));
        }
        let starts = self.unit.starts()?;
        let mut starts = self.with_constructors(starts)?;
        if !self.unit.options.threads.is_empty() {
            let conditions = super::scan::start_conditions(unit);
            if !conditions.is_empty() {
                starts =
                    vec![self.unit.functions.enqueue("main#start".into(), Work::Start(conditions, starts))];
            }
        }
        while let Some((id, name, work)) = self.unit.functions.next() {
            self.lower_function(id, &name, work)?;
        }
        Ok(starts)
    }
    /// The object of a global; made, with its start values, when first used.
    pub fn global_object(&mut self, index: usize, bytes: Bytes) -> Res<ObjId> {
        if let Some(o) = self.unit.objects.globals[index].object {
            return Ok(o);
        }
        let mut g = self.unit.objects.globals[index].clone();
        if g.external && g.name == THREADS_EXITED {
            // CBMC's own array has no end and starts with 0.
            g.external = false;
            if let Ty::Array(t, None) = &g.ty {
                g.ty = Ty::Array(t.clone(), Some(MOST_THREADS));
                self.unit.assume(format!("`{THREADS_EXITED}` is used by its elements only"));
            }
        }
        if let (Ty::Array(t, None), None) = (&g.ty, g.init) {
            if g.external {
                let message =
                    format!("`{}`, an array of unknown length that is defined elsewhere, is", g.name);
                return self.refuse(bytes, message, "declare it with its length");
            }
            // A tentative definition of unknown length has one element.
            g.ty = Ty::Array(t.clone(), Some(1));
        }
        let object = self.object(&g.name, &g.ty, bytes)?;
        self.unit.protect(object, &g.ty, g.constant);
        self.unit.objects.globals[index].object = Some(object);
        let o = &mut self.unit.objects[object];
        o.function = g.function;
        o.thread_local = g.thread_local;
        o.span = g.span;
        let streams = ["stdin", "stdout", "stderr"];
        if let (true, Some(k)) = (g.external, streams.iter().position(|s| *s == g.name)) {
            // Three pointers to what the program does not look at.
            o.init = vec![Some(-1 - k as i128)];
            return Ok(object);
        }
        if g.external {
            self.unit.assume(format!("`{}` is defined elsewhere: it starts with any value", g.name));
            return Ok(object);
        }
        o.init = vec![Some(0); o.cells.len()];
        if let Some(init) = g.init {
            self.static_initializer(object, &g.ty, init, bytes)?;
        }
        Ok(object)
    }

    /// The variable or other thing a name stands for.
    pub fn lookup(&self, name: &str, bytes: Bytes) -> Res<Symbol> {
        match self.context.scopes.get(name) {
            Some(Symbol::Broken(d)) => Err(d.clone()),
            Some(s) => Ok(s.clone()),
            None => {
                self.error(bytes, format!("`{}` is not declared", super::tokens::original_name(name)), "")
            }
        }
    }
}

impl Translation<'_> {
    /// What the parsed text calls a function that execution starts with.
    pub fn start_name<'n>(&'n self, name: &'n str) -> &'n str {
        if self.functions.declared.contains_key(name) { name } else { self.source.names.internal(name) }
    }

    /// The functions that the options name, or `main`.
    pub(super) fn starts(&mut self) -> Res<Vec<FuncId>> {
        let names = if self.options.threads.is_empty() {
            vec!["main".to_string()]
        } else {
            self.options.threads.clone()
        };
        let mut ids = Vec::new();
        for name in &names {
            let start = self.start_name(name).to_string();
            match self.functions.ask(&start) {
                // The same function may be started several times.
                Some(id) => ids.push(id),
                None => {
                    let known: Vec<&str> = self
                        .functions
                        .declared
                        .iter()
                        .filter(|d| d.1.definition.is_some())
                        .map(|d| d.0.as_str())
                        .take(12)
                        .collect();
                    let help = if known.is_empty() {
                        "the file defines no function".to_string()
                    } else {
                        format!(
                            "the file defines {}; `relyant init` writes a main that calls them, --threads f:g starts others",
                            known.join(", ")
                        )
                    };
                    return Err(Diagnostic::of_file(
                        &self.source.files[0],
                        format!("no function `{name}`"),
                        &help,
                    ));
                }
            }
        }
        Ok(ids)
    }
}
