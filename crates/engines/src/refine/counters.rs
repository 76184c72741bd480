//! First predicates on counters: those that go in step, and counts of threads.

use crate::aret::precision::{Precision, Thread};
use relyant_linear::{Atom, LinExpr, Norm, Var};
use relyant_program::{Ghost, Origin, Program, Role, Scope};
use std::collections::BTreeSet;

/// Counters of a thread that are compared with one global; more are hardly in step.
const MOST_COUNTERS: usize = 6;

/// Adds how the variables of a thread that are compared with the same unwritten global (a bound, an index) relate to
/// each other, as neighbours or equal: they are mostly counters in step, and only that they are rules out more than
/// one round of a loop.
pub fn in_step(program: &Program, threads: &[Thread], precision: &mut Precision) {
    let fixed = fixed(program);
    for (i, t) in threads.iter().enumerate() {
        let edges = &program.templates[t.template as usize].edges;
        let is_state = |v: &Var| (v.0 as usize) < program.variables.len() && !fixed.contains(v);
        for with in &fixed {
            let mut class: BTreeSet<Var> = BTreeSet::new();
            for a in edges.iter().flat_map(|e| e.guard.atoms()) {
                let vars: Vec<Var> = a.vars().collect();
                if let [x, y] = vars[..]
                    && (x == *with || y == *with)
                {
                    class.extend([x, y].into_iter().filter(is_state));
                }
            }
            loop {
                let before = class.len();
                for (v, e) in edges.iter().flat_map(|e| &e.updates) {
                    let source = match e.terms() {
                        [(x, k)] if k.is_one() && is_state(x) => *x,
                        _ => continue,
                    };
                    if class.contains(v) || class.contains(&source) {
                        class.extend([*v, source]);
                    }
                }
                if class.len() == before {
                    break;
                }
            }
            if class.len() > MOST_COUNTERS {
                continue;
            }
            let class: Vec<Var> = class.into_iter().collect();
            for (n, x) in class.iter().enumerate() {
                for y in &class[n + 1..] {
                    for c in [-1, 0, 1] {
                        let d = LinExpr::var(*x).sub(&LinExpr::var(*y)).add(&LinExpr::int(c));
                        for a in compare(&d) {
                            precision.add_state(i, &a);
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
    if ghosts.is_empty() {
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
fn compare(d: &LinExpr) -> impl Iterator<Item = Atom> {
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

/// Globals that nobody writes.
pub fn fixed(program: &Program) -> BTreeSet<Var> {
    let edges = program.templates.iter().flat_map(|t| &t.edges);
    let written: BTreeSet<Var> = edges.flat_map(|e| &e.updates).map(|u| u.0).collect();
    let all = (0..program.variables.len() as u32).map(Var);
    all.filter(|v| program.is_global(*v) && !written.contains(v)).collect()
}
