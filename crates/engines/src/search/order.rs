//! Guesses which numbers only matter by being large: see [`relyant_check::states::order`].
//!
//! One object after the other is tried, as rising and as falling: its direction is spread along assignments, and the
//! result kept when it is a simulation.

use Direction::{Exact, Falling, Rising};
use relyant_cfa::{Edge, Expr, ObjId, Op, Program, Template};
use relyant_check::states::order::{Direction, Order, address_taken, holds, sense, signed};
use std::collections::BTreeSet;

/// An order in which as many objects as possible are not exact, found greedily.
pub fn find(program: &Program) -> Order {
    let mut order = Order::exact(program);
    if program.deadlock || program.signed_wraps || program.templates.iter().any(|t| !t.procedures.is_empty())
    {
        return order;
    }
    let named = address_taken(program);
    for o in 0..program.objects.len() {
        let id = ObjId(o as u32);
        // A flag has no room for more.
        let number = program.objects[o].cells.iter().all(|c| signed(c.0));
        if order.objects[o] != Exact || !number || named.contains(&id) || !is_summed(program, id) {
            continue;
        }
        for direction in [Rising, Falling] {
            if let Some(found) = spread(program, &order, id, direction, &named) {
                order = found;
                break;
            }
        }
    }
    order
}

/// Is something stored there that is no constant? Only then is there anything to gain.
fn is_summed(program: &Program, o: ObjId) -> bool {
    let edges = program.templates.iter().flat_map(|t| &t.graph.edges);
    edges
        .into_iter()
        .any(|e| matches!(&e.op, Op::Store(Expr::Addr(p), x, _) if *p == o && !matches!(x, Expr::Const(_))))
}

/// Gives an object a direction, and what gets its values from there on; `None` where that is no simulation.
fn spread(
    program: &Program,
    order: &Order,
    o: ObjId,
    direction: Direction,
    named: &BTreeSet<ObjId>,
) -> Option<Order> {
    let mut order = order.clone();
    order.objects[o.0 as usize] = direction;
    loop {
        let before = order.clone();
        for (t, template) in program.templates.iter().enumerate() {
            for e in &template.graph.edges {
                flow(program, t, template, e, &mut order, named)?;
            }
        }
        if order == before {
            break;
        }
    }
    holds(program, &order).then_some(order)
}

/// Moves directions along an edge.
fn flow(
    program: &Program,
    t: usize,
    template: &Template,
    e: &Edge,
    order: &mut Order,
    named: &BTreeSet<ObjId>,
) -> Option<()> {
    let raise = |to: &mut Direction, d: Direction| match (*to, d) {
        (_, Exact) => Some(()),
        (Exact, d) => {
            *to = d;
            Some(())
        }
        (have, d) => (have == d).then_some(()),
    };
    match &e.op {
        Op::Assign(r, x) => {
            let d = sense(x, template, &order.registers[t])?;
            raise(order.registers[t].get_mut(r.0 as usize)?, d)
        }
        Op::Load(r, Expr::Addr(o), _) => {
            let d = *order.objects.get(o.0 as usize)?;
            raise(order.registers[t].get_mut(r.0 as usize)?, d)
        }
        Op::Store(Expr::Addr(o), x, _) => {
            let d = sense(x, template, &order.registers[t])?;
            if d != Exact && named.contains(o) {
                return None;
            }
            raise(order.objects.get_mut(o.0 as usize)?, d)
        }
        Op::Create { arg: Some(x), template: Some(other), .. } => {
            let d = sense(x, template, &order.registers[t])?;
            match program.templates.get(*other as usize)?.param {
                Some(p) => raise(order.registers[*other as usize].get_mut(p.0 as usize)?, d),
                None => Some(()),
            }
        }
        _ => Some(()),
    }
}
