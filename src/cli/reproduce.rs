//! `relyant reproduce`

use super::exit::Status;
use super::input::read_text;
use super::meaning::{Input, Meaning};
use super::{complain, say};
use relyant::report::json::{Document, TraceEntry};
use relyant::reproduce::{Attempt, Found, reproduce};
use std::path::{Path, PathBuf};

/// Make a program of a counterexample: the C source with a scheduler that drives it through the run
#[derive(clap::Args)]
pub struct Args {
    /// The report of an unsafe program (`relyant verify --format json`)
    run: PathBuf,
    /// The C source
    file: PathBuf,
    /// Folder that gets the program; `DIR/run` compiles and runs it
    #[arg(short, value_name = "DIR")]
    output: PathBuf,
    /// How many times it is run
    #[arg(long, value_name = "N", default_value_t = 100)]
    runs: u32,
    #[command(flatten)]
    meaning: Meaning,
}

/// Runs the command.
pub fn run(a: &Args) -> Status {
    match read(a) {
        Ok(done) => {
            say(&format!("{}\n", line(&a.output, &done)));
            if done.succeeded() { Status::Good } else { Status::Unknown }
        }
        Err(why) => {
            complain(&format!("error: {why}"));
            Status::BadInput
        }
    }
}

/// What is said of it.
pub fn line(dir: &Path, done: &Attempt) -> String {
    match done.succeeded() {
        true => {
            format!(
                "reproduced: {} fails as found, {} of {} runs",
                dir.join("run").display(),
                done.failed,
                done.runs
            )
        }
        false => format!("not reproduced: {}", done.reason),
    }
}

fn read(a: &Args) -> Result<Attempt, String> {
    let text = read_text(&a.run).map_err(|d| d.to_string())?;
    let document: Document =
        serde_json::from_str(&text).map_err(|e| format!("{}: no report: {e}", a.run.display()))?;
    let unsafe_one = document.results.into_iter().find_map(|e| e.trace);
    let trace = unsafe_one.ok_or_else(|| format!("{}: no unsafe program is in it", a.run.display()))?;
    let input = a.meaning.input(&a.file).map_err(|d| d.to_string())?;
    made(&a.output, &input, &trace, a.runs)
}

/// Makes the program of a run, compiles and runs it.
///
/// # Errors
/// What cannot be read or written.
pub fn made(dir: &Path, input: &Input, trace: &TraceEntry, runs: u32) -> Result<Attempt, String> {
    let mut sources = vec![input.file.clone()];
    sources.extend(input.options.more_files.iter().cloned());
    let found = Found { sources: &sources, options: &input.options, trace };
    reproduce(dir, &found, runs).map_err(|e| e.to_string())
}
