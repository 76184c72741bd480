//! Adds statements to a program: checks and updates of variables that its source does not have.
//!
//! The text is changed after it was mended, and parsed again: what is added means what it would mean if its author had
//! written it there, and places of all else stay as they are.

use super::outline::{Effect, Outline, Parts, StatementKind};
use super::source::Source;

/// What is added to a program.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Instrumentation {
    /// Declarations before all others.
    pub declarations: String,
    /// Statements, by the statement of the [`Outline`] that they belong to.
    pub additions: Vec<(usize, Addition)>,
}

/// Text that is added to a statement.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Addition {
    /// Statements that run before it.
    Before(String),
    /// Statements that run in one step with it: an expression statement, or a `return` of a constant.
    Atomically(String),
    /// Statements that run each time before the loop's condition; of a `do` loop, before its body.
    Head(String),
}

/// Begins a block that is one step.
pub const ATOMIC: &str = "__relyant_atomic_block();";

/// What stands at a place of the mended text.
struct Edit {
    /// First byte of what is taken out, where the text is put.
    at: usize,
    /// What is taken out there.
    end: usize,
    /// Outer ones come before inner ones where something begins, after them where something ends.
    rank: usize,
    text: String,
}

/// What cannot be added to a program.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub(super) enum NoPlace {
    #[error("no such statement")]
    NoStatement,
    #[error("only expressions and `return` are done in one step with others")]
    NoStep,
    #[error("no loop begins there")]
    NoLoop,
    #[error("a condition outside of the text")]
    ConditionOutside,
    #[error("additions inside of others")]
    Nested,
    #[error("an addition outside of the text")]
    Outside,
}

/// The text with the additions; the source learns what moved.
///
/// # Errors
/// What cannot be added.
pub(super) fn instrument(
    source: &mut Source,
    text: &str,
    outline: &Outline,
    what: &Instrumentation,
) -> Result<String, NoPlace> {
    let mut edits = Vec::new();
    for (statement, addition) in &what.additions {
        let s = outline.statements.get(*statement).ok_or(NoPlace::NoStatement)?;
        let (start, end) = s.parts.whole;
        // Of statements that begin at one place the outer one has the smaller index.
        let open =
            |text: String, at: usize, rank: usize| Edit { at, end: at, rank: 3 * statement + rank, text };
        let last = usize::MAX - 3 * statement;
        let close =
            |text: &str, at: usize, rank: usize| Edit { at, end: at, rank: last - rank, text: text.into() };
        match addition {
            Addition::Before(new) if s.kind == StatementKind::Declaration => {
                edits.push(open(format!("{new} "), start, 0));
            }
            Addition::Before(new) => {
                edits.push(open(format!("{{ {new} "), start, 0));
                edits.push(close(" }", end, 0));
            }
            Addition::Atomically(new) => {
                let begin = match s.effect {
                    Effect::Other => {
                        return Err(NoPlace::NoStep);
                    }
                    // Nobody sees when it happens.
                    Effect::Return => "",
                    Effect::Call | Effect::Expression => ATOMIC,
                };
                edits.push(open(format!("{{ {begin} {new} "), start, 1));
                edits.push(close(" }", end, 1));
            }
            Addition::Head(new) => {
                let Parts { condition, body: Some(body), tests_first, .. } = s.parts else {
                    return Err(NoPlace::NoLoop);
                };
                let mut inside = format!("{{ {new} ");
                if let (Some((from, to)), true) = (condition, tests_first) {
                    let of = text.get(from..to).ok_or(NoPlace::ConditionOutside)?;
                    inside += &format!("if (!({of})) break; ");
                    edits.push(Edit { at: from, end: to, rank: 0, text: "1".into() });
                }
                edits.push(open(inside, body.0, 2));
                edits.push(close(" }", body.1, 2));
            }
        }
    }
    // What ends at a place comes before what begins there.
    edits.sort_by_key(|e| (e.at, e.rank <= usize::MAX / 2, e.rank));
    let mut out = format!("{}\n", what.declarations);
    let mut anchors = Vec::new();
    let mut at = 0;
    for e in &edits {
        if e.at < at {
            return Err(NoPlace::Nested);
        }
        source.copy_anchors(at, e.at, out.len(), &mut anchors);
        out.push_str(text.get(at..e.at).ok_or(NoPlace::Outside)?);
        anchors.push((out.len(), source.offset(e.at)));
        out.push_str(&e.text);
        at = e.end;
    }
    source.copy_anchors(at, text.len(), out.len(), &mut anchors);
    out.push_str(text.get(at..).ok_or(NoPlace::Outside)?);
    source.set_anchors(anchors);
    Ok(out)
}
