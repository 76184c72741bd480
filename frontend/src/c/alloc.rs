//! Dynamic memory: each place that makes some is a function of its own with a local object. How large the object is,
//! and what of, is worked out when all functions are known ([`settle`](super::settle)).

use super::calls::Args;
use super::lower::{Lower, Res};
use super::types::Ty;
use super::value::{Value, binary};
use super::views::{Conversion, Seen};
use crate::instantiate::pool;
use lang_c::span::Span as Bytes;
use relyant_cfa::diagnostic::Span;
use relyant_cfa::{BinOp, Callee, Expr, FuncId, IntKind, ObjId, Object, ObjectKind, Op, Reg};

/// A place that makes memory.
#[derive(Clone, Debug)]
pub struct Site {
    /// The function made for it, which the call calls.
    pub function: FuncId,
    /// What that function makes: the object behind its result.
    pub object: ObjId,
    /// It is filled with 0.
    pub zero: bool,
    /// Nobody gives it back.
    pub automatic: bool,
    /// It ends with the function that asks for it.
    pub ends: bool,
    /// Where the call is in the source.
    pub span: Span,
}

/// Which function makes memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Allocate {
    /// `malloc`: takes the size in bytes.
    Plain,
    /// `alloca`: takes the size in bytes; the memory ends with the function.
    Automatic,
    /// `calloc`: number and size.
    Zero,
    /// `realloc`: the old block, the size.
    Again,
    /// `aligned_alloc`: takes the alignment and the size, both in bytes.
    Aligned,
    /// `posix_memalign`: where the address goes, alignment, size.
    Into,
}

impl<'a> Lower<'a> {
    /// A call of a function that makes memory.
    pub fn allocate(&mut self, which: Allocate, args: Args<'a>, at: Bytes) -> Res<Value> {
        let mut values = Vec::new();
        for a in args {
            values.push((self.value(a)?, a.span));
        }
        let ulong = Ty::Int(self.unit.types.ulong());
        let needed = match which {
            Allocate::Plain | Allocate::Automatic => 1,
            Allocate::Zero | Allocate::Again | Allocate::Aligned => 2,
            Allocate::Into => 3,
        };
        if values.len() < needed {
            return self.error(at, "this call needs more arguments", "");
        }
        let (size, old, into) = match which {
            Allocate::Plain | Allocate::Automatic | Allocate::Zero => (0, None, None),
            Allocate::Again => (1, Some(values[0].0.clone()), None),
            Allocate::Aligned => (1, None, None),
            Allocate::Into => (2, None, Some(values[0].0.clone())),
        };
        let (first, span) = values[size].clone();
        let mut bytes = self.convert(first, &ulong, span)?.expr;
        if which == Allocate::Zero {
            let (n, span) = values[1].clone();
            let n = self.convert(n, &ulong, span)?.expr;
            bytes = binary(BinOp::Mul, bytes, n, IntKind::Ideal);
        }
        let bytes = self.body.bounded(bytes, IntKind::Ideal);
        let span = self.span(at);
        let name = format!("malloc@{}", span.line);
        self.unit.assume("dynamic memory never runs out");
        let r = self.new_block(&name, bytes, old.map(|v| v.expr), Some(which), at);
        let made = Value { expr: r, ty: Ty::Void.pointer() };
        let Some(to) = into else { return Ok(made) };
        if let Some(Ty::Pointer(t)) = to.ty.target().map(Ty::plain) {
            let (value, target) = (made.expr.clone(), (**t).clone());
            self.body.conversions.push(Conversion { value, target, seen: Seen::First, span });
        }
        self.write_cell(to.expr, made.expr, IntKind::Ideal, super::access::How::default(), at);
        Ok(Value::int(0))
    }

    /// A block that the front end makes for its own ends.
    pub fn fresh_block(&mut self, name: &str, bytes: Expr, at: Bytes) -> Expr {
        self.new_block(name, bytes, None, None, at)
    }

    /// A block of so many bytes that ends with the function, for elements of a type; gives the register with its address.
    pub fn automatic_block(&mut self, name: &str, bytes: Expr, element: &Ty, at: Bytes) -> Reg {
        let address = self.new_block(name, bytes, None, Some(Allocate::Automatic), at);
        let r = self.body.assign(IntKind::Ideal, address);
        let (value, span) = (Expr::Reg(r), self.span(at));
        self.body.conversions.push(Conversion { value, target: element.clone(), seen: Seen::First, span });
        r
    }

    /// A block of so many bytes, in the place of an old one if there is one; the program asks for it, or the front end.
    fn new_block(
        &mut self,
        name: &str,
        bytes: Expr,
        old: Option<Expr>,
        which: Option<Allocate>,
        at: Bytes,
    ) -> Expr {
        let span = self.span(at);
        let function = self.unit.functions.made(pool::site_function(name.to_string(), old.is_some(), span));
        let around = super::tokens::original_name(&self.body.name);
        let object = self.unit.objects.add(Object {
            name: format!("{around}::{name}"),
            function: Some(around),
            cells: vec![(IntKind::Ideal, String::new())],
            init: vec![None],
            kind: ObjectKind::Plain,
            thread_local: false,
            synthetic: false,
            look: Default::default(),
            constant: Vec::new(),
            extent: Default::default(),
            span,
        });
        let (zero, ends) = (which == Some(Allocate::Zero), which == Some(Allocate::Automatic));
        let automatic = ends || which.is_none();
        self.unit.memory.sites.push(Site { function, object, zero, automatic, ends, span });
        let r = self.body.temp(IntKind::Ideal);
        if old.is_some() {
            self.body.free_object();
            if self.unit.options.checks_memory() {
                self.free_function(span);
            }
        }
        let args = std::iter::once(bytes).chain(old).collect();
        self.body.emit(Op::Call { dst: Some(r), callee: Callee::Known(function), args });
        Expr::Reg(r)
    }

    fn free_function(&mut self, span: Span) -> FuncId {
        let functions = &mut self.unit.functions;
        let made = || functions.made(pool::free_function(span));
        *self.unit.memory.free.get_or_insert_with(made)
    }

    /// `free`: gives back what its argument points to, which may be null.
    pub fn give_back(&mut self, args: Args<'a>, at: Bytes) -> Res<Value> {
        let v = self.value(self.argument(args, 0, at)?)?;
        let span = self.span(at);
        let function = self.free_function(span);
        if !self.unit.options.checks_memory() {
            self.unit.assume("freed memory is not used");
        }
        self.body.free_object();
        self.body.emit(Op::Call { dst: None, callee: Callee::Known(function), args: vec![v.expr] });
        Ok(Value::void())
    }
}
