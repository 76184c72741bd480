//! Fences as text: behind statements, in the lines where these are.

use relyant_cfa::diagnostic::Diagnostic;
use relyant_frontend::c::outline::{Outline, StatementAt, StatementKind};
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
    /// Its last line and column where macros are expanded.
    pub(super) expanded: (u32, u32),
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
            let closed = if p.expanded.0 == line { FENCE.len() as u32 + 2 } else { 0 };
            (p.start, opened * 2, p.expanded, closed)
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
            let what = "a fence is needed behind a store that is no statement of its own, or is behind a macro in its line";
            let mut d =
                Diagnostic::of_file(name, what, "write the store as a statement, in a line of its own");
            (d.line, d.column) = (line, column);
            d
        };
        let file = self.outline.file(name).unwrap_or(0);
        // What a macro is expanded to is a part of the statement that has it.
        let around = self.outline.statements_at(file, line, at).filter(|s| s.kind == StatementKind::Simple);
        let whole = |s: &'_ StatementAt| {
            let start = self.first_of((s.start.line, s.start.column))?;
            let end = self.end_of(start)?;
            let is_one = end == (s.end.line, s.end.column) || self.may_begin_at(start);
            is_one.then(|| (s.clone(), start, end))
        };
        let (s, start, end) = around.filter_map(whole).last().ok_or_else(wrong)?;
        let text = self.between(start, end);
        let around = |o: &&StatementAt| {
            o.kind == StatementKind::Loop
                && (o.start.line, o.start.column) <= (s.start.line, s.start.column)
                && (s.end.line, s.end.column) <= (o.end.line, o.end.column)
        };
        Ok(Place {
            line: end.0,
            column: end.1,
            start,
            loops: self.outline.statements.iter().filter(around).count() as u32,
            text,
            expanded: (s.end.line, s.end.column),
        })
    }

    /// The first character from one on that is no blank: macros of the system's headers are read a column early.
    fn first_of(&self, (line, column): (u32, u32)) -> Option<(u32, u32)> {
        let at = (column as usize).checked_sub(1)?;
        let behind = self.lines.get((line as usize).checked_sub(1)?)?.get(at..)?;
        Some((line, column + (behind.len() - behind.trim_start().len()) as u32))
    }

    /// The semicolon that ends what begins at a character: the first one outside of brackets, texts and comments.
    fn end_of(&self, (line, column): (u32, u32)) -> Option<(u32, u32)> {
        let mut depth = 0i32;
        let mut comment = false;
        for (i, text) in self.lines.iter().enumerate().skip((line as usize).checked_sub(1)?) {
            let bytes = text.as_bytes();
            let mut k = if i + 1 == line as usize { (column as usize).checked_sub(1)? } else { 0 };
            while let Some(c) = bytes.get(k) {
                match (c, bytes.get(k + 1)) {
                    (b'*', Some(b'/')) if comment => (comment, k) = (false, k + 1),
                    _ if comment => {}
                    (b'/', Some(b'*')) => (comment, k) = (true, k + 1),
                    (b'/', Some(b'/')) => break,
                    (b'"' | b'\'', _) => {
                        k += 1;
                        while bytes.get(k).is_some_and(|x| x != c) {
                            k += if bytes[k] == b'\\' { 2 } else { 1 };
                        }
                    }
                    (b'(' | b'[' | b'{', _) => depth += 1,
                    (b')' | b']' | b'}', _) if depth == 0 => return None,
                    (b')' | b']' | b'}', _) => depth -= 1,
                    (b';', _) if depth == 0 => return Some((i as u32 + 1, k as u32 + 1)),
                    _ => {}
                }
                k += 1;
            }
        }
        None
    }

    /// Is a statement possible here? Columns are those of the text with macros expanded, which differ behind one.
    fn may_begin_at(&self, (line, column): (u32, u32)) -> bool {
        let (Some(text), Some(at)) = (self.lines.get(line as usize - 1), (column as usize).checked_sub(1))
        else {
            return false;
        };
        let Some((before, behind)) = text.split_at_checked(at) else { return false };
        let before = before.trim_end();
        let ends = before.is_empty()
            || before.ends_with([';', '{', '}', ':', ')'])
            || before.ends_with("else")
            || before.ends_with("do");
        ends && behind.starts_with(|c: char| c.is_ascii_alphabetic() || "_*(".contains(c))
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
    fn a_statement_ends_with_its_semicolon() {
        let text = "  put(\"a;\\\"\", ';' /* ; */, // ;\n    ({ x; })); y = 1;\n}";
        let source = Source::new(text, Outline::default());
        assert_eq!(source.end_of((1, 3)), Some((2, 14)));
        assert_eq!(source.end_of((2, 16)), Some((2, 21)));
        assert_eq!(source.end_of((3, 1)), None);
        assert!(source.may_begin_at((1, 3)) && source.may_begin_at((2, 16)));
        assert!(
            !source.may_begin_at((1, 4)) && !source.may_begin_at((2, 18)) && !source.may_begin_at((9, 1))
        );
    }

    #[test]
    fn a_difference_can_be_read_by_patch() {
        let before = "a\nb\nc\nd\ne\nf\ng\nh\ni\nj\n";
        let after = "a\nB\nc\nd\ne\nf\ng\nh\ni\nJ\n";
        let expected = "--- a/x.c\n+++ b/x.c\n@@ -1,5 +1,5 @@\n a\n-b\n+B\n c\n d\n e\n@@ -7,4 +7,4 @@\n g\n h\n i\n-j\n+J\n";
        assert_eq!(diff("x.c", before, after), expected);
    }
}
