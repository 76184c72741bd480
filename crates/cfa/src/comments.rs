//! Comments of C sources, which may tell the verifier something.

/// The comments of a text, without what marks them, and where each begins.
pub fn comments(text: &str) -> Vec<(usize, &str)> {
    let mut out = Vec::new();
    let mut at = 0;
    let find = |from: usize, what: &str| text[from..].find(what).map_or(text.len(), |i| from + i);
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        if rest.starts_with("/*") || rest.starts_with("//") {
            let end = find(at + 2, if rest.starts_with("/*") { "*/" } else { "\n" });
            out.push((at + 2, &text[at + 2..end]));
            at = (end + 2).min(text.len());
            if rest.starts_with("//") {
                at = end;
            }
        } else if c == '"' || c == '\'' {
            at = past_literal(text, at, c);
        } else {
            at += c.len_utf8();
        }
    }
    out
}

/// Behind a literal, or the line's end where it has none.
fn past_literal(text: &str, start: usize, quote: char) -> usize {
    let mut escaped = false;
    for (i, c) in text[start..].char_indices().skip(1) {
        match c {
            '\n' if !escaped => return start + i,
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            c if c == quote => return start + i + 1,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::comments;

    #[test]
    fn literals_have_no_comments() {
        let all = "a /* b */ \"/* c */\" '\"' // d\n/* e";
        assert_eq!(comments(all), [(4, " b "), (26, " d"), (31, " e")]);
    }
}
