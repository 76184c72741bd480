//! `__attribute__((cleanup(f)))`: f gets the variable's address where its block is left.

use super::context::Jump;
use super::lower::{Lower, Res};
use lang_c::span::Span as Bytes;
use relyant_cfa::{Callee, Expr, FuncId, ObjId, Op};

/// A variable that is cleaned up, and by what.
#[derive(Clone, Copy, Debug)]
pub struct Cleanup {
    object: ObjId,
    function: FuncId,
}

impl<'a> Lower<'a> {
    /// From here on, a variable is cleaned up where its block is left.
    pub fn add_cleanup(&mut self, object: ObjId, function: &str, at: Bytes) -> Res<()> {
        let one =
            self.unit.signature(function).is_some_and(|s| s.params.as_ref().is_some_and(|p| p.len() == 1));
        match self.unit.functions.ask(function).filter(|_| one) {
            Some(id) => {
                self.unit.functions.call(id);
                self.context.cleanups.push(Cleanup { object, function: id });
                Ok(())
            }
            None => {
                let what = format!(
                    "cleanup by `{function}`, which is no function of the file with one parameter, is"
                );
                self.refuse(at, what, "define the function")
            }
        }
    }

    /// Cleans up what has been declared since there were so many, last first.
    pub fn clean_up(&mut self, since: usize) {
        for k in (since..self.context.cleanups.len()).rev() {
            let c = self.context.cleanups[k];
            let name = self.unit.functions.name(c.function);
            let result = self.unit.signature(&name).map(|s| s.result.clone()).filter(|t| t.is_scalar());
            let dst = result.map(|t| {
                let kind = self.unit.types.kind(&t);
                self.body.temp(kind)
            });
            self.body.emit_open(Op::Call {
                dst,
                callee: Callee::Known(c.function),
                args: vec![Expr::Addr(c.object)],
            });
        }
    }

    /// Cleans up at the end of a block.
    pub fn end_cleanups(&mut self, since: usize) {
        self.clean_up(since);
        self.context.cleanups.truncate(since);
    }

    /// Leaves a loop or a switch.
    pub fn jump_out(&mut self, j: Jump, to: relyant_cfa::Loc) {
        self.clean_up(j.cleanups);
        self.body.leave(to, Op::Skip);
    }

    /// Jumps into or out of blocks with cleanups are not modelled.
    pub fn no_cleanups(&self, since: usize, at: Bytes) -> Res<()> {
        if self.context.cleanups.len() > since {
            return self.refuse(
                at,
                "a jump in a block with variables that are cleaned up is",
                "use a loop or a flag",
            );
        }
        Ok(())
    }
}
