//! Rounds of loops that are alike in all but values: the first and the last are shown.

use super::{Does, Fold, Step, Story};

/// The longest round that is looked for, in steps.
const LONGEST: usize = 24;

/// Rounds that are left out, from first to last; they do not overlap.
pub fn folds(steps: &[Step]) -> Vec<Fold> {
    let mut out = Vec::new();
    let mut i = 0;
    while i < steps.len() {
        let best = (1..=LONGEST)
            .map(|n| (n, rounds(steps, i, n)))
            .filter(|(_, r)| *r > 3)
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

/// How often in a row the steps from here are done.
fn rounds(steps: &[Step], from: usize, n: usize) -> usize {
    let alike = |a: &Step, b: &Step| {
        let same = (a.thread, a.line, a.depth, &a.file) == (b.thread, b.line, b.depth, &b.file);
        let plain = |s: &Step| !s.effects.iter().any(|e| e.does == Does::End || e.stale.is_some());
        same && plain(a) && plain(b)
    };
    let mut r = 1;
    while (0..n).all(|k| match (steps.get(from + k), steps.get(from + r * n + k)) {
        (Some(a), Some(b)) => alike(a, b),
        _ => false,
    }) {
        r += 1;
    }
    r
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
