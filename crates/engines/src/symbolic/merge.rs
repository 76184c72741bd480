//! Unions of two states that are one state (Boom 7.1 merges so; ours by affine hulls, and only where it is exact).
//!
//! The union lies in the affine hull of both; there each condition of one, made weak enough for the other, is a
//! condition of the candidate. It is the union if what of it is outside the one is inside the other.

use super::eliminate::Tidy;
use super::state::{SymbolicState, Value};
use relyant_linear::{Atom, Closed, Cube, LinExpr, Norm, Rat, Rel, Var};
use std::collections::BTreeMap;

/// Variables with different numbers above which states are not alike enough to try.
const MOST_DIFFERENT: usize = 3;

/// A vector by variable, zeros left out.
type Row = BTreeMap<u32, Rat>;

/// The union of two states with the same locations, if that is a state.
pub fn union(a: &SymbolicState, b: &SymbolicState, tidy: &mut Tidy) -> Option<SymbolicState> {
    if a.hidden + b.hidden > 0 || !alike(a, b) {
        return None;
    }
    let values = hull(a, b)?;
    let at = |s: Var| values[s.0 as usize].expr();
    // Expressions over variables as ones over the hull's symbols.
    let over = |e: &LinExpr| e.subst(at);
    let conditions = |s: &SymbolicState| -> Option<Vec<Atom>> {
        let mut norms: Vec<Norm> = Vec::new();
        for (v, value) in s.values.iter().enumerate().filter(|(v, x)| values[*v] != **x) {
            norms.push(Atom::eq(&over(&LinExpr::var(Var(v as u32)).sub(&value.expr()?))));
        }
        norms.extend(s.cube.atoms().iter().map(|a| a.subst(at)));
        let mut out = Vec::new();
        for n in norms {
            match n {
                Norm::True => {}
                Norm::False => return None,
                Norm::Atom(a) => out.push(a),
            }
        }
        Some(out)
    };
    let (of_a, of_b) = (conditions(a)?, conditions(b)?);
    let mut cube = Cube::top();
    for (conditions, other) in [(&of_a, b), (&of_b, a)] {
        let closed = Closed::new(&other.cube);
        for e in conditions.iter().flat_map(|c| c.inequalities()) {
            let there = e.subst(|s| other.values[s.0 as usize].expr());
            if let Some(most) = closed.upper(&there) {
                let slack = if most.is_positive() { most } else { Rat::zero() };
                cube.push(Atom::le(&e.add(&LinExpr::constant(-slack))));
            }
        }
    }
    let cube = tidy.tidy(&cube)?;
    let outside_is_inside = of_a.iter().flat_map(Atom::negate).all(|outside| {
        let mut rest = (*cube).clone();
        rest.push(outside);
        let mut rest = Closed::new(&rest);
        rest.is_unsat() || of_b.iter().all(|c| rest.entails(c) == Some(true))
    });
    // An equality of the cube would make a symbol of it no symbol: not in normal form.
    let normal = !cube.atoms().iter().any(|a| a.rel() == Rel::Eq);
    (outside_is_inside && normal).then(|| SymbolicState {
        at: a.at.clone(),
        values: values.into(),
        cube,
        hidden: 0,
    })
}

fn alike(a: &SymbolicState, b: &SymbolicState) -> bool {
    let mut different = 0;
    for (x, y) in a.values.iter().zip(&b.values) {
        match (x, y) {
            (Value::Any, Value::Any) => {}
            (Value::Any, _) | (_, Value::Any) => return false,
            (Value::Int(x), Value::Int(y)) => different += usize::from(x != y),
            _ => {}
        }
    }
    different <= MOST_DIFFERENT
}

/// The affine hull of both, as values of variables; `None` if that takes fractions.
fn hull(a: &SymbolicState, b: &SymbolicState) -> Option<Vec<Value>> {
    let mut rows: Vec<Row> = Vec::new();
    for s in [a, b] {
        let mut directions: BTreeMap<Var, Row> = BTreeMap::new();
        for (v, value) in s.values.iter().enumerate() {
            if let Value::Sum(e) = value {
                for (s, k) in e.terms() {
                    directions.entry(*s).or_default().insert(v as u32, k.clone());
                }
            }
        }
        rows.extend(directions.into_values());
    }
    let base = |s: &SymbolicState| -> Vec<Rat> {
        let constant = |v: &Value| v.expr().map_or(Rat::zero(), |e| e.constant_part().clone());
        s.values.iter().map(constant).collect()
    };
    let (from, to) = (base(a), base(b));
    let between = from.iter().zip(&to).enumerate().filter(|(_, (x, y))| x != y);
    rows.push(between.map(|(v, (x, y))| (v as u32, y - x)).collect());
    let rows = reduced(rows)?;
    let mut values = Vec::with_capacity(a.values.len());
    for (v, old) in a.values.iter().enumerate() {
        if *old == Value::Any {
            values.push(Value::Any);
            continue;
        }
        let mut e = LinExpr::constant(from[v].clone());
        for (p, row) in &rows {
            if let Some(k) = row.get(&(v as u32)) {
                let step = LinExpr::var(Var(*p)).with_constant(-&from[*p as usize]);
                e = e.add_scaled(&step, k);
            }
        }
        values.push(Value::of(e));
    }
    Some(values)
}

/// Independent rows with the same span, each with a 1 where all others have 0; `None` if other entries are fractions.
fn reduced(rows: Vec<Row>) -> Option<Vec<(u32, Row)>> {
    let mut out: Vec<(u32, Row)> = Vec::new();
    for mut row in rows {
        for (p, known) in &out {
            subtract(&mut row, known, *p);
        }
        // An entry of 1 or -1, the first.
        let unit = row.iter().find(|(_, k)| k.abs().is_one()).or_else(|| row.iter().next());
        let Some((p, k)) = unit.map(|(p, k)| (*p, k.recip())) else { continue };
        row.values_mut().for_each(|x| *x = &*x * &k);
        for (_, known) in &mut out {
            subtract(known, &row, p);
        }
        out.push((p, row));
    }
    out.iter().all(|(_, r)| r.values().all(Rat::is_integer)).then_some(out)
}

/// Takes `row` off as often as makes entry `p` zero.
fn subtract(from: &mut Row, row: &Row, p: u32) {
    let Some(k) = from.get(&p).cloned() else { return };
    for (v, x) in row {
        let old = from.get(v).cloned().unwrap_or(Rat::zero());
        let new = &old - &(x * &k);
        if new.is_zero() {
            from.remove(v);
        } else {
            from.insert(*v, new);
        }
    }
}
