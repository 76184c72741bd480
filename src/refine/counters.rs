//! First predicates on counters that go in step.

use crate::aret::precision::{Precision, Thread};
use relyant_frontend::program::Program;
use relyant_horn::linear::{Atom, LinExpr, Norm, Var};
use std::collections::BTreeSet;

/// Counters of a thread that are compared with one global; more are hardly in step.
const MOST_COUNTERS: usize = 6;

/// Adds how the variables of a thread that are compared with the same unwritten global (a bound, an index) relate to
/// each other, as neighbours or equal: they are mostly counters in step, and only that they are rules out more than
/// one round of a loop.
pub fn add(program: &Program, threads: &[Thread], precision: &mut Precision) {
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
                        for a in [Atom::le(&d), Atom::le(&d.negated())] {
                            if let Norm::Atom(a) = a {
                                precision.add_state(i, &a);
                            }
                        }
                    }
                }
            }
        }
    }
}

/// Globals that nobody writes.
pub fn fixed(program: &Program) -> BTreeSet<Var> {
    let edges = program.templates.iter().flat_map(|t| &t.edges);
    let written: BTreeSet<Var> = edges.flat_map(|e| &e.updates).map(|u| u.0).collect();
    let all = (0..program.variables.len() as u32).map(Var);
    all.filter(|v| program.is_global(*v) && !written.contains(v)).collect()
}
