//! What command lines have in common: limits of time.

use std::time::Duration;

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
