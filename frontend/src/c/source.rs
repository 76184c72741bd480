//! The text that is parsed, and where each byte of it came from.

use super::join::Names;
use super::preprocess::Preprocessed;
use relyant_cfa::diagnostic::{Diagnostic, Span};
use std::collections::BTreeMap;

/// Longest gap of unknown lines that is still stored as empty lines.
const MAX_GAP: usize = 100_000;

/// A preprocessed text with its line markers read.
#[derive(Debug)]
pub struct Source {
    /// Files named by the line markers, in order.
    pub files: Vec<String>,
    /// Lines of each file, as far as known.
    pub lines: Vec<Vec<String>>,
    /// Start of each line of the preprocessed text, with its file and line.
    starts: Vec<(usize, u32, u32)>,
    /// Offsets in the parsed text and the ones in the preprocessed text they stand for, ascending.
    anchors: Vec<(usize, usize)>,
    /// Offsets in the preprocessed text and the ones in what it was before names were changed, ascending.
    written: Vec<(usize, usize)>,
    /// Names that are changed.
    pub names: Names,
}

/// The offset that one stands for.
fn through(anchors: &[(usize, usize)], offset: usize) -> usize {
    let i = anchors.partition_point(|a| a.0 <= offset).saturating_sub(1);
    let (new, old) = anchors.get(i).copied().unwrap_or((0, 0));
    let at = old.saturating_add(offset.saturating_sub(new));
    anchors.get(i + 1).map_or(at, |next| at.min(next.1.max(old)))
}

/// Reads `# 12 "file.c" 1 3` or `#line 12 "file.c"`.
pub fn line_marker(line: &str) -> Option<(u32, Option<&str>)> {
    let rest = line.trim_start().strip_prefix('#')?.trim_start();
    let rest = rest.strip_prefix("line").unwrap_or(rest).trim_start();
    let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    let number = rest[..digits].parse().ok()?;
    let rest = rest[digits..].trim();
    let name = rest.strip_prefix('"').and_then(|r| r.split('"').next());
    Some((number, name))
}

impl Source {
    /// Reads the line markers of a text.
    pub fn new(name: &str, text: &str) -> Source {
        let mut files = vec![name.to_string()];
        let mut index: BTreeMap<String, u32> = BTreeMap::from([(name.to_string(), 0)]);
        let mut lines: Vec<Vec<String>> = vec![Vec::new()];
        let mut starts = Vec::new();
        let (mut file, mut number, mut offset) = (0u32, 1u32, 0usize);
        for line in text.split_inclusive('\n') {
            let body = line.trim_end_matches(['\n', '\r']);
            starts.push((offset, file, number));
            offset += line.len();
            if let Some((n, f)) = line_marker(body) {
                number = n;
                if let Some(f) = f {
                    file = *index.entry(f.to_string()).or_insert_with(|| {
                        files.push(f.to_string());
                        lines.push(Vec::new());
                        files.len() as u32 - 1
                    });
                }
                continue;
            }
            let store = &mut lines[file as usize];
            let at = (number as usize).saturating_sub(1);
            if at < store.len() {
                // The preprocessor splits a line where a macro that spans lines ends.
                if store[at].trim().is_empty() {
                    store[at] = body.to_string();
                }
            } else if at - store.len() <= MAX_GAP {
                store.resize(at, String::new());
                store.push(body.to_string());
            }
            number = number.saturating_add(1);
        }
        Source { files, lines, starts, anchors: vec![(0, 0)], written: vec![(0, 0)], names: Names::default() }
    }

    /// Reads the line markers of what was preprocessed. `text`: the same, and perhaps more behind it.
    pub fn of(name: &str, read: &Preprocessed, text: &str) -> Source {
        let Some(joined) = &read.joined else { return Source::new(name, text) };
        let behind = text.get(read.text.len()..).unwrap_or_default();
        let mut source = Source::new(name, &(joined.written.clone() + behind));
        source.written.clone_from(&joined.anchors);
        source.names = joined.names.clone();
        for (file, lines) in source.files.iter().zip(&mut source.lines) {
            if let Some(known) = joined.lines.get(file) {
                lines.clone_from(known);
            }
        }
        source
    }

    /// Prefers texts as they are written, macros not yet expanded, to the preprocessed ones: by the names of the files.
    pub fn use_originals(&mut self, texts: &BTreeMap<String, String>) {
        for (file, lines) in self.files.iter().zip(&mut self.lines) {
            if let Some(text) = texts.get(file) {
                *lines = text.lines().map(str::to_string).collect();
            }
        }
    }

    /// Says where pieces of the parsed text came from.
    pub fn set_anchors(&mut self, anchors: Vec<(usize, usize)>) {
        self.anchors = anchors;
    }

    /// Place of a byte of the parsed text.
    pub fn span(&self, offset: usize) -> Span {
        self.original_span(self.offset(offset))
    }

    /// The byte of the preprocessed text that a byte of the parsed text stands for.
    pub fn offset(&self, offset: usize) -> usize {
        through(&self.anchors, offset)
    }

    /// The anchors of a piece of the parsed text that is moved to another place.
    pub fn copy_anchors(&self, from: usize, to: usize, new: usize, anchors: &mut Vec<(usize, usize)>) {
        anchors.push((new, self.offset(from)));
        let first = self.anchors.partition_point(|a| a.0 <= from);
        let inside = self.anchors.iter().skip(first).take_while(|a| a.0 < to);
        anchors.extend(inside.map(|(at, old)| (new + (at - from), *old)));
    }

    /// Place of a byte of the preprocessed text.
    pub fn original_span(&self, at: usize) -> Span {
        let at = through(&self.written, at);
        let i = self.starts.partition_point(|s| s.0 <= at).saturating_sub(1);
        match self.starts.get(i) {
            Some(&(start, file, line)) => {
                Span { file, line, column: u32::try_from(at - start).unwrap_or(u32::MAX - 1) + 1 }
            }
            None => Span { file: 0, line: 0, column: 0 },
        }
    }

    /// A diagnostic at a place.
    pub fn diagnostic(&self, span: Span, message: impl Into<String>, help: impl Into<String>) -> Diagnostic {
        let mut d = Diagnostic::at(span, &self.files, &self.lines, message, &help.into());
        // A macro's expansion can put the column past the end of the line as written.
        if d.source_line.as_ref().is_none_or(|l| l.len() < span.column as usize) {
            d.column = 0;
        }
        d
    }
}
