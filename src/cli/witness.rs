//! Witnesses of `relyant verify --witness` and `relyant check`.

use super::exit::Status;
use super::input::read_text;
use super::meaning::Input;
use super::{complain, say, write_file};
use clap::ValueEnum;
use data_encoding::HEXLOWER;
use relyant::pipeline::Verdict;
use relyant::report::FileOutcome;
use relyant::task::Property;
use relyant::witness::guide::{self, Found};
use relyant::witness::metadata::Metadata;
use relyant::witness::validate::{self, Checked};
use relyant::witness::{Content, Correctness, correctness, read, violation, write};
use relyant_cfa::Violated;
use relyant_cfa::diagnostic::Diagnostic;
use relyant_cfa::options::Options;
use relyant_cfa::preprocessing::Preprocessing;
use relyant_engines::limits::{Stop, bounded};
use relyant_frontend::c;
use relyant_frontend::c::outline::Outline;
use relyant_interp::Trace;
use relyant_interp::replay::ReplayError;
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

/// Why there is no witness.
pub enum Missing {
    /// The verdict has none.
    None(String),
    /// It could not be written.
    Unwritten(String),
}

impl From<String> for Missing {
    fn from(why: String) -> Missing {
        Missing::None(why)
    }
}

impl From<&str> for Missing {
    fn from(why: &str) -> Missing {
        Missing::None(why.into())
    }
}

/// Writes the witness of an outcome, if it is a verdict. What there is to say about it, a line.
///
/// # Errors
/// Why there is none.
pub fn write(
    path: &Path,
    input: &Input,
    outcome: &FileOutcome,
    version: Option<Version>,
) -> Result<Option<String>, Missing> {
    let Some((text, line)) = made(input, outcome, version)? else { return Ok(None) };
    write_file(path, &text).map_err(|e| Missing::Unwritten(e.to_string()))?;
    Ok(Some(line))
}

/// The witness of an outcome, if it is a verdict, and what there is to say about it, a line.
///
/// # Errors
/// Why there is none.
pub fn made(
    input: &Input,
    outcome: &FileOutcome,
    version: Option<Version>,
) -> Result<Option<(String, String)>, Missing> {
    let FileOutcome::Verdict(report) = outcome else { return Ok(None) };
    if matches!(report.verdict, Verdict::Unknown(_)) {
        return Ok(None);
    }
    if !input.options.more_files.is_empty() {
        return Err("witnesses of several files are not written".into());
    }
    let outline = c::outline(&input.file, &input.options).map_err(|d| d.to_string())?;
    let property = property(input, &outline, &report.verdict)?;
    let (default, content, comment) = match &report.verdict {
        Verdict::Unsafe { trace, .. } => {
            if !trace.waiting.is_empty() {
                return Err("deadlocks have no witnesses".into());
            }
            let threads = match version {
                Some(v) => v == Version::V22,
                None => violation::has_threads(trace),
            };
            let waypoints =
                violation::waypoints(trace, &outline, threads).map_err(|e| Missing::None(e.to_string()))?;
            let default = if threads { Version::V22 } else { Version::V20 };
            (default, Content::Violation(waypoints), Vec::new())
        }
        Verdict::Safe(evidence) => {
            let ghosts = version.is_none_or(|v| v == Version::V21);
            let found = bounded(None, |_| {
                correctness::invariants(evidence, &input.file, &input.options, &outline, ghosts)
            })
            .map_err(|_| "internal error")?
            .map_err(|d| d.to_string())?;
            let default = if found.correctness.ghosts.is_empty() { Version::V20 } else { Version::V21 };
            (default, Content::Correctness(found.correctness), vec![found.note])
        }
        Verdict::Unknown(_) => return Ok(None),
    };
    let version = version.unwrap_or(default).name();
    let meta = Metadata::new(&input.file, version, Some(&property), input.options.data_model)
        .map_err(|e| Missing::Unwritten(format!("{}: {e}", input.file.display())))?;
    let text = write::text(&meta, &content, &comment);
    let what = match &content {
        Content::Violation(w) => format!("{} waypoints", w.len()),
        Content::Correctness(_) => comment.join("; "),
    };
    Ok(Some((text, format!("witness: format {version}, {what}\n"))))
}

/// Why what was decided is nothing that a witness is about.
#[derive(Debug, thiserror::Error)]
enum NoProperty {
    #[error("witnesses do not tell the options that the program's meaning depends on")]
    Options,
    #[error("witnesses are about properties of SV-COMP, and no other options")]
    OtherOptions,
    #[error("no property of SV-COMP says that this must not happen")]
    Violation,
}

impl From<NoProperty> for Missing {
    fn from(why: NoProperty) -> Missing {
        Missing::None(why.to_string())
    }
}

/// The property of a witness.
///
/// # Errors
/// What was decided is something that SV-COMP has no words for.
fn property(input: &Input, outline: &Outline, verdict: &Verdict) -> Result<Property, NoProperty> {
    let plain = Options {
        data_model: input.options.data_model,
        preprocessing: input.options.preprocessing.clone(),
        max_objects: input.options.max_objects,
        ..Options::default()
    };
    if let Some(p) = &input.property {
        let mut asked = plain;
        p.apply(&mut asked);
        let all = (asked == input.options).then(|| p.clone());
        return all.ok_or(NoProperty::Options);
    }
    if plain != input.options {
        return Err(NoProperty::OtherOptions);
    }
    let calls = |name: &str| outline.calls.iter().any(|c| c.name == name);
    let asserts = match verdict {
        Verdict::Unsafe { trace, .. } => !matches!(&trace.violation, Violated::Call(f) if f == "reach_error"),
        _ => !calls("reach_error"),
    };
    // What `assert` becomes.
    let expanded = asserts && calls("__assert_fail");
    if matches!(verdict, Verdict::Unsafe { .. }) && asserts && !expanded {
        return Err(NoProperty::Violation);
    }
    let name = if expanded { "__assert_fail" } else { "reach_error" };
    Ok(Property::UnreachCall(name.into()))
}

/// Checks a witness against its program.
pub fn check(witness: &Path, file: &Path, preprocessing: Preprocessing, timeout: Option<Duration>) -> Status {
    let refuse = |message: String| {
        complain(&message);
        Status::BadInput
    };
    let w = match read_text(witness)
        .map_err(Box::new)
        .and_then(|t| read::parse(&witness.display().to_string(), &t).map_err(Box::new))
    {
        Ok(w) => w,
        Err(d) => return refuse(d.to_string()),
    };
    let bytes = match relyant_cfa::files::read(file) {
        Ok(b) => b,
        Err(e) => return refuse(format!("{}: error: cannot be read: {e}", file.display())),
    };
    let hash = HEXLOWER.encode(&Sha256::digest(bytes));
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
    let mut options = Options { data_model: w.data_model, preprocessing, ..Options::default() };
    w.property.apply(&mut options);
    let outline = match c::outline(file, &options) {
        Ok(o) => o,
        Err(d) => return refuse(d.to_string()),
    };
    let deadline = timeout.map(|t| Instant::now() + t);
    let cancel = || deadline.is_some_and(|d| Instant::now() >= d);
    match &w.content {
        Content::Violation(waypoints) => {
            let program = match relyant_frontend::programs::read_for_search(file, &options) {
                Ok(p) => p,
                Err(d) => return refuse(d.to_string()),
            };
            match guide::follow(&program, &outline, waypoints, FOLLOWED, &cancel) {
                Found::Run(run) => {
                    let steps = run.moves.len();
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
        Content::Correctness(c) => validated(file, &options, &w.property, &outline, c, timeout),
    }
}

/// Why a witness gives no run.
#[derive(Debug, thiserror::Error)]
pub enum NoRun {
    /// A file is not read, or not as C.
    #[error("{0}")]
    Unreadable(Box<Diagnostic>),
    /// It is none of a violation, or of one that is not supported.
    #[error("the witness is none of a violation that is supported")]
    NoViolation,
    /// No run passes the waypoints.
    #[error("no run is found that passes the waypoints")]
    NotFound,
    /// The run is none of the program.
    #[error("{0}")]
    NotReplayed(#[from] ReplayError),
}

/// The run of a violation witness, with what the program means there.
///
/// # Errors
/// Why there is none.
pub fn violating(
    name: &Path,
    text: &str,
    file: &Path,
    preprocessing: Preprocessing,
) -> Result<(Options, Trace), NoRun> {
    let unreadable = |d: Diagnostic| NoRun::Unreadable(Box::new(d));
    let w = read::parse(&name.display().to_string(), text).map_err(unreadable)?;
    let Content::Violation(waypoints) = &w.content else { return Err(NoRun::NoViolation) };
    if !w.not_understood.is_empty() || !w.property.is_supported() {
        return Err(NoRun::NoViolation);
    }
    let mut options = Options { data_model: w.data_model, preprocessing, ..Options::default() };
    w.property.apply(&mut options);
    let outline = c::outline(file, &options).map_err(unreadable)?;
    let program = relyant_frontend::programs::read_for_search(file, &options).map_err(unreadable)?;
    match guide::follow(&program, &outline, waypoints, FOLLOWED, &|| false) {
        Found::Run(run) => Ok((options, relyant_interp::replay(&program, &run)?)),
        Found::Nothing(_) | Found::Undecided(_) => Err(NoRun::NotFound),
    }
}

/// Checks a correctness witness, on a stack that engines need.
fn validated(
    file: &Path,
    options: &Options,
    property: &Property,
    outline: &Outline,
    witness: &Correctness,
    timeout: Option<Duration>,
) -> Status {
    let checked = bounded(timeout.map(|t| (t, Stop::Patience)), |run| {
        validate::check(file, options, property, outline, witness, run)
    });
    let (word, status, why) = match checked {
        Ok(Ok(Checked::Hold(why))) => ("accepted", Status::Good, why),
        Ok(Ok(Checked::Violated(why))) => ("rejected", Status::Bad, why),
        Ok(Ok(Checked::Undecided(why))) => ("undecided", Status::Unknown, why),
        Ok(Err(d)) => {
            complain(&d.to_string());
            return Status::BadInput;
        }
        Err(_) => ("undecided", Status::Unknown, "internal error".into()),
    };
    say(&format!("{word}: {why}\n"));
    status
}
