//! What is told of the two accesses of a data race.

use super::{TraceStep, place, thread_name};
use crate::machine::{Machine, State};
use relyant_cfa::{Edge, Expr, ObjId, Op, Race, Use};

/// An access that races.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RacingAccess {
    /// Name of the cell that both access; empty when unknown.
    pub object: String,
    /// How it uses the cell.
    pub access: Use,
    /// Name of the thread.
    pub thread_name: String,
    /// Source file, empty when unknown.
    pub file: String,
    /// Line, 0 when unknown.
    pub line: u32,
    /// Column, 0 when unknown.
    pub column: u32,
    /// Text of the source line.
    pub statement: String,
    /// The calls that led there, the last one first; at the end the thread's start routine.
    pub calls: Vec<ActiveCall>,
    /// Locks that the thread holds alone, in the order in which it took them.
    pub locks: Vec<String>,
    /// Where the thread was created: file, line, column; none for one that runs from the start.
    pub created: Option<(String, u32, u32)>,
}

/// A call that has not returned.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ActiveCall {
    /// Name of the function.
    pub function: String,
    /// Where the call stands: file, line, column; none for a start routine.
    pub called: Option<(String, u32, u32)>,
}

/// Facts that a replay collects on its way.
#[derive(Clone, Default)]
pub(super) struct Notes {
    /// The step of the access that waits: a write, a read.
    watching: [Option<TraceStep>; 2],
    /// Cells that hold a thread's own handle, which it stored there: locks.
    taken: Vec<(usize, ObjId, u32)>,
    /// Who was created where.
    created: Vec<(usize, (String, u32, u32))>,
}

impl Notes {
    /// A step was done; `stored` is the cell it wrote.
    pub(super) fn step(
        &mut self,
        machine: &Machine<'_>,
        (before, after): (&State, &State),
        thread: usize,
        edge: &Edge,
        stored: Option<(ObjId, u32)>,
    ) {
        if let Op::Create { .. } = edge.op
            && after.threads.len() > before.threads.len()
        {
            self.created.push((before.threads.len(), place(machine.program(), edge.span)));
        }
        if let (Some((o, k)), Op::Store(_, value, _)) = (stored, &edge.op) {
            self.taken.retain(|t| (t.1, t.2) != (o, k));
            if *value == Expr::SelfId {
                self.taken.push((thread, o, k));
            }
        }
    }

    /// A thread said what it is about to do, or that it is done with it.
    pub(super) fn watch(&mut self, write: bool, step: Option<TraceStep>) {
        self.watching[usize::from(!write)] = step;
    }

    /// The step of the access of another thread than this one that waits for a race.
    pub(super) fn other(&self, thread: relyant_cfa::schedule::ThreadRef, race: &Race) -> Option<&TraceStep> {
        let all = || self.watching.iter().flatten().filter(|s| s.thread != thread);
        let named = |s: &&TraceStep| s.about_to.as_ref().is_some_and(|a| race.cells.contains(&a.object));
        all().find(named).or_else(|| all().next())
    }

    /// Both accesses: that of the thread that came to the error, and the one that waits.
    pub(super) fn accesses(
        &self,
        machine: &Machine<'_>,
        state: &State,
        thread: usize,
        (mine, access): (&TraceStep, Use),
        other: &TraceStep,
    ) -> Vec<RacingAccess> {
        let index = |s: &TraceStep| state.threads.iter().position(|t| t.name == s.thread);
        let second = other.about_to.as_ref().map_or(Use::Access, |a| a.access());
        let object = other.about_to.as_ref().map_or("", |a| &a.object);
        vec![
            self.access(machine, state, Some(thread), (access, object), mine),
            self.access(machine, state, index(other), (second, object), other),
        ]
    }

    fn access(
        &self,
        machine: &Machine<'_>,
        state: &State,
        thread: Option<usize>,
        (access, object): (Use, &str),
        step: &TraceStep,
    ) -> RacingAccess {
        let program = machine.program();
        let cell = |o: ObjId, k: u32| {
            let object = &program.objects[o.0 as usize];
            format!("{}{}", object.name, object.cells[k as usize].1)
        };
        let of = |t: usize| thread == Some(t);
        RacingAccess {
            object: object.to_string(),
            access,
            calls: thread.map_or_else(Vec::new, |t| calls(machine, state, t)),
            thread_name: thread
                .and_then(|t| state.threads.get(t))
                .map_or_else(|| step.thread_name.clone(), |t| thread_name(program, t.name)),
            file: step.file.clone(),
            line: step.line,
            column: step.column,
            statement: step.statement.clone(),
            locks: self.taken.iter().filter(|t| of(t.0)).map(|t| cell(t.1, t.2)).collect(),
            created: self.created.iter().rev().find(|c| of(c.0)).map(|c| c.1.clone()),
        }
    }
}

/// The calls that a thread is in, the last one first.
fn calls(machine: &Machine<'_>, state: &State, thread: usize) -> Vec<ActiveCall> {
    let program = machine.program();
    let t = &state.threads[thread];
    let template = &program.templates[t.name.template as usize];
    let mut out = Vec::new();
    let mut at = t.loc;
    let mut returns = machine.calls(state, thread);
    loop {
        let mut call = template.graph.locations.get(at.0 as usize).map_or(0, |l| l.inlined);
        // Callers come before the calls that were inlined in them.
        while let Some(c) = template.inlined.get(call as usize) {
            let (caller, span) = c.caller;
            let stands = place(program, span);
            if stands.1 == 0 {
                out.push(ActiveCall { function: c.function.clone(), called: None });
                break;
            }
            out.push(ActiveCall { function: c.function.clone(), called: Some(stands) });
            if caller >= call {
                break;
            }
            call = caller;
        }
        let Some(e) = returns.next().and_then(|e| machine.edge(t.name.template, e)) else { break };
        if let Some(last) = out.last_mut() {
            last.called = Some(place(program, e.span));
        }
        at = e.from;
    }
    out
}
