//! Steps that look whether a thread waits in the order, and what they need to know: how many locks of a class a thread holds, and the address of
//! the one that it took last.

use super::CIRCLE;
use super::held::{Class, Classes, is_seen};
use super::places::Around;
use relyant_cfa::diagnostic::Span;
use relyant_cfa::{BinOp, CmpOp, Edge, Expr, Graph, IntKind, Loc, LocationKind, Op, Program, Reg, Register};
use std::collections::{BTreeMap, BTreeSet};

/// What is looked at; if it is so, threads may wait in a circle.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Look {
    /// It holds some lock of the class.
    Any(Class),
    /// It holds one of the class whose address is not below that of the step's access.
    Above(Class),
}

impl Look {
    fn class(self) -> Class {
        let (Look::Any(class) | Look::Above(class)) = self;
        class
    }
}

/// A step, by template and edge, and what is looked at before it.
pub(super) type Guards = BTreeMap<(u32, usize), BTreeSet<Look>>;

/// How many locks of a class a thread holds at most, and the highest address of those, if it holds any.
#[derive(Clone, Copy)]
struct Count {
    number: Reg,
    top: Reg,
}

fn compare(op: CmpOp, a: Expr, b: Expr) -> Op {
    Op::Assume(Expr::Compare(op, Box::new(a), Box::new(b)))
}

/// Puts guards before their steps.
pub(super) fn put(program: &mut Program, classes: &Classes<'_>, mut guards: Guards) {
    for t in 0..program.templates.len() as u32 {
        let counted: BTreeSet<Class> =
            guards.range((t, 0)..(t + 1, 0)).flat_map(|(_, all)| all.iter().map(|l| l.class())).collect();
        let template = &mut program.templates[t as usize];
        let mut counts = BTreeMap::new();
        for class in counted {
            let count = Count {
                number: register(&mut template.registers, "locks_held"),
                top: register(&mut template.registers, "last_lock"),
            };
            counts.insert(class, count);
        }
        let changes = changes(&template.graph, classes, t, &counts);
        for (edge, class) in changes.iter().filter(|(_, c)| c.taken).map(|(e, c)| (*e, c.class)) {
            // So that the address of the one taken last is the highest one.
            if classes.single(class).is_none() {
                guards.entry((t, edge)).or_default().insert(Look::Above(class));
            }
        }
        for (edge, change) in changes {
            count(&mut template.graph, edge, change, counts[&change.class]);
        }
        for ((_, edge), looks) in guards.range((t, 0)..(t + 1, 0)) {
            for look in looks {
                guard(&mut template.graph, *edge, *look, counts[&look.class()]);
            }
        }
        if !counts.is_empty() {
            let entry = template.entry;
            let span = template.graph.locations[entry.0 as usize].span;
            let mut at = template.graph.add_location(span);
            template.entry = at;
            let mut left = counts.len();
            for count in counts.values() {
                left -= 1;
                let next = if left == 0 { entry } else { template.graph.add_location(span) };
                template.graph.add_edge(at, next, Op::Assign(count.number, Expr::Const(0)), span);
                at = next;
            }
        }
    }
}

fn register(all: &mut Vec<Register>, name: &str) -> Reg {
    all.push(Register { name: name.into(), kind: IntKind::Ideal });
    Reg(all.len() as u32 - 1)
}

/// A step that takes a lock or gives one back that it was seen to hold.
#[derive(Clone, Copy)]
struct Change {
    class: Class,
    taken: bool,
}

fn changes(
    graph: &Graph,
    classes: &Classes<'_>,
    t: u32,
    counts: &BTreeMap<Class, Count>,
) -> Vec<(usize, Change)> {
    if counts.is_empty() {
        return Vec::new();
    }
    let around = Around::new(graph);
    let change = |i: usize| match classes.taken(t, &graph.edges[i].op) {
        Some(class) => Some(Change { class, taken: true }),
        None => {
            let seen = classes.given(t, &around, i).filter(|_| is_seen(&around, i));
            seen.map(|class| Change { class, taken: false })
        }
    };
    let all = (0..graph.edges.len()).filter_map(|i| Some((i, change(i)?)));
    all.filter(|(_, c)| counts.contains_key(&c.class)).collect()
}

fn atomic(graph: &mut Graph, span: Span) -> Loc {
    let l = graph.add_location(span);
    graph.locations[l.0 as usize].atomic = true;
    l
}

/// Counts a lock that is taken or given back, in the same section as that.
fn count(graph: &mut Graph, edge: usize, change: Change, count: Count) {
    let Edge { to, span, .. } = graph.edges[edge];
    let by = if change.taken { 1 } else { -1 };
    let number = Expr::Binary(
        BinOp::Add,
        Box::new(Expr::Reg(count.number)),
        Box::new(Expr::Const(by)),
        IntKind::Ideal,
    );
    let counted = atomic(graph, span);
    let mut next = to;
    if let Op::Store(address, _, _) = &graph.edges[edge].op
        && change.taken
    {
        let address = address.clone();
        next = atomic(graph, span);
        graph.add_edge(next, to, Op::Assign(count.top, address), span);
    }
    graph.add_edge(counted, next, Op::Assign(count.number, number), span);
    graph.edges[edge].to = counted;
}

/// Looks, before a step and in one section with it, and leads to a limit if it is so.
fn guard(graph: &mut Graph, edge: usize, look: Look, count: Count) {
    let Edge { from, span, .. } = graph.edges[edge];
    let (other, circle) = (atomic(graph, span), graph.add_location(span));
    graph.locations[circle.0 as usize].kind = LocationKind::Limit(CIRCLE.into());
    let address = match &graph.edges[edge].op {
        Op::Load(_, a, _) | Op::Store(a, _, _) => Some(a.clone()),
        _ => None,
    };
    let none = |op| compare(op, Expr::Reg(count.number), Expr::Const(0));
    graph.add_edge(from, other, none(CmpOp::Le), span);
    match address.filter(|_| matches!(look, Look::Above(_))) {
        Some(address) => {
            let some = atomic(graph, span);
            graph.add_edge(from, some, none(CmpOp::Gt), span);
            let top = |op| compare(op, address.clone(), Expr::Reg(count.top));
            graph.add_edge(some, circle, top(CmpOp::Le), span);
            graph.add_edge(some, other, top(CmpOp::Gt), span);
        }
        None => graph.add_edge(from, circle, none(CmpOp::Gt), span),
    }
    graph.edges[edge].from = other;
}
