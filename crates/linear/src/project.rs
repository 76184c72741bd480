//! Projection of cubes: what a cube says of some of its variables, as a cube. Over rationals exact but
//! for the budget (Gauss, then Fourier and Motzkin), tightened to integers on the way; so it may say
//! less than the integer projection, never more than follows.

use crate::{Atom, Cube, LinExpr, Norm, Rat, Rel, Var};

/// A cube over `keep` that follows from `cube` over the integers. Variables whose elimination would
/// write more than `limit` constraints are dropped with theirs.
pub fn project(cube: &Cube, keep: &[Var], limit: usize) -> Cube {
    let mut now = cube.clone();
    loop {
        if now.is_bottom() {
            return now;
        }
        let gone: Vec<Var> = now.vars().into_iter().filter(|v| !keep.contains(v)).collect();
        if gone.is_empty() {
            return now;
        }
        now = match solvable(&now, &gone) {
            Some((x, value, eq)) => {
                let rest = now.atoms().iter().filter(|a| **a != eq);
                Cube::of(rest.map(|a| a.subst(|v| if v == x { Some(value.clone()) } else { None })))
            }
            None => eliminate(&now, &gone, limit),
        };
    }
}

/// An equality solved for a variable to go, one with coefficient 1 where there is any.
fn solvable(cube: &Cube, gone: &[Var]) -> Option<(Var, LinExpr, Atom)> {
    let equalities = cube.atoms().iter().filter(|a| a.rel() == Rel::Eq);
    let terms = equalities.flat_map(|a| a.expr().terms().iter().map(move |t| (a, t.0, &t.1)));
    let (a, x, k) = terms.filter(|(_, x, _)| gone.contains(x)).min_by_key(|(_, _, k)| k.abs())?;
    let value = a.expr().sub(&LinExpr::var(x).scale(k)).scale(&-&k.recip());
    Some((x, value, a.clone()))
}

/// Fourier and Motzkin for the variable that writes the fewest constraints.
fn eliminate(cube: &Cube, gone: &[Var], limit: usize) -> Cube {
    let count = |x: Var| {
        let signs = cube.atoms().iter().map(|a| a.expr().coeff(x));
        let (lo, up) = signs
            .fold((0, 0), |(l, u), k| (l + usize::from(k.is_negative()), u + usize::from(k.is_positive())));
        lo * up
    };
    let Some((x, cost)) = gone.iter().map(|&x| (x, count(x))).min_by_key(|p| p.1) else {
        return cube.clone();
    };
    let (mut lower, mut upper, mut out) = (Vec::new(), Vec::new(), Cube::top());
    for a in cube.atoms() {
        let k = a.expr().coeff(x);
        if k.is_zero() {
            out.push(Norm::Atom(a.clone()));
        } else if k.is_negative() {
            lower.push((a.expr(), -&k));
        } else {
            upper.push((a.expr(), k));
        }
    }
    if cost <= limit {
        for (l, b) in &lower {
            for (u, a) in &upper {
                let sum: LinExpr = l.scale(a).add_scaled(u, b);
                debug_assert_eq!(sum.coeff(x), Rat::zero());
                out.push(Atom::le(&sum));
            }
        }
    }
    out
}
