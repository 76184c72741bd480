//! The commuting prefix: steps before the first that does not commute with all steps of others are run here, and the
//! program starts where they lead: the first thread as long as it is alone, then the steps of each thread that only it can see.

use crate::edges::bounds::feasible;
use crate::edges::bounds::type_bounds;
use crate::edges::forget::forget;
use crate::{Count, Edge, Ghost, Given, Input, Loc, Program, Scope, Variable};
use relyant_linear::meter;
use relyant_linear::{Atom, Cube, LinExpr, Norm, Rel, Var};
use std::collections::{BTreeMap, BTreeSet};

/// Steps that are run at most.
const MOST: usize = 5000;
/// Work that running a thread's steps may take, about half a second: each condition that a step adds makes the tests
/// that follow dearer, and the loop of a thread whose end nobody sees adds some each time.
const MOST_WORK: u64 = 100_000_000;

/// The state of the program while only one thread moves. Symbols: a variable stands for its value at the
/// start, numbers from `PrefixRun::base` on for inputs.
#[derive(Clone)]
struct PrefixRun {
    /// Values of variables now, over symbols; one that is not listed has its symbol's.
    store: BTreeMap<Var, LinExpr>,
    condition: Cube,
    symbols: u32,
    base: u32,
    at: Loc,
    /// Locations passed while others may move.
    seen: BTreeSet<Loc>,
    /// Template and automaton's edge of each step done so far.
    path: Vec<(u32, u32)>,
    /// Steps of the prefix before these.
    before: u32,
    given: Vec<(Given, LinExpr)>,
    /// The last step gave a global another value.
    changed: bool,
}

/// Folds steps at the start into the start condition; were there any?
pub fn fold_prefix(p: &mut Program) -> bool {
    let mut any = false;
    if p.prefix.is_empty()
        && let Some(main) = first_thread(p)
    {
        any |= fold(p, main);
    }
    // Then those that have begun.
    for t in 0..p.templates.len() {
        let begun = p.templates[t].count == Count::AtMost(1) && can_begin(p, t, &BTreeMap::new(), &p.init);
        any |= begun && fold(p, t);
    }
    any
}

/// Folds the first steps of one thread.
fn fold(p: &mut Program, t: usize) -> bool {
    let base = p.variables.len() as u32;
    let mut run = PrefixRun {
        store: BTreeMap::new(),
        condition: Cube::top(),
        symbols: 0,
        base,
        at: p.templates[t].entry,
        seen: BTreeSet::new(),
        path: Vec::new(),
        before: p.prefix.len() as u32,
        given: Vec::new(),
        changed: false,
    };
    for a in p.init.atoms() {
        match a.expr().terms() {
            [(v, c)] if a.rel() == Rel::Eq && c.abs().is_one() => {
                run.store.insert(*v, crate::edges::inputs::solved(a.expr(), *v));
            }
            _ => run.condition.push(Norm::Atom(a.clone())),
        }
    }
    let fixed = run.store.clone();
    run.condition = run.condition.subst(|v| fixed.get(&v).cloned());
    // An input that is tested next is better left to the step that tests it.
    let mut untested: Option<PrefixRun> = None;
    let start = meter::units();
    let mut n = 0;
    loop {
        let takes_input = p.templates[t].edges.iter().any(|e| e.from == run.at && !e.inputs.is_empty());
        let before = takes_input.then(|| run.clone());
        let dear = meter::units().saturating_sub(start) > MOST_WORK;
        if n == MOST || dear || !run.step(p, t) {
            break;
        }
        n += 1;
        if run.changed {
            untested = None;
        } else if let Some(before) = before.filter(|b| run.symbols > b.symbols) {
            untested = Some(before);
        }
    }
    if let Some(before) =
        untested.filter(|_| p.templates[t].edges.iter().filter(|e| e.from == run.at).count() > 1)
    {
        run = before;
    }
    if run.path.is_empty() {
        return false;
    }
    run.finish(p, t);
    true
}

/// The template of the only thread that can move at the start, if it is one thread.
fn first_thread(p: &Program) -> Option<usize> {
    let store = BTreeMap::new();
    let able: Vec<usize> = (0..p.templates.len()).filter(|t| can_begin(p, *t, &store, &p.init)).collect();
    match able[..] {
        [t] if p.templates[t].count == Count::AtMost(1) => Some(t),
        _ => None,
    }
}

/// May a thread at the entry of the template move?
fn can_begin(p: &Program, t: usize, store: &BTreeMap<Var, LinExpr>, condition: &Cube) -> bool {
    let template = &p.templates[t];
    let observed = |l: Loc| {
        let l = &template.locations[l];
        l.error.is_some() || p.exclusive.as_ref().is_some_and(|x| l.labels.contains(x))
    };
    let able = |e: &Edge| {
        // Inputs of this edge must not be taken for the run's.
        let only_variables =
            |c: &Cube| crate::edges::bounds::only(c, |a| a.vars().all(|v| v.0 < p.variables.len() as u32));
        let here = only_variables(&e.guard.and(&e.bounds)).subst(|v| store.get(&v).cloned());
        // What the start says of others is no matter: it can hold.
        !here.is_bottom() && (here.is_top() || feasible(p, &here.and(&condition.around(here.vars()))))
    };
    observed(template.entry) || template.edges.iter().any(|e| e.from == template.entry && able(e))
}

impl PrefixRun {
    /// Threads that may move by now, or that those may start, without the one that runs.
    fn active(&self, p: &Program, main: usize) -> Vec<usize> {
        let mut active: Vec<usize> = (0..p.templates.len())
            .filter(|t| *t != main && can_begin(p, *t, &self.store, &self.condition))
            .collect();
        loop {
            let written: BTreeSet<Var> = active
                .iter()
                .flat_map(|t| p.templates[*t].edges.iter().flat_map(|e| e.updates.iter().map(|u| u.0)))
                .collect();
            let started = |t: &usize| {
                let template = &p.templates[*t];
                let waits = |e: &Edge| e.guard.vars().iter().any(|v| written.contains(v));
                template.edges.iter().any(|e| e.from == template.entry && waits(e))
            };
            let more: Vec<usize> =
                (0..p.templates.len()).filter(|t| *t != main && !active.contains(t) && started(t)).collect();
            if more.is_empty() {
                return active;
            }
            active.extend(more);
        }
    }
    /// One step of the thread, if there is only one it can do and nobody can tell when.
    fn step(&mut self, p: &Program, main: usize) -> bool {
        let template = &p.templates[main];
        let l = &template.locations[self.at];
        let labelled = p.exclusive.as_ref().is_some_and(|x| l.labels.contains(x));
        if l.error.is_some() || labelled {
            return false;
        }
        let mut able: Vec<(&Edge, Cube)> = Vec::new();
        for e in template.edges.iter().filter(|e| e.from == self.at) {
            let here = e.guard.and(&e.bounds).subst(|v| Some(self.value(v)));
            // The condition so far can hold.
            if !here.is_bottom() && (here.is_top() || feasible(p, &self.condition.and(&here))) {
                able.push((e, here));
            }
        }
        let [(e, here)] = &able[..] else { return false };
        if template.locations[e.to].error.is_some() {
            return false;
        }
        let active = self.active(p, main);
        if !active.is_empty() {
            let written = e.updates.iter().map(|u| u.0).collect::<BTreeSet<_>>();
            let reads = e.reads();
            let told = active.iter().flat_map(|t| &p.templates[*t].edges).any(|f| {
                let theirs: BTreeSet<Var> = f.updates.iter().map(|u| u.0).collect();
                let global = |v: &Var| p.is_global(*v);
                reads.iter().any(|v| global(v) && theirs.contains(v))
                    || written.iter().any(|v| global(v) && (theirs.contains(v) || f.reads().contains(v)))
            });
            let to = &template.locations[e.to];
            let observed = p.exclusive.as_ref().is_some_and(|x| to.labels.contains(x));
            // Others go on where this thread would wait, so it must be sure not to.
            let sure = here
                .atoms()
                .iter()
                .all(|a| type_bounds(p, &self.condition.around(a.vars())).entails_rational(a));
            if told || observed || !sure || !self.seen.insert(self.at) {
                return false;
            }
        }
        let (e, here) = ((*e).clone(), here.clone());
        self.take(p, main, &e, &here);
        true
    }
    /// The value of a variable, or of an input of the next step.
    fn value(&self, v: Var) -> LinExpr {
        if v.0 >= self.base {
            return LinExpr::var(Var(v.0 + self.symbols));
        }
        self.store.get(&v).cloned().unwrap_or(LinExpr::var(v))
    }
    fn take(&mut self, p: &Program, main: usize, e: &Edge, here: &Cube) {
        self.condition = self.condition.and(here);
        let new: Vec<(Var, LinExpr)> =
            e.updates.iter().map(|(v, x)| (*v, x.subst(|w| Some(self.value(w))))).collect();
        let before = self.before + self.path.len() as u32;
        for (k, input) in e.inputs.iter().enumerate() {
            let symbol = Var(self.base + self.symbols + k as u32);
            match *input {
                Input::Havoc(i) => self.given.push((Given::Havoc(before + i), LinExpr::var(symbol))),
                Input::Chosen(i, c) => self.given.push((Given::Havoc(before + i), LinExpr::int(c))),
                Input::Auxiliary | Input::Remainder { .. } => {}
            }
        }
        self.symbols += e.inputs.len() as u32;
        self.changed = new.iter().any(|(v, x)| p.is_global(*v) && self.store.get(v) != Some(x));
        self.store.extend(new);
        self.path.extend(e.path.iter().map(|i| (main as u32, *i)));
        self.at = e.to;
    }
    /// Makes the state the start of the program.
    fn finish(self, p: &mut Program, main: usize) {
        let n = self.base;
        let symbols = self.symbols;
        p.templates[main].entry = self.at;
        let live = crate::reduce::liveness::live_rows(p, main)[self.at.0 as usize].clone();
        let dead = |v: Var| p.variables[v.0 as usize].scope == Scope::Local(main as u32) && !live.has(v.0);
        // Every symbol gets a variable: one for each input, and one for each old value that is spoken of and is not the value now.
        let values = self.store.iter().filter(|x| !dead(*x.0)).flat_map(|x| x.1.vars());
        let given = p.given.iter().chain(&self.given).flat_map(|g| g.1.vars());
        let spoken: BTreeSet<Var> = self.condition.vars().into_iter().chain(values).chain(given).collect();
        let is_old = |v: &Var| v.0 < n && (self.store.contains_key(v) || dead(*v));
        let old: Vec<Var> = spoken.into_iter().filter(is_old).collect();
        let ghost = |name: String, scope: Scope, x: Option<&Variable>| {
            let bounds = (x.and_then(|x| x.min), x.and_then(|x| x.max));
            Variable::ghost(name, scope, bounds, Ghost::Other)
        };
        let mut new: Vec<Variable> =
            (0..symbols).map(|k| ghost(format!("input#{k}"), Scope::Local(main as u32), None)).collect();
        new.extend(old.iter().map(|v| {
            let x = &p.variables[v.0 as usize];
            ghost(format!("{}#start", x.name), x.scope, Some(x))
        }));
        let start = |v: Var| match old.binary_search(&v) {
            Ok(k) => Var(n + symbols + k as u32),
            Err(_) => v,
        };
        let mut init = self.condition.rename(start);
        for (v, value) in self.store.iter().filter(|x| !dead(*x.0)) {
            init.push(Atom::eq(&LinExpr::var(*v).sub(&value.rename(start))));
        }
        p.add_variables(new);
        p.init = init;
        let earlier: Vec<(Given, LinExpr)> = std::mem::take(&mut p.given);
        p.given = earlier.into_iter().map(|(g, e)| (g, e.rename(start))).collect();
        p.given.extend(self.given.into_iter().map(|(g, e)| (g, e.rename(start))));
        p.prefix.extend(self.path);
        let keep: Vec<bool> = (0..p.variables.len()).map(|v| v < n as usize).collect();
        forget(p, &keep);
    }
}
