//! Checks that sets of thread states are closed: evidence that no number of threads fails. Knows nothing of how they
//! were found.
//!
//! The sets hold the initial thread state, what each step makes of a thread state of them, and what a step of another
//! thread makes of one that has the same globals, no lock in common, and is not at a step on variables of its own (BOPPO,
//! definition 8 and remark 1). Then every state of the program has the views of its threads in the sets, up to such steps;
//! and no assertion fails in them. Each condition is one conjunction that has to be empty.

use super::expr::Expr;
use super::flat::{Action, Flat, FlatNode, Role, Write};
use super::program::{Exp, Var};
use biodivine_lib_bdd::{Bdd, BddNode, BddPointer, BddVariable, BddVariableSet, op_function};
use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};

/// Why sets are no evidence.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Rejection {
    /// The number of sets, or of variables, is not that of the program.
    #[error("the sets are not about this program")]
    Other,
    /// A set is malformed.
    #[error("the set of node {0} is malformed")]
    Malformed(u32),
    /// A set lacks a thread state: node, what leads to it, and where that is.
    #[error("not closed: {1} of node {0} ({2}) leads out of the sets")]
    Open(u32, &'static str, String),
    /// An assertion may fail.
    #[error("an assertion may fail at node {0} ({1})")]
    Fails(u32, String),
    /// It was asked to stop: nothing is known.
    #[error("stopped")]
    Cancelled,
}

/// A node of a diagram: variable, and where it goes on if that is false and true. The first two are false and true.
pub type Entry = (u16, u32, u32);

/// A set as a list of nodes, the last is the root; `None` is the empty set, no nodes at all the set of everything.
pub type Listed = Option<Vec<Entry>>;

/// The places of a program's variables: even for values before a step, odd for those after.
struct Places {
    set: BddVariableSet,
    globals: u32,
    locks: u32,
    count: u32,
}

const ATOMIC: u32 = 0;

fn now(s: u32) -> BddVariable {
    BddVariable::from_index(2 * s as usize)
}
fn next(s: u32) -> BddVariable {
    BddVariable::from_index(2 * s as usize + 1)
}

impl Places {
    fn new(f: &Flat) -> Option<Places> {
        let count = 1u32.checked_add(f.globals)?.checked_add(f.locks)?.checked_add(f.locals)?;
        let places = u16::try_from(count.checked_mul(2)?).ok().filter(|p| *p < u16::MAX)?;
        let set = BddVariableSet::new_anonymous(places);
        Some(Places { set, globals: f.globals, locks: f.locks, count })
    }
    fn slot(&self, v: Var) -> u32 {
        number(self.globals, self.locks, v)
    }
    fn is_shared(&self, s: u32) -> bool {
        s <= self.globals
    }
    fn is_lock(&self, s: u32) -> bool {
        !self.is_shared(s) && s <= self.globals + self.locks
    }
    fn is_local(&self, s: u32) -> bool {
        s > self.globals + self.locks
    }
    fn is(&self, v: BddVariable, b: bool) -> Bdd {
        self.set.mk_literal(v, b)
    }

    /// Where an expression may have the value `wanted`.
    fn may(&self, e: &Exp, wanted: bool, written: &[Var]) -> Bdd {
        let both =
            |a: &Exp, va: bool, b: &Exp, vb: bool| self.may(a, va, written).and(&self.may(b, vb, written));
        match (e, wanted) {
            (Expr::Any, _) => self.set.mk_true(),
            (Expr::Const(b), w) if *b == w => self.set.mk_true(),
            (Expr::Const(_), _) => self.set.mk_false(),
            (Expr::Var(v), w) => self.is(now(self.slot(*v)), w),
            (Expr::Next(v), w) if written.contains(v) => self.is(next(self.slot(*v)), w),
            (Expr::Next(v), w) => self.is(now(self.slot(*v)), w),
            (Expr::Not(e), w) => self.may(e, !w, written),
            // All operands have to be true, or one has to be false; for a disjunction the other way round.
            (Expr::And(es), true) | (Expr::Or(es), false) => {
                self.all(es.iter().map(|e| self.may(e, wanted, written)).collect())
            }
            (Expr::And(es), false) | (Expr::Or(es), true) => {
                self.all(es.iter().map(|e| self.may(e, wanted, written).not()).collect()).not()
            }
            (Expr::Iff(a, b), w) => both(a, true, b, w).or(&both(a, false, b, !w)),
            (Expr::Choose(a, _), false) => self.may(a, false, written),
            (Expr::Choose(a, b), true) => self.may(a, true, written).or(&both(a, false, b, false)),
        }
    }

    /// The relation of assignments, between places before and after for all that is written.
    fn relation(&self, w: &Write) -> Bdd {
        let mut all: Vec<Bdd> = w.constrain.iter().map(|c| self.may(c, true, &w.targets)).collect();
        for (t, e) in w.targets.iter().zip(&w.values) {
            if *e != Expr::Any {
                let after = next(self.slot(*t));
                let yes = self.is(after, true).and(&self.may(e, true, &[]));
                let no = self.is(after, false).and(&self.may(e, false, &[]));
                all.push(yes.or(&no));
            }
        }
        self.all(all)
    }

    /// The conjunction, of neighbours first, as that keeps what is on the way small.
    fn all(&self, mut of: Vec<Bdd>) -> Bdd {
        while of.len() > 1 {
            of = of.chunks(2).map(|c| c.iter().skip(1).fold(c[0].clone(), |a, b| a.and(b))).collect();
        }
        of.pop().unwrap_or_else(|| self.set.mk_true())
    }

    fn no_lock(&self, place: impl Fn(u32) -> BddVariable) -> Bdd {
        let locks = self.globals + 1..self.globals + self.locks + 1;
        locks.fold(self.set.mk_true(), |b, l| b.and(&self.is(place(l), false)))
    }
}

/// The complement of a set, with some of its variables at their places after a step.
fn outside(set: &Bdd, moved: impl Fn(u32) -> bool) -> Option<Bdd> {
    let out = set.not();
    let is_moved = |v: BddVariable| u32::try_from(v.to_index() / 2).is_ok_and(&moved);
    if !(2..out.size()).any(|i| is_moved(out.var_of(BddPointer::from_index(i)))) {
        return Some(out);
    }
    let mut nodes: Vec<BddNode> = out.to_nodes();
    for n in nodes.iter_mut().skip(2) {
        let slot = u32::try_from(n.var.to_index() / 2).ok()?;
        if moved(slot) {
            n.var = next(slot);
        }
    }
    Bdd::from_nodes(&nodes).ok()
}

fn disjoint(a: &Bdd, b: &Bdd) -> bool {
    // Without a limit there is an answer.
    Bdd::check_binary_op(usize::MAX, a, b, op_function::and).is_some_and(|(any, _)| !any)
}

struct Checker<'a> {
    flat: &'a Flat,
    places: Places,
    sets: &'a [Bdd],
    /// Conditions that were found to hold so far.
    decided: Cell<usize>,
}

/// Where diagrams of sets have a variable's value.
pub fn slot(f: &Flat, v: Var) -> BddVariable {
    now(number(f.globals, f.locks, v))
}

/// The flag of atomic sections is before all variables.
fn number(globals: u32, locks: u32, v: Var) -> u32 {
    match v {
        Var::Global(i) => 1 + i,
        Var::Held(i) => 1 + globals + i,
        Var::Local(i) => 1 + globals + locks + i,
    }
}

/// Reads sets from their lists, one for each node of the graph.
pub fn sets(f: &Flat, listed: &[Listed]) -> Result<Vec<Bdd>, Rejection> {
    let p = Places::new(f).ok_or(Rejection::Other)?;
    let places = p.set.num_vars();
    let mut out = Vec::new();
    for (i, l) in (0..).zip(listed) {
        let bad = || Rejection::Malformed(i);
        let Some(entries) = l else {
            out.push(p.set.mk_false());
            continue;
        };
        let mut nodes = vec![BddNode::mk_zero(places), BddNode::mk_one(places)];
        for (v, lo, hi) in entries {
            let after = |n: u32| nodes.get(n as usize).is_some_and(|m| m.var.to_index() > usize::from(*v));
            if *v >= places || v % 2 == 1 || lo == hi || !after(*lo) || !after(*hi) {
                return Err(bad());
            }
            let at = |n: u32| BddPointer::from_index(n as usize);
            nodes.push(BddNode::mk_node(BddVariable::from_index(usize::from(*v)), at(*lo), at(*hi)));
        }
        let set = Bdd::from_nodes(&nodes).map_err(|_| bad())?;
        // Operations keep diagrams reduced; one that is read need not be, and joining it with nothing makes it so.
        out.push(set.or(&p.set.mk_false()));
    }
    Ok(out)
}

/// The list from which [`sets`] reads the set.
pub fn listed(set: &Bdd) -> Listed {
    if set.is_false() {
        return None;
    }
    let index = |p: BddPointer| u32::try_from(p.to_index()).unwrap_or(u32::MAX);
    let nodes = set.clone().to_nodes();
    let entry = |n: &BddNode| {
        (u16::try_from(n.var.to_index()).unwrap_or(u16::MAX), index(n.low_link), index(n.high_link))
    };
    Some(nodes.iter().skip(2).map(entry).collect())
}

/// Checks sets, one for each node of the graph. Returns how many conditions hold.
pub fn check(f: &Flat, sets: &[Bdd], cancel: &AtomicBool) -> Result<usize, Rejection> {
    let places = Places::new(f).ok_or(Rejection::Other)?;
    if sets.len() != f.nodes.len() || sets.iter().any(|s| s.num_vars() != places.set.num_vars()) {
        return Err(Rejection::Other);
    }
    for (i, s) in (0..).zip(sets) {
        if s.support_set().iter().any(|v| v.to_index() % 2 == 1) {
            return Err(Rejection::Malformed(i));
        }
    }
    let c = Checker { flat: f, places, sets, decided: Cell::new(0) };
    c.initial()?;
    for i in 0..f.nodes.len() {
        if cancel.load(Ordering::Relaxed) {
            return Err(Rejection::Cancelled);
        }
        c.steps(u32::try_from(i).unwrap_or(u32::MAX))?;
    }
    c.interference(cancel)?;
    Ok(c.decided.get())
}

impl Checker<'_> {
    fn set(&self, n: u32) -> &Bdd {
        &self.sets[n as usize]
    }
    fn open(&self, n: u32, what: &'static str) -> Rejection {
        Rejection::Open(n, what, self.name(n))
    }
    fn name(&self, n: u32) -> String {
        let node = &self.flat.nodes[n as usize];
        format!("source node {}, {:?}", node.source, node.role)
    }
    /// Is everything of `from` in the set of `to`, with some variables at their places after a step?
    fn inside(&self, from: &Bdd, to: u32, moved: impl Fn(u32) -> bool) -> bool {
        self.decided.set(self.decided.get() + 1);
        let to = self.set(to);
        from.is_false() || to.is_true() || outside(to, moved).is_some_and(|o| disjoint(from, &o))
    }

    /// Where a node's step may be taken.
    fn ready(&self, n: u32) -> Bdd {
        let node = &self.flat.nodes[n as usize];
        let mut out = self.set(n).clone();
        if out.is_false() {
            return out;
        }
        if let Some(g) = &node.guard {
            out = out.and(&self.places.may(g, true, &[]));
        }
        if self.flat.has_atomic && !node.atomic {
            out = out.and(&self.places.is(now(ATOMIC), false));
        }
        out
    }

    fn initial(&self) -> Result<(), Rejection> {
        let first = self.flat.nodes.first().is_some_and(|n| n.role == Role::Alone && !n.atomic);
        let start = self.places.no_lock(now).and(&self.places.is(now(ATOMIC), false));
        let fixed = (self.flat.free..self.flat.globals).map(|g| now(self.places.slot(Var::Global(g))));
        let start = fixed.fold(start, |b, v| b.and(&self.places.is(v, false)));
        if first && self.inside(&start, 0, |_| false) {
            Ok(())
        } else {
            Err(self.open(0, "the initial state"))
        }
    }

    /// Case 1: the thread's own steps, and threads that it starts.
    fn steps(&self, n: u32) -> Result<(), Rejection> {
        let p = &self.places;
        let node = &self.flat.nodes[n as usize];
        let ready = self.ready(n);
        if ready.is_false() {
            return Ok(());
        }
        let plain = |from: &Bdd, to: u32| {
            if self.inside(from, to, |_| false) { Ok(()) } else { Err(self.open(n, "a step")) }
        };
        let started = |ok: bool| if ok { Ok(()) } else { Err(self.open(n, "a thread started by the step")) };
        match &node.action {
            Action::Goto(ts) => ts.iter().try_for_each(|t| plain(&ready, *t)),
            Action::Branch(e, a, b) => {
                plain(&ready.and(&p.may(e, true, &[])), *a)?;
                plain(&ready.and(&p.may(e, false, &[])), *b)
            }
            Action::Assume(e, t) => plain(&ready.and(&p.may(e, true, &[])), *t),
            Action::Assert(e, t) => {
                self.decided.set(self.decided.get() + 1);
                if !disjoint(&ready, &p.may(e, false, &[])) {
                    return Err(Rejection::Fails(n, self.name(n)));
                }
                plain(&ready.and(&p.may(e, true, &[])), *t)
            }
            Action::Write(w, t) => {
                let written: BTreeSet<u32> = w.targets.iter().map(|v| p.slot(*v)).collect();
                let after = ready.and(&p.relation(w));
                let ok = self.inside(&after, *t, |s| written.contains(&s));
                if ok { Ok(()) } else { Err(self.open(n, "a step")) }
            }
            Action::Atomic(b, t) => {
                let after = ready.and(&p.is(next(ATOMIC), *b));
                let ok = self.inside(&after, *t, |s| s == ATOMIC);
                if ok { Ok(()) } else { Err(self.open(n, "a step")) }
            }
            Action::Spawn(w, entry, t) => {
                let new = ready.and(&p.relation(w)).and(&p.no_lock(next));
                started(self.inside(&new, *entry, |s| !p.is_shared(s)))?;
                plain(&ready, *t)
            }
            Action::Copy(entry, t) => {
                let new = ready.and(&p.no_lock(next));
                started(self.inside(&new, *entry, |s| p.is_lock(s)))?;
                plain(&ready, *t)
            }
            Action::Invoke(w, entry, t) => {
                // The call has the locks, its caller none.
                let call = ready.and(&p.relation(w));
                started(self.inside(&call, *entry, |s| p.is_local(s)))?;
                let waits = ready.and(&p.no_lock(next));
                if self.inside(&waits, *t, |s| p.is_lock(s)) { Ok(()) } else { Err(self.open(n, "a step")) }
            }
            Action::Wait(exits, results) => {
                // The caller has no locks, and nothing of the call but its results goes on.
                let results: Vec<u32> = results.iter().map(|v| p.slot(*v)).collect();
                let without = |set: &Bdd, gone: &dyn Fn(u32) -> bool| {
                    let gone: Vec<BddVariable> = (0..p.count).filter(|s| gone(*s)).map(now).collect();
                    set.exists(&gone)
                };
                let caller = without(self.set(n), &|s| p.is_lock(s) || results.contains(&s));
                for (exit, to) in exits {
                    let call = without(self.set(*exit), &|s| p.is_local(s) && !results.contains(&s));
                    if !self.inside(&caller.and(&call), *to, |_| false) {
                        return Err(self.open(n, "a call that is over"));
                    }
                }
                Ok(())
            }
            Action::End | Action::Exit => Ok(()),
        }
    }

    /// Is a node's next step one on variables of the thread only? It then commutes with those of others. A thread that
    /// has just started may have to wait for the end of an atomic section.
    fn is_own(node: &FlatNode, started: bool) -> bool {
        let own = |e: &Exp| {
            let mut own = true;
            e.each(&mut |v, _| own &= !matches!(v, Var::Global(_)));
            own
        };
        let action = match &node.action {
            Action::Goto(_) | Action::End | Action::Exit => true,
            Action::Branch(e, ..) | Action::Assume(e, _) | Action::Assert(e, _) => own(e),
            Action::Write(w, _) => {
                w.targets.iter().all(|t| matches!(t, Var::Local(_)))
                    && w.values.iter().chain(&w.constrain).all(own)
            }
            _ => false,
        };
        action && !started && node.guard.as_ref().is_none_or(own)
    }

    /// Case 2: what others do.
    fn interference(&self, cancel: &AtomicBool) -> Result<(), Rejection> {
        let p = &self.places;
        // What is done to shared variables, by which are written and by whether `main` does it.
        let mut others: BTreeMap<(Vec<u32>, bool), Bdd> = BTreeMap::new();
        for (i, n) in (0..).zip(&self.flat.nodes) {
            let w = match &n.action {
                Action::Write(w, _) => w.clone(),
                Action::Atomic(..) | Action::End => Write::default(),
                _ => continue,
            };
            let mut written: Vec<u32> =
                w.targets.iter().map(|t| p.slot(*t)).filter(|s| p.is_shared(*s)).collect();
            let mut does = p.relation(&w);
            match &n.action {
                Action::Atomic(b, _) => {
                    written.push(ATOMIC);
                    does = does.and(&p.is(next(ATOMIC), *b));
                }
                Action::End if n.atomic => {
                    written.push(ATOMIC);
                    does = does.and(&p.is(next(ATOMIC), false));
                }
                _ => {}
            }
            if written.is_empty() || n.role == Role::Alone || self.set(i).is_false() {
                continue;
            }
            written.sort_unstable();
            let seen = self.visible(&self.ready(i).and(&does));
            let entry = others.entry((written, n.role == Role::Main)).or_insert_with(|| p.set.mk_false());
            *entry = entry.or(&seen);
        }
        let start = |n: &FlatNode| match n.action {
            Action::Spawn(_, t, _) | Action::Copy(t, _) => Some(t),
            _ => None,
        };
        let others: Vec<((Vec<u32>, bool), Bdd)> = others.into_iter().collect();
        let mut writers: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
        for (k, ((written, _), _)) in others.iter().enumerate() {
            written.iter().for_each(|s| writers.entry(*s).or_default().push(k));
        }
        let started: BTreeSet<u32> = self.flat.nodes.iter().filter_map(start).collect();
        for (i, n) in (0..).zip(&self.flat.nodes) {
            let set = self.set(i);
            let stays = n.role == Role::Alone || n.atomic || set.is_true() || set.is_false();
            if stays || Checker::is_own(n, started.contains(&i)) {
                continue;
            }
            // What the set does not depend on cannot lead out of it.
            let slots = set.support_set().into_iter().filter_map(|v| u32::try_from(v.to_index() / 2).ok());
            let met: BTreeSet<usize> = slots.filter_map(|s| writers.get(&s)).flatten().copied().collect();
            for ((written, main), does) in met.into_iter().filter_map(|k| others.get(k)) {
                if cancel.load(Ordering::Relaxed) {
                    return Err(Rejection::Cancelled);
                }
                // There is one `main`.
                if *main && n.role == Role::Main {
                    continue;
                }
                let after = set.and(does);
                if !self.inside(&after, i, |s| written.contains(&s)) {
                    return Err(self.open(i, "what other threads do to a state"));
                }
            }
        }
        Ok(())
    }

    /// What a thread with no lock in common sees of steps: shared variables before and after, and its own locks.
    fn visible(&self, steps: &Bdd) -> Bdd {
        let p = &self.places;
        let mut support: Vec<BddVariable> = steps.support_set().into_iter().collect();
        support.sort_unstable();
        let slot = |v: &BddVariable| u32::try_from(v.to_index() / 2).unwrap_or(u32::MAX);
        // Locks that it takes or gives back, too: what is left is whether it holds them before.
        let gone = |v: &BddVariable| p.is_local(slot(v)) || (v.to_index() % 2 == 1 && p.is_lock(slot(v)));
        let locals: Vec<BddVariable> = support.iter().copied().filter(gone).collect();
        let mut out = if locals.is_empty() { steps.clone() } else { steps.exists(&locals) };
        // Where the thread holds a lock the other does not; the place of the thread's lock then stands for the other's.
        for l in support.iter().filter(|v| v.to_index() % 2 == 0).map(slot).filter(|s| p.is_lock(*s)) {
            let held = out.var_restrict(now(l), true).and(&p.is(now(l), false));
            out = out.var_restrict(now(l), false).or(&held);
        }
        out
    }
}
