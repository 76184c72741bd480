//! Subsumption: which states include which, and an index to find a state that includes a given one.

use super::state::{SymbolicState, Value};
use relyant_linear::{Atom, Closed, LinExpr, Norm, Rat, Var};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Does `big` subsume `small`? Both are in normal form and have the same locations. A "no" may be wrong where `big`
/// has hidden symbols.
pub fn covers(big: &SymbolicState, small: &SymbolicState) -> bool {
    let n = big.values.len() as u32;
    // Values of big's symbols that make its variables those of small.
    let mut hidden: Vec<Option<LinExpr>> = vec![None; big.hidden as usize];
    let mut same = Vec::new();
    for (v, (b, s)) in big.values.iter().zip(&small.values).enumerate() {
        match (b, s) {
            (Value::Any, _) => {}
            (_, Value::Any) => return false,
            (Value::Int(x), Value::Int(y)) if x == y => {}
            // In normal form a value that is not known is no number.
            (Value::Int(_), _) => return false,
            (Value::Sum(b), _) => {
                if let [(s, k)] = b.terms()
                    && s.0 == v as u32
                    && k.is_one()
                    && b.constant_part().is_zero()
                {
                    continue;
                }
                same.push((b, v));
            }
        }
    }
    let small_value = |v: usize| small.values[v].expr();
    let mut conditions: Vec<Norm> = Vec::new();
    for (b, v) in same {
        let Some(value) = small_value(v) else { return false };
        // A hidden symbol takes the value that makes this variable right, if it is an integer.
        let unknown = |s: Var| s.0 >= n && hidden.get((s.0 - n) as usize).is_none_or(|h| h.is_none());
        let mut open = b.terms().iter().filter(|t| unknown(t.0));
        if let Some((h, k)) = open.next().cloned() {
            if open.next().is_some() {
                return false;
            }
            let rest = b.add_scaled(&LinExpr::var(h), &-&k);
            let Some(rest) = instance(&rest, small, &hidden, n) else { return false };
            let value = value.sub(&rest).scale(&k.recip());
            let integral =
                |e: &LinExpr| e.constant_part().is_integer() && e.terms().iter().all(|t| t.1.is_integer());
            let Some(slot) = hidden.get_mut((h.0 - n) as usize).filter(|_| integral(&value)) else {
                return false;
            };
            *slot = Some(value);
            continue;
        }
        let Some(b) = instance(b, small, &hidden, n) else { return false };
        conditions.push(Atom::eq(&b.sub(&value)));
    }
    if big.cube != small.cube || big.hidden > 0 || !conditions.is_empty() {
        for a in big.cube.atoms() {
            // Symbols of the cube alone: the same one, if all the rest fits.
            let Some(e) = instance(a.expr(), small, &hidden, n) else {
                return big.cube == small.cube && big.values == small.values;
            };
            conditions.push(if a.rel() == relyant_linear::Rel::Eq { Atom::eq(&e) } else { Atom::le(&e) });
        }
    }
    let mut closed: Option<Closed> = None;
    conditions.into_iter().all(|c| match c {
        Norm::True => true,
        Norm::False => false,
        Norm::Atom(a) => {
            small.cube.atoms().binary_search(&a).is_ok()
                || !small.cube.is_top()
                    && closed.get_or_insert_with(|| Closed::new(&small.cube)).entails(&a) == Some(true)
        }
    })
}

/// An expression over big's symbols, where its variables have small's values.
fn instance(e: &LinExpr, small: &SymbolicState, hidden: &[Option<LinExpr>], n: u32) -> Option<LinExpr> {
    let mut out = LinExpr::constant(e.constant_part().clone());
    for (s, k) in e.terms() {
        match s.0.checked_sub(n) {
            Some(h) => out = out.add_scaled(hidden.get(h as usize)?.as_ref()?, k),
            None => match &small.values[s.0 as usize] {
                Value::Any => return None,
                Value::Int(x) => out = out.add_scaled(&LinExpr::int(*x as i128), k),
                Value::Sum(x) => out = out.add_scaled(x, k),
            },
        }
    }
    debug_assert!(out.terms().iter().all(|t: &(Var, Rat)| !t.1.is_zero()));
    Some(out)
}

/// Which variables are numbers in a state, and these numbers.
type Mask = Arc<[bool]>;

/// Numbers of states by the numbers in them.
type ByConstants = FxHashMap<Vec<i64>, Vec<u32>>;

/// States by locations, then by which variables are numbers, then by these numbers: a state can be included only in
/// one that has no other number in it.
#[derive(Default)]
pub struct Index {
    places: FxHashMap<Arc<[relyant_program::Loc]>, Vec<(Mask, ByConstants)>>,
}

fn mask(s: &SymbolicState) -> Mask {
    s.values.iter().map(|v| matches!(v, Value::Int(_))).collect()
}

fn numbers(s: &SymbolicState, mask: &[bool]) -> Option<Vec<i64>> {
    let chosen = s.values.iter().zip(mask).filter(|(_, m)| **m);
    chosen.map(|(v, _)| if let Value::Int(x) = v { Some(*x) } else { None }).collect()
}

impl Index {
    /// Adds a state under its number; it is to be there once.
    pub fn insert(&mut self, s: &SymbolicState, id: u32) {
        let mask = mask(s);
        let Some(numbers) = numbers(s, &mask) else { return };
        let place = self.places.entry(s.at.clone()).or_default();
        let k = place.iter().position(|m| m.0 == mask).unwrap_or_else(|| {
            place.push((mask, FxHashMap::default()));
            place.len() - 1
        });
        place[k].1.entry(numbers).or_default().push(id);
    }
    /// Takes a state out.
    pub fn remove(&mut self, s: &SymbolicState, id: u32) {
        let mask = mask(s);
        let Some(place) = self.places.get_mut(&s.at) else { return };
        let Some((_, map)) = place.iter_mut().find(|m| m.0 == mask) else { return };
        if let Some(ids) = numbers(s, &mask).and_then(|n| map.get_mut(&n)) {
            ids.retain(|i| *i != id);
        }
    }
    /// A state that includes this one.
    pub fn find(&self, s: &SymbolicState, state: impl Fn(u32) -> Arc<SymbolicState>) -> Option<u32> {
        for (mask, map) in self.places.get(&s.at)? {
            let Some(numbers) = numbers(s, mask) else { continue };
            let mut ids = map.get(&numbers).into_iter().flatten();
            if let Some(id) = ids.find(|id| covers(&state(**id), s)) {
                return Some(*id);
            }
        }
        None
    }
}
