//! Layout of records as gcc has it: bytes, bits and alignment of members, with what attributes and `#pragma pack` say.

use super::attributes::Layout;
use super::lower::Lower;
use super::types::{Field, RecordId, Ty};
use super::unions::{TAG, View};

/// A member as it is declared.
#[derive(Clone, Debug)]
pub struct Declared {
    /// The member; its place is not known yet.
    pub field: Field,
    /// Bits of a bit-field.
    pub width: Option<u64>,
    /// Bytes that a bit-field's declared type has.
    pub unit: u64,
    /// What its attributes say.
    pub own: Layout,
    /// Alignment of the typedef name it is declared with, where that has one of its own.
    pub named_align: Option<u64>,
}

/// The next multiple; as far as numbers go where there is none.
fn round_up(n: u64, unit: u64) -> u64 {
    n.checked_next_multiple_of(unit.max(1)).unwrap_or(u64::MAX)
}

impl Lower<'_> {
    /// Gives each member its cells and bytes. A bit-field has a cell of its own.
    ///
    /// As in gcc's `stor-layout.c`: the type of a bit-field aligns the record if it has a name, and it may not lie
    /// across more units of its type's alignment than the type does, unless it is packed or there is a limit.
    pub fn lay_out(&mut self, id: RecordId, members: Vec<Declared>, whole: &Layout) {
        let pack = whole.limit;
        let union = self.unit.types.records[id.0].union;
        let (mut cells, mut bits, mut align) = (0u64, 0u64, whole.align.unwrap_or(1));
        let mut most = (0u64, 0u64);
        let mut row = None;
        let mut fields = Vec::new();
        let mut unknown = None;
        let limited = |a: u64| pack.map_or(a, |p| a.min(p));
        for Declared { field: mut f, width, unit, own, named_align } in members {
            let packed = whole.packed || own.packed;
            let n = match &f.ty {
                Ty::Array(_, None) => 0,
                t => self.unit.types.cells(t).unwrap_or(1),
            };
            let size = match (&f.ty, self.unit.types.size(&f.ty)) {
                (_, Ok((size, _))) => size,
                (Ty::Array(_, None), _) => 0,
                (_, Err(why)) => {
                    unknown = unknown.or(Some(why));
                    0
                }
            };
            let natural = named_align.unwrap_or_else(|| self.unit.types.member_align(&f.ty)).max(1);
            if union {
                (cells, bits) = (0, 0);
            }
            match width {
                Some(0) => bits = round_up(bits, natural.max(own.align.unwrap_or(1)).saturating_mul(8)),
                Some(w) => {
                    if let Some(a) = own.align {
                        bits = round_up(bits, limited(a).saturating_mul(8));
                        align = align.max(limited(a));
                    }
                    let step = natural.saturating_mul(8);
                    let units = (bits % step).saturating_add(w).div_ceil(step);
                    if !packed && pack.is_none() && units > (unit / natural).max(1) {
                        bits = round_up(bits, step);
                    }
                    (f.byte, f.bit) = (bits / 8, bits % 8);
                    bits = bits.saturating_add(w);
                    if f.name.is_some() {
                        align = align.max(if pack.is_none() && packed { 1 } else { limited(natural) });
                    }
                }
                None => {
                    let wanted = match own.align {
                        Some(a) if packed => a,
                        Some(a) => a.max(natural),
                        None if packed => 1,
                        None => natural,
                    };
                    bits = round_up(bits, limited(wanted).saturating_mul(8));
                    f.byte = bits / 8;
                    bits = bits.saturating_add(size.saturating_mul(8));
                    align = align.max(limited(wanted));
                }
            }
            f.cell = cells;
            row = width.filter(|w| *w > 0 && !union).map(|_| row.unwrap_or(cells));
            f.in_unit = cells - row.unwrap_or(cells);
            // An unnamed bit-field is padding; an unnamed record is a member.
            if width.is_some() && f.name.is_none() {
                most.1 = most.1.max(bits);
                continue;
            }
            cells = cells.saturating_add(n);
            most = (most.0.max(cells), most.1.max(bits));
            fields.push(f);
        }
        let r = &mut self.unit.types.records[id.0];
        r.cells = most.0;
        r.align = align;
        r.size = round_up(most.1.max(bits).div_ceil(8), align);
        r.unknown = unknown;
        r.fields = Some(fields);
        if union {
            self.lay_out_union(id);
        }
    }

    /// Finds the views of a union: the layouts of the members that the file mentions.
    fn lay_out_union(&mut self, id: RecordId) {
        let (fields, size) = (
            self.unit.types.records[id.0].fields.clone().unwrap_or_default(),
            self.unit.types.records[id.0].size,
        );
        let mut members = Vec::new();
        let mut without = Vec::new();
        for (k, f) in fields.iter().enumerate().filter(|(_, f)| self.is_mentioned(f)) {
            match self.unit.types.member_layout(f) {
                Ok(parts) if !parts.iter().any(|p| p.kind == TAG && p.width == 0) => members.push((k, parts)),
                _ => without.push(k),
            }
        }
        let mut view_of = vec![None; fields.len()];
        let mut tagged = false;
        let r = &mut self.unit.types.records[id.0];
        match (&members[..], &without[..]) {
            // A member that is not seen as bytes, alone.
            ([], [one]) => {
                let field = &fields[*one];
                let own = self.unit.types.cells(&field.ty).unwrap_or(0);
                view_of[*one] = Some(0);
                let r = &mut self.unit.types.records[id.0];
                r.views = vec![View { start: 0, parts: Vec::new(), own: own as usize, field: *one }];
                r.cells = own;
            }
            ([], []) => {
                // Nothing is ever seen of it: a byte keeps it apart from others.
                r.cells = u64::from(size > 0);
            }
            _ => {
                let mut members = members;
                for p in members.iter_mut().flat_map(|m| &mut m.1) {
                    // A bit-field's first byte may hold others.
                    p.joint |= p.width % 8 != 0;
                }
                let (views, of) = super::unions::views(members, size.saturating_mul(8));
                of.into_iter().for_each(|(field, view)| view_of[field] = Some(view));
                let cells: u64 = views.iter().map(|v| v.parts.len() as u64).sum();
                let several = views.len() > 1;
                for (f, v) in view_of.iter().enumerate() {
                    if let (Some(v), Some(all)) = (v, &mut r.fields) {
                        all[f].cell = views[*v].start;
                    }
                }
                r.tag = several.then_some(cells);
                tagged |= several;
                r.cells = cells + u64::from(several);
                r.views = views;
            }
        }
        self.unit.types.records[id.0].view_of = view_of;
        self.unit.types.tagged |= tagged;
    }

    /// Does the file mention a member, or one of an unnamed member?
    fn is_mentioned(&self, f: &Field) -> bool {
        match (&f.name, &f.ty) {
            (Some(n), _) => self.unit.types.mentioned.contains(n),
            (None, Ty::Record(id)) => {
                self.unit.types.records[id.0].fields.iter().flatten().any(|f| self.is_mentioned(f))
            }
            _ => false,
        }
    }
}
