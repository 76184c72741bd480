//! What each obligation says: premises, and not the conclusion.

use super::terms::{Application, Terms, le};
use super::{Claimed, Instance, What};
use crate::formula::{Formula, Linear, Symbol, Values, before, cube, place};
use num_bigint::BigInt;
use relyant_linear::{Equalities, LinExpr, Rel, Var};
use relyant_program::ghosts::extension::{Claim, Fact, Start, StepCase, Term, Value};
use relyant_program::{Edge, Input, Loc, Scope};
use std::collections::BTreeSet;

/// A state: of variables, of where single threads are, of how many threads there are at a location.
struct State<'f> {
    variable: Values<'f>,
    place: &'f dyn Fn(u32) -> Linear,
    threads: &'f dyn Fn(u32, Loc) -> Linear,
}

/// An obligation that is being written.
#[derive(Default)]
struct Writer {
    terms: Terms,
    asked: Vec<Asked>,
}

/// Where a result of code was asked for.
#[derive(Clone, PartialEq, Eq)]
struct Asked {
    code: usize,
    at: Loc,
    /// What stands for variables of the code; others stand for themselves.
    with: Vec<(Var, Linear)>,
}

fn compare(rel: Rel, e: Linear) -> Formula {
    match rel {
        Rel::Le => Formula::le(e),
        Rel::Eq => Formula::eq(e),
    }
}

/// The value of an expression that was found to have integers only.
fn value(e: &LinExpr, var: Values) -> Linear {
    // There is always one: `structure` looked at the extension, `validate` at the program.
    Linear::value(e, var).unwrap_or_else(|| Linear::symbol(Symbol::Term(u32::MAX)))
}

impl Claimed<'_> {
    pub(super) fn formula(&self, what: &What) -> Formula {
        let mut w = Writer::default();
        let core = match what {
            What::Start(f) => self.start(&mut w, &self.facts[*f]),
            What::Step(t, k, goal) => self.step_formula(&mut w, *t, *k, goal),
            What::Foretold(p, k) => self.foretold(&mut w, *p, *k),
            What::Determined(c, e, f) => self.determined(*c, *e, *f),
        };
        let laws = w.terms.laws();
        // What code ends with is a function of all values, those included that no variable has.
        let bounded = !matches!(what, What::Determined(..));
        self.typed(Formula::and(std::iter::once(core).chain(laws)), bounded)
    }
    /// A fact in a state.
    fn fact(&self, w: &mut Writer, f: &Fact, s: &State<'_>) -> Formula {
        let at = f.at.iter().map(|(t, ls)| place(&(s.place)(*t), ls));
        let premise = Formula::and(at.chain([cube(&f.given, s.variable)]));
        if premise == Formula::Const(false) {
            return Formula::Const(true);
        }
        let claim = match &f.claim {
            Claim::Sum { rel, sum, threads } => {
                let mut e = value(sum, s.variable);
                for (k, t, ls) in threads {
                    for l in ls {
                        e = e.plus(&BigInt::from(*k), &(s.threads)(*t, *l));
                    }
                }
                compare(*rel, e)
            }
            Claim::Is { ghost, term } => {
                let term = self.term(w, term, s.variable);
                Formula::eq((s.variable)(*ghost).minus(&term))
            }
            Claim::At(t, ls) => place(&(s.place)(*t), ls),
            Claim::Same(a, b) => {
                let (a, b) = (self.value(w, a, s.variable), self.value(w, b, s.variable));
                Formula::eq(a.minus(&b))
            }
        };
        Formula::or([premise.not(), claim])
    }
    fn term(&self, w: &mut Writer, t: &Term, var: Values) -> Linear {
        match t {
            Term::Divides { by, of } => w.terms.value(Application::Divides(Symbol::Var(*by), value(of, var))),
            Term::Product(a, b) => w.terms.product(&value(a, var), &value(b, var)),
        }
    }
    /// The value of a ghost at the start, where it follows from those of the program's variables.
    fn start_value(&self, w: &mut Writer, v: Var) -> Option<Linear> {
        let k = v.0.checked_sub(self.own)?;
        match &self.extension.ghosts.get(k as usize)?.start {
            Start::Value(e) | Start::Free(e) => {
                // Ghosts in it come before this one.
                let of: Vec<(Var, Linear)> =
                    e.vars().filter_map(|x| Some((x, self.start_value(w, x).filter(|_| x < v)?))).collect();
                let known = |x: Var| of.iter().find(|y| y.0 == x).map_or_else(|| before(x), |y| y.1.clone());
                Some(value(e, &known))
            }
            Start::Chosen(t) => Some(self.term(w, t, &before)),
            Start::Foretold | Start::Identity => None,
        }
    }
    fn value(&self, w: &mut Writer, v: &Value, var: Values) -> Linear {
        let (code, result, at, with) = match v {
            Value::Of(e) => return value(e, var),
            Value::Result { code, result, at, with } => (*code, *result, *at, with),
        };
        let with: Vec<(Var, Linear)> = with.iter().map(|(v, e)| (*v, value(e, var))).collect();
        let stands = |v: Var| with.iter().find(|x| x.0 == v).map_or_else(|| var(v), |x| x.1.clone());
        let all = self.extension.code[code].arguments[at.0 as usize].iter();
        let arguments = all.map(|v| stands(*v)).collect();
        let out = w.terms.value(Application::Result { of: (code, result), at, arguments });
        let asked = Asked { code, at, with };
        if !w.asked.contains(&asked) {
            w.asked.push(asked);
        }
        out
    }
    fn read(&self, v: Var) -> Linear {
        match (v.0 as usize).checked_sub(self.program.variables.len()) {
            Some(k) => Linear::symbol(Symbol::Input(k as u32)),
            None => before(v),
        }
    }
    fn start(&self, w: &mut Writer, f: &Fact) -> Formula {
        let known = |v: Var| match self.program.variables[v.0 as usize].scope {
            Scope::Global => true,
            Scope::Local(t) => {
                f.each == Some(t) || self.shape().copies(t) == Some(crate::validate::Copies::One)
            }
        };
        let init = &self.program.init;
        let mut premise = vec![Formula::Const(!init.is_bottom())];
        premise
            .extend(init.atoms().iter().filter(|a| a.vars().all(known)).map(|a| Formula::atom(a, &before)));
        let mut values: Vec<(Var, Linear)> = Vec::new();
        for v in self.depends(f) {
            values.extend(self.start_value(w, v).map(|e| (v, e)));
        }
        let variable = |v: Var| values.iter().find(|x| x.0 == v).map_or_else(|| before(v), |x| x.1.clone());
        let entry = |t: u32| self.program.templates[t as usize].entry;
        let place = |t: u32| Linear::number(entry(t).0);
        let threads = |t: u32, l: Loc| {
            if entry(t) == l { Linear::symbol(Symbol::Threads(t, l)) } else { Linear::default() }
        };
        let goal = self.fact(w, f, &State { variable: &variable, place: &place, threads: &threads });
        let equal = init.atoms().iter().filter(|a| a.rel() == Rel::Eq && a.vars().all(known));
        let equal = Equalities::of(equal.map(|a| a.expr().clone()));
        let factors = w.terms.factors();
        let factors =
            factors.iter().filter_map(|x| if let Symbol::Var(v) = x { Some(LinExpr::var(*v)) } else { None });
        // Which of them have one value, and which the same.
        let factors: Vec<LinExpr> = factors.collect();
        for (k, x) in factors.iter().enumerate() {
            for y in factors[..k].iter().chain([&LinExpr::zero()]) {
                let rest = equal.reduce(x.sub(y));
                if rest.is_constant() {
                    w.terms.may_vanish(Linear::value(&x.sub(y).sub(&rest), &before).unwrap_or_default());
                }
            }
        }
        premise.push(goal.not());
        Formula::and(premise)
    }
    /// Guard and bounds of an edge, and what its remainders are where they are of what a ghost foretells.
    fn enabled(&self, w: &mut Writer, t: u32, k: usize) -> Formula {
        let e = &self.program.templates[t as usize].edges[k];
        let read = |v| self.read(v);
        let mut out = vec![cube(&e.guard, &read), cube(&e.bounds, &read)];
        for (i, input) in (0u32..).zip(&e.inputs) {
            let Input::Remainder { number, divisor } = input else { continue };
            let (rest, d) = (Linear::symbol(Symbol::Input(i)), before(*divisor));
            let (zero, one) = (Linear::default(), Linear::number(1));
            out.extend([le(&zero, &rest), le(&rest, &d.minus(&one)), le(&one, &d)]);
            let told = |p: &&relyant_program::ghosts::extension::Prophecy| {
                p.template == t && p.of == *divisor && p.edges.contains(&k)
            };
            for p in self.extension.prophecies.iter().filter(told) {
                let divides = w.terms.value(Application::Divides(Symbol::Var(p.ghost), before(*number)));
                let (none, divides) = (Formula::eq(rest.clone()), Formula::eq(divides.minus(&one)));
                out.push(Formula::or([none.clone().not(), divides.clone()]));
                out.push(Formula::or([none, divides.not()]));
            }
        }
        Formula::and(out)
    }
    /// What is foretold at an edge.
    fn equal(&self, t: u32, k: usize) -> Formula {
        let here = self.extension.prophecies.iter().filter(|p| p.template == t && p.edges.contains(&k));
        Formula::and(here.map(|p| Formula::eq(before(p.ghost).minus(&before(p.of)))))
    }
    fn step_formula(&self, w: &mut Writer, t: u32, k: usize, goal: &[Instance]) -> Formula {
        let e = &self.program.templates[t as usize].edges[k];
        let same = [StepCase::same()];
        let cases = self.extension.cases.get(&(t, k)).map_or(&same[..], |c| &c[..]);
        let place =
            |to: Loc| move |u: u32| if u == t { Linear::number(to.0) } else { Linear::symbol(Symbol::At(u)) };
        let (from, to) = (place(e.from), place(e.to));
        let threads = |u: u32, l: Loc| Linear::symbol(Symbol::Threads(u, l));
        let threads_after = |u: u32, l: Loc| {
            let moved = i64::from(u == t && l == e.to) - i64::from(u == t && l == e.from);
            threads(u, l).plus(&BigInt::from(1), &Linear::number(moved))
        };
        let mut parts =
            vec![self.enabled(w, t, k), self.equal(t, k), le(&Linear::number(1), &threads(t, e.from))];
        let mut conclusions = Vec::new();
        for c in cases {
            let own = self.program.variables.len() + e.inputs.len();
            let inputs: Vec<Linear> = c.inputs.iter().map(|i| self.term(w, i, &|v| self.read(v))).collect();
            let read = |v: Var| {
                let mine = (v.0 as usize).checked_sub(own).and_then(|k| inputs.get(k));
                mine.cloned().unwrap_or_else(|| self.read(v))
            };
            let written = |v: Var| {
                let new = e.updates.iter().chain(&c.updates).find(|u| u.0 == v);
                new.map_or_else(|| before(v), |u| value(&u.1, &read))
            };
            for a in e.guard.atoms().iter().chain(c.guard.atoms()) {
                w.terms.may_vanish(value(a.expr(), &read));
            }
            let mut all = vec![cube(&c.guard, &read)];
            for i in goal {
                let after = |v: Var| self.of(i, t, v).unwrap_or_else(|| written(v));
                let state = State { variable: &after, place: &to, threads: &threads_after };
                all.push(self.fact(w, &self.facts[i.fact], &state));
            }
            conclusions.push(Formula::and(all));
        }
        for i in self.relevant(t, k, goal) {
            let now = |v: Var| self.of(&i, t, v).unwrap_or_else(|| before(v));
            let state = State { variable: &now, place: &from, threads: &threads };
            parts.push(self.fact(w, &self.facts[i.fact], &state));
        }
        for (v, new) in &e.updates {
            let (x, new) = (&self.program.variables[v.0 as usize], value(new, &|v| self.read(v)));
            parts.extend(x.min.map(|min| le(&Linear::number(min), &new)));
            parts.extend(x.max.map(|max| le(&new, &Linear::number(max))));
        }
        parts.extend(self.code_steps(w, e));
        parts.push(Formula::or(conclusions).not());
        Formula::and(parts)
    }
    /// A local of the other thread that an instance of a fact is about, when one of the template moves.
    fn of(&self, i: &Instance, t: u32, v: Var) -> Option<Linear> {
        let each = self.facts[i.fact].each.filter(|u| i.other && *u == t)?;
        let local = self.program.variables.get(v.0 as usize)?.scope == Scope::Local(each);
        local.then(|| Linear::symbol(Symbol::Second(v)))
    }
    /// Facts that may matter to a step: those that share variables with it, or with one that does.
    fn relevant(&self, t: u32, k: usize, goal: &[Instance]) -> Vec<Instance> {
        let e = &self.program.templates[t as usize].edges[k];
        let mut seen: BTreeSet<Var> = e.reads().into_iter().chain(e.updates.iter().map(|u| u.0)).collect();
        for c in self.extension.cases.get(&(t, k)).into_iter().flatten() {
            seen.extend(c.guard.vars());
            seen.extend(c.updates.iter().flat_map(|(v, e)| e.vars().chain([*v]).collect::<Vec<_>>()));
        }
        seen.extend(goal.iter().flat_map(|i| &self.about[i.fact]));
        let divisors: BTreeSet<Var> = self.extension.prophecies.iter().map(|p| p.ghost).collect();
        seen.retain(|v| !divisors.contains(v));
        let shares = |f: usize, seen: &BTreeSet<Var>| {
            self.about[f].is_empty() || self.about[f].iter().any(|v| seen.contains(v))
        };
        let near: BTreeSet<Var> = (0..self.facts.len())
            .filter(|f| shares(*f, &seen) && !matches!(self.facts[*f].claim, Claim::Is { .. }))
            .flat_map(|f| self.about[f].iter().copied())
            .collect();
        seen.extend(near);
        self.instances(t).into_iter().filter(|i| shares(i.fact, &seen)).collect()
    }
    /// The steps of the code from where its results were asked for, if that is where an edge starts.
    fn code_steps(&self, w: &mut Writer, e: &Edge) -> Vec<Formula> {
        let mut out = Vec::new();
        for Asked { code, at, with } in w.asked.clone() {
            if at != e.from {
                continue;
            }
            let c = &self.extension.code[code];
            let stands =
                |v: Var| with.iter().find(|x| x.0 == v).map_or_else(|| self.read(v), |x| x.1.clone());
            for step in self.program.templates[c.template as usize].edges.iter().filter(|s| s.from == at) {
                let enabled = Formula::and([cube(&step.guard, &stands), cube(&step.bounds, &stands)]);
                let after = |v: Var| step.after(v).map_or_else(|| stands(v), |e| value(e, &stands));
                let ends = step.after(c.ends).is_some();
                for (r, result) in c.results.iter().enumerate() {
                    let mut result_at = |l: Loc, of: Values| {
                        let arguments = c.arguments[l.0 as usize].iter().map(|v| of(*v)).collect();
                        w.terms.value(Application::Result { of: (code, r), at: l, arguments })
                    };
                    let now = result_at(at, &stands);
                    let then = if ends { after(*result) } else { result_at(step.to, &after) };
                    out.push(Formula::or([enabled.clone().not(), Formula::eq(now.minus(&then))]));
                }
            }
        }
        out
    }
    /// The ghost is in its bounds if it has the value that it foretells.
    fn foretold(&self, w: &mut Writer, p: usize, k: usize) -> Formula {
        let p = &self.extension.prophecies[p];
        let least = self.program.variables[p.ghost.0 as usize].min.unwrap_or(1);
        let small = le(&Linear::number(least), &before(p.of)).not();
        Formula::and([self.enabled(w, p.template, k), small])
    }
    /// Two steps of code from the same values of its arguments, all else apart: one of them is impossible, or both are one edge
    /// and lead to the same.
    fn determined(&self, c: usize, e: usize, f: usize) -> Formula {
        let code = &self.extension.code[c];
        let edges = &self.program.templates[code.template as usize].edges;
        let (a, b) = (&edges[e], &edges[f]);
        let arguments = &code.arguments[a.from.0 as usize];
        let shift = a.inputs.len();
        let second = |v: Var| match (v.0 as usize).checked_sub(self.program.variables.len()) {
            Some(k) => Linear::symbol(Symbol::Input((k + shift) as u32)),
            None if arguments.contains(&v) => before(v),
            None => Linear::symbol(Symbol::Second(v)),
        };
        let first = |v: Var| self.read(v);
        let enabled = |e: &Edge, read: Values| Formula::and([cube(&e.guard, read), cube(&e.bounds, read)]);
        let both = [enabled(a, &first), enabled(b, &second)];
        if e != f {
            return Formula::and(both);
        }
        let ends = a.after(code.ends).is_some();
        let outcome = if ends { &code.results } else { &code.arguments[a.to.0 as usize] };
        let after = |v: Var, read: Values| a.after(v).map_or_else(|| read(v), |e| value(e, read));
        let same = outcome.iter().map(|v| Formula::eq(after(*v, &first).minus(&after(*v, &second))));
        Formula::and(both.into_iter().chain([Formula::and(same).not()]))
    }
    /// Adds what is true of symbols by their type: locations exist, numbers of threads are not negative, identities differ, the
    /// program's variables are within their bounds, and what is foretold is.
    fn typed(&self, core: Formula, all: bool) -> Formula {
        let mut symbols = BTreeSet::new();
        core.symbols(&mut symbols);
        let (mut facts, mut identities) = (vec![core], Vec::<Linear>::new());
        for s in symbols {
            let x = Linear::symbol(s);
            let (low, high) = match s {
                Symbol::At(t) => {
                    (Some(0), Some(self.program.templates[t as usize].locations.len() as i128 - 1))
                }
                Symbol::Threads(..) => (Some(0), None),
                Symbol::Var(v) | Symbol::Second(v) => {
                    let variable = &self.program.variables[v.0 as usize];
                    if variable.identity {
                        facts.extend(identities.iter().map(|y| Formula::eq(x.minus(y)).not()));
                        identities.push(x.clone());
                    }
                    let bounded = all && v.0 < self.own || variable.identity || self.shape().is_foretold(v);
                    if bounded { (variable.min, variable.max) } else { (None, None) }
                }
                _ => (None, None),
            };
            facts.extend(low.map(|n| le(&Linear::number(n), &x)));
            facts.extend(high.map(|n| le(&x, &Linear::number(n))));
        }
        Formula::and(facts)
    }
}
