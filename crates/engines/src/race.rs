//! Two engines side by side: the first evidence wins, and which that is does not depend on the machine.
//!
//! Each engine has a lane with a clock that counts its work in units of about a microsecond, the same in every run.
//! An engine that finishes with evidence stops the other one as soon as that one has worked longer; until then the
//! other may still finish with less work, and then its evidence is taken. Clock time decides nothing.

use std::sync::atomic::{AtomicU64, Ordering};

/// An engine's side of a race.
pub struct Lane<'a> {
    clock: &'a AtomicU64,
    /// Work after which the other engine had evidence.
    other: &'a AtomicU64,
    /// Wins when both have worked the same.
    first: bool,
    stopped: &'a (dyn Fn() -> bool + Sync),
    limit: u64,
}

/// Work of an engine that has found nothing.
const NEVER: u64 = u64::MAX;

impl Lane<'_> {
    /// Sets the clock to all the work done so far.
    pub fn set(&self, work: u64) {
        self.clock.fetch_max(work, Ordering::Relaxed);
    }
    /// Adds to the work done.
    pub fn work(&self, more: u64) {
        self.clock.fetch_add(more, Ordering::Relaxed);
    }
    /// Work done so far.
    pub fn clock(&self) -> u64 {
        self.clock.load(Ordering::Relaxed)
    }
    /// Is it pointless to go on?
    pub fn is_over(&self) -> bool {
        let (mine, theirs) = (self.clock(), self.other.load(Ordering::Acquire));
        mine > theirs || mine == theirs && !self.first || mine > self.limit || (self.stopped)()
    }
}

/// What came of a race.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Winner {
    /// The first engine.
    First,
    /// The second engine.
    Second,
    /// Neither has evidence.
    Nobody,
}

/// Runs two engines; each tells whether it has evidence, and how much work to count on top for it (evidence of a kind
/// that users like less). `limit` bounds the work of both, `stopped` ends the race from outside.
pub fn race<A: Send, B>(
    limit: u64,
    stopped: &(dyn Fn() -> bool + Sync),
    first: impl FnOnce(&Lane<'_>) -> (A, Option<u64>) + Send,
    second: impl FnOnce(&Lane<'_>) -> (B, Option<u64>),
) -> (Option<A>, B, Winner) {
    let clocks = [AtomicU64::new(0), AtomicU64::new(0)];
    let ends = [AtomicU64::new(NEVER), AtomicU64::new(NEVER)];
    let lane =
        |own: usize| Lane { clock: &clocks[own], other: &ends[1 - own], first: own == 0, stopped, limit };
    let finish = |own: usize, found: Option<u64>| {
        if let Some(extra) = found {
            let work = clocks[own].load(Ordering::Relaxed).saturating_add(extra).min(NEVER - 1);
            ends[own].store(work, Ordering::Release);
        }
    };
    let (lanes, finish) = ([lane(0), lane(1)], &finish);
    let (a, b) = std::thread::scope(|scope| {
        let [left, right] = &lanes;
        let run = move || {
            let (answer, found) = first(left);
            finish(0, found);
            answer
        };
        // An engine that panicked has found nothing.
        let handle = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, run);
        let (answer, found) = second(right);
        finish(1, found);
        (handle.ok().and_then(|h| h.join().ok()), answer)
    });
    let [x, y] = ends.map(|e| e.into_inner());
    let winner = match (x, y) {
        (NEVER, NEVER) => Winner::Nobody,
        _ if x <= y => Winner::First,
        _ => Winner::Second,
    };
    (a, b, winner)
}

/// Engines recurse over expressions; only what is used of it is ever allocated.
const STACK: usize = 1 << 28;

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    /// Works in steps until it has done `total`, or the race is over.
    fn engine(total: u64, pause: Duration, found: bool) -> impl Fn(&Lane<'_>) -> (bool, Option<u64>) {
        move |lane| {
            for _ in 0..total {
                lane.work(1);
                if lane.is_over() {
                    return (false, None);
                }
                std::thread::sleep(pause);
            }
            (true, found.then_some(0))
        }
    }

    const SLOW: Duration = Duration::from_millis(5);
    const FAST: Duration = Duration::ZERO;

    #[test]
    fn less_work_wins_however_slow() {
        let r = race(NEVER, &|| false, engine(10, SLOW, true), engine(1000, FAST, true));
        assert_eq!(r.2, Winner::First);
        let r = race(NEVER, &|| false, engine(1000, FAST, true), engine(10, SLOW, true));
        assert_eq!(r.2, Winner::Second);
    }

    #[test]
    fn the_first_wins_a_draw() {
        let r = race(NEVER, &|| false, engine(10, SLOW, true), engine(10, FAST, true));
        assert_eq!(r.2, Winner::First);
    }

    #[test]
    fn the_other_is_stopped() {
        let r = race(NEVER, &|| false, engine(10, FAST, true), engine(1 << 40, FAST, true));
        assert_eq!((r.0, r.1, r.2), (Some(true), false, Winner::First));
    }

    #[test]
    fn evidence_may_count_for_less() {
        let handicapped = |lane: &Lane<'_>| (engine(10, FAST, true)(lane).0, Some(100));
        let r = race(NEVER, &|| false, handicapped, engine(50, SLOW, true));
        assert_eq!(r.2, Winner::Second);
    }

    #[test]
    fn limits_end_a_race_without_winner() {
        let r = race(100, &|| false, engine(1 << 40, FAST, true), engine(10, FAST, false));
        assert_eq!((r.0, r.1, r.2), (Some(false), true, Winner::Nobody));
        let r = race(NEVER, &|| true, engine(1 << 40, FAST, true), engine(1 << 40, FAST, true));
        assert_eq!(r.2, Winner::Nobody);
    }

    #[test]
    fn who_panics_has_found_nothing() {
        let broken = |_: &Lane<'_>| -> (bool, Option<u64>) { panic!("on purpose") };
        let r = race(NEVER, &|| false, broken, engine(10, FAST, true));
        assert_eq!((r.0, r.1, r.2), (None, true, Winner::Second));
    }
}
