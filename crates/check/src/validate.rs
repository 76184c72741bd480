//! What programs and proofs must look like before obligations make sense; and when a proof is modular.

use super::flaw::{AssertionFlaw, EdgeFlaw, ProgramFlaw, ProofFlaw, ThreadFlaw};
use super::{Assertion, Proof, Rule};
use relyant_linear::{Cube, Var};
use relyant_program::{Count, Loc, Program, Role, Scope, Template};
use std::collections::BTreeSet;

/// How many threads of a template there are, as far as proofs care.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Copies {
    /// None: no thread of the template is ever created.
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

fn require<E>(ok: bool, flaw: impl FnOnce() -> E) -> Result<(), E> {
    if ok { Ok(()) } else { Err(flaw()) }
}

fn scope(p: &Program, v: Var) -> Option<Scope> {
    p.variables.get(v.0 as usize).map(|x| x.scope)
}

fn vars(c: &Cube) -> impl Iterator<Item = Var> + '_ {
    c.atoms().iter().flat_map(|a| a.vars())
}

/// Variables, templates, and locations of each have to be fewer.
const MOST: usize = 1 << 24;

/// Is the program as its types promise?
pub fn program(p: &Program) -> Result<(), ProgramFlaw> {
    require(!p.deadlock, || ProgramFlaw::Deadlocks)?;
    require(p.variables.len() < MOST && p.templates.len() < MOST && p.has_room_for_roles(), || {
        ProgramFlaw::TooMany
    })?;
    let mut owners = BTreeSet::new();
    for x in &p.variables {
        if let Scope::Local(t) = x.scope {
            require((t as usize) < p.templates.len(), || ProgramFlaw::NoOwner(x.name.clone()))?;
            require(!x.identity || owners.insert(t), || ProgramFlaw::SecondIdentity(x.name.clone()))?;
        } else {
            require(!x.identity, || ProgramFlaw::GlobalIdentity(x.name.clone()))?;
        }
    }
    for v in vars(&p.init) {
        require(scope(p, v).is_some(), || ProgramFlaw::Start)?;
    }
    for (i, t) in p.templates.iter().enumerate() {
        template(p, i as u32, t).map_err(|e| ProgramFlaw::Thread(t.name.clone(), e))?;
    }
    Ok(())
}

fn template(p: &Program, i: u32, t: &Template) -> Result<(), ThreadFlaw> {
    let known = |l: Loc| (l.0 as usize) < t.locations.len();
    require(t.locations.len() < MOST && known(t.entry), || ThreadFlaw::Entry)?;
    if let Some(v) = t.identity {
        let ok = p.variables.get(v.0 as usize).is_some_and(|x| x.identity && x.scope == Scope::Local(i));
        require(ok, || ThreadFlaw::Identity)?;
    }
    for (k, e) in t.edges.iter().enumerate() {
        let wrong = |flaw: EdgeFlaw| move || ThreadFlaw::Edge(k, flaw);
        let readable = |v: Var, inputs: bool| match scope(p, v) {
            Some(Scope::Global) => true,
            Some(Scope::Local(o)) => o == i,
            None => inputs && (v.0 as usize - p.variables.len()) < e.inputs.len(),
        };
        require(known(e.from) && known(e.to), wrong(EdgeFlaw::Nowhere))?;
        let reads = vars(&e.guard).chain(vars(&e.bounds)).chain(e.updates.iter().flat_map(|u| u.1.vars()));
        for v in reads {
            require(readable(v, true), wrong(EdgeFlaw::Reads))?;
        }
        for (n, (v, value)) in e.updates.iter().enumerate() {
            let constant = p.variables.get(v.0 as usize).is_none_or(|x| x.identity);
            require(readable(*v, false) && !constant, wrong(EdgeFlaw::Writes))?;
            require(n == 0 || e.updates[n - 1].0 < *v, wrong(EdgeFlaw::Unsorted))?;
            let integral =
                value.constant_part().is_integer() && value.terms().iter().all(|x| x.1.is_integer());
            require(integral, wrong(EdgeFlaw::Fraction))?;
        }
    }
    Ok(())
}

/// Does the proof fit the program: known templates, locations and variables, nothing said of the locals or the
/// location of "the" thread of a template that has many, all threads covered, the claim `modular` true?
pub fn proof(p: &Program, proof: &Proof) -> Result<(), ProofFlaw> {
    match proof.rule {
        Rule::Monolithic => monolithic(p, proof)?,
        _ => by_thread(p, proof)?,
    }
    require(proof.modular == is_modular(p, proof), || {
        if proof.modular { ProofFlaw::NotModular } else { ProofFlaw::Modular }
    })
}

fn monolithic(p: &Program, proof: &Proof) -> Result<(), ProofFlaw> {
    require(proof.threads.is_empty(), || ProofFlaw::MonolithicThreads)?;
    require(proof.tickets.is_empty(), || ProofFlaw::MonolithicTickets)?;
    for t in &p.templates {
        require(copies(t) != Copies::Many, || ProofFlaw::MonolithicMany(t.name.clone()))?;
    }
    for (at, cube) in &proof.global {
        let known = at.len() == p.templates.len()
            && at.iter().zip(&p.templates).all(|(l, t)| (l.0 as usize) < t.locations.len());
        require(known, || ProofFlaw::Location)?;
        for v in vars(cube) {
            require(scope(p, v).is_some(), || ProofFlaw::Variable)?;
        }
    }
    Ok(())
}

fn by_thread(p: &Program, proof: &Proof) -> Result<(), ProofFlaw> {
    require(proof.global.is_empty(), || ProofFlaw::Global)?;
    let mut seen = BTreeSet::new();
    for th in &proof.threads {
        let t = p.templates.get(th.template as usize).ok_or(ProofFlaw::NoThread)?;
        require(seen.insert(th.template), || ProofFlaw::Twice(t.name.clone()))?;
        require(proof.rule == Rule::RelyGuarantee || th.environment.is_empty(), || {
            ProofFlaw::Environment(t.name.clone())
        })?;
        thread(p, th).map_err(|e| ProofFlaw::Thread(t.name.clone(), e))?;
    }
    for t in &proof.tickets {
        tickets(p, t)?;
    }
    for (i, t) in p.templates.iter().enumerate() {
        let needed = copies(t) != Copies::None && !t.edges.is_empty();
        require(!needed || seen.contains(&(i as u32)), || ProofFlaw::Missing(t.name.clone()))?;
    }
    Ok(())
}

fn tickets(p: &Program, t: &super::Tickets) -> Result<(), ProofFlaw> {
    require(p.is_global(t.counter), || ProofFlaw::Counter)?;
    let mut seen = BTreeSet::new();
    for h in &t.holders {
        let template = p.templates.get(h.template as usize).ok_or(ProofFlaw::UnknownHolder)?;
        require(seen.insert(h.template), || ProofFlaw::TwoTickets(template.name.clone()))?;
        require(scope(p, h.variable) == Some(Scope::Local(h.template)), || ProofFlaw::Ticket)?;
        let known = locations(p, h.template, &h.locations) && !h.locations.contains(&template.entry);
        require(known, || ProofFlaw::Holds(template.name.clone()))?;
    }
    Ok(())
}

fn thread(p: &Program, th: &super::ThreadProof) -> Result<(), AssertionFlaw> {
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
        require(locations(p, i, std::slice::from_ref(l)), || AssertionFlaw::Location)?;
        require(last.is_none_or(|x| x < *l), || AssertionFlaw::Unsorted)?;
        last = Some(*l);
        for s in states {
            control(p, &s.control, i)?;
            require(vars(&s.cube).all(visible), || AssertionFlaw::State)?;
        }
    }
    for e in &th.environment {
        let t = p.templates.get(e.actor as usize).ok_or(AssertionFlaw::Actor)?;
        let other = if e.actor == i { copies(t) == Copies::Many } else { copies(t) != Copies::None };
        require(other, || AssertionFlaw::NoOther(t.name.clone()))?;
        require(locations(p, e.actor, &e.from) && locations(p, e.actor, &e.to), || AssertionFlaw::Ends)?;
        control(p, &e.control, e.actor)?;
        require(e.at.as_ref().is_none_or(|at| !at.is_empty() && locations(p, i, at)), || AssertionFlaw::At)?;
        let sorted = e.writes.windows(2).all(|w| w[0] < w[1]);
        require(sorted && e.writes.iter().all(|v| p.is_global(*v)), || AssertionFlaw::Writes)?;
        for v in vars(&e.relation) {
            let ok = match Role::of(v) {
                Role::Before(v) | Role::After(v) => visible(v) || scope(p, v) == Some(Scope::Local(e.actor)),
                Role::Second(_) | Role::Third(_) => false,
            };
            require(ok, || AssertionFlaw::Relation)?;
        }
    }
    Ok(())
}

fn locations(p: &Program, t: u32, ls: &[Loc]) -> bool {
    let count = p.templates.get(t as usize).map_or(0, |t| t.locations.len());
    ls.iter().all(|l| (l.0 as usize) < count) && ls.windows(2).all(|w| w[0] < w[1])
}

fn control(p: &Program, control: &[(u32, Vec<Loc>)], own: u32) -> Result<(), AssertionFlaw> {
    require(control.windows(2).all(|w| w[0].0 < w[1].0), || AssertionFlaw::ControlOrder)?;
    for (t, ls) in control {
        let known = p.templates.get(*t as usize).is_some_and(|x| copies(x) == Copies::One);
        require(known && *t != own, || AssertionFlaw::ControlThread)?;
        require(locations(p, *t, ls), || AssertionFlaw::ControlLocations)?;
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
        let state = |s: &Assertion| s.control.is_empty() && vars(&s.cube).all(|v| p.is_global(v) || own(v));
        th.invariants.iter().all(|(_, states)| states.iter().all(state))
            && th.environment.iter().all(|e| {
                e.control.is_empty()
                    && vars(&e.relation).map(|v| Role::of(v).plain()).all(|v| p.is_global(v) || identity(v))
            })
    })
}
