//! Several source files as one text: what is `static` gets names of its own where others use its name, so do types that
//! differ, and declarations that they share, out of headers, stand there once. [`Names`] is the way back.
//!
//! Definitions are never left out: what two files define is refused.

mod items;
mod names;
mod spelling;
mod types;

pub use names::Names;

use super::source::Source;
use super::tokens::{self, TokenKind};
use items::{Item, declared, items};
use relyant_cfa::diagnostic::Diagnostic;
use spelling::spell;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use types::{Renamed, Space};

/// A joined text, and what its files have in its place.
#[derive(Clone, Debug, Default)]
pub struct Joined {
    /// The same text with the names of the files.
    pub written: String,
    /// Where pieces of the joined text begin, and where the same ones do in `written`; ascending.
    pub anchors: Vec<(usize, usize)>,
    /// The names that are changed.
    pub names: Names,
    /// The lines of all files, by name, as far as known.
    pub lines: BTreeMap<String, Vec<String>>,
}

/// A file that is read.
struct Unit<'u> {
    name: &'u str,
    text: &'u str,
    source: &'u Source,
    items: Vec<Item<'u>>,
    words: BTreeSet<&'u str>,
}

impl Unit<'_> {
    /// The tokens of an item with new names, one blank between two.
    fn spelled(&self, item: &Item, new: &Renamed) -> String {
        let all: Vec<&str> = spell(self.text, item.tokens, new).into_iter().map(|x| x.1).collect();
        all.join(" ")
    }
}

/// Joins preprocessed files, each with its name: the text, and how it is in the files.
///
/// # Errors
/// What is no text of C, or is defined twice.
pub fn join(units: &[(String, String)]) -> Result<(String, Joined), Diagnostic> {
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
    let mut all = Vec::new();
    for ((name, text), (source, tokens)) in units.iter().zip(&read) {
        let words = tokens.iter().filter(|t| t.kind == TokenKind::Word).map(|t| &text[t.start..t.end]);
        all.push(Unit { name, text, source, items: items(text, tokens), words: words.collect() });
    }
    let units = all;
    let mut joined = Joined::default();
    let renamed = renamed(&units, &mut joined.names);
    let text = write(&units, &renamed, &mut joined)?;
    for (file, lines) in units.iter().flat_map(|u| u.source.files.iter().zip(&u.source.lines)) {
        let kept = joined.lines.entry(file.clone()).or_default();
        kept.resize(kept.len().max(lines.len()), String::new());
        // What one file does not have of a header, as macros have it, another may.
        for (line, text) in kept.iter_mut().zip(lines).filter(|(line, _)| line.trim().is_empty()) {
            line.clone_from(text);
        }
    }
    Ok((text, joined))
}

/// The new names of each file, and what they stand for.
fn renamed(units: &[Unit], names: &mut Names) -> Vec<Renamed> {
    let fresh = |name: &str, k: usize| {
        let mut new = format!("{name}__{k}");
        while units.iter().any(|u| u.words.contains(new.as_str())) {
            new.push('_');
        }
        new
    };
    let mut all = types::rename(units, &fresh);
    for ((_, name), new) in all.iter().flatten() {
        names.add(new, name, None);
    }
    let mut places: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    let of_unit: Vec<Vec<(&Item, Vec<&str>)>> =
        units.iter().map(|u| u.items.iter().map(|i| (i, declared(u.text, i.tokens))).collect()).collect();
    // A function of a header is the same one for people, however many files have it.
    for (k, unit) in units.iter().enumerate() {
        for (item, declares) in of_unit[k].iter().filter(|(i, _)| !i.is_typedef) {
            let at = unit.source.original_span(item.tokens.first().map_or(0, |t| t.start));
            let shared = item.is_static && item.has_body && at.file > 0;
            let place = if item.is_static && !shared {
                k.to_string()
            } else if shared {
                format!("{}:{}", unit.source.files.get(at.file as usize).map_or("", |f| f), at.line)
            } else {
                String::new()
            };
            for name in declares {
                places.entry(name).or_default().insert(place.clone());
            }
        }
    }
    for (k, unit) in units.iter().enumerate() {
        let base = |name: &str| name.rsplit('/').next().unwrap_or(name).to_string();
        let alike = units.iter().filter(|u| base(u.name) == base(unit.name)).count() > 1;
        let file = if alike { unit.name.to_string() } else { base(unit.name) };
        // Names that another file uses for anything.
        let elsewhere = |n: &&&str| units.iter().enumerate().any(|(j, u)| j != k && u.words.contains(**n));
        let statics = of_unit[k].iter().filter(|(i, _)| i.is_static);
        for name in statics.flat_map(|(_, declares)| declares).filter(elsewhere) {
            let new = fresh(name, k);
            let several = places.get(name).is_some_and(|p| p.len() > 1);
            names.add(&new, name, several.then_some(&file));
            all[k].insert((Space::Ordinary, name.to_string()), new);
        }
    }
    all
}

/// Writes the text, and the same with the names of the files.
fn write(units: &[Unit], renamed: &[Renamed], joined: &mut Joined) -> Result<String, Diagnostic> {
    let mut out = String::new();
    let mut seen: BTreeSet<String> = BTreeSet::new();
    let mut defined: BTreeMap<&str, usize> = BTreeMap::new();
    joined.anchors.push((0, 0));
    for (k, unit) in units.iter().enumerate() {
        let internal: BTreeSet<&str> =
            unit.items.iter().filter(|i| i.is_static).flat_map(|i| declared(unit.text, i.tokens)).collect();
        for item in &unit.items {
            let Some(first) = item.tokens.first() else { continue };
            let span = unit.source.original_span(first.start);
            if item.defines && !item.is_static {
                for name in declared(unit.text, item.tokens).into_iter().filter(|n| !internal.contains(n)) {
                    if *defined.entry(name).or_insert(k) != k {
                        let message = format!("`{name}` is defined in several files");
                        return Err(unit.source.diagnostic(span, message, "define it once"));
                    }
                }
            }
            let once = !item.is_static && !item.defines;
            if !seen.insert(unit.spelled(item, &renamed[k])) && once && k > 0 {
                continue;
            }
            let file = unit.source.files.get(span.file as usize).map_or("", |f| f);
            let mut head = String::new();
            let blank = " ".repeat(span.column.max(1) as usize - 1);
            let _ = write!(head, "\n# {} \"{file}\"\n{blank}", span.line);
            out.push_str(&head);
            joined.written.push_str(&head);
            let mut at = first.start;
            for (t, new) in spell(unit.text, item.tokens, &renamed[k]) {
                let (gap, old) = (&unit.text[at..t.start], &unit.text[t.start..t.end]);
                out.push_str(gap);
                joined.written.push_str(gap);
                let changed = old != new;
                if changed {
                    joined.anchors.push((out.len(), joined.written.len()));
                }
                out.push_str(new);
                joined.written.push_str(old);
                if changed {
                    joined.anchors.push((out.len(), joined.written.len()));
                }
                at = t.end;
            }
        }
    }
    out.push('\n');
    joined.written.push('\n');
    joined.anchors.push((out.len(), joined.written.len()));
    Ok(out)
}
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shared_declarations_once_and_statics_apart() {
        let a = "# 1 \"h.h\"\nstruct s { int x; };\nextern int f(struct s *p);\n# 2 \"a.c\"\nstatic int n = 1;\nint g(void) { return n; }\n";
        let b = "# 1 \"h.h\"\nstruct s { int x; };\nextern int f(struct s *p);\n# 2 \"b.c\"\nstatic int n = 1;\nint f(struct s *p) { return p->x + n; }\n";
        let (both, joined) = join(&[("a.c".into(), a.into()), ("b.c".into(), b.into())]).unwrap();
        assert_eq!(both.matches("struct s {").count(), 1, "{both}");
        assert_eq!(both.matches("extern int f").count(), 1, "{both}");
        assert!(both.contains("static int n__0 = 1;") && both.contains("p->x + n__1"), "{both}");
        assert!(both.contains("# 3 \"b.c\"\nint f"), "{both}");
        // As it is in the files, piece by piece.
        assert!(!joined.written.contains("n__") && joined.written.contains("p->x + n; }"), "{joined:?}");
        let at = both.find("n__1; }").unwrap();
        let (new, old) = *joined.anchors.iter().rfind(|a| a.0 <= at).unwrap();
        assert!(joined.written[old + (at - new)..].starts_with("n; }"));
        assert_eq!(joined.names.plain("n__1"), "n");
        // A definition stands in one of them.
        let unit = |name: &str, text: &str| (name.to_string(), text.to_string());
        let twice = [unit("a.c", "int n = 1;"), unit("b.c", "int m;\nint n = 1;")];
        assert_eq!(join(&twice).unwrap_err().line, 2);
        let both = [unit("a.c", "void f(void) { int n = 1; }"), unit("b.c", "int n = 1;")];
        assert!(join(&both).is_ok());
    }
}
