//! What is defined `const`: its cells may not be written once they have their first values (C11 6.7.3p6).

use super::body::Body;
use super::lower::{Lower, Res};
use super::specifiers::Specifiers;
use super::types::{Ty, Types};
use lang_c::ast::*;
use lang_c::span::Node;
use relyant_cfa::{Expr, IntKind};
use std::ops::Range;

impl<'a> Lower<'a> {
    /// Is what the specifiers and the declarator declare `const` as a whole?
    pub fn is_constant(&self, s: &Specifiers<'a>, d: Option<&'a Node<Declarator>>) -> bool {
        let constant = s.fixed_value || s.types().any(|t| self.names_constant(&t.node));
        d.map_or(constant, |d| outermost(d, constant))
    }

    /// Is a type `const` by the type name or the variable it speaks of?
    fn names_constant(&self, t: &'a TypeSpecifier) -> bool {
        match t {
            TypeSpecifier::TypedefName(n) => self.unit.types.constant.contains(&n.node.name),
            TypeSpecifier::TypeOf(of) => match &of.node {
                TypeOf::Type(n) => self.is_constant_type(n),
                TypeOf::Expression(_) => false,
            },
            _ => false,
        }
    }

    /// The same for a type name, as of a compound literal.
    pub fn is_constant_type(&self, n: &'a Node<TypeName>) -> bool {
        let s = super::specifiers::qualifiers(&n.node.specifiers);
        self.is_constant(&s, n.node.declarator.as_ref())
    }

    /// Does something whose stores give a new object its first values.
    pub fn initially<T>(&mut self, run: impl FnOnce(&mut Self) -> Res<T>) -> Res<T> {
        let outer = std::mem::replace(&mut self.body.initial, true);
        let result = run(self);
        self.body.initial = outer;
        result
    }
}

impl Body {
    /// A store that gives a new object a first value.
    pub fn initial_store(&mut self, address: Expr, value: Expr, kind: IntKind) {
        let outer = std::mem::replace(&mut self.initial, true);
        self.store(address, value, kind);
        self.initial = outer;
    }
}

/// Is the object that a declarator declares `const`, given whether its base type is?
fn outermost(d: &Node<Declarator>, base: bool) -> bool {
    let mut constant = base;
    let is_pointer = |x: &&Node<DerivedDeclarator>| matches!(x.node, DerivedDeclarator::Pointer(_));
    let derived = &d.node.derived;
    let prefix = derived.iter().take_while(is_pointer).count();
    for x in derived[..prefix].iter().chain(derived[prefix..].iter().rev()) {
        constant = match &x.node {
            DerivedDeclarator::Pointer(list) => list.iter().any(
                |q| matches!(&q.node, PointerQualifier::TypeQualifier(t) if t.node == TypeQualifier::Const),
            ),
            DerivedDeclarator::Array(_) => constant,
            DerivedDeclarator::Function(_)
            | DerivedDeclarator::KRFunction(_)
            | DerivedDeclarator::Block(_) => false,
        };
    }
    match &d.node.kind.node {
        DeclaratorKind::Declarator(inner) => outermost(inner, constant),
        DeclaratorKind::Abstract | DeclaratorKind::Identifier(_) => constant,
    }
}

impl Types {
    /// Cells of an object of a type that are `const`: all, or those of members.
    pub fn constant_cells(&self, ty: &Ty, whole: bool, base: usize, out: &mut Vec<Range<usize>>) {
        let cells = self.cells(ty).unwrap_or(0) as usize;
        match ty.plain() {
            _ if whole => match out.last_mut() {
                Some(last) if last.end == base => last.end += cells,
                _ => out.push(base..base + cells),
            },
            Ty::Array(t, Some(n)) => {
                let mut one = Vec::new();
                self.constant_cells(t, false, 0, &mut one);
                let step = self.stride(t) as usize;
                for k in 0..if one.is_empty() { 0 } else { *n as usize } {
                    let start = base + k * step;
                    out.extend(one.iter().map(|r| start + r.start..start + r.end));
                }
            }
            // What one member of a union forbids, another may allow.
            Ty::Record(id) if !self.records[id.0].union => {
                for f in self.records[id.0].fields.iter().flatten() {
                    self.constant_cells(&f.ty, f.constant, base + f.cell as usize, out);
                }
            }
            _ => {}
        }
    }
}
