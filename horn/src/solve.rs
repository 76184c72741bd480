//! Solving recursion-free Horn clauses by unfolding them to derivation trees (GPR figures 14 and 15).
//!
//! A relation may have several clauses and occur several times. The formula of a derivation is the
//! conjunction of what it must imply in all trees it occurs in; a relation's formula is the disjunction
//! over its derivations. A derivation that contradicts itself is solved alone, gets `false`, and is not
//! unfolded any further.

use crate::clause::{ClauseError, Derivation, Inference, Relation, Solution, System};
use crate::formula::Formula;
use crate::linear::{Cube, Model, Var};
use crate::tree::{Options, Tree, TreeOutcome, solve_tree};
use rustc_hash::FxHashMap;

/// What solving a system gives.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// A solution, checked against every clause.
    Solved(Solution),
    /// A derivation of `false`: there is no solution.
    Unsolvable(Derivation),
    /// Neither was found, and why.
    Unknown(String),
}

/// Solves a system of clauses.
pub fn solve(system: &System, options: &Options) -> Result<Outcome, ClauseError> {
    let order = system.order()?;
    let needed = reaching_false(system);
    let mut u = Unfolding { system, options, derivations: Vec::new(), parts: Vec::new(), nodes: 0 };
    let mut of_relation: Vec<Vec<usize>> = vec![Vec::new(); order.len()];
    let mut all_of: Vec<Vec<usize>> = vec![Vec::new(); order.len()];
    for r in order.into_iter().map(Some).chain([None]) {
        if r.is_some_and(|r| !needed[r.0 as usize]) {
            continue;
        }
        let clauses = system.clauses().iter().enumerate();
        for (c, clause) in clauses.filter(|(_, c)| c.head.as_ref().map(|h| h.relation) == r) {
            let choices: Vec<&[usize]> =
                clause.body.iter().map(|a| &of_relation[a.relation.0 as usize][..]).collect();
            let mut derived = Vec::new();
            for premises in product(&choices) {
                match u.derive(c, premises) {
                    Derived::Contradictory(d) => {
                        if let Some(r) = r {
                            all_of[r.0 as usize].push(d);
                        }
                    }
                    Derived::Possible(d, model) => match (r, model) {
                        (Some(r), _) => {
                            derived.push(d);
                            all_of[r.0 as usize].push(d);
                        }
                        (None, Some(refutation)) => {
                            return Ok(if refutation.check(system) {
                                Outcome::Unsolvable(refutation)
                            } else {
                                Outcome::Unknown("derivation check failed".into())
                            });
                        }
                        (None, None) => {
                            return Ok(Outcome::Unknown("a tree of clauses was not decided".into()));
                        }
                    },
                    Derived::Stopped(reason) => return Ok(Outcome::Unknown(reason)),
                }
            }
            if let Some(r) = r {
                of_relation[r.0 as usize].extend(derived);
            }
        }
    }
    let formulas = system.relations().map(|r| {
        let r = r.0 as usize;
        if !needed[r] {
            return Formula::True;
        }
        Formula::or(all_of[r].iter().map(|&d| Formula::and(std::mem::take(&mut u.parts[d]))))
    });
    let solution = Solution { formulas: formulas.collect() };
    Ok(match solution.check(system, options.max_check) {
        Some(true) => Outcome::Solved(solution),
        _ => Outcome::Unknown("solution check failed".into()),
    })
}

/// The relations that some clause chain leads from to `false`.
fn reaching_false(system: &System) -> Vec<bool> {
    let mut needed: Vec<bool> = system.relations().map(|_| false).collect();
    let mut by_head: FxHashMap<Option<Relation>, Vec<usize>> = FxHashMap::default();
    for (i, c) in system.clauses().iter().enumerate() {
        by_head.entry(c.head.as_ref().map(|h| h.relation)).or_default().push(i);
    }
    let mut todo = vec![None];
    while let Some(h) = todo.pop() {
        for &i in by_head.get(&h).map_or(&[][..], |v| v) {
            for a in &system.clauses()[i].body {
                if !std::mem::replace(&mut needed[a.relation.0 as usize], true) {
                    todo.push(Some(a.relation));
                }
            }
        }
    }
    needed
}

/// All ways to choose one of each, one after the other.
fn product<'a>(choices: &'a [&'a [usize]]) -> impl Iterator<Item = Vec<usize>> + 'a {
    let mut at = if choices.iter().any(|c| c.is_empty()) { None } else { Some(vec![0; choices.len()]) };
    std::iter::from_fn(move || {
        let now = at.clone()?;
        let mut next = now.clone();
        at = (0..choices.len()).rev().find_map(|i| {
            next[i] += 1;
            if next[i] < choices[i].len() {
                return Some(next.clone());
            }
            next[i] = 0;
            None
        });
        Some(now.iter().zip(choices).map(|(&i, c)| c[i]).collect())
    })
}

/// A clause with derivations for its body.
struct Step {
    clause: usize,
    premises: Vec<usize>,
    /// Inferences in the tree below.
    size: usize,
}

enum Derived {
    Contradictory(usize),
    /// With the refutation, when the clause is headless and there is one.
    Possible(usize, Option<Derivation>),
    Stopped(String),
}

struct Unfolding<'a> {
    system: &'a System,
    options: &'a Options<'a>,
    derivations: Vec<Step>,
    /// What each derivation must imply, over its relation's parameters.
    parts: Vec<Vec<Formula>>,
    nodes: usize,
}

/// A place in an unfolded tree.
struct Place {
    derivation: usize,
    parent: Option<usize>,
    /// The clause's variables in the tree.
    vars: FxHashMap<Var, Var>,
    args: Vec<Var>,
}

impl Unfolding<'_> {
    /// Adds a derivation; one that contradicts itself is solved at once.
    fn derive(&mut self, clause: usize, premises: Vec<usize>) -> Derived {
        let size = premises.iter().fold(1usize, |n, &d| n.saturating_add(self.derivations[d].size));
        self.nodes = self.nodes.saturating_add(size);
        if self.derivations.len() >= self.options.max_derivations || self.nodes > self.options.max_nodes {
            return Derived::Stopped("too many derivations".into());
        }
        let id = self.derivations.len();
        self.derivations.push(Step { clause, premises, size });
        self.parts.push(Vec::new());
        let (places, weights) = self.unfold(id);
        let tree = match self.tree(&places) {
            Ok(t) => t,
            Err(e) => return Derived::Stopped(e.to_string()),
        };
        let weight = |v: Var| weights.get(v.0 as usize).copied().unwrap_or(0);
        let mut options = *self.options;
        options.weight = if self.options.clause_weight.is_some() { Some(&weight) } else { None };
        match solve_tree(&tree, &options) {
            Ok(TreeOutcome::Solved(formulas)) => {
                // Nodes are the places backwards.
                for (place, f) in places.iter().rev().zip(formulas) {
                    if f != Formula::True {
                        let param = |v| place.args.iter().position(|a| *a == v).map_or(v, |i| Var(i as u32));
                        self.parts[place.derivation].push(f.rename(&param));
                    }
                }
                Derived::Contradictory(id)
            }
            Ok(TreeOutcome::Satisfiable(m)) => Derived::Possible(id, Some(self.refutation(&places, &m))),
            Ok(TreeOutcome::Unknown(reason)) if self.system.clauses()[clause].head.is_none() => {
                Derived::Stopped(reason)
            }
            Ok(TreeOutcome::Unknown(_)) => Derived::Possible(id, None),
            Err(e) => Derived::Stopped(e.to_string()),
        }
    }

    /// The tree of a derivation, parents before children, every variable fresh but for arguments; with
    /// the weight of each variable. GPR figure 15.
    fn unfold(&self, root: usize) -> (Vec<Place>, Vec<u32>) {
        let mut weights: Vec<u32> = Vec::new();
        let mut places: Vec<Place> = Vec::new();
        let mut todo: Vec<(usize, Option<usize>, Vec<Var>)> = Vec::new();
        if let Some(h) = &self.system.clauses()[self.derivations[root].clause].head {
            weights.resize(h.args.len(), u32::MAX);
            todo.push((root, None, (0..h.args.len() as u32).map(Var).collect()));
        } else {
            todo.push((root, None, Vec::new()));
        }
        while let Some((derivation, parent, args)) = todo.pop() {
            let step = &self.derivations[derivation];
            let clause = &self.system.clauses()[step.clause];
            let price = |v: Var| self.options.clause_weight.map_or(0, |w| w(step.clause, v));
            let mut vars: FxHashMap<Var, Var> = FxHashMap::default();
            if let Some(h) = &clause.head {
                for (own, given) in h.args.iter().zip(&args) {
                    vars.insert(*own, *given);
                    let w = &mut weights[given.0 as usize];
                    *w = price(*own).min(*w);
                }
            }
            let in_body = clause.body.iter().flat_map(|a| a.args.iter().copied());
            for v in in_body.chain(clause.constraint.atoms().iter().flat_map(|a| a.vars())) {
                vars.entry(v).or_insert_with(|| {
                    weights.push(price(v));
                    Var(weights.len() as u32 - 1)
                });
            }
            for (a, &p) in clause.body.iter().zip(&step.premises) {
                todo.push((p, Some(places.len()), a.args.iter().map(|v| vars[v]).collect()));
            }
            places.push(Place { derivation, parent, vars, args });
        }
        (places, weights)
    }

    fn tree(&self, places: &[Place]) -> Result<Tree, crate::tree::TreeError> {
        let n = places.len();
        let mut children: Vec<Vec<usize>> = vec![Vec::new(); n];
        let mut tree = Tree::new();
        for (i, p) in places.iter().enumerate().rev() {
            let constraint: &Cube = &self.system.clauses()[self.derivations[p.derivation].clause].constraint;
            let own = std::mem::take(&mut children[i]);
            let id = tree.add(own, constraint.rename(|v| p.vars[&v]), p.args.clone())?;
            if let Some(parent) = p.parent {
                children[parent].push(id);
            }
        }
        Ok(tree)
    }

    fn refutation(&self, places: &[Place], model: &Model) -> Derivation {
        let n = places.len();
        // Premises in the order of the clause's body: places were pushed from the last to the first.
        let mut premises: Vec<Vec<usize>> = vec![Vec::new(); n];
        for (i, p) in places.iter().enumerate().rev() {
            if let Some(parent) = p.parent {
                premises[parent].push(n - 1 - i);
            }
        }
        let inferences = places.iter().enumerate().rev().map(|(i, p)| Inference {
            clause: self.derivations[p.derivation].clause,
            premises: std::mem::take(&mut premises[i]),
            values: p.vars.iter().map(|(own, v)| (*own, model.value(*v))).collect(),
        });
        Derivation { inferences: inferences.collect() }
    }
}
