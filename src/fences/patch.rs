//! Fences as text: behind statements, in the lines where these are.

use relyant_cfa::diagnostic::Diagnostic;
use relyant_frontend::c::outline::{Outline, StatementKind};
use std::collections::{BTreeMap, BTreeSet};

/// What is put behind a statement; both go into a block.
const FENCE: &str = " __sync_synchronize();";

/// Behind a statement.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct Place {
    /// Its last line, from 1.
    pub line: u32,
    /// Its last column, from 1.
    pub column: u32,
    /// Its first line and column.
    pub start: (u32, u32),
    /// Loops around it.
    pub loops: u32,
    /// Its text.
    pub text: String,
}

/// A source and its statements.
pub(super) struct Source<'a> {
    lines: Vec<&'a str>,
    outline: Outline,
}

impl<'a> Source<'a> {
    pub(super) fn new(text: &'a str, outline: Outline) -> Source<'a> {
        Source { lines: text.split('\n').collect(), outline }
    }

    /// The place behind the statement at a place of the text with some fences.
    ///
    /// # Errors
    /// There is no such statement.
    pub(super) fn place(
        &self,
        name: &str,
        fences: &BTreeSet<Place>,
        line: u32,
        column: u32,
    ) -> Result<Place, Diagnostic> {
        let before = |p: &Place| {
            // In the text with fences, what comes before in the line has moved this.
            let opened = u32::from(p.start.0 == line);
            let closed = if p.line == line { FENCE.len() as u32 + 2 } else { 0 };
            (p.start, opened * 2, (p.line, p.column), closed)
        };
        let mut moves: Vec<((u32, u32), u32)> = Vec::new();
        for (start, opened, end, closed) in fences.iter().map(before) {
            moves.extend([(start, opened), (end, closed)]);
        }
        moves.retain(|m| m.0.0 == line && m.1 > 0);
        moves.sort_unstable();
        let mut at = column;
        for ((_, c), by) in moves {
            if c < at {
                at = at.saturating_sub(by).max(c);
            }
        }
        let wrong = || {
            let what = "a fence is needed behind a store that is no statement of its own";
            let mut d = Diagnostic::of_file(name, what, "write the assignment as a statement");
            (d.line, d.column) = (line, column);
            d
        };
        let file = self.outline.file(name).unwrap_or(0);
        let i = self.outline.statement_at(file, line, at).ok_or_else(wrong)?;
        let s = &self.outline.statements[i];
        let text = self.between((s.start.line, s.start.column), (s.end.line, s.end.column));
        if s.kind != StatementKind::Simple || !text.ends_with(';') {
            return Err(wrong());
        }
        let around = |o: &&relyant_frontend::c::outline::StatementAt| {
            o.kind == StatementKind::Loop
                && (o.start.line, o.start.column) <= (s.start.line, s.start.column)
                && (s.end.line, s.end.column) <= (o.end.line, o.end.column)
        };
        Ok(Place {
            line: s.end.line,
            column: s.end.column,
            start: (s.start.line, s.start.column),
            loops: self.outline.statements.iter().filter(around).count() as u32,
            text,
        })
    }

    /// The text from a character to another one, both included; blanks in place of ends of lines.
    fn between(&self, from: (u32, u32), to: (u32, u32)) -> String {
        let mut out = Vec::new();
        for line in from.0..=to.0 {
            let text = self.lines.get(line as usize - 1).copied().unwrap_or("");
            let first = if line == from.0 { from.1 as usize - 1 } else { 0 };
            let last = if line == to.0 { to.1 as usize } else { text.len() };
            out.push(text.get(first.min(text.len())..last.min(text.len())).unwrap_or("").trim());
        }
        out.join(" ")
    }

    /// The text with fences. Lines stay where they are.
    pub(super) fn with(&self, fences: &BTreeSet<Place>) -> String {
        let mut insert: BTreeMap<u32, Vec<(usize, String)>> = BTreeMap::new();
        for p in fences {
            insert.entry(p.start.0).or_default().push((p.start.1 as usize - 1, "{ ".into()));
            insert.entry(p.line).or_default().push((p.column as usize, format!("{FENCE} }}")));
        }
        let mut lines = Vec::new();
        for (i, line) in self.lines.iter().enumerate() {
            let mut text = line.to_string();
            let mut here = insert.remove(&(i as u32 + 1)).unwrap_or_default();
            here.sort();
            for (at, what) in here.into_iter().rev() {
                if text.is_char_boundary(at) {
                    text.insert_str(at, &what);
                }
            }
            lines.push(text);
        }
        lines.join("\n")
    }
}

/// The difference of two texts with as many lines, in the form of `diff -u`.
pub fn diff(name: &str, before: &str, after: &str) -> String {
    const AROUND: usize = 3;
    let (a, b): (Vec<&str>, Vec<&str>) = (before.lines().collect(), after.lines().collect());
    let changed: Vec<usize> = (0..a.len().min(b.len())).filter(|i| a[*i] != b[*i]).collect();
    let mut out = format!("--- a/{name}\n+++ b/{name}\n");
    let mut k = 0;
    while k < changed.len() {
        let first = changed[k].saturating_sub(AROUND);
        let mut end = changed[k] + AROUND + 1;
        while k + 1 < changed.len() && changed[k + 1] <= end + AROUND {
            k += 1;
            end = changed[k] + AROUND + 1;
        }
        k += 1;
        let end = end.min(a.len());
        let n = end - first;
        out.push_str(&format!("@@ -{},{n} +{},{n} @@\n", first + 1, first + 1));
        let mut i = first;
        while i < end {
            if a[i] == b[i] {
                out.push_str(&format!(" {}\n", a[i]));
                i += 1;
                continue;
            }
            let run = (i..end).take_while(|j| a[*j] != b[*j]).count();
            (i..i + run).for_each(|j| out.push_str(&format!("-{}\n", a[j])));
            (i..i + run).for_each(|j| out.push_str(&format!("+{}\n", b[j])));
            i += run;
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_can_be_read_by_patch() {
        let before = "a\nb\nc\nd\ne\nf\ng\nh\ni\nj\n";
        let after = "a\nB\nc\nd\ne\nf\ng\nh\ni\nJ\n";
        let expected = "--- a/x.c\n+++ b/x.c\n@@ -1,5 +1,5 @@\n a\n-b\n+B\n c\n d\n e\n@@ -7,4 +7,4 @@\n g\n h\n i\n-j\n+J\n";
        assert_eq!(diff("x.c", before, after), expected);
    }
}
