//! Leaves out variables that no edge mentions, from the start condition too.

use crate::Program;
use crate::edges::bounds::only;
use crate::edges::inputs::{eliminate, smallest, solved};
use relyant_linear::{Atom, Cube, LinExpr, Norm, Rel, Var};
use std::collections::{BTreeMap, BTreeSet};

/// Leaves out variables that are not kept, as far as the start condition can do without them. No edge may mention
/// them. Start values that the real run chooses stay known: through others, or as some value that will do.
pub fn forget(p: &mut Program, keep: &[bool]) {
    let mut keep = keep.to_vec();
    let together = forget_alone(p, &mut keep);
    for k in together {
        let v = Var(k as u32);
        let given = p.given.iter().any(|g| !g.1.coeff(v).is_zero());
        let with = only(&p.init, |a| !a.expr().coeff(v).is_zero());
        if let Some(value) = value(p, &with, k) {
            let replace = |w: Var| (w == v).then(|| value.clone());
            p.init = p.init.subst(replace);
            for (_, e) in &mut p.given {
                *e = e.subst(replace);
            }
        } else {
            match eliminate(&p.init, v) {
                Some(init) if !given => p.init = init,
                _ => keep[k] = true,
            }
        }
    }
    p.keep_variables(&keep);
}

/// A start value of a variable that will do; `with`: all that the start condition says about it.
fn value(p: &Program, with: &Cube, k: usize) -> Option<LinExpr> {
    let v = Var(k as u32);
    let equation = with.atoms().iter().find(|a| a.rel() == Rel::Eq && a.expr().coeff(v).abs().is_one());
    match equation {
        Some(a) => Some(solved(a.expr(), v)),
        None if with.atoms().iter().all(|a| a.expr().terms().len() == 1) => {
            let x = &p.variables[k];
            let bounded = crate::edges::bounds::type_bounds_of(with, v, x.min, x.max);
            smallest(&bounded, v).filter(|c| bounded.holds(|_| (*c).into())).map(LinExpr::int)
        }
        None => None,
    }
}

/// Does it for those about which the start condition says nothing together with others, all at once. The rest, last
/// first.
fn forget_alone(p: &mut Program, keep: &mut [bool]) -> Vec<usize> {
    let mut about: BTreeMap<Var, Cube> =
        (0..keep.len()).filter(|k| !keep[*k]).map(|k| (Var(k as u32), Cube::top())).collect();
    for a in p.init.atoms().iter().filter(|a| a.expr().terms().len() != 1) {
        a.vars().for_each(|v| drop(about.remove(&v)));
    }
    let together = (0..keep.len()).rev();
    let together = together.filter(|k| !keep[*k] && !about.contains_key(&Var(*k as u32))).collect();
    let mut rest: Vec<Atom> = Vec::new();
    for a in p.init.atoms() {
        match a.vars().next().and_then(|v| about.get_mut(&v)) {
            Some(c) => c.push(Norm::Atom(a.clone())),
            None => rest.push(a.clone()),
        }
    }
    let given: BTreeSet<Var> = p.given.iter().flat_map(|g| g.1.vars()).collect();
    let mut values = BTreeMap::new();
    let mut init: Vec<Norm> = rest.into_iter().map(Norm::Atom).collect();
    for (v, with) in about {
        match value(p, &with, v.0 as usize) {
            Some(x) => {
                init.extend(with.atoms().iter().map(|a| a.subst(|_| Some(x.clone()))));
                values.insert(v, x);
            }
            None => match eliminate(&with, v) {
                Some(c) if !given.contains(&v) => init.extend(c.is_bottom().then_some(Norm::False)),
                _ => {
                    init.extend(with.atoms().iter().cloned().map(Norm::Atom));
                    keep[v.0 as usize] = true;
                }
            },
        }
    }
    if !p.init.is_bottom() {
        p.init = Cube::of(init);
    }
    for (_, e) in &mut p.given {
        *e = e.subst(|v| values.get(&v).cloned());
    }
    together
}
