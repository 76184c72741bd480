//! Where the threads of a state are, kept up to date while one state becomes the next.

use super::config::Config;
use super::guards::{Question, Reached};
use super::independence::{Independence, Known, Touch};
use super::joins::{Wait, follow};
use relyant_interp::machine::State;

/// Of more threads at one location than this those are candidates that have an independent move.
const MANY: usize = 4;

/// Where the threads of a state are that have not ended.
#[derive(Clone, Debug, Default)]
pub(super) struct Occupied {
    /// It is true of the state at hand.
    pub known: bool,
    /// By location, how many threads are there or will return there.
    pub counts: Vec<u32>,
    /// A hash of that.
    sum: u64,
    /// Locations of which that is not 0.
    rows: Vec<u32>,
    /// By location: the threads there.
    members: Vec<Vec<u32>>,
    /// By thread: its location, and its place among those there; no location if it has ended.
    places: Vec<(u32, u32)>,
    /// By location: what is known of the moves of threads there.
    pub independent: Vec<Option<Known>>,
    /// Threads at joins.
    pub joining: Vec<usize>,
    /// Guards that are closed, once that was asked.
    closed: Option<u64>,
    /// Who waits for whom, once that was asked.
    pub waits: Vec<Wait>,
    followed: bool,
    /// What was worked out for all states.
    pub reached: Reached,
    /// Threads that may have an independent move, in the order in which they are asked.
    pub candidates: Vec<u32>,
}

/// The location of a thread that has ended.
const NOWHERE: u32 = u32::MAX;

impl Occupied {
    /// Locations where threads are, or will return to.
    pub fn rows(&self) -> impl Iterator<Item = usize> + '_ {
        self.rows.iter().map(|r| *r as usize)
    }

    /// A question about a thread at a location and a key, which has the same answer wherever threads are at the same
    /// locations and the same guards are closed. None where that is not all that matters.
    pub fn question(&self, state: &State, (row, key): (usize, u32), closed: u64) -> Option<Question> {
        state.stacks.is_empty().then_some((row as u32, key, self.sum, closed))
    }

    /// The guards that are closed, as bits.
    pub fn closed(&mut self, facts: &Independence, config: &Config<'_>, state: &State) -> u64 {
        let reached = &mut self.reached;
        *self.closed.get_or_insert_with(|| facts.guards.closed(&config.machine, state, reached))
    }

    /// Finds out which threads wait for the end of others.
    pub fn follow(&mut self, facts: &Independence, config: &Config<'_>, state: &State) {
        if !std::mem::replace(&mut self.followed, true) {
            let follow = |u: &usize| follow(config, &facts.keys, state, *u);
            self.waits.extend(self.joining.iter().filter_map(follow));
        }
    }

    /// What was found out about another state does not hold any more.
    fn forget(&mut self) {
        self.closed = None;
        self.waits.clear();
        self.followed = false;
        for row in &self.rows {
            self.independent[*row as usize] = None;
        }
    }

    fn count(&mut self, row: usize) {
        if self.counts[row] == 0 {
            self.rows.push(row as u32);
            self.independent[row] = None;
        }
        self.counts[row] += 1;
        self.sum = self.sum.wrapping_add(mark(row));
    }

    fn enter(&mut self, thread: usize, row: usize, joins: bool) {
        self.places[thread] = (row as u32, self.members[row].len() as u32);
        self.members[row].push(thread as u32);
        self.count(row);
        if joins {
            self.joining.push(thread);
        }
    }

    fn leave(&mut self, thread: usize) {
        let (row, at) = std::mem::replace(&mut self.places[thread], (NOWHERE, 0));
        if row == NOWHERE {
            return;
        }
        let members = &mut self.members[row as usize];
        members.swap_remove(at as usize);
        if let Some(other) = members.get(at as usize) {
            self.places[*other as usize].1 = at;
        }
        self.counts[row as usize] -= 1;
        self.sum = self.sum.wrapping_sub(mark(row as usize));
        if self.counts[row as usize] == 0 {
            self.rows.retain(|r| *r != row);
        }
        self.joining.retain(|t| *t != thread);
    }
}

/// Locations as numbers that are unlikely to have equal sums.
fn mark(row: usize) -> u64 {
    let x = (row as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let x = (x ^ (x >> 31)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x ^ (x >> 29)
}

impl Independence {
    pub(super) fn row(&self, state: &State, thread: usize) -> usize {
        let t = &state.threads[thread];
        self.first[t.name.template as usize] + t.loc.0 as usize
    }

    /// Where the threads of a state are, into `at`.
    pub fn occupy(&self, config: &Config<'_>, state: &State, at: &mut Occupied) {
        for row in std::mem::take(&mut at.rows) {
            at.counts[row as usize] = 0;
            at.members[row as usize].clear();
        }
        at.sum = 0;
        at.joining.clear();
        at.waits.clear();
        at.followed = false;
        at.closed = None;
        at.independent.resize(self.touch.len(), None);
        at.counts.resize(self.touch.len(), 0);
        at.members.resize(self.touch.len(), Vec::new());
        at.places.clear();
        at.places.resize(state.threads.len(), (NOWHERE, 0));
        for (u, t) in state.threads.iter().enumerate() {
            if t.ended.is_none() {
                let row = self.row(state, u);
                at.enter(u, row, self.joins[row]);
                if !state.stacks.is_empty() {
                    let mut own = true;
                    self.rows(config, state, u, |row| {
                        if !std::mem::take(&mut own) {
                            at.count(row);
                        }
                    });
                }
            }
        }
        at.known = true;
    }

    /// After a move of a thread.
    pub fn moved(&self, state: &State, thread: usize, at: &mut Occupied) {
        // Where calls return to is worked out anew.
        at.known &= state.stacks.is_empty() && !state.halted;
        if !at.known {
            return;
        }
        at.forget();
        at.leave(thread);
        let before = at.places.len();
        at.places.resize(state.threads.len(), (NOWHERE, 0));
        for u in std::iter::once(thread).chain(before..state.threads.len()) {
            if state.threads[u].ended.is_none() {
                let row = self.row(state, u);
                at.enter(u, row, self.joins[row]);
            }
        }
    }

    /// Threads that may have an independent move, the one with this number first.
    pub fn find_candidates(&self, config: &Config<'_>, state: &State, first: usize, at: &mut Occupied) {
        at.candidates.clear();
        for k in 0..at.rows.len() {
            let row = at.rows[k] as usize;
            let all = at.members[row].len();
            if all == 0 || matches!(self.touch[row], Touch::Visible) {
                continue;
            }
            match &self.touch[row] {
                Touch::Keys(list) if all > MANY => self.find_among(config, state, (row, list), at),
                _ => {
                    let Occupied { members, candidates, .. } = at;
                    candidates.extend_from_slice(&members[row]);
                }
            }
        }
        let n = state.threads.len();
        at.candidates.sort_unstable_by_key(|t| (*t as usize + n - first) % n);
    }

    /// Threads at a location that have an independent move. All that nobody waits for are alike.
    fn find_among(
        &self,
        config: &Config<'_>,
        state: &State,
        (row, list): (usize, &[(u32, bool)]),
        at: &mut Occupied,
    ) {
        if !at.joining.is_empty() {
            at.follow(self, config, state);
        }
        let alike = state.stacks.is_empty();
        let mut known = None;
        for m in 0..at.members[row].len() {
            let thread = at.members[row][m];
            let awaited = at.waits.iter().any(|w| w.is_for(thread as usize));
            let independent = match known.filter(|_| alike && !awaited) {
                Some(known) => known,
                None => self.has_independent_keys(config, state, (thread as usize, row), list, at),
            };
            if alike && !awaited {
                known = Some(independent);
                if !independent && at.waits.is_empty() {
                    return;
                }
            }
            if independent {
                at.candidates.push(thread);
            }
        }
    }
}
