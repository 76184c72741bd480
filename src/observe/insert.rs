//! Puts words before statements of a C text. Lines stay where they are.
//!
//! The text is the author's own, so that the compiler reads what the author wrote. A statement gets its words in a block around both,
//! a loop inside of its condition. Where macros have moved things, the text has no such statement at its place, and gets nothing.

use relyant_cfa::diagnostic::Span;
use relyant_frontend::c::outline::{Outline, StatementAt, StatementKind};
use std::collections::{BTreeMap, BTreeSet};

/// A source, and what is known of its places.
pub(super) struct Text<'a> {
    text: &'a [u8],
    outline: &'a Outline,
    /// First byte of each line.
    lines: Vec<usize>,
    /// By byte: is it code, no comment, no literal, no directive?
    code: Vec<bool>,
    /// Statements that begin where another one does, as in macros that stand for several.
    double: BTreeSet<usize>,
}

/// Where words for a statement go.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Spot {
    /// Around it, from its first byte to behind its last.
    Around(usize, usize),
    /// Before a declaration.
    Before(usize),
    /// Before a condition.
    Condition(usize),
}

impl<'a> Text<'a> {
    pub(super) fn new(text: &'a [u8], outline: &'a Outline) -> Text<'a> {
        let mut lines = vec![0];
        lines.extend(text.iter().enumerate().filter(|(_, b)| **b == b'\n').map(|(i, _)| i + 1));
        let mut first: BTreeMap<(u32, u32, u32), usize> = BTreeMap::new();
        let mut double = BTreeSet::new();
        for (i, s) in outline.statements.iter().enumerate().filter(|(_, s)| s.kind != StatementKind::Group) {
            if let Some(other) = first.insert((s.start.file, s.start.line, s.start.column), i) {
                double.extend([i, other]);
            }
        }
        Text { text, outline, lines, code: code(text), double }
    }

    fn byte(&self, at: Span) -> Option<usize> {
        let line = *self.lines.get(at.line.checked_sub(1)? as usize)?;
        let byte = line + at.column.checked_sub(1)? as usize;
        let end = self.lines.get(at.line as usize).copied().unwrap_or(self.text.len());
        (byte < end && self.code[byte]).then_some(byte)
    }

    fn begins_with(&self, at: usize, word: &str) -> bool {
        let rest = &self.text[at..];
        rest.starts_with(word.as_bytes()) && !rest.get(word.len()).is_some_and(|b| is_word(*b))
    }

    /// The place of a statement's words.
    pub(super) fn spot(&self, index: usize) -> Option<Spot> {
        let s = self.outline.statements.get(index)?;
        let start = self.byte(s.start)?;
        let before = start.checked_sub(1).is_some_and(|b| is_word(self.text[b]));
        if before && is_word(self.text[start]) || self.double.contains(&index) {
            return None;
        }
        match s.kind {
            StatementKind::Group => None,
            StatementKind::Loop => self.condition(s, start),
            StatementKind::Branch => {
                let known = ["if", "switch"].iter().any(|w| self.begins_with(start, w));
                self.around(s, start).filter(|_| known)
            }
            StatementKind::Simple => self.around(s, start),
            StatementKind::Declaration => self.around(s, start).map(|_| Spot::Before(start)),
        }
    }

    /// From a statement's first byte to its end, if they enclose one.
    fn around(&self, s: &StatementAt, start: usize) -> Option<Spot> {
        let end = self.byte(s.end)?;
        let last = self.text[end];
        if end < start || !matches!(last, b';' | b'}') {
            return None;
        }
        let mut depth = 0i32;
        let mut ends = 0;
        for i in (start..=end).filter(|i| self.code[*i]) {
            match self.text[i] {
                b'(' | b'[' | b'{' => depth += 1,
                b')' | b']' | b'}' => depth -= 1,
                b';' if depth == 0 => ends += 1,
                _ => {}
            }
            if depth < 0 {
                return None;
            }
        }
        // Branches may have several, with `else` in between.
        let one = s.kind == StatementKind::Branch || (ends == 1 && last == b';');
        (depth == 0 && one).then_some(Spot::Around(start, end + 1))
    }

    /// Where a loop's condition begins.
    fn condition(&self, s: &StatementAt, start: usize) -> Option<Spot> {
        let mut depth = 0;
        let is_for = self.begins_with(start, "for");
        if !is_for && !self.begins_with(start, "while") || is_for && s.condition.is_none() {
            return None;
        }
        for i in (start..self.text.len()).filter(|i| self.code[*i]) {
            match self.text[i] {
                b'(' | b'[' | b'{' => depth += 1,
                b')' | b']' | b'}' => depth -= 1,
                b';' if is_for && depth == 1 => return Some(Spot::Condition(i + 1)),
                _ => {}
            }
            if !is_for && depth == 1 {
                return Some(Spot::Condition(i + 1));
            }
        }
        None
    }

    /// The bytes of a part of the text.
    pub(super) fn part(&self, from: usize, to: usize) -> &'a [u8] {
        self.text.get(from..to).unwrap_or_default()
    }

    /// The text with words at its places: before it, and where it is around something also behind that.
    pub(super) fn with(&self, words: &[(Spot, String, String)]) -> Vec<u8> {
        // Outer ones open first and close last.
        let mut edits: Vec<(usize, u8, usize, String)> = Vec::new();
        for (spot, word, after) in words {
            match *spot {
                Spot::Around(start, end) => {
                    edits.push((start, 1, usize::MAX - end, format!("{{ {word} ")));
                    edits.push((end, 0, usize::MAX - start, format!("{after} }}")));
                }
                Spot::Before(at) => edits.push((at, 1, 0, format!("{word} "))),
                Spot::Condition(at) => {
                    edits.push((at, 1, usize::MAX, format!("{} ", word.replace(';', ","))))
                }
            }
        }
        edits.sort();
        let mut out = Vec::with_capacity(self.text.len() * 2);
        let mut at = 0;
        for (to, _, _, word) in edits {
            out.extend_from_slice(self.part(at, to));
            out.extend_from_slice(word.as_bytes());
            at = to;
        }
        out.extend_from_slice(self.part(at, self.text.len()));
        out
    }
}

fn is_word(b: u8) -> bool {
    b.is_ascii_alphanumeric() || b == b'_'
}

/// Which bytes of a C text are code.
fn code(text: &[u8]) -> Vec<bool> {
    let mut out = vec![true; text.len()];
    let mut i = 0;
    let mut line_is_empty = true;
    while i < text.len() {
        let from = i;
        let rest = &text[i..];
        let is_code = match rest[0] {
            b'/' if rest.starts_with(b"//") => {
                i = end_of_line(text, i);
                false
            }
            b'/' if rest.starts_with(b"/*") => {
                let end = rest.windows(2).skip(2).position(|w| w == b"*/");
                i = end.map_or(text.len(), |n| i + n + 4);
                false
            }
            b'#' if line_is_empty => {
                i = end_of_line(text, i);
                false
            }
            quote @ (b'"' | b'\'') => {
                i += 1;
                while i < text.len() && text[i] != quote && text[i] != b'\n' {
                    i += if text[i] == b'\\' { 2 } else { 1 };
                }
                i += 1;
                false
            }
            b'\n' => {
                i += 1;
                line_is_empty = true;
                true
            }
            b => {
                i += 1;
                line_is_empty &= b.is_ascii_whitespace();
                true
            }
        };
        i = i.min(text.len());
        if !is_code {
            out[from..i].fill(false);
        }
    }
    out
}

/// Where a line ends, with those that go on in the next one.
fn end_of_line(text: &[u8], from: usize) -> usize {
    let mut i = from;
    while i < text.len() && text[i] != b'\n' {
        i += if text[i] == b'\\' { 2 } else { 1 };
    }
    i.min(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use relyant_cfa::options::Options;
    use relyant_frontend::c;

    fn spots(text: &str) -> String {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("a.c");
        std::fs::write(&file, text).expect("a file");
        let outline = c::outline(&file, &Options::default()).expect("it is C");
        let source = Text::new(text.as_bytes(), &outline);
        let all = (0..outline.statements.len()).filter(|i| outline.statements[*i].start.file == 0);
        let words: Vec<(Spot, String, String)> =
            all.filter_map(|i| Some((source.spot(i)?, "W;".into(), String::new()))).collect();
        String::from_utf8(source.with(&words)).expect("UTF-8")
    }

    #[test]
    fn words_come_before_each_statement() {
        let text = "int x;\nint main(void) {\n  int i = 0; // a; b\n  if (x) x = 1; else { x = 2; }\n  while (x < 3) x++;\n  for (i = 0; i < 2; i++)\n    ;\nL: x = ';';\n  return 0;\n}\n";
        let want = "int x;\nint main(void) {\n  W; int i = 0; // a; b\n  { W; if (x) { W; x = 1; } else { { W; x = 2; } } }\n  while (W, x < 3) { W; x++; }\n  for (i = 0;W,  i < 2; i++)\n    { W; ; }\nL: { W; x = ';'; }\n  { W; return 0; }\n}\n";
        assert_eq!(spots(text), want);
    }

    #[test]
    fn what_a_macro_stands_for_is_left_alone() {
        let text = "#define TWO(a) a = 1; a = 2\n#define IF if (x)\nint x;\nint main(void) {\n  if (x) TWO(x);\n  IF x = 1;\n  return 0;\n}\n";
        let said = spots(text);
        assert!(said.contains("{ W; if (x) TWO(x); }\n"), "{said}");
        assert!(said.contains("\n  IF"), "{said}");
    }
}
