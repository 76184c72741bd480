//! What all pages have in common: style and script in the page, and a policy that lets nothing else run or load.

use data_encoding::BASE64;
use maud::{DOCTYPE, Markup, PreEscaped, html};
use serde_json::Value;
use sha2::{Digest, Sha256};

const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("script.js");

/// More bytes than this are not put into a page for download.
const LARGE: usize = 8 << 20;

/// A page without its frame.
#[derive(Default)]
pub(super) struct Page<'a> {
    /// Name of what it is about.
    pub(super) title: &'a str,
    /// `safe`, `unsafe`, `unknown`, `refused`, or empty.
    pub(super) verdict: &'static str,
    /// What the verdict means here, in a sentence.
    pub(super) sentence: String,
    /// Under the sentence.
    pub(super) facts: Markup,
    /// The rest.
    pub(super) body: Markup,
    /// What the script reads.
    pub(super) data: Option<Value>,
    /// What can be saved.
    pub(super) files: Vec<Download>,
}

/// A text that can be saved from a page.
pub(super) struct Download {
    /// Name of the file to be.
    pub(super) name: String,
    /// What it is.
    pub(super) what: &'static str,
    /// The text, or the command that writes it where it is too long.
    pub(super) text: Result<String, String>,
}

impl Download {
    /// A text, unless it is too long: then the command that writes it.
    pub(super) fn new(name: String, what: &'static str, text: &str, command: String) -> Download {
        let text = if text.len() > LARGE { Err(command) } else { Ok(text.to_string()) };
        Download { name, what, text }
    }
}

/// JSON that ends no script element.
fn embedded(v: &Value) -> PreEscaped<String> {
    PreEscaped(v.to_string().replace('<', "\\u003c"))
}

fn hash(text: &str) -> String {
    format!("'sha256-{}'", BASE64.encode(&Sha256::digest(text)))
}

fn size(bytes: usize) -> String {
    match bytes {
        0..1024 => format!("{bytes} bytes"),
        1024..1_048_576 => format!("{} KiB", bytes.div_ceil(1024)),
        _ => format!("{:.1} MiB", bytes as f64 / 1_048_576.0),
    }
}

impl Page<'_> {
    fn downloads(&self) -> Markup {
        html! {
            @if !self.files.is_empty() {
                section #downloads aria-labelledby="h-downloads" {
                    h2 #h-downloads { "Files" }
                    ul.files {
                        @for (k, file) in self.files.iter().enumerate() {
                            li {
                                @match &file.text {
                                    Ok(text) => {
                                        button.save type="button" data-file=(k) { (file.name) }
                                        span { (file.what) ", " (size(text.len())) }
                                    }
                                    Err(command) => { code { (command) } span { (file.what) ", too long for a page" } }
                                }
                            }
                        }
                    }
                }
            }
        }
    }

    /// The whole document.
    pub(super) fn document(&self) -> String {
        let policy = format!(
            "default-src 'none'; style-src {}; script-src {}; base-uri 'none'; form-action 'none'",
            hash(STYLE),
            hash(SCRIPT)
        );
        let files: Vec<Value> = self
            .files
            .iter()
            .map(|f| serde_json::json!({"name": f.name, "text": f.text.as_deref().unwrap_or_default()}))
            .collect();
        let page = html! {
            (DOCTYPE)
            html lang="en" {
                head {
                    meta charset="utf-8";
                    meta http-equiv="Content-Security-Policy" content=(policy);
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    meta name="color-scheme" content="light dark";
                    meta name="generator" content=(format!("relyant {}", env!("CARGO_PKG_VERSION")));
                    title { (self.title) @if !self.verdict.is_empty() { ": " (self.verdict) } }
                    style { (PreEscaped(STYLE)) }
                }
                body {
                    header.top {
                        p.name {
                            @if !self.verdict.is_empty() { strong class=(format!("verdict {}", self.verdict)) { (self.verdict) } " " }
                            span { (self.title) }
                        }
                        h1 { (self.sentence) }
                        (self.facts)
                    }
                    main { (self.body) (self.downloads()) }
                    footer { "relyant " (env!("CARGO_PKG_VERSION")) }
                    @if let Some(data) = &self.data {
                        script #data type="application/json" { (embedded(data)) }
                    }
                    @if !files.is_empty() {
                        script #files type="application/json" { (embedded(&Value::Array(files))) }
                    }
                    script { (PreEscaped(SCRIPT)) }
                }
            }
        };
        page.into_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_of_the_source_becomes_part_of_the_page() {
        let evil = "</script><script>alert(1)</script><b title=\"x\">&amp;";
        let page = Page {
            title: evil,
            sentence: evil.into(),
            data: Some(serde_json::json!({"text": evil})),
            files: vec![Download::new(evil.into(), "text", evil, String::new())],
            ..Page::default()
        };
        let text = page.document();
        assert!(!text.contains("<script>alert") && !text.contains("<b title"), "{text}");
        assert_eq!(text.matches("</script>").count(), 3, "data, files, the script itself");
        assert!(text.contains("\\u003c/script>\\u003cscript>alert(1)"));
    }

    #[test]
    fn what_is_long_is_not_in_the_page() {
        let long = "x".repeat(LARGE + 1);
        let d = Download::new("p.json".into(), "certificate", &long, "relyant verify --proof".into());
        assert_eq!(d.text, Err("relyant verify --proof".to_string()));
        assert_eq!(size(LARGE), "8.0 MiB");
        assert_eq!(size(1025), "2 KiB");
    }
}
