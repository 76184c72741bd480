//! Universal character names in strings and characters: the bytes or the number that they stand for. So with `\e`, which
//! is the character 27 to gcc and nothing to the parser.

use super::mend::Edit;
use super::tokens::{Token, TokenKind, universal};

/// The replacements of tokens that have such names.
pub fn edits(text: &str, tokens: &[Token]) -> Vec<Edit> {
    let mut edits = Vec::new();
    for (k, t) in tokens.iter().enumerate() {
        let s = &text[t.start..t.end];
        if t.kind == TokenKind::Text && ["\\u", "\\U", "\\e", "\\E"].iter().any(|e| s.contains(e)) {
            let prefix = k.checked_sub(1).map(|j| &tokens[j]).filter(|p| p.end == t.start);
            let wide = prefix.is_some_and(|p| matches!(&text[p.start..p.end], "L" | "u" | "U"));
            edits.push((t.start, t.end, plain(s, wide)));
        }
    }
    edits
}

fn plain(mut rest: &str, wide: bool) -> String {
    let mut out = String::new();
    while let Some(c) = rest.chars().next() {
        match universal(rest) {
            Some((c, n)) => {
                rest = &rest[n..];
                if wide {
                    // The character itself: an escape by number would take digits that follow it.
                    out.push(c);
                } else {
                    c.encode_utf8(&mut [0; 4]).bytes().for_each(|b| out.push_str(&format!("\\{b:03o}")));
                }
            }
            None if rest.starts_with("\\e") || rest.starts_with("\\E") => {
                out.push_str("\\033");
                rest = &rest[2..];
            }
            None => {
                // Two backslashes are no start of a name.
                let n = if c == '\\' {
                    1 + rest[1..].chars().next().map_or(0, char::len_utf8)
                } else {
                    c.len_utf8()
                };
                out.push_str(&rest[..n]);
                rest = &rest[n..];
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    #[test]
    fn names_become_bytes() {
        assert_eq!(super::plain(r#""a\u00e9b\\u00e9""#, false), r#""a\303\251b\\u00e9""#);
        assert_eq!(super::plain(r#""\u00e91""#, true), "\"é1\"");
        assert_eq!(super::plain(r#""\e[1m\\e""#, false), r#""\033[1m\\e""#);
    }
}
