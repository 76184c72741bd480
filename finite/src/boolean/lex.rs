//! Words of Boolean programs.

use crate::input::{InputError, Place};

/// A word of the text, without the space and the comments before it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Word {
    /// An identifier or a keyword.
    Name(String),
    /// A numeral, as it is written.
    Number(String),
    /// An operator or a bracket, one of the known ones.
    Sign(&'static str),
    /// The prime of `x'`, right behind the identifier.
    Prime,
    /// The end of the text.
    End,
}

impl Word {
    /// As messages have it.
    pub fn show(&self) -> String {
        match self {
            Word::Name(n) | Word::Number(n) => format!("'{n}'"),
            Word::Sign(s) => format!("'{s}'"),
            Word::Prime => "a prime".into(),
            Word::End => "the end of the file".into(),
        }
    }
}

/// Operators and brackets; longer ones come before those that they begin with.
const SIGNS: [&str; 26] = [
    "<->", "<=>", ":=", "->", "=>", "==", "!=", "&&", "||", "!", "~", "&", "|", "^", "=", "(", ")", "[", "]",
    "<", ">", ",", ";", ":", "*", "'",
];

/// Splits a text into words.
pub fn words(text: &str) -> Result<Vec<(Word, Place)>, InputError> {
    let mut out = Vec::new();
    let mut rest = text;
    let (mut line, mut column) = (1, 1);
    // Takes `n` bytes, which end at a character's border.
    let eat = |rest: &mut &str, n: usize, line: &mut usize, column: &mut usize| {
        for c in rest[..n].chars() {
            if c == '\n' {
                *line += 1;
                *column = 1;
            } else {
                *column += 1;
            }
        }
        *rest = &rest[n..];
    };
    while let Some(c) = rest.chars().next() {
        let place = Place::new(line, column);
        if c.is_whitespace() {
            eat(&mut rest, c.len_utf8(), &mut line, &mut column);
        } else if rest.starts_with("//") {
            let n = rest.find('\n').unwrap_or(rest.len());
            eat(&mut rest, n, &mut line, &mut column);
        } else if rest.starts_with("/*") {
            let Some(n) = rest[2..].find("*/") else {
                return Err(InputError::new(place, "a comment that does not end").help("close it with '*/'"));
            };
            eat(&mut rest, n + 4, &mut line, &mut column);
        } else if c.is_ascii_alphabetic() || c == '_' || c == '$' {
            let inside = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '.');
            let n = rest.find(|c| !inside(c)).unwrap_or(rest.len());
            out.push((Word::Name(rest[..n].to_string()), place));
            eat(&mut rest, n, &mut line, &mut column);
            if rest.starts_with('\'') {
                out.push((Word::Prime, Place::new(line, column)));
                eat(&mut rest, 1, &mut line, &mut column);
            }
        } else if c == '{' {
            // A predicate of the original program as a name.
            let Some(n) = rest.find('}') else {
                return Err(InputError::new(place, "a name in braces that does not end")
                    .help("close it with '}'; blocks are written with 'begin' and 'end'"));
            };
            out.push((Word::Name(rest[..=n].to_string()), place));
            eat(&mut rest, n + 1, &mut line, &mut column);
        } else if c.is_ascii_digit() {
            let n = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
            out.push((Word::Number(rest[..n].to_string()), place));
            eat(&mut rest, n, &mut line, &mut column);
        } else if let Some(s) = SIGNS.iter().find(|s| rest.starts_with(**s)) {
            out.push((Word::Sign(s), place));
            eat(&mut rest, s.len(), &mut line, &mut column);
        } else {
            return Err(InputError::new(place, format!("'{}' has no meaning here", c.escape_debug()))
                .help("remove it, or put it into a comment"));
        }
    }
    out.push((Word::End, Place::new(line, column)));
    Ok(out)
}
