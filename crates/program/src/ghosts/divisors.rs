//! Remainders by numbers that are not known: who is divisible by them.
//!
//! `x % d` with a variable `d` is over-approximated by a value below `d`. For each such `d` that is set once, a ghost
//! global has its value from the start on (a prophecy: of all start values of the ghost one is right in every run), and
//! each variable that is linked with `x` or `d` by copies, sums and differences has a ghost bit: does the divisor divide
//! it? Copies copy the bit; of a sum or difference of two it is the other's bit where one is divisible, which also says
//! what was divisible before from what is now. A remainder is 0 where the bit is 1; equal numbers have equal bits; and
//! what is divisible and positive is no less than the divisor. That bits are what they are said to be is the one fact that is
//! claimed; that the cases are all there are follows from it and from the laws of divisibility.
//!
//! A case of congruence domains, with a divisor that is a variable. Reach: divisors that are set once, at most 48 variables linked
//! with them. Needed by `tests/semantics/values/common_divisor_safe.c`.

use super::extension::{Claim, Extension, Fact, GhostVariable, Prophecy, Start, StepCase, Term};
use crate::edges::paths::reachable;
use crate::recognisers::Recogniser;
use crate::{Count, Edge, Ghost, Input, Program, Scope, Variable};
use relyant_linear::{Atom, LinExpr, Norm, Rat, Rel, Var};
use std::collections::{BTreeMap, BTreeSet};

/// More linked variables than this are not followed.
const MOST: usize = 48;

/// `rest := number % divisor` on an edge; `rest` is an input.
#[derive(Clone, Copy)]
struct Site {
    number: Var,
    divisor: Var,
    rest: Var,
}

/// A divisor and the bits of what is linked with it.
struct Divisor {
    variable: Var,
    template: usize,
    value: Var,
    bits: BTreeMap<Var, Var>,
}

/// An edge and what it does with the bits: one of the cases so far.
struct Split<'e> {
    e: &'e Edge,
    /// The number of the first input of a case.
    next: u32,
    case: StepCase,
}

/// Divisors and their bits, for a program that has not been reduced.
pub fn find(p: &Program) -> Option<Extension> {
    let mut divisors: Vec<(Var, usize)> = Vec::new();
    for (t, e) in p.templates.iter().enumerate().flat_map(|(t, x)| x.edges.iter().map(move |e| (t, e))) {
        divisors.extend(sites(p, e).iter().map(|s| s.divisor).filter(|d| set_once(p, t, *d)).map(|d| (d, t)));
    }
    divisors.sort_unstable();
    divisors.dedup();
    let mut next = p.variables.len() as u32;
    let mut all = Vec::new();
    for (d, template) in divisors {
        let linked = linked(p, d);
        if linked.len() > MOST {
            continue;
        }
        let bits = linked.iter().zip(next + 1..).map(|(v, b)| (*v, Var(b))).collect();
        all.push(Divisor { variable: d, template, value: Var(next), bits });
        next += 1 + linked.len() as u32;
    }
    if all.is_empty() {
        return None;
    }
    let mut out = Extension::new(Recogniser::Divisors);
    out.ghosts = all.iter().flat_map(|d| ghosts(p, d)).collect();
    for d in &all {
        for (v, bit) in &d.bits {
            let each = match p.variables[v.0 as usize].scope {
                Scope::Global => None,
                Scope::Local(t) => Some(t),
            };
            let claim = Claim::Is { ghost: *bit, term: Term::Divides { by: d.value, of: LinExpr::var(*v) } };
            out.facts.push(Fact { each, ..Fact::always(claim) });
        }
        let at = |e: &Edge| sites(p, e).iter().any(|s| s.divisor == d.variable);
        let edges = p.templates[d.template].edges.iter().enumerate().filter(|(_, e)| at(e));
        out.prophecies.push(Prophecy {
            ghost: d.value,
            of: d.variable,
            template: d.template as u32,
            edges: edges.map(|(k, _)| k).collect(),
        });
    }
    let moved = |v: Var| if v.0 >= p.variables.len() as u32 { Var(v.0 + out.ghosts.len() as u32) } else { v };
    for (t, template) in p.templates.iter().enumerate() {
        for (k, e) in template.edges.iter().enumerate() {
            let mut e = e.clone();
            e.rename(moved);
            let found = sites_from(next, &e);
            let start = Split { e: &e, next: next + e.inputs.len() as u32, case: StepCase::same() };
            let mut cases = vec![start];
            for d in &all {
                cases = cases.into_iter().flat_map(|c| c.follow(d, &found)).collect();
            }
            let mut cases: Vec<StepCase> = cases
                .into_iter()
                .filter(|c| !e.guard.and(&c.case.guard).is_bottom())
                .map(|c| c.case)
                .collect();
            cases.iter_mut().for_each(|c| c.updates.sort_by_key(|u| u.0));
            if cases != [StepCase::same()] {
                out.cases.insert((t as u32, k), cases);
            }
        }
    }
    Some(out)
}

/// Remainders on an edge.
fn sites(p: &Program, e: &Edge) -> Vec<Site> {
    sites_from(p.variables.len() as u32, e)
}

fn sites_from(first_input: u32, e: &Edge) -> Vec<Site> {
    let site = |(rest, i): (u32, &Input)| match *i {
        Input::Remainder { number, divisor } => Some(Site { number, divisor, rest: Var(rest) }),
        _ => None,
    };
    (first_input..).zip(&e.inputs).filter_map(site).collect()
}

/// Is a local of a single thread set by a step that it does at most once, and before all its remainders?
fn set_once(p: &Program, t: usize, v: Var) -> bool {
    let template = &p.templates[t];
    let writes = |e: &Edge| e.updates.iter().any(|u| u.0 == v);
    let targets = template.edges.iter().filter(|e| writes(e)).map(|e| e.to.0 as usize);
    let after = reachable(template, targets, |_| true);
    let before = reachable(template, [template.entry.0 as usize], |k| !writes(&template.edges[k]));
    template.count == Count::AtMost(1)
        && p.variables[v.0 as usize].scope == Scope::Local(t as u32)
        && !template.edges.iter().any(|e| writes(e) && after[e.from.0 as usize])
        && !template
            .edges
            .iter()
            .any(|e| before[e.from.0 as usize] && sites(p, e).iter().any(|s| s.divisor == v))
}

/// What is linked with the divisor by remainders, copies, sums and differences.
fn linked(p: &Program, divisor: Var) -> BTreeSet<Var> {
    let n = p.variables.len() as u32;
    let edges = || p.templates.iter().flat_map(|t| &t.edges);
    let mut linked = BTreeSet::from([divisor]);
    for s in edges().flat_map(|e| sites(p, e)).filter(|s| s.divisor == divisor) {
        linked.insert(s.number);
    }
    loop {
        let before = linked.len();
        for (v, x) in edges().flat_map(|e| &e.updates) {
            let own = |y: &Var| y.0 < n;
            let simple = x.constant_part().is_zero()
                && (1..=2).contains(&x.terms().len())
                && x.terms().iter().all(|(y, c)| own(y) && c.abs() == Rat::one());
            if simple && (linked.contains(v) || x.vars().any(|y| linked.contains(&y))) {
                linked.insert(*v);
                linked.extend(x.vars());
            }
        }
        if linked.len() == before || linked.len() > MOST {
            return linked;
        }
    }
}

/// The ghosts of a divisor, in the order of their numbers.
fn ghosts(p: &Program, d: &Divisor) -> Vec<GhostVariable> {
    let name = &p.variables[d.variable.0 as usize].name;
    let value = Variable::ghost(format!("divisor({name})"), Scope::Global, (Some(1), None), Ghost::Other);
    let bit = |v: &Var| {
        let x = &p.variables[v.0 as usize];
        let bounds = (Some(0), Some(1));
        let variable = Variable::ghost(format!("divides({name}, {})", x.name), x.scope, bounds, Ghost::Other);
        let start = Start::Chosen(Term::Divides { by: d.value, of: LinExpr::var(*v) });
        GhostVariable { variable, start, hidden: false }
    };
    let value = GhostVariable { variable: value, start: Start::Foretold, hidden: false };
    std::iter::once(value).chain(d.bits.keys().map(bit)).collect()
}

fn is(e: &LinExpr, c: i128) -> Norm {
    Atom::eq(&e.sub(&LinExpr::int(c)))
}

impl<'e> Split<'e> {
    fn when(&self, conditions: &[Norm]) -> Split<'e> {
        let mut case = self.case.clone();
        conditions.iter().for_each(|n| case.guard.push(n.clone()));
        Split { case, ..*self }
    }

    fn is_possible(&self) -> bool {
        !self.e.guard.and(&self.case.guard).is_bottom()
    }

    /// What the edge does with the bits of a divisor, case by case.
    fn follow(mut self, d: &Divisor, sites: &[Site]) -> Vec<Split<'e>> {
        let bit = |v: &Var| d.bits.get(v).map(|b| LinExpr::var(*b));
        let e = self.e;
        // Equal numbers have equal bits.
        for a in e.guard.atoms().iter().filter(|a| a.rel() == Rel::Eq && a.expr().constant_part().is_zero()) {
            if let [(x, c), (y, k)] = a.expr().terms()
                && (c + k).is_zero()
                && let (Some(x), Some(y)) = (bit(x), bit(y))
            {
                self.case.guard.push(Atom::eq(&x.sub(&y)));
            }
        }
        let mut cases = vec![self];
        let mut split = |conditions: &[&[Norm]]| {
            cases = cases.iter().flat_map(|c| conditions.iter().map(move |n| c.when(n))).collect();
            cases.retain(Split::is_possible);
        };
        for s in sites.iter().filter(|s| s.divisor == d.variable) {
            let (Some(number), Some(divisor)) = (bit(&s.number), bit(&s.divisor)) else { continue };
            let right = Atom::eq(&LinExpr::var(d.value).sub(&LinExpr::var(d.variable)));
            let rest = LinExpr::var(s.rest);
            let some = Atom::le(&LinExpr::int(1).sub(&rest));
            split(&[
                &[right.clone(), is(&divisor, 1), is(&number, 1), is(&rest, 0)],
                &[right, is(&divisor, 1), is(&number, 0), some],
            ]);
        }
        // What is divisible and positive is no less than the divisor.
        for a in e.guard.atoms().iter().filter(|a| a.rel() == Rel::Le) {
            let Some(v) = compared(a, d.variable) else { continue };
            if let Some(b) = bit(&v) {
                let (v, one) = (LinExpr::var(v), LinExpr::int(1));
                split(&[
                    &[is(&b, 0)],
                    &[is(&b, 1), Atom::le(&v)],
                    &[is(&b, 1), Atom::le(&one.sub(&v)), Atom::le(&LinExpr::var(d.value).sub(&v))],
                ]);
            }
        }
        for (v, x) in &e.updates {
            if let Some(to) = d.bits.get(v) {
                cases = cases.iter().flat_map(|c| c.set(*to, x, d)).collect();
            }
        }
        cases
    }

    /// The bit of a variable that is set to an expression.
    fn set(&self, to: Var, x: &LinExpr, d: &Divisor) -> Vec<Split<'e>> {
        let bit = |v: &Var| d.bits.get(v).map(|b| LinExpr::var(*b));
        let with = |conditions: &[Norm], value: Option<LinExpr>| {
            let mut out = self.when(conditions);
            let value = value.unwrap_or_else(|| {
                let any = LinExpr::var(Var(out.next + out.case.inputs.len() as u32));
                out.case.inputs.push(Term::Divides { by: d.value, of: x.clone() });
                any
            });
            if value != LinExpr::var(to) {
                out.case.updates.push((to, value));
            }
            out
        };
        if !x.constant_part().is_zero() {
            return vec![with(&[], None)];
        }
        let unit = |c: &Rat| c.abs() == Rat::one();
        match x.terms() {
            [] => vec![with(&[], Some(LinExpr::int(1)))],
            [(y, c)] if unit(c) && bit(y).is_some() => vec![with(&[], bit(y))],
            [(y, c), (z, k)] if unit(c) && unit(k) => match (bit(y), bit(z)) {
                (Some(y), Some(z)) => vec![
                    with(&[is(&z, 1)], Some(y.clone())),
                    with(&[is(&z, 0), is(&y, 1)], Some(LinExpr::zero())),
                    with(&[is(&z, 0), is(&y, 0)], None),
                ],
                _ => vec![with(&[], None)],
            },
            _ => vec![with(&[], None)],
        }
    }
}

/// The other one of two variables that are compared.
fn compared(a: &Atom, with: Var) -> Option<Var> {
    match a.expr().terms() {
        [(x, _), (y, _)] if *y == with => Some(*x),
        [(x, _), (y, _)] if *x == with => Some(*y),
        _ => None,
    }
}
