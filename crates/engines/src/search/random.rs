//! Runs at random, each from the start to its end: finds errors that many runs have, however deep they lie.
//!
//! Most runs follow priorities (Burckhardt et al., "A randomized scheduler with probabilistic guarantees of finding bugs",
//! ASPLOS 2010): threads have random priorities, of those that can move the first one does, and at a few random moves of
//! the run the thread that moves becomes the last. A thread that has moved for long without the others does so, too,
//! since it may wait for one of them. In a quarter of the runs, the first one included, all threads are equal. Where deadlocks are
//! looked for, in each second run a thread that holds a lock and asks for another one mostly lets all others go first; and one that
//! would end the program mostly does in all. Inputs are drawn from the values that the search tries, one after the other; in each
//! fourth run all that follows a step is tried instead, and a violation taken where there is one. All draws come from a seed and
//! the number of the run: the same program has the same runs.

use super::config::Config;
use super::draws::Draws;
use super::halts::Halts;
use super::independence::Independence;
use super::moves::{Arrival, Mover, StepNode};
use super::reluctant::Reluctant;
use super::trace::{self, Part, split};
use super::{Account, Found, Reason, Settings, Stats};
use fastrand::Rng;
use relyant_cfa::Op;
use relyant_cfa::schedule::Schedule;
use relyant_interp::machine::{State, Stop};

/// Moves of a run, at first, and of each second one; a run that is cut makes the limit of the others larger.
const FIRST_LENGTH: usize = 2_000;
/// So many times.
const GROWTH: usize = 16;
/// Moves of a run at most.
const MAX_LENGTH: usize = 1 << 21;
/// Moves in a row after which a thread may become the last.
const PATIENCE: usize = 64;
/// Every so many of such moves it does.
const YIELD: u32 = 32;
/// Of so many times that a thread could ask for a second lock it does so once before others: in each second run, one after the other.
const RELUCTANCE: [u32; 3] = [512, 8, 64];
/// The same for one that writes meanwhile, and so gets on most often: this part of the moves of a run, but not fewer than
const BUSY_PART: usize = 64;
/// so many.
const BUSY: usize = 256;
/// Of so many times that a thread could end the program it does so once before others.
const HALTS: u32 = 4096;
/// Changes of priority in a run, yields not counted.
const CHANGES: [usize; 3] = [1, 2, 0];
/// Which of eight runs are those in which all threads are equal: one of those that may be long, and a short one.
const ANY: [u64; 2] = [0, 5];
/// With more threads than this those at cut-points wait for their turns.
const MANY_THREADS: usize = 64;
/// Where runs are long there are to be so many to the end, which may take this many times the limit of steps.
const FEW_RUNS: usize = 8;
const LONG_RUNS: u64 = 4;
/// Steps between two reports; in large states a step counts for several.
const REPORT: u64 = 2_000;

/// What came of random runs.
pub(super) enum Ended {
    /// A run to a violation.
    Violation(Schedule),
    /// No run had one.
    Limit(Reason),
}

/// Makes runs until one leads to a violation, or the limits are met.
pub(super) fn run(
    config: &Config<'_>,
    reduction: Option<&Independence>,
    settings: &Settings,
    account: &Account<'_>,
    stats: &mut Stats,
) -> Result<Ended, Stop> {
    let program = config.machine.program();
    let reluctant = if program.deadlock { Reluctant::new(program) } else { None };
    let mut runs = Runs {
        config,
        reduction,
        settings,
        account,
        stats,
        reluctant,
        halts: Halts::new(program),
        steps: 0,
        longest: 1,
        ended: 0,
    };
    let mut most = settings.max_depth.map_or(FIRST_LENGTH, |d| d as usize);
    loop {
        let number = runs.stats.runs;
        let mut walk = Walk::new(settings.seed, number, runs.longest);
        // What has no end is left to see how others go.
        let length = if number % 2 == 1 { most.min(FIRST_LENGTH) } else { most };
        match runs.walk(&mut walk, length, &mut None)? {
            How::Limit(reason) => return Ok(Ended::Limit(reason)),
            How::Violation(found) => {
                // The same run once more, to write it down.
                let mut again = Walk::new(settings.seed, number, walk.length);
                let mut parts = Some(Vec::new());
                runs.walk(&mut again, length, &mut parts)?;
                let parts = parts.unwrap_or_default();
                match trace::finish(config, again.start, &parts, found, true) {
                    // Others may be written down.
                    Err(trace::LOST) => {}
                    finished => return finished.map(Ended::Violation),
                }
            }
            How::Cut if settings.max_depth.is_none() && length == most => {
                most = (GROWTH * most).min(MAX_LENGTH);
            }
            How::Cut => {}
            How::End if !walk.chose => return Ok(Ended::Limit(Reason::Work)),
            How::End => runs.ended += 1,
        }
        runs.stats.runs += 1;
    }
}

/// How a run ended.
enum How {
    Violation(Found),
    /// No thread could move.
    End,
    /// It was too long.
    Cut,
    /// No further runs.
    Limit(Reason),
}

struct Runs<'r, 'c, 'p, 'w> {
    config: &'c Config<'p>,
    reduction: Option<&'c Independence>,
    settings: &'r Settings,
    account: &'r Account<'w>,
    stats: &'r mut Stats,
    /// Who lets others go first, where deadlocks are looked for.
    reluctant: Option<Reluctant>,
    /// Who may end the program.
    halts: Halts,
    /// Steps of the runs before this one.
    steps: u64,
    /// Moves of the longest run so far.
    longest: usize,
    /// Runs to their ends so far.
    ended: usize,
}

/// The draws of a run.
struct Walk {
    rng: Rng,
    /// Index of its start.
    start: usize,
    /// By thread; the highest moves. `None`: any thread does.
    priorities: Option<Vec<u64>>,
    /// Threads that are not known to have ended, the one with the highest priority first.
    order: Vec<usize>,
    /// How many there were.
    threads: usize,
    /// Moves at which the thread that is to move becomes the last, in descending order.
    changes: Vec<usize>,
    /// Lower than all priorities.
    lowest: u64,
    /// The length for which the changes were drawn.
    length: usize,
    /// There was something to choose.
    chose: bool,
    /// How reluctant threads are to ask for a second lock.
    reluctance: Option<u32>,
    /// What is drawn from for single steps.
    draws: Option<u64>,
}

/// Priorities that are drawn are not lower.
const DRAWN: u64 = 1 << 32;

impl Walk {
    fn new(seed: u64, number: u64, length: usize) -> Walk {
        // Neighbouring seeds give unlike draws.
        let mut rng = Rng::with_seed(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(number));
        rng.u64(..);
        let draws = (number % 4 != 3).then(|| rng.u64(..));
        let any = ANY.contains(&(number % 8));
        let count = if any { 0 } else { CHANGES[(number / 2) as usize % CHANGES.len()] };
        let mut changes: Vec<usize> = (0..count).map(|_| rng.usize(..length)).collect();
        changes.sort_unstable_by(|a, b| b.cmp(a));
        Walk {
            rng,
            start: 0,
            priorities: (!any).then(Vec::new),
            order: Vec::new(),
            threads: 0,
            changes,
            lowest: DRAWN,
            length,
            chose: false,
            draws,
            reluctance: (number % 2 == 1).then(|| RELUCTANCE[(number / 2) as usize % RELUCTANCE.len()]),
        }
    }

    /// As many threads as a state has.
    fn grow(&mut self, threads: usize) {
        for thread in self.threads..threads {
            let Some(priorities) = &mut self.priorities else {
                self.order.push(thread);
                continue;
            };
            let own = self.rng.u64(DRAWN..);
            priorities.push(own);
            let at = self.order.partition_point(|t| priorities[*t] >= own);
            self.order.insert(at, thread);
        }
        self.threads = self.threads.max(threads);
    }

    /// The thread to be tried after so many others.
    fn pick(&mut self, tried: usize) -> usize {
        if self.priorities.is_none() {
            let at = self.rng.usize(tried..self.order.len());
            self.order.swap(tried, at);
        }
        self.order[tried]
    }

    /// The thread that was tried after so many others becomes the last.
    fn put_last(&mut self, tried: usize) {
        if let Some(priorities) = &mut self.priorities {
            self.lowest -= 1;
            let thread = self.order.remove(tried);
            priorities[thread] = self.lowest;
            self.order.push(thread);
        }
    }
}

/// A successor of a state, drawn from all.
#[derive(Default)]
struct Drawn {
    state: State,
    nodes: Vec<StepNode>,
    count: usize,
    violation: bool,
}

impl Drawn {
    fn clear(&mut self) {
        (self.count, self.violation) = (0, false);
    }

    /// One more to draw from: a violation is taken at once, else each with the same chance.
    fn offer(&mut self, rng: &mut Rng, after: &mut State, arrival: &Arrival<'_>) {
        if self.violation {
            return;
        }
        self.count += 1;
        if arrival.violation || rng.usize(..self.count) == 0 {
            self.violation = arrival.violation;
            std::mem::swap(&mut self.state, after);
            self.nodes = arrival.path();
        }
    }
}

impl Runs<'_, '_, '_, '_> {
    /// One run; what it does is added to `parts`, if that is wanted.
    fn walk(&mut self, walk: &mut Walk, most: usize, parts: &mut Option<Vec<Part>>) -> Result<How, Stop> {
        let config = self.config;
        let mut mover = Mover::new(config, self.reduction);
        mover.draws = walk.draws.map(Draws::new);
        let mut drawn = Drawn::default();
        walk.start = walk.rng.usize(..config.starts.len());
        walk.chose |= config.starts.len() > 1;
        let initial = config.initial(&config.starts[walk.start])?;
        mover.start(&initial, &mut |after, arrival| drawn.offer(&mut walk.rng, after, arrival))?;
        if drawn.violation {
            note(parts, &drawn.nodes, false);
            return Ok(How::Violation(Found::AtStart(walk.start)));
        }
        let (mut visible, mut moves, mut last, mut due) = (false, 0, usize::MAX, 0);
        // Moves of the last thread without others, and since it wrote.
        let (mut in_a_row, mut idle) = (0, 0);
        let busy = (most / BUSY_PART).max(BUSY);
        let mut state = State::default();
        let end = loop {
            if drawn.count == 0 {
                break How::End;
            }
            walk.chose |= drawn.count > 1;
            note(parts, &drawn.nodes, visible);
            visible = true;
            if parts.is_none() && mover.steps >= due {
                due = mover.steps + REPORT;
                if let Some(reason) = self.report(mover.steps) {
                    return Ok(How::Limit(reason));
                }
            }
            if moves >= most {
                break How::Cut;
            }
            moves += 1;
            // To find out what was met before takes long in large states.
            mover.passes_cut_points = drawn.state.threads.len() <= MANY_THREADS;
            std::mem::swap(&mut state, &mut drawn.state);
            walk.grow(state.threads.len());
            let Some(tried) = self.next(walk, &mut mover, &mut state, moves, &mut drawn)? else {
                let stuck = config.deadlock(&state);
                break if stuck { How::Violation(Found::Deadlock(0)) } else { How::End };
            };
            let thread = walk.order[tried];
            if drawn.violation {
                note(parts, &drawn.nodes, true);
                break How::Violation(Found::After(0));
            }
            (in_a_row, idle) = if thread == last { (in_a_row + 1, idle + 1) } else { (0, 0) };
            last = thread;
            if self.writes(&drawn, thread) {
                idle = 0;
            }
            if (idle > PATIENCE || in_a_row > busy) && walk.rng.u32(..YIELD) == 0 {
                walk.put_last(tried);
                (in_a_row, idle) = (0, 0);
            }
        };
        walk.chose |= mover.draws.is_some_and(|d| d.chose);
        self.longest = self.longest.max(moves);
        self.steps += mover.steps;
        self.stats.steps = self.steps;
        Ok(end)
    }

    /// Did a thread write to memory in the move that was drawn?
    fn writes(&self, drawn: &Drawn, thread: usize) -> bool {
        let own = |n: &&StepNode| n.thread as usize == thread;
        let store = |n: &StepNode| {
            let edge = drawn
                .state
                .threads
                .get(thread)
                .and_then(|t| self.config.machine.edge(t.name.template, n.edge));
            matches!(edge.map(|e| &e.op), Some(Op::Store(..)))
        };
        drawn.nodes.iter().filter(own).any(store)
    }

    /// Does a move of the first thread that can, and says how many others were tried.
    fn next(
        &self,
        walk: &mut Walk,
        mover: &mut Mover<'_, '_>,
        state: &mut State,
        moves: usize,
        drawn: &mut Drawn,
    ) -> Result<Option<usize>, Stop> {
        let mut change = walk.changes.last().is_some_and(|at| *at < moves);
        if change {
            walk.changes.pop();
        }
        let threads = state.threads.len();
        let reluctance = walk.reluctance.unwrap_or(1);
        let reluctant = self.reluctant.as_ref().filter(|_| reluctance > 1);
        let (mut tried, mut first, mut put_off, mut halts) = (0, true, false, false);
        loop {
            if tried >= walk.order.len() {
                if !std::mem::take(&mut put_off) {
                    // The program ends, if somebody can end it.
                    return Ok(halts.then_some(0));
                }
                // Nobody else can go.
                (tried, first) = (0, false);
            }
            let thread = walk.pick(tried);
            if state.threads[thread].ended.is_some() {
                walk.order.remove(tried);
                continue;
            }
            let asks = |r: &Reluctant| r.is(&self.config.machine, state, thread);
            if first && reluctant.is_some_and(asks) && walk.rng.u32(..reluctance) != 0 {
                (tried, put_off) = (tried + 1, true);
                continue;
            }
            drawn.clear();
            // Mostly nobody ends the program as long as another one can move.
            let ends = threads > 1 && self.halts.soon(state, thread) && walk.rng.u32(..HALTS) != 0;
            let rng = &mut walk.rng;
            let offer = &mut |after: &mut State, arrival: &Arrival<'_>| drawn.offer(rng, after, arrival);
            // At a change another one goes on, if there is one.
            let moved = if change || ends {
                mover.successors(state, thread, offer)?
            } else {
                mover.go_on(state, thread, offer)?
            };
            let ended = moved && ends && drawn.count == 0;
            halts |= ended;
            if !moved || ended {
                tried += 1;
            } else if change && !drawn.violation {
                change = false;
                walk.put_last(tried);
            } else {
                walk.chose |= threads > 1;
                return Ok(Some(tried));
            }
        }
    }

    /// Tells how far it has come, and whether it is to stop.
    fn report(&mut self, steps: u64) -> Option<Reason> {
        self.stats.steps = self.steps + steps;
        self.account.tell(self.stats);
        if self.account.cancelled() {
            return Some(Reason::Cancelled);
        }
        let most = self.settings.max_steps;
        let enough = self.ended >= FEW_RUNS || self.stats.steps >= most.saturating_mul(LONG_RUNS);
        (self.stats.steps >= most && enough).then_some(Reason::Work)
    }
}

/// Adds the steps of a move to a run that is written down.
fn note(parts: &mut Option<Vec<Part>>, nodes: &[StepNode], visible: bool) {
    if let Some(parts) = parts {
        parts.extend(split(nodes, visible));
    }
}
