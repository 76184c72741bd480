//! The Horn clauses of a run that has no values, unfolded to a tree, and the predicates that its solution gives.
//!
//! A relation holds of the globals and of the locals of some threads at a moment of the run: one thread in the modular
//! form, two in the other. A step of one of these threads is a clause with the relation before it; one of another
//! thread has the relations of all choices of so many of the threads together (as [`crate::refine::unfold`] has a
//! state and an environment transition).

use super::path::Path;
use super::precision::Precision;
use crate::refine::predicates::{Clause, Solved, solve};
use relyant_check::replicated::Proof;
use relyant_horn::Formula;
use relyant_linear::{Atom, Cube, LinExpr, Norm, Var};
use relyant_program::{Edge, Program, Role, Scope};
use std::collections::VecDeque;

/// Nodes that a tree may have.
const MOST_NODES: usize = 3_000;

struct RelationNode {
    parent: usize,
    constraint: Cube,
    args: Vec<Var>,
    /// Of whom its relation speaks; of nobody: the root.
    threads: Vec<usize>,
}

/// A relation to derive: threads, moment, and the copies of variables there.
struct Task {
    /// The node whose clause derives it.
    node: usize,
    /// Clauses between it and the end of the run.
    depth: usize,
    /// Threads of the path that it speaks of.
    threads: Vec<usize>,
    /// How many steps of the path have been done.
    moment: usize,
    /// The copy of each variable of the program that is global; those of locals mean nothing.
    globals: Vec<u32>,
    /// `locals[thread][variable]`: the copy of that local of the thread; empty for threads that nothing spoke of yet.
    locals: Vec<Vec<u32>>,
}

/// Clauses of a run.
pub struct Unwinder<'a> {
    /// The thread program that the system is of.
    pub program: &'a Program,
    /// The system that has the run.
    pub system: &'a Proof,
    /// The run, with its threads told apart.
    pub path: &'a Path,
    /// The start condition, over globals and locals.
    pub start: &'a Cube,
    /// Threads that a relation speaks of at most.
    pub width: usize,
    /// Relations this far from the root are not derived; they are what is known of them.
    pub depth: usize,
}

/// The Horn clauses of a run, unfolded to a tree.
pub struct Unwound {
    nodes: Vec<RelationNode>,
    /// Which thread's, which variable. Globals are everybody's.
    origin: Vec<(usize, Var)>,
    /// Some relations were not derived.
    pub cut: bool,
}

/// The origin of an input's copy.
const INPUT: Var = Var(u32::MAX);

impl Unwound {
    /// Number of relations, the root among them.
    pub fn size(&self) -> usize {
        self.nodes.len()
    }
    fn variable(&mut self, thread: usize, v: Var) -> u32 {
        self.origin.push((thread, v));
        self.origin.len() as u32 - 1
    }
    fn add(&mut self, parent: usize, args: Vec<Var>, threads: Vec<usize>) -> usize {
        self.nodes.push(RelationNode { parent, constraint: Cube::top(), args, threads });
        self.nodes.len() - 1
    }

    /// Solves the clauses and adds the predicates found.
    pub fn refine(&self, program: &Program, path: &Path, precision: &mut Precision) -> Solved {
        let clauses = self.nodes.iter().map(|n| {
            let (parent, constraint, args) = (n.parent, n.constraint.clone(), n.args.clone());
            Clause { parent, constraint, args }
        });
        let weight = |v: Var| match self.origin.get(v.0 as usize) {
            Some((_, x)) if *x != INPUT && program.is_global(*x) => 1,
            _ => 2,
        };
        let formulas = match solve(clauses.collect(), &weight) {
            Ok(formulas) => formulas,
            Err(why) => return why,
        };
        let origin = |v: Var| self.origin.get(v.0 as usize).copied().unwrap_or((0, INPUT));
        let mut new = false;
        let mut all = Vec::new();
        for (node, f) in self.nodes.iter().zip(&formulas) {
            let spoken = |a: &Atom| a.vars().all(|v| origin(v).1 != INPUT);
            all.extend(f.atoms().into_iter().filter(spoken).map(|a| (&node.threads, a)));
        }
        for (_, atom) in &all {
            new |= precision.add(program, &path.views, atom, &origin);
        }
        if !new {
            for f in formulas.iter().filter(|f| has_or(f)) {
                let spoken = |a: &Atom| a.vars().all(|v| origin(v).1 != INPUT);
                for atom in f.atoms().into_iter().filter(spoken) {
                    new |= precision.split(program, &path.views, &atom, &origin);
                }
            }
        }
        if !new {
            for (threads, atom) in &all {
                new |= precision.add_known(program, &path.views, threads, atom, &origin);
            }
        }
        if new { Solved::New } else { Solved::Known }
    }
}

impl Unwinder<'_> {
    /// Unfolds the clauses from the end of the run to its start, breadth first.
    pub fn unwind(&self) -> Unwound {
        let mut u = Unwound { nodes: Vec::new(), origin: Vec::new(), cut: false };
        let variables = self.program.variables.len() as u32;
        let globals: Vec<u32> = (0..variables).map(|v| u.variable(0, Var(v))).collect();
        u.add(0, Vec::new(), Vec::new());
        let mut locals = vec![Vec::new(); self.path.views.len()];
        for t in &self.path.end {
            locals[*t] = self.fresh(&mut u, *t);
        }
        if let (Some(next), [who, ..]) = (self.path.next, &self.path.end[..]) {
            let edge = self.edge(*who, next);
            u.nodes[0].constraint = self.enabled(&mut u, edge, *who, &globals, &locals);
        }
        let mut tasks = VecDeque::new();
        let last = self.path.steps.len();
        let end = Task { node: 0, depth: 0, threads: self.path.end.clone(), moment: last, globals, locals };
        self.relations(&mut u, &mut tasks, &end);
        while let Some(t) = tasks.pop_front() {
            if t.depth >= self.depth || u.nodes.len() > MOST_NODES {
                u.cut = true;
                u.nodes[t.node].constraint = self.known(&t);
            } else {
                self.expand(&mut u, t, &mut tasks);
            }
        }
        u
    }

    fn fresh(&self, u: &mut Unwound, thread: usize) -> Vec<u32> {
        (0..self.program.variables.len()).map(|v| u.variable(thread, Var(v as u32))).collect()
    }

    fn own(&self, thread: usize, v: Var) -> bool {
        let template = self.system.views[self.path.views[thread]].template;
        self.program.variables[v.0 as usize].scope == Scope::Local(template)
    }

    /// Relations of all choices of a task's threads, as premises of its node.
    fn relations(&self, u: &mut Unwound, tasks: &mut VecDeque<Task>, parent: &Task) {
        for threads in choices(&parent.threads, self.width) {
            let args = self.args(&threads, &parent.globals, &parent.locals);
            let node = u.add(parent.node, args, threads.clone());
            let (globals, locals) = (parent.globals.clone(), parent.locals.clone());
            let depth = parent.depth + 1;
            tasks.push_back(Task { node, depth, threads, moment: parent.moment, globals, locals });
        }
    }

    fn args(&self, threads: &[usize], globals: &[u32], locals: &[Vec<u32>]) -> Vec<Var> {
        let all = 0..self.program.variables.len();
        let shared = all.clone().filter(|v| self.program.is_global(Var(*v as u32))).map(|v| Var(globals[v]));
        let own = threads
            .iter()
            .flat_map(|t| all.clone().filter(|v| self.own(*t, Var(*v as u32))).map(|v| Var(locals[*t][v])));
        let mut args: Vec<Var> = shared.chain(own).collect();
        args.sort_unstable();
        args
    }

    fn named(&self, t: &Task, thread: usize, v: Var) -> Var {
        let v = v.0 as usize;
        if self.program.is_global(Var(v as u32)) { Var(t.globals[v]) } else { Var(t.locals[thread][v]) }
    }

    /// What is known of the relation's states.
    fn known(&self, t: &Task) -> Cube {
        let moment = &self.path.moments[t.moment];
        let mut atoms: Vec<Atom> = Vec::new();
        let shared = &self.system.shared_states[moment.shared as usize];
        atoms.extend(
            shared.iter().map(|k| self.system.shared[*k as usize].rename(|v| Var(t.globals[v.0 as usize]))),
        );
        for me in &t.threads {
            let state = &self.system.local_states[moment.locals[*me] as usize];
            let view = &self.system.views[state.view as usize];
            atoms.extend(state.own.iter().map(|k| view.own[*k as usize].rename(|v| self.named(t, *me, v))));
            for k in &state.others {
                let (about, a) = &view.others[*k as usize];
                for you in t.threads.iter().filter(|x| *x != me && self.path.views[**x] == *about as usize) {
                    atoms.push(a.rename(|v| match Role::of(v).second() {
                        Some(v) => self.named(t, *you, v),
                        None => self.named(t, *me, v),
                    }));
                }
            }
        }
        Cube::of(atoms.into_iter().map(Norm::Atom))
    }

    fn expand(&self, u: &mut Unwound, mut t: Task, tasks: &mut VecDeque<Task>) {
        // Steps of others on their own variables make no difference.
        while let Some(k) = t.moment.checked_sub(1) {
            let (who, edge) = self.path.steps[k];
            let edge = self.edge(who, edge);
            if t.threads.contains(&who) || edge.updates.iter().any(|x| self.program.is_global(x.0)) {
                break;
            }
            t.moment = k;
        }
        let Some(before) = t.moment.checked_sub(1) else {
            u.nodes[t.node].constraint = self.start(u, &t);
            return;
        };
        let (who, edge) = self.path.steps[before];
        let edge = self.edge(who, edge);
        let mut threads = t.threads.clone();
        let mut locals = t.locals.clone();
        let mut globals = t.globals.clone();
        let moves = threads.contains(&who);
        if !moves {
            threads.push(who);
            locals[who] = self.fresh(u, who);
        }
        for (v, _) in &edge.updates {
            if self.program.is_global(*v) {
                globals[v.0 as usize] = u.variable(0, *v);
            } else if moves {
                locals[who][v.0 as usize] = u.variable(who, *v);
            }
        }
        let inputs: Vec<u32> = edge.inputs.iter().map(|_| u.variable(0, INPUT)).collect();
        let name = |v: Var| self.read(v, &inputs, who, &globals, &locals);
        let mut cube = edge.guard.rename(name).and(&edge.bounds.rename(name));
        for (v, e) in &edge.updates {
            let global = self.program.is_global(*v);
            if global || moves {
                let to = if global { t.globals[v.0 as usize] } else { t.locals[who][v.0 as usize] };
                cube.push(Atom::eq(&e.rename(name).sub(&LinExpr::var(Var(to)))));
            }
        }
        u.nodes[t.node].constraint = cube;
        let earlier = Task { node: t.node, depth: t.depth, threads, moment: before, globals, locals };
        self.relations(u, tasks, &earlier);
    }

    /// A variable or an input as a thread reads it.
    fn read(&self, v: Var, inputs: &[u32], who: usize, globals: &[u32], locals: &[Vec<u32>]) -> Var {
        let n = self.program.variables.len() as u32;
        Var(if v.0 >= n {
            inputs[(v.0 - n) as usize]
        } else if self.program.is_global(v) {
            globals[v.0 as usize]
        } else {
            locals[who][v.0 as usize]
        })
    }

    /// Guard and bounds of an edge.
    fn enabled(
        &self,
        u: &mut Unwound,
        edge: &Edge,
        who: usize,
        globals: &[u32],
        locals: &[Vec<u32>],
    ) -> Cube {
        let inputs: Vec<u32> = edge.inputs.iter().map(|_| u.variable(0, INPUT)).collect();
        let name = |v: Var| self.read(v, &inputs, who, globals, locals);
        edge.guard.rename(name).and(&edge.bounds.rename(name))
    }

    fn edge(&self, thread: usize, edge: u32) -> &Edge {
        let template = self.system.views[self.path.views[thread]].template;
        &self.program.templates[template as usize].edges[edge as usize]
    }

    /// The start condition, as far as it is about globals and these threads.
    fn start(&self, u: &mut Unwound, t: &Task) -> Cube {
        let mut all = Cube::top();
        let single = |s: u32| !relyant_check::replicated::several(self.program, s);
        // Locals of single threads that the relation does not speak of.
        let mut rest: Vec<Option<u32>> = vec![None; self.program.variables.len()];
        let whose: Vec<Option<usize>> =
            if t.threads.is_empty() { vec![None] } else { t.threads.iter().map(|x| Some(*x)).collect() };
        for me in whose {
            for a in self.start.atoms() {
                let spoken = |v: Var| match self.program.variables[v.0 as usize].scope {
                    Scope::Global => true,
                    Scope::Local(s) => me.is_some_and(|me| self.own(me, v)) || single(s),
                };
                if !a.vars().all(spoken) {
                    continue;
                }
                let mut names = std::collections::BTreeMap::new();
                for v in a.vars() {
                    let here = t.threads.iter().find(|x| me != Some(**x) && self.own(**x, v));
                    let x = if self.program.is_global(v) {
                        t.globals[v.0 as usize]
                    } else if let Some(me) = me.filter(|me| self.own(*me, v)) {
                        t.locals[me][v.0 as usize]
                    } else if let Some(here) = here {
                        t.locals[*here][v.0 as usize]
                    } else {
                        *rest[v.0 as usize].get_or_insert_with(|| u.variable(0, INPUT))
                    };
                    names.insert(v, Var(x));
                }
                all.push(Norm::Atom(a.rename(|v| names[&v])));
            }
        }
        all
    }
}

fn has_or(f: &Formula) -> bool {
    match f {
        Formula::Or(_) => true,
        Formula::And(parts) => parts.iter().any(has_or),
        _ => false,
    }
}

/// All choices of `k` of them; all of them if they are no more.
fn choices(of: &[usize], k: usize) -> Vec<Vec<usize>> {
    if of.len() <= k {
        return vec![of.to_vec()];
    }
    if k == 0 {
        return vec![Vec::new()];
    }
    let mut out = Vec::new();
    for (n, x) in of.iter().enumerate().take(of.len() + 1 - k) {
        for mut rest in choices(&of[n + 1..], k - 1) {
            rest.insert(0, *x);
            out.push(rest);
        }
    }
    out
}
