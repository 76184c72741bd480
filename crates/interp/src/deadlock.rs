//! Is a state a deadlock: no thread can move, and some thread has not ended?
//!
//! Atomic sections are taken whole or not at all, so that a thread may be stuck some steps into one. Where it is
//! stuck at something the program assumes, or by undefined behaviour, the run is none of the program's.

use super::candidates::Candidates;
use super::machine::{Machine, RunEnd, State, Stop, Violation};
use relyant_cfa::{LocationKind, Op, Violated};

/// What a thread can do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Standing {
    Moves,
    Waits,
    /// Only what the program assumes keeps it from moving.
    Assumed,
    /// The search for a move met a limit.
    Unknown,
}

/// Steps tried to find a move of one thread.
const MAX_STEPS: usize = 5000;

/// States inside an atomic section that are compared with each other, to see loops.
const MAX_SEEN: usize = 200;

impl Machine<'_> {
    /// A deadlock, if the state is one and the program is to have none. The thread is the first that waits; all
    /// that have not ended do.
    pub fn deadlock(&self, state: &State, inputs: &Candidates) -> Option<Violation> {
        if !self.program().deadlock || state.halted {
            return None;
        }
        let alive = |i: &usize| state.threads[*i].ended.is_none();
        let first = (0..state.threads.len()).find(alive)?;
        let waits = |i: usize| self.standing(state, i, inputs) == Standing::Waits;
        (first..state.threads.len())
            .filter(alive)
            .all(waits)
            .then_some(Violation { found: RunEnd::Violated(Violated::Deadlock), thread: first })
    }

    /// Is there a thread that can move, or that only what the program assumes keeps from it? A state in which no
    /// thread can move is no deadlock then. Neither this nor a deadlock: it is not known.
    pub fn is_excused(&self, state: &State, inputs: &Candidates) -> bool {
        let alive = (0..state.threads.len()).filter(|i| state.threads[*i].ended.is_none());
        let excused = |i| matches!(self.standing(state, i, inputs), Standing::Moves | Standing::Assumed);
        alive.into_iter().any(excused)
    }

    fn standing(&self, state: &State, thread: usize, inputs: &Candidates) -> Standing {
        let template = state.threads[thread].name.template;
        let (mut waits, mut assumed, mut limited) = (false, false, false);
        let mut seen: Vec<State> = Vec::new();
        let mut todo = vec![state.clone()];
        let mut steps = 0;
        while let Some(state) = todo.pop() {
            let loc = state.threads[thread].loc;
            let mut stuck = true;
            for &edge in self.out(&state, thread) {
                if self.is_blocked(&state, thread, edge) {
                    continue;
                }
                let mut values = vec![None];
                if let Some(Op::Havoc { dst, .. }) = self.edge(template, edge).map(|e| &e.op) {
                    let kind = self.program().templates[template as usize].registers[dst.0 as usize].kind;
                    let (all, complete) = inputs.inputs(template, *dst, kind);
                    limited |= !complete;
                    values = all.into_iter().map(Some).collect();
                }
                if let Some((o, k)) = self.chosen_by(&state, thread, edge) {
                    let kind = self.program().objects[o.0 as usize].cells[k as usize].0;
                    let (all, complete) = inputs.cell(o, kind);
                    limited |= !complete;
                    values = all.into_iter().map(Some).collect();
                }
                for input in values {
                    steps += 1;
                    if steps > MAX_STEPS {
                        return Standing::Unknown;
                    }
                    let mut after = state.clone();
                    match self.step(&mut after, thread, edge, input, &[]) {
                        Err(Stop::Blocked) => continue,
                        Err(_) => {
                            stuck = false;
                            assumed = true;
                            continue;
                        }
                        Ok(()) => stuck = false,
                    }
                    let kind = &self.location(template, after.threads[thread].loc).kind;
                    if after.halted || *kind != LocationKind::Normal || !self.inside_atomic(&after, thread) {
                        return Standing::Moves;
                    }
                    if seen.contains(&after) {
                        // A loop that goes on for ever inside the section is a way to wait, too.
                        waits = true;
                    } else if seen.len() < MAX_SEEN {
                        seen.push(after.clone());
                        todo.push(after);
                    } else {
                        return Standing::Unknown;
                    }
                }
            }
            // A thread that was not created for want of room is waited for as long as the bound is there, no longer.
            let nobody = |e: &u32| {
                matches!(self.edge(template, *e).map(|e| &e.op), Some(Op::Join { .. }))
                    && self.awaited(&state, thread, *e).is_none()
            };
            let unmade = self.program().max_threads.is_some() && self.out(&state, thread).iter().any(nobody);
            if stuck && (unmade || self.location(template, loc).assumes) {
                assumed = true;
            } else if stuck {
                waits = true;
            }
        }
        match (limited, waits, assumed) {
            (true, ..) => Standing::Unknown,
            (_, true, _) => Standing::Waits,
            (_, false, true) => Standing::Assumed,
            // No way to be stuck was found.
            (_, false, false) => Standing::Unknown,
        }
    }
}
