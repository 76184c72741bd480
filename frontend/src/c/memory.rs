//! Dynamic memory.
//!
//! `malloc` is an object for each place that calls it, a local of the function it is in, so that each inlined call has
//! its own. That is right where the place is passed once at most in each thread; anything else is refused (`alloc.rs`).

use super::calls::Args;
use super::lower::{Lower, Res};
use super::types::Ty;
use super::value::Value;
use crate::cfa::Expr;
use lang_c::ast::Expression;
use lang_c::span::{Node, Span as Bytes};
use std::rc::Rc;

/// Up to this many cells of fresh memory are set to any value at the place itself, as a local's are.
const MAX_SET: usize = 32;

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
}
