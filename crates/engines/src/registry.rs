//! All engines, a line each, and how they share a race.

use crate::engine::{Choice, Engine};
use crate::ordered::InOrder;
use crate::rely_guarantee::Refinement;
use crate::replicated::Replicated;
use crate::search::{Chances, FewThreads, Interleavings, SwitchToSwitch};
use crate::symbolic::SymbolicSearch;
use crate::{aret, search, symbolic};

/// What engines are told besides their task.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// Proof rule, bias and patterns of refinement.
    pub proof: aret::Settings,
    /// Searches of states, one after the other.
    pub searches: Vec<search::Settings>,
    /// For random runs where no engine looks for a proof any more.
    pub chances: search::Settings,
    /// Limits of the symbolic search.
    pub symbolic: symbolic::Settings,
}

/// An engine, and its place in a race.
pub struct Entry {
    /// The engine, with its settings.
    pub engine: Box<dyn Engine>,
    /// Engines of a lane take turns, in the order of the registry; lanes race with each other.
    pub lane: usize,
    /// Work of each of its turns. It starts anew each time, and plays no more once it has ended before its work was done.
    pub turns: &'static [u64],
    /// It is tried when the others of its lane have given up: why it fails is no news.
    pub fallback: bool,
}

/// The lane of proofs, and that of searches.
const PROOFS: usize = 0;
const SEARCHES: usize = 1;

/// The lane of what needs fewer interleavings than there are: transactions, and proofs in an order of preference.
const ORDERS: usize = 2;

/// A turn to the end.
const ALL: u64 = u64::MAX;

/// All engines, in the order in which reports name their reasons. With fewer notions than refinement has, replicated
/// threads give a proof soon, or none at all; once both have given up, their processor makes random runs.
#[rustfmt::skip]
pub fn all(s: &Settings) -> Vec<Entry> {
    vec![
        entry(PROOFS, &[8_000_000, ALL], Refinement(s.proof)),
        entry(PROOFS, &[4_000_000, ALL], Replicated { joins: s.proof.is_usual() }),
        Entry { fallback: true, ..entry(PROOFS, &[0, 0, ALL], Chances(s.chances)) },
        Entry { fallback: true, ..entry(SEARCHES, &[ALL], FewThreads(s.chances)) },
        entry(SEARCHES, &[ALL], Interleavings(s.searches.clone())),
        Entry { fallback: true, ..entry(SEARCHES, &[ALL], SymbolicSearch(s.symbolic)) },
        Entry { fallback: true, ..entry(ORDERS, &[3_000_000, 60_000_000, ALL], SwitchToSwitch::of(&s.chances)) },
        Entry { fallback: true, ..entry(ORDERS, &[4_000_000, ALL], InOrder(s.proof)) },
    ]
}

/// The words that ask for one engine, with the name of that engine: searches before proofs.
pub fn choices() -> Vec<(Choice, &'static str)> {
    let mut entries = all(&Settings::default());
    let place = |e: &Entry| match e.lane {
        SEARCHES => 0,
        PROOFS => 1,
        _ => 2,
    };
    entries.sort_by_key(place);
    let of = |e: &Entry| e.engine.choices().iter().map(|c| (*c, e.engine.name())).collect::<Vec<_>>();
    entries.iter().flat_map(of).collect()
}

fn entry(lane: usize, turns: &'static [u64], engine: impl Engine + 'static) -> Entry {
    Entry { engine: Box::new(engine), lane, turns, fallback: false }
}
