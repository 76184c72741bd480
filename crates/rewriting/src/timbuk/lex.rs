//! Words of Timbuk's format.

use super::{Comparison, Place};
use relyant_cfa::diagnostic::Diagnostic;

/// A word of the text, without the space and the comments before it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Token {
    /// A name or a keyword.
    Word(String),
    /// `"…"`
    Text,
    /// `(`
    Open,
    /// `)`
    Close,
    /// `,`
    Comma,
    /// `:`
    Colon,
    /// `->`
    Arrow,
    /// `and`, also written `/\`
    And,
    /// One of the signs that compare naturals.
    Compare(Comparison),
    /// The end of the file.
    End,
}

impl Token {
    /// What messages about the word call it.
    pub fn describe(&self) -> String {
        match self {
            Token::Word(w) => format!("`{w}`"),
            Token::Text => "a text in quotes".into(),
            Token::Open => "`(`".into(),
            Token::Close => "`)`".into(),
            Token::Comma => "`,`".into(),
            Token::Colon => "`:`".into(),
            Token::Arrow => "`->`".into(),
            Token::And => "`and`".into(),
            Token::Compare(c) => format!("`{}`", c.symbol()),
            Token::End => "the end of the file".into(),
        }
    }
}

impl Comparison {
    /// As it is written.
    pub fn symbol(self) -> &'static str {
        match self {
            Comparison::Lt => "<",
            Comparison::Le => "<=",
            Comparison::Gt => ">",
            Comparison::Ge => ">=",
            Comparison::Eq => "=",
            Comparison::Ne => "!=",
        }
    }
}

/// The text, for messages.
pub struct Source<'a> {
    /// Name of the file.
    pub name: &'a str,
    /// All of its text, for lines in messages.
    pub text: &'a str,
}

impl Source<'_> {
    /// An error at a place.
    pub fn error(&self, place: Place, message: impl Into<String>, help: impl Into<String>) -> Diagnostic {
        let line = self.text.lines().nth((place.line as usize).saturating_sub(1));
        Diagnostic {
            file: self.name.to_string(),
            line: place.line,
            column: place.column,
            message: message.into(),
            help: help.into(),
            source_line: line.map(|l| l.trim_end().to_string()),
        }
    }
}

/// May a name have it? BNRT's own symbols (□, ♯, ⊙, ∥) are welcome.
fn in_name(c: char) -> bool {
    c.is_alphanumeric() || "_'#|.@$^~+*?&[]{};".contains(c) || (!c.is_ascii() && !c.is_whitespace())
}

/// Cuts a text into words, with their places.
pub fn lex(source: &Source) -> Result<Vec<(Token, Place)>, Diagnostic> {
    let mut tokens = Vec::new();
    let mut chars = Chars { rest: source.text, place: Place { line: 1, column: 1 } };
    while let Some(c) = chars.peek() {
        let place = chars.place;
        if c.is_whitespace() || c == '\u{feff}' {
            chars.next();
            continue;
        }
        if chars.rest.starts_with("(*") {
            comment(source, &mut chars)?;
            continue;
        }
        let fixed = [
            ("->", Token::Arrow),
            ("/\\", Token::And),
            ("<=", Token::Compare(Comparison::Le)),
            (">=", Token::Compare(Comparison::Ge)),
            ("!=", Token::Compare(Comparison::Ne)),
            ("<", Token::Compare(Comparison::Lt)),
            (">", Token::Compare(Comparison::Gt)),
            ("=", Token::Compare(Comparison::Eq)),
            ("(", Token::Open),
            (")", Token::Close),
            (",", Token::Comma),
            (":", Token::Colon),
        ];
        if let Some((text, token)) = fixed.into_iter().find(|(text, _)| chars.rest.starts_with(text)) {
            text.chars().for_each(|_| chars.next());
            tokens.push((token, place));
            continue;
        }
        if c == '"' {
            chars.next();
            while chars.peek().is_some_and(|c| c != '"') {
                chars.next();
            }
            if chars.peek().is_none() {
                return Err(source.error(place, "this text has no end", "close it with `\"`"));
            }
            chars.next();
            tokens.push((Token::Text, place));
            continue;
        }
        let mut word = String::new();
        while let Some(c) = chars.peek().filter(|c| in_name(*c)) {
            word.push(c);
            chars.next();
        }
        match word.as_str() {
            "" => {
                let message = format!("no name has `{}` in it", c.escape_debug());
                return Err(source.error(place, message, ""));
            }
            "and" => tokens.push((Token::And, place)),
            _ => tokens.push((Token::Word(word), place)),
        }
    }
    tokens.push((Token::End, chars.place));
    Ok(tokens)
}

/// Comments may be nested.
fn comment(source: &Source, chars: &mut Chars) -> Result<(), Diagnostic> {
    let start = chars.place;
    let mut depth = 0u32;
    loop {
        if chars.rest.starts_with("(*") {
            depth = depth.saturating_add(1);
            chars.next();
        } else if chars.rest.starts_with("*)") {
            depth -= 1;
            chars.next();
        } else if chars.rest.is_empty() {
            return Err(source.error(start, "this comment has no end", "close it with `*)`"));
        }
        chars.next();
        if depth == 0 {
            return Ok(());
        }
    }
}

struct Chars<'a> {
    rest: &'a str,
    place: Place,
}

impl Chars<'_> {
    fn peek(&self) -> Option<char> {
        self.rest.chars().next()
    }
    fn next(&mut self) {
        let Some(c) = self.peek() else { return };
        self.rest = &self.rest[c.len_utf8()..];
        if c == '\n' {
            self.place = Place { line: self.place.line.saturating_add(1), column: 1 };
        } else {
            self.place.column = self.place.column.saturating_add(1);
        }
    }
}
