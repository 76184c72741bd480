//! First predicates: what the guards test, and the opposite. In a prototype they saved 25 to 45 % of the
//! refinements, and lost no modular proof.
//!
//! A case of predicates from the program's text. Reach: guards over globals alone or one local. Needed by `unbounded/prng_lock.c`.

use crate::aret::precision::{Precision, Thread};
use relyant_linear::{Atom, Cube, Norm, Var};
use relyant_program::edges::bounds::feasible;
use relyant_program::{Program, Scope};
use std::collections::BTreeSet;

/// Adds the guard atoms of each thread over globals alone or over one local, and their negations, as state predicates;
/// those over globals also as transition predicates of the thread's environment transitions. Other guards of a driver
/// have mostly nothing to do with the property. Globals that nobody writes count as constants.
///
/// Tried, and lost: those of threads that say whether they are at the tracked index. Of a lock in each element (`slots/rooms.c`) they make
/// three to nine times the work.
pub fn guards(program: &Program, threads: &[Thread], precision: &mut Precision) {
    let fixed = fixed(program);
    for (i, t) in threads.iter().enumerate() {
        if program.tells_index(t.template) {
            continue;
        }
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
                for a in both(atom).into_iter().filter(|a| !decided(program, a)) {
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

/// Adds equalities, as state predicates of the threads that have their variables.
pub fn equal(program: &Program, threads: &[Thread], atoms: &[Atom], precision: &mut Precision) {
    for (i, t) in threads.iter().enumerate() {
        for a in atoms.iter().filter(|a| has(program, t, a)) {
            precision.add_state(i, a);
        }
    }
}

/// Does a thread have all variables of a comparison?
pub(super) fn has(program: &Program, t: &Thread, a: &Atom) -> bool {
    a.vars().all(|v| match program.variables.get(v.0 as usize).map(|v| v.scope) {
        Some(Scope::Global) => true,
        Some(Scope::Local(template)) => template == t.template,
        None => false,
    })
}

/// A comparison and its negations.
pub(super) fn both(atom: &Atom) -> Vec<Atom> {
    let mut all = vec![atom.clone()];
    all.extend(atom.negate().into_iter().filter_map(|n| match n {
        Norm::Atom(a) => Some(a),
        _ => None,
    }));
    all
}

/// Is the comparison true or false for all values that its one variable may have?
fn decided(program: &Program, a: &Atom) -> bool {
    let one = |a: &Atom| Cube::of([Norm::Atom(a.clone())]);
    a.expr().terms().len() == 1
        && (!feasible(program, &one(a)) || !both(a).iter().skip(1).any(|n| feasible(program, &one(n))))
}

/// Globals that nobody writes.
pub(super) fn fixed(program: &Program) -> BTreeSet<Var> {
    let edges = program.templates.iter().flat_map(|t| &t.edges);
    let written: BTreeSet<Var> = edges.flat_map(|e| &e.updates).map(|u| u.0).collect();
    let all = (0..program.variables.len() as u32).map(Var);
    all.filter(|v| program.is_global(*v) && !written.contains(v)).collect()
}
