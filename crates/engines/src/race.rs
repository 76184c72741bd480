//! Engines side by side: the first evidence wins, and which that is does not depend on the machine.
//!
//! Each engine has a lane with a clock that counts its work in units of about a microsecond, the same in every run.
//! An engine that finishes with evidence stops each other one as soon as that one has worked longer; until then the
//! others may still finish with less work, and then their evidence is taken. Clock time decides nothing, but where an
//! engine takes very long for little work: evidence waits for the others as long again as it took to find, not longer.

use relyant_linear::meter;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// An engine's side of a race.
pub struct Lane<'a> {
    all: &'a [Clock],
    own: usize,
    stopped: &'a (dyn Fn() -> bool + Sync),
    limit: u64,
    start: Instant,
}

/// What others see of an engine.
struct Clock {
    /// Work done so far.
    work: AtomicU64,
    /// Work after which it had evidence, [`NEVER`] until then.
    end: AtomicU64,
    /// Microseconds after the start at which evidence need not wait any longer for the others, [`NEVER`] while there is none.
    patience: AtomicU64,
}

/// Work of an engine that has found nothing.
const NEVER: u64 = u64::MAX;
/// Evidence waits so long at least: on a busy machine a thread may rest that long.
const LEAST_WAIT: Duration = Duration::from_secs(1);

impl Lane<'_> {
    /// Sets the clock to all the work done so far.
    pub fn set(&self, work: u64) {
        self.all[self.own].work.fetch_max(work, Ordering::Relaxed);
    }
    /// Adds to the work done.
    pub fn work(&self, more: u64) {
        self.all[self.own].work.fetch_add(more, Ordering::Relaxed);
    }
    /// Work done so far.
    pub fn clock(&self) -> u64 {
        self.all[self.own].work.load(Ordering::Relaxed)
    }
    /// Is it pointless to go on?
    pub fn is_over(&self) -> bool {
        let mine = self.clock();
        let beaten = |(other, c): (usize, &Clock)| {
            let theirs = c.end.load(Ordering::Acquire);
            other != self.own && theirs != NEVER && ((theirs, other) < (mine, self.own) || self.too_late(c))
        };
        self.all.iter().enumerate().any(beaten) || mine > self.limit || (self.stopped)()
    }
    /// Has the evidence of another one waited long enough?
    fn too_late(&self, other: &Clock) -> bool {
        micros(self.start.elapsed()) > other.patience.load(Ordering::Acquire)
    }
    /// Evidence was found; it counts as if it had taken so much more work.
    fn finish(&self, extra: u64) {
        let work = self.clock().saturating_add(extra).min(NEVER - 1);
        let found = self.start.elapsed();
        let until = micros(found.saturating_add(found.max(LEAST_WAIT)));
        self.all[self.own].patience.store(until, Ordering::Release);
        self.all[self.own].end.store(work, Ordering::Release);
    }
}

fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(NEVER - 1)
}

/// An engine in a race: tells whether it has evidence, and how much work to count on top for it (evidence of a kind
/// that users like less).
pub type Racer<'a, A> = Box<dyn FnOnce(&Lane<'_>) -> (A, Option<u64>) + Send + 'a>;

/// What came of a race.
#[derive(Debug)]
pub struct RaceOutcome<A> {
    /// What each engine came to, in their order; `None` for one that panicked or got no thread.
    pub answers: Vec<Option<A>>,
    /// Whose evidence is taken, if there is any: that of the least work, of the first one in a draw.
    pub winner: Option<usize>,
}

/// Runs engines side by side, the last one on this thread. `limit` bounds the work of each, `stopped` ends the race from
/// outside. An engine that panics has found nothing; on this thread its panic goes on where nobody has evidence.
pub fn race<A: Send>(
    limit: u64,
    stopped: &(dyn Fn() -> bool + Sync),
    mut engines: Vec<Racer<'_, A>>,
) -> RaceOutcome<A> {
    let never = || AtomicU64::new(NEVER);
    let clock = || Clock { work: AtomicU64::new(0), end: never(), patience: never() };
    let start = Instant::now();
    let all: Vec<Clock> = engines.iter().map(|_| clock()).collect();
    let run = |own: usize, engine: Racer<'_, A>| {
        let lane = Lane { all: &all, own, stopped, limit, start };
        meter::reset();
        let (answer, found) = engine(&lane);
        if let Some(extra) = found {
            lane.finish(extra);
        }
        answer
    };
    let Some(last) = engines.pop() else { return RaceOutcome { answers: Vec::new(), winner: None } };
    let (run, place) = (&run, engines.len());
    let (mut answers, here) = std::thread::scope(|scope| {
        let spawn = |(own, engine)| {
            std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, move || run(own, engine))
        };
        let others: Vec<_> = engines.into_iter().enumerate().map(spawn).collect();
        let here = catch_unwind(AssertUnwindSafe(|| run(place, last)));
        let answers: Vec<Option<A>> =
            others.into_iter().map(|handle| handle.ok().and_then(|h| h.join().ok())).collect();
        (answers, here)
    });
    let end = |own: &usize| all[*own].end.load(Ordering::Acquire);
    let winner = (0..all.len()).filter(|own| end(own) != NEVER).min_by_key(end);
    answers.push(match here {
        Ok(answer) => Some(answer),
        Err(_) if winner.is_some() => None,
        Err(panic) => resume_unwind(panic),
    });
    RaceOutcome { answers, winner }
}

/// Engines recurse over expressions; only what is used of it is ever allocated.
const STACK: usize = 1 << 28;

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    /// Works in steps until it has done `total`, or the race is over.
    fn engine(total: u64, pause: Duration, found: bool) -> Racer<'static, bool> {
        Box::new(move |lane| {
            for _ in 0..total {
                lane.work(1);
                if lane.is_over() {
                    return (false, None);
                }
                std::thread::sleep(pause);
            }
            (true, found.then_some(0))
        })
    }

    /// As [`engine`], with evidence that users like less.
    fn handicapped(total: u64, extra: u64) -> Racer<'static, bool> {
        Box::new(move |lane| (engine(total, FAST, true)(lane).0, Some(extra)))
    }

    fn broken() -> Racer<'static, bool> {
        Box::new(|_| panic!("on purpose"))
    }

    fn run(engines: Vec<Racer<'_, bool>>) -> (Vec<Option<bool>>, Option<usize>) {
        let outcome = race(NEVER, &|| false, engines);
        (outcome.answers, outcome.winner)
    }

    const SLOW: Duration = Duration::from_millis(5);
    const FAST: Duration = Duration::ZERO;
    const ENDLESS: u64 = 1 << 40;

    #[test]
    fn less_work_wins_however_slow() {
        assert_eq!(run(vec![engine(10, SLOW, true), engine(1000, FAST, true)]).1, Some(0));
        assert_eq!(run(vec![engine(1000, FAST, true), engine(10, SLOW, true)]).1, Some(1));
        for slow in 0..3 {
            let total = |own: u64| if own == slow { 10 } else { 1000 + own };
            let pause = |own| if own == slow { SLOW } else { FAST };
            let engines = (0..3).map(|own| engine(total(own), pause(own), true)).collect();
            assert_eq!(run(engines).1, Some(slow as usize));
        }
    }

    #[test]
    fn the_first_wins_a_draw() {
        assert_eq!(run(vec![engine(10, SLOW, true), engine(10, FAST, true)]).1, Some(0));
        let three = vec![engine(11, FAST, true), engine(10, SLOW, true), engine(10, FAST, true)];
        assert_eq!(run(three).1, Some(1));
    }

    #[test]
    fn evidence_waits_no_longer_than_it_took() {
        // A minute and a half for less work than the other one's 100.
        let rest = Duration::from_secs(1);
        let started = Instant::now();
        let outcome = run(vec![engine(100, FAST, true), engine(90, rest, true)]);
        assert_eq!(outcome, (vec![Some(true), Some(false)], Some(0)));
        assert!(started.elapsed() < Duration::from_secs(10), "{:?}", started.elapsed());
    }

    #[test]
    fn the_others_are_stopped() {
        let two = run(vec![engine(10, FAST, true), engine(ENDLESS, FAST, true)]);
        assert_eq!(two, (vec![Some(true), Some(false)], Some(0)));
        let three =
            run(vec![engine(ENDLESS, FAST, true), engine(10, FAST, true), engine(ENDLESS, FAST, true)]);
        assert_eq!(three, (vec![Some(false), Some(true), Some(false)], Some(1)));
    }

    #[test]
    fn evidence_may_count_for_less() {
        assert_eq!(run(vec![handicapped(10, 100), engine(50, SLOW, true)]).1, Some(1));
        let three = vec![handicapped(10, 100), handicapped(20, 50), engine(80, FAST, true)];
        assert_eq!(run(three).1, Some(1));
    }

    #[test]
    fn evidence_of_one_is_none_of_the_others() {
        let three = vec![engine(5, FAST, false), engine(10, FAST, false), engine(100, FAST, true)];
        assert_eq!(run(three), (vec![Some(true); 3], Some(2)));
    }

    #[test]
    fn limits_end_a_race_without_winner() {
        let engines =
            || vec![engine(ENDLESS, FAST, true), engine(ENDLESS, FAST, true), engine(10, FAST, false)];
        let r = race(100, &|| false, engines());
        assert_eq!((r.answers, r.winner), (vec![Some(false), Some(false), Some(true)], None));
        assert_eq!(race(NEVER, &|| true, engines()).winner, None);
        assert_eq!(run(Vec::new()), (Vec::new(), None));
    }

    #[test]
    fn one_engine_is_a_race() {
        assert_eq!(run(vec![handicapped(10, NEVER)]), (vec![Some(true)], Some(0)));
        assert_eq!(run(vec![engine(10, FAST, false)]), (vec![Some(true)], None));
    }

    #[test]
    fn who_panics_has_found_nothing() {
        assert_eq!(run(vec![broken(), engine(10, FAST, true)]), (vec![None, Some(true)], Some(1)));
        assert_eq!(run(vec![engine(10, SLOW, true), broken()]), (vec![Some(true), None], Some(0)));
        let three = vec![broken(), engine(10, FAST, true), broken()];
        assert_eq!(run(three), (vec![None, Some(true), None], Some(1)));
    }

    #[test]
    #[should_panic(expected = "on purpose")]
    fn a_panic_here_goes_on_without_evidence() {
        run(vec![engine(10, FAST, false), broken()]);
    }
}
