//! One step of one thread: edges made ready to be done often, and doing them.

use super::{CellRef, MOST_GUARDED, Machine, State, Stop};
use crate::code::{Code, Range};
use crate::eval::{Env, cast};
use crate::late::UNCHOSEN;
use relyant_cfa::{BinOp, Edge, Expr, IntKind, Loc, LocationKind, ObjId, Op, Reg, Template, Undefined};

/// An edge, ready to be done.
pub(super) struct CompiledStep {
    from: Loc,
    to: Loc,
    /// The thread has ended then.
    ends: bool,
    pub(super) what: What,
}

/// A register and the values it may have.
#[derive(Clone, Copy)]
pub(super) struct Target {
    register: u32,
    range: Range,
}

/// Where memory is accessed.
pub(super) enum At {
    /// A constant place that the thread may access, and the kind of the cell.
    Known(CellRef, IntKind),
    /// An address, and where it has to lie.
    Computed(Code, Range),
}

/// What an edge does; see [`Op`].
pub(super) enum What {
    Skip,
    Assign(Target, Code),
    /// With the value of an input that is not given.
    Havoc(Target, i128),
    Load(Target, At, IntKind),
    /// With the values of the kind of the access.
    Store(At, Code, IntKind, Range),
    Assume(Code),
    /// Handle, template, parameter, argument.
    Create(Target, u32, Option<Target>, Option<Code>),
    Join(Code, Option<Target>),
    Exit(Code),
    Halt,
    /// Parameters and arguments, index of the procedure, its entry.
    Call(Vec<(Target, Code)>, usize, Loc),
    Return(Option<Code>),
}

const WRONG_REGISTER: Stop = Stop::Malformed("value outside the kind of its register");
const NO_THREAD: Stop = Stop::Undefined(Undefined::Join);
const NO_CALL: Stop = Stop::Malformed("a return where nothing was called");

impl Target {
    #[inline]
    fn set(&self, data: &mut [i128], at: usize, v: i128) -> Result<(), Stop> {
        if !self.range.has(v) {
            return Err(WRONG_REGISTER);
        }
        data[at + self.register as usize] = v;
        Ok(())
    }
}

impl Machine<'_> {
    /// Makes an edge ready.
    pub(super) fn compile(&self, t: usize, edge: &Edge, called: Option<u32>) -> Result<CompiledStep, Stop> {
        let program = self.program();
        let template = &program.templates[t];
        let code = |e: &Expr| self.code(template, e);
        let target = |t: usize, r: Reg| {
            let register = program.templates[t].registers.get(r.0 as usize);
            let kind = register.ok_or(Stop::Malformed("bad target register"))?.kind;
            Ok(Target { register: r.0, range: Range::of(kind) })
        };
        let at = |address: &Expr| {
            let code = code(address)?;
            let place = code.constant().and_then(|a| self.place(a).ok());
            Ok(match place {
                Some((place, kind)) if place.is_open_to(t as u32) => At::Known(place, kind),
                _ => At::Computed(code, self.extent(address)),
            })
        };
        let what = match &edge.op {
            Op::Skip => What::Skip,
            Op::Assign(r, e) => What::Assign(target(t, *r)?, code(e)?),
            Op::Havoc { dst, .. } => {
                let kind = template.registers.get(dst.0 as usize).map_or(IntKind::Ideal, |x| x.kind);
                What::Havoc(target(t, *dst)?, kind.min().unwrap_or(0).max(0))
            }
            Op::Load(r, a, kind) => What::Load(target(t, *r)?, at(a)?, *kind),
            Op::Store(a, e, kind) => What::Store(at(a)?, code(e)?, *kind, Range::of(*kind)),
            Op::Assume(e) => What::Assume(code(e)?),
            Op::Create { handle, arg, template: other, .. } => {
                let other = other.ok_or(Stop::Malformed("creation without a template"))?;
                let param = program.templates.get(other as usize).and_then(|t| t.param);
                let param = param.map(|p| target(other as usize, p)).transpose()?;
                What::Create(target(t, *handle)?, other, param, arg.as_ref().map(code).transpose()?)
            }
            Op::Join { handle, result } => {
                What::Join(code(handle)?, result.map(|r| target(t, r)).transpose()?)
            }
            Op::ThreadExit(e) => What::Exit(code(e)?),
            Op::Halt => What::Halt,
            Op::Call { args, .. } => {
                let number = called.ok_or(Stop::Malformed("a call of nothing"))? as usize;
                let procedure = &template.procedures[number];
                let args = procedure.params.iter().zip(args).map(|(p, e)| Ok((target(t, *p)?, code(e)?)));
                What::Call(args.collect::<Result<_, Stop>>()?, number, procedure.entry)
            }
            Op::Return(e) => What::Return(e.as_ref().map(code).transpose()?),
        };
        let ends = template.graph.locations[edge.to.0 as usize].kind == LocationKind::End;
        Ok(CompiledStep { from: edge.from, to: edge.to, ends, what })
    }

    /// An expression of a template, ready to be evaluated.
    pub(super) fn code(&self, template: &Template, e: &Expr) -> Result<Code, Stop> {
        let program = self.program();
        Code::new(e, template.registers.len(), &program.bases, &program.function_bases)
    }

    fn env<'s>(&'s self, registers: &'s [i128], thread: usize) -> Env<'s> {
        let program = self.program();
        Env {
            registers,
            self_id: thread as i128 + 1,
            bases: &program.bases,
            function_bases: &program.function_bases,
            signed_wraps: program.signed_wraps,
        }
    }

    /// Does one edge. `input` is the value of a `Havoc`, or of a cell that is to get its value now; `start` gives own
    /// cells of new threads their values.
    /// When the step does not happen the state is unchanged.
    pub fn step(
        &self,
        state: &mut State,
        thread: usize,
        edge: u32,
        input: Option<i128>,
        start: &[(ObjId, u32, i128)],
    ) -> Result<(), Stop> {
        let t = state.threads[thread];
        let unit = &self.units[t.name.template as usize];
        let Some(step) = unit.steps.get(edge as usize) else {
            return Err(Stop::Malformed("edge that does not exist"));
        };
        if state.halted || t.ended.is_some() || step.from != t.loc {
            return Err(Stop::Blocked);
        }
        let env = self.env(&state.data[t.at..t.at + unit.registers], thread);
        let (mut returned, mut to, mut ends) = (0, step.to, step.ends);
        match &step.what {
            What::Skip => {}
            What::Assign(r, e) => {
                let v = e.run(&env)?;
                r.set(&mut state.data, t.at, v)?;
            }
            What::Havoc(r, _) if input.is_none() && self.is_late(t.name.template, edge) => {
                state.data[t.at + r.register as usize] = UNCHOSEN;
            }
            What::Havoc(r, otherwise) => r.set(&mut state.data, t.at, input.unwrap_or(*otherwise))?,
            What::Load(r, at, kind) => {
                let (place, cell) = self.access(t.name.template, at, &env)?;
                self.load(state, thread, *r, (place, cell), *kind, input)?;
            }
            What::Store(at, e, kind, range) => {
                let (place, cell) = self.access(t.name.template, at, &env)?;
                let v = e.run(&env)?;
                let v = if v == UNCHOSEN && self.chooses_late() {
                    // Any value of one kind is any value of the other.
                    if !self.is_late(t.name.template, edge) || !same_bits(*kind, cell) {
                        return Err(Stop::TooLarge);
                    }
                    v
                } else if !range.has(v) {
                    return Err(Stop::Malformed("stored value outside the kind of the access"));
                } else if cell == *kind {
                    v
                } else {
                    convert(v, *kind, cell)?
                };
                self.put(state, thread, place, v);
            }
            What::Assume(e) => {
                if e.run(&env)? == 0 {
                    return Err(Stop::Blocked);
                }
            }
            What::Create(handle, other, param, arg) => {
                let arg = arg.as_ref().map(|e| e.run(&env)).transpose()?;
                let arg = param.zip(arg);
                self.create(state, thread, *handle, *other, arg, start)?;
            }
            What::Join(handle, result) => {
                let v = self.ended(state, handle.run(&env)?)?;
                if let Some(r) = result {
                    r.set(&mut state.data, t.at, v)?;
                }
            }
            What::Exit(e) => returned = e.run(&env)?,
            What::Halt => state.halted = true,
            What::Call(args, number, entry) => {
                self.call(state, thread, edge, args, *number)?;
                (to, ends) = (*entry, false);
            }
            What::Return(e) => {
                let v = e.as_ref().map(|e| e.run(&env)).transpose()?;
                to = self.ret(state, thread, v)?;
                ends = self.location(t.name.template, to).kind == LocationKind::End;
            }
        }
        let t = &mut state.threads[thread];
        t.loc = to;
        t.begun = true;
        if ends {
            t.ended = Some(returned);
            if let Some(stack) = state.stacks.get_mut(thread) {
                stack.clear();
            }
        }
        Ok(())
    }

    /// Reads a cell of a kind as the kind of the access; a value that is not chosen yet is chosen, as `input` says.
    #[inline]
    fn load(
        &self,
        state: &mut State,
        thread: usize,
        to: Target,
        (place, cell): (CellRef, IntKind),
        kind: IntKind,
        input: Option<i128>,
    ) -> Result<(), Stop> {
        let t = &state.threads[thread];
        let at = t.at;
        let v = match place {
            CellRef::Shared(i) => state.cells[i],
            CellRef::Own(_, i) => state.data[at + self.units[t.name.template as usize].registers + i],
        };
        if v != UNCHOSEN || !self.chooses_late() {
            let v = if cell == kind { v } else { convert(v, cell, kind)? };
            return to.set(&mut state.data, at, v);
        }
        let chosen = input.unwrap_or(cell.min().unwrap_or(0).max(0));
        if !Range::of(cell).has(chosen) || chosen == UNCHOSEN {
            return Err(Stop::Malformed("a value that its cell cannot have"));
        }
        let v = if cell == kind { chosen } else { convert(chosen, cell, kind)? };
        to.set(&mut state.data, at, v)?;
        self.put(state, thread, place, chosen);
        Ok(())
    }

    /// What a thread with this handle returned, if it has ended.
    fn ended(&self, state: &State, handle: i128) -> Result<i128, Stop> {
        let joined = usize::try_from(handle).ok().and_then(|h| h.checked_sub(1));
        let joined = joined.and_then(|h| state.threads.get(h));
        // A thread that was not created for want of room has the handle 0.
        let none =
            if self.program().max_threads.is_some() && handle == 0 { Stop::Blocked } else { NO_THREAD };
        joined.ok_or(none)?.ended.ok_or(Stop::Blocked)
    }

    fn put(&self, state: &mut State, thread: usize, place: CellRef, v: i128) {
        let t = &state.threads[thread];
        match place {
            CellRef::Shared(i) => state.cells[i] = v,
            CellRef::Own(_, i) => {
                let registers = self.units[t.name.template as usize].registers;
                state.data[t.at + registers + i] = v;
            }
        }
    }

    /// Begins an activation: keeps the values of the last one on the stack, and the edge.
    fn call(
        &self,
        state: &mut State,
        thread: usize,
        edge: u32,
        args: &[(Target, Code)],
        number: usize,
    ) -> Result<(), Stop> {
        let t = state.threads[thread];
        let unit = &self.units[t.name.template as usize];
        let stack = state.stacks.get_mut(thread).ok_or(Stop::Malformed("a call without a stack"))?;
        let slots = &unit.activations[number].slots;
        let depth = stack.len();
        // The arguments go on the stack first, so that nothing is changed when one has no value.
        let env = self.env(&state.data[t.at..t.at + unit.registers], thread);
        for (p, e) in args {
            let v = e.run(&env).and_then(|v| match p.range.has(v) {
                true => Ok(v),
                false => Err(Stop::Malformed("argument outside the kind of the parameter")),
            });
            match v {
                Ok(v) => stack.push(v),
                Err(stop) => {
                    stack.truncate(depth);
                    return Err(stop);
                }
            }
        }
        let data = &mut state.data[t.at..];
        stack.extend(slots.iter().map(|i| data[*i as usize]));
        slots.iter().for_each(|i| data[*i as usize] = 0);
        for ((p, _), v) in args.iter().zip(&stack[depth..]) {
            data[p.register as usize] = *v;
        }
        stack.drain(depth..depth + args.len());
        stack.push(i128::from(edge));
        Ok(())
    }

    /// Ends the last activation. Says where to go.
    fn ret(&self, state: &mut State, thread: usize, value: Option<i128>) -> Result<Loc, Stop> {
        let t = state.threads[thread];
        let (edge, slots, kept) = self.last_call(&state.stacks, t.name.template, thread).ok_or(NO_CALL)?;
        let below = state.stacks[thread].len() - 1 - slots.len();
        let e = self.edge(t.name.template, edge).ok_or(NO_CALL)?;
        let dst = match &e.op {
            Op::Call { dst: Some(r), .. } => {
                let v = value.ok_or(Stop::Undefined(Undefined::Result))?;
                let registers = &self.program().templates[t.name.template as usize].registers;
                Some((*r, cast(v, registers[r.0 as usize].kind)))
            }
            _ => None,
        };
        let data = &mut state.data[t.at..];
        slots.iter().zip(kept).for_each(|(i, v)| data[*i as usize] = *v);
        state.stacks[thread].truncate(below);
        if let Some((r, v)) = dst {
            state.data[t.at + r.0 as usize] = v;
        }
        Ok(e.to)
    }

    /// The edge of the last call of a thread that has not returned, what the call kept, and the values.
    fn last_call<'s>(
        &self,
        stacks: &'s [Vec<i128>],
        template: u32,
        thread: usize,
    ) -> Option<(u32, &[u32], &'s [i128])> {
        let (edge, rest) = stacks.get(thread)?.split_last()?;
        let unit = &self.units[template as usize];
        let edge = u32::try_from(*edge).ok()?;
        let number = (*unit.called.get(edge as usize)?)?;
        let slots = &unit.activations[number as usize].slots;
        Some((edge, slots, &rest[rest.len().checked_sub(slots.len())?..]))
    }

    fn create(
        &self,
        state: &mut State,
        thread: usize,
        handle: Target,
        template: u32,
        arg: Option<(Target, i128)>,
        start: &[(ObjId, u32, i128)],
    ) -> Result<(), Stop> {
        let at = state.threads[thread].at;
        if let Some(most) = self.program().max_threads {
            let alive = state.threads.iter().filter(|t| t.ended.is_none()).count();
            if alive >= most as usize {
                return handle.set(&mut state.data, at, 0);
            }
        }
        if arg.is_some_and(|(p, v)| !p.range.has(v)) {
            return Err(Stop::Malformed("argument outside the kind of the parameter"));
        }
        handle.set(&mut state.data, at, state.threads.len() as i128 + 1)?;
        let new = self.spawn(state, template, start);
        if let Some((p, v)) = arg {
            let at = state.threads[new].at;
            state.data[at + p.register as usize] = v;
        }
        Ok(())
    }

    /// The addresses of the object that an address is made from, where the expression names it: beyond them the access
    /// is undefined, even where another object has the address.
    fn extent(&self, address: &Expr) -> Range {
        let program = self.program();
        let object = base(address).map(|o| o.0 as usize);
        let known = object.and_then(|o| Some((program.bases.get(o)?, program.objects.get(o)?)));
        match known {
            Some((first, o)) => Range { min: *first, max: first.saturating_add(o.cells.len() as i128 - 1) },
            None => Range::of(IntKind::Ideal),
        }
    }

    fn access(&self, template: u32, at: &At, env: &Env<'_>) -> Result<(CellRef, IntKind), Stop> {
        match at {
            At::Known(place, kind) => Ok((*place, *kind)),
            At::Computed(address, extent) => {
                let address = address.run(env)?;
                if !extent.has(address) {
                    return Err(Stop::Undefined(Undefined::Outside));
                }
                let found = self.place(address)?;
                if !found.0.is_open_to(template) {
                    return Err(Stop::Undefined(Undefined::Foreign));
                }
                Ok(found)
            }
        }
    }

    /// Is it plain that the edge can't be done now? A quick test that saves a copy of the state.
    pub fn is_blocked(&self, state: &State, thread: usize, edge: u32) -> bool {
        let t = &state.threads[thread];
        let unit = &self.units[t.name.template as usize];
        match unit.steps.get(edge as usize).map(|s| &s.what) {
            Some(What::Assume(e)) => {
                e.run(&self.env(&state.data[t.at..t.at + unit.registers], thread)) == Ok(0)
            }
            Some(What::Join(..)) => self.awaited(state, thread, edge).is_some(),
            _ => false,
        }
    }

    /// Is it plain that no move begins with the edge now? As where it is blocked, and where the value that it loads lets
    /// none of the conditions hold that are all that can be done next, in the same atomic section.
    pub fn begins_nothing(&self, state: &State, thread: usize, edge: u32) -> bool {
        let t = &state.threads[thread];
        let unit = &self.units[t.name.template as usize];
        let step = unit.steps.get(edge as usize).map(|s| &s.what);
        let (r, v) = match step {
            Some(What::Load(r, At::Known(CellRef::Shared(i), cell), kind)) if cell == kind => {
                (r, state.cells[*i])
            }
            _ => return self.is_blocked(state, thread, edge),
        };
        let Some(conditions) = unit.guards.get(edge as usize).filter(|g| !g.is_empty()) else { return false };
        if v == UNCHOSEN || !r.range.has(v) {
            return false;
        }
        let mut registers = [0; MOST_GUARDED];
        let registers = &mut registers[..unit.registers];
        registers.copy_from_slice(&state.data[t.at..t.at + unit.registers]);
        registers[r.register as usize] = v;
        let env = self.env(registers, thread);
        conditions.iter().all(|c| c.run(&env) == Ok(0))
    }

    /// The thread that has not ended yet and for which an edge waits.
    pub fn awaited(&self, state: &State, thread: usize, edge: u32) -> Option<usize> {
        let joined = self.joined(state, thread, edge)?;
        state.threads.get(joined).filter(|t| t.ended.is_none()).map(|_| joined)
    }

    /// The thread that an edge joins, by its place in the state.
    pub fn joined(&self, state: &State, thread: usize, edge: u32) -> Option<usize> {
        let t = &state.threads[thread];
        let unit = &self.units[t.name.template as usize];
        let step = unit.steps.get(edge as usize).filter(|s| s.from == t.loc)?;
        let What::Join(handle, _) = &step.what else { return None };
        let handle = handle.run(&self.env(self.registers(state, thread), thread)).ok()?;
        usize::try_from(handle).ok()?.checked_sub(1)
    }

    /// The cell that an edge accesses, in a state where it can be done.
    pub fn accessed(&self, state: &State, thread: usize, edge: u32) -> Option<(ObjId, u32)> {
        let template = state.threads[thread].name.template;
        let (Op::Load(_, address, _) | Op::Store(address, _, _)) = &self.edge(template, edge)?.op else {
            return None;
        };
        let env = self.env(self.registers(state, thread), thread);
        let (object, cell) = self.program().cell_at(crate::eval::eval(address, &env).ok()?)?;
        Some((object, cell as u32))
    }

    /// The cell that an edge writes, in a state where it can be done.
    pub fn stored(&self, state: &State, thread: usize, edge: u32) -> Option<(ObjId, u32)> {
        let template = state.threads[thread].name.template;
        let Op::Store(..) = &self.edge(template, edge)?.op else { return None };
        self.accessed(state, thread, edge)
    }
}

/// The one object whose address is a term of a sum.
fn base(address: &Expr) -> Option<ObjId> {
    match address {
        Expr::Addr(o) => Some(*o),
        Expr::Cast(a, IntKind::Ideal) => base(a),
        Expr::Binary(BinOp::Add, a, b, IntKind::Ideal) => match (base(a), base(b)) {
            (Some(o), None) | (None, Some(o)) => Some(o),
            _ => None,
        },
        Expr::Binary(BinOp::Sub, a, b, IntKind::Ideal) if base(b).is_none() => base(a),
        _ => None,
    }
}

fn same_bits(a: IntKind, b: IntKind) -> bool {
    match (a, b) {
        (IntKind::Machine { bits: a, .. }, IntKind::Machine { bits: b, .. }) => a == b,
        _ => a == b,
    }
}

/// Two kinds of one width see the same bits; of two widths, one cell cannot be both.
fn convert(value: i128, from: IntKind, to: IntKind) -> Result<i128, Stop> {
    match (from, to) {
        _ if Range::of(to).has(value) => Ok(value),
        (IntKind::Machine { bits: a, .. }, IntKind::Machine { bits: b, .. }) if a == b => Ok(cast(value, to)),
        _ => Err(Stop::Undefined(Undefined::Type)),
    }
}
