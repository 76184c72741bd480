//! The threads that have not ended in a deadlock: where they are, and for what they wait.

use super::{Replayer, place, statement, thread_name};
use crate::fact::Blocked;
use crate::machine::State;
use relyant_cfa::Op;

/// Where a thread waits in a deadlock.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Waiting {
    /// Name of the thread.
    pub thread_name: String,
    /// The same, by its number.
    pub thread: u32,
    /// Source file, empty when unknown.
    pub file: String,
    /// Line, 0 when unknown.
    pub line: u32,
    /// Column, 0 when unknown.
    pub column: u32,
    /// Text of the source line.
    pub statement: String,
    /// For what it waits, where that can be told.
    pub blocked: Option<Blocked>,
}

/// Steps that lead from where a thread stands to what it waits for.
const MAX_STEPS: usize = 100;

impl Replayer<'_, '_> {
    /// The threads that have not ended, and where they are.
    pub(super) fn waiting(&mut self) -> Vec<Waiting> {
        let program = self.machine.program();
        let alive: Vec<usize> =
            (0..self.state.threads.len()).filter(|i| self.state.threads[*i].ended.is_none()).collect();
        let mut all = Vec::new();
        for i in alive {
            let t = &self.state.threads[i];
            let here = self.machine.location(t.name.template, t.loc).span;
            let next = self.machine.out(&self.state, i).first();
            let next = next.and_then(|e| self.machine.edge(t.name.template, *e)).map(|e| e.span);
            let span = next.filter(|s| s.line > 0).unwrap_or(here);
            let (file, line, column) = place(program, span);
            let thread_name = thread_name(program, t.name);
            let (statement, blocked) = (statement(program, span), self.blocked(i));
            all.push(Waiting { thread_name, thread: i as u32, file, line, column, statement, blocked });
        }
        all
    }

    /// What keeps a thread from going on: the last cell that it reads before it is stuck, or the thread that it joins.
    fn blocked(&mut self, thread: usize) -> Option<Blocked> {
        let mut todo: Vec<(State, Option<(relyant_cfa::ObjId, u32)>)> = vec![(self.state.clone(), None)];
        let mut steps = 0;
        while let Some((state, seen)) = todo.pop() {
            let mut stuck = true;
            for &edge in self.machine.out(&state, thread) {
                if let Some(joined) = self.machine.awaited(&state, thread, edge) {
                    return Some(Blocked::End(joined as u32));
                }
                let mut after = state.clone();
                if self.machine.step(&mut after, thread, edge, None, &self.schedule.start).is_err() {
                    continue;
                }
                stuck = false;
                steps += 1;
                let template = state.threads[thread].name.template;
                let loads = self.machine.edge(template, edge).is_some_and(|e| matches!(e.op, Op::Load(..)));
                let read = if loads { self.machine.accessed(&state, thread, edge) } else { None };
                todo.push((after, read.or(seen)));
            }
            if let (true, Some((o, k))) = (stuck, seen) {
                let value = self.machine.value(&state, thread, (o, k))?;
                return Some(self.recorder.blocked(self.machine.program(), (o, k), value));
            }
            if steps > MAX_STEPS {
                return None;
            }
        }
        None
    }
}
