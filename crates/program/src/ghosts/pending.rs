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
//! Reach: as [`super::counts`], of a template of which one thread is chosen; measured together with it.

use super::counts::{Counted, counted_steps, counts_up, is_shared};
use super::extension::{Claim, Extension, Fact, GhostVariable, Start, StepCase};
use crate::linearise::waiting::creations;
use crate::recognisers::Recogniser;
use crate::{Edge, Ghost, Loc, Origin, Program, Scope, Variable};
use relyant_cfa as cfa;
use relyant_linear::{Atom, Cube, LinExpr, Rel, Var};
use std::collections::BTreeMap;

/// Threads of some templates, with the ghosts for a global that each writes at most once.
struct Family {
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
) -> Option<Extension> {
    let single: Vec<usize> = of.chosen.iter().flatten().map(|t| *t as usize).collect();
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
        let left = chosen.iter().map(|c| ghost(&mut out, name(&c.0), Some(1), Ghost::Other)).collect();
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
    Some(out).filter(|_| !families.is_empty())
}

impl Family {
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
        let of_family = self.many.iter().chain(self.chosen.iter().map(|c| &c.0)).any(|c| c.template == t);
        if !of_family && e.reads().contains(&self.counter) {
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
