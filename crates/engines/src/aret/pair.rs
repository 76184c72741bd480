//! Two states of different threads, taken together.

use super::precision::{Precision, Thread};
use super::step::{PairRelation, pair_atoms};
use super::store::AbstractState;
use relyant_linear::{Cube, Norm, Var};
use relyant_program::{Program, Role};

/// The condition of both states.
pub fn cube(
    program: &Program,
    threads: &[Thread],
    precision: &Precision,
    (a, b): (&AbstractState, &AbstractState),
    pair: PairRelation,
) -> Cube {
    let (i, j) = (a.thread as usize, b.thread as usize);
    let rename = |v: Var| if i == j && !program.is_global(v) { Role::Second(v).var() } else { v };
    let first = a.bits.iter().map(|k| precision.views[i].predicates[k].clone());
    let second = b.bits.iter().map(|k| precision.views[j].predicates[k].rename(rename));
    let mut cube = Cube::of(first.chain(second).map(Norm::Atom));
    for c in pair_atoms(pair, (&threads[i], &threads[j]), &|v| v, &rename) {
        cube.push(Norm::Atom(c));
    }
    cube
}
