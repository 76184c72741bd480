//! Threads that wait for the end of others.
//!
//! Who joins a thread that has not ended does nothing before that moves. Who joins another may go on when that has
//! ended, and come to the next join. Here such a thread is run by itself, as if those that it waits for had ended, with
//! the values that there are now, through steps that touch nothing of others but read cells: those read are given, too,
//! as this holds as long as nobody writes them. Whoever it meets at a join on that way waits for: until that one moves,
//! the thread has done nothing but read these cells.

use relyant_cfa::{Edge, Expr, IntKind, Loc, LocationKind, ObjId, Op, Owner, Template};
use relyant_interp::eval::{Env, eval};
use relyant_interp::late::UNCHOSEN;
use relyant_interp::machine::{Machine, State};

/// Steps after which it is not followed any further.
const MOST_STEPS: usize = 256;
/// With more cells of its own a thread is not followed.
const MOST_CELLS: usize = 64;

type Cell = (ObjId, u32);

/// Whom a thread waits for, now or later, and the shared cells that it reads on the way.
#[derive(Debug, Default)]
pub(super) struct Waiting {
    pub awaited: Vec<usize>,
    pub read: Vec<Cell>,
}

/// Can only the end of another thread let one go on that has these edges before it?
pub(super) fn is_join(template: &Template, out: &[usize]) -> bool {
    !out.is_empty() && out.iter().all(|i| matches!(template.graph.edges[*i].op, Op::Join { .. }))
}

/// Follows a thread that may be waiting for the end of another.
pub(super) fn waiting(machine: &Machine<'_>, state: &State, thread: usize) -> Waiting {
    let mut waiting = Waiting::default();
    let t = &state.threads[thread];
    let joins =
        |edge: &u32| matches!(machine.edge(t.name.template, *edge).map(|e| &e.op), Some(Op::Join { .. }));
    let out = machine.out(state, thread);
    if out.is_empty() || !out.iter().all(joins) || machine.calls(state, thread).next().is_some() {
        return waiting;
    }
    let own: Vec<(Cell, i128)> = machine.own_cells(state, thread).map(|(o, k, v)| ((o, k), v)).collect();
    if own.len() > MOST_CELLS {
        return waiting;
    }
    let registers = machine.registers(state, thread).to_vec();
    let mut run = Alone { machine, state, thread, registers, own };
    let mut at = t.loc;
    for _ in 0..MOST_STEPS {
        match run.step(at, &mut waiting) {
            Some(next) => at = next,
            None => break,
        }
    }
    waiting
}

/// A thread that runs by itself.
struct Alone<'a, 'p> {
    machine: &'a Machine<'p>,
    state: &'a State,
    thread: usize,
    registers: Vec<i128>,
    own: Vec<(Cell, i128)>,
}

impl<'p> Alone<'_, 'p> {
    /// Does the step from a location, and says where it leads. `None`: it is not known, or concerns others.
    fn step(&mut self, at: Loc, waiting: &mut Waiting) -> Option<Loc> {
        let template = self.state.threads[self.thread].name.template;
        if self.machine.location(template, at).kind != LocationKind::Normal
            || self.machine.is_watched(template, at)
        {
            return None;
        }
        let edge = self.only(template, at)?;
        match &edge.op {
            Op::Skip | Op::Assume(_) => {}
            Op::Assign(r, e) => {
                let v = self.value(e)?;
                self.set(r.0, v)?;
            }
            Op::Load(r, address, kind) => {
                let (cell, of) = self.place(address)?;
                let to = self.machine.program().templates[template as usize].registers[r.0 as usize].kind;
                if of != *kind || to != *kind {
                    return None;
                }
                let own = self.own.iter().find(|(c, _)| *c == cell).map(|(_, v)| *v);
                let value = match self.machine.program().owners[cell.0.0 as usize] {
                    Owner::Template(_) => own?,
                    Owner::Shared => {
                        waiting.read.push(cell);
                        self.machine.value(self.state, self.thread, cell)?
                    }
                };
                self.set(r.0, Some(value).filter(|v| *v != UNCHOSEN)?)?;
            }
            Op::Store(address, e, kind) => {
                let value = self.value(e)?;
                let (cell, of) = self.place(address)?;
                let own = self.own.iter_mut().find(|(c, _)| *c == cell)?;
                own.1 = Some(value).filter(|_| of == *kind)?;
            }
            Op::Join { handle, result } => {
                let who = usize::try_from(self.value(handle)?).ok()?.checked_sub(1)?;
                if self.state.threads.get(who)?.ended.is_none() {
                    waiting.awaited.push(who);
                }
                // What it returns is not known.
                if result.is_some() {
                    return None;
                }
            }
            _ => return None,
        }
        Some(edge.to)
    }

    /// The edge that can be taken from a location, if conditions leave but one, or there is no other.
    fn only(&self, template: u32, at: Loc) -> Option<&'p Edge> {
        let mut found = None;
        let mut number = 0;
        for e in self.machine.leaving(template, at) {
            number += 1;
            match &e.op {
                Op::Assume(c) if self.value(c)? == 0 => continue,
                _ => {}
            }
            if found.replace(e).is_some() {
                return None;
            }
        }
        found.filter(|e| number == 1 || matches!(e.op, Op::Assume(_)))
    }

    fn set(&mut self, register: u32, value: i128) -> Option<()> {
        *self.registers.get_mut(register as usize)? = value;
        Some(())
    }

    fn value(&self, e: &Expr) -> Option<i128> {
        let program = self.machine.program();
        if !self.is_chosen(e) {
            return None;
        }
        let env = Env {
            registers: &self.registers,
            self_id: self.thread as i128 + 1,
            bases: &program.bases,
            function_bases: &program.function_bases,
            signed_wraps: program.signed_wraps,
        };
        eval(e, &env).ok()
    }

    /// Do all registers of an expression have values?
    fn is_chosen(&self, e: &Expr) -> bool {
        match e {
            Expr::Reg(r) => self.registers.get(r.0 as usize).is_some_and(|v| *v != UNCHOSEN),
            Expr::Unary(_, a, _) | Expr::Not(a) | Expr::Cast(a, _) => self.is_chosen(a),
            Expr::Binary(_, a, b, _) | Expr::Compare(_, a, b) => self.is_chosen(a) && self.is_chosen(b),
            Expr::Const(_) | Expr::Addr(_) | Expr::Func(_) | Expr::SelfId => true,
        }
    }

    fn place(&self, address: &Expr) -> Option<(Cell, IntKind)> {
        let program = self.machine.program();
        let (o, k) = program.cell_at(self.value(address)?)?;
        Some(((o, k as u32), program.objects[o.0 as usize].cells[k].0))
    }
}
