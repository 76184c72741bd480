//! Reading files and writing documents.

use relyant_cfa::diagnostic::Diagnostic;
use relyant_cfa::files;
use serde::Serialize;
use std::path::Path;

fn wrong(path: &Path, message: String) -> Box<Diagnostic> {
    Box::new(Diagnostic {
        file: path.display().to_string(),
        line: 0,
        column: 0,
        message,
        help: String::new(),
        source_line: None,
    })
}

/// The text of a file.
pub fn read_text(path: &Path) -> Result<String, Box<Diagnostic>> {
    let bytes = files::read(path).map_err(|e| wrong(path, format!("cannot be read: {e}")))?;
    String::from_utf8(bytes)
        .map_err(|e| wrong(path, format!("is no text: byte {} is not UTF-8", e.utf8_error().valid_up_to())))
}

/// A document as indented JSON, with a newline at its end.
pub fn pretty(document: &impl Serialize) -> String {
    let mut text = serde_json::to_string_pretty(document).unwrap_or_else(|_| "{}".into());
    text.push('\n');
    text
}
