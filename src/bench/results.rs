//! What was measured, row by row, and the dated files it is kept in.

use super::manifest::{Modular, Row};
use super::runner::{self, MeasuredRun, RunError};
use super::spin;

use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What is measured of each row, besides the verdict.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Plan {
    /// The verifier, started once for each run.
    #[serde(skip)]
    pub exe: PathBuf,
    /// Time limit that each run is given.
    pub timeout: Duration,
    /// Check each certificate from the source anew.
    pub check: bool,
    /// Run without bias too.
    pub unbiased: bool,
    /// Give the monolithic encoding to Spacer, with this limit.
    pub spacer: Option<Duration>,
    /// Run spin where there is a model, with this limit.
    pub spin: Option<Duration>,
}

/// How a row came out.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Judgement {
    /// The verdict is the expected one.
    Ok,
    /// The verdict is the opposite of the expected one.
    #[serde(rename = "WRONG")]
    Wrong,
    /// No verdict, or no modular proof where there is one, or a certificate that was not accepted.
    Missing,
    /// The run did not end with a report: a bug.
    Failed,
    /// Nobody knows what it should be.
    #[default]
    Unjudged,
}

/// A row as measured. What was not measured is empty.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Result {
    /// Name in the table.
    pub row: String,
    /// Name of the file in the manifest.
    pub file: String,
    /// Set of the manifest that it belongs to.
    pub set: String,
    /// Lines of the source.
    pub lines: usize,
    /// What the manifest expects.
    pub expected: String,
    /// The verdict in a word; `refused` for bad input.
    pub verdict: String,
    /// How the verdict compares with the expected one.
    pub judgement: Judgement,
    /// Is the proof modular?
    pub modular: Option<bool>,
    /// The proof's rule.
    pub rule: Option<String>,
    /// Of how many threads one of its assertions speaks at most, where it has some.
    pub level: Option<usize>,
    /// What the proof rests on besides, apart by spaces.
    pub means: String,
    /// Seconds to the verdict with bias, checking apart.
    pub seconds: f64,
    /// Fixpoints that refinement computed, with bias.
    pub iterations: u32,
    /// Predicates on states and transitions, with bias.
    pub predicates: Option<usize>,
    /// Abstract states of the last fixpoint.
    pub states: Option<usize>,
    /// Verdict of a run without bias.
    pub verdict_unbiased: Option<String>,
    /// Is that proof modular?
    pub modular_unbiased: Option<bool>,
    /// Seconds to the verdict without bias.
    pub seconds_unbiased: Option<f64>,
    /// Fixpoints that refinement computed, without bias.
    pub iterations_unbiased: Option<u32>,
    /// Was the certificate accepted, read from its file, with the source read anew?
    pub checked: Option<bool>,
    /// What the checker had to decide: obligations, or states.
    pub obligations: Option<usize>,
    /// Seconds of that check.
    pub check_seconds: Option<f64>,
    /// Length of the certificate's file.
    pub certificate_bytes: Option<u64>,
    /// Steps of the counterexample.
    pub trace_steps: Option<usize>,
    /// The most memory that the process ever used, in MiB.
    pub peak_memory_mib: Option<f64>,
    /// What Spacer said of the monolithic encoding.
    pub spacer: Option<String>,
    /// Seconds that Spacer took for it.
    pub spacer_seconds: Option<f64>,
    /// States that the search has seen.
    pub searched: Option<usize>,
    /// How many of them a second.
    pub searched_a_second: Option<f64>,
    /// Bytes it keeps of each, on average.
    pub state_bytes: Option<f64>,
    /// What spin said of the row's model, if it has one.
    pub spin: Option<String>,
    /// Seconds of its search.
    pub spin_seconds: Option<f64>,
    /// How many states spin stored.
    pub spin_states: Option<f64>,
    /// Bytes that spin stored of each, on average.
    pub spin_state_bytes: Option<f64>,
    /// Why there is no verdict.
    pub reason: String,
}

/// Measures a row by runs of the verifier, and of others as the plan says.
pub fn measure(row: &Row, plan: &Plan) -> std::result::Result<Result, RunError> {
    let scratch = plan.check.then(Scratch::new);
    let mut args = row.args.clone();
    if let Some(s) = &scratch {
        args.extend(["--proof".into(), s.0.display().to_string()]);
    }
    let run = runner::verify(&plan.exe, &row.file, &args, plan.timeout)?;
    let mut r = start(row, &run);
    if let (Some(s), "safe") = (&scratch, run.verdict()) {
        let (status, seconds) = runner::check(&plan.exe, &s.0, &row.file, plan.timeout.max(LONG))?;
        r.checked = Some(status == 0);
        r.check_seconds = Some(seconds);
        r.certificate_bytes = std::fs::metadata(&s.0).ok().map(|m| m.len());
    }
    r.judgement = judge(row, &r);
    // Bias is about proofs of C programs.
    if plan.unbiased && relyant_check::finite::kind(&row.file).is_none() {
        let mut args = row.args.clone();
        args.extend(["--bias".into(), "none".into()]);
        let other = runner::verify(&plan.exe, &row.file, &args, plan.timeout)?;
        r.seconds_unbiased = Some(other.seconds());
        r.iterations_unbiased = Some(other.iterations());
        r.modular_unbiased = other.entry.proof.as_ref().map(|p| p.modular);
        r.verdict_unbiased = Some(other.verdict().into());
        if [other.verdict(), run.verdict()].contains(&"safe")
            && [other.verdict(), run.verdict()].contains(&"unsafe")
        {
            r.judgement = Judgement::Wrong;
        }
    }
    if let Some(limit) = plan.spacer {
        let (word, seconds) = runner::spacer(&plan.exe, &row.file, &row.args, limit)?;
        r.spacer_seconds = (word != "no encoding").then_some(seconds);
        r.spacer = Some(word);
    }
    if let (Some(limit), Some(model)) = (plan.spin, spin::model(&row.file)) {
        let scratch = Scratch::new();
        let made = std::fs::create_dir_all(&scratch.0);
        made.map_err(|e| RunError::Start(scratch.0.clone(), e))?;
        let other = spin::run(&model, &row.args, &scratch.0, limit)?;
        r.spin = Some(other.verdict);
        r.spin_seconds = Some(other.seconds);
        r.spin_states = other.states;
        r.spin_state_bytes = other.state_bytes;
    }
    Ok(r)
}

/// Checking is not what is measured: it gets this much time at least.
const LONG: Duration = Duration::from_secs(60);

/// The row of a run that did not end with a report.
pub fn failed(row: &Row, why: &RunError) -> Result {
    Result { judgement: Judgement::Failed, reason: why.to_string(), ..blank(row) }
}

/// A row of which nothing was measured yet.
fn blank(row: &Row) -> Result {
    Result {
        row: row.row.clone(),
        file: row.name.clone(),
        set: row.set.clone(),
        expected: row.expected.clone(),
        ..Result::default()
    }
}

fn start(row: &Row, run: &MeasuredRun) -> Result {
    let e = &run.entry;
    let search = e.search;
    Result {
        lines: e.source_lines,
        verdict: run.verdict().into(),
        modular: e.proof.as_ref().map(|p| p.modular),
        rule: e.proof.as_ref().map(|p| p.rule.clone()),
        level: e.proof.as_ref().and_then(|p| p.level),
        means: e.proof.as_ref().map(|p| p.means.join(" ")).unwrap_or_default(),
        seconds: run.seconds(),
        iterations: run.iterations(),
        predicates: e.engine.map(|e| e.state_predicates + e.transition_predicates),
        states: e.engine.map(|e| e.states),
        obligations: e.proof.as_ref().map(|p| p.obligations),
        trace_steps: e.trace.as_ref().map(|t| t.steps.len()),
        peak_memory_mib: e.peak_memory_kib.map(|k| k as f64 / 1024.0),
        searched: search.map(|s| s.states),
        searched_a_second: search.and_then(|s| (s.seconds > 0.0).then(|| s.states as f64 / s.seconds)),
        state_bytes: search.and_then(|s| (s.states > 0).then(|| s.bytes as f64 / s.states as f64)),
        reason: e.reason.clone().or_else(|| e.error.as_ref().map(|x| x.message.clone())).unwrap_or_default(),
        ..blank(row)
    }
}

fn judge(row: &Row, r: &Result) -> Judgement {
    if row.expected.is_empty() {
        return Judgement::Unjudged;
    }
    if r.verdict != row.expected {
        let other = ["safe", "unsafe"].contains(&r.verdict.as_str());
        return if other { Judgement::Wrong } else { Judgement::Missing };
    }
    match (row.modular, r.modular) {
        // a modular proof of what has none is a bug of the engine or of the manifest
        (Modular::No, Some(true)) => Judgement::Wrong,
        (Modular::Yes, Some(false)) => Judgement::Missing,
        _ if r.checked == Some(false) => Judgement::Missing,
        _ => Judgement::Ok,
    }
}

/// A file or folder that goes when it is no longer needed.
struct Scratch(PathBuf);

impl Scratch {
    fn new() -> Scratch {
        use std::sync::atomic::{AtomicU32, Ordering};
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let n = NEXT.fetch_add(1, Ordering::Relaxed);
        Scratch(std::env::temp_dir().join(format!("relyant-{}-{n}.json", std::process::id())))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0).or_else(|_| std::fs::remove_dir_all(&self.0));
    }
}

/// Writes the results as CSV.
pub fn write(path: &Path, results: &[Result]) -> csv::Result<()> {
    let mut w = csv::Writer::from_path(path)?;
    for r in results {
        w.serialize(r)?;
    }
    w.flush()?;
    Ok(())
}

/// Today's date by the system's clock, UTC, as `YYYY-MM-DD`.
pub fn today() -> String {
    jiff::Timestamp::now().strftime("%Y-%m-%d").to_string()
}
