//! Runs the verifier on one program in a process of its own, so that memory and crashes are that run's own.

use crate::export::spacer::{self, SpacerVerdict};
use crate::report::json::{Document, Entry};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// How much longer than its own limit a process may live.
const PATIENCE: Duration = Duration::from_secs(5);

/// What a process said and how long it took.
#[derive(Clone, PartialEq, Debug)]
pub struct MeasuredRun {
    /// Its report about the one file.
    pub entry: Entry,
    /// The exit status of the process.
    pub status: i32,
    /// Seconds from start to end of the process.
    pub wall: f64,
}

impl MeasuredRun {
    /// Seconds that the verdict took, checking apart.
    pub fn seconds(&self) -> f64 {
        let s = self.entry.seconds;
        s.read + s.search + s.prove
    }
    /// Iterations, 0 when a search found the answer.
    pub fn iterations(&self) -> u32 {
        self.entry.engine.map_or(0, |e| e.iterations)
    }
    /// The verdict's word; "refused" for bad input.
    pub fn verdict(&self) -> &str {
        self.entry.verdict.as_deref().unwrap_or("refused")
    }
}

/// Why there is nothing to report: each is a bug.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The program cannot be started.
    #[error("{0} cannot be run: {1}")]
    Start(PathBuf, std::io::Error),
    /// It did not keep its own time limit.
    #[error("no answer {0} s after its time limit")]
    Hangs(f64),
    /// It was ended by a signal.
    #[error("ended by a signal: {0}")]
    Signal(String),
    /// Its report makes no sense.
    #[error("exit status {status}, but no report: {why}")]
    NoReport {
        /// The exit status of the process.
        status: i32,
        /// What is wrong with the report.
        why: String,
    },
    /// Exit status and report do not say the same.
    #[error("exit status {status}, but the report says {verdict}")]
    Disagree {
        /// The exit status of the process.
        status: i32,
        /// The verdict in the report.
        verdict: String,
    },
}

/// Runs `verify` on a file.
pub fn verify(exe: &Path, file: &Path, args: &[String], timeout: Duration) -> Result<MeasuredRun, RunError> {
    let mut command = Command::new(exe);
    command.args(["verify", "--format", "json", "--timeout", &timeout.as_secs_f64().to_string()]);
    command.args(args).arg("--").arg(file);
    let (status, output, wall) = execute(&mut command, timeout)?;
    let document: Document =
        serde_json::from_str(&output).map_err(|e| RunError::NoReport { status, why: e.to_string() })?;
    let entry = document.results.into_iter().next();
    let entry = entry.ok_or_else(|| RunError::NoReport { status, why: "it is empty".into() })?;
    let fits = matches!(
        (entry.verdict.as_deref(), status),
        (Some("safe"), 0) | (Some("unsafe"), 1) | (None, 2) | (Some("unknown"), 3)
    );
    if !fits {
        return Err(RunError::Disagree { status, verdict: format!("{:?}", entry.verdict) });
    }
    Ok(MeasuredRun { entry, status, wall })
}

/// Runs `check` on a certificate, which has its options in it; exit status and seconds.
pub fn check(exe: &Path, proof: &Path, file: &Path, timeout: Duration) -> Result<(i32, f64), RunError> {
    let mut command = Command::new(exe);
    command.arg("check").arg("--").arg(proof).arg(file);
    execute(&mut command, timeout).map(|(status, _, wall)| (status, wall))
}

/// Runs Spacer on the Horn clauses that `export` writes for a file; the verdict's word and seconds.
pub fn spacer(
    exe: &Path,
    file: &Path,
    args: &[String],
    timeout: Duration,
) -> Result<(String, f64), RunError> {
    let mut command = Command::new(exe);
    command.args(["export", "--to", "chc"]).args(args).arg("--").arg(file);
    let (status, clauses, _) = execute(&mut command, timeout)?;
    if status != 0 {
        return Ok(("no encoding".into(), 0.0));
    }
    let mut command = Command::new(exe);
    command.arg("spacer");
    let run = spacer::run(command, &clauses, timeout).map_err(|e| RunError::Start(exe.into(), e))?;
    let word = match run.verdict {
        SpacerVerdict::Safe => "safe",
        SpacerVerdict::Unsafe => "unsafe",
        SpacerVerdict::Timeout => "time-out",
        SpacerVerdict::Unknown(_) => "unknown",
    };
    Ok((word.into(), run.seconds))
}

/// Exit status, standard output, seconds.
pub(super) fn execute(command: &mut Command, timeout: Duration) -> Result<(i32, String, f64), RunError> {
    let start = Instant::now();
    let program = PathBuf::from(command.get_program());
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|e| RunError::Start(program.clone(), e))?;
    let mut pipe = child.stdout.take();
    let reader = std::thread::spawn(move || {
        let mut text = Vec::new();
        if let Some(pipe) = &mut pipe {
            let _ = pipe.read_to_end(&mut text);
        }
        String::from_utf8_lossy(&text).into_owned()
    });
    let status = loop {
        match child.try_wait() {
            Ok(Some(status)) => break status,
            Ok(None) if start.elapsed() > timeout + PATIENCE => {
                let _ = child.kill();
                let _ = child.wait();
                return Err(RunError::Hangs(PATIENCE.as_secs_f64()));
            }
            Ok(None) => std::thread::sleep(Duration::from_millis(2)),
            Err(e) => return Err(RunError::Start(program, e)),
        }
    };
    let wall = start.elapsed().as_secs_f64();
    let output = reader.join().unwrap_or_default();
    let code = status.code().ok_or_else(|| RunError::Signal(status.to_string()))?;
    Ok((code, output, wall))
}
