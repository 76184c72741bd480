//! Solving recursion-free Horn clauses by predicate abstraction over their derivations: relations are
//! described by cubes of predicates, each derivation of `false` that this allows is unfolded to a tree
//! (GPR figure 15) and solved (figures 14 and 16), which yields new predicates or a real derivation.
//!
//! Other than in the paper a relation may have several clauses and occur several times: its formula is the
//! disjunction over its facts. A tree is excluded once it is solved, so the search ends, mostly long
//! before all derivations were seen. (The first version unfolded all derivations, one relation after the other, and
//! solved each tree: as many as there are products of choices.)

use crate::check::implies;
use crate::clause::{Clause, ClauseError, Derivation, Inference, Relation, Solution, System};
use crate::formula::Formula;
use crate::tree::{Tree, TreeError, TreeOptions, TreeOutcome, Undecided, solve_tree};
use relyant_linear::{Closed, Cube, Model, Norm, Var};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// What solving a system gives.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SystemOutcome {
    /// A solution, checked against every clause.
    Solved(Solution),
    /// A derivation of `false`: there is no solution.
    Unsolvable(Derivation),
    /// Neither was found, and why.
    Unknown(Undecided),
}

/// Solves a system of clauses.
pub fn solve(system: &System, options: &TreeOptions) -> Result<SystemOutcome, ClauseError> {
    let order = system.order()?;
    let needed = reaching_false(system);
    let mut by_head: FxHashMap<Option<Relation>, Vec<usize>> = FxHashMap::default();
    for (i, c) in system.clauses().iter().enumerate() {
        by_head.entry(c.head.as_ref().map(|h| h.relation)).or_default().push(i);
    }
    let order = order.into_iter().filter(|r| needed[r.0 as usize]).map(Some).chain([None]).collect();
    let n = needed.len();
    let mut a = Abstraction {
        system,
        options,
        order,
        by_head,
        predicates: vec![Vec::new(); n],
        known: FxHashMap::default(),
        facts: Vec::new(),
        of_relation: vec![Vec::new(); n],
        undecided: FxHashSet::default(),
    };
    let mut undecided: Option<Undecided> = None;
    for _ in 0..options.max_derivations {
        let (clause, premises) = match a.abstract_facts() {
            Round::Excluded => {
                return Ok(undecided.map_or_else(|| a.solution(&needed), SystemOutcome::Unknown));
            }
            Round::Allowed(clause, premises) => (clause, premises),
            Round::TooMany => return Ok(SystemOutcome::Unknown(Undecided::Derivations)),
        };
        match a.refine(clause, &premises) {
            Ok(Refined::Excluded) => {}
            Ok(Refined::Real(d)) if d.check(system) => return Ok(SystemOutcome::Unsolvable(d)),
            Ok(Refined::Real(_)) => return Ok(SystemOutcome::Unknown(Undecided::Derivation)),
            // Another derivation may be real.
            Ok(Refined::Unknown(reason)) => {
                a.undecided.insert(a.derivation(clause, &premises));
                undecided.get_or_insert(reason);
            }
            Err(e) => return Ok(SystemOutcome::Unknown(e.into())),
        }
    }
    Ok(SystemOutcome::Unknown(Undecided::Derivations))
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

/// A cube of predicates that holds wherever a clause concludes from its premises.
struct Fact {
    clause: usize,
    /// Facts by index, one for each application in the clause's body; all come before this one.
    premises: Vec<usize>,
    /// Numbers of the relation's predicates.
    predicates: BTreeSet<usize>,
    /// Their conjunction, over the relation's parameters.
    formula: Formula,
    /// Inferences in its derivation.
    size: usize,
}

enum Round {
    /// No clause concludes `false`.
    Excluded,
    /// This one does, from these facts.
    Allowed(usize, Vec<usize>),
    TooMany,
}

enum Refined {
    Excluded,
    Real(Derivation),
    Unknown(Undecided),
}

/// What is known of a clause under certain premises: are they contradictory, and which predicates of the
/// head they imply.
#[derive(Default)]
struct Known {
    contradictory: bool,
    /// By predicate of the head, as far as they were asked about.
    implied: Vec<bool>,
}

struct Abstraction<'a> {
    system: &'a System,
    options: &'a TreeOptions<'a>,
    /// Relations after those that their clauses assume; last `false`.
    order: Vec<Option<Relation>>,
    /// Clauses by the relation that they conclude, `None` for `false`.
    by_head: FxHashMap<Option<Relation>, Vec<usize>>,
    /// `predicates[relation]`, over the relation's parameters; they only become more.
    predicates: Vec<Vec<Formula>>,
    /// By clause and formulas of its premises: stays right when predicates are added, but may lack the last ones.
    known: FxHashMap<(usize, Vec<Formula>), Known>,
    facts: Vec<Fact>,
    /// By relation: its facts under the present predicates, by index. Those that another one subsumes are left out,
    /// as long as nothing is undecided.
    of_relation: Vec<Vec<usize>>,
    /// Derivations of `false` that were neither solved nor found real: their clauses in preorder.
    undecided: FxHashSet<Vec<usize>>,
}

impl Abstraction<'_> {
    /// The facts of all relations under the present predicates, up to the first conclusion of `false`.
    fn abstract_facts(&mut self) -> Round {
        self.facts.clear();
        self.of_relation.iter_mut().for_each(Vec::clear);
        for at in 0..self.order.len() {
            let head = self.order[at];
            for c in self.by_head.get(&head).cloned().unwrap_or_default() {
                let body = &self.system.clauses()[c].body;
                let choices: Vec<Vec<usize>> =
                    body.iter().map(|a| self.of_relation[a.relation.0 as usize].clone()).collect();
                let choices: Vec<&[usize]> = choices.iter().map(|c| &c[..]).collect();
                for premises in product(&choices) {
                    let Some(predicates) = self.post(c, &premises) else { continue };
                    let Some(r) = head.map(|h| h.0 as usize) else {
                        let known = !self.undecided.is_empty()
                            && self.undecided.contains(&self.derivation(c, &premises));
                        if known {
                            continue;
                        }
                        return Round::Allowed(c, premises);
                    };
                    let (facts, own) = (&self.facts, &self.predicates[r]);
                    // A fact that says more subsumes those that say less, until a derivation is
                    // undecided: then each one is looked at for itself.
                    if self.undecided.is_empty() {
                        let others = &mut self.of_relation[r];
                        if others.iter().any(|&f| facts[f].predicates.is_subset(&predicates)) {
                            continue;
                        }
                        others.retain(|&f| !predicates.is_subset(&facts[f].predicates));
                    }
                    let formula = Formula::and(predicates.iter().map(|&p| own[p].clone()));
                    let size = premises.iter().fold(1usize, |n, &f| n.saturating_add(facts[f].size));
                    self.of_relation[r].push(facts.len());
                    self.facts.push(Fact { clause: c, premises, predicates, formula, size });
                    if self.facts.len() > self.options.max_derivations {
                        return Round::TooMany;
                    }
                }
            }
        }
        Round::Excluded
    }

    /// The predicates of the head that a clause implies from certain facts; `None` where the premises
    /// contradict each other.
    fn post(&mut self, c: usize, premises: &[usize]) -> Option<BTreeSet<usize>> {
        let clause: &Clause = &self.system.clauses()[c];
        let own = clause.head.as_ref().map_or(&[][..], |h| &self.predicates[h.relation.0 as usize]);
        let given: Vec<Formula> = premises.iter().map(|&f| self.facts[f].formula.clone()).collect();
        let budget = self.options.max_check;
        let body = |given: &[Formula]| -> Vec<Formula> {
            let over = |(f, a): (&Formula, &crate::clause::Application)| {
                f.rename(&|v| a.args.get(v.0 as usize).copied().unwrap_or(v))
            };
            given.iter().zip(&clause.body).map(over).collect()
        };
        let key = (c, given);
        if !self.known.contains_key(&key) {
            let body = body(&key.1);
            let body: Vec<&Formula> = body.iter().collect();
            let contradictory = implies(&body, &clause.constraint, &Formula::False, budget) == Some(true);
            self.known.insert(key.clone(), Known { contradictory, implied: Vec::new() });
        }
        let known = self.known.get_mut(&key)?;
        if known.contradictory {
            return None;
        }
        if known.implied.len() < own.len() {
            let body = body(&key.1);
            let mut question = Question::new(&body, &clause.constraint);
            let args = clause.head.as_ref().map_or(&[][..], |h| &h.args);
            for p in &own[known.implied.len()..] {
                let p = p.rename(&|v| args.get(v.0 as usize).copied().unwrap_or(v));
                known.implied.push(question.implies(&p, budget));
            }
        }
        Some(known.implied.iter().enumerate().filter(|(_, yes)| **yes).map(|(i, _)| i).collect())
    }

    /// The clauses of a derivation, in preorder.
    fn derivation(&self, clause: usize, premises: &[usize]) -> Vec<usize> {
        let mut out = vec![clause];
        let mut todo: Vec<usize> = premises.iter().rev().copied().collect();
        while let Some(f) = todo.pop() {
            out.push(self.facts[f].clause);
            todo.extend(self.facts[f].premises.iter().rev());
            if out.len() > self.options.max_nodes {
                break;
            }
        }
        out
    }

    /// Solves the tree of a conclusion of `false` and takes the predicates.
    fn refine(&mut self, clause: usize, premises: &[usize]) -> Result<Refined, TreeError> {
        let size = premises.iter().fold(1usize, |n, &f| n.saturating_add(self.facts[f].size));
        if size > self.options.max_nodes {
            return Ok(Refined::Unknown(Undecided::Size));
        }
        let (places, weights) = self.unfold(clause, premises);
        let tree = self.tree(&places)?;
        let weight = |v: Var| weights.get(v.0 as usize).copied().unwrap_or(0);
        let mut options = *self.options;
        options.weight = if self.options.clause_weight.is_some() { Some(&weight) } else { None };
        let formulas = match solve_tree(&tree, &options)? {
            TreeOutcome::Solved(formulas) => formulas,
            TreeOutcome::Satisfiable(m) => return Ok(Refined::Real(self.refutation(&places, &m))),
            TreeOutcome::Unknown(reason) => return Ok(Refined::Unknown(reason)),
        };
        let mut progress = false;
        // Nodes are the places backwards.
        for (place, f) in places.iter().rev().zip(formulas) {
            let Some(head) = &self.system.clauses()[place.clause].head else { continue };
            let own = &mut self.predicates[head.relation.0 as usize];
            let param = |v| place.args.iter().position(|a| *a == v).map_or(v, |i| Var(i as u32));
            let parts = match f.rename(&param) {
                Formula::True => continue,
                // Contradictory premises are found without.
                Formula::False => continue,
                Formula::And(parts) => parts,
                other => vec![other],
            };
            for p in parts {
                if !own.contains(&p) {
                    own.push(p);
                    progress = true;
                }
            }
        }
        // Without new predicates only a contradiction that the abstraction could not decide is left.
        Ok(if progress { Refined::Excluded } else { Refined::Unknown(Undecided::NoProgress) })
    }

    fn solution(&self, needed: &[bool]) -> SystemOutcome {
        let formulas = needed.iter().zip(&self.of_relation).map(|(needed, facts)| {
            if !needed {
                return Formula::True;
            }
            Formula::or(facts.iter().map(|&f| self.facts[f].formula.clone()))
        });
        let solution = Solution { formulas: formulas.collect() };
        match solution.check(self.system, self.options.max_check) {
            Some(true) => SystemOutcome::Solved(solution),
            _ => SystemOutcome::Unknown(Undecided::Solution),
        }
    }
}

/// Premises made ready for questions: closed once where they have no disjunction.
enum Question<'a> {
    Cube(Box<Closed>),
    Cases(&'a [Formula], &'a Cube),
}

impl<'a> Question<'a> {
    fn new(body: &'a [Formula], constraint: &'a Cube) -> Question<'a> {
        let mut cube = constraint.clone();
        for f in body {
            let parts = if let Formula::And(parts) = f { &parts[..] } else { std::slice::from_ref(f) };
            for p in parts {
                match p {
                    Formula::True => {}
                    Formula::False => cube.push(Norm::False),
                    Formula::Atom(a) => cube.push(Norm::Atom(a.clone())),
                    _ => return Question::Cases(body, constraint),
                }
            }
        }
        Question::Cube(Box::new(Closed::new(&cube)))
    }

    /// False also where the budget ran out.
    fn implies(&mut self, f: &Formula, budget: usize) -> bool {
        match (self, f) {
            (Question::Cube(c), Formula::Atom(a)) => c.entails(a) == Some(true),
            (Question::Cube(c), f) => implies(&[], c.cube(), f, budget) == Some(true),
            (Question::Cases(body, c), f) => {
                implies(&body.iter().collect::<Vec<_>>(), c, f, budget) == Some(true)
            }
        }
    }
}

/// A clause with its premises, the number of its parent's place, and its arguments there.
type Pending<'a> = (usize, &'a [usize], Option<usize>, Vec<Var>);

/// A place in an unfolded tree.
struct UnfoldedClause {
    clause: usize,
    parent: Option<usize>,
    /// The clause's variables in the tree.
    vars: FxHashMap<Var, Var>,
    args: Vec<Var>,
}

impl Abstraction<'_> {
    /// The tree of a conclusion of `false`, parents before children, every variable fresh but for
    /// arguments; with the weight of each variable. GPR figure 15.
    fn unfold(&self, root: usize, premises: &[usize]) -> (Vec<UnfoldedClause>, Vec<u32>) {
        let mut weights: Vec<u32> = Vec::new();
        let mut places: Vec<UnfoldedClause> = Vec::new();
        let mut todo: Vec<Pending> = vec![(root, premises, None, Vec::new())];
        while let Some((number, premises, parent, args)) = todo.pop() {
            let clause = &self.system.clauses()[number];
            let price = |v: Var| self.options.clause_weight.map_or(0, |w| w(number, v));
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
            for (a, &p) in clause.body.iter().zip(premises) {
                let fact = &self.facts[p];
                let args = a.args.iter().map(|v| vars[v]).collect();
                todo.push((fact.clause, &fact.premises, Some(places.len()), args));
            }
            places.push(UnfoldedClause { clause: number, parent, vars, args });
        }
        (places, weights)
    }

    fn tree(&self, places: &[UnfoldedClause]) -> Result<Tree, TreeError> {
        let n = places.len();
        let mut children: Vec<Vec<usize>> = vec![Vec::new(); n];
        let mut tree = Tree::new();
        for (i, p) in places.iter().enumerate().rev() {
            let constraint: &Cube = &self.system.clauses()[p.clause].constraint;
            let own = std::mem::take(&mut children[i]);
            let id = tree.add(own, constraint.rename(|v| p.vars[&v]), p.args.clone())?;
            if let Some(parent) = p.parent {
                children[parent].push(id);
            }
        }
        Ok(tree)
    }

    fn refutation(&self, places: &[UnfoldedClause], model: &Model) -> Derivation {
        let n = places.len();
        // Premises in the order of the clause's body: places were pushed from the last to the first.
        let mut premises: Vec<Vec<usize>> = vec![Vec::new(); n];
        for (i, p) in places.iter().enumerate().rev() {
            if let Some(parent) = p.parent {
                premises[parent].push(n - 1 - i);
            }
        }
        let inferences = places.iter().enumerate().rev().map(|(i, p)| Inference {
            clause: p.clause,
            premises: std::mem::take(&mut premises[i]),
            values: p.vars.iter().map(|(own, v)| (*own, model.value(*v))).collect(),
        });
        Derivation { inferences: inferences.collect() }
    }
}
