//! Certificates checked against their sources, which are read anew. No engine takes part: `relyant-check` is made of this
//! crate and of what `ARCHITECTURE.md` lists as trusted.
//!
//! ```
//! use relyant_check::finite::{FileKind, Question};
//! use relyant_checker::{Refusal, finite};
//!
//! // What is no certificate is refused before its file is looked at.
//! let refused = finite::check("{}", "net.spec".as_ref(), FileKind::Net, &Question::default(), None);
//! assert!(matches!(refused, Err(Refusal::Unreadable(_))));
//! ```
#![deny(missing_docs)]

pub mod arguments;
pub mod finite;
pub mod guard;
pub mod macros;
pub mod source;
pub mod task;

use relyant_cfa::diagnostic::{Diagnostic, plain};
use relyant_cfa::options::Options;
use relyant_cfa::preprocessing::Preprocessing;

/// Why a certificate was not accepted.
#[derive(Debug, thiserror::Error)]
pub enum Refusal {
    /// It is no certificate, or of another version.
    #[error("{0}")]
    Unreadable(String),
    /// The source cannot be read.
    #[error("{0}")]
    Input(Box<Diagnostic>),
    /// It does not show that this source is safe.
    #[error("rejected: {0}")]
    Rejected(String),
    /// A limit was reached before it was clear.
    #[error("undecided: {0}")]
    Undecided(String),
}

/// What a certificate is about, a line each: its property, and the choices under which it holds.
pub fn describe(meaning: &Options) -> Vec<String> {
    let mut lines = vec![format!("property: {}", plain(&meaning.describe()))];
    let choices = meaning.choices();
    if !choices.is_empty() {
        lines.push(format!("under: {}", plain(&choices.join(", "))));
    }
    if meaning.preprocessing != Preprocessing::default() {
        lines.push(format!("preprocessed with: {}", plain(&meaning.preprocessing.describe())));
    }
    lines
}
