//! The token pass before the parser: refuses what cannot be C, and mends what the parser does not know.
//!
//! Mended: comments, `$` in identifiers, `__thread`, `__auto_type`, functions without a type (`thr1() {`),
//! `__blockattribute__((atomic))`, `x ?: y`, types as arguments. Each change is recorded, so that places still are those of the input.

use super::source::{Source, line_marker};
use crate::diagnostic::Diagnostic;
use std::collections::BTreeMap;

/// Deepest nesting of brackets: the parser goes back at each level, so time grows fast with the depth.
const MAX_DEPTH: usize = 120;
/// Most tokens between two of `; { } ,`: the parser and what follows recurse along an expression.
const MAX_RUN: usize = 40_000;

/// Most `else` in a file: each one nests the next deeper.
const MAX_ELSE: usize = 100_000;

/// Stands for the start of an atomic block.
pub const ATOMIC_BLOCK: &str = "__relyant_atomic_block";

/// Stands for the condition's value between `?` and `:`.
pub const SAME: &str = "__relyant_same";

/// Stands for `__builtin_types_compatible_p`, with the sizes of both types as arguments.
pub const COMPATIBLE: &str = "__relyant_compatible";

/// What `$` becomes in identifiers; [`original_name`] undoes it.
const DOLLAR: &str = "__dollar__";

/// The name as the user wrote it.
pub fn original_name(name: &str) -> String {
    name.replace(DOLLAR, "$")
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    Word,
    Number,
    Text,
    Punctuation,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Token {
    pub(super) kind: Kind,
    pub(super) start: usize,
    pub(super) end: usize,
}

/// Splits a text into tokens; comments and directives are none.
pub(super) fn scan(source: &Source, text: &str) -> Result<Vec<Token>, Diagnostic> {
    let bytes = text.as_bytes();
    let fail = |at: usize, message: &str| {
        Err(source.diagnostic(source.original_span(at), message, "the input is not C"))
    };
    let word = |b: u8| b == b'_' || b == b'$' || b.is_ascii_alphanumeric();
    let mut tokens = Vec::new();
    let mut i = 0;
    let mut line_start = true;
    while i < bytes.len() {
        let b = bytes[i];
        let start = i;
        match b {
            b'\n' => {
                line_start = true;
                i += 1;
                continue;
            }
            b if b.is_ascii_whitespace() || b == 0x0b => {
                i += 1;
                continue;
            }
            b'#' if line_start => {
                let end = text[i..].find('\n').map_or(text.len(), |n| i + n);
                let line = &text[i..end];
                let rest = line[1..].trim_start();
                if line_marker(line).is_none()
                    && !(rest.is_empty() || rest.starts_with("pragma") || rest.starts_with("ident"))
                {
                    return Err(source.diagnostic(
                        source.original_span(i),
                        "a preprocessor directive in text taken as preprocessed",
                        "name the file .c to have it preprocessed",
                    ));
                }
                i = end;
                continue;
            }
            b'/' if bytes.get(i + 1) == Some(&b'/') => {
                i = text[i..].find('\n').map_or(text.len(), |n| i + n);
                continue;
            }
            b'/' if bytes.get(i + 1) == Some(&b'*') => match text[i + 2..].find("*/") {
                Some(n) => {
                    i += n + 4;
                    continue;
                }
                None => return fail(i, "this comment does not end"),
            },
            b'"' | b'\'' => {
                i += 1;
                loop {
                    match bytes.get(i) {
                        None | Some(b'\n') => {
                            let what = if b == b'"' { "string" } else { "character" };
                            return fail(start, &format!("this {what} does not end"));
                        }
                        Some(b'\\') => i += 2,
                        Some(c) if *c == b => break,
                        Some(_) => i += 1,
                    }
                }
                i += 1;
                tokens.push(Token { kind: Kind::Text, start, end: i });
            }
            b if b.is_ascii_digit() => {
                while i < bytes.len()
                    && (word(bytes[i])
                        || bytes[i] == b'.'
                        || (b"+-".contains(&bytes[i])
                            && b"eEpP".contains(&bytes[i - 1])
                            && text[start..i].len() > 1
                            && !(text[start..].starts_with("0x") && b"eE".contains(&bytes[i - 1]))))
                {
                    i += 1;
                }
                tokens.push(Token { kind: Kind::Number, start, end: i });
            }
            b if word(b) => {
                while i < bytes.len() && word(bytes[i]) {
                    i += 1;
                }
                tokens.push(Token { kind: Kind::Word, start, end: i });
            }
            b if b.is_ascii_graphic() && b != b'@' && b != b'`' && b != b'#' => {
                i += 1;
                tokens.push(Token { kind: Kind::Punctuation, start, end: i });
            }
            _ => {
                let c = text[i..].chars().next().unwrap_or('?');
                return fail(i, &format!("the character {c:?} is not part of C"));
            }
        }
        line_start = false;
    }
    Ok(tokens)
}

/// Refuses brackets that do not match, deep nesting, and expressions without end.
fn check(source: &Source, text: &str, tokens: &[Token]) -> Result<(), Diagnostic> {
    let at = |t: &Token| source.original_span(t.start);
    let mut open: Vec<&Token> = Vec::new();
    let mut run = 0usize;
    let mut elses = 0usize;
    for t in tokens {
        let s = &text[t.start..t.end];
        run = if t.kind == Kind::Punctuation && matches!(s, ";" | "{" | "}" | ",") { 0 } else { run + 1 };
        if run > MAX_RUN {
            return Err(source.diagnostic(
                at(t),
                format!("an expression of more than {MAX_RUN} tokens"),
                "split it into several statements",
            ));
        }
        if t.kind != Kind::Punctuation {
            elses += usize::from(s == "else");
            if elses > MAX_ELSE {
                return Err(source.diagnostic(at(t), format!("more than {MAX_ELSE} `else`"), "use a switch"));
            }
            continue;
        }
        match s {
            "(" | "[" | "{" => {
                open.push(t);
                if open.len() > MAX_DEPTH {
                    return Err(source.diagnostic(
                        at(t),
                        format!("brackets nested more than {MAX_DEPTH} deep"),
                        "split the expression or the function",
                    ));
                }
            }
            ")" | "]" | "}" => {
                let want = match s {
                    ")" => "(",
                    "]" => "[",
                    _ => "{",
                };
                match open.pop() {
                    Some(o) if &text[o.start..o.end] == want => {}
                    Some(o) => {
                        let line = source.original_span(o.start).line;
                        let found = &text[o.start..o.end];
                        return Err(source.diagnostic(
                            at(t),
                            format!("`{s}` where `{found}` of line {line} is still open"),
                            "",
                        ));
                    }
                    None => return Err(source.diagnostic(at(t), format!("`{s}` closes nothing"), "")),
                }
            }
            _ => {}
        }
    }
    match open.last() {
        Some(o) => {
            Err(source.diagnostic(at(o), format!("this `{}` is never closed", &text[o.start..o.end]), ""))
        }
        None => Ok(()),
    }
}

/// A replacement of `text[start..end]`.
type Edit = (usize, usize, String);

/// Index of the token after the group that opens at `i`.
fn skip_group(text: &str, tokens: &[Token], i: usize) -> usize {
    let mut depth = 0usize;
    for (k, t) in tokens.iter().enumerate().skip(i) {
        match &text[t.start..t.end] {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return k + 1;
        }
    }
    tokens.len()
}

fn edits(text: &str, tokens: &[Token]) -> Vec<Edit> {
    let mut edits: Vec<Edit> = Vec::new();
    let s = |k: usize| tokens.get(k).map_or("", |t| &text[t.start..t.end]);
    let mut depth = 0usize;
    let mut fresh = true;
    for k in 0..tokens.len() {
        let t = tokens[k];
        let starts_declaration = std::mem::take(&mut fresh);
        match s(k) {
            "{" | "(" | "[" => depth += 1,
            "}" | ")" | "]" => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 && matches!(s(k), ";" | "}") {
            fresh = true;
        }
        if s(k) == "?" && s(k + 1) == ":" {
            edits.push((t.end, t.end, format!(" {SAME} ")));
        }
        if t.kind != Kind::Word {
            continue;
        }
        match s(k) {
            "__builtin_types_compatible_p" if s(k + 1) == "(" => {
                // Types are no arguments for the parser, but their sizes are.
                let end = skip_group(text, tokens, k + 1) - 1;
                let mut comma = None;
                let mut at = k + 2;
                while at < end {
                    if s(at) == "," {
                        comma = comma.or(Some(at));
                    }
                    at = if s(at) == "(" { skip_group(text, tokens, at) } else { at + 1 };
                }
                if let Some(comma) = comma.filter(|c| *c > k + 2 && *c + 1 < end) {
                    let insert = |at: usize, text: &str| (at, at, text.to_string());
                    edits.push((t.start, t.end, COMPATIBLE.into()));
                    edits.push(insert(tokens[k + 1].end, "sizeof("));
                    edits.push(insert(tokens[comma].start, ")"));
                    edits.push(insert(tokens[comma].end, " sizeof("));
                    edits.push(insert(tokens[end].start, ")"));
                }
            }
            // A keyword for gcc, a name for the parser.
            "asm" => edits.push((t.start, t.end, "__asm__".into())),
            "__thread" | "__CPROVER_thread_local" => edits.push((t.start, t.end, "_Thread_local".into())),
            "__auto_type" => {
                // `__auto_type x = e;` has the type of e.
                let mut end = k + 3;
                while end < tokens.len() && !matches!(s(end), ";" | ",") {
                    end = if matches!(s(end), "(" | "[" | "{") {
                        skip_group(text, tokens, end)
                    } else {
                        end + 1
                    };
                }
                if s(k + 2) == "=" && k + 3 < end && end < tokens.len() {
                    let value = &text[tokens[k + 3].start..tokens[end - 1].end];
                    // The copy must hold nothing that is mended itself.
                    if !value.contains("__auto_type") && !value.contains('$') {
                        edits.push((t.start, t.end, format!("__typeof__(({value}))")));
                    }
                }
            }
            "__blockattribute__" => {
                let end = skip_group(text, tokens, k + 1).max(k + 1);
                let atomic = (k + 1..end).any(|j| matches!(s(j), "atomic" | "__atomic__"));
                let call = if atomic { format!("{ATOMIC_BLOCK}();") } else { String::new() };
                let last = tokens[end - 1].end;
                if s(end) == "{" {
                    edits.push((t.start, last, String::new()));
                    edits.push((tokens[end].end, tokens[end].end, call));
                } else {
                    edits.push((t.start, last, call));
                }
            }
            w if w.contains('$') => edits.push((t.start, t.end, w.replace('$', DOLLAR))),
            w if starts_declaration
                && depth == 0
                && s(k + 1) == "("
                && !w.starts_with("__")
                && !w.starts_with("_S") =>
            {
                let after = skip_group(text, tokens, k + 1);
                if s(after) == "{" {
                    edits.push((t.start, t.start, "int ".into()));
                }
            }
            _ => {}
        }
    }
    edits
}

/// Checks and mends a preprocessed text; the source learns what moved.
pub fn mend(source: &mut Source, text: &str) -> Result<String, Diagnostic> {
    let tokens = scan(source, text)?;
    if tokens.is_empty() {
        return Err(super::preprocess::about(
            &source.files[0],
            "the file has no declarations",
            "give a C program",
        ));
    }
    check(source, text, &tokens)?;
    let mut by_start: BTreeMap<usize, Edit> = BTreeMap::new();
    for e in edits(text, &tokens) {
        by_start.insert(e.0, e);
    }
    // Comments go too: the parser knows none.
    let mut from = 0;
    let mut comments: Vec<Edit> = Vec::new();
    for t in tokens.iter().map(|t| (t.start, t.end)).chain([(text.len(), text.len())]) {
        let gap = &text[from..t.0];
        if gap.contains("//") || gap.contains("/*") {
            let blank: String = gap
                .split_inclusive('\n')
                .map(|l| if l.trim_start().starts_with('#') { l.to_string() } else { blank_line(l) })
                .collect();
            if blank != gap {
                comments.push((from, t.0, blank));
            }
        }
        from = t.1;
    }
    let mut all: Vec<Edit> = by_start.into_values().chain(comments).collect();
    all.sort();
    let mut out = String::with_capacity(text.len());
    let mut anchors = vec![(0, 0)];
    let mut at = 0;
    for (start, end, new) in all {
        if start < at {
            continue;
        }
        out.push_str(&text[at..start]);
        anchors.push((out.len(), start));
        out.push_str(&new);
        anchors.push((out.len(), end));
        at = end;
    }
    out.push_str(&text[at..]);
    source.set_anchors(anchors);
    Ok(out)
}

fn blank_line(line: &str) -> String {
    line.chars().map(|c| if c == '\n' { '\n' } else { ' ' }).collect()
}
