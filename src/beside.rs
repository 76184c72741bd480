//! A long search for a counterexample beside the engine.
//!
//! Refinement may go on for ever on a program whose error is a few thousand states further than the quick search
//! went. The engine has a head start, so that a proof that is quick to find costs no search.

use crate::limits::Run;
use relyant_frontend::cfa;
use relyant_frontend::interp;
use relyant_frontend::interp::schedule::Schedule;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

/// Time the engine has for itself.
const HEAD_START: Duration = Duration::from_millis(300);

/// How often a waiting searcher looks whether the run was asked to stop.
const TICK: Duration = Duration::from_millis(20);

/// Runs the engine, which stops when its flag is set, and searches `states` states beside it. When the engine has
/// a verdict (`decided`) the search is dropped, else it goes on to its end: what is found does not depend on speed.
pub fn beside<T>(
    program: &cfa::Program,
    states: usize,
    run: &Run,
    engine: impl FnOnce(&AtomicBool) -> T,
    decided: impl FnOnce(&T) -> bool,
) -> (T, Option<Schedule>) {
    if states == 0 {
        return (engine(run.cancel()), None);
    }
    let stop = AtomicBool::new(false);
    let enough = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let (done, wait) = mpsc::channel::<()>();
        let (stop, enough) = (&stop, &enough);
        let searcher = scope.spawn(move || {
            let stopped = || {
                if run.stopped() {
                    stop.store(true, Ordering::Relaxed);
                }
                run.stopped() || enough.load(Ordering::Relaxed)
            };
            let mut waited = Duration::ZERO;
            while waited < HEAD_START && wait.recv_timeout(TICK) == Err(RecvTimeoutError::Timeout) {
                stopped();
                waited += TICK;
            }
            if stopped() {
                return None;
            }
            let found = interp::quick_search(program, states, &stopped);
            if found.is_some() {
                stop.store(true, Ordering::Relaxed);
            }
            // The engine hears of the end of the run from here only.
            while wait.recv_timeout(TICK) == Err(RecvTimeoutError::Timeout) {
                stopped();
            }
            found
        });
        let answer = engine(stop);
        enough.store(decided(&answer), Ordering::Relaxed);
        drop(done);
        // A search that panicked has found nothing.
        (answer, searcher.join().unwrap_or(None))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use relyant_frontend::testing::threads::generate;

    /// A program with an error, from the generator.
    fn faulty() -> cfa::Program {
        let program = |seed| generate(seed).to_program();
        let wrong = |p: &cfa::Program| interp::quick_search(p, 1000, &|| false).is_some();
        (0..100).map(program).find(wrong).unwrap()
    }

    #[test]
    fn an_engine_that_would_go_on_for_ever_is_stopped_by_what_is_found() {
        let endless = |stop: &AtomicBool| {
            while !stop.load(Ordering::Relaxed) {
                std::thread::sleep(TICK);
            }
        };
        let run = Run::default();
        assert!(beside(&faulty(), 1000, &run, endless, |()| false).1.is_some());
    }

    #[test]
    fn the_search_goes_on_when_the_engine_gives_up() {
        let run = Run::default();
        assert!(beside(&faulty(), 1000, &run, |_| (), |()| false).1.is_some());
        assert!(beside(&faulty(), 1000, &run, |_| (), |()| true).1.is_none());
        assert!(beside(&faulty(), 0, &run, |_| (), |()| false).1.is_none());
    }

    #[test]
    fn a_run_that_is_stopped_stops_the_engine() {
        let run = Run::default();
        let endless = |stop: &AtomicBool| {
            run.stop("test");
            while !stop.load(Ordering::Relaxed) {
                std::thread::sleep(TICK);
            }
        };
        assert!(beside(&faulty(), 1000, &run, endless, |()| false).1.is_none());
    }
}
