//! Comments of C sources, which may tell the verifier something.

/// The comments of a text, without what marks them, and where each begins.
pub fn comments(text: &str) -> Vec<(usize, &str)> {
    let comment = |(at, part)| match part {
        Part::Comment(inside) => Some((at, inside)),
        Part::Code(_) | Part::Literal(_) => None,
    };
    Parts::new(text, false).filter_map(comment).collect()
}

/// What a text is made of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Part<'t> {
    /// A character that is in neither of the others.
    Code(char),
    /// A string or a character constant with its quotes, or the rest of the line where one quote is missing.
    Literal(&'t str),
    /// The inside of a comment.
    Comment(&'t str),
}

/// The parts of a text, each with the place in it where what it holds begins.
#[derive(Clone, Debug)]
pub struct Parts<'t> {
    text: &'t str,
    at: usize,
    /// The rest is inside of a `/*` whose end is still to come: so a text may begin, and so it may end.
    in_comment: bool,
}

impl<'t> Parts<'t> {
    /// Of a text that begins inside of a comment, or not.
    pub fn new(text: &'t str, in_comment: bool) -> Parts<'t> {
        Parts { text, at: 0, in_comment }
    }
    /// Is what was not read yet, or what follows the text, inside of a comment?
    pub fn in_comment(&self) -> bool {
        self.in_comment
    }
    /// A comment of that form, from behind its `/*`.
    fn block(&mut self, from: usize) -> (usize, Part<'t>) {
        let rest = &self.text[from..];
        let end = rest.find("*/");
        self.in_comment = end.is_none();
        self.at = end.map_or(self.text.len(), |end| from + end + 2);
        (from, Part::Comment(&rest[..end.unwrap_or(rest.len())]))
    }
}

impl<'t> Iterator for Parts<'t> {
    type Item = (usize, Part<'t>);

    fn next(&mut self) -> Option<Self::Item> {
        let (from, rest) = (self.at, &self.text[self.at..]);
        let first = rest.chars().next()?;
        if self.in_comment {
            return Some(self.block(from));
        }
        if rest.starts_with("/*") {
            return Some(self.block(from + 2));
        }
        let (begin, part) = if rest.starts_with("//") {
            (from + 2, Part::Comment(&rest[2..rest.find('\n').unwrap_or(rest.len())]))
        } else if matches!(first, '"' | '\'') {
            (from, Part::Literal(&rest[..literal(rest, first)]))
        } else {
            (from, Part::Code(first))
        };
        self.at = begin
            + match part {
                Part::Code(c) => c.len_utf8(),
                Part::Literal(text) | Part::Comment(text) => text.len(),
            };
        Some((begin, part))
    }
}

/// How long a literal is, or the line's rest where it has no end.
fn literal(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (i, c) in text.char_indices().skip(1) {
        match c {
            '\n' if !escaped => return i,
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            c if c == quote => return i + 1,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_have_no_comments() {
        let all = "a /* b */ \"/* c */\" '\"' // d\n/* e";
        assert_eq!(comments(all), [(4, " b "), (26, " d"), (31, " e")]);
    }

    #[test]
    fn a_comment_goes_on_in_the_next_line() {
        let of = |line: &'static str, inside| {
            let mut parts = Parts::new(line, inside);
            (parts.by_ref().map(|(_, part)| part).collect::<Vec<_>>(), parts.in_comment())
        };
        let code = |c| Part::Code(c);
        assert_eq!(of("x/* y", false), (vec![code('x'), Part::Comment(" y")], true));
        assert_eq!(of("y \"*/'a", true), (vec![Part::Comment("y \""), Part::Literal("'a")], false));
        assert_eq!(of("/*/", false), (vec![Part::Comment("/")], true));
        assert_eq!(of("", true), (vec![], true));
        assert_eq!(
            of("// é\n\"\\\"\"", false).0,
            [Part::Comment(" é"), code('\n'), Part::Literal("\"\\\"\"")]
        );
    }
}
