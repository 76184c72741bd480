//! Addresses as integers. Addresses count scalars here, not bytes, and where objects lie is made up: all that arithmetic on them
//! may rely on is that the lowest bits of an aligned object's address are 0, as marks in pointers do.

use super::lower::Res;
use super::translation::Translation;
use super::types::Ty;
use crate::instantiate::ALIGNED;
use relyant_cfa::points_to::{Fact, PointsTo};
use relyant_cfa::{BinOp, Expr, IntKind, Module, ObjId, UnOp, walk};

/// The greatest mark.
const GREATEST_MARK: i128 = ALIGNED - 1;

/// Refuses arithmetic on integers that hold addresses, but for marks.
pub fn check(module: &Module, unit: &Translation, points_to: &PointsTo) -> Res<()> {
    for (f, function) in (0u32..).zip(&module.functions) {
        for edge in &function.graph.edges {
            let mut wrong = None;
            for e in walk::reads(&edge.op) {
                walk::visit(e, &mut |e| wrong = wrong.or_else(|| relied_on(e, f, unit, points_to)));
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

/// The object on whose address an operation relies in a way that is not known here.
fn relied_on(e: &Expr, f: u32, unit: &Translation, points_to: &PointsTo) -> Option<ObjId> {
    let word = |k: IntKind| matches!(k, IntKind::Machine { bits, .. } if bits >= unit.types.long().bits);
    let (op, a, b) = match e {
        Expr::Unary(UnOp::Neg | UnOp::BitNot, a, k) if word(*k) => {
            return points_to.held(f, a).pop_first();
        }
        Expr::Binary(op, a, b, k) if word(*k) && !matches!(op, BinOp::Float(..)) => (*op, &**a, &**b),
        _ => return None,
    };
    let (x, y) = (points_to.eval(f, a), points_to.eval(f, b));
    let is_object = |fact: &&Fact| matches!(fact, Fact::Object(..));
    let (facts, other) = match (x.iter().any(|f| is_object(&f)), y.iter().any(|f| is_object(&f))) {
        (false, false) => return None,
        (true, false) => (x, b),
        (false, true) => (y, a),
        (true, true) => return points_to.held(f, a).pop_first(),
    };
    let mark = match (op, other) {
        (BinOp::And | BinOp::Or | BinOp::Xor, Expr::Const(c)) => low(*c, unit.types.long().bits),
        // Whoever marks with a variable has few marks.
        (BinOp::Or | BinOp::Xor, _) => Some(1),
        (BinOp::Rem, Expr::Const(c)) if *c > 0 && *c & (*c - 1) == 0 => low(*c - 1, unit.types.long().bits),
        _ => None,
    };
    facts.into_iter().find_map(|fact| match fact {
        Fact::Object(o, at) => (!mark.is_some_and(|m| is_aligned(o, at, m, unit))).then_some(o),
        _ => None,
    })
}

/// The mark that a mask takes or leaves.
fn low(mask: i128, bits: u8) -> Option<i128> {
    let whole = (1i128 << bits) - 1;
    [mask & whole, !mask & whole].into_iter().find(|m| *m <= GREATEST_MARK)
}

/// Are the bits of a mark 0 in the address of the scalar at a distance, or of the whole object, both here and in reality?
fn is_aligned(o: ObjId, at: Option<i64>, mark: i128, unit: &Translation) -> bool {
    let place = match at {
        Some(k) => i128::from(k) % ALIGNED == 0,
        None => !matches!(unit.objects.types.get(&o).map(Ty::plain), Some(Ty::Array(..))),
    };
    // Memory made at run time is aligned for all types.
    let aligned = unit
        .objects
        .types
        .get(&o)
        .is_none_or(|ty| unit.types.size(ty).is_ok_and(|(_, align)| mark < i128::from(align)));
    place && aligned
}
