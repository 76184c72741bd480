//! Which write each read saw, and which reads were out of date when the thread relied on them.

use super::{Awaited, Does, Effect, Step, Story};
use relyant_cfa::Violated;
use relyant_interp::uses::Uses;
use std::collections::BTreeMap;

/// An effect: step, and place in it.
pub(super) type Place = (usize, usize);

/// What is known of reads beyond what they saw.
pub(super) struct Known<'t> {
    uses: &'t Uses,
    /// Facts by effect, effects by fact.
    facts: BTreeMap<Place, usize>,
    places: BTreeMap<usize, Place>,
}

impl<'t> Known<'t> {
    pub(super) fn new(uses: &'t Uses, facts: BTreeMap<Place, usize>) -> Known<'t> {
        let places = facts.iter().map(|(p, f)| (*f, *p)).collect();
        Known { uses, facts, places }
    }

    /// The place of a fact, if an effect was made of it.
    pub(super) fn place(&self, fact: usize) -> Option<Place> {
        self.places.get(&fact).copied()
    }

    /// The reads that decided the last branch of the thread that fails.
    pub(super) fn decided(&self) -> Vec<Place> {
        self.uses.decided.iter().filter_map(|f| self.places.get(f).copied()).collect()
    }

    /// Did the read decide a branch?
    pub(super) fn tested(&self, read: Place) -> bool {
        self.facts.get(&read).is_some_and(|f| self.uses.tested.contains(f))
    }

    /// Did the read decide a branch, and was the round of the loop that it is in not over by the time of an effect (by the end)?
    pub(super) fn decides(&self, read: Place, until: Option<Place>) -> bool {
        let over = self.facts.get(&read).and_then(|r| self.uses.over.get(r));
        let now = until.and_then(|p| self.facts.get(&p)).copied().unwrap_or(usize::MAX);
        self.tested(read) && over.is_none_or(|o| *o > now)
    }

    /// Is what is written there made of the read?
    fn made_of(&self, write: Place, read: Place) -> bool {
        let fact = |p: Place| self.facts.get(&p);
        let of = fact(write).and_then(|w| self.uses.made_of.get(w));
        of.is_some_and(|of| fact(read).is_some_and(|r| of.contains(r)))
    }

    /// Pairs of reads of one cell that decided a branch together, the earlier one first.
    pub(super) fn compared(&self, story: &Story) -> Vec<(Place, Place)> {
        let mut out = Vec::new();
        for all in &self.uses.together {
            let all: Vec<Place> = all.iter().filter_map(|f| self.places.get(f).copied()).collect();
            for (n, a) in all.iter().enumerate() {
                let same = |b: &&Place| story.effect(**b).cell == story.effect(*a).cell && a.0 < b.0;
                out.extend(all[n + 1..].iter().filter(same).map(|b| (*a, *b)));
            }
        }
        out
    }
}

/// The last read of a cell by a thread since it wrote the cell.
struct Last {
    at: Place,
    /// The last write of another thread since.
    between: Option<usize>,
    /// How often the thread had given a lock back.
    released: usize,
}

/// Marks reads with the step whose write they saw, and those that are stale: the thread wrote what it made of the value, or
/// decided by it and wrote in the same round of a loop, without giving a lock back in between, after another thread had given the cell another value.
/// So are those that decided the violation, that a thread waits for a signal after, or does not post a semaphore after. `fails`: who comes to the violation.
pub(super) fn mark(story: &mut Story, known: &Known<'_>, fails: usize, violation: &Violated) {
    let mut writer: BTreeMap<usize, usize> = BTreeMap::new();
    let mut last: BTreeMap<(usize, usize), Last> = BTreeMap::new();
    let mut released: BTreeMap<usize, usize> = BTreeMap::new();
    let mut stale: Vec<(Place, usize)> = Vec::new();
    for i in 0..story.steps.len() {
        let thread = story.steps[i].thread;
        for k in 0..story.steps[i].effects.len() {
            let e = &mut story.steps[i].effects[k];
            match e.does {
                Does::Read | Does::Look => {
                    e.from = writer.get(&e.cell).copied();
                    let released = released.get(&thread).copied().unwrap_or(0);
                    last.insert((thread, e.cell), Last { at: (i, k), between: None, released });
                }
                Does::Write | Does::Free => {
                    writer.insert(e.cell, i);
                    let since = released.get(&thread).copied().unwrap_or(0);
                    if let Some(Last { at, between: Some(between), released }) =
                        last.remove(&(thread, e.cell))
                        && (known.made_of((i, k), at) || known.decides(at, Some((i, k))) && since == released)
                    {
                        stale.push((at, between));
                    }
                    let changed = e.before != e.value;
                    for ((t, c), l) in &mut last {
                        if *t != thread && *c == e.cell && changed {
                            l.between = Some(i);
                        }
                    }
                }
                Does::Unlock | Does::ShareUnlock | Does::Wait => *released.entry(thread).or_default() += 1,
                _ => {}
            }
        }
    }
    let decided = known.decided();
    let waits = |t: usize| story.waits.iter().any(|w| w.thread == t && w.what == Awaited::Signal);
    // A thread that did not post because of what it read.
    let untold = |t: usize, at: Place, between: usize| {
        let waiting = story.steps.get(between).map(|s| s.thread);
        let wait = story.waits.iter().find(|w| Some(w.thread) == waiting && w.what == Awaited::Semaphore);
        let posts = |s: &Step, object: &str| {
            s.thread == t && s.effects.iter().any(|e| e.does == Does::Post && e.object == object)
        };
        wait.is_some_and(|w| !story.steps[at.0..].iter().any(|s| posts(s, &w.object)))
    };
    let relied = |t: usize, at: Place, between: usize| match violation {
        Violated::Race(_) => false,
        Violated::Deadlock => known.decides(at, None) && (waits(t) || untold(t, at, between)),
        _ => t == fails && decided.contains(&at),
    };
    let of =
        |((t, _), l): (&(usize, usize), &Last)| l.between.filter(|b| relied(*t, l.at, *b)).map(|b| (l.at, b));
    stale.extend(last.iter().filter_map(of));
    stale.extend(unnoticed(story, known));
    for ((i, k), between) in stale {
        let e = &mut story.steps[i].effects[k];
        if e.does == Does::Read && !e.own {
            e.stale = Some(between);
        }
    }
}

/// Reads that were compared with a later one of the same value, though the value had been another in between.
fn unnoticed(story: &Story, known: &Known<'_>) -> Vec<(Place, usize)> {
    let pairs = known.compared(story);
    pairs.into_iter().filter_map(|(a, b)| Some((a, away(story, a, b)?))).collect()
}

/// The step between two reads of the same value at which another thread gave the cell another value.
pub(super) fn away(story: &Story, a: Place, b: Place) -> Option<usize> {
    let (first, second) = (story.effect(a), story.effect(b));
    let thread = story.steps[a.0].thread;
    if first.value != second.value || first.from == second.from || story.steps[b.0].thread != thread {
        return None;
    }
    let other = |e: &Effect| e.does == Does::Write && e.cell == first.cell && e.value != first.value;
    (a.0 + 1..b.0).find(|i| story.steps[*i].thread != thread && story.steps[*i].effects.iter().any(other))
}
