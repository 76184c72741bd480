//! Proofs in fewer words: what a reader, and another checker, has to go through.
//!
//! First the proof is made again, from fewer predicates (`predicates`). Then assertions and environment transitions are
//! written as other unions of the same sets (`region`). At last they are made weaker: a variable, an atom or another
//! thread's location that no obligation needs goes (`invariants`, `environment`). What became weaker is asked about again,
//! at once; the result as a whole is checked before it is given back, and the proof as it was stays if anything does not
//! hold. The work is counted, so that the result is the same in every run.

mod environment;
mod invariants;
mod merge;
mod predicates;
mod region;

use merge::merge;
use region::{Region, Work, simplify};
use relyant_check::check::{Limits, Session, check};
use relyant_check::obligations::Obligation;
use relyant_check::validate::is_modular;
use relyant_check::{Assertion, EnvTransition, Proof, Rule};
use relyant_linear::Var;
use relyant_program::{Loc, Origin, Program, Role, Template};
use std::time::{Duration, Instant};

/// Questions about cubes, for each disjunct of a proof.
const CUBES: usize = 400;
/// More are not asked.
const MOST_CUBES: usize = 300_000;
/// Obligations that are asked about again, for assertions and for environment transitions: so many, and so many times all.
const OBLIGATIONS: (usize, usize) = (1500, 6);
/// More are not asked about.
const MOST_ASKED: usize = 3000;
/// Listing the obligations of a proof takes as long as asking about one in so many.
const LISTING: usize = 100;
/// Setting up a solver takes as long as asking about so many.
const SETTING_UP: usize = 10;
/// What takes longer is given up, and the proof stays as it was: the solver's time cannot be counted.
const PATIENCE: Duration = Duration::from_secs(20);
/// Of proofs with more disjuncts, those are joined of which that can be told by their words.
const LARGEST: usize = 4000;
/// So many pairs of disjuncts are compared for that.
const PAIRS: usize = 5_000_000;

/// A proof being made smaller.
struct Minimiser<'a> {
    program: &'a Program,
    proof: Proof,
    /// There are too many disjuncts to ask questions about them.
    large: bool,
    work: Work,
    /// Obligations that may still be asked about.
    asks: usize,
    /// What it takes to list them.
    listing: usize,
    began: Instant,
    session: Session,
    left: &'a dyn Fn() -> Duration,
}

/// A proof of the same program in fewer words; `None` where none was found that the checker accepts. `left` is the time there
/// is for it: none once it is to stop.
pub fn minimise(
    program: &Program,
    proof: &Proof,
    obligations: usize,
    left: &dyn Fn() -> Duration,
) -> Option<Proof> {
    let words = size(proof);
    if proof.rule == Rule::Monolithic {
        return None;
    }
    let large = words.states + words.transitions > LARGEST;
    // What is claimed of ghosts stays the same; nothing is accepted here.
    let program = &Program { extensions: Vec::new(), ..program.clone() };
    let again = if large { None } else { predicates::fewer(program, proof, &|| left().is_zero()) };
    let again = again.filter(|p| size(p).atoms < words.atoms);
    let cubes = if large { PAIRS } else { (CUBES * (words.states + words.transitions)).min(MOST_CUBES) };
    let mut m = Minimiser {
        program,
        proof: again.unwrap_or_else(|| proof.clone()),
        large,
        work: Work(cubes),
        asks: 0,
        listing: SETTING_UP + obligations / LISTING,
        began: Instant::now(),
        session: Session::new(PATIENCE),
        left,
    };
    if large {
        m.same_sets();
    } else {
        m.become_weaker((OBLIGATIONS.0 + OBLIGATIONS.1 * obligations).min(MOST_ASKED));
    }
    m.proof.modular = is_modular(program, &m.proof);
    let smaller = m.proof != *proof && size(&m.proof).atoms <= words.atoms;
    let left = m.left();
    (smaller && check(program, &m.proof, &Limits { total: left, each: left }).is_ok()).then_some(m.proof)
}

/// How long a proof is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Size {
    /// Disjuncts of all assertions.
    pub states: usize,
    /// Environment transitions.
    pub transitions: usize,
    /// Comparisons in both.
    pub atoms: usize,
}

/// Counts the words of a proof.
pub fn size(proof: &Proof) -> Size {
    let states = || proof.threads.iter().flat_map(|t| &t.invariants).flat_map(|(_, s)| s);
    let transitions = || proof.threads.iter().flat_map(|t| &t.environment);
    let atoms = states().map(|s| s.cube.atoms().len()).sum::<usize>()
        + transitions().map(|e| e.relation.atoms().len()).sum::<usize>()
        + proof.global.iter().map(|(_, c)| c.atoms().len()).sum::<usize>();
    Size { states: states().count() + proof.global.len(), transitions: transitions().count(), atoms }
}

/// Is it made on the way, before or after a step?
fn is_ghost(program: &Program, v: Var) -> bool {
    let plain = Role::of(v).plain();
    program.variables.get(plain.0 as usize).is_some_and(|x| matches!(x.origin, Origin::Ghost(_)))
}

/// All locations of a template, sorted.
fn all(t: &Template) -> Vec<Loc> {
    (0..t.locations.len() as u32).map(Loc).collect()
}

/// Sets for the locations of every template, from those that are given; the rest may be anywhere.
fn spread(program: &Program, control: &[(u32, Vec<Loc>)]) -> Vec<Vec<Loc>> {
    let given = |t: u32| control.iter().find(|c| c.0 == t).map(|c| c.1.clone());
    (0u32..).zip(&program.templates).map(|(t, x)| given(t).unwrap_or_else(|| all(x))).collect()
}

/// The sets that say something, by template.
fn narrow(program: &Program, sets: &[Vec<Loc>]) -> Vec<(u32, Vec<Loc>)> {
    let told = |(t, s): &(u32, Vec<Loc>)| {
        program.templates.get(*t as usize).is_none_or(|x| s.len() < x.locations.len())
    };
    (0u32..).zip(sets.iter().cloned()).filter(told).collect()
}

fn state_of(program: &Program, r: &Region) -> Assertion {
    Assertion { control: narrow(program, &r.sets), cube: r.cube.clone() }
}

fn region_of(program: &Program, s: &Assertion) -> Region {
    Region { sets: spread(program, &s.control), cube: s.cube.clone() }
}

impl Minimiser<'_> {
    /// Says less, with so many obligations for each kind of thing that is said.
    fn become_weaker(&mut self, asks: usize) {
        self.asks = asks;
        self.without_equal_ghosts();
        self.same_sets();
        self.asks = asks;
        self.weaker_assertions();
        self.asks = asks;
        self.weaker_transitions();
    }

    /// Writes all unions anew; nothing becomes weaker.
    fn same_sets(&mut self) {
        for t in 0..self.proof.threads.len() {
            for k in 0..self.proof.threads.get(t).map_or(0, |x| x.invariants.len()) {
                if self.left().is_zero() {
                    return;
                }
                self.simplify_at(t, k);
            }
            self.simplify_environment(t);
        }
    }

    /// The time that is left: none, and the last check fails, once it is over.
    fn left(&self) -> Duration {
        PATIENCE.saturating_sub(self.began.elapsed()).min((self.left)())
    }

    /// Do the obligations hold that are asked for? No, where there is no work left.
    fn hold(&mut self, proof: &Proof, which: impl Fn(&Obligation) -> bool) -> bool {
        let left = self.left();
        if left.is_zero() {
            self.asks = 0;
        }
        if self.asks == 0 {
            return false;
        }
        let (asked, held) = self.session.holds(self.program, proof, which, left);
        self.asks = self.asks.saturating_sub(asked.max(self.listing));
        held
    }
}

/// The same union in fewer words, as far as that is cheap.
fn rewrite(
    program: &Program,
    large: bool,
    regions: Vec<Region>,
    full: &[Vec<Loc>],
    work: &mut Work,
) -> Vec<Region> {
    if large { merge(regions, work) } else { simplify(regions, full, &|v| is_ghost(program, v), work) }
}

/// Environment transitions that differ in other things than sets and relation are no union.
fn same_step(a: &EnvTransition, b: &EnvTransition) -> bool {
    a.actor == b.actor && a.writes == b.writes
}

#[cfg(test)]
mod tests;
