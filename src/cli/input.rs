//! Reading files and writing documents.

pub use relyant_cfa::files::read_text;
pub use relyant_checker::arguments::seconds;
use serde::Serialize;

/// A document as indented JSON, with a newline at its end.
pub fn pretty(document: &impl Serialize) -> String {
    let mut text = serde_json::to_string_pretty(document).unwrap_or_else(|_| "{}".into());
    text.push('\n');
    text
}
