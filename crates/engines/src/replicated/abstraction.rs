//! What one edge does to abstract states: of the shared state, of the thread that moves, and of another one
//! (Donaldson, Kaiser, Kroening and Wahl, "Symmetry-aware predicate abstraction for shared-variable concurrent
//! programs", CAV 2011, section 4: passive threads' predicates are updated too).

use super::precision::Precision;
use crate::aret::bits::Bits;
use crate::aret::layout::{Bound, Layout, Query, Solver, bound, bounds, query};
use relyant_check::replicated::several;
use relyant_linear::{Atom, Cube, LinExpr, Norm, Var};
use relyant_program::{Edge, Program, Role, Scope};

/// What holds of a thread.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Held {
    /// Of the view's own predicates.
    pub own: Bits,
    /// Of those about each other thread.
    pub others: Bits,
}

/// Which of the threads of a step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Who {
    Actor,
    Second,
    Third,
}

impl Who {
    /// A local of this thread.
    fn var(self, v: Var) -> Var {
        match self {
            Who::Actor => v,
            Who::Second => Role::Second(v).var(),
            Who::Third => Role::Third(v).var(),
        }
    }
}

/// Conjunctions and questions about a step, with one to three threads.
struct StepFacts {
    layout: Layout,
    conditions: Vec<Bound>,
    shared: Vec<Bound>,
    actor: Vec<Bound>,
    second: Vec<Bound>,
    /// What the predicates about others say of these threads: whose (the actor's or the second's), which, what.
    others: Vec<(Who, usize, Bound)>,
    /// In which ways the threads differ: one of these holds. None: nothing is known.
    apart: Vec<Bound>,
    questions: Vec<Query>,
    /// The opposite of questions that are split.
    opposites: Vec<Option<Bound>>,
}

/// Successors of a step by cases, at most.
const CASES: usize = 32;

impl StepFacts {
    /// Takes what is known as a conjunction, in each way in which the threads may differ. Says for each question whether
    /// it holds in all of them; `None` if there is no way.
    fn ask(
        &self,
        shared: &Bits,
        actor: &Held,
        second: Option<&Held>,
        held: &dyn Fn(usize) -> Option<bool>,
        solver: &mut Solver,
    ) -> Option<Vec<bool>> {
        let mut all: Option<Vec<bool>> = None;
        let ways: Vec<Option<&Bound>> =
            if self.apart.is_empty() { vec![None] } else { self.apart.iter().map(Some).collect() };
        for way in ways {
            if !self.load(shared, actor, second, way, solver) {
                continue;
            }
            let answers = self.answers(held, solver);
            match &mut all {
                None => all = Some(answers),
                Some(a) => a.iter_mut().zip(answers).for_each(|(x, y)| *x &= y),
            }
        }
        all
    }
}

impl StepFacts {
    /// Closes what is known with some more facts; false if that is contradictory.
    fn load<'b>(
        &'b self,
        shared: &Bits,
        actor: &Held,
        second: Option<&Held>,
        more: impl IntoIterator<Item = &'b Bound>,
        solver: &mut Solver,
    ) -> bool {
        solver.reset(&self.layout);
        shared.iter().for_each(|k| solver.add(&self.shared[k]));
        actor.own.iter().for_each(|k| solver.add(&self.actor[k]));
        second.iter().flat_map(|s| s.own.iter()).for_each(|k| solver.add(&self.second[k]));
        for (who, k, b) in &self.others {
            let holder = if *who == Who::Actor { Some(actor) } else { second };
            if holder.is_some_and(|h| h.others.contains(*k)) {
                solver.add(b);
            }
        }
        self.conditions.iter().chain(more).for_each(|b| solver.add(b));
        solver.close(&self.layout)
    }

    fn answers(&self, held: &dyn Fn(usize) -> Option<bool>, solver: &mut Solver) -> Vec<bool> {
        let answer = |(k, q): (usize, &Query)| match (q, held(k)) {
            (Query::True, _) | (Query::Keeps(_), Some(true)) => true,
            (Query::False, _) | (Query::Keeps(_), Some(false)) => false,
            // What the step leaves alone and was not known may be known now, most often from a guard.
            (Query::Keeps(b), None) => solver.follows(b),
            (Query::Ask(b), _) => solver.implies(b, &self.layout),
        };
        self.questions.iter().enumerate().map(answer).collect()
    }

    /// What holds in each of the cases of the questions that are split.
    fn cases(
        &self,
        shared: &Bits,
        actor: &Held,
        held: &dyn Fn(usize) -> Option<bool>,
        solver: &mut Solver,
    ) -> Vec<Vec<bool>> {
        let (mut todo, mut out) = (vec![Vec::<&Bound>::new()], Vec::new());
        while let Some(case) = todo.pop() {
            if !self.load(shared, actor, None, case.iter().copied(), solver) {
                continue;
            }
            let answers = self.answers(held, solver);
            let open = |(k, o): (usize, &'_ Option<Bound>)| {
                let (Query::Ask(b), Some(o)) = (&self.questions[k], o) else { return None };
                (!answers[k] && !solver.implies(o, &self.layout)).then_some((k, b))
            };
            let room = out.len() + todo.len() < CASES;
            let open = if room { self.opposites.iter().enumerate().find_map(open) } else { None };
            match open {
                Some((k, b)) => {
                    for side in self.opposites[k].iter().chain([b]) {
                        let mut case = case.clone();
                        case.push(side);
                        todo.push(case);
                    }
                }
                None => out.push(answers),
            }
        }
        out
    }
}

/// An edge as questions about predicates, one set for each role of a thread.
struct Compiled {
    /// The thread alone: first the shared predicates, then its own.
    alone: StepFacts,
    /// With each other thread of a view that it has predicates about: which of `others`.
    with: Vec<(Vec<usize>, StepFacts)>,
    /// What it does to threads of each view.
    passive: Vec<Option<Passive>>,
}

/// What an edge does to another thread.
struct Passive {
    /// Questions: its own predicates; then of `about`, those about the thread that moved.
    two: StepFacts,
    about: Vec<usize>,
    /// Of `others`: about one more thread of a view.
    three: Vec<(Vec<usize>, StepFacts)>,
}

/// All edges of a program under a precision.
pub struct Abstraction<'a> {
    program: &'a Program,
    precision: &'a Precision,
    /// `edges[view][edge]`, under the precision that they were compiled for.
    edges: Vec<Vec<Compiled>>,
    solver: Solver,
}

/// What holds after the step of a thread.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct After {
    /// Of the shared state.
    pub shared: Bits,
    /// Of the thread that moved, at its new location.
    pub actor: Held,
}

struct Compiler<'a> {
    program: &'a Program,
    precision: &'a Precision,
}

impl Compiler<'_> {
    fn local(&self, v: Var, who: Who) -> Var {
        if self.program.is_global(v) { v } else { who.var(v) }
    }
    /// An own predicate, or one about another thread, for these threads.
    fn named(&self, a: &Atom, me: Who, you: Who) -> Atom {
        a.rename(|v| match Role::of(v).second() {
            Some(v) => you.var(v),
            None => self.local(v, me),
        })
    }
    /// A conjunct that stands at its index, or nothing in its place where its numbers are too large.
    fn fact(&self, a: &Atom, layout: &mut Layout) -> Bound {
        bound(a, layout).unwrap_or(Bound::Difference(0, 0, 0))
    }
    /// Identities of two threads of one template differ.
    fn apart(&self, (i, x): (usize, Who), (j, y): (usize, Who), layout: &mut Layout) -> Vec<Bound> {
        let identity = |k: usize| self.program.templates[self.precision.views[k].template as usize].identity;
        let (Some(a), Some(b)) = (identity(i), identity(j)) else { return Vec::new() };
        let difference = LinExpr::var(x.var(a)).sub(&LinExpr::var(y.var(b)));
        let sides = [Atom::lt(&difference), Atom::lt(&difference.negated())];
        let both: Vec<Bound> = sides
            .into_iter()
            .filter_map(|n| match n {
                Norm::Atom(a) => bound(&a, layout),
                _ => None,
            })
            .collect();
        if both.len() == 2 { both } else { Vec::new() }
    }
    /// What is known in a step with more threads in the given roles.
    fn step_facts(&self, i: usize, edge: &Edge, second: Option<usize>, third: Option<usize>) -> StepFacts {
        let mut layout = Layout::default();
        let p = self.precision;
        let shared = p.shared.iter().map(|a| self.fact(a, &mut layout)).collect();
        let actor = p.views[i].own.iter().map(|a| self.fact(a, &mut layout)).collect();
        let own = second.map_or(&[][..], |k| &p.views[k].own);
        let second_own =
            own.iter().map(|a| self.fact(&self.named(a, Who::Second, Who::Actor), &mut layout)).collect();
        let threads = [(Some(i), Who::Actor), (second, Who::Second), (third, Who::Third)];
        let mut others = Vec::new();
        for (me, who) in threads.into_iter().take(2) {
            let Some(me) = me else { continue };
            for (k, (about, a)) in p.views[me].others.iter().enumerate() {
                for (_, you) in threads.iter().filter(|t| t.0 == Some(*about as usize) && t.1 != who) {
                    others.push((who, k, self.fact(&self.named(a, who, *you), &mut layout)));
                }
            }
        }
        let mut conditions = bounds(&edge.guard, &mut layout);
        conditions.extend(bounds(&edge.bounds, &mut layout));
        // The second or, in its absence, the third thread; a third beside a second differs from both, which is left out.
        let apart = match (second, third) {
            (Some(k), None) => self.apart((i, Who::Actor), (k, Who::Second), &mut layout),
            (None, Some(k)) => self.apart((i, Who::Actor), (k, Who::Third), &mut layout),
            _ => Vec::new(),
        };
        StepFacts {
            layout,
            conditions,
            shared,
            actor,
            second: second_own,
            others,
            apart,
            questions: Vec::new(),
            opposites: Vec::new(),
        }
    }
    /// Is there one more thread of view `j` beside those of the views given?
    fn another(&self, j: usize, beside: &[usize]) -> bool {
        several(self.program, self.precision.views[j].template) || !beside.contains(&j)
    }
    fn about(&self, view: usize, j: usize) -> Vec<usize> {
        let others = &self.precision.views[view].others;
        (0..others.len()).filter(|k| others[*k].0 as usize == j).collect()
    }
    fn question(&self, a: &Atom, edge: &Edge, layout: &mut Layout) -> Query {
        query(a, layout, |v| edge.after(v).cloned())
    }

    fn edge(&self, i: usize, edge: &Edge) -> Compiled {
        let p = self.precision;
        let views = p.views.len();
        let mut alone = self.step_facts(i, edge, None, None);
        alone.questions = p
            .shared
            .iter()
            .chain(&p.views[i].own)
            .map(|a| self.question(a, edge, &mut alone.layout))
            .collect();
        let whose = p.shared.iter().enumerate().map(|(k, a)| (None, k, a));
        let whose = whose.chain(p.views[i].own.iter().enumerate().map(|(k, a)| (Some(i), k, a)));
        let opposite = |layout: &mut Layout, a: &Atom| match self.question(&opposite(a)?, edge, layout) {
            Query::Ask(b) => Some(b),
            _ => None,
        };
        alone.opposites = whose
            .map(|(view, k, a)| p.is_split(view, k).then(|| opposite(&mut alone.layout, a)).flatten())
            .collect();
        let mut with = Vec::new();
        for j in (0..views).filter(|j| self.another(*j, &[i])) {
            let which = self.about(i, j);
            if which.is_empty() {
                continue;
            }
            let mut m = self.step_facts(i, edge, None, Some(j));
            let atoms = which.iter().map(|k| self.named(&p.views[i].others[*k].1, Who::Actor, Who::Third));
            m.questions = atoms.map(|a| self.question(&a, edge, &mut m.layout)).collect();
            with.push((which, m));
        }
        let passive = (0..views).map(|k| self.passive(i, edge, k)).collect();
        Compiled { alone, with, passive }
    }

    /// Does the edge change anything that predicates of a view speak of?
    fn touches(&self, i: usize, edge: &Edge, view: usize) -> bool {
        let v = &self.precision.views[view];
        let global = |x: Var| self.program.is_global(x) && edge.after(x).is_some();
        let theirs = |x: Var| Role::of(x).second().is_some_and(|x| edge.after(x).is_some());
        v.own.iter().any(|a| a.vars().any(global))
            || v.others.iter().any(|(j, a)| a.vars().any(|x| global(x) || *j as usize == i && theirs(x)))
    }

    fn passive(&self, i: usize, edge: &Edge, k: usize) -> Option<Passive> {
        if !self.another(k, &[i]) || !self.touches(i, edge, k) {
            return None;
        }
        let v = &self.precision.views[k];
        let mut two = self.step_facts(i, edge, Some(k), None);
        let about = self.about(k, i);
        let own = v.own.iter().map(|a| self.named(a, Who::Second, Who::Actor));
        let atoms = own.chain(about.iter().map(|n| self.named(&v.others[*n].1, Who::Second, Who::Actor)));
        two.questions = atoms.map(|a| self.question(&a, edge, &mut two.layout)).collect();
        let mut three = Vec::new();
        for j in (0..self.precision.views.len()).filter(|j| self.another(*j, &[i, k])) {
            let which = self.about(k, j);
            // With one of its own template moved and still another one there must be three of them, which may be.
            if which.is_empty() {
                continue;
            }
            let mut m = self.step_facts(i, edge, Some(k), Some(j));
            let atoms = which.iter().map(|n| self.named(&v.others[*n].1, Who::Second, Who::Third));
            m.questions = atoms.map(|a| self.question(&a, edge, &mut m.layout)).collect();
            three.push((which, m));
        }
        Some(Passive { two, about, three })
    }
}

impl<'a> Abstraction<'a> {
    /// Compiles all edges for these predicates, which may not change afterwards.
    pub fn new(program: &'a Program, precision: &'a Precision) -> Abstraction<'a> {
        let c = Compiler { program, precision };
        let edges = precision.views.iter().enumerate().map(|(i, v)| {
            program.templates[v.template as usize].edges.iter().map(|e| c.edge(i, e)).collect()
        });
        Abstraction { program, precision, edges: edges.collect(), solver: Solver::default() }
    }

    /// What holds at the start: of the shared state, and of a thread of each view.
    pub fn start(&mut self, start: &Cube) -> (Bits, Vec<Held>) {
        let (program, precision) = (self.program, self.precision);
        let c = Compiler { program, precision };
        // Conditions on locals of a template of several threads hold of each, of others they are facts of the state.
        let of = |view: Option<usize>, v: Var| match program.variables[v.0 as usize].scope {
            Scope::Global => true,
            Scope::Local(t) => view.is_some_and(|k| precision.views[k].template == t) || !several(program, t),
        };
        let known = |view: Option<usize>, who: Who| -> Vec<Atom> {
            let spoken = start.atoms().iter().filter(|a| a.vars().all(|v| of(view, v)));
            let template = view.map(|k| precision.views[k].template);
            let name = |v: Var| match program.variables[v.0 as usize].scope {
                Scope::Local(t) if Some(t) == template => who.var(v),
                _ => v,
            };
            spoken.map(|a| a.rename(name)).collect()
        };
        let solver = &mut self.solver;
        let mut ask =
            |facts: Vec<Atom>, ways: &dyn Fn(&mut Layout) -> Vec<Bound>, questions: Vec<Atom>| -> Bits {
                let mut layout = Layout::default();
                let facts: Vec<Bound> = facts
                    .iter()
                    .flat_map(crate::aret::precision::halves)
                    .filter_map(|a| bound(&a, &mut layout))
                    .collect();
                let ways = ways(&mut layout);
                let questions: Vec<Option<Bound>> = questions.iter().map(|a| bound(a, &mut layout)).collect();
                let mut out: Vec<bool> = questions.iter().map(Option::is_some).collect();
                let ways: Vec<Option<&Bound>> =
                    if ways.is_empty() { vec![None] } else { ways.iter().map(Some).collect() };
                for way in ways {
                    solver.reset(&layout);
                    facts.iter().chain(way).for_each(|b| solver.add(b));
                    if solver.close(&layout) {
                        for (o, q) in out.iter_mut().zip(&questions) {
                            *o &= q.as_ref().is_some_and(|b| solver.implies(b, &layout));
                        }
                    }
                }
                set(&out)
            };
        let none = |_: &mut Layout| Vec::new();
        let shared = ask(known(None, Who::Actor), &none, precision.shared.clone());
        let mut threads = Vec::new();
        for (i, v) in precision.views.iter().enumerate() {
            let own = ask(known(Some(i), Who::Actor), &none, v.own.clone());
            let mut others = Bits::new(v.others.len());
            for j in 0..precision.views.len() {
                let which = c.about(i, j);
                if which.is_empty() {
                    continue;
                }
                let mut facts = known(Some(i), Who::Actor);
                facts.extend(known(Some(j), Who::Third));
                let questions =
                    which.iter().map(|k| c.named(&v.others[*k].1, Who::Actor, Who::Third)).collect();
                let ways = |layout: &mut Layout| c.apart((i, Who::Actor), (j, Who::Third), layout);
                let holds = ask(facts, &ways, questions);
                which
                    .iter()
                    .enumerate()
                    .filter(|(n, _)| holds.contains(*n))
                    .for_each(|(_, k)| others.insert(*k));
            }
            threads.push(Held { own, others });
        }
        (shared, threads)
    }

    /// What holds after a thread of view `i` takes edge `e`, by cases; none if it cannot.
    pub fn active(&mut self, i: usize, e: usize, shared: &Bits, actor: &Held) -> Vec<After> {
        let c = &self.edges[i][e];
        let n = self.precision.shared.len();
        // What is untouched and held still holds; else it may be known now.
        let before = |k: usize| {
            let held = if k < n { shared.contains(k) } else { actor.own.contains(k - n) };
            held.then_some(true)
        };
        let cases = c.alone.cases(shared, actor, &before, &mut self.solver);
        if cases.is_empty() {
            return Vec::new();
        }
        let mut others = Bits::new(self.precision.views[i].others.len());
        for (which, m) in &c.with {
            let before = |k: usize| actor.others.contains(which[k]).then_some(true);
            // No such thread can be there: all holds of each.
            let holds = m.ask(shared, actor, None, &before, &mut self.solver);
            for (n, k) in which.iter().enumerate() {
                if holds.as_ref().is_none_or(|h| h[n]) {
                    others.insert(*k);
                }
            }
        }
        let after = |answers: &Vec<bool>| {
            let (global, own) = answers.split_at(n);
            After { shared: set(global), actor: Held { own: set(own), others: others.clone() } }
        };
        cases.iter().map(after).collect()
    }

    /// May the edge change what is known of another thread of view `k`?
    pub fn notices(&self, i: usize, e: usize, k: usize) -> bool {
        self.edges[i][e].passive[k].is_some()
    }

    /// What holds of another thread of view `k` after a thread of view `i` took edge `e`; `None` if no such thread can
    /// be there.
    pub fn passive(
        &mut self,
        (i, e): (usize, usize),
        shared: &Bits,
        actor: &Held,
        k: usize,
        other: &Held,
    ) -> Option<Held> {
        let Some(p) = &self.edges[i][e].passive[k] else { return Some(other.clone()) };
        let n = self.precision.views[k].own.len();
        // Untouched predicates keep their value: learning more would only make more states.
        let before = |q: usize| {
            Some(if q < n { other.own.contains(q) } else { other.others.contains(p.about[q - n]) })
        };
        let answers = p.two.ask(shared, actor, Some(other), &before, &mut self.solver)?;
        let (own, about) = answers.split_at(n);
        // About others: of the one that moved, and of one more where there may be one.
        let mut others: Vec<bool> = vec![true; self.precision.views[k].others.len()];
        p.about.iter().zip(about).for_each(|(q, yes)| others[*q] &= yes);
        for (which, m) in &p.three {
            let before = |q: usize| Some(other.others.contains(which[q]));
            let holds = m.ask(shared, actor, Some(other), &before, &mut self.solver);
            for (n, q) in which.iter().enumerate() {
                others[*q] &= holds.as_ref().is_none_or(|h| h[n]);
            }
        }
        Some(Held { own: set(own), others: set(&others) })
    }
}

/// The opposite of an inequality.
pub fn opposite(a: &Atom) -> Option<Atom> {
    match &a.negate()[..] {
        [Norm::Atom(a)] => Some(a.clone()),
        _ => None,
    }
}

fn set(yes: &[bool]) -> Bits {
    let mut out = Bits::new(yes.len());
    yes.iter().enumerate().filter(|(_, b)| **b).for_each(|(k, _)| out.insert(k));
    out
}
