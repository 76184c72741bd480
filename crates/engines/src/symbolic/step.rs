//! Steps of symbolic states.

use super::normal::Normal;
use super::state::{SymbolicState, Value};
use relyant_linear::{Atom, Cube, Norm, Rel, Var};
use relyant_program::{Count, Edge, Loc, Program};
use std::sync::Arc;

/// What threads may do, by template and location.
pub struct Steps<'a> {
    program: &'a Program,
    /// `edges[template][location]`: indices of the edges from there.
    edges: Vec<Vec<Vec<u32>>>,
}

impl<'a> Steps<'a> {
    /// Lists the edges of templates that have a thread.
    pub fn new(program: &'a Program) -> Steps<'a> {
        let of = |t: &relyant_program::Template| {
            let mut edges = vec![Vec::new(); t.locations.len()];
            if t.count != Count::AtMost(0) {
                for (k, e) in t.edges.iter().enumerate() {
                    edges[e.from.0 as usize].push(k as u32);
                }
            }
            edges
        };
        Steps { program, edges: program.templates.iter().map(of).collect() }
    }
    /// Template and edge of the steps from these locations.
    pub fn from(&self, at: &[Loc]) -> impl Iterator<Item = (u32, u32)> + '_ {
        let by_thread = self.edges.iter().zip(at.to_vec()).enumerate();
        by_thread.flat_map(|(t, (edges, l))| edges[l.0 as usize].iter().map(move |e| (t as u32, *e)))
    }
    /// The edge with a number of a template.
    pub fn edge(&self, (t, e): (u32, u32)) -> &'a Edge {
        &self.program.templates[t as usize].edges[e as usize]
    }
}

/// The state at the start.
pub fn start(program: &Program, normal: &mut Normal) -> Option<SymbolicState> {
    let values = (0..program.variables.len() as u32).map(|v| Value::symbol(Var(v))).collect();
    normal.state(program.templates.iter().map(|t| t.entry).collect(), values, program.init.clone())
}

/// The conditions of an edge over a state's symbols; `None` if it is disabled by their form alone.
pub fn conditions(state: &SymbolicState, edge: &Edge) -> Option<Vec<Atom>> {
    let mut out = Vec::new();
    if edge.guard.is_bottom() || edge.bounds.is_bottom() {
        return None;
    }
    for a in edge.guard.atoms().iter().chain(edge.bounds.atoms()) {
        let e = state.sum(a.expr());
        match if a.rel() == Rel::Eq { Atom::eq(&e) } else { Atom::le(&e) } {
            Norm::True => {}
            Norm::False => return None,
            Norm::Atom(a) => out.push(a),
        }
    }
    Some(out)
}

/// The state after an edge of a thread's; `None` if it is disabled.
pub fn step(state: &SymbolicState, thread: u32, edge: &Edge, normal: &mut Normal) -> Option<SymbolicState> {
    let conditions = conditions(state, edge)?;
    let mut values = state.values.to_vec();
    for (v, e) in &edge.updates {
        values[v.0 as usize] = Value::of(state.sum(e));
    }
    let mut at: Arc<[Loc]> = state.at.clone();
    if edge.from != edge.to {
        at = at.iter().enumerate().map(|(t, l)| if t == thread as usize { edge.to } else { *l }).collect();
    }
    let cube = if conditions.is_empty() {
        (*state.cube).clone()
    } else {
        state.cube.and(&Cube::of(conditions.into_iter().map(Norm::Atom)))
    };
    normal.state(at, values, cube)
}
