//! Leaves out variables that no edge mentions, from the start condition too.

use super::compose::only;
use super::inputs::{eliminate, smallest, solved};
use crate::program::Program;
use relyant_horn::linear::{LinExpr, Rel, Var};

/// Leaves out variables that are not kept, as far as the start condition can do without them. No edge may mention
/// them. Start values that the real run chooses stay known: through others, or as some value that will do.
pub fn forget(p: &mut Program, keep: &[bool]) {
    let mut keep = keep.to_vec();
    for k in (0..keep.len()).rev().filter(|k| !keep[*k]).collect::<Vec<_>>() {
        let v = Var(k as u32);
        let given = p.given.iter().any(|g| !g.1.coeff(v).is_zero());
        let with = only(&p.init, |a| !a.expr().coeff(v).is_zero());
        let equation = with.atoms().iter().find(|a| a.rel() == Rel::Eq && a.expr().coeff(v).abs().is_one());
        let value = match equation {
            Some(a) => Some(solved(a.expr(), v)),
            None if with.atoms().iter().all(|a| a.expr().terms().len() == 1) => {
                let x = &p.variables[k];
                let bounded = super::tidy::type_bounds_of(&with, v, x.min, x.max);
                smallest(&bounded, v).filter(|c| bounded.holds(|_| (*c).into())).map(LinExpr::int)
            }
            None => None,
        };
        let replace = |w: Var| if w == v { value.clone() } else { None };
        if value.is_some() {
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
