//! Twins: two threads that run the same deterministic code, each on variables of its own.
//!
//! What both compute is one function of what they start from, whatever it is: two loops that double a number until it
//! wraps are beyond linear invariants, but where they start alike they end alike. Ghosts keep what each twin's
//! variables were when it was created. The step of the creator that has joined both is split: either they differed at
//! the start, or they are equal now. (Congruence of functions; the threads are their applications.)

use crate::{Count, Edge, Ghost, Input, Origin, Program, Scope, Template, Variable};
use relyant_linear::{Atom, Cube, LinExpr, Norm, Var};
use std::collections::{BTreeMap, BTreeSet};

/// Pairs of variables that are compared at most.
const MOST: usize = 3;

/// Two threads that do the same.
struct Twins {
    templates: [usize; 2],
    /// Who creates and joins both.
    creator: usize,
    /// `None` for a twin that is there from the start.
    started: [Option<Var>; 2],
    ended: [Var; 2],
    /// Globals that only the one twin, and only the other, works on.
    own: Vec<[Var; 2]>,
    /// Globals that both read.
    shared: BTreeSet<Var>,
}

/// How far the creator has come with both.
type Flags = ([bool; 2], [bool; 2]);

/// Adds what is known of twins to a reduced program.
pub fn add_twins(p: &mut Program) {
    for second in 1..p.templates.len() {
        if let Some(twins) = (1..second).find_map(|first| find(p, first, second)) {
            add(p, &twins);
        }
    }
}

fn find(p: &Program, first: usize, second: usize) -> Option<Twins> {
    let (a, b) = (&p.templates[first], &p.templates[second]);
    let single = |t: &Template| t.count == Count::AtMost(1) && t.identity.is_none();
    if !single(a) || !single(b) || a.edges.len() != b.edges.len() || a.edges.is_empty() || a.entry != b.entry
    {
        return None;
    }
    let names = counterparts(p, a, b)?;
    let ghost = |what: Ghost| {
        let is = |x: &Variable| x.origin == Origin::Ghost(what) && x.scope == Scope::Global;
        p.variables.iter().position(is).map(|v| Var(v as u32))
    };
    let writes = |t: &Template, v: Var| t.edges.iter().any(|e| e.updates.iter().any(|u| u.0 == v));
    let both = [first as u32, second as u32];
    let created = |t| ghost(Ghost::Started(t)).filter(|v| p.templates.iter().any(|t| writes(t, *v)));
    let started = both.map(created);
    let [Some(end), Some(other_end)] = both.map(|t| ghost(Ghost::Ended(t))) else { return None };
    let ended = [end, other_end];
    let pairs = |k: usize, v: &Var| Some(*v) == started[k] || *v == ended[k];
    let mut own = Vec::new();
    let mut shared = BTreeSet::new();
    for (v, w) in &names {
        match (p.is_global(*v), p.is_global(*w)) {
            (true, true) if v == w => {
                shared.insert(*v);
            }
            (true, true) if pairs(0, v) != pairs(1, w) => return None,
            (true, true) if pairs(0, v) => {}
            (true, true) => own.push([*v, *w]),
            (false, false) => {}
            _ => return None,
        }
    }
    let firsts: BTreeSet<Var> = own.iter().map(|o| o[0]).collect();
    // The thread that runs `main`.
    let creator = 0;
    let mut others = p.templates.iter().skip(1);
    if others.any(|t| started.iter().flatten().any(|v| writes(t, *v))) {
        return None;
    }
    let twins = Twins { templates: [first, second], creator, started, ended, own, shared };
    let apart = twins.own.iter().all(|o| !firsts.contains(&o[1]) && !twins.shared.contains(&o[1]));
    let reads_only = a.edges.iter().all(|e| e.updates.iter().all(|u| !twins.shared.contains(&u.0)));
    (apart
        && reads_only
        && !twins.own.is_empty()
        && twins.own.len() <= MOST
        && p.templates[creator].count == Count::AtMost(1)
        && creator != first
        && creator != second
        && deterministic(p, a)
        && starts_alike(p, &twins, &names)
        && undisturbed(p, &twins))
    .then_some(twins)
}

/// Which variable of the second stands for each of the first, if they do the same.
fn counterparts(p: &Program, a: &Template, b: &Template) -> Option<BTreeMap<Var, Var>> {
    let mut names = BTreeMap::new();
    let terms = |x: &LinExpr, y: &LinExpr, names: &mut BTreeMap<Var, Var>| {
        x.terms().len() == y.terms().len()
            && x.terms().iter().zip(y.terms()).all(|(v, w)| *names.entry(v.0).or_insert(w.0) == w.0)
    };
    for (e, f) in a.edges.iter().zip(&b.edges) {
        let alike = e.from == f.from
            && e.to == f.to
            && e.exact
            && f.exact
            && e.inputs == f.inputs
            && e.inputs.iter().all(|i| *i == Input::Auxiliary)
            && e.updates.len() == f.updates.len()
            && e.guard.atoms().len() == f.guard.atoms().len()
            && e.bounds.atoms().len() == f.bounds.atoms().len();
        if !alike {
            return None;
        }
        for (u, v) in e.updates.iter().zip(&f.updates) {
            if *names.entry(u.0).or_insert(v.0) != v.0 || !terms(&u.1, &v.1, &mut names) {
                return None;
            }
        }
        let atoms = |e: &Edge| e.guard.atoms().iter().chain(e.bounds.atoms()).cloned().collect::<Vec<_>>();
        if !atoms(e).iter().zip(&atoms(f)).all(|(x, y)| terms(x.expr(), y.expr(), &mut names)) {
            return None;
        }
    }
    let targets: BTreeSet<Var> = names.values().copied().collect();
    let same = {
        let f = |v: Var| names.get(&v).copied().unwrap_or(v);
        a.edges.iter().zip(&b.edges).all(|(e, g)| {
            let mut updates: Vec<(Var, LinExpr)> =
                e.updates.iter().map(|(v, x)| (f(*v), x.rename(f))).collect();
            updates.sort_by_key(|u| u.0);
            updates == g.updates && e.guard.rename(f) == g.guard && e.bounds.rename(f) == g.bounds
        })
    };
    let one_to_one = targets.len() == names.len();
    // Auxiliary inputs of exact steps are determined by the rest: each stands for itself.
    let input = |v: &Var| v.0 as usize >= p.variables.len();
    let apart = names.iter().all(|(v, w)| if input(v) || input(w) { v == w } else { true });
    names.retain(|v, _| !input(v));
    (same && one_to_one && apart).then_some(names)
}

/// Is there at most one step at a time?
fn deterministic(p: &Program, t: &Template) -> bool {
    let base = p.variables.len() as u32;
    t.edges.iter().enumerate().all(|(k, e)| {
        let by = e.inputs.len() as u32;
        let apart = |v: Var| if v.0 >= base { Var(v.0 + by) } else { v };
        t.edges[k + 1..].iter().filter(|f| f.from == e.from).all(|f| {
            let other = f.guard.and(&f.bounds).rename(apart);
            let both = e.guard.and(&e.bounds).and(&other);
            !crate::edges::bounds::feasible(p, &both)
        })
    })
}

/// Do the twins' locals have the same values at the start, where these are read?
fn starts_alike(p: &Program, twins: &Twins, names: &BTreeMap<Var, Var>) -> bool {
    let t = twins.templates[0];
    let template = &p.templates[t];
    let mut start = p.init.clone();
    if twins.started == [None; 2] {
        // Where their own variables differ at the start nothing is said of the twins.
        for [v, w] in &twins.own {
            start.push(Atom::eq(&LinExpr::var(*v).sub(&LinExpr::var(*w))));
        }
    }
    let local = |v: &Var| p.variables.get(v.0 as usize).is_some_and(|x| x.scope == Scope::Local(t as u32));
    let mut written: Vec<Option<BTreeSet<Var>>> = vec![None; template.locations.len()];
    written[template.entry.0 as usize] = Some(BTreeSet::new());
    loop {
        let mut changed = false;
        for e in &template.edges {
            let Some(before) = &written[e.from.0 as usize] else { continue };
            let after: BTreeSet<Var> = before.iter().copied().chain(e.updates.iter().map(|u| u.0)).collect();
            let to = &written[e.to.0 as usize];
            let new = to.as_ref().map_or_else(|| after.clone(), |w| w & &after);
            if to.as_ref() != Some(&new) {
                written[e.to.0 as usize] = Some(new);
                changed = true;
            }
        }
        if !changed {
            break;
        }
    }
    template.edges.iter().all(|e| {
        let Some(before) = &written[e.from.0 as usize] else { return true };
        e.reads().iter().filter(|v| local(v) && !before.contains(v)).all(|v| {
            names.get(v).is_some_and(|w| {
                let d = LinExpr::var(*v).sub(&LinExpr::var(*w));
                [Atom::le(&d), Atom::le(&d.negated())].iter().all(|n| match n {
                    Norm::Atom(a) => start.entails_rational(a),
                    Norm::True => true,
                    Norm::False => false,
                })
            })
        })
    })
}

/// What the creator has done of creating and joining, by location.
fn progress(p: &Program, twins: &Twins) -> Vec<BTreeSet<Flags>> {
    let template = &p.templates[twins.creator];
    let mut seen: Vec<BTreeSet<Flags>> = vec![BTreeSet::new(); template.locations.len()];
    let mut work = vec![(template.entry, (twins.started.map(|s| s.is_none()), [false; 2]))];
    while let Some((l, flags)) = work.pop() {
        if !seen[l.0 as usize].insert(flags) {
            continue;
        }
        for e in template.edges.iter().filter(|e| e.from == l) {
            work.push((e.to, after(twins, e, flags)));
        }
    }
    seen
}

fn after(twins: &Twins, e: &Edge, (mut created, mut joined): Flags) -> Flags {
    for k in 0..2 {
        created[k] |= e.updates.iter().any(|u| Some(u.0) == twins.started[k]);
        joined[k] |= joins(e, twins.ended[k]);
    }
    (created, joined)
}

/// Can the edge be taken only when the thread has ended?
fn joins(e: &Edge, ended: Var) -> bool {
    let one = Atom::le(&LinExpr::int(1).sub(&LinExpr::var(ended)));
    match one {
        Norm::Atom(a) => e.guard.entails_rational(&a),
        _ => false,
    }
}

/// Does nobody else write what the twins work on, from its creation until both were joined?
fn undisturbed(p: &Program, twins: &Twins) -> bool {
    let at = progress(p, twins);
    let works_on = |k: usize, v: &Var| twins.own.iter().any(|o| o[k] == *v);
    p.templates.iter().enumerate().all(|(t, template)| {
        template.edges.iter().all(|e| {
            e.updates.iter().all(|(v, _)| {
                let own = [works_on(0, v), works_on(1, v)];
                let ghosts = twins.ended.contains(v) || twins.started.contains(&Some(*v));
                if let Some(k) = twins.templates.iter().position(|x| *x == t) {
                    // The other's would be neither shared nor its own.
                    return !own[1 - k] && *v != twins.ended[1 - k] && Some(*v) != twins.started[1 - k];
                }
                if !own[0] && !own[1] && !twins.shared.contains(v) {
                    return !ghosts || (t == twins.creator && !twins.ended.contains(v));
                }
                t == twins.creator
                    && at[e.from.0 as usize].iter().all(|flags| {
                        let (_, joined) = after(twins, e, *flags);
                        let created = flags.0;
                        let running = if own[0] || own[1] {
                            (own[0] && created[0]) || (own[1] && created[1])
                        } else {
                            created[0] || created[1]
                        };
                        !running || joined == [true; 2]
                    })
            })
        })
    })
}

fn add(p: &mut Program, twins: &Twins) {
    let at = progress(p, twins);
    let scope = Scope::Local(twins.creator as u32);
    let copy = |v: &Var| {
        let x = &p.variables[v.0 as usize];
        Variable::ghost(format!("first({})", x.name), scope, (x.min, x.max), Ghost::Other)
    };
    let first = p.add_variables(twins.own.iter().flatten().map(copy).collect()).0;
    let copies: Vec<[Var; 2]> =
        (0..twins.own.len() as u32).map(|k| [Var(first + 2 * k), Var(first + 2 * k + 1)]).collect();
    for k in (0..2).filter(|k| twins.started[*k].is_none()) {
        for (pair, copy) in twins.own.iter().zip(&copies) {
            p.init.push(Atom::eq(&LinExpr::var(copy[k]).sub(&LinExpr::var(pair[k]))));
        }
    }
    let edges = std::mem::take(&mut p.templates[twins.creator].edges);
    let mut all = Vec::new();
    for mut e in edges {
        for k in 0..2 {
            if e.updates.iter().any(|u| Some(u.0) == twins.started[k]) {
                for (pair, copy) in twins.own.iter().zip(&copies) {
                    let now = e.updates.iter().find(|u| u.0 == pair[k]).map(|u| u.1.clone());
                    e.updates.push((copy[k], now.unwrap_or_else(|| LinExpr::var(pair[k]))));
                }
            }
        }
        e.updates.sort_by_key(|u| u.0);
        let here = &at[e.from.0 as usize];
        let both = |f: &Flags| after(twins, &e, *f) == ([true; 2], [true; 2]);
        let last = twins.ended.iter().any(|v| joins(&e, *v));
        if !last || here.is_empty() || !here.iter().all(both) {
            all.push(e);
            continue;
        }
        let mut alike = Cube::top();
        for (pair, copy) in twins.own.iter().zip(&copies) {
            let before = LinExpr::var(copy[0]).sub(&LinExpr::var(copy[1]));
            for different in [Atom::lt(&before), Atom::lt(&before.negated())] {
                let mut e = e.clone();
                e.guard.push(different);
                all.push(e);
            }
            alike.push(Atom::eq(&before));
            alike.push(Atom::eq(&LinExpr::var(pair[0]).sub(&LinExpr::var(pair[1]))));
        }
        e.guard = e.guard.and(&alike);
        all.push(e);
    }
    p.templates[twins.creator].edges = all;
}
