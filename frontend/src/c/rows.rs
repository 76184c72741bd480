//! Memory functions on arrays of arrays of variable length. Their rows lie farther apart here than they are long, so what is
//! copied or filled is all of such an array, or lies in one row.

use super::lower::{Lower, Res};
use super::scan::name_of;
use super::scope::{Storage, Symbol};
use super::types::Ty;
use super::value::{Value, compare};
use lang_c::ast::*;
use lang_c::span::{Node, Span as Bytes};
use relyant_cfa::{CmpOp, Expr, ObjId, Op};

/// What is refused.
pub const WHAT: &str = "a memory function on rows of variable length is";
/// What to do about it.
pub const HELP: &str = "use it for a whole array or in one row, or use a loop";

/// Where a pointer comes from.
enum Rows {
    /// An array of this function, by name.
    Whole(ObjId),
    /// In one row of an array of this function.
    Inside(ObjId),
    /// From a parameter, or to a row that is itself an array of arrays.
    Other,
}

impl<'a> Lower<'a> {
    /// What a memory function on rows of variable length goes over if it is all of an array: its type. Refuses what goes over
    /// more than a row; `None` where no such rows are.
    pub fn rows_touched(
        &mut self,
        pointers: &[&'a Node<Expression>],
        last: &'a Node<Expression>,
        size: &Value,
        at: Bytes,
    ) -> Res<Option<Ty>> {
        let found: Vec<Option<Rows>> = pointers.iter().map(|p| self.rows(&p.node)).collect();
        if found.iter().all(Option::is_none) {
            return Ok(None);
        }
        let whole: Option<Vec<ObjId>> =
            found.iter().map(|r| if let Some(Rows::Whole(o)) = r { Some(*o) } else { None }).collect();
        if let (Some(all), Some(of)) = (whole, self.measured(&last.node)) {
            let first = all[0];
            let ty = self.unit.objects.types.get(&first).cloned();
            let same = |o: &ObjId| self.unit.objects.types.get(o) == ty.as_ref();
            if all.iter().all(same) && same(&of) {
                for o in all.into_iter().chain([of]).filter(|o| *o != first) {
                    self.same_lengths(first, o);
                }
                return Ok(ty);
            }
        }
        for r in found.into_iter().flatten() {
            let Rows::Inside(o) = r else {
                self.beyond(at, WHAT, HELP)?;
                return Ok(None);
            };
            let Some(row) = self.body.lengths.get(&o).and_then(|l| l.last()).cloned() else { continue };
            self.limit_unless(compare(CmpOp::Le, size.expr.clone(), row));
        }
        Ok(None)
    }

    /// Goes on where two arrays have rows of the same lengths.
    fn same_lengths(&mut self, a: ObjId, b: ObjId) {
        let of = |o: &ObjId| self.body.lengths.get(o).cloned().unwrap_or_default();
        for (x, y) in of(&a).into_iter().zip(of(&b)) {
            self.limit_unless(compare(CmpOp::Eq, x, y));
        }
    }

    fn limit_unless(&mut self, condition: Expr) {
        let (inside, more) = (self.body.fresh(), self.body.fresh());
        self.body.branch(condition, inside, more);
        self.body.cur = more;
        let limit = self.body.limit(format!("{WHAT} not supported ({HELP})"));
        self.body.edge_to(limit, Op::Skip);
        self.body.cur = inside;
    }

    /// The array of arrays of variable length whose size an expression is.
    fn measured(&self, size: &Expression) -> Option<ObjId> {
        let Expression::SizeOfVal(s) = size else { return None };
        match self.rows(&s.node.0.node) {
            Some(Rows::Whole(o)) => Some(o),
            _ => None,
        }
    }

    fn rows(&self, e: &Expression) -> Option<Rows> {
        let (mut e, mut depth, mut taken) = (e, 0, 0);
        loop {
            e = match e {
                Expression::Cast(c) => &c.node.expression.node,
                Expression::BinaryOperator(b) if b.node.operator.node == BinaryOperator::Index => {
                    depth += 1;
                    &b.node.lhs.node
                }
                Expression::BinaryOperator(b) if b.node.operator.node == BinaryOperator::Plus => {
                    &b.node.lhs.node
                }
                Expression::UnaryOperator(u) if u.node.operator.node == UnaryOperator::Indirection => {
                    depth += 1;
                    &u.node.operand.node
                }
                Expression::UnaryOperator(u) if u.node.operator.node == UnaryOperator::Address => {
                    taken += 1;
                    &u.node.operand.node
                }
                _ => break,
            };
        }
        let name = name_of(e)?;
        if self.body.rows.contains(name) {
            return Some(Rows::Other);
        }
        let Some(Symbol::Local(Storage::Object(o), _)) = self.context.scopes.get(name) else { return None };
        match (self.body.lengths.get(o)?.len(), depth) {
            (0 | 1, _) => None,
            (_, 0) => Some(Rows::Whole(*o)),
            (n, d) if d + 1 - taken.min(1) >= n => Some(Rows::Inside(*o)),
            _ => Some(Rows::Other),
        }
    }
}
