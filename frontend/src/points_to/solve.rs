//! Solves the inclusion constraints by going round the edges until nothing changes.

use super::{Fact, Facts, OFFSETS, PointsTo, cells};
use crate::cfa::{Graph, IntKind, Object, Op, Reg};

/// A template as the analysis sees it.
pub(crate) struct Automaton<'a> {
    pub(crate) registers: usize,
    pub(crate) param: Option<Reg>,
    pub(crate) graph: &'a Graph,
}

/// Analyses automata over common objects.
pub(crate) fn solve(objects: &[Object], automata: &[Automaton<'_>]) -> PointsTo {
    let mut p = PointsTo {
        registers: automata.iter().map(|a| vec![Facts::new(); a.registers]).collect(),
        cells: objects.iter().map(|o| vec![Facts::new(); o.cells.len() + 1]).collect(),
        anywhere: Facts::new(),
        sizes: objects.iter().map(|o| o.cells.len()).collect(),
        exits: Facts::new(),
    };
    loop {
        let mut changed = false;
        for (t, a) in automata.iter().enumerate() {
            for e in &a.graph.edges {
                changed |= step(&mut p, objects, automata, t as u32, &e.op);
            }
        }
        if !changed {
            return p;
        }
    }
}

/// Applies one edge's constraint; says whether anything was new.
fn step(p: &mut PointsTo, objects: &[Object], automata: &[Automaton<'_>], t: u32, op: &Op) -> bool {
    match op {
        Op::Skip | Op::Havoc { .. } | Op::Assume(_) | Op::Halt | Op::Return(_) => false,
        Op::Assign(r, e) => {
            let v = p.eval(t, e);
            add_to_register(p, t, *r, v)
        }
        Op::Load(r, address, kind) => {
            let mut v = Facts::new();
            for f in p.eval(t, address) {
                match f {
                    Fact::Object(o, k) => {
                        let held = &p.cells[o.0 as usize];
                        match cells(objects, o, k) {
                            None => {}
                            Some(None) => held.iter().for_each(|c| v.extend(c.iter().copied())),
                            Some(Some(k)) => {
                                v.extend(held[k].iter().copied());
                                v.extend(held[held.len() - 1].iter().copied());
                            }
                        }
                        v.extend(p.anywhere.iter().copied());
                    }
                    Fact::Anything => {
                        v.insert(Fact::Anything);
                    }
                    Fact::Function(_) => {}
                }
            }
            narrow(&mut v, *kind);
            add_to_register(p, t, *r, v)
        }
        Op::Store(address, value, kind) => {
            let mut v = p.eval(t, value);
            narrow(&mut v, *kind);
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
                        let k = k.unwrap_or(held.len() - 1);
                        changed |= add(&mut held[k], &v);
                    }
                    Fact::Anything if !somewhere => changed |= add(&mut p.anywhere, &v),
                    Fact::Anything | Fact::Function(_) => {}
                }
            }
            changed
        }
        Op::Create { arg, template, .. } => {
            let (Some(arg), Some(u)) = (arg, template) else { return false };
            let Some(param) = automata.get(*u as usize).and_then(|a| a.param) else { return false };
            let v = p.eval(t, arg);
            add_to_register(p, *u, param, v)
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
        Op::Call { dst, args, .. } => {
            let Some(r) = dst else { return false };
            let mut v: Facts = [Fact::Anything].into();
            for a in args {
                v.extend(p.eval(t, a));
            }
            add_to_register(p, t, *r, v)
        }
    }
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
