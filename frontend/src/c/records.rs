//! Structs, unions and enumerations as they are declared.

use super::attributes::{Layout, only_arrays};
use super::declare::Named;
use super::layout::Declared;
use super::lower::{Lower, Res};
use super::scope::{Symbol, Tag};
use super::specifiers::qualifiers;
use super::types::{CHAR, Field, INT, Int, Names, Record, RecordId, SHORT, Ty, UINT};
use lang_c::ast::*;
use lang_c::span::Node;

impl<'a> Lower<'a> {
    pub fn record_type(&mut self, r: &'a Node<StructType>, layout: &Layout) -> Res<Ty> {
        let union = r.node.kind.node == StructKind::Union;
        let name = r.node.identifier.as_ref().map(|i| i.node.name.clone()).unwrap_or_default();
        let known = match (name.is_empty(), r.node.declarations.is_some()) {
            (true, _) => None,
            (_, true) => self.context.scopes.tag_here(&name).cloned(),
            (_, false) => self.context.scopes.tag(&name).cloned(),
        };
        let id = match known {
            Some(Tag::Record(id))
                if r.node.declarations.is_none() || self.unit.types.records[id.0].fields.is_none() =>
            {
                id
            }
            _ => {
                let id = RecordId(self.unit.types.records.len());
                self.unit.types.records.push(Record {
                    name: name.clone(),
                    union,
                    fields: None,
                    cells: 0,
                    size: 0,
                    align: 1,
                    unknown: None,
                    views: Vec::new(),
                    view_of: Vec::new(),
                    tag: None,
                });
                if !name.is_empty() {
                    self.context.scopes.declare_tag(&name, Tag::Record(id));
                }
                id
            }
        };
        if let Some(declarations) = &r.node.declarations {
            let mut fields = Vec::new();
            for d in declarations {
                match &d.node {
                    StructDeclaration::Field(f) => self.fields(&f.node, &mut fields)?,
                    StructDeclaration::StaticAssert(a) => self.static_assert(a)?,
                }
            }
            self.lay_out(id, fields, layout);
        }
        Ok(Ty::Record(id))
    }

    pub fn fields(&mut self, f: &'a StructField, out: &mut Vec<Declared>) -> Res<()> {
        let s = qualifiers(&f.specifiers);
        let base = self.base_type(&s)?;
        let field = |name: Option<String>, ty: Ty, bit_field: bool, constant: bool| Field {
            name,
            ty,
            cell: 0,
            byte: 0,
            bit_field,
            constant,
            in_unit: 0,
            bit: 0,
        };
        if f.declarators.is_empty() && !self.unit.types.is_incomplete(&base) {
            let own = self.layout_of(&s.attributes)?;
            let field = field(None, base, false, s.fixed_value);
            out.push(Declared {
                field,
                width: None,
                unit: 0,
                own,
                named_align: self.unit.named_align(&s.types),
            });
            return Ok(());
        }
        for d in &f.declarators {
            let named = match &d.node.declarator {
                Some(x) => self.declarator(base.clone(), x)?,
                None => Named::of("", base.clone()),
            };
            let mut attributes = s.attributes.clone();
            attributes.extend(&named.attributes);
            let own = self.layout_of(&attributes)?;
            let constant = self.is_constant(&s, d.node.declarator.as_ref());
            let bare = d.node.declarator.as_ref().is_none_or(|x| only_arrays(&x.node));
            let named_align = self.unit.named_align(&s.types).filter(|_| bare);
            let name = (!named.name.is_empty()).then_some(named.name);
            match &d.node.bit_width {
                None if self.unit.types.is_incomplete(&named.ty) => {
                    let name = name.unwrap_or_default();
                    return self.error(d.span, format!("member `{name}` of a type that is not defined"), "");
                }
                None => {
                    let field = field(name, named.ty, false, constant);
                    out.push(Declared { field, width: None, unit: 0, own, named_align });
                }
                Some(w) => {
                    let width = self.constant(w)?.and_then(|w| u8::try_from(w).ok());
                    let (Some(width), Some(int)) = (width, named.ty.int()) else {
                        return self.error(
                            w.span,
                            "a bit-field needs an integer type and a constant width",
                            "",
                        );
                    };
                    if width > int.bits || (width == 0 && name.is_some()) {
                        let message = format!(
                            "a bit-field of type `{}` has 1 to {} bits",
                            self.unit.types.describe(&named.ty),
                            int.bits
                        );
                        return self.error(w.span, message, "");
                    }
                    let unit = self.unit.types.size(&named.ty).map_or(1, |s| s.0);
                    let ty = Ty::Int(Int { bits: if int.rank == 0 { 1 } else { width }, ..int });
                    let field = field(name, ty, true, constant);
                    out.push(Declared { field, width: Some(u64::from(width)), unit, own, named_align });
                }
            }
        }
        Ok(())
    }

    pub fn enum_type(&mut self, e: &'a Node<EnumType>, packed: bool) -> Res<Ty> {
        let name = e.node.identifier.as_ref().map(|i| i.node.name.as_str());
        if e.node.enumerators.is_empty() {
            return Ok(match name.and_then(|n| self.context.scopes.tag(n)) {
                Some(Tag::Enum(t)) => t.clone(),
                _ => Ty::Int(UINT),
            });
        }
        let (mut next, mut least, mut most) = (0i128, 0i128, 0i128);
        let mut names = Vec::new();
        for x in &e.node.enumerators {
            if let Some(v) = &x.node.expression {
                match self.constant(v)? {
                    Some(v) => next = v,
                    None => return self.error(v.span, "the value of an enumerator must be constant", ""),
                }
            }
            (least, most) = (least.min(next), most.max(next));
            // Its type while the list goes on.
            self.context.scopes.declare(&x.node.identifier.node.name, Symbol::Constant(next, Ty::Int(INT)));
            names.push((&x.node.identifier.node.name, next));
            next = next.saturating_add(1);
        }
        // As gcc has it: unsigned unless a value is negative, int where that is wide enough.
        let long = Int { rank: if self.unit.types.long().bits == 64 { 4 } else { 5 }, bits: 64, ..INT };
        let candidates = [CHAR, SHORT, INT, long];
        let mut candidates = candidates.into_iter().skip(if packed { 0 } else { 2 });
        let holds = |t: &Int| {
            let kind = self.unit.types.kind(&Ty::Int(*t));
            kind.min().is_none_or(|m| m <= least) && kind.max().is_none_or(|m| most <= m)
        };
        let Some(int) = candidates.by_ref().map(|t| Int { signed: least < 0, ..t }).find(holds) else {
            return self.error(e.span, "the values of this enum fit no integer type", "");
        };
        let enumeration = Names(Some(self.unit.types.enumerations.len() as u32));
        let ty = Ty::Int(Int { names: enumeration, ..int });
        let named = names.iter().map(|(n, v)| (super::tokens::original_name(n), *v));
        self.unit.types.enumerations.push(named.collect());
        for (name, value) in names {
            // A constant that fits int is one.
            if i32::try_from(value).is_err() {
                self.context.scopes.declare(name, Symbol::Constant(value, ty.clone()));
            }
        }
        if let Some(n) = name {
            self.context.scopes.declare_tag(n, Tag::Enum(ty.clone()));
        }
        Ok(ty)
    }
}
