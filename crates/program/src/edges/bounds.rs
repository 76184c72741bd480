//! Conditions with the bounds that the types of variables give, and whether they may hold.

use crate::Program;
use relyant_linear::{Atom, Cube, LinExpr, Norm, Satisfiable, Var};

/// The conjunction of the atoms of a cube that satisfy a condition.
pub fn only(c: &Cube, keep: impl Fn(&Atom) -> bool) -> Cube {
    if c.is_bottom() {
        return Cube::bottom();
    }
    Cube::of(c.atoms().iter().filter(|a| keep(a)).map(|a| Norm::Atom(a.clone())))
}

/// May a condition hold, given the types of the variables? `true` if that is not known.
pub fn feasible(p: &Program, c: &Cube) -> bool {
    if c.is_bottom() {
        return false;
    }
    let c = type_bounds(p, c);
    !matches!(c.sat_rational(), Satisfiable::Unsat)
        && (c.atoms().len() > 24 || c.sat_int() != Satisfiable::Unsat)
}

/// A condition, and the bounds that the types of its variables give.
pub fn type_bounds(p: &Program, c: &Cube) -> Cube {
    let mut out = c.clone();
    for v in c.vars() {
        if let Some(x) = p.variables.get(v.0 as usize) {
            push_bounds(&mut out, v, x.min, x.max);
        }
    }
    out
}

/// A condition, and bounds on a variable.
pub fn type_bounds_of(c: &Cube, v: Var, min: Option<i128>, max: Option<i128>) -> Cube {
    let mut out = c.clone();
    push_bounds(&mut out, v, min, max);
    out
}

fn push_bounds(c: &mut Cube, v: Var, min: Option<i128>, max: Option<i128>) {
    if let Some(min) = min {
        c.push(Atom::le(&LinExpr::int(min).sub(&LinExpr::var(v))));
    }
    if let Some(max) = max {
        c.push(Atom::le(&LinExpr::var(v).sub(&LinExpr::int(max))));
    }
}
