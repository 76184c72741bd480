//! Lowering a parsed file: declarations first, then each function that can be reached from the starts.

use super::alloc::Site;
use super::body::Body;
use super::keys::Keys;
use super::scope::{Declared, Global, Scopes, Symbol};
use super::source::Source;
use super::types::{Ty, Types};
use super::untyped::Untyped;
use super::views::Conversion;
use crate::orders::Unsequenced;
use crate::races::Access;
use lang_c::ast::{Expression, ExternalDeclaration, FunctionDefinition, Statement, TranslationUnit};
use lang_c::span::{Node, Span as Bytes};
use relyant_cfa::diagnostic::{Diagnostic, Span};
use relyant_cfa::options::{Options, Property};
use relyant_cfa::{Callee, Expr, FuncId, Function, IntKind, Module, ObjId, Object, Op};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// CBMC's array of threads that have ended, which a library of the program's may use.
pub const THREADS_EXITED: &str = "__CPROVER_threads_exited";
/// Elements that it has here; what goes further meets a limit.
pub const MOST_THREADS: u64 = 64;

/// A result with a diagnostic.
pub type Res<T> = Result<T, Diagnostic>;

/// What a function still to be lowered is made of.
#[derive(Clone, Debug)]
pub enum Work<'a> {
    /// A definition.
    Definition(&'a Node<FunctionDefinition>),
    /// A statement that a thread of its own runs (`__CPROVER_ASYNC_1: s`), with copies of locals.
    Thread(&'a Node<Statement>, super::async_statement::Copies),
    /// Any values in the globals of some conditions, as far as they hold; then all threads (`glb_init`).
    Start(Vec<&'a Node<Expression>>, Vec<FuncId>),
    /// A function without a body whose address is taken, with this many parameters; calling it is a limit.
    External(usize),
    /// A start routine that is passed more than its argument, and after it the destructors of keys.
    Routine {
        /// The routine.
        routine: FuncId,
        /// It has a parameter.
        takes: bool,
        /// It has a result.
        gives: bool,
        /// Parameters that nobody gives a value to.
        extra: Vec<IntKind>,
        /// The function that runs destructors.
        destructors: Option<FuncId>,
    },
    /// The function that runs cleanup handlers.
    Handlers,
    /// The thread that runs the handler of a signal.
    Handler {
        /// The signal.
        number: i128,
        /// The function; `None`: whatever is set.
        handler: Option<FuncId>,
        /// What is set for it.
        cell: ObjId,
    },
    /// The function that runs destructors of keys; lowered last.
    Destructors,
    /// What is registered to run at exit, then functions one after another.
    AtExit(Vec<FuncId>),
    /// Functions one after another, then the end of the program.
    Calls(Vec<FuncId>),
    /// A call with constants, run by a thread of its own.
    Call(FuncId, Vec<Expr>, Span),
}

/// State of lowering one file.
#[derive(Debug)]
pub struct Lower<'a> {
    /// The text.
    pub source: &'a Source,
    /// Choices.
    pub options: &'a Options,
    /// Types.
    pub types: Types,
    /// Names.
    pub scopes: Scopes,
    /// Variables with static storage.
    pub globals: Vec<Global<'a>>,
    /// Functions by name.
    pub declared: BTreeMap<String, Declared<'a>>,
    /// Objects made so far.
    pub objects: Vec<Object>,
    /// Lowered functions by id.
    pub functions: Vec<Option<Function>>,
    /// Ids of functions asked for.
    pub ids: FxHashMap<String, FuncId>,
    /// Functions still to lower.
    pub queue: VecDeque<(FuncId, String, Work<'a>)>,
    /// What was assumed.
    pub assumes: Vec<String>,
    /// The function being lowered.
    pub body: Body,
    /// Addresses that globals hold at the start: stored before anything else.
    pub prologue: Vec<(Expr, Expr, IntKind)>,
    /// A read of the global `NONDET` gives any value.
    pub nondet: bool,
    /// Number of synthetic threads so far.
    pub threads: usize,
    /// Names whose address is taken anywhere in the file.
    pub addressed_anywhere: FxHashSet<String>,
    /// Functions called somewhere.
    pub called: BTreeSet<FuncId>,
    /// Functions whose address is taken.
    pub pointed_at: BTreeSet<FuncId>,
    /// Accesses to memory, by function.
    pub accesses: BTreeMap<FuncId, Vec<Access>>,
    /// Those of the function that was just lowered.
    pub accesses_here: Vec<Access>,
    /// Places that make memory.
    pub sites: Vec<Site>,
    /// The function that gives memory back.
    pub free: Option<FuncId>,
    /// Objects of blocks: what is called where their lifetime begins and where it ends.
    pub lifetimes: BTreeMap<ObjId, (FuncId, FuncId)>,
    /// The type of each object that has one.
    pub object_types: BTreeMap<ObjId, Ty>,
    /// Conversions of pointers, by function.
    pub conversions: Vec<(FuncId, Conversion)>,
    /// Operands whose order C leaves open, by function.
    pub unsequenced: BTreeMap<FuncId, Unsequenced>,
    /// Those of the function lowered last.
    pub unsequenced_here: Unsequenced,
    /// Functions without a body whose address is taken: parameters, place.
    pub externals: Vec<(String, usize, Bytes)>,
    /// A pointer is seen as bytes only to move by a member's offset.
    pub through_bytes: bool,
    /// Memory functions on untyped pointers.
    pub untyped: Vec<Untyped>,
    /// Sizes in bytes of local arrays whose length is not constant: of the whole, of a row, and so on.
    pub lengths: FxHashMap<ObjId, Vec<Expr>>,
    /// A parameter is being declared.
    pub in_parameter: bool,
    /// Some call goes through a pointer.
    pub calls_pointers: bool,
    /// Objects of library functions that give pointers.
    pub library_objects: BTreeMap<String, ObjId>,
    /// Keys of thread-specific data.
    pub keys: Keys,
    /// Cancellation of threads.
    pub cancellation: super::cancel::Cancellation,
    /// Functions that run at exit.
    pub exits: super::exits::Exits,
    /// Signals.
    pub signals: super::signals::Signals,
    /// Names that `asm` and `weak` give, constructors and destructors.
    pub symbols: super::symbols::Symbols,
    /// The file speaks a verifier's dialect: what no compiler accepts may have a meaning.
    pub dialect: bool,
    /// The program looks at `errno`.
    pub reads_errno: bool,
    /// The object behind it, once used.
    pub errno: Option<ObjId>,
    /// What the property is about.
    pub seen: super::checked::Seen,
    /// `main` returns inside an atomic section.
    pub open_main: Option<Span>,
}

impl<'a> Lower<'a> {
    /// Place of a node.
    pub fn span(&self, bytes: Bytes) -> Span {
        if bytes.is_none() { self.body.span } else { self.source.span(bytes.start) }
    }
    /// A diagnostic at a node.
    pub fn error<T>(&self, bytes: Bytes, message: impl Into<String>, help: impl Into<String>) -> Res<T> {
        Err(self.source.diagnostic(self.span(bytes), message, help))
    }
    /// Refuses a construct.
    pub fn refuse<T>(&self, bytes: Bytes, what: impl std::fmt::Display, help: impl Into<String>) -> Res<T> {
        self.error(bytes, format!("{what} not supported"), help)
    }
    /// Notes an assumption, once.
    pub fn assume(&mut self, what: impl Into<String>) {
        let what = what.into();
        if !self.assumes.contains(&what) {
            self.assumes.push(what);
        }
    }
    /// The id of a function with a body; lowers it later.
    pub fn function(&mut self, name: &str) -> Option<FuncId> {
        if let Some(id) = self.ids.get(name) {
            return Some(*id);
        }
        let definition = self.declared.get(name)?.definition?;
        Some(self.enqueue(name.to_string(), Work::Definition(definition)))
    }
    /// Gives a function an id and lowers it later.
    pub fn enqueue(&mut self, name: String, work: Work<'a>) -> FuncId {
        let id = FuncId(self.functions.len() as u32);
        self.functions.push(None);
        self.ids.insert(name.clone(), id);
        self.queue.push_back((id, name, work));
        id
    }
    /// Makes an object.
    pub fn object(&mut self, name: &str, ty: &Ty, bytes: Bytes) -> Res<ObjId> {
        let mut cells = Vec::new();
        if let Err(why) = self.types.cells(ty).and_then(|_| self.types.flatten(ty, "", &mut cells)) {
            let name = name.rsplit("::").next().unwrap_or(name);
            return self.error(
                bytes,
                format!("`{name}`: {why}"),
                "use integers, pointers, arrays and structs",
            );
        }
        if cells.is_empty() {
            // Every object has an address of its own.
            cells.push((IntKind::INT, String::new()));
        }
        let mut init = vec![None; cells.len()];
        self.types.tags(ty).into_iter().for_each(|k| init[k as usize] = Some(0));
        self.objects.push(Object {
            name: super::tokens::original_name(name),
            cells,
            init,
            thread_local: false,
            synthetic: matches!(ty.plain(), Ty::Sync(_)),
            constant: Vec::new(),
            span: self.span(bytes),
        });
        let object = ObjId(self.objects.len() as u32 - 1);
        self.object_types.insert(object, ty.clone());
        Ok(object)
    }
    /// Runs something in the file's scope, outside of any function.
    pub fn at_file_scope<T>(&mut self, run: impl FnOnce(&mut Self) -> Res<T>) -> Res<T> {
        let scopes = self.scopes.suspend();
        let body = std::mem::replace(&mut self.body, Body::new("", Ty::Void, Span::default()));
        let result = run(self);
        self.body = body;
        self.scopes.resume(scopes);
        result
    }
}

/// Lowers a parsed file. Where a start value is for a member of a union that the file does not name, so that the union
/// has no place for it, once more with that member.
pub fn lower<'a>(source: &'a Source, unit: &'a TranslationUnit, options: &'a Options) -> Res<Module> {
    let mut named = FxHashSet::default();
    loop {
        let mut l = start(source, unit, options);
        l.types.mentioned.extend(named.iter().cloned());
        match l.functions(unit) {
            Ok(starts) => return l.finish(unit, starts),
            Err(refusal) => match l.types.unmentioned.take() {
                Some(member) if named.insert(member.clone()) => {}
                _ => return Err(refusal),
            },
        }
    }
}

/// Before anything is lowered.
fn start<'a>(source: &'a Source, unit: &'a TranslationUnit, options: &'a Options) -> Lower<'a> {
    let mut l = Lower {
        source,
        options,
        types: Types::new(options),
        scopes: Scopes::default(),
        globals: Vec::new(),
        declared: BTreeMap::new(),
        objects: Vec::new(),
        functions: Vec::new(),
        ids: FxHashMap::default(),
        queue: VecDeque::new(),
        assumes: Vec::new(),
        body: Body::new("", Ty::Void, Span::default()),
        prologue: Vec::new(),
        nondet: false,
        threads: 0,
        addressed_anywhere: FxHashSet::default(),
        called: BTreeSet::new(),
        pointed_at: BTreeSet::new(),
        accesses: BTreeMap::new(),
        accesses_here: Vec::new(),
        sites: Vec::new(),
        free: None,
        lifetimes: BTreeMap::new(),
        object_types: BTreeMap::new(),
        conversions: Vec::new(),
        unsequenced: BTreeMap::new(),
        unsequenced_here: Unsequenced::default(),
        through_bytes: false,
        externals: Vec::new(),
        untyped: Vec::new(),
        lengths: FxHashMap::default(),
        in_parameter: false,
        calls_pointers: false,
        library_objects: BTreeMap::new(),
        keys: super::keys::facts(unit),
        cancellation: super::cancel::facts(unit),
        exits: super::exits::facts(unit),
        signals: super::signals::Signals::default(),
        symbols: super::symbols::Symbols::default(),
        dialect: source.lines.iter().flatten().any(|l| l.contains("__CPROVER_")),
        reads_errno: false,
        errno: None,
        seen: super::checked::Seen::default(),
        open_main: None,
    };
    let facts = super::scan::facts(unit);
    l.addressed_anywhere = facts.addressed;
    l.types.mutex_kinds = facts.mutex_kinds;
    l.reads_errno = facts.reads_errno;
    l.types.mentioned = facts.members;
    // Only where GPR's dialect is asked for.
    l.nondet = !options.threads.is_empty();
    l
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
        if let Some(k) = self.options.max_threads {
            self.assume(format!(
                "no more than {k} threads are alive at once: creating one more has no effect"
            ));
        }
        let starts = self.starts()?;
        let mut starts = self.with_constructors(starts)?;
        if !self.options.threads.is_empty() {
            let conditions = super::scan::start_conditions(unit);
            if !conditions.is_empty() {
                starts = vec![self.enqueue("main#start".into(), Work::Start(conditions, starts))];
            }
        }
        while let Some((id, name, work)) = self.queue.pop_front() {
            if matches!(work, Work::Destructors) && !self.queue.is_empty() {
                self.queue.push_back((id, name, work));
                continue;
            }
            let f = self.lower_function(id, &name, work)?;
            self.functions[id.0 as usize] = Some(f);
        }
        Ok(starts)
    }
    fn starts(&mut self) -> Res<Vec<FuncId>> {
        let names = if self.options.threads.is_empty() {
            vec!["main".to_string()]
        } else {
            self.options.threads.clone()
        };
        let mut ids = Vec::new();
        for name in &names {
            match self.function(name) {
                // The same function may be started several times.
                Some(id) => ids.push(id),
                None => {
                    let known: Vec<&str> = self
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
                            "the file defines {}; --threads f:g starts others than main",
                            known.join(", ")
                        )
                    };
                    return Err(super::preprocess::about(
                        &self.source.files[0],
                        format!("no function `{name}`"),
                        help,
                    ));
                }
            }
        }
        Ok(ids)
    }

    /// Refuses a function without a body if it may be a thread's, or if a call through a pointer in `main` may reach it.
    fn externals_uncalled(&self, functions: &[Function]) -> Res<()> {
        for (name, params, at) in &self.externals {
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
    fn finish(mut self, unit: &'a TranslationUnit, starts: Vec<FuncId>) -> Res<Module> {
        let mut functions = Vec::new();
        for f in std::mem::take(&mut self.functions) {
            match f {
                Some(f) => functions.push(f),
                None => {
                    return Err(super::preprocess::about(
                        &self.source.files[0],
                        "a function was not lowered",
                        "",
                    ));
                }
            }
        }
        self.externals_uncalled(&functions)?;
        self.check_handlers(&functions)?;
        self.ends_with_main()?;
        let starts = start_addresses(&mut functions, starts, std::mem::take(&mut self.prologue), |f| {
            self.called.contains(&f) || (self.calls_pointers && self.pointed_at.contains(&f))
        });
        let checks = self.checks(unit, &functions, &starts)?;
        let mut module = Module {
            files: self.source.files.clone(),
            lines: self.source.lines.clone(),
            objects: self.objects,
            functions,
            starts,
            heap: Vec::new(),
            lifetimes: BTreeMap::new(),
            blocks: std::mem::take(&mut self.lifetimes),
            free: self.free,
            race_pairs: 0,
            assumes: self.assumes,
            checks,
        };
        let actions = std::mem::take(&mut self.signals.actions);
        if let (true, Some((_, at))) = (self.signals.masked, actions.first()) {
            let what = "a signal handler beside signals that are blocked is not supported";
            return Err(self.source.diagnostic(self.source.span(at.start), what, ""));
        }
        super::signals::check_actions(&module, &actions, self.source)?;
        let copies = super::alloc::settle(
            &mut module,
            &self.types,
            self.source,
            (self.sites, &mut self.untyped),
            &mut self.conversions,
            &mut self.object_types,
            self.options.checks_memory(),
        )?;
        let untyped = super::untyped::write(
            &mut module,
            &self.types,
            self.source,
            &self.untyped,
            &self.conversions,
            &self.object_types,
        )?;
        self.accesses.extend(untyped);
        super::views::check(&module, &self.types, self.source, &self.conversions, &self.object_types)?;
        for (copy, of) in copies {
            let accesses = self.accesses.get(&of).cloned().unwrap_or_default();
            self.accesses.insert(copy, accesses);
            let unsequenced = self.unsequenced.get(&of).cloned().unwrap_or_default();
            self.unsequenced.insert(copy, unsequenced);
        }
        let of = |f: u32| self.unsequenced.remove(&FuncId(f)).unwrap_or_default();
        let unsequenced: Vec<Unsequenced> = (0..module.functions.len() as u32).map(of).collect();
        crate::orders::add(&mut module, unsequenced, &mut self.accesses, self.options);
        if self.options.property == Property::NoDataRace {
            let of = |f: u32| self.accesses.remove(&FuncId(f)).unwrap_or_default();
            let accesses: Vec<Vec<Access>> = (0..module.functions.len() as u32).map(of).collect();
            crate::races::instrument(&mut module, &accesses, self.options.race_pair);
        }
        Ok(module)
    }

    /// The object of a global; made, with its start values, when first used.
    pub fn global_object(&mut self, index: usize, bytes: Bytes) -> Res<ObjId> {
        if let Some(o) = self.globals[index].object {
            return Ok(o);
        }
        let mut g = self.globals[index].clone();
        if g.external && g.name == THREADS_EXITED {
            // CBMC's own array has no end and starts with 0.
            g.external = false;
            if let Ty::Array(t, None) = &g.ty {
                g.ty = Ty::Array(t.clone(), Some(MOST_THREADS));
                self.assume(format!("`{THREADS_EXITED}` is used by its elements only"));
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
        self.protect(object, &g.ty, g.constant);
        self.globals[index].object = Some(object);
        let o = &mut self.objects[object.0 as usize];
        o.thread_local = g.thread_local;
        o.span = g.span;
        let streams = ["stdin", "stdout", "stderr"];
        if let (true, Some(k)) = (g.external, streams.iter().position(|s| *s == g.name)) {
            // Three pointers to what the program does not look at.
            o.init = vec![Some(-1 - k as i128)];
            return Ok(object);
        }
        if g.external {
            self.assume(format!("`{}` is defined elsewhere: it starts with any value", g.name));
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
        match self.scopes.get(name) {
            Some(Symbol::Broken(d)) => Err(d.clone()),
            Some(s) => Ok(s.clone()),
            None => {
                self.error(bytes, format!("`{}` is not declared", super::tokens::original_name(name)), "")
            }
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
