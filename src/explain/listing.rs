//! A source with something said beside its lines.

use std::collections::BTreeMap;

/// Columns that the source may take before what is said goes to a line of its own.
const SOURCE: usize = 42;
/// The same with the line's number before it.
const WIDTH: usize = SOURCE + 7;
/// Lines without anything said that stay between two that have something.
const BETWEEN: u32 = 3;

/// Columns that what is said may take before it goes on in the next row.
const SAID: usize = 84;

/// Rows of what is said, broken before connectives.
pub(super) fn rows(text: &str) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    let mut row = String::new();
    for word in text.replace(" -> ", " ->\n").replace(" || ", "\n|| ").replace(" && ", "\n&& ").split('\n') {
        let longer = row.chars().count() + 1 + word.chars().count() > SAID;
        if longer && !row.is_empty() {
            out.push(std::mem::take(&mut row));
        }
        if !row.is_empty() {
            row.push(' ');
        } else if !out.is_empty() {
            row.push_str("  ");
        }
        row.push_str(word);
    }
    out.push(row);
    out
}

/// What is said at a line: of its first statement, then of what the thread does later in the line.
#[derive(Clone, Debug, Default)]
pub(super) struct Remark {
    /// What happens next in the program, to tell places in a line apart.
    pub(super) next: String,
    /// What holds there.
    pub(super) text: String,
}

/// Remarks by file and line, from 1.
pub(super) type Remarks = BTreeMap<(u32, u32), Vec<Remark>>;

/// Prints the lines that have remarks, and those between them.
pub(super) fn listing(lines: &[Vec<String>], files: &[String], remarks: &Remarks) -> String {
    let mut out = String::new();
    let mut last: Option<(u32, u32)> = None;
    let several = remarks.keys().any(|k| Some(k.0) != remarks.keys().next().map(|f| f.0));
    let source = |file: u32, line: u32| {
        let text = lines.get(file as usize).and_then(|l| l.get(line.checked_sub(1)? as usize));
        text.map_or("", String::as_str).trim_end().replace('\t', "    ")
    };
    for ((file, line), said) in remarks {
        match last {
            Some((f, l)) if f == *file && line - l <= BETWEEN + 1 => {
                for between in l + 1..*line {
                    let row = format!("{between:>5}  {}", source(*file, between));
                    out.push_str(row.trim_end());
                    out.push('\n');
                }
            }
            Some((f, _)) if f == *file => out.push_str("    …\n"),
            _ if several => {
                out.push_str(&format!("{}\n", files.get(*file as usize).map_or("", String::as_str)));
            }
            _ => {}
        }
        last = Some((*file, *line));
        let text = source(*file, *line);
        let mut left = format!("{line:>5}  {text}");
        if text.chars().count() > SOURCE {
            out.push_str(&format!("{left}\n"));
            left.clear();
        }
        for (k, r) in said.iter().enumerate() {
            if k > 0 {
                let next =
                    if r.next.is_empty() { "… at the start".into() } else { format!("… {}", r.next) };
                let next = if next.chars().count() > SOURCE { "…".to_string() } else { next };
                left = format!("{:>7}{next:>SOURCE$}", "");
            }
            for row in rows(&r.text) {
                out.push_str(&format!("{left:<WIDTH$} | {row}\n"));
                left.clear();
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_are_short() {
        let lines = vec![(1..=20).map(|n| format!("line{n};")).collect()];
        let remark = |text: &str| Remark { next: "[x == 1]".into(), text: text.into() };
        let remarks = Remarks::from([
            ((0, 2), vec![remark("a")]),
            ((0, 4), vec![remark("b"), remark("c")]),
            ((0, 20), vec![remark("d")]),
        ]);
        let text = listing(&lines, &["f.c".into()], &remarks);
        let rows: Vec<&str> = text.lines().map(str::trim).collect();
        assert_eq!(rows.len(), 6, "{text}");
        assert!(rows[0].starts_with("2  line2;") && rows[0].ends_with("| a"), "{text}");
        assert_eq!(rows[1], "3  line3;");
        assert!(rows[3].starts_with("… [x == 1]") && rows[3].ends_with("| c"), "{text}");
        assert_eq!(rows[4], "…");
    }
}
