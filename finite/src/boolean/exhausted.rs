//! Checks that a set of states of a Boolean program is all there is: evidence that a bounded number of threads does not
//! fail. Knows the interpreter only.

use super::bits::Bits;
use super::machine::{Machine, Successor, Thread, TooMany};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};

/// States: the shared one, and how many threads are in each local state, by number.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct States {
    /// Threads at the same time at most; more are not started.
    pub threads: Option<u32>,
    /// Shared states, by number: globals, locks that are taken, and the flag of atomic sections.
    pub shared: Vec<Bits>,
    /// Local states of threads, by number.
    pub locals: Vec<Thread>,
    /// Numbers of the two, the second in rising order with counts above 0.
    pub states: Vec<(u32, Vec<(u32, u32)>)>,
}

/// Why states are no evidence.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Rejection {
    /// Numbers out of range or order.
    #[error("state {0} is malformed")]
    Malformed(usize),
    /// An initial state is missing.
    #[error("an initial state is missing")]
    Initial,
    /// A successor is missing.
    #[error("a successor of state {0} is missing")]
    Open(usize),
    /// An assertion fails in the state with this number.
    #[error("an assertion fails in state {0}")]
    Fails(usize),
    /// A step has too many outcomes to list them.
    #[error(transparent)]
    Many(#[from] TooMany),
    /// It was asked to stop: nothing is known.
    #[error("stopped")]
    Cancelled,
}

type Key = (u32, Vec<(u32, u32)>);

/// A step by numbers; `None` for what is not in the lists. A thread that ends has no number.
type Known = Option<(u32, Option<u32>, Option<u32>)>;

/// Checks states. Returns how many steps lead to one of them.
pub fn check(machine: &Machine, s: &States, cancel: &AtomicBool) -> Result<usize, Rejection> {
    let number = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    let shared: FxHashMap<&Bits, u32> = s.shared.iter().enumerate().map(|(i, b)| (b, number(i))).collect();
    let locals: FxHashMap<&Thread, u32> = s.locals.iter().enumerate().map(|(i, t)| (t, number(i))).collect();
    let mut set: FxHashSet<&Key> = FxHashSet::default();
    for (i, state) in s.states.iter().enumerate() {
        let (v, threads) = state;
        let rising = threads.windows(2).all(|w| w[0].0 < w[1].0);
        let known = threads.iter().all(|(l, n)| (*l as usize) < s.locals.len() && *n > 0);
        if !rising || !known || *v as usize >= s.shared.len() {
            return Err(Rejection::Malformed(i));
        }
        set.insert(state);
    }
    for (v, t) in machine.initial()? {
        let start = shared.get(&v).zip(locals.get(&t));
        if !start.is_some_and(|(v, t)| set.contains(&(*v, vec![(*t, 1)]))) {
            return Err(Rejection::Initial);
        }
    }
    let steps = |v: u32, l: u32| -> Result<Option<Rc<[Known]>>, TooMany> {
        let known = |o: Successor| -> Option<Known> {
            if o.failed {
                return None;
            }
            // Both or neither.
            let find = |t: &Option<Thread>| t.as_ref().map(|t| locals.get(t).copied());
            let (moved, born) = (find(&o.thread), find(&o.spawned));
            if moved == Some(None) || born == Some(None) {
                return Some(None);
            }
            Some(shared.get(&o.shared).map(|v| (*v, moved.flatten(), born.flatten())))
        };
        let all = machine.steps(&s.shared[v as usize], &s.locals[l as usize])?;
        Ok(all.into_iter().map(known).collect::<Option<Vec<Known>>>().map(Rc::from))
    };
    let mut memo: FxHashMap<(u32, u32), Option<Rc<[Known]>>> = FxHashMap::default();
    let mut inside = 0;
    for (i, (v, threads)) in s.states.iter().enumerate() {
        if cancel.load(Ordering::Relaxed) {
            return Err(Rejection::Cancelled);
        }
        let alive: u64 = threads.iter().map(|t| u64::from(t.1)).sum();
        let full = s.threads.is_some_and(|n| alive >= u64::from(n));
        for (place, (l, _)) in threads.iter().enumerate() {
            let known = match memo.get(&(*v, *l)) {
                Some(k) => k.clone(),
                None => {
                    let k = steps(*v, *l)?;
                    memo.insert((*v, *l), k.clone());
                    k
                }
            };
            for step in known.ok_or(Rejection::Fails(i))?.iter() {
                let (after, moved, born) = step.ok_or(Rejection::Open(i))?;
                let mut next = threads.clone();
                next[place].1 -= 1;
                for l in moved.into_iter().chain(born.filter(|_| !full)) {
                    match next.binary_search_by_key(&l, |t| t.0) {
                        Ok(j) => next[j].1 = next[j].1.checked_add(1).ok_or(Rejection::Malformed(i))?,
                        Err(j) => next.insert(j, (l, 1)),
                    }
                }
                next.retain(|t| t.1 > 0);
                if !set.contains(&(after, next)) {
                    return Err(Rejection::Open(i));
                }
                inside += 1;
            }
        }
    }
    Ok(inside)
}
