//! The one model of replicated threads: a shared state, and how many threads are in each local state.
//!
//! A Petri net is a system with a single shared state; its places are the local states.

mod config;
mod fire;

pub use config::{Config, Counts};
pub use fire::{Misfit, Split};

use crate::input::Place;
use std::fmt::Write;

/// A shared state, by number below [`System::shared`].
pub type Shared = u32;
/// A local state, or a place of a Petri net, by number below [`System::local`].
pub type Local = u32;

/// What every thread that a step does not name does: from `from` to one of `to`, each thread on its own.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Transfer {
    /// Where the threads are.
    pub from: Local,
    /// Where each of them goes; nowhere at all if empty: they end. Sorted, without repetition.
    pub to: Vec<Local>,
}

/// A step: the threads of `take` become those of `put`, then all others follow `transfers`.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Transition {
    /// The shared state that it can be taken in.
    pub from: Shared,
    /// The shared state that it leads to.
    pub to: Shared,
    /// Threads that have to be there.
    pub take: Counts,
    /// Threads that replace those of `take`; not subject to `transfers`.
    pub put: Counts,
    /// For the others, by `from`, at most one for each. Without one, a thread stays.
    pub transfers: Vec<Transfer>,
    /// Local states in which no others may be. Not monotone: coverability is then over-approximated by ending them.
    pub absent: Vec<Local>,
    /// Where it is written.
    pub place: Place,
}

impl Transition {
    /// The transfer of a local state.
    pub fn transfer(&self, from: Local) -> Option<&Transfer> {
        self.transfers.binary_search_by_key(&from, |t| t.from).ok().and_then(|i| self.transfers.get(i))
    }
}

/// A set of initial configurations: `exactly`, and any number of threads in each of `any` besides.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Initial {
    /// Shared state and the threads that are there.
    pub exactly: Config,
    /// Local states with any number of threads more; sorted, without repetition.
    pub any: Vec<Local>,
}

impl Initial {
    /// Is this configuration below one of the set?
    pub fn covers(&self, c: &Config) -> bool {
        c.shared == self.exactly.shared
            && c.locals
                .iter()
                .all(|(l, n)| self.any.binary_search(&l).is_ok() || n <= self.exactly.locals.get(l))
    }
    /// Is it one of the set?
    pub fn contains(&self, c: &Config) -> bool {
        self.covers(c) && self.exactly.locals.is_below(&c.locals)
    }
}

/// Names, where the input has them.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Names {
    /// Of shared states, by number.
    pub shared: Vec<String>,
    /// Of local states, by number.
    pub local: Vec<String>,
}

/// A system of replicated threads.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct System {
    /// Shared states are `0..shared`.
    pub shared: u32,
    /// Local states are `0..local`.
    pub local: u32,
    /// Its steps; evidence names them by index here.
    pub transitions: Vec<Transition>,
    /// Initial configurations: the union.
    pub initial: Vec<Initial>,
    /// Empty where there are only numbers.
    pub names: Names,
}

/// What must not be covered: any of these.
pub type Target = Vec<Config>;

/// A system that is not well-formed.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Malformed {
    /// A shared or local state out of range.
    #[error("a state out of range in {0}")]
    Range(&'static str),
    /// Transfers or lists out of order, or named twice.
    #[error("lists out of order in {0}")]
    Order(&'static str),
}

impl System {
    /// Are all numbers in range and all lists in order? Readers see to it; engines and checkers rely on it.
    pub fn validate(&self, target: &Target) -> Result<(), Malformed> {
        let counts = |c: &Counts| c.iter().all(|(l, n)| l < self.local && n > 0);
        let config = |c: &Config| c.shared < self.shared && counts(&c.locals);
        let rising = |v: &[Local]| v.windows(2).all(|w| w[0] < w[1]);
        let known = |v: &[Local]| v.iter().all(|l| *l < self.local);
        for t in &self.transitions {
            let inside = t.from < self.shared && t.to < self.shared && counts(&t.take) && counts(&t.put);
            if !inside
                || !known(&t.absent)
                || t.transfers.iter().any(|x| x.from >= self.local || !known(&x.to))
            {
                return Err(Malformed::Range("a transition"));
            }
            let sorted = t.transfers.windows(2).all(|w| w[0].from < w[1].from);
            if !sorted || !rising(&t.absent) || t.transfers.iter().any(|x| !rising(&x.to)) {
                return Err(Malformed::Order("a transition"));
            }
        }
        for i in &self.initial {
            if !config(&i.exactly) || !known(&i.any) {
                return Err(Malformed::Range("the initial configurations"));
            }
            if !rising(&i.any) {
                return Err(Malformed::Order("the initial configurations"));
            }
        }
        if !target.iter().all(config) {
            return Err(Malformed::Range("the target"));
        }
        Ok(())
    }

    /// Are there steps that need the absence of threads?
    pub fn has_zero_tests(&self) -> bool {
        self.transitions.iter().any(|t| !t.absent.is_empty())
    }

    /// A local state's name.
    pub fn local_name(&self, l: Local) -> String {
        self.names.local.get(l as usize).cloned().unwrap_or_else(|| l.to_string())
    }

    /// A shared state's name.
    pub fn shared_name(&self, s: Shared) -> String {
        self.names.shared.get(s as usize).cloned().unwrap_or_else(|| s.to_string())
    }

    /// `s|l1,l2,...`, or `x + 2 y` for a net.
    pub fn show(&self, c: &Config) -> String {
        let mut out = String::new();
        let net = self.shared <= 1;
        if !net {
            let _ = write!(out, "{}|", self.shared_name(c.shared));
        }
        for (i, (l, n)) in c.locals.iter().enumerate() {
            let comma = match (i, net) {
                (0, _) => "",
                (_, true) => " + ",
                _ => ",",
            };
            let times = if n == 1 { String::new() } else { format!("{n} ") };
            let _ = write!(out, "{comma}{times}{}", self.local_name(l));
        }
        if out.is_empty() { "nothing".into() } else { out }
    }
}
