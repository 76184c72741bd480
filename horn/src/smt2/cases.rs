//! Clauses of an assertion: the cases in which it fails, each a conjunction of a constraint, relations
//! that hold (the body) and at most one that does not (the head).

use super::Smt2Error;
use super::build::{Builder, FormulaId, Node};
use super::sexp::Position;
use crate::clause::{Application, Clause};
use relyant_linear::{Closed, Cube, Norm, Var};
use rustc_hash::FxHashSet;

/// Cases of one assertion.
const MAX_CASES: usize = 5_000;
/// Formulas looked at for one assertion.
const MAX_STEPS: usize = 2_000_000;
/// Choices and atoms copied from case to case for one assertion.
const MAX_COPIED: usize = 10_000_000;

/// Must hold in a case.
#[derive(Clone)]
enum Goal {
    /// A formula, or its negation.
    Formula(FormulaId, bool),
    Atom(Norm),
}

#[derive(Clone, Default)]
struct Case {
    todo: Vec<Goal>,
    /// One of each must hold.
    choices: Vec<Vec<Goal>>,
    seen: FxHashSet<(FormulaId, bool)>,
    constraint: Cube,
    body: Vec<Application>,
    heads: Vec<Application>,
}

/// The clauses of `assert f`.
pub(super) fn clauses(b: &Builder, f: FormulaId, at: Position) -> Result<Vec<Clause>, Smt2Error> {
    let mut out = Vec::new();
    let (mut steps, mut copied) = (0usize, 0usize);
    let mut cases = vec![Case { todo: vec![Goal::Formula(f, false)], ..Case::default() }];
    while let Some(mut case) = cases.pop() {
        while let Some(goal) = case.todo.pop() {
            steps += 1;
            if steps > MAX_STEPS {
                return Err(at.error("too many cases in this assertion"));
            }
            case.settle(b, goal)?;
        }
        if case.constraint.is_bottom() {
            continue;
        }
        if case.heads.len() > 1 {
            return Err(at.error("not a Horn clause: more than one relation in the head"));
        }
        let Some(choice) = case.choices.pop() else {
            if out.len() >= MAX_CASES {
                return Err(at.error("too many cases in this assertion"));
            }
            out.push(Clause { body: case.body, constraint: case.constraint, head: case.heads.pop() });
            continue;
        };
        if Closed::new(&case.constraint).is_unsat() {
            continue;
        }
        copied = copied.saturating_add(choice.len().saturating_mul(case.size()));
        if cases.len() + choice.len() > MAX_CASES || copied > MAX_COPIED {
            return Err(at.error("too many cases in this assertion"));
        }
        for goal in choice.into_iter().rev() {
            let mut next = case.clone();
            next.todo.push(goal);
            cases.push(next);
        }
    }
    Ok(out)
}

impl Case {
    /// What a copy costs.
    fn size(&self) -> usize {
        self.choices.len() + self.seen.len() + self.body.len()
    }

    fn settle(&mut self, b: &Builder, goal: Goal) -> Result<(), Smt2Error> {
        let (f, positive) = match goal {
            Goal::Atom(n) => {
                self.atom(b, n);
                return Ok(());
            }
            Goal::Formula(f, positive) => (f, positive),
        };
        if !self.seen.insert((f, positive)) {
            return Ok(());
        }
        if self.seen.contains(&(f, !positive)) {
            self.constraint = Cube::bottom();
            return Ok(());
        }
        match (b.node(f), positive) {
            (Node::Atom(n), true) => self.atom(b, n.clone()),
            (Node::Atom(Norm::Atom(a)), false) => {
                let mut parts = a.negate();
                match parts.pop() {
                    Some(only) if parts.is_empty() => self.atom(b, only),
                    Some(last) => {
                        // The definitions of its variables do not depend on the choice.
                        self.define(b, a.vars());
                        parts.push(last);
                        self.choices.push(parts.into_iter().map(Goal::Atom).collect());
                    }
                    None => self.constraint = Cube::bottom(),
                }
            }
            (Node::Atom(Norm::True), false) => self.constraint = Cube::bottom(),
            (Node::Atom(Norm::False), false) => {}
            (Node::Applied(a), positive) => {
                self.define(b, a.args.iter().copied());
                let side = if positive { &mut self.body } else { &mut self.heads };
                if !side.contains(a) {
                    side.push(a.clone());
                }
            }
            (Node::Not(f), positive) => self.todo.push(Goal::Formula(*f, !positive)),
            (Node::And(fs), true) | (Node::Or(fs), false) => {
                self.todo.extend(fs.iter().map(|f| Goal::Formula(*f, positive)));
            }
            (Node::Or(fs), true) | (Node::And(fs), false) => {
                let goals = fs.iter().map(|f| Goal::Formula(*f, positive)).collect();
                self.choices.push(goals);
            }
            (Node::Quantified(all, f, at), positive) => {
                // The clause's variables are those for which the assertion fails.
                if *all == positive {
                    let what = if *all { "forall" } else { "exists" };
                    return Err(
                        at.error(format!("'{what}' here makes a quantifier alternate: not a Horn clause"))
                    );
                }
                self.todo.push(Goal::Formula(*f, positive));
            }
        }
        Ok(())
    }

    fn atom(&mut self, b: &Builder, n: Norm) {
        if let Norm::Atom(a) = &n {
            self.define(b, a.vars());
        }
        self.constraint.push(n);
    }

    fn define(&mut self, b: &Builder, vars: impl Iterator<Item = Var>) {
        self.todo.extend(vars.filter_map(|v| b.definition(v)).map(|d| Goal::Formula(d, true)));
    }
}
