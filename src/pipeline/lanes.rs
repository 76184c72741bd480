//! What engines find, checked; and the lanes of a race, in which engines take turns.

use super::evidence::Checker;
use super::{Evidence, Method, Searched, Unknown, Verdict};
use relyant_engines::engine::{Engine, Task};
use relyant_engines::limits::RunHandle;
use relyant_engines::race::Lane;
use relyant_engines::registry::Entry;
use relyant_engines::watch::{Standing, Stats, Watch};
use std::time::Instant;

/// Work that a set of all states counts for on top, see [`relyant_engines::race`]: a proof found soon says more.
pub(super) const SPACE_HANDICAP: u64 = 250_000;

/// A verdict with evidence that was checked, or why there is none.
#[derive(Default)]
pub(super) struct Found {
    pub(super) verdict: Option<Verdict>,
    /// Who found the evidence.
    pub(super) engine: Option<&'static str>,
    pub(super) reason: Option<Unknown>,
    /// Where refinement ended, if it ran.
    pub(super) stats: Option<Stats>,
    /// Where the last search ended, if one ran.
    pub(super) searched: Option<Searched>,
    /// Seconds that replay or checking took.
    pub(super) check_seconds: f64,
    /// Work that was done.
    pub(super) work: u64,
}

impl Found {
    pub(super) fn unknown(reason: Unknown) -> Found {
        Found { reason: Some(reason), ..Found::default() }
    }

    /// What it says only if that is a verdict: why there is none is no news beside the reasons of others.
    pub(super) fn or_nothing(self) -> Found {
        match self.verdict {
            Some(_) => self,
            None => Found { check_seconds: self.check_seconds, work: self.work, ..Found::default() },
        }
    }

    /// As a race wants it: with what its evidence counts for.
    pub(super) fn in_race(mut self, lane: &Lane<'_>) -> (Found, Option<u64>) {
        self.work = lane.clock();
        let extra = self.verdict.as_ref().map(|v| match v {
            Verdict::Safe(Evidence::Space { .. }) => SPACE_HANDICAP,
            Verdict::Safe(Evidence::Proof { program, .. }) if program.ordered.is_some() => SPACE_HANDICAP,
            _ => 0,
        });
        (self, extra)
    }

    /// What is known after one engine and another one.
    pub(super) fn then(self, next: Found) -> Found {
        Found {
            stats: next.stats.or(self.stats),
            searched: next.searched.or(self.searched),
            check_seconds: self.check_seconds + next.check_seconds,
            ..next
        }
    }
}

/// Runs an engine, and checks what it finds.
pub(super) fn ask(engine: &dyn Engine, task: &Task<'_>, watch: &Watch<'_>, checker: &Checker<'_>) -> Found {
    let finding = engine.run(task, watch);
    let mut found = Found::default();
    match finding.standing {
        Some(Standing::Refined(stats)) => found.stats = Some(stats),
        Some(Standing::Searched(stats)) => {
            found.searched = Some(Searched { stats, seconds: finding.seconds });
        }
        Some(Standing::Symbolic(_)) | None => {}
    }
    let start = Instant::now();
    match finding.claim.map_err(Unknown::Engine).and_then(|claim| checker.check(claim)) {
        Ok(verdict) => (found.verdict, found.engine) = (Some(verdict), Some(engine.name())),
        Err(reason) => found.reason = Some(reason),
    }
    found.check_seconds = start.elapsed().as_secs_f64();
    found
}

/// Engines of one lane, in turns, until one has evidence, all have given up, or the race is over.
pub(super) fn take_turns(
    entries: &[Entry],
    task: &Task<'_>,
    checker: &Checker<'_>,
    run: &RunHandle,
    lane: &Lane<'_>,
) -> Found {
    let mut reasons = Vec::new();
    let mut given_up = vec![false; entries.len()];
    let mut last = Found::default();
    for (own, entry, work) in turns(entries) {
        if given_up[own] {
            continue;
        }
        let until = lane.clock().saturating_add(work);
        let watch = Watch {
            cancel: &|| lane.is_over() || lane.clock() >= until,
            work: &|more| lane.work(more),
            progress: &|standing| run.advance(standing),
        };
        last = last.then(ask(&*entry.engine, task, &watch, checker));
        given_up[own] = lane.clock() < until;
        if given_up[own] && !(entry.fallback && entries.len() > 1) {
            reasons.extend(last.reason.clone());
        }
        if last.verdict.is_some() || lane.is_over() {
            break;
        }
    }
    if last.verdict.is_none() && !reasons.is_empty() {
        last.reason = Some(Unknown::All(reasons));
    }
    last
}

/// As [`take_turns`]; why engines fail that are only tried besides all others is no news.
pub(super) fn take_part(
    entries: &[Entry],
    method: Method,
    task: &Task<'_>,
    checker: &Checker<'_>,
    run: &RunHandle,
    lane: &Lane<'_>,
) -> Found {
    let found = take_turns(entries, task, checker, run, lane);
    if method == Method::Auto && entries.iter().all(|e| e.fallback) { found.or_nothing() } else { found }
}

/// Whose turn it is, and for how much work; an engine that has the lane to itself has its last turn only.
fn turns(entries: &[Entry]) -> impl Iterator<Item = (usize, &Entry, u64)> {
    let rounds = entries.iter().map(|e| e.turns.len()).max().unwrap_or(0);
    let first = if entries.len() == 1 { rounds.saturating_sub(1) } else { 0 };
    (first..rounds).flat_map(move |round| {
        let turn = move |(own, e): (usize, &'_ Entry)| {
            e.turns.get(round).filter(|work| **work > 0).map(|work| (own, *work))
        };
        let playing: Vec<(usize, u64)> = entries.iter().enumerate().filter_map(turn).collect();
        playing.into_iter().map(|(own, work)| (own, &entries[own], work))
    })
}
