//! A closed set of symbolic states as a monolithic proof.

use super::eliminate::{eliminate, solve};
use super::state::{State, Value};
use crate::proof::{Proof, Rule};
use relyant_horn::linear::{Atom, Cube, LinExpr, Var};
use std::sync::Arc;

/// The proof that these states are all there are.
pub fn of(states: impl IntoIterator<Item = Arc<State>>) -> Proof {
    let mut global: Vec<_> = states.into_iter().map(|s| (s.at.to_vec(), cube(&s))).collect();
    global.sort();
    global.dedup();
    Proof { rule: Rule::Monolithic, modular: false, threads: Vec::new(), tickets: Vec::new(), global }
}

/// A state as a condition on variables. What hidden symbols say is kept as far as a cube can say it: more states,
/// and the checker sees whether they are too many.
fn cube(s: &State) -> Cube {
    let n = s.values.len() as u32;
    let mut out = (*s.cube).clone();
    for (v, value) in s.values.iter().enumerate() {
        let variable = LinExpr::var(Var(v as u32));
        match value {
            Value::Any => {}
            Value::Int(x) => out.push(Atom::eq(&variable.sub(&LinExpr::int(*x as i128)))),
            Value::Sum(e) => out.push(Atom::eq(&variable.sub(e))),
        }
    }
    while !out.is_bottom() {
        let hidden: Vec<Var> = out.vars().into_iter().filter(|s| s.0 >= n).collect();
        if hidden.is_empty() {
            break;
        }
        let rank = |s: Var| if s.0 >= n { s.0 } else { 0 };
        if let Some((s, value)) = solve(&out, rank).filter(|(s, _)| s.0 >= n) {
            out = out.subst(|x| (x == s).then(|| value.clone()));
        } else if let Some(less) = eliminate(&out, &hidden) {
            out = less;
        } else {
            let known = out.atoms().iter().filter(|a| !a.vars().any(|s| s == hidden[0])).cloned();
            out = Cube::of(known.map(relyant_horn::linear::Norm::Atom));
        }
    }
    out
}
