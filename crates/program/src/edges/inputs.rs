//! Inputs of a step that need not be variables: those without influence, and projection of a condition.

use crate::{Edge, Input, Program};
use relyant_linear::{Atom, Cube, LinExpr, Norm, Rat, Rel, Var};
use std::collections::BTreeSet;

/// `exists v. cube` over integers, exactly, where that is easy.
pub fn eliminate(cube: &Cube, v: Var) -> Option<Cube> {
    let (with, without): (Vec<&Atom>, Vec<&Atom>) =
        cube.atoms().iter().partition(|a| !a.expr().coeff(v).is_zero());
    if cube.is_bottom() || with.is_empty() {
        return Some(cube.clone());
    }
    let mut out = Cube::of(without.into_iter().map(|a| Norm::Atom(a.clone())));
    // v is given by an equation.
    if let Some(a) = with.iter().find(|a| a.rel() == Rel::Eq && a.expr().coeff(v).abs().is_one()) {
        let value = solved(a.expr(), v);
        return Some(cube.subst(|w| (w == v).then(|| value.clone())));
    }
    let (mut lower, mut upper) = (Vec::new(), Vec::new());
    for e in with.iter().flat_map(|a| a.inequalities()) {
        if e.coeff(v).is_negative() { lower.push(e) } else { upper.push(e) }
    }
    let unit = |list: &[LinExpr]| list.iter().all(|e| e.coeff(v).abs().is_one());
    if !unit(&lower) && !unit(&upper) && !lower.is_empty() && !upper.is_empty() {
        // c v between e and e + c - 1 (or more) has a solution always.
        if let ([l], [u]) = (&lower[..], &upper[..]) {
            let (c, sum) = (u.coeff(v), l.add(u));
            if sum.is_constant() && *sum.constant_part() <= &Rat::one() - &c {
                return Some(out);
            }
        }
        return None;
    }
    // With unit coefficients on one side this is exact.
    for l in &lower {
        for u in &upper {
            let (a, b) = (u.coeff(v), l.coeff(v).abs());
            out.push(Atom::le(&l.scale(&a).add(&u.scale(&b))));
        }
    }
    Some(out)
}

/// `v` from `e = 0`, where its coefficient is 1 or -1.
pub fn solved(e: &LinExpr, v: Var) -> LinExpr {
    let c = e.coeff(v);
    let rest = e.add_scaled(&LinExpr::var(v), &-&c);
    rest.scale(&-&c)
}

/// The condition without its inputs, which are numbered from `base`, if that is easy.
pub fn without_inputs(cube: &Cube, base: u32) -> Option<Cube> {
    let mut c = cube.clone();
    while let Some(v) = c.vars().into_iter().rev().find(|v| v.0 >= base) {
        c = eliminate(&c, v)?;
    }
    Some(c)
}

/// Drops inputs that nothing depends on, and renumbers the others.
pub fn tidy_inputs(p: &mut Program) {
    let base = p.variables.len() as u32;
    for e in p.templates.iter_mut().flat_map(|t| &mut t.edges) {
        tidy(e, base);
    }
}

fn tidy(e: &mut Edge, base: u32) {
    let written: BTreeSet<Var> = e.updates.iter().flat_map(|u| u.1.vars()).chain(e.touched()).collect();
    for k in 0..e.inputs.len() {
        let v = Var(base + k as u32);
        if written.contains(&v) {
            continue;
        }
        let all = e.guard.and(&e.bounds);
        let alone =
            all.atoms().iter().filter(|a| !a.expr().coeff(v).is_zero()).all(|a| a.expr().terms().len() == 1);
        match e.inputs[k] {
            _ if !all.vars().contains(&v) => {}
            Input::Auxiliary => {
                let without = |c: &Cube| crate::edges::bounds::only(c, |a| a.expr().coeff(v).is_zero());
                let Some(projected) = eliminate(&all, v) else { continue };
                let (guard, bounds) = (without(&e.guard), without(&e.bounds));
                let new = |a: &Atom| !guard.atoms().contains(a) && !bounds.atoms().contains(a);
                if projected.is_bottom() {
                    e.guard = Cube::bottom();
                    continue;
                }
                // What is new came from the guard if the input occurred there.
                let from_guard = guard != e.guard;
                let new = crate::edges::bounds::only(&projected, new);
                (e.guard, e.bounds) =
                    if from_guard { (guard.and(&new), bounds) } else { (guard, bounds.and(&new)) };
            }
            Input::Havoc(at) if alone => {
                let Some(value) = smallest(&all, v) else { continue };
                if value != 0 {
                    e.inputs[k] = Input::Chosen(at, value);
                }
                let without = |c: &Cube| crate::edges::bounds::only(c, |a| a.expr().coeff(v).is_zero());
                (e.guard, e.bounds) = (without(&e.guard), without(&e.bounds));
            }
            _ => {}
        }
    }
    let used = e.reads();
    let keep: Vec<bool> = (0..e.inputs.len())
        .map(|k| used.contains(&Var(base + k as u32)) || matches!(e.inputs[k], Input::Chosen(..)))
        .collect();
    // Those chosen go last: nothing mentions them.
    let order: Vec<usize> = (0..keep.len())
        .filter(|k| keep[*k] && !matches!(e.inputs[*k], Input::Chosen(..)))
        .chain((0..keep.len()).filter(|k| keep[*k] && matches!(e.inputs[*k], Input::Chosen(..))))
        .collect();
    let new = |v: Var| match (v.0 as usize).checked_sub(base as usize) {
        Some(k) => Var(base + order.iter().position(|o| *o == k).unwrap_or(0) as u32),
        None => v,
    };
    e.rename(new);
    e.inputs = order.iter().map(|k| e.inputs[*k]).collect();
}

/// Keeps of remainders only the bounds.
pub fn forget_remainders(p: &mut Program) {
    for i in p.templates.iter_mut().flat_map(|t| &mut t.edges).flat_map(|e| &mut e.inputs) {
        if let Input::Remainder { .. } = i {
            *i = Input::Auxiliary;
        }
    }
}

/// A value that satisfies the atoms over `v` alone: zero if it does, else the one nearest to it.
pub fn smallest(c: &Cube, v: Var) -> Option<i128> {
    let (mut lo, mut hi) = (None::<i128>, None::<i128>);
    for e in c.atoms().iter().filter(|a| !a.expr().coeff(v).is_zero()).flat_map(|a| a.inequalities()) {
        let bound = &-e.constant_part() / &e.coeff(v);
        if e.coeff(v).is_positive() {
            let b = bound.floor().to_i128()?;
            hi = Some(hi.map_or(b, |h| h.min(b)));
        } else {
            let b = bound.ceil().to_i128()?;
            lo = Some(lo.map_or(b, |l| l.max(b)));
        }
    }
    let x = 0i128.max(lo.unwrap_or(0)).min(hi.unwrap_or(0i128.max(lo.unwrap_or(0))));
    (lo.is_none_or(|l| l <= x)).then_some(x)
}
