//! Members and elements by name and index, and what follows them in a list.

use super::init::{Cells, Items, is_zero};
use super::lower::{Lower, Res};
use super::types::{RecordId, Ty};
use lang_c::ast::*;
use lang_c::span::Node;

impl<'a> Lower<'a> {
    /// Fills members from one on.
    pub(super) fn record_items(
        &mut self,
        id: RecordId,
        mut k: usize,
        base: u64,
        items: &mut Items<'a>,
        elided: bool,
        out: &mut Cells<'a>,
    ) -> Res<()> {
        let record = self.unit.types.records[id.0].clone();
        let fields = record.fields.unwrap_or_default();
        while let Some(item) = items.peek() {
            if let Some((first, rest)) = item.node.designation.split_first() {
                if elided {
                    return Ok(());
                }
                let Designator::Member(name) = &first.node else {
                    return self.error(item.span, "an index designator in a record", "");
                };
                let Some(m) = self.unit.types.member(id, &name.node.name) else {
                    return self.error(item.span, format!("no member `{}`", name.node.name), "");
                };
                self.start_view(&m.unions, base, item.span, out)?;
                items.next += 1;
                self.designated(&m.ty, base + m.cell, rest, item, items, out)?;
                self.rest_of_unnamed(id, m.cell, base, items, out)?;
                k = self.after(id, m.cell);
                continue;
            }
            let Some(f) = fields.get(k) else { break };
            if record.union && k > 0 {
                break;
            }
            if record.union && !is_zero(&item.node.initializer.node) {
                self.start_view(&[(id, 0, 0)], base, item.span, out)?;
            }
            self.item(&f.ty, base + f.cell, items, out)?;
            k += 1;
        }
        Ok(())
    }

    /// Goes on in the unnamed struct that holds a member, if one does.
    fn rest_of_unnamed(
        &mut self,
        id: RecordId,
        cell: u64,
        base: u64,
        items: &mut Items<'a>,
        out: &mut Cells<'a>,
    ) -> Res<()> {
        let record = &self.unit.types.records[id.0];
        let fields = record.fields.as_deref().unwrap_or_default();
        let Some(f) = fields.iter().rfind(|f| f.cell <= cell && !f.bit_field).filter(|_| !record.union)
        else {
            return Ok(());
        };
        let (None, Ty::Record(inner), start) = (&f.name, f.ty.plain(), f.cell) else { return Ok(()) };
        let inner = *inner;
        self.rest_of_unnamed(inner, cell - start, base + start, items, out)?;
        self.record_items(inner, self.after(inner, cell - start), base + start, items, true, out)
    }

    /// The member after one, or after the unnamed record that holds it.
    fn after(&self, id: RecordId, cell: u64) -> usize {
        let record = &self.unit.types.records[id.0];
        let fields = record.fields.as_deref().unwrap_or_default();
        match record.union {
            true => fields.len(),
            false => fields.iter().rposition(|f| f.cell <= cell).unwrap_or(0) + 1,
        }
    }

    /// What a designator names; what comes next in the list goes on behind that, in the same part of the object (C11 6.7.9p17).
    pub(super) fn designated(
        &mut self,
        ty: &Ty,
        base: u64,
        rest: &'a [Node<Designator>],
        item: &'a Node<InitializerListItem>,
        items: &mut Items<'a>,
        out: &mut Cells<'a>,
    ) -> Res<()> {
        let Some((first, others)) = rest.split_first() else {
            let init = &item.node.initializer.node;
            let plain = ty.plain().clone();
            let Initializer::Expression(e) = init else { return self.lay_initializer(ty, init, base, out) };
            // Without braces the list goes on in it.
            return match &plain {
                Ty::Array(t, n)
                    if !matches!(e.node, Expression::StringLiteral(_) | Expression::CompoundLiteral(_)) =>
                {
                    self.designated(t, base, rest, item, items, out)?;
                    self.array_items(t, 1..n.unwrap_or(0), base, items, true, out).map(drop)
                }
                Ty::Record(id) if self.value_type(e)? != plain => {
                    let record = &self.unit.types.records[id.0];
                    let union = record.union;
                    let first = record.fields.as_ref().and_then(|f| f.first()).cloned();
                    let Some(first) = first else { return self.lay_initializer(ty, init, base, out) };
                    if union && !is_zero(init) {
                        self.start_view(&[(*id, 0, 0)], base, item.span, out)?;
                    }
                    self.designated(&first.ty, base + first.cell, rest, item, items, out)?;
                    self.record_items(*id, self.after(*id, first.cell), base, items, true, out)
                }
                _ => self.lay_initializer(ty, init, base, out),
            };
        };
        match (&first.node, ty.plain()) {
            (Designator::Member(name), Ty::Record(id)) => {
                match self.unit.types.member(*id, &name.node.name) {
                    Some(m) => {
                        self.start_view(&m.unions, base, item.span, out)?;
                        self.designated(&m.ty, base + m.cell, others, item, items, out)?;
                        self.rest_of_unnamed(*id, m.cell, base, items, out)?;
                        self.record_items(*id, self.after(*id, m.cell), base, items, true, out)
                    }
                    None => self.error(item.span, format!("no member `{}`", name.node.name), ""),
                }
            }
            (Designator::Index(e), Ty::Array(t, n)) => {
                let k = self.constant(e)?.and_then(|k| u64::try_from(k).ok()).filter(|k| Some(*k) < *n);
                let Some(k) = k else {
                    return self.error(item.span, "an index designator outside of the array", "");
                };
                let one = self.unit.types.stride(t);
                let t = t.clone();
                let n = n.unwrap_or(0);
                self.designated(&t, base + k * one, others, item, items, out)?;
                self.array_items(&t, k + 1..n, base, items, true, out).map(drop)
            }
            _ => self.refuse(item.span, "this designator is", ""),
        }
    }
}
