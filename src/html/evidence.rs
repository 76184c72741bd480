//! What a page shows of a *safe* verdict: the certificate as it would be written, read and checked again, and each of its
//! obligations as an SMT-LIB script that the solver is asked about alone.

use crate::explain::outline::{Outline, outline, settled};
use crate::explain::settled::is_settled;
use crate::pipeline::certify::{Certificate, CertifyError};
use crate::pipeline::{Report, Verdict};
use relyant_cfa::options::Options;
use relyant_check::certificate::{AnyCertificate, CertificateError};
use relyant_check::decide::Conditions;
use relyant_check::ghosts::Claims;
use relyant_check::obligations::Obligations;
use relyant_check::ordered::Swaps;
use relyant_check::smt2;
use relyant_checker::Refusal;
use relyant_checker::source::{Claim, Claimed, Counted};
use relyant_frontend::c::unit::Unit;
use relyant_interp::machine::Stop;
use std::time::{Duration, Instant};
use z3::{Params, SatResult, Solver};

/// For one obligation, asked alone.
const EACH: Duration = Duration::from_secs(10);

/// Obligations that are asked about alone; the checker has accepted them all before.
const MOST: usize = 2000;

/// What there is to see of a *safe* verdict.
pub struct Shown {
    /// The certificate.
    pub certificate: String,
    /// What it says, in terms of the source.
    pub outline: Outline,
    /// What the checker counted when it accepted it.
    pub counted: Counted,
    /// The obligations, in the checker's order; none for a set of states.
    pub obligations: Vec<Asked>,
    /// All of them as one SMT-LIB script.
    pub smt2: String,
}

/// An obligation that a solver was asked about.
pub struct Asked {
    /// Its rule: `CS1` to `CS5`, `tickets`, `ghosts`.
    pub rule: &'static str,
    /// What it says.
    pub title: String,
    /// The solver said that nothing refutes it; `None`: it was not asked about this one alone, or had no answer in time.
    pub holds: Option<bool>,
    /// Wall-clock seconds.
    pub seconds: f64,
}

/// Why there is nothing to see.
#[derive(Debug, thiserror::Error)]
pub enum NoEvidence {
    /// There is no certificate.
    #[error(transparent)]
    Certificate(#[from] CertifyError),
    /// The certificate is none.
    #[error("the certificate cannot be read: {0}")]
    Unreadable(#[from] CertificateError),
    /// The certificate is not accepted.
    #[error("the certificate is not accepted: {0}")]
    Refused(#[from] Refusal),
    /// The program of a set of states cannot be run.
    #[error("the states cannot be shown: {0}")]
    Stopped(#[from] Stop),
    /// Whoever wanted it did not wait so long: why.
    #[error("{0}")]
    NotMade(String),
}

/// What is done for a page.
pub struct Effort<'a> {
    /// The certificate of the report, where it is written already.
    pub certificate: Option<String>,
    /// Time that is left for a smaller proof, and then for obligations asked alone: `Duration::MAX` without a limit, none
    /// once it is to stop.
    pub left: &'a dyn Fn() -> Duration,
    /// What the check of the certificate may take beyond that.
    pub grace: Duration,
}

/// What there is to see of a report; `None` if its verdict is not *safe*.
///
/// # Errors
/// Why there is nothing.
pub fn shown<'a>(
    report: &Report,
    what: impl Into<Unit<'a>>,
    meaning: &Options,
    effort: Effort<'_>,
) -> Result<Option<Shown>, NoEvidence> {
    let unit: Unit = what.into();
    let unit = unit.and(&meaning.more_files);
    let Effort { certificate, left, grace } = effort;
    let Verdict::Safe(_) = &report.verdict else { return Ok(None) };
    let certificate = match certificate {
        Some(text) => text,
        None => {
            let Some(certificate) = Certificate::of(report, unit, meaning)? else { return Ok(None) };
            let mut bytes = Vec::new();
            certificate.write(&mut bytes, left).map_err(CertifyError::Unwritten)?;
            String::from_utf8_lossy(&bytes).into_owned()
        }
    };
    let read = Claim::about(AnyCertificate::parse(&certificate)?, unit, &meaning.preprocessing)?.read()?;
    let counted = read.check(left().checked_add(grace))?.counted;
    let outline = match &read.evidence {
        Claimed::Proof(_, program) if is_settled(program) => settled(program, &report.checks),
        evidence => outline(evidence)?,
    };
    let (mut obligations, mut smt2) = (Vec::new(), String::new());
    if let Claimed::Proof(proof, program) = &read.evidence {
        // Both were well-formed for the checker.
        if let (Ok(all), Ok(ghosts)) = (Obligations::new(program, proof), Claims::new(program)) {
            ask(&all, all.list(), |o| o.name(), left, (&mut obligations, &mut smt2));
            ask(&ghosts, ghosts.list(), |_| "ghosts", left, (&mut obligations, &mut smt2));
            let swaps = Swaps::new(program);
            ask(&swaps, swaps.list(), |_| "swap", left, (&mut obligations, &mut smt2));
        }
    }
    Ok(Some(Shown { certificate, outline, counted, obligations, smt2 }))
}

fn ask<C: Conditions>(
    of: &C,
    items: &[C::Item],
    rule: impl Fn(&C::Item) -> &'static str,
    left: &dyn Fn() -> Duration,
    (asked, all): (&mut Vec<Asked>, &mut String),
) {
    for o in items {
        let script = smt2::text(of, o);
        if !all.is_empty() {
            all.push_str("(reset)\n");
        }
        all.push_str(&script);
        let start = Instant::now();
        let time = if asked.len() < MOST { left().min(EACH) } else { Duration::ZERO };
        let holds = if time.is_zero() { None } else { decide(&script, time) };
        asked.push(Asked {
            rule: rule(o),
            title: of.title(o),
            holds,
            seconds: start.elapsed().as_secs_f64(),
        });
    }
}

/// Does nothing satisfy the script?
fn decide(script: &str, time: Duration) -> Option<bool> {
    let solver = Solver::new();
    let mut params = Params::new();
    params.set_u32("timeout", u32::try_from(time.as_millis()).unwrap_or(u32::MAX).max(1));
    solver.set_params(&params);
    solver.from_string(script);
    // A script of which nothing was read would be satisfiable.
    match solver.check() {
        SatResult::Unsat => Some(true),
        SatResult::Sat => Some(false),
        SatResult::Unknown => None,
    }
}
