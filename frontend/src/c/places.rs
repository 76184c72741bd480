//! Attributes in every place that C and Linux code put them, made ones that the parser takes.
//!
//! Harmless ones go; those between `struct` and its tag go after the body, which means the same; `[[…]]` and `_Alignas`
//! become `__attribute__`. What `#pragma pack` says is noted after each body that it governs.

use super::meanings::{Meaning, PACK, meaning};
use super::mend::{Edit, skip_group};
use super::pragmas::{self, Packing, Pragma};
use super::source::Source;
use super::tokens::{Token, TokenKind};
use super::words::is_type;
use relyant_cfa::diagnostic::Diagnostic;
use std::collections::BTreeSet;

/// A `#pragma` line: where it is, and the text after the word.
#[derive(Clone, Debug)]
pub struct PragmaLine {
    /// Its first byte in the text.
    pub at: usize,
    /// What follows `#pragma` on its line.
    pub text: String,
}

struct Pass<'t> {
    text: &'t str,
    tokens: &'t [Token],
    edits: Vec<Edit>,
    /// Braces that open the body of a struct or union.
    bodies: BTreeSet<usize>,
}

/// The replacements that attributes and pragmas need.
pub fn edits(
    source: &Source,
    text: &str,
    tokens: &[Token],
    lines: &[PragmaLine],
) -> Result<Vec<Edit>, Diagnostic> {
    let mut p = Pass { text, tokens, edits: Vec::new(), bodies: BTreeSet::new() };
    let mut packing = Packing::default();
    let mut lines = lines.iter().peekable();
    // Open braces: those of a struct or union, or others.
    let mut braces = Vec::new();
    let mut k = 0;
    while k < tokens.len() {
        while let Some(line) = lines.next_if(|l| l.at < tokens[k].start) {
            change(source, &mut packing, line)?;
        }
        match p.s(k) {
            "_Pragma" if p.s(k + 1) == "(" => {
                let end = skip_group(text, tokens, k + 1);
                let quoted = p.s(k + 2).trim_start_matches('L').trim_matches('"').replace("\\\"", "\"");
                change(source, &mut packing, &PragmaLine { at: tokens[k].start, text: quoted })?;
                p.replace(k, end, String::new());
                k = end;
                continue;
            }
            "struct" | "union" | "enum" => {
                k = p.tag(k);
                continue;
            }
            "{" => braces.push(p.bodies.contains(&k)),
            "}" => {
                if let (Some(true), Some(n)) = (braces.pop(), packing.now()) {
                    let at = tokens[k].end;
                    p.edits.push((at, at, format!(" __attribute__(({PACK}({n})))")));
                }
            }
            _ => {}
        }
        if let Some((end, kept)) = p.group(k) {
            p.replace(k, end, attribute(&kept));
            k = end;
            continue;
        }
        if matches!(p.s(k), "_Alignas" | "alignas") && p.s(k + 1) == "(" {
            let end = skip_group(text, tokens, k + 1);
            p.replace(k, end, format!("__attribute__(({}))", p.alignas(k + 1, end)));
            k = end;
            continue;
        }
        k += 1;
    }
    for line in lines {
        change(source, &mut packing, line)?;
    }
    Ok(p.edits)
}

fn change(source: &Source, packing: &mut Packing, line: &PragmaLine) -> Result<(), Diagnostic> {
    match pragmas::read(&line.text) {
        Pragma::Harmless => Ok(()),
        Pragma::Pack(changes) => {
            changes.into_iter().for_each(|c| packing.change(c));
            Ok(())
        }
        Pragma::Refused(what, help) => {
            Err(source.diagnostic(source.original_span(line.at), format!("{what} is not supported"), help))
        }
    }
}

fn attribute(kept: &[String]) -> String {
    if kept.is_empty() { String::new() } else { format!("__attribute__(({}))", kept.join(", ")) }
}

impl Pass<'_> {
    fn s(&self, k: usize) -> &str {
        self.tokens.get(k).map_or("", |t| &self.text[t.start..t.end])
    }

    fn is_word(&self, k: usize) -> bool {
        self.tokens.get(k).is_some_and(|t| t.kind == TokenKind::Word)
    }

    fn touching(&self, k: usize) -> bool {
        k + 1 < self.tokens.len() && self.tokens[k].end == self.tokens[k + 1].start
    }

    /// Replaces the tokens from one to another.
    fn replace(&mut self, from: usize, to: usize, new: String) {
        if from < to && to <= self.tokens.len() {
            self.edits.push((self.tokens[from].start, self.tokens[to - 1].end, new));
        }
    }

    /// The attributes that start at a token: where they end, and those that are not harmless.
    fn group(&self, k: usize) -> Option<(usize, Vec<String>)> {
        match self.s(k) {
            "__attribute__" | "__attribute" if self.s(k + 1) == "(" && self.s(k + 2) == "(" => {
                let end = skip_group(self.text, self.tokens, k + 1);
                Some((end, self.list(k + 3, end.saturating_sub(2), false)))
            }
            "[" if self.s(k + 1) == "[" && self.touching(k) => {
                let end = skip_group(self.text, self.tokens, k);
                Some((end, self.list(k + 2, end.saturating_sub(2), true)))
            }
            _ => None,
        }
    }

    /// The attributes between two tokens that are not harmless. `double`: as `[[…]]` has them.
    fn list(&self, mut k: usize, end: usize, double: bool) -> Vec<String> {
        let mut kept = Vec::new();
        while k < end {
            if self.s(k) == "," {
                k += 1;
                continue;
            }
            let start = k;
            let mut name = k;
            if double && self.s(k + 1) == ":" && self.s(k + 2) == ":" {
                name = k + 3;
            }
            k = name + 1;
            if self.s(k) == "(" && k < end {
                k = skip_group(self.text, self.tokens, k);
            }
            if !matches!(meaning(self.s(name)), Meaning::Harmless(_)) && name < end {
                let from = if double { name } else { start };
                let last = k.clamp(from + 1, self.tokens.len());
                kept.push(self.text[self.tokens[from].start..self.tokens[last - 1].end].to_string());
            }
        }
        kept
    }

    /// Attributes between `struct` and the tag or the body go after the body. Without a body they mean nothing.
    /// Index of the token after them.
    fn tag(&mut self, k: usize) -> usize {
        let mut kept = Vec::new();
        let mut from = k + 1;
        while let Some((end, more)) = self.group(from) {
            kept.extend(more);
            from = end;
        }
        let body = from + usize::from(self.is_word(from));
        self.replace(k + 1, from, String::new());
        if self.s(body) == "{" {
            if self.s(k) != "enum" {
                self.bodies.insert(body);
            }
            let close = skip_group(self.text, self.tokens, body) - 1;
            if !kept.is_empty() {
                let end = self.tokens[close].end;
                self.edits.push((end, end, format!(" {}", attribute(&kept))));
            }
        }
        from
    }

    /// `_Alignas(int)` and `_Alignas(8)` as an attribute; the group is that from one token to another.
    fn alignas(&self, open: usize, end: usize) -> String {
        let inside = &self.text[self.tokens[open].end..self.tokens[end - 1].start];
        if is_type(self.s(open + 1)) || self.s(end - 2) == "*" {
            format!("aligned(__alignof__({inside}))")
        } else {
            format!("aligned({inside})")
        }
    }
}
