//! `relyant verify --html`: a page for each file, and for several an index.

use super::exit::Status;
use super::input::read_text;
use super::meaning::Input;
use super::watch::Signals;
use super::witness::{self, Missing};
use super::{complain, write_file};
use relyant::html::{self, Case, Effort, NoEvidence, Row, Shown};
use relyant::pipeline::{Report, Verdict};
use relyant::report::FileOutcome;
use relyant::report::sarif::encoded;
use relyant_cfa::diagnostic::Diagnostic;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// A page has what a verdict leaves of the time limit for a smaller certificate, and as much for its check: at least this.
const LEAST: Duration = Duration::from_secs(10);

/// What pages are made of, besides the verdicts.
pub struct Making<'a> {
    /// Version of the witness format.
    pub version: Option<witness::Version>,
    /// Where the certificate of the only program was written.
    pub proof: Option<&'a Path>,
    /// For each file; `None`: no limit.
    pub timeout: Option<Duration>,
}

/// Writes the pages. One file has its page at `out`; several have an index there, and their pages in a folder beside it.
pub fn write(
    out: &Path,
    named: &[(String, FileOutcome)],
    inputs: &[Result<Input, Diagnostic>],
    making: &Making<'_>,
) -> Status {
    let written = match named {
        [one] => write_file(out, &page(one, inputs.first().and_then(|i| i.as_ref().ok()), making)),
        many => batch(out, many, inputs, making),
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
    named: &[(String, FileOutcome)],
    inputs: &[Result<Input, Diagnostic>],
    making: &Making<'_>,
) -> Result<(), super::output::Unwritten> {
    let folder = folder(out);
    std::fs::create_dir_all(&folder).map_err(|e| super::output::Unwritten::new(&folder, e))?;
    let beside = folder.file_name().map_or(String::new(), |n| n.to_string_lossy().into_owned());
    let mut rows = Vec::new();
    for (k, one) in named.iter().enumerate() {
        let input = inputs.get(k).and_then(|i| i.as_ref().ok());
        let name = format!("{:04}.html", k + 1);
        write_file(&folder.join(&name), &page(one, input, making))?;
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

fn shown(r: &Report, input: &Input, making: &Making<'_>) -> Option<Result<Shown, NoEvidence>> {
    let timeout = making.timeout.map(|t| t.saturating_sub(Duration::from_secs_f64(seconds(r))).max(LEAST));
    let (signals, began) = (Signals::register(), Instant::now());
    let stop = || signals.reason().is_some() || timeout.is_some_and(|t| began.elapsed() >= t);
    // What cannot be read again, a pipe say, is made again.
    let certificate = making.proof.and_then(|p| read_text(p).ok());
    let effort = Effort { certificate, timeout, stop: &stop };
    html::shown(r, input.file.as_path(), &input.options, effort).transpose()
}

fn seconds(r: &Report) -> f64 {
    let s = r.seconds;
    s.read + s.search + s.prove + s.check
}

fn page((file, outcome): &(String, FileOutcome), input: Option<&Input>, making: &Making<'_>) -> String {
    let shown = match (outcome, input) {
        (FileOutcome::Verdict(r), Some(i)) => shown(r, i, making),
        _ => None,
    };
    // A verdict without a witness is still one.
    let witness = input.and_then(|i| match witness::made(i, outcome, making.version) {
        Ok(made) => made.map(|(text, _)| text),
        Err(Missing::None(_) | Missing::Unwritten(_)) => None,
    });
    html::report(&Case {
        file,
        property: &property(outcome, input),
        outcome,
        shown: shown.as_ref(),
        witness: witness.as_deref(),
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
