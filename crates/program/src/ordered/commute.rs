//! When two steps can be swapped, decided in linear arithmetic. Nobody has to believe it: what is found is shown again.

use super::product::Letter;
use crate::edges::bounds::{only, type_bounds, type_bounds_of};
use crate::{Edge, Program, Touch};
use relyant_linear::{Atom, Closed, Cube, LinExpr, Norm, Var};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// Atoms of a condition, at most: each of them makes one more case of a step.
const MOST: usize = 3;

/// When the steps of one program commute, as far as that was asked.
#[derive(Default)]
pub struct Commuting {
    known: FxHashMap<(Letter, Letter), Option<Cube>>,
    /// What the start says of variables that nobody writes.
    constants: Option<Cube>,
}

impl Commuting {
    /// The condition on the state before both under which `second`, done right after `first`, could as well be done right before
    /// it; `None` where none is found. It is made of what either of them asks for, and that elements of arrays are different ones.
    /// The program is the same each time.
    pub fn swap(&mut self, p: &Program, first: Letter, second: Letter) -> Option<Cube> {
        let constants = self.constants.get_or_insert_with(|| constants(p));
        self.known.entry((first, second)).or_insert_with(|| condition(p, constants, first, second)).clone()
    }
}

fn condition(p: &Program, constants: &Cube, first: Letter, second: Letter) -> Option<Cube> {
    let (a, b) = (edge(p, first)?, edge(p, second)?);
    if independent(a, b) {
        return Some(Cube::top());
    }
    let pair = Pair::new(p, constants, a, b);
    let mut asked = Asked {
        pair: &pair,
        base: p.variables.len() as u32,
        when: Cube::top(),
        known: Closed::new(&pair.premise),
    };
    if asked.known.is_unsat() {
        return Some(asked.when);
    }
    for n in &pair.goals {
        if !asked.holds(n) {
            asked.ask(n)?;
        }
    }
    for (d, behind) in &pair.distances {
        let one = LinExpr::int(1);
        let (less, more) = (Atom::le(&d.add(&one)), Atom::le(&one.sub(d)));
        if !asked.holds(&less) && !asked.holds(&more) {
            // Who reads follows who writes, most often.
            asked.ask(if *behind { &less } else { &more })?;
        }
    }
    let same = pair.differences.iter().all(|d| asked.holds(&Atom::eq(d)));
    (same || asked.known.is_unsat()).then_some(asked.when)
}

/// A condition as far as it is made.
struct Asked<'a> {
    pair: &'a Pair,
    /// Inputs are numbered from here on.
    base: u32,
    when: Cube,
    /// The premise under the condition.
    known: Closed,
}

impl Asked<'_> {
    fn holds(&mut self, n: &Norm) -> bool {
        match n {
            Norm::True => true,
            Norm::False => false,
            Norm::Atom(a) => self.known.entails_rational(a),
        }
    }

    /// Adds to the condition. What only inputs could make true is nothing that a state can be asked for.
    fn ask(&mut self, n: &Norm) -> Option<()> {
        let Norm::Atom(a) = n else { return None };
        if self.when.atoms().len() == MOST || a.vars().any(|v| v.0 >= self.base) {
            return None;
        }
        self.when.push(n.clone());
        self.known = Closed::new(&self.pair.premise.and(&self.when));
        Some(())
    }
}

fn edge(p: &Program, (t, e): Letter) -> Option<&Edge> {
    p.templates.get(t as usize)?.edges.get(e as usize)
}

/// Neither writes what the other one mentions.
fn independent(a: &Edge, b: &Edge) -> bool {
    let apart = |a: &Edge, b: &Edge| {
        let reads = b.reads();
        a.updates.iter().all(|(v, _)| !reads.contains(v) && b.after(*v).is_none())
    };
    apart(a, b) && apart(b, a) && conflicts(a, b).next().is_none()
}

/// Accesses to elements of one array, of which one is a write.
fn conflicts<'a>(a: &'a Edge, b: &'a Edge) -> impl Iterator<Item = (&'a Touch, &'a Touch)> {
    let with = |x: &'a Touch| b.touches.iter().map(move |y| (x, y));
    a.touches.iter().flat_map(with).filter(|(x, y)| x.array == y.array && (x.write || y.write))
}

/// Two steps in a row, over the state before both and the inputs of both.
struct Pair {
    /// What is known where they can be done.
    premise: Cube,
    /// What has to hold for them to be done in the other order.
    goals: Vec<Norm>,
    /// By variable that one of them writes: how much its value differs afterwards; and by access to an element, how much its address and
    /// value do.
    differences: Vec<LinExpr>,
    /// Between elements that have to be different ones, from that of the first step; and whether the second one's is to be behind.
    distances: Vec<(LinExpr, bool)>,
}

impl Pair {
    fn new(p: &Program, constants: &Cube, a: &Edge, b: &Edge) -> Pair {
        let base = p.variables.len() as u32;
        let mut b = b.clone();
        b.rename(|v| if v.0 >= base { Var(v.0 + a.inputs.len() as u32) } else { v });
        let (a_asks, b_asks) = (a.guard.and(&a.bounds), b.guard.and(&b.bounds));
        let after_a = |v: Var| a.after(v).cloned();
        let after_b = |v: Var| b.after(v).cloned();
        let mut premise = a_asks.and(&b_asks.subst(after_a)).and(constants);
        let norms = |c: Cube| -> Vec<Norm> {
            if c.is_bottom() {
                vec![Norm::False]
            } else {
                c.atoms().iter().cloned().map(Norm::Atom).collect()
            }
        };
        let mut goals = norms(b_asks);
        goals.extend(norms(a_asks.subst(after_b)));
        let mut written: BTreeSet<Var> = a.updates.iter().map(|u| u.0).collect();
        written.extend(b.updates.iter().map(|u| u.0));
        let value = |v: Var, last: &Edge, before: &dyn Fn(Var) -> Option<LinExpr>| match last.after(v) {
            Some(e) => e.subst(before),
            None => before(v).unwrap_or_else(|| LinExpr::var(v)),
        };
        let mut differences: Vec<LinExpr> =
            written.into_iter().map(|v| value(v, &b, &after_a).sub(&value(v, a, &after_b))).collect();
        let mut moved = |x: &LinExpr, other: &dyn Fn(Var) -> Option<LinExpr>| {
            differences.push(x.subst(other).sub(x));
        };
        for t in &a.touches {
            moved(&t.at, &after_b);
            moved(&t.value, &after_b);
        }
        for t in &b.touches {
            moved(&t.at, &after_a);
            moved(&t.value, &after_a);
        }
        let distances: Vec<(LinExpr, bool)> =
            conflicts(a, &b).map(|(x, y)| (y.at.subst(after_a).sub(&x.at), x.write)).collect();
        let compared = differences.iter().chain(distances.iter().map(|d| &d.0));
        for v in compared.flat_map(LinExpr::vars).collect::<BTreeSet<_>>() {
            if let Some(x) = p.variables.get(v.0 as usize) {
                premise = type_bounds_of(&premise, v, x.min, x.max);
            }
        }
        Pair { premise: type_bounds(p, &premise), goals, differences, distances }
    }
}

/// What the start says of variables that nobody writes.
fn constants(p: &Program) -> Cube {
    let written: BTreeSet<Var> =
        p.templates.iter().flat_map(|t| &t.edges).flat_map(|e| e.updates.iter().map(|u| u.0)).collect();
    only(&p.init, |a| a.vars().all(|v| !written.contains(&v)))
}
