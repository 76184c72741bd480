//! First predicates where a thread is chosen of many: has a loop come to the chosen one yet?
//!
//! What is known of all threads that a loop has come to is told of the chosen one: its argument, the index of its slot, and the place
//! of its handle are below the loop's counter. A path of few rounds is ruled out by the number of rounds, and refinement goes on to the next
//! round.
//!
//! Reach: programs with chosen threads, counters of loops against what nobody writes and against places of handles.

use super::counts::{compare, is_count};
use super::seed::{fixed, has};
use crate::aret::precision::{Precision, Thread};
use relyant_linear::{Atom, LinExpr, Norm, Rat, Rel, Var};
use relyant_program::{Ghost, Loc, Origin, Program, Role, Scope};
use std::collections::BTreeSet;

/// Start values this far from a parameter are taken to follow from it.
const NEAR: i128 = 2;

/// The loops of a thread.
struct Loops {
    /// Locals that some step increases by a constant.
    counters: Vec<Var>,
    /// What counters go up to.
    limits: Vec<Var>,
}

/// Adds how counters of loops compare with globals that nobody writes, with places of handles, and with what the threads they have created
/// have counted and have still to count.
pub fn chosen(program: &Program, threads: &[Thread], precision: &mut Precision) {
    if !program.chosen {
        return;
    }
    let (places, sums) = (places(program), sums(program));
    if !sums.is_empty() {
        not_negative(program, threads, precision);
    }
    for (i, t) in threads.iter().enumerate() {
        let counters = counters(program, t.template);
        let limits = limits(program, t.template, &counters);
        let loops = Loops { counters, limits };
        let mut differences: Vec<LinExpr> = Vec::new();
        for c in &loops.counters {
            differences.extend(loops.limits.iter().map(|f| LinExpr::var(*c).sub(&LinExpr::var(*f))));
            differences.extend(places.iter().map(|p| LinExpr::var(*c).sub(p)));
        }
        for p in &places {
            differences.extend(loops.limits.iter().map(|f| LinExpr::var(*f).sub(p)));
        }
        for a in differences.iter().flat_map(order).filter(|a| has(program, t, a)) {
            precision.add_state(i, &a);
        }
        for sum in &sums {
            counted(program, threads, (i, &loops, sum), precision);
        }
    }
}

/// Adds what a thread knows of a sum that all steps keep but creations: how it compares with counters of loops, and with what a
/// thread has read of it.
fn counted(
    program: &Program,
    threads: &[Thread],
    (i, loops, (sum, by)): (usize, &Loops, &(LinExpr, Rat)),
    precision: &mut Precision,
) {
    let template = threads[i].template;
    let ends = ends(program, template, loops);
    for c in &loops.counters {
        let rest = sum.sub(&LinExpr::var(*c).scale(by));
        // Once the loop has ended nobody needs the counter any more.
        let ended = ends.iter().filter(|e| e.coeff(*c).is_one()).map(|e| rest.add(&e.scale(by)));
        for a in ended.chain([rest.clone()]).flat_map(|e| compare(&e).collect::<Vec<_>>()) {
            precision.add_state(i, &a);
        }
    }
    let variables: Vec<Var> = sum.vars().collect();
    for e in own(program, template, &variables) {
        for a in compare(&e) {
            precision.add_state(i, &a);
        }
        let identity = program.templates[template as usize].identity;
        if e.vars().all(|v| program.is_global(v) || Some(v) == identity) {
            held(program, threads, (i, &e), precision);
        }
    }
    for a in ends.iter().filter_map(at_most) {
        precision.add_state(i, &a);
    }
    for j in 0..threads.len() {
        let after = sum.rename(|v| Role::After(v).var());
        for a in compare(&sum.sub(&after)) {
            precision.add_transition(j, i, &a);
        }
    }
}

/// Adds that ghosts which count are not negative, before and after steps of others.
fn not_negative(program: &Program, threads: &[Thread], precision: &mut Precision) {
    let counts = |v: &Var| {
        let x = &program.variables[v.0 as usize];
        x.scope == Scope::Global
            && x.min == Some(0)
            && matches!(x.origin, Origin::Ghost(Ghost::Counted | Ghost::Left))
    };
    for v in (0..program.variables.len() as u32).map(Var).filter(counts) {
        let before = at_most(&LinExpr::var(v).negated());
        let after = at_most(&Role::After(v).expr().negated());
        for i in 0..threads.len() {
            before.iter().for_each(|a| {
                precision.add_state(i, a);
            });
            for (j, a) in (0..threads.len()).flat_map(|j| after.iter().map(move |a| (j, a))) {
                precision.add_transition(j, i, a);
            }
        }
    }
}

/// `e <= 0`.
fn at_most(e: &LinExpr) -> Option<Atom> {
    match Atom::le(e) {
        Norm::Atom(a) => Some(a),
        _ => None,
    }
}

/// `d <= 0`, `d < 0`, `d >= 0` and `d > 0`.
fn order(d: &LinExpr) -> Vec<Atom> {
    let one = LinExpr::int(1);
    [d.clone(), d.add(&one), d.negated(), d.negated().add(&one)].iter().filter_map(at_most).collect()
}

/// What nobody writes, and variables of a template that nobody writes in a loop: counters go up to them. Not the tracked index where
/// the template's accesses do not compare with it.
fn limits(program: &Program, template: u32, counters: &[Var]) -> Vec<Var> {
    let told = program.tells_index(template);
    let index = |v: Var| program.variables[v.0 as usize].origin == Origin::Ghost(Ghost::Index);
    let mut out: Vec<Var> = fixed(program).into_iter().filter(|v| !(told && index(*v))).collect();
    let mut once: BTreeSet<Var> = BTreeSet::new();
    let mut often: BTreeSet<Var> = BTreeSet::new();
    for (t, x) in (0u32..).zip(&program.templates) {
        let loops: BTreeSet<Loc> = x.loops().into_iter().flatten().collect();
        for e in &x.edges {
            for (v, _) in &e.updates {
                let rare = t == template && !loops.contains(&e.from);
                if rare {
                    once.insert(*v)
                } else {
                    often.insert(*v)
                };
            }
        }
    }
    let scope = Scope::Local(template);
    let seen = |v: &Var| program.is_global(*v) || program.variables[v.0 as usize].scope == scope;
    let compared = |v: &Var| {
        let atoms = program.templates[template as usize].edges.iter().flat_map(|e| e.guard.atoms());
        atoms
            .filter(|a| a.vars().any(|x| x == *v))
            .any(|a| a.vars().any(|x| x != *v && counters.contains(&x)))
    };
    out.extend(once.difference(&often).copied().filter(|v| seen(v) && compared(v)));
    out
}

/// Locals of a template that some step increases by a constant.
fn counters(program: &Program, template: u32) -> Vec<Var> {
    let mut out: Vec<Var> = Vec::new();
    for (v, x) in program.templates[template as usize].edges.iter().flat_map(|e| &e.updates) {
        let by = x.sub(&LinExpr::var(*v));
        let counts = by.is_constant() && by.constant_part().is_positive();
        if counts && program.variables[v.0 as usize].scope == Scope::Local(template) && !out.contains(v) {
            out.push(*v);
        }
    }
    out
}

/// Indices of handles: variables that are set to 0 or to another one and always the same constant, less this.
fn places(program: &Program) -> Vec<LinExpr> {
    let mut out = Vec::new();
    for v in (0..program.variables.len() as u32).map(Var) {
        let written: Vec<&LinExpr> = program
            .templates
            .iter()
            .flat_map(|t| &t.edges)
            .flat_map(|e| &e.updates)
            .filter(|u| u.0 == v && !(u.1.is_constant() && u.1.constant_part().is_zero()))
            .map(|u| &u.1)
            .collect();
        let shifted = |x: &LinExpr| matches!(x.terms(), [(y, c)] if *y != v && c.is_one());
        let Some(first) = written.first() else { continue };
        let by = first.constant_part();
        if !by.is_zero() && written.iter().all(|x| shifted(x) && x.constant_part() == by) {
            out.push(LinExpr::var(v).sub(&LinExpr::constant(by.clone())));
        }
    }
    out
}

/// What has been counted, from the start, and what threads have still to count, each time by the same number; and this number.
fn sums(program: &Program) -> Vec<(LinExpr, Rat)> {
    let mut out: Vec<(LinExpr, Rat)> = Vec::new();
    let value = |v: Var| {
        let fixed = program.init.atoms().iter().filter(|a| a.rel() == Rel::Eq);
        let mut values = fixed.filter_map(|a| match a.expr().terms() {
            [(x, c)] if *x == v => Some(&(-a.expr().constant_part()) / c),
            _ => None,
        });
        values.next()
    };
    let fixed = fixed(program);
    // As a constant that is a parameter, where it starts with about that.
    let start = |v: Var| {
        let first = value(v)?;
        let far = |f: &Var| Some((*f, &first - &value(*f)?));
        let mut near = fixed.iter().filter(|_| !first.is_zero()).filter_map(far);
        let parameter = near.find(|(_, d)| d.abs() <= Rat::from(NEAR));
        Some(match parameter {
            Some((f, d)) => LinExpr::var(f).add(&LinExpr::constant(d)),
            None => LinExpr::constant(first),
        })
    };
    for e in program.templates.iter().flat_map(|t| &t.edges) {
        for (pending, x) in &e.updates {
            let by = x.sub(&LinExpr::var(*pending));
            if !is_count(program, *pending) || !by.is_constant() || !(-by.constant_part()).is_one() {
                continue;
            }
            for (v, y) in e.updates.iter().filter(|u| u.0 != *pending && program.is_global(u.0)) {
                let by = y.constant_part().clone();
                let (Some(first), [(_, c)]) = (start(*v), y.terms()) else { continue };
                if by.is_zero() || !c.is_one() {
                    continue;
                }
                let left = LinExpr::var(*pending).scale(&by);
                let sum = LinExpr::var(*v).sub(&first).add(&left);
                if !out.iter().any(|o| o.0 == sum) {
                    out.push((sum, by));
                }
            }
        }
    }
    out
}

/// What is 0 while a thread works on what is counted: its copy of that is up to date, and it has its lock.
fn own(program: &Program, template: u32, counted: &[Var]) -> Vec<LinExpr> {
    let t = &program.templates[template as usize];
    let read = t
        .edges
        .iter()
        .flat_map(|e| &e.updates)
        .filter(|(v, x)| !program.is_global(*v) && counted.iter().any(|c| *x == LinExpr::var(*c)));
    let mut out: Vec<LinExpr> = read.map(|(v, x)| x.sub(&LinExpr::var(*v))).collect();
    let locks =
        t.edges.iter().flat_map(|e| e.guard.atoms()).filter(|a| {
            a.rel() == Rel::Eq && a.vars().count() == 2 && a.vars().any(|v| Some(v) == t.identity)
        });
    out.extend(locks.map(|a| a.expr().clone()));
    out
}

/// Where loops end that count to what nobody writes: bounds of their rounds, and one more.
fn ends(program: &Program, template: u32, loops: &Loops) -> Vec<LinExpr> {
    let Loops { counters, limits } = loops;
    let one = LinExpr::int(1);
    let atoms = program.templates[template as usize].edges.iter().flat_map(|e| e.guard.atoms());
    let bounds = atoms.filter(|a| {
        a.rel() == Rel::Le
            && a.vars().all(|v| limits.contains(&v) || counters.contains(&v))
            && counters.iter().any(|c| a.expr().coeff(*c).is_one())
    });
    bounds.map(|a| a.expr().sub(&one)).collect()
}

/// Who holds a lock that a thread of the target has where `e` is 0: the target, another one of its kind, or a single thread, whose handle is less.
fn held(program: &Program, threads: &[Thread], (target, e): (usize, &LinExpr), precision: &mut Precision) {
    let mut all = order(e);
    let least = |v: Var| program.variables[v.0 as usize].min.filter(|_| !program.is_global(v));
    if let Some(min) = e.vars().find_map(least) {
        for v in e.vars() {
            let below = LinExpr::int(min).sub(&LinExpr::var(v));
            for a in [below.clone(), below.negated().add(&LinExpr::int(1))].iter().filter_map(at_most) {
                (0..threads.len()).filter(|i| has(program, &threads[*i], &a)).for_each(|i| {
                    precision.add_state(i, &a);
                });
                if program.is_global(v) {
                    all.push(a);
                }
            }
        }
    }
    for a in all {
        let after = a.rename(|v| if program.is_global(v) { Role::After(v).var() } else { v });
        for (actor, a) in [&a, &after].into_iter().flat_map(|a| (0..threads.len()).map(move |j| (j, a))) {
            precision.add_transition(actor, target, a);
        }
    }
}
