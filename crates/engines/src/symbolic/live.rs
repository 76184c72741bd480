//! Which variables may still be read. A variable that every thread writes before it reads it is dead, whatever the
//! others do; states that differ in dead variables only are the same.

use relyant_linear::Var;
use relyant_program::{Loc, Program, Template};

/// Sets of variables by template and location.
pub struct Live {
    /// `sets[template][location][variable]`: may a thread there read it before it writes it?
    sets: Vec<Vec<Vec<bool>>>,
    variables: usize,
}

impl Live {
    /// Works the sets out, backwards along the edges of each template.
    pub fn new(program: &Program) -> Live {
        let variables = program.variables.len();
        Live { sets: program.templates.iter().map(|t| template(t, variables)).collect(), variables }
    }
    /// May some thread read the variable before it writes it? By variable.
    pub fn at(&self, at: &[Loc]) -> Vec<bool> {
        let mut out = vec![false; self.variables];
        for (sets, l) in self.sets.iter().zip(at) {
            for (o, x) in out.iter_mut().zip(&sets[l.0 as usize]) {
                *o |= x;
            }
        }
        out
    }
}

fn template(t: &Template, variables: usize) -> Vec<Vec<bool>> {
    let mut live = vec![vec![false; variables]; t.locations.len()];
    loop {
        let mut changed = false;
        for e in t.edges.iter().rev() {
            let written = |v: usize| e.updates.binary_search_by_key(&v, |u| u.0.0 as usize).is_ok();
            let after: Vec<usize> =
                (0..variables).filter(|v| live[e.to.0 as usize][*v] && !written(*v)).collect();
            let conditions = e.guard.atoms().iter().chain(e.bounds.atoms());
            let read: Vec<Var> =
                conditions.flat_map(|a| a.vars()).chain(e.updates.iter().flat_map(|u| u.1.vars())).collect();
            let from = &mut live[e.from.0 as usize];
            for v in after.into_iter().chain(read.iter().map(|v| v.0 as usize)) {
                if let Some(l) = from.get_mut(v).filter(|l| !**l) {
                    *l = true;
                    changed = true;
                }
            }
        }
        if !changed {
            return live;
        }
    }
}
