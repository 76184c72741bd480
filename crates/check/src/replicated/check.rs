//! The checker: whether the system over-approximates the program is decided by Z3, whether it covers no error by the
//! checker of uncoverability proofs. Nothing of the engines is used. Fails closed.

use super::{Proof, Reached, Step, several};
use crate::decide::{CheckError, Conditions, Limits, decide};
use crate::flaw::SystemFlaw as Flaw;
use crate::formula::{Formula, Linear, Symbol};
use crate::ghosts::Claims;
use crate::obligations::Malformed;
use crate::validate;
use relyant_finite::evidence;
use relyant_linear::{Atom, Cube, Var};
use relyant_program::{Count, Edge, Loc, Program, Role, Scope, Template};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::AtomicBool;
use std::time::Instant;

/// A proof was accepted.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Report {
    /// How many obligations the solver was asked about.
    pub obligations: usize,
    /// Minimal elements and linear invariants of the uncoverability proof.
    pub elements: usize,
    /// Their predecessors, all in the set.
    pub predecessors: u64,
    /// Wall-clock time, in seconds.
    pub seconds: f64,
}

/// A proof was rejected.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Rejection {
    /// The system is not one of the program.
    #[error(transparent)]
    System(#[from] CheckError),
    /// The system covers an error, as far as the proof says.
    #[error("uncoverability: {0}")]
    Covers(#[from] evidence::Rejection),
}

/// Whose locals an atom speaks of.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Who {
    Actor,
    Second,
    Third,
}

impl Who {
    fn symbol(self, v: Var) -> Symbol {
        match self {
            Who::Actor => Symbol::Var(v),
            Who::Second => Symbol::Second(v),
            Who::Third => Symbol::Third(v),
        }
    }
}

/// A condition on the system. States by number.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Condition {
    /// The first shared state, and a view's first local state, hold at the start.
    Start(u32),
    /// What a view's first local state says of threads of another one holds at the start.
    StartOther(u32, u32),
    /// An edge is disabled in a shared and a local state.
    Never(u32, u32, u32),
    /// What holds of the shared state and the thread after an edge: one of the steps.
    Active(Vec<usize>),
    /// What then holds of the thread and each one of a view.
    ActiveOther(usize, u32),
    /// Where another thread goes, by its local state: it cannot be there, or what holds then of it and of it and the
    /// thread that moved.
    Passive(usize, u32),
    /// What then holds of it and each one more of a view.
    PassiveOther(usize, u32, u32),
}

/// View and edge of who moves, which kind of condition, and the views of others.
type Like = (u32, u32, u8, u32, u32);

struct Checker<'a> {
    program: &'a Program,
    proof: &'a Proof,
}

/// Checks a proof: accepted only if Z3 finds every condition unsatisfiable, and the uncoverability proof is one.
pub fn check(
    program: &Program,
    proof: &Proof,
    limits: &Limits,
    cancel: &AtomicBool,
) -> Result<Report, Rejection> {
    let start = Instant::now();
    validate::program(program).map_err(|e| CheckError::Malformed(Malformed::Program(e)))?;
    let c = Checker { program, proof };
    c.validate().map_err(|e| CheckError::Malformed(Malformed::System(e)))?;
    let ghosts = Claims::new(program).map_err(CheckError::Malformed)?.decide(start, limits)?;
    let reached = proof.reached(program);
    let (system, target) = proof.system(program, &reached);
    let covered = evidence::check(&system, &target, &proof.certificate, cancel)?;
    let list = c.list(&reached);
    let obligations = ghosts + list.len();
    decide(&c, &batches(list), start, limits)?;
    Ok(Report {
        obligations,
        elements: covered.elements,
        predecessors: covered.predecessors,
        seconds: start.elapsed().as_secs_f64(),
    })
}

/// Conditions that are decided as one.
const BATCH: usize = 250;

/// Puts conditions about the same edge and the same kind of other thread together: what the solver learns for one holds
/// for the others.
fn batches(list: Vec<(Like, Condition)>) -> Vec<Vec<Condition>> {
    let mut by: BTreeMap<Like, Vec<Condition>> = BTreeMap::new();
    for (like, c) in list {
        by.entry(like).or_default().push(c);
    }
    by.into_values()
        .flat_map(|all| all.chunks(BATCH).map(<[Condition]>::to_vec).collect::<Vec<_>>())
        .collect()
}

fn require(ok: bool, flaw: Flaw) -> Result<(), Flaw> {
    if ok { Ok(()) } else { Err(flaw) }
}

fn sorted(list: &[u32], below: usize) -> bool {
    list.windows(2).all(|w| w[0] < w[1]) && list.last().is_none_or(|x| (*x as usize) < below)
}

impl<'a> Checker<'a> {
    fn template(&self, view: u32) -> &'a Template {
        &self.program.templates[self.proof.views[view as usize].template as usize]
    }
    fn view(&self, local: u32) -> u32 {
        self.proof.local_states[local as usize].view
    }
    fn loc(&self, local: u32) -> Loc {
        self.proof.local_states[local as usize].loc
    }
    fn edge(&self, s: &Step) -> &'a Edge {
        &self.template(self.view(s.actor)).edges[s.edge as usize]
    }
    fn scope(&self, v: Var) -> Option<Scope> {
        self.program.variables.get(v.0 as usize).map(|x| x.scope)
    }

    /// Are all numbers in range, and do states and steps fit the program?
    fn validate(&self) -> Result<(), Flaw> {
        let p = self.proof;
        let global = |v: Var| self.scope(v) == Some(Scope::Global);
        require(p.shared.iter().all(|a| a.vars().all(global)), Flaw::Shared)?;
        let mut seen = BTreeSet::new();
        for v in &p.views {
            require((v.template as usize) < self.program.templates.len(), Flaw::ViewThread)?;
            require(seen.insert(v.template), Flaw::TwoViews)?;
            let own = |x: Var| global(x) || self.scope(x) == Some(Scope::Local(v.template));
            require(v.own.iter().all(|a| a.vars().all(own)), Flaw::Predicate)?;
            for (about, a) in &v.others {
                let other = p.views.get(*about as usize).ok_or(Flaw::NoOther)?.template;
                let known = |x: Var| match Role::of(x) {
                    Role::Before(x) => own(x),
                    Role::Second(x) => self.scope(x) == Some(Scope::Local(other)),
                    Role::After(_) | Role::Third(_) => false,
                };
                require(a.vars().all(known), Flaw::Predicate)?;
            }
        }
        for (i, t) in self.program.templates.iter().enumerate() {
            let moves = !t.edges.is_empty() || t.locations[t.entry].error.is_some();
            let labelled = self
                .program
                .exclusive
                .as_ref()
                .is_some_and(|x| t.locations.iter().any(|l| l.labels.contains(x)));
            let needed = t.count != Count::AtMost(0) && (moves || labelled);
            require(!needed || seen.contains(&(i as u32)), Flaw::NoView)?;
        }
        require(!p.shared_states.is_empty(), Flaw::NoSharedState)?;
        require(p.shared_states.iter().all(|s| sorted(s, p.shared.len())), Flaw::SharedState)?;
        require(p.local_states.len() >= p.views.len(), Flaw::NoFirst)?;
        for (k, l) in p.local_states.iter().enumerate() {
            let view = p.views.get(l.view as usize).ok_or(Flaw::LocalView)?;
            let template = &self.program.templates[view.template as usize];
            require((l.loc.0 as usize) < template.locations.len(), Flaw::LocalPlace)?;
            let held = sorted(&l.own, view.own.len()) && sorted(&l.others, view.others.len());
            require(held, Flaw::LocalState)?;
            let first = k >= p.views.len() || (l.view as usize == k && l.loc == template.entry);
            require(first, Flaw::First)?;
        }
        let locals = p.local_states.len();
        for s in &p.steps {
            let shared = |x: u32| (x as usize) < p.shared_states.len();
            let known =
                shared(s.from) && shared(s.to) && (s.actor as usize) < locals && (s.after as usize) < locals;
            require(known, Flaw::StepEnds)?;
            let template = self.template(self.view(s.actor));
            let e = template.edges.get(s.edge as usize).ok_or(Flaw::StepEdge)?;
            let fits = e.from == self.loc(s.actor)
                && e.to == self.loc(s.after)
                && self.view(s.after) == self.view(s.actor);
            require(fits, Flaw::StepPlace)?;
            require(s.moved.windows(2).all(|w| w[0].0 < w[1].0), Flaw::MovesOrder)?;
            for (from, to) in &s.moved {
                let to = to.unwrap_or(*from);
                require((*from as usize) < locals && (to as usize) < locals, Flaw::Move)?;
                let stays = self.view(*from) == self.view(to) && self.loc(*from) == self.loc(to);
                require(stays, Flaw::MovePlace)?;
            }
        }
        Ok(())
    }

    /// All conditions, those that are met by their form alone left out.
    fn list(&self, reached: &Reached) -> Vec<(Like, Condition)> {
        let p = self.proof;
        let views = p.views.len() as u32;
        let mut list = Vec::new();
        for k in 0..views {
            list.push(((k, 0, 0, 0, 0), Condition::Start(k)));
            let others = (0..views).filter(|j| self.says(k, *j));
            list.extend(others.map(|j| ((k, 0, 1, j, 0), Condition::StartOther(k, j))));
        }
        let mut steps: BTreeMap<(u32, u32, u32), Vec<usize>> = BTreeMap::new();
        for (n, s) in p.steps.iter().enumerate() {
            steps.entry((s.from, s.actor, s.edge)).or_default().push(n);
        }
        // What other threads do depends on what holds of them, not on where they are.
        let mut seen = BTreeSet::new();
        for (from, here) in reached {
            for actor in here.iter().copied().filter(|l| !p.fails(self.program, *l)) {
                let i = self.view(actor);
                let edges = (0u32..).zip(&self.template(i).edges);
                for (e, _) in edges.filter(|(_, e)| e.from == self.loc(actor)) {
                    let Some(cases) = steps.get(&(*from, actor, e)) else {
                        list.push(((i, e, 2, 0, 0), Condition::Never(*from, actor, e)));
                        continue;
                    };
                    list.push(((i, e, 2, 0, 0), Condition::Active(cases.clone())));
                    for n in cases.iter().copied() {
                        list.extend(
                            self.beside(i, &[i]).map(|j| ((i, e, 3, j, 0), Condition::ActiveOther(n, j))),
                        );
                        for other in here.iter().copied().filter(|l| p.meets(self.program, actor, *l)) {
                            let k = self.view(other);
                            if !self.touches(&p.steps[n], other) {
                                continue;
                            }
                            let held = |l: u32| {
                                let l = &p.local_states[l as usize];
                                (&l.own, &l.others)
                            };
                            let to = p.steps[n].goes(other);
                            if seen.insert((n, k, held(other), to.map(held))) {
                                list.push(((i, e, 4, k, 0), Condition::Passive(n, other)));
                                let given = [i, k];
                                let third = self.beside(k, &given).filter(|_| to.is_some());
                                list.extend(
                                    third.map(|j| ((i, e, 5, k, j), Condition::PassiveOther(n, other, j))),
                                );
                            }
                        }
                    }
                }
            }
        }
        list
    }

    /// Views of which another thread may be beside those of the views given, and about which a view has predicates.
    fn beside<'b>(&'b self, view: u32, given: &'b [u32]) -> impl Iterator<Item = u32> + 'b {
        let others =
            move |j: u32| several(self.program, self.proof.views[j as usize].template) || !given.contains(&j);
        (0..self.proof.views.len() as u32).filter(move |j| others(*j) && self.says(view, *j))
    }
    fn says(&self, view: u32, about: u32) -> bool {
        self.proof.views[view as usize].others.iter().any(|o| o.0 == about)
    }

    /// Might a step change what holds of another thread, or does the system say that it does?
    fn touches(&self, s: &Step, other: u32) -> bool {
        if s.goes(other) != Some(other) {
            return true;
        }
        let e = self.edge(s);
        let (i, k) = (self.view(s.actor), self.view(other));
        let l = &self.proof.local_states[other as usize];
        let view = &self.proof.views[k as usize];
        let global = |v: Var| self.program.is_global(v) && e.after(v).is_some();
        let theirs = |v: Var| Role::of(v).second().is_some_and(|v| e.after(v).is_some());
        l.own.iter().any(|n| view.own[*n as usize].vars().any(global))
            || l.others.iter().any(|n| {
                let (about, a) = &view.others[*n as usize];
                a.vars().any(|v| global(v) || *about == i && theirs(v))
            })
    }

    fn symbol_of(&self, v: Var, who: Who) -> Symbol {
        if self.program.is_global(v) { Symbol::Var(v) } else { who.symbol(v) }
    }
    fn before(&self, v: Var, who: Who) -> Linear {
        Linear::symbol(self.symbol_of(v, who))
    }
    /// A variable after an edge of the actor.
    fn after(&self, e: &Edge, v: Var, who: Who) -> Linear {
        let moves = self.program.is_global(v) || who == Who::Actor;
        match e.after(v).filter(|_| moves) {
            // Updates were found to be integral; an unknown value would be sound, too.
            Some(value) => {
                Linear::value(value, &|v| self.read(v)).unwrap_or_else(|| Linear::symbol(Symbol::After(v)))
            }
            None => self.before(v, who),
        }
    }
    fn read(&self, v: Var) -> Linear {
        match (v.0 as usize).checked_sub(self.program.variables.len()) {
            Some(k) => Linear::symbol(Symbol::Input(k as u32)),
            None => self.before(v, Who::Actor),
        }
    }
    fn enabled(&self, e: &Edge) -> Formula {
        Formula::and([&e.guard, &e.bounds].map(|c| cube(c, &|v| self.read(v))))
    }
    /// An atom about a thread and another one, after the edge if there is one.
    fn atom(&self, a: &Atom, me: Who, you: Who, e: Option<&Edge>) -> Formula {
        let value = |v: Var| {
            let role = Role::of(v);
            let who = if role.second().is_some() { you } else { me };
            e.map_or_else(|| self.before(role.plain(), who), |e| self.after(e, role.plain(), who))
        };
        Formula::atom(a, &value)
    }
    fn shared(&self, s: u32, e: Option<&Edge>) -> Formula {
        let held = &self.proof.shared_states[s as usize];
        let atoms = held.iter().map(|k| &self.proof.shared[*k as usize]);
        Formula::and(atoms.map(|a| self.atom(a, Who::Actor, Who::Actor, e)))
    }
    fn own(&self, local: u32, me: Who, e: Option<&Edge>) -> Formula {
        let l = &self.proof.local_states[local as usize];
        let view = &self.proof.views[l.view as usize];
        Formula::and(l.own.iter().map(|k| self.atom(&view.own[*k as usize], me, me, e)))
    }
    /// What a local state says of another thread.
    fn others(&self, local: u32, me: Who, (about, you): (u32, Who), e: Option<&Edge>) -> Formula {
        let l = &self.proof.local_states[local as usize];
        let view = &self.proof.views[l.view as usize];
        let said = l.others.iter().map(|k| &view.others[*k as usize]).filter(|o| o.0 == about);
        Formula::and(said.map(|(_, a)| self.atom(a, me, you, e)))
    }

    /// The start condition, but for atoms about threads that may not exist or are not these.
    fn init(&self, views: &[(u32, Who)]) -> Formula {
        if self.program.init.is_bottom() {
            return Formula::Const(false);
        }
        let mut parts = Vec::new();
        for (view, role) in views {
            let template = self.proof.views[*view as usize].template;
            let known = |v: Var| match self.scope(v) {
                Some(Scope::Local(t)) => t == template || !several(self.program, t),
                scope => scope.is_some(),
            };
            // Locals of the other thread are its own.
            let role_of =
                |v: Var| if self.scope(v) == Some(Scope::Local(template)) { *role } else { Who::Actor };
            let spoken = self.program.init.atoms().iter().filter(|a| a.vars().all(known));
            parts.extend(spoken.map(|a| Formula::atom(a, &|v| self.before(v, role_of(v)))));
        }
        Formula::and(parts)
    }

    /// Premise and goal of a condition.
    fn parts(&self, c: &Condition) -> (Formula, Formula) {
        let p = self.proof;
        let moving = |s: &Step| {
            let e = self.edge(s);
            Formula::and([self.shared(s.from, None), self.own(s.actor, Who::Actor, None), self.enabled(e)])
        };
        let said = |l: u32, me: Who, about: u32, you: Who| self.others(l, me, (about, you), None);
        match c {
            Condition::Start(k) => (
                self.init(&[(*k, Who::Actor)]),
                Formula::and([self.shared(0, None), self.own(*k, Who::Actor, None)]),
            ),
            Condition::StartOther(k, j) => {
                (self.init(&[(*k, Who::Actor), (*j, Who::Third)]), said(*k, Who::Actor, *j, Who::Third))
            }
            Condition::Never(s, l, e) => {
                let e = &self.template(self.view(*l)).edges[*e as usize];
                let premise = [self.shared(*s, None), self.own(*l, Who::Actor, None), self.enabled(e)];
                (Formula::and(premise), Formula::Const(false))
            }
            Condition::Active(cases) => {
                let after = |n: &usize| {
                    let s = &p.steps[*n];
                    let e = Some(self.edge(s));
                    Formula::and([self.shared(s.to, e), self.own(s.after, Who::Actor, e)])
                };
                // All of them are from the same states.
                let premise = cases.first().map_or(Formula::Const(true), |n| moving(&p.steps[*n]));
                (premise, Formula::or(cases.iter().map(after)))
            }
            Condition::ActiveOther(n, j) => {
                let s = &p.steps[*n];
                let premise = Formula::and([moving(s), said(s.actor, Who::Actor, *j, Who::Third)]);
                (premise, self.others(s.after, Who::Actor, (*j, Who::Third), Some(self.edge(s))))
            }
            Condition::Passive(n, other) => {
                let s = &p.steps[*n];
                let premise = self.meeting(s, *other);
                let Some(to) = s.goes(*other) else { return (premise, Formula::Const(false)) };
                let e = Some(self.edge(s));
                let about = (self.view(s.actor), Who::Actor);
                let goal = [self.own(to, Who::Second, e), self.others(to, Who::Second, about, e)];
                (premise, Formula::and(goal))
            }
            Condition::PassiveOther(n, other, j) => {
                let s = &p.steps[*n];
                let premise = Formula::and([
                    self.meeting(s, *other),
                    said(s.actor, Who::Actor, *j, Who::Third),
                    said(*other, Who::Second, *j, Who::Third),
                ]);
                let goal = s.goes(*other).map_or(Formula::Const(true), |to| {
                    self.others(to, Who::Second, (*j, Who::Third), Some(self.edge(s)))
                });
                (premise, goal)
            }
        }
    }

    /// What is known of the thread that moves and another one.
    fn meeting(&self, s: &Step, other: u32) -> Formula {
        let (i, k) = (self.view(s.actor), self.view(other));
        Formula::and([
            self.shared(s.from, None),
            self.own(s.actor, Who::Actor, None),
            self.own(other, Who::Second, None),
            self.others(s.actor, Who::Actor, (k, Who::Second), None),
            self.others(other, Who::Second, (i, Who::Actor), None),
            self.enabled(self.edge(s)),
        ])
    }

    /// Adds what is true of identities: they are in range and differ.
    fn typed(&self, core: Formula) -> Formula {
        let mut symbols = BTreeSet::new();
        core.symbols(&mut symbols);
        let (mut facts, mut identities) = (vec![core], Vec::<Linear>::new());
        for s in symbols {
            let (Symbol::Var(v) | Symbol::Second(v) | Symbol::Third(v)) = s else { continue };
            let Some(known) = self.program.variables.get(v.0 as usize).filter(|x| x.identity) else {
                continue;
            };
            let x = Linear::symbol(s);
            facts.extend(identities.iter().map(|y| Formula::eq(x.minus(y)).not()));
            identities.push(x.clone());
            facts.extend(known.min.map(|n| Formula::le(Linear::number(n).minus(&x))));
            facts.extend(known.max.map(|n| Formula::le(x.minus(&Linear::number(n)))));
        }
        Formula::and(facts)
    }
}

fn cube(c: &Cube, var: &dyn Fn(Var) -> Linear) -> Formula {
    if c.is_bottom() {
        return Formula::Const(false);
    }
    Formula::and(c.atoms().iter().map(|a| Formula::atom(a, var)))
}

impl Conditions for Checker<'_> {
    type Item = Vec<Condition>;
    fn formula(&self, all: &Vec<Condition>) -> Formula {
        self.typed(Formula::or(all.iter().map(|c| {
            let (premise, goal) = self.parts(c);
            Formula::and([premise, goal.not()])
        })))
    }
    fn title(&self, all: &Vec<Condition>) -> String {
        match &all[..] {
            [] => String::new(),
            [c] => self.name(c),
            [c, rest @ ..] => format!("{}, or one of {} conditions like it,", self.name(c), rest.len()),
        }
    }
    fn symbol(&self, s: Symbol) -> String {
        let name = |v: Var| self.program.variables.get(v.0 as usize).map_or("", |x| &x.name).to_string();
        match s {
            Symbol::Second(v) => format!("{} (the other)", name(v)),
            Symbol::Third(v) => format!("{} (one more)", name(v)),
            Symbol::Var(v) => name(v),
            Symbol::Input(k) => format!("input {k}"),
            s => format!("{s:?}"),
        }
    }
}

impl Checker<'_> {
    fn name(&self, c: &Condition) -> String {
        let name = |view: u32| format!("`{}`", self.template(view).name);
        let step = |n: usize| {
            let s = &self.proof.steps[n];
            let span = self.edge(s).span;
            format!("step {n} of {} (line {})", name(self.view(s.actor)), span.line)
        };
        match c {
            Condition::Start(k) => format!("the start of {}", name(*k)),
            Condition::StartOther(k, j) => format!("the start of {} beside {}", name(*k), name(*j)),
            Condition::Never(s, l, e) => {
                let line = self.template(self.view(*l)).edges[*e as usize].span.line;
                format!(
                    "that {} has no step in line {line} from shared state {s}, local state {l}",
                    name(self.view(*l))
                )
            }
            Condition::Active(cases) => cases.first().map_or_else(String::new, |n| step(*n)),
            Condition::ActiveOther(n, j) => format!("{} beside {}", step(*n), name(*j)),
            Condition::Passive(n, l) => format!("{} for local state {l}", step(*n)),
            Condition::PassiveOther(n, l, j) => {
                format!("{} for local state {l} beside {}", step(*n), name(*j))
            }
        }
    }
}
