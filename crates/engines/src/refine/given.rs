//! Predicates that somebody thought of.
//!
//! An invariant that a thread restores step by step is false in between: while `total` has been counted up and `minutes` has not,
//! `total == 60 * hours + minutes + 1` holds instead of `total == 60 * hours + minutes`. Whoever writes a hint writes the second one. What has to
//! hold before the steps that restore it is the weakest precondition (Dijkstra, 1975), taken back until the invariant itself is enough.

use super::seed::{both, has};
use crate::aret::precision::{Precision, Thread};
use relyant_linear::{Atom, Cube, Norm};
use relyant_program::{Edge, Loc, Program, Role, Template};
use std::collections::BTreeSet;

/// Preconditions of one invariant at one location, at most; with more, it is hardly restored there.
const MOST: usize = 48;
/// Locations from which one invariant is taken back.
const STARTS: usize = 100;

/// Adds comparisons that somebody thought of, and their negations, for the threads that have their variables: as state
/// predicates, and where they are over globals alone as transition predicates, before and after the step. And what has to hold in between.
pub fn given(program: &Program, threads: &[Thread], atoms: &[Atom], precision: &mut Precision) {
    for (i, t) in threads.iter().enumerate() {
        let own: Vec<Atom> = atoms.iter().filter(|a| has(program, t, a)).cloned().collect();
        for a in own.iter().flat_map(both) {
            precision.add_state(i, &a);
            if a.vars().all(|v| program.is_global(v)) {
                for j in 0..threads.len() {
                    precision.add_transition(i, j, &a);
                    precision.add_transition(i, j, &a.rename(|v| Role::After(v).var()));
                }
            }
        }
        if let Some(template) = program.templates.get(t.template as usize) {
            for a in between(template, program.variables.len() as u32, &own) {
                precision.add_state(i, &a);
            }
        }
    }
}

/// What has to hold while a thread of the template restores invariants; `inputs`: the number of the first input.
fn between(template: &Template, inputs: u32, own: &[Atom]) -> BTreeSet<Atom> {
    let mut ins: Vec<Vec<&Edge>> = vec![Vec::new(); template.locations.len()];
    template.edges.iter().for_each(|e| ins[e.to.0 as usize].push(e));
    let back = Back { ins, inputs, own, all: Cube::of(own.iter().cloned().map(Norm::Atom)) };
    let mut out = BTreeSet::new();
    for a in own {
        let writes = |e: &&Edge| a.vars().any(|v| e.after(v).is_some());
        let after: BTreeSet<Loc> = template.edges.iter().filter(writes).map(|e| e.to).collect();
        for l in after.into_iter().take(STARTS) {
            out.extend(back.from(l, a).unwrap_or_default());
        }
    }
    out
}

struct Back<'a> {
    /// By location: the edges into it.
    ins: Vec<Vec<&'a Edge>>,
    inputs: u32,
    own: &'a [Atom],
    all: Cube,
}

impl Back<'_> {
    /// The preconditions of an invariant at a location, back to where the invariants imply them; nothing where they do not.
    fn from(&self, l: Loc, invariant: &Atom) -> Option<Vec<Atom>> {
        let mut seen: BTreeSet<(Loc, Atom)> = BTreeSet::new();
        let mut work = vec![(l, invariant.clone())];
        while let Some((l, a)) = work.pop() {
            for e in &self.ins[l.0 as usize] {
                let before = match a.subst(|v| e.after(v).cloned()) {
                    Norm::True => continue,
                    Norm::False => return None,
                    Norm::Atom(before) => before,
                };
                if self.own.contains(&before) || self.all.and(&e.guard).entails_rational(&before) {
                    continue;
                }
                if before.vars().any(|v| v.0 >= self.inputs) || seen.len() >= MOST {
                    return None;
                }
                if seen.insert((e.from, before.clone())) {
                    work.push((e.from, before));
                }
            }
        }
        Some(seen.into_iter().map(|x| x.1).collect())
    }
}
