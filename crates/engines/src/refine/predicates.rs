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
use relyant_program::{Ghost, Origin, Program, Role, Scope};

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

/// What predicates may speak of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Speaks {
    /// All but the tracked index of arrays.
    OfNoIndex,
    /// All.
    OfAll,
}

impl Speaks {
    /// What is tried, in this order. Where steps have compared with the tracked index, what holds wherever that is says more than what
    /// holds of one.
    pub fn ways(program: &Program) -> &'static [Speaks] {
        let told = (0u32..).zip(&program.templates).any(|(t, _)| program.tells_index(t));
        if told { &[Speaks::OfNoIndex, Speaks::OfAll] } else { &[Speaks::OfAll] }
    }
}

/// Solves the unfolded clauses and adds the predicates found.
///
/// Predicates over globals alone go to all threads and pairs when `share`: other threads nearly always need them too.
pub fn add(
    u: &Unfolding,
    program: &Program,
    precision: &mut Precision,
    share: bool,
    speaks: Speaks,
) -> Solved {
    let variable = |v: Var| {
        let origin = u.origin.get(v.0 as usize)?;
        program.variables.get(*origin as usize)
    };
    let index = |v: Var| variable(v).is_some_and(|x| x.origin == Origin::Ghost(Ghost::Index));
    let constraint = |c: &Cube| match speaks {
        Speaks::OfNoIndex => only(c, |a| !a.vars().any(index)),
        Speaks::OfAll => c.clone(),
    };
    let clauses = u.nodes.iter().map(|node| {
        let mut args: Vec<Var> =
            node.copy.iter().chain(&node.before).filter(|c| **c != u32::MAX).map(|c| Var(*c)).collect();
        args.sort_unstable();
        args.dedup();
        Clause { parent: node.parent, constraint: constraint(&node.constraint), args }
    });
    let weight = |v: Var| if variable(v).is_some_and(|x| x.scope == Scope::Global) { 1 } else { 2 };
    let formulas = match solve(clauses.collect(), &weight) {
        Ok(formulas) => formulas,
        Err(why) => return why,
    };
    let mut new = false;
    for (node, formula) in u.nodes.iter().zip(&formulas) {
        for atom in formula.atoms() {
            new |= add_atom(u, program, precision, node, &atom, share);
        }
    }
    if new { Solved::New } else { Solved::Known }
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
