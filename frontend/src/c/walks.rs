//! Arithmetic on pointers to bytes, in objects that are not made of bytes. Addresses count scalars, not bytes: such a
//! pointer would come to another scalar than C says, so it is refused.
//!
//! That a pointer may be to the object, and not to an array of bytes in it, is seen from how it came to be one to
//! bytes: from a pointer to another type, or through `void *`.

use super::lower::{Lower, Res};
use super::translation::Translation;
use super::types::{Int, Ty, Types};
use relyant_cfa::diagnostic::Span;
use relyant_cfa::points_to::{Fact, PointsTo};
use relyant_cfa::{Expr, IntKind, Module, ObjId};
use std::collections::{BTreeMap, BTreeSet};

/// A pointer that has to do with bytes.
#[derive(Clone, Debug)]
pub struct Sight {
    /// The pointer.
    pub value: Expr,
    /// What becomes of it.
    pub what: What,
    /// What it points to.
    pub target: Ty,
    /// What it is compared with, or taken from, or what is taken from it.
    pub other: Option<Expr>,
    /// Where in the source.
    pub span: Span,
}

/// What becomes of a pointer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum What {
    /// One to objects that are not bytes becomes one to bytes, or the other way round.
    Direct,
    /// One to objects that are not bytes becomes one to anything, or the other way round.
    Erased,
    /// One to anything, or a number, becomes one to bytes.
    Bytes,
    /// A number of bytes is added to it, or it is taken from another one; it is one to bytes.
    Walk,
    /// The same, where it is one to anything.
    WalkOfVoid,
    /// How many bytes it is away from another one to objects of the same type is asked for.
    Apart,
    /// It is compared with another one.
    Compared,
}

/// What a pointer points to, as far as it matters here.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sort {
    Anything,
    Byte,
    /// Neither, and made of something else than bytes.
    Other,
    /// Made of bytes, or no object.
    Alike,
}

fn sort(types: &Types, ty: &Ty) -> Sort {
    match ty.plain() {
        Ty::Void => Sort::Anything,
        Ty::Int(Int { rank: 0 | 1, .. }) => Sort::Byte,
        Ty::Function(_) | Ty::Unsupported(_) => Sort::Alike,
        t if is_bytes(types, t) => Sort::Alike,
        _ => Sort::Other,
    }
}

/// Is a cell a byte, in all of an object?
fn is_bytes(types: &Types, ty: &Ty) -> bool {
    let all = match ty.plain() {
        Ty::Int(Int { rank: 0 | 1, .. }) => return true,
        Ty::Array(t, _) => return is_bytes(types, t),
        Ty::Record(id) => {
            let r = &types.records[id.0];
            !r.union && r.fields.iter().flatten().all(|f| !f.bit_field && is_bytes(types, &f.ty))
        }
        _ => false,
    };
    all && types.size(ty).map(|s| s.0).ok() == types.cells(ty).ok()
}

impl Lower<'_> {
    /// Notes that a pointer becomes one to something else.
    pub fn note_sight(&mut self, value: &Expr, from: &Ty, to: &Ty, span: Span) {
        let of = |t: &Ty| t.target().map_or(Sort::Anything, |t| sort(&self.unit.types, t));
        let what = match (of(from), of(to)) {
            // Only to move by a member's offset.
            (Sort::Byte, Sort::Other) | (Sort::Other, Sort::Byte) if self.context.through_bytes => return,
            (Sort::Byte, Sort::Other) | (Sort::Other, Sort::Byte) => What::Direct,
            (Sort::Other, Sort::Anything) | (Sort::Anything, Sort::Other) => What::Erased,
            (Sort::Anything, Sort::Byte) => What::Bytes,
            _ => return,
        };
        let target = to.target().cloned().unwrap_or(Ty::Void);
        self.body.sights.push(Sight { value: value.clone(), what, target, other: None, span });
    }

    /// Notes that a number is added to a pointer, or that it is taken from another one.
    pub fn note_walk(&mut self, pointer: &Expr, other: Option<&Expr>, target: &Ty, span: Span) {
        let what = match sort(&self.unit.types, target) {
            Sort::Anything => What::WalkOfVoid,
            Sort::Byte => What::Walk,
            _ => return,
        };
        let (value, target, other) = (pointer.clone(), target.clone(), other.cloned());
        self.body.sights.push(Sight { value, what, target, other, span });
    }

    /// Notes that the number of bytes between pointers to objects of a type is asked for.
    pub fn note_apart(&mut self, pointer: &Expr, target: &Ty, span: Span) {
        let target = target.clone();
        self.body.sights.push(Sight { value: pointer.clone(), what: What::Apart, target, other: None, span });
    }
}

impl Lower<'_> {
    /// Notes that two pointers are compared, where a union may be seen in several ways.
    pub fn note_compared(&mut self, a: &Expr, b: &Expr, target: Ty, span: Span) {
        let tagged = self.unit.types.tagged;
        if tagged && !matches!((a, b), (Expr::Const(_), _) | (_, Expr::Const(_))) {
            let (value, other) = (a.clone(), Some(b.clone()));
            self.body.sights.push(Sight { value, what: What::Compared, target, other, span });
        }
    }
}

/// Where pointers of one sort may go: objects, and the distance from the start if it is known.
type Places = BTreeSet<(ObjId, Option<i64>)>;

fn meet(a: &Places, b: &Places, o: ObjId) -> bool {
    let of = |p: &Places| p.iter().filter(|x| x.0 == o).map(|x| x.1).collect::<Vec<_>>();
    let (a, b) = (of(a), of(b));
    a.iter().any(|x| b.iter().any(|y| x.is_none() || y.is_none() || x == y))
}

/// Refuses arithmetic on pointers to bytes in objects that are not made of bytes, but for blocks of memory.
pub fn check(module: &Module, unit: &Translation, points_to: &PointsTo) -> Res<()> {
    apart(module, unit, points_to)?;
    compared(module, unit, points_to)?;
    let is_block = |o: ObjId| module.heap.iter().any(|h| h.object == o);
    let Some((o, s)) = walked(module, unit, points_to).into_iter().find(|w| !is_block(w.0)) else {
        return Ok(());
    };
    let name = module.objects.get(o.0 as usize).map_or("", |o| &o.name);
    Err(unit.source.diagnostic(
        s.span,
        format!("`{name}` seen as bytes, with arithmetic on the pointer, is not supported"),
        "memory is scalars here, not bytes; use a pointer to the type that is there",
    ))
}

/// Blocks of memory that are not made of bytes, and where pointers to their bytes are moved. Is also the distance of
/// two such pointers asked for?
pub fn blocks(module: &Module, unit: &Translation, points_to: &PointsTo) -> BTreeMap<ObjId, (Span, bool)> {
    let mut out = BTreeMap::new();
    for (o, s) in walked(module, unit, points_to) {
        if module.heap.iter().any(|h| h.object == o) {
            out.entry(o).or_insert((s.span, false)).1 |= s.other.is_some();
        }
    }
    out
}

/// The objects that are not made of bytes and pointers to whose bytes are moved, in the order of the source.
fn walked<'u>(module: &Module, unit: &'u Translation, points_to: &PointsTo) -> Vec<(ObjId, &'u Sight)> {
    let sights = &unit.memory.sights;
    let places = |what: What| -> Places {
        let of = sights.iter().filter(|(_, s)| s.what == what);
        of.flat_map(|(f, s)| points_to.eval(f.0, &s.value)).filter_map(object).collect()
    };
    let (direct, erased, bytes) = (places(What::Direct), places(What::Erased), places(What::Bytes));
    let mut out = Vec::new();
    if direct.is_empty() && erased.is_empty() {
        return out;
    }
    let seen = |o: ObjId, what: What| match what {
        What::Walk => direct.iter().any(|d| d.0 == o) || meet(&erased, &bytes, o),
        _ => direct.iter().chain(&erased).any(|d| d.0 == o),
    };
    for (f, s) in sights.iter().filter(|(_, s)| matches!(s.what, What::Walk | What::WalkOfVoid)) {
        for o in points_to.held(f.0, &s.value) {
            if !made_of_bytes(module, unit, o) && seen(o, s.what) {
                out.push((o, s));
            }
        }
    }
    out
}

/// Refuses to tell bytes between members of a type where cells do not tell them.
fn apart(module: &Module, unit: &Translation, points_to: &PointsTo) -> Res<()> {
    for (f, s) in unit.memory.sights.iter().filter(|(_, s)| s.what == What::Apart) {
        for o in points_to.held(f.0, &s.value) {
            let Some(ty) = unit.objects.types.get(&o) else { continue };
            if is_even(&unit.types, ty, &s.target) {
                continue;
            }
            let name = module.objects.get(o.0 as usize).map_or("", |o| &o.name);
            return Err(unit.source.diagnostic(
                s.span,
                format!("the number of bytes between members of `{name}` is not supported"),
                "memory is scalars here, not bytes; use offsetof",
            ));
        }
    }
    Ok(())
}

/// Do objects of a type, wherever they are in another one, lie as many bytes apart as their cells say?
fn is_even(types: &Types, ty: &Ty, target: &Ty) -> bool {
    let mut element = ty;
    while let (Ty::Array(t, _), true) = (element.plain(), element.plain() != target.plain()) {
        element = t;
    }
    if element.plain() == target.plain() {
        return true;
    }
    let (Ok(all), Ok(one), Ok((size, _))) = (types.layout(ty), types.layout(target), types.size(target))
    else {
        return false;
    };
    let fits = |k: &usize| isize::try_from(*k).is_ok_and(|k| Types::coincide(&all, &one, k));
    let starts: Vec<usize> = (0..(all.len() + 1).saturating_sub(one.len())).filter(fits).collect();
    starts.windows(2).all(|w| {
        let cells = w[1] - w[0];
        let bits = all[w[1]].bit.checked_sub(all[w[0]].bit);
        cells % one.len().max(1) == 0 && bits == Some((cells / one.len().max(1)) as u64 * size * 8)
    })
}

/// Refuses to compare pointers into a union that are to different cells and may be to the same byte.
fn compared(module: &Module, unit: &Translation, points_to: &PointsTo) -> Res<()> {
    for (f, s) in unit.memory.sights.iter().filter(|(_, s)| s.what == What::Compared) {
        let Some(other) = &s.other else { continue };
        let places = |e: &Expr| points_to.eval(f.0, e).into_iter().filter_map(object).collect::<Places>();
        let (a, b) = (places(&s.value), places(other));
        for (o, x) in &a {
            let Some(ty) = unit.objects.types.get(o) else { continue };
            let mut views = Vec::new();
            unit.types.view_of_cells(ty, 0, &mut views);
            let view = |k: i64| views.iter().find(|v| v.0.contains(&k)).map(|v| (v.1, v.2));
            let apart = |y: &Option<i64>| match (x, y) {
                (Some(x), Some(y)) => match (view(*x), view(*y)) {
                    (Some(v), Some(w)) => v.0 == w.0 && v.1 != w.1,
                    _ => false,
                },
                // Somewhere in it: pointers to something in a union are to void here.
                _ => !views.is_empty() && s.target == Ty::Void,
            };
            if b.iter().any(|(p, y)| p == o && apart(y)) {
                let name = module.objects.get(o.0 as usize).map_or("", |o| &o.name);
                return Err(unit.source.diagnostic(
                    s.span,
                    format!(
                        "comparing addresses of different members of a union in `{name}` is not supported"
                    ),
                    "all of them are the address of the union",
                ));
            }
        }
    }
    Ok(())
}

impl Types {
    /// The cells of unions that are seen in several ways: which cells, the union's first cell, and the view.
    fn view_of_cells(&self, ty: &Ty, base: i64, out: &mut Vec<(std::ops::Range<i64>, i64, usize)>) {
        match ty.plain() {
            Ty::Array(t, Some(n)) => {
                let mut one = Vec::new();
                self.view_of_cells(t, 0, &mut one);
                let stride = self.stride(t) as i64;
                if !one.is_empty() {
                    let at = |k: i64| base + k * stride;
                    let moved = |k: i64| {
                        one.iter().map(move |(r, u, v)| (r.start + at(k)..r.end + at(k), u + at(k), *v))
                    };
                    out.extend((0..*n as i64).flat_map(moved));
                }
            }
            Ty::Record(id) => {
                let r = &self.records[id.0];
                if r.tag.is_some() {
                    let view = |(k, v): (usize, &super::unions::View)| {
                        let start = base + v.start as i64;
                        (start..start + v.parts.len() as i64, base, k)
                    };
                    out.extend(r.views.iter().enumerate().map(view));
                    return;
                }
                let seen = |k: usize| !r.union || r.views.iter().any(|v| v.field == k);
                for (_, f) in r.fields.iter().flatten().enumerate().filter(|(k, _)| seen(*k)) {
                    self.view_of_cells(&f.ty, base + f.cell as i64, out);
                }
            }
            _ => {}
        }
    }
}

fn object(fact: Fact) -> Option<(ObjId, Option<i64>)> {
    match fact {
        Fact::Object(o, k) => Some((o, k)),
        _ => None,
    }
}

/// Is each cell of an object a byte?
fn made_of_bytes(module: &Module, unit: &Translation, o: ObjId) -> bool {
    if let Some(ty) = unit.objects.types.get(&o) {
        return is_bytes(&unit.types, ty);
    }
    let byte = |k: &IntKind| matches!(k, IntKind::Machine { bits: 8, .. } | IntKind::Bool);
    module.objects.get(o.0 as usize).is_some_and(|o| o.cells.iter().all(|c| byte(&c.0)))
}
