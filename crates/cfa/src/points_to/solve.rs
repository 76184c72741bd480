//! Solves the inclusion constraints by going round the edges until nothing changes.

use super::{Fact, Facts, OFFSETS, PointsTo, cells};
use crate::{Callee, Edge, Expr, Extent, Graph, IntKind, Loc, Object, Op, Procedure, Reg};

/// A template or function as the analysis sees it.
pub struct Automaton<'a> {
    pub registers: usize,
    pub params: Vec<Reg>,
    pub graph: &'a Graph,
    /// A template's procedures; none for a function of a module, which is one itself.
    pub procedures: Option<&'a [Procedure]>,
}

impl Automaton<'_> {
    /// The place of the values returned from a location.
    fn returns_from(&self, l: Loc) -> Option<usize> {
        match self.procedures {
            None => Some(0),
            Some(all) => all.iter().position(|p| p.locations.contains(&l.0)),
        }
    }
}

/// Analyses automata over common objects. Calls and creations that name no template mean the automaton with the
/// function's number.
pub fn solve(objects: &[Object], automata: &[Automaton<'_>]) -> PointsTo {
    let mut p = PointsTo {
        registers: automata.iter().map(|a| vec![Facts::new(); a.registers]).collect(),
        cells: objects.iter().map(|o| vec![Facts::new(); o.cells.len() + 2]).collect(),
        anywhere: Facts::new(),
        sizes: objects.iter().map(|o| o.cells.len()).collect(),
        open: objects.iter().map(|o| o.extent != Extent::Cells).collect(),
        exits: Facts::new(),
        returns: automata
            .iter()
            .map(|a| vec![Facts::new(); a.procedures.map_or(1, |all| all.len())])
            .collect(),
    };
    loop {
        let mut changed = false;
        for (t, a) in automata.iter().enumerate() {
            for e in &a.graph.edges {
                changed |= step(&mut p, objects, automata, t as u32, e);
            }
        }
        if !changed {
            return p;
        }
    }
}

/// Applies one edge's constraint; says whether anything was new.
fn step(p: &mut PointsTo, objects: &[Object], automata: &[Automaton<'_>], t: u32, e: &Edge) -> bool {
    match &e.op {
        Op::Skip | Op::Havoc { .. } | Op::Assume(_) | Op::Halt | Op::Return(None) => false,
        Op::Assign(r, e) => {
            let v = p.eval(t, e);
            add_to_register(p, t, *r, v)
        }
        Op::Load(r, address, kind) => {
            let mut v = loaded(p, objects, t, address, *kind);
            narrow(&mut v, *kind);
            add_to_register(p, t, *r, v)
        }
        Op::Store(address, value, kind) => {
            let mut v = p.eval(t, value);
            narrow(&mut v, *kind);
            store(p, objects, t, address, &v, *kind)
        }
        Op::Create { routine, arg, template, .. } => {
            let mut changed = false;
            for u in template.map_or_else(|| callees(p, t, routine), |u| vec![u]) {
                if let (Some(a), Some(r)) = (arg, automata.get(u as usize).and_then(|a| a.params.first())) {
                    let v = p.eval(t, a);
                    changed |= add_to_register(p, u, *r, v);
                }
                if automata.get(u as usize).is_some_and(|a| a.procedures.is_none()) {
                    let v = p.returns[u as usize][0].clone();
                    changed |= add(&mut p.exits, &v);
                }
            }
            changed
        }
        Op::Join { result, .. } => {
            let Some(r) = result else { return false };
            let v = p.exits.clone();
            add_to_register(p, t, *r, v)
        }
        Op::ThreadExit(e) => {
            let v = p.eval(t, e);
            add(&mut p.exits, &v)
        }
        Op::Return(Some(x)) => {
            let v = p.eval(t, x);
            match automata[t as usize].returns_from(e.from) {
                Some(k) => add(&mut p.returns[t as usize][k], &v),
                None => false,
            }
        }
        Op::Call { dst, callee, args } => {
            let mut changed = false;
            for (a, params, k) in called(p, automata, t, callee) {
                for (r, x) in params.iter().zip(args) {
                    let v = p.eval(t, x);
                    changed |= add_to_register(p, a, *r, v);
                }
                if let Some(r) = dst {
                    let v = p.returns[a as usize][k].clone();
                    changed |= add_to_register(p, t, *r, v);
                }
            }
            changed
        }
    }
}

/// What a load from an address may give.
fn loaded(p: &PointsTo, objects: &[Object], t: u32, address: &Expr, kind: IntKind) -> Facts {
    let mut v = Facts::new();
    for f in p.eval(t, address) {
        match f {
            Fact::Object(o, k) => {
                let held = &p.cells[o.0 as usize];
                let n = held.len() - 2;
                let known = &objects[o.0 as usize].cells;
                // Half of an address is none.
                let half = |i: usize| {
                    is_half(kind) && (i == n || known.get(i).is_some_and(|c| c.0 == IntKind::Ideal))
                };
                let mut take = |i: usize| match half(i) && !held[i].is_empty() {
                    true => v.extend([Fact::Anything]),
                    false => v.extend(held[i].iter().copied()),
                };
                match cells(objects, o, k) {
                    None => {}
                    Some(None) => (0..held.len()).for_each(take),
                    Some(Some(k)) => [k, n, n + 1].into_iter().for_each(&mut take),
                }
                v.extend(p.anywhere.iter().copied());
            }
            Fact::Anything => {
                v.insert(Fact::Anything);
            }
            Fact::Function(_) => {}
        }
    }
    v
}

/// Notes a store of one of some values to an address. Says whether that is new.
fn store(p: &mut PointsTo, objects: &[Object], t: u32, address: &Expr, v: &Facts, kind: IntKind) -> bool {
    if v.is_empty() {
        return false;
    }
    let mut changed = false;
    let to = p.eval(t, address);
    let somewhere = to.iter().any(|f| matches!(f, Fact::Object(..)));
    for f in to {
        match f {
            Fact::Object(o, k) => {
                let Some(k) = cells(objects, o, k) else { continue };
                let held = &mut p.cells[o.0 as usize];
                let k = k.unwrap_or(held.len() - if is_half(kind) { 1 } else { 2 });
                changed |= add(&mut held[k], v);
            }
            Fact::Anything if !somewhere => changed |= add(&mut p.anywhere, v),
            Fact::Anything | Fact::Function(_) => {}
        }
    }
    changed
}

/// What may be called: the automaton it is in, its parameters, and the place of the values it returns.
fn called<'a>(
    p: &PointsTo,
    automata: &'a [Automaton<'_>],
    t: u32,
    callee: &Callee,
) -> Vec<(u32, &'a [Reg], usize)> {
    match (automata[t as usize].procedures, callee) {
        (Some(all), Callee::Known(f)) => {
            let found = all.iter().position(|q| q.function == *f);
            found.into_iter().map(|k| (t, &all[k].params[..], k)).collect()
        }
        (Some(_), Callee::Pointer(_)) => Vec::new(),
        (None, callee) => {
            let found = callees(p, t, callee);
            found.into_iter().filter_map(|f| Some((f, &automata.get(f as usize)?.params[..], 0))).collect()
        }
    }
}

/// The functions that may be meant; those whose address is made into something else are not followed.
fn callees(p: &PointsTo, t: u32, callee: &Callee) -> Vec<u32> {
    match callee {
        Callee::Known(f) => vec![f.0],
        Callee::Pointer(e) => p
            .eval(t, e)
            .iter()
            .filter_map(|f| if let Fact::Function(g) = f { Some(g.0) } else { None })
            .collect(),
    }
}

/// Does a kind hold addresses on 32 bits only? There they are stored and loaded as such numbers, or not at all.
fn is_half(kind: IntKind) -> bool {
    matches!(kind, IntKind::Machine { bits: 32, .. })
}

/// No address fits a narrow kind, nor a truth value.
fn narrow(v: &mut Facts, kind: IntKind) {
    let holds_addresses = match kind {
        IntKind::Machine { bits, .. } => bits >= 32,
        IntKind::Bool => false,
        IntKind::Ideal => true,
    };
    if !holds_addresses && !v.is_empty() {
        *v = [Fact::Anything].into();
    }
}

fn add_to_register(p: &mut PointsTo, t: u32, r: Reg, v: Facts) -> bool {
    add(&mut p.registers[t as usize][r.0 as usize], &v)
}

/// Adds facts; an unknown distance covers the known ones, and takes their place when there are too many.
fn add(held: &mut Facts, v: &Facts) -> bool {
    let mut changed = false;
    for f in v {
        let f = match *f {
            Fact::Object(o, Some(_)) if held.contains(&Fact::Object(o, None)) => continue,
            Fact::Object(o, Some(_)) if !held.contains(f) => {
                let known = held.iter().filter(|g| matches!(g, Fact::Object(p, Some(_)) if *p == o)).count();
                if known < OFFSETS { *f } else { Fact::Object(o, None) }
            }
            f => f,
        };
        if held.insert(f) {
            changed = true;
            if let Fact::Object(o, None) = f {
                held.retain(|g| !matches!(g, Fact::Object(p, Some(_)) if *p == o));
            }
        }
    }
    changed
}
