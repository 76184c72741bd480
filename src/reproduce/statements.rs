//! Statements of a source, told by brackets and semicolons: no preprocessor takes part, so that macros stay as they are.

use std::collections::BTreeSet;
use std::ops::Range;

/// A statement without a body of its own, or the part of one in front of a body.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Statement {
    /// Where its text is, without the semicolon.
    pub text: Range<usize>,
    /// Where it begins: before its keyword and parenthesis, if it is a condition.
    pub from: usize,
    /// It may be put into braces, with others before it.
    pub whole: bool,
}

/// A token: where it is.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Token(Range<usize>);

/// The tokens of a source but comments and lines of the preprocessor.
fn tokens(text: &[u8]) -> Vec<Token> {
    let mut out = Vec::new();
    let (mut at, mut fresh) = (0, true);
    while at < text.len() {
        let rest = &text[at..];
        let n = match rest[0] {
            b'\n' => {
                fresh = true;
                at += 1;
                continue;
            }
            b if b.is_ascii_whitespace() => {
                at += 1;
                continue;
            }
            b'/' if rest.starts_with(b"/*") => {
                at += 2 + rest[2..].windows(2).position(|w| w == b"*/").map_or(rest.len() - 2, |n| n + 2);
                continue;
            }
            b'/' if rest.starts_with(b"//") => {
                at += rest.iter().position(|b| *b == b'\n').unwrap_or(rest.len());
                continue;
            }
            b'#' if fresh => {
                let mut end = 0;
                while end < rest.len() && (rest[end] != b'\n' || (end > 0 && rest[end - 1] == b'\\')) {
                    end += 1;
                }
                at += end;
                continue;
            }
            quote @ (b'"' | b'\'') => {
                let mut end = 1;
                while end < rest.len() && rest[end] != quote {
                    end += 1 + usize::from(rest[end] == b'\\');
                }
                end + 1
            }
            b if b.is_ascii_alphanumeric() || b == b'_' => {
                rest.iter().take_while(|b| b.is_ascii_alphanumeric() || **b == b'_').count()
            }
            _ => 1,
        };
        fresh = false;
        let end = (at + n).min(text.len());
        out.push(Token(at..end));
        at = end;
    }
    out
}

/// What a bracket is about.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Bracket {
    /// `(` or `[`.
    Plain,
    /// `(` behind `if`, `while`, `switch`.
    Condition,
    /// `(` behind `for`.
    Heads,
    /// `{` of a list of values or of members.
    List,
    /// `{` of a block.
    Block,
}

/// The statements of all functions.
pub fn statements(text: &[u8]) -> Vec<Statement> {
    let all = tokens(text);
    let word = |i: usize| all.get(i).map_or(&b""[..], |t| &text[t.0.clone()]);
    let mut out = Vec::new();
    let mut open: Vec<(Bracket, usize)> = Vec::new();
    // Of the statement that is read: its first token, by the depth of its block.
    let mut start: Option<usize> = None;
    // The last closed parenthesis: where it was opened.
    let mut closed = None;
    for i in 0..all.len() {
        let before = i.checked_sub(1).map_or(&b""[..], &word);
        let inside = open.last().map(|b| b.0);
        let between = matches!(inside, Some(Bracket::Block));
        match word(i) {
            b"(" | b"[" => {
                let kind = match (word(i), before) {
                    (b"(", b"if" | b"while" | b"switch") => Bracket::Condition,
                    (b"(", b"for") => Bracket::Heads,
                    _ => Bracket::Plain,
                };
                if between && start.is_none() && kind == Bracket::Plain {
                    start = Some(i);
                }
                open.push((kind, i));
            }
            b")" | b"]" => {
                let Some((kind, at)) = open.pop() else { continue };
                closed = Some(at);
                if kind == Bracket::Condition && i > at + 1 {
                    let from = all[at.saturating_sub(1)].0.start;
                    out.push(Statement { text: all[at + 1].0.start..all[i - 1].0.end, from, whole: false });
                }
                if matches!(kind, Bracket::Condition | Bracket::Heads) {
                    start = None;
                }
            }
            b"{" => {
                let literal = before == b")"
                    && closed.is_some_and(|c: usize| {
                        let w = c.checked_sub(1).map_or(&b""[..], &word);
                        w == b"return" || !w.first().is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'_')
                    });
                let list = matches!(before, b"=" | b"," | b"]")
                    || literal
                    || inside == Some(Bracket::List)
                    || matches!(before, b"struct" | b"union" | b"enum")
                    || i.checked_sub(2).is_some_and(|k| matches!(word(k), b"struct" | b"union" | b"enum"));
                open.push((if list { Bracket::List } else { Bracket::Block }, i));
                if !list {
                    start = None;
                }
            }
            b"}" => {
                if let Some((Bracket::Block, _)) = open.pop() {
                    start = None;
                }
            }
            b";" if between => {
                if let Some(first) = start.take().filter(|s| *s < i) {
                    let text = all[first].0.start..all[i - 1].0.end;
                    out.push(Statement { from: text.start, text, whole: true });
                }
            }
            b";" => {}
            // The end of a label.
            b":" if between && start.is_some_and(|s| s + 1 == i || word(s) == b"case") => start = None,
            b"else" | b"do" => start = None,
            b"if" | b"while" | b"switch" | b"for" => {}
            _ if between && start.is_none() => start = Some(i),
            _ => {}
        }
    }
    out
}

/// Names that stand where types do: in front of another name.
pub fn types(text: &[u8]) -> BTreeSet<String> {
    let all = tokens(text);
    let name = |t: &Token| {
        let word = &text[t.0.clone()];
        let named =
            word.first().is_some_and(|b| b.is_ascii_alphabetic() || *b == b'_') && !KEYWORDS.contains(&word);
        named.then(|| String::from_utf8_lossy(word).into_owned())
    };
    let pairs = all.windows(2).filter_map(|w| name(&w[0]).filter(|_| name(&w[1]).is_some()));
    pairs.collect()
}

/// Words of C that may stand in front of a name and are none.
const KEYWORDS: [&[u8]; 36] = [
    b"auto",
    b"break",
    b"case",
    b"char",
    b"const",
    b"continue",
    b"default",
    b"do",
    b"double",
    b"else",
    b"enum",
    b"extern",
    b"float",
    b"for",
    b"goto",
    b"if",
    b"inline",
    b"int",
    b"long",
    b"register",
    b"restrict",
    b"return",
    b"short",
    b"signed",
    b"sizeof",
    b"static",
    b"struct",
    b"switch",
    b"typedef",
    b"union",
    b"unsigned",
    b"void",
    b"volatile",
    b"while",
    b"_Atomic",
    b"_Bool",
];

#[cfg(test)]
mod tests {
    use super::statements;

    #[test]
    fn statements_are_told_apart() {
        let text = "#define A \\\n int x;\nint g = 1; /* int h; */\nint f(int a) { // it\n  int v[2] = {a, 1}; if (a > v[0]) a++; else return 2;\n  \
                    for (int i = 0; i < 3; i++) { g(\";\"); l: h(i, (int[2]){1, 2}); }\n  while (a) { struct s { int x; } y; } }";
        let all = statements(text.as_bytes());
        let shown: Vec<(&str, bool)> = all.iter().map(|s| (&text[s.text.clone()], s.whole)).collect();
        let wanted = [
            ("int v[2] = {a, 1}", true),
            ("a > v[0]", false),
            ("a++", true),
            ("return 2", true),
            ("g(\";\")", true),
            ("h(i, (int[2]){1, 2})", true),
            ("a", false),
            ("struct s { int x; } y", true),
        ];
        assert_eq!(shown, wanted);
    }
}
