//! Counterexample paths (GPR, figure 8) and their exact feasibility.

use crate::aret::precision::Thread;
use crate::aret::store::{Envs, Parent, StateId, States};
use crate::verdict::{Counterexample, Step};
use num_bigint::BigInt;
use relyant_cfa::schedule::ThreadRef;
use relyant_linear::{Atom, Cube, LinExpr, Model, Norm, Satisfiable, Var};
use relyant_program::{Edge, Loc, Program, Scope};

/// Assignments of steps to threads of a template that are tried.
const ASSIGNMENTS: usize = 16;

/// A step of a path: thread of the analysis, edge, and whether the path's own thread does it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PathStep {
    /// Thread of the analysis.
    pub thread: usize,
    /// Edge of its template.
    pub edge: u32,
    /// The path's own thread moves (matters where a template has several).
    pub own: bool,
}

/// Function MKPATH (figure 8): the steps that lead to a state.
pub fn mk_path(states: &States, envs: &Envs, id: StateId) -> Vec<PathStep> {
    let mut path = Vec::new();
    let mut at = id;
    loop {
        let s = &states[at];
        match s.parent {
            Parent::Initial => break,
            Parent::Own { state, edge } => {
                path.push(PathStep { thread: s.thread as usize, edge, own: true });
                at = state;
            }
            Parent::Env { state, env } => {
                let e = &envs[env];
                path.push(PathStep { thread: e.actor as usize, edge: e.parent.1, own: false });
                at = state;
            }
        }
    }
    path.reverse();
    path
}

/// Where each thread met is.
type Places = Vec<(ThreadRef, Loc)>;
/// Whether final places are an error.
type Goal<'a> = &'a dyn Fn(&[(ThreadRef, Loc)]) -> bool;

/// Runs a path from the start: a counterexample if some values make it feasible.
/// `observer` is the path's own thread; `goal` says whether the final locations are an error.
pub fn feasible(
    program: &Program,
    threads: &[Thread],
    observer: usize,
    path: &[PathStep],
    goal: Goal,
) -> Option<Counterexample> {
    let places = start(program, threads);
    let mut search =
        Assignment { program, threads, observer, path, goal, places, who: Vec::new(), tries: ASSIGNMENTS };
    search.assign()
}

fn start(program: &Program, threads: &[Thread]) -> Places {
    threads
        .iter()
        .map(|t| {
            let entry = program.templates[t.template as usize].entry;
            (ThreadRef { template: t.template, instance: 0 }, entry)
        })
        .collect()
}

/// Who takes each step of a path: tried one after another, depth first.
struct Assignment<'a> {
    program: &'a Program,
    threads: &'a [Thread],
    /// The path's own thread, an index into `threads`.
    observer: usize,
    path: &'a [PathStep],
    goal: Goal<'a>,
    /// After the steps that are assigned.
    places: Places,
    /// Of the path's first steps: the thread that takes each.
    who: Vec<ThreadRef>,
    /// Whole assignments that may still be tried.
    tries: usize,
}

impl Assignment<'_> {
    /// Assigns the steps that are left. Places and threads are as before when it comes back.
    fn assign(&mut self) -> Option<Counterexample> {
        let Some(step) = self.path.get(self.who.len()) else {
            if !(self.goal)(&self.places) {
                return None;
            }
            self.tries = self.tries.saturating_sub(1);
            return concrete(self.program, self.threads, self.path, &self.who);
        };
        let template = self.threads[step.thread].template;
        let edge = &self.program.templates[template as usize].edges[step.edge as usize];
        let entry = self.program.templates[template as usize].entry;
        let mut candidates: Vec<usize> = (0..self.places.len())
            .filter(|k| self.places[*k].0.template == template && self.places[*k].1 == edge.from)
            .filter(|k| {
                self.threads[step.thread].single
                    || (self.places[*k].0.instance == 0) == (step.own || step.thread != self.observer)
            })
            .collect();
        // The thread that moved last goes on first.
        candidates.sort_by_key(|k| std::cmp::Reverse(self.who.iter().rposition(|w| *w == self.places[*k].0)));
        if step.own {
            candidates.retain(|k| self.places[*k].0.instance == 0);
        }
        if !self.threads[step.thread].single && !step.own && edge.from == entry {
            let instance = self.places.iter().filter(|p| p.0.template == template).count() as u32;
            candidates.push(self.places.len());
            self.places.push((ThreadRef { template, instance }, entry));
        }
        let fresh = candidates.last().is_some_and(|k| *k + 1 == self.places.len());
        let mut found = None;
        for k in candidates {
            if self.tries == 0 {
                break;
            }
            let old = self.places[k].1;
            self.places[k].1 = edge.to;
            self.who.push(self.places[k].0);
            found = self.assign();
            self.who.pop();
            self.places[k].1 = old;
            if found.is_some() {
                break;
            }
        }
        if fresh && !self.threads[step.thread].single && !step.own && edge.from == entry {
            self.places.pop();
        }
        found
    }
}

/// The values that variables have after some steps, over start values and inputs, and the conditions of those steps.
struct Values<'a> {
    program: &'a Program,
    globals: Vec<LinExpr>,
    /// By thread that was met: its start values, and what variables of the program are to it now.
    locals: Vec<(ThreadRef, Vec<Var>, Vec<LinExpr>)>,
    next: u32,
    cube: Cube,
}

impl Values<'_> {
    fn fresh(&mut self) -> Var {
        self.next += 1;
        Var(self.next - 1)
    }
    /// Index of a thread's locals, made (with their start condition) when new.
    fn thread(&mut self, t: ThreadRef, order: i128) -> usize {
        if let Some(k) = self.locals.iter().position(|l| l.0 == t) {
            return k;
        }
        let n = self.program.variables.len();
        let start: Vec<Var> = (0..n).map(|_| self.fresh()).collect();
        let own = |v: Var| self.program.variables[v.0 as usize].scope == Scope::Local(t.template);
        for a in self.program.init.atoms().iter().filter(|a| a.vars().all(own)) {
            self.cube.push(Norm::Atom(a.rename(|v| start[v.0 as usize])));
        }
        if let Some(id) = self.program.templates[t.template as usize].identity {
            let min = self.program.variables[id.0 as usize].min.unwrap_or(1);
            let e = LinExpr::var(start[id.0 as usize]).sub(&LinExpr::int(min + order));
            self.cube.push(Atom::eq(&e));
        }
        let now = start.iter().copied().map(LinExpr::var).collect();
        self.locals.push((t, start, now));
        self.locals.len() - 1
    }
    /// Does a step of the thread with these locals; its inputs.
    fn step(&mut self, t: usize, edge: &Edge) -> Vec<Var> {
        let n = self.program.variables.len();
        let inputs: Vec<Var> = edge.inputs.iter().map(|_| self.fresh()).collect();
        let (program, globals, locals) = (self.program, &self.globals, &self.locals[t].2);
        let now = |v: Var| match (v.0 as usize).checked_sub(n) {
            Some(k) => inputs.get(k).copied().map(LinExpr::var),
            None if program.is_global(v) => globals.get(v.0 as usize).cloned(),
            None => locals.get(v.0 as usize).cloned(),
        };
        let conditions: Vec<Norm> =
            [&edge.guard, &edge.bounds].map(|c| c.subst(now)).iter().flat_map(norms).collect();
        let after: Vec<(Var, LinExpr)> = edge.updates.iter().map(|(v, e)| (*v, e.subst(now))).collect();
        conditions.into_iter().for_each(|c| self.cube.push(c));
        for (v, e) in after {
            if self.program.is_global(v) {
                self.globals[v.0 as usize] = e;
            } else {
                self.locals[t].2[v.0 as usize] = e;
            }
        }
        inputs
    }
}

/// The conjuncts of a cube.
fn norms(c: &Cube) -> Vec<Norm> {
    if c.is_bottom() {
        return vec![Norm::False];
    }
    c.atoms().iter().cloned().map(Norm::Atom).collect()
}

/// Runs the path on start values and inputs that are unknown; a model of its conditions makes the counterexample.
pub(crate) fn concrete(
    program: &Program,
    threads: &[Thread],
    path: &[PathStep],
    who: &[ThreadRef],
) -> Option<Counterexample> {
    let n = program.variables.len() as u32;
    let mut c = Values {
        program,
        globals: (0..n).map(Var).map(LinExpr::var).collect(),
        locals: Vec::new(),
        next: n,
        cube: Cube::top(),
    };
    // Start conditions that relate locals with other variables hold of the first thread of a template.
    for t in threads {
        c.thread(ThreadRef { template: t.template, instance: 0 }, 0);
    }
    let first: Vec<(ThreadRef, Vec<Var>)> = c.locals.iter().map(|l| (l.0, l.1.clone())).collect();
    let start = |v: Var| match program.variables[v.0 as usize].scope {
        Scope::Global => v,
        Scope::Local(t) => first.iter().find(|l| l.0.template == t).map_or(v, |l| l.1[v.0 as usize]),
    };
    for a in program.init.atoms() {
        c.cube.push(Norm::Atom(a.rename(start)));
    }
    let mut inputs = Vec::new();
    for (k, step) in path.iter().enumerate() {
        let edge = &program.templates[who[k].template as usize].edges[step.edge as usize];
        let t = c.thread(who[k], who[k].instance as i128);
        inputs.push(c.step(t, edge));
        if c.cube.is_bottom() {
            return None;
        }
    }
    let Satisfiable::Sat(model) = c.cube.sat_int() else { return None };
    let start = (0..n).map(|v| (Var(v), start(Var(v)))).map(|(v, copy)| (v, value(&model, copy))).collect();
    let steps = path
        .iter()
        .zip(who)
        .zip(&inputs)
        .map(|((p, w), i)| Step {
            thread: *w,
            edge: p.edge,
            inputs: i.iter().map(|v| value(&model, *v)).collect(),
        })
        .collect();
    Some(Counterexample { start, steps })
}

fn value(model: &Model, v: Var) -> BigInt {
    model.value(v).numer()
}
