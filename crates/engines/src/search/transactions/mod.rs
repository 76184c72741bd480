//! Search from switch to switch: between them threads run alone, as long as none is in another's way.
//!
//! It begins with as few switches as there can be. Where threads are in each other's way between two, the steps at fault
//! become switches, and the search begins anew: so it finds by itself that a lock is taken and given back, and which cells
//! are a thread's own, or a lock's, for the moment (after Stoller and Cohen, see [`relyant_check::states::transactions`], which
//! looks at each state).

mod run;

use super::account::Account;
use super::store::{ROOT, Store, hash};
use super::{Reason, Settings, Stats};
use crate::engine::{Choice, Claim, Engine, Finding, Needs, Task};
use crate::verdict;
use crate::watch::{Standing, Watch};
use relyant_cfa::Program;
use relyant_cfa::schedule::Schedule;
use relyant_check::states::transactions::{Explorer, Obstacle, Switches, Transactions};
use relyant_check::states::{Encoding, Rejection, Space};
use relyant_interp::machine::{RunEnd, State, Stop};
use relyant_interp::normal::Scratch;
use relyant_interp::observe::{Needs as Unmet, Observer, Points};
use run::Searched;
use std::collections::VecDeque;
use std::sync::atomic::AtomicU64;
use std::time::Instant;

/// Steps of the transactions from one state.
const MOST_STEPS: u64 = 100_000;
/// So many steps take as long as one of other searches: they need no normal form.
const QUICK: u64 = 4;
/// To read a state of so many numbers counts for a step more.
const COPIED: u64 = 4;
/// Searches that are tried at most, each with more points.
const ROUNDS: usize = 40;
/// Times that a search begins anew.
const ATTEMPTS: usize = 400;

/// The search as an engine, with so many states at most.
#[derive(Clone, Copy, Debug)]
pub struct SwitchToSwitch {
    /// Interchangeable threads are sorted.
    pub symmetry: bool,
    /// Stop after so many states.
    pub max_states: usize,
}

impl SwitchToSwitch {
    /// Within the limits of these settings.
    pub fn of(s: &Settings) -> SwitchToSwitch {
        SwitchToSwitch { symmetry: s.symmetry, max_states: s.max_states }
    }
}

/// The words that ask for it.
const WORDS: [Choice; 1] =
    [Choice::plain("transactions", "States between what threads do without others in their way")];

impl Engine for SwitchToSwitch {
    fn name(&self) -> &'static str {
        "transactions"
    }

    fn choices(&self) -> &'static [Choice] {
        &WORDS
    }

    fn needs(&self) -> Needs {
        Needs::Search
    }

    fn joins(&self, task: &Task<'_>) -> bool {
        // Of any number of threads no search sees all states.
        task.threads.is_none() || Needs::BoundedThreads.are_met(task)
    }

    fn run(&self, task: &Task<'_>, watch: &Watch<'_>) -> Finding {
        if task.search.approximate {
            return Finding::nothing(verdict::Reason::Approximate);
        }
        let start = Instant::now();
        let mut stats = Stats::default();
        let claim = match self.search(task.search, watch, &mut stats) {
            Ok(Seen::All(space)) => Ok(Claim::Space(space)),
            Ok(Seen::Violation(schedule)) => Ok(Claim::Schedule { schedule, shortest: false }),
            Err(reason) => Err(reason),
        };
        let seconds = start.elapsed().as_secs_f64();
        Finding { claim, standing: Some(Standing::Searched(stats)), seconds }
    }
}

/// What a search saw.
enum Seen {
    /// All states between transactions.
    All(Space),
    /// A run to a violation.
    Violation(Schedule),
}

/// How one search from the start ended.
enum Attempt {
    All,
    Limit(Reason),
    /// Where it may be a violation, the state that shows it.
    Obstacle(Option<u32>, Obstacle),
}

impl SwitchToSwitch {
    fn search(
        &self,
        program: &Program,
        watch: &Watch<'_>,
        stats: &mut Stats,
    ) -> Result<Seen, verdict::Reason> {
        let told = AtomicU64::new(0);
        let account = Account::new(watch, &told);
        let encoding = Encoding { symmetry: self.symmetry };
        let mut switches = Switches::none(program);
        match self.all(program, (encoding, None), &mut switches, &account, stats) {
            Err(verdict::Reason::Transactions(Rejection::Incomplete(_))) => {}
            other => return other.map(|x| x.0),
        }
        // Inputs are told apart by what is done with them, in states as they are.
        let observer = Observer::new(program);
        let encoding = Encoding { symmetry: false };
        let mut points = Points::new();
        for _ in 0..ROUNDS {
            let (seen, needs) =
                self.all(program, (encoding, Some(&points)), &mut switches, &account, stats)?;
            match seen {
                Seen::All(space) if needs.is_empty() => {
                    return Ok(Seen::All(space.with_points(Some(points))));
                }
                Seen::All(_) => {}
                violation => return Ok(violation),
            }
            match observer.grow(&points, &needs) {
                Some(more) if more != points => points = more,
                _ => break,
            }
        }
        Err(verdict::Reason::Search { depth: 0, reason: Reason::Inputs })
    }

    /// All states between transactions, with as many switches as it takes, and the points that inputs lacked.
    fn all(
        &self,
        program: &Program,
        (encoding, points): (Encoding, Option<&Points>),
        switches: &mut Switches,
        account: &Account<'_>,
        stats: &mut Stats,
    ) -> Result<(Seen, Unmet), verdict::Reason> {
        let transactions =
            Transactions::new(program, encoding, points).map_err(verdict::Reason::Transactions)?;
        let mut explorer = Explorer::new(&transactions, MOST_STEPS);
        explorer.steps = stats.steps;
        for _ in 0..ATTEMPTS {
            let mut store = Store::new();
            explorer.needs = Unmet::default();
            let attempt = self.attempt(&transactions, switches, &mut explorer, account, &mut store, stats);
            let more = match attempt.map_err(verdict::Reason::Program)? {
                Attempt::All => {
                    let space = Space::new(encoding, store.iter());
                    let space = space.with_switches(Some(switches.clone()));
                    return Ok((Seen::All(space), explorer.needs));
                }
                Attempt::Limit(reason) => return Err(verdict::Reason::Search { depth: 0, reason }),
                Attempt::Obstacle(last, Obstacle::Rejected(r)) => {
                    let (transactions, symmetry, store) = (&transactions, encoding.symmetry, &store);
                    let searched = Searched { program, transactions, switches, points, symmetry, store };
                    let run = last.and_then(|id| searched.schedule(id, MOST_STEPS));
                    return match run {
                        Some(schedule) => Ok((Seen::Violation(schedule), Unmet::default())),
                        None => Err(verdict::Reason::Transactions(r)),
                    };
                }
                Attempt::Obstacle(_, Obstacle::Conflict(edges)) => edges,
                Attempt::Obstacle(_, Obstacle::Long(edge)) => edge.into_iter().collect(),
            };
            if !more.iter().fold(false, |any, (t, e)| any | switches.add(*t, *e)) {
                break;
            }
        }
        Err(verdict::Reason::Transactions(Rejection::Fuel))
    }

    fn attempt(
        &self,
        transactions: &Transactions<'_>,
        switches: &Switches,
        explorer: &mut Explorer<'_, '_>,
        account: &Account<'_>,
        store: &mut Store,
        stats: &mut Stats,
    ) -> Result<Attempt, Stop> {
        let (mut scratch, mut bytes, mut state) = (Scratch::default(), Vec::new(), State::default());
        let normal = transactions.normal();
        let mut todo = VecDeque::new();
        for start in transactions.starts() {
            normal.pack(&transactions.initial(start)?, &mut scratch, &mut bytes);
            todo.extend(store.insert(hash(&bytes), &bytes, ROOT).filter(|x| x.1).map(|x| x.0));
        }
        while let Some(id) = todo.pop_front() {
            stats.states = store.len();
            stats.bytes = store.bytes();
            stats.steps = explorer.steps;
            account.tell(&Stats { steps: stats.steps / QUICK, ..*stats });
            if account.cancelled() {
                return Ok(Attempt::Limit(Reason::Cancelled));
            }
            if store.full() || store.len() > self.max_states {
                return Ok(Attempt::Limit(Reason::States));
            }
            normal.unpack(store.get(id), &mut state);
            explorer.steps += state.data.len().saturating_add(state.cells.len()) as u64 / COPIED;
            let done = explorer.expand(&state, switches, &mut |after, _, _| {
                normal.pack(after, &mut scratch, &mut bytes);
                todo.extend(store.insert(hash(&bytes), &bytes, id).filter(|x| x.1).map(|x| x.0));
            });
            if let Err(obstacle) = done {
                let shows = match &obstacle {
                    Obstacle::Rejected(Rejection::Violation(found)) => matches!(found, RunEnd::Violated(_)),
                    Obstacle::Rejected(r) => *r == Rejection::Meeting,
                    _ => false,
                };
                return Ok(Attempt::Obstacle(shows.then_some(id), obstacle));
            }
        }
        Ok(Attempt::All)
    }
}
