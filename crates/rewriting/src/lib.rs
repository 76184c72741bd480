//! Reachability for rewriting systems: Ben Rajeb, Nasraoui, Robbana and Touili, "Verifying Multithreaded Recursive
//! Programs with Integer Variables", 2009 (*BNRT*).
//!
//! From a set of terms with variables, is a term reachable that a tree automaton accepts? The terms are rewritten by
//! narrowing modulo AC ([`narrow`], [`unify`]), tested by theorem 3.1 ([`instance`], [`automaton`]), breadth first
//! ([`search`]), and not looked at again when they are instances of earlier ones ([`visited`]). A rewrite sequence is
//! replayed and a closed set of terms checked ([`check`]) by code that shares nothing with all this ([`ground`]).
//!
//! ```
//! use relyant_rewriting::search::Limits;
//! use relyant_rewriting::{Reachability, decide, timbuk};
//! use std::sync::atomic::AtomicBool;
//!
//! // Two variables that begin equal are counted up in turn.
//! let text = "Ops Box:3 head:0 middle:0 error:0 a:1 b:1 s:1 zero:0
//!     Vars x y p
//!     TRS Pair
//!       Box(head, a(x), b(y)) -> Box(middle, a(s(x)), b(y))
//!       Box(middle, a(x), b(y)) -> Box(head, a(x), b(s(y)))
//!       Box(head, a(x), b(y)) -> Box(error, a(x), b(y)) if x != y
//!     Automaton Bad
//!     States any bad box
//!     Final States box
//!     Transitions
//!       zero -> any  s(any) -> any  a(any) -> any  b(any) -> any
//!       error -> bad
//!       Box(bad, any, any) -> box
//!     Set Initial
//!       Box(head, a(x), b(x)) if x >= x";
//! let system = timbuk::load_text("pair.timbuk", text)?;
//! let report = decide(&system, &Limits { terms: 1000, cancel: &AtomicBool::new(false) })?;
//! assert!(matches!(report.verdict, Reachability::Closed(_)));
//! # Ok::<(), Box<relyant_cfa::diagnostic::Diagnostic>>(())
//! ```
#![deny(missing_docs)]

pub mod automaton;
pub mod bounds;
pub mod check;
pub mod export;
pub mod gap;
pub mod ground;
pub mod instance;
pub mod narrow;
pub mod search;
pub mod term;
#[cfg(test)]
mod tests;
pub mod timbuk;
pub mod trace;
pub mod unify;
pub mod unknown;
pub mod visited;

use crate::timbuk::{Place, System};
use automaton::Automaton;
use narrow::Rules;
use relyant_cfa::diagnostic::Diagnostic;
use search::{Limits, NarrowingOutcome, Search, Stats};
use term::Arena;
use trace::Path;
use unknown::Unknown;

/// Is a bad term reachable?
#[derive(Clone, Debug)]
pub enum Reachability {
    /// Yes, by this sequence, which was replayed.
    Reachable(Box<Path>),
    /// No: so many terms, with all their instances, are closed under rewriting, and none is bad.
    Closed(usize),
    /// Nothing is known: why.
    Unknown(Unknown),
}

impl Reachability {
    /// `safe`, `unsafe` or `unknown`.
    pub fn word(&self) -> &'static str {
        match self {
            Reachability::Reachable(_) => "unsafe",
            Reachability::Closed(_) => "safe",
            Reachability::Unknown(_) => "unknown",
        }
    }
}

/// What came of a system.
#[derive(Clone, Debug)]
pub struct Report {
    /// The answer, with what it rests on.
    pub verdict: Reachability,
    /// How far the search came.
    pub stats: Stats,
    /// Seconds of the search and of the check.
    pub seconds: (f64, f64),
}

/// Decides whether a bad term is reachable; an error is one of the input.
pub fn decide(system: &System, limits: &Limits) -> Result<Report, Box<Diagnostic>> {
    let wrong = |message: String, help: &str, place: Place| {
        let whole = Diagnostic::of_file(system.file.clone(), message, help);
        Box::new(Diagnostic { line: place.line, column: place.column, ..whole })
    };
    if system.automata.is_empty() {
        return Err(wrong(
            "no automaton says what is bad".into(),
            "add a section Automaton",
            Place::default(),
        ));
    }
    if system.initial().next().is_none() {
        return Err(wrong("there are no initial terms".into(), "add a section Set", Place::default()));
    }
    let began = std::time::Instant::now();
    let mut arena = Arena::new(system);
    let mut automata = Vec::new();
    for a in &system.automata {
        let help = "an automaton must accept a term as soon as it accepts one equal to it";
        let made = Automaton::new(system, a, &mut arena).map_err(|e| wrong(e.to_string(), help, a.place))?;
        automata.push(made);
    }
    let rules = Rules::new(system, &mut arena);
    let mut search = Search::new(system, &mut automata, &rules, &mut arena);
    let found = search.run(limits);
    let stats = search.stats;
    let searched = began.elapsed().as_secs_f64();
    let verdict = match found {
        NarrowingOutcome::Bad(path) => match check::replay(system, &path) {
            Ok(()) => Reachability::Reachable(Box::new(path)),
            Err(why) => Reachability::Unknown(Unknown::Replay(why)),
        },
        NarrowingOutcome::Closed(set) => {
            match check::closed(system, &set, &mut automata, &rules, &mut arena, limits.cancel) {
                Ok(()) => Reachability::Closed(set.len()),
                Err(why) => Reachability::Unknown(Unknown::Unconfirmed(why)),
            }
        }
        NarrowingOutcome::Unknown(why) => Reachability::Unknown(why),
    };
    Ok(Report { verdict, stats, seconds: (searched, began.elapsed().as_secs_f64() - searched) })
}
