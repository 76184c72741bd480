//! Data races as errors that can be reached (`--property no-data-race`).
//!
//! With every access sequentially consistent, a program has a race (C11 5.1.2.4) if and only if in some run two threads
//! are about to access one cell, one of them to write it and one not atomically (Adve and Hill, "Weak ordering: a new
//! definition", 1990; Boehm and Adve, "Foundations of the C++ concurrency memory model", 2008, section 4). So a thread
//! about to access a cell may first say so, in a cell of its own called a *watch*:
//!
//! ```text
//! from --[watch = 0; watch := &x]--> waiting --[watch := 0; access x]--> to
//! ```
//!
//! Another thread that accesses the cell meanwhile comes to an error. An access in an atomic section happens in the
//! section's one step: it looks at the watch but waits nowhere. The watch is in the module before threads are made of
//! it, so that engines, replay and certificates need not know of it.
//!
//! What `conflicts` rules out is left as it is: of two accesses that may race it is enough that one waits and the other
//! one looks.

pub(crate) mod concurrent;
mod conflicts;
mod relaxed;
#[cfg(test)]
mod tests;

use conflicts::Role;
use relyant_cfa::diagnostic::Span;
use relyant_cfa::points_to::PointsTo;
use relyant_cfa::{
    BinOp, CmpOp, Edge, Expr, Function, IntKind, Loc, LocationKind, Module, ObjId, Object, ObjectKind, Op,
    Race, Reg, Register, Use, Violated,
};

/// What is violated by an access to cells with these names, and to others.
fn error(access: &Access, (cells, others): (Vec<String>, bool)) -> Violated {
    match access.to {
        // All cells of the block: no one of them tells more than another.
        AccessTarget::Object => Violated::Race(Race { access: Use::Free, cells: Vec::new(), others: false }),
        AccessTarget::Cell | AccessTarget::Fence => {
            let access = if access.write { Use::Write } else { Use::Read };
            Violated::Race(Race { access, cells, others })
        }
    }
}

/// An access of the program to its memory: the edges that read or write memory and leave a location.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Access {
    /// The location whose edges do it.
    pub from: Loc,
    /// Is it a write?
    pub write: bool,
    /// To an object of atomic type, or by an atomic operation.
    pub atomic: bool,
    /// Atomic, but no acquire (of a read) or release (of a write): it orders nothing (C11 7.17.3).
    pub relaxed: bool,
    /// A read of a compare-exchange that orders nothing where that fails.
    pub fails_relaxed: bool,
    /// On x86 it waits until the thread's stores have come to memory: a sequentially consistent store, a step that reads
    /// and writes, a fence of that strength.
    pub drains: bool,
    /// Cells from the first bit-field of its storage unit: they are one memory location (C11 3.14).
    pub in_unit: u64,
    /// What it is to.
    pub to: AccessTarget,
}

/// What an access is to.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum AccessTarget {
    /// The cell at the address.
    #[default]
    Cell,
    /// All of the object that begins at the address, which is given back by a call (C11 7.22.3p2): by `free`, or by
    /// `realloc`, whose last argument it is.
    Object,
    /// No memory at all: it is a fence.
    Fence,
}

impl Access {
    /// The address of an edge that is part of it.
    fn address(&self, op: &Op) -> Option<Expr> {
        match (op, self.to) {
            (Op::Load(_, a, _) | Op::Store(a, _, _), AccessTarget::Cell) => Some(a.clone()),
            (Op::Call { args, .. }, AccessTarget::Object) => args.last().cloned(),
            _ => None,
        }
    }
    /// In a graph whose locations have new numbers.
    pub(crate) fn moved(&self, new: &[Option<Loc>]) -> Option<Access> {
        Some(Access { from: new.get(self.from.0 as usize).copied().flatten()?, ..*self })
    }
}

/// Makes races errors. `accesses` has those of each function; of the pairs that may race, all count or this one.
pub fn instrument(module: &mut Module, accesses: &[Vec<Access>], only: Option<usize>) {
    let points_to = PointsTo::of_module(module);
    let relaxed = accesses.iter().flatten().any(|a| a.relaxed);
    let (roles, pairs) = conflicts::roles(module, &points_to, accesses, relaxed, only);
    module.race_pairs = pairs;
    if roles.is_empty() {
        return;
    }
    let plan = relaxed.then(|| relaxed::Plan::new(module, &points_to, accesses));
    let watches = Watches {
        write: ghost(module, "(about to write)", ObjectKind::WatchedWrite, false),
        read: ghost(module, "(about to read)", ObjectKind::WatchedRead, false),
        relaxed: relaxed.then(|| relaxed::Ghosts::new(module)),
    };
    if roles.iter().any(|(_, _, role)| role.open) {
        module.beyond = Some(ghost(module, "(cells beyond)", ObjectKind::Ghost, false));
    }
    let beyond = module.beyond;
    for (f, access, role) in roles {
        let beyond = beyond.filter(|_| role.open);
        watches.put(&mut module.functions[f.0 as usize], access, &role, beyond);
    }
    if let (Some(plan), Some(ghosts)) = (plan, &watches.relaxed) {
        plan.apply(module, ghosts);
    }
}

/// A cell that the program does not have.
fn ghost(module: &mut Module, name: &str, kind: ObjectKind, thread_local: bool) -> ObjId {
    module.objects.push(Object {
        kind,
        thread_local,
        ..Object::synthetic(name, IntKind::Ideal, Some(0), Span::default())
    });
    ObjId(module.objects.len() as u32 - 1)
}

/// The cells that hold the address which a thread is about to write, or to read; 0 is none.
struct Watches {
    write: ObjId,
    read: ObjId,
    /// What relaxed accesses call for.
    relaxed: Option<relaxed::Ghosts>,
}

impl Watches {
    /// Puts what an access has to do around its edges.
    fn put(&self, f: &mut Function, access: Access, role: &Role, beyond: Option<ObjId>) {
        let from = access.from;
        let edges: Vec<usize> = (0..f.graph.edges.len())
            .filter(|i| f.graph.edges[*i].from == from)
            .filter(|i| access.address(&f.graph.edges[*i].op).is_some())
            .collect();
        for i in edges {
            let edge = f.graph.edges[i].clone();
            let Some(address) = access.address(&edge.op) else { continue };
            let address = match access.in_unit {
                0 => address.clone(),
                n => plus(address.clone(), -i128::from(n)),
            };
            let mut code = Code { f, at: from, span: edge.span };
            if access.to == AccessTarget::Cell && !is_object(&address) {
                // No memory is accessed through a null pointer; the run ends there.
                code.step(Op::Assume(is(address.clone(), Expr::Const(0)).is_false()), true);
            }
            let from = code.at;
            if role.waits {
                let watch = if access.write { self.write } else { self.read };
                let free = code.load(watch);
                code.step(Op::Assume(is(free, Expr::Const(0))), true);
                // Others may move while it waits, and only then.
                code.step(Op::Store(Expr::Addr(watch), address.clone(), IntKind::Ideal), false);
                if let Some(ghosts) = &self.relaxed {
                    ghosts.linger(&mut code, &edge);
                }
                code.step(Op::Store(Expr::Addr(watch), Expr::Const(0), IntKind::Ideal), true);
                let at = code.at;
                code.f.graph.edges.push(Edge { from: at, ..edge.clone() });
                code.at = from;
            }
            let looks = [(role.minds_writes, self.write), (role.minds_reads, self.read)];
            for (_, watch) in looks.into_iter().filter(|l| l.0) {
                let seen = code.load(watch);
                let passed = self.relaxed.as_ref().map(|ghosts| ghosts.unless_mine(&mut code));
                match access.to {
                    AccessTarget::Object => {
                        let mut end = plus(address.clone(), i128::from(role.cells));
                        if let Some(o) = beyond {
                            let more = code.load(o);
                            end = Expr::Binary(BinOp::Add, Box::new(end), Box::new(more), IntKind::Ideal);
                        }
                        code.within(&seen, &address, end, role, self.relaxed.as_ref())
                    }
                    AccessTarget::Cell => {
                        let same = is(seen, address.clone());
                        code.fail(role, same.clone(), self.relaxed.as_ref());
                        code.step(Op::Assume(same.is_false()), true);
                    }
                    AccessTarget::Fence => {}
                }
                if let Some(passed) = passed {
                    code.join(passed);
                }
            }
            let at = code.at;
            f.graph.edges[i].from = at;
        }
    }
}

/// The address of an object, or of a part of it.
fn is_object(address: &Expr) -> bool {
    match address {
        Expr::Addr(_) => true,
        Expr::Binary(BinOp::Add, a, _, _) => is_object(a),
        _ => false,
    }
}

fn is(a: Expr, b: Expr) -> Expr {
    Expr::Compare(CmpOp::Eq, Box::new(a), Box::new(b))
}

fn plus(address: Expr, n: i128) -> Expr {
    Expr::Binary(BinOp::Add, Box::new(address), Box::new(Expr::Const(n)), IntKind::Ideal)
}

/// New edges in a function, from a location on.
struct Code<'f> {
    f: &'f mut Function,
    at: Loc,
    span: Span,
}

impl Code<'_> {
    fn step(&mut self, op: Op, held: bool) {
        let to = self.f.graph.add_location(self.span);
        self.f.graph.locations[to.0 as usize].atomic = held;
        self.f.graph.add_edge(self.at, to, op, self.span);
        self.at = to;
    }
    fn load(&mut self, o: ObjId) -> Expr {
        self.f.registers.push(Register { name: String::new(), kind: IntKind::Ideal });
        let r = Reg(self.f.registers.len() as u32 - 1);
        self.step(Op::Load(r, Expr::Addr(o), IntKind::Ideal), true);
        Expr::Reg(r)
    }
    /// Goes on at a location.
    fn join(&mut self, to: Loc) {
        self.f.graph.add_edge(self.at, to, Op::Skip, self.span);
        self.at = to;
    }
    /// Leads to a location of a kind where the test holds.
    fn ends(&mut self, kind: LocationKind, test: Expr) {
        let to = self.f.graph.add_location(self.span);
        self.f.graph.locations[to.0 as usize].kind = kind;
        self.f.graph.add_edge(self.at, to, Op::Assume(test), self.span);
    }
    /// Leads to the error where the test holds.
    fn fail(&mut self, role: &Role, test: Expr, ghosts: Option<&relaxed::Ghosts>) {
        let error = LocationKind::Error(role.error.clone());
        let Some(ghosts) = ghosts else { return self.ends(error, test) };
        let (at, span) = (self.at, self.span);
        self.step(Op::Assume(test), true);
        ghosts.fail(self, error);
        (self.at, self.span) = (at, span);
    }
    /// Fails where what is watched lies in the object at an address, before its end.
    fn within(
        &mut self,
        watched: &Expr,
        address: &Expr,
        end: Expr,
        role: &Role,
        ghosts: Option<&relaxed::Ghosts>,
    ) {
        let compare = |op, a: &Expr, b: Expr| Expr::Compare(op, Box::new(a.clone()), Box::new(b));
        let out = self.f.graph.add_location(self.span);
        self.f.graph.locations[out.0 as usize].atomic = true;
        for test in
            [compare(CmpOp::Gt, watched, Expr::Const(0)), compare(CmpOp::Ge, watched, address.clone())]
        {
            self.f.graph.add_edge(self.at, out, Op::Assume(test.clone().is_false()), self.span);
            self.step(Op::Assume(test), true);
        }
        let test = compare(CmpOp::Lt, watched, end);
        self.fail(role, test.clone(), ghosts);
        self.f.graph.add_edge(self.at, out, Op::Assume(test.is_false()), self.span);
        self.at = out;
    }
}
