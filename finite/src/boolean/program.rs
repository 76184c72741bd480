//! Boolean programs as control-flow graphs, a graph for each procedure.

use super::expr::Expr;
use crate::input::Place;

/// A node of a graph.
pub type NodeId = u32;
/// A procedure, by index into [`Program::procs`].
pub type ProcId = u32;

/// A variable as a thread sees it at a node, by number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Var {
    /// Shared by all threads.
    Global(u32),
    /// Of the call that runs: parameters first.
    Local(u32),
    /// Does this thread hold the lock?
    Held(u32),
}

/// An expression over variables.
pub type Exp = Expr<Var>;

/// A program. Its threads start with `main` alone; variables start with any values, locks free.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// Names of global variables, by number.
    pub globals: Vec<String>,
    /// Names of locks, by number.
    pub locks: Vec<String>,
    /// Procedures; a [`ProcId`] is an index here.
    pub procs: Vec<Procedure>,
    /// The one that starts.
    pub main: ProcId,
    /// Nodes of all procedures, by number.
    pub nodes: Vec<FlowNode>,
    /// The procedure of each statement with a label that must not be reached; its node is an assertion.
    pub errors: Vec<ProcId>,
}

/// A procedure: its variables, and where its nodes begin.
#[derive(Clone, Debug)]
pub struct Procedure {
    /// Name in the source, unique among procedures.
    pub name: String,
    /// How many of the locals are parameters.
    pub params: u32,
    /// Names of local variables.
    pub locals: Vec<String>,
    /// How many values it returns.
    pub returns: u32,
    /// The node where a call starts.
    pub entry: NodeId,
}

/// A node: a statement and where it goes on.
#[derive(Clone, Debug)]
pub struct FlowNode {
    /// The procedure that it belongs to, and whose locals it may name.
    pub proc: ProcId,
    /// What a thread does here.
    pub stmt: Stmt,
    /// Successors: one of them, except for [`Stmt::Branch`].
    pub next: Vec<NodeId>,
    /// The statement waits until this may hold (`enforce`).
    pub guard: Option<Exp>,
    /// Where it is written.
    pub place: Place,
}

/// What a node does, in one step.
#[derive(Clone, Debug)]
pub enum Stmt {
    /// Goes on without an effect.
    Skip,
    /// The first successor if it holds, else the second.
    Branch(Exp),
    /// Assigns values at once, such that the constraint may hold.
    Assign {
        /// Variables that are written, each once.
        targets: Vec<Var>,
        /// A value for each target, over values before the step.
        values: Vec<Exp>,
        /// Between the states before and after.
        constrain: Option<Exp>,
    },
    /// Waits until it holds.
    Assume(Exp),
    /// Fails if it may not hold.
    Assert(Exp),
    /// Calls a procedure, and waits for it.
    Call {
        /// The procedure that is called.
        proc: ProcId,
        /// Values of its parameters.
        args: Vec<Exp>,
        /// Where its results go, each variable once.
        targets: Vec<Var>,
    },
    /// Returns values; in the first procedure of a thread, ends it.
    Return(Vec<Exp>),
    /// Starts a thread in a procedure.
    Spawn {
        /// The procedure that the new thread runs.
        proc: ProcId,
        /// Values of its parameters.
        args: Vec<Exp>,
    },
    /// Starts a thread at a node of the same procedure, with the same local variables and without locks.
    SpawnAt(NodeId),
    /// Ends the thread, in whatever call it is.
    End,
    /// No other thread runs from here.
    AtomicBegin,
    /// Other threads may run again.
    AtomicEnd,
    /// Waits for a lock and takes it.
    Lock(u32),
    /// Gives a lock back; waits for ever if this thread does not hold it.
    Unlock(u32),
}

impl Program {
    /// What can fail in procedures that `main` calls or starts, and they in turn: assertions, and statements that must not
    /// be reached.
    pub fn checks(&self) -> (usize, usize) {
        let mut reached = vec![false; self.procs.len()];
        let mut next = vec![self.main];
        while let Some(p) = next.pop() {
            if std::mem::replace(&mut reached[p as usize], true) {
                continue;
            }
            for n in self.nodes.iter().filter(|n| n.proc == p) {
                if let Stmt::Call { proc, .. } | Stmt::Spawn { proc, .. } = &n.stmt {
                    next.push(*proc);
                }
            }
        }
        let is_assert = |n: &&FlowNode| reached[n.proc as usize] && matches!(n.stmt, Stmt::Assert(_));
        let all = self.nodes.iter().filter(is_assert).count();
        let errors = self.errors.iter().filter(|p| reached[**p as usize]).count();
        (all.saturating_sub(errors), errors)
    }

    /// The node with a number.
    pub fn node(&self, n: NodeId) -> &FlowNode {
        &self.nodes[n as usize]
    }
    /// The procedure with a number.
    pub fn proc(&self, p: ProcId) -> &Procedure {
        &self.procs[p as usize]
    }
    /// A variable's name as a procedure sees it.
    pub fn var_name(&self, p: ProcId, v: Var) -> &str {
        let list = match v {
            Var::Global(_) => &self.globals,
            Var::Local(_) => &self.proc(p).locals,
            Var::Held(_) => &self.locks,
        };
        let (Var::Global(i) | Var::Local(i) | Var::Held(i)) = v;
        list.get(i as usize).map_or("?", String::as_str)
    }
    /// An expression as text.
    pub fn show(&self, p: ProcId, e: &Exp) -> String {
        let list = |es: &[Exp], sign: &str| {
            let all: Vec<String> = es.iter().map(|e| self.show(p, e)).collect();
            format!("({})", all.join(sign))
        };
        match e {
            Expr::Const(b) => if *b { "T" } else { "F" }.into(),
            Expr::Any => "*".into(),
            Expr::Var(v) => self.var_name(p, *v).into(),
            Expr::Next(v) => format!("'{}", self.var_name(p, *v)),
            Expr::Not(e) => format!("!{}", self.show(p, e)),
            Expr::And(es) => list(es, " & "),
            Expr::Or(es) => list(es, " | "),
            Expr::Iff(a, b) => format!("({} = {})", self.show(p, a), self.show(p, b)),
            Expr::Choose(a, b) => format!("schoose[{}, {}]", self.show(p, a), self.show(p, b)),
        }
    }
    /// A statement as text.
    pub fn describe(&self, n: NodeId) -> String {
        let node = self.node(n);
        let p = node.proc;
        let exprs = |es: &[Exp]| es.iter().map(|e| self.show(p, e)).collect::<Vec<_>>().join(", ");
        let names = |vs: &[Var]| vs.iter().map(|v| self.var_name(p, *v)).collect::<Vec<_>>().join(", ");
        match &node.stmt {
            Stmt::Skip if node.next.len() > 1 => "goto".into(),
            Stmt::Skip => "skip".into(),
            Stmt::Branch(e) => format!("if {}", self.show(p, e)),
            Stmt::Assign { targets, values, constrain } => {
                let head = format!("{} := {}", names(targets), exprs(values));
                match constrain {
                    Some(c) => format!("{head} constrain {}", self.show(p, c)),
                    None => head,
                }
            }
            Stmt::Assume(e) => format!("assume({})", self.show(p, e)),
            Stmt::Assert(e) => format!("assert({})", self.show(p, e)),
            Stmt::Call { proc, args, targets } => {
                let head = if targets.is_empty() { String::new() } else { format!("{} := ", names(targets)) };
                format!("{head}{}({})", self.proc(*proc).name, exprs(args))
            }
            Stmt::Return(es) => format!("return {}", exprs(es)).trim_end().into(),
            Stmt::Spawn { proc, args } => {
                format!("start_thread {}({})", self.proc(*proc).name, exprs(args))
            }
            Stmt::SpawnAt(t) => format!("start_thread goto line {}", self.node(*t).place.line),
            Stmt::End => "end_thread".into(),
            Stmt::AtomicBegin => "atomic_begin".into(),
            Stmt::AtomicEnd => "atomic_end".into(),
            Stmt::Lock(l) => format!("lock {}", self.var_name(p, Var::Held(*l))),
            Stmt::Unlock(l) => format!("unlock {}", self.var_name(p, Var::Held(*l))),
        }
    }
}
