//! Conditions that Z3 is to find unsatisfiable, in groups, side by side; those that differ in names only are asked once. Fails closed.

use super::formula::{Formula, Linear, Symbol};
use super::obligations::Malformed;
use super::shape::FormulaDigest;
use num_traits::{One, ToPrimitive};
use rayon::prelude::*;
use relyant_linear::Rel;
use relyant_program::recognisers::Recogniser;
use rustc_hash::{FxHashMap, FxHashSet};
use std::str::FromStr;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use z3::ast::{Bool, Int};
use z3::{Params, SatResult, Solver};

/// Obligations that share a solver. The grouping does not depend on the number of threads.
const GROUP: usize = 16;

/// Limits of a check.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Limits {
    /// For all obligations together.
    pub total: Duration,
    /// For each obligation; the solver's "unknown" after it rejects.
    pub each: Duration,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { total: Duration::from_secs(600), each: Duration::from_secs(60) }
    }
}

/// A proof was rejected.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum CheckError {
    /// There are no obligations to check.
    #[error(transparent)]
    Malformed(#[from] Malformed),
    /// An obligation does not hold.
    #[error("{obligation} does not hold: {example}")]
    Fails {
        /// Its name in the paper, the thread, and places in the source, on one line.
        obligation: String,
        /// Values that make it false.
        example: String,
        /// Who found the ghosts that it is about; `None`: it is one of the proof.
        ghosts: Option<Recogniser>,
    },
    /// The solver did not decide an obligation.
    #[error("{obligation} was not decided: {reason}")]
    Undecided {
        /// Its name in the paper, the thread, and places in the source, on one line.
        obligation: String,
        /// The solver's word, or the limit.
        reason: String,
        /// Who found the ghosts that it is about; `None`: it is one of the proof.
        ghosts: Option<Recogniser>,
    },
}

impl CheckError {
    /// Who found ghosts of which something is claimed that was not shown.
    pub fn unproved(&self) -> Option<Recogniser> {
        match self {
            CheckError::Malformed(Malformed::Ghosts(by, _)) => Some(*by),
            CheckError::Malformed(_) => None,
            CheckError::Fails { ghosts, .. } | CheckError::Undecided { ghosts, .. } => *ghosts,
        }
    }
}

/// What Z3 is to find unsatisfiable.
pub trait Conditions: Sync {
    /// One of the conditions, by itself to be unsatisfiable.
    type Item: Sync;
    /// What must be unsatisfiable: its premises and not its conclusion.
    fn formula(&self, item: &Self::Item) -> Formula;
    /// What it says, for messages.
    fn title(&self, item: &Self::Item) -> String;
    /// A symbol, for messages.
    fn symbol(&self, s: Symbol) -> String;
    /// Who found the ghosts that it is about; `None`: it is about none.
    fn ghosts(&self, _item: &Self::Item) -> Option<Recogniser> {
        None
    }
}

/// Decides all of them; the first that fails is the answer.
pub fn decide<C: Conditions>(
    of: &C,
    items: &[C::Item],
    start: Instant,
    limits: &Limits,
) -> Result<(), CheckError> {
    let deadline = start.checked_add(limits.total);
    let groups: Vec<&[C::Item]> = items.chunks(GROUP).collect();
    let known = Mutex::default();
    let failure = groups
        .par_iter()
        .with_max_len(1)
        .map(|group| check_group(of, group, &known, deadline, limits.each))
        .find_map_first(Result::err);
    failure.map_or(Ok(()), Err)
}

fn check_group<C: Conditions>(
    of: &C,
    group: &[C::Item],
    known: &Mutex<FxHashSet<FormulaDigest>>,
    deadline: Option<Instant>,
    each: Duration,
) -> Result<(), CheckError> {
    let left = || deadline.map_or(each, |d| d.saturating_duration_since(Instant::now()).min(each));
    let known = || known.lock().unwrap_or_else(PoisonError::into_inner);
    // Made when there is something to ask: it costs as much as ten obligations.
    let mut asking = None;
    for o in group {
        let undecided =
            |reason: String| CheckError::Undecided { obligation: of.title(o), reason, ghosts: of.ghosts(o) };
        if left().is_zero() {
            return Err(undecided("time limit".into()));
        }
        let formula = of.formula(o);
        let shape = FormulaDigest::of(&formula);
        if known().contains(&shape) {
            continue;
        }
        let asking = asking.get_or_insert_with(|| Asking::new(left()));
        match asking.ask(&formula) {
            SatResult::Unsat => {
                known().insert(shape);
            }
            SatResult::Sat => {
                let example = example(of, &asking.solver, &asking.translator, &formula);
                return Err(CheckError::Fails { obligation: of.title(o), example, ghosts: of.ghosts(o) });
            }
            SatResult::Unknown => {
                let reason = asking.solver.get_reason_unknown();
                return Err(undecided(reason.unwrap_or_else(|| "unknown".into())));
            }
        }
    }
    Ok(())
}

/// A solver, and the terms it knows.
pub(crate) struct Asking {
    solver: Solver,
    translator: Translator,
    /// Is there a question whose model may be looked at?
    open: bool,
}

impl Asking {
    pub(crate) fn new(each: Duration) -> Asking {
        // With a scope open, Z3 takes its incremental core: 5 to 20 times faster here than its preprocessing tactics.
        let solver = Solver::new();
        // Setting parameters costs as much as ten obligations, so once a solver.
        let mut params = Params::new();
        params.set_u32("timeout", each.as_millis().clamp(1, u32::MAX as u128 - 1) as u32);
        params.set_u32("relevancy", 0);
        solver.set_params(&params);
        Asking { solver, translator: Translator::default(), open: false }
    }

    /// Can it be satisfied? What was asked before is forgotten.
    pub(crate) fn ask(&mut self, formula: &Formula) -> SatResult {
        if std::mem::take(&mut self.open) {
            self.solver.pop(1);
        }
        if *formula == Formula::Const(false) {
            return SatResult::Unsat;
        }
        self.solver.push();
        self.open = true;
        self.solver.assert(self.translator.formula(formula));
        self.solver.check()
    }
}

/// Makes Z3's terms. Assertions of threads are made of few different atoms, so those are kept.
#[derive(Default)]
struct Translator {
    symbols: FxHashMap<Symbol, Int>,
    atoms: FxHashMap<(Rel, Linear), Bool>,
}

impl Translator {
    fn formula(&mut self, f: &Formula) -> Bool {
        match f {
            Formula::Const(b) => Bool::from_bool(*b),
            Formula::Le(e) => self.atom(Rel::Le, e),
            Formula::Eq(e) => self.atom(Rel::Eq, e),
            Formula::Not(f) => self.formula(f).not(),
            Formula::And(fs) => Bool::and(&fs.iter().map(|f| self.formula(f)).collect::<Vec<_>>()),
            Formula::Or(fs) => Bool::or(&fs.iter().map(|f| self.formula(f)).collect::<Vec<_>>()),
        }
    }
    fn atom(&mut self, rel: Rel, e: &Linear) -> Bool {
        let key = (rel, e.clone());
        if let Some(known) = self.atoms.get(&key) {
            return known.clone();
        }
        let (sum, zero) = (self.sum(e), Int::from_i64(0));
        let new = if rel == Rel::Le { sum.le(&zero) } else { sum.eq(&zero) };
        self.atoms.insert(key, new.clone());
        new
    }
    fn sum(&mut self, e: &Linear) -> Int {
        let mut parts = Vec::with_capacity(e.terms.len() + 1);
        for (s, c) in &e.terms {
            let next = self.symbols.len() as u32;
            let x = self.symbols.entry(*s).or_insert_with(|| Int::new_const(next)).clone();
            parts.push(if c.is_one() { x } else { Int::mul(&[number(c), x]) });
        }
        parts.push(number(&e.constant));
        Int::add(&parts)
    }
}

fn number(n: &num_bigint::BigInt) -> Int {
    match n.to_i64() {
        Some(n) => Int::from_i64(n),
        // Decimal digits are always a numeral to Z3.
        None => Int::from_str(&n.to_string()).unwrap_or_else(|()| unreachable!("a numeral")),
    }
}

/// The values of the symbols in a model that falsifies an obligation.
fn example<C: Conditions>(of: &C, solver: &Solver, t: &Translator, f: &Formula) -> String {
    let mut used = Default::default();
    f.symbols(&mut used);
    let Some(model) = solver.get_model() else { return "no values".into() };
    let value = |s: Symbol| {
        let x = model.eval(t.symbols.get(&s)?, true)?;
        Some(format!("{} = {x}", of.symbol(s)))
    };
    used.into_iter().filter_map(value).collect::<Vec<_>>().join(", ")
}
