//! First predicates on counts of threads.
//!
//! Differences of all counters that are compared with the same unwritten global were first predicates, too; no program of ours
//! or of the suites needed them.
//!
//! Reach: what [`relyant_program::ghosts::counts`] counts.

use crate::aret::precision::{Precision, Thread};
use relyant_linear::{Atom, LinExpr, Norm, Var};
use relyant_program::{Ghost, Origin, Program, Role, Scope};

/// Adds the differences of counted threads (see the front end's `reduce/counts.rs`) to the other variables that move
/// and that a thread sees: which of the two is larger, before and after a step of others. Without them refinement
/// finds how a count relates to numbers, one after the other.
pub fn counts(program: &Program, threads: &[Thread], precision: &mut Precision) {
    let all = || (0..program.variables.len() as u32).map(Var);
    let ghosts: Vec<Var> = all().filter(|v| is_count(program, *v)).collect();
    // Where a thread is chosen, it is known how counts and counters of loops belong together.
    if ghosts.is_empty() || program.chosen {
        return;
    }
    let others: Vec<Var> = all().filter(|v| compared(program, *v) || ghosts.contains(v)).collect();
    let after = |v: Var| Role::After(v).expr();
    for (i, t) in threads.iter().enumerate() {
        let own = |v: Var| {
            program.is_global(v) || program.variables[v.0 as usize].scope == Scope::Local(t.template)
        };
        for (k, ghost) in ghosts.iter().enumerate() {
            let mut between: Vec<Atom> = Vec::new();
            for v in others.iter().filter(|v| own(**v) && !ghosts[..=k].contains(v)) {
                let d = LinExpr::var(*ghost).sub(&LinExpr::var(*v));
                for a in compare(&d) {
                    precision.add_state(i, &a);
                }
                if program.is_global(*v) {
                    between.extend(compare(&after(*ghost).sub(&after(*v))));
                }
            }
            // It grows.
            between.extend(compare(&LinExpr::var(*ghost).sub(&after(*ghost))).take(1));
            for (a, j) in between.iter().flat_map(|a| (0..threads.len()).map(move |j| (a, j))) {
                precision.add_transition(i, j, a);
            }
        }
    }
}

/// `d <= 0` and `d >= 0`.
pub(super) fn compare(d: &LinExpr) -> impl Iterator<Item = Atom> {
    let atom = |n| match n {
        Norm::Atom(a) => Some(a),
        _ => None,
    };
    [Atom::le(d), Atom::le(&d.negated())].into_iter().filter_map(atom)
}

/// Does the variable count threads?
pub fn is_count(program: &Program, v: Var) -> bool {
    let origin = program.variables.get(v.0 as usize).map(|x| x.origin);
    matches!(origin, Some(Origin::Ghost(Ghost::Created | Ghost::Counted)))
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
