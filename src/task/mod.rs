//! Verification tasks as BenchExec and SV-COMP write them: task definitions (YAML) and property files.

pub mod definition;
pub mod property;
pub mod words;
pub mod yaml;

pub use definition::{Listed, Task};
pub use property::Property;

use relyant_cfa::diagnostic::Diagnostic;
use std::path::Path;

/// Is this the name of a task definition?
pub fn is_named(path: &Path) -> bool {
    path.extension().and_then(|e| e.to_str()).is_some_and(|e| e == "yml" || e == "yaml")
}

/// The text of a file, or what is wrong with it.
fn read(path: &Path) -> Result<String, Diagnostic> {
    let whole = |message: String| Diagnostic {
        file: path.display().to_string(),
        line: 0,
        column: 0,
        message,
        help: String::new(),
        source_line: None,
    };
    let bytes = relyant_cfa::files::read(path).map_err(|e| whole(format!("cannot be read: {e}")))?;
    String::from_utf8(bytes)
        .map_err(|e| whole(format!("is no text: byte {} is not UTF-8", e.utf8_error().valid_up_to())))
}
