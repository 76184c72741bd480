//! A batch as a job array of Slurm: parts of it on whatever nodes there are, until all rows have results.

use super::kept::Kept;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// How often the queue is looked at.
const LOOK: Duration = Duration::from_millis(500);
/// So often in a row it may give no answer, as while its daemon is started anew.
const SILENT: u32 = 120;

/// Why a batch cannot go on.
#[derive(Debug, thiserror::Error)]
pub enum SlurmError {
    /// A command of Slurm's cannot be run.
    #[error("{0} cannot be run: {1}")]
    Start(&'static str, std::io::Error),
    /// A command of Slurm's fails.
    #[error("{0} fails: {1}")]
    Failed(&'static str, String),
    /// The job's script cannot be written.
    #[error("{0}: {1}")]
    Script(PathBuf, std::io::Error),
}

/// A batch in parts: part `p` of `parts` has the rows `p`, `p + parts`, ….
#[derive(Clone, Debug)]
pub struct Array<'a> {
    /// The program and the arguments that make it measure a part; `--part` is added.
    pub command: &'a [String],
    /// Number of parts, at least 1.
    pub parts: usize,
    /// Further options of sbatch.
    pub options: &'a [String],
}

impl Array<'_> {
    /// Submits the parts that are named, and waits until none of them is in the queue. Gives true if somebody asked to stop,
    /// who then also ends them.
    pub fn run(&self, kept: &Kept, parts: &[usize], stop: &dyn Fn() -> bool) -> Result<bool, SlurmError> {
        let script = self.script(kept.dir())?;
        let list: Vec<String> = parts.iter().map(ToString::to_string).collect();
        let mut sbatch = Command::new("sbatch");
        sbatch.args(["--parsable", "--job-name=relyant", "--ntasks=1", "--cpus-per-task=1"]);
        sbatch.arg(format!("--array={}", list.join(",")));
        sbatch.arg("--open-mode=append");
        sbatch.arg(format!("--output={}", kept.dir().join("part-%a.log").display()));
        sbatch.args(self.options).arg(&script);
        let said = output("sbatch", &mut sbatch)?;
        // The job's number, and maybe the cluster's name behind a semicolon.
        let job = said.trim().split(';').next().unwrap_or_default().to_string();
        let mut silent = 0;
        loop {
            if stop() {
                output("scancel", Command::new("scancel").arg(&job))?;
                return Ok(true);
            }
            std::thread::sleep(LOOK);
            // All of the user's, as squeue fails when it is asked about a job that is long gone.
            match output("squeue", Command::new("squeue").args(["--noheader", "--me", "--format=%F"])) {
                Ok(text) if text.lines().all(|l| l.trim() != job) => return Ok(false),
                Ok(_) => silent = 0,
                Err(SlurmError::Failed(..)) if silent < SILENT => silent += 1,
                Err(e) => return Err(e),
            }
        }
    }

    fn script(&self, dir: &Path) -> Result<PathBuf, SlurmError> {
        let path = dir.join("part.sh");
        let words: Vec<String> = self.command.iter().map(|w| quoted(w)).collect();
        let text =
            format!("#!/bin/sh\nexec {} --part \"$SLURM_ARRAY_TASK_ID/{}\"\n", words.join(" "), self.parts);
        std::fs::write(&path, text).map_err(|e| SlurmError::Script(path.clone(), e))?;
        Ok(path)
    }
}

/// A word as a shell reads it back.
fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}

fn output(name: &'static str, command: &mut Command) -> Result<String, SlurmError> {
    let out = command.output().map_err(|e| SlurmError::Start(name, e))?;
    if out.status.success() {
        Ok(String::from_utf8_lossy(&out.stdout).into_owned())
    } else {
        Err(SlurmError::Failed(name, String::from_utf8_lossy(&out.stderr).trim().to_string()))
    }
}
