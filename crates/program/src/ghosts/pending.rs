//! Threads that still have a step to do, where one of any number is chosen: what a counter of living threads counts.
//!
//! `alive := alive - 1` at most once in each thread, and somebody who waits for `alive = 0`: a proof over globals and one thread's
//! locals does not know that no thread is left then. A ghost counts the threads that were created and have not done
//! the step (`pending`), and another one is 1 while the chosen thread is one of them (`left`). Guards are added that all steps meet:
//!
//! * a thread that has the step before it is one of `pending` beside the chosen one: `left + 1 <= pending`;
//! * the chosen thread, if it has: `left = 1`;
//! * always, where others read the counter: `left <= pending`.
//!
//! What is claimed for that: `pending` is at least the number of threads that wait to begin or are before the step, the chosen
//! one included, of which `left` says where it is. (Auxiliary variables of Owicki and Gries, 1976; numbers of threads at
//! locations are the counters of counter abstraction.)
//!
//! Who is chosen does not matter for the error of another thread (see `linearise/choices.rs`), and the threads that are `pending` are those
//! for each of which `left` would be 1 if it were the chosen one: each does the step at most once. So another thread has a flag that says
//! whether, when it last read the counter, `left = 1` or `pending = 0`, and errors are entered only with the flag set: who has waited for the
//! chosen thread has waited for all.
//!
//! Reach: as [`super::counts`], of a template of which one thread is chosen; measured together with it. Needed by
//! `slots/ballots.c` and `slots/errands.c`.

use super::counts::{Counted, counted_steps, counts_up, is_shared};
use super::extension::{Claim, Extension, Fact, GhostVariable, Start, StepCase};
use crate::linearise::waiting::creations;
use crate::recognisers::Recogniser;
use crate::{Edge, Ghost, Loc, Origin, Program, Scope, Variable};
use relyant_cfa as cfa;
use relyant_cfa::{Count, LocationKind, Violated};
use relyant_linear::{Atom, Cube, LinExpr, Norm, Rel, Var};
use std::collections::BTreeMap;

/// Threads of some templates, with the ghosts for a global that each writes at most once.
pub struct Family {
    /// The global that counts.
    counter: Var,
    /// Templates of any number of threads.
    many: Vec<Counted>,
    /// Templates of chosen threads, and the flag that says how the program knows that one was created.
    chosen: Vec<(Counted, Var)>,
    pending: Var,
    /// By chosen template.
    left: Vec<Var>,
}

/// Ghosts for a program that has not been reduced, where its reduced form has a use for them. `waiting`: by template, how many of
/// its threads were created and have not begun.
pub fn find(
    p: &Program,
    waiting: &BTreeMap<usize, Var>,
    reduced: &Program,
    of: &cfa::Program,
) -> Option<(Extension, Vec<Family>)> {
    let single: Vec<usize> = of.chosen.iter().flatten().map(|c| c.template as usize).collect();
    let mut out = Extension::new(Recogniser::Counts);
    let mut next = p.variables.len() as u32;
    let mut ghost = |out: &mut Extension, name: String, max, what| {
        let variable = Variable::ghost(name, Scope::Global, (Some(0), max), what);
        out.ghosts.push(GhostVariable { variable, start: Start::Value(LinExpr::zero()), hidden: false });
        next += 1;
        Var(next - 1)
    };
    let mut families = Vec::new();
    for (v, x) in (0u32..).map(Var).zip(&p.variables) {
        if !matches!(x.origin, Origin::Cell(..)) || x.scope != Scope::Global {
            continue;
        }
        let steps = |t: usize| {
            let moves = counts_up(reduced, t, x.origin);
            moves.then(|| counted_steps(&p.templates[t], t, v, &x.name)).flatten()
        };
        let many: Vec<Counted> = waiting.keys().filter_map(|t| steps(*t)).collect();
        let started = |t: usize| {
            let is = |x: &Variable| x.origin == Origin::Ghost(Ghost::Started(t as u32));
            p.variables.iter().position(is).map(|k| Var(k as u32))
        };
        let chosen: Vec<(Counted, Var)> =
            single.iter().filter_map(|t| Some((steps(*t)?, started(*t)?))).collect();
        if many.is_empty() || chosen.is_empty() || many.len() + chosen.len() < waiting.len() + single.len() {
            continue;
        }
        let pending = ghost(&mut out, format!("pending({})", x.name), None, Ghost::Counted);
        let name = |c: &Counted| format!("left({}, {})", p.templates[c.template].name, x.name);
        let left = chosen.iter().map(|c| ghost(&mut out, name(&c.0), Some(1), Ghost::Left)).collect();
        families.push(Family { counter: v, many, chosen, pending, left });
    }
    for v in waiting.values().filter(|_| !families.is_empty()) {
        out.facts.push(Fact::compares(None, Rel::Le, LinExpr::var(*v).negated()));
    }
    for f in &families {
        out.facts.extend(f.facts(p, waiting));
    }
    for (t, template) in p.templates.iter().enumerate() {
        for (k, e) in template.edges.iter().enumerate() {
            let mut case = StepCase::same();
            families.iter().for_each(|f| f.count(p, of, &mut case, (t, k, e)));
            if case != StepCase::same() {
                case.updates.sort_by_key(|u| u.0);
                out.cases.insert((t as u32, k), vec![case]);
            }
        }
    }
    Some((out, families)).filter(|found| !found.1.is_empty())
}

/// Lets errors of other threads be entered only if the chosen thread was one that had the step to do, should there have been any, when the
/// thread that fails last read what is counted. `of`: what the program was made of; it has the ghosts of the families.
pub fn choose(p: &mut Program, families: &[Family], of: &cfa::Program) {
    let chosen = |c: &Counted| {
        let mut all = of.chosen.iter().flatten();
        all.any(|x| [x.template, x.others].contains(&(c.template as u32)))
    };
    let families: Vec<&Family> = families.iter().filter(|f| f.many.iter().all(chosen)).collect();
    for t in 0..p.templates.len() {
        let counted: Vec<&Family> = families.iter().copied().filter(|f| !f.has(t)).collect();
        let reads = |e: &Edge| counted.iter().copied().find(|f| e.reads().contains(&f.counter));
        let template = &p.templates[t];
        if template.count == Count::AtMost(1) && template.edges.iter().any(|e| reads(e).is_some()) {
            choose_for(p, t, &reads, of);
        }
    }
}

/// The same for the errors of one thread; `reads`: what an edge reads that is counted.
fn choose_for<'a>(p: &mut Program, t: usize, reads: &dyn Fn(&Edge) -> Option<&'a Family>, of: &cfa::Program) {
    let name = format!("suits({})", p.templates[t].name);
    let flag = Variable::ghost(name, Scope::Local(t as u32), (Some(0), Some(1)), Ghost::Other);
    let argument = |v: &Var| {
        let origin = p.variables.get(v.0 as usize).map(|x| x.origin);
        let mut all = of.chosen.iter().flatten().filter_map(|c| c.argument);
        all.any(|o| origin == Some(Origin::Cell(o, 0)))
    };
    let template = &p.templates[t];
    let fails = |l: Loc| {
        let origin = template.locations[l].origin as usize;
        let kind = of.templates[t].graph.locations.get(origin).map(|l| &l.kind);
        template.locations[l].error.is_some()
            && !matches!(kind, None | Some(LocationKind::Error(Violated::Race(_))))
    };
    // Where its argument has been asked for, it cannot be one of those, too.
    let asks: Vec<bool> =
        template.edges.iter().map(|e| fails(e.to) && !e.guard.vars().iter().any(argument)).collect();
    let flag = p.add_variables(vec![flag]);
    let (one, set) = (LinExpr::int(1), LinExpr::var(flag));
    p.init.push(Atom::eq(&set.sub(&one)));
    let mut edges = Vec::new();
    for (e, asks) in std::mem::take(&mut p.templates[t].edges).into_iter().zip(asks) {
        let family = reads(&e);
        let mut add = |guard: &[Norm], suits: Option<bool>| {
            let mut e = e.clone();
            guard.iter().for_each(|n| e.guard.push(n.clone()));
            if asks {
                e.guard.push(Atom::le(&one.sub(&set)));
            }
            e.updates.extend(suits.map(|s| (flag, LinExpr::int(s.into()))));
            e.updates.sort_by_key(|u| u.0);
            edges.push(e);
        };
        let Some(f) = family else {
            add(&[], None);
            continue;
        };
        let left = f.left.iter().fold(LinExpr::zero(), |sum, v| sum.add(&LinExpr::var(*v)));
        let (not_it, pending) = (Atom::le(&left), LinExpr::var(f.pending));
        add(&[Atom::le(&one.sub(&left))], Some(true));
        add(&[not_it.clone(), Atom::le(&pending)], Some(true));
        add(&[not_it, Atom::le(&one.sub(&pending))], Some(false));
    }
    p.templates[t].edges = edges;
}

impl Family {
    /// Is a template one of those whose threads are counted?
    fn has(&self, t: usize) -> bool {
        self.many.iter().chain(self.chosen.iter().map(|c| &c.0)).any(|c| c.template == t)
    }
    /// How many chosen threads are left, less those that are pending.
    fn excess(&self) -> LinExpr {
        let left = self.left.iter().fold(LinExpr::zero(), |sum, v| sum.add(&LinExpr::var(*v)));
        left.sub(&LinExpr::var(self.pending))
    }
    /// What holds of the ghosts and of where threads are.
    fn facts(&self, p: &Program, waiting: &BTreeMap<usize, Var>) -> Vec<Fact> {
        let mut sum = self.excess();
        let mut threads = Vec::new();
        for c in &self.many {
            if let Some(w) = waiting.get(&c.template) {
                sum = sum.add(&LinExpr::var(*w));
            }
            threads.push((1, c.template as u32, before(p, c)));
        }
        let mut out = vec![Fact::always(Claim::Sum { rel: Rel::Le, sum, threads })];
        for ((c, started), left) in self.chosen.iter().zip(&self.left) {
            let (t, left) = (c.template as u32, LinExpr::var(*left));
            let at = |locations: Vec<Loc>, claim: LinExpr| Fact {
                at: vec![(t, locations)],
                given: Cube::top(),
                ..Fact::compares(None, Rel::Eq, claim)
            };
            // It was created, and does not go on yet; or it goes on.
            out.push(at(vec![p.templates[c.template].entry], left.sub(&LinExpr::var(*started))));
            out.push(at(before(p, c), left.sub(&LinExpr::int(1))));
        }
        out
    }
    /// What an edge does to the ghosts, and what is known of them there.
    fn count(&self, p: &Program, of: &cfa::Program, case: &mut StepCase, (t, k, e): (usize, usize, &Edge)) {
        let one = LinExpr::int(1);
        let mut change = 0;
        for c in &self.many {
            change += creations(of, t, &e.path, c.template) as i128;
            if c.template == t {
                change -= i128::from(c.steps[k]);
                if is_before(p, c, e.from) && (c.steps[k] || is_shared(p, e)) {
                    case.guard.push(Atom::le(&self.excess().add(&one)));
                }
            }
        }
        for ((c, _), left) in self.chosen.iter().zip(&self.left) {
            let created = creations(of, t, &e.path, c.template) as i128;
            change += created;
            if created > 0 {
                case.updates.push((*left, one.clone()));
            }
            if c.template == t {
                change -= i128::from(c.steps[k]);
                if c.steps[k] {
                    case.updates.push((*left, LinExpr::zero()));
                }
                if is_before(p, c, e.from) && (c.steps[k] || is_shared(p, e)) {
                    case.guard.push(Atom::eq(&LinExpr::var(*left).sub(&one)));
                    case.guard.push(Atom::le(&self.excess()));
                }
            }
        }
        if !self.has(t) && e.reads().contains(&self.counter) {
            case.guard.push(Atom::le(&self.excess()));
        }
        if change != 0 {
            case.updates.push((self.pending, LinExpr::var(self.pending).add(&LinExpr::int(change))));
        }
    }
}

/// Is a thread there one that has begun and has the step before it?
fn is_before(p: &Program, c: &Counted, at: Loc) -> bool {
    at != p.templates[c.template].entry && c.done[at.0 as usize] == Some(false)
}

/// The locations of such threads.
fn before(p: &Program, c: &Counted) -> Vec<Loc> {
    let all = (0..p.templates[c.template].locations.len() as u32).map(Loc);
    all.filter(|l| is_before(p, c, *l)).collect()
}
