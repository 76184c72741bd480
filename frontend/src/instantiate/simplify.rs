//! Makes an automaton small without changing what it does: no empty steps, no dead ends of computation, no unused
//! registers.
//!
//! An empty step from `l` to `m` goes when `l` is atomic or `m` is not: whoever comes to `l` comes to `m` at once. If
//! others may move at `l` but not at `m`, the two become one location where they may, provided that nothing else leads
//! to `m`. A location with the exclusive label stays unless the next one has it too.

use super::fold::may_be_undefined;
use relyant_cfa::walk;
use relyant_cfa::{Expr, Graph, Inlined, Loc, LocationKind, Object, Op, Order, Reg, Register, Template};

/// What simplification must know of the program.
pub(super) struct Context<'a> {
    pub(super) exclusive: Option<&'a str>,
    pub(super) signed_wraps: bool,
    pub(super) objects: &'a [Object],
}

/// An automaton by itself: a template without procedures, or one of its procedures.
#[derive(Clone)]
pub(super) struct Part {
    pub(super) registers: Vec<Register>,
    /// Registers that are given their values from outside.
    pub(super) params: Vec<Reg>,
    pub(super) entry: Loc,
    pub(super) graph: Graph,
    /// Calls that were inlined.
    pub(super) inlined: Vec<Inlined>,
}

/// Simplifies the automaton of a template without procedures.
pub(super) fn simplify_template(t: &mut Template, context: &Context<'_>) {
    let mut part = Part {
        registers: std::mem::take(&mut t.registers),
        params: t.param.into_iter().collect(),
        entry: t.entry,
        graph: std::mem::take(&mut t.graph),
        inlined: std::mem::take(&mut t.inlined),
    };
    simplify(&mut part, context);
    t.param = part.params.first().copied();
    (t.registers, t.entry, t.graph, t.inlined) = (part.registers, part.entry, part.graph, part.inlined);
}

/// Leaves out what no run needs: unreachable code, dead values, empty steps, unused registers.
pub(super) fn simplify(t: &mut Part, context: &Context<'_>) {
    normalise(&mut t.graph);
    prune(&mut t.graph, &mut t.entry);
    drop_dead_values(t, context);
    skip_chains(&mut t.graph, &mut t.entry, context.exclusive);
    merge_ends(&mut t.graph);
    prune(&mut t.graph, &mut t.entry);
    compact_registers(t);
}

/// Nothing leaves an end or error, and neither is atomic; decided assumptions go.
pub(super) fn normalise(graph: &mut Graph) {
    for l in &mut graph.locations {
        l.atomic &= l.kind == LocationKind::Normal;
    }
    let locations = &graph.locations;
    graph.edges.retain(|e| {
        locations[e.from.0 as usize].kind == LocationKind::Normal && e.op != Op::Assume(Expr::Const(0))
    });
    for e in &mut graph.edges {
        if matches!(e.op, Op::Assume(Expr::Const(_))) {
            e.op = Op::Skip;
        }
    }
}

/// Removes what cannot be reached, and renumbers.
pub(super) fn prune(graph: &mut Graph, entry: &mut Loc) {
    let out = graph.out_edges();
    let mut seen = vec![false; graph.locations.len()];
    let mut work = vec![*entry];
    seen[entry.0 as usize] = true;
    while let Some(l) = work.pop() {
        for &e in &out[l.0 as usize] {
            let to = graph.edges[e].to;
            if !std::mem::replace(&mut seen[to.0 as usize], true) {
                work.push(to);
            }
        }
    }
    let mut number = vec![Loc(u32::MAX); seen.len()];
    let mut count = 0;
    for (i, s) in seen.iter().enumerate() {
        if *s {
            number[i] = Loc(count);
            count += 1;
        }
    }
    let mut keep = seen.iter();
    graph.locations.retain(|_| keep.next().copied().unwrap_or(false));
    graph.edges.retain(|e| seen[e.from.0 as usize]);
    for e in &mut graph.edges {
        e.from = number[e.from.0 as usize];
        e.to = number[e.to.0 as usize];
    }
    *entry = number[entry.0 as usize];
}

/// Values that no one reads are not computed.
fn drop_dead_values(t: &mut Part, context: &Context<'_>) {
    loop {
        let mut read = vec![false; t.registers.len()];
        let mut found = Vec::new();
        for e in &t.graph.edges {
            for x in walk::reads(&e.op) {
                walk::registers(x, &mut found);
            }
        }
        found.iter().for_each(|r| read[r.0 as usize] = true);
        let dead = |r: &Reg| !read[r.0 as usize];
        let mut changed = false;
        for e in &mut t.graph.edges {
            let drop = match &e.op {
                Op::Assign(r, x) => {
                    *x == Expr::Reg(*r) || dead(r) && !may_be_undefined(x, context.signed_wraps)
                }
                Op::Havoc { dst, .. } => dead(dst),
                Op::Load(r, a, _) => dead(r) && in_bounds(a, context.objects),
                _ => false,
            };
            if drop {
                e.op = Op::Skip;
                changed = true;
            } else if let Op::Join { result: r, .. } | Op::Call { dst: r, .. } = &mut e.op {
                if r.as_ref().is_some_and(dead) {
                    *r = None;
                }
            }
        }
        if !changed {
            return;
        }
    }
}

/// Is the address always that of a cell?
pub(super) fn in_bounds(a: &Expr, objects: &[Object]) -> bool {
    let (o, k) = match a {
        Expr::Addr(o) => (o, 0),
        Expr::Binary(relyant_cfa::BinOp::Add, o, k, _) => match (&**o, &**k) {
            (Expr::Addr(o), Expr::Const(k)) => (o, *k),
            _ => return false,
        },
        _ => return false,
    };
    0 <= k && k < objects[o.0 as usize].cells.len() as i128
}

/// Leaves out edges without effect between locations that nothing tells apart.
fn skip_chains(graph: &mut Graph, entry: &mut Loc, exclusive: Option<&str>) {
    let out = graph.out_edges();
    let mut into = vec![0u32; graph.locations.len()];
    for e in &graph.edges {
        into[e.to.0 as usize] += 1;
    }
    let mut forward: Vec<Loc> = (0..graph.locations.len() as u32).map(Loc).collect();
    // Edges that lead out of merged locations are gone with them; their targets keep their count.
    for l in 0..graph.locations.len() {
        let [e] = out[l][..] else { continue };
        if graph.edges[e].op != Op::Skip
            || !matches!(graph.locations[l].order, Order::Direct | Order::Buffered)
        {
            continue;
        }
        let m = resolve(&mut forward, graph.edges[e].to);
        let marks = matches!(graph.locations[m.0 as usize].order, Order::Appended(..) | Order::Arrived);
        if m.0 as usize == l || marks {
            continue;
        }
        let labelled =
            |i: usize| exclusive.is_some_and(|x| graph.locations[i].labels.iter().any(|label| label == x));
        if labelled(l) && !labelled(m.0 as usize) {
            continue;
        }
        // A thread comes to its entry without a step of its own, maybe inside another's section.
        let watched = labelled(m.0 as usize)
            || matches!(graph.locations[m.0 as usize].kind, LocationKind::Error(_) | LocationKind::Limit(_));
        let first = resolve(&mut forward, *entry);
        if l == first.0 as usize && watched {
            continue;
        }
        let (l_atomic, m_atomic) = (graph.locations[l].atomic, graph.locations[m.0 as usize].atomic);
        if !l_atomic && m_atomic {
            // Inside a section nobody sees the label.
            if into[m.0 as usize] != 1 || m == first || labelled(m.0 as usize) && !labelled(l) {
                continue;
            }
            graph.locations[m.0 as usize].atomic = false;
        }
        forward[l] = m;
        into[m.0 as usize] = (into[m.0 as usize] - 1).saturating_add(into[l]);
        let labels = std::mem::take(&mut graph.locations[l].labels);
        let target = &mut graph.locations[m.0 as usize];
        if target.kind == LocationKind::Normal {
            for label in labels {
                if !target.labels.contains(&label) {
                    target.labels.push(label);
                }
            }
        }
    }
    for e in &mut graph.edges {
        e.to = resolve(&mut forward, e.to);
    }
    *entry = resolve(&mut forward, *entry);
}

fn resolve(forward: &mut [Loc], l: Loc) -> Loc {
    let mut end = l;
    while forward[end.0 as usize] != end {
        end = forward[end.0 as usize];
    }
    let mut at = l;
    while forward[at.0 as usize] != end {
        at = std::mem::replace(&mut forward[at.0 as usize], end);
    }
    end
}

/// One end is enough.
fn merge_ends(graph: &mut Graph) {
    let is_end = |l: &Loc, graph: &Graph| graph.locations[l.0 as usize].kind == LocationKind::End;
    let Some(first) = graph.locations.iter().position(|l| l.kind == LocationKind::End) else { return };
    for i in 0..graph.edges.len() {
        if is_end(&graph.edges[i].to, graph) {
            graph.edges[i].to = Loc(first as u32);
        }
    }
}

/// Renumbers the registers that are left.
fn compact_registers(t: &mut Part) {
    let mut used = vec![false; t.registers.len()];
    let mut found: Vec<Reg> = t.params.clone();
    for e in &t.graph.edges {
        walk::reads(&e.op).iter().for_each(|x| walk::registers(x, &mut found));
        found.extend(walk::writes(&e.op));
    }
    found.iter().for_each(|r| used[r.0 as usize] = true);
    let mut number = vec![Reg(0); used.len()];
    let mut count = 0;
    for (i, u) in used.iter().enumerate() {
        if *u {
            number[i] = Reg(count);
            count += 1;
        }
    }
    let mut keep = used.iter();
    t.registers.retain(|_| keep.next().copied().unwrap_or(false));
    let reg = |r: Reg| number[r.0 as usize];
    t.params.iter_mut().for_each(|p| *p = reg(*p));
    for e in &mut t.graph.edges {
        let mut expr = |x: &Expr| {
            walk::map_leaves(x, &mut |leaf| {
                if let Expr::Reg(r) = leaf { Expr::Reg(reg(*r)) } else { leaf.clone() }
            })
        };
        e.op = walk::map_op(&e.op, &mut expr, &reg);
    }
    for l in &mut t.graph.locations {
        l.order = l.order.map(&mut |x| {
            let mut found = Vec::new();
            walk::registers(x, &mut found);
            let left = found.iter().all(|r| used[r.0 as usize]);
            left.then(|| {
                walk::map_leaves(x, &mut |leaf| match leaf {
                    Expr::Reg(r) => Expr::Reg(reg(*r)),
                    other => other.clone(),
                })
            })
        });
    }
}
