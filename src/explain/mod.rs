//! Certificates for readers: the source with what holds beside each statement, and what threads do to each other.
//!
//! A certificate is explained after the checker has accepted it.

mod beside;
mod finite;
mod listing;
mod ordered;
pub mod outline;
mod proof;
mod replicated;
pub mod settled;
mod states;
mod words;

pub use beside::{Beside, beside};

use relyant_cfa::preprocessing::Preprocessing;
use relyant_check::certificate::AnyCertificate;
use relyant_check::finite::{FileKind, Question};
use relyant_checker::Refusal;
use relyant_checker::source::{Claim, Claimed};
use relyant_frontend::c;
use relyant_frontend::c::unit::Unit;
use relyant_program::ordered::Ordered;
use std::path::Path;
use std::time::Duration;

/// What a certificate about finite-state threads says, once it is accepted.
///
/// # Errors
/// It is no certificate, or not accepted.
pub fn explain_finite(
    certificate: &str,
    file: &Path,
    kind: FileKind,
    question: &Question,
    timeout: Option<Duration>,
) -> Result<String, Refusal> {
    let accepted = relyant_checker::finite::check(certificate, file, kind, question, timeout)?;
    let body = finite::text(&accepted.shown);
    Ok(format!("{}: accepted: {}\n\n{body}", file.display(), accepted.what))
}

/// What a certificate says of its source, once it is accepted.
///
/// # Errors
/// It is no certificate, or not accepted.
pub fn explain<'a>(
    certificate: &str,
    what: impl Into<Unit<'a>>,
    told: &Preprocessing,
    timeout: Option<Duration>,
) -> Result<String, Refusal> {
    let parsed = AnyCertificate::parse(certificate).map_err(|e| Refusal::Unreadable(e.to_string()))?;
    let unit: Unit<'a> = what.into();
    let claim = Claim::about(parsed, unit, told)?;
    let meaning = claim.meaning().clone();
    let read = claim.read()?;
    let accepted = read.check(timeout)?;
    let body = match &read.evidence {
        Claimed::Proof(_, program) if settled::is_settled(program) => {
            let module = c::load(unit, &meaning).map_err(|d| Refusal::Input(Box::new(d)))?;
            settled::text(program, &module.checks)
        }
        Claimed::Proof(proof, program) => match program.ordered.as_deref() {
            Some(o) => format!("{}\n{}", ordered::text(o), proof::text(program, proof)),
            None => proof::text(program, proof),
        },
        Claimed::Replicated(proof, program) => replicated::text(program, proof),
        Claimed::States(space, program) => {
            states::text(program, space).map_err(|e| Refusal::Rejected(e.to_string()))?
        }
    };
    let how = match &read.evidence {
        Claimed::Proof(_, program) if settled::is_settled(program) => {
            "since nothing that is left after reading can fail".into()
        }
        Claimed::Proof(_, program) if program.ordered.as_deref().is_some_and(Ordered::is_product) => {
            "by a proof in an order of preference".into()
        }
        Claimed::Proof(p, program) => {
            let modular = if p.modular { "modular " } else { "" };
            let rule = match p.rule {
                relyant_check::Rule::RelyGuarantee => "rely-guarantee",
                relyant_check::Rule::OwickiGries => "Owicki-Gries",
                relyant_check::Rule::Monolithic => "monolithic",
            };
            let waits = program.waits_in_words().map_or(String::new(), |o| format!("; {o}"));
            format!("by a {modular}{rule} proof{waits}")
        }
        Claimed::Replicated(..) => "for replicated threads".into(),
        Claimed::States(..) => "since all states were visited".into(),
    };
    Ok(format!("{}: safe {how}; accepted: {}\n\n{body}", unit.name(), accepted.counted))
}
