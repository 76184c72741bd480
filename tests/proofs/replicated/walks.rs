//! A plain walk through runs of a few threads, beside the system that is to do the same.

use super::*;

/// States that the walk looks at.
const STATES: usize = 600;
/// Threads of a template of which there may be many.
const COPIES: u32 = 2;

/// A thread of the walk: view, where it is, its locals, and its state in the system.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Thread {
    view: usize,
    at: Loc,
    locals: BTreeMap<Var, Rat>,
    state: u32,
}

/// The program, and beside it the system that is to do the same.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct World {
    globals: BTreeMap<Var, Rat>,
    threads: Vec<Thread>,
    shared: u32,
}

impl World {
    fn value(&self, of: usize, v: Var) -> Rat {
        let values = [&self.globals, &self.threads[of].locals];
        values.iter().find_map(|m| m.get(&v)).cloned().unwrap_or_else(Rat::zero)
    }
    /// Does what the states say hold?
    fn holds(&self, proof: &Proof) -> bool {
        let global = |v: Var| self.globals.get(&v).cloned().unwrap_or_else(Rat::zero);
        let shared = &proof.shared_states[self.shared as usize];
        shared.iter().all(|k| proof.shared[*k as usize].holds(global))
            && (0..self.threads.len()).all(|t| {
                let state = &proof.local_states[self.threads[t].state as usize];
                let view = &proof.views[state.view as usize];
                let of_other = |a: &Atom, other: usize| {
                    a.holds(|v| match Role::of(v).second() {
                        Some(v) => self.value(other, v),
                        None => self.value(t, v),
                    })
                };
                let others = |k: usize| {
                    let (about, a) = &view.others[k];
                    let them = (0..self.threads.len())
                        .filter(|o| *o != t && self.threads[*o].view == *about as usize);
                    them.into_iter().all(|o| of_other(a, o))
                };
                self.threads[t].at == state.loc
                    && self.threads[t].view == state.view as usize
                    && state.own.iter().all(|k| view.own[*k as usize].holds(|v| self.value(t, v)))
                    && state.others.iter().all(|k| others(*k as usize))
            })
    }
}

fn start(p: &Program, proof: &Proof) -> World {
    let Satisfiable::Sat(model) = p.init.sat_int() else { panic!("no start") };
    let of = |scope: Scope| {
        let all = (0u32..).zip(&p.variables).filter(move |(_, x)| x.scope == scope);
        all.map(|(v, _)| (Var(v), model.value(Var(v)))).collect::<BTreeMap<_, _>>()
    };
    let mut threads = Vec::new();
    for (k, view) in proof.views.iter().enumerate() {
        let template = &p.templates[view.template as usize];
        let copies = match template.count {
            Count::AtMost(n) => n.min(COPIES),
            Count::Unbounded => COPIES,
        };
        for _ in 0..copies {
            let mut locals = of(Scope::Local(view.template));
            if let Some(v) = template.identity {
                let least = p.variables[v.0 as usize].min.unwrap_or(0);
                locals.insert(v, rat(least + threads.len() as i128));
            }
            threads.push(Thread { view: k, at: template.entry, locals, state: k as u32 });
        }
    }
    World { globals: of(Scope::Global), threads, shared: 0 }
}

/// Values after the edge, with some values of its inputs; none where it cannot be taken.
fn after(p: &Program, w: &World, t: usize, e: &Edge) -> Vec<World> {
    let mut out = Vec::new();
    for choice in 0..4i128 {
        let value = |v: Var| match (v.0 as usize).checked_sub(p.variables.len()) {
            Some(k) => match e.inputs[k] {
                Input::Chosen(_, x) => rat(x),
                _ => rat(choice),
            },
            None => w.value(t, v),
        };
        if e.guard.holds(value) && e.bounds.holds(value) {
            let mut next = w.clone();
            next.threads[t].at = e.to;
            for (v, update) in &e.updates {
                let x = update.eval(value);
                let into = if p.is_global(*v) { &mut next.globals } else { &mut next.threads[t].locals };
                into.insert(*v, x);
            }
            if !out.contains(&next) {
                out.push(next);
            }
        }
    }
    out
}

/// Walks through the first states of the program with a few threads: the system can do each step, what it says holds,
/// and there is no error.
pub(super) fn walk(p: &Program, proof: &Proof) -> Result<(), String> {
    let first = start(p, proof);
    if !first.holds(proof) {
        return Err("the start".into());
    }
    let mut steps = BTreeMap::new();
    for s in &proof.steps {
        steps.entry((s.from, s.actor, s.edge)).or_insert(s);
    }
    let (mut seen, mut list, mut k) = (BTreeSet::from([first.clone()]), vec![first], 0);
    while k < list.len() && list.len() < STATES {
        let w = list[k].clone();
        k += 1;
        for t in 0..w.threads.len() {
            let template = &p.templates[proof.views[w.threads[t].view].template as usize];
            if template.locations[w.threads[t].at.0 as usize].error.is_some() {
                return Err("an error".into());
            }
            for (n, e) in (0u32..).zip(&template.edges).filter(|(_, e)| e.from == w.threads[t].at) {
                for mut next in after(p, &w, t, e) {
                    let Some(s) = steps.get(&(w.shared, w.threads[t].state, n)) else {
                        return Err(format!("no step by edge {n} of {}", template.name));
                    };
                    next.shared = s.to;
                    for o in 0..w.threads.len() {
                        let goes = if o == t { Some(s.after) } else { s.goes(w.threads[o].state) };
                        let Some(goes) = goes else { return Err("another thread goes nowhere".into()) };
                        next.threads[o].state = goes;
                    }
                    if !next.holds(proof) {
                        return Err(format!("after edge {n} of {}", template.name));
                    }
                    if seen.insert(next.clone()) {
                        list.push(next);
                    }
                }
            }
        }
    }
    Ok(())
}
