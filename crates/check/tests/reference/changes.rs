//! One thing of a proof, or of its program, is changed; both stay well-formed.

use crate::generate::{edge, eq, le, n, x};
use crate::premises::{many, threads};
use relyant_check::{Assertion, EnvTransition, Holder, Proof, Rule, Tickets};
use relyant_linear::{Atom, Cube, Norm, Rel, Var};
use relyant_program::{Count, Loc, Program, Role, Scope};
use relyant_testing::rng::Rng;

type Change = fn(&mut Rng, &mut Program, &mut Proof) -> Option<()>;

/// What can be changed.
const CHANGES: &[Change] = &[
    drop_state,
    drop_transition,
    move_state,
    state_atoms,
    state_atoms,
    relation_atoms,
    relation_atoms,
    relation_atoms,
    relation_more,
    state_control,
    transition_control,
    transition_ends,
    transition_ends,
    writes,
    writes,
    at,
    at,
    holder,
    holder,
    tickets,
    edge_guard,
    edge_update,
    new_edge,
    edge_ends,
    error,
    label,
    count,
    new_transition,
    identity,
];

/// Makes one change, or none if the one that was chosen does not fit.
pub fn change(rng: &mut Rng, p: &mut Program, proof: &mut Proof) -> Option<()> {
    if proof.rule == Rule::Monolithic {
        let changes: [Change; 8] =
            [drop_global, global_atoms, global_atoms, edge_guard, edge_update, new_edge, error, label];
        return rng.pick(&changes)(rng, p, proof);
    }
    rng.pick(CHANGES)(rng, p, proof)
}

fn any<'m, T>(rng: &mut Rng, list: &'m mut [T]) -> Option<&'m mut T> {
    let k = rng.below(list.len());
    list.get_mut(k)
}

/// A random subset of the locations of a template, sorted.
fn places(rng: &mut Rng, p: &Program, t: u32, chance: usize) -> Vec<Loc> {
    let all = (0..p.templates[t as usize].locations.len() as u32).map(Loc);
    all.filter(|_| rng.percent(chance)).collect()
}

/// One more of them, or one less.
fn other_places(rng: &mut Rng, p: &Program, t: u32, ls: &mut Vec<Loc>) {
    let l = Loc(rng.below(p.templates[t as usize].locations.len()) as u32);
    match ls.binary_search(&l) {
        Ok(k) => drop(ls.remove(k)),
        Err(k) => ls.insert(k, l),
    }
}

/// An atom dropped, weakened or moved.
fn atoms(rng: &mut Rng, c: &Cube) -> Option<Cube> {
    let mut norms: Vec<Norm> = c.atoms().iter().cloned().map(Norm::Atom).collect();
    let k = rng.below(norms.len());
    let Norm::Atom(a) = norms.get(k)?.clone() else { return None };
    let e = a.expr();
    match rng.below(5) {
        0 | 1 => drop(norms.remove(k)),
        2 if a.rel() == Rel::Eq => norms[k] = Atom::le(e),
        3 if a.rel() == Rel::Eq => norms[k] = Atom::le(&e.negated()),
        _ => {
            let moved = e.add(&n(if rng.percent(50) { 1 } else { -1 }));
            norms[k] = if a.rel() == Rel::Eq { Atom::eq(&moved) } else { Atom::le(&moved) };
        }
    }
    let c = Cube::of(norms);
    (!c.is_bottom()).then_some(c)
}

fn state<'m>(rng: &mut Rng, proof: &'m mut Proof) -> Option<(u32, &'m mut Assertion)> {
    let th = any(rng, &mut proof.threads)?;
    let (_, states) = any(rng, &mut th.invariants)?;
    Some((th.template, any(rng, states)?))
}

fn transition<'m>(rng: &mut Rng, proof: &'m mut Proof) -> Option<(u32, &'m mut EnvTransition)> {
    let th = any(rng, &mut proof.threads)?;
    Some((th.template, any(rng, &mut th.environment)?))
}

fn drop_state(rng: &mut Rng, _: &mut Program, proof: &mut Proof) -> Option<()> {
    let th = any(rng, &mut proof.threads)?;
    let k = rng.below(th.invariants.len());
    let (_, states) = th.invariants.get_mut(k)?;
    let s = rng.below(states.len());
    (s < states.len()).then(|| drop(states.remove(s)))
}

fn move_state(rng: &mut Rng, p: &mut Program, proof: &mut Proof) -> Option<()> {
    let th = any(rng, &mut proof.threads)?;
    let (_, states) = any(rng, &mut th.invariants)?;
    let k = rng.below(states.len());
    let s = states.get(k)?.clone();
    if rng.percent(50) {
        states.remove(k);
    }
    let l = Loc(rng.below(p.templates[th.template as usize].locations.len()) as u32);
    match th.invariants.iter_mut().find(|x| x.0 == l) {
        Some((_, states)) => states.push(s),
        None => th.invariants.push((l, vec![s])),
    }
    th.invariants.sort();
    Some(())
}

fn drop_transition(rng: &mut Rng, _: &mut Program, proof: &mut Proof) -> Option<()> {
    let th = any(rng, &mut proof.threads)?;
    let k = rng.below(th.environment.len());
    (k < th.environment.len()).then(|| drop(th.environment.remove(k)))
}

fn state_atoms(rng: &mut Rng, _: &mut Program, proof: &mut Proof) -> Option<()> {
    let (_, s) = state(rng, proof)?;
    s.cube = atoms(rng, &s.cube)?;
    Some(())
}

fn relation_atoms(rng: &mut Rng, _: &mut Program, proof: &mut Proof) -> Option<()> {
    let (_, e) = transition(rng, proof)?;
    e.relation = if rng.percent(8) { Cube::top() } else { atoms(rng, &e.relation)? };
    Some(())
}

/// One more atom: of a variable that the thread sees, or of a local of the actor, before the step or after it.
fn relation_more(rng: &mut Rng, p: &mut Program, proof: &mut Proof) -> Option<()> {
    let (j, e) = transition(rng, proof)?;
    let visible = |v: &Var| match p.variables[v.0 as usize].scope {
        Scope::Global => true,
        Scope::Local(t) => t == j || t == e.actor || p.templates[t as usize].count == Count::AtMost(1),
    };
    let vars: Vec<Var> = (0..p.variables.len() as u32).map(Var).filter(visible).collect();
    let v = rng.pick(&vars);
    let v = if rng.percent(50) { x(v) } else { Role::After(v).expr() };
    let k = n(rng.below(3) as i128);
    let more = match rng.below(3) {
        0 => le(&v, &k),
        1 => le(&k, &v),
        _ => eq(&v, &k),
    };
    e.relation = e.relation.and(&Cube::of([more]));
    Some(())
}

fn control(rng: &mut Rng, p: &Program, own: u32, list: &mut Vec<(u32, Vec<Loc>)>) -> Option<()> {
    let one = |t: &u32| p.templates[*t as usize].count == Count::AtMost(1) && *t != own;
    let known: Vec<u32> = threads(p).into_iter().filter(one).collect();
    let t = known.get(rng.below(known.len())).copied()?;
    match list.iter().position(|c| c.0 == t) {
        Some(k) if rng.percent(40) => drop(list.remove(k)),
        Some(k) => other_places(rng, p, t, &mut list[k].1),
        None => {
            list.push((t, places(rng, p, t, 60)));
            list.sort();
        }
    }
    Some(())
}

fn state_control(rng: &mut Rng, p: &mut Program, proof: &mut Proof) -> Option<()> {
    let (j, s) = state(rng, proof)?;
    control(rng, p, j, &mut s.control)
}

fn transition_control(rng: &mut Rng, p: &mut Program, proof: &mut Proof) -> Option<()> {
    let (_, e) = transition(rng, proof)?;
    control(rng, p, e.actor, &mut e.control)
}

fn transition_ends(rng: &mut Rng, p: &mut Program, proof: &mut Proof) -> Option<()> {
    let (_, e) = transition(rng, proof)?;
    let ends = if rng.percent(50) { &mut e.from } else { &mut e.to };
    if rng.percent(30) {
        *ends = places(rng, p, e.actor, 50);
    } else {
        other_places(rng, p, e.actor, ends);
    }
    Some(())
}

fn writes(rng: &mut Rng, p: &mut Program, proof: &mut Proof) -> Option<()> {
    let (_, e) = transition(rng, proof)?;
    let globals: Vec<Var> = (0..p.variables.len() as u32).map(Var).filter(|v| p.is_global(*v)).collect();
    let v = rng.pick(&globals);
    match e.writes.binary_search(&v) {
        Ok(k) => drop(e.writes.remove(k)),
        Err(k) => e.writes.insert(k, v),
    }
    Some(())
}

fn at(rng: &mut Rng, p: &mut Program, proof: &mut Proof) -> Option<()> {
    let (j, e) = transition(rng, proof)?;
    let ls = places(rng, p, j, 60);
    e.at = (e.at.is_none() || rng.percent(60)).then_some(ls).filter(|ls| !ls.is_empty());
    Some(())
}

fn holder(rng: &mut Rng, p: &mut Program, proof: &mut Proof) -> Option<()> {
    let t = any(rng, &mut proof.tickets)?;
    let k = rng.below(t.holders.len());
    if k < t.holders.len() && rng.percent(20) {
        t.holders.remove(k);
        return Some(());
    }
    let h = t.holders.get_mut(k)?;
    other_places(rng, p, h.template, &mut h.locations);
    let entry = p.templates[h.template as usize].entry;
    h.locations.retain(|l| *l != entry);
    Some(())
}

fn tickets(rng: &mut Rng, p: &mut Program, proof: &mut Proof) -> Option<()> {
    let k = rng.below(proof.tickets.len() + 1);
    if k < proof.tickets.len() {
        proof.tickets.remove(k);
        return Some(());
    }
    let of = |s: Option<u32>| {
        let all = (0..p.variables.len() as u32).map(Var);
        let fits = |v: &Var| match p.variables[v.0 as usize].scope {
            Scope::Global => s.is_none(),
            Scope::Local(t) => Some(t) == s,
        };
        all.filter(fits).collect::<Vec<Var>>()
    };
    let mut holders = Vec::new();
    for t in threads(p) {
        let variable = of(Some(t)).first().copied();
        let mut locations = places(rng, p, t, 50);
        locations.retain(|l| *l != p.templates[t as usize].entry);
        holders.extend(variable.map(|variable| Holder { template: t, variable, locations }));
    }
    proof.tickets.push(Tickets { counter: rng.pick(&of(None)), holders });
    Some(())
}

/// One more transition, which says nothing of values.
fn new_transition(rng: &mut Rng, p: &mut Program, proof: &mut Proof) -> Option<()> {
    let (j, e) = transition(rng, proof)?;
    let mut new = EnvTransition { relation: Cube::top(), ..e.clone() };
    let others: Vec<u32> = threads(p).into_iter().filter(|i| *i != j || many(p, j)).collect();
    if rng.percent(50) {
        new.actor = rng.pick(&others);
        (new.from, new.to) = (places(rng, p, new.actor, 60), places(rng, p, new.actor, 60));
        new.control.retain(|c| c.0 != new.actor);
        new.writes.clear();
    }
    proof.threads.iter_mut().find(|th| th.template == j)?.environment.push(new);
    Some(())
}

fn edge_of<'m>(rng: &mut Rng, p: &'m mut Program) -> Option<&'m mut relyant_program::Edge> {
    let t = any(rng, &mut p.templates)?;
    any(rng, &mut t.edges)
}

fn edge_guard(rng: &mut Rng, p: &mut Program, _: &mut Proof) -> Option<()> {
    let e = edge_of(rng, p)?;
    let part = if rng.percent(70) { &mut e.guard } else { &mut e.bounds };
    *part = atoms(rng, part)?;
    Some(())
}

fn edge_update(rng: &mut Rng, p: &mut Program, _: &mut Proof) -> Option<()> {
    let e = edge_of(rng, p)?;
    let k = rng.below(e.updates.len());
    let (_, value) = e.updates.get_mut(k)?;
    *value = value.add(&n(if rng.percent(50) { 1 } else { -1 }));
    Some(())
}

fn edge_ends(rng: &mut Rng, p: &mut Program, _: &mut Proof) -> Option<()> {
    let t = any(rng, &mut p.templates)?;
    let l = Loc(rng.below(t.locations.len()) as u32);
    let e = any(rng, &mut t.edges)?;
    if rng.percent(50) {
        e.from = l
    } else {
        e.to = l
    }
    Some(())
}

/// Another step; a thread without steps may have none in its proof, so that it gets none.
fn new_edge(rng: &mut Rng, p: &mut Program, _: &mut Proof) -> Option<()> {
    let t = rng.below(p.templates.len());
    let locations = p.templates[t].locations.len() as u32;
    let new = edge(rng, p, t as u32, locations);
    (!p.templates[t].edges.is_empty()).then(|| p.templates[t].edges.push(new))
}

fn error(rng: &mut Rng, p: &mut Program, _: &mut Proof) -> Option<()> {
    let t = any(rng, &mut p.templates)?;
    let l = rng.below(t.locations.len());
    t.locations[Loc(l as u32)].error = Some("assertion".into());
    Some(())
}

fn label(rng: &mut Rng, p: &mut Program, _: &mut Proof) -> Option<()> {
    p.exclusive = Some("critical".into());
    for _ in 0..2 {
        let t = any(rng, &mut p.templates)?;
        let l = rng.below(t.locations.len());
        t.locations[Loc(l as u32)].labels.push("critical".into());
    }
    Some(())
}

/// There may be a second thread of a template: the proof may not say where "the" thread is then.
fn count(rng: &mut Rng, p: &mut Program, proof: &mut Proof) -> Option<()> {
    let t = rng.below(p.templates.len()) as u32;
    let spoken = |j: u32, c: &Cube| {
        let mut vars = c.vars().into_iter().map(|v| Role::of(v).plain());
        j != t && vars.any(|v| p.variables[v.0 as usize].scope == Scope::Local(t))
    };
    let placed = |control: &[(u32, Vec<Loc>)]| control.iter().any(|c| c.0 == t);
    let shown = proof.threads.iter().any(|th| {
        let mut states = th.invariants.iter().flat_map(|x| &x.1);
        states.any(|s| placed(&s.control) || spoken(th.template, &s.cube))
            || th.environment.iter().any(|e| placed(&e.control) || spoken(th.template, &e.relation))
    });
    let of = &mut p.templates[t as usize];
    (!shown && of.count == Count::AtMost(1))
        .then(|| of.count = rng.pick(&[Count::AtMost(2), Count::Unbounded]))
}

/// Handles that may be any number.
fn identity(rng: &mut Rng, p: &mut Program, _: &mut Proof) -> Option<()> {
    let k = rng.below(p.variables.len());
    let v = &mut p.variables[k];
    v.identity.then(|| if rng.percent(50) { v.min = None } else { v.max = None })
}

fn drop_global(rng: &mut Rng, _: &mut Program, proof: &mut Proof) -> Option<()> {
    let k = rng.below(proof.global.len());
    (k < proof.global.len()).then(|| drop(proof.global.remove(k)))
}

fn global_atoms(rng: &mut Rng, _: &mut Program, proof: &mut Proof) -> Option<()> {
    let (_, c) = any(rng, &mut proof.global)?;
    *c = atoms(rng, c)?;
    Some(())
}
