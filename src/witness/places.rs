//! Places of witnesses, and when a run comes to one.

use relyant_cfa::diagnostic::Span;
use relyant_cfa::schedule::ThreadRef;
use relyant_frontend::c::outline::{Outline, StatementKind};
use std::collections::BTreeMap;

/// A place in a source file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Location {
    /// Name of the file; only its last part is compared.
    pub file: String,
    /// Line of the file, from 1.
    pub line: u32,
    /// Column, from 1; without one: the leftmost suitable place of the line.
    pub column: Option<u32>,
    /// Name of the function around it, for readers only.
    pub function: Option<String>,
}

impl Location {
    /// Does it mean this place?
    pub fn is(&self, outline: &Outline, at: Span) -> bool {
        let file = outline.files.get(at.file as usize).is_some_and(|f| same_file(f, &self.file));
        file && self.line == at.line && self.column.is_none_or(|c| c == at.column)
    }
}

/// Names of files differ in their folders only.
pub fn same_file(a: &str, b: &str) -> bool {
    let base = |s: &str| s.rsplit('/').next().unwrap_or_default().to_string();
    a == b || base(a) == base(b)
}

/// The place of a statement or of a closing parenthesis, with its column where the source line has it there.
pub fn location(outline: &Outline, at: Span, function: &str) -> Location {
    let line = outline.lines.get(at.file as usize).and_then(|l| l.get(at.line.checked_sub(1)? as usize));
    let column = at.column.checked_sub(1).map(|c| c as usize);
    // Macros move columns.
    let fits = line.zip(column).is_some_and(|(l, c)| {
        let here = l.as_bytes().get(c).copied().unwrap_or(b' ');
        let word = |b: u8| b.is_ascii_alphanumeric() || b == b'_';
        let before = c.checked_sub(1).and_then(|c| l.as_bytes().get(c).copied()).unwrap_or(b' ');
        let inside = word(here) && word(before);
        !here.is_ascii_whitespace() && !inside
    });
    Location {
        file: outline.files.get(at.file as usize).cloned().unwrap_or_default(),
        line: at.line,
        column: fits.then_some(at.column),
        function: (!function.is_empty()).then(|| function.to_string()),
    }
}

/// Follows a run and tells when a thread comes to a statement.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Tracker {
    /// The statements that each thread is inside of: one for each call.
    threads: BTreeMap<ThreadRef, Vec<usize>>,
}

impl Tracker {
    /// A thread does a step at a place: the statement that the step belongs to, and whether the thread comes to it
    /// with this step, from a statement that is no part of it.
    pub fn step(&mut self, outline: &Outline, thread: ThreadRef, at: Span) -> Option<(usize, bool)> {
        let statement = outline.statement_at(at.file, at.line, at.column)?;
        let here = &outline.statements[statement];
        let stack = self.threads.entry(thread).or_default();
        let function = |s: &usize| &outline.statements[*s].function;
        match stack.iter().rposition(|s| *function(s) == here.function) {
            None => {
                stack.push(statement);
                Some((statement, here.kind != StatementKind::Group))
            }
            Some(depth) => {
                stack.truncate(depth + 1);
                let before = std::mem::replace(&mut stack[depth], statement);
                // Back in a loop's or branch's own part after a part of its body.
                let inner = before >= statement && before <= here.last;
                Some((statement, !inner && here.kind != StatementKind::Group))
            }
        }
    }

    /// As numbers, to tell trackers apart.
    pub fn key(&self, out: &mut Vec<i128>) {
        for (t, stack) in &self.threads {
            out.extend([i128::from(t.template), i128::from(t.instance), stack.len() as i128]);
            out.extend(stack.iter().map(|s| *s as i128));
        }
    }
}
