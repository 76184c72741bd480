//! What the user may choose.

use crate::predicates::Predicate;
use relyant_cfa::options::Options;
use relyant_check::check;
use relyant_engines::engine::{Needs, Task};
use relyant_engines::registry::{self, Entry};
use relyant_engines::search::{self, Strategy};
use relyant_engines::{aret, rely_guarantee, replicated, symbolic};

/// States that the search before the proof may look at. A number of states, not a time: the verdict does not depend
/// on the machine.
pub const QUICK_STATES: usize = 20_000;

/// States that the search for deep errors looks at before breadth first takes over: few switches find them soon or
/// not at all.
const FEW_SWITCHES: usize = 500_000;
/// Before it, states of the searches with at most 0, 1, … context switches: each sees all such runs, or gives up.
const BOUNDED: [usize; 4] = [50_000, 100_000, 100_000, 200_000];
/// Steps for each state of such a search. In large states, and with many inputs, a step is more work.
const STEPS: u64 = 20;
/// States that breadth first may look at before the last random runs; with more it starts anew after them.
const SOON: usize = 1_000_000;
/// Steps of random runs: at first, after the second bound, and where there are many states.
const RANDOM: [u64; 3] = [200_000, 1_000_000, 5_000_000];

/// Steps of random runs where no engine looks for a proof any more: who has no verdict wants to know soon.
const CHANCES: u64 = 5_000_000;

/// How a file is decided.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Method {
    /// Search and proof side by side.
    #[default]
    Auto,
    /// The engine of this name in [`relyant_engines::registry`] alone, after the quick search.
    Only(&'static str),
}

impl Method {
    /// The search of interleavings alone.
    pub const SEARCH: Method = Method::Only(search::NAME);
    /// The symbolic search alone.
    pub const SYMBOLIC: Method = Method::Only(symbolic::NAME);
    /// The proof rule of [`aret::Settings`].
    pub const PROVE: Method = Method::Only(rely_guarantee::NAME);
    /// The abstraction by replicated finite-state threads alone.
    pub const COVERABILITY: Method = Method::Only(replicated::NAME);
}

/// What the user may choose.
#[derive(Clone, Debug)]
pub struct Settings {
    /// What the program means.
    pub meaning: Options,
    /// Which engines take part.
    pub method: Method,
    /// How it is proved.
    pub engine: aret::Settings,
    /// Comparisons that a proof may need, besides those in the source's comments.
    pub predicates: Vec<Predicate>,
    /// How it is searched.
    pub search: search::Settings,
    /// States of the quick search, 0 for no search at all.
    pub quick_states: usize,
    /// Work that each engine may do, in units of about a microsecond.
    pub max_work: u64,
    /// Limits of the checker.
    pub check: check::Limits,
    /// A program in which there is nothing to check is refused: nobody asked for a property by its name.
    pub needs_checks: bool,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            meaning: Options::default(),
            method: Method::Auto,
            engine: aret::Settings::default(),
            predicates: Vec::new(),
            search: search::Settings::default(),
            quick_states: QUICK_STATES,
            max_work: u64::MAX,
            check: check::Limits::default(),
            needs_checks: false,
        }
    }
}

impl Settings {
    /// Does a quick search come first? The symbolic search is asked for instead of it.
    pub(super) fn quick_first(&self) -> bool {
        self.quick_states > 0 && self.method != Method::SYMBOLIC
    }

    /// Does the user want the search only?
    pub(super) fn searches_only(&self) -> bool {
        self.method == Method::SEARCH
    }

    /// All engines. Searches have the processors to themselves where nothing runs beside them.
    pub(super) fn engines(&self, alone: bool) -> Vec<Entry> {
        let own = search::Settings { jobs: if alone { self.search.jobs } else { 1 }, ..self.search };
        let with = |strategy, states: usize| {
            let max_states = own.max_states.min(states);
            // What has no end is not held up by its size.
            let most = if states == usize::MAX { u64::MAX } else { states as u64 * STEPS };
            search::Settings { strategy, max_states, max_steps: own.max_steps.min(most), ..own }
        };
        let searches = if self.searches_only() {
            vec![own]
        } else {
            let mut all = if own.max_switches.is_none() { lanes_for_bugs(&own) } else { Vec::new() };
            all.push(with(Strategy::FewSwitches, FEW_SWITCHES));
            all.push(with(Strategy::BreadthFirst, SOON));
            all.push(random(&own, RANDOM.len() - 1));
            all.push(with(Strategy::BreadthFirst, usize::MAX));
            all
        };
        let symbolic = symbolic::Settings::default();
        let chances = search::Settings {
            seed: own.seed.wrapping_add(RANDOM.len() as u64),
            max_steps: own.max_steps.min(CHANCES),
            ..own
        };
        registry::all(&registry::Settings { proof: self.engine, searches, chances, symbolic })
    }

    /// Must there be a thread program?
    pub(super) fn needs_threads(&self) -> bool {
        let named = |e: &Entry| self.method == Method::Only(e.engine.name());
        self.engines(true).iter().any(|e| named(e) && e.engine.needs() != Needs::Search)
    }

    /// Does this engine take part?
    pub(super) fn takes(&self, entry: &Entry, task: &Task<'_>) -> bool {
        match self.method {
            Method::Auto => entry.engine.joins(task),
            Method::Only(name) => entry.engine.name() == name && entry.engine.needs().have_program(task),
        }
    }

    /// The searches of the quick search: breadth first, then with few switches.
    pub(super) fn quick_searches(&self) -> [search::Settings; 2] {
        [Strategy::BreadthFirst, Strategy::FewSwitches].map(|strategy| search::Settings {
            strategy,
            max_states: self.quick_states,
            // Programs with many inputs take many steps to few states.
            max_steps: (self.quick_states as u64).saturating_mul(10),
            jobs: 1,
            ..self.search
        })
    }
}

/// Searches for runs that a person would find with luck and patience: few context switches, or chance.
fn lanes_for_bugs(own: &search::Settings) -> Vec<search::Settings> {
    let bounded = |(bound, states): (u32, usize)| search::Settings {
        strategy: Strategy::BreadthFirst,
        max_switches: Some(bound),
        max_states: own.max_states.min(states),
        max_steps: own.max_steps.min((states as u64).saturating_mul(STEPS)),
        ..*own
    };
    let mut all: Vec<search::Settings> = (0..).zip(BOUNDED).map(bounded).collect();
    all.insert(2, random(own, 1));
    all.insert(0, random(own, 0));
    all
}

/// Random runs for the how-manyth time, other ones each time.
fn random(own: &search::Settings, time: usize) -> search::Settings {
    search::Settings {
        strategy: Strategy::Random,
        max_steps: own.max_steps.min(RANDOM[time]),
        seed: own.seed.wrapping_add(time as u64),
        ..*own
    }
}
