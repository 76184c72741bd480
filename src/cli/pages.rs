//! `relyant verify --html`: a page for each file, and for several an index.

use super::exit::Status;
use super::meaning::Input;
use super::watch::Signals;
use super::witness::{self, Missing};
use super::{complain, write_file};
use relyant::html::{self, Case, Row};
use relyant::pipeline::Verdict;
use relyant::report::FileOutcome;
use relyant::report::sarif::encoded;
use relyant_cfa::diagnostic::Diagnostic;
use std::path::{Path, PathBuf};

/// Writes the pages. One file has its page at `out`; several have an index there, and their pages in a folder beside it.
pub fn write(
    out: &Path,
    named: &[(String, FileOutcome)],
    inputs: &[Result<Input, Diagnostic>],
    version: Option<witness::Version>,
) -> Status {
    let written = match named {
        [one] => write_file(out, &page(one, inputs.first().and_then(|i| i.as_ref().ok()), version)),
        many => batch(out, many, inputs, version),
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
    version: Option<witness::Version>,
) -> Result<(), super::output::Unwritten> {
    let folder = folder(out);
    std::fs::create_dir_all(&folder).map_err(|e| super::output::Unwritten::new(&folder, e))?;
    let beside = folder.file_name().map_or(String::new(), |n| n.to_string_lossy().into_owned());
    let mut rows = Vec::new();
    for (k, one) in named.iter().enumerate() {
        let input = inputs.get(k).and_then(|i| i.as_ref().ok());
        let name = format!("{:04}.html", k + 1);
        write_file(&folder.join(&name), &page(one, input, version))?;
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
            let s = r.seconds;
            let summary = match &r.verdict {
                Verdict::Safe(_) => format!("found by {}", r.engine.unwrap_or_default()),
                Verdict::Unsafe { trace: t, .. } if t.place.1 > 0 => {
                    format!("{} by {}, line {}", t.violation, t.thread_name, t.place.1)
                }
                Verdict::Unsafe { trace: t, .. } => t.violation.to_string(),
                Verdict::Unknown(why) => why.to_string(),
            };
            (r.verdict.word(), summary, s.read + s.search + s.prove + s.check)
        }
        FileOutcome::BadInput(d) => ("refused", d.message.clone(), 0.0),
        FileOutcome::Abandoned(why, _) => ("unknown", why.clone(), 0.0),
    };
    Row { file: file.clone(), verdict, property: property(outcome, input), summary, seconds, page }
}

fn page(
    (file, outcome): &(String, FileOutcome),
    input: Option<&Input>,
    version: Option<witness::Version>,
) -> String {
    let signals = Signals::register();
    let stop = || signals.reason().is_some();
    let shown = match (outcome, input) {
        (FileOutcome::Verdict(r), Some(i)) => html::shown(r, i.file.as_path(), &i.options, &stop).transpose(),
        _ => None,
    };
    // A verdict without a witness is still one.
    let witness = input.and_then(|i| match witness::made(i, outcome, version) {
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
