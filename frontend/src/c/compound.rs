//! Compound literals (C11 6.5.2.5).

use super::init::{Cells, Items};
use super::lower::{Lower, Res};
use super::types::Ty;
use super::value::{At, Place};
use lang_c::ast::*;
use lang_c::span::{Node, Span as Bytes};
use relyant_cfa::Expr;

impl<'a> Lower<'a> {
    /// The list of a compound literal that a static object, or a part of one, starts as a copy of.
    pub(super) fn static_copy(
        &mut self,
        ty: &Ty,
        e: &'a Node<Expression>,
    ) -> Res<Option<&'a [Node<InitializerListItem>]>> {
        let Expression::CompoundLiteral(c) = &e.node else { return Ok(None) };
        if !self.body.name.is_empty() || !matches!(ty, Ty::Array(..) | Ty::Record(_)) {
            return Ok(None);
        }
        Ok((self.type_name(&c.node.type_name)?.plain() == ty).then_some(&c.node.initializer_list[..]))
    }

    /// `(T){ … }`: an object of the enclosing block, or with static storage at file scope.
    pub fn compound_literal(
        &mut self,
        ty: Ty,
        list: &'a [Node<InitializerListItem>],
        constant: bool,
        at: Bytes,
    ) -> Res<Place> {
        let mut cells = Cells::new();
        let ty = match &ty {
            Ty::Array(t, None) => {
                let n =
                    self.array_items(t, 0..1 << 18, 0, &mut Items { list, next: 0 }, false, &mut cells)?;
                Ty::Array(t.clone(), Some(n))
            }
            _ => ty,
        };
        cells.clear();
        let of_file = self.body.name.is_empty();
        let object = match of_file {
            true => self.object("literal", &ty, at)?,
            false => self.local_object("literal", &ty, at)?,
        };
        self.unit.protect(object, &ty, constant);
        match ty.plain() {
            Ty::Array(..) | Ty::Record(_) => {
                self.aggregate(&ty, 0, &mut Items { list, next: 0 }, false, &mut cells)?;
            }
            _ => {
                if let Some(i) = list.first() {
                    self.lay_initializer(&ty, &i.node.initializer.node, 0, &mut cells)?;
                }
            }
        }
        if of_file {
            let o = &mut self.unit.objects[object];
            o.init = vec![Some(0); o.cells.len()];
            self.static_starts(object, &ty, &cells, at)?;
        } else {
            self.body.started.push(object);
            self.store_starts(object, &cells)?;
        }
        Ok(Place { at: At::Memory(Expr::Addr(object)), ty, bit_field: None, through: None })
    }
}
