//! Explicit trees of constraints over globally unique variables: find for each node a formula over its
//! interface that the subtree implies and that makes the root false (GPR, "Predicate abstraction and
//! refinement for verifying multi-threaded programs", POPL 2011, figures 14 and 16).
//!
//! Where rationals do not suffice the problem is split on an integer cut at one node; ancestors of that
//! node then get the disjunction of the two solutions and all other nodes the conjunction.

use crate::check::implies;
use crate::formula::Formula;
use crate::refute::{Constraint, Feasible, Refutation, refute};
use relyant_linear::omega::{self, OmegaOutcome};
use relyant_linear::simplex::Conflict;
use relyant_linear::{Atom, Cube, LinExpr, Model, Norm, Rat, Satisfiable, Var, project};
use thiserror::Error;

/// A node's number in its tree.
pub type NodeId = usize;

/// A node: its constraint and its children's formulas together imply its formula.
#[derive(Clone, Debug)]
pub struct TreeNode {
    /// Earlier nodes, each the child of one node only.
    pub children: Vec<NodeId>,
    /// The node's own constraint.
    pub constraint: Cube,
    /// The variables that the node's subtree may share with the rest of the tree.
    pub args: Vec<Var>,
}

/// A tree, built from the leaves up.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    /// Children before their parents.
    nodes: Vec<TreeNode>,
    /// By node: the inverse of `children`; `None` for the root, and for nodes that have no parent yet.
    parent: Vec<Option<NodeId>>,
}

/// What is wrong with a tree.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum TreeError {
    /// A child that is not there yet or has a parent already.
    #[error("node {0} cannot be a child here")]
    Child(NodeId),
    /// Not exactly one node without a parent.
    #[error("a tree needs one root, this one has {0}")]
    Roots(usize),
    /// A variable shared across a node that does not have it among its arguments.
    #[error("variable v{} is used both below node {node} and elsewhere, but is no argument of it", var.0)]
    NotShared {
        /// The node that the variable is not an argument of.
        node: NodeId,
        /// A variable of its subtree and of the rest of the tree.
        var: Var,
    },
}

/// Why clauses were neither solved nor found to have no solution.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum Undecided {
    /// What the multipliers gave does not hold over the integers.
    #[error("solution check failed")]
    Solution,
    /// As many splits on integer cuts as [`TreeOptions::max_splits`] allows.
    #[error("too many splits on integer cuts")]
    Splits,
    /// All solutions are fractional, and no cut that excludes them is over the variables of one node.
    #[error("no integer cut within one node")]
    NoCut,
    /// As many derivations as [`TreeOptions::max_derivations`] allows.
    #[error("too many derivations")]
    Derivations,
    /// A derivation of more nodes than [`TreeOptions::max_nodes`] allows.
    #[error("a derivation is too large")]
    Size,
    /// What was found to be a derivation of `false` is none.
    #[error("derivation check failed")]
    Derivation,
    /// A derivation is neither real nor excluded by a new predicate.
    #[error("a derivation was not decided")]
    NoProgress,
    /// The clauses of a derivation are no tree.
    #[error(transparent)]
    Tree(#[from] TreeError),
}

impl Tree {
    /// A tree without nodes, which is none yet: it needs a root.
    pub fn new() -> Tree {
        Tree::default()
    }
    /// Adds a node above the given ones; the last one added without a parent is the root.
    pub fn add(
        &mut self,
        children: Vec<NodeId>,
        constraint: Cube,
        args: Vec<Var>,
    ) -> Result<NodeId, TreeError> {
        let id = self.nodes.len();
        for &c in &children {
            match self.parent.get_mut(c) {
                Some(p @ None) => *p = Some(id),
                _ => return Err(TreeError::Child(c)),
            }
        }
        self.nodes.push(TreeNode { children, constraint, args });
        self.parent.push(None);
        Ok(id)
    }
    /// The nodes, children before parents.
    pub fn nodes(&self) -> &[TreeNode] {
        &self.nodes
    }
    /// A node's parent; `None` for the root, and for nodes that have none yet.
    pub fn parent(&self, n: NodeId) -> Option<NodeId> {
        self.parent.get(n).copied().flatten()
    }

    fn validate(&self) -> Result<(), TreeError> {
        let roots = self.parent.iter().filter(|p| p.is_none()).count();
        if roots == 1 { Ok(()) } else { Err(TreeError::Roots(roots)) }
    }
}

/// Price of a variable of a numbered clause.
pub type ClauseWeight = dyn Fn(usize, Var) -> u32 + Sync;

/// What to prefer and when to stop.
#[derive(Clone, Copy)]
pub struct TreeOptions<'a> {
    /// Price of a variable in an atom used; none is 0 for all. An atom costs 1 more than its variables.
    pub weight: Option<&'a (dyn Fn(Var) -> u32 + Sync)>,
    /// Price of a clause's variable (the clause by its number), for systems of clauses; as `weight`.
    pub clause_weight: Option<&'a ClauseWeight>,
    /// Splits on integer cuts in one tree.
    pub max_splits: usize,
    /// Constraints the omega test may write when it decides a tree over integers.
    pub max_omega: usize,
    /// For systems of clauses: derivations of `false` that may be looked at, and facts at one time.
    pub max_derivations: usize,
    /// Nodes of one derivation.
    pub max_nodes: usize,
    /// Cubes looked at when a solution is checked against a clause.
    pub max_check: usize,
}

impl Default for TreeOptions<'_> {
    fn default() -> Self {
        TreeOptions {
            weight: None,
            clause_weight: None,
            max_splits: 64,
            max_omega: 40_000,
            max_derivations: 5_000,
            max_nodes: 200_000,
            max_check: 20_000,
        }
    }
}

/// What solving a tree gives.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TreeOutcome {
    /// A formula for each node over its arguments; the root's is false.
    Solved(Vec<Formula>),
    /// An integer solution of all constraints together: there is no such formula.
    Satisfiable(Model),
    /// Neither was found, and why.
    Unknown(Undecided),
}

/// Solves a tree. Every solution has been checked, each node by exact integer entailment.
pub fn solve_tree(tree: &Tree, options: &TreeOptions) -> Result<TreeOutcome, TreeError> {
    tree.validate()?;
    if let Some(n) = tree.nodes.iter().position(|n| n.constraint.is_bottom()) {
        let mut out = vec![Formula::True; tree.nodes.len()];
        for m in path_to_root(tree, n) {
            out[m] = Formula::False;
        }
        return Ok(TreeOutcome::Solved(out));
    }
    let mut search = Search::new(tree, options);
    let mut step = search.solve(&mut Vec::new())?;
    if let (Step::Unknown(_), true) = (&step, search.decided_unsat)
        && let Some(formulas) = strengthen(tree)
    {
        search.split = true;
        step = Step::Solved(formulas);
    }
    Ok(match step {
        Step::Solved(formulas) => {
            if search.split && !check(tree, &formulas, options.max_check) {
                TreeOutcome::Unknown(Undecided::Solution)
            } else {
                TreeOutcome::Solved(formulas)
            }
        }
        Step::Satisfiable(model) => TreeOutcome::Satisfiable(model),
        Step::Unknown(reason) => TreeOutcome::Unknown(reason),
    })
}

/// Atoms that the elimination of a variable may write where a node's strongest formula is computed.
const MAX_PROJECTION: usize = 200;

/// The way out where no split ends: each node's strongest cube over its arguments, from the leaves up, to
/// the first node that contradicts itself over the integers. Ancestors of that get false.
fn strengthen(tree: &Tree) -> Option<Vec<Formula>> {
    let of_cube = |c: &Cube| match c.is_bottom() {
        true => Formula::False,
        false => Formula::and(c.atoms().iter().map(|a| Formula::Atom(a.clone()))),
    };
    let n = tree.nodes.len();
    let mut cubes: Vec<Cube> = Vec::with_capacity(n);
    for (i, node) in tree.nodes.iter().enumerate() {
        let own = node.constraint.sat_int() == Satisfiable::Unsat;
        let all = node.children.iter().fold(node.constraint.clone(), |c, &k| c.and(&cubes[k]));
        if !own && all.sat_int() != Satisfiable::Unsat {
            cubes.push(project(&all, &node.args, MAX_PROJECTION));
            continue;
        }
        let mut out = vec![Formula::True; n];
        if !own {
            let mut below = node.children.clone();
            while let Some(k) = below.pop() {
                out[k] = of_cube(&cubes[k]);
                below.extend(&tree.nodes[k].children);
            }
        }
        for m in path_to_root(tree, i) {
            out[m] = Formula::False;
        }
        return Some(out);
    }
    None
}

/// Does every node's constraint with its children's formulas imply the node's, and is the root's false?
fn check(tree: &Tree, formulas: &[Formula], budget: usize) -> bool {
    let root_false = formulas.last().is_some_and(|f| *f == Formula::False);
    root_false
        && tree.nodes.iter().zip(formulas).all(|(n, f)| {
            let body: Vec<&Formula> = n.children.iter().map(|&c| &formulas[c]).collect();
            implies(&body, &n.constraint, f, budget) == Some(true)
        })
}

fn path_to_root(tree: &Tree, n: NodeId) -> Vec<NodeId> {
    std::iter::successors(Some(n), |&n| tree.parent(n)).collect()
}

enum Step {
    Solved(Vec<Formula>),
    Satisfiable(Model),
    Unknown(Undecided),
}

struct Search<'a> {
    tree: &'a Tree,
    options: &'a TreeOptions<'a>,
    /// The atoms of all nodes, with their node and price.
    atoms: Vec<(NodeId, &'a Atom, u32)>,
    depth: Vec<u32>,
    splits: usize,
    split: bool,
    decided_unsat: bool,
}

impl<'a> Search<'a> {
    fn new(tree: &'a Tree, options: &'a TreeOptions<'a>) -> Search<'a> {
        let price =
            |a: &Atom| options.weight.map_or(1, |w| a.vars().fold(1u32, |sum, v| sum.saturating_add(w(v))));
        let atoms = tree
            .nodes
            .iter()
            .enumerate()
            .flat_map(|(n, node)| node.constraint.atoms().iter().map(move |a| (n, a, price(a))))
            .collect();
        let mut depth = vec![0u32; tree.nodes.len()];
        for n in (0..tree.nodes.len()).rev() {
            depth[n] = tree.parent(n).map_or(0, |p| depth[p].saturating_add(1));
        }
        Search { tree, options, atoms, depth, splits: 0, split: false, decided_unsat: false }
    }

    /// Solves the tree with some cuts added to nodes.
    fn solve(&mut self, cuts: &mut Vec<(NodeId, Atom)>) -> Result<Step, TreeError> {
        let own = self.atoms.iter().map(|(n, a, w)| (*n, *a, *w));
        let all = own.chain(cuts.iter().map(|(n, a)| (*n, a, 1)));
        let constraints: Vec<Constraint> = all
            .map(|(n, a, weight)| Constraint { expr: a.expr(), rel: a.rel(), weight, depth: self.depth[n] })
            .collect();
        let feasible = match refute(&constraints) {
            Refutation::Proof(proof) => {
                return Ok(match self.annotate(&proof, cuts)? {
                    Some(formulas) => Step::Solved(formulas),
                    None => Step::Unknown(Undecided::Solution),
                });
            }
            Refutation::Feasible(f) => f,
        };
        if feasible.integral {
            return Ok(Step::Satisfiable(feasible.model));
        }
        if !self.decided_unsat {
            let all = feasible.reduced.iter().map(|r| (r.expr.clone(), r.rel)).collect();
            let mut budget = self.options.max_omega;
            match omega::decide(all, &mut budget) {
                OmegaOutcome::Model(m) => {
                    let m: Model = m.into_iter().collect();
                    return Ok(Step::Satisfiable(feasible.offsets.extend(&m)));
                }
                OmegaOutcome::Unsat => self.decided_unsat = true,
                OmegaOutcome::Unknown => {}
            }
        }
        if self.splits >= self.options.max_splits || cuts.len() > 60 {
            return Ok(Step::Unknown(Undecided::Splits));
        }
        let Some((node, e, k)) = self.cut(&feasible, cuts) else {
            return Ok(Step::Unknown(Undecided::NoCut));
        };
        self.splits += 1;
        self.split = true;
        // e <= k or e >= k + 1
        let down = Atom::le(&e.add(&LinExpr::constant(-&k)));
        let up = Atom::le(&e.negated().add(&LinExpr::constant(&k + &Rat::one())));
        let (Norm::Atom(down), Norm::Atom(up)) = (down, up) else {
            return Ok(Step::Unknown(Undecided::NoCut));
        };
        let mut sides = Vec::new();
        for side in [down, up] {
            cuts.push((node, side));
            let step = self.solve(cuts);
            cuts.pop();
            match step? {
                Step::Solved(s) => sides.push(s),
                other => return Ok(other),
            }
        }
        let above = path_to_root(self.tree, node);
        let mut on_path = vec![false; self.tree.nodes.len()];
        for n in above {
            on_path[n] = true;
        }
        let (Some(b), Some(a)) = (sides.pop(), sides.pop()) else {
            return Ok(Step::Unknown(Undecided::NoCut));
        };
        let joined = a.into_iter().zip(b).zip(on_path).map(|((a, b), or)| {
            if a == b {
                a
            } else if or {
                Formula::or([a, b])
            } else {
                Formula::and([a, b])
            }
        });
        Ok(Step::Solved(joined.collect()))
    }

    /// An expression over variables of one node whose value is not an integer in the rational solution,
    /// with the integer below: first a reduced constraint's own form, then a variable.
    fn cut(&self, f: &Feasible, cuts: &[(NodeId, Atom)]) -> Option<(NodeId, LinExpr, Rat)> {
        let fraction = |n: NodeId, e: LinExpr| {
            let value = e.eval(|v| f.model.value(v));
            if value.is_integer() { None } else { Some((n, e, value.floor())) }
        };
        for r in &f.reduced {
            let (node, origin) = match self.atoms.get(r.origin) {
                Some((n, a, _)) => (*n, *a),
                None => cuts.get(r.origin - self.atoms.len()).map(|(n, a)| (*n, a))?,
            };
            // Each class by a variable of the atom, coefficients coprime.
            let Norm::Atom(form) = Atom::le(&r.expr.with_constant(Rat::zero())) else { continue };
            let member = |rep: Var| {
                origin.vars().find_map(|v| {
                    let (r, o) = f.offsets.representative(v);
                    if r == Some(rep) { Some(LinExpr::var(v).with_constant(-&o)) } else { None }
                })
            };
            let e = form.expr().subst(member);
            if let Some(found) = fraction(node, e.with_constant(Rat::zero())) {
                return Some(found);
            }
        }
        // The node nearest the root, which is the last one: its ancestors get disjunctions.
        for (n, node) in self.tree.nodes.iter().enumerate().rev() {
            for v in node.constraint.atoms().iter().flat_map(|a| a.vars()).chain(node.args.iter().copied()) {
                if let Some(found) = fraction(n, LinExpr::var(v)) {
                    return Some(found);
                }
            }
        }
        None
    }

    /// GPR figure 16: each node's predicate is the weighted sum of the atoms in its subtree. `None` when
    /// a predicate fails its check.
    fn annotate(&self, proof: &Conflict, cuts: &[(NodeId, Atom)]) -> Result<Option<Vec<Formula>>, TreeError> {
        let n = self.tree.nodes.len();
        let mut sums: Vec<Option<LinExpr>> = vec![None; n];
        let mut used: Vec<Vec<&Atom>> = vec![Vec::new(); n];
        let add = |sum: &mut Option<LinExpr>, e: &LinExpr, k: &Rat| {
            *sum = Some(match sum.take() {
                None => e.scale(k),
                Some(s) => s.add_scaled(e, k),
            });
        };
        for (i, k) in proof {
            let (node, atom) = match self.atoms.get(*i) {
                Some((node, a, _)) => (*node, *a),
                None => {
                    let (node, a) = &cuts[i - self.atoms.len()];
                    (*node, a)
                }
            };
            add(&mut sums[node], atom.expr(), k);
            used[node].push(atom);
        }
        let mut out: Vec<Formula> = Vec::with_capacity(n);
        for (i, node) in self.tree.nodes.iter().enumerate() {
            let (mut sum, mut parts) = (sums[i].take(), usize::from(!used[i].is_empty()));
            let mut only_child = None;
            for &c in &node.children {
                if let Some(s) = &sums[c] {
                    parts += 1;
                    only_child = Some(c);
                    match &sum {
                        None => sum = Some(s.clone()),
                        Some(own) => sum = Some(own.add(s)),
                    }
                }
            }
            let Some(sum) = sum else {
                out.push(Formula::True);
                continue;
            };
            if self.tree.parent(i).is_some()
                && let Some(var) = sum.vars().find(|v| !node.args.contains(v))
            {
                return Err(TreeError::NotShared { node: i, var });
            }
            let pred = match (parts, only_child) {
                // Nothing added: the child's predicate, which needs no check.
                (1, Some(c)) => out[c].clone(),
                _ => {
                    let pred = Formula::from(Atom::le(&sum));
                    if !self.implied(node, &out, &used[i], &pred) {
                        return Ok(None);
                    }
                    pred
                }
            };
            sums[i] = Some(sum);
            out.push(pred);
        }
        Ok(Some(out))
    }

    /// Do the atoms used at a node and its children's predicates imply the node's?
    fn implied(&self, node: &TreeNode, preds: &[Formula], used: &[&Atom], pred: &Formula) -> bool {
        let cube = Cube::of(used.iter().map(|a| Norm::Atom((*a).clone())));
        let body: Vec<&Formula> = node.children.iter().map(|&c| &preds[c]).collect();
        implies(&body, &cube, pred, self.options.max_check) == Some(true)
    }
}
