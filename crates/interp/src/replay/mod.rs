//! Runs a schedule and tells what happened, in terms of the source.
//!
//! Nothing in the schedule is believed: each step must be enabled, nobody may move while another thread is inside
//! an atomic section, and the run must end in a violation.

mod lost;
mod racing;
mod tail;
mod waiting;

use crate::act::{self, Act};
use crate::complete;
use crate::event::Event;
use crate::fact::{Fact, Recorder};
use crate::live::written;
use crate::machine::{Machine, RunEnd, State, Stop, Violation};
use crate::reliance::Reliance;
use crate::uses::Uses;
pub use lost::{LastPointer, Lost, PointerEnd};
use racing::Notes;
pub use racing::{ActiveCall, RacingAccess};
use relyant_cfa::diagnostic::Span;
use relyant_cfa::schedule::{Move, Schedule, ThreadRef};
use relyant_cfa::{Count, Edge, InputSource, Limit, ObjId, ObjectKind, Op, Program, Reg, Use, Violated};
use std::collections::{BTreeMap, HashMap};
pub use waiting::Waiting;

/// What one thread did, a statement or a part of one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TraceStep {
    /// The thread that did it.
    pub thread: ThreadRef,
    /// Name of the thread: its template's, with a number where there are several.
    pub thread_name: String,
    /// Source file, empty when unknown.
    pub file: String,
    /// Line, 0 when unknown.
    pub line: u32,
    /// Column, 0 when unknown.
    pub column: u32,
    /// The statement that begins there, or what of one does.
    pub statement: String,
    /// Variables that were written and their new values.
    pub changes: Vec<NamedValue>,
    /// Inputs: what gave it, value.
    pub inputs: Vec<(InputSource, i128)>,
    /// The procedure whose code this is; empty for the thread's own.
    pub function: String,
    /// Calls that had not returned before the step.
    pub depth: usize,
    /// The access that the thread is about to do and that may race.
    pub about_to: Option<AboutTo>,
}

/// A variable and a value of it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct NamedValue {
    /// The variable's name.
    pub name: String,
    /// The value as the machine has it: of a floating type its bits, of a pointer a number of ours.
    pub number: i128,
    /// The value as the source would write it.
    pub text: String,
}

/// An access that waits, see `relyant_frontend::races`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AboutTo {
    /// Is it a write?
    pub write: bool,
    /// The cell that it is an access to, as it is named in the source.
    pub object: String,
}

impl AboutTo {
    /// How it uses the cell.
    pub fn access(&self) -> Use {
        if self.write { Use::Write } else { Use::Read }
    }
}

/// A run that ends in a violation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Trace {
    /// Start values of variables that have no fixed one.
    pub start: Vec<NamedValue>,
    /// What was done, in order; steps of one statement are one.
    pub steps: Vec<TraceStep>,
    /// The same, step by step; spans refer to `files`.
    pub events: Vec<Event>,
    /// What was violated.
    pub violation: Violated,
    /// Names of the program's files.
    pub files: Vec<String>,
    /// Where: file, line, column.
    pub place: (String, u32, u32),
    /// The thread that came to the violation.
    pub thread_name: String,
    /// The same, by its place in `threads`.
    pub thread: u32,
    /// Where the functions are called that it is in, the outermost first.
    pub calls: Vec<Span>,
    /// Names of all threads, in order of creation.
    pub threads: Vec<String>,
    /// The functions that they run, as the source names them.
    pub routines: Vec<String>,
    /// The variables that hold their handles, where there is one; may be shorter.
    pub handles: Vec<Option<String>>,
    /// All steps in full, for people; spans refer to `files`.
    pub facts: Vec<Fact>,
    /// What the reads among them were good for.
    pub uses: Uses,
    /// The text of the lines that they are in, by file and line.
    pub texts: BTreeMap<(u32, u32), String>,
    /// In a deadlock: the threads that have not ended.
    pub waiting: Vec<Waiting>,
    /// In a data race: the step that the other access belongs to.
    pub race: Option<TraceStep>,
    /// In a leak: the block that is lost.
    pub lost: Option<Lost>,
    /// In a data race: both accesses, that of the thread above first.
    pub accesses: Vec<RacingAccess>,
}

/// Why a schedule is no counterexample.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ReplayError {
    /// The program or the start values are wrong.
    #[error("the run cannot start: {0}")]
    Start(Stop),
    /// The program is not the C program: it may do more.
    #[error("calls are over-approximated, so a run need not be one of the C program")]
    Approximate,
    /// There is no such thread at that time.
    #[error("move {0}: there is no such thread")]
    NoThread(usize),
    /// Somebody else is inside an atomic section.
    #[error("move {0}: another thread is inside an atomic section")]
    Interrupts(usize),
    /// A step that can't be done.
    #[error("move {at}, step {step} (line {line}): {why}")]
    Step {
        /// Index of the move.
        at: usize,
        /// Index into its path.
        step: usize,
        /// Line of the source, from 1; 0 when unknown.
        line: u32,
        /// Why the step cannot be done.
        why: Stop,
    },
    /// All moves were done and nothing was violated.
    #[error("the run ends without a violation")]
    NoViolation,
    /// It relies on a value that a function may not be able to give.
    #[error("the run relies on the value of {0}, of which only the range is known")]
    Relies(String),
    /// It leads where the verifier's own bound is reached.
    #[error("{0}")]
    Limit(Limit),
}

/// At most this many steps are tried to fill a gap.
const MAX_TAIL: usize = 10_000;

/// Values tried for an input to see whether a thread can move.
const MAX_INPUTS: usize = 40;

/// Runs the schedule. Some steps that do not matter may be missing, and are added: steps at the end that no other
/// thread can see, and those that take a thread to its end when another one waits for that.
pub fn replay(program: &Program, schedule: &Schedule) -> Result<Trace, ReplayError> {
    if program.approximate {
        return Err(ReplayError::Approximate);
    }
    let machine = Machine::new(program).map_err(ReplayError::Start)?;
    let unbounded = |t: usize| {
        let of = schedule.moves.iter().filter(|m| m.thread.template as usize == t);
        of.map(|m| m.thread.instance.saturating_add(1)).max().unwrap_or(0).min(schedule.moves.len() as u32)
    };
    let open = |t: &usize| program.templates[*t].initial && program.templates[*t].count == Count::Unbounded;
    let threads = (0..program.templates.len()).filter(open).map(unbounded).max().unwrap_or(0).max(1);
    let state = machine.initial(&schedule.start, threads).map_err(ReplayError::Start)?;
    let mut run = Replayer {
        machine: &machine,
        schedule,
        state,
        before: State::default(),
        in_step: false,
        last: None,
        watched: false,
        names: HashMap::new(),
        steps: Vec::new(),
        events: Vec::new(),
        reliance: Reliance::default(),
        notes: Notes::default(),
        recorder: Recorder::default(),
    };
    let mut found = machine.violation(&run.state);
    for (at, m) in schedule.moves.iter().enumerate() {
        if found.is_some() {
            break;
        }
        run.run_completed(at, m)?;
        if std::mem::take(&mut run.watched) {
            found = machine.violation(&run.state);
        }
    }
    let violation = match found {
        Some(v) => v,
        None => run.finish().or_else(|| run.deadlock()).ok_or(ReplayError::NoViolation)?,
    };
    let (what, thread) = match violation {
        Violation { found: RunEnd::Limit(what), .. } => return Err(ReplayError::Limit(what)),
        Violation { found: RunEnd::Violated(what), thread } => (what, thread),
    };
    if what == Violated::Deadlock {
        run.reliance.stuck(run.machine, &run.state);
    }
    if let Some(source) = run.reliance.found() {
        return Err(ReplayError::Relies(source.to_string()));
    }
    Ok(run.trace(what, thread))
}

struct Replayer<'a, 'p> {
    machine: &'a Machine<'p>,
    schedule: &'a Schedule,
    state: State,
    /// The state before a step, and after it until the next one: large ones are not copied.
    before: State,
    /// That is so.
    in_step: bool,
    /// The thread that did the last step.
    last: Option<usize>,
    /// A step came to a location of the property, or made a thread, since that was asked last.
    watched: bool,
    /// Threads by name, as many as were looked up.
    names: HashMap<ThreadRef, usize>,
    steps: Vec<TraceStep>,
    events: Vec<Event>,
    reliance: Reliance,
    notes: Notes,
    recorder: Recorder,
}

impl Replayer<'_, '_> {
    /// Runs a move; where it waits for a thread to end, that thread is first run to its end.
    fn run_completed(&mut self, at: usize, m: &Move) -> Result<(), ReplayError> {
        let edge = |e: &u32| self.machine.edge(m.thread.template, *e);
        let joins = |e: &&u32| edge(e).is_some_and(|e| matches!(e.op, Op::Join { .. }));
        let first = m.path.first().filter(joins).is_some();
        let waits = |t| m.path.first().is_some_and(|e| self.machine.awaited(&self.state, t, *e).is_some());
        match m.path.iter().filter(joins).count() {
            0 => return self.run_move(at, m),
            1 if first && !self.thread(m.thread).is_some_and(waits) => return self.run_move(at, m),
            _ => {}
        }
        loop {
            let last = self.last;
            let (state, steps, events) = (self.state.clone(), self.steps.clone(), self.events.len());
            let reliance = self.reliance.clone();
            let (notes, mark) = (self.notes.clone(), self.recorder.mark());
            let Err(e) = self.run_move(at, m) else { return Ok(()) };
            let Some(joined) = self.awaited(&e, m) else { return Err(e) };
            self.state = state;
            (self.in_step, self.last) = (false, last);
            self.steps = steps;
            self.reliance = reliance;
            self.notes = notes;
            self.recorder.back(mark);
            self.events.truncate(events);
            // It may have been started by this very move.
            if joined >= self.state.threads.len() {
                return Err(e);
            }
            let path =
                complete::to_the_end(self.machine, &self.state, joined, &self.schedule.start, MAX_TAIL);
            // The thread has ended afterwards, so that this loop does too.
            for (edge, input) in path.ok_or(e.clone())? {
                self.step(joined, edge, input).map_err(|_| e.clone())?;
            }
        }
    }

    /// The thread that a move waited for when it failed.
    fn awaited(&self, e: &ReplayError, m: &Move) -> Option<usize> {
        let ReplayError::Step { step, why: Stop::Blocked, .. } = e else { return None };
        let thread = self.thread(m.thread)?;
        let joined = self.machine.awaited(&self.state, thread, *m.path.get(*step)?)?;
        (!self.interrupts(thread)).then_some(joined)
    }

    fn run_move(&mut self, at: usize, m: &Move) -> Result<(), ReplayError> {
        for (i, t) in self.state.threads.iter().enumerate().skip(self.names.len()) {
            self.names.insert(t.name, i);
        }
        let thread = self.thread(m.thread).ok_or(ReplayError::NoThread(at))?;
        if self.interrupts(thread) {
            return Err(ReplayError::Interrupts(at));
        }
        for (step, edge) in m.path.iter().enumerate() {
            let input = m.inputs.iter().find(|(i, _)| *i as usize == step).map(|(_, v)| *v);
            self.step(thread, *edge, input).map_err(|why| {
                let line = self.machine.edge(m.thread.template, *edge).map_or(0, |e| e.span.line);
                ReplayError::Step { at, step, line, why }
            })?;
        }
        Ok(())
    }

    /// Is a thread other than this one inside an atomic section?
    fn interrupts(&self, thread: usize) -> bool {
        // Who is inside moves next.
        self.last.is_some_and(|t| t != thread && self.machine.inside_atomic(&self.state, t))
    }

    /// The thread of a name, if it is there.
    fn thread(&self, name: ThreadRef) -> Option<usize> {
        let known = self.names.get(&name).copied();
        let is = |i: &usize| self.state.threads.get(*i).is_some_and(|t| t.name == name);
        known.filter(is).or_else(|| self.state.threads.iter().position(|t| t.name == name))
    }

    fn step(&mut self, thread: usize, edge: u32, input: Option<i128>) -> Result<(), Stop> {
        let mut before = std::mem::take(&mut self.before);
        if !self.in_step {
            before.clone_from(&self.state);
        }
        // The state stays as it is where the step does not happen.
        self.in_step = true;
        let done = self.machine.step(&mut self.state, thread, edge, input, &self.schedule.start);
        if done.is_err() {
            self.before = before;
            return done;
        }
        let t = &self.state.threads[thread];
        self.last = Some(thread);
        self.watched |= self.machine.is_watched(t.name.template, t.loc)
            || self.state.threads.len() > before.threads.len();
        if let Some(e) = self.machine.edge(before.threads[thread].name.template, edge) {
            let stored = self.machine.stored(&before, thread, edge);
            self.recorder.step(self.machine, (&before, &self.state), thread, edge, e);
            self.notes.step(self.machine, (&before, &self.state), thread, e, stored);
            let watched = self.note(&before, thread, e, stored);
            if let Some(write) = watched {
                let step = self.steps.last().filter(|s| s.about_to.is_some()).cloned();
                // A step of the trace may have begun before, elsewhere in the line.
                let (file, line, column) = place(self.machine.program(), e.span);
                let here = |s: TraceStep| match line {
                    0 => s,
                    _ => TraceStep {
                        statement: self.statement_at(&file, line),
                        file: file.clone(),
                        line,
                        column,
                        ..s
                    },
                };
                let step = step.map(here);
                self.notes.watch(write, step);
            }
            self.reliance.step(self.machine, &before, &self.state, thread, edge);
            let act = Act::of(self.machine, (&before, &self.state), thread, edge, e);
            self.events.push(Event { act, ..Event::new(self.machine, &before, &self.state, thread, e) });
        }
        before.follow(&self.state, thread, self.machine.data_size(self.state.threads[thread].name.template));
        self.before = before;
        Ok(())
    }

    /// Adds a step to the trace, or to the step before when it belongs to the same statement.
    /// Says whether it is about a write or a read that waits.
    fn note(
        &mut self,
        before: &State,
        thread: usize,
        edge: &Edge,
        stored: Option<(ObjId, u32)>,
    ) -> Option<bool> {
        let program = self.machine.program();
        let name = before.threads[thread].name;
        let template = &program.templates[name.template as usize];
        let mut changes = Vec::new();
        let call =
            self.machine.calls(before, thread).next().and_then(|c| self.machine.edge(name.template, c));
        let changed: Vec<Reg> = match &edge.op {
            Op::Call { callee, .. } => template.procedure(callee).map_or(Vec::new(), |p| p.params.clone()),
            Op::Return(_) => call.and_then(|c| written(&c.op)).into_iter().collect(),
            op => written(op).into_iter().collect(),
        };
        for r in changed {
            if let Some(register) = template.registers.get(r.0 as usize)
                && !register.name.is_empty()
            {
                let number = self.machine.registers(&self.state, thread)[r.0 as usize];
                let text = self.recorder.register(self.machine, &self.state, (thread, name.template), r);
                changes.push(NamedValue { name: register.name.clone(), number, text });
            }
        }
        let function = template.procedure_at(edge.from).map_or(String::new(), |p| p.name.clone());
        let depth = self.machine.calls(before, thread).count();
        let cell = |o: ObjId, k: u32| {
            let object = &program.objects[o.0 as usize];
            format!("{}{}", object.name, object.cells[k as usize].1)
        };
        // What the thread says it is about to do; nothing any more with the access itself.
        let mut watched: Option<Option<AboutTo>> = None;
        let mut kind = None;
        if let Some((o, k)) = stored {
            let value = self.machine.value(&self.state, thread, (o, k));
            let write = match program.objects[o.0 as usize].kind {
                ObjectKind::WatchedWrite => Some(true),
                ObjectKind::WatchedRead => Some(false),
                ObjectKind::Plain | ObjectKind::Ghost | ObjectKind::Literal | ObjectKind::Signal(_) => None,
            };
            match write {
                None => changes.extend(value.map(|number| {
                    let text = self.recorder.names.cell_value(program, (o, k), number);
                    NamedValue { name: cell(o, k), number, text }
                })),
                Some(write) => {
                    kind = Some(write);
                    let at = value.and_then(|v| program.cell_at(v));
                    watched = Some(at.map(|(o, k)| AboutTo { write, object: cell(o, k as u32) }));
                }
            }
        }
        let mut inputs = Vec::new();
        if let Op::Havoc { dst, source } = &edge.op {
            inputs.push((source.clone(), self.machine.registers(&self.state, thread)[dst.0 as usize]));
        }
        let (file, line, column) = place(program, edge.span);
        if let Some(last) = self.steps.last_mut()
            && last.thread == name
            && last.depth == depth
            && (line == 0 || last.line == 0 || (last.line == line && last.file == file))
            && !changes.iter().any(|c| last.changes.iter().any(|x| x.name == c.name))
        {
            if last.line == 0 {
                (last.file, last.line, last.column) = (file, line, column);
                last.statement = statement(program, edge.span);
            }
            if let Some(about_to) = watched {
                last.about_to = about_to;
            }
            last.changes.extend(changes);
            last.inputs.extend(inputs);
            return kind;
        }
        let thread_name = thread_name(program, name);
        let statement = statement(program, edge.span);
        self.steps.push(TraceStep {
            thread: name,
            thread_name,
            file,
            line,
            column,
            statement,
            changes,
            inputs,
            function,
            depth,
            about_to: watched.flatten(),
        });
        kind
    }

    fn trace(mut self, violation: Violated, thread: usize) -> Trace {
        let program = self.machine.program();
        self.recorder.finish(self.machine, &self.state);
        let waiting = if violation == Violated::Deadlock { self.waiting() } else { Vec::new() };
        let t = &self.state.threads[thread];
        let mut at = place(program, self.machine.location(t.name.template, t.loc).span);
        if let Some(first) = waiting.first() {
            at = (first.file.clone(), first.line, first.column);
        }
        if at.1 == 0
            && let Some(last) = self.steps.last()
        {
            at = (last.file.clone(), last.line, last.column);
        }
        let name = |o: &ObjId, k: &u32| {
            let object = &program.objects[o.0 as usize];
            format!("{}{}", object.name, object.cells[*k as usize].1)
        };
        let raced = match &violation {
            Violated::Race(race) => self.notes.other(t.name, race).map(|other| (race, other.clone())),
            _ => None,
        };
        let accesses = match (&raced, self.steps.iter().rev().find(|s| s.thread == t.name)) {
            (Some((race, other)), Some(mine)) => {
                let (file, line, column) = at.clone();
                let mine = if line == 0 {
                    mine.clone()
                } else {
                    let statement = self.statement_at(&file, line);
                    TraceStep { file, line, column, statement, ..mine.clone() }
                };
                self.notes.accesses(self.machine, &self.state, thread, (&mine, race.access), other)
            }
            _ => Vec::new(),
        };
        let race = raced.map(|(_, other)| other);
        let start = self.schedule.start.iter().map(|(o, k, v)| {
            let text = self.recorder.names.cell_value(program, (*o, *k), *v);
            NamedValue { name: name(o, k), number: *v, text }
        });
        let start = start.collect();
        let spans = self.recorder.facts.iter().map(|f| f.span).filter(|s| s.line > 0);
        let texts = spans.map(|s| ((s.file, s.line), statement(program, s))).collect();
        let lost = match violation {
            Violated::Leak { line } => lost::find(self.machine, &self.state, &mut self.recorder, line),
            _ => None,
        };
        Trace {
            lost,
            calls: act::calls(self.machine, &self.state, thread, t.loc),
            start,
            steps: self.steps,
            events: self.events,
            violation,
            files: program.files.clone(),
            place: at,
            thread_name: thread_name(program, t.name),
            thread: thread as u32,
            threads: self.state.threads.iter().map(|t| thread_name(program, t.name)).collect(),
            routines: self.state.threads.iter().map(|t| routine(program, t.name)).collect(),
            handles: self.recorder.handles,
            facts: self.recorder.facts,
            uses: self.recorder.follower.finish(thread),
            texts,
            waiting,
            race,
            accesses,
        }
    }

    /// The text of a line of a file.
    fn statement_at(&self, file: &str, line: u32) -> String {
        let program = self.machine.program();
        let index = program.files.iter().position(|f| f == file).unwrap_or(0);
        statement(program, Span { file: index as u32, line, ..Span::default() })
    }
}

/// The template's name, with the number of the thread where there may be several.
pub(super) fn thread_name(program: &Program, name: ThreadRef) -> String {
    let template = &program.templates[name.template as usize];
    match template.count {
        Count::AtMost(1) => template.name.clone(),
        _ => format!("{}/{}", template.name, name.instance + 1),
    }
}

/// The function that a thread runs.
fn routine(program: &Program, name: ThreadRef) -> String {
    let template = &program.templates[name.template as usize];
    template.inlined.first().map_or(&template.name, |start| &start.function).clone()
}

pub(super) fn place(program: &Program, span: Span) -> (String, u32, u32) {
    match program.files.get(span.file as usize) {
        Some(file) if span.line > 0 => (file.clone(), span.line, span.column),
        _ => (String::new(), 0, 0),
    }
}

fn statement(program: &Program, span: Span) -> String {
    let lines = program.lines.get(span.file as usize);
    lines.map_or_else(String::new, |lines| crate::statement::text(lines, span.line))
}
