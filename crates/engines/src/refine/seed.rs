//! First predicates: what the guards test, and the opposite. In a prototype they saved 25 to 45 % of the
//! refinements, and lost no modular proof.
//!
//! A case of predicates from the program's text. Reach: guards over globals alone or one local. Needed by `unbounded/prng_lock.c`.

use crate::aret::precision::{Precision, Thread};
use relyant_linear::{Atom, Norm, Rat, Rel, Var};
use relyant_program::{Program, Scope};
use std::collections::BTreeSet;

/// Adds the guard atoms of each thread over globals alone or over one local, and their negations, as state predicates;
/// those over globals also as transition predicates of the thread's environment transitions. Other guards of a driver
/// have mostly nothing to do with the property. Globals that nobody writes count as constants.
///
/// Tried, and lost: those of threads that say whether they are at the tracked index. With them `slots/rooms.c` has 1,439 states in place of
/// 289 and takes three times as long; `slots/drawers.c` has 140 in place of 216, and takes a fifth less.
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
    let [(v, k)] = a.expr().terms() else { return false };
    let x = &program.variables[v.0 as usize];
    let (least, most) = if k.is_positive() { (x.min, x.max) } else { (x.max, x.min) };
    let at = |end: Option<i128>| end.map(|n| a.expr().eval(|_| Rat::from(n)));
    let never = at(least).is_some_and(|e| e.is_positive());
    match a.rel() {
        Rel::Le => never || at(most).is_some_and(|e| !e.is_positive()),
        Rel::Eq => never || at(most).is_some_and(|e| e.is_negative()) || (least == most && least.is_some()),
    }
}

/// Globals that nobody writes.
pub(super) fn fixed(program: &Program) -> BTreeSet<Var> {
    let edges = program.templates.iter().flat_map(|t| &t.edges);
    let written: BTreeSet<Var> = edges.flat_map(|e| &e.updates).map(|u| u.0).collect();
    let all = (0..program.variables.len() as u32).map(Var);
    all.filter(|v| program.is_global(*v) && !written.contains(v)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::program;
    use relyant_linear::LinExpr;

    #[test]
    fn types_decide_comparisons_with_their_bounds() {
        let mut p = program("x y", &[("one", "", "a>b: x == y")]);
        (p.variables[0].min, p.variables[0].max) = (Some(0), Some(3));
        let (x, y) = (LinExpr::var(Var(0)), LinExpr::var(Var(1)));
        let says = |n: Norm| match n {
            Norm::Atom(a) => decided(&p, &a),
            other => panic!("{other:?}"),
        };
        let n = |n| LinExpr::int(n);
        assert!(says(Atom::le(&x.sub(&n(3)))) && says(Atom::le(&x.negated())));
        assert!(says(Atom::lt(&x)) && says(Atom::eq(&x.sub(&n(4)))));
        assert!(!says(Atom::le(&x.sub(&n(2)))) && !says(Atom::eq(&x.sub(&n(3)))));
        assert!(!says(Atom::le(&y)) && !says(Atom::le(&x.sub(&y))));
    }
}
