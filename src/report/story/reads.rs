//! Which write each read saw, and which reads are out of date when their value is used.

use super::{Does, Story};
use std::collections::BTreeMap;

/// An access: step, effect.
type Place = (usize, usize);

/// Marks reads with the step whose write they saw, and those that are stale. `fails`: who comes to the violation.
pub fn mark(story: &mut Story, fails: usize) {
    let mut writer: BTreeMap<usize, usize> = BTreeMap::new();
    // By thread and cell, the last read since the thread wrote the cell, and the last write of another thread since.
    let mut last: BTreeMap<(usize, usize), (Place, Option<usize>)> = BTreeMap::new();
    let mut stale: Vec<(Place, usize)> = Vec::new();
    for i in 0..story.steps.len() {
        let thread = story.steps[i].thread;
        for k in 0..story.steps[i].effects.len() {
            let e = &mut story.steps[i].effects[k];
            match e.does {
                Does::Read | Does::Look => {
                    e.from = writer.get(&e.cell).copied();
                    last.insert((thread, e.cell), ((i, k), None));
                }
                Does::Write | Does::Free => {
                    writer.insert(e.cell, i);
                    if let Some((read, Some(between))) = last.remove(&(thread, e.cell)) {
                        stale.push((read, between));
                    }
                    let changed = e.before != e.value;
                    for ((t, c), (_, between)) in &mut last {
                        if *t != thread && *c == e.cell && changed {
                            *between = Some(i);
                        }
                    }
                }
                _ => {}
            }
        }
    }
    // Nobody wrote over what it had not seen: then the one that fails may rely on what is no longer so.
    if stale.is_empty() {
        let of = |((t, _), (read, between)): (&(usize, usize), &(Place, Option<usize>))| {
            between.filter(|_| *t == fails).map(|b| (*read, b))
        };
        stale.extend(last.iter().filter_map(of));
    }
    for ((i, k), between) in stale {
        story.steps[i].effects[k].stale = Some(between);
    }
}
