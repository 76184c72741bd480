//! Petri nets with transfers and resets: mist's `.spec` and PNML.
//!
//! A net is a system with one shared state, whose local states are the places. A threshold from below is a condition
//! on what a transition takes. A test for an exact number is kept as it is: the number is taken, and no more may be
//! there. A target with such tests becomes a place of its own, which a transition with these tests marks.

mod pnml;
mod spec;
mod write;

pub use pnml::{pnml, target, write_pnml};
pub use spec::spec;
pub use write::write_spec;

use crate::model::{Config, Counts, Local, System, Target, Transition};

/// A net and its target.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Net {
    /// The net as a system with one shared state.
    pub system: System,
    /// The markings that must not be covered.
    pub target: Target,
    /// What the reader took for granted.
    pub assumes: Vec<String>,
}

/// A condition: at least, or exactly, so many tokens.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Condition {
    place: Local,
    tokens: u32,
    exact: bool,
}

/// What a transition with these conditions takes, and where nothing else may be. The strictest counts; `None` if they
/// contradict each other.
fn conditions(list: &[Condition]) -> Option<(Counts, Vec<Local>)> {
    let mut take = Counts::new();
    let mut absent: Vec<Local> = list.iter().filter(|c| c.exact).map(|c| c.place).collect();
    absent.sort_unstable();
    absent.dedup();
    for c in list {
        take.set(c.place, take.get(c.place).max(c.tokens));
    }
    let fits = list.iter().all(|c| !c.exact || take.get(c.place) == c.tokens);
    fits.then_some((take, absent))
}

/// Adds an alternative to the target.
fn aim(system: &mut System, target: &mut Target, list: &[Condition], place: crate::input::Place) {
    let Some((take, absent)) = conditions(list) else { return };
    if absent.is_empty() {
        target.push(Config::new(0, take));
        return;
    }
    let goal = system.local;
    system.local += 1;
    system.names.local.push("target".into());
    let put = Counts::one(goal);
    system.transitions.push(Transition { take, put: put.clone(), absent, place, ..Transition::default() });
    target.push(Config::new(0, put));
}
