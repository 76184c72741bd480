//! S-expressions with positions. No recursion: nesting may be as deep as the file is long.

use super::Smt2Error;
use num_bigint::BigInt;

/// A place in the text, both from 1.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Position {
    pub line: usize,
    pub column: usize,
}

impl Position {
    /// An error at this place of the file.
    pub fn error(self, message: impl Into<String>) -> Smt2Error {
        Smt2Error { line: self.line, column: self.column, message: message.into() }
    }
}

/// The number of an expression among all of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct SexpId(usize);

/// An S-expression as read, not yet understood.
#[derive(Clone, Debug)]
pub(crate) enum Sexp {
    Symbol(String),
    Keyword,
    Numeral(BigInt),
    /// Decimals, bit vectors, strings: nothing that the fragment has.
    Other(&'static str),
    List(Vec<SexpId>),
}

/// All expressions of a file.
pub(crate) struct Sexps {
    all: Vec<(Sexp, Position)>,
}

impl Sexps {
    pub fn get(&self, id: SexpId) -> &Sexp {
        &self.all[id.0].0
    }
    pub fn position(&self, id: SexpId) -> Position {
        self.all[id.0].1
    }
    /// The expression as a list, or an error that says what was expected.
    pub fn list(&self, id: SexpId, expected: &str) -> Result<&[SexpId], Smt2Error> {
        match self.get(id) {
            Sexp::List(items) => Ok(items),
            _ => Err(self.position(id).error(format!("expected {expected}"))),
        }
    }
    /// The expression as a symbol, or an error that says what was expected.
    pub fn symbol(&self, id: SexpId, expected: &str) -> Result<&str, Smt2Error> {
        match self.get(id) {
            Sexp::Symbol(s) => Ok(s),
            _ => Err(self.position(id).error(format!("expected {expected}"))),
        }
    }
}

struct Reader<'a> {
    rest: std::iter::Peekable<std::str::Chars<'a>>,
    at: Position,
}

impl Reader<'_> {
    fn next(&mut self) -> Option<char> {
        let c = self.rest.next()?;
        if c == '\n' {
            self.at = Position { line: self.at.line + 1, column: 1 };
        } else {
            self.at.column += 1;
        }
        Some(c)
    }
    fn word(&mut self) -> String {
        let mut s = String::new();
        while let Some(c) = self.rest.peek() {
            if c.is_whitespace() || matches!(c, '(' | ')' | ';' | '"' | '|') {
                break;
            }
            s.extend(self.next());
        }
        s
    }
}

/// Longer numbers are refused.
const MAX_DIGITS: usize = 1000;

/// The expressions at the top level of a text.
pub(crate) fn parse(text: &str) -> Result<(Sexps, Vec<SexpId>), Smt2Error> {
    let mut r = Reader { rest: text.chars().peekable(), at: Position { line: 1, column: 1 } };
    let mut out = Sexps { all: Vec::new() };
    let mut open: Vec<(Vec<SexpId>, Position)> = Vec::new();
    let mut top = Vec::new();
    loop {
        let start = r.at;
        let Some(&c) = r.rest.peek() else { break };
        let sexp = match c {
            c if c.is_whitespace() => {
                r.next();
                continue;
            }
            ';' => {
                while r.rest.peek().is_some_and(|c| *c != '\n') {
                    r.next();
                }
                continue;
            }
            '(' => {
                r.next();
                open.push((Vec::new(), start));
                continue;
            }
            ')' => {
                r.next();
                let Some((items, opened)) = open.pop() else { return Err(start.error("')' without '('")) };
                let id = SexpId(out.all.len());
                out.all.push((Sexp::List(items), opened));
                open.last_mut().map_or(&mut top, |l| &mut l.0).push(id);
                continue;
            }
            '"' => {
                r.next();
                loop {
                    match r.next() {
                        None => return Err(start.error("string without end")),
                        // A doubled quote stands for one.
                        Some('"') if r.rest.peek() == Some(&'"') => {
                            r.next();
                        }
                        Some('"') => break,
                        Some(_) => {}
                    }
                }
                Sexp::Other("a string")
            }
            '|' => {
                r.next();
                let mut s = String::new();
                loop {
                    match r.next() {
                        None => return Err(start.error("'|' without end")),
                        Some('|') => break,
                        Some(c) => s.push(c),
                    }
                }
                Sexp::Symbol(s)
            }
            '#' => {
                r.word();
                Sexp::Other("a bit vector")
            }
            ':' => {
                r.word();
                Sexp::Keyword
            }
            c if c.is_ascii_digit() => {
                let word = r.word();
                if word.len() > MAX_DIGITS {
                    return Err(start.error("number too long"));
                }
                match word.parse::<BigInt>() {
                    Ok(n) if word.bytes().all(|b| b.is_ascii_digit()) => Sexp::Numeral(n),
                    _ if word.bytes().all(|b| b.is_ascii_digit() || b == b'.') => {
                        Sexp::Other("a decimal number")
                    }
                    _ => return Err(start.error(format!("'{word}' is neither number nor symbol"))),
                }
            }
            c if c.is_ascii_graphic() => Sexp::Symbol(r.word()),
            c => return Err(start.error(format!("unexpected character {c:?}"))),
        };
        let id = SexpId(out.all.len());
        out.all.push((sexp, start));
        open.last_mut().map_or(&mut top, |l| &mut l.0).push(id);
    }
    match open.pop() {
        Some((_, opened)) => Err(opened.error("'(' without ')'")),
        None => Ok((out, top)),
    }
}
