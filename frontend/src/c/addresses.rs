//! Addresses as integers. Addresses count scalars here, not bytes, and where objects lie is made up: all that arithmetic on them
//! may rely on is that the lowest bits of an aligned object's address are 0, as marks in pointers do.

use super::lower::Res;
use super::translation::Translation;
use super::types::Ty;
use super::views::Seen;
use crate::instantiate::ALIGNED;
use relyant_cfa::points_to::{Fact, PointsTo};
use relyant_cfa::{BinOp, Expr, Extent, IntKind, Module, ObjId, UnOp, walk};

/// The greatest mark.
const GREATEST_MARK: i128 = ALIGNED - 1;

/// Refuses arithmetic on integers that hold addresses, but for marks.
pub fn check(module: &Module, unit: &Translation, points_to: &PointsTo) -> Res<()> {
    let addresses = Addresses { module, unit, points_to };
    for (f, function) in (0u32..).zip(&module.functions) {
        for edge in &function.graph.edges {
            let mut wrong = None;
            for e in walk::reads(&edge.op) {
                walk::visit(e, &mut |e| wrong = wrong.or_else(|| addresses.relied_on(e, f)));
            }
            if let Some(o) = wrong {
                let name = module.objects.get(o.0 as usize).map_or("an object", |o| &o.name);
                return Err(unit.source.diagnostic(
                    edge.span,
                    format!("arithmetic on the address of `{name}` as an integer is not supported"),
                    "memory is scalars here, not bytes; use arithmetic on pointers, or only the bits below an object's alignment",
                ));
            }
        }
    }
    Ok(())
}

struct Addresses<'a> {
    module: &'a Module,
    unit: &'a Translation<'a>,
    points_to: &'a PointsTo,
}

impl Addresses<'_> {
    /// The object on whose address an operation relies in a way that is not known here.
    fn relied_on(&self, e: &Expr, f: u32) -> Option<ObjId> {
        let (op, a, b) = match e {
            Expr::Unary(UnOp::Neg | UnOp::BitNot, a, IntKind::Machine { .. }) => {
                return self.points_to.held(f, a).pop_first();
            }
            Expr::Binary(op, a, b, IntKind::Machine { .. }) if !matches!(op, BinOp::Float(..)) => {
                (*op, &**a, &**b)
            }
            _ => return None,
        };
        let (x, y) = (self.points_to.eval(f, a), self.points_to.eval(f, b));
        let is_object = |fact: &Fact| matches!(fact, Fact::Object(..));
        let (facts, other) = match (x.iter().any(is_object), y.iter().any(is_object)) {
            (false, false) => return None,
            (true, false) => (x, b),
            (false, true) => (y, a),
            (true, true) => return self.points_to.held(f, a).pop_first(),
        };
        let bits = self.unit.types.long().bits;
        let mark = match (op, other) {
            (BinOp::And | BinOp::Or | BinOp::Xor, Expr::Const(c)) => low(*c, bits),
            // Whoever marks with a variable has few marks.
            (BinOp::Or | BinOp::Xor, _) => Some(1),
            (BinOp::Rem, Expr::Const(c)) if *c > 0 && *c & (*c - 1) == 0 => low(*c - 1, bits),
            _ => None,
        };
        facts.into_iter().find_map(|fact| match fact {
            Fact::Object(o, at) => (!mark.is_some_and(|m| self.is_aligned(o, at, m))).then_some(o),
            _ => None,
        })
    }

    /// Are the bits of a mark 0 in the address of the scalar at a distance, or of the whole object, both here and in reality?
    fn is_aligned(&self, o: ObjId, at: Option<i64>, mark: i128) -> bool {
        let ty = self.unit.objects.types.get(&o);
        let place = match at {
            Some(k) => i128::from(k) % ALIGNED == 0,
            // What is marked is no element of it.
            None => ty.map_or_else(|| self.is_one(o), |ty| !matches!(ty.plain(), Ty::Array(..))),
        };
        // Memory made at run time is aligned for all types.
        let aligned =
            ty.is_none_or(|ty| self.unit.types.size(ty).is_ok_and(|(_, align)| mark < i128::from(align)));
        place && aligned
    }

    /// Is a block that is made at run time one object of the type that pointers to it get?
    fn is_one(&self, o: ObjId) -> bool {
        let Some(object) = self.module.objects.get(o.0 as usize) else { return false };
        let first = self.unit.memory.conversions.iter().filter(|(_, c)| c.seen == Seen::First);
        object.extent == Extent::Cells
            && first
                .filter(|(_, c)| self.unit.types.stride(&c.target) == object.cells.len() as u64)
                .any(|(f, c)| self.points_to.held(f.0, &c.value).contains(&o))
    }
}

/// The mark that a mask takes or leaves.
fn low(mask: i128, bits: u8) -> Option<i128> {
    let whole = (1i128 << bits) - 1;
    [mask & whole, !mask & whole].into_iter().find(|m| *m <= GREATEST_MARK)
}
