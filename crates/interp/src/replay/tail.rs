//! The end of a run: a deadlock, or a violation that a few more steps lead to which no other thread can see.

use super::{MAX_INPUTS, MAX_TAIL, Replayer};
use crate::candidates::Candidates;
use crate::machine::{State, Violation};

impl Replayer<'_, '_> {
    /// Is the last state a deadlock?
    pub(super) fn deadlock(&self) -> Option<Violation> {
        let program = self.machine.program();
        if !program.deadlock {
            return None;
        }
        self.machine.deadlock(&self.state, &Candidates::new(program, MAX_INPUTS, 0))
    }

    /// Looks for a violation that only local steps lead to, and does them.
    pub(super) fn finish(&mut self) -> Option<Violation> {
        let threads = self.state.threads.len();
        let label = self.machine.program().exclusive.is_some();
        let mut labelled: Vec<Vec<(u32, Option<i128>)>> = Vec::new();
        for thread in 0..threads {
            if self.interrupts(thread) {
                continue;
            }
            for path in self.tails(thread) {
                let mut state = self.state.clone();
                if !self.all_enabled(&mut state, thread, &path) {
                    continue;
                }
                if self.machine.violation(&state).is_some() {
                    self.run_tail(thread, &path);
                    return self.machine.violation(&self.state);
                }
                // Two threads may each have a few steps to go to their labels.
                if label && labelled.len() <= thread {
                    labelled.resize(thread, Vec::new());
                    labelled.push(path);
                }
            }
        }
        labelled.resize(threads, Vec::new());
        for (a, first) in labelled.iter().enumerate() {
            for (b, second) in labelled.iter().enumerate().skip(a + 1) {
                let mut state = self.state.clone();
                if !first.is_empty()
                    && !second.is_empty()
                    && self.all_enabled(&mut state, a, first)
                    && self.all_enabled(&mut state, b, second)
                    && self.machine.violation(&state).is_some()
                {
                    self.run_tail(a, first);
                    self.run_tail(b, second);
                    return self.machine.violation(&self.state);
                }
            }
        }
        None
    }

    fn all_enabled(&self, state: &mut State, thread: usize, path: &[(u32, Option<i128>)]) -> bool {
        path.iter().all(|(e, v)| self.machine.step(state, thread, *e, *v, &self.schedule.start).is_ok())
    }

    fn run_tail(&mut self, thread: usize, path: &[(u32, Option<i128>)]) {
        for (edge, input) in path {
            if self.step(thread, *edge, *input).is_err() {
                return;
            }
        }
    }

    /// Paths of local steps of a thread to locations that a property speaks of.
    fn tails(&self, thread: usize) -> Vec<Vec<(u32, Option<i128>)>> {
        let mut found = Vec::new();
        let mut todo = vec![(self.state.clone(), Vec::new())];
        let mut steps = 0;
        while let Some((state, path)) = todo.pop() {
            let t = state.threads[thread];
            let template = t.name.template;
            if t.ended.is_some() || state.halted {
                continue;
            }
            for &edge in self.machine.out(&state, thread) {
                steps += 1;
                if steps > MAX_TAIL {
                    return found;
                }
                let mut after = state.clone();
                if !self.machine.is_local(template, edge)
                    || self.machine.step(&mut after, thread, edge, None, &self.schedule.start).is_err()
                {
                    continue;
                }
                let mut path: Vec<(u32, Option<i128>)> = path.clone();
                path.push((edge, None));
                if self.machine.is_watched(template, after.threads[thread].loc) {
                    found.push(path.clone());
                }
                todo.push((after, path));
            }
        }
        found
    }
}
