//! What command lines have in common: files that are text, and limits of time.

use relyant_cfa::diagnostic::Diagnostic;
use relyant_cfa::files;
use std::path::Path;
use std::time::Duration;

/// The text of a file.
///
/// # Errors
/// It cannot be read, or is no UTF-8: at which byte.
pub fn read_text(path: &Path) -> Result<String, Box<Diagnostic>> {
    let wrong = |why: String| Box::new(Diagnostic::of_file(path.display().to_string(), why, ""));
    let bytes = files::read(path).map_err(|e| wrong(format!("cannot be read: {e}")))?;
    String::from_utf8(bytes)
        .map_err(|e| wrong(format!("is no text: byte {} is not UTF-8", e.utf8_error().valid_up_to())))
}

/// What is no limit of time.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum NoSeconds {
    /// It is no number at all.
    #[error("not a number")]
    NoNumber,
    /// It is 0 or less, or beyond all times.
    #[error("must be above 0")]
    NotPositive,
}

/// A positive number of seconds.
///
/// # Errors
/// It is none.
pub fn seconds(text: &str) -> Result<Duration, NoSeconds> {
    let s: f64 = text.parse().map_err(|_| NoSeconds::NoNumber)?;
    match Duration::try_from_secs_f64(s) {
        Ok(d) if !d.is_zero() => Ok(d),
        _ => Err(NoSeconds::NotPositive),
    }
}
