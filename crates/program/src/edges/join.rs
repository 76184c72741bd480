//! Two steps in a row as one.

use crate::{Edge, Input, Program, Touch};
use relyant_linear::{LinExpr, Var};

/// The step `a` and then `b`.
pub fn join(p: &Program, a: &Edge, b: &Edge) -> Edge {
    let base = p.variables.len() as u32;
    let visible = a.reads().into_iter().chain(a.updates.iter().map(|u| u.0)).any(|v| p.is_global(v));
    let shift = a.inputs.len() as u32;
    let moved = |v: Var| if v.0 >= base { Var(v.0 + shift) } else { v };
    let through = |v: Var| a.after(v).cloned();
    let steps = a.path.len() as u32;
    let later = |i: &Input| match *i {
        Input::Havoc(k) => Input::Havoc(k + steps),
        Input::Chosen(k, value) => Input::Chosen(k + steps, value),
        Input::Auxiliary => Input::Auxiliary,
        Input::Remainder { number, divisor } => {
            // Of variables only: another expression is not kept.
            let earlier = |v: Var| match a.after(v) {
                None => Some(v),
                Some(e) => match e.terms() {
                    [(w, c)] if c.is_one() && e.constant_part().is_zero() && w.0 < base => Some(*w),
                    _ => None,
                },
            };
            match (earlier(number), earlier(divisor)) {
                (Some(number), Some(divisor)) => Input::Remainder { number, divisor },
                _ => Input::Auxiliary,
            }
        }
    };
    let mut updates: Vec<(Var, LinExpr)> =
        b.updates.iter().map(|(v, e)| (*v, e.rename(moved).subst(through))).collect();
    updates.extend(a.updates.iter().filter(|(v, _)| b.after(*v).is_none()).cloned());
    updates.sort_by_key(|u| u.0);
    updates.retain(|(v, e)| *e != LinExpr::var(*v));
    let touch = |t: &Touch| Touch {
        at: t.at.rename(moved).subst(through),
        value: t.value.rename(moved).subst(through),
        ..*t
    };
    Edge {
        touches: a.touches.iter().cloned().chain(b.touches.iter().map(touch)).collect(),
        from: a.from,
        to: b.to,
        inputs: a.inputs.iter().copied().chain(b.inputs.iter().map(later)).collect(),
        guard: a.guard.and(&b.guard.rename(moved).subst(through)),
        bounds: a.bounds.and(&b.bounds.rename(moved).subst(through)),
        updates,
        path: a.path.iter().chain(&b.path).copied().collect(),
        span: if visible || a.path.is_empty() && b.path.is_empty() { a.span } else { b.span },
        exact: a.exact && b.exact,
    }
}
