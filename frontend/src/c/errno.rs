//! `errno`, one for each thread; only where the program looks at it.

use super::lower::{Lower, Res};
use super::types::{INT, Ty};
use lang_c::span::Span as Bytes;
use relyant_cfa::{Expr, InputSource, IntKind, ObjId};

/// Names of the function behind the macro.
pub const NAMES: [&str; 4] = ["__errno_location", "___errno", "__errno", "__error"];

impl<'a> Lower<'a> {
    /// The thread-local object behind `errno`, made when it is used first.
    pub fn errno_object(&mut self, at: Bytes) -> Res<ObjId> {
        if let Some(o) = self.unit.objects.errno {
            return Ok(o);
        }
        let o = self.object("errno", &Ty::Int(INT), at)?;
        let object = &mut self.unit.objects[o];
        object.thread_local = true;
        object.init = vec![Some(0)];
        self.unit.objects.errno = Some(o);
        Ok(o)
    }

    /// Sets it, where the program looks at it.
    pub fn set_errno(&mut self, value: i128, at: Bytes) -> Res<()> {
        if self.unit.uses.errno {
            let o = self.errno_object(at)?;
            self.body.store(Expr::Addr(o), Expr::Const(value), IntKind::INT);
        }
        Ok(())
    }

    /// A library function may have set it.
    pub fn any_errno(&mut self, at: Bytes) -> Res<()> {
        if self.unit.uses.errno {
            let o = self.errno_object(at)?;
            let v = self.body.havoc(IntKind::INT, InputSource::uninitialised());
            self.body.store(Expr::Addr(o), v, IntKind::INT);
        }
        Ok(())
    }
}
