//! Which places make many objects: those that a thread may come to again, or after what they made was given back.

use relyant_cfa::points_to::PointsTo;
use relyant_cfa::strong::components;
use relyant_cfa::walk;
use relyant_cfa::{Callee, Expr, FuncId, HeapSite, Module, ObjId, Op};
use std::collections::BTreeSet;

/// How often each function may be called by all threads together; `None` is any number.
pub(super) fn passes(module: &Module) -> Vec<Option<u32>> {
    let taken = super::taken(module);
    let n = module.functions.len();
    // Callers of each function; `None` stands for any number of calls.
    let mut callers: Vec<Vec<(usize, bool)>> = vec![Vec::new(); n];
    for (f, function) in module.functions.iter().enumerate() {
        let out = function.graph.out_edges();
        for e in &function.graph.edges {
            let (Op::Call { callee, .. } | Op::Create { routine: callee, .. }) = &e.op else { continue };
            let cyclic =
                super::loops::reachable(&function.graph, &out, e.to)[e.from.0 as usize] || e.to == e.from;
            match callee {
                Callee::Known(g) => callers[g.0 as usize].push((f, cyclic)),
                Callee::Pointer(_) => taken.iter().for_each(|g| callers[g.0 as usize].push((f, cyclic))),
            }
        }
    }
    let mut known: Vec<Option<Option<u32>>> = vec![None; n];
    (0..n).map(|f| count(f, module, &callers, &mut known)).collect()
}

pub(super) fn count(
    f: usize,
    module: &Module,
    callers: &[Vec<(usize, bool)>],
    known: &mut Vec<Option<Option<u32>>>,
) -> Option<u32> {
    if let Some(n) = known[f] {
        return n;
    }
    // As long as it is being worked out, a function that leads to itself may be called any number of times.
    known[f] = Some(None);
    let starts = module.starts.iter().filter(|s| s.0 as usize == f).count() as u32;
    let mut total = Some(starts);
    for (g, cyclic) in &callers[f] {
        let n = count(*g, module, callers, known);
        let n = if *cyclic && n != Some(0) { None } else { n };
        total = total.zip(n).and_then(|(a, b)| a.checked_add(b));
    }
    known[f] = Some(total);
    total
}

/// Functions that may run again and again in one run of a function that calls them, or call themselves.
pub(super) fn repeated(module: &Module) -> Vec<bool> {
    let taken = super::taken(module);
    let n = module.functions.len();
    let mut calls: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); n];
    let mut often = vec![false; n];
    for (f, function) in module.functions.iter().enumerate() {
        let out = function.graph.out_edges();
        for e in &function.graph.edges {
            let Op::Call { callee, .. } = &e.op else { continue };
            let meant: Vec<usize> = match callee {
                Callee::Known(g) => vec![g.0 as usize],
                Callee::Pointer(_) => taken.iter().map(|g| g.0 as usize).collect(),
            };
            let cyclic =
                super::loops::reachable(&function.graph, &out, e.to)[e.from.0 as usize] || e.to == e.from;
            meant.iter().for_each(|g| often[*g] |= cyclic);
            calls[f].extend(meant);
        }
    }
    let next: Vec<Vec<usize>> = calls.iter().map(|c| c.iter().copied().collect()).collect();
    for c in components(&next) {
        if c.len() > 1 || next[c[0]].contains(&c[0]) {
            c.into_iter().for_each(|f| often[f] = true);
        }
    }
    let mut work: Vec<usize> = (0..n).filter(|f| often[*f]).collect();
    while let Some(f) = work.pop() {
        for g in &calls[f] {
            if !std::mem::replace(&mut often[*g], true) {
                work.push(*g);
            }
        }
    }
    often
}

/// The objects that need pools whatever threads there are.
pub(super) fn needed(module: &Module) -> BTreeSet<ObjId> {
    if module.heap.is_empty() {
        return BTreeSet::new();
    }
    let often = repeated(module);
    let mut out: BTreeSet<ObjId> =
        module.heap.iter().filter(|s| often[s.function.0 as usize]).map(|s| s.object).collect();
    if module.free.is_some() {
        out.extend(made_again(module));
        out.extend(comes_back(module));
    }
    out
}

/// Objects that other threads may know and that may be made where one was given back: a pointer to the old one may be
/// one to the new one.
pub(super) fn made_again(module: &Module) -> Vec<ObjId> {
    let points_to = PointsTo::of_module(module);
    let freed = freed(module, &points_to);
    let sharing = super::sharing::Sharing::new(module, &points_to, &super::taken(module));
    let again = |s: &HeapSite| may_follow_free(module, s.function);
    let known = module.heap.iter().filter(|s| freed.contains(&s.object) && sharing.escapes(s.object));
    known.filter(|s| again(s)).map(|s| s.object).collect()
}

/// Blocks whose addresses are compared, of which one may be made where the other one was given back: the same address
/// may come back.
pub(super) fn comes_back(module: &Module) -> BTreeSet<ObjId> {
    compared_again(module, &|_, _| false)
}

/// The same without some comparisons, each given with its function.
pub(super) fn compared_again(module: &Module, but: &dyn Fn(usize, &Expr) -> bool) -> BTreeSet<ObjId> {
    let points_to = PointsTo::of_module(module);
    let freed = freed(module, &points_to);
    let of_heap = |o: &ObjId| module.heap.iter().any(|s| s.object == *o);
    let shape = |o: &ObjId| module.objects[o.0 as usize].cells.iter().map(|c| c.0).collect::<Vec<_>>();
    let old: BTreeSet<ObjId> = freed.iter().copied().filter(of_heap).collect();
    let mut out = BTreeSet::new();
    if old.is_empty() {
        return out;
    }
    let made: BTreeSet<ObjId> =
        module.heap.iter().filter(|s| may_follow_free(module, s.function)).map(|s| s.object).collect();
    let mut look = |a: &BTreeSet<ObjId>, b: &BTreeSet<ObjId>| {
        for x in a.intersection(&old) {
            for y in b.intersection(&made).filter(|y| shape(x) == shape(y)) {
                out.extend([*x, *y]);
            }
        }
    };
    for (f, function) in module.functions.iter().enumerate() {
        for e in function.graph.edges.iter().flat_map(|e| walk::reads(&e.op)) {
            walk::visit(e, &mut |e| {
                if let Expr::Compare(_, a, b) = e
                    && !but(f, e)
                {
                    let (a, b) = (points_to.held(f as u32, a), points_to.held(f as u32, b));
                    look(&a, &b);
                    look(&b, &a);
                }
            });
        }
    }
    out
}

/// Objects that may be given back.
pub(super) fn freed(module: &Module, points_to: &PointsTo) -> BTreeSet<ObjId> {
    let Some(free) = module.free else { return BTreeSet::new() };
    points_to.held(free.0, &Expr::Reg(module.functions[free.0 as usize].params[0]))
}

/// May a function be called after `free`, or beside it?
pub(super) fn may_follow_free(module: &Module, maker: FuncId) -> bool {
    let Some(free) = module.free else { return false };
    let taken = super::taken(module);
    let meant = |c: &Callee| match c {
        Callee::Known(f) => vec![*f],
        Callee::Pointer(_) => taken.iter().copied().collect(),
    };
    // What leads to a call of a function; a thread that is created leads to what it calls.
    let leads = |to: FuncId| {
        let mut set = BTreeSet::from([to]);
        loop {
            let before = set.len();
            for (f, function) in module.functions.iter().enumerate() {
                let calls = function.graph.edges.iter().any(|e| match &e.op {
                    Op::Call { callee: c, .. } | Op::Create { routine: c, .. } => {
                        meant(c).iter().any(|g| set.contains(g))
                    }
                    _ => false,
                });
                if calls {
                    set.insert(FuncId(f as u32));
                }
            }
            if set.len() == before {
                return set;
            }
        }
    };
    let (frees, makes) = (leads(free), leads(maker));
    module.functions.iter().any(|function| {
        let out = function.graph.out_edges();
        function.graph.edges.iter().any(|e| match &e.op {
            Op::Create { routine, .. } => meant(routine).iter().any(|g| frees.contains(g)),
            Op::Call { callee, .. } if meant(callee).iter().any(|g| frees.contains(g)) => {
                let after = super::loops::reachable(&function.graph, &out, e.to);
                function.graph.edges.iter().any(|x| {
                    (x.from == e.to || after[x.from.0 as usize])
                        && matches!(&x.op, Op::Call { callee: c, .. } | Op::Create { routine: c, .. }
                            if meant(c).iter().any(|g| makes.contains(g)))
                })
            }
            _ => false,
        })
    })
}

/// Can the object have a pool?
pub(super) fn is_possible(module: &Module, o: ObjId) -> bool {
    module.functions.iter().any(|f| f.locals.contains(&o))
}
