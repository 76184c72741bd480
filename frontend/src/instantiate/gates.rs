//! Gates: functions that give back their argument if it is one of the addresses that they know, or null. What else comes is a
//! limit.

use super::code::{Code, cell_of, test};
use relyant_cfa::diagnostic::Span;
use relyant_cfa::{BinOp, CmpOp, Expr, Function, Graph, IntKind, LocationKind, ObjId, Op, Reg, Register};
use std::collections::{BTreeMap, BTreeSet};

/// A gate for cells of objects; `limit`: what is said of others.
pub(crate) fn gate(inside: &BTreeSet<(ObjId, usize)>, limit: String, span: Span) -> Function {
    let mut f = Function {
        name: "objects of one type".into(),
        params: vec![Reg(0)],
        result: Some(IntKind::Ideal),
        registers: vec![Register { name: String::new(), kind: IntKind::Ideal }],
        locals: Vec::new(),
        entry: relyant_cfa::Loc(0),
        graph: Graph::default(),
        atomic: false,
        span,
    };
    let (entry, end) = (f.graph.add_location(span), f.graph.add_location(span));
    f.graph.locations[end.0 as usize].kind = LocationKind::End;
    let mut code = Code { graph: &mut f.graph, registers: &mut f.registers, at: entry, span, atomic: false };
    let addresses = inside.iter().map(|(o, k)| cell_of(&Expr::Addr(*o), *k));
    for a in std::iter::once(Expr::Const(0)).chain(addresses) {
        let (found, next) = (code.fresh(), code.fresh());
        code.edge(next, test(CmpOp::Ne, &Expr::Reg(Reg(0)), a.clone()));
        code.edge(found, test(CmpOp::Eq, &Expr::Reg(Reg(0)), a.clone()));
        code.at = found;
        code.edge(end, Op::Return(Some(a)));
        code.at = next;
    }
    let limit = code.limit(limit);
    code.edge(limit, Op::Skip);
    f
}

/// Has gates know all objects of pools that they know one of, but for pools that others make objects of, too: these may be of
/// another type with the same cells. A function that gives back the address of a pool's object and
/// does not make it is a gate.
pub(super) fn widen(functions: &mut [Function], pools: &BTreeMap<ObjId, Vec<ObjId>>) {
    for f in functions.iter_mut() {
        let mut inside = BTreeSet::new();
        let mut known = true;
        for e in &f.graph.edges {
            match &e.op {
                Op::Return(Some(Expr::Const(0))) => {}
                Op::Return(Some(a)) => match place(a).filter(|p| !f.locals.contains(&p.0)) {
                    Some(p) => {
                        inside.insert(p);
                    }
                    None => known = false,
                },
                _ => {}
            }
        }
        if !known || !inside.iter().any(|p| pools.contains_key(&p.0)) {
            continue;
        }
        let text = |l: &relyant_cfa::Location| match &l.kind {
            LocationKind::Limit(what) => Some(what.what.clone()),
            _ => None,
        };
        let Some(limit) = f.graph.locations.iter().find_map(text) else { continue };
        let knows = |o: &ObjId| inside.iter().any(|p| p.0 == *o);
        let all = inside.iter().flat_map(|(o, k)| {
            let of = match pools.get(o) {
                None => vec![*o],
                Some(pool) if pools.iter().any(|(m, p)| p == pool && !knows(m)) => Vec::new(),
                Some(pool) => pool.clone(),
            };
            of.into_iter().map(|i| (i, *k))
        });
        *f = gate(&all.collect(), limit, f.span);
    }
}

/// A cell of an object whose address an expression is.
fn place(e: &Expr) -> Option<(ObjId, usize)> {
    match e {
        Expr::Addr(o) => Some((*o, 0)),
        Expr::Binary(BinOp::Add, a, b, IntKind::Ideal) => match (&**a, &**b) {
            (Expr::Addr(o), Expr::Const(k)) => Some((*o, usize::try_from(*k).ok()?)),
            _ => None,
        },
        _ => None,
    }
}
