//! Witnesses of `relyant verify --witness` and `relyant check`.

use super::exit::Status;
use super::input::read_text;
use super::meaning::Input;
use super::{complain, say};
use clap::ValueEnum;
use relyant::pipeline::{self, Verdict};
use relyant::report::Outcome;
use relyant::witness::guide::{self, Found};
use relyant::witness::metadata::{Metadata, hex};
use relyant::witness::{Content, correctness, read, violation, write};
use relyant_frontend::c;
use relyant_frontend::options::Options;
use sha2::{Digest, Sha256};
use std::path::Path;
use std::time::{Duration, Instant};

/// Versions of the format.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Version {
    #[value(name = "2.0")]
    V20,
    #[value(name = "2.1")]
    V21,
    #[value(name = "2.2")]
    V22,
}

impl Version {
    fn name(self) -> &'static str {
        match self {
            Version::V20 => "2.0",
            Version::V21 => "2.1",
            Version::V22 => "2.2",
        }
    }
}

/// States that the search for a witness's run may look at.
const FOLLOWED: usize = 400_000;

/// Writes the witness of an outcome, if it is a verdict. What there is to say about it, a line.
///
/// # Errors
/// Why there is none.
pub fn write(
    path: &Path,
    input: &Input,
    outcome: &Outcome,
    version: Option<Version>,
) -> Result<Option<String>, String> {
    let Outcome::Verdict(report) = outcome else { return Ok(None) };
    if matches!(report.verdict, Verdict::Unknown(_)) {
        return Ok(None);
    }
    let outline = c::outline(&input.file, &input.options).map_err(|d| d.to_string())?;
    let (default, content, comment) = match &report.verdict {
        Verdict::Unsafe { trace, .. } => {
            if !trace.waiting.is_empty() {
                return Err("deadlocks have no witnesses".into());
            }
            let threads = match version {
                Some(v) => v == Version::V22,
                None => violation::has_threads(trace),
            };
            let waypoints = violation::waypoints(trace, &outline, threads)?;
            let default = if threads { Version::V22 } else { Version::V20 };
            (default, Content::Violation(waypoints), Vec::new())
        }
        Verdict::Safe(evidence) => {
            let found = correctness::invariants(evidence, &input.file, &input.options, &outline)
                .map_err(|d| d.to_string())?;
            (Version::V20, Content::Correctness(found.invariants), vec![found.note])
        }
        Verdict::Unknown(_) => return Ok(None),
    };
    let version = version.unwrap_or(default).name();
    let meta = Metadata::new(&input.file, version, input.property.as_ref(), input.options.data_model)
        .map_err(|e| format!("{}: {e}", input.file.display()))?;
    std::fs::write(path, write::text(&meta, &content, &comment)).map_err(|e| e.to_string())?;
    let what = match &content {
        Content::Violation(w) => format!("{} waypoints", w.len()),
        Content::Correctness(_) => comment.join("; "),
    };
    Ok(Some(format!("witness: format {version}, {what}\n")))
}

/// Checks a witness against its program.
pub fn check(witness: &Path, file: &Path, include: &[String], timeout: Option<Duration>) -> Status {
    let refuse = |message: String| {
        complain(&message);
        Status::BadInput
    };
    let w = match read_text(witness)
        .and_then(|t| read::parse(&witness.display().to_string(), &t).map_err(Box::new))
    {
        Ok(w) => w,
        Err(d) => return refuse(d.to_string()),
    };
    let bytes = match std::fs::read(file) {
        Ok(b) => b,
        Err(e) => return refuse(format!("{}: error: cannot be read: {e}", file.display())),
    };
    let hash = hex(&Sha256::digest(bytes));
    if !w.hashes.iter().any(|(_, h)| *h == hash) {
        say("rejected: the witness is about another file: its SHA-256 differs\n");
        return Status::Bad;
    }
    if let Some(d) = w.not_understood.first() {
        say(&format!("undecided: {}\n", d.message));
        return Status::Unknown;
    }
    if !w.property.is_supported() {
        say(&format!("undecided: {} is not supported\n", w.property.name()));
        return Status::Unknown;
    }
    let cpp_args = include.iter().map(|i| format!("-I{i}")).collect();
    let mut options = Options { data_model: w.data_model, cpp_args, ..Options::default() };
    w.property.apply(&mut options);
    let read = c::outline(file, &options).and_then(|o| Ok((o, pipeline::read_for_search(file, &options)?)));
    let (outline, program) = match read {
        Ok(r) => r,
        Err(d) => return refuse(d.to_string()),
    };
    let deadline = timeout.map(|t| Instant::now() + t);
    let cancel = || deadline.is_some_and(|d| Instant::now() >= d);
    match &w.content {
        Content::Violation(waypoints) => {
            match guide::follow(&program, &outline, waypoints, FOLLOWED, &cancel) {
                Found::Run(steps) => {
                    say(&format!(
                        "accepted: a run of {steps} steps passes {} waypoints to the violation\n",
                        waypoints.len()
                    ));
                    Status::Good
                }
                Found::Nothing(states) => {
                    say(&format!("rejected: none of the runs, {states} states, passes the waypoints\n"));
                    Status::Bad
                }
                Found::Undecided(why) => {
                    say(&format!("undecided: {why}\n"));
                    Status::Unknown
                }
            }
        }
        Content::Correctness(invariants) => {
            let c = correctness::check(&program, &outline, invariants, FOLLOWED, &cancel);
            let (word, status, why) = match c {
                correctness::Checked::Hold(why) => ("accepted", Status::Good, why),
                correctness::Checked::Violated(why) => ("rejected", Status::Bad, why),
                correctness::Checked::Undecided(why) => ("undecided", Status::Unknown, why),
            };
            say(&format!("{word}: {why}\n"));
            status
        }
    }
}
