//! Reading files and writing documents.

use relyant_cfa::diagnostic::Diagnostic;
use relyant_cfa::files;
use relyant_cfa::options::Options;
use relyant_check::certificate::Source;
use relyant_frontend::c;
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

/// A source and the files that it includes, with their digests.
pub fn sources(file: &Path, options: &Options) -> Result<(Vec<Source>, Vec<Source>), Box<Diagnostic>> {
    let one = |path: &Path| match files::read(path) {
        Ok(bytes) => Ok(Source::new(&path.display().to_string(), &bytes)),
        Err(e) => Err(wrong(path, format!("cannot be read: {e}"))),
    };
    let source = one(file)?;
    let includes = c::includes(file, options)?;
    let includes = includes.iter().map(|p| one(p)).collect::<Result<_, _>>()?;
    Ok((vec![source], includes))
}

/// A document as indented JSON, with a newline at its end.
pub fn pretty(document: &impl Serialize) -> String {
    let mut text = serde_json::to_string_pretty(document).unwrap_or_else(|_| "{}".into());
    text.push('\n');
    text
}
