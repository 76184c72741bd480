//! Reading files and writing documents.

use relyant_frontend::diagnostic::Diagnostic;
use serde::Serialize;
use std::path::Path;

/// The text of a file.
pub fn read_text(path: &Path) -> Result<String, Box<Diagnostic>> {
    let wrong = |message: String| {
        Box::new(Diagnostic {
            file: path.display().to_string(),
            line: 0,
            column: 0,
            message,
            help: String::new(),
            source_line: None,
        })
    };
    let bytes = std::fs::read(path).map_err(|e| wrong(format!("cannot be read: {e}")))?;
    String::from_utf8(bytes)
        .map_err(|e| wrong(format!("is no text: byte {} is not UTF-8", e.utf8_error().valid_up_to())))
}

/// A document as indented JSON, with a newline at its end.
pub fn pretty(document: &impl Serialize) -> String {
    let mut text = serde_json::to_string_pretty(document).unwrap_or_else(|_| "{}".into());
    text.push('\n');
    text
}
