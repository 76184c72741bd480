//! The checker: every obligation of a proof and of the program's ghosts, decided by Z3. Fails closed.

use super::Proof;
use super::decide::{Asking, Conditions, decide};
use super::formula::{Formula, Symbol};
use super::ghosts::Claims;
use super::obligations::{Obligation, Obligations};
use super::ordered;
use relyant_program::Program;
use std::time::{Duration, Instant};
use z3::SatResult;

pub use super::decide::{CheckError, Limits};

/// A proof was accepted.
#[derive(Clone, PartialEq, Debug)]
pub struct CheckReport {
    /// How many obligations the solver was asked about.
    pub obligations: usize,
    /// Wall-clock time, in seconds.
    pub seconds: f64,
}

/// Checks a proof of a program: accepted only if Z3 finds every obligation unsatisfiable, those about the program's ghosts
/// included. The answer names the first obligation that fails.
pub fn check(program: &Program, proof: &Proof, limits: &Limits) -> Result<CheckReport, CheckError> {
    let start = Instant::now();
    let obligations = Obligations::new(program, proof)?;
    let ghosts = Claims::new(program)?.decide(start, limits)?;
    let swaps = ordered::check(program, start, limits)?;
    decide(&obligations, obligations.list(), start, limits)?;
    let obligations = ghosts + swaps + obligations.list().len();
    Ok(CheckReport { obligations, seconds: start.elapsed().as_secs_f64() })
}

/// Some of the obligations of proofs that differ little, for who makes proofs smaller: one solver is kept for all. This
/// accepts nothing.
pub struct Session(Asking);

impl Session {
    /// With so much time for each obligation.
    pub fn new(each: Duration) -> Session {
        Session(Asking::new(each))
    }

    /// How many obligations are meant, and whether they hold; none does after the limit.
    pub fn holds(
        &mut self,
        program: &Program,
        proof: &Proof,
        which: impl Fn(&Obligation) -> bool,
        limit: Duration,
    ) -> (usize, bool) {
        let deadline = Instant::now().checked_add(limit);
        let Ok(obligations) = Obligations::new(program, proof) else { return (0, false) };
        let some: Vec<&Obligation> = obligations.list().iter().filter(|o| which(o)).collect();
        let holds = some.iter().all(|o| {
            let over = deadline.is_some_and(|d| Instant::now() >= d);
            !over && self.0.ask(&obligations.formula(o)) == SatResult::Unsat
        });
        (some.len(), holds)
    }
}

impl Conditions for Obligations<'_> {
    type Item = Obligation;
    fn formula(&self, o: &Obligation) -> Formula {
        Obligations::formula(self, o)
    }
    fn title(&self, o: &Obligation) -> String {
        Obligations::title(self, o)
    }
    fn symbol(&self, s: Symbol) -> String {
        self.symbol_name(s)
    }
}
