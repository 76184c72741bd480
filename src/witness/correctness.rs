//! Correctness witnesses: invariants of a safe program, out of the evidence for it.

use super::places::Location;
use super::ranges::ranges;
use super::{Correctness, Invariant, predicates, validate};
use crate::pipeline::Evidence;
use relyant_cfa::diagnostic::Diagnostic;
use relyant_cfa::options::Options;
use relyant_frontend::c::outline::Outline;
use std::path::Path;

/// Invariants, and a line about them.
#[derive(Clone, Debug)]
pub struct Invariants {
    /// The invariants, with ghosts of locks.
    pub correctness: Correctness,
    /// Where they come from.
    pub note: String,
}

/// Work that checking them may take, about a second's (see [`crate::pipeline::Settings::max_work`]).
const WORK: u64 = 1_000_000;
/// States that are listed for invariants of values.
const STATES: usize = 30_000;
/// Where there are others already.
const FEW_STATES: usize = 4_000;

/// Invariants for a safe program: the predicates of its proof, and where there are few states the values that its
/// variables have in all of them.
/// `ghosts`: they may speak of variables that the program does not have.
///
/// # Errors
/// The source cannot be read again.
pub fn invariants(
    evidence: &Evidence,
    file: &Path,
    options: &Options,
    outline: &Outline,
    ghosts: bool,
) -> Result<Invariants, Diagnostic> {
    let mut all = Correctness::default();
    let mut most = STATES;
    let mut work = WORK;
    // What holds in an order of preference need not hold in others.
    if let Evidence::Proof { proof, program, .. } = evidence
        && program.ordered.is_none()
    {
        let automata = relyant_frontend::programs::read_proof(file, options, program.chosen)?;
        let found = predicates::correctness(proof, program, &automata, outline, ghosts);
        all = validate::valid(file, options, outline, found, &mut work);
        if !all.invariants.is_empty() {
            most = FEW_STATES;
        }
    }
    let predicates = all.invariants.len();
    let mut notes = Vec::new();
    if predicates > 0 {
        notes.push(format!("{predicates} invariants, of the proof's predicates"));
    }
    match ranges(&relyant_frontend::programs::read_for_search(file, options)?, outline, most) {
        Ok(Some((found, states))) => {
            let said = |i: &Invariant| all.invariants.iter().any(|j| j.location == i.location);
            let invariants = found.into_iter().filter(|i| !said(i)).collect();
            let found = Correctness { invariants, ..Correctness::default() };
            let more = validate::valid(file, options, outline, found, &mut work).invariants;
            if predicates == 0 || !more.is_empty() {
                notes.push(format!("{} invariants, of all {states} states", more.len()));
            }
            all.invariants.extend(more);
        }
        _ if predicates > 0 => {}
        Ok(None) => {
            let why = "the states are too many to list, or not all are known; --proof keeps the proof itself";
            notes.push(format!("no invariants: {why}"));
        }
        Err(stop) => notes.push(format!("no invariants: {stop}")),
    }
    Ok(Invariants { correctness: all, note: notes.join("; ") })
}

/// The statement that a place of a witness means.
pub(super) fn statement(outline: &Outline, at: &Location, loops_only: bool) -> Option<usize> {
    use relyant_frontend::c::outline::StatementKind;
    outline.statements.iter().position(|s| {
        at.is(outline, s.start)
            && s.kind != StatementKind::Group
            && (!loops_only || s.kind == StatementKind::Loop)
    })
}

/// Does the source have a statement where its place says, or did a macro move it there?
pub(super) fn is_written(outline: &Outline, index: usize) -> bool {
    use relyant_frontend::c::outline::StatementKind;
    let Some(s) = outline.statements.get(index) else { return false };
    let at = |span: relyant_cfa::diagnostic::Span| {
        let line = outline.lines.get(span.file as usize)?.get(span.line.checked_sub(1)? as usize)?;
        line.get(span.column.checked_sub(1)? as usize..)
    };
    let Some(text) = at(s.start) else { return false };
    let call = outline.calls.iter().find(|c| c.statement == index && c.start == s.start);
    match (s.kind, call) {
        (StatementKind::Loop, _) => ["for", "while", "do"].iter().any(|w| text.starts_with(w)),
        (StatementKind::Branch, _) => ["if", "switch"].iter().any(|w| text.starts_with(w)),
        (_, Some(call)) if !call.name.is_empty() => text.starts_with(&call.name),
        _ => true,
    }
}
