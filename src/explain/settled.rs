//! Programs of which nothing can fail any more once they are read: constants were followed, and what no property depends on was
//! left out. Their proofs have nothing to say, so it is said what was settled.

use super::listing::{Remark, Remarks, listing};
use super::outline::{Held, Line};
use relyant_cfa::{Checks, Fails, Place};
use relyant_program::Program;
use std::fmt::Write;

/// Of so many lines each is named.
const LINES: usize = 8;

/// Does no step of the program lead to a failure?
pub fn is_settled(program: &Program) -> bool {
    let error = program.templates.iter().flat_map(|t| &t.locations).any(|l| l.error.is_some());
    let alone = program.templates.iter().filter(|t| !t.edges.is_empty()).count() < 2;
    !error && !program.deadlock && (program.exclusive.is_none() || alone)
}

/// What was settled, in a sentence, where all was.
pub fn in_words(program: &Program, checks: &Checks) -> Option<String> {
    if !is_settled(program) || checks.is_empty() {
        return None;
    }
    let mut lines: Vec<u32> = checks.places.iter().map(|p| p.at.line).collect();
    lines.dedup();
    let at = match lines.len() {
        1..=LINES if checks.places.iter().all(|p| p.at.file == 0) => {
            format!(" (line{} {})", if lines.len() == 1 { "" } else { "s" }, super::words::lines(lines))
        }
        _ => String::new(),
    };
    Some(format!("while reading: {}{at}; no step that is left can fail", checks.describe()))
}

/// Why a place cannot fail.
fn why(p: &Place) -> String {
    match &p.fails {
        Fails::Never => "holds: a constant".into(),
        Fails::Reached => "never reached".into(),
        Fails::By(names) if names.is_empty() => "cannot fail: follows from constants".into(),
        Fails::By(names) => format!("cannot fail: {} from constants", follow(names)),
    }
}

/// `x, y follow`
fn follow(names: &[String]) -> String {
    format!("{} follow{}", names.join(", "), if names.len() == 1 { "s" } else { "" })
}

/// The places, as what holds before their lines.
pub(super) fn held(checks: &Checks) -> Vec<Held> {
    let one = |p: &Place| {
        let at: Line = (p.at.file, p.at.line);
        Held { at, text: why(p), ..Held::default() }
    };
    let mut all: Vec<Held> = checks.places.iter().filter(|p| p.at.line > 0).map(one).collect();
    all.dedup();
    all
}

/// What was settled, for readers.
pub(super) fn note(checks: &Checks) -> String {
    let what = if checks.is_empty() { "nothing there to check".to_string() } else { checks.describe() };
    format!(
        "Settled while reading: {what}. Values that constants fix were followed, and what no property depends on was left out; \
         no step that is left can fail. That is what the reader of C says; the checker reads the source with it."
    )
}

/// All of it as text, with the source.
pub(super) fn text(program: &Program, checks: &Checks) -> String {
    let mut remarks = Remarks::new();
    for h in held(checks) {
        remarks.entry(h.at).or_default().push(Remark { next: String::new(), text: h.text });
    }
    let mut out = note(checks).replace(". ", ".\n");
    out.push('\n');
    if !remarks.is_empty() {
        // A string takes all that is written.
        let _ = write!(out, "\n{}", listing(&program.lines, &program.files, &remarks));
    }
    out
}
