//! Whether some run comes to its end at all: where each one stops before, at an assumption or an undefined step, a program
//! is safe whatever it does.

use relyant_cfa::{LocationKind, Op, Program, Violated};
use relyant_interp::Exploration;
use relyant_interp::explore::{Options, explore};

/// States that are looked at.
const STATES: usize = 3000;

/// What is said where none does.
const NOTE: &str = "NO RUN COMES TO ITS END: each one stops at an assumption or at an undefined step, waits for ever or \
                    goes on for ever";

/// A line for the report, if no run comes to its end and something is assumed.
pub(super) fn note(program: &Program, cancel: &dyn Fn() -> bool) -> Option<String> {
    let assumed = program.templates.iter().flat_map(|t| &t.graph.locations).any(|l| l.assumes);
    if program.approximate || !(assumed || may_be_undefined(program)) {
        return None;
    }
    let mut p = program.clone();
    (p.deadlock, p.exclusive) = (false, None);
    for t in &mut p.templates {
        for i in 0..t.graph.edges.len() {
            let ends = match t.graph.edges[i].op {
                Op::Halt => true,
                Op::ThreadExit(_) => t.initial,
                _ => false,
            };
            if ends {
                let end = t.graph.add_location(t.graph.edges[i].span);
                t.graph.locations[end.0 as usize].kind = LocationKind::Error(Violated::End);
                (t.graph.edges[i].op, t.graph.edges[i].to) = (Op::Skip, end);
            }
        }
    }
    let options = Options {
        max_states: STATES,
        max_steps: 10 * STATES,
        eager_local: true,
        symmetry: true,
        ..Options::default()
    };
    match explore(&p, &options, cancel) {
        Ok(Exploration::Exhausted { complete: true, .. }) => Some(NOTE.into()),
        _ => None,
    }
}

/// Does it do what C may leave undefined?
fn may_be_undefined(program: &Program) -> bool {
    const LINES: [&str; 4] = [
        "signed arithmetic does not",
        "nothing is divided",
        "shifts are by less",
        "pointers and indices stay",
    ];
    program.assumes.iter().any(|a| LINES.iter().any(|l| a.starts_with(l)))
}
