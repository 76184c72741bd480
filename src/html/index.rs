//! The page of a batch: all files with their verdicts, to be filtered.

use super::page::Page;
use maud::html;
use std::collections::BTreeMap;

/// A file of a batch.
pub struct Row {
    /// Name of the file, as it was given.
    pub file: String,
    /// `safe`, `unsafe`, `unknown` or `refused`.
    pub verdict: &'static str,
    /// What must not happen, in words.
    pub property: String,
    /// What there is to say, in a few words.
    pub summary: String,
    /// Seconds of all stages.
    pub seconds: f64,
    /// Where its page is, as seen from the index.
    pub page: String,
}

/// The page: a whole document.
pub fn index(rows: &[Row]) -> String {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    rows.iter().for_each(|r| *counts.entry(r.verdict).or_default() += 1);
    let said: Vec<String> = counts.iter().map(|(v, n)| format!("{n} {v}")).collect();
    let body = html! {
        section #batch {
            form.filters role="search" {
                label { span { "find" } input #find type="search" autocomplete="off"; }
                fieldset {
                    legend { "verdict" }
                    @for (v, n) in &counts {
                        label { input type="checkbox" name="verdict" value=(v) checked; (v) " " span.quiet { (n) } }
                    }
                }
                p #found role="status" { (rows.len()) " of " (rows.len()) }
            }
            div.scroll { table.batch {
                thead { tr {
                    th aria-sort="none" { button type="button" { "file" } }
                    th aria-sort="none" { button type="button" { "verdict" } }
                    th { "what" }
                    th.number aria-sort="none" { button type="button" { "time" } }
                } }
                tbody {
                    @for r in rows {
                        tr data-verdict=(r.verdict) {
                            td { a href=(r.page) { (r.file) } }
                            td { strong class=(format!("verdict {}", r.verdict)) { (r.verdict) } }
                            td { (r.summary) div.quiet { (r.property) } }
                            td.number.time data-value=(format!("{:.3}", r.seconds)) { (format!("{:.2} s", r.seconds)) }
                        }
                    }
                }
            } }
        }
    };
    let title = if rows.len() == 1 { "1 result".to_string() } else { format!("{} results", rows.len()) };
    Page { title: &title, sentence: format!("{}.", said.join(", ")), body, ..Page::default() }.document()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_link_to_their_pages() {
        let row = |file: &str, verdict| Row {
            file: file.into(),
            verdict,
            property: "no failing assertion".into(),
            summary: "n < 3 & m".into(),
            seconds: 0.5,
            page: format!("pages/{file}.html"),
        };
        let text = index(&[row("a.c", "safe"), row("b.c", "unsafe"), row("c.c", "safe")]);
        assert!(text.contains("<h1>2 safe, 1 unsafe.</h1>"), "{text}");
        assert!(text.contains(r#"<a href="pages/b.c.html">b.c</a>"#));
        assert!(text.contains("n &lt; 3 &amp; m"));
    }
}
