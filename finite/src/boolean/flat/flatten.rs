//! From a program's procedures to the graph.

use super::liveness::liveness;
use super::{Action, Flat, FlatNode, Role, Write, index};
use crate::boolean::live::Live;
use crate::boolean::program::{Exp, NodeId, ProcId, Program, Stmt, Var};
use rustc_hash::{FxHashMap, FxHashSet};
use std::convert::Infallible;

/// Nodes of a graph with inlined calls.
const INLINED: u64 = 60_000;

/// How a call was entered: the chain of inlined calls up to a thread's or a call's first procedure.
#[derive(Clone, Debug)]
struct Instance {
    proc: ProcId,
    base: u32,
    /// The caller and the call it waits at, if inlined.
    caller: Option<(u32, NodeId)>,
    /// Where results go if the call is not inlined.
    results: Option<u32>,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Key {
    instance: u32,
    node: NodeId,
    role: Role,
    atomic: bool,
    /// The place behind a call that is not inlined where its caller waits, or behind a procedure where it is over.
    kind: Phase,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Phase {
    Normal,
    Waits,
    Over,
    /// Where the caller takes the results.
    Takes,
}

struct Builder<'p> {
    program: &'p Program,
    live: &'p Live,
    /// By procedure: its calls are not inlined.
    joined: Vec<bool>,
    instances: Vec<Instance>,
    roots: FxHashMap<(ProcId, bool), u32>,
    /// By the caller's instance and the node of the call: the instance that is inlined there.
    inlined: FxHashMap<(u32, NodeId), u32>,
    /// The node of each key, the inverse of `order`.
    keys: FxHashMap<Key, u32>,
    order: Vec<Key>,
    locals: u32,
}

/// Builds the graph of a program.
pub fn flatten(program: &Program, live: &Live) -> Flat {
    let joined = joined(program);
    let approximate = joined.iter().any(|j| *j);
    let mut b = Builder {
        program,
        live,
        joined,
        instances: Vec::new(),
        roots: FxHashMap::default(),
        inlined: FxHashMap::default(),
        keys: FxHashMap::default(),
        order: Vec::new(),
        locals: 0,
    };
    let main = b.instance(program.main, None, None);
    b.node(Key {
        instance: main,
        node: program.proc(program.main).entry,
        role: Role::Alone,
        atomic: false,
        kind: Phase::Normal,
    });
    let mut nodes = Vec::new();
    while let Some(key) = b.order.get(nodes.len()).copied() {
        let node = b.build(key);
        nodes.push(node);
    }
    // Exits are known only now.
    let over: FxHashMap<(u32, bool), u32> = b
        .order
        .iter()
        .enumerate()
        .filter(|(_, k)| k.kind == Phase::Over)
        .map(|(i, k)| ((k.instance, k.atomic), index(i)))
        .collect();
    for (node, key) in nodes.iter_mut().zip(&b.order) {
        if let (Phase::Waits, Action::Wait(exits, results)) = (key.kind, &node.action) {
            let root = b.wait_root(*key);
            let known = |e: &(u32, u32)| over.get(&(root, e.0 == 1)).map(|o| (*o, e.1));
            let exits: Vec<(u32, u32)> = exits.iter().filter_map(known).collect();
            node.action = Action::Wait(exits, results.clone());
        }
    }
    let has_atomic = program.nodes.iter().any(|n| matches!(n.stmt, Stmt::AtomicBegin | Stmt::AtomicEnd));
    let mut flat = Flat {
        nodes,
        globals: index(program.globals.len() + program.locks.len()),
        free: index(program.globals.len()),
        locals: b.locals,
        locks: index(program.locks.len()),
        live: Vec::new(),
        has_atomic,
        approximate,
    };
    flat.live = liveness(&flat);
    flat
}

/// Procedures whose calls are not inlined.
fn joined(p: &Program) -> Vec<bool> {
    let mut calls: Vec<FxHashSet<ProcId>> = vec![FxHashSet::default(); p.procs.len()];
    let mut sites: Vec<Vec<ProcId>> = vec![Vec::new(); p.procs.len()];
    let mut own = vec![0u64; p.procs.len()];
    for n in &p.nodes {
        own[n.proc as usize] += 1;
        if let Stmt::Call { proc, .. } = n.stmt {
            calls[n.proc as usize].insert(proc);
            sites[n.proc as usize].push(proc);
        }
    }
    let reach = |from: ProcId| {
        let mut seen = FxHashSet::default();
        let mut worklist = vec![from];
        while let Some(q) = worklist.pop() {
            worklist.extend(calls[q as usize].iter().filter(|c| seen.insert(**c)));
        }
        seen
    };
    let recursive: Vec<bool> = (0..).zip(&p.procs).map(|(i, _)| reach(i).contains(&i)).collect();
    // Sizes of what is inlined, callees first; the graph of calls without recursive procedures has no cycles.
    let mut size: Vec<Option<u64>> = recursive.iter().zip(&own).map(|(r, n)| r.then_some(*n)).collect();
    let mut worklist: Vec<usize> = (0..p.procs.len()).rev().collect();
    while let Some(q) = worklist.last().copied() {
        if size[q].is_some() {
            worklist.pop();
            continue;
        }
        let missing: Vec<usize> =
            sites[q].iter().map(|c| *c as usize).filter(|c| size[*c].is_none()).collect();
        if missing.is_empty() {
            let inside = sites[q].iter().filter(|c| !recursive[**c as usize]);
            let inside = inside.fold(0u64, |n, c| n.saturating_add(size[*c as usize].unwrap_or(0)));
            size[q] = Some(own[q].saturating_add(inside));
        }
        worklist.extend(missing);
    }
    let all = size.iter().fold(0u64, |n, s| n.saturating_add(s.unwrap_or(0)));
    if all > INLINED { vec![true; p.procs.len()] } else { recursive }
}

impl Builder<'_> {
    fn instance(&mut self, proc: ProcId, caller: Option<(u32, NodeId)>, results: Option<u32>) -> u32 {
        let base = self.locals;
        self.locals = self.locals.saturating_add(index(self.program.proc(proc).locals.len()));
        self.instances.push(Instance { proc, base, caller, results });
        index(self.instances.len() - 1)
    }

    /// The instance of threads, or of calls that are not inlined, that start in a procedure.
    fn root(&mut self, proc: ProcId, call: bool) -> u32 {
        if let Some(i) = self.roots.get(&(proc, call)) {
            return *i;
        }
        let i = self.instance(proc, None, None);
        if call {
            self.instances[i as usize].results = Some(self.locals);
            self.locals = self.locals.saturating_add(self.program.proc(proc).returns);
        }
        self.roots.insert((proc, call), i);
        i
    }

    fn node(&mut self, key: Key) -> u32 {
        if let Some(i) = self.keys.get(&key) {
            return *i;
        }
        let i = index(self.order.len());
        self.keys.insert(key, i);
        self.order.push(key);
        i
    }

    fn exp(&self, instance: u32, e: &Exp) -> Exp {
        let base = self.instances[instance as usize].base;
        let out: Result<Exp, Infallible> = e.map(&mut |v, _| Ok(shift(*v, base)));
        match out {
            Ok(e) => e,
            Err(never) => match never {},
        }
    }

    /// Assignments of the values that matter.
    fn relevant(&self, proc: ProcId, instance: u32, targets: &[Var]) -> Vec<(usize, Var)> {
        let base = self.instances[instance as usize].base;
        let pairs = targets.iter().enumerate();
        pairs.filter(|(_, t)| self.live.relevant(proc, **t)).map(|(i, t)| (i, shift(*t, base))).collect()
    }

    fn arguments(&self, caller: u32, callee: u32, args: &[Exp]) -> Write {
        let proc = self.instances[callee as usize].proc;
        let params: Vec<Var> = (0..index(args.len())).map(Var::Local).collect();
        let mut w = Write::default();
        for (i, t) in self.relevant(proc, callee, &params) {
            w.targets.push(t);
            w.values.push(self.exp(caller, &args[i]));
        }
        w
    }

    fn wait_root(&self, key: Key) -> u32 {
        match self.program.node(key.node).stmt {
            Stmt::Call { proc, .. } => self.roots.get(&(proc, true)).copied().unwrap_or(u32::MAX),
            _ => u32::MAX,
        }
    }

    /// Where results of a call that is not inlined go, and their registers.
    fn results(&self, key: Key) -> Write {
        let root = self.wait_root(key);
        let first = self.instances.get(root as usize).and_then(|i| i.results).unwrap_or(0);
        let node = self.program.node(key.node);
        let mut w = Write::default();
        if let Stmt::Call { targets, .. } = &node.stmt {
            for (i, t) in self.relevant(node.proc, key.instance, targets) {
                w.targets.push(t);
                w.values.push(Exp::Var(Var::Local(first.saturating_add(index(i)))));
            }
        }
        w
    }

    fn build(&mut self, key: Key) -> FlatNode {
        let p = self.program;
        let node = p.node(key.node);
        let exp = |b: &Self, e: &Exp| b.exp(key.instance, e);
        let guard = node.guard.as_ref().map(|g| exp(self, g));
        let at = |n: NodeId| Key { node: n, kind: Phase::Normal, ..key };
        let flat =
            |action, guard| FlatNode { source: key.node, role: key.role, atomic: key.atomic, action, guard };
        let next = node.next.first().copied().unwrap_or(key.node);
        match key.kind {
            Phase::Normal => {}
            Phase::Over => return flat(Action::Exit, None),
            Phase::Takes => return flat(Action::Write(self.results(key), self.node(at(next))), None),
            Phase::Waits => {
                // Where it goes on, for a call that is over outside and inside of an atomic section.
                let w = self.results(key);
                let kind = if w.targets.is_empty() { Phase::Normal } else { Phase::Takes };
                let to = if w.targets.is_empty() { next } else { key.node };
                let exits = [false, true]
                    .map(|a| (u32::from(a), self.node(Key { atomic: a, kind, node: to, ..key })));
                let results =
                    w.values.iter().filter_map(|e| if let Exp::Var(v) = e { Some(*v) } else { None });
                // The wait is over when the call is: not a step of the caller.
                return flat(Action::Wait(exits.to_vec(), results.collect()), None);
            }
        }
        // A thread that starts another is not alone any more.
        let after = if key.role == Role::Alone { Role::Main } else { key.role };
        let action = match &node.stmt {
            Stmt::Skip => Action::Goto(node.next.iter().map(|n| self.node(at(*n))).collect()),
            Stmt::Branch(e) => {
                let other = node.next.get(1).copied().unwrap_or(next);
                Action::Branch(exp(self, e), self.node(at(next)), self.node(at(other)))
            }
            Stmt::Assume(e) => Action::Assume(exp(self, e), self.node(at(next))),
            Stmt::Assert(e) => Action::Assert(exp(self, e), self.node(at(next))),
            Stmt::Assign { targets, values, constrain } => {
                let mut w = Write { constrain: constrain.as_ref().map(|c| exp(self, c)), ..Write::default() };
                for (i, t) in self.relevant(node.proc, key.instance, targets) {
                    w.targets.push(t);
                    w.values.push(exp(self, &values[i]));
                }
                Action::Write(w, self.node(at(next)))
            }
            Stmt::Call { proc, args, .. } if self.joined[*proc as usize] => {
                let callee = self.root(*proc, true);
                let w = self.arguments(key.instance, callee, args);
                let entry = self.entry(callee, *proc, key.atomic);
                let waits = Key { kind: Phase::Waits, atomic: false, role: after, ..key };
                Action::Invoke(w, self.node(entry), self.node(waits))
            }
            Stmt::Call { proc, args, .. } => self.inlined_call(key, *proc, args),
            Stmt::Return(values) => self.give_back(key, values),
            Stmt::Spawn { proc, args } => {
                let callee = self.root(*proc, false);
                let w = self.arguments(key.instance, callee, args);
                let entry = self.entry(callee, *proc, false);
                Action::Spawn(w, self.node(entry), self.node(Key { role: after, ..at(next) }))
            }
            Stmt::SpawnAt(t) => {
                let copy = Key { role: Role::Other, atomic: false, ..at(*t) };
                Action::Copy(self.node(copy), self.node(Key { role: after, ..at(next) }))
            }
            Stmt::End => Action::End,
            Stmt::AtomicBegin => Action::Atomic(true, self.node(Key { atomic: true, ..at(next) })),
            Stmt::AtomicEnd => Action::Atomic(false, self.node(Key { atomic: false, ..at(next) })),
            // Others see that a lock is taken; the paper leaves that out, and with it all that is written under a lock
            // but is put back before the lock is free again.
            Stmt::Lock(l) | Stmt::Unlock(l) => {
                let taken = Var::Global(index(p.globals.len()).saturating_add(*l));
                let take = matches!(node.stmt, Stmt::Lock(_));
                let ready = if take { Exp::Not(Box::new(Exp::Var(taken))) } else { Exp::Var(Var::Held(*l)) };
                let values = vec![Exp::Const(take); 2];
                let w = Write { targets: vec![Var::Held(*l), taken], values, constrain: None };
                let guard = guard.into_iter().chain([ready]).collect();
                return flat(Action::Write(w, self.node(at(next))), Some(Exp::And(guard)));
            }
        };
        flat(action, guard)
    }

    /// The first node of a procedure in an instance of its own.
    fn entry(&self, instance: u32, proc: ProcId, atomic: bool) -> Key {
        let node = self.program.proc(proc).entry;
        Key { instance, node, role: Role::Other, atomic, kind: Phase::Normal }
    }

    /// A call of a procedure that gets an instance for this place.
    fn inlined_call(&mut self, key: Key, proc: ProcId, args: &[Exp]) -> Action {
        let p = self.program;
        let site = (key.instance, key.node);
        let callee = match self.inlined.get(&site) {
            Some(i) => *i,
            None => {
                let i = self.instance(proc, Some(site), None);
                self.inlined.insert(site, i);
                i
            }
        };
        let mut w = self.arguments(key.instance, callee, args);
        // Its other variables have any values, not those of the call before.
        let (first, entry) = (self.instances[callee as usize].base, p.proc(proc).entry);
        for l in self.live.at(entry).ones().filter(|l| *l >= p.proc(proc).params) {
            w.targets.push(Var::Local(first.saturating_add(l)));
            w.values.push(Exp::Any);
        }
        let entry = self.node(Key { instance: callee, node: entry, kind: Phase::Normal, ..key });
        Action::Write(w, entry)
    }

    /// A return: to the place of an instance, or to whoever waits for a call that is one for all places.
    fn give_back(&mut self, key: Key, values: &[Exp]) -> Action {
        let p = self.program;
        let node = p.node(key.node);
        let instance = self.instances[key.instance as usize].clone();
        match (instance.caller, instance.results) {
            (Some((caller, call)), _) => {
                let site = p.node(call);
                let mut w = Write::default();
                if let Stmt::Call { targets, .. } = &site.stmt {
                    for (i, t) in self.relevant(site.proc, caller, targets) {
                        w.targets.push(t);
                        w.values.push(self.exp(key.instance, &values[i]));
                    }
                }
                let to = site.next.first().copied().unwrap_or(call);
                Action::Write(w, self.node(Key { instance: caller, node: to, kind: Phase::Normal, ..key }))
            }
            (None, Some(first)) => {
                let mut w = Write::default();
                for (i, v) in values.iter().enumerate() {
                    if self.live.results[node.proc as usize][i] {
                        w.targets.push(Var::Local(first.saturating_add(index(i))));
                        w.values.push(self.exp(key.instance, v));
                    }
                }
                let entry = p.proc(node.proc).entry;
                let over = Key { node: entry, kind: Phase::Over, ..key };
                Action::Write(w, self.node(over))
            }
            (None, None) => Action::End,
        }
    }
}

fn shift(v: Var, base: u32) -> Var {
    match v {
        Var::Local(i) => Var::Local(base.saturating_add(i)),
        v => v,
    }
}
