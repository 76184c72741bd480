//! Scalars of a type and where they are: what makes two types alike in memory.

use super::shapeless::Shapeless;
use super::types::RecordId;
use super::types::Ty;
use super::types::Types;
use super::unions::TAG;
use relyant_cfa::IntKind;

/// A cell of an object, and the bits it stands for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Part {
    /// First bit, from the low end of the first byte on.
    pub bit: u64,
    /// Number of bits; none for what the front end adds.
    pub width: u64,
    /// Kind of the cell.
    pub kind: IntKind,
    /// Other cells share its bytes.
    pub joint: bool,
    /// Cells from the first one of a row of bit-fields, if it is one of them.
    pub in_unit: u64,
}

impl Part {
    /// Byte of the object that its first bit is in.
    pub fn byte(&self) -> u64 {
        self.bit / 8
    }
    /// Its size in whole bytes; 0 for a narrow bit-field.
    pub fn size(&self) -> u64 {
        self.width / 8
    }
    /// Is its value its bits?
    pub fn has_bits(&self) -> bool {
        matches!(self.kind, IntKind::Machine { .. } | IntKind::Bool) && self.width <= 64
    }
    /// Does it hold the same values at the same place?
    pub fn is_like(&self, other: &Part) -> bool {
        let alike = match (self.kind, other.kind) {
            (IntKind::Machine { bits: a, .. }, IntKind::Machine { bits: b, .. }) => a == b,
            (a, b) => a == b,
        };
        alike && (self.bit, self.width) == (other.bit, other.width)
    }
}

/// Where a member is in its record.
#[derive(Clone, Debug)]
pub struct Member {
    /// Cells from the record's first one.
    pub cell: u64,
    /// Bytes from the record's first one.
    pub byte: u64,
    /// Its type; a bit-field's has the width of the field.
    pub ty: Ty,
    /// Unions passed through, and which member of each.
    /// And where it starts.
    pub unions: Vec<(RecordId, usize, u64)>,
    /// Is it a bit-field?
    pub bit_field: bool,
    /// Cells from the first one of a row of bit-fields, which are one memory location (C11 3.14).
    pub in_unit: u64,
}

impl Types {
    /// Cells of an object and the bytes they stand for, in order.
    pub fn layout(&self, ty: &Ty) -> Result<Vec<Part>, Shapeless> {
        self.cells(ty)?;
        let mut parts = Vec::new();
        self.lay_parts(ty, 0, &mut parts)?;
        Ok(parts)
    }

    pub fn lay_parts(&self, ty: &Ty, byte: u64, out: &mut Vec<Part>) -> Result<(), Shapeless> {
        match ty.plain() {
            Ty::Array(t, Some(n)) => {
                let (one, _) = self.size(t)?;
                (0..*n).try_for_each(|k| self.lay_parts(t, byte + k * one, out))
            }
            Ty::Record(id) => {
                let record = &self.records[id.0];
                let fields = record.fields.as_deref().unwrap_or(&[]);
                let start = out.len();
                if !record.union {
                    for f in fields.iter().filter(|f| !matches!(f.ty, Ty::Array(_, None))) {
                        let before = out.len();
                        self.lay_parts(&f.ty, byte + f.byte, out)?;
                        if f.bit_field {
                            for p in &mut out[before..] {
                                p.bit += f.bit;
                                p.width = f.ty.int().map_or(p.width, |i| u64::from(i.bits));
                                p.joint = true;
                                p.in_unit = f.in_unit;
                            }
                        }
                    }
                }
                for v in &record.views {
                    out.extend(v.parts.iter().map(|p| Part {
                        bit: p.bit + byte * 8,
                        joint: p.joint || record.tag.is_some(),
                        ..p.clone()
                    }));
                }
                if record.tag.is_some() {
                    out.push(Part { bit: byte * 8, width: 0, kind: TAG, joint: true, in_unit: 0 });
                }
                if record.is_unseen() {
                    let kind = IntKind::Machine { bits: 8, signed: false };
                    out.push(Part { bit: byte * 8, width: 8, kind, joint: false, in_unit: 0 });
                }
                if out.len() - start != record.cells as usize {
                    return Err(Shapeless::Bytes);
                }
                Ok(())
            }
            t => {
                let mut cells = Vec::new();
                self.flatten(t, "", &mut cells)?;
                let width = self.size(t)?.0 * 8;
                out.extend(cells.into_iter().map(|c| Part {
                    bit: byte * 8,
                    width,
                    kind: c.0,
                    joint: false,
                    in_unit: 0,
                }));
                Ok(())
            }
        }
    }

    /// Path to a member: offset in cells, offset in bytes, type, and the unions it goes through.
    pub fn member(&self, id: RecordId, name: &str) -> Option<Member> {
        let record = &self.records[id.0];
        for (k, f) in record.fields.iter().flatten().enumerate() {
            let union = if record.union { vec![(id, k, 0)] } else { Vec::new() };
            if f.name.as_deref() == Some(name) {
                return Some(Member {
                    cell: f.cell,
                    byte: f.byte,
                    ty: f.ty.clone(),
                    unions: union,
                    bit_field: f.bit_field,
                    in_unit: f.in_unit,
                });
            }
            if let (None, Ty::Record(inner)) = (&f.name, &f.ty) {
                if let Some(mut m) = self.member(*inner, name) {
                    m.cell += f.cell;
                    m.byte += f.byte;
                    m.unions.iter_mut().for_each(|u| u.2 += f.cell);
                    m.unions.extend(union);
                    return Some(m);
                }
            }
        }
        None
    }

    /// Have both scalars of the same widths at the same places, so that one may be read where the other was written?
    pub fn same_layout(&self, a: &Ty, b: &Ty) -> bool {
        match (self.layout(a), self.layout(b)) {
            (Ok(x), Ok(y)) => {
                x.len() == y.len()
                    && x.iter().zip(&y).all(|(p, q)| p.is_like(q))
                    && self.size(a) == self.size(b)
            }
            _ => false,
        }
    }

    /// Do the scalars of a type follow each other somewhere in another one, as far as that goes?
    pub fn has_part(&self, whole: &Ty, part: &Ty) -> bool {
        let (Ok(all), Ok(some)) = (self.layout(whole), self.layout(part)) else { return false };
        let Some(first) = some.first() else { return true };
        (0..all.len()).any(|k| {
            let rest = &all[k..];
            rest.iter().zip(&some).all(|(p, q)| {
                let moved = Part { bit: p.bit - rest[0].bit + first.bit, ..p.clone() };
                p.bit >= rest[0].bit && moved.is_like(q)
            })
        })
    }

    /// Are the scalars that both have at the same bytes, when the second lies some cells after the start of the first?
    pub fn coincide(whole: &[Part], part: &[Part], cells: isize) -> bool {
        let (a, b) = if cells < 0 { (0, cells.unsigned_abs()) } else { (cells.unsigned_abs(), 0) };
        let (Some(a), Some(b)) = (whole.get(a..), part.get(b..)) else { return false };
        let (Some(first), Some(other)) = (a.first(), b.first()) else { return false };
        a.iter()
            .zip(b)
            .all(|(p, q)| p.width == q.width && p.bit.checked_sub(first.bit) == q.bit.checked_sub(other.bit))
    }
}
