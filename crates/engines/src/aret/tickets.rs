//! A thread-pair relation: tickets, locals that differ between threads because a shared counter hands out each value once.
//!
//! A template of any number of threads that draws tickets (`mine := next, next := next + 1` in one step) has no proof
//! over globals and one thread's locals alone: nothing there says that two tickets differ. This is the one fact about
//! two threads that is used; the checker proves it apart (see [`relyant_check::Tickets`]).
//!
//! Reach: counters that hand out each value once in one step. Needed by `lock/ticket_many.c`, `unbounded/ticket_lock.c` and
//! `unbounded/stack_values.c`.

use relyant_check::{Holder, Tickets};
use relyant_linear::{Atom, Closed, LinExpr, Norm, Var};
use relyant_program::{Count, Edge, Loc, Program, Scope, Template};

/// The counters of a program and who holds their tickets, where a template can have several threads.
pub fn find(program: &Program) -> Vec<Tickets> {
    let counters = (0..program.variables.len() as u32).map(Var).filter(|v| program.is_global(*v));
    counters.filter_map(|c| of_counter(program, c)).collect()
}

/// Those that a template of several threads draws.
pub fn of_crowds(program: &Program) -> Vec<Tickets> {
    let crowd = |h: &Holder| !matches!(program.templates[h.template as usize].count, Count::AtMost(0 | 1));
    find(program).into_iter().filter(|t| t.holders.iter().any(crowd)).collect()
}

fn of_counter(program: &Program, counter: Var) -> Option<Tickets> {
    let edges = || program.templates.iter().flat_map(|t| &t.edges);
    if !edges().all(|e| grows(e, counter).is_some()) {
        return None;
    }
    let mut holders = Vec::new();
    for (t, template) in program.templates.iter().enumerate() {
        let local =
            |v: &Var| program.variables.get(v.0 as usize).is_some_and(|x| x.scope == Scope::Local(t as u32));
        let mut drawn: Vec<Var> =
            template.edges.iter().flat_map(|e| drawn_by(e, counter)).filter(local).collect();
        drawn.sort_unstable();
        drawn.dedup();
        for variable in drawn {
            let locations = holding(template, variable, counter);
            if !locations.is_empty() {
                holders.push(Holder { template: t as u32, variable, locations });
                break;
            }
        }
    }
    (!holders.is_empty()).then_some(Tickets { counter, holders })
}

/// Does an edge raise the counter, where its guard holds? `None` if it may lower it.
fn grows(e: &Edge, counter: Var) -> Option<bool> {
    let Some(after) = super::step::after(e, counter) else { return Some(false) };
    let by = after.sub(&LinExpr::var(counter));
    if by.is_constant() {
        return (!by.constant_part().is_negative()).then(|| by.constant_part().is_positive());
    }
    let at_least = |n: i128| implied(e, Atom::le(&LinExpr::int(n).sub(&by)));
    if at_least(1) { Some(true) } else { at_least(0).then_some(false) }
}

fn implied(e: &Edge, n: Norm) -> bool {
    match n {
        Norm::Atom(a) => Closed::new(&e.guard.and(&e.bounds)).entails(&a) == Some(true),
        n => n == Norm::True,
    }
}

/// Locals that have the value that the counter had while the edge raises it: they take it, or the guard compares them
/// with it (compare-and-swap).
fn drawn_by(e: &Edge, counter: Var) -> Vec<Var> {
    if grows(e, counter) != Some(true) {
        return Vec::new();
    }
    let mut candidates: Vec<Var> =
        e.updates.iter().map(|u| u.0).chain(e.guard.vars()).filter(|v| *v != counter).collect();
    candidates.sort_unstable();
    candidates.dedup();
    let old = LinExpr::var(counter);
    candidates.retain(|v| {
        let value = super::step::after(e, *v).unwrap_or_else(|| LinExpr::var(*v));
        value == old || implied(e, Atom::eq(&value.sub(&old)))
    });
    candidates
}

/// Locations where the variable holds a ticket whatever the path: every write to it on the way was a draw.
fn holding(template: &Template, variable: Var, counter: Var) -> Vec<Loc> {
    let mut held = vec![true; template.locations.len()];
    held[template.entry.0 as usize] = false;
    let mut changed = true;
    while changed {
        changed = false;
        for e in &template.edges {
            let draws = drawn_by(e, counter).contains(&variable);
            let writes = e.updates.iter().any(|u| u.0 == variable);
            let after = draws || (!writes && held[e.from.0 as usize]);
            if held[e.to.0 as usize] && !after {
                held[e.to.0 as usize] = false;
                changed = true;
            }
        }
    }
    (0..held.len()).filter(|l| held[*l]).map(|l| Loc(l as u32)).collect()
}
