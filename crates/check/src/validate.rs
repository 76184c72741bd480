//! What programs and proofs must look like before obligations make sense; and when a proof is modular.

use super::{Proof, Rule, State};
use relyant_horn::linear::{Cube, Var};
use relyant_program::{Count, Loc, Program, Role, Scope, Template, role};
use std::collections::BTreeSet;

/// How many threads of a template there are, as far as proofs care.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Copies {
    /// None.
    None,
    /// Exactly one: others may speak of its location and locals.
    One,
    /// Maybe more than one: nobody else may.
    Many,
}

/// How many threads of a template there are.
pub fn copies(t: &Template) -> Copies {
    match t.count {
        Count::AtMost(0) => Copies::None,
        Count::AtMost(1) => Copies::One,
        _ => Copies::Many,
    }
}

fn require(ok: bool, message: impl FnOnce() -> String) -> Result<(), String> {
    if ok { Ok(()) } else { Err(message()) }
}

fn scope(p: &Program, v: Var) -> Option<Scope> {
    p.variables.get(v.0 as usize).map(|x| x.scope)
}

fn vars(c: &Cube) -> impl Iterator<Item = Var> + '_ {
    c.atoms().iter().flat_map(|a| a.vars())
}

/// Variables, templates, and locations of each have to be fewer.
const MOST: usize = 1 << 24;
const _: () = assert!(MOST < role::VARIABLES as usize);

/// Is the program as its types promise?
pub fn program(p: &Program) -> Result<(), String> {
    require(p.variables.len() < MOST && p.templates.len() < MOST, || "too many variables".into())?;
    let mut owners = BTreeSet::new();
    for x in &p.variables {
        if let Scope::Local(t) = x.scope {
            require((t as usize) < p.templates.len(), || format!("`{}` belongs to no template", x.name))?;
            require(!x.identity || owners.insert(t), || format!("`{}` is a second identity", x.name))?;
        } else {
            require(!x.identity, || format!("`{}` is a global identity", x.name))?;
        }
    }
    for v in vars(&p.init) {
        require(scope(p, v).is_some(), || "the start condition speaks of an unknown variable".into())?;
    }
    for (i, t) in p.templates.iter().enumerate() {
        template(p, i as u32, t).map_err(|e| format!("thread `{}`: {e}", t.name))?;
    }
    Ok(())
}

fn template(p: &Program, i: u32, t: &Template) -> Result<(), String> {
    let known = |l: Loc| (l.0 as usize) < t.locations.len();
    require(t.locations.len() < MOST && known(t.entry), || "its entry does not exist".into())?;
    if let Some(v) = t.identity {
        let ok = p.variables.get(v.0 as usize).is_some_and(|x| x.identity && x.scope == Scope::Local(i));
        require(ok, || "its identity is no identity variable of its own".into())?;
    }
    for (k, e) in t.edges.iter().enumerate() {
        let readable = |v: Var, inputs: bool| match scope(p, v) {
            Some(Scope::Global) => true,
            Some(Scope::Local(o)) => o == i,
            None => inputs && (v.0 as usize - p.variables.len()) < e.inputs.len(),
        };
        require(known(e.from) && known(e.to), || format!("step {k} leads nowhere"))?;
        let reads = vars(&e.guard).chain(vars(&e.bounds)).chain(e.updates.iter().flat_map(|u| u.1.vars()));
        for v in reads {
            require(readable(v, true), || format!("step {k} reads a variable that is not its own"))?;
        }
        for (n, (v, value)) in e.updates.iter().enumerate() {
            let constant = p.variables.get(v.0 as usize).is_none_or(|x| x.identity);
            require(readable(*v, false) && !constant, || format!("step {k} writes what it may not"))?;
            require(n == 0 || e.updates[n - 1].0 < *v, || format!("step {k} has unsorted updates"))?;
            let integral =
                value.constant_part().is_integer() && value.terms().iter().all(|x| x.1.is_integer());
            require(integral, || format!("step {k} has a fraction in an update"))?;
        }
    }
    Ok(())
}

/// Does the proof fit the program: known templates, locations and variables, nothing said of the locals or the
/// location of "the" thread of a template that has many, all threads covered, the claim `modular` true?
pub fn proof(p: &Program, proof: &Proof) -> Result<(), String> {
    match proof.rule {
        Rule::Monolithic => monolithic(p, proof)?,
        _ => by_thread(p, proof)?,
    }
    require(proof.modular == is_modular(p, proof), || {
        if proof.modular { "it is not modular" } else { "it is modular, but does not say so" }.into()
    })
}

fn monolithic(p: &Program, proof: &Proof) -> Result<(), String> {
    require(proof.threads.is_empty(), || "a monolithic proof has no assertions of threads".into())?;
    require(proof.tickets.is_empty(), || "a monolithic proof has no tickets".into())?;
    for t in &p.templates {
        require(copies(t) != Copies::Many, || {
            format!("a monolithic proof can't speak of the threads `{}`, of which there may be many", t.name)
        })?;
    }
    for (at, cube) in &proof.global {
        let known = at.len() == p.templates.len()
            && at.iter().zip(&p.templates).all(|(l, t)| (l.0 as usize) < t.locations.len());
        require(known, || "unknown location".into())?;
        for v in vars(cube) {
            require(scope(p, v).is_some(), || "unknown variable".into())?;
        }
    }
    Ok(())
}

fn by_thread(p: &Program, proof: &Proof) -> Result<(), String> {
    require(proof.global.is_empty(), || "only a monolithic proof has a global invariant".into())?;
    let mut seen = BTreeSet::new();
    for th in &proof.threads {
        let t = p.templates.get(th.template as usize).ok_or("unknown thread")?;
        require(seen.insert(th.template), || format!("thread `{}` appears twice", t.name))?;
        require(proof.rule == Rule::RelyGuarantee || th.environment.is_empty(), || {
            format!("thread `{}` has environment transitions, which this rule does not", t.name)
        })?;
        thread(p, th).map_err(|e| format!("thread `{}`: {e}", t.name))?;
    }
    for t in &proof.tickets {
        tickets(p, t)?;
    }
    for (i, t) in p.templates.iter().enumerate() {
        let needed = copies(t) != Copies::None && !t.edges.is_empty();
        require(!needed || seen.contains(&(i as u32)), || format!("thread `{}` is missing", t.name))?;
    }
    Ok(())
}

fn tickets(p: &Program, t: &super::Tickets) -> Result<(), String> {
    require(p.is_global(t.counter), || "a counter of tickets is no global".into())?;
    let mut seen = BTreeSet::new();
    for h in &t.holders {
        let template = p.templates.get(h.template as usize).ok_or("tickets of an unknown thread")?;
        require(seen.insert(h.template), || {
            format!("thread `{}` holds two tickets of a counter", template.name)
        })?;
        require(scope(p, h.variable) == Some(Scope::Local(h.template)), || "a ticket is no local".into())?;
        let known = locations(p, h.template, &h.locations) && !h.locations.contains(&template.entry);
        require(known, || format!("thread `{}` can't hold a ticket where it says", template.name))?;
    }
    Ok(())
}

fn thread(p: &Program, th: &super::ThreadProof) -> Result<(), String> {
    let i = th.template;
    let one = |t: u32| p.templates.get(t as usize).is_some_and(|t| copies(t) == Copies::One);
    // May an assertion of thread i speak of v?
    let visible = |v: Var| match scope(p, v) {
        Some(Scope::Global) => true,
        Some(Scope::Local(t)) => t == i || one(t),
        None => false,
    };
    let mut last = None;
    for (l, states) in &th.invariants {
        require(locations(p, i, std::slice::from_ref(l)), || "unknown location".into())?;
        require(last.is_none_or(|x| x < *l), || "locations are not sorted".into())?;
        last = Some(*l);
        for s in states {
            control(p, &s.control, i)?;
            require(vars(&s.cube).all(visible), || "a state speaks of a variable it may not".into())?;
        }
    }
    for e in &th.environment {
        let t = p.templates.get(e.actor as usize).ok_or("unknown actor")?;
        let other = if e.actor == i { copies(t) == Copies::Many } else { copies(t) != Copies::None };
        require(other, || format!("there is no other thread `{}`", t.name))?;
        require(locations(p, e.actor, &e.from) && locations(p, e.actor, &e.to), || {
            "an environment transition has unknown or unsorted locations".into()
        })?;
        control(p, &e.control, e.actor)?;
        require(locations(p, i, &e.at), || {
            "an environment transition applies at unknown or unsorted locations".into()
        })?;
        let sorted = e.writes.windows(2).all(|w| w[0] < w[1]);
        require(sorted && e.writes.iter().all(|v| p.is_global(*v)), || {
            "an environment transition writes what is no global, or its writes are not sorted".into()
        })?;
        for v in vars(&e.relation) {
            let ok = match Role::of(v) {
                Role::Before(v) | Role::After(v) => visible(v) || scope(p, v) == Some(Scope::Local(e.actor)),
                Role::Second(_) | Role::Third(_) => false,
            };
            require(ok, || "an environment transition speaks of a variable it may not".into())?;
        }
    }
    Ok(())
}

fn locations(p: &Program, t: u32, ls: &[Loc]) -> bool {
    let count = p.templates.get(t as usize).map_or(0, |t| t.locations.len());
    ls.iter().all(|l| (l.0 as usize) < count) && ls.windows(2).all(|w| w[0] < w[1])
}

fn control(p: &Program, control: &[(u32, Vec<Loc>)], own: u32) -> Result<(), String> {
    require(control.windows(2).all(|w| w[0].0 < w[1].0), || "control is not sorted".into())?;
    for (t, ls) in control {
        let known = p.templates.get(*t as usize).is_some_and(|x| copies(x) == Copies::One);
        require(known && *t != own, || "control of a thread that is not another single one".into())?;
        require(locations(p, *t, ls), || "control has unknown or unsorted locations".into())?;
    }
    Ok(())
}

/// Does no state speak of another thread's locals or location, and no environment transition of any thread's
/// locals (but for its own identity and ticket)?
pub fn is_modular(p: &Program, proof: &Proof) -> bool {
    if proof.rule == Rule::Monolithic {
        return false;
    }
    proof.threads.iter().all(|th| {
        let own = |v: Var| matches!(scope(p, v), Some(Scope::Local(t)) if t == th.template);
        let holds = |t: &super::Tickets, v: Var| {
            t.holders.iter().any(|h| h.template == th.template && h.variable == v)
        };
        let ticket = |v: Var| proof.tickets.iter().any(|t| holds(t, v));
        let identity = |v: Var| own(v) && (p.variables[v.0 as usize].identity || ticket(v));
        let state = |s: &State| s.control.is_empty() && vars(&s.cube).all(|v| p.is_global(v) || own(v));
        th.invariants.iter().all(|(_, states)| states.iter().all(state))
            && th.environment.iter().all(|e| {
                e.control.is_empty()
                    && vars(&e.relation).map(|v| Role::of(v).plain()).all(|v| p.is_global(v) || identity(v))
            })
    })
}
