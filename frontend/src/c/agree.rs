//! What several files declare by one name must have one type; of a single file the compiler says so.

use super::lower::Lower;
use super::types::Ty;
use lang_c::span::Span as Bytes;

/// Types are compared down to this depth; what is deeper is in types that have names of their own.
const DEPTH: usize = 8;

impl Lower<'_> {
    /// Notes that a name is declared with another type than before.
    pub fn must_agree(&mut self, name: &str, before: &Ty, now: &Ty, at: Bytes) {
        if !self.unit.options.more_files.is_empty() && !self.same_type(before, now, DEPTH) {
            self.unit.symbols.disagree(name, at);
        }
    }

    fn same_type(&self, a: &Ty, b: &Ty, depth: usize) -> bool {
        let Some(depth) = depth.checked_sub(1) else { return true };
        match (a, b) {
            (Ty::Pointer(x), Ty::Pointer(y)) | (Ty::Atomic(x), Ty::Atomic(y)) => self.same_type(x, y, depth),
            (Ty::Array(x, n), Ty::Array(y, m)) => {
                (n == m || n.is_none() || m.is_none()) && self.same_type(x, y, depth)
            }
            (Ty::Function(f), Ty::Function(g)) => {
                self.same_type(&f.result, &g.result, depth)
                    && match (&f.params, &g.params) {
                        (Some(p), Some(q)) => {
                            f.variadic == g.variadic
                                && p.len() == q.len()
                                && p.iter().zip(q).all(|(x, y)| self.same_type(x, y, depth))
                        }
                        // Without a prototype nothing is said.
                        (None, _) | (_, None) => true,
                    }
            }
            (Ty::Record(i), Ty::Record(j)) => {
                let (x, y) = (&self.unit.types.records[i.0], &self.unit.types.records[j.0]);
                i == j
                    || (x.union == y.union
                        && x.name == y.name
                        && match (&x.fields, &y.fields) {
                            (Some(p), Some(q)) => {
                                p.len() == q.len()
                                    && p.iter().zip(q).all(|(f, g)| {
                                        (&f.name, f.byte, f.bit) == (&g.name, g.byte, g.bit)
                                            && self.same_type(&f.ty, &g.ty, depth)
                                    })
                            }
                            (None, _) | (_, None) => true,
                        })
            }
            _ => a == b,
        }
    }
}
