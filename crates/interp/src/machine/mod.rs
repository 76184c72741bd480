//! A program ready to run: its states, and what can be asked of them. Steps are in `step`.

mod step;

use crate::code::Code;
use crate::eval::in_kind;
use crate::late::{UNCHOSEN, declarations};
use crate::live::{for_each_read, written};
pub use crate::state::{Before, State, Thread};
pub use crate::stop::Stop;
use relyant_cfa::schedule::ThreadRef;
use relyant_cfa::{
    Callee, Count, Edge, IntKind, Limit, Loc, Location, LocationKind, ObjId, Op, Owner, Program, Reg,
    Undefined, Violated,
};
use step::{At, CompiledStep, What};

/// A cell of a state, as seen by one thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum CellRef {
    /// Of an object that all threads share: index into [`State::cells`].
    Shared(usize),
    /// Template it belongs to, and index into its own cells.
    Own(u32, usize),
}

impl CellRef {
    /// May a thread of the template access it?
    pub(crate) fn is_open_to(self, template: u32) -> bool {
        match self {
            CellRef::Shared(_) => true,
            CellRef::Own(t, _) => t == template,
        }
    }
}

/// Registers of a template whose guards are told apart from other loads.
const MOST_GUARDED: usize = 32;

/// Facts about a template, worked out once.
pub(crate) struct Unit {
    /// `out[location]`: indices of its out-edges, in the order in which they are tried.
    out: Vec<Vec<u32>>,
    /// Number of registers: in a thread's data own cells come after so many.
    pub(crate) registers: usize,
    /// Start values of own cells (`None`: any).
    own: Vec<(ObjId, u32, IntKind, Option<i128>)>,
    /// Locations that a property speaks of.
    watched: Vec<bool>,
    /// Each edge, ready to be done.
    steps: Vec<CompiledStep>,
    /// What the procedures keep.
    pub(crate) activations: Vec<Activation>,
    /// Procedure of each edge that calls one.
    pub(crate) called: Vec<Option<u32>>,
    /// Edges of declarations whose values are chosen late.
    late: Vec<bool>,
    /// By edge: what has to hold of what it loads, as that is all that can be done next, in the same atomic section.
    guards: Vec<Vec<Code>>,
}

/// What a call of a procedure keeps: registers and own cells, by index into a thread's data.
pub(crate) struct Activation {
    pub(crate) slots: Vec<u32>,
}

/// What ends a run in a state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RunEnd {
    /// A property that does not hold.
    Violated(Violated),
    /// It is no violation: the verifier's own bound is reached, and nothing is known of further runs.
    Limit(Limit),
}

impl std::fmt::Display for RunEnd {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            RunEnd::Violated(what) => what.fmt(f),
            RunEnd::Limit(what) => what.fmt(f),
        }
    }
}

/// A property that does not hold in a state, or a bound that is reached there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Violation {
    /// Which: the error of a location, a deadlock, or that two threads are at a label.
    pub found: RunEnd,
    /// Index of the thread where it is seen; in a deadlock the first one that waits.
    pub thread: usize,
}

/// A program ready to run.
pub struct Machine<'p> {
    program: &'p Program,
    pub(crate) units: Vec<Unit>,
    /// First cell of each object, in [`State::cells`] or among the own cells of its template.
    offsets: Vec<usize>,
    /// Shared cells in the order of [`State::cells`]: object, cell, kind, and start value (`None`: any).
    shared: Vec<(ObjId, u32, IntKind, Option<i128>)>,
    /// Some template has procedures; without, stacks are empty.
    has_calls: bool,
    /// Values may be chosen late (see [`crate::late`]).
    late: bool,
}

impl<'p> Machine<'p> {
    /// Checks that the program keeps the rules of [`relyant_cfa`] and prepares it.
    pub fn new(program: &'p Program) -> Result<Self, Stop> {
        let n = program.objects.len();
        if program.owners.len() != n || program.bases.len() != n {
            return Err(Stop::Malformed("owners and bases must have one entry an object"));
        }
        let sizes = program.objects.iter().map(|o| o.cells.len() as i128);
        let ends = program.bases.iter().zip(sizes).map(|(b, k)| b.saturating_add(k));
        if program.bases.first().is_some_and(|b| *b < 1)
            || ends.zip(program.bases.iter().skip(1)).any(|(end, next)| end > *next)
        {
            return Err(Stop::Malformed("objects must be in order of their addresses"));
        }
        let mut offsets = Vec::with_capacity(n);
        let mut shared = Vec::new();
        let mut own = vec![Vec::new(); program.templates.len()];
        for (i, object) in program.objects.iter().enumerate() {
            if object.init.len() != object.cells.len() {
                return Err(Stop::Malformed("an object needs one start value a cell"));
            }
            let list = match program.owners[i] {
                Owner::Shared => &mut shared,
                Owner::Template(t) => {
                    own.get_mut(t as usize).ok_or(Stop::Malformed("owner that does not exist"))?
                }
            };
            offsets.push(list.len());
            for (k, ((kind, _), init)) in object.cells.iter().zip(&object.init).enumerate() {
                if !kind_ok(*kind) || init.is_some_and(|v| !in_kind(v, *kind)) {
                    return Err(Stop::Malformed("start value outside its kind"));
                }
                list.push((ObjId(i as u32), k as u32, *kind, *init));
            }
        }
        let has_calls = program.templates.iter().any(|t| !t.procedures.is_empty());
        let mut machine = Machine { program, units: Vec::new(), offsets, shared, has_calls, late: false };
        for (t, own) in own.into_iter().enumerate() {
            let unit = machine.unit(t, own)?;
            machine.units.push(unit);
        }
        Ok(machine)
    }

    /// The same, with values chosen late: see [`crate::late`].
    pub fn late(program: &'p Program) -> Result<Self, Stop> {
        let mut machine = Machine::new(program)?;
        // A number like any other has to stay one.
        if program.objects.iter().flat_map(|o| &o.init).any(|v| *v == Some(UNCHOSEN)) {
            return Ok(machine);
        }
        for (unit, template) in machine.units.iter_mut().zip(&program.templates) {
            unit.late = vec![false; template.graph.edges.len()];
            for (input, store) in declarations(template) {
                unit.late[input as usize] = true;
                unit.late[store as usize] = true;
            }
        }
        machine.late = true;
        Ok(machine)
    }

    fn unit(&self, t: usize, own: Vec<(ObjId, u32, IntKind, Option<i128>)>) -> Result<Unit, Stop> {
        let template = &self.program.templates[t];
        let locations = template.graph.locations.len();
        if template.entry.0 as usize >= locations {
            return Err(Stop::Malformed("entry that does not exist"));
        }
        let mut out = vec![Vec::new(); locations];
        let procedure = |l: Loc| template.procedures.iter().position(|p| p.locations.contains(&l.0));
        let whose = |r: u32| template.procedures.iter().position(|p| p.registers.contains(&r));
        if procedure(template.entry).is_some() || template.param.is_some_and(|r| whose(r.0).is_some()) {
            return Err(Stop::Malformed("a thread that begins inside a procedure"));
        }
        let (mut steps, mut called) = (Vec::new(), Vec::new());
        let activations = self.activations(t)?;
        for (i, edge) in template.graph.edges.iter().enumerate() {
            self.check_edge(t, edge)?;
            let mut apart = procedure(edge.from) == procedure(edge.to);
            let mut used = |r: Reg| apart &= whose(r.0) == procedure(edge.from);
            for_each_read(&edge.op, &mut used);
            written(&edge.op).into_iter().for_each(used);
            if !apart {
                return Err(Stop::Malformed("a procedure that is not apart from the rest of its template"));
            }
            out[edge.from.0 as usize].push(i as u32);
            let callee = self.callee(t, edge)?;
            called.push(callee);
            steps.push(self.compile(t, edge, callee)?);
        }
        let guards = self.guards(t, &out)?;
        let watched = template.graph.locations.iter().map(|l| {
            let label = self.program.exclusive.as_ref();
            matches!(l.kind, LocationKind::Error(_) | LocationKind::Limit(_))
                || label.is_some_and(|x| l.labels.contains(x))
        });
        Ok(Unit {
            watched: watched.collect(),
            out,
            registers: template.registers.len(),
            own,
            steps,
            activations,
            called,
            late: Vec::new(),
            guards,
        })
    }

    /// By edge: the conditions after a load into an atomic section, where there is nothing else.
    fn guards(&self, t: usize, out: &[Vec<u32>]) -> Result<Vec<Vec<Code>>, Stop> {
        let template = &self.program.templates[t];
        let graph = &template.graph;
        let guard = |e: &Edge| {
            let after = e.to.0 as usize;
            let assumed = |i: &u32| match &graph.edges[*i as usize].op {
                Op::Assume(e) => Some(self.code(template, e)),
                _ => None,
            };
            let inside = graph.locations[after].atomic && graph.locations[after].kind == LocationKind::Normal;
            let all: Option<Vec<_>> = match &e.op {
                Op::Load(..) if inside && template.registers.len() <= MOST_GUARDED => {
                    out[after].iter().map(assumed).collect()
                }
                _ => None,
            };
            all.unwrap_or_default().into_iter().collect()
        };
        graph.edges.iter().map(guard).collect()
    }

    fn activations(&self, t: usize) -> Result<Vec<Activation>, Stop> {
        let template = &self.program.templates[t];
        let mut out = Vec::new();
        for p in &template.procedures {
            let registers = template.registers.len() as u32;
            let locations = template.graph.locations.len() as u32;
            if p.registers.end > registers
                || p.locations.end > locations
                || !p.locations.contains(&p.entry.0)
                || p.params.iter().any(|r| !p.registers.contains(&r.0))
            {
                return Err(Stop::Malformed("procedure outside of its template"));
            }
            let mut slots: Vec<u32> = p.registers.clone().collect();
            for o in &p.objects {
                if self.program.owners.get(o.0 as usize) != Some(&Owner::Template(t as u32)) {
                    return Err(Stop::Malformed("object of a procedure that is not its template's"));
                }
                let cells = self.program.objects[o.0 as usize].cells.len();
                slots.extend((0..cells).map(|k| registers + (self.offsets[o.0 as usize] + k) as u32));
            }
            out.push(Activation { slots });
        }
        Ok(out)
    }

    /// The procedure that an edge calls.
    fn callee(&self, t: usize, edge: &Edge) -> Result<Option<u32>, Stop> {
        let Op::Call { callee, args, .. } = &edge.op else { return Ok(None) };
        let procedures = &self.program.templates[t].procedures;
        let found = match callee {
            Callee::Known(f) => procedures.iter().position(|p| p.function == *f),
            Callee::Pointer(_) => None,
        };
        match found {
            Some(i) if procedures[i].params.len() == args.len() => Ok(Some(i as u32)),
            Some(_) => Err(Stop::Malformed("a call with too few or too many arguments")),
            None => Err(Stop::Malformed("a call of something that is no procedure of the template")),
        }
    }

    fn check_edge(&self, t: usize, edge: &Edge) -> Result<(), Stop> {
        let template = &self.program.templates[t];
        let reg = |r: Reg| {
            let kind = template.registers.get(r.0 as usize).map(|x| x.kind);
            if kind.is_some_and(kind_ok) { Ok(()) } else { Err(Stop::Malformed("bad target register")) }
        };
        if edge.from.0.max(edge.to.0) as usize >= template.graph.locations.len() {
            return Err(Stop::Malformed("edge to a location that does not exist"));
        }
        match &edge.op {
            Op::Assign(r, _) | Op::Load(r, _, _) | Op::Havoc { dst: r, .. } => reg(*r),
            Op::Join { result: Some(r), .. } => reg(*r),
            Op::Create { handle, template: Some(other), .. }
                if (*other as usize) < self.program.templates.len() =>
            {
                reg(*handle)
            }
            Op::Create { .. } => Err(Stop::Malformed("creation without a template")),
            Op::Call { dst: Some(r), .. } => reg(*r),
            _ => Ok(()),
        }
    }

    /// The place an address stands for.
    pub(crate) fn place(&self, address: i128) -> Result<(CellRef, IntKind), Stop> {
        let (o, k) = self.program.cell_at(address).ok_or(Stop::Undefined(if address == 0 {
            Undefined::Null
        } else {
            Undefined::Outside
        }))?;
        let i = o.0 as usize;
        let kind = self.program.objects[i].cells[k].0;
        Ok(match self.program.owners[i] {
            Owner::Shared => (CellRef::Shared(self.offsets[i] + k), kind),
            Owner::Template(t) => (CellRef::Own(t, self.offsets[i] + k), kind),
        })
    }

    /// The value of a cell, shared or of the thread.
    pub fn value(&self, state: &State, thread: usize, (o, k): (ObjId, u32)) -> Option<i128> {
        let t = &state.threads[thread];
        let i = self.offsets.get(o.0 as usize)? + k as usize;
        match self.program.owners.get(o.0 as usize)? {
            Owner::Shared => state.cells.get(i).copied(),
            Owner::Template(u) if *u == t.name.template => {
                state.data.get(t.at + self.units[*u as usize].registers + i).copied()
            }
            Owner::Template(_) => None,
        }
    }

    /// The program that it was made of.
    pub fn program(&self) -> &'p Program {
        self.program
    }

    /// Cells that have no start value of their own, nor get one late: object, cell, kind, and is it shared?
    pub fn open_cells(&self) -> impl Iterator<Item = (ObjId, u32, IntKind, bool)> + '_ {
        let shared = self.shared.iter().map(|c| (c, true));
        let own = self.units.iter().flat_map(|u| u.own.iter().map(|c| (c, false)));
        shared.chain(own).filter(|(c, _)| c.3.is_none() && !self.late).map(|(c, s)| (c.0, c.1, c.2, s))
    }

    /// The start, with start values for cells that have none (others: the smallest non-negative value) and this
    /// many threads of initial templates of unbounded count.
    pub fn initial(&self, start: &[(ObjId, u32, i128)], unbounded: u32) -> Result<State, Stop> {
        for (o, k, v) in start {
            let object =
                self.program.objects.get(o.0 as usize).ok_or(Stop::Malformed("start value of no object"))?;
            match (object.cells.get(*k as usize), object.init.get(*k as usize)) {
                (Some((kind, _)), Some(None)) if in_kind(*v, *kind) => {}
                (Some(_), Some(Some(fixed))) if fixed == v => {}
                _ => return Err(Stop::Malformed("start value that the cell cannot have")),
            }
        }
        let mut state = State::default();
        state.cells.extend(self.shared.iter().map(|c| start_value(c, start, self.late)));
        for (t, template) in self.program.templates.iter().enumerate() {
            let count = match template.count {
                _ if !template.initial => 0,
                Count::AtMost(n) => n,
                Count::Unbounded => unbounded,
            };
            for _ in 0..count {
                self.spawn(&mut state, t as u32, start);
            }
        }
        Ok(state)
    }

    pub(crate) fn spawn(&self, state: &mut State, template: u32, start: &[(ObjId, u32, i128)]) -> usize {
        let instance = state.threads.iter().filter(|x| x.name.template == template).count() as u32;
        let unit = &self.units[template as usize];
        let loc = self.program.templates[template as usize].entry;
        state.threads.push(Thread {
            name: ThreadRef { template, instance },
            loc,
            begun: !self.location(template, loc).atomic,
            ended: None,
            at: state.data.len(),
        });
        state.data.extend(std::iter::repeat_n(0, unit.registers));
        let own = state.data.len();
        state.data.extend(unit.own.iter().map(|c| start_value(c, start, self.late)));
        for slot in unit.activations.iter().flat_map(|a| &a.slots) {
            if let Some(i) = (*slot as usize).checked_sub(unit.registers) {
                state.data[own + i] = 0;
            }
        }
        if self.has_calls {
            state.stacks.resize_with(state.threads.len(), Vec::new);
        }
        state.threads.len() - 1
    }

    /// The shared cells, or those that each thread of a template has, in the order in which states keep them.
    pub fn layout(&self, template: Option<u32>) -> impl Iterator<Item = (ObjId, u32)> + '_ {
        let list = template.map_or(&self.shared, |t| &self.units[t as usize].own);
        list.iter().map(|c| (c.0, c.1))
    }

    /// What an edge that is a call keeps on the stack: registers, and behind them own cells, by index into a
    /// thread's data. `None` for other edges.
    pub fn saved(&self, template: u32, edge: u32) -> Option<&[u32]> {
        let unit = &self.units[template as usize];
        let called = (*unit.called.get(edge as usize)?)?;
        Some(&unit.activations[called as usize].slots)
    }

    /// Number of shared cells.
    pub fn shared_size(&self) -> usize {
        self.shared.len()
    }

    /// Number of registers and own cells a thread of the template has.
    pub fn data_size(&self, template: u32) -> usize {
        let unit = &self.units[template as usize];
        unit.registers + unit.own.len()
    }

    /// Out-edges of the location a thread is at.
    pub fn out(&self, state: &State, thread: usize) -> &[u32] {
        let t = &state.threads[thread];
        &self.units[t.name.template as usize].out[t.loc.0 as usize]
    }

    /// An edge of a thread's graph.
    pub fn edge(&self, template: u32, edge: u32) -> Option<&'p Edge> {
        self.program.templates.get(template as usize)?.graph.edges.get(edge as usize)
    }

    /// Must the thread go on before anybody else moves? A thread that is done or at an error need not.
    pub fn inside_atomic(&self, state: &State, thread: usize) -> bool {
        let t = &state.threads[thread];
        let location = self.location(t.name.template, t.loc);
        // A start routine that is atomic as a whole begins with its first step, not with its creation.
        location.atomic && location.kind == LocationKind::Normal && t.begun
    }

    /// The location of a template with that number.
    pub fn location(&self, template: u32, loc: Loc) -> &'p Location {
        &self.program.templates[template as usize].graph.locations[loc.0 as usize]
    }

    /// The edges that leave a location.
    pub fn leaving(&self, template: u32, loc: Loc) -> impl Iterator<Item = &'p Edge> {
        let edges = &self.program.templates[template as usize].graph.edges;
        self.units[template as usize].out[loc.0 as usize].iter().map(|e| &edges[*e as usize])
    }

    /// Does a property speak of this location?
    pub fn is_watched(&self, template: u32, loc: Loc) -> bool {
        self.units[template as usize].watched[loc.0 as usize]
    }

    /// Does the edge neither read nor write anything that another thread can see?
    pub fn is_local(&self, template: u32, edge: u32) -> bool {
        let unit = &self.units[template as usize];
        match &self.program.templates[template as usize].graph.edges[edge as usize].op {
            Op::Skip
            | Op::Assign(..)
            | Op::Assume(_)
            | Op::Havoc { .. }
            | Op::Call { .. }
            | Op::Return(_) => true,
            Op::Load(..) | Op::Store(..) => {
                let (What::Load(_, at, _) | What::Store(at, ..)) = &unit.steps[edge as usize].what else {
                    return false;
                };
                matches!(at, At::Known(CellRef::Own(..), _))
            }
            _ => false,
        }
    }

    /// Does the edge belong to a declaration whose value is chosen late?
    pub fn is_late(&self, template: u32, edge: u32) -> bool {
        self.late && self.units[template as usize].late.get(edge as usize) == Some(&true)
    }

    /// Are values chosen late?
    pub(crate) fn chooses_late(&self) -> bool {
        self.late
    }

    /// Has the value of a shared cell not been chosen yet?
    pub fn is_unchosen(&self, state: &State, o: ObjId, k: usize) -> bool {
        self.late
            && self.program.owners.get(o.0 as usize) == Some(&Owner::Shared)
            && state.cells.get(self.offsets[o.0 as usize] + k) == Some(&UNCHOSEN)
    }

    /// The cell that an edge loads and whose value it has to choose.
    pub fn chosen_by(&self, state: &State, thread: usize, edge: u32) -> Option<(ObjId, u32)> {
        if !self.late {
            return None;
        }
        let t = &state.threads[thread];
        let unit = &self.units[t.name.template as usize];
        let What::Load(_, at, _) = &unit.steps.get(edge as usize)?.what else { return None };
        let value = match at {
            At::Known(CellRef::Shared(i), _) => state.cells[*i],
            At::Known(CellRef::Own(_, i), _) => state.data[t.at + unit.registers + i],
            At::Computed(..) => {
                let (o, k) = self.accessed(state, thread, edge)?;
                let i = self.offsets[o.0 as usize] + k as usize;
                match self.program.owners[o.0 as usize] {
                    Owner::Shared => state.cells[i],
                    Owner::Template(u) if u == t.name.template => state.data[t.at + unit.registers + i],
                    Owner::Template(_) => return None,
                }
            }
        };
        if value == UNCHOSEN { self.accessed(state, thread, edge) } else { None }
    }

    /// Registers of a thread.
    pub fn registers<'s>(&self, state: &'s State, thread: usize) -> &'s [i128] {
        let t = &state.threads[thread];
        &state.data[t.at..t.at + self.units[t.name.template as usize].registers]
    }

    /// Own cells of a thread, with their objects.
    pub fn own_cells<'s>(
        &'s self,
        state: &'s State,
        thread: usize,
    ) -> impl Iterator<Item = (ObjId, u32, i128)> + 's {
        let t = &state.threads[thread];
        let unit = &self.units[t.name.template as usize];
        let values = &state.data[t.at + unit.registers..t.at + unit.registers + unit.own.len()];
        unit.own.iter().zip(values).map(|(c, v)| (c.0, c.1, *v))
    }

    /// Shared cells, with their objects.
    pub fn shared_cells<'s>(&'s self, state: &'s State) -> impl Iterator<Item = (ObjId, u32, i128)> + 's {
        self.shared.iter().zip(&state.cells).map(|(c, v)| (c.0, c.1, *v))
    }

    /// Edges of the calls of a thread that have not returned, the last one first.
    pub fn calls<'s>(&'s self, state: &'s State, thread: usize) -> impl Iterator<Item = u32> + 's {
        let stack: &[i128] = state.stacks.get(thread).map_or(&[], |s| s);
        let unit = &self.units[state.threads[thread].name.template as usize];
        let mut rest = stack;
        std::iter::from_fn(move || {
            let edge = u32::try_from(*rest.last()?).ok()?;
            let number = (*unit.called.get(edge as usize)?)?;
            let size = unit.activations[number as usize].slots.len() + 1;
            rest = &rest[..rest.len().checked_sub(size)?];
            Some(edge)
        })
    }

    /// The property that does not hold in a state, if there is one, else the bound that is reached.
    pub fn violation(&self, state: &State) -> Option<Violation> {
        let (mut inside, mut bound) = (false, None);
        for (i, t) in state.threads.iter().enumerate() {
            if !self.units[t.name.template as usize].watched[t.loc.0 as usize] {
                continue;
            }
            let location = self.location(t.name.template, t.loc);
            if let LocationKind::Error(what) = &location.kind {
                return Some(Violation { found: RunEnd::Violated(what.clone()), thread: i });
            }
            if let (LocationKind::Limit(what), None) = (&location.kind, &bound) {
                bound = Some(Violation { found: RunEnd::Limit(what.clone()), thread: i });
            }
            if let Some(label) = &self.program.exclusive
                && t.ended.is_none()
            {
                if inside {
                    let what = Violated::Exclusive(label.clone());
                    return Some(Violation { found: RunEnd::Violated(what), thread: i });
                }
                inside = true;
            }
        }
        bound
    }
}

fn start_value(cell: &(ObjId, u32, IntKind, Option<i128>), start: &[(ObjId, u32, i128)], late: bool) -> i128 {
    let (o, k, kind, init) = *cell;
    if let Some(v) = init {
        return v;
    }
    let given = start.iter().find(|(so, sk, _)| *so == o && *sk == k);
    let otherwise = || if late { UNCHOSEN } else { kind.min().unwrap_or(0).max(0) };
    given.map_or_else(otherwise, |(_, _, v)| *v)
}

fn kind_ok(kind: IntKind) -> bool {
    match kind {
        IntKind::Machine { bits, signed } => bits >= 1 && bits <= if signed { 128 } else { 127 },
        IntKind::Bool | IntKind::Ideal => true,
    }
}
