//! Which words of a declaration are names that may be others in a joined text.

use super::items::{after_groups, is_record};
use super::types::{Renamed, Space};
use crate::c::tokens::{Token, TokenKind};

/// What an open bracket is of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Open {
    /// Members of a `struct` or `union`.
    Record,
    Parenthesis,
    Other,
}

/// The tokens, each with its text under new names. Members keep theirs.
pub fn spell<'t>(text: &'t str, tokens: &'t [Token], new: &'t Renamed) -> Vec<(&'t Token, &'t str)> {
    let word = |k: usize| tokens.get(k).map_or("", |t: &Token| &text[t.start..t.end]);
    let mut out: Vec<(&Token, &str)> = Vec::with_capacity(tokens.len());
    let mut open: Vec<Open> = Vec::new();
    // Where a tag is if there is one, where members begin; a member's width comes.
    let (mut tag_at, mut members_at, mut width) = (usize::MAX, usize::MAX, false);
    for (k, t) in tokens.iter().enumerate() {
        let w = word(k);
        match w {
            "{" => open.push(if k == members_at { Open::Record } else { Open::Other }),
            "(" => open.push(Open::Parenthesis),
            "[" => open.push(Open::Other),
            "}" | ")" | "]" => {
                open.pop();
            }
            ":" => width = true,
            "," | ";" => width = false,
            _ => {}
        }
        if is_record(w) || w == "enum" {
            tag_at = after_groups(text, tokens, k + 1);
            let tagged = tokens.get(tag_at).is_some_and(|t| t.kind == TokenKind::Word);
            members_at = match w {
                "enum" => usize::MAX,
                _ => after_groups(text, tokens, tag_at + usize::from(tagged)),
            };
        }
        if t.kind != TokenKind::Word || new.is_empty() {
            out.push((t, w));
            continue;
        }
        let member = match open.as_slice() {
            [.., Open::Record] => {
                let next = word(after_groups(text, tokens, k + 1));
                !width && matches!(next, ";" | "," | "[" | ":")
            }
            // `int (*f)(void);`
            [.., Open::Record, Open::Parenthesis] => {
                word(k.wrapping_sub(1)) == "*" && word(k.wrapping_sub(2)) == "("
            }
            _ => false,
        };
        let space = if k == tag_at { Space::Tag } else { Space::Ordinary };
        let kept = space == Space::Ordinary && (member || selects(text, tokens, k));
        let renamed = new.get(&(space, w.to_string())).filter(|_| !kept);
        out.push((t, renamed.map_or(w, |n| n)));
    }
    out
}

/// Does `.` or `->` come before a token?
fn selects(text: &str, tokens: &[Token], k: usize) -> bool {
    let before = k.checked_sub(1).map(|j| &tokens[j]);
    // How often a character is there in a row, up to a byte.
    let run = |c: char, end: usize| text[..end].chars().rev().take_while(|x| *x == c).count();
    match before.map(|t| (&text[t.start..t.end], t)) {
        // Not `...`
        Some((".", t)) => run('.', t.end) == 1,
        // Not `-->`
        Some((">", t)) => run('-', t.start) % 2 == 1,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::c::source::Source;
    use crate::c::tokens::scan;

    #[test]
    fn members_keep_their_names() {
        let new: Renamed = [
            ((Space::Ordinary, "n".to_string()), "N".to_string()),
            ((Space::Ordinary, "word".to_string()), "W".to_string()),
            ((Space::Tag, "s".to_string()), "S".to_string()),
        ]
        .into();
        for (text, expected) in [
            (
                "int f(struct s *s) { return s->n + s->a.n + n; }",
                "int f(struct S *s) { return s->n + s->a.n + N; }",
            ),
            (
                "struct s { word w, n; int n : n; int a[n]; int (*n)(word n); };",
                "struct S { W w, n; int n : N; int a[N]; int (*n)(W N); };",
            ),
            (
                "struct __attribute__((aligned(n))) s { int n __attribute__((aligned(n))); };",
                "struct __attribute__((aligned(N))) S { int n __attribute__((aligned(N))); };",
            ),
            (
                "struct s *f(word n) { int k = 3; while (k-->n) n; return (struct s){ .n = n }.n; }",
                "struct S *f(W N) { int k = 3; while (k-->N) N; return (struct S){ .n = N }.n; }",
            ),
            (
                "int f(void) { switch (1) { case 0 ... n: goto n; } n: return x --->n; }",
                "int f(void) { switch (1) { case 0 ... N: goto N; } N: return x --->n; }",
            ),
            (
                "struct { struct { int a; } n; enum { A, n } e; } x = { n };",
                "struct { struct { int a; } n; enum { A, N } e; } x = { N };",
            ),
            ("struct s f(void) { n; }", "struct S f(void) { N; }"),
            ("int s(struct s n) { return n; }", "int s(struct S N) { return N; }"),
        ] {
            let tokens = scan(&Source::new("a.c", text), text).unwrap().0;
            let (mut out, mut at) = (String::new(), 0);
            for (t, new) in spell(text, &tokens, &new) {
                out.push_str(&text[at..t.start]);
                out.push_str(new);
                at = t.end;
            }
            assert_eq!(out, expected);
        }
    }
}
