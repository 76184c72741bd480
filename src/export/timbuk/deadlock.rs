//! Deadlocks.
use super::model::refuse;
use super::rules::Rules;
use relyant_frontend::diagnostic::{Diagnostic, Span};
use relyant_frontend::timbuk::Automaton;

pub(super) fn stuck(rules: &mut Rules<'_, '_>) -> Result<Automaton, Diagnostic> {
    Err(refuse(rules.model.program, Span::default(), "deadlocks are not exported".into(), ""))
}
