//! From a program as it is written to control-flow graphs.

use super::ast::{self, Ast, Kind, Name};
use super::expr::Expr;
use super::program::{Exp, FlowNode, NodeId, ProcId, Procedure, Program, Stmt, Var};
use crate::input::{InputError, Place};
use rustc_hash::{FxHashMap, FxHashSet};

type Result<T> = std::result::Result<T, InputError>;

fn index(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

/// Lowers a program. Statements with one of the labels `errors` fail.
pub fn lower(ast: &Ast, errors: &[String]) -> Result<Program> {
    let mut procs: FxHashMap<&str, ProcId> = FxHashMap::default();
    for (i, p) in ast.procs.iter().enumerate() {
        if procs.insert(&p.name.text, index(i)).is_some() {
            return Err(InputError::new(p.name.place, format!("a second procedure '{}'", p.name.text))
                .help("give it another name"));
        }
    }
    let Some(main) = procs.get("main").copied() else {
        return Err(InputError::new(Place::default(), "no procedure 'main'")
            .help("add 'void main() begin ... end'; threads start from it"));
    };
    let (locks, lock_names) = locks(ast);
    let mut globals = FxHashMap::default();
    let mut names = Vec::new();
    for g in &ast.globals {
        let held = locks.get(&(None, g.text.as_str()));
        let var = held.map_or(Var::Global(index(names.len())), |l| Var::Held(*l));
        if globals.insert(g.text.as_str(), var).is_some() {
            return Err(twice(g));
        }
        if held.is_none() {
            names.push(g.text.clone());
        }
    }
    let program = Program { globals: names, locks: lock_names, main, ..Program::default() };
    let mut l = Lowering { ast, procs, locks, globals, program, errors, seen: FxHashSet::default() };
    for i in 0..ast.procs.len() {
        l.proc(i)?;
    }
    if let Some(label) = errors.iter().find(|e| !l.seen.contains(e.as_str())) {
        return Err(InputError::new(Place::default(), format!("no statement has the label '{label}'"))
            .help("name a label of the program as --error-label"));
    }
    let mut program = l.program;
    check_copies(&program)?;
    shorten(&mut program);
    Ok(program)
}

fn twice(n: &Name) -> InputError {
    InputError::new(n.place, format!("'{}' is declared twice", n.text)).help("remove one of the declarations")
}

type Locks<'a> = FxHashMap<(Option<usize>, &'a str), u32>;

/// The variables that lock and unlock name, with the procedure that declares them, in the order of their use.
fn locks(ast: &Ast) -> (Locks<'_>, Vec<String>) {
    fn visit<'a>(stmts: &'a [ast::Stmt], found: &mut Vec<&'a str>) {
        for s in stmts {
            match &s.kind {
                Kind::Lock(n) | Kind::Unlock(n) => found.push(&n.text),
                Kind::While(_, body) => visit(body, found),
                Kind::If(arms, other) => {
                    arms.iter().for_each(|a| visit(&a.1, found));
                    visit(other, found);
                }
                _ => {}
            }
        }
    }
    let mut out = Locks::default();
    let mut names = Vec::new();
    for (i, p) in ast.procs.iter().enumerate() {
        let mut found = Vec::new();
        visit(&p.body, &mut found);
        for name in found {
            let own = p.locals.iter().any(|l| l.text == name);
            out.entry((own.then_some(i), name)).or_insert_with(|| {
                names.push(name.to_string());
                index(names.len() - 1)
            });
        }
    }
    (out, names)
}

struct Lowering<'a> {
    ast: &'a Ast,
    procs: FxHashMap<&'a str, ProcId>,
    locks: Locks<'a>,
    globals: FxHashMap<&'a str, Var>,
    program: Program,
    errors: &'a [String],
    seen: FxHashSet<&'a str>,
}

/// What is known of the procedure being lowered.
struct Scope<'a> {
    id: ProcId,
    locals: FxHashMap<&'a str, Var>,
    guard: Option<Exp>,
    labels: FxHashMap<&'a str, NodeId>,
    jumps: Vec<(NodeId, &'a [Name])>,
    copies: Vec<(NodeId, &'a Name)>,
    /// Local variables that are declared, and those behind them that take results which nobody wants (`_`).
    declared: usize,
    unwanted: usize,
}

impl<'a> Lowering<'a> {
    fn proc(&mut self, i: usize) -> Result<()> {
        let ast = self.ast;
        let p = &ast.procs[i];
        let mut locals = FxHashMap::default();
        let mut names = Vec::new();
        for n in &p.params {
            if self.locks.contains_key(&(None, n.text.as_str()))
                && !self.globals.contains_key(n.text.as_str())
            {
                return Err(InputError::new(n.place, format!("the lock '{}' is a parameter", n.text))
                    .help("declare locks as global variables"));
            }
        }
        for n in p.params.iter().chain(&p.locals) {
            let held = self.locks.get(&(Some(i), n.text.as_str()));
            let var = held.map_or(Var::Local(index(names.len())), |l| Var::Held(*l));
            if locals.insert(n.text.as_str(), var).is_some() {
                return Err(twice(n));
            }
            if held.is_none() {
                names.push(n.text.clone());
            }
        }
        let mut s = Scope {
            id: index(i),
            locals,
            guard: None,
            labels: FxHashMap::default(),
            jumps: Vec::new(),
            copies: Vec::new(),
            declared: names.len(),
            unwanted: 0,
        };
        if let Some(e) = &p.enforce {
            let guard = self.expr(&s, e, false)?;
            s.guard = (!matches!(&guard, Expr::And(es) if es.iter().all(|e| *e == Expr::Const(true))))
                .then_some(guard);
        }
        let results = vec![Expr::Any; p.returns as usize];
        let end = self.push(&s, Stmt::Return(results), Vec::new(), p.end);
        let entry = self.block(&mut s, &p.body, end)?;
        for (node, targets) in std::mem::take(&mut s.jumps) {
            let next: Result<Vec<NodeId>> = targets.iter().map(|t| label(&s, t)).collect();
            self.program.nodes[node as usize].next = next?;
        }
        for (node, target) in std::mem::take(&mut s.copies) {
            self.program.nodes[node as usize].stmt = Stmt::SpawnAt(label(&s, target)?);
        }
        names.extend((0..s.unwanted).map(|k| if k == 0 { "_".into() } else { format!("_{}", k + 1) }));
        self.program.procs.push(Procedure {
            name: p.name.text.clone(),
            params: index(p.params.len()),
            locals: names,
            returns: p.returns,
            entry,
        });
        Ok(())
    }

    fn push(&mut self, s: &Scope, stmt: Stmt, next: Vec<NodeId>, place: Place) -> NodeId {
        self.program.nodes.push(FlowNode { proc: s.id, stmt, next, guard: s.guard.clone(), place });
        index(self.program.nodes.len() - 1)
    }

    /// Lowers statements that are followed by `next`; back to front, so that it is known.
    fn block(&mut self, s: &mut Scope<'a>, stmts: &'a [ast::Stmt], next: NodeId) -> Result<NodeId> {
        let mut next = next;
        for stmt in stmts.iter().rev() {
            next = self.labelled(s, stmt, next)?;
        }
        Ok(next)
    }

    fn labelled(&mut self, s: &mut Scope<'a>, stmt: &'a ast::Stmt, next: NodeId) -> Result<NodeId> {
        let starts =
            |n: &Name| n.text.strip_prefix("ASYNC_").is_some_and(|d| d.bytes().all(|b| b.is_ascii_digit()));
        let mut entry = match (stmt.labels.iter().find(|l| starts(l)), &stmt.kind) {
            (None, _) => self.stmt(s, stmt, next)?,
            (Some(_), Kind::Call { targets, proc, args }) if targets.is_empty() => {
                self.spawn(s, proc, args, next, stmt.place)?
            }
            (Some(l), _) => {
                return Err(InputError::new(l.place, format!("'{}' stands before no call", l.text))
                    .help("it starts a thread that runs the call behind it: 'ASYNC_1: f();'"));
            }
        };
        let found: Vec<&str> = stmt
            .labels
            .iter()
            .map(|l| l.text.as_str())
            .filter(|l| self.errors.iter().any(|e| e == l))
            .collect();
        if !found.is_empty() {
            self.seen.extend(found);
            self.program.errors.push(s.id);
            entry = self.push(s, Stmt::Assert(Expr::Const(false)), vec![entry], stmt.place);
        }
        for (i, l) in stmt.labels.iter().enumerate() {
            // A label may stand twice before one statement.
            let again = stmt.labels.iter().take(i).any(|m| m.text == l.text);
            if s.labels.insert(&l.text, entry).is_some() && !starts(l) && !again {
                return Err(InputError::new(l.place, format!("the label '{}' stands twice", l.text))
                    .help("give one of the two another name"));
            }
        }
        Ok(entry)
    }

    fn stmt(&mut self, s: &mut Scope<'a>, stmt: &'a ast::Stmt, next: NodeId) -> Result<NodeId> {
        let place = stmt.place;
        let lowered = match &stmt.kind {
            Kind::Skip => Stmt::Skip,
            Kind::Goto(targets) => {
                let node = self.push(s, Stmt::Skip, Vec::new(), place);
                s.jumps.push((node, targets));
                return Ok(node);
            }
            Kind::Return(values) => {
                let wanted = self.ast.procs[s.id as usize].returns as usize;
                self.arity("values to return", wanted, values.len(), place)?;
                let values = self.exprs(s, values)?;
                return Ok(self.push(s, Stmt::Return(values), Vec::new(), place));
            }
            Kind::Assign { targets, values, constrain } => {
                self.arity("values", targets.len(), values.len(), place)?;
                let targets = self.targets(s, targets)?;
                let values = self.exprs(s, values)?;
                let constrain = constrain.as_ref().map(|e| self.expr(s, e, true)).transpose()?;
                Stmt::Assign { targets, values, constrain }
            }
            Kind::Dead(names) => {
                let targets = self.targets(s, names)?;
                let values = vec![Expr::Any; targets.len()];
                Stmt::Assign { targets, values, constrain: None }
            }
            Kind::Call { targets, proc, args } => {
                let id = self.callee(proc)?;
                let callee = &self.ast.procs[id as usize];
                self.arity("arguments", callee.params.len(), args.len(), proc.place)?;
                if !targets.is_empty() {
                    self.arity("results", callee.returns as usize, targets.len(), proc.place)?;
                }
                let targets = self.results(s, targets)?;
                let args = self.exprs(s, args)?;
                Stmt::Call { proc: id, args, targets }
            }
            Kind::If(arms, other) => {
                let mut entry = self.block(s, other, next)?;
                for (condition, body, place) in arms.iter().rev() {
                    let condition = self.expr(s, condition, false)?;
                    let body = self.block(s, body, next)?;
                    entry = self.push(s, Stmt::Branch(condition), vec![body, entry], *place);
                }
                return Ok(entry);
            }
            Kind::While(condition, body) => {
                let condition = self.expr(s, condition, false)?;
                let head = self.push(s, Stmt::Branch(condition), Vec::new(), place);
                let body = self.block(s, body, head)?;
                self.program.nodes[head as usize].next = vec![body, next];
                return Ok(head);
            }
            Kind::Assume(e) => Stmt::Assume(self.expr(s, e, false)?),
            Kind::Assert(e) => Stmt::Assert(self.expr(s, e, false)?),
            Kind::Spawn { proc, args } => return self.spawn(s, proc, args, next, place),
            Kind::SpawnAt(target) => {
                let node = self.push(s, Stmt::Skip, vec![next], place);
                s.copies.push((node, target));
                return Ok(node);
            }
            Kind::EndThread => return Ok(self.push(s, Stmt::End, Vec::new(), place)),
            Kind::AtomicBegin => Stmt::AtomicBegin,
            Kind::AtomicEnd => Stmt::AtomicEnd,
            Kind::Lock(n) => Stmt::Lock(self.lock(s, n)?),
            Kind::Unlock(n) => Stmt::Unlock(self.lock(s, n)?),
        };
        Ok(self.push(s, lowered, vec![next], place))
    }

    fn spawn(
        &mut self,
        s: &Scope,
        proc: &Name,
        args: &[ast::Exp],
        next: NodeId,
        place: Place,
    ) -> Result<NodeId> {
        let id = self.callee(proc)?;
        self.arity("arguments", self.ast.procs[id as usize].params.len(), args.len(), proc.place)?;
        let args = self.exprs(s, args)?;
        Ok(self.push(s, Stmt::Spawn { proc: id, args }, vec![next], place))
    }

    fn arity(&self, what: &str, wanted: usize, given: usize, place: Place) -> Result<()> {
        if wanted == given {
            return Ok(());
        }
        Err(InputError::new(place, format!("{given} {what} where {wanted} are needed"))
            .help("give as many as are declared"))
    }

    fn callee(&self, n: &Name) -> Result<ProcId> {
        self.procs
            .get(n.text.as_str())
            .copied()
            .ok_or_else(|| InputError::new(n.place, format!("no procedure '{}'", n.text)).help("define it"))
    }

    fn var(&self, s: &Scope, n: &Name) -> Result<Var> {
        let found = s.locals.get(n.text.as_str()).or(self.globals.get(n.text.as_str()));
        found.copied().ok_or_else(|| {
            InputError::new(n.place, format!("no variable '{}'", n.text)).help("declare it with 'decl'")
        })
    }

    fn targets(&self, s: &Scope, names: &[Name]) -> Result<Vec<Var>> {
        let mut seen = FxHashSet::default();
        names
            .iter()
            .map(|n| {
                let v = self.var(s, n)?;
                if let Var::Held(_) = v {
                    return Err(InputError::new(n.place, format!("the lock '{}' is assigned", n.text))
                        .help("use lock and unlock only, or no lock at all"));
                }
                if !seen.insert(v) {
                    return Err(InputError::new(n.place, format!("'{}' is assigned twice", n.text))
                        .help("assign each variable once"));
                }
                Ok(v)
            })
            .collect()
    }

    /// Where results of a call go; `_` takes one that nobody wants, unless it is declared.
    fn results(&self, s: &mut Scope, names: &[Name]) -> Result<Vec<Var>> {
        let is_declared = |s: &Scope| s.locals.contains_key("_") || self.globals.contains_key("_");
        let (unwanted, wanted): (Vec<_>, Vec<_>) =
            names.iter().cloned().partition(|n| n.text == "_" && !is_declared(s));
        s.unwanted = s.unwanted.max(unwanted.len());
        let mut named = self.targets(s, &wanted)?.into_iter();
        let mut others = (s.declared..).map(|i| Var::Local(index(i)));
        let next = |n: &Name| if unwanted.contains(n) { others.next() } else { named.next() };
        Ok(names.iter().filter_map(next).collect())
    }

    fn lock(&self, s: &Scope, n: &Name) -> Result<u32> {
        match self.var(s, n)? {
            Var::Held(l) => Ok(l),
            _ => Err(InputError::new(n.place, format!("'{}' is no lock here", n.text))
                .help("declare locks as global variables")),
        }
    }

    fn exprs(&self, s: &Scope, es: &[ast::Exp]) -> Result<Vec<Exp>> {
        es.iter().map(|e| self.expr(s, e, false)).collect()
    }

    fn expr(&self, s: &Scope, e: &ast::Exp, next: bool) -> Result<Exp> {
        e.map(&mut |n, primed| {
            if primed && !next {
                return Err(InputError::new(
                    n.place,
                    format!("the next value of '{}' is not known here", n.text),
                )
                .help("use it behind 'constrain' only"));
            }
            self.var(s, n)
        })
    }
}

fn label(s: &Scope, n: &Name) -> Result<NodeId> {
    s.labels.get(n.text.as_str()).copied().ok_or_else(|| {
        InputError::new(n.place, format!("no label '{}' in this procedure", n.text)).help("define it")
    })
}

/// A copy of a thread has no callers to return to, so that a procedure that copies itself must not be called.
fn check_copies(p: &Program) -> Result<()> {
    let called: FxHashSet<ProcId> = p
        .nodes
        .iter()
        .filter_map(|n| if let Stmt::Call { proc, .. } = n.stmt { Some(proc) } else { None })
        .collect();
    match p.nodes.iter().find(|n| matches!(n.stmt, Stmt::SpawnAt(_)) && called.contains(&n.proc)) {
        None => Ok(()),
        Some(n) => Err(InputError::new(
            n.place,
            format!("a thread started at a label of '{}', which is called", p.proc(n.proc).name),
        )
        .help("a new thread has no caller to return to; start a procedure instead")),
    }
}

/// Leaves out what only goes on to another node.
fn shorten(p: &mut Program) {
    let target = |p: &Program, from: NodeId| {
        let (mut at, mut steps) = (from, 0);
        while let (Stmt::Skip, [next]) = (&p.node(at).stmt, p.node(at).next.as_slice()) {
            at = *next;
            steps += 1;
            if steps > p.nodes.len() {
                return from;
            }
        }
        at
    };
    for i in 0..p.nodes.len() {
        let next: Vec<NodeId> = p.nodes[i].next.iter().map(|n| target(p, *n)).collect();
        p.nodes[i].next = next;
        if let Stmt::SpawnAt(t) = p.nodes[i].stmt {
            p.nodes[i].stmt = Stmt::SpawnAt(target(p, t));
        }
    }
    for i in 0..p.procs.len() {
        p.procs[i].entry = target(p, p.procs[i].entry);
    }
}
