//! Proofs from fewer predicates: abstract reachability once more (GPR, figure 7), with the predicates of a proof but some.
//!
//! Refinement adds what refutes one path after the other, and much of it is not needed once a better predicate was
//! found. What is left out is tried in groups: all that speaks of a variable, then halves, quarters and so on, down to
//! single predicates (delta debugging: Zeller and Hildebrandt, 2002).

use super::is_ghost;
use crate::aret::explore::{self, Aret, Reached};
use crate::aret::precision::{self, Partition, Precision, Thread};
use crate::aret::{Method, proof};
use crate::watch::Watch;
use relyant_check::{Proof, Rule};
use relyant_linear::{Atom, Cube, Var};
use relyant_program::{Loc, Program, Role};
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering};

/// Work of all attempts together, in the meter's units: about six seconds.
const WORK: u64 = 6_000_000;

/// What the abstraction may do without; threads by their place in the analysis.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Part {
    /// A predicate on states of a thread.
    State(usize, Atom),
    /// A predicate on steps of the first as the second sees them.
    Transition(usize, usize, Atom),
    /// The first thread sees where the second one is.
    Blocks(usize, usize),
}

impl Part {
    fn atom(&self) -> Option<&Atom> {
        match self {
            Part::State(_, a) | Part::Transition(_, _, a) => Some(a),
            Part::Blocks(..) => None,
        }
    }
    fn mentions(&self, v: Var) -> bool {
        self.atom().is_some_and(|a| a.vars().any(|x| Role::of(x).plain() == v))
    }
    /// What is tried first is what readers like least.
    fn burden(&self, program: &Program) -> (bool, usize, bool) {
        let Some(a) = self.atom() else { return (true, 0, false) };
        let ghost = a.vars().any(|v| is_ghost(program, v));
        (ghost, a.expr().terms().len(), !a.expr().constant_part().is_zero())
    }
}

struct Prover<'a> {
    program: &'a Program,
    method: Method,
    threads: Vec<Thread>,
    proof: &'a Proof,
    /// Partitions that the proof's sets of locations need, by who sees and who is seen.
    partitions: Vec<Vec<Partition>>,
    start: Cube,
    work: AtomicU64,
    stop: &'a dyn Fn() -> bool,
}

/// A proof with fewer predicates of the same rule; `None` where the proof's own predicates do not give one again.
pub(super) fn fewer(program: &Program, proof: &Proof, stop: &dyn Fn() -> bool) -> Option<Proof> {
    let method = match proof.rule {
        Rule::RelyGuarantee => Method::RelyGuarantee,
        Rule::OwickiGries => Method::OwickiGries,
        Rule::Monolithic => return None,
    };
    let threads = precision::threads(program, &proof.tickets);
    let partitions = partitions(program, &threads, proof)?;
    let start = explore::start(program);
    let p = Prover { program, method, threads, proof, partitions, start, work: AtomicU64::new(0), stop };
    let mut kept = p.parts();
    kept.sort_by_key(|x| std::cmp::Reverse(x.burden(program)));
    let mut best = p.prove(&kept)?;
    let mut variables: Vec<Var> = (0..program.variables.len() as u32).map(Var).collect();
    variables.sort_by_key(|v| !is_ghost(program, *v));
    for v in variables {
        p.attempt(&mut kept, &mut best, |_, x| x.mentions(v));
    }
    let mut group = kept.len().div_ceil(2);
    while group > 0 {
        let mut first = 0;
        while first < kept.len() {
            if !p.attempt(&mut kept, &mut best, |k, _| (first..first + group).contains(&k)) {
                first += group;
            }
        }
        group = if group == 1 { 0 } else { group.div_ceil(2) };
    }
    Some(best.0)
}

impl Prover<'_> {
    fn parts(&self) -> Vec<Part> {
        let index = |template: u32| self.threads.iter().position(|t| t.template == template);
        let mut all = BTreeSet::new();
        for t in &self.proof.threads {
            let Some(j) = index(t.template) else { continue };
            for a in t.invariants.iter().flat_map(|x| &x.1).flat_map(|s| s.cube.atoms()) {
                all.extend(precision::halves(a).into_iter().map(|a| Part::State(j, a)));
            }
            for e in &t.environment {
                let Some(i) = index(e.actor) else { continue };
                for a in e.relation.atoms() {
                    all.extend(precision::halves(a).into_iter().map(|a| Part::Transition(i, j, a)));
                }
            }
            let seen =
                |k: &usize| self.partitions.get(j).and_then(|p| p.get(*k)).is_some_and(|p| p.blocks() > 1);
            all.extend((0..self.threads.len()).filter(seen).map(|k| Part::Blocks(j, k)));
        }
        all.into_iter().collect()
    }

    /// Does without some of what was kept, if there is a proof that is no larger.
    fn attempt(
        &self,
        kept: &mut Vec<Part>,
        best: &mut (Proof, usize),
        without: impl Fn(usize, &Part) -> bool,
    ) -> bool {
        let rest: Vec<Part> =
            kept.iter().enumerate().filter(|(k, x)| !without(*k, x)).map(|(_, x)| x.clone()).collect();
        if rest.len() == kept.len() {
            return false;
        }
        let Some(found) = self.prove(&rest).filter(|f| f.1 <= best.1) else { return false };
        (*kept, *best) = (rest, found);
        true
    }

    /// The fixpoint of these parts, if it is a proof, and the number of its states and transitions.
    fn prove(&self, parts: &[Part]) -> Option<(Proof, usize)> {
        if self.over() {
            return None;
        }
        let mut precision = Precision::empty(self.program, &self.threads);
        for p in parts {
            match p {
                Part::State(j, a) => drop(precision.add_state(*j, a)),
                Part::Transition(i, j, a) => drop(precision.add_transition(*i, *j, a)),
                Part::Blocks(j, k) => {
                    let view = precision.views.get_mut(*j).and_then(|v| v.partitions.get_mut(*k));
                    let known = self.partitions.get(*j).and_then(|p| p.get(*k));
                    if let (Some(place), Some(p)) = (view, known) {
                        *place = p.clone();
                    }
                }
            }
        }
        let mut aret = Aret::new(self.program, &self.threads, &precision, self.method, &self.start, None);
        let work = &self.work;
        let watch = Watch {
            cancel: &|| work.load(Ordering::Relaxed) >= WORK,
            work: &|units| {
                work.fetch_add(units, Ordering::Relaxed);
            },
            progress: &|_| (),
        };
        let Reached::Fixpoint = aret.abst_reach_env(&watch) else { return None };
        let found = proof::of(self.program, &aret, self.method, self.proof.tickets.clone());
        let size = super::size(&found);
        Some((found, size.states + size.transitions))
    }

    fn over(&self) -> bool {
        self.work.load(Ordering::Relaxed) >= WORK || (self.stop)()
    }
}

/// The coarsest partitions that a proof's sets of locations are unions of; `None` if one would have too many blocks.
fn partitions(program: &Program, threads: &[Thread], proof: &Proof) -> Option<Vec<Vec<Partition>>> {
    let of = |viewer: &Thread, seen: &Thread| {
        let mut sets: BTreeSet<&[Loc]> = BTreeSet::new();
        for t in proof.threads.iter().filter(|t| t.template == viewer.template) {
            let states = t.invariants.iter().flat_map(|x| &x.1).map(|s| &s.control);
            let controls = states.chain(t.environment.iter().map(|e| &e.control)).flatten();
            sets.extend(controls.filter(|c| c.0 == seen.template).map(|c| &c.1[..]));
            for e in t.environment.iter().filter(|e| e.actor == seen.template) {
                sets.extend([&e.from[..], &e.to[..]]);
            }
        }
        let n = program.templates.get(seen.template as usize)?.locations.len();
        Partition::by(n, &sets.into_iter().collect::<Vec<_>>())
    };
    threads.iter().map(|a| threads.iter().map(|b| of(a, b)).collect()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::aret::Settings;
    use crate::testing::program;
    use crate::verdict::Answer;
    use relyant_check::check::{Limits, check};

    #[test]
    fn predicates_that_no_proof_needs_go() {
        // What guards say is a first predicate; this one says nothing about errors.
        let p = program(
            "a b c",
            &[
                ("one", "", "s>t: c <= 5 ; a := 1\n t>!e: a <= 0"),
                ("two", "", "s>t: c <= 5 ; b := 1\n t>!e: b <= 0"),
            ],
        );
        let (answer, _) = crate::rely_guarantee::verify(&p, &Settings::default(), &Watch::NONE);
        let Answer::Safe(long) = answer else { panic!("{answer:?}") };
        let speaks = |proof: &Proof| {
            let states = proof.threads.iter().flat_map(|t| &t.invariants).flat_map(|x| &x.1);
            states.into_iter().any(|s| s.cube.vars().contains(&Var(2)))
        };
        assert!(speaks(&long), "{long:?}");
        let short = fewer(&p, &long, &|| false).expect("a proof again");
        check(&p, &short, &Limits::default()).expect("a proof");
        assert!(!speaks(&short), "{short:?}");
        assert_eq!(fewer(&p, &long, &|| true), None, "stopped");
    }
}
