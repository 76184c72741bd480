//! May other threads run parts of a thread, with handles of their own?
//!
//! Only if the handle shows nowhere but in locks: cells that hold 0 or the handle of the thread that took them. If
//! each part gives back what it took, a cell holds the handle of a part's thread where it held that of the whole
//! thread, and no comparison differs.

use relyant_cfa::points_to::{PointsTo, Targets};
use relyant_cfa::walk;
use relyant_cfa::{Callee, CmpOp, Expr, FuncId, Loc, LocationKind, ObjId, Op, Program, Reg, Template};
use std::collections::BTreeSet;

/// A cell, or any of an object.
type Cell = (ObjId, Option<usize>);

/// Are handles only used for locks that are free where parts begin and end: at creations of threads of these routines,
/// and at these threads' ends?
pub(super) fn is_kept(program: &Program, routines: &BTreeSet<FuncId>) -> bool {
    let creates = |op: &Op| match op {
        Op::Create { routine: Callee::Known(f), template, .. } if routines.contains(f) => *template,
        _ => None,
    };
    let of = |t: &Template| t.graph.edges.iter().filter_map(|e| creates(&e.op)).collect::<BTreeSet<u32>>();
    let parts: BTreeSet<u32> = program.templates.iter().flat_map(of).collect();
    let split: Vec<usize> = (0..program.templates.len())
        .filter(|t| parts.contains(&(*t as u32)) || !of(&program.templates[*t]).is_empty())
        .collect();
    if split.iter().all(|t| !names_itself(&program.templates[*t])) {
        return true;
    }
    let points_to = PointsTo::new(program);
    let Some(locks) = locks(program, &points_to) else { return false };
    split.iter().all(|&t| {
        let template = &program.templates[t];
        only_locks(t as u32, template, &points_to, &locks)
            && free_at_ends(t as u32, template, &points_to, &locks, &|op| creates(op).is_some())
    })
}

fn mentions(e: &Expr) -> bool {
    let mut found = false;
    walk::visit(e, &mut |x| found |= *x == Expr::SelfId);
    found
}

fn names_itself(t: &Template) -> bool {
    t.graph.edges.iter().any(|e| walk::reads(&e.op).into_iter().any(mentions))
}

/// The cells that handles are stored in; `None` if something else than 0 is stored there too.
fn locks(program: &Program, points_to: &PointsTo) -> Option<BTreeSet<Cell>> {
    let mut locks = BTreeSet::new();
    let stores = || {
        program.templates.iter().enumerate().flat_map(|(t, template)| {
            template.graph.edges.iter().filter_map(move |e| match &e.op {
                Op::Store(a, v, _) => Some((t as u32, a, v)),
                _ => None,
            })
        })
    };
    for (t, a, _) in stores().filter(|(_, _, v)| **v == Expr::SelfId) {
        match points_to.targets(t, a) {
            Targets::Objects(set) => locks.extend(set),
            Targets::Unknown => return None,
        }
    }
    for (t, a, _) in stores().filter(|(_, _, v)| !matches!(v, Expr::SelfId | Expr::Const(0))) {
        match points_to.targets(t, a) {
            Targets::Objects(set) if !set.iter().any(|c| meets(&locks, c)) => {}
            _ => return None,
        }
    }
    let starts_free = |(o, k): &Cell| {
        let init = &program.objects[o.0 as usize].init;
        match k {
            Some(k) => init[*k] == Some(0),
            None => init.iter().all(|v| *v == Some(0)),
        }
    };
    locks.iter().all(starts_free).then_some(locks)
}

fn meets(set: &BTreeSet<Cell>, c: &Cell) -> bool {
    set.iter().any(|(o, k)| *o == c.0 && (k.is_none() || c.1.is_none() || *k == c.1))
}

fn within(set: &BTreeSet<Cell>, c: &Cell) -> bool {
    set.contains(c) || set.contains(&(c.0, None))
}

/// Is the handle only stored as it is, and compared for equality with what was read from locks?
fn only_locks(t: u32, template: &Template, points_to: &PointsTo, locks: &BTreeSet<Cell>) -> bool {
    let from_lock = |r: Reg| {
        template.graph.edges.iter().filter(|e| walk::writes(&e.op) == Some(r)).all(|e| match &e.op {
            Op::Load(_, a, _) => match points_to.targets(t, a) {
                Targets::Objects(set) => set.iter().all(|c| within(locks, c)),
                Targets::Unknown => false,
            },
            _ => false,
        })
    };
    let fits = |e: &Expr| {
        // Comparisons that fit do not count; what else mentions the handle does not fit.
        let (mut all, mut good) = (0, 0);
        walk::visit(e, &mut |x| match x {
            Expr::SelfId => all += 1,
            Expr::Compare(CmpOp::Eq | CmpOp::Ne, a, b) => match (&**a, &**b) {
                (Expr::Reg(r), Expr::SelfId) | (Expr::SelfId, Expr::Reg(r)) if from_lock(*r) => good += 1,
                _ => {}
            },
            _ => {}
        });
        all == good
    };
    template.graph.edges.iter().all(|e| match &e.op {
        Op::Store(a, Expr::SelfId, _) => !mentions(a),
        op => walk::reads(op).into_iter().all(fits),
    })
}

/// Is no lock held at the thread's ends and at these operations?
fn free_at_ends(
    t: u32,
    template: &Template,
    points_to: &PointsTo,
    locks: &BTreeSet<Cell>,
    ends: &dyn Fn(&Op) -> bool,
) -> bool {
    let out = template.graph.out_edges();
    let mut held: Vec<Option<BTreeSet<Cell>>> = vec![None; out.len()];
    held[template.entry.0 as usize] = Some(BTreeSet::new());
    let mut work = vec![template.entry];
    while let Some(Loc(l)) = work.pop() {
        let Some(here) = held[l as usize].clone() else { continue };
        for &i in &out[l as usize] {
            let e = &template.graph.edges[i];
            let is_end = template.graph.locations[e.to.0 as usize].kind == LocationKind::End;
            if !here.is_empty() && (ends(&e.op) || is_end && e.op != Op::Halt) {
                return false;
            }
            let mut after = here.clone();
            if let Op::Store(a, v, _) = &e.op {
                let Targets::Objects(set) = points_to.targets(t, a) else { return false };
                if *v == Expr::SelfId {
                    after.extend(set.into_iter().filter(|c| meets(locks, c)));
                } else if set.len() == 1 {
                    after.retain(|c| c.1.is_none() || !set.contains(c));
                }
            }
            let there = &mut held[e.to.0 as usize];
            let changed = match there {
                None => {
                    *there = Some(after);
                    true
                }
                Some(known) => {
                    let before = known.len();
                    known.extend(after);
                    known.len() > before
                }
            };
            if changed {
                work.push(e.to);
            }
        }
    }
    true
}
