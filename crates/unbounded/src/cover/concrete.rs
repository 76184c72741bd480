//! Forward search of concrete configurations, the smallest ones first: for systems whose steps ask for the absence of
//! threads, where what is coverable says little of what is reachable.

use super::Limits;
use relyant_finite::evidence::{CoveringRun, Step};
use relyant_finite::model::{Config, Initial, System, Target};
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::atomic::Ordering;

/// Configurations that are looked at.
const MOST: usize = 1_500_000;

/// A run to the target, if there is a short one with few threads.
pub fn search(system: &System, target: &Target, limits: &Limits) -> Option<CoveringRun> {
    let mut from: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
    for (i, t) in (0u32..).zip(&system.transitions) {
        from.entry(t.from).or_default().push(i);
    }
    let mut nodes: Vec<(Config, u32, u32)> = Vec::new();
    let mut seen: FxHashMap<Config, ()> = FxHashMap::default();
    // by number of threads, then by age; initial configurations with more threads come when it is their turn
    let mut queue: BinaryHeap<Reverse<(u64, u32)>> = BinaryHeap::new();
    let mut extra = 0;
    let mut push = |c: Config, before: u32, by: u32, nodes: &mut Vec<_>, queue: &mut BinaryHeap<_>| {
        if seen.insert(c.clone(), ()).is_none() {
            queue.push(Reverse((c.locals.total(), nodes.len() as u32)));
            nodes.push((c, before, by));
        }
    };
    let unbounded = system.initial.iter().any(|i| !i.any.is_empty());
    loop {
        let due = queue.peek().is_none_or(|Reverse((n, _))| *n > extra);
        if due && (extra == 0 || unbounded) {
            for i in &system.initial {
                started(i, extra, &mut |c| push(c, u32::MAX, 0, &mut nodes, &mut queue));
            }
            extra += 1;
        }
        let Some(Reverse((_, at))) = queue.pop() else {
            if unbounded && extra < 1_000 {
                continue;
            }
            return None;
        };
        if nodes.len() >= MOST.min(limits.vertices) || limits.cancel.load(Ordering::Relaxed) {
            return None;
        }
        let config = nodes.get(at as usize)?.0.clone();
        if target.iter().any(|t| t.is_below(&config)) {
            let (mut steps, mut now) = (Vec::new(), at);
            loop {
                let (c, before, by) = nodes.get(now as usize)?;
                if *before == u32::MAX {
                    steps.reverse();
                    return Some(CoveringRun { start: c.clone(), steps });
                }
                steps.push(Step { transition: *by as usize, splits: Vec::new() });
                now = *before;
            }
        }
        for i in from.get(&config.shared).into_iter().flatten() {
            if let Some(Ok(next)) = system.transitions.get(*i as usize).map(|t| t.fire(&config, &[])) {
                push(next, at, *i, &mut nodes, &mut queue);
            }
        }
    }
}

/// The initial configurations with so many threads more than necessary.
fn started(i: &Initial, extra: u64, found: &mut impl FnMut(Config)) {
    fn go(any: &[u32], left: u32, c: &Config, found: &mut impl FnMut(Config)) {
        let Some((l, rest)) = any.split_first() else {
            if left == 0 {
                found(c.clone());
            }
            return;
        };
        for k in (if rest.is_empty() { left } else { 0 })..=left {
            let mut next = c.clone();
            if next.locals.add(*l, k).is_some() {
                go(rest, left - k, &next, found);
            }
        }
    }
    if let Ok(n) = u32::try_from(extra) {
        go(&i.any, n, &i.exactly, found);
    }
}
