//! A plain walk through all states at which nobody is inside an atomic section: no move is left out.

use relyant_cfa::{Op, Program};
use relyant_interp::candidates::Candidates;
use relyant_interp::machine::{Machine, State};
use relyant_interp::normal::{Normal, NormalOptions, Scratch};
use std::collections::BTreeSet;

pub type States = BTreeSet<Vec<u8>>;

/// What a walk comes upon.
pub struct Found {
    /// All states that violate nothing, packed.
    pub states: States,
    /// Those of which a violation is one move away, or that are one.
    pub doomed: States,
    /// Is there a violation?
    pub wrong: bool,
}

struct Walk<'p> {
    machine: Machine<'p>,
    normal: Normal,
    candidates: Candidates,
    scratch: Scratch,
    complete: bool,
}

impl Walk<'_> {
    fn packed(&mut self, state: &State) -> Vec<u8> {
        let mut bytes = Vec::new();
        self.normal.pack(state, &mut self.scratch, &mut bytes);
        bytes
    }

    /// What whole moves of a thread lead to.
    fn ends(&mut self, state: &State, thread: usize) -> Vec<State> {
        let template = state.threads[thread].name.template;
        let (mut todo, mut ends, mut seen) = (vec![state.clone()], Vec::new(), States::new());
        while let Some(state) = todo.pop() {
            for edge in self.machine.out(&state, thread).to_vec() {
                let mut inputs = vec![None];
                if let Some(Op::Havoc { dst, .. }) = self.machine.edge(template, edge).map(|e| &e.op) {
                    let registers = &self.machine.program().templates[template as usize].registers;
                    let (values, all) =
                        self.candidates.inputs(template, *dst, registers[dst.0 as usize].kind);
                    self.complete &= all;
                    inputs = values.into_iter().map(Some).collect();
                }
                for input in inputs {
                    let mut after = state.clone();
                    if self.machine.step(&mut after, thread, edge, input, &[]).is_err() {
                        continue;
                    }
                    if after.halted || !self.machine.inside_atomic(&after, thread) {
                        ends.push(after);
                    } else if seen.insert(self.packed(&after)) {
                        todo.push(after);
                    }
                }
            }
        }
        ends
    }
}

/// All states of a program; `None`: more than `most`, or not all inputs can be tried.
pub fn walk(program: &Program, symmetry: bool, most: usize) -> Option<Found> {
    let machine = Machine::new(program).unwrap();
    let normal = Normal::new(&machine, NormalOptions { symmetry, keep_dead: false });
    let candidates = Candidates::new(program, 40, 0);
    let mut walk = Walk { machine, normal, candidates, scratch: Scratch::default(), complete: true };
    let (starts, complete) = walk.candidates.starts(&walk.machine);
    let mut found = Found { states: States::new(), doomed: States::new(), wrong: false };
    let mut todo: Vec<State> = starts.iter().map(|s| walk.machine.initial(s, 0).unwrap()).collect();
    while let Some(state) = todo.pop() {
        if walk.machine.violation(&state).is_some() {
            found.wrong = true;
            continue;
        }
        let packed = walk.packed(&state);
        if !found.states.insert(packed.clone()) {
            continue;
        }
        let ends: Vec<State> = (0..state.threads.len()).flat_map(|t| walk.ends(&state, t)).collect();
        let stuck = ends.is_empty() && walk.machine.deadlock(&state, &walk.candidates).is_some();
        if stuck || ends.iter().any(|e| walk.machine.violation(e).is_some()) {
            found.doomed.insert(packed);
        }
        found.wrong |= stuck;
        todo.extend(ends.into_iter().filter(|s| !s.halted));
        if found.states.len() > most || !complete || !walk.complete {
            return None;
        }
    }
    Some(found)
}
