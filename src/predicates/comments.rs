//! Predicates in comments of a source: `/*@ predicate: next - serving <= 1 */` and `//@ predicate: x == y; y >= 0`.

use super::{Predicate, conjuncts};
use relyant_cfa::comments::comments;
use relyant_cfa::diagnostic::Diagnostic;

const HELP: &str = "write comparisons of sums: x - y <= 1; x == 2*y";

/// The predicates in a source's comments, several in one apart by `;`. Other comments that begin with `@` are somebody else's.
///
/// # Errors
/// What is no comparison, with its line and column.
pub fn of_source(file: &str, text: &str) -> Result<Vec<Predicate>, Diagnostic> {
    let mut out = Vec::new();
    for (start, comment) in comments(text) {
        let Some(list) = list(comment) else { continue };
        let from = start + (comment.len() - list.len());
        let mut at = 0;
        for one in list.split(';') {
            let place = from + at + (one.len() - one.trim_start().len());
            at += one.len() + 1;
            if one.trim().is_empty() {
                continue;
            }
            let line = 1 + text[..place].matches('\n').count() as u32;
            let wrong = |e: relyant_check::certificate::TextError| {
                let begin = text[..place].rfind('\n').map_or(0, |i| i + 1);
                Diagnostic {
                    line,
                    column: text[begin..place].chars().count() as u32 + 1,
                    source_line: text[begin..].lines().next().map(String::from),
                    ..Diagnostic::of_file(file, format!("this is no predicate: {e}"), HELP)
                }
            };
            let place = Some((file.to_string(), line));
            let all = conjuncts(one).map_err(wrong)?;
            out.extend(all.into_iter().map(|text| Predicate { text, place: place.clone() }));
        }
    }
    Ok(out)
}

/// What stands behind `@ predicate:`.
fn list(comment: &str) -> Option<&str> {
    let rest = comment.strip_prefix('@')?.trim_start().strip_prefix("predicate")?;
    rest.trim_start().strip_prefix(':')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(source: &str) -> Vec<(String, u32)> {
        let all = of_source("a.c", source).expect("predicates");
        all.into_iter().map(|p| (p.text, p.place.map_or(0, |x| x.1))).collect()
    }

    #[test]
    fn comments_have_predicates() {
        let source = "int x; /*@ predicate: x <= 1;\n  x == 2*y && y >= 0 */\nint f(void) { //@ predicate : f::i < x\n/* @ no */ }\n";
        let expected = [("x <= 1", 1), ("x == 2*y", 2), ("y >= 0", 2), ("f::i < x", 3)];
        assert_eq!(texts(source), expected.map(|(t, l)| (t.to_string(), l)));
    }

    #[test]
    fn what_is_no_such_comment_has_none() {
        for source in [
            "char *s = \"/*@ predicate: x */\";",
            "char c = '\"'; /* /*@ predicate: ? */",
            "//* @\n/*@ predicate p(int x) = x > 0; */",
            "/*@ assert x; */ /*@",
            "'\\",
        ] {
            assert_eq!(texts(source), [], "{source}");
        }
    }

    #[test]
    fn what_is_no_comparison_is_told_with_its_place() {
        let d = of_source("a.c", "int x;\n  /*@ predicate: x <= 1;\n   x ++ */\n").unwrap_err();
        assert_eq!((d.file.as_str(), d.line, d.column), ("a.c", 3, 4), "{d}");
        assert_eq!(d.source_line.as_deref(), Some("   x ++ */"));
    }
}
