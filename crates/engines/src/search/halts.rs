//! Threads that may be about to end the program: a test of what others have yet to do, as `if (!ready) abort();`, is one of a run
//! that is not meant. Random runs let all others go first.

use relyant_cfa::{Callee, Op, Program};
use relyant_interp::machine::State;

/// Steps to the end of the program that are looked at.
const STEPS: usize = 6;

/// Where the program may end in a few steps.
pub(super) struct Halts {
    /// By template and location.
    soon: Vec<Vec<bool>>,
}

impl Halts {
    pub(super) fn new(program: &Program) -> Halts {
        let mut soon: Vec<Vec<bool>> =
            program.templates.iter().map(|t| vec![false; t.graph.locations.len()]).collect();
        for _ in 0..STEPS {
            let before = soon.clone();
            for (t, template) in program.templates.iter().enumerate() {
                let entered = |callee: &Callee| match callee {
                    Callee::Known(f) => {
                        let called = template.procedures.iter().find(|p| p.function == *f);
                        called.is_some_and(|p| before[t][p.entry.0 as usize])
                    }
                    Callee::Pointer(_) => false,
                };
                for e in &template.graph.edges {
                    soon[t][e.from.0 as usize] |= match &e.op {
                        Op::Halt => true,
                        Op::Call { callee, .. } => entered(callee),
                        _ => before[t][e.to.0 as usize],
                    };
                }
            }
        }
        Halts { soon }
    }

    /// May the program end in the next steps of a thread?
    pub(super) fn soon(&self, state: &State, thread: usize) -> bool {
        let t = &state.threads[thread];
        let all = self.soon.get(t.name.template as usize);
        all.and_then(|all| all.get(t.loc.0 as usize)) == Some(&true)
    }
}
