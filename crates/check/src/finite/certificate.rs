//! Certificates about coverability, as JSON (`docs/CERTIFICATE.md`), and their checker's way in.

use super::Input;
use data_encoding::HEXLOWER;
use relyant_finite::evidence::{Certificate, CoveringRun, Step, Weights};
use relyant_finite::model::{Config, Counts, Split, Target};
use relyant_finite::tts;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};

/// The `format` of every such certificate.
pub const FORMAT: &str = "relyant-coverability";
/// The `version` written and read here.
pub const VERSION: u32 = 1;

/// A certificate as it is written.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Document {
    format: String,
    version: u32,
    sources: Vec<Source>,
    initial: Vec<String>,
    target: Vec<Pair>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    uncoverable: Option<Uncoverable>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    coverable: Option<Coverable>,
}

#[derive(Serialize, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
struct Source {
    file: String,
    sha256: String,
}

/// Shared state, and local states with numbers of threads.
#[derive(Serialize, Deserialize, PartialEq, Eq)]
struct Pair(u32, Vec<(u32, u32)>);

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Uncoverable {
    minimal: Vec<Pair>,
    #[serde(default)]
    weights: Vec<Heavy>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Heavy {
    shared: Vec<(u32, u64)>,
    local: Vec<(u32, u64)>,
    bound: u64,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Coverable {
    start: Pair,
    steps: Vec<Move>,
}

/// Index of the transition, and `from, to, count` of transfers.
#[derive(Serialize, Deserialize)]
struct Move(usize, Vec<(u32, u32, u32)>);

/// What a certificate claims.
pub enum Claim {
    /// That the target is not coverable.
    Uncoverable(Certificate),
    /// That it is, by this run.
    Coverable(CoveringRun),
}

/// Why a certificate says nothing about this input.
#[derive(Debug, thiserror::Error)]
pub enum CertificateError {
    /// No JSON, or fields missing, unknown, or of the wrong type.
    #[error("not a certificate: {0}")]
    Json(String),
    /// Another format or version.
    #[error("the certificate has format `{0}` version {1}, this program reads `{FORMAT}` version {VERSION}")]
    Version(String, u32),
    /// It claims both, or nothing.
    #[error("the certificate has to have either `uncoverable` or `coverable`")]
    Claim,
    /// It is about something else.
    #[error("the certificate is about {0}")]
    Other(&'static str),
    /// Numbers of threads are 0, or named twice.
    #[error("malformed numbers of threads")]
    Counts,
}

fn pair(c: &Config) -> Pair {
    Pair(c.shared, c.locals.iter().collect())
}

fn unpair(p: &Pair) -> Result<Config, CertificateError> {
    let mut counts = Counts::new();
    for (l, n) in &p.1 {
        if *n == 0 || counts.get(*l) > 0 {
            return Err(CertificateError::Counts);
        }
        counts.set(*l, *n);
    }
    Ok(Config::new(p.0, counts))
}

fn sources(input: &Input) -> Vec<Source> {
    let hex = |bytes: &[u8]| HEXLOWER.encode(&Sha256::digest(bytes));
    input.sources.iter().map(|(file, bytes)| Source { file: file.clone(), sha256: hex(bytes) }).collect()
}

fn document(input: &Input, uncoverable: Option<Uncoverable>, coverable: Option<Coverable>) -> Document {
    Document {
        format: FORMAT.into(),
        version: VERSION,
        sources: sources(input),
        initial: input.system.initial.iter().map(tts::write_initial).collect(),
        target: input.target.iter().map(pair).collect(),
        uncoverable,
        coverable,
    }
}

/// The certificate that no run covers the target.
pub fn uncoverable(input: &Input, c: &Certificate) -> Document {
    let heavy = |w: &Weights| Heavy { shared: w.shared.clone(), local: w.local.clone(), bound: w.bound };
    let proof = Uncoverable {
        minimal: c.minimal.iter().map(pair).collect(),
        weights: c.weights.iter().map(heavy).collect(),
    };
    document(input, Some(proof), None)
}

/// The certificate that a run covers the target.
pub fn coverable(input: &Input, r: &CoveringRun) -> Document {
    let step = |s: &Step| Move(s.transition, s.splits.iter().map(|x| (x.from, x.to, x.count)).collect());
    document(
        input,
        None,
        Some(Coverable { start: pair(&r.start), steps: r.steps.iter().map(step).collect() }),
    )
}

/// What a certificate is about, as options would say it: initial configurations, and the target.
pub fn about(d: &Document) -> Result<(Option<String>, String), CertificateError> {
    let initial = match d.initial.as_slice() {
        [one] => Some(one.clone()),
        _ => None,
    };
    let target = d.target.iter().map(unpair).collect::<Result<Target, _>>()?;
    Ok((initial, tts::write_target(&target)))
}

/// Reads a certificate's text.
pub fn parse(text: &str) -> Result<Document, CertificateError> {
    let json = |e: serde_json::Error| CertificateError::Json(e.to_string());
    let value: Value = serde_json::from_str(text).map_err(json)?;
    let (format, version) = (value["format"].as_str().unwrap_or("?"), value["version"].as_u64().unwrap_or(0));
    if (format, version) != (FORMAT, u64::from(VERSION)) {
        return Err(CertificateError::Version(format.into(), u32::try_from(version).unwrap_or(0)));
    }
    serde_json::from_value(value).map_err(json)
}

/// A certificate's claim about an input.
pub fn read(d: Document, input: &Input) -> Result<Claim, CertificateError> {
    if d.format != FORMAT || d.version != VERSION {
        return Err(CertificateError::Version(d.format, d.version));
    }
    let here = sources(input);
    let same =
        d.sources.len() == here.len() && d.sources.iter().zip(&here).all(|(a, b)| a.sha256 == b.sha256);
    if !same {
        return Err(CertificateError::Other("other sources"));
    }
    if d.initial != input.system.initial.iter().map(tts::write_initial).collect::<Vec<_>>() {
        return Err(CertificateError::Other("other initial configurations"));
    }
    let target = d.target.iter().map(unpair).collect::<Result<Target, _>>()?;
    if target != input.target {
        return Err(CertificateError::Other("another target"));
    }
    match (d.uncoverable, d.coverable) {
        (Some(u), None) => {
            let minimal = u.minimal.iter().map(unpair).collect::<Result<_, _>>()?;
            let light = |h: Heavy| Weights { shared: h.shared, local: h.local, bound: h.bound };
            Ok(Claim::Uncoverable(Certificate {
                minimal,
                weights: u.weights.into_iter().map(light).collect(),
            }))
        }
        (None, Some(c)) => {
            let split = |x: &(u32, u32, u32)| Split { from: x.0, to: x.1, count: x.2 };
            let step = |m: &Move| Step { transition: m.0, splits: m.1.iter().map(split).collect() };
            Ok(Claim::Coverable(CoveringRun {
                start: unpair(&c.start)?,
                steps: c.steps.iter().map(step).collect(),
            }))
        }
        _ => Err(CertificateError::Claim),
    }
}
