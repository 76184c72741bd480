//! The proof of a program that says all that one thread can see, value by value: what others do is put together from what each
//! of them can see.

use crate::generate::{eq, le, n, x};
use crate::points::{DOMAIN, Second, Slots};
use crate::premises::{many, modular, threads};
use relyant_check::{Assertion, EnvTransition, Holder, Proof, Rule, ThreadProof, Tickets};
use relyant_linear::{Cube, Norm, Var};
use relyant_program::{Count, Edge, Loc, Program, Role, Scope};
use relyant_testing::rng::Rng;
use std::collections::{BTreeMap, BTreeSet};

/// What a thread sees: places by template, values by variable; 0 of all that it does not see.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct View {
    at: Vec<u32>,
    values: Vec<i128>,
}

/// How a proof is made.
struct Exact<'a> {
    p: &'a Program,
    /// Templates of one thread whose locals all others see.
    shown: BTreeSet<u32>,
    /// Those of them whose places all others see.
    placed: BTreeSet<u32>,
    /// Where others are is said by `at` where that is possible.
    use_at: bool,
    tickets: Vec<Tickets>,
    views: Vec<BTreeSet<View>>,
    environment: Vec<BTreeSet<EnvTransition>>,
}

/// More of them take too long.
const MOST: usize = 60;

/// The exact proof by threads, if it is small. With environment transitions or, for Owicki-Gries, without.
pub fn by_threads(p: &Program, rng: &mut Rng, rule: Rule) -> Option<Proof> {
    let one = |t: &u32| p.templates[*t as usize].count == Count::AtMost(1);
    let shown: BTreeSet<u32> = threads(p).into_iter().filter(one).filter(|_| rng.percent(60)).collect();
    let size = p.templates.len();
    let mut exact = Exact {
        p,
        placed: if rng.percent(70) { shown.clone() } else { BTreeSet::new() },
        shown,
        use_at: rng.percent(50),
        tickets: tickets(p),
        views: vec![BTreeSet::new(); size],
        environment: vec![BTreeSet::new(); size],
    };
    exact.closure()?;
    let union = rng.percent(50).then(|| Var(rng.below(p.variables.len()) as u32));
    let thread = |t: u32| ThreadProof {
        template: t,
        invariants: exact.invariants(t, union),
        environment: match rule {
            Rule::RelyGuarantee => exact.environment[t as usize].iter().cloned().collect(),
            _ => Vec::new(),
        },
    };
    let needed = |t: &u32| !p.templates[*t as usize].edges.is_empty() || exact.shown.contains(t);
    let threads = threads(p).into_iter().filter(needed).map(thread).collect();
    let mut proof = Proof { rule, modular: false, threads, tickets: exact.tickets, global: Vec::new() };
    proof.modular = modular(p, &proof);
    Some(proof)
}

/// Counters that no step lowers, with the locations where a local holds a ticket by what the steps to there do.
fn tickets(p: &Program) -> Vec<Tickets> {
    let plus_1 = |v: Var| x(v).add(&n(1));
    let after = |e: &Edge, v: Var| e.updates.iter().find(|u| u.0 == v).map_or(x(v), |u| u.1.clone());
    let counts = |v: Var| {
        let mut edges = p.templates.iter().flat_map(|t| &t.edges);
        edges.all(|e| after(e, v) == x(v) || after(e, v) == plus_1(v))
    };
    let holder = |counter: Var, t: u32| {
        let of = &p.templates[t as usize];
        let own = |v: &usize| p.variables[*v].scope == Scope::Local(t) && !p.variables[*v].identity;
        let variable = Var((0..p.variables.len()).find(own)? as u32);
        let mut held: BTreeSet<Loc> = (1..of.locations.len() as u32).map(Loc).collect();
        loop {
            let wrong = of.edges.iter().find(|e| {
                let drawn = after(e, variable) == x(counter) && after(e, counter) == plus_1(counter);
                let kept = held.contains(&e.from) && after(e, variable) == x(variable);
                held.contains(&e.to) && !drawn && !kept
            });
            let Some(e) = wrong else { break };
            held.remove(&e.to);
        }
        let locations: Vec<Loc> = held.into_iter().collect();
        (!locations.is_empty()).then_some(Holder { template: t, variable, locations })
    };
    let counter = |v: usize| {
        let counter = Var(v as u32);
        let holders: Vec<Holder> = threads(p).into_iter().filter_map(|t| holder(counter, t)).collect();
        let is = p.variables[v].scope == Scope::Global && counts(counter) && !holders.is_empty();
        is.then_some(Tickets { counter, holders })
    };
    (0..p.variables.len()).filter_map(counter).collect()
}

impl Exact<'_> {
    fn sees(&self, j: u32, v: Var) -> bool {
        match self.p.variables[v.0 as usize].scope {
            Scope::Global => true,
            Scope::Local(t) => t == j || self.shown.contains(&t),
        }
    }
    fn variables(&self) -> impl Iterator<Item = Var> + use<> {
        (0..self.p.variables.len() as u32).map(Var)
    }
    fn is_local(&self, v: Var, t: u32) -> bool {
        self.p.variables[v.0 as usize].scope == Scope::Local(t)
    }
    fn start(&self, j: u32) -> BTreeSet<View> {
        let slots = Slots::new(self.p);
        let own = Second(None);
        let seen: Vec<Var> = self.variables().filter(|v| self.sees(j, *v)).collect();
        let init = Cube::of(
            self.p
                .init
                .atoms()
                .iter()
                .filter(|a| a.vars().all(|v| seen.contains(&v)))
                .cloned()
                .map(Norm::Atom),
        );
        let of: Vec<_> = seen.iter().map(|v| slots.of(*v, own, false)).collect();
        let mut out = BTreeSet::new();
        slots.find(&slots.condition(&init, own, false), &of, &mut |p| {
            let mut view =
                View { at: vec![0; self.p.templates.len()], values: vec![0; self.p.variables.len()] };
            for (v, slot) in seen.iter().zip(&of) {
                view.values[v.0 as usize] = p[*slot];
            }
            out.insert(view);
            false
        });
        out
    }
    fn closure(&mut self) -> Option<()> {
        for t in threads(self.p) {
            self.views[t as usize] = self.start(t);
        }
        loop {
            let before = (self.views.clone(), self.environment.clone());
            for i in threads(self.p) {
                for e in &self.p.templates[i as usize].edges {
                    for view in &before.0[i as usize] {
                        self.steps(i, e, view);
                    }
                }
            }
            let size = |k: usize| self.views[k].len() + self.environment[k].len();
            if (0..self.views.len()).map(size).sum::<usize>() > MOST {
                return None;
            }
            if before == (self.views.clone(), self.environment.clone()) {
                return Some(());
            }
        }
    }
    /// All that an edge does from a view of its thread.
    fn steps(&mut self, i: u32, e: &Edge, view: &View) {
        if e.from.0 != view.at[i as usize] {
            return;
        }
        for input in if e.inputs.is_empty() { 0..=0 } else { DOMAIN.0..=DOMAIN.1 } {
            let value = |v: Var| match view.values.get(v.0 as usize) {
                Some(k) => (*k).into(),
                None => input.into(),
            };
            if !e.guard.holds(value) || !e.bounds.holds(value) {
                continue;
            }
            let mut next = view.clone();
            next.at[i as usize] = e.to.0;
            for (v, new) in &e.updates {
                next.values[v.0 as usize] = new.eval(value).to_i128().expect("an integer");
            }
            for j in threads(self.p).into_iter().filter(|j| *j != i || many(self.p, i)) {
                let of = self.transitions(i, j, view, &next);
                self.environment[j as usize].extend(of);
                let seen: Vec<View> = self.views[j as usize]
                    .iter()
                    .filter_map(|w| self.beside(i, j, (view, &next), w))
                    .collect();
                self.views[j as usize].extend(seen);
            }
            self.views[i as usize].insert(next);
        }
    }
    /// Pairs of a value of the thread i and a local of j that is another: handles, and tickets where both hold one.
    fn different(&self, i: u32, j: u32, view: &View) -> Vec<(Option<&[Loc]>, i128, Var)> {
        let identity = |t: u32| {
            self.variables().find(|v| self.is_local(*v, t) && self.p.variables[v.0 as usize].identity)
        };
        let mut out = Vec::new();
        if let (Some(a), Some(b)) = (identity(i), identity(j)) {
            out.push((None, view.values[a.0 as usize], b));
        }
        for t in &self.tickets {
            let holder = |k: u32| t.holders.iter().find(|h| h.template == k);
            if let (Some(a), Some(b)) = (holder(i), holder(j))
                && a.locations.contains(&Loc(view.at[i as usize]))
            {
                out.push((Some(&b.locations[..]), view.values[a.variable.0 as usize], b.variable));
            }
        }
        out
    }
    /// What a thread of j sees after a step of one of i, if it was beside it.
    fn beside(&self, i: u32, j: u32, (before, after): (&View, &View), w: &View) -> Option<View> {
        let both = |v: &Var| self.sees(i, *v) && self.sees(j, *v) && !(i == j && self.is_local(*v, j));
        let values =
            self.variables().filter(both).all(|v| w.values[v.0 as usize] == before.values[v.0 as usize]);
        let known = |t: u32, by: u32| t == by || self.placed.contains(&t);
        let mut places = threads(self.p)
            .into_iter()
            .filter(|t| i != j && known(*t, i) && known(*t, j) || i == j && self.placed.contains(t));
        let places = places.all(|t| w.at[t as usize] == before.at[t as usize]);
        let apart = self.different(i, j, before).into_iter().all(|(at, k, v)| {
            w.values[v.0 as usize] != k || at.is_some_and(|at| !at.contains(&Loc(w.at[j as usize])))
        });
        if !(values && places && apart) {
            return None;
        }
        let mut next = w.clone();
        for v in self.variables().filter(both) {
            next.values[v.0 as usize] = after.values[v.0 as usize];
        }
        if self.placed.contains(&i) {
            next.at[i as usize] = after.at[i as usize];
        }
        Some(next)
    }
    /// Such a step as environment transitions of the thread of j: one for each way in which its locals may differ from what
    /// must be another.
    fn transitions(&self, i: u32, j: u32, before: &View, after: &View) -> Vec<EnvTransition> {
        let both = |v: &Var| self.sees(i, *v) && self.sees(j, *v) && !(i == j && self.is_local(*v, j));
        let mut relation = Vec::new();
        let mut writes = Vec::new();
        for v in self.variables().filter(both) {
            let (old, new) = (before.values[v.0 as usize], after.values[v.0 as usize]);
            relation.push(eq(&x(v), &n(old)));
            if old != new && self.p.is_global(v) {
                writes.push(v);
            }
            if old != new || self.is_local(v, i) {
                relation.push(eq(&Role::After(v).expr(), &n(new)));
            }
        }
        let others = self.placed.iter().filter(|t| **t != i && !(self.use_at && **t == j));
        let place = |t: u32| vec![Loc(before.at[t as usize])];
        let first = EnvTransition {
            actor: i,
            from: place(i),
            to: vec![Loc(after.at[i as usize])],
            control: others.map(|t| (*t, place(*t))).collect(),
            writes,
            at: (self.use_at && self.placed.contains(&j)).then(|| place(j)),
            relation: Cube::of(relation),
        };
        let mut all = vec![first];
        for (at, k, v) in self.different(i, j, before) {
            let mut split = Vec::new();
            for x_ in all {
                let every: Vec<Loc> =
                    (0..self.p.templates[j as usize].locations.len() as u32).map(Loc).collect();
                let here = x_.at.clone().unwrap_or(every);
                let (held, free): (Vec<Loc>, Vec<Loc>) =
                    here.into_iter().partition(|l| at.is_none_or(|at| at.contains(l)));
                for side in [le(&x(v).add(&n(1)), &n(k)), le(&n(k + 1), &x(v))] {
                    let relation = x_.relation.and(&Cube::of([side]));
                    let at = if at.is_some() { Some(held.clone()) } else { x_.at.clone() };
                    split.push(EnvTransition { relation, at, ..x_.clone() });
                }
                if at.is_some() {
                    split.push(EnvTransition { at: Some(free), ..x_ });
                }
            }
            split.retain(|x| x.at.as_ref().is_none_or(|at| !at.is_empty()) && !x.relation.is_bottom());
            all = split;
        }
        all
    }
    /// Assertions by location; those that are the same but for the value of one variable become one where the values are a
    /// range, and so do those that are the same but for places.
    fn invariants(&self, j: u32, union: Option<Var>) -> Vec<(Loc, Vec<Assertion>)> {
        let mut ranges: BTreeMap<View, Vec<i128>> = BTreeMap::new();
        let union = union.filter(|v| self.sees(j, *v));
        for view in &self.views[j as usize] {
            let mut key = view.clone();
            let value = union.map_or(0, |v| std::mem::take(&mut key.values[v.0 as usize]));
            ranges.entry(key).or_default().push(value);
        }
        let mut out: BTreeMap<Loc, Vec<Assertion>> = BTreeMap::new();
        for (view, values) in ranges {
            let rest = self.variables().filter(|v| self.sees(j, *v) && Some(*v) != union);
            let norms: Vec<Norm> = rest.map(|v| eq(&x(v), &n(view.values[v.0 as usize]))).collect();
            let (low, high) = (values[0], values[values.len() - 1]);
            let runs = if high - low + 1 == values.len() as i128 {
                vec![(low, high)]
            } else {
                values.iter().map(|k| (*k, *k)).collect()
            };
            let others = || self.placed.iter().filter(|t| **t != j);
            for (low, high) in runs {
                let of = union.iter().flat_map(|v| [le(&n(low), &x(*v)), le(&x(*v), &n(high))]);
                let cube = Cube::of(norms.iter().cloned().chain(of));
                let control: Vec<(u32, Vec<Loc>)> =
                    others().map(|t| (*t, vec![Loc(view.at[*t as usize])])).collect();
                let list = out.entry(Loc(view.at[j as usize])).or_default();
                match list.iter_mut().find(|s| s.cube == cube && control.len() == 1 && union.is_some()) {
                    Some(s) => s.control[0].1.extend(&control[0].1),
                    None => list.push(Assertion { control, cube }),
                }
            }
        }
        for s in out.values_mut().flatten() {
            s.control.iter_mut().for_each(|(_, ls)| ls.sort());
        }
        out.into_iter().collect()
    }
}

/// The exact invariant over all threads, of a program that has one of each template.
pub fn monolithic(p: &Program) -> Option<Proof> {
    if (0..p.templates.len() as u32).any(|t| many(p, t)) {
        return None;
    }
    let all = Exact {
        p,
        shown: threads(p).into_iter().collect(),
        placed: threads(p).into_iter().collect(),
        use_at: false,
        tickets: Vec::new(),
        views: vec![BTreeSet::new(); p.templates.len()],
        environment: vec![BTreeSet::new(); p.templates.len()],
    };
    let mut all = all;
    all.closure()?;
    let first = *threads(p).first()?;
    let global = all.views[first as usize].iter().map(|view| {
        let at = view.at.iter().map(|l| Loc(*l)).collect();
        let seen = all.variables().filter(|v| all.sees(first, *v));
        (at, Cube::of(seen.map(|v| eq(&x(v), &n(view.values[v.0 as usize])))))
    });
    let global = global.collect();
    Some(Proof { rule: Rule::Monolithic, modular: false, threads: Vec::new(), tickets: Vec::new(), global })
}
