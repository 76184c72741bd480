//! How many threads an assertion of a proof speaks of (Hoenicke, Majumdar and Podelski, "Thread modularity at many levels", POPL 2017).

use crate::{Proof, Rule};
use relyant_linear::{Cube, Var};
use relyant_program::{Program, Role, Scope};
use std::collections::BTreeSet;

impl Proof {
    /// The most threads of which one of its assertions, or of its environment transitions, knows locals or the location: 1 is a modular proof.
    /// Of proofs of a product, and by Owicki and Gries's rule, all threads of the program.
    pub fn level(&self, program: &Program) -> usize {
        if self.rule != Rule::RelyGuarantee {
            return program.templates.iter().filter(|t| !t.edges.is_empty()).count().max(1);
        }
        if self.modular {
            return 1;
        }
        let mut most = 1;
        for t in &self.threads {
            let mut count = |control: &[(u32, Vec<relyant_program::Loc>)], cube: &Cube| {
                let mut all = BTreeSet::from([t.template]);
                all.extend(control.iter().map(|c| c.0));
                all.extend(cube.vars().into_iter().filter_map(|v| owner(program, v)));
                most = most.max(all.len());
            };
            t.invariants.iter().flat_map(|x| &x.1).for_each(|s| count(&s.control, &s.cube));
            t.environment.iter().for_each(|e| count(&e.control, &e.relation));
        }
        most
    }
}

/// The template whose local a variable of a formula is.
fn owner(program: &Program, v: Var) -> Option<u32> {
    match program.variables.get(Role::of(v).plain().0 as usize)?.scope {
        Scope::Local(t) => Some(t),
        Scope::Global => None,
    }
}
