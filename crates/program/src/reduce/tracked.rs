//! Is an index the tracked one? Asked once, where the index is computed; a local has the answer.
//!
//! Each access to an array of which one element is kept is a step at the tracked index, one before it and one behind it (see
//! [`crate::linearise`], arrays). Where a thread accesses elements by one index or pointer again and again, as under a lock in each
//! element, an assertion would have to compare it with the tracked index all the way. So they are compared where the index or the pointer
//! gets its value: that step is three, and a local is 1 after the one at the tracked index and 0 after the others. Accesses test the local,
//! and nothing needs to be known of indices between.
//!
//! The local is what the comparison is wherever it is read: each step that assigns to what is compared, and from which a read is
//! reached, sets it. A comparison that may be read before any such step is left as it is. Accesses before and behind the tracked index
//! do the same, so one test is for both.

use crate::edges::order::Order;
use crate::{Edge, Ghost, Loc, Origin, Program, Scope, Template, Variable};
use relyant_linear::{Atom, Cube, LinExpr, Norm, Rel, Var};
use std::collections::{BTreeMap, BTreeSet};

/// A step becomes so many at most.
const MOST_STEPS: usize = 9;

/// Comparisons of one template: expressions that are 0 at the tracked index.
struct Comparisons {
    /// As an equality has them.
    zero: Vec<LinExpr>,
    /// By a condition of an access: which comparison it is, and whether it says that it holds.
    tests: BTreeMap<Atom, (usize, bool)>,
    /// By location: those that may be read before what they compare is assigned to.
    read: Vec<BTreeSet<usize>>,
}

/// What a step makes of a comparison.
enum After {
    /// It holds, or not, whatever came before.
    Known(bool),
    /// It is what another one was before.
    Was(usize),
    /// This says.
    Asked(Atom),
}

/// Compares indices with the tracked one once, where they are read more than once; were there any?
pub fn compare_once(p: &mut Program) -> bool {
    let index = p.variables.iter().position(|v| v.origin == Origin::Ghost(Ghost::Index));
    let Some(index) = index.map(|i| Var(i as u32)) else { return false };
    let mut any = false;
    for t in 0..p.templates.len() {
        if let Some(comparisons) = Comparisons::of(p, t, index) {
            comparisons.tell(p, t, index);
            any = true;
        }
    }
    any
}

impl Program {
    /// Does a template have locals that say whether what it accesses is at the tracked index?
    pub fn tells_index(&self, template: u32) -> bool {
        let scope = Scope::Local(template);
        self.variables.iter().any(|v| v.scope == scope && v.origin == Origin::Ghost(Ghost::At))
    }
}

impl Comparisons {
    /// Those of a template that it makes more than once; `None` without any.
    fn of(p: &Program, t: usize, index: Var) -> Option<Comparisons> {
        let mut found: Vec<(LinExpr, BTreeSet<Loc>)> = Vec::new();
        let local = |v: Var| p.variables.get(v.0 as usize).is_some_and(|x| x.scope == Scope::Local(t as u32));
        for (e, a) in p.templates[t].edges.iter().flat_map(|e| e.guard.atoms().iter().map(move |a| (e, a))) {
            let compares = a.rel() == Rel::Eq && !a.expr().coeff(index).is_zero() && a.vars().count() > 1;
            if !compares || !a.vars().all(|v| v == index || local(v)) {
                continue;
            }
            match found.iter_mut().find(|f| f.0 == *a.expr()) {
                Some(f) => {
                    f.1.insert(e.from);
                }
                None => found.push((a.expr().clone(), BTreeSet::from([e.from]))),
            }
        }
        let mut zero: Vec<LinExpr> = found.into_iter().filter(|f| f.1.len() > 1).map(|f| f.0).collect();
        while !zero.is_empty() {
            let now = Comparisons::read_in(&p.templates[t], zero);
            let mut bad = now.read[p.templates[t].entry.0 as usize].clone();
            for e in &p.templates[t].edges {
                let asked: BTreeSet<Atom> = now.asked(e).map(|(_, a)| a).collect();
                if 3usize.saturating_pow(asked.len() as u32) > MOST_STEPS {
                    bad.extend(now.asked(e).map(|(k, _)| k));
                }
            }
            if bad.is_empty() {
                return Some(now);
            }
            let kept = (0..).zip(now.zero).filter(|(k, _)| !bad.contains(k));
            zero = kept.map(|(_, x)| x).collect();
        }
        None
    }

    /// These comparisons, with where they may be read.
    fn read_in(template: &Template, zero: Vec<LinExpr>) -> Comparisons {
        let mut tests = BTreeMap::new();
        for (k, x) in zero.iter().enumerate() {
            for (n, side) in sides(x).into_iter().enumerate() {
                if let Norm::Atom(a) = side {
                    tests.insert(a, (k, n == 0));
                }
            }
        }
        let order = Order::new(template);
        let mut read: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); template.locations.len()];
        let mut work = order.all();
        while let Some(l) = work.pop_last() {
            let l = order.location(l);
            let mut here: BTreeSet<usize> = BTreeSet::new();
            for e in order.outs(l).map(|e| &template.edges[e]) {
                here.extend(e.guard.atoms().iter().filter_map(|a| tests.get(a)).map(|(k, _)| *k));
                for k in &read[e.to.0 as usize] {
                    if !assigns(e, &zero[*k]) {
                        here.insert(*k);
                    } else if let After::Was(j) = after_step(e, *k, &zero) {
                        here.insert(j);
                    }
                }
            }
            if here.len() > read[l.0 as usize].len() {
                read[l.0 as usize] = here;
                work.extend(order.before(l));
            }
        }
        Comparisons { zero, tests, read }
    }

    /// Comparisons that a step has to ask for, with how.
    fn asked<'a>(&'a self, e: &'a Edge) -> impl Iterator<Item = (usize, Atom)> + 'a {
        let after = &self.read[e.to.0 as usize];
        after.iter().filter(|k| assigns(e, &self.zero[**k])).filter_map(|k| {
            match after_step(e, *k, &self.zero) {
                After::Asked(a) => Some((*k, a)),
                _ => None,
            }
        })
    }

    /// Gives the template its locals, and has its steps set and test them.
    fn tell(&self, p: &mut Program, t: usize, index: Var) {
        let (scope, bounds) = (Scope::Local(t as u32), (Some(0), Some(1)));
        let names: Vec<String> = self.zero.iter().map(|x| name(p, x, index)).collect();
        let numbered = |(k, name): (usize, &String)| match names[..k].iter().filter(|n| *n == name).count() {
            0 => name.clone(),
            n => format!("{name}#{}", n + 1),
        };
        let new = names.iter().enumerate().map(numbered);
        let first =
            p.add_variables(new.map(|name| Variable::ghost(name, scope, bounds, Ghost::At)).collect());
        let local = |k: usize| Var(first.0 + k as u32);
        let mut out = Vec::new();
        for e in std::mem::take(&mut p.templates[t].edges) {
            let set: Vec<(usize, After)> = self.read[e.to.0 as usize]
                .iter()
                .filter(|k| assigns(&e, &self.zero[**k]))
                .map(|k| (*k, after_step(&e, *k, &self.zero)))
                .collect();
            let mut steps = vec![self.tested(e, &local)];
            let mut asked: Vec<Atom> = Vec::new();
            for (k, after) in set {
                match after {
                    After::Known(holds) => {
                        steps.iter_mut().for_each(|e| assign(e, local(k), LinExpr::int(holds.into())))
                    }
                    After::Was(j) => {
                        steps.iter_mut().for_each(|e| assign(e, local(k), LinExpr::var(local(j))))
                    }
                    After::Asked(a) => {
                        if asked.contains(&a) {
                            for e in &mut steps {
                                let holds = e.guard.atoms().contains(&a);
                                assign(e, local(k), LinExpr::int(holds.into()));
                            }
                            continue;
                        }
                        steps = steps.into_iter().flat_map(|e| split(e, &a, local(k))).collect();
                        asked.push(a);
                    }
                }
            }
            out.extend(steps);
        }
        p.templates[t].edges = out;
    }

    /// A step with tests of locals in place of comparisons.
    fn tested(&self, mut e: Edge, local: &dyn Fn(usize) -> Var) -> Edge {
        let test = |a: &Atom| match self.tests.get(a) {
            Some((k, holds)) => Atom::eq(&LinExpr::var(local(*k)).sub(&LinExpr::int((*holds).into()))),
            None => Norm::Atom(a.clone()),
        };
        let guard: Vec<Norm> = e.guard.atoms().iter().map(test).collect();
        if !e.guard.is_bottom() {
            e.guard = Cube::of(guard);
        }
        e
    }
}

/// At the tracked index, before it, and behind it.
fn sides(zero: &LinExpr) -> [Norm; 3] {
    let one = LinExpr::int(1);
    [Atom::eq(zero), Atom::le(&zero.add(&one)), Atom::le(&zero.negated().add(&one))]
}

/// Does a step assign to a variable of an expression?
fn assigns(e: &Edge, x: &LinExpr) -> bool {
    x.vars().any(|v| e.updates.binary_search_by_key(&v, |u| u.0).is_ok())
}

/// What a comparison is after a step, in terms of what was before it.
fn after_step(e: &Edge, k: usize, zero: &[LinExpr]) -> After {
    let value = |v: Var| e.updates.binary_search_by_key(&v, |u| u.0).ok().map(|i| e.updates[i].1.clone());
    match Atom::eq(&zero[k].subst(value)) {
        Norm::True => After::Known(true),
        Norm::False => After::Known(false),
        Norm::Atom(a) => match zero.iter().position(|x| x == a.expr()) {
            Some(j) => After::Was(j),
            None => After::Asked(a),
        },
    }
}

/// A step as three: where a comparison holds after it, and where it does not.
fn split(e: Edge, zero: &Atom, local: Var) -> Vec<Edge> {
    let sides = sides(zero.expr()).into_iter().enumerate();
    let step = |(n, side): (usize, Norm)| {
        let mut e = e.clone();
        e.guard.push(side);
        assign(&mut e, local, LinExpr::int((n == 0).into()));
        e
    };
    sides.map(step).collect()
}

/// Adds an update of a variable that the step does not assign to.
fn assign(e: &mut Edge, v: Var, value: LinExpr) {
    let at = e.updates.partition_point(|u| u.0 < v);
    e.updates.insert(at, (v, value));
}

/// What is compared with the tracked index, by the names of its variables.
fn name(p: &Program, zero: &LinExpr, index: Var) -> String {
    let names: Vec<&str> =
        zero.vars().filter(|v| *v != index).map(|v| p.variables[v.0 as usize].name.as_str()).collect();
    format!("at({})", names.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Count, Location};
    use index_vec::index_vec;
    use relyant_cfa::diagnostic::Span;

    const INDEX: Var = Var(0);
    const POINTER: Var = Var(1);
    const K: Var = Var(2);

    fn step(from: u32, to: u32, guard: impl IntoIterator<Item = Norm>, updates: &[(Var, LinExpr)]) -> Edge {
        Edge {
            from: Loc(from),
            to: Loc(to),
            inputs: Vec::new(),
            guard: Cube::of(guard),
            bounds: Cube::top(),
            updates: updates.to_vec(),
            path: Vec::new(),
            span: Span::default(),
            touches: Vec::new(),
            exact: true,
        }
    }

    /// `100 + 2 * index - pointer`.
    fn distance() -> LinExpr {
        let two = LinExpr::var(INDEX).add(&LinExpr::var(INDEX));
        LinExpr::int(100).add(&two).sub(&LinExpr::var(POINTER))
    }

    /// From 0 to 1 the pointer is assigned to; then there are two accesses, each three steps.
    fn program(assigned: LinExpr, entry: u32) -> Program {
        let mut edges = vec![step(0, 1, [], &[(POINTER, assigned)])];
        for at in [1, 2] {
            edges.extend(sides(&distance()).map(|side| step(at, at + 1, [side], &[])));
        }
        let local = |name: &str| Variable::ghost(name.into(), Scope::Local(0), (None, None), Ghost::Other);
        let template = Template {
            name: "f".into(),
            count: Count::AtMost(1),
            identity: None,
            entry: Loc(entry),
            locations: index_vec![Location::default(); 4],
            edges,
        };
        let index = Variable::ghost("index".into(), Scope::Global, (Some(0), None), Ghost::Index);
        Program {
            variables: vec![index, local("p"), local("k")],
            templates: vec![template],
            ..Program::default()
        }
    }

    #[test]
    fn accesses_test_what_the_assignment_has_found() {
        let k = LinExpr::var(K);
        let mut p = program(LinExpr::int(100).add(&k).add(&k), 0);
        assert!(compare_once(&mut p));
        let [.., at] = &p.variables[..] else { unreachable!() };
        assert_eq!((at.name.as_str(), p.variables.len()), ("at(p)", 4));
        let at = Var(3);
        let is = |n: i128| Cube::of([Atom::eq(&LinExpr::var(at).sub(&LinExpr::int(n)))]);
        let edges = &p.templates[0].edges;
        let set: Vec<(&Cube, &LinExpr)> =
            edges.iter().filter(|e| e.from == Loc(0)).map(|e| (&e.guard, &e.updates[1].1)).collect();
        let apart = sides(&LinExpr::var(INDEX).sub(&k)).map(|s| Cube::of([s]));
        let values = [LinExpr::int(1), LinExpr::int(0), LinExpr::int(0)];
        assert_eq!(set, apart.iter().zip(&values).collect::<Vec<_>>());
        for access in [1, 2] {
            let tests: Vec<Cube> =
                edges.iter().filter(|e| e.from == Loc(access)).map(|e| e.guard.clone()).collect();
            assert_eq!(tests, [is(1), is(0), is(0)]);
        }
    }

    #[test]
    fn a_copy_of_a_pointer_is_where_that_one_is() {
        let mut p = program(LinExpr::var(POINTER), 0);
        p.templates[0].edges.insert(0, step(3, 0, [], &[(POINTER, LinExpr::var(K))]));
        p.templates[0].entry = Loc(3);
        assert!(compare_once(&mut p));
        let of = |from: u32| p.templates[0].edges.iter().filter(move |e| e.from == Loc(from));
        assert_eq!(of(3).count(), 3);
        let copied: Vec<_> = of(0).map(|e| e.updates[1].clone()).collect();
        assert_eq!(copied, [(Var(3), LinExpr::var(Var(3)))]);
    }

    #[test]
    fn what_is_read_before_it_is_assigned_to_stays() {
        let mut p = program(LinExpr::var(K), 1);
        let before = p.clone();
        assert!(!compare_once(&mut p));
        assert_eq!(p, before);
    }
}
