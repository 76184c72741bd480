//! Memory functions on whole objects whose type is known: cell by cell.
//!
//! `malloc` is an object for each place that calls it, a local of the function it is in, so that each inlined call has
//! its own. That is right where the place is passed once at most in each thread; anything else is refused (`alloc.rs`).

use super::access::How;
use super::calls::Args;
use super::library::Memory;
use super::lower::{Lower, Res};
use super::types::Ty;
use super::value::{Value, offset};
use crate::cfa::{Expr, IntKind};
use lang_c::ast::Expression;
use lang_c::span::{Node, Span as Bytes};
use std::rc::Rc;

/// Up to this many cells of fresh memory are set to any value at the place itself, as a local's are.
const MAX_SET: usize = 32;
/// Most cells written by one call.
const MAX_CELLS: usize = 4096;

impl<'a> Lower<'a> {
    /// The value of an expression that becomes a value of a type: says what memory it makes is for.
    pub fn value_for(&mut self, e: &'a Node<Expression>, ty: &Ty) -> Res<Value> {
        self.made_for =
            ty.target().filter(|t| !matches!(t.plain(), Ty::Void)).cloned().or(self.made_for.take());
        self.value(e)
    }

    /// `malloc` and `calloc`.
    pub fn allocate(&mut self, made_for: Option<Ty>, zero: bool, args: Args<'a>, at: Bytes) -> Res<Value> {
        let mut bytes = 1i128;
        for a in args {
            let n = self.value(a)?.constant().and_then(|n| bytes.checked_mul(n));
            let Some(n) = n else {
                return self.refuse(at, "memory of a size that is not constant is", "use a static object");
            };
            bytes = n;
        }
        let Some(element) = made_for else {
            let help = "cast the result, or assign it to a pointer with a type";
            return self.refuse(at, "memory for objects of unknown type is", help);
        };
        let one = match self.types.size(&element) {
            Ok((n, _)) => i128::from(n.max(1)),
            Err(why) => return self.error(at, why, ""),
        };
        if bytes < one || bytes % one != 0 {
            let message = format!("memory of {bytes} bytes for objects of {one} bytes is");
            return self.refuse(at, message, "the size must be that of whole objects, as in sizeof *p");
        }
        let ty = match bytes / one {
            1 => element.clone(),
            n => Ty::Array(Rc::new(element.clone()), u64::try_from(n).ok()),
        };
        let line = self.span(at).line;
        let object = self.local_object(&format!("malloc@{line}"), &ty, at)?;
        let o = &mut self.objects[object.0 as usize];
        // The place is passed once, so that start values are those of fresh memory.
        o.init = vec![zero.then_some(0); o.cells.len()];
        if !zero && o.cells.len() <= MAX_SET {
            self.initialize_local(object, &ty, None, at)?;
        }
        self.body.makes.push((self.body.cur, self.span(at)));
        self.assume("dynamic memory never runs out");
        Ok(Value { expr: Expr::Addr(object), ty: element.pointer() })
    }

    /// `strcpy` of a literal.
    fn copy_string(&mut self, to: Value, from: &'a Node<Expression>, at: Bytes) -> Res<Value> {
        let Expression::StringLiteral(s) = &from.node else {
            return self.refuse(at, "copying a string that is not a literal is", "use a loop");
        };
        for (k, c) in self.string_cells(&s.node).into_iter().enumerate() {
            let kind = self.types.kind(&Ty::Int(super::types::CHAR));
            self.write_cell(offset(to.expr.clone(), k as u64), Expr::Const(c), kind, How::default(), at);
        }
        Ok(to)
    }

    /// A call of a memory function.
    pub fn memory_call(&mut self, m: Memory, args: Args<'a>, at: Bytes) -> Res<Value> {
        let to = self.value(self.argument(args, 0, at)?)?;
        if m == Memory::CopyString {
            return self.copy_string(to, self.argument(args, 1, at)?, at);
        }
        let from = self.value(self.argument(args, 1, at)?)?;
        let size = self.value(self.argument(args, 2, at)?)?;
        let help = "the size must be that of whole objects, as in sizeof *p";
        let Some(target) = to.ty.target().filter(|t| !matches!(t.plain(), Ty::Void)).cloned() else {
            return self.refuse(
                at,
                "a memory function on an untyped pointer is",
                "copy or clear the members one by one",
            );
        };
        let (Some(n), Ok((one, _))) = (size.constant(), self.types.size(&target)) else {
            return self.refuse(at, "a memory function with a size that is not constant is", help);
        };
        let one = i128::from(one.max(1));
        if n < 0 || n % one != 0 {
            return self.refuse(at, "a memory function on a part of an object is", help);
        }
        let whole = Ty::Array(Rc::new(target.clone()), u64::try_from(n / one).ok());
        let mut cells: Vec<(IntKind, String)> = Vec::new();
        if let Err(why) = self.types.flatten(&whole, "", &mut cells) {
            return self.error(at, why, "");
        }
        if cells.len() > MAX_CELLS {
            return self.refuse(
                at,
                format!("a memory function on more than {MAX_CELLS} scalars is"),
                "use a loop",
            );
        }
        match m {
            Memory::CopyString => {}
            Memory::Set => {
                let byte = matches!(target.plain(), Ty::Int(i) if i.rank == 1);
                if from.constant() != Some(0) && !byte {
                    return self.refuse(at, "filling memory with bytes other than 0 is", "use a loop");
                }
                let from =
                    self.convert(from, if byte { &target } else { &Ty::Int(super::types::INT) }, at)?;
                for (k, (kind, _)) in cells.into_iter().enumerate() {
                    let cell = offset(to.expr.clone(), k as u64);
                    self.write_cell(cell, from.expr.clone(), kind, How::default(), at);
                }
            }
            Memory::Copy => {
                if from.ty.target().map(Ty::plain) != Some(target.plain()) {
                    return self.refuse(
                        at,
                        "a copy between objects of different types is",
                        "copy the members one by one",
                    );
                }
                self.copy(to.expr.clone(), from.expr, &whole, at)?;
            }
        }
        Ok(to)
    }
}
