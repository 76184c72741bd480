//! Objects seen as other types than their own. Memory is scalars here, not bytes: a pointer to another type finds the
//! scalars that C says only where they lie at the same bytes in both.

use super::lower::Res;
use super::parts::Part;
use super::source::Source;
use super::translation::Translation;
use super::types::{Ty, Types};
use relyant_cfa::diagnostic::Span;
use relyant_cfa::points_to::{PointsTo, Targets};
use relyant_cfa::{Expr, IntKind, Module, ObjId, Op};
use std::collections::BTreeMap;

/// A pointer becomes one to another type.
#[derive(Clone, Debug)]
pub struct Conversion {
    /// The pointer that is converted.
    pub value: Expr,
    /// What it points to then.
    pub target: Ty,
    /// Which sort of conversion it is.
    pub seen: Seen,
    /// Where in the source.
    pub span: Span,
}

/// How a pointer becomes one to another type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Seen {
    /// From one to bytes or to anything, or from a number: it tells what new memory holds.
    First,
    /// From one to another type.
    Again,
    /// For a memory function, which goes over objects of that type. It tells what new memory holds as well.
    Memory,
}

/// Refuses what would not find the scalars that C says.
pub fn check(module: &Module, unit: &Translation) -> Res<()> {
    let (types, source, variables) = (&unit.types, unit.source, &unit.objects.types);
    let conversions = &unit.memory.conversions;
    if conversions.is_empty() && unit.memory.sights.is_empty() && !unit.memory.as_integers {
        return Ok(());
    }
    let points_to = PointsTo::of_module(module);
    super::walks::check(module, unit, &points_to)?;
    if conversions.is_empty() && !unit.memory.as_integers {
        return Ok(());
    }
    if unit.memory.as_integers {
        super::addresses::check(module, unit, &points_to)?;
    }
    let mut layouts: BTreeMap<ObjId, Option<Vec<Part>>> = BTreeMap::new();
    for (f, c) in conversions {
        let name = |o: ObjId| module.objects.get(o.0 as usize).map_or("", |o| &o.name);
        if c.seen == Seen::Memory {
            let other = |o: &ObjId| variables.get(o).is_some_and(|ty| !types.has_part(ty, &c.target));
            if let Some(o) = points_to.held(f.0, &c.value).into_iter().find(other) {
                return Err(source.diagnostic(
                    c.span,
                    format!("a memory function on `{}` as another type is not supported", name(o)),
                    "use the size of the type that is there",
                ));
            }
            continue;
        }
        // What bytes are seen as is checked where they are accessed.
        if c.target.int().is_some_and(|i| i.rank == 1) {
            continue;
        }
        let Ok(wanted) = types.layout(&c.target) else { continue };
        let Targets::Objects(targets) = points_to.targets(f.0, &c.value) else { continue };
        for (o, cell) in targets {
            let Some(ty) = variables.get(&o) else { continue };
            // Most pointers are to the start of what they are said to point to.
            let one = types.stride(&c.target) as usize;
            if is_made_of(ty, &c.target) && cell.is_none_or(|k| k % one.max(1) == 0) {
                continue;
            }
            let found = layouts.entry(o).or_insert_with(|| types.layout(ty).ok());
            let Some(found) = found.as_ref().filter(|f| !f.is_empty() && !wanted.is_empty()) else {
                continue;
            };
            let fits = match cell {
                Some(k) => isize::try_from(k).is_ok_and(|k| Types::coincide(found, &wanted, k)),
                // Somewhere, and be it before the start: a member's offset may have been taken off.
                None => {
                    let ends = (isize::try_from(wanted.len()), isize::try_from(found.len()));
                    let (Ok(before), Ok(after)) = ends else { continue };
                    (1 - before..after).any(|k| Types::coincide(found, &wanted, k))
                }
            };
            if !fits {
                let (is, seen) = (types.describe(ty), types.describe(&c.target));
                return Err(source.diagnostic(
                    c.span,
                    format!("`{}`, which is `{is}`, seen as `{seen}` is not supported", name(o)),
                    "their scalars are at different bytes; use the members of one of the types",
                ));
            }
        }
    }
    accesses(module, source, &points_to, variables)
}

/// Refuses accesses to a scalar of a variable in another width than its own.
fn accesses(
    module: &Module,
    source: &Source,
    points_to: &PointsTo,
    variables: &BTreeMap<ObjId, Ty>,
) -> Res<()> {
    let heap = |o: ObjId| module.heap.iter().any(|h| h.object == o);
    for (f, function) in (0u32..).zip(&module.functions) {
        for e in &function.graph.edges {
            let (Op::Load(_, address, kind) | Op::Store(address, _, kind)) = &e.op else { continue };
            let Some(wanted) = width(*kind) else { continue };
            let Targets::Objects(targets) = points_to.targets(f, address) else { continue };
            for (o, cell) in targets {
                let (Some(cell), Some(object), true) =
                    (cell, module.objects.get(o.0 as usize), variables.contains_key(&o))
                else {
                    continue;
                };
                let found = object.cells.get(cell).and_then(|c| width(c.0));
                if found.is_some_and(|w| w != wanted) && !heap(o) {
                    return Err(source.diagnostic(
                        e.span,
                        format!("an access to a part of `{}` as another type is not supported", object.name),
                        "memory is scalars here, not bytes; use the type that is there",
                    ));
                }
            }
        }
    }
    Ok(())
}

/// Bits of a scalar; those of addresses are not told.
fn width(kind: IntKind) -> Option<u8> {
    match kind {
        IntKind::Machine { bits, .. } => Some(bits),
        IntKind::Bool => Some(8),
        IntKind::Ideal => None,
    }
}

/// Is a type another one, or an array of it?
fn is_made_of(ty: &Ty, element: &Ty) -> bool {
    ty.plain() == element.plain() || matches!(ty.plain(), Ty::Array(t, _) if is_made_of(t, element))
}
