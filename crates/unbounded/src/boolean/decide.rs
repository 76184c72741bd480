//! Which engine decides a Boolean program, and the evidence for what it says.

use super::guide;
use super::reason::{Reason, Unanswered};
use crate::counter::explicit::{self, CounterOptions, CounterOutcome, Explored};
use crate::counter::symbolic::Sets;
use crate::cover;
use crate::fixpoint;
use relyant_finite::boolean::closed;
use relyant_finite::boolean::evidence::Proof;
use relyant_finite::boolean::exhausted::{self, States};
use relyant_finite::boolean::flat::{flatten, merged};
use relyant_finite::boolean::live::Live;
use relyant_finite::boolean::machine::Machine;
use relyant_finite::boolean::program::Program;
use relyant_finite::boolean::replay::{self, ConcreteRun};
use relyant_finite::boolean::template::Threads;
use relyant_finite::boolean::tts;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Which engines decide, and in which order.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Method {
    /// Thread states, then counters, then coverability.
    #[default]
    Auto,
    /// The thread-state fixpoint; after an alarm counter abstraction, as far as it goes.
    ThreadStates,
    /// Counter abstraction; needs a bound on threads.
    Counters,
    /// Coverability of the system of threads.
    Coverability,
}

impl Method {
    /// The words by which one engine is asked for, and what they ask for.
    pub const WORDS: [(Method, &str, &str); 3] = [
        (
            Method::ThreadStates,
            "thread-states",
            "Of Boolean programs (.bp): sets of thread states, for any number of threads",
        ),
        (
            Method::Counters,
            "counters",
            "Of Boolean programs (.bp): counter abstraction, for at most --max-threads threads",
        ),
        (Method::Coverability, "coverability", "Coverability, for any number of threads"),
    ];
}

/// How a program is to be decided, and how far.
#[derive(Clone, Copy, Debug)]
pub struct Settings<'a> {
    /// Which engines decide it.
    pub method: Method,
    /// Threads at the same time at most; with as many, starting one more has no effect.
    pub threads: Option<u32>,
    /// States that a search may store.
    pub states: usize,
    /// Stops everything when set.
    pub cancel: &'a AtomicBool,
}

/// What is known of a program; evidence was accepted by a checker of its own.
#[derive(Clone, Debug)]
pub enum BooleanVerdict {
    /// No assertion fails, with as many threads as the proof says.
    Safe(Proof),
    /// One does, in this run with so many threads; it has been replayed.
    Unsafe(ConcreteRun, usize),
    /// Why nothing is known.
    Unknown(Unanswered),
}

/// What engines and checkers did, added up.
#[derive(Clone, Debug, Default)]
pub struct Stats {
    /// Nodes of the flat graph.
    pub nodes: usize,
    /// How often a set of thread states grew.
    pub grown: u64,
    /// Did the fixpoint raise an alarm?
    pub alarm: bool,
    /// States of the searches.
    pub states: usize,
    /// Steps that the searches made.
    pub steps: u64,
    /// Transitions of the system of threads.
    pub transitions: usize,
    /// What the checker of the proof had to decide.
    pub obligations: usize,
    /// Time that the checks of evidence took.
    pub checking: Duration,
}

/// An answer and how it was found.
#[derive(Clone, Debug)]
pub struct Report {
    /// The answer, with its evidence.
    pub verdict: BooleanVerdict,
    /// How much was done for it.
    pub stats: Stats,
}

/// Bounds on threads that are tried one after the other to confirm an alarm, and the states of each search.
const BOUNDS: [(u32, usize); 5] = [(2, 100_000), (3, 200_000), (4, 200_000), (6, 400_000), (9, 400_000)];

/// States of a symbolic search.
const SETS: usize = 20_000;

struct Decider<'a> {
    program: &'a Program,
    live: &'a Live,
    settings: Settings<'a>,
    stats: Stats,
}

/// Decides whether an assertion fails, by the engines in turn until one has evidence that its checker accepts.
pub fn decide(program: &Program, settings: &Settings) -> Report {
    let live = Live::new(program);
    let mut d = Decider { program, live: &live, settings: *settings, stats: Stats::default() };
    let verdict = d.run();
    Report { verdict, stats: d.stats }
}

impl Decider<'_> {
    fn run(&mut self) -> BooleanVerdict {
        let mut why = Vec::new();
        let method = self.settings.method;
        if matches!(method, Method::Auto | Method::ThreadStates) {
            match self.thread_states() {
                Ok(proof) => return BooleanVerdict::Safe(proof),
                Err(e) => why.push(e),
            }
        }
        if self.settings.cancel.load(Ordering::Relaxed) {
            return BooleanVerdict::Unknown(Unanswered::Stopped);
        }
        let answer = match (method, self.settings.threads) {
            (Method::Coverability, None) => None,
            (Method::Coverability, Some(_)) => {
                return BooleanVerdict::Unknown(Unanswered::CoverabilityWithBound);
            }
            (_, Some(n)) => self.bounded(n, &mut why),
            (Method::Counters, None) => {
                return BooleanVerdict::Unknown(Unanswered::CountersWithoutBound);
            }
            (Method::Auto | Method::ThreadStates, None) => self.confirm(&mut why),
        };
        if let Some(v) = answer {
            return v;
        }
        if matches!(method, Method::Auto | Method::Coverability) && self.settings.threads.is_none() {
            match self.coverability() {
                Ok(v) => return v,
                Err(e) => why.push(e),
            }
        }
        BooleanVerdict::Unknown(Unanswered::Reasons(why))
    }

    fn thread_states(&mut self) -> Result<Proof, Reason> {
        let flat = merged(flatten(self.program, self.live));
        self.stats.nodes = flat.nodes.len();
        let found = fixpoint::run(&flat, self.settings.cancel).map_err(Reason::Fixpoint)?;
        self.stats.grown = found.steps;
        if let Some(node) = found.alarm {
            self.stats.alarm = true;
            let line = flat.nodes.get(node as usize).map_or(0, |n| self.program.node(n.source).place.line);
            return Err(Reason::Alarm(line));
        }
        match self.checked(|cancel| closed::check(&flat, &found.sets, cancel)) {
            Ok(n) => {
                self.stats.obligations = n;
                Ok(Proof::ThreadStates(found.sets))
            }
            Err(e) => Err(Reason::Sets(e)),
        }
    }

    fn explore(
        &mut self,
        threads: &mut Threads,
        bound: Option<u32>,
        states: usize,
        reduce: bool,
    ) -> Result<Explored, Reason> {
        let options =
            CounterOptions { threads: bound, states, counted: true, reduce, cancel: self.settings.cancel };
        let e = explicit::explore(threads, &options)?;
        self.stats.states = self.stats.states.saturating_add(e.states);
        self.stats.steps = self.stats.steps.saturating_add(e.steps);
        Ok(e)
    }

    fn failure(
        &mut self,
        threads: &Threads,
        path: &relyant_finite::moves::Interleaving,
    ) -> Result<BooleanVerdict, Reason> {
        let run = self.checked(|_| replay::concrete(threads, path));
        let (run, count) = run?;
        Ok(BooleanVerdict::Unsafe(run, count))
    }

    /// Runs a checker, and adds up the time.
    fn checked<T>(&mut self, check: impl FnOnce(&AtomicBool) -> T) -> T {
        let began = Instant::now();
        let result = check(self.settings.cancel);
        self.stats.checking += began.elapsed();
        result
    }

    /// All states with a bound.
    fn bounded(&mut self, n: u32, why: &mut Vec<Reason>) -> Option<BooleanVerdict> {
        let mut threads = Threads::new(Machine::new(self.program, self.live));
        match self.search(&mut threads, Some(n), self.settings.states) {
            Ok(Some(v)) => Some(v),
            Ok(None) => None,
            Err(e) => {
                why.push(Reason::Bounded(n, Box::new(e)));
                self.symbolic(n, why)
            }
        }
    }

    /// A failure among counted sets of states, for programs with too many states to list them.
    fn symbolic(&mut self, n: u32, why: &mut Vec<Reason>) -> Option<BooleanVerdict> {
        let flat = flatten(self.program, self.live);
        let found = Sets::new(&flat).map_err(Reason::from).and_then(|mut sets| {
            let states = SETS.min(self.settings.states);
            let options = CounterOptions {
                threads: Some(n),
                states,
                counted: true,
                reduce: true,
                cancel: self.settings.cancel,
            };
            let e = explicit::explore(&mut sets, &options)?;
            self.stats.states = self.stats.states.saturating_add(e.states);
            match &e.found {
                CounterOutcome::Limit(why) => Err(Reason::Limit(*why)),
                // The sets would have to be checked by code of its own, which there is not.
                CounterOutcome::Exhausted => Err(Reason::SetsExhausted(e.states)),
                CounterOutcome::Failure(path) => {
                    let mut threads = Threads::new(Machine::new(self.program, self.live));
                    let path = guide::along(&mut threads, &sets, path)?;
                    self.failure(&threads, &path.ok_or(Reason::Path)?)
                }
            }
        });
        found.map_err(|e| why.push(Reason::Symbolic(n, Box::new(e)))).ok()
    }

    /// A failure, or all states if the bound does not matter or is what was asked for.
    fn search(
        &mut self,
        threads: &mut Threads,
        n: Option<u32>,
        states: usize,
    ) -> Result<Option<BooleanVerdict>, Reason> {
        let quick = self.explore(threads, n, states, true)?;
        match &quick.found {
            CounterOutcome::Failure(path) => return self.failure(threads, path).map(Some),
            CounterOutcome::Limit(why) => return Err(Reason::Limit(*why)),
            CounterOutcome::Exhausted => {}
        }
        let asked = self.settings.threads == n;
        if quick.bounded && !asked {
            return Ok(None);
        }
        let all = self.explore(threads, n, states, false)?;
        match &all.found {
            CounterOutcome::Failure(path) => return self.failure(threads, path).map(Some),
            CounterOutcome::Limit(why) => return Err(Reason::Limit(*why)),
            CounterOutcome::Exhausted if all.bounded && !asked => return Ok(None),
            CounterOutcome::Exhausted => {}
        }
        let number = |n: usize| 0..u32::try_from(n).unwrap_or(u32::MAX);
        let states = States {
            threads: n.filter(|_| asked),
            shared: number(threads.shared.len()).filter_map(|i| threads.shared.get(i).cloned()).collect(),
            locals: number(threads.locals.len()).filter_map(|i| threads.locals.get(i).cloned()).collect(),
            states: all.reached().collect(),
        };
        match self.checked(|cancel| exhausted::check(&threads.machine(), &states, cancel)) {
            Ok(n) => {
                self.stats.obligations = n;
                Ok(Some(BooleanVerdict::Safe(Proof::States(states))))
            }
            Err(e) => Err(Reason::States(e)),
        }
    }

    /// Looks for a run with few threads; goes through all states if there are few.
    fn confirm(&mut self, why: &mut Vec<Reason>) -> Option<BooleanVerdict> {
        let mut threads = Threads::new(Machine::new(self.program, self.live));
        for (n, states) in BOUNDS {
            if self.settings.cancel.load(Ordering::Relaxed) {
                break;
            }
            match self.search(&mut threads, Some(n), states.min(self.settings.states)) {
                Ok(Some(v)) => return Some(v),
                Ok(None) => {}
                Err(e) => {
                    why.push(Reason::Bounded(n, Box::new(e)));
                    return self.symbolic(n, why);
                }
            }
        }
        why.push(Reason::NoRun(BOUNDS[BOUNDS.len() - 1].0));
        None
    }

    fn coverability(&mut self) -> Result<BooleanVerdict, Reason> {
        let mut threads = Threads::new(Machine::new(self.program, self.live));
        let exported = tts::export(&mut threads, false, tts::TRANSITIONS, self.settings.cancel)
            .map_err(Reason::NoSystem)?;
        self.stats.transitions = exported.system.transitions.len();
        let limits = cover::Limits::new(self.settings.cancel);
        let found =
            cover::decide(&exported.system, &exported.target, &cover::CoverOptions::default(), &limits)
                .map_err(Reason::Malformed)?;
        self.stats.checking += found.checking;
        match found.verdict {
            // Checked already: that is part of deciding coverability.
            cover::Coverability::Uncoverable(c) => {
                self.stats.obligations = usize::try_from(found.obligations).unwrap_or(usize::MAX);
                Ok(BooleanVerdict::Safe(Proof::Uncoverable(Box::new(exported), c)))
            }
            cover::Coverability::Coverable(run) => {
                let path = exported.path(&run).ok_or(Reason::NoPath)?;
                self.failure(&threads, &path)
            }
            cover::Coverability::Unknown(why) => Err(Reason::Cover(why)),
        }
    }
}
