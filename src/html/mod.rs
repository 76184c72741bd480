//! Reports as pages (`--html`): one file each, which loads nothing.
//!
//! `evidence` makes what a *safe* page shows from the certificate, checked once more; `run` is the adapter from a
//! counterexample to what an *unsafe* page shows. The other files are pages: `page` is what all have in common.

mod evidence;
mod index;
mod page;
mod run;
mod safe;
mod source;
mod unknown;
mod violation;

pub use evidence::{Asked, Effort, NoEvidence, Shown, shown};
pub use index::{Row, index};

use crate::pipeline::{Report, Verdict};
use crate::report::FileOutcome;
use maud::{Markup, html};
use page::Page;
use relyant_cfa::Count;
use std::path::PathBuf;

/// What a page is about.
pub struct Case<'a> {
    /// Name of the file, as it was given.
    pub file: &'a str,
    /// Further files of its program.
    pub more: &'a [PathBuf],
    /// What must not happen, in words; also where there is no report.
    pub property: &'a str,
    /// What came of it.
    pub outcome: &'a FileOutcome,
    /// What there is to see of the evidence, or why there is nothing; of *safe* verdicts only.
    pub shown: Option<&'a Result<Shown, NoEvidence>>,
    /// The witness of SV-COMP, where there is one.
    pub witness: Option<&'a str>,
}

/// The page of a file: a whole document.
pub fn report(case: &Case<'_>) -> String {
    let page = match case.outcome {
        FileOutcome::Verdict(r) => match &r.verdict {
            Verdict::Safe(_) => safe::page(case, r),
            Verdict::Unsafe { trace, shortest } => violation::page(case, r, trace, *shortest),
            Verdict::Unknown(why) => unknown::page(case, r, why),
        },
        FileOutcome::BadInput(d) => unknown::refused(case.file, d),
        FileOutcome::Abandoned(why, progress) => unknown::abandoned(case, why, progress),
    };
    page.document()
}

/// Threads of a kind, with how many there are.
fn thread(name: &str, count: &Count) -> String {
    match count {
        Count::AtMost(1) => name.to_string(),
        Count::AtMost(n) => format!("{name} × {n}"),
        Count::Unbounded => format!("{name} × any number"),
    }
}

/// The threads of a program.
fn threads(r: &Report) -> String {
    r.threads.iter().map(|(name, count)| thread(name, count)).collect::<Vec<_>>().join(", ")
}

/// What is said of every verdict: what was decided, about which threads, and under which assumptions.
fn facts(r: &Report, threads: String, more: Vec<(&str, String)>) -> Markup {
    let mut rows = vec![
        ("property", r.property.clone()),
        ("checks", r.checks.describe()),
        ("threads", threads),
        ("assumes", r.assumes.join("; ")),
        ("note", r.checks.notes.join("; ")),
        ("for proofs", r.losses.join("; ")),
    ];
    rows.extend(more);
    let s = r.seconds;
    let time = format!(
        "read {:.2} s, search {:.2} s, prove {:.2} s, check {:.2} s",
        s.read, s.search, s.prove, s.check
    );
    html! {
        dl.facts {
            @for (name, text) in rows.iter().filter(|x| !x.1.is_empty()) {
                div { dt { (name) } dd { (text) } }
            }
            div { dt { "time" } dd.time { (time) } }
        }
    }
}

/// A page with the verdict as its heading.
fn of_verdict<'a>(case: &Case<'a>, verdict: &'static str, sentence: String) -> Page<'a> {
    Page { title: case.file, verdict, sentence, ..Page::default() }
}
