//! Proof certificates: JSON in terms of the source. The format is documented in `docs/CERTIFICATE.md`.

mod format;
mod read;
mod text;
mod write;

use relyant_frontend::options::Options;
use relyant_frontend::program::Program;
use sha2::{Digest, Sha256};

pub use read::Certificate;
pub use write::write;

/// The `format` of every certificate.
pub const FORMAT: &str = "relyant-certificate";
/// The `version` written and read here.
pub const VERSION: u32 = 1;

/// A source file of the program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Source {
    /// Name as the user gave it.
    pub file: String,
    /// SHA-256 of its bytes, in hexadecimal.
    pub sha256: String,
}

impl Source {
    /// A file and its bytes.
    pub fn new(file: &str, bytes: &[u8]) -> Source {
        Source { file: file.into(), sha256: hex(&Sha256::digest(bytes)) }
    }
}

/// What a certificate says besides the proof.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Meta {
    /// The input.
    pub sources: Vec<Source>,
    /// The choices about its meaning.
    pub options: Options,
}

/// Why a certificate was not accepted as a proof about this program.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum CertificateError {
    /// No JSON, or fields missing, unknown, or of the wrong type.
    #[error("not a certificate: {0}")]
    Json(String),
    /// Another format or version.
    #[error(
        "the certificate has format `{format}` version {version}, this program reads `{FORMAT}` version {VERSION}"
    )]
    Version {
        /// Its format.
        format: String,
        /// Its version.
        version: u64,
    },
    /// The input is another one.
    #[error("the certificate is about another `{0}` (the SHA-256 differs)")]
    Source(String),
    /// The thread program made from the input is another one (options, or a change in the front end).
    #[error(
        "the certificate is about another thread program (other options, or another version of the front end)"
    )]
    Program,
    /// Something in it does not exist in the program.
    #[error("{place}: {message}")]
    Content {
        /// Where in the certificate.
        place: String,
        /// What.
        message: String,
    },
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

/// A digest of all of a thread program that its proofs depend on.
pub fn program_digest(p: &Program) -> String {
    use std::fmt::Write;
    let mut text = String::new();
    // Writing to a string does not fail.
    let _ = write!(text, "init {:?}\nexclusive {:?}\n", p.init, p.exclusive);
    for v in &p.variables {
        let _ = writeln!(text, "{:?} {:?} {:?} {:?} {}", v.name, v.scope, v.min, v.max, v.identity);
    }
    for t in &p.templates {
        let _ = writeln!(text, "{:?} {:?} {:?} {:?}", t.name, t.count, t.identity, t.entry);
        for l in &t.locations {
            // Files by number: they may be called by another path.
            let _ = writeln!(text, "{:?} {:?} {:?}", l.error, l.labels, l.span);
        }
        for e in &t.edges {
            let (inputs, update) = (e.inputs.len(), &e.updates);
            let _ =
                writeln!(text, "{:?} {:?} {inputs} {:?} {:?} {update:?}", e.from, e.to, e.guard, e.bounds);
        }
    }
    hex(&Sha256::digest(text.as_bytes()))
}
