//! Accesses to memory that is none are errors (`--check memory`): before each access whose place is not plain, the
//! address is looked for among the objects that it may be in, and where one may be gone, whether it is.

use super::code::Code;
use relyant_cfa::points_to::{Fact, PointsTo};
use relyant_cfa::{
    BinOp, CmpOp, Edge, Expr, Graph, HeapSite, IntKind, Module, ObjId, Object, ObjectKind, Op, Program, Reg,
    Register, Template, Violated,
};
use std::collections::{BTreeMap, BTreeSet};

/// Objects that are given back, and the cells that are not 0 then.
type Lifetimes = BTreeMap<ObjId, (ObjId, usize)>;

/// Objects that may have fewer cells than they are given, and the cells that say how many.
type Extents = BTreeMap<ObjId, (ObjId, usize)>;

/// The objects that end before the program does: blocks that may be freed, and locals whose address may outlive the
/// function.
pub(super) fn mortal(module: &Module, freed: &BTreeSet<ObjId>) -> BTreeSet<ObjId> {
    let points_to = PointsTo::of_module(module);
    let sharing = super::Sharing::new(module, &points_to, &super::taken(module));
    let heap: BTreeSet<ObjId> = module.heap.iter().map(|s| s.object).collect();
    let mut out: BTreeSet<ObjId> = freed.intersection(&heap).copied().collect();
    for (f, function) in module.functions.iter().enumerate() {
        let returned = |e: &relyant_cfa::Edge| match &e.op {
            Op::Return(Some(x)) | Op::ThreadExit(x) => points_to.held(f as u32, x),
            _ => BTreeSet::new(),
        };
        let mut leaving: BTreeSet<ObjId> = function.graph.edges.iter().flat_map(returned).collect();
        for o in (0..module.objects.len() as u32).map(ObjId).filter(|o| !function.locals.contains(o)) {
            leaving.extend(points_to.held_by(o));
        }
        let local = function.locals.iter().filter(|o| !heap.contains(o));
        let outer = local.filter(|o| leaving.contains(o) || sharing.escapes(**o));
        out.extend(outer.filter(|o| !module.blocks.contains_key(o)));
        // Of a block: known to a variable, or held anywhere.
        let named = (0..function.registers.len()).filter(|r| !function.registers[*r].name.is_empty());
        let mut kept: BTreeSet<ObjId> =
            named.flat_map(|r| points_to.held(f as u32, &Expr::Reg(Reg(r as u32)))).collect();
        let others = (0..module.objects.len() as u32).map(ObjId);
        kept.extend(others.flat_map(|o| points_to.held_by(o).into_iter().filter(move |p| *p != o)));
        let of_block = function.locals.iter().filter(|o| module.blocks.contains_key(o));
        out.extend(of_block.filter(|o| kept.contains(o) || leaving.contains(o) || sharing.escapes(**o)));
    }
    out
}

/// Blocks that end with the function that asks for them (`alloca`), and whose address may outlive it.
pub(super) fn outlived(module: &Module) -> BTreeSet<ObjId> {
    if module.heap.iter().all(|s| !s.ends) {
        return BTreeSet::new();
    }
    let points_to = PointsTo::of_module(module);
    let sharing = super::Sharing::new(module, &points_to, &super::taken(module));
    let objects = || (0..module.objects.len() as u32).map(ObjId);
    let returned = |f: u32, e: &Edge, o: ObjId| match &e.op {
        Op::Return(Some(x)) | Op::ThreadExit(x) => points_to.held(f, x).contains(&o),
        _ => false,
    };
    let outlived = |site: &HeapSite| {
        sharing.escapes(site.object)
            || objects().any(|o| points_to.held_by(o).contains(&site.object))
            || super::frames::callers(module, site.function)
                .any(|f| module.functions[f].graph.edges.iter().any(|e| returned(f as u32, e, site.object)))
    };
    module.heap.iter().filter(|s| s.ends && outlived(s)).map(|s| s.object).collect()
}

/// An access that is checked.
pub(super) struct Access {
    /// Where it may be.
    may: BTreeSet<ObjId>,
    /// It writes, and not at the start.
    writes: bool,
}

/// Puts the checks into automata without procedures.
pub(super) fn insert(templates: &mut [Template], objects: &[Object], module: &Module) {
    let found = accesses(templates, objects, module);
    for (t, accesses) in templates.iter_mut().zip(found) {
        insert_into(&mut t.graph, &mut t.registers, accesses, objects, module);
    }
}

/// The accesses of templates that are checked: for each template, its edges.
pub(super) fn accesses(
    templates: &[Template],
    objects: &[Object],
    module: &Module,
) -> Vec<Vec<Option<Access>>> {
    let program = Program { objects: objects.to_vec(), templates: templates.to_vec(), ..Program::default() };
    let points_to = PointsTo::new(&program);
    let access = |t: usize, edge: &Edge| {
        let (Op::Load(_, address, _) | Op::Store(address, _, _)) = &edge.op else { return None };
        let from = &templates[t].graph.locations[edge.from.0 as usize];
        if from.unchecked {
            return None;
        }
        let writes = matches!(edge.op, Op::Store(..)) && !from.initial;
        let fixed = |o: ObjId| writes && !objects[o.0 as usize].constant.is_empty();
        if plain(address, objects).is_some_and(|o| !module.lifetimes.contains_key(&o) && !fixed(o)) {
            return None;
        }
        let facts = points_to.eval(t as u32, address);
        let all = 0..objects.len() as u32;
        let may: BTreeSet<ObjId> = match base(address) {
            Some(o) => [o].into(),
            None if facts.contains(&Fact::Anything) => all.map(ObjId).collect(),
            None => points_to.held(t as u32, address),
        };
        Some(Access { may, writes })
    };
    let of = |(t, template): (usize, &Template)| {
        template.graph.edges.iter().map(|e| access(t, e)).collect::<Vec<_>>()
    };
    templates.iter().enumerate().map(of).collect()
}

/// Puts the checks of these accesses, one for each edge, into an automaton.
pub(super) fn insert_into(
    graph: &mut Graph,
    registers: &mut Vec<Register>,
    accesses: impl IntoIterator<Item = Option<Access>>,
    objects: &[Object],
    module: &Module,
) {
    let Module { lifetimes, extents, .. } = module;
    let memory = Memory { objects, lifetimes, extents };
    for (i, access) in accesses.into_iter().enumerate() {
        let (Op::Load(_, address, _) | Op::Store(address, _, _)) = &graph.edges[i].op else { continue };
        let address = address.clone();
        if let Some(access) = access {
            check(graph, registers, i, &address, &access, &memory);
        }
    }
}

/// The object of a constant place inside of it.
fn plain(address: &Expr, objects: &[Object]) -> Option<ObjId> {
    match address {
        Expr::Addr(o) => Some(*o),
        Expr::Binary(BinOp::Add, a, k, _) => match (&**a, &**k) {
            (Expr::Addr(o), Expr::Const(k)) => {
                let cells = objects[o.0 as usize].cells.len();
                usize::try_from(*k).is_ok_and(|k| k < cells).then_some(*o)
            }
            _ => None,
        },
        _ => None,
    }
}

/// The object that an address is computed from.
fn base(address: &Expr) -> Option<ObjId> {
    match address {
        Expr::Addr(o) => Some(*o),
        Expr::Binary(BinOp::Add, a, b, _) => match (base(a), base(b)) {
            (Some(o), None) | (None, Some(o)) => Some(o),
            _ => None,
        },
        _ => None,
    }
}

impl Code<'_> {
    /// Goes on where the address, inside of an object, is of a cell that may be written.
    fn allowed(&mut self, o: ObjId, object: &Object, address: &Expr) {
        let what = match object.kind {
            ObjectKind::Literal => Violated::WriteToLiteral,
            _ => Violated::WriteToConst,
        };
        for cells in &object.constant {
            let error = self.error(what.clone());
            if *cells == (0..object.cells.len()) {
                self.edge(error, Op::Skip);
                self.at = self.fresh();
                return;
            }
            let at = |k: usize| plus(Expr::Addr(o), Expr::Const(k as i128));
            let (inside, next) = (self.fresh(), self.fresh());
            self.edge(next, is(CmpOp::Lt, address, at(cells.start)));
            self.edge(inside, is(CmpOp::Ge, address, at(cells.start)));
            self.at = inside;
            self.edge(error, is(CmpOp::Lt, address, at(cells.end)));
            self.edge(next, is(CmpOp::Ge, address, at(cells.end)));
            self.at = next;
        }
    }
}

fn plus(a: Expr, b: Expr) -> Expr {
    Expr::Binary(BinOp::Add, Box::new(a), Box::new(b), IntKind::Ideal)
}

fn is(op: CmpOp, a: &Expr, b: Expr) -> Op {
    Op::Assume(Expr::Compare(op, Box::new(a.clone()), Box::new(b)))
}

/// Where an address may lead to.
struct Memory<'m> {
    /// All objects, by id.
    objects: &'m [Object],
    /// Of those that do not live as long as the program: what says that they are gone.
    lifetimes: &'m Lifetimes,
    /// Of those that may have fewer cells: what says how many.
    extents: &'m Extents,
}

/// Puts checks before edge `i`, which accesses memory at an address.
fn check(
    graph: &mut Graph,
    registers: &mut Vec<Register>,
    i: usize,
    address: &Expr,
    access: &Access,
    memory: &Memory,
) {
    let Memory { objects, lifetimes, extents } = *memory;
    let (from, span) = (graph.edges[i].from, graph.edges[i].span);
    let atomic = graph.locations[from.0 as usize].atomic;
    let mut code = Code { graph, registers, at: from, span, atomic };
    let good = code.fresh();
    let order = code.graph.locations[from.0 as usize].order.clone();
    code.graph.locations[good.0 as usize].order = order;
    let null = code.error(Violated::Null);
    code.edge(null, is(CmpOp::Eq, address, Expr::Const(0)));
    code.step(is(CmpOp::Ne, address, Expr::Const(0)));
    for o in &access.may {
        let (first, n) = (Expr::Addr(*o), objects[o.0 as usize].cells.len() as i128);
        let end = plus(first.clone(), Expr::Const(n));
        let next = code.fresh();
        code.edge(next, is(CmpOp::Lt, address, first.clone()));
        code.step(is(CmpOp::Ge, address, first));
        code.edge(next, is(CmpOp::Ge, address, end.clone()));
        code.step(is(CmpOp::Lt, address, end));
        if let Some(of) = lifetimes.get(o) {
            let back = code.load(of.0, of.1);
            let gone = code.error(Violated::Gone);
            code.edge(gone, is(CmpOp::Ne, &back, Expr::Const(0)));
            code.step(is(CmpOp::Eq, &back, Expr::Const(0)));
        }
        if let Some(of) = extents.get(o) {
            let cells = code.load(of.0, of.1);
            let end = plus(Expr::Addr(*o), cells);
            let outside = code.error(Violated::Outside);
            code.edge(outside, is(CmpOp::Ge, address, end.clone()));
            code.step(is(CmpOp::Lt, address, end));
        }
        if access.writes {
            code.allowed(*o, &objects[o.0 as usize], address);
        }
        code.edge(good, Op::Skip);
        code.at = next;
    }
    let outside = code.error(Violated::Outside);
    code.edge(outside, Op::Skip);
    graph.edges[i].from = good;
}
