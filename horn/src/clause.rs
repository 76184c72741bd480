//! Recursion-free Horn clauses over linear integer arithmetic, their solutions and their refutations.

use crate::check::implies;
pub use crate::formula::Formula;
use relyant_linear::{Atom, Cube, Rat, Var};
use std::collections::{BTreeMap, BTreeSet};
use thiserror::Error;

/// An unknown relation symbol, by its number in the system.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Relation(pub u32);

/// An unknown relation applied to distinct variables of a clause.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Application {
    /// Its number in the [`System`] that the clause is of.
    pub relation: Relation,
    /// Its arguments, pairwise distinct.
    pub args: Vec<Var>,
}

/// `body and constraint => head`, for all values of its variables.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Clause {
    /// The unknown relations assumed.
    pub body: Vec<Application>,
    /// The known constraint assumed.
    pub constraint: Cube,
    /// The unknown relation concluded; none for `false`.
    pub head: Option<Application>,
}

/// What is wrong with a clause or a system.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum ClauseError {
    /// A relation that the system does not have.
    #[error("no relation has number {}", .0.0)]
    NoRelation(Relation),
    /// Not as many arguments as the relation has parameters.
    #[error("relation {name} takes {arity} arguments, not {given}")]
    Arity {
        /// Name of the relation that is applied.
        name: String,
        /// How many parameters it was declared with.
        arity: usize,
        /// How many arguments it has here.
        given: usize,
    },
    /// A variable given twice to one application.
    #[error("variable v{} is given to {name} twice", var.0)]
    Repeated {
        /// Name of the relation that is applied.
        name: String,
        /// The variable that is an argument twice.
        var: Var,
    },
    /// A relation depends on itself.
    #[error("relation {0} is recursive")]
    Recursive(String),
}

/// A set of Horn clauses over numbered relations.
#[derive(Clone, Debug, Default)]
pub struct System {
    /// By number: name, and number of parameters.
    relations: Vec<(String, usize)>,
    clauses: Vec<Clause>,
}

impl System {
    /// No relations, no clauses.
    pub fn new() -> System {
        System::default()
    }
    /// A new relation with parameters `Var(0)..Var(arity)`.
    pub fn relation(&mut self, name: &str, arity: usize) -> Relation {
        self.relations.push((name.to_string(), arity));
        Relation((self.relations.len() - 1) as u32)
    }
    /// Adds a clause at the end, if it fits the relations: known, as many arguments as parameters, none twice.
    pub fn add(&mut self, clause: Clause) -> Result<(), ClauseError> {
        for a in clause.body.iter().chain(&clause.head) {
            let Some((name, arity)) = self.relations.get(a.relation.0 as usize) else {
                return Err(ClauseError::NoRelation(a.relation));
            };
            if a.args.len() != *arity {
                return Err(ClauseError::Arity { name: name.clone(), arity: *arity, given: a.args.len() });
            }
            let mut sorted = a.args.clone();
            sorted.sort();
            if let Some(w) = sorted.windows(2).find(|w| w[0] == w[1]) {
                return Err(ClauseError::Repeated { name: name.clone(), var: w[0] });
            }
        }
        self.clauses.push(clause);
        Ok(())
    }
    /// The clauses in the order in which they were added.
    pub fn clauses(&self) -> &[Clause] {
        &self.clauses
    }
    /// The relations, in order of their numbers.
    pub fn relations(&self) -> impl Iterator<Item = Relation> + use<> {
        (0..self.relations.len() as u32).map(Relation)
    }
    /// The name with which a relation was declared; empty for an unknown one.
    pub fn name(&self, r: Relation) -> &str {
        self.relations.get(r.0 as usize).map_or("", |r| &r.0)
    }
    /// A relation's number of parameters.
    pub fn arity(&self, r: Relation) -> usize {
        self.relations.get(r.0 as usize).map_or(0, |r| r.1)
    }

    /// The relations, each after those its clauses assume.
    pub fn order(&self) -> Result<Vec<Relation>, ClauseError> {
        let n = self.relations.len();
        let mut needs: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); n];
        let mut needed_by: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); n];
        for c in &self.clauses {
            if let Some(h) = &c.head {
                for b in &c.body {
                    needs[h.relation.0 as usize].insert(b.relation.0 as usize);
                    needed_by[b.relation.0 as usize].insert(h.relation.0 as usize);
                }
            }
        }
        let mut waiting: Vec<usize> = needs.iter().map(BTreeSet::len).collect();
        let mut order: Vec<usize> = (0..n).filter(|&r| waiting[r] == 0).collect();
        let mut head = 0;
        while head < order.len() {
            for &r in &needed_by[order[head]] {
                waiting[r] -= 1;
                if waiting[r] == 0 {
                    order.push(r);
                }
            }
            head += 1;
        }
        if order.len() == n {
            return Ok(order.into_iter().map(|r| Relation(r as u32)).collect());
        }
        // Each relation left needs another one left: following needs ends in a cycle.
        let mut at = (0..n).find(|&r| waiting[r] > 0).unwrap_or(0);
        for _ in 0..n {
            at = needs[at].iter().copied().find(|&r| waiting[r] > 0).unwrap_or(at);
        }
        Err(ClauseError::Recursive(self.relations[at].0.clone()))
    }
}

/// A formula for each relation, over its parameters `Var(0)..Var(arity)`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Solution {
    pub(crate) formulas: Vec<Formula>,
}

impl Solution {
    /// What the relation is in this solution; true for an unknown one.
    pub fn formula(&self, r: Relation) -> &Formula {
        self.formulas.get(r.0 as usize).unwrap_or(&Formula::True)
    }
    /// The atoms of a relation's formula, in order and without repetition.
    pub fn atoms(&self, r: Relation) -> BTreeSet<Atom> {
        self.formula(r).atoms()
    }
    /// The formula of an application.
    pub fn apply(&self, a: &Application) -> Formula {
        self.formula(a.relation).rename(&|v| a.args.get(v.0 as usize).copied().unwrap_or(v))
    }
    /// Is every clause valid under this solution? `None` when the budget, in cubes for one clause, ran out.
    pub fn check(&self, system: &System, budget: usize) -> Option<bool> {
        for c in system.clauses() {
            let body: Vec<Formula> = c.body.iter().map(|a| self.apply(a)).collect();
            let head = c.head.as_ref().map_or(Formula::False, |h| self.apply(h));
            if !implies(&body.iter().collect::<Vec<_>>(), &c.constraint, &head, budget)? {
                return Some(false);
            }
        }
        Some(true)
    }
}

/// One use of a clause in a derivation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Inference {
    /// The clause's number in the system.
    pub clause: usize,
    /// The inferences of the clause's body, in its order.
    pub premises: Vec<usize>,
    /// Integer values of the clause's variables.
    pub values: BTreeMap<Var, Rat>,
}

/// A derivation of `false`: the last inference's clause has no head.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Derivation {
    /// The inferences, premises before conclusions.
    pub inferences: Vec<Inference>,
}

impl Derivation {
    /// Is it a derivation of `false` from the system's clauses?
    pub fn check(&self, system: &System) -> bool {
        let value = |i: &Inference, v: &Var| i.values.get(v).cloned().unwrap_or_else(Rat::zero);
        let fine = |at: usize, i: &Inference| {
            let Some(c) = system.clauses().get(i.clause) else { return false };
            i.values.values().all(Rat::is_integer)
                && c.constraint.holds(|v| value(i, &v))
                && c.body.len() == i.premises.len()
                && c.body.iter().zip(&i.premises).all(|(a, &p)| {
                    let Some(premise) = self.inferences.get(p).filter(|_| p < at) else { return false };
                    let Some(head) = system.clauses().get(premise.clause).and_then(|c| c.head.as_ref())
                    else {
                        return false;
                    };
                    head.relation == a.relation
                        && a.args.iter().zip(&head.args).all(|(x, y)| value(i, x) == value(premise, y))
                })
        };
        let root = self.inferences.last().and_then(|i| system.clauses().get(i.clause));
        root.is_some_and(|c| c.head.is_none())
            && self.inferences.iter().enumerate().all(|(at, i)| fine(at, i))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use relyant_linear::{LinExpr, Norm};

    fn x(v: u32) -> LinExpr {
        LinExpr::var(Var(v))
    }
    fn is(v: u32, n: i128) -> Norm {
        Atom::eq(&x(v).sub(&LinExpr::int(n)))
    }

    /// `r` of 0; `s` of one more than what `r` is of, said twice; and `s` is of nothing above 1.
    fn counting() -> (System, Relation, Relation) {
        let mut system = System::new();
        let (r, s) = (system.relation("r", 1), system.relation("s", 1));
        let of = |relation, v| Application { relation, args: vec![Var(v)] };
        let one_more = Cube::of([Atom::eq(&x(1).sub(&x(0)).sub(&LinExpr::int(1)))]);
        let large = Cube::of([Atom::lt(&LinExpr::int(1).sub(&x(0)))]);
        let clause = |body, constraint, head| Clause { body, constraint, head };
        for c in [
            clause(vec![], Cube::of([is(0, 0)]), Some(of(r, 0))),
            clause(vec![of(r, 0), of(r, 0)], one_more, Some(of(s, 1))),
            clause(vec![of(s, 0)], large, None),
        ] {
            system.add(c).unwrap();
        }
        (system, r, s)
    }

    #[test]
    fn a_solution_makes_every_clause_valid() {
        let (system, ..) = counting();
        let at_most = |n| Formula::from(Atom::le(&x(0).sub(&LinExpr::int(n))));
        let check = |r, s| Solution { formulas: vec![r, s] }.check(&system, 100);
        assert_eq!(check(is(0, 0).into(), is(0, 1).into()), Some(true));
        assert_eq!(check(at_most(0), at_most(1)), Some(true));
        // The first clause, the second, the goal.
        for (r, s) in [
            (Formula::False, is(0, 1).into()),
            (is(0, 1).into(), at_most(1)),
            (is(0, 0).into(), at_most(0)),
            (is(0, 0).into(), Formula::False),
            (Formula::True, is(0, 1).into()),
            (is(0, 0).into(), Formula::True),
            (is(0, 0).into(), at_most(2)),
            (is(0, 0).into(), Formula::Or(vec![is(0, 1).into(), is(0, 2).into()])),
        ] {
            assert_eq!(check(r, s), Some(false));
        }
        // What is not said of a relation is true.
        assert_eq!(Solution { formulas: vec![is(0, 0).into()] }.check(&system, 100), Some(false));
        let solution = Solution { formulas: vec![is(0, 0).into(), is(0, 1).into()] };
        assert_eq!(solution.check(&system, 0), None);
    }

    type Change<'f> = &'f dyn Fn(&mut Vec<Inference>);

    #[test]
    fn a_derivation_is_made_of_clauses() {
        let (mut system, r, _) = counting();
        let goal = Clause {
            body: vec![Application { relation: r, args: vec![Var(5)] }],
            constraint: Cube::of([Atom::le(&x(5))]),
            head: None,
        };
        system.add(goal).unwrap();
        let values = |list: &[(u32, i128)]| list.iter().map(|(v, n)| (Var(*v), Rat::from(*n))).collect();
        let step = |clause, premises: &[usize], list: &[(u32, i128)]| Inference {
            clause,
            premises: premises.to_vec(),
            values: values(list),
        };
        let good = vec![step(0, &[], &[]), step(1, &[0, 0], &[(1, 1)]), step(3, &[0], &[])];
        let check = |change: Change| {
            let mut inferences = good.clone();
            change(&mut inferences);
            Derivation { inferences }.check(&system)
        };
        assert!(check(&|_| {}));
        let half = Rat::new(1.into(), 2.into());
        let forged: [(&str, Change); 12] = [
            ("nothing", &|d| d.clear()),
            ("no goal", &|d| drop(d.pop())),
            ("no such clause", &|d| d[1].clause = 9),
            ("no such goal", &|d| d[2].clause = 9),
            ("a fraction", &|d| drop(d[2].values.insert(Var(9), half.clone()))),
            ("against the constraint", &|d| d[1].values = values(&[(1, 2)])),
            ("a premise too few", &|d| d[1].premises.truncate(1)),
            ("a premise too many", &|d| d[2].premises.push(0)),
            ("its own premise", &|d| {
                d[0] = step(1, &[0, 0], &[(1, 1)]);
            }),
            ("a premise that is not there", &|d| d[2].premises[0] = 7),
            ("of another relation", &|d| {
                d[2].premises[0] = 1;
                d[2].values = values(&[(5, 1)]);
            }),
            ("of other arguments", &|d| d[2].values = values(&[(5, -1)])),
        ];
        for (what, change) in forged {
            assert!(!check(change), "{what}");
        }
        // Of itself, by a clause that says nothing.
        let r_of_0 = Application { relation: r, args: vec![Var(0)] };
        let nothing = Cube::of([]);
        let mut circular = system.clone();
        circular.add(Clause { body: vec![r_of_0.clone()], constraint: nothing, head: Some(r_of_0) }).unwrap();
        let inferences = vec![step(4, &[0], &[(0, -1)]), step(3, &[0], &[(5, -1)])];
        assert!(!Derivation { inferences }.check(&circular));
        // Of the other relation, with the same arguments; and of a clause that derives nothing.
        assert!(!check(&|d| {
            d[1].values = values(&[(0, 0), (1, 1)]);
            d[2] = step(2, &[0], &[(0, 2)]);
        }));
        assert!(!check(&|d| d[2].premises[0] = 1));
        assert!(!check(&|d| d.push(step(3, &[2], &[]))));
    }
}
