//! Atomic accesses that order nothing (C11 7.17.3, 5.1.2.4p11): what one thread does before a relaxed store may race with
//! what another one does after a load that read it, however far they are apart.
//!
//! To find such races, a watch may *linger*: the thread does its access and leaves the watch standing. Once it has done
//! something that another thread could synchronise with, the others do nothing that could be that (they wait for ever
//! before it). Whoever comes to the cell meanwhile races with it: no acquire of another thread follows a release after
//! the access, so it happens before nothing of another thread. Not all of these races are found.
//!
//! So that none is missed where the verdict is *safe*, a load that may read what orders nothing may give any value as
//! well, which is then *stale*. In such runs relaxed accesses order nothing whatever they read, and two accesses that are
//! unordered in the program come next to each other in one of them. A race that is found so may be none: it is a limit
//! of ours.

use super::{Access, AccessTarget, Code, ghost, is};
use crate::instantiate::{LINGERS, taken};
use relyant_cfa::points_to::{PointsTo, Targets};
use relyant_cfa::walk;
use relyant_cfa::{
    Callee, Edge, Expr, FuncId, InputSource, IntKind, Loc, LocationKind, Module, ObjId, ObjectKind, Op, Reg,
    Register,
};
use std::collections::{BTreeMap, BTreeSet};

/// Said where a stale value leads to a race.
const LIMIT: &str = "whether two accesses race depends on what relaxed loads read";

/// Objects of one cell, made for watches that linger.
pub(super) struct Ghosts {
    /// A watch of this thread lingers.
    lingers: ObjId,
    /// The thread whose watch lingers has done a release.
    released: ObjId,
    /// Some load gave a stale value.
    stale: ObjId,
}

impl Ghosts {
    pub(super) fn new(module: &mut Module) -> Ghosts {
        Ghosts {
            lingers: ghost(module, LINGERS, ObjectKind::Ghost, true),
            released: ghost(module, "(released)", ObjectKind::Ghost, false),
            stale: ghost(module, "(stale)", ObjectKind::Ghost, false),
        }
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
    pub(super) fn unless_mine(&self, code: &mut Code<'_>) -> Loc {
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
#[derive(Default)]
pub(super) struct Plan {
    /// Others may synchronise with what they do.
    releases: Vec<(usize, usize)>,
    /// They may synchronise with what others did.
    acquires: Vec<(usize, usize)>,
    /// What is done before is known to a thread that begins.
    creates: Vec<(usize, usize)>,
    /// They may read what orders nothing: one of these values, or any.
    stale: Vec<(usize, usize, Option<BTreeSet<i128>>)>,
    /// Of a compare-exchange that orders nothing where it fails, and something where it does not.
    failing: Vec<(usize, usize)>,
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
        let mut plan = Plan::default();
        for (f, function) in module.functions.iter().enumerate() {
            let own = |a: &Expr| match points_to.targets(f as u32, a) {
                Targets::Objects(set) => set.iter().all(|(o, _)| function.locals.contains(o)),
                Targets::Unknown => false,
            };
            for (i, e) in function.graph.edges.iter().enumerate() {
                let access = by_place[f].get(&e.from.0);
                let relaxed = access.is_some_and(|a| a.relaxed);
                let atomic = access.is_some_and(|a| a.atomic);
                let fence = access.is_some_and(|a| a.to == AccessTarget::Fence);
                let inside = function.atomic || function.graph.locations[e.from.0 as usize].atomic;
                let orders = |a: &Expr| !relaxed && (atomic || inside || access.is_none() && !own(a));
                let (release, acquire) = match &e.op {
                    Op::ThreadExit(_) => (true, false),
                    Op::Return(_) => (routines.contains(&FuncId(f as u32)), false),
                    Op::Join { .. } => (false, true),
                    Op::Store(a, ..) => (orders(a), false),
                    Op::Load(_, a, _) => (inside && !relaxed, orders(a)),
                    Op::Create { .. } => {
                        plan.creates.push((f, i));
                        continue;
                    }
                    _ => (fence, fence),
                };
                if release {
                    plan.releases.push((f, i));
                }
                if acquire {
                    plan.acquires.push((f, i));
                }
                let (Op::Load(_, a, _), Some(access)) = (&e.op, access) else { continue };
                if access.atomic && relaxed {
                    plan.stale.push((f, i, None));
                } else if access.atomic {
                    if let Some(values) = weak.values(points_to, f, a) {
                        plan.stale.push((f, i, values));
                    }
                    if access.fails_relaxed {
                        plan.failing.push((f, i));
                    }
                }
            }
        }
        plan
    }

    /// Changes the edges; each is still the one that does what it did.
    pub(super) fn apply(&self, module: &mut Module, ghosts: &Ghosts) {
        for (f, i, values) in &self.stale {
            let f = &mut module.functions[*f];
            let edge = f.graph.edges[*i].clone();
            let Op::Load(dst, _, kind) = edge.op else { continue };
            let mut code = Code { f, at: edge.from, span: edge.span };
            code.step(Op::Store(Expr::Addr(ghosts.stale), Expr::Const(1), IntKind::Ideal), true);
            let at = code.at;
            match values {
                Some(values) => {
                    for v in values {
                        let op = Op::Assign(dst, Expr::Const(*v));
                        code.f.graph.edges.push(Edge { from: at, op, ..edge.clone() });
                    }
                }
                None if kind == IntKind::Ideal => {
                    code.ends(LocationKind::Limit(LIMIT.into()), Expr::Const(1));
                }
                None => {
                    let v = code.any(kind);
                    let from = code.at;
                    code.f.graph.edges.push(Edge { from, op: Op::Assign(dst, v), ..edge });
                }
            }
        }
        for (f, i) in &self.failing {
            let f = &mut module.functions[*f];
            let edge = f.graph.edges[*i].clone();
            let Op::Load(dst, _, kind) = edge.op else { continue };
            // The way on that writes nothing.
            let stores = |l: Loc| f.graph.edges.iter().any(|e| e.from == l && matches!(e.op, Op::Store(..)));
            let fails: Vec<Edge> =
                f.graph.edges.iter().filter(|e| e.from == edge.to && !stores(e.to)).cloned().collect();
            let mut code = Code { f, at: edge.from, span: edge.span };
            code.step(Op::Store(Expr::Addr(ghosts.stale), Expr::Const(1), IntKind::Ideal), true);
            if kind == IntKind::Ideal {
                code.ends(LocationKind::Limit(LIMIT.into()), Expr::Const(1));
                continue;
            }
            let v = code.any(kind);
            code.step(Op::Assign(dst, v), true);
            let from = code.at;
            fails.into_iter().for_each(|e| code.f.graph.edges.push(Edge { from, ..e }));
        }
        for (f, i) in &self.releases {
            before(module, *f, *i, |code| {
                let mine = code.own(ghosts.lingers);
                let (at, out) = (code.at, code.open());
                code.f.graph.add_edge(at, out, Op::Assume(is(mine.clone(), Expr::Const(0))), code.span);
                code.go(Op::Assume(is(mine, Expr::Const(0)).is_false()));
                code.go(Op::Store(Expr::Addr(ghosts.released), Expr::Const(1), IntKind::Ideal));
                code.join(out);
            });
        }
        for (f, i) in &self.acquires {
            let f = &mut module.functions[*f];
            let Edge { to, span, .. } = f.graph.edges[*i];
            let held = f.graph.locations[to.0 as usize].atomic;
            let at = f.graph.add_location(span);
            f.graph.locations[at.0 as usize].atomic = held;
            f.graph.edges[*i].to = at;
            // What was not released by now was not before either.
            let mut code = Code { f, at, span };
            let mine = code.own(ghosts.lingers);
            let at = code.at;
            code.f.graph.add_edge(at, to, Op::Assume(is(mine.clone(), Expr::Const(0)).is_false()), span);
            code.go(Op::Assume(is(mine, Expr::Const(0))));
            let released = code.own(ghosts.released);
            code.f.graph.add_edge(code.at, to, Op::Assume(is(released, Expr::Const(0))), span);
        }
        for (f, i) in &self.creates {
            before(module, *f, *i, |code| {
                let mine = code.own(ghosts.lingers);
                code.go(Op::Assume(is(mine, Expr::Const(0))));
            });
        }
    }
}

/// Puts code before an edge; others may move in between where they may before it.
fn before(module: &mut Module, f: usize, i: usize, put: impl FnOnce(&mut Code<'_>)) {
    let f = &mut module.functions[f];
    let (from, span) = (f.graph.edges[i].from, f.graph.edges[i].span);
    let mut code = Code { f, at: from, span };
    put(&mut code);
    let at = code.at;
    f.graph.edges[i].from = at;
}

impl Code<'_> {
    /// A location where others may move if they may here.
    fn open(&mut self) -> Loc {
        let held = self.f.graph.locations[self.at.0 as usize].atomic;
        let l = self.f.graph.add_location(self.span);
        self.f.graph.locations[l.0 as usize].atomic = held;
        l
    }
    fn go(&mut self, op: Op) {
        let to = self.open();
        self.f.graph.add_edge(self.at, to, op, self.span);
        self.at = to;
    }
    fn own(&mut self, o: ObjId) -> Expr {
        let r = self.register(IntKind::Ideal);
        self.go(Op::Load(r, Expr::Addr(o), IntKind::Ideal));
        Expr::Reg(r)
    }
    fn any(&mut self, kind: IntKind) -> Expr {
        let dst = self.register(kind);
        self.step(Op::Havoc { dst, source: InputSource::input("a stale value") }, true);
        Expr::Reg(dst)
    }
    fn register(&mut self, kind: IntKind) -> Reg {
        self.f.registers.push(Register { name: String::new(), kind });
        Reg(self.f.registers.len() as u32 - 1)
    }
}

/// So far the values that are stored are followed.
const DEPTH: usize = 6;

/// The constants that an expression may be, if it is nothing else.
fn constants(
    module: &Module,
    points_to: &PointsTo,
    f: usize,
    e: &Expr,
    depth: usize,
) -> Option<BTreeSet<i128>> {
    let function = &module.functions[f];
    let again = |f: usize, e: &Expr| constants(module, points_to, f, e, depth.checked_sub(1)?);
    let mut out = BTreeSet::new();
    match e {
        Expr::Const(v) => {
            out.insert(*v);
        }
        Expr::Reg(r) if !function.params.contains(r) => {
            for e in function.graph.edges.iter().filter(|e| walk::writes(&e.op) == Some(*r)) {
                match &e.op {
                    Op::Assign(_, v) => out.extend(again(f, v)?),
                    Op::Load(_, a, _) => {
                        let read = points_to.targets(f as u32, a);
                        let Targets::Objects(cells) = &read else { return None };
                        // Locals only: others may start with something.
                        if !cells.iter().all(|(o, _)| function.locals.contains(o)) {
                            return None;
                        }
                        for (g, other) in module.functions.iter().enumerate() {
                            for e in &other.graph.edges {
                                let Op::Store(a, v, _) = &e.op else { continue };
                                if meet(&points_to.targets(g as u32, a), &read) {
                                    out.extend(again(g, v)?);
                                }
                            }
                        }
                    }
                    _ => return None,
                }
            }
        }
        _ => return None,
    }
    Some(out)
}

/// Cells that relaxed stores may write, with what they write: `None` is anything.
struct Weak(Vec<(Targets, Option<BTreeSet<i128>>)>);

fn weak(module: &Module, points_to: &PointsTo, by_place: &[BTreeMap<u32, Access>]) -> Weak {
    let mut out = Vec::new();
    for (f, function) in module.functions.iter().enumerate() {
        for e in &function.graph.edges {
            let Op::Store(a, v, _) = &e.op else { continue };
            if by_place[f].get(&e.from.0).is_some_and(|x| x.relaxed && x.write) {
                let value = constants(module, points_to, f, v, DEPTH);
                out.push((points_to.targets(f as u32, a), value));
            }
        }
    }
    Weak(out)
}

impl Weak {
    /// What a load may read of it, if it may.
    fn values(&self, points_to: &PointsTo, f: usize, a: &Expr) -> Option<Option<BTreeSet<i128>>> {
        let mine = points_to.targets(f as u32, a);
        let met: Vec<_> = self.0.iter().filter(|w| meet(&w.0, &mine)).map(|w| w.1.clone()).collect();
        let all = || met.into_iter().collect::<Option<Vec<_>>>().map(|v| v.into_iter().flatten().collect());
        self.0.iter().any(|w| meet(&w.0, &mine)).then(all)
    }
}

/// May two addresses be one?
fn meet(a: &Targets, b: &Targets) -> bool {
    let (Targets::Objects(a), Targets::Objects(b)) = (a, b) else { return true };
    a.iter().any(|(o, k)| b.iter().any(|(p, l)| o == p && (k.is_none() || l.is_none() || k == l)))
}
