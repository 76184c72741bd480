//! Functions that make memory for their callers: each call gets a copy, down to the place itself, so that each has
//! memory of its own size and type.

use super::alloc::Site;
use super::translation::Memory;
use super::types::Ty;
use super::untyped::Untyped;
use super::views::Conversion;
use super::walks::Sight;
use crate::instantiate::taken;
use relyant_cfa::points_to::PointsTo;
use relyant_cfa::walk;
use relyant_cfa::{Callee, Expr, FuncId, Module, ObjId, Op};
use std::collections::{BTreeMap, BTreeSet};

/// At most this many copies.
const COPIES: usize = 256;
/// Wrappers of wrappers, at most so deep.
const DEPTH: usize = 8;

struct Copier<'m> {
    module: &'m mut Module,
    memory: &'m mut Memory,
    variables: &'m mut BTreeMap<ObjId, Ty>,
    makers: BTreeSet<FuncId>,
    copies: Vec<(FuncId, FuncId)>,
}

/// Copies the functions that return memory made in them, and those that call memory functions on untyped arguments of
/// theirs, for each call in others. Gives each copy and what it is of.
pub fn copy(
    module: &mut Module,
    memory: &mut Memory,
    variables: &mut BTreeMap<ObjId, Ty>,
) -> Vec<(FuncId, FuncId)> {
    let mut makers = makers(module, &memory.sites);
    makers.extend(pass_on(module, &memory.untyped));
    let Memory { sites, untyped, .. } = &*memory;
    let own = |f: &FuncId| sites.iter().any(|s| s.function == *f) || untyped.iter().any(|u| u.function == *f);
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
    if calls.len() < 2 {
        return Vec::new();
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

/// The functions that anything leads to.
fn called(module: &Module) -> BTreeSet<FuncId> {
    let mut called = taken(module);
    called.extend(module.starts.iter().copied());
    for e in module.functions.iter().flat_map(|f| &f.graph.edges) {
        if let Op::Call { callee: Callee::Known(g), .. } | Op::Create { routine: Callee::Known(g), .. } =
            &e.op
        {
            called.insert(*g);
        }
    }
    called
}

/// The memory functions on untyped pointers, and the functions that call these, or others of these, on parameters.
fn pass_on(module: &Module, untyped: &[Untyped]) -> BTreeSet<FuncId> {
    let taken = taken(module);
    let mut found: BTreeSet<FuncId> = untyped.iter().map(|u| u.function).collect();
    loop {
        let before = found.len();
        for (f, function) in module.functions.iter().enumerate() {
            let id = FuncId(f as u32);
            if taken.contains(&id) || module.starts.contains(&id) {
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
fn makers(module: &Module, sites: &[Site]) -> BTreeSet<FuncId> {
    let mut probe = module.clone();
    super::settle::outline(&mut probe, sites, None);
    let points_to = PointsTo::of_module(&probe);
    let taken = taken(module);
    let mut makes: BTreeMap<FuncId, BTreeSet<ObjId>> =
        sites.iter().map(|s| (s.function, BTreeSet::from([s.object]))).collect();
    loop {
        let before = makes.len();
        for (f, function) in module.functions.iter().enumerate() {
            let id = FuncId(f as u32);
            if makes.contains_key(&id) || taken.contains(&id) || module.starts.contains(&id) {
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
        let id = FuncId(self.module.functions.len() as u32);
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
}

fn leaf_of(objects: &BTreeMap<ObjId, ObjId>) -> impl FnMut(&Expr) -> Expr + '_ {
    |e| match e {
        Expr::Addr(o) => Expr::Addr(objects.get(o).copied().unwrap_or(*o)),
        other => other.clone(),
    }
}
