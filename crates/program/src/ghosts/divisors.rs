//! Remainders by numbers that are not known: who is divisible by them.
//!
//! `x % d` with a variable `d` is over-approximated by a value below `d`. For each such `d` that is set once, a ghost
//! global has its value from the start on (a prophecy: of all start values of the ghost one is right in every run), and
//! each variable that is linked with `x` or `d` by copies, sums and differences has a ghost bit: does the divisor divide
//! it? Copies copy the bit; of a sum or difference of two it is the other's bit where one is divisible, which also says
//! what was divisible before from what is now. A remainder is 0 where the bit is 1; equal numbers have equal bits; and
//! what is divisible and positive is no less than the divisor. The ghosts change no run.

use crate::edges::paths::reachable;
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
    value: Var,
    bits: BTreeMap<Var, Var>,
}

/// Adds divisors and their bits to a program that has not been reduced; were there any?
pub fn add_divisors(p: &mut Program) -> bool {
    let mut divisors: Vec<Var> = Vec::new();
    for (t, e) in p.templates.iter().enumerate().flat_map(|(t, x)| x.edges.iter().map(move |e| (t, e))) {
        divisors.extend(sites(p, e).iter().map(|s| s.divisor).filter(|d| set_once(p, t, *d)));
    }
    divisors.sort_unstable();
    divisors.dedup();
    let mut next = p.variables.len() as u32;
    let mut all = Vec::new();
    for d in divisors {
        let linked = linked(p, d);
        if linked.len() > MOST {
            continue;
        }
        let bits = linked.iter().zip(next + 1..).map(|(v, b)| (*v, Var(b))).collect();
        all.push(Divisor { variable: d, value: Var(next), bits });
        next += 1 + linked.len() as u32;
    }
    if all.is_empty() {
        return false;
    }
    p.add_variables(all.iter().flat_map(|d| ghosts(p, d)).collect());
    for d in &all {
        p.init.push(Atom::le(&LinExpr::int(1).sub(&LinExpr::var(d.value))));
        for b in d.bits.values().map(|b| LinExpr::var(*b)) {
            p.init.push(Atom::le(&b.sub(&LinExpr::int(1))));
            p.init.push(Atom::le(&b.negated()));
        }
    }
    let first_input = next;
    for t in 0..p.templates.len() {
        let edges = std::mem::take(&mut p.templates[t].edges);
        for e in edges {
            let found: Vec<Site> = sites_from(first_input, &e);
            let mut cases = vec![e];
            for d in &all {
                cases = cases.into_iter().flat_map(|e| follow(&e, d, &found, first_input)).collect();
            }
            p.templates[t].edges.extend(cases.into_iter().filter(|e| !e.guard.is_bottom()));
        }
    }
    true
}

/// Remainders on an edge: inputs at most a variable, and below another.
fn sites(p: &Program, e: &Edge) -> Vec<Site> {
    sites_from(p.variables.len() as u32, e)
}

fn sites_from(first_input: u32, e: &Edge) -> Vec<Site> {
    let mut sites = Vec::new();
    let all = || e.bounds.atoms().iter().filter(|a| a.rel() == Rel::Le).map(Atom::expr);
    for k in 0..e.inputs.len() as u32 {
        let rest = Var(first_input + k);
        let over = |constant: i128| {
            all().find_map(|x| {
                let other = LinExpr::var(rest).sub(x).add(&LinExpr::int(constant));
                match other.terms() {
                    [(v, c)] if c.is_one() && v.0 < first_input && other.constant_part().is_zero() => {
                        Some(*v)
                    }
                    _ => None,
                }
            })
        };
        if let (Some(number), Some(divisor)) = (over(0), over(1))
            && e.inputs[k as usize] == Input::Auxiliary
        {
            sites.push(Site { number, divisor, rest });
        }
    }
    sites
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
fn ghosts(p: &Program, d: &Divisor) -> Vec<Variable> {
    let name = &p.variables[d.variable.0 as usize].name;
    let value = Variable::ghost(format!("divisor({name})"), Scope::Global, (Some(1), None), Ghost::Other);
    let bit = |v: &Var| {
        let x = &p.variables[v.0 as usize];
        Variable::ghost(format!("divides({name}, {})", x.name), x.scope, (Some(0), Some(1)), Ghost::Other)
    };
    std::iter::once(value).chain(d.bits.keys().map(bit)).collect()
}

/// What the edge does with the bits of a divisor, case by case.
fn follow(e: &Edge, d: &Divisor, sites: &[Site], first_input: u32) -> Vec<Edge> {
    let bit = |v: &Var| d.bits.get(v).map(|b| LinExpr::var(*b));
    let is = |e: &LinExpr, c: i128| Atom::eq(&e.sub(&LinExpr::int(c)));
    let mut base = e.clone();
    // Equal numbers have equal bits.
    for a in e.guard.atoms().iter().filter(|a| a.rel() == Rel::Eq && a.expr().constant_part().is_zero()) {
        if let [(x, c), (y, k)] = a.expr().terms()
            && (c + k).is_zero()
            && let (Some(x), Some(y)) = (bit(x), bit(y))
        {
            base.guard.push(Atom::eq(&x.sub(&y)));
        }
    }
    let mut cases = vec![base];
    let mut split = |conditions: &[&[Norm]]| {
        let with = |e: &Edge, c: &&[Norm]| {
            let mut e = e.clone();
            c.iter().for_each(|n| e.guard.push(n.clone()));
            e
        };
        cases = cases.iter().flat_map(|e| conditions.iter().map(move |c| with(e, c))).collect();
        cases.retain(|e| !e.guard.is_bottom());
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
            cases = cases.iter().flat_map(|e| set(e, *to, x, d, first_input)).collect();
        }
    }
    for e in &mut cases {
        e.updates.sort_by_key(|u| u.0);
    }
    cases
}

/// The other one of two variables that are compared.
fn compared(a: &Atom, with: Var) -> Option<Var> {
    match a.expr().terms() {
        [(x, _), (y, _)] if *y == with => Some(*x),
        [(x, _), (y, _)] if *x == with => Some(*y),
        _ => None,
    }
}

/// The edge, with the bit of a variable that is set to an expression.
fn set(e: &Edge, to: Var, x: &LinExpr, d: &Divisor, first_input: u32) -> Vec<Edge> {
    let bit = |v: &Var| d.bits.get(v).map(|b| LinExpr::var(*b));
    let is = |e: &LinExpr, c: i128| Atom::eq(&e.sub(&LinExpr::int(c)));
    let with = |conditions: Vec<Norm>, value: Option<LinExpr>| {
        let mut e = e.clone();
        conditions.into_iter().for_each(|n| e.guard.push(n));
        let value = value.unwrap_or_else(|| {
            let any = LinExpr::var(Var(first_input + e.inputs.len() as u32));
            e.inputs.push(Input::Auxiliary);
            e.bounds.push(Atom::le(&any.sub(&LinExpr::int(1))));
            e.bounds.push(Atom::le(&any.negated()));
            any
        });
        if value != LinExpr::var(to) {
            e.updates.push((to, value));
        }
        e
    };
    if !x.constant_part().is_zero() {
        return vec![with(Vec::new(), None)];
    }
    let unit = |c: &Rat| c.abs() == Rat::one();
    match x.terms() {
        [] => vec![with(Vec::new(), Some(LinExpr::int(1)))],
        [(y, c)] if unit(c) && bit(y).is_some() => vec![with(Vec::new(), bit(y))],
        [(y, c), (z, k)] if unit(c) && unit(k) => match (bit(y), bit(z)) {
            (Some(y), Some(z)) => vec![
                with(vec![is(&z, 1)], Some(y.clone())),
                with(vec![is(&z, 0), is(&y, 1)], Some(LinExpr::zero())),
                with(vec![is(&z, 0), is(&y, 0)], None),
            ],
            _ => vec![with(Vec::new(), None)],
        },
        _ => vec![with(Vec::new(), None)],
    }
}
