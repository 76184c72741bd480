//! Ground terms and their rewriting, for checking what the engine found. Nothing here uses the engine's terms,
//! matching or automata: terms are plain trees, matching modulo AC tries all ways, automata run as they were read.

use super::term::{Arena, TermId, TermNode};
use crate::timbuk::{Atom, Automaton, OpId, Rule, Sum, System, Term, Transition};
use std::collections::BTreeSet;
use std::sync::Arc;

/// A ground term; arguments of AC operators are flattened and sorted.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Ground {
    /// `s` that many times, once or more; the argument is no successor.
    Succ(u64, Arc<Ground>),
    /// Any other operator with its arguments.
    App(OpId, Arc<[Ground]>),
}

/// Values of variables, by their numbers.
pub type Values = Vec<Option<Ground>>;

/// What to do with a match: the values, and the arguments of an AC operator that it leaves alone.
type Then<'a> = dyn FnMut(&Machine, &mut Values, &[Ground]) + 'a;

impl Ground {
    /// A term of the engine's; `None` if it has variables.
    pub fn from_arena(arena: &Arena, t: TermId) -> Option<Ground> {
        Some(match arena.node(t) {
            TermNode::Var(_) => return None,
            TermNode::Succ(n, base) => Ground::Succ(*n, Arc::new(Ground::from_arena(arena, *base)?)),
            TermNode::App(op, args) => {
                let mut args =
                    args.iter().map(|a| Ground::from_arena(arena, *a)).collect::<Option<Vec<Ground>>>()?;
                if arena.is_ac(*op) {
                    args.sort();
                }
                Ground::App(*op, args.into())
            }
        })
    }
}

/// Rewrites ground terms of a system.
pub struct Machine<'a> {
    system: &'a System,
    successor: Option<OpId>,
    /// Steps of matching left; at 0 the results are not all.
    pub fuel: std::cell::Cell<u64>,
}

impl<'a> Machine<'a> {
    /// A machine for a system, with so many steps of matching.
    pub fn new(system: &'a System, fuel: u64) -> Machine<'a> {
        Machine { system, successor: system.find("s", 1), fuel: std::cell::Cell::new(fuel) }
    }
    /// The system that it rewrites by.
    pub fn system(&self) -> &'a System {
        self.system
    }
    fn spend(&self) -> bool {
        let left = self.fuel.get();
        self.fuel.set(left.saturating_sub(1));
        left > 0
    }
    fn is_ac(&self, op: OpId) -> bool {
        self.system.op(op).ac
    }
    /// An operator with its arguments.
    pub fn app(&self, op: OpId, args: Vec<Ground>) -> Ground {
        if Some(op) == self.successor {
            if let [t] = &args[..] {
                return match t {
                    Ground::Succ(n, base) => Ground::Succ(n.saturating_add(1), base.clone()),
                    Ground::App(..) => Ground::Succ(1, Arc::new(t.clone())),
                };
            }
        }
        if !self.is_ac(op) {
            return Ground::App(op, args.into());
        }
        let mut flat = Vec::new();
        for a in args {
            match a {
                Ground::App(g, inner) if g == op => flat.extend_from_slice(&inner),
                other => flat.push(other),
            }
        }
        if flat.len() == 1 {
            return flat.remove(0);
        }
        flat.sort();
        Ground::App(op, flat.into())
    }
    /// The instance of a term; `None` where a variable has no value.
    pub fn build(&self, t: &Term, values: &[Option<Ground>]) -> Option<Ground> {
        match t {
            Term::Var(v) => values.get(v.0 as usize)?.clone(),
            Term::App(op, args) => {
                let args = args.iter().map(|a| self.build(a, values)).collect::<Option<Vec<Ground>>>()?;
                Some(self.app(*op, args))
            }
        }
    }
    /// The value of a natural.
    pub fn value(&self, t: &Ground) -> Option<u64> {
        let first = self.system.naturals?;
        let (n, base) = match t {
            Ground::Succ(n, base) => (*n, base.as_ref()),
            Ground::App(..) => (0, t),
        };
        let is_first = matches!(base, Ground::App(op, args) if *op == first.first && args.is_empty());
        if is_first { n.checked_add(first.value) } else { None }
    }
    /// Does a condition hold?
    pub fn holds(&self, condition: &[Atom], values: &[Option<Ground>]) -> bool {
        let side = |s: Sum| match s.var {
            None => Some(s.plus),
            Some(v) => self.value(values.get(v.0 as usize)?.as_ref()?)?.checked_add(s.plus),
        };
        condition.iter().all(|a| match (side(a.left), side(a.right)) {
            (Some(l), Some(r)) => a.comparison.holds(l, r),
            _ => false,
        })
    }

    /// Calls `then` for each way in which `t` is an instance of `pattern`, values there are being kept.
    pub fn matches(&self, pattern: &Term, t: &Ground, values: &mut Values, then: &mut Then) {
        if !self.spend() {
            return;
        }
        match (pattern, t) {
            (Term::Var(v), _) => {
                let v = v.0 as usize;
                match &values[v] {
                    Some(u) if u == t => then(self, values, &[]),
                    Some(_) => {}
                    None => {
                        values[v] = Some(t.clone());
                        then(self, values, &[]);
                        values[v] = None;
                    }
                }
            }
            (Term::App(op, args), Ground::Succ(n, base)) if Some(*op) == self.successor => {
                let inner = if *n == 1 { base.as_ref().clone() } else { Ground::Succ(n - 1, base.clone()) };
                if let [p] = &args[..] {
                    self.matches(p, &inner, values, &mut |m, v, _| then(m, v, &[]));
                }
            }
            (Term::App(op, args), Ground::App(g, inner)) if op == g => {
                if self.is_ac(*op) {
                    let parts = self.parts(*op, args);
                    self.choose(*op, &parts, inner.to_vec(), false, values, then);
                } else {
                    self.each(args, inner, values, then);
                }
            }
            _ => {}
        }
    }
    fn each(&self, patterns: &[Term], terms: &[Ground], values: &mut Values, then: &mut Then) {
        match (patterns.split_first(), terms.split_first()) {
            (Some((p, patterns)), Some((t, terms))) => {
                self.matches(p, t, values, &mut |m, v, _| m.each(patterns, terms, v, then));
            }
            (None, None) => then(self, values, &[]),
            _ => {}
        }
    }
    /// Arguments of an AC operator, those that are no variables first.
    fn parts<'t>(&self, op: OpId, args: &'t [Term]) -> Vec<&'t Term> {
        fn flatten<'t>(op: OpId, args: &'t [Term], out: &mut Vec<&'t Term>) {
            for a in args {
                match a {
                    Term::App(g, inner) if *g == op => flatten(op, inner, out),
                    _ => out.push(a),
                }
            }
        }
        let mut out = Vec::new();
        flatten(op, args, &mut out);
        out.sort_by_key(|t| matches!(t, Term::Var(_)));
        out
    }
    /// Distributes terms among patterns; with `some`, terms may be left.
    fn choose(
        &self,
        op: OpId,
        patterns: &[&Term],
        terms: Vec<Ground>,
        some: bool,
        values: &mut Values,
        then: &mut Then,
    ) {
        if !self.spend() {
            return;
        }
        let Some((p, rest)) = patterns.split_first() else {
            if some || terms.is_empty() {
                then(self, values, &terms);
            }
            return;
        };
        if terms.len() < patterns.len() {
            return;
        }
        let Term::Var(v) = p else {
            for i in 0..terms.len() {
                if i > 0 && terms[i - 1] == terms[i] {
                    continue;
                }
                let mut others = terms.clone();
                let t = others.remove(i);
                self.matches(p, &t, values, &mut |m, v, _| m.choose(op, rest, others.clone(), some, v, then));
            }
            return;
        };
        let v = v.0 as usize;
        if let Some(t) = values[v].clone() {
            let parts: Vec<Ground> = match &t {
                Ground::App(g, inner) if *g == op => inner.to_vec(),
                _ => vec![t],
            };
            let mut others = terms;
            for part in parts {
                let Some(i) = others.iter().position(|o| *o == part) else { return };
                others.remove(i);
            }
            self.choose(op, rest, others, some, values, then);
            return;
        }
        if rest.is_empty() && !some {
            values[v] = Some(self.app(op, terms));
            then(self, values, &[]);
            values[v] = None;
            return;
        }
        let mut taken = vec![(Vec::new(), Vec::new())];
        for t in terms {
            if taken.len() > 1 << 16 {
                self.fuel.set(0);
                return;
            }
            let with = taken.iter().map(|(a, b): &(Vec<Ground>, Vec<Ground>)| {
                let mut a = a.clone();
                a.push(t.clone());
                (a, b.clone())
            });
            let with: Vec<_> = with.collect();
            taken.iter_mut().for_each(|(_, b)| b.push(t.clone()));
            taken.extend(with);
        }
        for (mine, others) in taken.into_iter().filter(|(mine, _)| !mine.is_empty()) {
            values[v] = Some(self.app(op, mine));
            self.choose(op, rest, others, some, values, then);
            values[v] = None;
        }
    }

    /// All terms that one step leads to, with the place of its rule. Variables that only a right side has become each
    /// of `any`.
    pub fn successors(&self, t: &Ground, any: &[Ground]) -> BTreeSet<(usize, Ground)> {
        let mut out = BTreeSet::new();
        for (i, rule) in self.system.rules().enumerate() {
            for u in self.at_root(rule, t, any) {
                out.insert((i, u));
            }
        }
        match t {
            Ground::Succ(n, base) => {
                let inner = if *n == 1 { base.as_ref().clone() } else { Ground::Succ(n - 1, base.clone()) };
                if let Some(s) = self.successor {
                    for (i, u) in self.successors(&inner, any) {
                        out.insert((i, self.app(s, vec![u])));
                    }
                }
            }
            Ground::App(op, args) => {
                for k in 0..args.len() {
                    for (i, u) in self.successors(&args[k], any) {
                        let mut args = args.to_vec();
                        args[k] = u;
                        out.insert((i, self.app(*op, args)));
                    }
                }
            }
        }
        out
    }
    fn at_root(&self, rule: &Rule, t: &Ground, any: &[Ground]) -> Vec<Ground> {
        let mut out = Vec::new();
        let mut values: Values = vec![None; self.system.vars.len()];
        let mut then = |m: &Machine, values: &mut Values, left: &[Ground]| {
            let mut free = Vec::new();
            rule.right.each_var(&mut |v| {
                if values[v.0 as usize].is_none() && !free.contains(&(v.0 as usize)) {
                    free.push(v.0 as usize);
                }
            });
            let mut all = vec![values.clone()];
            for v in free {
                all = all
                    .into_iter()
                    .flat_map(|values| {
                        any.iter().map(move |t| {
                            let mut values = values.clone();
                            values[v] = Some(t.clone());
                            values
                        })
                    })
                    .collect();
            }
            for values in all {
                if let (true, Some(u)) = (m.holds(&rule.condition, &values), m.build(&rule.right, &values)) {
                    out.push(match (left.is_empty(), &rule.left) {
                        (false, Term::App(op, _)) => {
                            let mut args = left.to_vec();
                            args.push(u);
                            m.app(*op, args)
                        }
                        _ => u,
                    });
                }
            }
        };
        match (&rule.left, t) {
            (Term::App(op, args), Ground::App(g, inner)) if op == g && self.is_ac(*op) => {
                let parts = self.parts(*op, args);
                self.choose(*op, &parts, inner.to_vec(), true, &mut values, &mut then);
            }
            _ => self.matches(&rule.left, t, &mut values, &mut then),
        }
        out
    }

    /// Does the automaton accept the term?
    pub fn accepts(&self, a: &Automaton, t: &Ground) -> bool {
        let states = self.states(a, t);
        a.finals.iter().any(|q| states.contains(&q.0))
    }
    fn states(&self, a: &Automaton, t: &Ground) -> BTreeSet<u32> {
        match t {
            Ground::Succ(n, base) => {
                let mut q = self.states(a, base);
                let Some(s) = self.successor else { return q };
                let mut seen: Vec<BTreeSet<u32>> = Vec::new();
                for k in 0..*n {
                    if let Some(i) = seen.iter().position(|p| *p == q) {
                        let again = (n - k) % (seen.len() - i) as u64;
                        return seen[i + again as usize].clone();
                    }
                    let next = fire(a, s, &[&q]);
                    seen.push(q);
                    q = next;
                }
                q
            }
            Ground::App(op, args) => {
                let args: Vec<BTreeSet<u32>> = args.iter().map(|t| self.states(a, t)).collect();
                match args.split_first() {
                    Some((first, rest)) if self.is_ac(*op) => {
                        rest.iter().fold(first.clone(), |left, right| fire(a, *op, &[&left, right]))
                    }
                    _ => fire(a, *op, &args.iter().collect::<Vec<_>>()),
                }
            }
        }
    }

    /// A term as text; naturals as numbers.
    pub fn show(&self, t: &Ground) -> String {
        if let Some(n) = self.value(t) {
            return n.to_string();
        }
        match t {
            Ground::Succ(n, base) => format!("{} + {n}", self.show(base)),
            Ground::App(op, args) => {
                let name = &self.system.op(*op).name;
                let args: Vec<String> = args.iter().map(|a| self.show(a)).collect();
                if args.is_empty() { name.clone() } else { format!("{name}({})", args.join(", ")) }
            }
        }
    }
}

/// States after an operator, from those of its arguments.
fn fire(a: &Automaton, op: OpId, args: &[&BTreeSet<u32>]) -> BTreeSet<u32> {
    let mut out = BTreeSet::new();
    for t in &a.transitions {
        if let Transition::Op(f, from, to) = t {
            if *f == op
                && from.len() == args.len()
                && from.iter().zip(args).all(|(q, set)| set.contains(&q.0))
            {
                out.insert(to.0);
            }
        }
    }
    loop {
        let before = out.len();
        for t in &a.transitions {
            if let Transition::Epsilon(p, q) = t {
                if out.contains(&p.0) {
                    out.insert(q.0);
                }
            }
        }
        if out.len() == before {
            return out;
        }
    }
}
