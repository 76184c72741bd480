//! `memset` and `memcpy` on whole objects whose type is known: cell by cell. Memory made at run time would be an
//! object for each place that makes it; it is refused for now (see the table).

use super::calls::Args;
use super::library::Memory;
use super::lower::{Lower, Res};
use super::types::Ty;
use super::value::{Value, offset};
use crate::cfa::IntKind;
use lang_c::span::Span as Bytes;
use std::rc::Rc;

/// Most cells written by one call.
const MAX_CELLS: usize = 4096;

impl<'a> Lower<'a> {
    /// A call of a memory function.
    pub fn memory_call(&mut self, m: Memory, args: Args<'a>, at: Bytes) -> Res<Value> {
        let to = self.value(self.argument(args, 0, at)?)?;
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
            Memory::Set => {
                let byte = matches!(target.plain(), Ty::Int(i) if i.rank == 1);
                if from.constant() != Some(0) && !byte {
                    return self.refuse(at, "filling memory with bytes other than 0 is", "use a loop");
                }
                let from =
                    self.convert(from, if byte { &target } else { &Ty::Int(super::types::INT) }, at)?;
                for (k, (kind, _)) in cells.into_iter().enumerate() {
                    self.body.store(offset(to.expr.clone(), k as u64), from.expr.clone(), kind);
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
