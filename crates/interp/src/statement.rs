//! The text of a statement that begins in a line, from however many lines it has.

use relyant_cfa::comments::{Part, Parts};

/// So many lines are looked at.
const LINES: usize = 24;

/// What ends a line that goes on in the next one.
const GOES_ON: &[u8] = b"=+-*/%&|^<>?,!~([.";

/// What begins a line that goes on with the one before.
const CONTINUES: &[u8] = b"=/%&|^<>?:.,;)]";

/// The statement that begins in a line (from 1), as much of it as there is to its end: lines are joined by a blank, without comments
/// where there are several.
pub fn text(lines: &[String], line: u32) -> String {
    let Some(rest) = (line as usize).checked_sub(1).and_then(|l| lines.get(l..)) else {
        return String::new();
    };
    let Some((first, more)) = rest.split_first() else { return String::new() };
    let mut scan = Scan::default();
    let mut parts = vec![scan.line(first)];
    for next in more.iter().take(LINES) {
        if !scan.is_open(&parts, next.trim_start()) {
            break;
        }
        parts.push(scan.line(next));
    }
    match parts.len() {
        1 => first.trim().to_string(),
        _ => parts.iter().filter(|p| !p.is_empty()).cloned().collect::<Vec<_>>().join(" "),
    }
}

/// How far a statement was read.
#[derive(Default)]
struct Scan {
    /// Parentheses and brackets that are open.
    depth: usize,
    /// Inside of a comment.
    comment: bool,
    /// What a `:` may belong to.
    question: bool,
}

impl Scan {
    /// A line without its comments.
    fn line(&mut self, line: &str) -> String {
        let mut out = String::new();
        let mut parts = Parts::new(line, self.comment);
        for (_, part) in parts.by_ref() {
            match part {
                Part::Comment(_) => {}
                Part::Literal(text) => out.push_str(text),
                Part::Code(c) => {
                    match c {
                        '(' | '[' => self.depth += 1,
                        ')' | ']' => self.depth = self.depth.saturating_sub(1),
                        '?' => self.question = true,
                        _ => {}
                    }
                    out.push(c);
                }
            }
        }
        self.comment = parts.in_comment();
        out.trim().to_string()
    }

    /// Does the statement go on in the next line?
    fn is_open(&self, parts: &[String], next: &str) -> bool {
        let last = parts.iter().rev().find(|p| !p.is_empty());
        let Some(last) = last.filter(|_| !parts[0].starts_with('#') && !next.starts_with('#')) else {
            return false;
        };
        if self.depth > 0 {
            return true;
        }
        let end = last.bytes().last().unwrap_or(b';');
        let continues =
            next.bytes().next().is_some_and(|c| CONTINUES.contains(&c)) && !next.starts_with("/*");
        match end {
            b';' | b'{' | b'}' => false,
            b':' => self.question,
            // The head of a loop or a branch, or a macro that is a statement.
            b')' => continues && !next.starts_with("//"),
            c if GOES_ON.contains(&c) => !last.ends_with("++") && !last.ends_with("--") || continues,
            _ => {
                !["else", "do"].contains(&last.as_str()) && !next.is_empty() && !next.starts_with(['{', '}'])
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(source: &str, line: u32) -> String {
        text(&source.lines().map(String::from).collect::<Vec<_>>(), line)
    }

    #[test]
    fn lines_of_a_statement_are_joined() {
        let call = "\tpthread_create(&a, 0, // the first\n\t\tworker,\n\t\t0);\n\tx = 1;\n";
        assert_eq!(of(call, 1), "pthread_create(&a, 0, worker, 0);");
        assert_eq!(of(call, 2), "worker, 0);");
        assert_eq!(of(call, 4), "x = 1;");
        assert_eq!(of("n = x\n  + 1 /* one\n more */ + y;\nz;", 1), "n = x + 1 + y;");
        assert_eq!(of("n = x +\n  1;", 1), "n = x + 1;");
        assert_eq!(of("int y =\n\n  f(\")\", ')');\nz;", 1), "int y = f(\")\", ')');");
        assert_eq!(of("x = a ? b :\n  c;", 1), "x = a ? b : c;");
        assert_eq!(of("assert(n == 2 &&\n  n > 0);", 1), "assert(n == 2 && n > 0);");
    }

    #[test]
    fn what_is_whole_stays() {
        for (whole, next) in [
            ("x = 1; // one", "y = 2;"),
            ("if (x)", "y = 2;"),
            ("while (x) {", "y = 2;"),
            ("else", "y = 2;"),
            ("MACRO(x)", "y = 2;"),
            ("case 1:", "y = 2;"),
            ("again: /* here */", "y = 2;"),
            ("#define N 3 +", "4"),
            ("void *f(void *x)", "{"),
            ("}", "y = 2;"),
            ("", "y = 2;"),
        ] {
            assert_eq!(of(&format!("{whole}\n{next}\n"), 1), whole);
        }
        assert_eq!((of("x", 0), of("x", 2), of("f(", 1)), (String::new(), String::new(), "f(".to_string()));
    }
}
