//! Cover predecessors, and which transitions can have any.

use relyant_finite::model::{Config, Counts, Local, Shared, Split, System, Transition};
use rustc_hash::FxHashMap;
use std::ops::ControlFlow;

/// Ways to distribute threads over the sources of transfers, for one configuration and transition.
const MOST: u64 = 2_000_000;

/// There are too many predecessors.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TooMany;

/// Transitions by where they lead.
pub struct Steps {
    /// Those that change the shared state or transfer: by the shared state after.
    always: FxHashMap<Shared, Vec<u32>>,
    /// The others matter only to who wants what they put.
    movers: FxHashMap<(Shared, Local), Vec<u32>>,
}

impl Steps {
    /// An index of the transitions.
    pub fn new(system: &System) -> Steps {
        let mut steps = Steps { always: FxHashMap::default(), movers: FxHashMap::default() };
        for (i, t) in (0u32..).zip(&system.transitions) {
            if t.from != t.to || !t.transfers.is_empty() {
                steps.always.entry(t.to).or_default().push(i);
                continue;
            }
            for (l, _) in t.put.iter() {
                steps.movers.entry((t.to, l)).or_default().push(i);
            }
        }
        steps
    }

    /// Transitions that may have predecessors of `c` that are not above `c`.
    pub fn leading_to(&self, c: &Config) -> Vec<u32> {
        let mut out = self.always.get(&c.shared).cloned().unwrap_or_default();
        for (l, _) in c.locals.iter() {
            out.extend(self.movers.get(&(c.shared, l)).into_iter().flatten());
        }
        out.sort_unstable();
        out.dedup();
        out
    }
}

/// Calls `found` with each cover predecessor of `above` by `t`, and how the transfers have to be done. Not all of them
/// are minimal.
pub fn predecessors<B>(
    t: &Transition,
    above: &Config,
    mut found: impl FnMut(Config, &[Split]) -> ControlFlow<B>,
) -> Result<ControlFlow<B>, TooMany> {
    let wanted = above.locals.without(&t.put);
    if t.transfers.is_empty() {
        if t.absent.iter().any(|l| wanted.get(*l) > 0) {
            return Ok(ControlFlow::Continue(()));
        }
        let mut locals = wanted;
        locals.add_all(&t.take).ok_or(TooMany)?;
        return Ok(found(Config::new(t.from, locals), &[]));
    }
    // for each wanted local state: how many, and where they may have been
    let mut demands: Vec<(Local, u32, Vec<Local>)> = Vec::new();
    for (q, n) in wanted.iter() {
        let there = |x: &&relyant_finite::model::Transfer| x.to.binary_search(&q).is_ok();
        let mut from: Vec<Local> = t.transfers.iter().filter(there).map(|x| x.from).collect();
        if t.transfer(q).is_none() {
            from.push(q);
        }
        from.retain(|p| t.absent.binary_search(p).is_err());
        if from.is_empty() {
            return Ok(ControlFlow::Continue(()));
        }
        demands.push((q, n, from));
    }
    let mut search = Search { t, demands: &demands, left: MOST, splits: Vec::new(), found: &mut found };
    let mut locals = t.take.clone();
    search.run(0, 0, demands.first().map_or(0, |d| d.1), &mut locals)
}

struct Search<'a, F> {
    t: &'a Transition,
    demands: &'a [(Local, u32, Vec<Local>)],
    left: u64,
    splits: Vec<Split>,
    found: &'a mut F,
}

impl<B, F: FnMut(Config, &[Split]) -> ControlFlow<B>> Search<'_, F> {
    /// `n` threads of demand `i` are still to be taken, from its sources `j` on.
    fn run(&mut self, i: usize, j: usize, n: u32, locals: &mut Counts) -> Result<ControlFlow<B>, TooMany> {
        let Some((q, _, sources)) = self.demands.get(i) else {
            self.left = self.left.checked_sub(1).ok_or(TooMany)?;
            return Ok((self.found)(Config::new(self.t.from, locals.clone()), &self.splits));
        };
        let Some(p) = sources.get(j) else { return Ok(ControlFlow::Continue(())) };
        let last = j + 1 == sources.len();
        let before = locals.get(*p);
        for k in (if last { n } else { 0 })..=n {
            locals.set(*p, before.checked_add(k).ok_or(TooMany)?);
            let chosen = k > 0 && self.t.transfer(*p).is_some();
            if chosen {
                self.splits.push(Split { from: *p, to: *q, count: k });
            }
            let flow = if last {
                let next = self.demands.get(i + 1).map_or(0, |d| d.1);
                self.run(i + 1, 0, next, locals)
            } else {
                self.run(i, j + 1, n - k, locals)
            };
            if chosen {
                self.splits.pop();
            }
            locals.set(*p, before);
            match flow? {
                ControlFlow::Continue(()) => {}
                stop => return Ok(stop),
            }
        }
        Ok(ControlFlow::Continue(()))
    }
}
