//! Twins: two threads that run the same deterministic code, each on variables of its own.
//!
//! What both compute is one function of what they start from, whatever it is: two loops that double a number until it
//! wraps are beyond linear invariants, but where they start alike they end alike. Ghosts keep what each twin's
//! variables were when it was created. The step of the creator that has joined both is split: either they differed at
//! the start, or they are equal now. What is claimed for that speaks of the code's result, a function of where it is and of the
//! values there: it is the same as at the start as long as a twin runs, and is what a twin that has ended has made.
//! (Congruence of functions; the threads are their applications.)
//!
//! Reach: two deterministic threads with loops that one thread creates and joins, at most 3 pairs of variables. Needed by
//! `tests/semantics/threads/twins_safe.c`.

use super::extension::{Claim, Code, Extension, Fact, GhostVariable, Start, StepCase, Value};
use crate::edges::paths::reachable;
use crate::recognisers::Recogniser;
use crate::{Count, Edge, Ghost, Input, Loc, Origin, Program, Scope, Template, Variable};
use relyant_linear::{Atom, Cube, LinExpr, Norm, Rel, Var};
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

/// What is known of twins in a reduced program, of those whose second one is this template.
pub fn find(p: &Program, second: usize) -> Option<Extension> {
    let (twins, names) = (1..second).find_map(|first| pair(p, first, second))?;
    claim(p, &twins, &names)
}

fn pair(p: &Program, first: usize, second: usize) -> Option<(Twins, BTreeMap<Var, Var>)> {
    let (a, b) = (&p.templates[first], &p.templates[second]);
    let single = |t: &Template| t.count == Count::AtMost(1) && t.identity.is_none();
    // Without a loop, what they compute is linear in what they start from.
    let loops = || !a.loops().is_empty();
    if !single(a)
        || !single(b)
        || !loops()
        || a.edges.len() != b.edges.len()
        || a.edges.is_empty()
        || a.entry != b.entry
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
    .then_some((twins, names))
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

/// Ghosts, cases and facts about twins.
struct Claims<'a> {
    p: &'a Program,
    twins: &'a Twins,
    /// By location of the creator.
    at: Vec<BTreeSet<Flags>>,
    /// What each twin's own variables were when it was created: pair by pair.
    copies: Vec<[Var; 2]>,
    /// Locals that are read before they are written, pair by pair, and hidden ghosts with their start values.
    locals: Vec<([Var; 2], [Var; 2])>,
    /// Where a twin may be before it has ended.
    running: Vec<bool>,
}

impl Claims<'_> {
    fn creator_at(&self, is: impl Fn(&Flags) -> bool) -> Vec<(u32, Vec<Loc>)> {
        let there = |f: &BTreeSet<Flags>| !f.is_empty() && f.iter().all(&is);
        let all = (0u32..).zip(&self.at).filter(|(_, f)| there(f)).map(|(l, _)| Loc(l));
        vec![(self.twins.creator as u32, all.collect())]
    }
    /// While a twin is created, and not both were joined.
    fn created(&self, k: usize) -> Vec<(u32, Vec<Loc>)> {
        self.creator_at(|(created, joined)| created[k] && *joined != [true; 2])
    }
    /// What a twin ends with that starts with the copies.
    fn result(&self, k: usize, result: usize) -> Value {
        let own = self.twins.own.iter().zip(&self.copies).map(|(o, c)| (o[0], LinExpr::var(c[k])));
        let locals = self.locals.iter().map(|(v, g)| (v[0], LinExpr::var(g[k])));
        let at = self.p.templates[self.twins.templates[0]].entry;
        Value::Result { code: 0, result, at, with: own.chain(locals).collect() }
    }
    fn facts(&self, names: &BTreeMap<Var, Var>) -> Vec<Fact> {
        let mut out = Vec::new();
        let and = |mut at: Vec<(u32, Vec<Loc>)>, t: usize, l: Vec<Loc>| {
            at.push((t as u32, l));
            at.sort();
            at
        };
        let at_most = |at, e: LinExpr| Fact { at, ..Fact::compares(None, Rel::Le, e) };
        for k in 0..2 {
            let (t, ended) = (self.twins.templates[k], self.twins.ended[k]);
            let entry = self.p.templates[t].entry;
            let running: Vec<Loc> =
                (0u32..).zip(&self.running).filter(|(_, r)| **r).map(|(l, _)| Loc(l)).collect();
            if let Some(started) = self.twins.started[k] {
                let before = self.creator_at(|(created, _)| !created[k]);
                out.push(Fact { at: before.clone(), ..Fact::always(Claim::At(t as u32, vec![entry])) });
                out.push(at_most(before, LinExpr::var(started)));
            }
            out.push(at_most(vec![(t as u32, running.clone())], LinExpr::var(ended)));
            let joined = self.creator_at(|(_, joined)| joined[k]);
            out.push(at_most(joined, LinExpr::int(1).sub(&LinExpr::var(ended))));
            for (v, g) in &self.locals {
                let same = LinExpr::var(v[k]).sub(&LinExpr::var(g[k]));
                let at = vec![(t as u32, vec![entry])];
                out.push(Fact { at, ..Fact::compares(None, Rel::Eq, same) });
            }
            let with: Vec<(Var, LinExpr)> =
                names.iter().map(|(v, w)| (*v, LinExpr::var(if k == 0 { *v } else { *w }))).collect();
            for (result, own) in self.twins.own.iter().enumerate() {
                for at in &running {
                    let now = Value::Result { code: 0, result, at: *at, with: with.clone() };
                    let claim = Claim::Same(now, self.result(k, result));
                    out.push(Fact { at: and(self.created(k), t, vec![*at]), ..Fact::always(claim) });
                }
                let claim = Claim::Same(Value::Of(LinExpr::var(own[k])), self.result(k, result));
                let given = Cube::of([Atom::le(&LinExpr::int(1).sub(&LinExpr::var(ended)))]);
                out.push(Fact { each: None, at: self.created(k), given, claim });
            }
        }
        // Alike at the start, where the copies are.
        let alike = |c: &[Var; 2]| Atom::eq(&LinExpr::var(c[0]).sub(&LinExpr::var(c[1])));
        let given = if self.twins.started == [None; 2] {
            Cube::of(self.copies.iter().map(alike))
        } else {
            Cube::top()
        };
        for (_, g) in &self.locals {
            let same = LinExpr::var(g[0]).sub(&LinExpr::var(g[1]));
            out.push(Fact { given: given.clone(), ..Fact::compares(None, Rel::Eq, same) });
        }
        out
    }
    fn cases(&self, e: &Edge) -> Vec<StepCase> {
        let twins = self.twins;
        let mut same = StepCase::same();
        for k in 0..2 {
            if e.updates.iter().any(|u| Some(u.0) == twins.started[k]) {
                for (pair, copy) in twins.own.iter().zip(&self.copies) {
                    let now = e.updates.iter().find(|u| u.0 == pair[k]).map(|u| u.1.clone());
                    same.updates.push((copy[k], now.unwrap_or_else(|| LinExpr::var(pair[k]))));
                }
            }
        }
        same.updates.sort_by_key(|u| u.0);
        let here = &self.at[e.from.0 as usize];
        let both = |f: &Flags| after(twins, e, *f) == ([true; 2], [true; 2]);
        let last = twins.ended.iter().any(|v| joins(e, *v));
        if !last || here.is_empty() || !here.iter().all(both) {
            return vec![same];
        }
        let (mut all, mut alike) = (Vec::new(), same.clone());
        for (pair, copy) in twins.own.iter().zip(&self.copies) {
            let before = LinExpr::var(copy[0]).sub(&LinExpr::var(copy[1]));
            for different in [Atom::lt(&before), Atom::lt(&before.negated())] {
                let mut case = same.clone();
                case.guard.push(different);
                all.push(case);
            }
            alike.guard.push(Atom::eq(&before));
            alike.guard.push(Atom::eq(&LinExpr::var(pair[0]).sub(&LinExpr::var(pair[1]))));
        }
        all.push(alike);
        all
    }
}

/// What is known of the twins, as an extension; none where what a twin reads cannot be told.
fn claim(p: &Program, twins: &Twins, names: &BTreeMap<Var, Var>) -> Option<Extension> {
    let scope = Scope::Local(twins.creator as u32);
    let t = twins.templates[0];
    let template = &p.templates[t];
    let ends = |e: &Edge| e.updates.iter().any(|u| u.0 == twins.ended[0]);
    let running = reachable(template, [template.entry.0 as usize], |k| !ends(&template.edges[k]));
    if template.edges.iter().any(|e| ends(e) && running[e.to.0 as usize]) {
        return None;
    }
    let arguments = arguments(p, twins, &running);
    let entry = arguments.get(template.entry.0 as usize)?;
    let is_local = |v: &&Var| p.variables[v.0 as usize].scope == Scope::Local(t as u32);
    let read: Vec<Var> = entry.iter().filter(is_local).copied().collect();
    let mut out = Extension::new(Recogniser::Twins);
    let mut number = (p.variables.len() as u32..).map(Var);
    let mut ghost =
        |out: &mut Extension, v: Var, (what, scope): (&str, Scope), start: Start, hidden: bool| {
            let x = &p.variables[v.0 as usize];
            // Nobody looks at bounds of what is hidden.
            let bounds = if hidden { (None, None) } else { (x.min, x.max) };
            let variable = Variable::ghost(format!("{what}({})", x.name), scope, bounds, Ghost::Other);
            out.ghosts.push(GhostVariable { variable, start, hidden });
            number.next()
        };
    let mut copies = Vec::new();
    for pair in &twins.own {
        let mut copy = |k: usize| {
            // One that is created later has the value that it has then.
            let value = LinExpr::var(pair[k]);
            let start = if twins.started[k].is_none() { Start::Value(value) } else { Start::Free(value) };
            ghost(&mut out, pair[k], ("first", scope), start, false)
        };
        copies.push([copy(0)?, copy(1)?]);
    }
    let mut locals = Vec::new();
    for v in read {
        let w = *names.get(&v)?;
        let mut start = |v: Var| {
            let start = Start::Value(LinExpr::var(v));
            ghost(&mut out, v, ("start", Scope::Global), start, true)
        };
        locals.push(([v, w], [start(v)?, start(w)?]));
    }
    let at = progress(p, twins);
    let claims = Claims { p, twins, at, copies, locals, running };
    out.facts = claims.facts(names);
    let results = twins.own.iter().map(|o| o[0]).collect();
    out.code.push(Code { template: t as u32, ends: twins.ended[0], arguments, results });
    for (k, e) in p.templates[twins.creator].edges.iter().enumerate() {
        let cases = claims.cases(e);
        if cases != [StepCase::same()] {
            out.cases.insert((twins.creator as u32, k), cases);
        }
    }
    Some(out)
}

/// By location of the first twin, what its result depends on: its own variables, those that both read, and locals that may be read
/// before they are written.
fn arguments(p: &Program, twins: &Twins, running: &[bool]) -> Vec<Vec<Var>> {
    let t = twins.templates[0];
    let template = &p.templates[t];
    let local = |v: Var| p.variables.get(v.0 as usize).is_some_and(|x| x.scope == Scope::Local(t as u32));
    let mut live: Vec<BTreeSet<Var>> = vec![BTreeSet::new(); template.locations.len()];
    loop {
        let mut changed = false;
        for e in template.edges.iter().filter(|e| running[e.from.0 as usize]) {
            let after = live[e.to.0 as usize].iter().filter(|v| e.after(**v).is_none());
            let before: BTreeSet<Var> =
                e.reads().into_iter().filter(|v| local(*v)).chain(after.copied()).collect();
            let here = &mut live[e.from.0 as usize];
            let n = here.len();
            here.extend(before);
            changed |= here.len() > n;
        }
        if !changed {
            break;
        }
    }
    let known = || twins.own.iter().map(|o| o[0]).chain(twins.shared.iter().copied());
    live.into_iter().map(|l| known().chain(l).collect()).collect()
}
