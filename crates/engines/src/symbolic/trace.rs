//! From a state that violates the property back to the start, with numbers for all symbols.
//!
//! A state is exactly what its step makes of its parent, so each point of it has one before it. Going back point by
//! point rather than forward along the path allows for states that are unions of others.

use super::state::{SymbolicState, Value};
use super::step::{Steps, conditions};
use crate::verdict::{Counterexample, Step};
use num_bigint::BigInt;
use relyant_cfa::schedule::ThreadRef;
use relyant_linear::{Atom, Cube, LinExpr, Model, Norm, Rat, Satisfiable, Var};
use relyant_program::Program;
use std::sync::Arc;

/// Where a state comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Origin {
    /// It is the state in which the program starts.
    Start,
    /// A step: from which state, template, edge.
    Step(u32, u32, u32),
    /// The union of two.
    Union(u32, u32),
}

/// A state and where it comes from.
#[derive(Clone, Debug)]
pub struct StateNode {
    /// The state, in normal form.
    pub state: Arc<SymbolicState>,
    /// Where it comes from.
    pub origin: Origin,
    /// Every step on the way is exact.
    pub exact: bool,
    /// It became part of a state that is looked at in its place.
    pub part: bool,
}

/// Values of live variables.
type Point = Vec<Option<Rat>>;

/// A run to a state; `None` if the numbers can't be found.
pub fn run(program: &Program, steps: &Steps, nodes: &[StateNode], last: u32) -> Option<Counterexample> {
    let mut out = Counterexample::default();
    let mut id = last;
    let mut point: Point = vec![None; program.variables.len()];
    loop {
        let node = &nodes[id as usize];
        match node.origin {
            Origin::Start => {
                let mut cube = program.init.clone();
                for (v, x) in point.iter().enumerate() {
                    if let Some(x) = x {
                        cube.push(Atom::eq(&LinExpr::var(Var(v as u32)).with_constant(-x)));
                    }
                }
                let model = model(&cube)?;
                out.start = (0..point.len() as u32).map(Var).map(|v| (v, model.value(v).numer())).collect();
                out.steps.reverse();
                return Some(out);
            }
            Origin::Union(a, b) => {
                let inside = |id: u32| model(&fixed(&nodes[id as usize].state, &point)).is_some();
                id = if inside(a) { a } else { b };
            }
            Origin::Step(from, thread, k) => {
                let edge = steps.edge((thread, k));
                let before = &nodes[from as usize].state;
                let atoms = conditions(before, edge)?;
                let mut cube = before.cube.and(&Cube::of(atoms.into_iter().map(Norm::Atom)));
                for (v, x) in point.iter().enumerate() {
                    let var = Var(v as u32);
                    let update = edge.updates.binary_search_by_key(&var, |u| u.0);
                    let value = match update {
                        Ok(k) => before.sum(&edge.updates[k].1),
                        Err(_) => before.sum(&LinExpr::var(var)),
                    };
                    if let Some(x) = x {
                        cube.push(Atom::eq(&value.add(&LinExpr::constant(-x))));
                    }
                }
                let model = model(&cube)?;
                let input = |k: usize| Var(program.input(k).0 + before.hidden);
                let inputs: Vec<BigInt> =
                    (0..edge.inputs.len()).map(|k| model.value(input(k)).numer()).collect();
                let thread = ThreadRef { template: thread, instance: 0 };
                out.steps.push(Step { thread, edge: k, inputs });
                let value = |v: &Value| Some(v.expr()?.eval(|s| model.value(s)));
                point = before.values.iter().map(value).collect();
                id = from;
            }
        }
    }
}

/// The condition on symbols under which a state's variables are these.
fn fixed(state: &SymbolicState, point: &Point) -> Cube {
    let mut cube = (*state.cube).clone();
    for (value, x) in state.values.iter().zip(point) {
        if let (Some(value), Some(x)) = (value.expr(), x) {
            cube.push(Atom::eq(&value.add(&LinExpr::constant(-x))));
        }
    }
    cube
}

fn model(cube: &Cube) -> Option<Model> {
    match cube.sat_int() {
        Satisfiable::Sat(m) => Some(m),
        _ => None,
    }
}
