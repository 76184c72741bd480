//! Runs a program of one thread in the interpreter.

use relyant_cfa::Program;
use relyant_interp::machine::{Machine, State, Stop};

/// How a run of one thread ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ended {
    /// The program or its thread ended.
    Normally,
    /// No step can be done.
    Stuck(Stop),
    /// As many steps were done as are allowed.
    Limit,
}

/// Runs a program of one thread, taking the first step that can be done each time.
pub fn run(program: &Program, max_steps: usize) -> Result<(State, Ended), Stop> {
    let machine = Machine::new(program)?;
    let mut state = machine.initial(&[], 1)?;
    for _ in 0..max_steps {
        if state.halted || state.threads.iter().all(|t| t.ended.is_some()) {
            return Ok((state, Ended::Normally));
        }
        let mut stop = Stop::Blocked;
        let mut moved = false;
        for edge in machine.out(&state, 0).to_vec() {
            match machine.step(&mut state, 0, edge, None, &[]) {
                Ok(()) => {
                    moved = true;
                    break;
                }
                Err(Stop::Blocked) => {}
                Err(why) => stop = why,
            }
        }
        if !moved {
            return Ok((state, Ended::Stuck(stop)));
        }
    }
    Ok((state, Ended::Limit))
}

/// The value of a global variable at the end.
pub fn value(program: &Program, state: &State, name: &str) -> Option<i128> {
    let machine = Machine::new(program).ok()?;
    let object = program.objects.iter().position(|o| o.name == name)?;
    machine.shared_cells(state).find(|(o, _, _)| o.0 as usize == object).map(|(_, _, v)| v)
}
