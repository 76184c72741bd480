//! First predicates: what the guards test, and the opposite. Found to save a quarter to a half of the refinements.

use crate::aret::precision::{Precision, Thread};
use crate::proof::PRIME;
use relyant_frontend::program::{Origin, Program, Scope};
use relyant_horn::linear::{Atom, LinExpr, Norm, Var};

/// Adds the guard atoms of each thread over globals alone or over one local, and their negations, as state predicates;
/// those over globals also as transition predicates of the thread's environment transitions. Other guards of a driver
/// have mostly nothing to do with the property. Globals that nobody writes count as constants.
pub fn guards(program: &Program, threads: &[Thread], precision: &mut Precision) {
    let fixed = super::counters::fixed(program);
    for (i, t) in threads.iter().enumerate() {
        for edge in &program.templates[t.template as usize].edges {
            for atom in edge.guard.atoms() {
                if atom.vars().any(|v| v.0 as usize >= program.variables.len()) {
                    continue;
                }
                if atom.vars().any(|v| !program.is_global(v))
                    && atom.vars().filter(|v| !fixed.contains(v)).count() > 1
                {
                    continue;
                }
                for a in both(atom) {
                    precision.add_state(i, &a);
                    if a.vars().all(|v| program.is_global(v)) {
                        for j in 0..threads.len() {
                            precision.add_transition(i, j, &a);
                        }
                    }
                }
            }
        }
    }
}

/// Adds the differences of counted threads (see the front end's `reduce/counts.rs`) to the other variables that move
/// and that a thread sees: which of the two is larger, before and after a step of others. Without them refinement
/// finds how a count relates to numbers, one after the other.
pub fn counts(program: &Program, threads: &[Thread], precision: &mut Precision) {
    let all = || (0..program.variables.len() as u32).map(Var);
    let ghosts: Vec<Var> = all().filter(|v| is_count(program, *v)).collect();
    let others: Vec<Var> = all().filter(|v| compared(program, *v) || ghosts.contains(v)).collect();
    let after = |v: Var| LinExpr::var(Var(v.0 + PRIME));
    for (i, t) in threads.iter().enumerate() {
        let own = |v: Var| {
            program.is_global(v) || program.variables[v.0 as usize].scope == Scope::Local(t.template)
        };
        for (k, ghost) in ghosts.iter().enumerate() {
            for v in others.iter().filter(|v| own(**v) && !ghosts[..=k].contains(v)) {
                let d = LinExpr::var(*ghost).sub(&LinExpr::var(*v));
                for e in [&d, &d.negated()] {
                    let Norm::Atom(a) = Atom::le(e) else { continue };
                    precision.add_state(i, &a);
                }
                if program.is_global(*v) {
                    let d = after(*ghost).sub(&after(*v));
                    for e in [&d, &d.negated()] {
                        let Norm::Atom(a) = Atom::le(e) else { continue };
                        (0..threads.len()).for_each(|j| {
                            precision.add_transition(i, j, &a);
                        });
                    }
                }
            }
            if let Norm::Atom(grows) = Atom::le(&LinExpr::var(*ghost).sub(&after(*ghost))) {
                (0..threads.len()).for_each(|j| {
                    precision.add_transition(i, j, &grows);
                });
            }
        }
    }
}

/// Does the variable count threads?
pub fn is_count(program: &Program, v: Var) -> bool {
    program.is_global(v)
        && program.variables.get(v.0 as usize).is_some_and(|x| x.origin == Origin::Ghost && x.max.is_none())
        && moves(program, v)
}

/// Is the variable ever set to another one and a constant?
fn moves(program: &Program, v: Var) -> bool {
    program.templates.iter().flat_map(|t| &t.edges).flat_map(|e| &e.updates).any(|(w, x)| {
        *w == v && matches!(x.terms(), [(y, c)] if c.is_one() && (y.0 as usize) < program.variables.len())
    })
}

/// Does it move, or is it compared with a variable that does?
fn compared(program: &Program, v: Var) -> bool {
    moves(program, v)
        || program.templates.iter().flat_map(|t| &t.edges).flat_map(|e| e.guard.atoms()).any(|a| {
            a.vars().count() == 2 && a.vars().any(|x| x == v) && a.vars().any(|x| x != v && moves(program, x))
        })
}

fn both(atom: &Atom) -> Vec<Atom> {
    let mut all = vec![atom.clone()];
    all.extend(atom.negate().into_iter().filter_map(|n| match n {
        Norm::Atom(a) => Some(a),
        _ => None,
    }));
    all
}
