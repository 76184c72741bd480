//! Search through the interleavings of a program, state by state.
//!
//! A configuration is the shared cells and the threads, each with a stack of frames (Ben Rajeb et al., "Term
//! rewriting", section 4); the machine runs it, and its normal form, in which interchangeable threads are sorted
//! (Basler et al., "Context-aware counter abstraction", section 5), is what is stored.
//!
//! `moves` makes successors, `independence` says which moves need no interleaving, `store` keeps what was
//! seen, `levels` searches breadth first, `ordered` in other orders, `random` makes runs, `few` makes them from those with few threads, `trace` finds a run to a violation.

mod accesses;
mod account;
mod config;
mod cut;
mod cycles;
mod draws;
mod engine;
mod family;
mod few;
mod fronts;
mod guards;
mod halts;
mod independence;
mod joins;
mod levels;
mod moves;
mod observed;
mod occupied;
mod order;
mod ordered;
mod random;
mod reluctant;
mod store;
mod switches;
#[cfg(test)]
mod tests;
mod trace;
mod transactions;

pub use crate::verdict::Unseen as Reason;
pub use crate::watch::Explored as Stats;
pub use engine::{Chances, FewThreads, Interleavings, NAME};
pub use transactions::SwitchToSwitch;

use crate::watch::Watch;
use account::Account;
use config::{Config, Observing};
use cut::Cut;
use fronts::Fronts;
use independence::Independence;
use relyant_cfa::Program;
use relyant_cfa::schedule::Schedule;
use relyant_check::states::order::Order;
use relyant_interp::machine::Stop;
use relyant_interp::observe::{Needs, Observer, Points};
use std::sync::atomic::AtomicU64;
use std::sync::{Mutex, PoisonError};
use store::Store;

/// In which order states are explored.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Strategy {
    /// Level by level: finds a run with the least number of visible steps.
    #[default]
    BreadthFirst,
    /// The successors found last first.
    DepthFirst,
    /// Few context switches first: finds most errors with few states.
    FewSwitches,
    /// Runs at random, from the start to the end: keeps no states, and never sees all.
    Random,
}

/// What to search, and how far.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Settings {
    /// In which order states are looked at.
    pub strategy: Strategy,
    /// Only runs with this many context switches away from a thread that could go on.
    pub max_switches: Option<u32>,
    /// Only interleavings of visible steps, not of all.
    pub reduction: bool,
    /// States that differ in the order of interchangeable threads are one.
    pub symmetry: bool,
    /// Breadth first: of states that differ in numbers that only matter by being large, the largest will do.
    pub subsumption: bool,
    /// Threads that search; the answer is the same for any number.
    pub jobs: usize,
    /// Stop after about this many states.
    pub max_states: usize,
    /// Stop after about this many steps.
    pub max_steps: u64,
    /// Stop after this many levels, or go no deeper.
    pub max_depth: Option<u32>,
    /// Threads of an initial template of unbounded count.
    pub unbounded_initial: u32,
    /// What random runs are drawn from.
    pub seed: u64,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            strategy: Strategy::default(),
            max_switches: None,
            reduction: true,
            symmetry: true,
            subsumption: true,
            jobs: 1,
            max_states: 1_000_000,
            max_steps: u64::MAX,
            max_depth: None,
            unbounded_initial: 2,
            seed: 0,
        }
    }
}

/// What a search found.
#[derive(Debug)]
pub enum SearchOutcome {
    /// A run to a violation.
    Violation {
        /// From a start to the violation, for the interpreter to replay.
        schedule: Schedule,
        /// There is none with fewer visible steps, nor (where no state subsumes smaller ones) with as many and fewer
        /// context switches.
        shortest: bool,
    },
    /// There are no further states: all inputs and numbers of threads were tried, nothing was left out.
    Exhausted(Space),
    /// The search stopped before either was known.
    Limit {
        /// What stopped it first.
        reason: Reason,
        /// All states at up to this many visible steps from the start were explored.
        depth: u32,
    },
}

/// All states of an exhausted search, in normal form. See `independence` for what it means that they are all.
pub struct Space {
    store: Store,
    unbounded_initial: u32,
    symmetry: bool,
    /// The thread that moved last is behind each state.
    with_last: bool,
    order: Option<Order>,
    points: Option<Points>,
}

impl Space {
    /// Number of states, each in its normal form.
    pub fn len(&self) -> usize {
        self.store.len()
    }
    /// Has it no state? (A search has at least those it starts from.)
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// Are interchangeable threads sorted in them?
    pub fn symmetry(&self) -> bool {
        self.symmetry
    }
    /// The order in which states subsume those below them.
    pub fn order(&self) -> Option<&Order> {
        self.order.as_ref()
    }
    /// The points that tell inputs apart, where what the program does with them was observed.
    pub fn points(&self) -> Option<&Points> {
        self.points.as_ref()
    }
    /// Threads of each initial template of unbounded count.
    pub fn unbounded_initial(&self) -> u32 {
        self.unbounded_initial
    }
    /// The states, in an order that is always the same.
    pub fn states(&self) -> impl Iterator<Item = &[u8]> {
        self.store.iter().map(|s| if self.with_last { ordered::without_last(s) } else { s })
    }
}

impl std::fmt::Debug for Space {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Space({} states)", self.len())
    }
}

/// A search under way.
struct Search<'c, 'p, 'w> {
    config: &'c Config<'p>,
    reduction: Option<&'c Independence>,
    settings: &'c Settings,
    account: &'c Account<'w>,
    store: Store,
    fronts: Option<Fronts>,
    /// How many states each shard had when a level was complete.
    levels: Vec<[u32; store::SHARDS]>,
    stats: Stats,
    cut: Cut,
}

/// How an order of exploring states ended.
enum End {
    /// No state is left to look at.
    All,
    /// From this state, a violation is one move away; or it is a violation itself, when it is a start.
    Violation(Found),
    /// A limit or somebody else stopped it.
    Limit(Reason),
}

/// A violation that was found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Found {
    /// A start, by index, leads to it by invisible moves.
    AtStart(usize),
    /// A state from which one visible move leads to it.
    After(u32),
    /// A state in which no thread can move.
    Deadlock(u32),
}

/// States of the search for a shorter run, by those of the first search, and at least.
const SHORTEN: usize = 4;
const MIN_SHORTEN: usize = 10_000;
/// Steps that each attempt may take at least.
const MIN_SHORTEN_STEPS: u64 = 500_000;
/// Moves of a run for which that is too much.
const LONG: usize = 20_000;
/// Bounds on context switches that are tried for a run that was found at random.
const SWITCHES: std::ops::Range<u32> = 0..4;

/// Searches a program. An error means that the program is malformed.
pub fn search(
    program: &Program,
    settings: &Settings,
    watch: &Watch<'_>,
) -> Result<(SearchOutcome, Stats), Stop> {
    within(program, settings, &Account::new(watch, &AtomicU64::new(0)))
}

/// A search whose work goes into an account.
fn within(
    program: &Program,
    settings: &Settings,
    account: &Account<'_>,
) -> Result<(SearchOutcome, Stats), Stop> {
    let first = attempt(program, settings, account, None)?.0;
    if !matches!(first.0, SearchOutcome::Limit { reason: Reason::Inputs, .. }) || program.deadlock {
        return Ok(first);
    }
    Ok(observed::search(program, settings, account, first.1)?.unwrap_or(first))
}

/// One search, and the points of inputs that it lacked where inputs are observed.
fn attempt(
    program: &Program,
    settings: &Settings,
    account: &Account<'_>,
    inputs: Option<(&Observer, &Points)>,
) -> Result<((SearchOutcome, Stats), Needs), Stop> {
    let observing = |(observer, points)| Observing { observer, points, needs: Mutex::default() };
    let config = Config::new(program, settings, inputs.map(observing))?;
    let result = run(program, settings, account, &config)?;
    let needs = config.observing.map(|o| o.needs.into_inner().unwrap_or_else(PoisonError::into_inner));
    Ok((result, needs.unwrap_or_default()))
}

fn run<'p>(
    program: &'p Program,
    settings: &Settings,
    account: &Account<'_>,
    config: &Config<'p>,
) -> Result<(SearchOutcome, Stats), Stop> {
    let reduction = settings.reduction.then(|| Independence::new(config));
    if settings.strategy == Strategy::Random {
        return at_random(program, settings, account, config, reduction.as_ref());
    }
    let by_levels = settings.strategy == Strategy::BreadthFirst && settings.max_switches.is_none();
    let order = (by_levels && settings.subsumption).then(|| order::find(program)).filter(|o| !o.is_exact());
    let mut search = Search {
        config,
        reduction: reduction.as_ref(),
        settings,
        account,
        store: Store::new(),
        fronts: order.as_ref().map(|o| Fronts::new(config, o)),
        levels: Vec::new(),
        stats: Stats::default(),
        cut: Cut::default(),
    };
    let end = if by_levels { levels::run(&mut search)? } else { ordered::run(&mut search)? };
    search.count();
    let stats = search.stats;
    let depth = stats.depth;
    let limit = |reason| Ok((SearchOutcome::Limit { reason, depth }, stats));
    match end {
        End::Violation(found) => {
            let guide = if by_levels && order.is_none() { switches::guide(&search, found)? } else { None };
            let schedule = match trace::schedule(&search, found, guide.as_ref()) {
                // An input may name a thread by its handle, which is another one where threads changed places.
                Err(trace::LOST) if settings.symmetry => {
                    let plain = Settings { symmetry: false, ..*settings };
                    return within(program, &plain, account);
                }
                other => other?,
            };
            let tried = !search.cut.any() && config.all_starts && !config.any_number;
            let guided = guide.is_some() || matches!(found, Found::AtStart(_));
            // Where states subsume smaller ones, runs with fewer switches may have been passed over.
            let shortest = order.is_some() && tried && !search.cut.undefined;
            if (by_levels && order.is_none()) || settings.max_switches.is_some() {
                return Ok((SearchOutcome::Violation { schedule, shortest: tried && guided }, stats));
            }
            let states = search.store.len();
            drop(search);
            shorten(program, settings, account, (schedule, shortest), states, stats)
        }
        End::Limit(reason) => limit(reason),
        End::All if order.is_some() && search.cut.undefined => {
            // A smaller number might have gone on where the larger one overflowed.
            let settings = Settings { subsumption: false, ..*settings };
            within(program, &settings, &account.after(stats.steps))
        }
        End::All if search.cut.limit.is_some() => {
            let (template, location) = search.cut.limit.unwrap_or_default();
            limit(Reason::Bound { template, location })
        }
        End::All if search.cut.stack => limit(Reason::Stack),
        End::All if search.cut.large || search.cut.long => limit(Reason::Steps),
        End::All if search.cut.inputs || !config.all_starts => limit(Reason::Inputs),
        End::All if config.any_number => limit(Reason::Threads),
        End::All => {
            let Settings { unbounded_initial, symmetry, .. } = *settings;
            let space = Space {
                store: search.store,
                unbounded_initial,
                symmetry,
                with_last: settings.max_switches.is_some(),
                order,
                points: config.observing.as_ref().map(|o| o.points.clone()),
            };
            Ok((SearchOutcome::Exhausted(space), stats))
        }
    }
}

/// Runs at random; one to a violation is made shorter.
fn at_random<'p>(
    program: &'p Program,
    settings: &Settings,
    account: &Account<'_>,
    config: &Config<'p>,
    reduction: Option<&Independence>,
) -> Result<(SearchOutcome, Stats), Stop> {
    let mut stats = Stats::default();
    match random::run(config, reduction, settings, account, &mut stats)? {
        random::Ended::Violation(schedule) => {
            shorten(program, settings, account, (schedule, false), 0, stats)
        }
        random::Ended::Limit(reason) => Ok((SearchOutcome::Limit { reason, depth: 0 }, stats)),
    }
}

/// Looks for a shorter run, breadth first, with a few times the work that the first one took; where that was drawn at
/// random, then for one with few context switches.
fn shorten(
    program: &Program,
    settings: &Settings,
    account: &Account<'_>,
    (schedule, shortest): (Schedule, bool),
    states: usize,
    stats: Stats,
) -> Result<(SearchOutcome, Stats), Stop> {
    // A long run has no short one near the start, most likely.
    let share = if schedule.moves.len() > LONG { 16 } else { 1 };
    let levels = Settings {
        strategy: Strategy::BreadthFirst,
        subsumption: false,
        max_depth: None,
        max_states: states.saturating_mul(SHORTEN).saturating_add(MIN_SHORTEN).min(settings.max_states),
        max_steps: (stats.steps / 4).max(MIN_SHORTEN_STEPS).min(settings.max_steps) / share,
        ..*settings
    };
    let bounds = if settings.strategy == Strategy::Random { SWITCHES } else { 0..0 };
    let bounded = bounds.map(|b| Settings { max_switches: Some(b), ..levels });
    let mut steps = stats.steps;
    for attempt in std::iter::once(levels).chain(bounded) {
        let (outcome, more) = within(program, &attempt, &account.after(steps).quiet())?;
        steps += more.steps;
        if matches!(outcome, SearchOutcome::Violation { .. }) {
            return Ok((outcome, Stats { steps, runs: stats.runs, ..more }));
        }
    }
    Ok((SearchOutcome::Violation { schedule, shortest }, Stats { steps, ..stats }))
}

impl Search<'_, '_, '_> {
    fn count(&mut self) {
        self.stats.states = self.store.len();
        self.stats.bytes = self.store.bytes();
    }
    /// Tells how far it has come, and whether it is to stop.
    fn report(&mut self) -> Option<Reason> {
        self.count();
        self.account.tell(&self.stats);
        if self.account.cancelled() {
            return Some(Reason::Cancelled);
        }
        if self.stats.steps >= self.settings.max_steps {
            return Some(Reason::Work);
        }
        (self.store.full() || self.stats.states >= self.settings.max_states).then_some(Reason::States)
    }
}
