//! Which variables matter, and where.
//!
//! A variable is *relevant* if what a thread can reach may depend on it: it occurs in a condition, or in a value given to
//! a relevant variable. A local variable is *live* at a node if it may be read before it is written.

use super::bits::Bits;
use super::program::{Exp, NodeId, ProcId, Program, Stmt, Var};

/// The analysis of a program.
#[derive(Clone, Debug)]
pub struct Live {
    /// Relevant globals, by number.
    pub globals: Bits,
    /// Relevant globals that may be read in the first state before they are written.
    pub initial: Bits,
    /// Relevant locals, by procedure.
    pub locals: Vec<Bits>,
    /// Relevant locals that are live before a node's statement.
    pub before: Vec<Bits>,
    /// The same for the time in which a call runs.
    pub waiting: Vec<Bits>,
    /// `results[procedure][k]`: is its result `k` relevant?
    pub results: Vec<Vec<bool>>,
}

impl Live {
    /// Works both out, as least fixpoints.
    pub fn new(p: &Program) -> Live {
        let mut l = Live {
            globals: Bits::new(p.globals.len()),
            initial: Bits::new(p.globals.len()),
            locals: p.procs.iter().map(|q| Bits::new(q.locals.len())).collect(),
            before: p.nodes.iter().map(|n| Bits::new(p.proc(n.proc).locals.len())).collect(),
            waiting: p.nodes.iter().map(|n| Bits::new(p.proc(n.proc).locals.len())).collect(),
            results: p.procs.iter().map(|q| vec![false; q.returns as usize]).collect(),
        };
        while l.relevance(p) {}
        while l.liveness(p) {}
        l.start(p);
        l
    }

    /// Is a variable of a procedure relevant?
    pub fn relevant(&self, proc: ProcId, v: Var) -> bool {
        match v {
            Var::Global(i) => self.globals.get(i),
            Var::Local(i) => self.locals.get(proc as usize).is_some_and(|b| b.get(i)),
            Var::Held(_) => true,
        }
    }

    fn mark(&mut self, proc: ProcId, v: Var) -> bool {
        let set = match v {
            Var::Global(_) => &mut self.globals,
            Var::Local(_) => &mut self.locals[proc as usize],
            Var::Held(_) => return false,
        };
        let (Var::Global(i) | Var::Local(i) | Var::Held(i)) = v;
        let new = !set.get(i);
        set.set(i, true);
        new
    }

    fn mark_all(&mut self, proc: ProcId, e: &Exp) -> bool {
        let mut grown = false;
        e.each(&mut |v, _| grown |= self.mark(proc, *v));
        grown
    }

    fn relevance(&mut self, p: &Program) -> bool {
        let mut grown = false;
        for n in &p.nodes {
            if let Some(g) = &n.guard {
                grown |= self.mark_all(n.proc, g);
            }
            match &n.stmt {
                Stmt::Branch(e) | Stmt::Assume(e) | Stmt::Assert(e) => grown |= self.mark_all(n.proc, e),
                Stmt::Assign { targets, values, constrain } => {
                    if let Some(c) = constrain {
                        grown |= self.mark_all(n.proc, c);
                    }
                    for (t, e) in targets.iter().zip(values) {
                        if self.relevant(n.proc, *t) {
                            grown |= self.mark_all(n.proc, e);
                        }
                    }
                }
                Stmt::Call { proc, args, targets } => {
                    grown |= self.arguments(n.proc, *proc, args);
                    for (i, t) in targets.iter().enumerate() {
                        if self.relevant(n.proc, *t) && !self.results[*proc as usize][i] {
                            self.results[*proc as usize][i] = true;
                            grown = true;
                        }
                    }
                }
                Stmt::Spawn { proc, args } => grown |= self.arguments(n.proc, *proc, args),
                Stmt::Return(values) => {
                    for (i, e) in values.iter().enumerate() {
                        if self.results[n.proc as usize][i] {
                            grown |= self.mark_all(n.proc, e);
                        }
                    }
                }
                _ => {}
            }
        }
        grown
    }

    fn arguments(&mut self, caller: ProcId, callee: ProcId, args: &[Exp]) -> bool {
        let mut grown = false;
        for (i, e) in (0..).zip(args) {
            if self.relevant(callee, Var::Local(i)) {
                grown |= self.mark_all(caller, e);
            }
        }
        grown
    }

    fn liveness(&mut self, p: &Program) -> bool {
        let mut grown = false;
        // Back to front: so are most nodes numbered.
        for id in 0..p.nodes.len() {
            let n = &p.nodes[id];
            let mut set = Bits::new(p.proc(n.proc).locals.len());
            for s in &n.next {
                set.join(&self.before[*s as usize]);
            }
            let kill = |set: &mut Bits, targets: &[Var]| {
                for t in targets {
                    if let Var::Local(i) = t {
                        set.set(*i, false);
                    }
                }
            };
            let mut reads: Vec<&Exp> = n.guard.iter().collect();
            match &n.stmt {
                Stmt::Branch(e) | Stmt::Assume(e) | Stmt::Assert(e) => reads.push(e),
                Stmt::Assign { targets, values, constrain } => {
                    kill(&mut set, targets);
                    for (t, e) in targets.iter().zip(values) {
                        if self.relevant(n.proc, *t) {
                            reads.push(e);
                        }
                    }
                    if let Some(c) = constrain {
                        c.each(&mut |v, next| {
                            if let (Var::Local(i), false) = (v, next && targets.contains(v)) {
                                set.set(*i, true);
                            }
                        });
                    }
                }
                Stmt::Call { proc, args, targets } => {
                    kill(&mut set, targets);
                    grown |= self.waiting[id].join(&set);
                    reads.extend(self.relevant_arguments(*proc, args));
                }
                Stmt::Spawn { proc, args } => reads.extend(self.relevant_arguments(*proc, args)),
                Stmt::SpawnAt(t) => {
                    set.join(&self.before[*t as usize]);
                }
                Stmt::Return(values) => {
                    let wanted = &self.results[n.proc as usize];
                    reads.extend(values.iter().zip(wanted).filter(|v| *v.1).map(|v| v.0));
                }
                _ => {}
            }
            for e in reads {
                e.each(&mut |v, _| {
                    if let Var::Local(i) = v {
                        set.set(*i, true);
                    }
                });
            }
            grown |= self.before[id].join(&set);
        }
        grown
    }

    fn relevant_arguments<'e>(&self, callee: ProcId, args: &'e [Exp]) -> Vec<&'e Exp> {
        (0..).zip(args).filter(|(i, _)| self.relevant(callee, Var::Local(*i))).map(|(_, e)| e).collect()
    }

    /// Globals that are live where `main` starts. All are where other threads may read them, or callers.
    fn start(&mut self, p: &Program) {
        let none = Bits::new(p.globals.len());
        let called = p.nodes.iter().any(|n| matches!(n.stmt, Stmt::Call { proc, .. } if proc == p.main));
        let mut live = vec![none.clone(); p.nodes.len()];
        loop {
            let mut grown = false;
            for (id, n) in p.nodes.iter().enumerate() {
                let mut set = none.clone();
                for s in &n.next {
                    set.join(&live[*s as usize]);
                }
                let mut reads: Vec<&Exp> = n.guard.iter().collect();
                match &n.stmt {
                    Stmt::Branch(e) | Stmt::Assume(e) | Stmt::Assert(e) => reads.push(e),
                    Stmt::Assign { targets, values, constrain } => {
                        for t in targets {
                            if let Var::Global(i) = t {
                                set.set(*i, false);
                            }
                        }
                        let mut read = |v: &Var, next: bool| {
                            if let (Var::Global(i), false) = (v, next && targets.contains(v)) {
                                set.set(*i, true);
                            }
                        };
                        values.iter().for_each(|e| e.each(&mut read));
                        constrain.iter().for_each(|e| e.each(&mut read));
                    }
                    Stmt::Spawn { .. } | Stmt::SpawnAt(_) => {
                        set.join(&self.globals);
                    }
                    Stmt::Return(_) if called || n.proc != p.main => {
                        set.join(&self.globals);
                    }
                    Stmt::Call { proc, args, .. } => {
                        // What follows is accounted for by the callee's return, and by its entry.
                        set = live[p.proc(*proc).entry as usize].clone();
                        reads.extend(args);
                    }
                    _ => {}
                }
                for e in reads {
                    e.each(&mut |v, _| {
                        if let Var::Global(i) = v {
                            set.set(*i, true);
                        }
                    });
                }
                grown |= live[id].join(&set);
            }
            if !grown {
                break;
            }
        }
        if let Some(set) = live.get(p.proc(p.main).entry as usize) {
            for i in set.ones().filter(|i| self.globals.get(*i)) {
                self.initial.set(i, true);
            }
        }
    }

    /// Locals that matter before a node.
    pub fn at(&self, n: NodeId) -> &Bits {
        &self.before[n as usize]
    }
}
