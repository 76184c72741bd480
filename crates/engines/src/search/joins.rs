//! What a thread that waits for the end of others does before one of them moves.
//!
//! A thread that joins one that has not ended stays where it is until that one moves. When it waits for another it may
//! go on once that has ended, perhaps to the next join. So it is followed, alone, as if all that it waits for had
//! ended, through steps that concern nobody else: what it has computed, its own cells, and cells that hold the handles.
//! Of the threads that it waits for on that way it does no more than read these cells until they move, if nobody else
//! writes them.

use super::accesses::Keys;
use super::config::Config;
use relyant_cfa::{Edge, Expr, Loc, LocationKind, ObjId, Op, Owner};
use relyant_interp::eval::{Env, eval};
use relyant_interp::late::UNCHOSEN;
use relyant_interp::machine::State;

/// Steps that a thread is followed.
const MOST_STEPS: usize = 256;
/// Own cells of a thread that is followed.
const MOST_CELLS: usize = 64;

/// A thread that waits.
#[derive(Clone, Debug)]
pub(super) struct Wait {
    /// The one that waits.
    pub thread: usize,
    /// For whom, now or later.
    pub awaited: Vec<usize>,
    /// Keys of what it reads on the way.
    pub reads: Vec<u32>,
}

impl Wait {
    /// Is the thread one that it waits for?
    pub fn is_for(&self, thread: usize) -> bool {
        self.awaited.binary_search(&thread).is_ok()
    }
}

/// Can only the end of another thread let one go on from here?
pub(super) fn is_join(edges: &[&Edge]) -> bool {
    !edges.is_empty() && edges.iter().all(|e| matches!(e.op, Op::Join { .. }))
}

/// Follows a thread that is at a join.
pub(super) fn follow(config: &Config<'_>, keys: &Keys, state: &State, thread: usize) -> Option<Wait> {
    let template = state.threads[thread].name.template;
    let own: Vec<((ObjId, u32), i128)> =
        config.machine.own_cells(state, thread).map(|(o, k, v)| ((o, k), v)).take(MOST_CELLS + 1).collect();
    if own.len() > MOST_CELLS || config.machine.calls(state, thread).next().is_some() {
        return None;
    }
    let registers = config.machine.registers(state, thread).to_vec();
    let wait = Wait { thread, awaited: Vec::new(), reads: Vec::new() };
    let mut walk = Walk { config, keys, state, template, registers, own, wait };
    let mut at = state.threads[thread].loc;
    for _ in 0..MOST_STEPS {
        let Some(next) = walk.step(at) else { break };
        at = next;
    }
    let mut wait = walk.wait;
    wait.awaited.sort_unstable();
    (!wait.awaited.is_empty()).then_some(wait)
}

struct Walk<'w, 'p> {
    config: &'w Config<'p>,
    keys: &'w Keys,
    state: &'w State,
    template: u32,
    registers: Vec<i128>,
    own: Vec<((ObjId, u32), i128)>,
    wait: Wait,
}

impl<'p> Walk<'_, 'p> {
    /// Where the thread goes next; nowhere that is known.
    fn step(&mut self, at: Loc) -> Option<Loc> {
        let machine = &self.config.machine;
        let template = &machine.program().templates[self.template as usize];
        if machine.location(self.template, at).kind != LocationKind::Normal
            || machine.is_watched(self.template, at)
        {
            return None;
        }
        let mut out = machine.leaving(self.template, at);
        let (first, second) = (out.next()?, out.next());
        let edge = if second.is_none() { first } else { self.branch(at)? };
        match &edge.op {
            Op::Skip => {}
            Op::Assign(r, e) => {
                let v = self.value(e)?;
                *self.registers.get_mut(r.0 as usize)? = v;
            }
            Op::Assume(e) if self.value(e)? != 0 => {}
            Op::Load(r, address, kind) => {
                let (v, cell) = self.load(address)?;
                let same = cell == *kind && template.registers[r.0 as usize].kind == *kind;
                *self.registers.get_mut(r.0 as usize).filter(|_| same)? = v;
            }
            Op::Store(address, e, kind) => {
                let v = self.value(e)?;
                let (cell, of) = self.cell(address)?;
                let own = self.own.iter_mut().find(|(c, _)| *c == cell)?;
                own.1 = Some(v).filter(|_| of == *kind)?;
            }
            Op::Join { handle, result: None } => {
                let joined = usize::try_from(self.value(handle)?).ok()?.checked_sub(1)?;
                let ended = self.state.threads.get(joined)?.ended.is_some();
                if !ended && !self.wait.awaited.contains(&joined) {
                    self.wait.awaited.push(joined);
                }
            }
            // Who waits for the first needs no more.
            Op::Join { handle, .. } => {
                let joined = usize::try_from(self.value(handle)?).ok()?.checked_sub(1)?;
                if self.state.threads.get(joined)?.ended.is_none() {
                    self.wait.awaited.push(joined);
                }
                return None;
            }
            _ => return None,
        }
        Some(edge.to)
    }

    /// The one edge whose condition holds, where there are but conditions.
    fn branch(&self, at: Loc) -> Option<&'p Edge> {
        let mut taken = None;
        for e in self.config.machine.leaving(self.template, at) {
            let Op::Assume(c) = &e.op else { return None };
            if self.value(c)? != 0 {
                taken = Some(e).filter(|_| taken.is_none());
                taken?;
            }
        }
        taken
    }

    fn value(&self, e: &Expr) -> Option<i128> {
        let program = self.config.machine.program();
        let env = Env {
            registers: &self.registers,
            self_id: self.wait.thread as i128 + 1,
            bases: &program.bases,
            function_bases: &program.function_bases,
            signed_wraps: program.signed_wraps,
        };
        if mentions_unchosen(e, &self.registers) {
            return None;
        }
        eval(e, &env).ok()
    }

    /// The cell at an address, and its kind.
    fn cell(&self, address: &Expr) -> Option<((ObjId, u32), relyant_cfa::IntKind)> {
        let program = self.config.machine.program();
        let (o, k) = program.cell_at(self.value(address)?)?;
        Some(((o, k as u32), program.objects[o.0 as usize].cells[k].0))
    }

    /// What a cell holds, as long as nobody writes it, and its kind.
    fn load(&mut self, address: &Expr) -> Option<(i128, relyant_cfa::IntKind)> {
        let (cell, kind) = self.cell(address)?;
        let value = match self.config.machine.program().owners[cell.0.0 as usize] {
            Owner::Shared => {
                self.wait.reads.extend(self.keys.of(cell.0.0 as usize, cell.1 as usize));
                self.config.machine.value(self.state, self.wait.thread, cell)?
            }
            Owner::Template(_) => self.own.iter().find(|(c, _)| *c == cell)?.1,
        };
        (value != UNCHOSEN).then_some((value, kind))
    }
}

/// Is the value of a register used that was not chosen yet?
fn mentions_unchosen(e: &Expr, registers: &[i128]) -> bool {
    match e {
        Expr::Reg(r) => registers.get(r.0 as usize).is_none_or(|v| *v == UNCHOSEN),
        Expr::Unary(_, a, _) | Expr::Not(a) | Expr::Cast(a, _) => mentions_unchosen(a, registers),
        Expr::Binary(_, a, b, _) | Expr::Compare(_, a, b) => {
            mentions_unchosen(a, registers) || mentions_unchosen(b, registers)
        }
        Expr::Const(_) | Expr::Addr(_) | Expr::Func(_) | Expr::SelfId => false,
    }
}
