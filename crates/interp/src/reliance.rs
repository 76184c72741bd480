//! Whether a run relies on inputs that are approximate (see [`relyant_cfa::InputSource`]): it does if a branch or an
//! address on its way depends on one. A run that does not is one of the program whatever these
//! inputs are.
//!
//! Dependence is followed from step to step through registers, cells, calls and what threads give each other.

use super::machine::{CellRef, Machine, State};
use relyant_cfa::walk;
use relyant_cfa::{Callee, Edge, Expr, Op, Reg};
use std::collections::BTreeMap;

/// A value that depends on approximate inputs, by one of them.
type Relied = String;

/// A place of a thread: register, or own cell.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Slot {
    Register(u32),
    Cell(usize),
}

/// What depends on approximate inputs in a state.
#[derive(Clone, Debug, Default)]
pub struct Reliance {
    /// By thread: its registers and own cells that depend on one, and on which.
    own: BTreeMap<usize, BTreeMap<Slot, Relied>>,
    /// By index of the shared cell: the one that it depends on.
    shared: BTreeMap<usize, Relied>,
    /// What depended when a call that has not returned was done.
    stacks: BTreeMap<usize, Vec<BTreeMap<Slot, Relied>>>,
    /// By thread that has ended: the one that its result depends on.
    returned: BTreeMap<usize, Relied>,
    relied: Option<Relied>,
}

impl Reliance {
    /// The first approximate input that the run relies on, with its line.
    pub fn found(&self) -> Option<&str> {
        self.relied.as_deref()
    }

    fn of(&self, thread: usize, e: &Expr) -> Option<Relied> {
        let own = self.own.get(&thread)?;
        let mut registers: Vec<Reg> = Vec::new();
        walk::registers(e, &mut registers);
        registers.iter().find_map(|r| own.get(&Slot::Register(r.0)).cloned())
    }

    fn set(&mut self, thread: usize, slot: Slot, source: Option<Relied>) {
        match source {
            Some(s) => {
                self.own.entry(thread).or_default().insert(slot, s);
            }
            None => {
                if let Some(own) = self.own.get_mut(&thread) {
                    own.remove(&slot);
                }
            }
        }
    }

    fn rely(&mut self, source: Option<Relied>) {
        if self.relied.is_none() {
            self.relied = source;
        }
    }

    /// The place at an address.
    fn place(machine: &Machine<'_>, before: &State, thread: usize, edge: u32) -> Option<CellRef> {
        let (object, cell) = machine.accessed(before, thread, edge)?;
        let base = machine.program().bases.get(object.0 as usize)?;
        machine.place(base + i128::from(cell)).ok().map(|p| p.0)
    }

    /// Takes a step that was done.
    pub fn step(&mut self, machine: &Machine<'_>, before: &State, after: &State, thread: usize, edge: u32) {
        let template = before.threads[thread].name.template;
        let Some(e) = machine.edge(template, edge) else { return };
        let register = |r: &Reg| Slot::Register(r.0);
        match &e.op {
            Op::Havoc { dst, source } => {
                let named = source.approximate.then(|| named(&source.name, e));
                self.set(thread, register(dst), named);
            }
            Op::Assign(r, x) => {
                let s = self.of(thread, x);
                self.set(thread, register(r), s);
            }
            Op::Load(r, a, _) => {
                let address = self.of(thread, a);
                self.rely(address);
                let s = match Self::place(machine, before, thread, edge) {
                    Some(CellRef::Shared(i)) => self.shared.get(&i).cloned(),
                    Some(CellRef::Own(_, i)) => {
                        self.own.get(&thread).and_then(|o| o.get(&Slot::Cell(i))).cloned()
                    }
                    None => None,
                };
                self.set(thread, register(r), s);
            }
            Op::Store(a, v, _) => {
                let address = self.of(thread, a);
                self.rely(address);
                let s = self.of(thread, v);
                match (Self::place(machine, before, thread, edge), s) {
                    (Some(CellRef::Shared(i)), Some(s)) => {
                        self.shared.insert(i, s);
                    }
                    (Some(CellRef::Shared(i)), None) => {
                        self.shared.remove(&i);
                    }
                    (Some(CellRef::Own(_, i)), s) => self.set(thread, Slot::Cell(i), s),
                    (None, _) => {}
                }
            }
            Op::Assume(x) => {
                let s = self.of(thread, x);
                self.rely(s);
            }
            Op::Create { arg, template: other, .. } => {
                let s = arg.as_ref().and_then(|a| self.of(thread, a));
                let param = other.and_then(|o| machine.program().templates.get(o as usize)?.param);
                if let (Some(p), true) = (param, after.threads.len() > before.threads.len()) {
                    self.set(before.threads.len(), Slot::Register(p.0), s);
                }
                if let Op::Create { handle, .. } = &e.op {
                    self.set(thread, register(handle), None);
                }
            }
            Op::Join { handle, result } => {
                let s = self.of(thread, handle);
                self.rely(s);
                if let Some(r) = result {
                    // Handles are the threads' numbers, from 1 on.
                    let env = machine.registers(before, thread);
                    let joined = handle_of(handle, env).and_then(|h| usize::try_from(h - 1).ok());
                    let s = joined.and_then(|t| self.returned.get(&t).cloned());
                    let any = self.returned.values().next().cloned();
                    self.set(thread, register(r), if joined.is_some() { s } else { any });
                }
            }
            Op::ThreadExit(x) => {
                if let Some(s) = self.of(thread, x) {
                    self.returned.insert(thread, s);
                }
            }
            Op::Call { callee, args, .. } => self.call(machine, template, thread, callee, args),
            Op::Return(x) => {
                let s = x.as_ref().and_then(|x| self.of(thread, x));
                let call = machine.calls(before, thread).next().and_then(|c| machine.edge(template, c));
                if let Some(kept) = self.stacks.get_mut(&thread).and_then(Vec::pop) {
                    let procedure = call.and_then(|c| match &c.op {
                        Op::Call { callee, .. } => {
                            machine.program().templates[template as usize].procedure(callee)
                        }
                        _ => None,
                    });
                    let own = self.own.entry(thread).or_default();
                    if let Some(p) = procedure {
                        own.retain(|slot, _| !belongs(machine, p, *slot));
                    }
                    own.extend(kept);
                }
                if let Some(Op::Call { dst: Some(r), .. }) = call.map(|c| &c.op) {
                    self.set(thread, Slot::Register(r.0), s);
                }
            }
            Op::Skip | Op::Halt => {}
        }
    }

    fn call(&mut self, machine: &Machine<'_>, template: u32, thread: usize, callee: &Callee, args: &[Expr]) {
        let Some(p) = machine.program().templates[template as usize].procedure(callee) else { return };
        let given: Vec<Option<Relied>> = args.iter().map(|a| self.of(thread, a)).collect();
        let own = self.own.entry(thread).or_default();
        let kept: BTreeMap<Slot, Relied> =
            own.iter().filter(|(s, _)| belongs(machine, p, **s)).map(|(s, x)| (*s, x.clone())).collect();
        own.retain(|slot, _| !belongs(machine, p, *slot));
        self.stacks.entry(thread).or_default().push(kept);
        for (r, s) in p.params.iter().zip(given) {
            self.set(thread, Slot::Register(r.0), s);
        }
    }

    /// Takes a state in which nobody can move: whoever waits may do so because of such an input.
    pub fn stuck(&mut self, machine: &Machine<'_>, state: &State) {
        for (thread, t) in state.threads.iter().enumerate().filter(|t| t.1.ended.is_none()) {
            for edge in machine.out(state, thread) {
                if let Some(Edge { op: Op::Assume(x) | Op::Join { handle: x, .. }, .. }) =
                    machine.edge(t.name.template, *edge)
                {
                    let s = self.of(thread, x);
                    self.rely(s);
                }
            }
        }
    }
}

fn handle_of(e: &Expr, registers: &[i128]) -> Option<i128> {
    match e {
        Expr::Reg(r) => registers.get(r.0 as usize).copied(),
        Expr::Const(n) => Some(*n),
        Expr::Cast(e, _) => handle_of(e, registers),
        _ => None,
    }
}

/// Is it a register or an object of a procedure's activation?
fn belongs(machine: &Machine<'_>, p: &relyant_cfa::Procedure, slot: Slot) -> bool {
    match slot {
        Slot::Register(r) => p.registers.contains(&r),
        Slot::Cell(i) => p.objects.iter().any(|o| {
            let base = machine.program().bases[o.0 as usize];
            let cells = machine.program().objects[o.0 as usize].cells.len();
            match machine.place(base) {
                Ok((CellRef::Own(_, first), _)) => (first..first + cells).contains(&i),
                _ => false,
            }
        }),
    }
}

fn named(function: &str, e: &Edge) -> Relied {
    match e.span.line {
        0 => format!("`{function}`"),
        line => format!("`{function}` (line {line})"),
    }
}
