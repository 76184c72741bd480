//! Loops of which the thread program keeps a place before the first round only: what a proof says there is not said of the
//! others.

use relyant_cfa as cfa;
use relyant_cfa::options::Options;
use relyant_frontend::c::unit::Unit;
use relyant_frontend::programs::read;
use relyant_program::{Loc, Template};
use std::collections::BTreeSet;

/// What is added to what holds before the first round.
const FIRST: &str = "  (the first time)";

/// Where the threads of a program come more than once.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Rounds {
    /// By template: its loops.
    again: Vec<Again>,
}

/// The loops of an automaton.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct Again {
    /// All locations of them.
    locations: BTreeSet<u32>,
    /// Their files and lines.
    lines: BTreeSet<(u32, u32)>,
}

impl Rounds {
    /// Those of a source; none where it cannot be read.
    pub fn read<'a>(what: impl Into<Unit<'a>>, meaning: &Options) -> Rounds {
        read(what, meaning).map(|p| Rounds::of(&p)).unwrap_or_default()
    }

    /// Those of the automata that a thread program was made of.
    pub fn of(program: &cfa::Program) -> Rounds {
        let again = |t: &cfa::Template| {
            let mut next = vec![Vec::new(); t.graph.locations.len()];
            for e in &t.graph.edges {
                next[e.from.0 as usize].push(e.to.0 as usize);
            }
            let mut loops = cfa::strong::components(&next);
            loops.retain(|c| c.len() > 1 || c.iter().any(|l| next[*l].contains(l)));
            let spans = loops.iter().flatten().map(|l| t.graph.locations[*l].span);
            let lines = spans.map(|s| (s.file, s.line)).collect();
            Again { lines, locations: loops.into_iter().flatten().map(|l| l as u32).collect() }
        };
        Rounds { again: program.templates.iter().map(again).collect() }
    }

    /// What is to be added to what holds at the locations of a template of the thread program.
    pub(super) fn notes<'t>(&'t self, number: u32, template: &'t Template) -> impl Fn(Loc) -> &'static str + 't {
        let kept: BTreeSet<Loc> = template.loops().into_iter().flatten().collect();
        let again = self.again.get(number as usize);
        move |l| {
            let (Some(x), Some(again)) = (template.locations.get(l), again) else { return "" };
            // A place of a loop where a thread only waits is there once, for all rounds.
            let only_first = !again.locations.contains(&x.origin) && !kept.contains(&l);
            if only_first && again.lines.contains(&(x.span.file, x.span.line)) { FIRST } else { "" }
        }
    }
}
