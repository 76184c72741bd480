//! Mends what the parser does not know: comments, `$` and letters of other alphabets in identifiers, `__thread`,
//! `__auto_type`, functions without a type (`thr1() {`), `__blockattribute__((atomic))`, `x ?: y`, types as arguments,
//! attributes ([`super::places`]), declarations after labels. Each change is recorded, so that places still are those of the input.

use super::source::Source;
use super::tokens::{
    ATOMIC_BLOCK, AUTO, COMPATIBLE, INT128, SAME, Token, TokenKind, check, plain_name, scan,
};
use relyant_cfa::diagnostic::Diagnostic;

/// A replacement of `text[start..end]`.
pub(super) type Edit = (usize, usize, String);

/// Index of the token after the group that opens at `i`.
pub(super) fn skip_group(text: &str, tokens: &[Token], i: usize) -> usize {
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

fn words(text: &str, tokens: &[Token]) -> Vec<Edit> {
    let mut edits: Vec<Edit> = Vec::new();
    let s = |k: usize| tokens.get(k).map_or("", |t| &text[t.start..t.end]);
    let mut depth = 0usize;
    let mut fresh = true;
    // A struct, union or enum has been named since, and no body has followed.
    let mut tag = false;
    for k in 0..tokens.len() {
        let t = tokens[k];
        let starts_declaration = std::mem::take(&mut fresh);
        match s(k) {
            // The parameters of a function: a body that follows is its own, not that of a type before its name.
            "(" if depth == 0 && !matches!(s(k.wrapping_sub(1)), "__attribute__" | "__attribute") => {
                tag = false
            }
            "struct" | "union" | "enum" if depth == 0 => tag = true,
            _ => {}
        }
        match s(k) {
            "{" | "(" | "[" => depth += 1,
            "}" | ")" | "]" => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 && (s(k) == ";" || (s(k) == "}" && !std::mem::take(&mut tag))) {
            (fresh, tag) = (true, false);
        }
        if s(k) == "?" && s(k + 1) == ":" {
            edits.push((t.end, t.end, format!(" {SAME} ")));
        }
        if t.kind != TokenKind::Word {
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
            // `__auto_type x = e;` has the type of e.
            "__auto_type" => edits.push((t.start, t.end, format!("__typeof__({AUTO})"))),
            "__int128" | "__int128_t" | "__uint128_t" => edits.push((t.start, t.end, INT128.into())),
            "__CPROVER_bool" => edits.push((t.start, t.end, "_Bool".into())),
            "__float128" => edits.push((t.start, t.end, "_Float128".into())),
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
            w if w.bytes().any(|b| !(b == b'_' || b.is_ascii_alphanumeric())) => {
                edits.push((t.start, t.end, plain_name(w)));
            }
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
    let (tokens, pragmas) = scan(source, text)?;
    if tokens.is_empty() {
        return Err(Diagnostic::of_file(
            &source.files[0],
            "the file has no declarations",
            "give a C program",
        ));
    }
    check(source, text, &tokens)?;
    let mut all = words(text, &tokens);
    all.extend(super::places::edits(source, text, &tokens, &pragmas)?);
    all.extend(super::labels::edits(source, text, &tokens)?);
    all.extend(super::universal::edits(text, &tokens));
    // Comments go too: the parser knows none.
    let mut from = 0;
    for t in tokens.iter().map(|t| (t.start, t.end)).chain([(text.len(), text.len())]) {
        let gap = &text[from..t.0];
        if gap.contains("//") || gap.contains("/*") {
            let blank: String = gap
                .split_inclusive('\n')
                .map(|l| if l.trim_start().starts_with('#') { l.to_string() } else { blank_line(l) })
                .collect();
            if blank != gap {
                all.push((from, t.0, blank));
            }
        }
        from = t.1;
    }
    // What is put in at a place comes before what replaces the text there; an outer replacement before inner ones.
    all.sort_by_key(|e| (e.0, e.1 > e.0, std::cmp::Reverse(e.1)));
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
