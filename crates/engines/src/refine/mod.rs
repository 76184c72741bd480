//! Refinement (GPR, section 6): from an error tuple to new predicates, new blocks, or a counterexample.
//!
//! The modular form of the clauses is tried first for each tuple. A prototype that did so at the start only took 1.3 to
//! 2 times the refinements and lost modular proofs. In the other form control comes before data: with data first the
//! prototype proved neither Bakery nor the ticket locks in its time.

pub mod chosen;
pub mod control;
pub mod counts;
pub mod equalities;
pub mod given;
pub mod path;
pub mod predicates;
pub mod seed;
pub mod unfold;

use crate::aret::precision::{Precision, Thread};
use crate::aret::step::PairRelation;
use crate::aret::store::{Envs, StateId, States};
use crate::aret::{Bias, Method, Settings};
use crate::verdict::{Counterexample, Reason};
use crate::watch::Watch;
use predicates::{Solved, Speaks};
use relyant_cfa::schedule::ThreadRef;
use relyant_linear::Cube;
use relyant_linear::meter;
use relyant_program::{Loc, Program};
use unfold::{Unfolder, Unfolding};

/// An error tuple and what it was made from.
pub struct Tuple<'a> {
    /// The thread program that the fixpoint is of.
    pub program: &'a Program,
    /// The analysis' threads, which states and transitions name by index.
    pub threads: &'a [Thread],
    /// All states of the fixpoint: parents lead back to initial ones.
    pub states: &'a States,
    /// All environment transitions of the fixpoint, with the states that they come from.
    pub envs: &'a Envs,
    /// Predicates and blocks of the fixpoint.
    pub precision: &'a Precision,
    /// The start condition of the fixpoint.
    pub start: &'a Cube,
    /// The proof rule of the fixpoint.
    pub method: Method,
    /// One or two states.
    pub tuple: &'a [StateId],
}

/// What refinement made of an error tuple.
pub enum Refined {
    /// Added predicates of the modular form.
    Modular,
    /// Split blocks: locations of other threads are told apart that were not.
    Control,
    /// Added predicates without restriction.
    Data,
    /// The error is real.
    Real(Counterexample),
    /// There is nothing to add.
    Stuck(Reason),
}

/// How deep an error's derivation is looked at, step by step: a contradiction near the error is more general than
/// one that needs the whole history.
const DEPTHS: [usize; 5] = [4, 8, 16, 32, usize::MAX];
/// Nodes that a tree may have.
const MOST_NODES: usize = 5_000;
/// Work of a node of a tree, see [`Watch::work`].
const NODE_WORK: u64 = 20;

/// Procedure REFINE (figure 9): refines the precision so that the tuple does not come back. Lines 1 to 4 are
/// [`Unfolder::mk_horn_clauses`](unfold::Unfolder::mk_horn_clauses), lines 5 to 7 the solver, lines 8 to 12 [`predicates::add`].
pub fn refine(t: &Tuple, settings: &Settings, precision: &mut Precision, watch: &Watch) -> Refined {
    if let Some(c) = t.counterexample() {
        return Refined::Real(c);
    }
    if watch.cancelled() {
        return Refined::Stuck(Reason::Stopped);
    }
    // Each way in which the two threads of a tuple may differ must be ruled out.
    let mut stuck = Refined::Stuck(Reason::NothingNew);
    for pair in t.unfolder(true, 0).pair_relations(t.tuple) {
        match refine_pair(t, settings, precision, pair, watch) {
            Refined::Stuck(why) => stuck = Refined::Stuck(why),
            progress => return progress,
        }
    }
    stuck
}

/// Adds predicates that rule out a further tuple of the same fixpoint, as far as the modular form has some; the run, if it is a real error.
pub fn refine_further(t: &Tuple, precision: &mut Precision, watch: &Watch) -> Option<Counterexample> {
    if let Some(c) = t.counterexample() {
        return Some(c);
    }
    for pair in t.unfolder(true, 0).pair_relations(t.tuple) {
        t.modular(pair, precision, watch, |solved| matches!(solved, Solved::New | Solved::Known));
    }
    None
}

fn refine_pair(
    t: &Tuple,
    settings: &Settings,
    precision: &mut Precision,
    pair: PairRelation,
    watch: &Watch,
) -> Refined {
    if settings.bias == Bias::Modular {
        if t.modular(pair, precision, watch, |solved| matches!(solved, Solved::New)) {
            return Refined::Modular;
        }
        if watch.cancelled() {
            return Refined::Stuck(Reason::Stopped);
        }
    }
    let mut why = Reason::NothingNew;
    for depth in DEPTHS {
        let u = t.unfolder(false, depth).mk_horn_clauses(t.tuple, pair);
        (watch.work)(NODE_WORK * u.nodes.len() as u64 + meter::take());
        if control::refine(&u, precision) {
            return Refined::Control;
        }
        match predicates::add(&u, t.program, precision, settings.bias == Bias::None, Speaks::OfAll) {
            Solved::New => return Refined::Data,
            Solved::Known => {}
            Solved::Satisfiable => why = satisfiable(t, &u),
            Solved::Unknown(undecided) => why = Reason::Clauses(undecided),
        }
        if !u.cut || watch.cancelled() {
            break;
        }
    }
    Refined::Stuck(why)
}

fn satisfiable(t: &Tuple, u: &Unfolding) -> Reason {
    if u.cut {
        return Reason::Derivation(MOST_NODES);
    }
    if t.threads.iter().any(|x| !x.single) { Reason::NotModular } else { Reason::NotIntegral }
}

impl<'a> Tuple<'a> {
    /// Adds predicates of the modular form, from ever deeper derivations until it is enough; is it?
    fn modular(
        &self,
        pair: PairRelation,
        precision: &mut Precision,
        watch: &Watch,
        enough: impl Fn(&Solved) -> bool,
    ) -> bool {
        Speaks::ways(self.program).iter().any(|speaks| {
            for depth in DEPTHS {
                if watch.cancelled() {
                    return false;
                }
                let u = self.unfolder(true, depth).mk_horn_clauses(self.tuple, pair);
                (watch.work)(NODE_WORK * u.nodes.len() as u64 + meter::take());
                if enough(&predicates::add(&u, self.program, precision, true, *speaks)) {
                    return true;
                }
                if !u.cut {
                    return false;
                }
            }
            false
        })
    }
    /// Unfolds to so many steps, in the modular form or the other.
    fn unfolder(&self, modular: bool, depth: usize) -> Unfolder<'a> {
        Unfolder {
            program: self.program,
            threads: self.threads,
            states: self.states,
            envs: self.envs,
            start: self.start,
            method: self.method,
            modular,
            precision: self.precision,
            depth,
            most: MOST_NODES,
        }
    }
    /// A real run, if one of the tuple's paths is one.
    fn counterexample(&self) -> Option<Counterexample> {
        self.tuple.iter().find_map(|s| {
            let path = path::mk_path(self.states, self.envs, *s);
            let observer = self.states[*s].thread as usize;
            path::feasible(self.program, self.threads, observer, &path, &|places| {
                is_error(self.program, places)
            })
        })
    }
}

/// Is a thread at an error location, or are two where they exclude each other?
fn is_error(program: &Program, places: &[(ThreadRef, Loc)]) -> bool {
    let at = |p: &(ThreadRef, Loc)| &program.templates[p.0.template as usize].locations[p.1];
    let excluded = |l: &String| places.iter().filter(|p| at(p).labels.contains(l)).count() >= 2;
    places.iter().any(|p| at(p).error.is_some()) || program.exclusive.as_ref().is_some_and(excluded)
}

/// Locations of a template where the property can be violated.
pub fn error_locations(program: &Program, template: u32) -> Vec<Loc> {
    let t = &program.templates[template as usize];
    (0..t.locations.len()).filter(|l| t.locations[*l].error.is_some()).map(|l| Loc(l as u32)).collect()
}
