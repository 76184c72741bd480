//! The machine, the normal form of its states and the values to try for inputs, behind one door.

use super::Settings;
use relyant_cfa::schedule::Start;
use relyant_cfa::{Count, Expr, IntKind};
use relyant_cfa::{Edge, ObjId, Op, Owner, Program};
use relyant_interp::candidates::Candidates;
use relyant_interp::eval::{Env, eval};
use relyant_interp::machine::{Machine, State, Stop};
use relyant_interp::normal::{Base, Moved, Normal, NormalOptions, Scratch};
use relyant_interp::observe::{Needs, Observer, Points};
use std::sync::{Mutex, PoisonError};

/// Values tried for an input that is computed with and has more than 16 values.
const MAX_INPUTS: usize = 40;

/// Values of an input, and whether these are all that matter.
type Inputs = (Vec<i128>, bool);

/// Inputs told apart by what is done with them.
pub(super) struct Observing<'o> {
    /// Says what each step does with inputs.
    pub observer: &'o Observer,
    /// The points that are tried.
    pub points: &'o Points,
    /// Further points that are needed.
    pub needs: Mutex<Needs>,
}

/// A program ready to be searched.
pub(super) struct Config<'p> {
    /// How inputs are told apart, if not by what the program's text compares them with.
    pub observing: Option<Observing<'p>>,
    /// Runs the program, with values chosen late.
    pub machine: Machine<'p>,
    normal: Normal,
    candidates: Candidates,
    /// `inputs[template][edge]`: values to try where it takes an input that matters, and whether these are all.
    inputs: Vec<Vec<Option<Inputs>>>,
    /// By object: the same for its cells, by their kinds, where their values are chosen when they are loaded first.
    cells: Vec<Vec<(IntKind, Inputs)>>,
    /// Start values to try. They differ in shared cells only.
    pub starts: Vec<Start>,
    /// Whether these are all.
    pub all_starts: bool,
    /// Threads of each template that runs from the start in any number.
    unbounded: u32,
    /// There are such templates.
    pub any_number: bool,
    /// A created thread may be at a location of the property at once.
    pub watched_entry: bool,
}

impl<'p> Config<'p> {
    /// Prepares a program; an error where it breaks the machine's rules.
    pub fn new(
        program: &'p Program,
        settings: &Settings,
        observing: Option<Observing<'p>>,
    ) -> Result<Self, Stop> {
        let machine = Machine::late(program)?;
        let options = NormalOptions { symmetry: settings.symmetry, keep_dead: false };
        let normal = Normal::new(&machine, options);
        let candidates = Candidates::new(program, MAX_INPUTS, 0);
        let inputs = (0u32..).zip(&program.templates).map(|(t, template)| {
            let edge = |(i, e): (u32, &Edge)| {
                let Op::Havoc { dst, .. } = &e.op else { return None };
                if machine.is_late(t, i) {
                    return None;
                }
                // A value that nobody reads is no choice.
                normal.is_live(t, e.to, dst.0).then(|| {
                    let kind = template.registers[dst.0 as usize].kind;
                    let points = observing.as_ref().and_then(|o| o.observer.inputs(t, i, kind, o.points));
                    points.map_or_else(|| candidates.inputs(t, *dst, kind), |values| (values, true))
                })
            };
            (0u32..).zip(&template.graph.edges).map(edge).collect()
        });
        let inputs = inputs.collect();
        let cells = (0u32..).zip(&program.objects).map(|(o, object)| {
            let mut list: Vec<(IntKind, Inputs)> = Vec::new();
            for (kind, _) in &object.cells {
                if list.iter().all(|(k, _)| k != kind) {
                    let points = observing.as_ref().and_then(|x| x.observer.cell(ObjId(o), *kind, x.points));
                    list.push((
                        *kind,
                        points.map_or_else(|| candidates.cell(ObjId(o), *kind), |values| (values, true)),
                    ));
                }
            }
            list
        });
        let cells = cells.collect();
        let (starts, all_starts) = candidates.starts(&machine);
        let any_number = program.templates.iter().any(|t| t.initial && t.count == Count::Unbounded);
        let unbounded = settings.unbounded_initial;
        let mut templates = (0u32..).zip(&program.templates);
        let watched_entry = templates.any(|(t, template)| machine.is_watched(t, template.entry));
        Ok(Config {
            observing,
            machine,
            normal,
            candidates,
            inputs,
            cells,
            starts,
            all_starts,
            unbounded,
            any_number,
            watched_entry,
        })
    }

    /// The state in which a run starts.
    pub fn initial(&self, start: &Start) -> Result<State, Stop> {
        self.machine.initial(start, self.unbounded)
    }

    /// Writes the normal form of a state that has not halted, and the order of its threads.
    pub fn pack(&self, state: &State, scratch: &mut Scratch, bytes: &mut Vec<u8>) {
        self.normal.pack(state, scratch, bytes);
    }

    /// The threads of a state, for [`Config::pack_moved`].
    pub fn base(&self, state: &State, scratch: &mut Scratch, base: &mut Base) {
        self.normal.base(state, scratch, base);
    }

    /// As [`Config::pack`], of what moves of these threads made of the state that `base` is of.
    pub fn pack_moved(
        &self,
        state: &State,
        base: (&Base, Moved),
        scratch: &mut Scratch,
        bytes: &mut Vec<u8>,
    ) {
        self.normal.pack_moved(state, base, scratch, bytes);
    }

    /// The normal form of states, by threads and by live registers.
    pub fn normal(&self) -> &Normal {
        &self.normal
    }

    /// Reads a normal form.
    pub fn unpack(&self, bytes: &[u8], state: &mut State) {
        self.normal.unpack(bytes, state);
    }

    /// Reads a normal form, and which threads nothing tells from the one before them: they need not move.
    pub fn unpack_twins(&self, bytes: &[u8], state: &mut State, twins: &mut Vec<bool>) {
        self.normal.unpack_twins(bytes, state, twins);
    }

    /// Notes what an edge does with inputs; it need not be possible.
    pub fn observe(&self, state: &State, thread: usize, edge: u32) {
        let Some(o) = &self.observing else { return };
        let mut needs = Needs::default();
        o.observer.observe(&self.machine, state, thread, edge, o.points, &mut needs);
        if needs != Needs::default() {
            o.needs.lock().unwrap_or_else(PoisonError::into_inner).extend(&needs);
        }
    }

    /// Is it plain that no move begins with the edge? Where inputs are observed, what it does with one has to be seen.
    pub fn begins_nothing(&self, state: &State, thread: usize, edge: u32) -> bool {
        match self.observing {
            Some(_) => self.machine.is_blocked(state, thread, edge),
            None => self.machine.begins_nothing(state, thread, edge),
        }
    }

    /// Does one edge; `choice` picks the value of an input.
    #[inline]
    pub fn step(&self, state: &mut State, thread: usize, edge: u32, choice: u32) -> Result<(), Stop> {
        let input = self.input(state, thread, edge, choice);
        self.machine.step(state, thread, edge, input, &self.starts[0])
    }

    /// Is a state in which no thread can move a violation?
    pub fn deadlock(&self, state: &State) -> bool {
        self.machine.deadlock(state, &self.candidates).is_some()
    }

    /// May the edge lead into an atomic section?
    pub fn is_atomic_target(&self, template: u32, edge: u32) -> bool {
        let Some(e) = self.machine.edge(template, edge) else { return true };
        matches!(e.op, Op::Call { .. } | Op::Return(_)) || self.machine.location(template, e.to).atomic
    }

    /// How many values are tried at an edge in a state, and whether they are enough.
    pub fn choices(&self, state: &State, thread: usize, edge: u32) -> (u32, bool) {
        match self.machine.chosen_by(state, thread, edge) {
            Some(cell) => self.cell(cell).map_or((1, true), |(values, all)| (values.len() as u32, *all)),
            None => self.inputs(state.threads[thread].name.template, edge),
        }
    }

    /// What to try for a cell that gets its value late.
    pub fn cell(&self, (o, k): (ObjId, u32)) -> Option<&Inputs> {
        let kind = self.machine.program().objects.get(o.0 as usize)?.cells.get(k as usize)?.0;
        self.cells[o.0 as usize].iter().find(|(x, _)| *x == kind).map(|(_, inputs)| inputs)
    }

    /// How many values are tried for an input, and whether they are enough.
    pub fn inputs(&self, template: u32, edge: u32) -> (u32, bool) {
        match self.inputs[template as usize].get(edge as usize).and_then(|x| x.as_ref()) {
            Some((values, all)) => (values.len() as u32, *all),
            None => (1, true),
        }
    }

    /// The value of an input, or of a cell that is to get one.
    pub fn input(&self, state: &State, thread: usize, edge: u32, choice: u32) -> Option<i128> {
        if let Some(cell) = self.machine.chosen_by(state, thread, edge) {
            return self.cell(cell)?.0.get(choice as usize).copied();
        }
        let template = state.threads.get(thread)?.name.template;
        let (values, _) = self.inputs[template as usize].get(edge as usize)?.as_ref()?;
        values.get(choice as usize).copied()
    }

    /// The shared cell that an edge accesses: `Ok(None)` for the thread's own, `Err` where there is none.
    pub fn accessed(
        &self,
        state: &State,
        thread: usize,
        address: &Expr,
    ) -> Result<Option<(ObjId, usize)>, ()> {
        let program = self.machine.program();
        let env = Env {
            registers: self.machine.registers(state, thread),
            self_id: thread as i128 + 1,
            bases: &program.bases,
            function_bases: &program.function_bases,
            signed_wraps: program.signed_wraps,
        };
        let cell = program.cell_at(eval(address, &env).map_err(|_| ())?).ok_or(())?;
        Ok((program.owners[cell.0.0 as usize] == Owner::Shared).then_some(cell))
    }
}
