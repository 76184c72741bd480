//! Places: the objects and parts of objects that expressions designate.

use super::init::names_function;
use super::lower::{Lower, Res};
use super::scan::name_of;
use super::scope::{Storage, Symbol};
use super::types::Ty;
use super::value::{At, Place, Value, offset};
use lang_c::ast::*;
use lang_c::span::{Node, Span as Bytes};
use relyant_cfa::{BinOp, Expr};

impl<'a> Lower<'a> {
    /// The place an expression designates.
    pub fn place(&mut self, e: &'a Node<Expression>) -> Res<Place> {
        if let Some(p) = self.byte_place(e)? {
            return Ok(p);
        }
        match &e.node {
            Expression::Identifier(i) => {
                let name = &i.node.name;
                if names_function(name) && self.context.scopes.get(name).is_none() {
                    return self.function_name(e.span);
                }
                self.variable_place(name, e.span)
            }
            Expression::Member(m) => self.member(m, e.span),
            Expression::UnaryOperator(u) if u.node.operator.node == UnaryOperator::Indirection => {
                let v = self.value(&u.node.operand)?;
                self.pointed(v, e.span)
            }
            Expression::BinaryOperator(b) if b.node.operator.node == BinaryOperator::Index => {
                self.indexed(b, e.span)
            }
            Expression::CompoundLiteral(c) => {
                let ty = self.type_name(&c.node.type_name)?;
                let constant = self.is_constant_type(&c.node.type_name);
                self.compound_literal(ty, &c.node.initializer_list, constant, e.span)
            }
            Expression::StringLiteral(s) => {
                let v = self.string(&s.node, e.span)?;
                let n = self.string_cells(&s.node, e.span)?.len() as u64;
                Ok(Place {
                    at: At::Memory(v.expr),
                    ty: Ty::Array(Ty::Int(self.unit.string_unit(&s.node)).into(), Some(n)),
                    bit_field: None,
                    through: None,
                })
            }
            Expression::GenericSelection(g) => {
                let chosen = self.generic(g, e.span)?;
                self.place(chosen)
            }
            Expression::Comma(list) => {
                let Some((last, rest)) = list.split_last() else {
                    return self.error(e.span, "an empty expression", "");
                };
                for x in rest {
                    self.effect(x)?;
                }
                self.place(last)
            }
            _ => {
                // A record that an expression gives is where its cells are.
                let v = self.value(e)?;
                match v.ty {
                    Ty::Record(_) => {
                        Ok(Place { at: At::Memory(v.expr), ty: v.ty, bit_field: None, through: None })
                    }
                    _ => self.error(e.span, "this expression designates no object", ""),
                }
            }
        }
    }

    /// The place of a variable.
    pub fn variable_place(&mut self, name: &str, at: Bytes) -> Res<Place> {
        let (at, ty) = match self.lookup(name, at)? {
            Symbol::Local(Storage::Register(r), ty) => (At::Register(r), ty),
            Symbol::Local(Storage::Object(o), ty) => (At::Memory(Expr::Addr(o)), ty),
            Symbol::Local(Storage::Block(r, _), ty) => (At::Memory(Expr::Reg(r)), ty),
            Symbol::Global(g) => {
                let global = &self.unit.objects.globals[g];
                if self.unit.uses.nondet
                    && global.name == "NONDET"
                    && global.init.is_none()
                    && global.ty.is_scalar()
                {
                    (At::Input, global.ty.clone())
                } else {
                    let object = self.global_object(g, at)?;
                    (At::Memory(Expr::Addr(object)), self.unit.objects.globals[g].ty.clone())
                }
            }
            _ => {
                let shown = super::tokens::original_name(name);
                return self.error(at, format!("`{shown}` is no object"), "");
            }
        };
        Ok(Place { at, ty, bit_field: None, through: None })
    }

    /// The place of an element, `a[i]`.
    pub fn indexed(&mut self, b: &'a Node<BinaryOperatorExpression>, at: Bytes) -> Res<Place> {
        let (lhs, rhs) = (&b.node.lhs, &b.node.rhs);
        self.body.begin_operands(false);
        let mut within = None;
        let base = if let Expression::Member(_) = &lhs.node {
            let base = self.place(lhs)?;
            match (&base.through, &base.at, base.ty.plain().clone()) {
                (Some(_), At::Memory(address), Ty::Array(t, _)) => {
                    let pointer = Value { expr: address.clone(), ty: Ty::Pointer(t.clone()) };
                    within = Some((base, t));
                    pointer
                }
                _ => self.read(&base, lhs.span)?,
            }
        } else {
            self.value(lhs)?
        };
        self.body.end_operand();
        let index = self.value(rhs)?;
        self.body.end_operand();
        self.body.end_operands();
        if name_of(&lhs.node) == Some(super::lower::THREADS_EXITED) {
            self.body.within_threads(&index);
        }
        let sum = self.arithmetic(BinOp::Add, base, index, at)?;
        match within {
            // What is known of the union it is in stays.
            Some((base, t)) => Ok(Place { at: At::Memory(sum.expr), ty: (*t).clone(), ..base }),
            None => self.pointed(sum, at),
        }
    }

    /// The place a pointer points to.
    pub fn pointed(&mut self, v: Value, at: Bytes) -> Res<Place> {
        match v.ty.target() {
            Some(t) => Ok(Place { at: At::Memory(v.expr), ty: t.clone(), bit_field: None, through: None }),
            None => self.error(at, format!("`{}` is no pointer", self.unit.types.describe(&v.ty)), ""),
        }
    }

    pub fn member(&mut self, m: &'a Node<MemberExpression>, at: Bytes) -> Res<Place> {
        let base = match m.node.operator.node {
            MemberOperator::Direct => self.place(&m.node.expression)?,
            MemberOperator::Indirect => {
                let v = self.value(&m.node.expression)?;
                self.pointed(v, at)?
            }
        };
        let name = &m.node.identifier.node.name;
        let Ty::Record(id) = base.ty.plain() else {
            return self.error(at, format!("`{}` has no members", self.unit.types.describe(&base.ty)), "");
        };
        if base.ty.is_whole() {
            let what = if self.unit.types.records[id.0].union { "union" } else { "structure" };
            return self.error(
                at,
                format!("accessing a member `{name}` of an atomic {what} is undefined"),
                "copy it to an object that is not atomic, or use atomic_load, atomic_store and atomic_compare_exchange",
            );
        }
        let Some(member) = self.unit.types.member(*id, name) else {
            return self.error(
                at,
                format!("`{}` has no member `{name}`", self.unit.types.describe(&base.ty)),
                "",
            );
        };
        let At::Memory(address) = base.at else {
            return self.error(at, "a member of something without an address", "");
        };
        let through = match (self.through(&address, &member.unions, at)?, base.through) {
            (Some(_), Some(_)) => {
                return self.refuse(
                    at,
                    "a union inside a union is, both seen in several ways and",
                    "use one",
                );
            }
            (a, b) => a.or(b),
        };
        Ok(Place {
            at: At::Memory(offset(address, member.cell)),
            ty: member.ty,
            bit_field: member.bit_field.then_some(member.in_unit),
            through,
        })
    }
}
