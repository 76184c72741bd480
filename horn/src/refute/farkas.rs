//! Farkas multipliers of least weight, as the solution of a linear program:
//! minimise the weighted sum of the multipliers so that the weighted sum of the constraints is 1 <= 0.
//! Floating point proposes the support; elimination over exact rationals makes it a proof or drops it.

use super::Reduced;
use good_lp::{Expression, ProblemVariables, Solution, SolverModel, variable};
use relyant_linear::simplex::Conflict;
use relyant_linear::{LinExpr, Rat, Rel, Var};
use std::collections::BTreeMap;

/// Multipliers below this count as zero in the proposal.
const EPSILON: f64 = 1e-7;
/// Larger programs are not tried: the conflict at hand does.
const MAX_SIZE: usize = 400;

/// A proof of least weight over the part of the system that hangs together with the conflict, or the
/// conflict itself where the linear program is of no help.
pub(super) fn cheapest(system: &[Reduced], weights: &[u32], conflict: Conflict) -> Conflict {
    let rows = component(system, &conflict);
    if rows.len() > MAX_SIZE {
        return conflict;
    }
    match propose(system, weights, &rows).and_then(|support| exact(system, &support)) {
        Some(best) if cost(&best, weights, system) <= cost(&conflict, weights, system) => best,
        _ => conflict,
    }
}

/// The weight of a proof, its sum scaled to 1.
fn cost(proof: &Conflict, weights: &[u32], system: &[Reduced]) -> Rat {
    let (mut total, mut constant) = (Rat::zero(), Rat::zero());
    for (r, k) in proof {
        total = &total + &(&k.abs() * &Rat::from(i64::from(weights[*r])));
        constant = &constant + &(k * system[*r].expr.constant_part());
    }
    if constant.is_zero() { total } else { &total / &constant }
}

/// The constraints that share variables, directly or not, with the conflict's.
fn component(system: &[Reduced], conflict: &Conflict) -> Vec<usize> {
    let mut of_var: BTreeMap<Var, Vec<usize>> = BTreeMap::new();
    for (r, c) in system.iter().enumerate() {
        for v in c.expr.vars() {
            of_var.entry(v).or_default().push(r);
        }
    }
    let mut seen = vec![false; system.len()];
    let mut todo: Vec<usize> = conflict.iter().map(|p| p.0).collect();
    for r in &todo {
        seen[*r] = true;
    }
    while let Some(r) = todo.pop() {
        for v in system[r].expr.vars() {
            for s in of_var.remove(&v).unwrap_or_default() {
                if !std::mem::replace(&mut seen[s], true) {
                    todo.push(s);
                }
            }
        }
    }
    (0..system.len()).filter(|&r| seen[r]).collect()
}

/// The support of an optimal solution of the linear program in floating point.
fn propose(system: &[Reduced], weights: &[u32], rows: &[usize]) -> Option<Vec<usize>> {
    let mut vars = ProblemVariables::new();
    let mut objective = Expression::from(0.0);
    let mut sums: BTreeMap<Option<Var>, Expression> = BTreeMap::new();
    let mut columns = Vec::new();
    for &r in rows {
        let c = &system[r];
        let signs: &[f64] = if c.rel == Rel::Eq { &[1.0, -1.0] } else { &[1.0] };
        for sign in signs {
            let x = vars.add(variable().min(0.0));
            objective.add_mul(f64::from(weights[r]), x);
            for (v, a) in c.expr.terms() {
                sums.entry(Some(*v)).or_insert_with(|| 0.0.into()).add_mul(sign * finite(a)?, x);
            }
            let k = finite(c.expr.constant_part())?;
            if k != 0.0 {
                sums.entry(None).or_insert_with(|| 0.0.into()).add_mul(sign * k, x);
            }
            columns.push((r, x));
        }
    }
    let mut model = vars.minimise(objective).using(good_lp::microlp);
    for (v, sum) in sums {
        let right = if v.is_none() { 1.0 } else { 0.0 };
        model = model.with((sum).eq(right));
    }
    let solution = model.solve().ok()?;
    let mut support: Vec<usize> =
        columns.iter().filter(|(_, x)| solution.value(*x) > EPSILON).map(|(r, _)| *r).collect();
    support.dedup();
    Some(support)
}

fn finite(q: &Rat) -> Option<f64> {
    let f = q.to_f64();
    if f.is_finite() && f.abs() < 1e12 { Some(f) } else { None }
}

/// The multipliers on a support that sum the constraints to the constant 1, by Gauss and Jordan; `None`
/// unless they exist with the right signs.
fn exact(system: &[Reduced], support: &[usize]) -> Option<Conflict> {
    // One equation for each variable, and one for the constant; unknown i is Var(i), the right side
    // the constant part.
    let mut equations: BTreeMap<Option<Var>, Vec<(Var, Rat)>> = BTreeMap::new();
    for (i, r) in support.iter().enumerate() {
        let e = &system[*r].expr;
        for (v, a) in e.terms() {
            equations.entry(Some(*v)).or_default().push((Var(i as u32), a.clone()));
        }
        equations.entry(None).or_default().push((Var(i as u32), e.constant_part().clone()));
    }
    let mut solved: Vec<(Var, LinExpr)> = Vec::new();
    for (v, terms) in equations {
        let right = if v.is_none() { Rat::from(-1i64) } else { Rat::zero() };
        let mut e = LinExpr::new(terms, right);
        for (x, value) in &solved {
            let k = e.coeff(*x);
            if !k.is_zero() {
                e = e.sub(&LinExpr::var(*x).scale(&k)).add_scaled(value, &k);
            }
        }
        let Some((x, a)) = e.terms().first().cloned() else {
            if e.constant_part().is_zero() {
                continue;
            }
            return None;
        };
        let value = e.sub(&LinExpr::var(x).scale(&a)).scale(&-&a.recip());
        for (_, other) in &mut solved {
            let k = other.coeff(x);
            if !k.is_zero() {
                *other = other.sub(&LinExpr::var(x).scale(&k)).add_scaled(&value, &k);
            }
        }
        solved.push((x, value));
    }
    // Unknowns that stay free are taken as zero.
    let mut out: Conflict = Vec::new();
    for (x, value) in solved {
        let k = value.constant_part().clone();
        let r = support[x.0 as usize];
        if k.is_negative() && system[r].rel == Rel::Le {
            return None;
        }
        if !k.is_zero() {
            out.push((r, k));
        }
    }
    out.sort_by_key(|p| p.0);
    let sum = out.iter().fold(LinExpr::zero(), |s, (r, k)| s.add_scaled(&system[*r].expr, k));
    if sum.is_constant() && sum.constant_part().is_positive() { Some(out) } else { None }
}
