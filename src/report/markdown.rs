//! Reports as Markdown (GitHub's), for summaries of pipelines and comments on reviews: a table, and each run folded, with a column for each thread.

use super::findings::{self, Finding, findings};
use super::json::{Document, Entry, PlaceEntry};
use std::fmt::Write;

/// Lines of a run that are shown; then it is said how many more there are.
const STEPS: usize = 100;

/// Findings of a file that are shown.
const FINDINGS: usize = 20;

/// The summary of one call of the tool.
pub fn summary(document: &Document) -> String {
    let mut out =
        format!("### Relyant: {}\n\n| verdict | program | |\n| --- | --- | --- |\n", totals(document));
    for e in &document.results {
        let program = std::iter::once(&e.file).chain(&e.more_files).map(|f| code(f)).collect::<Vec<_>>();
        let said: Vec<String> = said(e);
        // A string takes all that is written.
        let _ = writeln!(out, "| {} | {} | {} |", word(e), program.join(" "), said.join("<br>"));
    }
    for e in &document.results {
        out.push_str(&run(e).unwrap_or_default());
    }
    out
}

fn word(e: &Entry) -> &str {
    e.verdict.as_deref().unwrap_or("refused")
}

/// How many there are of each, the worst first.
fn totals(document: &Document) -> String {
    let count = |w: &str| document.results.iter().filter(|e| word(e) == w).count();
    let all = ["refused", "unsafe", "unknown", "safe"].map(|w| (count(w), w));
    let all: Vec<String> = all.iter().filter(|x| x.0 > 0).map(|(n, w)| format!("{n} {w}")).collect();
    if all.is_empty() { "no program".into() } else { all.join(", ") }
}

/// What is said of a file, a line each.
fn said(e: &Entry) -> Vec<String> {
    if let Some(d) = &e.error {
        let at = findings::place(&d.file, d.line, d.column);
        let help = if d.help.is_empty() { String::new() } else { format!(" ({})", d.help) };
        return vec![at_place(&at, &format!("{}{help}", d.message))];
    }
    if e.verdict.as_deref() == Some("unsafe") {
        let all = findings(e);
        let more = all.len().saturating_sub(FINDINGS);
        let shown = all.iter().take(FINDINGS).map(|f: &Finding| at_place(&f.said.at, &f.said.message));
        let more = (more > 0).then(|| format!("… and {more} more"));
        return shown.chain(more).collect();
    }
    let first = match (&e.reason, &e.proof) {
        (Some(why), _) => why.clone(),
        (None, Some(p)) if p.rule == "states" => format!("{}: all {} states", e.property, p.obligations),
        (None, Some(p)) => {
            let rule = if p.modular { format!("modular {}", p.rule) } else { p.rule.clone() };
            format!("{}: {rule} proof, {} obligations checked", e.property, p.obligations)
        }
        (None, None) => e.property.clone(),
    };
    let hints = e.hints.iter().map(|h| format!("Hint: {}", plain(&h.text)));
    std::iter::once(plain(&first)).chain(hints).collect()
}

fn at_place(at: &PlaceEntry, message: &str) -> String {
    match at.line {
        0 => plain(message),
        line => format!("{} {}", code(&format!("{}:{line}", at.file)), plain(message)),
    }
}

/// The run of a file that is unsafe, folded: what happened, and a column for each thread.
fn run(e: &Entry) -> Option<String> {
    let (headline, lines): (&str, Vec<String>) = match &e.trace {
        Some(t) => (&t.story.headline, findings::lines(t)),
        None if e.run.is_empty() => return None,
        None => ("", e.run.clone()),
    };
    let more = lines.len().saturating_sub(STEPS);
    let shown: Vec<String> = lines.iter().take(STEPS).map(|l| entities(l, |_| false)).collect();
    let more = if more > 0 { format!("\n… and {more} more") } else { String::new() };
    let heading = format!("the run of {}", code(&e.file));
    let headline = if headline.is_empty() { String::new() } else { format!("{}\n\n", plain(headline)) };
    let body = shown.join("\n");
    Some(format!(
        "\n<details><summary>{heading}</summary>\n\n{headline}<pre>{body}{more}</pre>\n\n</details>\n"
    ))
}

/// Text that has no meaning in Markdown, nor in HTML, nor in a table.
fn plain(text: &str) -> String {
    entities(text, |c| c.is_ascii_punctuation() && !".,;:/=()'-".contains(c))
}

fn code(text: &str) -> String {
    format!("<code>{}</code>", entities(text, |c| c.is_ascii_punctuation() && !"./:-".contains(c)))
}

/// With an entity for each character that has a meaning in HTML, or of which `also` says so. Ends of lines are blanks.
fn entities(text: &str, also: impl Fn(char) -> bool) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '\n' | '\r' => out.push(' '),
            '\t' => out.push('\t'),
            c if c.is_control() => out.push('\u{fffd}'),
            c if "<>&\"".contains(c) || also(c) => {
                let _ = write!(out, "&#{};", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::json::InputError;
    use serde_json::json;

    #[test]
    fn texts_stay_what_they_are() {
        assert_eq!(plain("a | <b> *c*\n"), "a &#124; &#60;b&#62; &#42;c&#42; ");
        assert_eq!(code("x_y.c"), "<code>x&#95;y.c</code>");
    }

    #[test]
    fn each_file_has_a_row() {
        let entry = |file: &str, verdict: Option<&str>| Entry {
            file: file.into(),
            verdict: verdict.map(String::from),
            property: "no failing assertion".into(),
            ..Entry::default()
        };
        let mut wrong = entry("w.c", None);
        let (file, message) = ("w.c".to_string(), "no | here".to_string());
        wrong.error = Some(InputError { file, line: 3, column: 1, message, help: String::new() });
        let mut bad = entry("u.c", Some("unsafe"));
        let trace = json!({"violation": "assertion", "kind": "assertion", "thread": "t", "file": "u.c", "line": 7, "column": 2,
            "start": [], "steps": []});
        bad.trace = serde_json::from_value(trace).unwrap();
        let results = vec![entry("s.c", Some("safe")), bad, wrong];
        let text = summary(&Document { format: 1, tool: "relyant".into(), version: "0".into(), results });
        let rows: Vec<&str> = text.lines().filter(|l| l.starts_with("| ")).collect();
        assert!(text.starts_with("### Relyant: 1 refused, 1 unsafe, 1 safe\n"), "{text}");
        assert_eq!(rows.len(), 5, "{text}");
        assert!(
            rows[3].contains("| unsafe | <code>u.c</code> | <code>u.c:7</code> An assertion"),
            "{}",
            rows[3]
        );
        assert_eq!(rows[4], "| refused | <code>w.c</code> | <code>w.c:3</code> no &#124; here |");
        assert_eq!(text.matches("<details>").count(), 1);
    }
}
