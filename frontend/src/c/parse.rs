//! Runs the parser and turns its error into a diagnostic.

use super::source::Source;
use super::words::is_reserved;
use lang_c::ast::TranslationUnit;
use lang_c::driver::{Config, Flavor, parse_preprocessed};
use relyant_cfa::diagnostic::Diagnostic;

/// Parses a mended text.
pub fn parse(source: &Source, text: String) -> Result<TranslationUnit, Diagnostic> {
    let config = Config { cpp_command: String::new(), cpp_options: Vec::new(), flavor: Flavor::GnuC11 };
    parse_preprocessed(&config, text).map(|p| p.unit).map_err(|e| {
        // The parser stops before blanks; the token after them is the one that does not fit.
        let rest = &e.source[e.offset.min(e.source.len())..];
        let offset = e.offset + (rest.len() - rest.trim_start().len());
        let token: String = next_token(&e.source[offset.min(e.source.len())..]);
        let message = if token.is_empty() {
            "syntax error: the file ends too early".to_string()
        } else {
            format!("syntax error at `{token}`")
        };
        let span = source.span(offset.min(e.source.len().saturating_sub(1)));
        source.diagnostic(span, message, help(&e.source[..offset.min(e.source.len())], &token, &e.expected))
    })
}

fn next_token(rest: &str) -> String {
    let word = |c: char| c == '_' || c.is_ascii_alphanumeric();
    let n = rest.find(|c| !word(c)).unwrap_or(rest.len());
    if n > 0 { rest[..n.min(60)].to_string() } else { rest.chars().take(1).collect() }
}

/// What may be wrong: two names in a row read as a type that is not one; else a few words out of the parser's long
/// list of what it expected.
fn help(before: &str, token: &str, set: &std::collections::HashSet<&'static str>) -> String {
    let name = |s: &str| s.starts_with(|c: char| c == '_' || c.is_ascii_alphabetic());
    let before = before.trim_end();
    let start = before.rfind(|c: char| c != '_' && !c.is_ascii_alphanumeric()).map_or(0, |i| i + 1);
    let previous = before.get(start..).unwrap_or("");
    if name(previous) && name(token) && !is_reserved(previous) && !is_reserved(token) {
        return format!("`{}` is not known as a type here", super::tokens::original_name(previous));
    }
    let mut words: Vec<&str> = set
        .iter()
        .copied()
        .filter(|w| matches!(*w, ";" | ")" | "]" | "}" | ":" | "," | "=" | "while"))
        .collect();
    words.sort_unstable();
    match words.as_slice() {
        [] => String::new(),
        words => {
            format!("expected {}", words.iter().map(|w| format!("`{w}`")).collect::<Vec<_>>().join(", "))
        }
    }
}
