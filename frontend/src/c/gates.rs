//! Functions that get a pointer to anything and see it as one type, where objects of several types may be there as far as can
//! be told: callbacks with what they were registered with, in one table. Each goes through a gate, which tells the objects
//! that are of the type by their addresses and lets nothing else in: that is a limit.

use super::homes::{Sighting, fits};
use super::parts::Part;
use super::types::{Ty, Types};
use super::views::Conversion;
use crate::instantiate::gates;
use relyant_cfa::diagnostic::Span;
use relyant_cfa::points_to::{PointsTo, Targets};
use relyant_cfa::{Callee, Edge, Expr, FuncId, IntKind, Module, ObjId, Op, Reg, Register};
use std::collections::{BTreeMap, BTreeSet};

/// Cells of objects.
type Places = BTreeSet<(ObjId, usize)>;

/// Puts gates before the functions that need one, and where pointers get a type. `sizes`: how large the blocks are whose size is
/// known.
pub fn insert(
    module: &mut Module,
    types: &Types,
    variables: &BTreeMap<ObjId, Ty>,
    sizes: &BTreeMap<ObjId, i128>,
    conversions: &mut [(FuncId, Conversion)],
) {
    let points_to = PointsTo::of_module(module);
    let mut kinds: BTreeMap<ObjId, Ty> = variables.clone();
    kinds.extend(of_blocks(types, &points_to, sizes, conversions));
    // For each register the conversions that need a gate, with what it lets in.
    let mut needed: BTreeMap<(FuncId, Reg), Vec<(usize, Places)>> = BTreeMap::new();
    for (i, (f, c)) in conversions.iter().enumerate() {
        let (Expr::Reg(r), Targets::Objects(targets)) = (&c.value, points_to.targets(f.0, &c.value)) else {
            continue;
        };
        let places: Option<Places> = targets.iter().map(|(o, k)| k.map(|k| (*o, k))).collect();
        let Some(places) = places else { continue };
        let inside = admitted(types, &kinds, &places, c);
        if inside.len() < places.len() && !inside.is_empty() {
            needed.entry((*f, *r)).or_default().push((i, inside));
        }
    }
    for ((f, r), all) in needed {
        let common =
            all.iter().skip(1).fold(all[0].1.clone(), |a, b| a.intersection(&b.1).copied().collect());
        let param = module.functions[f.0 as usize].params.iter().position(|p| *p == r);
        match param.filter(|_| !common.is_empty()) {
            Some(k) => before_function(module, f, k, &common, conversions[all[0].0].1.span),
            None => {
                for (i, inside) in all {
                    at_conversion(module, f, &mut conversions[i].1, &inside);
                }
            }
        }
    }
}

fn make(module: &mut Module, inside: &Places, span: Span) -> FuncId {
    let limit = format!("an object seen as one of another type is not supported (line {})", span.line);
    module.functions.push(gates::gate(inside, limit, span));
    FuncId(module.functions.len() as u32 - 1)
}

/// What a function gets as a parameter goes through a gate first.
fn before_function(module: &mut Module, f: FuncId, param: usize, inside: &Places, span: Span) {
    let gate = make(module, inside, span);
    let function = &mut module.functions[f.0 as usize];
    let given = Reg(function.registers.len() as u32);
    function.registers.push(Register { name: String::new(), kind: IntKind::Ideal });
    let param = std::mem::replace(&mut function.params[param], given);
    let (entry, span) = (function.entry, function.span);
    function.entry = function.graph.add_location(span);
    function.graph.locations[function.entry.0 as usize].atomic = function.atomic;
    let op = Op::Call { dst: Some(param), callee: Callee::Known(gate), args: vec![Expr::Reg(given)] };
    function.graph.add_edge(function.entry, entry, op, span);
}

/// Where a line puts the pointer in one variable, once, it goes through a gate there; the conversion is one of the variable
/// then.
fn at_conversion(module: &mut Module, f: FuncId, c: &mut Conversion, inside: &Places) {
    let graph = &module.functions[f.0 as usize].graph;
    let here = |e: &Edge| (e.span.file, e.span.line) == (c.span.file, c.span.line);
    let copied = |op: &Op| match op {
        Op::Assign(x, v) if *v == c.value => Some(*x),
        _ => None,
    };
    let mut found = (0..graph.edges.len()).filter_map(|i| {
        let e = &graph.edges[i];
        copied(&e.op).filter(|_| here(e)).map(|x| (i, x))
    });
    let (Some((i, x)), None) = (found.next(), found.next()) else { return };
    let gate = make(module, inside, c.span);
    module.functions[f.0 as usize].graph.edges[i].op =
        Op::Call { dst: Some(x), callee: Callee::Known(gate), args: vec![c.value.clone()] };
    c.value = Expr::Reg(x);
}

/// What blocks hold to which a pointer alone becomes one to their type, if that is one type of their size.
fn of_blocks(
    types: &Types,
    points_to: &PointsTo,
    sizes: &BTreeMap<ObjId, i128>,
    conversions: &[(FuncId, Conversion)],
) -> BTreeMap<ObjId, Ty> {
    let mut found: BTreeMap<ObjId, Vec<Ty>> = BTreeMap::new();
    for (f, c) in conversions {
        let Targets::Objects(targets) = points_to.targets(f.0, &c.value) else { continue };
        let mut all = targets.into_iter();
        let (Some((o, Some(0))), None) = (all.next(), all.next()) else { continue };
        let bytes = types.size(&c.target).ok().map(|s| i128::from(s.0));
        let of = found.entry(o).or_default();
        if sizes.contains_key(&o) && bytes == sizes.get(&o).copied() && !of.contains(&c.target) {
            of.push(c.target.clone());
        }
    }
    found
        .into_iter()
        .filter_map(|(o, of)| if let [t] = &of[..] { Some((o, t.clone())) } else { None })
        .collect()
}

/// The places that a conversion may find what it says; all where that cannot be told.
fn admitted(types: &Types, kinds: &BTreeMap<ObjId, Ty>, places: &Places, c: &Conversion) -> Places {
    let bytes = |parts: &[Part]| !parts.is_empty() && parts.iter().all(|p| p.width == 8);
    let made_of_bytes = |t: &Ty| types.layout(t).is_ok_and(|l| bytes(&l));
    let byte = c.target.int().is_some_and(|i| i.rank == 1);
    let is_in = |(o, k): &(ObjId, usize)| {
        let Some(ty) = kinds.get(o) else { return true };
        if byte {
            return made_of_bytes(ty);
        }
        let seen: Sighting = (c.target.clone(), Some(*k), c.seen);
        types.size(ty).is_ok_and(|s| fits(types, ty, i128::from(s.0), &seen))
    };
    places.iter().filter(|p| is_in(p)).copied().collect()
}
