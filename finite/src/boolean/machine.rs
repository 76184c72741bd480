//! What threads of a Boolean program do, step by step: the small interpreter that searches and replays build on.
//!
//! What all threads see is one valuation: the globals, which locks are taken, and whether a thread is inside of an
//! atomic section. A step depends on that and on one thread only.

use super::bits::Bits;
use super::expr::Values;
use super::live::Live;
use super::program::{Exp, NodeId, ProcId, Program, Stmt, Var};
use rustc_hash::FxHashSet;
use smallvec::SmallVec;

/// Outcomes of a step that differ in values; beyond, the program is too large for an explicit search.
const CHOICES: usize = 1 << 18;
/// Calls in a thread.
const FRAMES: usize = 10_000;

/// A call in a thread.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Frame {
    /// What it does next; the call it waits for unless it is the last.
    pub node: NodeId,
    /// Values of the procedure's local variables, parameters first.
    pub locals: Bits,
}

/// A thread: what only it has. A thread that has ended is none.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Thread {
    /// Its calls, the one that runs last; not empty.
    pub frames: Vec<Frame>,
    /// The locks it holds.
    pub held: Bits,
    /// Is it inside of an atomic section?
    pub atomic: bool,
}

impl Thread {
    fn top(&self) -> Option<&Frame> {
        self.frames.last()
    }
}

/// What a step leads to.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Successor {
    /// The shared valuation after the step.
    pub shared: Bits,
    /// The thread; `None` if it has ended.
    pub thread: Option<Thread>,
    /// The thread that the step started, if it did.
    pub spawned: Option<Thread>,
    /// Did an assertion fail? Then nothing else changes.
    pub failed: bool,
}

/// Why steps cannot be listed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum TooMany {
    /// Values of variables that a step leaves open.
    #[error("a step has too many outcomes to list them")]
    Choices,
    /// Calls that have not returned.
    #[error("a thread has more than {FRAMES} calls")]
    Frames,
}

/// Which values to try for a variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Pick {
    /// All that are permitted.
    All,
    /// This one, if it is permitted.
    Only(bool),
    /// One that is permitted: nobody reads it.
    One,
}

/// What a variable's value is wanted for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Role {
    /// Written by the thread, at its next node.
    Written(NodeId),
    /// A local of the procedure that is entered.
    Entered(NodeId),
    /// A local of the new thread.
    Spawned(NodeId),
}

/// Runs threads of a program. Variables that do not matter ([`Live`]) are kept false.
#[derive(Clone, Copy, Debug)]
pub struct Machine<'p> {
    program: &'p Program,
    live: &'p Live,
}

/// How values are chosen.
#[derive(Clone, Copy)]
enum Mode<'a> {
    /// All; what does not matter is false.
    Normal,
    /// As they really are, such that the normal form is this.
    Like(&'a Successor),
    /// Exactly those of this outcome, not in normal form.
    Exactly(&'a Successor),
}

struct Ready<'a> {
    shared: &'a Bits,
    thread: &'a Thread,
    frame: &'a Frame,
}

/// An assignment whose right sides were evaluated.
struct Written<'a> {
    targets: &'a [Var],
    /// One for each target.
    values: &'a [Values],
    /// What must hold of old and new values.
    constrain: Option<&'a Exp>,
}

impl Ready<'_> {
    /// The thread, further on in its last call.
    fn at(&self, to: NodeId) -> Thread {
        let mut t = self.thread.clone();
        if let Some(f) = t.frames.last_mut() {
            f.node = to;
        }
        t
    }
    /// Nothing that all see has changed.
    fn plain(&self, thread: Option<Thread>) -> Successor {
        Successor { shared: self.shared.clone(), thread, spawned: None, failed: false }
    }
}

impl<'p> Machine<'p> {
    /// A machine for a program.
    pub fn new(program: &'p Program, live: &'p Live) -> Machine<'p> {
        Machine { program, live }
    }
    /// The program that it runs.
    pub fn program(&self) -> &'p Program {
        self.program
    }
    fn lock_bit(&self, l: u32) -> u32 {
        index(self.program.globals.len()).saturating_add(l)
    }
    fn atomic_bit(&self) -> u32 {
        self.lock_bit(index(self.program.locks.len()))
    }
    /// May a thread run at all?
    pub fn may_run(&self, shared: &Bits, thread: &Thread) -> bool {
        thread.atomic || !shared.get(self.atomic_bit())
    }

    /// The initial states in normal form: the shared valuation, and the thread of `main`.
    pub fn initial(&self) -> Result<Vec<(Bits, Thread)>, TooMany> {
        let p = self.program;
        let main = p.proc(p.main);
        let size = p.globals.len() + p.locks.len() + 1;
        let globals: Vec<u32> = self.live.initial.ones().collect();
        let locals: Vec<u32> = self.live.at(main.entry).ones().collect();
        let lists = vec![SmallVec::from_slice(&[false, true]); globals.len() + locals.len()];
        let mut out = Vec::new();
        each(&lists, &mut |values| {
            let mut shared = Bits::new(size);
            for (g, v) in globals.iter().zip(values) {
                shared.set(*g, *v);
            }
            let mut frame = Bits::new(main.locals.len());
            for (l, v) in locals.iter().zip(&values[globals.len()..]) {
                frame.set(*l, *v);
            }
            out.push((shared, self.start(main.entry, frame)));
            true
        })?;
        Ok(out)
    }

    fn start(&self, node: NodeId, locals: Bits) -> Thread {
        let held = Bits::new(self.program.locks.len());
        Thread { frames: vec![Frame { node, locals }], held, atomic: false }
    }

    /// The steps of a thread in normal form: what does not matter is false. No step twice.
    pub fn steps(&self, shared: &Bits, thread: &Thread) -> Result<Vec<Successor>, TooMany> {
        let mut out = Vec::new();
        let mut seen = FxHashSet::default();
        self.run(shared, thread, Mode::Normal, &mut |mut o| {
            self.normalise(&mut o);
            if seen.insert(o.clone()) {
                out.push(o);
            }
            true
        })?;
        Ok(out)
    }

    /// A step whose normal form is `like`, with the values that it really has.
    pub fn step_like(
        &self,
        shared: &Bits,
        thread: &Thread,
        like: &Successor,
    ) -> Result<Option<Successor>, TooMany> {
        let mut found = None;
        self.run(shared, thread, Mode::Like(like), &mut |o| {
            let mut normal = o.clone();
            self.normalise(&mut normal);
            if normal == *like {
                found = Some(o);
            }
            found.is_none()
        })?;
        Ok(found)
    }

    /// Is this outcome one that the thread may have, value by value?
    pub fn permits(&self, shared: &Bits, thread: &Thread, outcome: &Successor) -> Result<bool, TooMany> {
        let mut found = false;
        self.run(shared, thread, Mode::Exactly(outcome), &mut |o| {
            found |= o == *outcome;
            !found
        })?;
        Ok(found)
    }

    /// Is this a state that `main` may start in, value by value?
    pub fn may_start(&self, shared: &Bits, thread: &Thread) -> bool {
        let p = self.program;
        let main = p.proc(p.main);
        let globals = index(p.globals.len());
        let free = Bits::new(p.globals.len() + p.locks.len() + 1).same_size(shared)
            && shared.ones().all(|i| i < globals);
        let [frame] = thread.frames.as_slice() else { return false };
        free && *thread == self.start(main.entry, frame.locals.clone())
            && frame.locals.same_size(&Bits::new(main.locals.len()))
            && frame.locals.ones().all(|i| i < index(main.locals.len()))
    }

    /// Is ending all that a thread can do? It may as well have ended: that is a step on its own, and one that makes room
    /// for others.
    fn is_over(&self, t: &Thread) -> bool {
        let [frame] = t.frames.as_slice() else { return false };
        let node = self.program.node(frame.node);
        !t.atomic && node.guard.is_none() && matches!(node.stmt, Stmt::Return(_) | Stmt::End)
    }

    /// Makes false what does not matter, and ends threads that can do nothing else.
    pub fn normalise(&self, o: &mut Successor) {
        self.normalise_shared(&mut o.shared);
        if !o.failed {
            o.thread = o.thread.take().filter(|t| !self.is_over(t));
            o.spawned = o.spawned.take().filter(|t| !self.is_over(t));
        }
        for t in o.thread.iter_mut().chain(o.spawned.iter_mut()) {
            self.normalise_thread(t);
        }
    }
    /// The same for the shared valuation.
    pub fn normalise_shared(&self, shared: &mut Bits) {
        for i in 0..index(self.program.globals.len()) {
            if !self.live.globals.get(i) {
                shared.set(i, false);
            }
        }
    }
    /// The same for a thread.
    pub fn normalise_thread(&self, t: &mut Thread) {
        let last = t.frames.len().saturating_sub(1);
        for (i, f) in t.frames.iter_mut().enumerate() {
            let set = if i == last { self.live.at(f.node) } else { &self.live.waiting[f.node as usize] };
            for l in 0..index(self.program.proc(self.program.node(f.node).proc).locals.len()) {
                if !set.get(l) {
                    f.locals.set(l, false);
                }
            }
        }
    }

    fn pick(&self, mode: Mode, role: Role, v: Var, constrained: bool) -> Pick {
        let (Role::Written(node) | Role::Entered(node) | Role::Spawned(node)) = role;
        let matters = match v {
            Var::Global(i) => self.live.globals.get(i),
            Var::Local(i) => self.live.at(node).get(i),
            Var::Held(_) => true,
        };
        let want = match mode {
            Mode::Normal if matters || constrained => return Pick::All,
            Mode::Normal => return Pick::One,
            Mode::Like(o) | Mode::Exactly(o) => o,
        };
        if !matters && matches!(mode, Mode::Like(_)) {
            return if constrained { Pick::All } else { Pick::One };
        }
        let thread = if matches!(role, Role::Spawned(_)) { &want.spawned } else { &want.thread };
        match (v, thread.as_ref().and_then(Thread::top)) {
            (Var::Global(i), _) => Pick::Only(want.shared.get(i)),
            (Var::Local(i), Some(f)) => Pick::Only(f.locals.get(i)),
            _ => Pick::All,
        }
    }

    /// Calls `visit` for each outcome until it returns false.
    fn run(
        &self,
        shared: &Bits,
        thread: &Thread,
        mode: Mode,
        visit: &mut impl FnMut(Successor) -> bool,
    ) -> Result<(), TooMany> {
        let Some(frame) = thread.top() else { return Ok(()) };
        if !self.may_run(shared, thread) {
            return Ok(());
        }
        let node = self.program.node(frame.node);
        let ready = Ready { shared, thread, frame };
        let eval = |e: &Exp| e.values(&|v, _| ready.get(*v));
        if node.guard.as_ref().is_some_and(|g| !eval(g).yes) {
            return Ok(());
        }
        let next = |i: usize| node.next.get(i).copied();
        let (at, plain) = (|to| ready.at(to), |t| ready.plain(t));
        let all = |list: &[Exp]| list.iter().map(eval).collect::<Vec<Values>>();
        match &node.stmt {
            Stmt::Skip => {
                for to in &node.next {
                    if !visit(plain(Some(at(*to)))) {
                        return Ok(());
                    }
                }
            }
            Stmt::Branch(e) => {
                let v = eval(e);
                for (may, to) in [(v.yes, next(0)), (v.no, next(1))] {
                    if let (true, Some(to)) = (may, to) {
                        if !visit(plain(Some(at(to)))) {
                            return Ok(());
                        }
                    }
                }
            }
            Stmt::Assume(e) => {
                if let (true, Some(to)) = (eval(e).yes, next(0)) {
                    visit(plain(Some(at(to))));
                }
            }
            Stmt::Assert(e) => {
                let v = eval(e);
                if v.no && !visit(Successor { failed: true, ..plain(Some(thread.clone())) }) {
                    return Ok(());
                }
                if let (true, Some(to)) = (v.yes, next(0)) {
                    visit(plain(Some(at(to))));
                }
            }
            Stmt::Assign { targets, values, constrain } => {
                let Some(to) = next(0) else { return Ok(()) };
                let written = Written { targets, values: &all(values), constrain: constrain.as_ref() };
                return self.write(&ready, mode, at(to), &written, visit);
            }
            Stmt::Call { proc, args, .. } => return self.call(&ready, mode, *proc, &all(args), visit),
            Stmt::Return(values) => return self.give_back(&ready, mode, &all(values), visit),
            Stmt::Spawn { proc, args } => {
                let Some(to) = next(0) else { return Ok(()) };
                let entry = self.program.proc(*proc).entry;
                return self.enter(mode, Role::Spawned(entry), *proc, &all(args), &mut |locals| {
                    visit(Successor { spawned: Some(self.start(entry, locals)), ..plain(Some(at(to))) })
                });
            }
            Stmt::SpawnAt(target) => {
                if let Some(to) = next(0) {
                    let copy = self.start(*target, frame.locals.clone());
                    visit(Successor { spawned: Some(copy), ..plain(Some(at(to))) });
                }
            }
            Stmt::End => {
                visit(self.end(shared, thread));
            }
            Stmt::AtomicBegin | Stmt::AtomicEnd => {
                let Some(to) = next(0) else { return Ok(()) };
                let inside = matches!(node.stmt, Stmt::AtomicBegin);
                let mut o = plain(Some(Thread { atomic: inside, ..at(to) }));
                o.shared.set(self.atomic_bit(), inside);
                visit(o);
            }
            Stmt::Lock(l) | Stmt::Unlock(l) => {
                let Some(to) = next(0) else { return Ok(()) };
                let take = matches!(node.stmt, Stmt::Lock(_));
                let may = if take { !shared.get(self.lock_bit(*l)) } else { thread.held.get(*l) };
                if may {
                    let mut t = at(to);
                    t.held.set(*l, take);
                    let mut o = plain(Some(t));
                    o.shared.set(self.lock_bit(*l), take);
                    visit(o);
                }
            }
        }
        Ok(())
    }

    /// Enters a procedure by a new frame, with each choice of values that its locals may have.
    fn call(
        &self,
        ready: &Ready,
        mode: Mode,
        proc: ProcId,
        args: &[Values],
        visit: &mut impl FnMut(Successor) -> bool,
    ) -> Result<(), TooMany> {
        if ready.thread.frames.len() >= FRAMES {
            return Err(TooMany::Frames);
        }
        let entry = self.program.proc(proc).entry;
        self.enter(mode, Role::Entered(entry), proc, args, &mut |locals| {
            let mut t = ready.thread.clone();
            t.frames.push(Frame { node: entry, locals });
            visit(ready.plain(Some(t)))
        })
    }

    /// Leaves a procedure, with its results; the thread ends with the outermost one.
    fn give_back(
        &self,
        ready: &Ready,
        mode: Mode,
        values: &[Values],
        visit: &mut impl FnMut(Successor) -> bool,
    ) -> Result<(), TooMany> {
        let frames = &ready.thread.frames;
        let Some(caller) = frames.len().checked_sub(2).and_then(|i| frames.get(i)) else {
            visit(self.end(ready.shared, ready.thread));
            return Ok(());
        };
        let call = self.program.node(caller.node);
        let (Stmt::Call { targets, .. }, Some(to)) = (&call.stmt, call.next.first()) else {
            return Ok(());
        };
        let mut t = ready.thread.clone();
        t.frames.pop();
        if let Some(f) = t.frames.last_mut() {
            f.node = *to;
        }
        self.write(ready, mode, t, &Written { targets, values, constrain: None }, visit)
    }

    /// The thread ends. What it locked stays locked; an atomic section ends with it.
    fn end(&self, shared: &Bits, thread: &Thread) -> Successor {
        let mut shared = shared.clone();
        if thread.atomic {
            shared.set(self.atomic_bit(), false);
        }
        Successor { shared, thread: None, spawned: None, failed: false }
    }

    /// Writes values, seen from `ready`, into the shared valuation and into the last call of `thread`.
    fn write(
        &self,
        ready: &Ready,
        mode: Mode,
        thread: Thread,
        written: &Written,
        visit: &mut impl FnMut(Successor) -> bool,
    ) -> Result<(), TooMany> {
        let Written { targets, values, constrain } = *written;
        let Some(node) = thread.top().map(|f| f.node) else { return Ok(()) };
        let mut named = Vec::new();
        if let Some(c) = constrain {
            c.each(&mut |v, next| {
                if next {
                    named.push(*v);
                }
            });
        }
        let lists: Vec<List> = targets
            .iter()
            .zip(values)
            .map(|(t, v)| list(*v, self.pick(mode, Role::Written(node), *t, named.contains(t))))
            .collect();
        each(&lists, &mut |chosen| {
            let mut o = Successor {
                shared: ready.shared.clone(),
                thread: Some(thread.clone()),
                spawned: None,
                failed: false,
            };
            for (t, b) in targets.iter().zip(chosen) {
                match (t, o.thread.as_mut().and_then(|t| t.frames.last_mut())) {
                    (Var::Global(i), _) => o.shared.set(*i, *b),
                    (Var::Local(i), Some(f)) => f.locals.set(*i, *b),
                    _ => {}
                }
            }
            let holds = constrain.is_none_or(|c| {
                c.values(&|v, next| match (targets.iter().position(|t| next && t == v), v) {
                    (Some(i), _) => chosen.get(i).copied().unwrap_or(false),
                    (None, v) => ready.get(*v),
                })
                .yes
            });
            !holds || visit(o)
        })
    }

    /// Locals of a procedure that is entered.
    fn enter(
        &self,
        mode: Mode,
        role: Role,
        proc: ProcId,
        args: &[Values],
        visit: &mut impl FnMut(Bits) -> bool,
    ) -> Result<(), TooMany> {
        let count = self.program.proc(proc).locals.len();
        let lists: Vec<List> = (0..count)
            .map(|i| {
                let v = args.get(i).copied().unwrap_or(Values::ANY);
                list(v, self.pick(mode, role, Var::Local(index(i)), false))
            })
            .collect();
        each(&lists, &mut |chosen| {
            let mut locals = Bits::new(count);
            for (i, b) in (0..).zip(chosen) {
                locals.set(i, *b);
            }
            visit(locals)
        })
    }
}

impl Ready<'_> {
    fn get(&self, v: Var) -> bool {
        match v {
            Var::Global(i) => self.shared.get(i),
            Var::Local(i) => self.frame.locals.get(i),
            Var::Held(i) => self.thread.held.get(i),
        }
    }
}

type List = SmallVec<[bool; 2]>;

fn list(v: Values, pick: Pick) -> List {
    let all = [false, true].into_iter().filter(|b| v.has(*b));
    match pick {
        Pick::All => all.collect(),
        Pick::Only(b) => all.filter(|x| *x == b).collect(),
        Pick::One => all.take(1).collect(),
    }
}

/// Calls `visit` with each combination until it returns false.
fn each(lists: &[List], visit: &mut impl FnMut(&[bool]) -> bool) -> Result<(), TooMany> {
    if lists.iter().any(|l| l.is_empty()) {
        return Ok(());
    }
    let mut chosen: Vec<bool> = lists.iter().map(|l| l[0]).collect();
    let open: Vec<usize> = (0..lists.len()).filter(|i| lists[*i].len() > 1).collect();
    for _ in 0..CHOICES {
        if !visit(&chosen) {
            return Ok(());
        }
        // The next one: like adding one to a number whose digits are the open positions.
        let mut carry = true;
        for i in open.iter().rev() {
            chosen[*i] = !chosen[*i];
            carry = chosen[*i] == lists[*i][0];
            if !carry {
                break;
            }
        }
        if carry {
            return Ok(());
        }
    }
    Err(TooMany::Choices)
}

fn index(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}
