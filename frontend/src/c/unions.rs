//! Unions whose members are seen in different ways.
//!
//! Members laid out alike share their cells. If others are used too, each layout is a view of the union with cells of
//! its own, and a tag says which view holds the bytes. An access through another view first carries them over, bit by
//! bit, in the same step. The address of a member fixes its view, as what is behind the pointer would be missed
//! otherwise: numbers seen in another way are then carried over for the one access, and back after a write. Other
//! accesses, and an address in another view, are a limit of ours.

use super::body::Body;
use super::lower::{Lower, Res};
use super::parts::Part;
use super::shapeless::Shapeless;
use super::types::{Field, RecordId, Ty, Types};
use super::value::{At, Place, binary, cast, compare, offset};
use lang_c::span::Span as Bytes;
use relyant_cfa::{BinOp, CmpOp, Expr, InputSource, IntKind, Loc, Op};

/// Kind of a tag.
pub const TAG: IntKind = IntKind::Machine { bits: 8, signed: false };
/// Added to the tag of a view that is fixed.
pub(super) const FIXED: i128 = 128;
/// Most views of a union.
const MOST: usize = 16;

/// A layout that some members of a union have.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct View {
    /// Its first cell, counted from the union's.
    pub start: u64,
    /// Cells: those of the members, then those of the bytes that are in none.
    pub parts: Vec<Part>,
    /// Number of cells of the members.
    pub own: usize,
    /// The first member with this layout.
    pub field: usize,
}

/// A place inside a union with several views.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Through {
    /// Address of the union.
    pub base: Expr,
    /// The type of the union.
    pub union: RecordId,
    /// The view that the place is of, an index into [`Record::views`](super::types::Record::views).
    pub view: usize,
}

/// What happens to a place.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Use {
    Read,
    /// So many cells are overwritten.
    Write(u64),
    Address,
}

/// Views of a union of so many bits, given the layouts of the members in use.
pub fn views(members: Vec<(usize, Vec<Part>)>, bits: u64) -> (Vec<View>, Vec<(usize, usize)>) {
    let mut out: Vec<View> = Vec::new();
    let mut of = Vec::new();
    for (field, parts) in members {
        let alike = |v: &View| v.own == parts.len() && v.parts.iter().zip(&parts).all(|(a, b)| a.is_like(b));
        let view = out.iter().position(alike).unwrap_or_else(|| {
            out.push(View { start: 0, own: parts.len(), parts, field });
            out.len() - 1
        });
        of.push((field, view));
    }
    if out.len() > 1 {
        let mut start = 0;
        for v in &mut out {
            v.parts.extend(gaps(&v.parts, bits));
            v.start = start;
            start += v.parts.len() as u64;
        }
    }
    (out, of)
}

/// Cells for the bits that no part has.
fn gaps(parts: &[Part], bits: u64) -> Vec<Part> {
    let mut taken: Vec<(u64, u64)> = parts.iter().map(|p| (p.bit, p.bit + p.width)).collect();
    taken.push((bits, bits));
    taken.sort_unstable();
    let (mut out, mut at) = (Vec::new(), 0);
    for (from, to) in taken {
        while at < from {
            let width = (from - at).min(32);
            let kind = IntKind::Machine { bits: width as u8, signed: false };
            out.push(Part { bit: at, width, kind, joint: false, in_unit: 0 });
            at += width;
        }
        at = at.max(to);
    }
    out
}

impl Types {
    /// The bits of a member of a union; a bit-field has the lowest ones.
    pub fn member_layout(&self, f: &Field) -> Result<Vec<Part>, Shapeless> {
        let mut parts = self.layout(&f.ty)?;
        if let (true, Some(i)) = (f.bit_field, f.ty.int()) {
            parts.iter_mut().for_each(|p| p.width = u64::from(i.bits));
        }
        Ok(parts)
    }
    /// A name by which a file mentions a member: its own, or one in it.
    pub fn any_name(&self, f: &Field) -> Option<String> {
        match (&f.name, &f.ty) {
            (Some(n), _) => Some(n.clone()),
            (None, Ty::Record(id)) => {
                self.records[id.0].fields.iter().flatten().find_map(|f| self.any_name(f))
            }
            _ => None,
        }
    }
    /// Positions of the tags in an object.
    pub fn tags(&self, ty: &Ty) -> Vec<u64> {
        fn visit(types: &Types, ty: &Ty, base: u64, out: &mut Vec<u64>) {
            match ty.plain() {
                Ty::Array(t, Some(n)) => {
                    let mut one = Vec::new();
                    visit(types, t, 0, &mut one);
                    if !one.is_empty() {
                        let stride = types.stride(t);
                        out.extend((0..*n).flat_map(|k| one.iter().map(move |p| base + k * stride + p)));
                    }
                }
                Ty::Record(id) => {
                    let r = &types.records[id.0];
                    out.extend(r.tag.map(|t| base + t));
                    let seen = |k: usize| !r.union || r.views.iter().any(|v| v.field == k);
                    if r.tag.is_none() {
                        for (_, f) in r.fields.iter().flatten().enumerate().filter(|(k, _)| seen(*k)) {
                            visit(types, &f.ty, base + f.cell, out);
                        }
                    }
                }
                _ => {}
            }
        }
        let mut out = Vec::new();
        visit(self, ty, 0, &mut out);
        out.sort_unstable();
        out.dedup();
        out
    }
}

impl Lower<'_> {
    /// The view that a member is seen in, where its union has several.
    pub fn through(
        &mut self,
        address: &Expr,
        unions: &[(RecordId, usize, u64)],
        at: Bytes,
    ) -> Res<Option<Through>> {
        let mut found = None;
        for (id, field, start) in unions {
            let r = &self.unit.types.records[id.0];
            let Some(view) = r.view_of.get(*field).copied().flatten() else {
                return self.refuse(at, "this member of a union is", "name it, and no union inside of it");
            };
            if r.tag.is_none() {
                continue;
            }
            if r.views.len() > MOST {
                return self.refuse(
                    at,
                    format!("a union seen in more than {MOST} ways is"),
                    "use fewer members",
                );
            }
            if self.unit.options.property == relyant_cfa::options::Property::NoDataRace {
                self.beyond(
                    at,
                    "a union that is seen in several ways, where data races are looked for, is",
                    "use one member, or a struct",
                )?;
                return Ok(None);
            }
            if found.is_some() {
                return self.refuse(
                    at,
                    "a union inside a union is, both seen in several ways and",
                    "use one",
                );
            }
            found = Some(Through { base: offset(address.clone(), *start), union: *id, view });
        }
        Ok(found)
    }

    /// Before a read of the place: its view gets to hold the bytes.
    pub fn see(&mut self, p: &Place) {
        self.enter(p, Use::Read);
    }
    /// Before a write of the whole place.
    pub fn overwrite(&mut self, p: &Place) {
        let cells = self.unit.types.cells(&p.ty).unwrap_or(1);
        self.enter(p, Use::Write(cells));
    }
    /// Before its address goes somewhere.
    pub fn fix(&mut self, p: &Place) {
        // In the start value of a static object nothing runs: the view is fixed from the start.
        if !self.body.name.is_empty() || !self.unit.fix_at_start(p) {
            self.enter(p, Use::Address);
        }
    }

    /// Makes the view of a place the one that holds the bytes.
    fn enter(&mut self, p: &Place, usage: Use) {
        let (Some(t), At::Memory(address)) = (&p.through, &p.at) else { return };
        let (views, tag) = {
            let r = &self.unit.types.records[t.union.0];
            (r.views.clone(), r.tag.unwrap_or(0))
        };
        let base = match &t.base {
            e @ (Expr::Addr(_) | Expr::Reg(_)) => e.clone(),
            e => Expr::Reg(self.body.assign(IntKind::Ideal, e.clone())),
        };
        let written = match usage {
            Use::Write(cells) => written(&t.base, address, views[t.view].start, cells),
            _ => None,
        };
        let tag_at = offset(base.clone(), tag);
        let now = self.body.load(tag_at.clone(), TAG);
        let here = t.view as i128;
        let (done, ready) = (self.body.fresh(), self.body.fresh());
        let no = self.body.test_tag(&now, here);
        self.body.edge_to(ready, Op::Skip);
        self.body.cur = no;
        // Bytes that a known address fixes to another view are carried over and stay there.
        let stay = usage != Use::Address && p.ty.is_scalar();
        for (k, from) in views.iter().enumerate().filter(|(k, _)| *k != t.view) {
            let mut no = self.body.test_tag(&now, k as i128);
            if stay {
                let carry = self.body.cur;
                self.body.cur = no;
                no = self.body.test_tag(&now, k as i128 + FIXED);
                self.body.edge_to(carry, Op::Skip);
                self.body.cur = carry;
            }
            self.carry(&base, from, &views[t.view], written);
            self.body.edge_to(ready, Op::Skip);
            self.body.cur = no;
        }
        let no = self.body.test_tag(&now, here + FIXED);
        self.body.edge_to(done, Op::Skip);
        self.body.cur = no;
        let limit = self.body.limit("a union is seen in another way than through the address of its member");
        self.body.edge_to(limit, Op::Skip);
        self.body.cur = ready;
        if stay {
            let free = self.body.fresh();
            self.body.branch(compare(CmpOp::Ge, now, Expr::Const(FIXED)), done, free);
            self.body.cur = free;
        }
        if self.unit.options.leaks {
            // What is left there leads to no memory any more.
            for from in views.iter().enumerate().filter(|(k, _)| *k != t.view).map(|x| x.1) {
                for (k, part) in (from.start..).zip(&from.parts) {
                    self.body.store(offset(base.clone(), k), Expr::Const(0), part.kind);
                }
            }
        }
        let tag = if usage == Use::Address { here + FIXED } else { here };
        self.body.store(tag_at, Expr::Const(tag), TAG);
        self.body.join(done);
    }

    /// After a write of a number: what a known address fixes to another view is carried back there.
    pub fn put_back(&mut self, p: &Place) {
        let (Some(t), true) = (&p.through, p.ty.is_scalar()) else { return };
        let (views, tag) = {
            let r = &self.unit.types.records[t.union.0];
            (r.views.clone(), r.tag.unwrap_or(0))
        };
        let now = self.body.load(offset(t.base.clone(), tag), TAG);
        let (fixed, done) = (self.body.fresh(), self.body.fresh());
        self.body.branch(compare(CmpOp::Ge, now.clone(), Expr::Const(FIXED)), fixed, done);
        self.body.cur = fixed;
        for (k, to) in views.iter().enumerate().filter(|(k, _)| *k != t.view) {
            let no = self.body.test_tag(&now, k as i128 + FIXED);
            self.carry(&t.base, &views[t.view], to, None);
            self.body.edge_to(done, Op::Skip);
            self.body.cur = no;
        }
        self.body.join(done);
    }

    /// Gives the cells of a view the bits that another one holds.
    fn carry(&mut self, base: &Expr, from: &View, to: &View, written: Option<(u64, u64)>) {
        let mut loaded: Vec<Option<Expr>> = vec![None; from.parts.len()];
        let mut values = Vec::new();
        for (k, w) in to.parts.iter().enumerate() {
            let k = k as u64;
            if written.is_some_and(|(first, n)| first <= k && k < first + n) {
                continue;
            }
            let mut load = |l: &mut Self, i: usize| match &loaded[i] {
                Some(e) => e.clone(),
                None => {
                    let e = l.body.load(offset(base.clone(), from.start + i as u64), from.parts[i].kind);
                    loaded[i].insert(e).clone()
                }
            };
            let meets = |v: &Part| v.bit < w.bit + w.width && w.bit < v.bit + v.width;
            let pieces: Vec<usize> = (0..from.parts.len()).filter(|i| meets(&from.parts[*i])).collect();
            if let [i] = pieces[..]
                && (from.parts[i].bit, from.parts[i].width) == (w.bit, w.width)
            {
                let v = load(self, i);
                values.push((k, cast(v, from.parts[i].kind, w.kind), w.kind));
                continue;
            }
            if !w.has_bits() {
                // Bytes that become an address, or a lock.
                let limit = self.body.limit("bytes of a union are seen as a pointer");
                self.body.leave(limit, Op::Skip);
                return;
            }
            if pieces.iter().any(|i| !from.parts[*i].has_bits()) {
                self.unit.assume("the bytes of a pointer or lock in a union, seen as numbers, are any");
                let v = self.body.havoc(w.kind, InputSource::uninitialised());
                values.push((k, v, w.kind));
                continue;
            }
            let mut sum = Expr::Const(0);
            for i in pieces {
                let e = load(self, i);
                sum = self.body.bounded(binary(BinOp::Add, sum, piece(e, &from.parts[i], w), WIDE), WIDE);
            }
            values.push((k, cast(sum, WIDE, w.kind), w.kind));
        }
        let values: Vec<_> =
            values.into_iter().map(|(k, v, kind)| (k, self.body.bounded(v, kind), kind)).collect();
        for (k, v, kind) in values {
            self.body.store(offset(base.clone(), to.start + k), v, kind);
        }
    }
}

impl Body {
    /// The tag of a union that is copied whole: which view its bytes are in now.
    pub fn copied_tag(&mut self, to: &Expr, from: &Expr, cell: u64) -> Expr {
        self.free_tag(offset(to.clone(), cell));
        let tag = self.load(offset(from.clone(), cell), TAG);
        binary(BinOp::And, tag, Expr::Const(FIXED - 1), TAG)
    }
}

impl Body {
    /// Before a tag is overwritten: nobody may know the address of a member.
    pub fn free_tag(&mut self, address: Expr) {
        let tag = self.load(address, TAG);
        let (fixed, free) = (self.fresh(), self.fresh());
        self.branch(compare(CmpOp::Ge, tag, Expr::Const(FIXED)), fixed, free);
        self.cur = fixed;
        let limit = self.limit("a union is overwritten while the address of its member is known");
        self.edge_to(limit, Op::Skip);
        self.cur = free;
    }

    /// Goes on where a tag has a value; gives the place where it has another.
    fn test_tag(&mut self, now: &Expr, value: i128) -> Loc {
        let (yes, no) = (self.fresh(), self.fresh());
        self.branch(compare(CmpOp::Eq, now.clone(), Expr::Const(value)), yes, no);
        self.cur = yes;
        no
    }
}

const WIDE: IntKind = IntKind::Machine { bits: 64, signed: false };

/// The bits that two parts share, where they are in the second.
fn piece(e: Expr, from: &Part, to: &Part) -> Expr {
    let constant = |n: u64| Expr::Const(i128::from(n));
    let unsigned = IntKind::Machine { bits: from.width.min(64) as u8, signed: false };
    let e = cast(cast(e, from.kind, unsigned), unsigned, WIDE);
    let (first, last) = (from.bit.max(to.bit), (from.bit + from.width).min(to.bit + to.width));
    let e = binary(BinOp::Shr, e, constant(first - from.bit), WIDE);
    let e = binary(BinOp::And, e, Expr::Const((1i128 << (last - first)) - 1), WIDE);
    binary(BinOp::Mul, e, Expr::Const(1i128 << (first - to.bit)), WIDE)
}

/// Which cells of a view a write to an address covers: first and number; `None` if that is not constant.
fn written(base: &Expr, address: &Expr, start: u64, cells: u64) -> Option<(u64, u64)> {
    let split = |e: &Expr| match e {
        Expr::Binary(BinOp::Add, b, c, IntKind::Ideal) => match **c {
            Expr::Const(c) => ((**b).clone(), c),
            _ => (e.clone(), 0),
        },
        e => (e.clone(), 0),
    };
    let ((a, i), (b, j)) = (split(base), split(address));
    let first = u64::try_from(j.checked_sub(i)?).ok()?.checked_sub(start)?;
    (a == b).then_some((first, cells))
}
