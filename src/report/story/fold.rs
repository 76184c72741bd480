//! Rounds of loops that are alike in all but values: the first and the last are shown.

use super::{Does, Fold, Step};

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
        let plain = |s: &Step| {
            !s.effects
                .iter()
                .any(|e| matches!(e.does, Does::Create | Does::Join | Does::End) || e.stale.is_some())
        };
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
