//! Reading files and writing documents.

pub use relyant_cfa::files::read_text;
use relyant_checker::arguments::NoSeconds;
pub use relyant_checker::arguments::seconds;
use serde::Serialize;
use std::time::Duration;

/// Seconds, or 0 for no limit.
pub fn seconds_or_none(text: &str) -> Result<Duration, NoSeconds> {
    if text == "0" { Ok(Duration::ZERO) } else { seconds(text) }
}

/// A document as indented JSON, with a newline at its end.
pub fn pretty(document: &impl Serialize) -> String {
    let mut text = serde_json::to_string_pretty(document).unwrap_or_else(|_| "{}".into());
    text.push('\n');
    text
}
