//! Predicates from the solution of an error tuple's clauses (GPR, figure 9, lines 8 to 12).

use super::unfold::{Kind, Unfolding};
use crate::aret::precision::Precision;
use crate::proof::PRIME;
use relyant_frontend::program::Program;
use relyant_horn::Formula;
use relyant_horn::linear::{Atom, Var};
use relyant_horn::tree::{Options, Tree, TreeOutcome, solve_tree};

/// What the clauses gave.
pub enum Solved {
    /// New predicates were added.
    New,
    /// A solution, but every predicate was known.
    Known,
    /// No solution: the clauses' constraints are satisfiable together.
    Satisfiable,
    /// No answer, and why.
    Unknown(String),
}

/// Solves the unfolded clauses and adds the predicates found.
///
/// Predicates over globals alone go to all threads and pairs when `share`: other threads nearly always need them too.
pub fn add(u: &Unfolding, program: &Program, precision: &mut Precision, share: bool) -> Solved {
    let n = u.nodes.len();
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); n];
    for k in 1..n {
        children[u.nodes[k].parent].push(k);
    }
    // The solver's tree is built from the leaves up: our node k is its node n - 1 - k.
    let mut tree = Tree::new();
    for k in (0..n).rev() {
        let below = children[k].iter().map(|c| n - 1 - c).collect();
        let node = &u.nodes[k];
        let mut args: Vec<Var> =
            node.copy.iter().chain(&node.before).filter(|c| **c != u32::MAX).map(|c| Var(*c)).collect();
        args.sort_unstable();
        args.dedup();
        if let Err(e) = tree.add(below, node.constraint.clone(), args) {
            return Solved::Unknown(e.to_string());
        }
    }
    let weight = |v: Var| {
        let origin = u.origin.get(v.0 as usize).copied().unwrap_or(u32::MAX);
        if program.is_global(Var(origin)) { 1 } else { 2 }
    };
    let options = Options { weight: Some(&weight), ..Options::default() };
    let formulas = match solve_tree(&tree, &options) {
        Ok(TreeOutcome::Solved(f)) => f,
        Ok(TreeOutcome::Satisfiable(_)) => return Solved::Satisfiable,
        Ok(TreeOutcome::Unknown(why)) => return Solved::Unknown(why),
        Err(e) => return Solved::Unknown(e.to_string()),
    };
    let mut new = false;
    for (k, node) in u.nodes.iter().enumerate() {
        for atom in atoms(&formulas[n - 1 - k]) {
            new |= add_atom(u, program, precision, node, &atom, share);
        }
    }
    if new { Solved::New } else { Solved::Known }
}

fn atoms(f: &Formula) -> Vec<Atom> {
    f.atoms().into_iter().collect()
}

fn add_atom(
    u: &Unfolding,
    program: &Program,
    precision: &mut Precision,
    node: &super::unfold::Node,
    atom: &Atom,
    share: bool,
) -> bool {
    let plain = |v: Var| Var(u.origin[v.0 as usize]);
    match node.kind {
        Kind::Root => false,
        Kind::State { thread, .. } => {
            let a = atom.rename(plain);
            if share && a.vars().all(|v| program.is_global(v)) {
                return share_everywhere(precision, &a);
            }
            precision.add_state(thread, &a)
        }
        Kind::Transition { actor, target } => {
            let after = |v: Var| {
                let o = u.origin[v.0 as usize] as usize;
                node.copy[o] == v.0 && node.before[o] != v.0
            };
            let a = atom.rename(|v| if after(v) { Var(plain(v).0 + PRIME) } else { plain(v) });
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
            new |= precision.add_transition(i, j, &a.rename(|v| Var(v.0 + PRIME)));
        }
    }
    new
}
