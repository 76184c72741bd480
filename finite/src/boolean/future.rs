//! What a thread touches with its next statement, and what it may touch ever after.
//!
//! Of the shared valuation: globals, locks, and one bit for the number of threads.

use super::bits::Bits;
use super::machine::Thread;
use super::program::{Exp, NodeId, Program, Stmt, Var};

/// What is read and what is written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Access {
    /// What is read, by number in the shared valuation.
    pub reads: Bits,
    /// What is written, by number in the shared valuation.
    pub writes: Bits,
}

impl Access {
    fn join(&mut self, o: &Access) -> bool {
        let reads = self.reads.join(&o.reads);
        self.writes.join(&o.writes) || reads
    }
    /// Does one write what the other touches?
    pub fn conflicts(&self, o: &Access) -> bool {
        self.writes.meets(&o.writes) || self.writes.meets(&o.reads) || self.reads.meets(&o.writes)
    }
}

/// Accesses by node of the program.
#[derive(Clone, Debug)]
pub struct Future {
    /// Of the node's statement.
    pub now: Vec<Access>,
    /// Of it and all that may follow in the same call, what it calls and the threads it starts.
    pub ever: Vec<Access>,
    /// By node: every cycle, calls included, has one that is marked.
    pub cut_points: Vec<bool>,
}

impl Future {
    /// Works the accesses out, `ever` as a least fixpoint.
    pub fn new(p: &Program) -> Future {
        let now: Vec<Access> = (0..).zip(&p.nodes).map(|(i, _)| access(p, i)).collect();
        let mut ever = now.clone();
        loop {
            let mut grown = false;
            for (id, n) in p.nodes.iter().enumerate() {
                let mut a = ever[id].clone();
                let other = match n.stmt {
                    Stmt::Call { proc, .. } | Stmt::Spawn { proc, .. } => Some(p.proc(proc).entry),
                    Stmt::SpawnAt(t) => Some(t),
                    _ => None,
                };
                for s in n.next.iter().chain(&other) {
                    grown |= a.join(&ever[*s as usize]);
                }
                ever[id] = a;
            }
            if !grown {
                break;
            }
        }
        Future { now, ever, cut_points: cut_points(p) }
    }

    /// All that a thread may touch from now on.
    pub fn of_thread(&self, p: &Program, t: &Thread) -> Option<Access> {
        let last = t.frames.len().checked_sub(1)?;
        let mut out = self.ever.get(t.frames[last].node as usize)?.clone();
        for f in &t.frames[..last] {
            // The results that are waited for.
            out.join(self.now.get(f.node as usize)?);
            for s in &p.node(f.node).next {
                out.join(self.ever.get(*s as usize)?);
            }
        }
        Some(out)
    }
}

fn access(p: &Program, id: NodeId) -> Access {
    let n = p.node(id);
    let globals = u32::try_from(p.globals.len()).unwrap_or(u32::MAX);
    let locks = u32::try_from(p.locks.len()).unwrap_or(u32::MAX);
    let threads = globals.saturating_add(locks);
    let empty = Bits::new(p.globals.len() + p.locks.len() + 1);
    let mut a = Access { reads: empty.clone(), writes: empty };
    let mut reads: Vec<&Exp> = n.guard.iter().collect();
    let mut writes: &[Var] = &[];
    match &n.stmt {
        Stmt::Branch(e) | Stmt::Assume(e) | Stmt::Assert(e) => reads.push(e),
        Stmt::Assign { targets, values, constrain } => {
            reads.extend(values.iter().chain(constrain));
            writes = targets;
        }
        Stmt::Call { args, targets, .. } => {
            reads.extend(args);
            // Written when the call returns.
            writes = targets;
        }
        Stmt::Return(values) => {
            reads.extend(values);
            a.writes.set(threads, true);
        }
        Stmt::Spawn { args, .. } => {
            reads.extend(args);
            a.writes.set(threads, true);
        }
        Stmt::SpawnAt(_) | Stmt::End => a.writes.set(threads, true),
        Stmt::Lock(l) | Stmt::Unlock(l) => a.writes.set(globals.saturating_add(*l), true),
        Stmt::Skip | Stmt::AtomicBegin | Stmt::AtomicEnd => {}
    }
    for e in reads {
        e.each(&mut |v, _| {
            if let Var::Global(i) = v {
                a.reads.set(*i, true);
            }
        });
    }
    for v in writes {
        if let Var::Global(i) = v {
            a.writes.set(*i, true);
        }
    }
    a
}

/// Nodes that close a cycle when a depth-first search of all edges, calls included, comes back to them.
fn cut_points(p: &Program) -> Vec<bool> {
    let edges = |n: NodeId| {
        let node = p.node(n);
        let callee = if let Stmt::Call { proc, .. } = node.stmt { Some(p.proc(proc).entry) } else { None };
        node.next.iter().copied().chain(callee).collect::<Vec<_>>()
    };
    let mut cut_points = vec![false; p.nodes.len()];
    // 0: not seen, 1: on the path, 2: done.
    let mut mark = vec![0u8; p.nodes.len()];
    for root in 0..p.nodes.len() {
        if mark[root] != 0 {
            continue;
        }
        let start = u32::try_from(root).unwrap_or(u32::MAX);
        mark[root] = 1;
        let mut path = vec![(start, edges(start))];
        while let Some((n, rest)) = path.last_mut() {
            let Some(next) = rest.pop() else {
                mark[*n as usize] = 2;
                path.pop();
                continue;
            };
            match mark[next as usize] {
                0 => {
                    mark[next as usize] = 1;
                    path.push((next, edges(next)));
                }
                1 => cut_points[next as usize] = true,
                _ => {}
            }
        }
    }
    cut_points
}
