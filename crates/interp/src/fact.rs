//! What the steps of a run did, in full and in terms of the source: what reports for people are made of.

use crate::act::{At, outcome};
use crate::eval::{Env, eval};
use crate::live::written;
use crate::machine::{Machine, State};
use crate::names::{Names, plain};
use crate::uses::Follower;
use relyant_cfa::diagnostic::Span;
use relyant_cfa::{
    BinOp, Block, Edge, Expr, FloatOp, InputSource, IntKind, ObjId, ObjectKind, Op, Order, Owner, Program,
    Reg, Shown, Told,
};
use std::collections::{BTreeMap, BTreeSet};

/// A step of a thread. Threads are numbered from 0 as they come to be.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fact {
    /// The thread that did it.
    pub thread: u32,
    /// Where; line 0 when unknown.
    pub span: Span,
    /// Calls that had not returned.
    pub depth: usize,
    /// It goes on what the thread did before: nobody moves between the two.
    pub held: bool,
    /// What it did.
    pub did: Did,
}

/// What a step did.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Did {
    /// It read a cell.
    Read(Touch),
    /// It wrote a cell.
    Write(Touch),
    /// It put a store to a cell into its buffer; the value after is the one that waits.
    Buffer(Touch),
    /// It gave a named register a value: a local variable.
    Set(String, String),
    /// It took an input: what gave it, and which.
    Input(InputSource, String),
    /// It looks at what a signal is set to, to run it: which signal.
    Signal(u8),
    /// It created a thread.
    Create(u32),
    /// It joined a thread that had ended.
    Join(u32),
    /// It is about to access the cell of that name; a write?
    AboutTo(Option<(String, bool)>),
    /// It goes on though nobody did anything since it began to wait for a condition variable.
    Wakes,
    /// The time of a wait is over.
    TimesOut,
    /// The thread ended.
    End,
    /// The program ended.
    Halt,
}

/// A cell that is read or written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Touch {
    /// Which cell.
    pub at: At,
    /// Its name, as the source would write it.
    pub name: String,
    /// What its value says.
    pub shown: Shown,
    /// It is of the model, not of the program's memory.
    pub model: bool,
    /// All threads may access it.
    pub shared: bool,
    /// Its object gets its first values here.
    pub first: bool,
    /// What is written has waited in the thread's buffer.
    pub waited: bool,
    /// Its value before the step.
    pub before: i128,
    /// Its value after the step.
    pub after: i128,
    /// The value before, as the source would write it.
    pub was: String,
    /// The value after.
    pub is: String,
    /// A block is made, given back, or asked for: its name.
    pub block: Option<String>,
}

/// What a thread waits for in a deadlock.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Blocked {
    /// That a thread ends, by its number.
    End(u32),
    /// That a cell gets another value.
    Cell {
        /// Its name.
        name: String,
        /// What its value says.
        shown: Shown,
        /// The thread that holds it, of a lock.
        holder: Option<u32>,
        /// Its value, as the source would write it.
        value: String,
    },
}

/// Collects facts of a replay.
#[derive(Clone, Default)]
pub(crate) struct Recorder {
    /// In order.
    pub(crate) facts: Vec<Fact>,
    /// What the variables are called that hold threads' handles, by thread.
    pub(crate) handles: Vec<Option<String>>,
    /// By thread: a register that holds the handle of a thread whose variable is not known yet.
    pending: Vec<(usize, Reg, usize)>,
    /// What things are called.
    pub(crate) names: Names,
    /// What the values of registers say, by thread, as far as the cells that they were loaded from tell.
    shown: BTreeMap<(usize, Reg), Shown>,
    /// Registers that were given a value that the program does not give, by thread.
    chosen: BTreeSet<(usize, Reg)>,
    /// What values are made of.
    pub(crate) follower: Follower,
    /// Steps that were done.
    steps: usize,
    /// By thread that has begun to wait for a condition variable: the steps that were done by then.
    waiting: BTreeMap<usize, usize>,
}

/// How far a replay was.
pub(crate) struct Mark {
    facts: usize,
    rest: Recorder,
}

impl Recorder {
    /// To go back to.
    pub(crate) fn mark(&mut self) -> Mark {
        let facts = std::mem::take(&mut self.facts);
        let rest = self.clone();
        self.facts = facts;
        Mark { facts: self.facts.len(), rest }
    }

    /// Forgets what was done since.
    pub(crate) fn back(&mut self, mark: Mark) {
        let mut facts = std::mem::take(&mut self.facts);
        facts.truncate(mark.facts);
        *self = Recorder { facts, ..mark.rest };
    }

    /// A step was done.
    pub(crate) fn step(
        &mut self,
        machine: &Machine<'_>,
        (before, after): (&State, &State),
        thread: usize,
        number: u32,
        edge: &Edge,
    ) {
        let template = before.threads[thread].name.template;
        if machine.location(template, edge.from).told == Told::LooksForLeaks {
            return;
        }
        self.steps += 1;
        let waited = self.waited(machine, (thread, template), edge);
        if let Op::Store(_, Expr::Reg(r), _) = &edge.op
            && self.chosen.remove(&(thread, *r))
        {
            let cell = machine.accessed(before, thread, number);
            cell.into_iter().for_each(|c| self.follower.forget(at(machine.program(), thread, c)));
            return;
        }
        if let Some(r) = written(&edge.op) {
            self.chosen.remove(&(thread, r));
        }
        let appended = match &machine.location(template, edge.to).order {
            Order::Appended(a, v) => self.append(machine, after, thread, (a, v)),
            _ => None,
        };
        let did = match &edge.op {
            _ if appended.is_some() => appended,
            Op::Load(..) | Op::Store(..) => self.access(machine, (before, after), thread, number, edge),
            Op::Create { handle, .. } => self.create(machine, (before, after), thread, *handle),
            Op::Join { .. } => machine.joined(before, thread, number).map(|j| Did::Join(j as u32)),
            Op::Havoc { dst, source } if !source.is_uninitialised() => {
                let value = machine.registers(after, thread)[dst.0 as usize];
                Some(Did::Input(source.clone(), value.to_string()))
            }
            Op::Havoc { dst, .. } => {
                self.chosen.insert((thread, *dst));
                None
            }
            Op::ThreadExit(_) => Some(Did::End),
            Op::Halt => Some(Did::Halt),
            op => self.set(machine, after, (thread, template), op),
        };
        let number = self.facts.len() + usize::from(waited.is_some());
        let accessed = match &did {
            Some(Did::Read(t) | Did::Write(t)) => Some((number, t.at)),
            _ => None,
        };
        let registers = &machine.program().templates[template as usize].registers;
        let register = written(&edge.op).and_then(|r| registers.get(r.0 as usize));
        let named = register.is_some_and(|r| !r.name.is_empty());
        let depth = machine.calls(before, thread).count();
        let now = self.facts.len();
        self.follower.visit(thread, (depth, edge.from), now);
        self.follower.step(thread, &edge.op, accessed, named);
        let ended = after.threads[thread].ended.is_some();
        let from = machine.location(template, edge.from);
        let mut push = |did| {
            let (thread, held) = (thread as u32, from.atomic);
            self.facts.push(Fact { thread, span: edge.span, depth, held, did });
        };
        waited.into_iter().for_each(&mut push);
        let is_end = did == Some(Did::End);
        did.into_iter().for_each(&mut push);
        if ended && !is_end {
            push(Did::End);
        }
    }

    /// A step that ends a wait: as time is over, or as it does so by itself.
    fn waited(
        &mut self,
        machine: &Machine<'_>,
        (thread, template): (usize, u32),
        edge: &Edge,
    ) -> Option<Did> {
        let chosen = || match &edge.op {
            Op::Assign(_, Expr::Const(n)) => Some(*n),
            _ => outcome(machine, template, edge),
        };
        let did = match machine.location(template, edge.from).told {
            Told::Nothing | Told::LooksForLeaks => None,
            Told::Waits => {
                let since = self.waiting.remove(&thread);
                since.filter(|s| s + 1 == self.steps).map(|_| Did::Wakes)
            }
            Told::TimesOut => Some(Did::TimesOut),
            Told::MayTimeOut(n) => (chosen() == Some(n)).then_some(Did::TimesOut),
        };
        if machine.location(template, edge.to).told == Told::Waits {
            self.waiting.insert(thread, self.steps);
        }
        did
    }

    fn set(
        &mut self,
        machine: &Machine<'_>,
        after: &State,
        (thread, template): (usize, u32),
        op: &Op,
    ) -> Option<Did> {
        let r = written(op)?;
        let register = machine.program().templates[template as usize].registers.get(r.0 as usize)?;
        let shown = match op {
            Op::Assign(_, e) => self.shown(thread, e),
            _ => None,
        };
        match &shown {
            Some(s) => self.shown.insert((thread, r), s.clone()),
            None => self.shown.remove(&(thread, r)),
        };
        if register.name.is_empty() {
            return None;
        }
        if let Op::Assign(_, e) = op
            && self.is_handle(thread, e, &register.name)
        {
            return None;
        }
        let text = self.register(machine, after, (thread, template), r);
        Some(Did::Set(plain(&register.name), text))
    }

    /// What a register of a thread holds, as the source would write it.
    pub(crate) fn register(
        &mut self,
        machine: &Machine<'_>,
        state: &State,
        (thread, template): (usize, u32),
        r: Reg,
    ) -> String {
        let program = machine.program();
        let value = machine.registers(state, thread)[r.0 as usize];
        let shown = self.shown.get(&(thread, r)).cloned();
        let kind = program.templates[template as usize].registers.get(r.0 as usize).map(|r| r.kind);
        let known = || program.cell_at(value).is_some() || program.function_bases.contains(&value);
        let address = kind == Some(IntKind::Ideal) && known();
        let shown = shown.unwrap_or(if address { Shown::Pointer } else { Shown::Plain });
        self.names.value(program, value, &shown)
    }

    /// What the value of an expression says, where that can be told.
    fn shown(&self, thread: usize, e: &Expr) -> Option<Shown> {
        match e {
            Expr::Binary(BinOp::Float(FloatOp::Add | FloatOp::Sub | FloatOp::Mul | FloatOp::Div, p), ..) => {
                Some(Shown::Float(*p))
            }
            e => self.shown.get(&(thread, register(e)?)).cloned(),
        }
    }

    fn create(
        &mut self,
        machine: &Machine<'_>,
        (before, after): (&State, &State),
        thread: usize,
        handle: Reg,
    ) -> Option<Did> {
        let new = before.threads.len();
        if after.threads.len() <= new {
            return None;
        }
        let template = before.threads[thread].name.template as usize;
        let register = &machine.program().templates[template].registers[handle.0 as usize];
        self.pending.retain(|p| (p.0, p.1) != (thread, handle));
        if register.name.is_empty() {
            self.pending.push((thread, handle, new));
        } else {
            self.name(new, &register.name);
        }
        Some(Did::Create(new as u32))
    }

    /// At the end: names of threads whose creators have not stored the handles yet, but are about to.
    pub(crate) fn finish(&mut self, machine: &Machine<'_>, state: &State) {
        for (thread, handle, new) in std::mem::take(&mut self.pending) {
            let template = state.threads[thread].name.template;
            let Some(&next) = machine.out(state, thread).first() else { continue };
            let name = match machine.edge(template, next).map(|e| &e.op) {
                Some(Op::Assign(r, e)) if register(e) == Some(handle) => {
                    let registers = &machine.program().templates[template as usize].registers;
                    registers.get(r.0 as usize).map(|r| r.name.clone())
                }
                Some(Op::Store(_, e, _)) if register(e) == Some(handle) => {
                    let cell = machine.accessed(state, thread, next);
                    cell.map(|(o, k)| {
                        let by_pointer = self.names.by_pointer(machine, state, thread, (o, k));
                        by_pointer.unwrap_or_else(|| self.names.cell(machine.program(), o, k))
                    })
                }
                _ => None,
            };
            if let Some(name) = name.filter(|n| !n.is_empty()) {
                self.name(new, &name);
            }
        }
    }

    fn name(&mut self, thread: usize, name: &str) {
        if self.handles.len() <= thread {
            self.handles.resize(thread + 1, None);
        }
        self.handles[thread] = Some(plain(name));
    }

    /// Is it the handle of a new thread that is stored, under this name?
    fn is_handle(&mut self, thread: usize, value: &Expr, name: &str) -> bool {
        let Some(r) = register(value) else { return false };
        let Some(i) = self.pending.iter().position(|p| (p.0, p.1) == (thread, r)) else { return false };
        let (_, _, new) = self.pending.remove(i);
        self.name(new, name);
        true
    }

    /// A store that waits: its address and its value, in registers.
    fn append(
        &mut self,
        machine: &Machine<'_>,
        after: &State,
        thread: usize,
        (address, value): (&Expr, &Expr),
    ) -> Option<Did> {
        let program = machine.program();
        let env = Env {
            registers: machine.registers(after, thread),
            self_id: thread as i128 + 1,
            bases: &program.bases,
            function_bases: &program.function_bases,
            signed_wraps: program.signed_wraps,
        };
        let (o, k) = program.cell_at(eval(address, &env).ok()?)?;
        let cell = (o, k as u32);
        let (was, is) = (machine.value(after, thread, cell)?, eval(value, &env).ok()?);
        let object = program.objects.get(o.0 as usize)?;
        let shown = object.look.of(cell.1).clone();
        let at = at(program, thread, cell);
        Some(Did::Buffer(Touch {
            at,
            name: self.names.cell(program, o, cell.1),
            model: object.synthetic || shown.is_model(),
            shared: at.owner.is_none(),
            first: false,
            waited: false,
            before: was,
            after: is,
            was: self.names.value(program, was, &shown),
            is: self.names.value(program, is, &shown),
            block: None,
            shown,
        }))
    }

    fn access(
        &mut self,
        machine: &Machine<'_>,
        (before, after): (&State, &State),
        thread: usize,
        number: u32,
        edge: &Edge,
    ) -> Option<Did> {
        let program = machine.program();
        let (o, k) = machine.accessed(before, thread, number)?;
        let object = program.objects.get(o.0 as usize)?;
        if matches!(object.kind, ObjectKind::WatchedRead | ObjectKind::WatchedWrite) {
            let Op::Store(..) = edge.op else { return None };
            let at = machine.value(after, thread, (o, k)).and_then(|v| program.cell_at(v));
            let write = object.kind == ObjectKind::WatchedWrite;
            return Some(Did::AboutTo(at.map(|(o, k)| (self.names.cell(program, o, k as u32), write))));
        }
        if let (Op::Load(..), ObjectKind::Signal(n)) = (&edge.op, object.kind) {
            return Some(Did::Signal(n));
        }
        let at = at(program, thread, (o, k));
        let (was, is) = (machine.value(before, thread, (o, k))?, machine.value(after, thread, (o, k))?);
        let shown = object.look.of(k).clone();
        let name = self.names.lock_name(program, (o, k), &shown);
        if let Op::Store(_, e, _) = &edge.op {
            let handle = register(e).filter(|r| self.pending.iter().any(|p| (p.0, p.1) == (thread, *r)));
            let by_pointer = handle.and_then(|_| self.names.by_pointer(machine, before, thread, (o, k)));
            if self.is_handle(thread, e, by_pointer.as_ref().unwrap_or(&name)) {
                return None;
            }
        }
        let template = before.threads[thread].name.template;
        let from = machine.location(template, edge.from);
        let block = match (&shown, &object.look.block) {
            (Shown::Freed, Some(b)) => {
                let block = Block { number: k + 1, ..b.clone() };
                Some(self.names.block(&block))
            }
            (Shown::Made, Some(b)) if matches!(edge.op, Op::Store(..)) => {
                let block = Block { number: u32::try_from(is).unwrap_or_default(), ..b.clone() };
                Some(self.names.block(&block))
            }
            _ => None,
        };
        let touch = Touch {
            at,
            name,
            model: object.synthetic || shown.is_model(),
            shared: at.owner.is_none(),
            first: from.initial,
            waited: machine.location(template, edge.to).order == Order::Arrived,
            before: was,
            after: is,
            was: self.names.value(program, was, &shown),
            is: self.names.value(program, is, &shown),
            block,
            shown,
        };
        Some(match edge.op {
            Op::Load(r, ..) => {
                self.shown.insert((thread, r), touch.shown.clone());
                Did::Read(touch)
            }
            _ => Did::Write(touch),
        })
    }

    /// A cell that somebody waits for.
    pub(crate) fn blocked(&mut self, program: &Program, (o, k): (ObjId, u32), value: i128) -> Blocked {
        let look = &program.objects[o.0 as usize].look;
        let shown = match look.of(k) {
            // Threads at a barrier wait for another round of it.
            Shown::Hidden if k > 0 && *look.of(k - 1) == Shown::Arrived => Shown::Arrived,
            shown => shown.clone(),
        };
        let holder = match shown {
            Shown::Owner => u32::try_from(value - 1).ok(),
            _ => None,
        };
        let name = self.names.lock_name(program, (o, k), &shown);
        Blocked::Cell { name, holder, value: self.names.value(program, value, &shown), shown }
    }
}

/// A cell that a thread accesses.
fn at(program: &Program, thread: usize, (o, k): (ObjId, u32)) -> At {
    let object = &program.objects[o.0 as usize];
    let shared = program.owners.get(o.0 as usize) == Some(&Owner::Shared) && !object.thread_local;
    let open = object.init.get(k as usize) == Some(&None);
    At { owner: (!shared).then_some(thread as u32), object: o, cell: k, open }
}

/// The register that an expression is, whatever it is converted to.
fn register(e: &Expr) -> Option<Reg> {
    match e {
        Expr::Reg(r) => Some(*r),
        Expr::Cast(e, _) => register(e),
        _ => None,
    }
}
