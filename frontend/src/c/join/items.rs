//! What stands in a file outside of functions, and which names it declares.

use crate::c::mend::skip_group;
use crate::c::source::line_marker;
use crate::c::tokens::{Token, TokenKind};
use crate::c::words::is_specifier;

/// A declaration or definition outside of functions.
pub struct Item<'t> {
    pub tokens: &'t [Token],
    pub is_static: bool,
    pub is_typedef: bool,
    /// It is a function with a body, or has an initialiser.
    pub defines: bool,
    /// It is a function with a body.
    pub has_body: bool,
    /// It is in a header of the system.
    pub system: bool,
}

/// Words before a group in parentheses that is no list of parameters.
const GROUPS: [&str; 13] = [
    "__attribute__",
    "__attribute",
    "_Alignas",
    "alignas",
    "_Atomic",
    "typeof",
    "__typeof__",
    "__typeof",
    "asm",
    "__asm__",
    "__asm",
    "__declspec",
    "_Static_assert",
];

pub fn is_record(word: &str) -> bool {
    matches!(word, "struct" | "union")
}

fn is_tagged(word: &str) -> bool {
    is_record(word) || word == "enum"
}

/// Index of the first token from `k` on that is not of an attribute or the like.
pub fn after_groups(text: &str, tokens: &[Token], mut k: usize) -> usize {
    let word = |k: usize| tokens.get(k).map_or("", |t: &Token| &text[t.start..t.end]);
    while GROUPS.contains(&word(k)) && word(k + 1) == "(" {
        k = skip_group(text, tokens, k + 1);
    }
    k
}

/// The items of a file, in order.
pub fn items<'t>(text: &str, all: &'t [Token]) -> Vec<Item<'t>> {
    let word = |t: &Token| &text[t.start..t.end];
    let mut out = Vec::new();
    let (mut depth, mut from, mut body, mut equals) = (0usize, 0, false, false);
    let headers = headers(text);
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
            let head: Vec<&str> =
                tokens.iter().map(word).take_while(|w| !matches!(*w, "(" | "{" | "=")).collect();
            let inline = ["inline", "__inline", "__inline__"].iter().any(|w| head.contains(w));
            let is_static =
                tokens.iter().map(word).take_while(|w| !matches!(*w, "{" | "=")).any(|w| w == "static");
            let at = tokens.first().map_or(0, |t| t.start);
            out.push(Item {
                tokens,
                is_static: is_static && outside(text, tokens, "static"),
                is_typedef: head.contains(&"typedef"),
                defines: equals || body && !inline,
                has_body: body,
                system: headers
                    .get(headers.partition_point(|h| h.0 <= at).wrapping_sub(1))
                    .is_some_and(|h| h.1),
            });
            (from, body, equals) = (k + 1, false, false);
        }
    }
    if from < all.len() {
        out.push(Item {
            tokens: &all[from..],
            is_static: false,
            is_typedef: false,
            defines: true,
            has_body: false,
            system: false,
        });
    }
    out
}

/// Is a word there outside of brackets?
fn outside(text: &str, tokens: &[Token], what: &str) -> bool {
    let mut depth = 0usize;
    tokens.iter().any(|t| {
        match &text[t.start..t.end] {
            "{" | "(" | "[" => depth += 1,
            "}" | ")" | "]" => depth = depth.saturating_sub(1),
            w => return depth == 0 && w == what,
        }
        false
    })
}

/// Where in a preprocessed text headers of the system begin and end.
fn headers(text: &str) -> Vec<(usize, bool)> {
    let (mut out, mut at) = (Vec::new(), 0);
    for line in text.split_inclusive('\n') {
        if line.starts_with('#') && line_marker(line.trim_end()).is_some() {
            out.push((at, line.rsplit('"').next().is_some_and(|flags| flags.contains('3'))));
        }
        at += line.len();
    }
    out
}

/// Does a function's body follow these tokens?
fn is_body(text: &str, before: &[Token]) -> bool {
    let word = |k: usize| before.get(k).map_or("", |t: &Token| &text[t.start..t.end]);
    // `struct __attribute__((packed)) {`
    let record = (0..before.len()).any(|k| {
        is_tagged(word(k))
            && GROUPS.contains(&word(k + 1))
            && after_groups(text, before, k + 1) == before.len()
    });
    before.last().is_some_and(|t| &text[t.start..t.end] == ")") && !record
}

/// The names that an item declares.
pub fn declared<'s>(text: &'s str, tokens: &[Token]) -> Vec<&'s str> {
    let word = |k: usize| tokens.get(k).map_or("", |t: &Token| &text[t.start..t.end]);
    let mut out = Vec::new();
    let mut k = 0;
    // The declarator has its name, or its value comes.
    let (mut named, mut value) = (false, false);
    while k < tokens.len() {
        let after = after_groups(text, tokens, k);
        if after > k {
            k = after;
            continue;
        }
        let w = word(k);
        match w {
            "," => (named, value) = (false, false),
            "=" => value = true,
            "(" if !named && !value => {
                // `(*f)(int)`
                let end = skip_group(text, tokens, k);
                let name = (k + 1..end).find(|j| {
                    tokens[*j].kind == TokenKind::Word
                        && !is_specifier(word(*j))
                        && !GROUPS.contains(&word(*j))
                });
                out.extend(name.map(word));
                (named, k) = (true, end);
                continue;
            }
            "{" if named && !value => break,
            "(" | "[" | "{" => {
                k = skip_group(text, tokens, k);
                continue;
            }
            w if is_tagged(w) => {
                // The tag is no name of this kind.
                k = after_groups(text, tokens, k + 1);
                k += usize::from(tokens.get(k).is_some_and(|t| t.kind == TokenKind::Word));
                continue;
            }
            w if !named && !value && tokens[k].kind == TokenKind::Word && !is_specifier(w) => {
                let next = after_groups(text, tokens, k + 1);
                let called = word(next) == "(" && !matches!(word(next + 1), "*" | "^" | "(");
                if called || matches!(word(next), "=" | "[" | "," | ";") {
                    out.push(w);
                    named = true;
                }
            }
            _ => {}
        }
        k += 1;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::c::source::Source;
    use crate::c::tokens::scan;

    fn of(text: &str) -> (Vec<&str>, bool) {
        let tokens = scan(&Source::new("a.c", text), text).unwrap().0;
        let all = items(text, &tokens);
        assert_eq!(all.len(), 1, "{text}");
        (declared(text, all[0].tokens), all[0].is_static)
    }

    #[test]
    fn names_of_declarations() {
        for (text, names) in [
            ("static int n;", &["n"][..]),
            ("static int *p = &shared, *q[3] = {0}, r;", &["p", "q", "r"]),
            ("static void (*handler)(int n) = old, (*other)(void);", &["handler", "other"]),
            ("static cb_t (*table[4])(word n);", &["table"]),
            ("static int x __attribute__((aligned(8))) = 3, y __attribute__((unused));", &["x", "y"]),
            ("static __attribute__((noinline)) int f(int a, int b);", &["f"]),
            ("static int __attribute__((noinline)) f(int a) { int b = a, c; return b; }", &["f"]),
            ("static _Atomic(int) x;", &["x"]),
            ("static _Alignas(16) struct node { int a, b; } first, *last;", &["first", "last"]),
            ("static struct __attribute__((packed)) node { int a; } n;", &["n"]),
            ("static struct node *f(struct node *n) { return n; }", &["f"]),
            ("static enum { A, B } e = B;", &["e"]),
            ("static int (f)(void);", &["f"]),
            ("static __int128 (f)(void), (*volatile g)(void);", &["f", "g"]),
        ] {
            assert_eq!(of(text), (names.to_vec(), true), "{text}");
        }
        assert_eq!(of("int f(int a[static 4]);"), (vec!["f"], false));
        assert_eq!(of("typedef int (*cmp_t)(const void *, const void *);").0, ["cmp_t"]);
        assert_eq!(of("typedef struct node node;").0, ["node"]);
        assert_eq!(of("struct node;").0, [""; 0]);
    }
}
