//! Local arrays whose lengths are not constant. There is room for some elements in each dimension; more are a limit of ours.

use super::body::Body;
use super::calls::Args;
use super::declare::{Named, ROWS};
use super::lower::{Lower, Res};
use super::scope::{Storage, Symbol};
use super::specifiers::qualifiers;
use super::types::{Signature, Ty};
use super::value::{binary, compare};
use lang_c::ast::*;
use lang_c::span::{Node, Span as Bytes};
use relyant_cfa::{BinOp, Bounded, CmpOp, Expr, Limit, Op};
use std::rc::Rc;

/// Scalars that there is room for, where one length is not constant.
const ROOM: u64 = 32;
/// Where several are not.
const ROOM_OF_MANY: u64 = 64;

/// Scopes that are open in a function outside of its blocks: the file's and the function's.
const OUTERMOST: usize = 2;

/// What is said where there is no room, of arrays of arrays.
const NO_ROOM: &str = "an array of variable length has more elements than there is room for";
const NO_ROOM_IN_ROWS: &str = "arrays of variable length have more elements than there is room for";

/// A length of an array.
enum Length<'a> {
    Constant(u64),
    Variable(&'a Node<Expression>),
}

impl<'a> Lower<'a> {
    /// Declares a local array whose length is not constant; `None` if it is no such array.
    pub fn variable_array(&mut self, base: &Ty, d: &'a Node<Declarator>, at: Bytes) -> Res<Option<()>> {
        let derived = &d.node.derived;
        let prefix = derived.iter().take_while(|x| matches!(x.node, DerivedDeclarator::Pointer(_))).count();
        let DeclaratorKind::Identifier(name) = &d.node.kind.node else { return Ok(None) };
        let mut lengths = Vec::new();
        for x in &derived[prefix..] {
            let DerivedDeclarator::Array(a) = &x.node else { return Ok(None) };
            let ArraySize::VariableExpression(e) = &a.node.size else { return Ok(None) };
            lengths.push(match self.constant(e)? {
                Some(n) => match u64::try_from(n) {
                    Ok(n) => Length::Constant(n),
                    Err(_) => return self.error(e.span, format!("an array of {n} elements"), ""),
                },
                None => Length::Variable(e),
            });
        }
        let variable = lengths.iter().filter(|l| matches!(l, Length::Variable(_))).count();
        if variable == 0 {
            return Ok(None);
        }
        let mut element = base.clone();
        for _ in 0..prefix {
            element = element.pointer();
        }
        let (cells, bytes) = match (self.unit.types.cells(&element), self.unit.types.size(&element)) {
            (Ok(cells), Ok((bytes, _))) => (cells, bytes),
            (Err(why), _) | (_, Err(why)) => return self.error(at, why, ""),
        };
        if self.unit.options.checks_memory() {
            return self.variable_block(&name.node.name, &element, bytes, &lengths, at).map(Some);
        }
        let constant = lengths.iter().map(|l| if let Length::Constant(n) = l { *n } else { 1 });
        let fixed = constant.fold(cells.max(1), u64::saturating_mul).max(1);
        let room = match variable {
            1 => ROOM / fixed,
            _ => (1..)
                .take_while(|r| fixed.saturating_mul(u64::pow(*r, variable as u32)) <= ROOM_OF_MANY)
                .last()
                .unwrap_or(1),
        };
        let room = room.max(1);
        let ulong = Ty::Int(self.unit.types.ulong());
        let kind = self.unit.types.kind(&ulong);
        let mut values = Vec::new();
        for l in &lengths {
            values.push(match l {
                Length::Constant(n) => Expr::Const(i128::from(*n)),
                Length::Variable(e) => {
                    let n = self.value(e)?;
                    let n = self.convert(n, &ulong, e.span)?.expr;
                    let n = Expr::Reg(self.body.assign(kind, n));
                    let limit = match lengths.len() {
                        1 => Limit { what: NO_ROOM.into(), bounds: Some(Bounded::Length) },
                        _ => NO_ROOM_IN_ROWS.into(),
                    };
                    self.body.fits_in(&n, room, limit);
                    n
                }
            });
        }
        let mut ty = element;
        for l in lengths.iter().rev() {
            ty = Ty::Array(Rc::new(ty), Some(if let Length::Constant(n) = l { *n } else { room }));
        }
        let object = self.local_object(&name.node.name, &ty, at)?;
        self.unit.protect(object, &ty, false);
        self.body.started.push(object);
        if lengths.len() == 1 {
            self.unit.objects.variable.insert(object);
        } else {
            self.unit.memory.rows.insert(object);
        }
        let mut sizes = Vec::new();
        let mut size = Expr::Const(i128::from(bytes));
        for n in values.into_iter().rev() {
            size = binary(BinOp::Mul, n, size, kind);
            if !matches!(size, Expr::Const(_)) {
                size = Expr::Reg(self.body.assign(kind, size));
            }
            sizes.insert(0, size.clone());
        }
        self.body.lengths.insert(object, sizes);
        self.context.scopes.declare(&name.node.name, Symbol::Local(Storage::Object(object), ty.clone()));
        self.full(|l| l.initialize_local(object, &ty, None, at))?;
        Ok(Some(()))
    }

    /// The same with checks of memory: a block that ends with the function.
    fn variable_block(
        &mut self,
        name: &str,
        element: &Ty,
        bytes: u64,
        lengths: &[Length<'a>],
        at: Bytes,
    ) -> Res<()> {
        let [Length::Variable(n), rows @ ..] = lengths else { return self.no_variable_block(at) };
        let (mut element, mut bytes) = (element.clone(), bytes);
        for l in rows.iter().rev() {
            let Length::Constant(n) = l else { return self.no_variable_block(at) };
            element = Ty::Array(Rc::new(element), Some(*n));
            bytes = bytes.saturating_mul(*n);
        }
        // One in a block would have to end with that, and one that is jumped back over with the jump.
        let jumped_to = self.body.labels.values().any(|l| l.defined.is_some());
        if self.context.scopes.depth() > OUTERMOST || jumped_to {
            return self.no_variable_block(at);
        }
        let ulong = Ty::Int(self.unit.types.ulong());
        let kind = self.unit.types.kind(&ulong);
        let count = self.value(n)?;
        let count = self.convert(count, &ulong, n.span)?.expr;
        let size = self.body.assign(kind, binary(BinOp::Mul, count, Expr::Const(i128::from(bytes)), kind));
        let address = self.automatic_block(name, Expr::Reg(size), &element, at);
        let ty = Ty::Array(Rc::new(element), None);
        self.context.scopes.declare(name, Symbol::Local(Storage::Block(address, size), ty));
        Ok(())
    }

    /// Is it an array of variable length that is a block? The type of a pointer to it would not say how long it is.
    pub fn is_variable_block(&self, e: &Node<Expression>) -> bool {
        let symbol = super::scan::name_of(&e.node).and_then(|n| self.context.scopes.get(n));
        matches!(symbol, Some(Symbol::Local(Storage::Block(..), _)))
    }

    fn no_variable_block(&mut self, at: Bytes) -> Res<()> {
        let what = "an array of variable length in a block, or of others, with checks of memory is";
        self.refuse(at, what, "use a constant length")
    }

    /// A signature as it is called: parameters such as `int a[n][m]` point to rows as they are in the argument, which are
    /// of one length in all calls.
    pub fn with_rows(&mut self, name: &str, s: &Rc<Signature>, args: Args<'a>) -> Res<Rc<Signature>> {
        let rows = |t: &Ty| matches!(t.target(), Some(Ty::Unsupported(why)) if **why == *ROWS);
        let params = s.params.as_deref().unwrap_or_default();
        if !params.iter().any(rows) {
            return Ok(s.clone());
        }
        let mut params = params.to_vec();
        for (k, (p, a)) in params.iter_mut().zip(args).enumerate().filter(|(_, (p, _))| rows(p)) {
            let given = self.value_type(a)?;
            if !matches!(given.target(), Some(Ty::Array(_, Some(_)))) {
                return self.refuse(a.span, "an argument that is no array of arrays here is", "pass one");
            }
            let known = self.unit.symbols.rows.entry((name.to_string(), k)).or_insert_with(|| given.clone());
            if *known != given {
                let what = "a function that is called with rows of different lengths is";
                return self.refuse(a.span, what, "use a function for each length");
            }
            *p = given;
        }
        Ok(Rc::new(Signature { params: Some(params), ..(**s).clone() }))
    }

    /// The type of a parameter: what calls say where it points to rows of variable length.
    pub fn with_known_rows(&mut self, k: usize, named: &mut Named<'a>) {
        if let Some(ty) = self.unit.symbols.rows.get(&(self.body.name.clone(), k)) {
            named.ty = ty.clone();
            self.body.rows.insert(named.name.clone());
        }
    }

    /// Refuses `sizeof a[0]` of such a parameter, whose rows may lie farther apart than they are long.
    pub fn no_size_of_row(&self, e: &Node<Expression>, ty: &Ty) -> Res<()> {
        let mut of = &e.node;
        loop {
            of = match of {
                Expression::BinaryOperator(b) if b.node.operator.node == BinaryOperator::Index => {
                    &b.node.lhs.node
                }
                Expression::UnaryOperator(u) if u.node.operator.node == UnaryOperator::Indirection => {
                    &u.node.operand.node
                }
                _ => break,
            };
        }
        match (ty, super::scan::name_of(of)) {
            (Ty::Array(..), Some(n)) if self.body.rows.contains(n) => {
                self.refuse(e.span, "the size of a row of variable length is", "compute it from the length")
            }
            _ => Ok(()),
        }
    }

    /// The size of the type of such an array, as in `sizeof(int[n])`; `None` if it is no such type.
    pub fn variable_type_size(&mut self, name: &'a Node<TypeName>) -> Res<Option<Expr>> {
        let Some(d) = &name.node.declarator else { return Ok(None) };
        let derived = &d.node.derived;
        let prefix = derived.iter().take_while(|x| matches!(x.node, DerivedDeclarator::Pointer(_))).count();
        if !matches!(d.node.kind.node, DeclaratorKind::Abstract) || prefix == derived.len() {
            return Ok(None);
        }
        let mut lengths = Vec::new();
        let mut variable = false;
        for x in &derived[prefix..] {
            let DerivedDeclarator::Array(a) = &x.node else { return Ok(None) };
            let ArraySize::VariableExpression(e) = &a.node.size else { return Ok(None) };
            variable |= self.constant(e)?.is_none();
            lengths.push(e);
        }
        if !variable {
            return Ok(None);
        }
        let base = self.base_type(&qualifiers(&name.node.specifiers))?;
        let element = (0..prefix).fold(base, |t, _| t.pointer());
        let ulong = Ty::Int(self.unit.types.ulong());
        let kind = self.unit.types.kind(&ulong);
        let mut size = match self.unit.types.size(&element) {
            Ok((bytes, _)) => Expr::Const(i128::from(bytes)),
            Err(why) => return self.error(name.span, why, ""),
        };
        for e in lengths {
            let n = self.value(e)?;
            let n = self.convert(n, &ulong, e.span)?.expr;
            size = Expr::Reg(self.body.assign(kind, binary(BinOp::Mul, n, size, kind)));
        }
        Ok(Some(size))
    }

    /// The size of such an array, or of a row of one.
    pub fn variable_size(&self, e: &Node<Expression>) -> Option<Expr> {
        let mut depth = 0;
        let mut e = &e.node;
        loop {
            e = match e {
                Expression::BinaryOperator(b) if b.node.operator.node == BinaryOperator::Index => {
                    &b.node.lhs.node
                }
                Expression::UnaryOperator(u) if u.node.operator.node == UnaryOperator::Indirection => {
                    &u.node.operand.node
                }
                _ => break,
            };
            depth += 1;
        }
        match self.context.scopes.get(super::scan::name_of(e)?)? {
            Symbol::Local(Storage::Object(o), _) => self.body.lengths.get(o)?.get(depth).cloned(),
            Symbol::Local(Storage::Block(_, size), _) => Some(Expr::Reg(*size)).filter(|_| depth == 0),
            _ => None,
        }
    }
}

impl Body {
    /// Goes on where there is room for so many.
    fn fits_in(&mut self, n: &Expr, room: u64, limit: Limit) {
        let (more, inside) = (self.fresh(), self.fresh());
        self.branch(compare(CmpOp::Gt, n.clone(), Expr::Const(i128::from(room))), more, inside);
        self.cur = more;
        let limit = self.limit(limit);
        self.edge_to(limit, Op::Skip);
        self.cur = inside;
    }
}
