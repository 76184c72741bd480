//! Does a conjunction of formulas and a cube imply a formula over the integers? By splitting cases on
//! disjunctions, contradictory ones cut off as soon as they show.

use crate::formula::Formula;
use relyant_linear::{Closed, Cube, Norm, Satisfiable};

/// Exact where it answers; `None` when the budget, in cubes looked at, ran out.
pub fn implies(body: &[&Formula], constraint: &Cube, head: &Formula, budget: usize) -> Option<bool> {
    if *head == Formula::True || body.contains(&head) {
        return Some(true);
    }
    let refuted = head.negate();
    let mut left = budget;
    let all = body.iter().copied().chain([&refuted]).collect();
    solvable(constraint.clone(), all, &mut left).map(|s| !s)
}

/// Has the conjunction an integer solution? Explicit stack: formulas may have many disjunctions.
fn solvable(cube: Cube, formulas: Vec<&Formula>, budget: &mut usize) -> Option<bool> {
    let mut unknown = false;
    let mut cases = vec![(cube, formulas)];
    while let Some((mut cube, mut pending)) = cases.pop() {
        if *budget == 0 {
            return None;
        }
        *budget -= 1;
        let mut ors: Vec<&Formula> = Vec::new();
        while let Some(f) = pending.pop() {
            match f {
                Formula::True => {}
                Formula::False => cube.push(Norm::False),
                Formula::Atom(a) => cube.push(Norm::Atom(a.clone())),
                Formula::And(fs) => pending.extend(fs),
                Formula::Or(_) => ors.push(f),
            }
        }
        if cube.is_bottom() {
            continue;
        }
        let Some(Formula::Or(choices)) = ors.pop() else {
            match cube.sat_int() {
                Satisfiable::Sat(_) => return Some(true),
                Satisfiable::Unsat => {}
                Satisfiable::Unknown => unknown = true,
            }
            continue;
        };
        if Closed::new(&cube).is_unsat() {
            continue;
        }
        for c in choices {
            let mut pending = ors.clone();
            pending.push(c);
            cases.push((cube.clone(), pending));
        }
    }
    if unknown { None } else { Some(false) }
}
