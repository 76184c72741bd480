//! The automaton of deadlocks: threads are left, and none can move.
//!
//! A number's state says which it is, as far as any thread's waiting depends on it. A thread's state is what would let
//! it move: alternatives, each a condition on the variables. That of a composition is all of them, so that the root
//! compares them with its variables. Deterministic; composition is a union, so it is associative and commutative.

use super::model::{Model, refuse};
use super::path::{Explorer, Holder, Leaf, Path};
use super::rules::{Rules, Symbol};
use super::value::{Val, Var};
use crate::timbuk::{Automaton, OpId, Place, StateId, Transition};
use relyant_cfa::Loc;
use relyant_cfa::diagnostic::{Diagnostic, Span};
use std::collections::{BTreeMap, BTreeSet};

/// More transitions are refused.
const MAX_TRANSITIONS: usize = 50_000;
const MAX_STATES: usize = 300;
/// Larger numbers are not told apart.
const MAX_CLASSES: usize = 20;

/// What a condition is on.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Key {
    Register(usize),
    Own(usize),
    Mine(usize),
    Shared(usize),
    Lock(usize),
}

/// Classes of numbers, by key.
type Condition = BTreeMap<Key, BTreeSet<usize>>;
type Waiting = BTreeSet<Condition>;

/// Classes of numbers: 0, 1, …, `top` and above, negative ones.
#[derive(Clone, Copy)]
struct Classes {
    top: usize,
}

impl Classes {
    fn all(self) -> usize {
        self.top + 2
    }
    fn of(self, v: &Var) -> BTreeSet<usize> {
        let top = self.top as i128;
        let exact = |c: i128| v.now.lo <= c && c <= v.now.hi && !v.not.contains(&c);
        let mut out: BTreeSet<usize> = (0..self.top).filter(|c| exact(*c as i128)).collect();
        if v.now.hi >= top {
            out.insert(self.top);
        }
        if v.now.lo < 0 {
            out.insert(self.top + 1);
        }
        out
    }
}

/// The automaton while it is made. The first states are numbers, by class; then a stack or a thread that is over, one
/// that can move, and a program that is stuck.
struct Builder<'r, 'm, 'p> {
    rules: &'r Rules<'m, 'p>,
    classes: Classes,
    names: Vec<String>,
    states: BTreeMap<Waiting, StateId>,
    transitions: Vec<Transition>,
    /// What the threads of each template may wait for.
    threads: BTreeMap<usize, BTreeSet<Waiting>>,
    /// States of threads and their compositions.
    members: BTreeSet<StateId>,
}

/// Why there is no automaton.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
enum NoAutomaton {
    #[error("there are too many kinds of configurations for an automaton of deadlocks")]
    TooMany,
    #[error("what threads wait for depends on large numbers")]
    LargeNumbers,
    #[error("a control point has a number that is no variable")]
    NoVariable,
}

/// All choices of one element each.
fn product(choices: &[Vec<usize>]) -> Result<Vec<Vec<usize>>, NoAutomaton> {
    let mut out = vec![Vec::new()];
    for c in choices {
        if out.len().saturating_mul(c.len()) > MAX_TRANSITIONS {
            return Err(NoAutomaton::TooMany);
        }
        out = out.iter().flat_map(|o: &Vec<usize>| c.iter().map(|x| [&o[..], &[*x]].concat())).collect();
    }
    Ok(out)
}

/// What lets a thread at a location move.
struct Point {
    guards: Waiting,
    registers: Vec<Var>,
}

/// The automaton of deadlocks: it accepts the states in which no thread can move and some has not ended.
pub(super) fn stuck(rules: &Rules<'_, '_>) -> Result<Automaton, Diagnostic> {
    let model = rules.model;
    if model.token {
        let message = "deadlocks cannot be said where atomic sections have loops or calls".into();
        return Err(refuse(model.program, Span::default(), message, "write such sections without them"));
    }
    let mut paths = Vec::new();
    let mut top = 0i128;
    for symbol in rules.symbols.keys() {
        if let Symbol::Point(t, at) = symbol {
            let ways = ways(model, *t, *at)?;
            for v in ways.iter().flat_map(|p| &p.known.vars) {
                if v.now.lo > 0 && v.now.lo != v.base.lo {
                    top = top.max(v.now.lo);
                }
                if v.now.hi != v.base.hi {
                    top = top.max(v.now.hi + 1);
                }
                top = v.not.iter().fold(top, |m, c| m.max(c + 1));
            }
            paths.push((*t, *at, ways));
        }
    }
    let whole = |why: NoAutomaton| {
        refuse(model.program, Span::default(), why.to_string(), "leave out --property deadlock")
    };
    let Some(top) = usize::try_from(top).ok().filter(|n| *n <= MAX_CLASSES) else {
        return Err(whole(NoAutomaton::LargeNumbers));
    };
    // the numbers 0 and 1 say who holds a lock
    let classes = Classes { top: top.max(if model.locks.is_empty() { 0 } else { 2 }) };
    let mut points = BTreeMap::new();
    for (t, at, ways) in &paths {
        points.insert((*t, *at), point(model, *t, *at, ways, classes)?);
    }
    build(rules, &points, classes).map_err(whole)
}

/// The ways of a thread to its first step; those on which only assumptions hold it up count.
fn ways(model: &Model<'_>, t: usize, at: Loc) -> Result<Vec<Path>, Diagnostic> {
    let locations = &model.program.templates[t].graph.locations;
    let stop = |l: Loc, message: &str| {
        let help = "leave out --property deadlock";
        Err(refuse(model.program, locations[l.0 as usize].span, message.into(), help))
    };
    for (leaf, p) in (Explorer { model, t, first_step: false, all_ends: true }).run(at)? {
        let between = p.length > 0 && !locations[p.loc.0 as usize].atomic;
        if leaf == Leaf::Waits && between && !model.rests[t][p.loc.0 as usize] {
            return stop(p.loc, "a thread waits here without a look at what others do");
        }
    }
    let all = Explorer { model, t, first_step: true, all_ends: true }.run(at)?;
    let has = |leaf| all.iter().any(|(l, _)| *l == leaf);
    if has(Leaf::Waits) && has(Leaf::Assumed) {
        return stop(at, "a thread may wait here, or run into what is assumed not to happen");
    }
    let mut ways = Vec::new();
    for (leaf, p) in all {
        if !p.joined.is_empty() {
            return stop(at, "deadlocks with joins are not exported");
        }
        let signs =
            |v: &Var| v.now.lo < 0 && v.now.lo != v.base.lo || v.now.hi < -1 || v.not.iter().any(|c| *c < 0);
        if !p.known.conditions.is_empty() || p.known.vars.iter().any(signs) {
            return stop(at, "a thread waits for more than single natural numbers");
        }
        if leaf != Leaf::Waits {
            ways.push(p);
        }
    }
    Ok(ways)
}

fn point(model: &Model<'_>, t: usize, at: Loc, ways: &[Path], classes: Classes) -> Result<Point, Diagnostic> {
    let begin = Explorer { model, t, first_step: true, all_ends: true }.begin(at);
    let registers = begin.start.iter().filter_map(|(_, v)| variable(&begin, v)).cloned().collect();
    let mut guards = Waiting::new();
    for p in ways {
        let mut condition = Condition::new();
        let lists = [
            (p.start.iter().map(|x| x.1).collect::<Vec<_>>(), Key::Register as fn(usize) -> Key),
            (p.own_start.clone(), Key::Own),
            (p.shared_start.clone(), Key::Shared),
        ];
        for (list, key) in lists {
            for (i, v) in list.iter().enumerate() {
                if let Some(v) = variable(p, v).filter(|v| v.now != v.base || !v.not.is_empty()) {
                    condition.insert(key(i), classes.of(v));
                }
            }
        }
        for (l, h) in p.locks_start.iter().enumerate() {
            let mine = model.holds[t].iter().position(|x| *x == l);
            let mut is = |key: Key, n: usize| condition.insert(key, BTreeSet::from([n]));
            match (h, mine) {
                (Holder::Open, _) => {}
                (Holder::Nobody, _) => {
                    is(Key::Lock(l), 0);
                }
                (Holder::Me, Some(k)) => {
                    is(Key::Mine(k), 1);
                }
                (Holder::Me, None) => {
                    is(Key::Lock(l), classes.top);
                }
                (Holder::Another, mine) => {
                    is(Key::Lock(l), 1);
                    mine.map(|k| is(Key::Mine(k), 0));
                }
            }
        }
        guards.insert(condition);
    }
    Ok(Point { guards, registers })
}

fn variable<'v>(p: &'v Path, v: &Val) -> Option<&'v Var> {
    match v {
        Val::Lin(x, 0) => p.known.vars.get(*x),
        _ => None,
    }
}

/// What is left of alternatives when some numbers are known.
fn resolved(w: &Waiting, known: &dyn Fn(Key) -> Option<usize>) -> Waiting {
    let resolve = |c: &Condition| {
        let mut rest = Condition::new();
        for (key, set) in c {
            match known(*key) {
                Some(n) if set.contains(&n) => {}
                Some(_) => return None,
                None => {
                    rest.insert(*key, set.clone());
                }
            }
        }
        Some(rest)
    };
    w.iter().filter_map(resolve).collect()
}

impl<'r, 'm, 'p> Builder<'r, 'm, 'p> {
    fn new(rules: &'r Rules<'m, 'p>, classes: Classes) -> Self {
        let mut names: Vec<String> = (0..classes.top).map(|n| format!("n{n}")).collect();
        names.extend([
            format!("n{}up", classes.top),
            "negative".into(),
            "none".into(),
            "live".into(),
            "dead".into(),
        ]);
        let mut b = Builder {
            rules,
            classes,
            names,
            states: BTreeMap::new(),
            transitions: Vec::new(),
            threads: BTreeMap::new(),
            members: BTreeSet::new(),
        };
        b.members.extend([b.none(), b.live()]);
        b
    }
    fn none(&self) -> StateId {
        StateId(self.classes.all() as u32)
    }
    fn live(&self) -> StateId {
        StateId(self.classes.all() as u32 + 1)
    }
    fn dead(&self) -> StateId {
        StateId(self.classes.all() as u32 + 2)
    }
    /// All classes of numbers.
    fn every(&self) -> Vec<usize> {
        (0..self.classes.all()).collect()
    }
    /// The classes that a cell may have a value of.
    fn cell(&self, c: &super::model::Cell) -> Vec<usize> {
        let r = self.rules.model.ranges.cell(c.object, c.index);
        self.possible(&Var { name: String::new(), base: r, now: r, not: Vec::new() })
    }
    fn possible(&self, v: &Var) -> Vec<usize> {
        self.classes.of(v).into_iter().collect()
    }
    fn add(&mut self, op: OpId, args: Vec<StateId>, to: StateId) -> Result<(), NoAutomaton> {
        if self.transitions.len() >= MAX_TRANSITIONS {
            return Err(NoAutomaton::TooMany);
        }
        self.transitions.push(Transition::Op(op, args, to));
        Ok(())
    }
    /// The state of threads that wait.
    fn state(&mut self, w: Waiting) -> StateId {
        if w.iter().any(Condition::is_empty) {
            return self.live();
        }
        if let Some(q) = self.states.get(&w) {
            return *q;
        }
        let q = StateId(self.names.len() as u32);
        self.names.push(format!("waiting.{}", self.states.len()));
        self.states.insert(w, q);
        q
    }

    /// Numbers, and what is on stacks.
    fn stacks(&mut self, points: &BTreeMap<(usize, Loc), Point>) -> Result<(), NoAutomaton> {
        let (none, live, top) = (self.none(), self.live(), self.classes.top);
        let rules = self.rules;
        let mut tops: BTreeSet<StateId> = BTreeSet::from([none]);
        for (symbol, id) in &rules.symbols {
            let arity = rules.system.op(*id).arity as usize;
            match symbol {
                Symbol::Zero => self.add(*id, vec![], number(0))?,
                Symbol::Succ => {
                    for c in 0..=top {
                        self.add(*id, vec![number(c)], number((c + 1).min(top)))?;
                    }
                }
                Symbol::Neg => {
                    let positive = if top == 0 { 0..1 } else { 1..top + 1 };
                    for c in positive {
                        self.add(*id, vec![number(c)], number(top + 1))?;
                    }
                }
                Symbol::Idle => self.add(*id, vec![], none)?,
                Symbol::Error(..) => self.add(*id, vec![], live)?,
                Symbol::Ended(_) | Symbol::Back(..) => {
                    for args in product(&vec![self.every(); arity])? {
                        self.add(*id, args.into_iter().map(number).collect(), none)?;
                    }
                }
                Symbol::Point(t, l) => self.point(*id, *t, &points[&(*t, *l)], arity, &mut tops)?,
                _ => {}
            }
        }
        if let Some(id) = rules.symbols.get(&Symbol::Stack) {
            for q in &tops {
                self.add(*id, vec![none, *q], *q)?;
            }
        }
        Ok(())
    }

    /// A control point with its variables: what lets it move.
    fn point(
        &mut self,
        id: OpId,
        t: usize,
        p: &Point,
        arity: usize,
        tops: &mut BTreeSet<StateId>,
    ) -> Result<(), NoAutomaton> {
        let choices: Vec<Vec<usize>> = p.registers.iter().map(|v| self.possible(v)).collect();
        if choices.len() != arity {
            return Err(NoAutomaton::NoVariable);
        }
        for args in product(&choices)? {
            let w = resolved(&p.guards, &|k| match k {
                Key::Register(i) => Some(args[i]),
                _ => None,
            });
            let q = self.state(w.clone());
            tops.insert(q);
            self.threads.entry(t).or_default().insert(w);
            self.add(id, args.into_iter().map(number).collect(), q)?;
        }
        Ok(())
    }

    /// Threads with their own variables.
    fn threads(&mut self) -> Result<(), NoAutomaton> {
        let (rules, live) = (self.rules, self.live());
        let model = rules.model;
        for (t, waiting) in std::mem::take(&mut self.threads) {
            let Some(id) = rules.symbols.get(&Symbol::Thread(t)) else { continue };
            let mut choices: Vec<Vec<usize>> = model.own[t].iter().map(|c| self.cell(c)).collect();
            let own = choices.len();
            choices.extend(model.holds[t].iter().map(|_| vec![0, 1]));
            if model.named[t] {
                choices.push(self.every());
            }
            let all = product(&choices)?;
            let mut seen_live = false;
            for w in waiting {
                let from = self.state(w.clone());
                if from == live && std::mem::replace(&mut seen_live, true) {
                    continue;
                }
                for args in &all {
                    let w = resolved(&w, &|k| match k {
                        Key::Own(i) => Some(args[i]),
                        Key::Mine(i) => Some(args[own + i]),
                        _ => None,
                    });
                    let q = if from == live { live } else { self.state(w) };
                    self.members.insert(q);
                    let args = std::iter::once(from).chain(args.iter().map(|c| number(*c))).collect();
                    self.add(*id, args, q)?;
                }
            }
        }
        Ok(())
    }

    /// Compositions: they wait for what any of their threads waits for.
    fn compositions(&mut self) -> Result<(), NoAutomaton> {
        let (none, live) = (self.none(), self.live());
        let par = self.rules.symbols[&Symbol::Par];
        let mut done: BTreeSet<(StateId, StateId)> = BTreeSet::new();
        loop {
            let now: Vec<StateId> = self.members.iter().copied().collect();
            let sets: BTreeMap<StateId, Waiting> = self.states.iter().map(|(w, q)| (*q, w.clone())).collect();
            let mut grown = false;
            for &p in &now {
                for &q in &now {
                    if !done.insert((p, q)) {
                        continue;
                    }
                    let to = match (p, q) {
                        _ if p == live || q == live => live,
                        _ if p == none => q,
                        _ if q == none => p,
                        _ => self.state(sets[&p].union(&sets[&q]).cloned().collect()),
                    };
                    self.add(par, vec![p, q], to)?;
                    grown |= self.members.insert(to);
                }
            }
            if self.members.len() > MAX_STATES {
                return Err(NoAutomaton::TooMany);
            }
            if !grown {
                return Ok(());
            }
        }
    }

    /// The whole program: stuck where its variables let none of the threads move.
    fn roots(&mut self) -> Result<(), NoAutomaton> {
        let model = self.rules.model;
        let mut choices = Vec::new();
        if model.named.contains(&true) {
            choices.push(self.every());
        }
        let first = choices.len();
        choices.extend(model.shared.iter().map(|c| self.cell(c)));
        let locks = choices.len();
        choices.extend(model.locks.iter().map(|_| vec![0, 1]));
        let all = product(&choices)?;
        let (root, dead) = (self.rules.symbols[&Symbol::Root], self.dead());
        let sets: Vec<(Waiting, StateId)> = self.states.iter().map(|(w, q)| (w.clone(), *q)).collect();
        for (w, q) in sets.into_iter().filter(|(_, q)| self.members.contains(q)).collect::<Vec<_>>() {
            for args in &all {
                let left = resolved(&w, &|k| match k {
                    Key::Shared(i) => Some(args[first + i]),
                    Key::Lock(i) => Some(args[locks + i]),
                    _ => None,
                });
                if left.is_empty() {
                    let args = std::iter::once(q).chain(args.iter().map(|c| number(*c))).collect();
                    self.add(root, args, dead)?;
                }
            }
        }
        Ok(())
    }
}

/// The state of a class of numbers.
fn number(class: usize) -> StateId {
    StateId(class as u32)
}

fn build(
    rules: &Rules<'_, '_>,
    points: &BTreeMap<(usize, Loc), Point>,
    classes: Classes,
) -> Result<Automaton, NoAutomaton> {
    let mut b = Builder::new(rules, classes);
    b.stacks(points)?;
    b.threads()?;
    b.compositions()?;
    b.roots()?;
    Ok(Automaton {
        name: "Deadlock".into(),
        finals: vec![b.dead()],
        states: b.names,
        transitions: b.transitions,
        place: Place::default(),
    })
}
