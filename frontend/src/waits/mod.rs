//! Deadlocks ruled out by an order in which threads wait.
//!
//! ```text
//! program --places: where threads wait--> --held: which locks they may hold there--> --ranks: an order--> program with guards
//! ```
//!
//! A lock is a cell that holds 0 or the handle of a thread that has stored it there itself; that thread *holds* it. Besides each
//! thread holds its own life. A thread waits only for a lock that is not free, or for the end of a thread. If all that is
//! waited for comes later in one order than all that is held meanwhile, and nobody ends who holds a lock, there is no deadlock:
//! of the threads that are left take the one that waits for what comes last. It is held by a thread that is left, which
//! therefore waits for what comes later still (Havender, "Avoiding deadlock in multitasking systems", 1968, has this for resources).
//!
//! Which locks may be held where is told from the automata alone. Where that is too coarse, or depends on data, registers of our own say how
//! many locks a thread holds at most, and a step before the wait leads to a limit where it holds what comes no earlier: a proof
//! shows that no thread comes there. Locks that are not told apart come in the order of their addresses, and a register has that of
//! the one that was taken last. Other properties are those of the program before; where there are none, nobody need wait.
//!
//! A handle is one that a creation gave or that a thread has of itself: with any other one, waiting is undefined (POSIX, `pthread_join`).

mod cells;
mod guards;
mod handles;
mod held;
mod places;
mod ranks;
mod relax;

#[cfg(test)]
mod tests;

use cells::Meaning;
use handles::Handles;
use held::Classes;
use ranks::Needs;
use relyant_cfa::Program;
use relyant_cfa::diagnostic::{Diagnostic, Span};
use relyant_cfa::points_to::PointsTo;

/// What a thread comes to that holds what it may not hold when it waits.
pub(crate) const CIRCLE: &str = "threads may wait for each other in a circle";

/// Why there is no order.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub(crate) enum NoOrder {
    #[error("deadlocks are not ruled out where functions are called or left out")]
    Calls,
    #[error("deadlocks are not ruled out where the number of threads is bounded")]
    Bounded,
    #[error("a thread waits here for something else than a lock or the end of a thread")]
    Waits,
    #[error("this atomic section may not end")]
    Endless,
    #[error("what locks hold is written by something else than taking and giving them back")]
    Written,
    #[error("threads may wait for {0} in a circle")]
    Circle(String),
}

/// Why there is no order, and the place of that.
pub(crate) type Failure = (NoOrder, Span);

/// The same program without deadlocks as errors, if its threads wait in an order; where they come to a limit that is named after
/// circles, they may not.
///
/// # Errors
/// Why no order was found.
pub fn without_deadlocks(program: &Program) -> Result<Program, Diagnostic> {
    guarded(program)
        .map_err(|(why, at)| Diagnostic::at(at, &program.files, &program.lines, why.to_string(), ""))
}

fn guarded(program: &Program) -> Result<Program, Failure> {
    let whole = |why| Err((why, Span::default()));
    if program.approximate || program.templates.iter().any(|t| !t.procedures.is_empty()) {
        return whole(NoOrder::Calls);
    }
    if program.max_threads.is_some() {
        return whole(NoOrder::Bounded);
    }
    let points_to = PointsTo::new(program);
    let waits = program.templates.iter().map(places::waits).collect::<Result<Vec<_>, Failure>>()?;
    let meaning = Meaning::new(program, &points_to);
    let classes = Classes::new(program, &meaning, &waits)?;
    let handles = Handles::new(program, &points_to);
    let mut needs = Needs::default();
    for ((t, template), waits) in program.templates.iter().enumerate().zip(&waits) {
        let held = held::held(&classes, t as u32, template);
        needs.add(&classes, &handles, t as u32, template, waits, &held)?;
    }
    let (guards, order) = needs.ordered(program, &classes)?;
    let mut out = program.clone();
    guards::put(&mut out, &classes, guards);
    if relax::is_enough(program) {
        relax::relax(&mut out, &classes);
    }
    (out.deadlock, out.order) = (false, Some(order));
    debug_assert_eq!(out.validate(), Ok(()));
    Ok(out)
}
