//! Values that are not used: an expression is evaluated all the same, so that what it designates is read (C11 6.3.2.1p2,
//! 6.8.3p2), also under a cast to void.

use super::lower::{Lower, Res};
use super::scan::name_of;
use super::scope::Symbol;
use super::types::Ty;
use super::value::{At, Place, offset};
use lang_c::ast::*;
use lang_c::span::{Node, Span as Bytes};

/// Does the expression designate an object or a function?
pub fn designates(e: &Expression) -> bool {
    match e {
        Expression::Identifier(_) | Expression::Member(_) | Expression::CompoundLiteral(_) => true,
        Expression::UnaryOperator(u) => u.node.operator.node == UnaryOperator::Indirection,
        Expression::BinaryOperator(b) => b.node.operator.node == BinaryOperator::Index,
        _ => false,
    }
}

impl<'a> Lower<'a> {
    /// Reads what an expression designates, for nothing.
    pub fn discard(&mut self, e: &'a Node<Expression>) -> Res<()> {
        if let Some(name) = name_of(&e.node) {
            if !matches!(self.context.scopes.get(name), Some(Symbol::Local(..) | Symbol::Global(_))) {
                return Ok(());
            }
        }
        if let Some(p) = self.byte_place(e)? {
            return self.discard_place(&p, e.span);
        }
        if let Expression::UnaryOperator(u) = &e.node {
            let v = self.value(&u.node.operand)?;
            if let Some(Ty::Function(_) | Ty::Void) = v.ty.target().map(Ty::plain) {
                return Ok(());
            }
            let p = self.pointed(v, e.span)?;
            return self.discard_place(&p, e.span);
        }
        let p = self.place(e)?;
        self.discard_place(&p, e.span)
    }

    /// Reads all of a place.
    fn discard_place(&mut self, p: &Place, at: Bytes) -> Res<()> {
        match (p.ty.plain(), &p.at) {
            (Ty::Record(_), _) if p.ty.is_whole() => self.read_whole(p, at).map(drop),
            (Ty::Record(_), At::Memory(address)) => {
                let mut cells = Vec::new();
                if let Err(why) = self.unit.types.flatten(&p.ty, "", &mut cells) {
                    return self.refuse(at, format!("{why}; reading it is"), "");
                }
                let parts = self.unit.types.layout(&p.ty).unwrap_or_default();
                let tags = self.unit.types.tags(&p.ty);
                for (k, (kind, _)) in cells.into_iter().enumerate() {
                    let k = k as u64;
                    if !tags.contains(&k) {
                        let how = parts.get(k as usize).map(|p| p.how()).unwrap_or_default();
                        self.read_cell(offset(address.clone(), k), kind, how, at);
                    }
                }
                Ok(())
            }
            (Ty::Int(_) | Ty::Pointer(_) | Ty::Float(_), _) => self.read(p, at).map(drop),
            _ => Ok(()),
        }
    }
}
