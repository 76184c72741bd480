//! How much arithmetic a thread has done: a clock that shows the same in every run.
//!
//! Units are about 5 ns. Who races two solvers against each other compares work, not time, so that the outcome does
//! not depend on the machine.

use std::cell::Cell;

thread_local! {
    static WORK: Cell<u64> = const { Cell::new(0) };
}

/// Work done by this thread.
pub fn add(units: usize) {
    WORK.with(|w| w.set(w.get().saturating_add(units as u64)));
}

/// Microseconds' worth of work that this thread has done since it was last asked.
pub fn take() -> u64 {
    WORK.with(|w| {
        let units = w.get();
        w.set(units % UNITS);
        units / UNITS
    })
}

/// Forgets the work of this thread: what comes is counted as on a new one.
pub fn reset() {
    WORK.with(|w| w.set(0));
}

/// Units of work that this thread has done since it was last asked, without starting anew.
pub fn units() -> u64 {
    WORK.with(Cell::get)
}

/// Units of a microsecond.
const UNITS: u64 = 200;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_lost_between_two_readings() {
        take();
        let parts: u64 = (0..100).map(|_| (add(7), take()).1).sum();
        assert_eq!(parts, 100 * 7 / UNITS);
        let before = units();
        add(7);
        assert_eq!(units() - before, 7);
    }

    #[test]
    fn the_same_question_takes_the_same_work() {
        use crate::{Atom, Cube, LinExpr, Var};
        let x = |k: u32| LinExpr::var(Var(k));
        let work = || {
            take();
            let cube = Cube::of((0..20).map(|k| Atom::lt(&x(k).add(&x(k + 1)).sub(&x(k + 2)))));
            assert!(!cube.is_bottom());
            cube.sat_int();
            take()
        };
        let first = work();
        assert!(first > 0);
        assert_eq!(first, work());
    }
}
