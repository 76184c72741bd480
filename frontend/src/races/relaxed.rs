//! Atomic accesses that order nothing (C11 7.17.3, 5.1.2.4p11): what one thread does before a relaxed store may race with
//! what another one does after a load that read it, however far they are apart.
//!
//! To find such races, a watch may *linger*: the thread does its access, leaves the watch standing, and from then on does
//! nothing that another thread could synchronise with (it waits for ever before it). Whoever comes to the cell meanwhile
//! races with it: no release follows the access, so it happens before nothing of another thread. Not all of these
//! races are found.
//!
//! So that none is missed where the verdict is *safe*, a load that may read what orders nothing may give any value as
//! well, which is then *stale*. In such runs relaxed accesses order nothing whatever they read, and two accesses that are
//! unordered in the program come next to each other in one of them. A race that is found so may be none: it is a limit
//! of ours.

use super::{Access, Code, Target, ghost, is};
use crate::cfa::{Callee, Edge, Expr, FuncId, IntKind, LocationKind, Module, ObjId, Op, Reg};
use crate::instantiate::taken;
use crate::points_to::{PointsTo, Targets};
use std::collections::{BTreeMap, BTreeSet};

/// Said where a stale value leads to a race.
const LIMIT: &str = "whether two accesses race depends on what relaxed loads read";

/// Cells for it.
pub(super) struct Ghosts {
    /// A watch of this thread lingers.
    lingers: ObjId,
    /// Some load gave a stale value.
    stale: ObjId,
}

impl Ghosts {
    pub(super) fn new(module: &mut Module) -> Ghosts {
        Ghosts { lingers: ghost(module, "(lingers)", true), stale: ghost(module, "(stale)", false) }
    }

    /// The access is done and the watch stays; the code is where the thread waits.
    pub(super) fn linger(&self, code: &mut Code<'_>, edge: &Edge) {
        let at = code.at;
        code.step(Op::Store(Expr::Addr(self.lingers), Expr::Const(1), IntKind::Ideal), true);
        let from = code.at;
        code.f.graph.edges.push(Edge { from, ..edge.clone() });
        code.at = at;
    }

    /// What follows is passed over where a watch of this thread lingers; gives where that leads.
    pub(super) fn unless_mine(&self, code: &mut Code<'_>) -> crate::cfa::Loc {
        let mine = code.load(self.lingers);
        let passed = code.f.graph.add_location(code.span);
        code.f.graph.locations[passed.0 as usize].atomic = true;
        let free = is(mine, Expr::Const(0));
        code.f.graph.add_edge(code.at, passed, Op::Assume(free.clone().is_false()), code.span);
        code.step(Op::Assume(free), true);
        passed
    }

    /// An error that is one unless a value was stale.
    pub(super) fn fail(&self, code: &mut Code<'_>, error: LocationKind) {
        let stale = code.load(self.stale);
        let real = is(stale, Expr::Const(0));
        code.ends(error, real.clone());
        code.ends(LocationKind::Limit(LIMIT.into()), real.is_false());
    }
}

/// Edges that are to be changed, by function.
pub(super) struct Plan {
    /// Others may synchronise with what they do.
    releases: Vec<(usize, usize)>,
    /// They may read what orders nothing.
    stale: Vec<(usize, usize)>,
}

impl Plan {
    pub(super) fn new(module: &Module, points_to: &PointsTo, accesses: &[Vec<Access>]) -> Plan {
        let by_place: Vec<BTreeMap<u32, Access>> =
            accesses.iter().map(|list| list.iter().map(|a| (a.from.0, *a)).collect()).collect();
        let weak = weak(module, points_to, &by_place);
        let mut routines: BTreeSet<FuncId> = BTreeSet::new();
        for e in module.functions.iter().flat_map(|f| &f.graph.edges) {
            match &e.op {
                Op::Create { routine: Callee::Known(f), .. } => {
                    routines.insert(*f);
                }
                Op::Create { .. } => routines.extend(taken(module)),
                _ => {}
            }
        }
        let mut plan = Plan { releases: Vec::new(), stale: Vec::new() };
        for (f, function) in module.functions.iter().enumerate() {
            let own = |a: &Expr| match points_to.targets(f as u32, a) {
                Targets::Objects(set) => set.iter().all(|(o, _)| function.locals.contains(o)),
                Targets::Unknown => false,
            };
            for (i, e) in function.graph.edges.iter().enumerate() {
                let access = by_place[f].get(&e.from.0);
                let relaxed = access.is_some_and(|a| a.relaxed);
                let atomic = access.is_some_and(|a| a.atomic);
                let inside = function.atomic || function.graph.locations[e.from.0 as usize].atomic;
                let release = match &e.op {
                    Op::Create { .. } | Op::ThreadExit(_) => true,
                    Op::Return(_) => routines.contains(&FuncId(f as u32)),
                    Op::Store(a, ..) => !relaxed && (atomic || inside || access.is_none() && !own(a)),
                    Op::Load(..) => inside && !relaxed,
                    Op::Skip => access.is_some_and(|a| a.to == Target::Fence),
                    _ => access.is_some_and(|a| a.to == Target::Fence),
                };
                if release {
                    plan.releases.push((f, i));
                }
                if let (Op::Load(_, a, _), Some(access)) = (&e.op, access) {
                    if access.atomic && (relaxed || weak.meets(points_to, f, a)) {
                        plan.stale.push((f, i));
                    }
                }
            }
        }
        plan
    }

    /// Changes the edges; each is still the one that does what it did.
    pub(super) fn apply(&self, module: &mut Module, ghosts: &Ghosts) {
        for (f, i) in &self.stale {
            let f = &mut module.functions[*f];
            let edge = f.graph.edges[*i].clone();
            let Op::Load(dst, _, kind) = edge.op else { continue };
            let mut code = Code { f, at: edge.from, span: edge.span };
            code.step(Op::Store(Expr::Addr(ghosts.stale), Expr::Const(1), IntKind::Ideal), true);
            if kind == IntKind::Ideal {
                code.ends(LocationKind::Limit(LIMIT.into()), Expr::Const(1));
                continue;
            }
            let r = Reg(code.f.registers.len() as u32);
            code.f.registers.push(crate::cfa::Register { name: String::new(), kind });
            code.step(Op::Havoc { dst: r, source: "a stale value".into() }, true);
            let from = code.at;
            code.f.graph.edges.push(Edge { from, op: Op::Assign(dst, Expr::Reg(r)), ..edge });
        }
        for (f, i) in &self.releases {
            let f = &mut module.functions[*f];
            let (from, span) = (f.graph.edges[*i].from, f.graph.edges[*i].span);
            let held = f.graph.locations[from.0 as usize].atomic;
            let mut code = Code { f, at: from, span };
            let r = Reg(code.f.registers.len() as u32);
            code.f.registers.push(crate::cfa::Register { name: String::new(), kind: IntKind::Ideal });
            code.step(Op::Load(r, Expr::Addr(ghosts.lingers), IntKind::Ideal), held);
            code.step(Op::Assume(is(Expr::Reg(r), Expr::Const(0))), held);
            let at = code.at;
            f.graph.edges[*i].from = at;
        }
    }
}

/// Cells that relaxed stores may write.
struct Weak {
    cells: BTreeSet<(ObjId, Option<usize>)>,
    any: bool,
}

fn weak(module: &Module, points_to: &PointsTo, by_place: &[BTreeMap<u32, Access>]) -> Weak {
    let mut weak = Weak { cells: BTreeSet::new(), any: false };
    for (f, function) in module.functions.iter().enumerate() {
        for e in &function.graph.edges {
            let Op::Store(a, ..) = &e.op else { continue };
            if by_place[f].get(&e.from.0).is_some_and(|x| x.relaxed && x.write) {
                match points_to.targets(f as u32, a) {
                    Targets::Objects(set) => weak.cells.extend(set),
                    Targets::Unknown => weak.any = true,
                }
            }
        }
    }
    weak
}

impl Weak {
    fn meets(&self, points_to: &PointsTo, f: usize, a: &Expr) -> bool {
        match points_to.targets(f as u32, a) {
            Targets::Unknown => self.any || !self.cells.is_empty(),
            Targets::Objects(set) => {
                self.any
                    || set.iter().any(|(o, k)| {
                        self.cells.iter().any(|(p, l)| o == p && (k.is_none() || l.is_none() || k == l))
                    })
            }
        }
    }
}
