//! Certificates about finite-state threads, checked against their files.

use crate::Refusal;
use relyant_check::finite::certificate::{self, Claim};
use relyant_check::finite::{self as files, FileKind, Input, Question, boolean};
use relyant_finite::evidence::{self, Certificate, CoveringRun, Rejection};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// What an accepted certificate shows.
pub enum Shown {
    /// Why no run covers the target.
    Uncoverable(Box<Input>, Certificate),
    /// A run that does.
    Coverable(Box<Input>, CoveringRun),
    /// The same about a Boolean program.
    Boolean(Box<boolean::Checked>),
}

/// A certificate that was accepted.
pub struct Accepted {
    /// What the reader of the file took for granted, a line each.
    pub assumes: Vec<String>,
    /// The initial configurations of a system of threads, which are not in its file.
    pub initial: Option<String>,
    /// What was shown, in words.
    pub what: String,
    /// Seconds that it took.
    pub seconds: f64,
    /// The evidence itself.
    pub shown: Shown,
}

/// Checks a certificate (its text) against a file of this kind. What is asked about the file is what the certificate says
/// unless it is given.
///
/// # Errors
/// It is none, the file cannot be read, it does not show what it claims, or the time was over.
pub fn check(
    text: &str,
    file: &Path,
    kind: FileKind,
    question: &Question,
    timeout: Option<Duration>,
) -> Result<Accepted, Refusal> {
    let began = Instant::now();
    let accepted = |assumes, initial, what, shown| Accepted {
        assumes,
        initial,
        what,
        seconds: began.elapsed().as_secs_f64(),
        shown,
    };
    if kind == FileKind::Boolean {
        let checked = boolean::check(text, file, &stop_after(timeout)).map_err(Refusal::Input)?;
        let checked = checked.map_err(|e| match e {
            boolean::Refusal::Unreadable(_) => Refusal::Unreadable(e.to_string()),
            boolean::Refusal::Rejected(why) => Refusal::Rejected(why),
            boolean::Refusal::Undecided(why) => Refusal::Undecided(why),
        })?;
        return Ok(accepted(Vec::new(), None, checked.what.clone(), Shown::Boolean(Box::new(checked))));
    }
    let unreadable = |e: certificate::CertificateError| Refusal::Unreadable(e.to_string());
    let document = certificate::parse(text).map_err(unreadable)?;
    let (initial, target) = certificate::about(&document).map_err(unreadable)?;
    let mut question = question.clone();
    if kind == FileKind::Threads {
        question.initial = question.initial.or(initial);
        if question.target.is_none() && !file.with_extension("prop").exists() {
            question.target = Some(target);
        }
    }
    let input = files::read(file, kind, &question).map_err(Refusal::Input)?;
    let rejected = |e: &dyn std::fmt::Display| Refusal::Rejected(e.to_string());
    let claim = certificate::read(document, &input).map_err(|e| rejected(&e))?;
    let initial = question.initial.filter(|_| kind == FileKind::Threads);
    let assumes = input.assumes.clone();
    let (what, shown) = match claim {
        Claim::Coverable(run) => {
            evidence::replay(&input.system, &input.target, &run).map_err(|e| rejected(&e))?;
            let what = format!("a run of {} steps that covers the target", run.steps.len());
            (what, Shown::Coverable(Box::new(input), run))
        }
        Claim::Uncoverable(c) => {
            match evidence::check(&input.system, &input.target, &c, &stop_after(timeout)) {
                Ok(r) => {
                    let what = format!(
                        "{} elements, all {} predecessors are in the set",
                        r.elements, r.predecessors
                    );
                    (what, Shown::Uncoverable(Box::new(input), c))
                }
                Err(e @ (Rejection::Cancelled | Rejection::TooMany(_))) => {
                    return Err(Refusal::Undecided(e.to_string()));
                }
                Err(e) => return Err(rejected(&e)),
            }
        }
    };
    Ok(accepted(assumes, initial, what, shown))
}

/// A flag that is set when the time is over.
fn stop_after(timeout: Option<Duration>) -> Arc<AtomicBool> {
    let cancel = Arc::new(AtomicBool::new(false));
    if let Some(t) = timeout {
        let flag = Arc::clone(&cancel);
        std::thread::spawn(move || {
            std::thread::sleep(t);
            flag.store(true, Ordering::Relaxed);
        });
    }
    cancel
}
