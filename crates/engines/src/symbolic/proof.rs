//! A closed set of symbolic states as a monolithic proof.

use super::eliminate::{eliminate, solve};
use super::state::{SymbolicState, Value};
use relyant_check::{Proof, Rule};
use relyant_linear::{Atom, Closed, Cube, LinExpr, Norm, Var};
use std::sync::Arc;

/// Values of a hidden symbol that are told apart.
const MOST_VALUES: i64 = 64;
/// States of a proof.
const MOST_STATES: usize = 50_000;

/// The proof that these states are all there are, and whether it says exactly that. A cube can't say all that hidden
/// symbols say (that a value is even); what remains means more states, and the checker sees whether they are too many.
pub fn of(states: impl IntoIterator<Item = Arc<SymbolicState>>) -> (Proof, bool) {
    let (mut global, mut exact) = (Vec::new(), true);
    for s in states {
        let first = cube(&s);
        let mut open = vec![first];
        while let Some(c) = open.pop() {
            let c = without_hidden(c, s.values.len() as u32);
            let hidden = c.vars().into_iter().find(|v| v.0 >= s.values.len() as u32);
            let Some(h) = hidden.filter(|_| !c.is_bottom()) else {
                global.push((s.at.to_vec(), c));
                continue;
            };
            match values(&s.cube, h).filter(|_| global.len() + open.len() < MOST_STATES) {
                Some(range) => {
                    open.extend(range.map(|x| c.subst(|v| (v == h).then(|| LinExpr::int(x as i128)))))
                }
                None => {
                    exact = false;
                    let rest = c.atoms().iter().filter(|a| !a.vars().any(|v| v == h)).cloned();
                    open.push(Cube::of(rest.map(Norm::Atom)));
                }
            }
        }
    }
    global.retain(|(_, c)| !c.is_bottom());
    global.sort();
    global.dedup();
    let proof =
        Proof { rule: Rule::Monolithic, modular: false, threads: Vec::new(), tickets: Vec::new(), global };
    (proof, exact)
}

/// The values a symbol may have, where these are few.
fn values(cube: &Cube, s: Var) -> Option<std::ops::RangeInclusive<i64>> {
    let closed = Closed::new(cube);
    let high = closed.upper(&LinExpr::var(s))?.floor().to_i64()?;
    let low = closed.upper(&LinExpr::var(s).negated())?.floor().to_i64()?.checked_neg()?;
    (high.checked_sub(low)? < MOST_VALUES).then_some(low..=high)
}

/// A state as a condition on variables and hidden symbols.
fn cube(s: &SymbolicState) -> Cube {
    let mut out = (*s.cube).clone();
    for (v, value) in s.values.iter().enumerate() {
        let variable = LinExpr::var(Var(v as u32));
        match value {
            Value::Any => {}
            Value::Int(x) => out.push(Atom::eq(&variable.sub(&LinExpr::int(*x as i128)))),
            Value::Sum(e) => out.push(Atom::eq(&variable.sub(e))),
        }
    }
    out
}

/// Hidden symbols taken out, as far as that is exact.
fn without_hidden(mut out: Cube, n: u32) -> Cube {
    while !out.is_bottom() {
        let hidden: Vec<Var> = out.vars().into_iter().filter(|s| s.0 >= n).collect();
        let rank = |s: Var| if s.0 >= n { s.0 } else { 0 };
        if let Some((s, value)) = solve(&out, rank).filter(|(s, _)| s.0 >= n) {
            out = out.subst(|x| (x == s).then(|| value.clone()));
        } else if let Some(less) = eliminate(&out, &hidden) {
            out = less;
        } else {
            break;
        }
    }
    out
}
