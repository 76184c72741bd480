//! Runs the parser and turns its error into a diagnostic.

use super::source::Source;
use crate::diagnostic::Diagnostic;
use lang_c::ast::TranslationUnit;
use lang_c::driver::{Config, Flavor, parse_preprocessed};

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
        source.diagnostic(span, message, expected(&e.expected))
    })
}

fn next_token(rest: &str) -> String {
    let word = |c: char| c == '_' || c.is_ascii_alphanumeric();
    let n = rest.find(|c| !word(c)).unwrap_or(rest.len());
    if n > 0 { rest[..n.min(60)].to_string() } else { rest.chars().take(1).collect() }
}

/// A few words out of the parser's long list.
fn expected(set: &std::collections::HashSet<&'static str>) -> String {
    let mut words: Vec<&str> = set
        .iter()
        .copied()
        .filter(|w| matches!(*w, ";" | ")" | "]" | "}" | ":" | "," | "=" | "while"))
        .collect();
    words.sort_unstable();
    if words.is_empty() {
        "an unknown type name or a compiler extension reads like this; declare the type first".to_string()
    } else {
        format!("expected {}", words.iter().map(|w| format!("`{w}`")).collect::<Vec<_>>().join(", "))
    }
}
