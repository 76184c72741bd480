//! Rounds of loops that are alike in all but values, and in which of several threads alike runs: the first and the last are shown.

use super::{Actor, Does, Fold, Step, Story};

/// The longest round that is looked for, in steps.
const LONGEST: usize = 24;
/// Rounds that are shown where each is another thread's: who did what may matter.
const ONE_BY_ONE: usize = 8;

/// Rounds that are left out, from first to last; they do not overlap. `actors`: the threads of the steps.
pub fn folds(steps: &[Step], actors: &[Actor]) -> Vec<Fold> {
    let mut out = Vec::new();
    let mut i = 0;
    while i < steps.len() {
        let best = (1..=LONGEST)
            .map(|n| (n, rounds(steps, actors, i, n)))
            .filter(|(n, r)| *r > if changes(steps, i, *n) { ONE_BY_ONE } else { 3 })
            .max_by_key(|(n, r)| (n * r, usize::MAX - n));
        match best {
            Some((n, r)) => {
                out.push(Fold { first: i + n, steps: n * (r - 2), rounds: r - 2 });
                i += n * r;
            }
            None => i += 1,
        }
    }
    out
}

/// Is the next round another thread's?
fn changes(steps: &[Step], from: usize, n: usize) -> bool {
    (from..from + n).any(|k| steps.get(k).map(|s| s.thread) != steps.get(k + n).map(|s| s.thread))
}

/// How often in a row the steps from here are done. A thread of a later round may take the place of another one with its start routine,
/// which it then does in the whole round.
fn rounds(steps: &[Step], actors: &[Actor], from: usize, n: usize) -> usize {
    let routine = |thread: usize| actors.get(thread).map(|a| &a.routine);
    let ends = |s: &Step| s.effects.iter().any(|e| e.does == Does::End);
    let mut r = 1;
    loop {
        let mut places: Vec<(usize, usize)> = Vec::new();
        let mut alike = |a: &Step, b: &Step| {
            let same = (a.line, a.depth, &a.file, ends(a)) == (b.line, b.depth, &b.file, ends(b));
            let (x, y) = (a.thread, b.thread);
            let known = places.iter().find(|p| p.0 == x || p.1 == y).copied();
            places.push((x, y));
            same && known.is_none_or(|p| p == (x, y))
                && (x == y && !ends(a) || x != y && routine(x) == routine(y))
                && !a.effects.iter().chain(&b.effects).any(|e| e.stale.is_some())
        };
        let all = (0..n).all(|k| match (steps.get(from + k), steps.get(from + r * n + k)) {
            (Some(a), Some(b)) => alike(a, b),
            _ => false,
        });
        if !all {
            return r;
        }
        r += 1;
    }
}

impl Fold {
    /// How many rounds, and which threads are created or joined in them.
    pub fn words(&self, story: &Story) -> String {
        let steps = story.steps.get(self.first..self.first + self.steps).unwrap_or_default();
        let threads = |does: Does| {
            let all = steps.iter().flat_map(|s| &s.effects).filter(move |e| e.does == does);
            let all: Vec<&str> = all.filter_map(|e| Some(story.name(e.thread?))).collect();
            let verb = if does == Does::Create { "starts" } else { "joins" };
            match all.as_slice() {
                [] => None,
                [one] => Some(format!("{verb} {one}")),
                [first, .., last] => Some(format!("{verb} {first} to {last}")),
            }
        };
        let told: Vec<String> = [Does::Create, Does::Join].into_iter().filter_map(threads).collect();
        let told = if told.is_empty() { String::new() } else { format!(": {}", told.join(", ")) };
        format!("… {} more rounds{told}", self.rounds)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::story::Effect;

    fn actor(routine: &str) -> Actor {
        Actor { routine: routine.into(), ..Actor::default() }
    }

    fn step(thread: usize, line: u32, ends: bool) -> Step {
        let effects = if ends { vec![Effect { does: Does::End, ..Effect::default() }] } else { Vec::new() };
        Step { thread, line, effects, ..Step::default() }
    }

    #[test]
    fn threads_that_run_one_after_the_other_are_rounds() {
        let round = |t: usize| [step(t, 5, false), step(t, 6, true), step(0, 9, false)];
        let joined = |n: usize| -> Vec<Step> { (1..=n).flat_map(round).collect() };
        let mut actors = vec![actor("main")];
        actors.resize_with(13, || actor("worker"));
        let rounds = |steps: &[Step], actors: &[Actor]| {
            folds(steps, actors).iter().map(|f| f.rounds).collect::<Vec<_>>()
        };
        assert_eq!(rounds(&joined(12), &actors), [10]);
        // So few are shown.
        assert!(rounds(&joined(8), &actors).is_empty());
        // One of them is no worker.
        actors[7].routine = "other".into();
        assert!(rounds(&joined(12), &actors).is_empty());
    }

    #[test]
    fn a_thread_takes_one_place_in_a_round() {
        // Two threads in turns, twelve times; in the end one of them alone.
        let actors = [actor("worker"), actor("worker")];
        let turns: Vec<Step> = (0..12).flat_map(|_| [step(0, 5, false), step(1, 5, false)]).collect();
        assert_eq!(folds(&turns, &actors).len(), 1);
        // Nobody ends twice.
        let ends: Vec<Step> = (0..12).map(|_| step(0, 5, true)).collect();
        assert!(folds(&ends, &actors).is_empty());
    }
}
