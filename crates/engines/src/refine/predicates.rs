//! Predicates from the solution of an error tuple's clauses (GPR, figure 9, lines 8 to 12).
//!
//! In the modular form those over globals alone go to all threads and pairs: in a prototype a lock with five ids took 11
//! refinements so, and 46 where each thread had to find them anew.

use super::unfold::{NodeKind, Unfolding};
use crate::aret::precision::Precision;
use relyant_horn::Formula;
use relyant_horn::tree::{Tree, TreeOptions, TreeOutcome, Undecided, solve_tree};
use relyant_linear::{Atom, Cube, Var};
use relyant_program::edges::bounds::only;
use relyant_program::{Ghost, Origin, Program, Role};

/// What the clauses gave.
pub enum Solved {
    /// New predicates were added.
    New,
    /// A solution, but every predicate was known.
    Known,
    /// No solution: the clauses' constraints are satisfiable together.
    Satisfiable,
    /// No answer, and why.
    Unknown(Undecided),
}

/// Solves the unfolded clauses and adds the predicates found.
///
/// Predicates over globals alone go to all threads and pairs when `share`: other threads nearly always need them too.
pub fn add(u: &Unfolding, program: &Program, precision: &mut Precision, share: bool) -> Solved {
    let weight = |v: Var| {
        let origin = u.origin.get(v.0 as usize).copied().unwrap_or(u32::MAX);
        if program.is_global(Var(origin)) { 1 } else { 2 }
    };
    let index = |v: Var| {
        let origin = u.origin.get(v.0 as usize).and_then(|o| program.variables.get(*o as usize));
        origin.is_some_and(|x| x.origin == Origin::Ghost(Ghost::Index))
    };
    // Where steps have compared with the tracked index, what holds wherever it is says more than what holds of one.
    let anywhere = (0u32..).zip(&program.templates).any(|(t, _)| program.tells_index(t));
    let mut known = false;
    if anywhere && let Ok(formulas) = solve(clauses(u, &index), &weight) {
        if add_all(u, program, precision, &formulas, share) {
            return Solved::New;
        }
        known = true;
    }
    match solve(clauses(u, &|_| false), &weight) {
        Ok(formulas) if add_all(u, program, precision, &formulas, share) => Solved::New,
        Ok(_) => Solved::Known,
        Err(_) if known => Solved::Known,
        Err(why) => why,
    }
}

/// Adds the predicates of a solution; was one new?
fn add_all(
    u: &Unfolding,
    program: &Program,
    precision: &mut Precision,
    formulas: &[Formula],
    share: bool,
) -> bool {
    let mut new = false;
    for (node, formula) in u.nodes.iter().zip(formulas) {
        for atom in formula.atoms() {
            new |= add_atom(u, program, precision, node, &atom, share);
        }
    }
    new
}

/// The clauses of an unfolding, without conditions on some of the variables.
fn clauses(u: &Unfolding, without: &dyn Fn(Var) -> bool) -> Vec<Clause> {
    let clause = |node: &super::unfold::ClauseNode| {
        let mut args: Vec<Var> =
            node.copy.iter().chain(&node.before).filter(|c| **c != u32::MAX).map(|c| Var(*c)).collect();
        args.sort_unstable();
        args.dedup();
        Clause { parent: node.parent, constraint: only(&node.constraint, |a| !a.vars().any(without)), args }
    };
    u.nodes.iter().map(clause).collect()
}

/// A node of an unfolding, as a clause: its parent (the root's is itself; parents come before their children), its
/// constraint, and the variables that its relation speaks of.
pub struct Clause {
    /// Index of the parent, less than its own but for the root's.
    pub parent: usize,
    /// The constraint of the clause whose head its relation is.
    pub constraint: Cube,
    /// The variables that its relation speaks of, sorted, each once.
    pub args: Vec<Var>,
}

/// Solves unfolded clauses: a formula for each, in their order.
///
/// # Errors
/// Why there is no solution.
pub fn solve(clauses: Vec<Clause>, weight: &(dyn Fn(Var) -> u32 + Sync)) -> Result<Vec<Formula>, Solved> {
    let n = clauses.len();
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); n];
    for (k, c) in clauses.iter().enumerate().skip(1) {
        children[c.parent].push(k);
    }
    // The solver's tree is built from the leaves up: our node k is its node n - 1 - k.
    let mut tree = Tree::new();
    for (k, c) in clauses.into_iter().enumerate().rev() {
        let below = children[k].iter().map(|c| n - 1 - c).collect();
        tree.add(below, c.constraint, c.args).map_err(|e| Solved::Unknown(e.into()))?;
    }
    let options = TreeOptions { weight: Some(weight), ..TreeOptions::default() };
    match solve_tree(&tree, &options) {
        Ok(TreeOutcome::Solved(mut formulas)) => {
            formulas.reverse();
            Ok(formulas)
        }
        Ok(TreeOutcome::Satisfiable(_)) => Err(Solved::Satisfiable),
        Ok(TreeOutcome::Unknown(why)) => Err(Solved::Unknown(why)),
        Err(e) => Err(Solved::Unknown(e.into())),
    }
}

fn add_atom(
    u: &Unfolding,
    program: &Program,
    precision: &mut Precision,
    node: &super::unfold::ClauseNode,
    atom: &Atom,
    share: bool,
) -> bool {
    let plain = |v: Var| Var(u.origin[v.0 as usize]);
    match node.kind {
        NodeKind::Root => false,
        NodeKind::State { thread, .. } => {
            let a = atom.rename(plain);
            if share && a.vars().all(|v| program.is_global(v)) {
                return share_everywhere(precision, &a);
            }
            precision.add_state(thread, &a)
        }
        NodeKind::Transition { actor, target } => {
            let after = |v: Var| {
                let o = u.origin[v.0 as usize] as usize;
                node.copy[o] == v.0 && node.before[o] != v.0
            };
            let a = atom.rename(|v| if after(v) { Role::After(plain(v)).var() } else { plain(v) });
            let mut new = precision.add_transition(actor, target, &a);
            // A condition on the values before the step alone is one on states, too.
            if share && a.vars().all(|v| program.is_global(v)) {
                new |= share_everywhere(precision, &a);
            }
            new
        }
    }
}

/// A predicate over globals: for all states, and for transitions before and after the step.
fn share_everywhere(precision: &mut Precision, a: &Atom) -> bool {
    let mut new = false;
    let n = precision.views.len();
    for i in 0..n {
        new |= precision.add_state(i, a);
        for j in 0..n {
            new |= precision.add_transition(i, j, a);
            new |= precision.add_transition(i, j, &a.rename(|v| Role::After(v).var()));
        }
    }
    new
}
