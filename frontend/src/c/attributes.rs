//! Attributes that say how types are laid out: `packed`, `aligned`, `mode`, and what stands for `#pragma pack`.

use super::lower::{Lower, Res};
use super::meanings::{PACK, bare};
use super::translation::Translation;
use super::types::{Int, Ty};
use lang_c::ast::*;
use lang_c::span::Node;

/// What attributes say about a layout.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Layout {
    /// `packed`: members have no padding before them.
    pub packed: bool,
    /// The least alignment in bytes that `aligned` asks for; none without it.
    pub align: Option<u64>,
    /// The limit to alignments that `#pragma pack` set.
    pub limit: Option<u64>,
}

/// What `aligned` without a number means on x86.
const LARGEST: u64 = 16;

/// The attributes of a list.
fn attributes<'a, 'b: 'a>(
    list: impl IntoIterator<Item = &'b Node<Extension>> + 'a,
) -> impl Iterator<Item = (&'b Attribute, lang_c::span::Span)> + 'a {
    list.into_iter().filter_map(|e| match &e.node {
        Extension::Attribute(a) => Some((a, e.span)),
        Extension::AsmLabel(_) | Extension::AvailabilityAttribute(_) => None,
    })
}

impl<'a> Lower<'a> {
    /// What `packed` and `aligned` in a list of attributes say.
    pub fn layout_of(&mut self, list: &[&'a Node<Extension>]) -> Res<Layout> {
        let mut layout = Layout::default();
        for (a, span) in attributes(list.iter().copied()) {
            match bare(&a.name.node) {
                "packed" => layout.packed = true,
                "aligned" => {
                    let n = match a.arguments.first() {
                        None => LARGEST,
                        Some(e) => match self.constant(e)?.map(u64::try_from) {
                            Some(Ok(n)) if n.is_power_of_two() && n <= 1 << 28 => n,
                            // `_Alignas(0)` says nothing.
                            Some(Ok(0)) => continue,
                            _ => return self.error(span, "an alignment must be a constant power of two", ""),
                        },
                    };
                    layout.align = layout.align.max(Some(n));
                }
                PACK => {
                    let n = match a.arguments.first() {
                        Some(e) => self.constant(e)?.and_then(|n| u64::try_from(n).ok()),
                        None => None,
                    };
                    layout.limit = n.filter(|n| *n > 0);
                }
                _ => {}
            }
        }
        Ok(layout)
    }

    /// The type with the width that an attribute `mode` among these gives it.
    pub fn with_mode(&mut self, ty: Ty, list: &[&'a Node<Extension>]) -> Res<Ty> {
        let mut ty = ty;
        for (a, span) in attributes(list.iter().copied()) {
            if bare(&a.name.node) != "mode" {
                continue;
            }
            let name = a.arguments.first().and_then(|e| super::scan::name_of(&e.node)).unwrap_or("");
            let long = self.unit.types.long();
            let wide = if long.bits == 64 { long } else { super::types::LONG_LONG };
            let int = match bare(name) {
                "QI" | "byte" => super::types::CHAR,
                "HI" => super::types::SHORT,
                "SI" => super::types::INT,
                "DI" => wide,
                "word" | "pointer" | "unwind_word" => long,
                _ => Int { bits: 0, ..long },
            };
            ty = match (ty.plain(), bare(name)) {
                (Ty::Int(i), _) if int.bits > 0 && i.rank > 0 => Ty::Int(Int { signed: i.signed, ..int }),
                (Ty::Float(_), "SF") => Ty::Float(4),
                (Ty::Float(_), "DF") => Ty::Float(8),
                _ => return self.refuse(span, format!("the mode `{name}` is"), "use a type of that width"),
            };
        }
        Ok(ty)
    }

    /// `_Alignof` of a type.
    pub fn align_of(&mut self, n: &'a Node<TypeName>) -> Res<u64> {
        let ty = self.type_name(n)?;
        let bare = n.node.declarator.as_ref().is_none_or(|d| only_arrays(&d.node));
        let types: Vec<_> = n
            .node
            .specifiers
            .iter()
            .filter_map(|s| if let SpecifierQualifier::TypeSpecifier(t) = &s.node { Some(t) } else { None })
            .collect();
        if let Some(a) = self.unit.named_align(&types).filter(|_| bare) {
            return Ok(a);
        }
        let natural = match ty.plain() {
            Ty::Array(t, _) => self.unit.types.size(t).map(|s| s.1),
            t => self.unit.types.size(t).map(|s| s.1),
        };
        match natural {
            Ok(a) if a == self.unit.types.member_align(&ty) => Ok(a),
            Ok(_) => {
                self.refuse(n.span, "the alignment of this type on 32 bits is", "it is 4 or 8: write which")
            }
            Err(why) => self.error(n.span, why, ""),
        }
    }
}

impl<'a> Translation<'a> {
    /// The alignment of a typedef name in specifiers, where it has one of its own.
    pub fn named_align(&self, types: &[&'a Node<TypeSpecifier>]) -> Option<u64> {
        types.iter().find_map(|t| match &t.node {
            TypeSpecifier::TypedefName(n) => self.types.aligned.get(&n.node.name).copied(),
            _ => None,
        })
    }
}

/// Does a declarator make nothing but arrays?
pub fn only_arrays(d: &Declarator) -> bool {
    let inner = match &d.kind.node {
        DeclaratorKind::Declarator(d) => only_arrays(&d.node),
        DeclaratorKind::Abstract | DeclaratorKind::Identifier(_) => true,
    };
    inner && d.derived.iter().all(|x| matches!(x.node, DerivedDeclarator::Array(_)))
}
