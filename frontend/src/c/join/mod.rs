//! Several source files as one text: what is `static` gets names of its own where others use its name, and declarations
//! that they share, out of headers, stand there once.
//!
//! Definitions are never left out: what two files define is refused.

use super::source::Source;
use super::tokens::{self, Kind, Token};
use relyant_cfa::diagnostic::Diagnostic;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// A declaration or definition outside of functions.
struct Item<'t> {
    tokens: &'t [Token],
    is_static: bool,
    /// It is a function with a body, or has an initialiser.
    defines: bool,
}

/// Joins preprocessed files, each with its name.
///
/// # Errors
/// What is no text of C.
pub fn join(units: &[(String, String)]) -> Result<String, Diagnostic> {
    let mut out = String::new();
    let mut seen: BTreeSet<String> = BTreeSet::new();
    let mut read = Vec::new();
    for (name, text) in units {
        let source = Source::new(name, text);
        let (all, pragmas) = tokens::scan(&source, text)?;
        if let Some(p) =
            pragmas.iter().find(|p| super::pragmas::read(&p.text) != super::pragmas::Pragma::Harmless)
        {
            return Err(source.diagnostic(
                source.original_span(p.at),
                format!("#pragma {} in one of several files is not supported", p.text.trim()),
                "use attributes",
            ));
        }
        read.push((source, all));
    }
    let words = |k: usize| -> BTreeSet<&str> {
        let of = read[k].1.iter().filter(|t| t.kind == Kind::Word);
        of.map(|t| &units[k].1[t.start..t.end]).collect()
    };
    let words: Vec<BTreeSet<&str>> = (0..units.len()).map(words).collect();
    let mut defined: BTreeMap<&str, usize> = BTreeMap::new();
    for (k, (source, all)) in read.iter().enumerate() {
        let text = &units[k].1;
        let word = |t: &Token| &text[t.start..t.end];
        let items = items(text, all);
        // Names that another file uses for anything.
        let mut new: BTreeMap<&str, String> = BTreeMap::new();
        let elsewhere = |n: &&str| (0..units.len()).any(|j| j != k && words[j].contains(*n));
        for item in items.iter().filter(|i| i.is_static) {
            for name in declared(text, item.tokens).into_iter().filter(elsewhere) {
                new.insert(name, format!("{name}__{k}"));
            }
        }
        for item in &items {
            let Some(first) = item.tokens.first() else { continue };
            let mut piece = String::new();
            let mut at = first.start;
            for t in item.tokens {
                piece.push_str(&text[at..t.start]);
                piece.push_str(match new.get(word(t)) {
                    Some(other) if t.kind == Kind::Word => other,
                    _ => word(t),
                });
                at = t.end;
            }
            for name in declared(text, item.tokens).into_iter().filter(|_| item.defines && !item.is_static) {
                if *defined.entry(name).or_insert(k) != k {
                    let message = format!("`{name}` is defined in several files");
                    return Err(source.diagnostic(
                        source.original_span(first.start),
                        message,
                        "define it once",
                    ));
                }
            }
            let spelled: Vec<&str> = item.tokens.iter().map(word).collect();
            let once = !item.is_static && !item.defines;
            if !seen.insert(spelled.join(" ")) && once && k > 0 {
                continue;
            }
            let span = source.original_span(first.start);
            let file = source.files.get(span.file as usize).map_or("", |f| f);
            let _ =
                write!(out, "\n# {} \"{file}\"\n{}", span.line, " ".repeat(span.column.max(1) as usize - 1));
            out.push_str(&piece);
        }
    }
    out.push('\n');
    Ok(out)
}

fn items<'t>(text: &str, all: &'t [Token]) -> Vec<Item<'t>> {
    let word = |t: &Token| &text[t.start..t.end];
    let mut out = Vec::new();
    let (mut depth, mut from, mut body, mut equals) = (0usize, 0, false, false);
    for (k, t) in all.iter().enumerate() {
        let w = word(t);
        match w {
            "{" if depth == 0 => body = is_body(text, &all[from..k]),
            "=" if depth == 0 => equals = true,
            _ => {}
        }
        match w {
            "{" | "(" | "[" => depth += 1,
            "}" | ")" | "]" => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 && (w == ";" || w == "}" && body) {
            let tokens = &all[from..=k];
            let head = tokens.iter().map(word).take_while(|w| !matches!(*w, "(" | "{" | "="));
            let head: Vec<&str> = head.collect();
            let is_static = head.contains(&"static");
            let inline = ["inline", "__inline", "__inline__"].iter().any(|w| head.contains(w));
            out.push(Item { tokens, is_static, defines: equals || body && !inline });
            (from, body, equals) = (k + 1, false, false);
        }
    }
    if from < all.len() {
        out.push(Item { tokens: &all[from..], is_static: false, defines: true });
    }
    out
}

/// Does a function's body follow these tokens?
fn is_body(text: &str, before: &[Token]) -> bool {
    let word = |t: &Token| &text[t.start..t.end];
    let ends = before.last().is_some_and(|t| word(t) == ")");
    // `struct __attribute__((packed)) {`
    let record = before.windows(2).any(|w| {
        matches!(word(&w[0]), "struct" | "union" | "enum") && word(&w[1]).starts_with("__attribute")
    });
    ends && !record
}

/// The names that a declaration declares, as far as they stand outside of brackets.
fn declared<'s>(text: &'s str, tokens: &[Token]) -> Vec<&'s str> {
    let word = |t: &Token| &text[t.start..t.end];
    let mut depth = 0usize;
    let mut out = Vec::new();
    for (k, t) in tokens.iter().enumerate() {
        match word(t) {
            "{" | "(" | "[" => depth += 1,
            "}" | ")" | "]" => depth = depth.saturating_sub(1),
            w if depth == 0 && t.kind == Kind::Word && !w.starts_with("__attribute") => {
                let next = tokens.get(k + 1).map_or("", word);
                if matches!(next, "(" | "=" | "[" | "," | ";") {
                    out.push(w);
                    // A function's own names stay inside of it.
                    if next == "(" {
                        break;
                    }
                }
            }
            _ => {}
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shared_declarations_once_and_statics_apart() {
        let a = "# 1 \"h.h\"\nstruct s { int x; };\nextern int f(struct s *p);\n# 2 \"a.c\"\nstatic int n = 1;\nint g(void) { return n; }\n";
        let b = "# 1 \"h.h\"\nstruct s { int x; };\nextern int f(struct s *p);\n# 2 \"b.c\"\nstatic int n = 1;\nint f(struct s *p) { return p->x + n; }\n";
        let both = join(&[("a.c".into(), a.into()), ("b.c".into(), b.into())]).unwrap();
        assert_eq!(both.matches("struct s {").count(), 1, "{both}");
        assert_eq!(both.matches("extern int f").count(), 1, "{both}");
        assert!(both.contains("static int n__0 = 1;") && both.contains("p->x + n__1"), "{both}");
        assert!(both.contains("# 3 \"b.c\"\nint f"), "{both}");
        // A definition stands in one of them.
        let unit = |name: &str, text: &str| (name.to_string(), text.to_string());
        let twice = [unit("a.c", "int n = 1;"), unit("b.c", "int m;\nint n = 1;")];
        assert_eq!(join(&twice).unwrap_err().line, 2);
        let both = [unit("a.c", "void f(void) { int n = 1; }"), unit("b.c", "int n = 1;")];
        assert!(join(&both).is_ok());
    }
}
