//! `relyant verify --html`: a page for each file, and for several an index.

use super::exit::Status;
use super::input::read_text;
use super::meaning::Input;
use super::watch::{Limits, Lost, Signals, watch};
use super::witness::{self, Missing};
use super::{complain, write_file};
use relyant::html::{self, Case, Effort, NoEvidence, Row, Shown};
use relyant::pipeline::{Report, Verdict};
use relyant::report::FileOutcome;
use relyant::report::sarif::encoded;
use relyant_cfa::diagnostic::Diagnostic;
use relyant_engines::limits::{Progress, Stop};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// A page has what a verdict leaves of the time limit for a smaller certificate, and at least this for its check.
const CHECK: Duration = Duration::from_millis(800);

/// What pages are made of, besides the verdicts.
pub struct Making<'a> {
    /// Version of the witness format.
    pub version: Option<witness::Version>,
    /// Where the certificate of the only program was written.
    pub proof: Option<&'a Path>,
    /// For each file.
    pub limits: &'a Limits,
    /// When the only file was begun.
    pub began: Instant,
}

/// Writes the pages. One file has its page at `out`; several have an index there, and their pages in a folder beside it.
pub fn write(
    out: &Path,
    named: &mut [(String, FileOutcome)],
    inputs: &[Result<Input, Diagnostic>],
    making: &Making<'_>,
) -> Status {
    let signals = Signals::register();
    let written = match named {
        [one] => {
            let input = inputs.first().and_then(|i| i.as_ref().ok());
            write_file(out, &page(one, input, making, (&signals, making.began.elapsed())))
        }
        many => batch(out, many, inputs, (making, &signals)),
    };
    match written {
        Ok(()) => Status::Good,
        Err(e) => {
            complain(&format!("error: {e}"));
            Status::BadInput
        }
    }
}

fn batch(
    out: &Path,
    named: &mut [(String, FileOutcome)],
    inputs: &[Result<Input, Diagnostic>],
    (making, signals): (&Making<'_>, &Signals),
) -> Result<(), super::output::Unwritten> {
    let folder = folder(out);
    std::fs::create_dir_all(&folder).map_err(|e| super::output::Unwritten::new(&folder, e))?;
    let beside = folder.file_name().map_or(String::new(), |n| n.to_string_lossy().into_owned());
    let mut rows = Vec::new();
    for (k, one) in named.iter_mut().enumerate() {
        let input = inputs.get(k).and_then(|i| i.as_ref().ok());
        let name = format!("{:04}.html", k + 1);
        let spent = match &one.1 {
            FileOutcome::Verdict(r) => Duration::from_secs_f64(seconds(r)),
            _ => Duration::ZERO,
        };
        write_file(&folder.join(&name), &page(one, input, making, (signals, spent)))?;
        rows.push(row(one, input, format!("{}/{name}", encoded(&beside))));
    }
    write_file(out, &html::index(&rows))
}

/// The folder of a batch's pages: the index's name with `_pages` in place of its ending.
fn folder(out: &Path) -> PathBuf {
    let stem = out.file_stem().map_or_else(|| "report".into(), |s| s.to_os_string());
    let mut name = stem;
    name.push("_pages");
    out.with_file_name(name)
}

fn property(outcome: &FileOutcome, input: Option<&Input>) -> String {
    match outcome {
        FileOutcome::Verdict(r) => r.property.clone(),
        _ => input.map_or(String::new(), |i| i.options.describe()),
    }
}

fn row((file, outcome): &(String, FileOutcome), input: Option<&Input>, page: String) -> Row {
    let (verdict, summary, seconds) = match outcome {
        FileOutcome::Verdict(r) => {
            let summary = match &r.verdict {
                Verdict::Safe(_) => format!("found by {}", r.engine.unwrap_or_default()),
                Verdict::Unsafe { trace: t, .. } if t.place.1 > 0 => {
                    format!("{} by {}, line {}", t.violation, t.thread_name, t.place.1)
                }
                Verdict::Unsafe { trace: t, .. } => t.violation.to_string(),
                Verdict::Unknown(why) => why.to_string(),
            };
            (r.verdict.word(), summary, seconds(r))
        }
        FileOutcome::BadInput(d) => ("refused", d.message.clone(), 0.0),
        FileOutcome::Abandoned(why, _) => ("unknown", why.clone(), 0.0),
    };
    Row { file: file.clone(), verdict, property: property(outcome, input), summary, seconds, page }
}

fn seconds(r: &Report) -> f64 {
    let s = r.seconds;
    s.read + s.search + s.prove + s.check
}

/// The page of a file that has taken so long already. What takes more than is left of its time is left out: the
/// witness, whose invariants are verified, or the evidence.
fn page(
    one: &mut (String, FileOutcome),
    input: Option<&Input>,
    making: &Making<'_>,
    (signals, spent): (&Signals, Duration),
) -> String {
    let none = (String::new(), FileOutcome::Abandoned(String::new(), Progress::default()));
    let case = Arc::new(std::mem::replace(one, none));
    let (began, timeout) = (Instant::now(), making.limits.timeout.map(|t| t.saturating_sub(spent)));
    let left = move || timeout.map_or(Duration::MAX, |t| t.saturating_sub(began.elapsed()));
    let limits =
        |grace: Duration| Limits { timeout: timeout.map(|_| left().saturating_add(grace)), ..*making.limits };
    let (mut shown, mut witness) = (None, None);
    if let (FileOutcome::Verdict(_), Some(input)) = (&case.1, input) {
        // What cannot be read again, a pipe say, is made again.
        let certificate = making.proof.and_then(|p| read_text(p).ok());
        let (own, asked) = (Arc::clone(&case), input.clone());
        let made = watch(&limits(CHECK), signals, move |stop| {
            let left = || if stop.load(Ordering::Relaxed) { Duration::ZERO } else { left() };
            evidence(&own.1, &asked, Effort { certificate, left: &left, grace: CHECK })
        });
        shown = match made {
            Ok((shown, _)) => shown,
            Err(lost) => is_safe(&case.1).then(|| Err(lost_for(&lost))),
        };
        // A verdict without a witness is still one.
        if !left().is_zero() {
            let (own, asked, version) = (Arc::clone(&case), input.clone(), making.version);
            let made = watch(&limits(Duration::ZERO), signals, move |_| {
                match witness::made(&asked, &own.1, version) {
                    Ok(made) => made.map(|(text, _)| text),
                    Err(Missing::None(_) | Missing::Unwritten(_)) => None,
                }
            });
            witness = made.ok().and_then(|(text, _)| text);
        }
    }
    let text = html::report(&Case {
        file: &case.0,
        more: input.map_or(&[], |i| &i.options.more_files),
        property: &property(&case.1, input),
        outcome: &case.1,
        shown: shown.as_ref(),
        witness: witness.as_deref(),
    });
    *one = Arc::try_unwrap(case).unwrap_or_else(|shared| (*shared).clone());
    text
}

fn evidence(outcome: &FileOutcome, input: &Input, effort: Effort<'_>) -> Option<Result<Shown, NoEvidence>> {
    let FileOutcome::Verdict(r) = outcome else { return None };
    html::shown(r, input.file.as_path(), &input.options, effort).transpose()
}

fn is_safe(outcome: &FileOutcome) -> bool {
    matches!(outcome, FileOutcome::Verdict(r) if matches!(r.verdict, Verdict::Safe(_)))
}

fn lost_for(lost: &Lost) -> NoEvidence {
    NoEvidence::NotMade(match lost {
        Lost::Stopped(Stop::Time(_)) => "no time was left".into(),
        other => other.to_string(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_beside_their_index() {
        assert_eq!(folder(Path::new("a/out.html")), Path::new("a/out_pages"));
        assert_eq!(folder(Path::new("out")), Path::new("out_pages"));
    }
}
