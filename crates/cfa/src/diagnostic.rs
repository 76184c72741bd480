//! Errors in an input, with the place they are at.

use std::fmt;

/// A place in a source file. Lines and columns count from 1; 0 means unknown.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Span {
    /// Index into the program's list of files.
    pub file: u32,
    /// Line, from 1; 0 when unknown.
    pub line: u32,
    /// Column in the line, from 1; 0 when unknown.
    pub column: u32,
}

/// What is wrong with an input, where, and what to do about it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    /// File name as the user gave it or as a line marker has it.
    pub file: String,
    /// Line, from 1; 0 when the whole file is meant.
    pub line: u32,
    /// Column, from 1; 0 when unknown.
    pub column: u32,
    /// What is wrong, one line.
    pub message: String,
    /// Why it matters or what to do, one line, may be empty.
    pub help: String,
    /// The text of the source line, when known.
    pub source_line: Option<String>,
}

impl Diagnostic {
    /// About a file as a whole. `help` may be empty.
    pub fn of_file(file: impl Into<String>, message: impl Into<String>, help: &str) -> Diagnostic {
        let (file, message) = (file.into(), message.into());
        Diagnostic { file, line: 0, column: 0, message, help: help.into(), source_line: None }
    }
    /// At a place in one of some files, of which `lines[file][line - 1]` are the texts. `help` may be empty.
    pub fn at(
        span: Span,
        files: &[String],
        lines: &[Vec<String>],
        message: impl Into<String>,
        help: &str,
    ) -> Diagnostic {
        let file = span.file as usize;
        let text = lines.get(file).and_then(|l| l.get((span.line as usize).checked_sub(1)?));
        Diagnostic {
            line: span.line,
            column: span.column,
            source_line: text.cloned(),
            ..Diagnostic::of_file(files.get(file).cloned().unwrap_or_default(), message, help)
        }
    }
}

/// Columns of a source line that are shown.
const WIDTH: usize = 100;

/// Control characters, and those that are not seen or turn the direction of writing.
fn is_odd(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
}

/// Text for a terminal: what would do something there is written as an escape.
pub fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match is_odd(c) {
            true => out.extend(c.escape_unicode()),
            false => out.push(c),
        }
    }
    out
}

/// A report for a terminal: lines, tabs and colours stay.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for (at, c) in text.char_indices() {
        match c {
            '\n' | '\t' => out.push(c),
            '\u{1b}' if is_colour(&text[at + 1..]) => out.push(c),
            c if is_odd(c) => out.extend(c.escape_unicode()),
            c => out.push(c),
        }
    }
    out
}

fn is_colour(rest: &str) -> bool {
    let numbers = |s: &str| s.trim_start_matches(|c: char| c.is_ascii_digit() || c == ';').starts_with('m');
    rest.strip_prefix('[').is_some_and(numbers)
}

/// The part of a line around a column (in bytes, from 0), and the place in it. A tab is one blank, as is all that does something.
fn window(line: &str, column: usize) -> (String, usize) {
    let length = line.chars().count();
    let column = line.char_indices().take_while(|c| c.0 < column).count();
    let start = match length > WIDTH {
        true => column.saturating_sub(WIDTH / 2).min(length - WIDTH),
        false => 0,
    };
    let blank = |c: char| if is_odd(c) { ' ' } else { c };
    let mut shown: String = line.chars().skip(start).take(WIDTH).map(blank).collect();
    if start + WIDTH < length {
        shown.push('…');
    }
    match start {
        0 => (shown, column),
        _ => (format!("…{shown}"), column - start + 1),
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", plain(&self.file))?;
        if self.line > 0 {
            write!(f, ":{}", self.line)?;
            if self.column > 0 {
                write!(f, ":{}", self.column)?;
            }
        }
        write!(f, ": error: {}", plain(&self.message))?;
        if let Some(text) = &self.source_line {
            let (text, column) = window(text, (self.column as usize).saturating_sub(1));
            write!(f, "\n  {text}")?;
            if self.column > 0 {
                write!(f, "\n  {:column$}^", "")?;
            }
        }
        if !self.help.is_empty() {
            write!(f, "\n  help: {}", plain(&self.help))?;
        }
        Ok(())
    }
}

impl std::error::Error for Diagnostic {}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(line: &str, column: u32) -> Diagnostic {
        Diagnostic {
            file: "a\u{1b}]0;x\u{7}.c".into(),
            line: 1,
            column,
            message: "an error".into(),
            help: "a\nb".into(),
            source_line: Some(line.into()),
        }
    }

    #[test]
    fn a_screen_line_around_the_caret() {
        let long = "x".repeat(300) + "!" + &"y".repeat(3000);
        let text = at(&long, 301).to_string();
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines.iter().all(|l| l.chars().count() <= WIDTH + 6), "{text}");
        let caret = lines[2].find('^').unwrap();
        assert_eq!(lines[1].chars().nth(caret), Some('!'), "{text}");
        assert!(at(&long, 1).to_string().contains("  xxx"));
        assert!(at(&long, 9999).to_string().contains('…'));
    }

    #[test]
    fn reports_keep_lines_and_colours() {
        let text = "a\n\t\u{1b}[1;31mb\u{1b}[0m";
        assert_eq!(escape(text), text);
        assert_eq!(escape("\u{1b}[2J\r\u{1b}]0;x\u{7}"), "\\u{1b}[2J\\u{d}\\u{1b}]0;x\\u{7}");
    }

    #[test]
    fn nothing_that_a_terminal_does() {
        let text = at("\tx = \u{1b}[2J\u{9b}31m\u{202e}1;", 2).to_string();
        assert!(!text.chars().any(|c| is_odd(c) && c != '\n'), "{text:?}");
        assert!(text.starts_with("a\\u{1b}]0;x\\u{7}.c:1:2: error: an error\n"), "{text:?}");
        assert!(text.contains("\n   x = "), "{text:?}");
    }
}
