//! Functions that make memory, once for each place that calls them: what each call makes is an object of its own then, of any size
//! ([`super::extent`]).

use relyant_cfa::{Callee, Expr, FuncId, Module, ObjId, Op, walk};
use std::collections::{BTreeMap, BTreeSet};

/// Copies of functions, at most.
const COPIES: usize = 64;

/// The module in which no function that makes memory is called from two places, as far as that is possible.
pub(super) fn apart(module: &Module) -> Module {
    let mut out = module.clone();
    for _ in 0..COPIES {
        let Some((f, edge)) = called_twice(&out) else { break };
        let copy = copied(&mut out, f);
        if let Op::Call { callee, .. } = &mut out.functions[edge.0].graph.edges[edge.1].op {
            *callee = Callee::Known(copy);
        }
    }
    out
}

/// A function that makes memory, and a call of it that is not the first.
fn called_twice(module: &Module) -> Option<(FuncId, (usize, usize))> {
    let makes = makes(module);
    let fixed = fixed(module);
    let mut called = BTreeSet::new();
    for (g, function) in module.functions.iter().enumerate() {
        for (k, e) in function.graph.edges.iter().enumerate() {
            let Op::Call { callee: Callee::Known(f), .. } = &e.op else { continue };
            if makes.contains(f) && !fixed.contains(f) && !called.insert(*f) {
                return Some((*f, (g, k)));
            }
        }
    }
    None
}

/// Functions that make memory, themselves or through those that they call.
fn makes(module: &Module) -> BTreeSet<FuncId> {
    let mut out: BTreeSet<FuncId> = module.heap.iter().map(|h| h.function).collect();
    loop {
        let calls = |e: &relyant_cfa::Edge| matches!(&e.op, Op::Call { callee: Callee::Known(f), .. } if out.contains(f));
        let more: Vec<FuncId> = (0u32..)
            .zip(&module.functions)
            .filter(|(k, f)| !out.contains(&FuncId(*k)) && f.graph.edges.iter().any(calls))
            .map(|(k, _)| FuncId(k))
            .collect();
        if more.is_empty() {
            return out;
        }
        out.extend(more);
    }
}

/// Functions that have to stay one: those that are started or called by pointers, call themselves, or have locals with lifetimes.
fn fixed(module: &Module) -> BTreeSet<FuncId> {
    let mut out: BTreeSet<FuncId> = super::taken(module).into_iter().collect();
    out.extend(&module.starts);
    let calls = |f: &relyant_cfa::Function| -> Vec<usize> {
        let known = f.graph.edges.iter().filter_map(|e| match &e.op {
            Op::Call { callee: Callee::Known(g), .. } | Op::Create { routine: Callee::Known(g), .. } => {
                Some(g.0 as usize)
            }
            _ => None,
        });
        known.collect()
    };
    let next: Vec<Vec<usize>> = module.functions.iter().map(calls).collect();
    for component in relyant_cfa::strong::components(&next) {
        if component.len() > 1 || component.iter().any(|f| next[*f].contains(f)) {
            out.extend(component.iter().map(|f| FuncId(*f as u32)));
        }
    }
    let mortal = |o: &ObjId| module.lifetimes.contains_key(o) || module.blocks.contains_key(o);
    let functions = (0u32..).zip(&module.functions);
    out.extend(functions.filter(|(_, f)| f.locals.iter().any(mortal)).map(|(k, _)| FuncId(k)));
    out
}

/// Adds a copy of a function, with objects and places of its own.
fn copied(module: &mut Module, f: FuncId) -> FuncId {
    let copy = FuncId(module.functions.len() as u32);
    let mut function = module.functions[f.0 as usize].clone();
    let mut own: BTreeMap<ObjId, ObjId> = BTreeMap::new();
    for o in &mut function.locals {
        let new = ObjId(module.objects.len() as u32);
        let mut object = module.objects[o.0 as usize].clone();
        object.name = format!("{}#{}", object.name, new.0);
        module.objects.push(object);
        own.insert(*o, new);
        *o = new;
    }
    let leaf = |e: &Expr| match e {
        Expr::Addr(o) => Expr::Addr(own.get(o).copied().unwrap_or(*o)),
        e => e.clone(),
    };
    for e in &mut function.graph.edges {
        e.op = walk::map_op(&e.op, &mut |x| walk::map_leaves(x, &mut |x| leaf(x)), &|r| r);
    }
    module.functions.push(function);
    let sites: Vec<_> = module.heap.iter().filter(|h| h.function == f).cloned().collect();
    for mut site in sites {
        site.function = copy;
        site.object = own.get(&site.object).copied().unwrap_or(site.object);
        module.heap.push(site);
    }
    copy
}
