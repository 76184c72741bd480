//! `errno`, one for each thread; only where the program looks at it.

use super::calls::Args;
use super::lower::{Lower, Res};
use super::types::{INT, Ty};
use crate::cfa::{Expr, IntKind, ObjId};
use lang_c::ast::Expression;
use lang_c::span::Span as Bytes;

/// Names of the function behind the macro.
pub const NAMES: [&str; 4] = ["__errno_location", "___errno", "__errno", "__error"];

impl<'a> Lower<'a> {
    /// The object.
    pub fn errno_object(&mut self, at: Bytes) -> Res<ObjId> {
        if let Some(o) = self.errno {
            return Ok(o);
        }
        let o = self.object("errno", &Ty::Int(INT), at)?;
        let object = &mut self.objects[o.0 as usize];
        object.thread_local = true;
        object.init = vec![Some(0)];
        self.errno = Some(o);
        Ok(o)
    }

    /// Sets it, where the program looks at it.
    pub fn set_errno(&mut self, value: i128, at: Bytes) -> Res<()> {
        if self.reads_errno {
            let o = self.errno_object(at)?;
            self.body.store(Expr::Addr(o), Expr::Const(value), IntKind::INT);
        }
        Ok(())
    }

    /// A library function may have set it.
    pub fn any_errno(&mut self, at: Bytes) -> Res<()> {
        if self.reads_errno {
            let o = self.errno_object(at)?;
            let v = self.body.havoc(IntKind::INT, "");
            self.body.store(Expr::Addr(o), v, IntKind::INT);
        }
        Ok(())
    }

    /// Does an argument hold a format that stores through a pointer (`%n`)?
    pub fn counts_output(&self, args: Args<'a>) -> bool {
        args.iter().any(|a| match &a.node {
            Expression::StringLiteral(s) => has_count(&self.string_cells(&s.node, a.span).unwrap_or_default()),
            _ => false,
        })
    }
}

fn has_count(cells: &[i128]) -> bool {
    let text: Vec<u8> = cells.iter().take_while(|c| **c != 0).map(|c| *c as u8).collect();
    let mut k = 0;
    while k < text.len() {
        k += 1;
        if text[k - 1] != b'%' {
            continue;
        }
        while k < text.len() && b"0123456789*+- #.'hlLqjzt".contains(&text[k]) {
            k += 1;
        }
        if text.get(k) == Some(&b'n') {
            return true;
        }
        k += 1;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::has_count;

    #[test]
    fn formats() {
        let counts = |f: &str| has_count(&f.bytes().map(i128::from).collect::<Vec<_>>());
        assert!(counts("%d%n") && counts("%5ld %hhn"));
        assert!(!counts("%%n %d") && !counts("%") && !counts("n"));
    }
}
