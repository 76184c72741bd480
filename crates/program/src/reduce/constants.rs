//! Variables that are never written: with a fixed start value they are that value. Variables that one thread
//! alone uses are its own.

use crate::edges::access::Access;
use crate::{Count, Program, Scope};
use relyant_linear::{Atom, LinExpr, Rat, Rel, Var};
use std::collections::BTreeMap;

/// Replaces variables that are constant throughout by their values; were there any?
pub fn replace_constants(p: &mut Program, access: &Access) -> bool {
    let mut fixed: BTreeMap<Var, LinExpr> = BTreeMap::new();
    for (v, value) in p.init.atoms().iter().filter_map(self::fixed) {
        if !access.written(v) && !p.variables[v.0 as usize].identity && value.is_integer() {
            fixed.insert(v, LinExpr::constant(value));
        }
    }
    let mut any = false;
    for e in p.templates.iter_mut().flat_map(|t| &mut t.edges) {
        if e.reads().iter().any(|v| fixed.contains_key(v)) {
            e.substitute(|v: Var| fixed.get(&v).cloned());
            any = true;
        }
    }
    any
}

/// The variable and value of `c * v = d`.
pub fn fixed(a: &Atom) -> Option<(Var, Rat)> {
    match a.expr().terms() {
        [(v, c)] if a.rel() == Rel::Eq => Some((*v, &-a.expr().constant_part() / c)),
        _ => None,
    }
}

/// Makes globals that only one template of one thread uses locals of it; were there any?
pub fn privatise(p: &mut Program, access: &Access) -> bool {
    let mut any = false;
    for v in 0..p.variables.len() {
        if p.variables[v].scope != Scope::Global || p.is_given(Var(v as u32)) {
            continue;
        }
        if let [t] = access.users(Var(v as u32))[..]
            && p.templates[t].count == Count::AtMost(1)
        {
            p.variables[v].scope = Scope::Local(t as u32);
            any = true;
        }
    }
    any
}
