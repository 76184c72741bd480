//! Damaged C files: what a front end must refuse or read, but not fall over.

use super::rng::Rng;

/// Types that stand for one another.
const TYPES: [&str; 18] = [
    "int",
    "char",
    "short",
    "long",
    "unsigned",
    "signed",
    "float",
    "double",
    "_Bool",
    "void",
    "size_t",
    "unsigned char",
    "long long",
    "unsigned long",
    "__int128",
    "const int",
    "_Atomic int",
    "int *",
];
const NUMBERS: [&str; 16] = [
    "0",
    "1",
    "2",
    "(-1)",
    "3",
    "7",
    "255",
    "256",
    "4096",
    "65536",
    "1000000",
    "2147483647",
    "0x80000000u",
    "9223372036854775807LL",
    "18446744073709551615ULL",
    "340282366920938463463374607431768211456",
];
const OPERATORS: [&str; 31] = [
    "+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>", "<", "<=", ">", ">=", "==", "!=", "&&", "||", "=",
    "+=", "-=", "<<=", "/=", "++", "--", "!", "~", "->", ".", "?", ",",
];
const KEYWORDS: [&str; 22] = [
    "if", "while", "for", "do", "switch", "return", "break", "continue", "goto", "else", "case", "default",
    "struct", "union", "enum", "typedef", "static", "extern", "volatile", "sizeof", "inline", "__thread",
];

/// A token or the blanks between two.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Blank,
    Word,
    Number,
    Text,
    Operator,
    Punctuation,
}

/// Pieces of a text, in order and without gaps.
fn pieces(text: &str) -> Vec<(Kind, &str)> {
    let mut out = Vec::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let line = || rest.find('\n').unwrap_or(rest.len());
        let word = |c: char| c == '_' || c.is_alphanumeric();
        let (kind, n) = if c.is_whitespace() {
            (Kind::Blank, rest.find(|c: char| !c.is_whitespace()).unwrap_or(rest.len()))
        } else if c == '#' || rest.starts_with("//") {
            (Kind::Blank, line())
        } else if let Some(comment) = rest.strip_prefix("/*") {
            (Kind::Blank, comment.find("*/").map_or(rest.len(), |n| n + 4))
        } else if c.is_ascii_digit() {
            (Kind::Number, rest.find(|c: char| !word(c)).unwrap_or(rest.len()))
        } else if word(c) {
            (Kind::Word, rest.find(|c: char| !word(c)).unwrap_or(rest.len()))
        } else if c == '"' || c == '\'' {
            let mut escaped = true;
            let end = rest.find(|d: char| {
                let ends = d == c && !escaped;
                escaped = d == '\\' && !escaped;
                ends
            });
            (Kind::Text, end.map_or(rest.len(), |n| n + 1).min(line().max(1)))
        } else if let Some(op) =
            OPERATORS.iter().filter(|op| rest.starts_with(**op)).max_by_key(|op| op.len())
        {
            (Kind::Operator, op.len())
        } else {
            (Kind::Punctuation, c.len_utf8())
        };
        out.push((kind, &rest[..n]));
        rest = &rest[n..];
    }
    out
}

/// The text with one to four changes: tokens deleted, doubled or swapped; types, numbers, operators, names and
/// keywords replaced; now and then cut off. The later part of the text, where a program's own code is, changes most.
pub fn mutate(text: &str, seed: u64) -> String {
    let mut rng = Rng::new(seed ^ 0x006d_7574_6174_6500);
    let mut all: Vec<(Kind, String)> = pieces(text).into_iter().map(|(k, t)| (k, t.to_string())).collect();
    for _ in 0..1 + rng.below(4) {
        change(&mut all, &mut rng);
    }
    let mut out: String = all.into_iter().map(|p| p.1).collect();
    if rng.percent(3) {
        let mut at = rng.below(out.len());
        while !out.is_char_boundary(at) {
            at -= 1;
        }
        out.truncate(at);
    }
    out
}

fn change(all: &mut Vec<(Kind, String)>, rng: &mut Rng) {
    let tokens: Vec<usize> = (0..all.len()).filter(|i| all[*i].0 != Kind::Blank).collect();
    if tokens.len() < 2 {
        return;
    }
    let any = |rng: &mut Rng, list: &[usize]| {
        let from = if rng.percent(80) { list.len() / 2 } else { 0 };
        list[from + rng.below(list.len() - from)]
    };
    let of = |all: &[(Kind, String)], f: &dyn Fn(Kind, &str) -> bool| -> Vec<usize> {
        tokens.iter().copied().filter(|i| f(all[*i].0, &all[*i].1)).collect()
    };
    let is_type = |s: &str| TYPES.contains(&s) || s.ends_with("_t");
    match rng.below(16) {
        0 | 1 => all[any(rng, &tokens)].1.clear(),
        2 => {
            let i = any(rng, &tokens);
            let copy = all[i].clone();
            all.insert(i, (Kind::Blank, " ".into()));
            all.insert(i, copy);
        }
        3 => {
            let (i, j) = (any(rng, &tokens), any(rng, &tokens));
            all.swap(i, j);
        }
        4..7 => {
            let list = of(all, &|k, s| k == Kind::Word && is_type(s));
            if !list.is_empty() {
                all[any(rng, &list)].1 = rng.pick(&TYPES).into();
            }
        }
        7..9 => {
            let list = of(all, &|k, _| k == Kind::Number);
            if !list.is_empty() {
                all[any(rng, &list)].1 = rng.pick(&NUMBERS).into();
            }
        }
        9..11 => {
            let list = of(all, &|k, _| k == Kind::Operator);
            if !list.is_empty() {
                all[any(rng, &list)].1 = rng.pick(&OPERATORS).into();
            }
        }
        11..14 => {
            // One name for another.
            let list = of(all, &|k, s| k == Kind::Word && !is_type(s) && !KEYWORDS.contains(&s));
            if !list.is_empty() {
                let name = all[any(rng, &list)].1.clone();
                all[any(rng, &list)].1 = name;
            }
        }
        14 => {
            let list = of(all, &|k, s| k == Kind::Word && KEYWORDS.contains(&s));
            if !list.is_empty() {
                all[any(rng, &list)].1 = rng.pick(&KEYWORDS).into();
            }
        }
        _ => {
            // A whole statement twice, or not at all.
            let ends: Vec<usize> = of(all, &|_, s| s == ";");
            if ends.len() < 2 {
                return;
            }
            let k = 1 + rng.below(ends.len() - 1);
            let (from, to) = (ends[k - 1] + 1, ends[k] + 1);
            let statement: Vec<(Kind, String)> = all[from..to].to_vec();
            if rng.percent(50) {
                all.splice(from..from, statement);
            } else {
                all.drain(from..to);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "// a\nint x = 10;\nint main(void) { x += 'a'; if (x << 2) return x; }\n";

    #[test]
    fn pieces_are_the_text() {
        let all = pieces(TEXT);
        assert_eq!(all.iter().map(|p| p.1).collect::<String>(), TEXT);
        assert!(all.contains(&(Kind::Operator, "<<")) && all.contains(&(Kind::Text, "'a'")));
    }

    #[test]
    fn seeds_fix_mutants() {
        let mutants: Vec<String> = (0..200).map(|s| mutate(TEXT, s)).collect();
        assert_eq!(mutants, (0..200).map(|s| mutate(TEXT, s)).collect::<Vec<_>>());
        let same = mutants.iter().filter(|m| *m == TEXT).count();
        assert!(same < 40, "{same} are no mutants");
    }
}
