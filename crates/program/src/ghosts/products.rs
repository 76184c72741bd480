//! Products of two variables, where loops multiply by adding.
//!
//! A loop that adds `u` in each round while a counter `i` grows has added `u * i`: no linear expression, but a ghost that always has that
//! value changes linearly, as `u * (i + 1) = u * i + u`. Such ghosts are added for what loops add, times their counters and what these
//! are compared with, and for what their own changes need. Where a loop is left, or passed by, because an expression is not positive it
//! is mostly 0, and so are its products with other variables: such a step becomes two, and the one where the expression is 0 says that of
//! the ghosts. That ghosts are products is the one kind of fact that is claimed.
//!
//! Finite differences (Paige and Koenig, "Finite differencing of computable expressions", 1982). Reach: products of degree two, at
//! most 16; loops whose counters change by constants. Needed by `orders/tiles.c`.

use super::extension::{Claim, Extension, Fact, GhostVariable, Start, StepCase, Term, extend};
use crate::recognisers::Recogniser;
use crate::{Count, Edge, Ghost, Program, Scope, Template, Variable};
use relyant_linear::{Atom, Equalities, LinExpr, Rat, Rel, Var};
use std::collections::{BTreeMap, BTreeSet};

/// More products than this are not followed.
const MOST: usize = 16;
/// Expressions of one step that may be 0, at most.
const MOST_SPLITS: usize = 2;

/// A product: two variables in order, which may be one.
type Pair = (Var, Var);

fn pair(a: Var, b: Var) -> Pair {
    (a.min(b), a.max(b))
}

/// Products of what loops add with their counters, for a program that has been reduced.
pub fn find(p: &Program) -> Option<Extension> {
    let mut pairs = BTreeSet::new();
    for template in &p.templates {
        for inside in template.loops() {
            let at = |l: crate::Loc| inside.contains(&l);
            let Some(new) = wanted(p, template, &at) else { continue };
            let all = closed(p, pairs.iter().copied().chain(new).collect());
            if let Some(all) =
                all.filter(|all| all.iter().all(|q| scope(p, *q).is_some_and(|s| keeps(p, *q, s))))
            {
                pairs = all;
            }
        }
    }
    if pairs.is_empty() {
        return None;
    }
    let first = p.variables.len() as u32;
    let all = pairs.len();
    let products = Products { ghosts: pairs.into_iter().zip((first..).map(Var)).collect(), all };
    Some(products.extension(p))
}

/// The program with ghosts for its products, if it has any.
pub fn with_products(mut p: Program) -> Program {
    if let Some(x) = find(&p) {
        extend(&mut p, x);
    }
    p
}

/// Whose a product is; `None` if no thread has both variables.
fn scope(p: &Program, (a, b): Pair) -> Option<Scope> {
    match (p.variables.get(a.0 as usize)?.scope, p.variables.get(b.0 as usize)?.scope) {
        (Scope::Global, s) | (s, Scope::Global) => Some(s),
        (s, t) => (s == t).then_some(s),
    }
}

/// Can those who change one of the variables change the product, too? A thread's own product has to be left alone by others.
fn keeps(p: &Program, (a, b): Pair, s: Scope) -> bool {
    let Scope::Local(own) = s else { return true };
    let shared = |e: &Edge| [a, b].iter().any(|v| p.is_global(*v) && e.after(*v).is_some());
    let mut others = (0u32..).zip(&p.templates).filter(|(t, x)| *t != own || x.count != Count::AtMost(1));
    !others.any(|(_, x)| x.edges.iter().any(shared))
}

/// The products of a loop; none where it does not add variables.
fn wanted(p: &Program, template: &Template, at: &dyn Fn(crate::Loc) -> bool) -> Option<Vec<Pair>> {
    let own = |v: &Var| (v.0 as usize) < p.variables.len();
    let inside: Vec<&Edge> = template.edges.iter().filter(|e| at(e.from) && at(e.to)).collect();
    let written: BTreeSet<Var> = inside.iter().flat_map(|e| &e.updates).map(|u| u.0).collect();
    let updates = || inside.iter().flat_map(|e| &e.updates);
    let steps = |v: Var, x: &LinExpr| x.sub(&LinExpr::var(v));
    let counts = |(v, x): &&(Var, LinExpr)| {
        let by = steps(*v, x);
        by.is_constant() && !by.constant_part().is_zero()
    };
    let mut counters: BTreeSet<Var> = updates().filter(counts).map(|u| u.0).collect();
    // Only those that nothing else writes, and their copies.
    counters.retain(|c| updates().filter(|u| u.0 == *c).all(|u| counts(&u)));
    let copies = |(_, x): &&(Var, LinExpr)| matches!(x.terms(), [(v, _)] if counters.contains(v));
    let stepping: BTreeSet<Var> =
        counters.iter().copied().chain(updates().filter(copies).map(|u| u.0)).collect();
    let added: BTreeSet<Var> = updates()
        .filter(|(v, x)| !stepping.contains(v) && x.coeff(*v) == Rat::one())
        .flat_map(|(v, x)| x.vars().filter(|u| u != v).collect::<Vec<_>>())
        .filter(|u| own(u) && (stepping.contains(u) || !written.contains(u)))
        .collect();
    let guards = template.edges.iter().filter(|e| at(e.from)).flat_map(|e| e.guard.atoms());
    let compared: BTreeSet<Var> = (guards.filter(|a| a.vars().any(|v| stepping.contains(&v))))
        .flat_map(|a| a.vars().collect::<Vec<_>>())
        .filter(|v| own(v) && (stepping.contains(v) || !written.contains(v) || copied(&inside, *v)))
        .collect();
    if added.is_empty() || counters.is_empty() {
        return None;
    }
    let all: BTreeSet<Var> = counters.iter().chain(&compared).copied().collect();
    let mut pairs: BTreeSet<Pair> = added.iter().flat_map(|u| all.iter().map(|v| pair(*u, *v))).collect();
    if added.iter().any(|u| stepping.contains(u)) {
        pairs.extend(compared.iter().flat_map(|u| compared.iter().map(|v| pair(*u, *v))));
    }
    Some(pairs.into_iter().collect())
}

/// Is it only ever given the value of another variable?
fn copied(inside: &[&Edge], v: Var) -> bool {
    inside.iter().filter_map(|e| e.after(v)).all(|x| x.terms().len() == 1 && x.constant_part().is_zero())
}

/// With all products that changes of these need; `None` if they are too many.
fn closed(p: &Program, mut pairs: BTreeSet<Pair>) -> Option<BTreeSet<Pair>> {
    let own = |v: &Var| (v.0 as usize) < p.variables.len();
    loop {
        let mut more = BTreeSet::new();
        for e in p.templates.iter().flat_map(|t| &t.edges) {
            for (a, b) in &pairs {
                if e.after(*a).is_none() && e.after(*b).is_none() {
                    continue;
                }
                let (x, y) = (after(e, *a), after(e, *b));
                if x.vars().chain(y.vars()).all(|v| own(&v)) {
                    more.extend(x.vars().flat_map(|v| y.vars().map(move |w| pair(v, w))));
                }
            }
        }
        let before = pairs.len();
        pairs.extend(more);
        if pairs.len() > MOST {
            return None;
        }
        if pairs.len() == before {
            return Some(pairs);
        }
    }
}

/// May the guard of a step out of a loop that writes these, or past one, hold just when its expression is 0?
fn may_end(a: &Atom, written: &BTreeSet<Var>) -> bool {
    a.expr().terms().len() > 1 || a.expr().constant_part().is_zero() || a.vars().any(|v| written.contains(&v))
}

/// The value of a variable after a step.
fn after(e: &Edge, v: Var) -> LinExpr {
    e.after(v).cloned().unwrap_or_else(|| LinExpr::var(v))
}

/// The products that have ghosts.
struct Products {
    ghosts: BTreeMap<Pair, Var>,
    /// How many there are, those of other threads included.
    all: usize,
}

impl Products {
    /// The product of two sums, if it is a sum of products that have ghosts.
    fn of(&self, x: &LinExpr, y: &LinExpr) -> Option<LinExpr> {
        let mut out = x.scale(y.constant_part()).add(&y.scale(x.constant_part()));
        out = out.sub(&LinExpr::constant(x.constant_part() * y.constant_part()));
        for (v, k) in x.terms() {
            for (w, l) in y.terms() {
                out = out.add_scaled(&LinExpr::var(*self.ghosts.get(&pair(*v, *w))?), &(k * l));
            }
        }
        Some(out)
    }
    fn extension(&self, p: &Program) -> Extension {
        let mut out = Extension::new(Recogniser::Products);
        let start =
            Equalities::of(p.init.atoms().iter().filter(|a| a.rel() == Rel::Eq).map(|a| a.expr().clone()));
        let mut known = Vec::new();
        for ((a, b), ghost) in &self.ghosts {
            let Some(scope) = scope(p, (*a, *b)) else { continue };
            let name = |v: &Var| &p.variables[v.0 as usize].name;
            let variable =
                Variable::ghost(format!("{} * {}", name(a), name(b)), scope, (None, None), Ghost::Other);
            let of = Fact::always(Claim::Is {
                ghost: *ghost,
                term: Term::Product(LinExpr::var(*a), LinExpr::var(*b)),
            });
            let each = match scope {
                Scope::Global => None,
                Scope::Local(t) => Some(t),
            };
            out.facts.push(Fact { each, ..of });
            let start = first_value(&start, (*a, *b), scope, &mut known, *ghost);
            out.ghosts.push(GhostVariable { variable, start, hidden: false });
        }
        let moved =
            |v: Var| if (v.0 as usize) < p.variables.len() { v } else { Var(v.0 + out.ghosts.len() as u32) };
        let (mut cases, nothing) = (BTreeMap::new(), BTreeSet::new());
        for (t, template) in (0u32..).zip(&p.templates) {
            let (loops, own) = (template.loops(), self.of_thread(p, t));
            let writes = |l: &Vec<crate::Loc>| {
                let inside = template.edges.iter().filter(|e| l.contains(&e.from) && l.contains(&e.to));
                inside.flat_map(|e| &e.updates).map(|u| u.0).collect()
            };
            let written: Vec<BTreeSet<Var>> = loops.iter().map(writes).collect();
            for (k, e) in template.edges.iter().enumerate() {
                // What leads out of a loop, or past it; what leads into one from outside says that there is something to do.
                let left = loops.iter().position(|l| l.contains(&e.from) && !l.contains(&e.to));
                let outside = !loops.iter().any(|l| l.contains(&e.from) || l.contains(&e.to));
                let split = left.map(|k| &written[k]).or(outside.then_some(&nothing));
                let mut e = e.clone();
                e.rename(moved);
                let list = own.cases(p, &e, split);
                if list != [StepCase::same()] {
                    cases.insert((t, k), list);
                }
            }
        }
        out.cases = cases;
        out
    }
    /// Those that a thread of a template knows.
    fn of_thread(&self, p: &Program, t: u32) -> Products {
        let known = |q: &Pair| matches!(scope(p, *q), Some(s) if s == Scope::Global || s == Scope::Local(t));
        let ghosts = self.ghosts.iter().filter(|g| known(g.0)).map(|(q, g)| (*q, *g)).collect();
        Products { ghosts, all: self.all }
    }
    /// What becomes of a step; `split`: what the loop writes that it may be the end of.
    fn cases(&self, p: &Program, e: &Edge, split: Option<&BTreeSet<Var>>) -> Vec<StepCase> {
        let first = (p.variables.len() + self.all + e.inputs.len()) as u32;
        let mut case = StepCase::same();
        for ((a, b), ghost) in &self.ghosts {
            if e.after(*a).is_none() && e.after(*b).is_none() {
                continue;
            }
            let (x, y) = (after(e, *a), after(e, *b));
            let new = self.of(&x, &y).unwrap_or_else(|| {
                case.inputs.push(Term::Product(x, y));
                LinExpr::var(Var(first + case.inputs.len() as u32 - 1))
            });
            if new != LinExpr::var(*ghost) {
                case.updates.push((*ghost, new));
            }
        }
        let mut cases = vec![case];
        let mut splits = 0;
        for a in e.guard.atoms() {
            let zero = self.vanishing(a.expr());
            if zero.is_empty() {
                continue;
            }
            let equal = |c: &StepCase| {
                let mut c = c.clone();
                c.guard.push(Atom::eq(a.expr()));
                zero.iter().for_each(|x| c.guard.push(Atom::eq(x)));
                c
            };
            if a.rel() == Rel::Eq {
                cases = cases.iter().map(equal).collect();
            } else if split.is_some_and(|w| may_end(a, w)) && splits < MOST_SPLITS {
                splits += 1;
                let less = |c: &StepCase| {
                    let mut c = c.clone();
                    c.guard.push(Atom::lt(a.expr()));
                    c
                };
                cases = cases.iter().flat_map(|c| [equal(c), less(c)]).collect();
            }
        }
        cases.retain(|c| !e.guard.and(&c.guard).is_bottom());
        cases
    }
    /// The products of an expression with variables, as far as they have ghosts.
    fn vanishing(&self, x: &LinExpr) -> Vec<LinExpr> {
        let factors: BTreeSet<Var> = self.ghosts.keys().flat_map(|q| [q.0, q.1]).collect();
        if x.is_constant() || !x.vars().any(|v| factors.contains(&v)) {
            return Vec::new();
        }
        factors.iter().filter_map(|f| self.of(x, &LinExpr::var(*f))).collect()
    }
}

/// A product at the start by the values that its variables have then, and the ghost that has it.
struct Known {
    of: (LinExpr, LinExpr),
    scope: Scope,
    ghost: Var,
}

/// The value of a product at the start: linear where one of its variables has one value then, or that of a product before it.
fn first_value(start: &Equalities, (a, b): Pair, scope: Scope, known: &mut Vec<Known>, ghost: Var) -> Start {
    let (x, y) = (start.reduce(LinExpr::var(a)), start.reduce(LinExpr::var(b)));
    for (c, v) in [(&x, b), (&y, a)] {
        if c.is_constant() && c.constant_part().is_integer() {
            return Start::Value(LinExpr::var(v).scale(c.constant_part()));
        }
    }
    let same = |k: &&Known| {
        let ((c, d), visible) = (&k.of, k.scope == Scope::Global || k.scope == scope);
        visible && ((c, d) == (&x, &y) || (c, d) == (&y, &x))
    };
    if let Some(k) = known.iter().find(same) {
        return Start::Value(LinExpr::var(k.ghost));
    }
    known.push(Known { of: (x, y), scope, ghost });
    Start::Chosen(Term::Product(LinExpr::var(a), LinExpr::var(b)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_of_sums_are_sums_of_products() {
        let (x, y, z) = (Var(0), Var(1), Var(2));
        let ghosts = [((x, y), Var(3)), ((x, z), Var(4))].into_iter().collect();
        let products = Products { ghosts, all: 2 };
        let v = LinExpr::var;
        // (2x + 1) * (y - z + 3) = 2xy - 2xz + 6x + y - z + 3
        let a = v(x).scale(&Rat::from(2i64)).add(&LinExpr::int(1));
        let b = v(y).sub(&v(z)).add(&LinExpr::int(3));
        let value = |at: Var| Rat::from([5i64, 7, 11, 35, 55][at.0 as usize]);
        let product = products.of(&a, &b).expect("all have ghosts");
        assert_eq!(product.eval(value), &a.eval(value) * &b.eval(value));
        assert_eq!(products.of(&v(y), &v(z)), None);
    }
}
