//! Predicates from people: comparisons that a proof may need, from options, comments of the source, or a witness.
//!
//! They are tried like those that refinement finds, and never trusted: a proof is checked as any other.

mod comments;
mod syntax;

pub use comments::of_source;
pub use syntax::{comparisons_in, conjuncts};

use relyant_check::certificate::parse_comparison;
use relyant_linear::{Atom, Norm, Var};
use relyant_program::{Program, Scope};
use std::collections::BTreeSet;

/// A comparison of two sums, as somebody wrote it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Predicate {
    /// In C; a local may be named with its function (`worker::i`).
    pub text: String,
    /// File and line, where it stands in a file.
    pub place: Option<(String, u32)>,
}

/// What a predicate says of the variables of a thread program: for each function a name may mean its local, else a global.
/// Nothing where some name is no variable of the proof.
pub fn resolve(program: &Program, predicate: &Predicate) -> Vec<Atom> {
    let mut functions: BTreeSet<(Option<u32>, &str)> = BTreeSet::from([(None, "")]);
    for v in &program.variables {
        if let (Scope::Local(t), Some((function, _))) = (v.scope, v.name.rsplit_once("::")) {
            functions.insert((Some(t), function));
        }
    }
    let mut atoms = Vec::new();
    for (template, function) in functions {
        let named = |name: &str| {
            let is = |wanted: &str, local: bool| {
                program.variables.iter().position(|v| {
                    v.name == wanted
                        && match v.scope {
                            Scope::Global => !local,
                            Scope::Local(t) => local && template == Some(t),
                        }
                })
            };
            let own = is(&format!("{function}::{name}"), true).or_else(|| is(name, true));
            own.or_else(|| is(name, false)).map(|i| Var(i as u32))
        };
        let read = parse_comparison(&predicate.text, &|name, primed| named(name).filter(|_| !primed));
        if let Ok(Norm::Atom(atom)) = read
            && !atoms.contains(&atom)
        {
            atoms.push(atom);
        }
    }
    atoms
}

/// All that predicates say of a thread program.
pub fn resolve_all(program: &Program, predicates: &[Predicate]) -> Vec<Atom> {
    predicates.iter().flat_map(|p| resolve(program, p)).collect()
}
