//! Predicates from the invariants of a witness.

use super::{Content, read};
use crate::predicates::{Predicate, comparisons_in};
use relyant_cfa::diagnostic::Diagnostic;
use relyant_cfa::files;
use std::collections::BTreeSet;
use std::path::Path;

/// The comparisons in the invariants of a witness of correctness, each once. What is more than a comparison of sums is left out:
/// they are only tried.
///
/// # Errors
/// The file is no witness, or has no invariants.
pub fn predicates(path: &Path) -> Result<Vec<Predicate>, Diagnostic> {
    let name = path.display().to_string();
    let Content::Correctness(witness) = read::parse(&name, &files::read_text(path)?)?.content else {
        let help = "a witness of correctness has invariants";
        return Err(Diagnostic::of_file(&name, "this witness is of a violation", help));
    };
    let mut seen = BTreeSet::new();
    let mut out = Vec::new();
    for i in &witness.invariants {
        for text in comparisons_in(&i.value) {
            if seen.insert(text.clone()) {
                out.push(Predicate { text, place: None });
            }
        }
    }
    Ok(out)
}
