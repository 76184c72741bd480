//! Functions that make memory for their callers: each call gets a copy, down to the place itself, so that each has
//! memory of its own size and type. Where that does not tell types apart, so do all functions that handle addresses.

use super::alloc::Site;
use super::translation::Memory;
use super::types::Ty;
use super::untyped::Untyped;
use super::views::Conversion;
use super::walks::Sight;
use crate::instantiate::taken;
use relyant_cfa::points_to::PointsTo;
use relyant_cfa::walk;
use relyant_cfa::{Callee, Expr, FuncId, Function, IntKind, Module, ObjId, Op, Reg};
use std::collections::{BTreeMap, BTreeSet};

/// At most this many copies.
const COPIES: usize = 256;
/// Copies within copies, at most so deep.
const DEPTH: usize = 8;

/// Which functions are copied for each call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Copying {
    /// Those that make memory for their callers, and those that pass untyped pointers on to memory functions.
    Wrappers,
    /// All that take or return addresses or make memory, so that what one call puts in a container is told from what
    /// another one puts in another container.
    Addresses,
    /// The same; and functions that get pointers to objects of several types get gates.
    AddressesGated,
}

struct Copier<'m> {
    module: &'m mut Module,
    memory: &'m mut Memory,
    variables: &'m mut BTreeMap<ObjId, Ty>,
    makers: BTreeSet<FuncId>,
    copies: Vec<(FuncId, FuncId)>,
}

/// Copies functions for each call in others. Gives each copy and what it is of.
pub fn copy(
    module: &mut Module,
    memory: &mut Memory,
    variables: &mut BTreeMap<ObjId, Ty>,
    which: Copying,
) -> Vec<(FuncId, FuncId)> {
    let roots = roots(module);
    let mut makers = makers(module, &memory.sites, &roots);
    makers.extend(pass_on(module, &memory.untyped, &roots));
    let Memory { sites, untyped, .. } = &*memory;
    let own = |f: &FuncId| sites.iter().any(|s| s.function == *f) || untyped.iter().any(|u| u.function == *f);
    if which != Copying::Wrappers {
        let all: BTreeSet<FuncId> = sites.iter().map(|s| s.function).collect();
        makers.extend(with_addresses(module, &all, &roots));
    }
    if !called_twice(module, &makers) {
        return Vec::new();
    }
    let wraps = |f: &FuncId| makers.contains(f) && !own(f);
    let mut calls = Vec::new();
    for (f, function) in module.functions.iter().enumerate() {
        if makers.contains(&FuncId(f as u32)) {
            continue;
        }
        for (i, e) in function.graph.edges.iter().enumerate() {
            if let Op::Call { callee: Callee::Known(g), .. } = &e.op {
                if wraps(g) {
                    calls.push((f, i, *g));
                }
            }
        }
    }
    let mut copier = Copier { module, memory, variables, makers, copies: Vec::new() };
    for (f, i, g) in calls {
        let copy = copier.function(g, 0);
        if let Op::Call { callee, .. } = &mut copier.module.functions[f].graph.edges[i].op {
            *callee = Callee::Known(copy);
        }
    }
    // What nobody calls any more makes nothing.
    loop {
        let called = called(copier.module);
        let mut idle = false;
        for f in &copier.makers {
            let function = &mut copier.module.functions[f.0 as usize];
            if !called.contains(f) && !function.graph.edges.is_empty() {
                function.graph.edges.clear();
                function.locals.clear();
                idle = true;
            }
        }
        if !idle {
            return copier.copies;
        }
    }
}

/// Is one of these functions called in two places?
fn called_twice(module: &Module, which: &BTreeSet<FuncId>) -> bool {
    let mut seen = BTreeSet::new();
    module.functions.iter().flat_map(|f| &f.graph.edges).any(|e| match &e.op {
        Op::Call { callee: Callee::Known(g), .. } => which.contains(g) && !seen.insert(*g),
        _ => false,
    })
}

/// The functions that are not only called by name: those that threads start with, and those whose address is taken.
fn roots(module: &Module) -> BTreeSet<FuncId> {
    let mut roots = taken(module);
    roots.extend(module.starts.iter().copied());
    for e in module.functions.iter().flat_map(|f| &f.graph.edges) {
        if let Op::Create { routine: Callee::Known(g), .. } = &e.op {
            roots.insert(*g);
        }
    }
    roots
}

/// The functions that take or return addresses, or call others of these or places that make memory; none that calls
/// itself by a detour.
fn with_addresses(module: &Module, sites: &BTreeSet<FuncId>, roots: &BTreeSet<FuncId>) -> BTreeSet<FuncId> {
    let calls: Vec<BTreeSet<FuncId>> = module.functions.iter().map(callees).collect();
    let mut found = BTreeSet::new();
    for (f, function) in module.functions.iter().enumerate() {
        let id = FuncId(f as u32);
        let kind = |r: &Reg| function.registers.get(r.0 as usize).map(|r| r.kind);
        let has = function.params.iter().any(|r| kind(r) == Some(IntKind::Ideal))
            || function.result == Some(IntKind::Ideal)
            || !calls[f].is_disjoint(sites);
        if has && !roots.contains(&id) && !function.graph.edges.is_empty() && !leads_to(&calls, id, id) {
            found.insert(id);
        }
    }
    found
}

/// The functions that one calls by name.
fn callees(f: &Function) -> BTreeSet<FuncId> {
    let of = |op: &Op| if let Op::Call { callee: Callee::Known(g), .. } = op { Some(*g) } else { None };
    f.graph.edges.iter().filter_map(|e| of(&e.op)).collect()
}

/// Does a function call another one, by however many calls?
fn leads_to(calls: &[BTreeSet<FuncId>], from: FuncId, to: FuncId) -> bool {
    let (mut seen, mut open) = (BTreeSet::new(), vec![from]);
    while let Some(f) = open.pop() {
        for g in calls.get(f.0 as usize).into_iter().flatten() {
            if *g == to {
                return true;
            }
            if seen.insert(*g) {
                open.push(*g);
            }
        }
    }
    false
}

/// The functions that anything leads to.
fn called(module: &Module) -> BTreeSet<FuncId> {
    let mut called = roots(module);
    called.extend(module.functions.iter().flat_map(callees));
    called
}

/// The memory functions on untyped pointers, and the functions that call these, or others of these, on parameters.
fn pass_on(module: &Module, untyped: &[Untyped], roots: &BTreeSet<FuncId>) -> BTreeSet<FuncId> {
    let mut found: BTreeSet<FuncId> = untyped.iter().map(|u| u.function).collect();
    loop {
        let before = found.len();
        for (f, function) in module.functions.iter().enumerate() {
            let id = FuncId(f as u32);
            if roots.contains(&id) {
                continue;
            }
            let own = |x: &Expr| {
                let mut registers = Vec::new();
                walk::registers(x, &mut registers);
                registers.iter().any(|r| function.params.contains(r))
            };
            let passes = function.graph.edges.iter().any(|e| match &e.op {
                Op::Call { callee: Callee::Known(g), args, .. } => found.contains(g) && args.iter().any(own),
                _ => false,
            });
            if passes {
                found.insert(id);
            }
        }
        if found.len() == before {
            return found;
        }
    }
}

/// The places that make memory, and the functions that may return what they or others of these make for them.
fn makers(module: &Module, sites: &[Site], roots: &BTreeSet<FuncId>) -> BTreeSet<FuncId> {
    let mut probe = module.clone();
    super::settle::outline(&mut probe, sites, None);
    let points_to = PointsTo::of_module(&probe);
    let mut makes: BTreeMap<FuncId, BTreeSet<ObjId>> =
        sites.iter().map(|s| (s.function, BTreeSet::from([s.object]))).collect();
    loop {
        let before = makes.len();
        for (f, function) in module.functions.iter().enumerate() {
            let id = FuncId(f as u32);
            if makes.contains_key(&id) || roots.contains(&id) {
                continue;
            }
            let mut inside = BTreeSet::new();
            for e in &function.graph.edges {
                if let Op::Call { callee: Callee::Known(g), .. } = &e.op {
                    inside.extend(makes.get(g).into_iter().flatten().copied());
                }
            }
            let returned: BTreeSet<ObjId> = function
                .graph
                .edges
                .iter()
                .filter_map(|e| if let Op::Return(Some(x)) = &e.op { Some(x) } else { None })
                .flat_map(|x| points_to.held(id.0, x))
                .filter(|o| inside.contains(o))
                .collect();
            if !returned.is_empty() {
                makes.insert(id, returned);
            }
        }
        if makes.len() == before {
            return makes.into_keys().collect();
        }
    }
}

impl Copier<'_> {
    fn function(&mut self, f: FuncId, depth: usize) -> FuncId {
        if self.copies.len() >= COPIES || depth > DEPTH {
            return f;
        }
        let mut copy = self.module.functions[f.0 as usize].clone();
        let mut objects: BTreeMap<ObjId, ObjId> = BTreeMap::new();
        let site = self.memory.sites.iter().find(|s| s.function == f).cloned();
        for o in copy.locals.iter().copied().chain(site.as_ref().map(|s| s.object)) {
            let object = self.module.objects[o.0 as usize].clone();
            objects.entry(o).or_insert_with(|| {
                self.module.objects.push(object);
                ObjId(self.module.objects.len() as u32 - 1)
            });
        }
        for (old, new) in &objects {
            if let Some(ty) = self.variables.get(old).cloned() {
                self.variables.insert(*new, ty);
            }
        }
        copy.locals.iter_mut().for_each(|o| *o = objects[&*o]);
        for e in &mut copy.graph.edges {
            e.op = walk::map_op(&e.op, &mut |x| walk::map_leaves(x, &mut leaf_of(&objects)), &|r| r);
        }
        self.objects_like(&objects, &mut copy);
        let id = FuncId(self.module.functions.len() as u32);
        let inner: Vec<(usize, FuncId)> = copy
            .graph
            .edges
            .iter()
            .enumerate()
            .filter_map(|(i, e)| match &e.op {
                Op::Call { callee: Callee::Known(g), .. } if self.makers.contains(g) && *g != f => {
                    Some((i, *g))
                }
                _ => None,
            })
            .collect();
        self.module.functions.push(copy);
        if let Some(site) = site {
            self.memory.sites.push(Site { function: id, object: objects[&site.object], ..site });
        }
        if let Some(u) = self.memory.untyped.iter().find(|u| u.function == f).cloned() {
            self.memory.untyped.push(Untyped { function: id, ..u });
        }
        self.makers.insert(id);
        self.copies.push((id, f));
        let learnt: Vec<(FuncId, Conversion)> = self
            .memory
            .conversions
            .iter()
            .filter(|(g, _)| *g == f)
            .map(|(_, c)| {
                let value = walk::map_leaves(&c.value, &mut leaf_of(&objects));
                (id, Conversion { value, ..c.clone() })
            })
            .collect();
        self.memory.conversions.extend(learnt);
        let of = self.memory.sights.iter().filter(|(g, _)| *g == f);
        let seen: Vec<(FuncId, Sight)> = of
            .map(|(_, s)| {
                let mut moved = |e: &Expr| walk::map_leaves(e, &mut leaf_of(&objects));
                let (value, other) = (moved(&s.value), s.other.as_ref().map(&mut moved));
                (id, Sight { value, other, ..s.clone() })
            })
            .collect();
        self.memory.sights.extend(seen);
        for (i, g) in inner {
            let new = self.function(g, depth + 1);
            if let Op::Call { callee, .. } = &mut self.module.functions[id.0 as usize].graph.edges[i].op {
                *callee = Callee::Known(new);
            }
        }
        id
    }

    /// Objects of a copy live as those do that they are copies of.
    fn objects_like(&mut self, objects: &BTreeMap<ObjId, ObjId>, copy: &mut Function) {
        for (old, new) in objects {
            if self.module.variable.contains(old) {
                self.module.variable.insert(*new);
            }
            if self.memory.rows.contains(old) {
                self.memory.rows.insert(*new);
            }
            let Some((begins, ends)) = self.module.blocks.get(old).copied() else { continue };
            let mut own = |f: FuncId| {
                let function = self.module.functions[f.0 as usize].clone();
                self.module.functions.push(function);
                let id = FuncId(self.module.functions.len() as u32 - 1);
                for e in &mut copy.graph.edges {
                    match &mut e.op {
                        Op::Call { callee: Callee::Known(g), .. } if *g == f => *g = id,
                        _ => {}
                    }
                }
                id
            };
            let calls = (own(begins), own(ends));
            self.module.blocks.insert(*new, calls);
        }
    }
}

fn leaf_of(objects: &BTreeMap<ObjId, ObjId>) -> impl FnMut(&Expr) -> Expr + '_ {
    |e| match e {
        Expr::Addr(o) => Expr::Addr(objects.get(o).copied().unwrap_or(*o)),
        other => other.clone(),
    }
}
