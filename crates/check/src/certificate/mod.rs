//! Proof certificates: JSON in terms of the source. The format is documented in `docs/CERTIFICATE.md`.

mod format;
mod ghosts;
mod macros;
mod order;
mod places;
mod read;
mod replicated;
mod states;
mod text;
mod write;

use data_encoding::HEXLOWER;
use relyant_cfa::options::Options;
use relyant_program::Program;
use relyant_program::recognisers::Recogniser;
use sha2::{Digest, Sha256};

pub use macros::{Disagreement, agree};
pub use read::Certificate;
pub use replicated::{ReplicatedCertificate, write_replicated};
pub use states::{StatesCertificate, write_states};
pub use text::{TextError, parse as parse_comparison};
pub use write::{write, write_with_places};

/// The `format` of every certificate.
pub const FORMAT: &str = "relyant-certificate";
/// The `version` written and read here.
pub const VERSION: u32 = 2;
/// The `version` of those that have the places of steps in the source besides; read here as well.
pub const WITH_PLACES: u32 = 3;

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
    /// The source files that the program is made of, as they were named.
    pub sources: Vec<Source>,
    /// What it includes, system headers apart.
    pub includes: Vec<Source>,
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
        "the certificate has format `{format}` version {version}, this program reads `{FORMAT}` version {VERSION}{}",
        hint(format, *version)
    )]
    Version {
        /// The `format` that it has.
        format: String,
        /// The `version` that it has.
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
    /// It says of ghosts what is not claimed of this program's.
    #[error("the certificate claims something else of ghosts")]
    Ghosts,
    /// Something in it does not exist in the program.
    #[error("{place}: {what}")]
    Content {
        /// Where in the certificate.
        place: String,
        /// What is wrong there.
        what: ContentError,
    },
}

/// What is wrong at a place in a certificate.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ContentError {
    /// A thread that the program has not.
    #[error("unknown thread `{0}`")]
    Thread(String),
    /// Predicates of a thread that the program has not.
    #[error("there is none")]
    NoThread,
    /// A location that the program has not.
    #[error("unknown location `{0}`")]
    Location(String),
    /// A variable that the program has not.
    #[error("unknown variable `{0}`")]
    Variable(String),
    /// What should be a comparison.
    #[error(transparent)]
    Text(#[from] TextError),
    /// A predicate without variables.
    #[error("`{0}` is always or never so")]
    Constant(String),
    /// A configuration with more threads than can be counted.
    #[error("too many threads")]
    TooManyThreads,
    /// A number that should say which way a state may differ.
    #[error("`{0}` is no direction")]
    Direction(char),
    /// The number of states is not the one that is said.
    #[error("there are more or fewer than `count`")]
    Count,
    /// The last state is not whole.
    #[error("they are cut off")]
    CutOff,
}

/// What to do about a version that is not read any more.
fn hint(format: &str, version: u64) -> &'static str {
    match (format, version) {
        (FORMAT, 1) => {
            ": version 1 has options for a compiler, which are never passed on; make it anew with verify --proof"
        }
        _ => "",
    }
}

/// A certificate of any kind.
pub enum AnyCertificate {
    /// Assertions, for the thread program.
    Proof(Certificate),
    /// A system of finite-state threads, for the thread program.
    Replicated(ReplicatedCertificate),
    /// States, for the program that is searched.
    States(StatesCertificate),
}

impl AnyCertificate {
    /// Reads the JSON; format and version are right.
    ///
    /// # Errors
    /// It is no certificate, or of another version.
    pub fn parse(json: &str) -> Result<AnyCertificate, CertificateError> {
        /// Looked at first: another version may have other fields.
        #[derive(serde::Deserialize)]
        struct Head {
            format: String,
            version: u64,
            #[serde(default)]
            kind: Option<String>,
        }
        let head: Head = serde_json::from_str(json).map_err(|e| CertificateError::Json(e.to_string()))?;
        if !is_read(&head.format, head.version, head.kind.is_none()) {
            return Err(CertificateError::Version { format: head.format, version: head.version });
        }
        match head.kind.as_deref() {
            Some(replicated::KIND) => ReplicatedCertificate::parse(json).map(AnyCertificate::Replicated),
            Some(states::KIND) => StatesCertificate::parse(json).map(AnyCertificate::States),
            _ => Certificate::parse(json).map(AnyCertificate::Proof),
        }
    }

    /// The choices about the program's meaning.
    pub fn options(&self) -> Options {
        match self {
            AnyCertificate::Proof(c) => c.options(),
            AnyCertificate::Replicated(c) => c.options(),
            AnyCertificate::States(c) => c.options(),
        }
    }

    /// Who found the ghosts that it speaks of.
    pub fn finders(&self) -> Vec<Recogniser> {
        let ghosts = match self {
            AnyCertificate::Proof(c) => c.ghosts(),
            AnyCertificate::Replicated(c) => c.ghosts(),
            AnyCertificate::States(_) => &[],
        };
        ghosts.iter().filter_map(|g| g.by.parse().ok()).collect()
    }

    /// Is it about exactly these files, and these that they include? Contents count, names may differ.
    ///
    /// # Errors
    /// It is not: about which.
    pub fn is_about(&self, sources: &[Source], includes: &[Source]) -> Result<(), CertificateError> {
        match self {
            AnyCertificate::Proof(c) => c.is_about(sources, includes),
            AnyCertificate::Replicated(c) => c.is_about(sources, includes),
            AnyCertificate::States(c) => c.is_about(sources, includes),
        }
    }
}

/// Is a version read? Only certificates of assertions may have places.
fn is_read(format: &str, version: u64, assertions: bool) -> bool {
    format == FORMAT && (version == u64::from(VERSION) || assertions && version == u64::from(WITH_PLACES))
}

/// Are these the sources?
fn matches_sources(own: &[format::SourceFile], sources: &[Source]) -> Result<(), CertificateError> {
    for (k, s) in sources.iter().enumerate() {
        if own.get(k).is_none_or(|x| x.sha256 != s.sha256) {
            return Err(CertificateError::Source(s.file.clone()));
        }
    }
    match own.get(sources.len()) {
        Some(s) => Err(CertificateError::Source(s.file.clone())),
        None => Ok(()),
    }
}

fn hex(bytes: &[u8]) -> String {
    HEXLOWER.encode(bytes)
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
            if !e.touches.is_empty() {
                let _ = writeln!(text, "{:?}", e.touches);
            }
        }
    }
    hex(&Sha256::digest(text.as_bytes()))
}
