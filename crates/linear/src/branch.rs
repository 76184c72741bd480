//! Branch and bound on the simplex method: integer solutions where the rational one is a fraction.

use crate::simplex::{Conflict, Simplex};
use crate::{LinExpr, Rat, Rel, Var};

/// Does what a simplex tableau asserts have an integer solution?
pub(crate) enum Branched {
    /// The solver's present values are an integer solution.
    Sat,
    /// It has none, whatever the budget.
    Unsat,
    /// The budget ran out.
    Unknown,
}

/// Deeper branches are given up.
const MAX_DEPTH: usize = 40;

/// Looks for an integer solution of what is asserted; `budget` counts simplex calls.
pub(crate) fn branch(s: &mut Simplex, budget: &mut usize) -> Branched {
    descend(s, budget, 0)
}

fn descend(s: &mut Simplex, budget: &mut usize, depth: usize) -> Branched {
    if *budget == 0 || depth > MAX_DEPTH {
        return Branched::Unknown;
    }
    *budget -= 1;
    if s.check().is_err() {
        return Branched::Unsat;
    }
    let Some((x, value)) = fraction(s) else { return Branched::Sat };
    let (down, up) = cuts(x, &value);
    let mut unknown = false;
    for cut in [down, up] {
        let mark = s.mark();
        let r: Result<(), Conflict> = s.assert(usize::MAX, &cut, Rel::Le);
        let found = if r.is_err() { Branched::Unsat } else { descend(s, budget, depth + 1) };
        match found {
            Branched::Sat => return Branched::Sat,
            Branched::Unsat => {}
            Branched::Unknown => unknown = true,
        }
        s.undo(mark);
    }
    if unknown { Branched::Unknown } else { Branched::Unsat }
}

/// The first variable whose value is a fraction.
pub(crate) fn fraction(s: &Simplex) -> Option<(Var, Rat)> {
    s.values().find(|(_, q)| !q.is_integer()).map(|(v, q)| (v, q.clone()))
}

/// `x <= floor(q)` and `x >= floor(q) + 1`, as expressions at most zero.
pub(crate) fn cuts(x: Var, q: &Rat) -> (LinExpr, LinExpr) {
    let k = q.floor();
    let down = LinExpr::var(x).with_constant(-&k);
    let up = LinExpr::var(x).negated().with_constant(&k + &Rat::one());
    (down, up)
}
