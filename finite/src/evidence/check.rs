//! The checker of uncoverability proofs. It has its own notion of predecessors and uses nothing of the engines.
//!
//! The set of a [`Certificate`] is closed under predecessors if, for each transition whose source is outside of the
//! set: each minimal configuration from which it leads above a minimal element is in the set, and it makes no
//! configuration heavier.

use super::{Certificate, Weights};
use crate::model::{Config, Counts, Local, Shared, System, Target, Transition};
use rustc_hash::FxHashMap;
use std::sync::atomic::{AtomicBool, Ordering};

/// What was checked of a proof that was accepted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Checked {
    /// Minimal elements and linear invariants.
    pub elements: usize,
    /// Predecessors that were found in the set.
    pub predecessors: u64,
}

/// Why a certificate proves nothing.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Rejection {
    /// Numbers out of range or lists out of order.
    #[error("malformed: {0}")]
    Malformed(String),
    /// Part of the target is outside of the set.
    #[error("the set does not contain the target {0}")]
    Target(String),
    /// An initial configuration is in the set.
    #[error("{0} covers no more than an initial configuration has")]
    Initial(String),
    /// A predecessor is outside of the set.
    #[error(
        "not closed: {predecessor} leads above {element} by the transition of line {line}, and is not in the set"
    )]
    Open {
        /// The minimal element that is reached from outside.
        element: String,
        /// Its cover predecessor, which is not in the set.
        predecessor: String,
        /// Line of the transition.
        line: u32,
    },
    /// A transition makes configurations heavier.
    #[error("linear invariant {invariant} does not survive the transition of line {line}")]
    Heavier {
        /// Index of the invariant, from 0.
        invariant: usize,
        /// Line of the transition.
        line: u32,
    },
    /// It was asked to stop: nothing is known.
    #[error("stopped")]
    Cancelled,
    /// There are too many ways for threads to be transferred.
    #[error("too many predecessors by the transition of line {0}")]
    TooMany(u32),
}

/// Predecessors of one element by one transition.
const MOST: u64 = 50_000_000;

/// Does the certificate prove that the target is not coverable?
pub fn check(
    system: &System,
    target: &Target,
    certificate: &Certificate,
    cancel: &AtomicBool,
) -> Result<Checked, Rejection> {
    system.validate(target).map_err(|e| Rejection::Malformed(e.to_string()))?;
    system
        .validate(&certificate.minimal)
        .map_err(|e| Rejection::Malformed(format!("minimal elements: {e}")))?;
    let rising = |v: &[(u32, u64)]| v.windows(2).all(|w| w[0].0 < w[1].0);
    if !certificate.weights.iter().all(|w| rising(&w.shared) && rising(&w.local)) {
        return Err(Rejection::Malformed("weights out of order".into()));
    }
    let set = Set::new(certificate);
    if let Some(t) = target.iter().find(|t| !set.contains(t)) {
        return Err(Rejection::Target(system.show(t)));
    }
    initial(system, certificate)?;
    let mut report =
        Checked { elements: certificate.minimal.len() + certificate.weights.len(), ..Checked::default() };
    // transitions that start outside of the set, by where they lead
    let mut into: FxHashMap<Shared, Vec<&Transition>> = FxHashMap::default();
    for t in &system.transitions {
        if set.contains(&Config::new(t.from, t.take.clone())) {
            continue;
        }
        into.entry(t.to).or_default().push(t);
        for (i, w) in certificate.weights.iter().enumerate() {
            if !sinks(t, w) {
                return Err(Rejection::Heavier { invariant: i, line: t.place.line });
            }
        }
    }
    for element in &certificate.minimal {
        if cancel.load(Ordering::Relaxed) {
            return Err(Rejection::Cancelled);
        }
        for t in into.get(&element.shared).into_iter().flatten() {
            let mut outside = None;
            let mut seen = 0;
            let mut found = |p: Config| {
                seen += 1;
                if !set.contains(&p) {
                    outside = Some(p);
                }
                outside.is_none() && seen < MOST
            };
            let complete = before(t, element, &mut found);
            report.predecessors += seen;
            if let Some(p) = outside {
                return Err(Rejection::Open {
                    element: system.show(element),
                    predecessor: system.show(&p),
                    line: t.place.line,
                });
            }
            if !complete {
                return Err(Rejection::TooMany(t.place.line));
            }
        }
    }
    Ok(report)
}

fn initial(system: &System, certificate: &Certificate) -> Result<(), Rejection> {
    for i in &system.initial {
        if let Some(m) = certificate.minimal.iter().find(|m| i.covers(m)) {
            return Err(Rejection::Initial(system.show(m)));
        }
        for w in &certificate.weights {
            let pumped = i.any.iter().any(|l| w.local(*l) > 0);
            if pumped || w.weigh(&i.exactly) > u128::from(w.bound) {
                return Err(Rejection::Initial("a linear invariant".into()));
            }
        }
    }
    Ok(())
}

/// Does a transition make no configuration heavier?
fn sinks(t: &Transition, w: &Weights) -> bool {
    let before = Config::new(t.from, t.take.clone());
    let after = Config::new(t.to, t.put.clone());
    w.weigh(&after) <= w.weigh(&before)
        && t.transfers.iter().all(|x| x.to.iter().all(|to| w.local(*to) <= w.local(x.from)))
}

/// Hands over configurations such that each configuration from which `t` leads above `above` is above one of them,
/// until told to stop. Was it all of them?
fn before(t: &Transition, above: &Config, found: &mut impl FnMut(Config) -> bool) -> bool {
    let wanted: Vec<(Local, u32)> = above.locals.without(&t.put).iter().collect();
    let mut sources: Vec<Vec<Local>> = Vec::new();
    for (q, _) in &wanted {
        let mut from: Vec<Local> = t.transfers.iter().filter(|x| x.to.contains(q)).map(|x| x.from).collect();
        if t.transfers.iter().all(|x| x.from != *q) {
            from.push(*q);
        }
        from.retain(|p| !t.absent.contains(p));
        if from.is_empty() {
            return true;
        }
        sources.push(from);
    }
    let start = Config::new(t.from, t.take.clone());
    distribute(&wanted, &sources, 0, &start, found)
}

/// Takes the threads that are wanted from their sources: those of `wanted[0]` from the `next` on.
fn distribute(
    wanted: &[(Local, u32)],
    sources: &[Vec<Local>],
    next: usize,
    so_far: &Config,
    found: &mut impl FnMut(Config) -> bool,
) -> bool {
    let Some(((_, n), others)) = wanted.split_first() else { return found(so_far.clone()) };
    let Some((from, other_sources)) = sources.split_first() else { return false };
    let Some(p) = from.get(next) else { return true };
    let last = next + 1 == from.len();
    for k in if last { *n..=*n } else { 0..=*n } {
        let mut c = so_far.clone();
        if c.locals.add(*p, k).is_none() {
            return false;
        }
        let goes_on = if last {
            distribute(others, other_sources, 0, &c, found)
        } else {
            let mut rest = wanted.to_vec();
            rest[0].1 = n - k;
            distribute(&rest, sources, next + 1, &c, found)
        };
        if !goes_on {
            return false;
        }
    }
    true
}

/// The set, with its minimal elements by the rarest of their local states.
struct Set<'a> {
    bare: FxHashMap<Shared, ()>,
    keyed: FxHashMap<(Shared, Local), Vec<&'a Counts>>,
    weights: &'a [Weights],
}

impl<'a> Set<'a> {
    fn new(c: &'a Certificate) -> Set<'a> {
        let mut often: FxHashMap<(Shared, Local), usize> = FxHashMap::default();
        for m in &c.minimal {
            for (l, _) in m.locals.iter() {
                *often.entry((m.shared, l)).or_default() += 1;
            }
        }
        let mut set = Set { bare: FxHashMap::default(), keyed: FxHashMap::default(), weights: &c.weights };
        for m in &c.minimal {
            let rarest = m.locals.iter().map(|x| x.0).min_by_key(|l| often.get(&(m.shared, *l)));
            match rarest {
                None => drop(set.bare.insert(m.shared, ())),
                Some(l) => set.keyed.entry((m.shared, l)).or_default().push(&m.locals),
            }
        }
        set
    }
    fn contains(&self, c: &Config) -> bool {
        let below = |l: Local| {
            self.keyed.get(&(c.shared, l)).is_some_and(|v| v.iter().any(|m| m.is_below(&c.locals)))
        };
        self.bare.contains_key(&c.shared)
            || c.locals.iter().any(|(l, _)| below(l))
            || self.weights.iter().any(|w| w.weigh(c) > u128::from(w.bound))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tts;

    /// A lock: 0 outside, 1 inside; shared 0 free, 1 taken.
    fn lock() -> (System, Target) {
        let mut s = tts::system("2 2\n0 0 -> 1 1\n1 1 -> 0 0\n").unwrap();
        let t = tts::target("1|1,1", &mut s).unwrap().0;
        (s, t)
    }

    fn certificate(elements: &str, s: &System) -> Certificate {
        Certificate { minimal: tts::target(elements, &mut s.clone()).unwrap().0, weights: Vec::new() }
    }

    #[test]
    fn accepts_and_rejects() {
        let (s, t) = lock();
        let run = |c: &Certificate| check(&s, &t, c, &AtomicBool::new(false));
        let good = certificate("1|1,1\n0|1\n", &s);
        assert_eq!(run(&good).unwrap().elements, 2);
        assert!(matches!(run(&certificate("0|1\n", &s)), Err(Rejection::Target(_))));
        assert!(matches!(run(&certificate("1|1,1\n", &s)), Err(Rejection::Open { .. })));
        assert!(matches!(run(&certificate("1|1,1\n0|1\n0|0\n", &s)), Err(Rejection::Initial(_))));
        assert!(matches!(run(&certificate("1|1\n0|\n", &s)), Err(Rejection::Initial(_))));
        let mut far = good.clone();
        far.minimal.push(Config::new(7, Counts::new()));
        assert!(matches!(run(&far), Err(Rejection::Malformed(_))));
        let stopped = check(&s, &t, &good, &AtomicBool::new(true));
        assert_eq!(stopped, Err(Rejection::Cancelled));
    }

    #[test]
    fn linear_invariants() {
        let (s, t) = lock();
        let run = |w: Weights| {
            let c = Certificate { minimal: Vec::new(), weights: vec![w] };
            check(&s, &t, &c, &AtomicBool::new(false))
        };
        // the lock is free, or one is inside
        let w = Weights { shared: vec![(0, 1)], local: vec![(1, 1)], bound: 1 };
        assert!(run(w.clone()).is_ok());
        assert!(matches!(run(Weights { bound: 0, ..w.clone() }), Err(Rejection::Initial(_))));
        assert!(matches!(run(Weights { bound: 2, ..w.clone() }), Err(Rejection::Target(_))));
        assert!(matches!(run(Weights { shared: vec![], ..w.clone() }), Err(Rejection::Heavier { .. })));
        assert!(matches!(run(Weights { local: vec![(0, 1), (1, 1)], ..w }), Err(Rejection::Initial(_))));
    }

    #[test]
    fn transfers() {
        // one thread goes to 1, all others in 0 to 2: two in 2 come from three in 0
        let mut s = tts::system("1 3\n0 0 -> 0 1 0 ~> 2\n").unwrap();
        let t = tts::target("0|1,1", &mut s).unwrap().0;
        let c = certificate("0|1\n", &s);
        assert!(matches!(check(&s, &t, &c, &AtomicBool::new(false)), Err(Rejection::Open { .. })));
        let c = certificate("0|1,1\n", &s);
        let open = check(&s, &t, &c, &AtomicBool::new(false)).unwrap_err().to_string();
        assert!(open.contains("0 + 1 leads above 2 1"), "{open}");
    }
}
