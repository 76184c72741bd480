//! The automaton of bad configurations: some thread is at an error, or two are at the exclusive label.
//!
//! Deterministic, and its transitions for parallel composition are associative and commutative.

use super::rules::{Rules, Symbol};
use crate::timbuk::{Automaton, OpId, Place, StateId, Transition};

const OK: StateId = StateId(0);
const ERROR: StateId = StateId(1);
const BAD: StateId = StateId(2);
const INSIDE: StateId = StateId(3);

/// Accepts configurations with an error.
pub(super) fn errors(rules: &Rules<'_, '_>) -> Automaton {
    let program = rules.model.program;
    let mut states = vec!["ok".to_string(), "error".into(), "bad".into()];
    let mut members = vec![OK, ERROR];
    let exclusive = program.exclusive.as_deref();
    if exclusive.is_some() {
        states.push("inside".into());
        members.push(INSIDE);
    }
    // the state of a term that has one member with a say
    let mut transitions = Vec::new();
    let mut add = |op: OpId, args: Vec<StateId>, to: StateId| transitions.push(Transition::Op(op, args, to));
    for (symbol, id) in &rules.symbols {
        let arity = rules.system.op(*id).arity as usize;
        let with = |k: usize, q: StateId| (0..arity).map(|i| if i == k { q } else { OK }).collect::<Vec<_>>();
        match symbol {
            Symbol::Error(..) => add(*id, Vec::new(), ERROR),
            Symbol::Point(t, l) => {
                let labels = &program.templates[*t].graph.locations[l.0 as usize].labels;
                let inside = exclusive.is_some_and(|x| labels.iter().any(|y| y == x));
                add(*id, with(0, OK), if inside { INSIDE } else { OK });
            }
            Symbol::Thread(_) => members.iter().for_each(|q| add(*id, with(0, *q), *q)),
            Symbol::Stack => members.iter().for_each(|q| add(*id, with(1, *q), *q)),
            Symbol::Par => {
                for a in &members {
                    for b in &members {
                        let to = match (*a, *b) {
                            (ERROR, _) | (_, ERROR) | (INSIDE, INSIDE) => ERROR,
                            (INSIDE, _) | (_, INSIDE) => INSIDE,
                            _ => OK,
                        };
                        add(*id, vec![*a, *b], to);
                    }
                }
            }
            Symbol::Root => {
                for q in &members {
                    add(*id, with(0, *q), if *q == ERROR { BAD } else { OK });
                }
            }
            _ => add(*id, with(0, OK), OK),
        }
    }
    transitions.sort_by_key(|t| match t {
        Transition::Op(op, args, to) => (*op, args.clone(), *to),
        Transition::Epsilon(p, q) => (OpId(u32::MAX), vec![*p], *q),
    });
    Automaton { name: "Bad".into(), states, finals: vec![BAD], transitions, place: Place::default() }
}
