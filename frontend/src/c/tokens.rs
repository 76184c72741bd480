//! Tokens of a preprocessed text, and a refusal of what cannot be C. What the parser does not know is mended in
//! [`super::mend`].

use super::places::PragmaLine;
use super::source::{Source, line_marker};
use relyant_cfa::diagnostic::Diagnostic;

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

/// Stands in `typeof` for the type of what the declaration starts with: `__auto_type`.
pub const AUTO: &str = "__relyant_auto";

/// The parser's name for a type that there is none of: stands for `__int128`.
pub const INT128: &str = "_Decimal64x";

/// What `$` becomes in identifiers; [`original_name`] undoes it.
const DOLLAR: &str = "__dollar__";
/// What is before the number of a character that is not of ASCII in an identifier, and after it.
const CHARACTER: (&str, &str) = ("__char", "__");

/// The name as the user wrote it.
pub fn original_name(name: &str) -> String {
    let name = name.replace(DOLLAR, "$");
    let mut out = String::new();
    let mut rest = name.as_str();
    while let Some(i) = rest.find(CHARACTER.0) {
        let (before, after) = (&rest[..i], &rest[i + CHARACTER.0.len()..]);
        out.push_str(before);
        let digits =
            after.find(CHARACTER.1).and_then(|n| Some((n, u32::from_str_radix(&after[..n], 16).ok()?)));
        match digits.and_then(|(n, code)| Some((n, char::from_u32(code)?))) {
            Some((n, c)) => {
                out.push(c);
                rest = &after[n + CHARACTER.1.len()..];
            }
            None => {
                out.push_str(CHARACTER.0);
                rest = after;
            }
        }
    }
    out + rest
}

/// The name as the parser takes it: without `$`, other characters and their universal names.
pub(super) fn plain_name(word: &str) -> String {
    let mut out = String::new();
    let mut rest = word;
    let character = |c: char| format!("{}{:x}{}", CHARACTER.0, u32::from(c), CHARACTER.1);
    while let Some(c) = rest.chars().next() {
        match universal(rest) {
            Some((c, n)) => {
                out.push_str(&character(c));
                rest = &rest[n..];
                continue;
            }
            None if c == '$' => out.push_str(DOLLAR),
            None if c.is_ascii() => out.push(c),
            None => out.push_str(&character(c)),
        }
        rest = &rest[c.len_utf8()..];
    }
    out
}

/// The universal character name that a text starts with (`\u00e9`), and its length.
pub(super) fn universal(text: &str) -> Option<(char, usize)> {
    let digits = match text.as_bytes() {
        [b'\\', b'u', ..] => 4,
        [b'\\', b'U', ..] => 8,
        _ => return None,
    };
    let hex = text.get(2..2 + digits).filter(|d| d.bytes().all(|b| b.is_ascii_hexdigit()))?;
    Some((char::from_u32(u32::from_str_radix(hex, 16).ok()?)?, 2 + digits))
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum TokenKind {
    Word,
    Number,
    Text,
    Punctuation,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Token {
    pub(super) kind: TokenKind,
    pub(super) start: usize,
    pub(super) end: usize,
}

/// Whether a text splits into tokens.
pub(super) fn splits(name: &str, text: &str) -> bool {
    scan(&Source::new(name, text), text).is_ok()
}

/// Splits a text into tokens, and its pragmas; comments and directives are none.
pub(super) fn scan(source: &Source, text: &str) -> Result<(Vec<Token>, Vec<PragmaLine>), Diagnostic> {
    let bytes = text.as_bytes();
    let fail = |at: usize, message: &str| {
        Err(source.diagnostic(source.original_span(at), message, "the input is not C"))
    };
    let mut tokens = Vec::new();
    let mut pragmas = Vec::new();
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
                pragmas.extend(directive(source, i, &text[i..end])?);
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
                let Some(end) = quoted(bytes, i) else {
                    let what = if b == b'"' { "string" } else { "character" };
                    return fail(start, &format!("this {what} does not end"));
                };
                i = end;
                tokens.push(Token { kind: TokenKind::Text, start, end: i });
            }
            b if b.is_ascii_digit() => {
                i = number(text, i);
                tokens.push(Token { kind: TokenKind::Number, start, end: i });
            }
            b if word(b) || letter(&text[i..]).is_some() => {
                while i < bytes.len() {
                    match letter(&text[i..]) {
                        _ if word(bytes[i]) => i += 1,
                        Some(n) => i += n,
                        None => break,
                    }
                }
                tokens.push(Token { kind: TokenKind::Word, start, end: i });
            }
            b if b.is_ascii_graphic() && b != b'@' && b != b'`' && b != b'#' => {
                i += 1;
                tokens.push(Token { kind: TokenKind::Punctuation, start, end: i });
            }
            _ => {
                let c = text[i..].chars().next().unwrap_or('?');
                return fail(i, &format!("the character {c:?} is not part of C"));
            }
        }
        line_start = false;
    }
    Ok((tokens, pragmas))
}

/// May a byte be in an identifier?
fn word(b: u8) -> bool {
    b == b'_' || b == b'$' || b.is_ascii_alphanumeric()
}

/// A line that begins with `#`, at a byte: a pragma, or a marker of the preprocessor.
fn directive(source: &Source, at: usize, line: &str) -> Result<Option<PragmaLine>, Diagnostic> {
    let rest = line[1..].trim_start();
    if line_marker(line).is_none()
        && !(rest.is_empty() || rest.starts_with("pragma") || rest.starts_with("ident"))
    {
        return Err(source.diagnostic(
            source.original_span(at),
            "a preprocessor directive in text taken as preprocessed",
            "name the file .c to have it preprocessed",
        ));
    }
    Ok(rest.strip_prefix("pragma").map(|said| PragmaLine { at, text: said.to_string() }))
}

/// Where a string or a character that begins here ends; nowhere if not in its line.
fn quoted(bytes: &[u8], start: usize) -> Option<usize> {
    let mut i = start + 1;
    loop {
        match bytes.get(i) {
            None | Some(b'\n') => return None,
            Some(b'\\') => i += 2,
            Some(c) if *c == bytes[start] => return Some(i + 1),
            Some(_) => i += 1,
        }
    }
}

/// Where a number that begins here ends (C11 6.4.8).
fn number(text: &str, start: usize) -> usize {
    let bytes = text.as_bytes();
    let mut i = start;
    while i < bytes.len()
        && (word(bytes[i])
            || bytes[i] == b'.'
            || (b"+-".contains(&bytes[i])
                && b"eEpP".contains(&bytes[i - 1])
                && i - start > 1
                && !(text[start..].starts_with("0x") && b"eE".contains(&bytes[i - 1]))))
    {
        i += 1;
    }
    i
}

/// The length of a character that identifiers may have and that is not of ASCII, or of its universal name.
fn letter(text: &str) -> Option<usize> {
    let c = text.chars().next().filter(|c| !c.is_ascii());
    match c {
        Some(c) => may_be_in_name(c).then(|| c.len_utf8()),
        None => universal(text).filter(|(c, _)| may_be_in_name(*c)).map(|(_, n)| n),
    }
}

/// As in annex D of C11, but for the few marks that only letters of other planes have.
fn may_be_in_name(c: char) -> bool {
    !c.is_ascii() && (c.is_alphanumeric() || ('\u{300}'..='\u{36f}').contains(&c) || c > '\u{ffff}')
}

/// Refuses brackets that do not match, deep nesting, and expressions without end.
pub(super) fn check(source: &Source, text: &str, tokens: &[Token]) -> Result<(), Diagnostic> {
    let at = |t: &Token| source.original_span(t.start);
    let mut open: Vec<&Token> = Vec::new();
    let mut run = 0usize;
    let mut elses = 0usize;
    for t in tokens {
        let s = &text[t.start..t.end];
        run =
            if t.kind == TokenKind::Punctuation && matches!(s, ";" | "{" | "}" | ",") { 0 } else { run + 1 };
        if run > MAX_RUN {
            return Err(source.diagnostic(
                at(t),
                format!("an expression of more than {MAX_RUN} tokens"),
                "split it into several statements",
            ));
        }
        if t.kind != TokenKind::Punctuation {
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
